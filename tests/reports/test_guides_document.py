"""The document and the text of the guides."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kodus_check.model import Notice, NoticeKind, Revision, Sha
from kodus_check.model.guides import Budget, Doc, GuideFile, Guides, Invocation, LoadedDoc, Skill
from kodus_check.reports import jsondoc
from kodus_check.reports.guidesdoc import guides_document
from kodus_check.reports.guidestext import WIDTH, guides_text, skills_text

BASE = Sha("0123456789abcdef0123456789abcdef01234567")

LEDGER = Skill(
    ".agents/skills/ledger-rules/SKILL.md",
    name="ledger-rules",
    id="ledger-rules",
    description="How amounts of money are parsed, rounded and stored. Read before any change below src/ledger.",
    scope="src/ledger",
    files=(GuideFile("references/rounding.md", Sha("b" * 40)), GuideFile("scripts/check.py", Sha("c" * 40))),
    lines=126,
    tokens=1087,
)
RELEASE = Skill(
    ".claude/skills/release/SKILL.md",
    name="release",
    id="release",
    description="Steps of a release, for the person who makes it.",
    invocation=Invocation(model=False),
    lines=41,
    tokens=420,
)
OFF = replace(
    RELEASE,
    path=".github/skills/old-api/SKILL.md",
    name="old-api",
    id="old-api",
    invocation=Invocation(False, False, ("disable-model-invocation is `yes`, not true or false: the skill is switched off",)),
)
TWIN = replace(LEDGER, path=".claude/skills/ledger-rules/SKILL.md", id=".claude/skills/ledger-rules", twin_of=LEDGER.path, files=())
BAD = Skill(
    ".claude/skills/Customer.io/SKILL.md",
    reason="the name `Customer.io Automation` has more than lower-case letters, digits and single hyphens",
    line=2,
    lines=88,
)
SHIPPED = replace(RELEASE, path="builtin:auth-boundaries", name="auth-boundaries", id="auth-boundaries", invocation=Invocation())

CONTRIBUTING = Doc("CONTRIBUTING.md", lines=120, tokens=1800)
AGENTS = Doc("src/ledger/AGENTS.md", scope="src/ledger", rules_file=True, lines=300, tokens=9000)
LONG = Doc("docs/handbook.md", lines=2400, tokens=31_000)
BROKEN = Doc("docs/latin.md", reason="it is not UTF-8: byte 312 is 0xe9", lines=0)

GUIDES = Guides(
    base=Revision("main", BASE),
    skills=(LEDGER, TWIN, RELEASE, OFF, BAD, SHIPPED),
    docs=(CONTRIBUTING, AGENTS, LONG, BROKEN),
    budgets=(
        Budget("main_review", "", 2, 20, (LoadedDoc(CONTRIBUTING, 120, 1800),), 10, 20_000),
        Budget(
            "ledger",
            "src/ledger",
            23,
            20,
            (
                LoadedDoc(CONTRIBUTING, 120, 1800),
                LoadedDoc(AGENTS, 200, 6000),
                LoadedDoc(LONG, 0, 0),
                LoadedDoc(BROKEN, 0, 0),
            ),
            10,
            10_000,
        ),
    ),
    reviewers=("main_review", "ledger"),
    followed_by={
        LEDGER.path: ("main_review", "ledger"),
        SHIPPED.path: ("main_review",),
        RELEASE.path: ("ledger",),
        CONTRIBUTING.path: ("main_review", "ledger"),
        AGENTS.path: ("ledger",),
    },
    notices=(
        Notice(NoticeKind.SOURCE_REFUSED, "Only its first 200 of 300 lines are loaded for `ledger`.", AGENTS.path),
        Notice(
            NoticeKind.NOTHING_TO_JUDGE, "`CONTRIBUTING.md` is followed twice: the same rule may comment twice.", "CONTRIBUTING.md"
        ),
    ),
)
EMPTY = Guides(None, (), (), (), (), {}, ())

HOSTILE_TEXT = (
    '<script>window.ran=1</script></style><img src=x onerror=window.ran=1>" onmouseover="window.ran=1" x="'
    "{{ 7*7 }} {% raw %} \x1b[31m\u202egnp.exe\u200b\ud800 ::error::x ##[error]y\r\n::error::z "
)


def hostile(number: int) -> Guides:
    """Guides all of whose texts try to break out of where they are shown; ``number`` of each."""
    paths = [f"javascript:alert({index})/{HOSTILE_TEXT}/{index}" for index in range(number)]
    skills = tuple(
        Skill(
            path,
            name=HOSTILE_TEXT,
            id=f"{HOSTILE_TEXT}{index}",
            description=(HOSTILE_TEXT * 60)[:5000],
            reason=HOSTILE_TEXT if index % 2 else "",
            scope=HOSTILE_TEXT,
            invocation=Invocation(False, False, (HOSTILE_TEXT,)),
            files=(GuideFile(HOSTILE_TEXT, None), GuideFile("x" * 3000, None)),
            lines=1,
            tokens=10**9,
            twin_of=HOSTILE_TEXT,
        )
        for index, path in enumerate(paths)
    )
    docs = tuple(Doc(f"{path}.md", scope=HOSTILE_TEXT, rules_file=True, lines=9, tokens=9) for path in paths)
    reviewer = f"{HOSTILE_TEXT}{'r' * 300}"
    return Guides(
        Revision(HOSTILE_TEXT, BASE),
        skills,
        docs,
        (Budget(reviewer, HOSTILE_TEXT, 10**9, 1, tuple(LoadedDoc(doc, 1, 1) for doc in docs), 0, 0),),
        (reviewer, "main_review"),
        dict.fromkeys((*paths, *(doc.path for doc in docs)), (reviewer,)),
        tuple(Notice(NoticeKind.SOURCE_REFUSED, HOSTILE_TEXT * 20, path) for path in paths),
    )


def check(document: dict[str, Any]) -> None:
    Draft202012Validator(jsondoc.schema("guides")).validate(document)


def test_the_document() -> None:
    document = guides_document(GUIDES)
    check(document)
    assert document["base"] == {"ref": "main", "sha": BASE}
    assert [skill["path"] for skill in document["skills"]] == [skill.path for skill in GUIDES.skills]
    assert document["skills"][0] == {
        "path": ".agents/skills/ledger-rules/SKILL.md",
        "id": "ledger-rules",
        "name": "ledger-rules",
        "description": LEDGER.description,
        "valid": True,
        "reason": None,
        "line": 1,
        "scope": "src/ledger",
        "invocation": {"model": True, "user": True, "diagnostics": []},
        "files": ["references/rounding.md", "scripts/check.py"],
        "tokens": 1087,
        "lines": 126,
        "twin_of": None,
        "followed_by": ["main_review", "ledger"],
    }
    assert document["skills"][1]["twin_of"] == LEDGER.path
    assert document["skills"][4] | {"description": ""} == {
        "path": BAD.path,
        "id": "",
        "name": "",
        "description": "",
        "valid": False,
        "reason": BAD.reason,
        "line": 2,
        "scope": "",
        "invocation": {"model": True, "user": True, "diagnostics": []},
        "files": [],
        "tokens": None,
        "lines": 88,
        "twin_of": None,
        "followed_by": [],
    }
    assert document["docs"][1] == {
        "path": "src/ledger/AGENTS.md",
        "valid": True,
        "reason": None,
        "scope": "src/ledger",
        "rules_file": True,
        "tokens": 9000,
        "lines": 300,
        "followed_by": ["ledger"],
    }
    assert document["budgets"][1] == {
        "reviewer": "ledger",
        "folder": "src/ledger",
        "skills": {"linked": 23, "limit": 20},
        "docs": [
            {"path": "CONTRIBUTING.md", "tokens": 1800, "of_tokens": 1800, "lines": 120, "of_lines": 120},
            {"path": "src/ledger/AGENTS.md", "tokens": 6000, "of_tokens": 9000, "lines": 200, "of_lines": 300},
            {"path": "docs/handbook.md", "tokens": 0, "of_tokens": 31_000, "lines": 0, "of_lines": 2400},
            {"path": "docs/latin.md", "tokens": 0, "of_tokens": None, "lines": 0, "of_lines": 0},
        ],
        "docs_limit": 10,
        "tokens": 7800,
        "tokens_linked": 41_800,
        "tokens_limit": 10_000,
    }
    assert document["reviewers"] == ["main_review", "ledger"]
    assert document["notices"][0]["kind"] == "source_refused"


@pytest.mark.parametrize("guides", [EMPTY, hostile(2)], ids=["empty", "hostile"])
def test_any_document_holds_to_its_schema_and_is_ascii(guides: Guides) -> None:
    document = guides_document(guides)
    check(document)
    text = jsondoc.dump(document)
    assert text.isascii()
    assert "##[" not in text
    assert json.loads(text) == document


def test_a_document_with_one_key_more_or_less_is_refused() -> None:
    whole = guides_document(GUIDES)
    validator = Draft202012Validator(jsondoc.schema("guides"))
    parts: list[dict[str, Any]] = [whole, *(whole[key][0] for key in ("skills", "docs", "budgets", "notices"))]
    parts += [whole["base"], whole["skills"][0]["invocation"], whole["budgets"][0]["skills"], whole["budgets"][0]["docs"][0]]
    for part in parts:
        part["more"] = 1
        assert not validator.is_valid(whole), sorted(part)
        del part["more"]
        key, value = part.popitem()
        assert not validator.is_valid(whole), key
        part[key] = value
    assert validator.is_valid(whole)


def test_the_text() -> None:
    assert (
        guides_text(GUIDES)
        == """\
