"""``guides``, ``quote``, ``skills`` and ``config init`` as their user meets them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kodus_check.config.load import parse_config
from kodus_check.reports import jsondoc
from tests.repo import Content, Repo
from tests.test_run import Ran, kodus_check

LEDGER = (
    "# Ledger\n\nNever do the following:\n\n- insert into `entries` directly\n\nA reversal is a *new* entry,\nnever an UPDATE.\n"
)
FILES: dict[str, Content] = {
    "docs/ledger.md": LEDGER,
    "docs/other.md": "# Other\n\nEvery handler logs its errors.\n",
    "CONTRIBUTING.md": "Open an issue before you send a large change.\n",
    ".agents/skills/money/SKILL.md": "---\nname: money\ndescription: Amounts of money.\n---\nAmounts are integers, never floats.\n",
    ".agents/skills/money/references/fx.md": "Exchange rates come from the treasury service.\n",
    ".agents/skills/by-hand/SKILL.md": "---\nname: by-hand\ndescription: Releases.\ndisable-model-invocation: true\n---\nTag it.\n",
    ".claude/skills/broken/SKILL.md": "---\nname: Broken\ndescription: x\n---\n",
    ".kodus-check.yml": (
        "main_review: {docs: [docs/ledger.md]}\nagents: {ops: {docs: [docs/other.md], skills: [builtin:auth-boundaries]}}\n"
    ),
}


@pytest.fixture
def team(repo: Repo) -> Repo:
    repo.commit(FILES)
    return repo


def ask(repo: Repo, *arguments: str) -> Ran:
    head, *rest = arguments
    group = [rest.pop(0)] if head in ("skills", "config") else []
    return kodus_check(head, *group, "--repo", str(repo.path), "--base", "main", *rest)


def test_guides_tells_validity_followers_and_budgets(team: Repo) -> None:
    document = ask(team, "guides", "--format", "json").document
    Draft202012Validator(jsondoc.schema("guides")).validate(document)
    skills = {one["path"]: one for one in document["skills"]}
    assert {path: (one["valid"], one["followed_by"]) for path, one in skills.items()} == {
        ".agents/skills/by-hand/SKILL.md": (True, []),
        ".agents/skills/money/SKILL.md": (True, ["main_review"]),
        ".claude/skills/broken/SKILL.md": (False, []),
        "builtin:auth-boundaries": (True, ["ops"]),
    }
    assert skills[".claude/skills/broken/SKILL.md"]["line"] == 2
    assert skills[".agents/skills/by-hand/SKILL.md"]["invocation"] == {"model": False, "user": True, "diagnostics": []}
    assert {one["path"]: one["followed_by"] for one in document["docs"]} == {
        "CONTRIBUTING.md": [],
        "docs/ledger.md": ["main_review"],
        "docs/other.md": ["ops"],
    }
    assert [(one["reviewer"], one["skills"]["linked"], len(one["docs"])) for one in document["budgets"]] == [
        ("main_review", 0, 1),
        ("ops", 1, 1),
    ]
    assert "Not a valid skill: `name` is `Broken`" in ask(team, "guides").out
    assert ask(team, "guides", "--format", "html").out.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("guide", "quote", "arguments", "code", "said"),
    [
        (
            "docs/ledger.md",
            "reversal is a **new** entry, never",
            (),
            0,
            "verified: docs/ledger.md:7-8 (Ledger)\n  > A reversal is a *new* entry,",
        ),
        ("./docs/ledger.md", "insert into entries directly", (), 0, "docs/ledger.md:5 (Ledger)\n  > Never do the following:\n"),
        ("docs/ledger.md", "insert into entries always", (), 1, "not verified (not_in_guide)"),
        ("docs/wrong.md", "Every handler logs its errors.", (), 0, "verified: docs/other.md:3 (Other)"),
        ("docs/other.md", "Every handler logs its errors.", ("--agent", "main_review"), 1, "not verified (guide_not_linked)"),
        ("CONTRIBUTING.md", "Open an issue before you send", (), 1, "not verified (guide_not_linked)"),
        (".agents/skills/money/SKILL.md", "Amounts are integers, never floats.", (), 0, "SKILL.md:5"),
        (".agents/skills/money/references/fx.md", "Exchange rates come from the treasury", (), 0, "fx.md:1"),
        (".agents/skills/by-hand/SKILL.md", "Tag it.", (), 1, "guide_not_linked"),
        ("builtin:auth-boundaries", "A failed or missing check denies", ("--agent", "ops"), 0, "builtin:auth-boundaries:"),
    ],
)
def test_quote(team: Repo, guide: str, quote: str, arguments: tuple[str, ...], code: int, said: str) -> None:
    ran = ask(team, "quote", "--guide", guide, "--quote", quote, *arguments)
    assert ran.code == code, ran.out + ran.err
    assert said in ran.out


def test_quote_as_json(team: Repo) -> None:
    asked = ("quote", "--guide", "docs/ledger.md", "--quote", "a *new* entry, never an UPDATE", "--format", "json")
    assert ask(team, *asked).document == {
        "version": 1,
        "verified": True,
        "reason": None,
        "detail": None,
        "path": "docs/ledger.md",
        "start_line": 7,
        "end_line": 8,
        "text": "A reversal is a *new* entry,\nnever an UPDATE.",
        "headings": ["Ledger"],
    }


def test_quotes_in_batch_cost_each_other_nothing(team: Repo) -> None:
    lines = [
        json.dumps({"guide": "docs/ledger.md", "quote": "A reversal is a new entry"}),
        "not json",
        "",
        json.dumps({"guide": "docs/ledger.md"}),
        json.dumps({"guide": "docs/ledger.md", "quote": "never"}),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", "quote", "--repo", str(team.path), "--base", "main", "--batch", "-"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [(one.get("verified"), one.get("reason"), one.get("error")) for one in answers] == [
        (True, None, None),
        (None, None, "line 2 is not JSON"),
        (None, None, 'line 4 is no object with the texts "guide" and "quote"'),
        (False, "too_short", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("quote",), "nothing to check"),
        (("quote", "--guide", "a", "--quote", "b", "--agent", "nobody"), "Reviewers here are main_review, ops."),
        (("skills", "show", "nothing"), "there is no such skill"),
        (("skills", "show", ".claude/skills/broken"), ".claude/skills/broken/SKILL.md:2: not a valid skill"),
        (("skills", "show", "money", "--file", "../x"), "without `..`"),
        (("skills", "search", "--offset", "-1"), "offset must be 0 or more"),
    ],
)
def test_what_cannot_be_meant_is_exit_2(team: Repo, arguments: tuple[str, ...], said: str) -> None:
    ran = ask(team, *arguments)
    assert ran.code == 2
    assert said in ran.err


def test_skills(team: Repo) -> None:
    assert [line.split()[1] for line in ask(team, "skills", "list").out.splitlines()] == [
        "by-hand",
        "money",
        ".claude/skills/broken/SKILL.md:2:",
        "builtin:auth-boundaries",
    ]
    assert ask(team, "skills", "show", "money").out.endswith("Amounts are integers, never floats.\n")
    assert ask(team, "skills", "show", "money", "--file", "references/fx.md").out == FILES[".agents/skills/money/references/fx.md"]
    assert "# Safe database migrations" in ask(team, "skills", "show", "builtin:safe-db-migration").out
    page = ask(team, "skills", "search", "AMOUNTS", "--format", "json").document
    assert (page["skills"], page["total"], page["next_offset"]) == (["money"], 1, None)
    assert ask(team, "skills", "search", ".*").out == "no skill holds that\n"


def test_skills_are_validated_at_the_base_and_on_disk(team: Repo, tmp_path: Path) -> None:
    assert ask(team, "skills", "validate").code == 1
    good = tmp_path / "x" / "fine"
    good.mkdir(parents=True)
    (good / "SKILL.md").write_text("---\nname: fine\ndescription: x\n---\n")
    assert kodus_check("skills", "validate", str(tmp_path / "x")).code == 0
    (good / "agents").mkdir()
    (good / "agents" / "openai.yaml").write_text("policy: {allow_implicit_invocation: 'no'}\n")
    assert kodus_check("skills", "validate", str(good)).code == 1
    (tmp_path / "x" / "link").mkdir()
    (tmp_path / "x" / "link" / "SKILL.md").symlink_to("/etc/passwd")
    ran = kodus_check("skills", "validate", str(tmp_path / "x" / "link"), "--format", "json")
    assert (ran.code, ran.document["skills"][0]["reason"]) == (1, "a link, and those are not followed on disk")
    assert kodus_check("skills", "validate", str(tmp_path / "x" / "fine" / "agents")).code == 2


def test_init_proposes_what_is_there_and_never_overwrites(repo: Repo) -> None:
    repo.commit(
        {**FILES, ".kodus-check.yml": None} if False else {name: text for name, text in FILES.items() if "kodus" not in name}
    )
    printed = ask(repo, "config", "init", "--stdout").out
    config = parse_config(printed.encode(), "proposal")
    assert config.main_review.skills == (".agents/skills/money",)
    assert config.main_review.docs == ("CONTRIBUTING.md",)
    assert config.main_review.rules == ("builtin:essentials",)
    assert "# - docs/ledger.md  # " in printed
    assert "# - .claude/skills/broken  # not valid: " in printed
    assert "# - .agents/skills/by-hand  # not for a model unless it is linked" in printed
    assert ask(repo, "config", "init").code == 0
    assert (repo.path / ".kodus-check.yml").read_text() == printed
    again = ask(repo, "config", "init")
    assert (again.code, "is not overwritten" in again.err) == (2, True)
    repo.commit({})
    assert "the base has a config already" in ask(repo, "config", "init").err
    checked = kodus_check("config", "check", "--repo", str(repo.path), "--base", "main")
    assert (checked.code, checked.out) == (0, ".kodus-check.yml: valid\n")


def test_init_follows_no_link(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.txt": "a"})
    (repo.path / ".kodus-check.yml").symlink_to(tmp_path / "elsewhere.yml")
    assert ask(repo, "config", "init").code == 2
    assert not (tmp_path / "elsewhere.yml").exists()