kodus-check guides: main at 0123456789ab
  6 skills: 5 valid, 1 not valid; 4 docs; 2 reviewers

Skills
  ok      ledger-rules
          .agents/skills/ledger-rules/SKILL.md
          How amounts of money are parsed, rounded and stored. Read before any change below src/led…
          1,087 tokens, 126 lines, 2 files; for src/ledger/; followed by main_review, ledger
  ok      .claude/skills/ledger-rules  [twin]
          .claude/skills/ledger-rules/SKILL.md
          How amounts of money are parsed, rounded and stored. Read before any change below src/led…
          1,087 tokens, 126 lines; for src/ledger/; followed by nobody
          takes its place: .agents/skills/ledger-rules/SKILL.md
  ok      release  [manual only]
          .claude/skills/release/SKILL.md
          Steps of a release, for the person who makes it.
          420 tokens, 41 lines; followed by ledger
  ok      old-api  [switched off]
          .github/skills/old-api/SKILL.md
          Steps of a release, for the person who makes it.
          420 tokens, 41 lines; followed by nobody
          disable-model-invocation is `yes`, not true or false: the skill is switched off
  INVALID .claude/skills/Customer.io/SKILL.md:2: Not a valid skill: the name `Customer.io
          Automation` has more than lower-case letters, digits and single hyphens
  ok      auth-boundaries
          builtin:auth-boundaries
          Steps of a release, for the person who makes it.
          420 tokens, 41 lines; followed by main_review

Docs
  ok      CONTRIBUTING.md
          1,800 tokens, 120 lines; followed by main_review, ledger
  ok      src/ledger/AGENTS.md  [also a rules file]
          9,000 tokens, 300 lines; for src/ledger/; followed by ledger
  ok      docs/handbook.md
          31,000 tokens, 2,400 lines; followed by nobody
  INVALID docs/latin.md: it is not UTF-8: byte 312 is 0xe9

Budgets
  main_review
    skills [##..................]  2 of 20
    docs   [##..................]  1 of 10
    tokens [##..................]  1,800 of 20,000
  ledger in src/ledger/
    skills [####################]  23 of 20  OVER: 23 linked
    docs   [########............]  4 of 10
    tokens [################....]  7,800 of 10,000  OVER: 41,800 linked
    src/ledger/AGENTS.md: trimmed to 6,000 of 9,000 tokens, 200 of 300 lines
    docs/handbook.md: left out: 31,000 tokens, 2,400 lines
    docs/latin.md: not loaded: it is not UTF-8: byte 312 is 0xe9

Notices
  - src/ledger/AGENTS.md: Only its first 200 of 300 lines are loaded for `ledger`.
  - `CONTRIBUTING.md` is followed twice: the same rule may comment twice.
"""
    )


def test_the_text_fits_a_terminal() -> None:
    assert max(map(len, guides_text(GUIDES).splitlines())) <= WIDTH


def test_a_path_is_not_broken_between_two_lines() -> None:
    path = "docs/" + "-".join(["a-long-name"] * 12) + ".md"
    notice = Notice(NoticeKind.SOURCE_REFUSED, f"The doc that was linked, {path}, is left out.")
    assert path in guides_text(replace(EMPTY, notices=(notice,)))


def test_the_text_of_no_guides_says_what_to_do() -> None:
    text = guides_text(EMPTY)
    assert text.startswith("kodus-check guides: no base\n  0 skills")
    assert "none: add a folder such as .agents/skills/NAME/ with a SKILL.md" in text
    assert "none: add CONTRIBUTING.md" in text
    assert "Budgets" not in text


@pytest.mark.parametrize("write", [guides_text, lambda guides: skills_text(guides.skills)], ids=["guides", "skills"])
def test_hostile_text_is_no_command_and_no_control(write: Any) -> None:
    text = write(hostile(4))
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert not {"\x1b", "\u202e", "\u200b", "\ud800", "\r"} & set(text)
    assert "##[" not in text
    assert "\\u{1b}" in text


def test_a_text_is_bounded_by_what_a_guide_can_hold() -> None:
    assert len(guides_text(hostile(1))) < 8_000


@pytest.mark.parametrize(
    ("used", "limit", "drawn"),
    [
        (0, 20, "[....................]  0 of 20"),
        (1, 1000, "[#...................]  1 of 1,000"),
        (999, 1000, "[####################]  999 of 1,000"),
        (20, 20, "[####################]  20 of 20"),
        (21, 20, "[####################]  21 of 20  OVER: 21 linked"),
        (0, 0, "[....................]  0 of 0"),
        (1, 0, "[####################]  1 of 0  OVER: 1 linked"),
    ],
)
def test_a_bar(used: int, limit: int, drawn: str) -> None:
    lines = guides_text(replace(EMPTY, budgets=(Budget("a", "", used, limit, (), 1, 1),))).splitlines()
    assert f"    skills {drawn}" in lines


def test_skills_on_one_line_each() -> None:
    assert skills_text((LEDGER, RELEASE, BAD)) == (
        "ok      ledger-rules  How amounts of money are parsed, rounded and stored. Read before any change b…\n"
        "ok      release  [manual only] Steps of a release, for the person who makes it.\n"
        f"INVALID .claude/skills/Customer.io/SKILL.md:2: {BAD.reason}\n"
    )
    assert skills_text(()) == "no skill at the base\n"
