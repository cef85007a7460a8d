"""``kodus-check run`` as its user meets it: a repository, a change, an outcome, an exit code, a document that fits its schema."""

import json
import os
import shutil
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kodus_check.reports import jsondoc
from tests.repo import Content, Repo

RULE = """\
id: no-float-money
language: typescript
severity: error
message: Parse $A with `Money.parse`
note: Amounts are integers.
rule: {pattern: parseFloat($A)}
"""
SGCONFIG = "ruleDirs: [rules]\n"
CONFIG = "version: 1\nmain_review: {rules: [sgconfig.yml]}\n"
BASE: dict[str, Content] = {
    "sgconfig.yml": SGCONFIG,
    "rules/money.yml": RULE,
    "src/a.ts": "let a = 1;\n",
    ".kodus-check.yml": CONFIG,
}
BAD = "let a = parseFloat(x);\n"


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded

    @property
    def kinds(self) -> list[str]:
        return [notice["kind"] for notice in self.document["notices"]]

    def message(self, kind: str) -> str:
        (found,) = [notice["message"] for notice in self.document["notices"] if notice["kind"] == kind]
        return str(found)


def kodus_check(*arguments: str, cwd: Path | None = None) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONPATH": str(Path(__file__).parents[1]),
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
        },
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def run(repo: Repo, *arguments: str, base: str = "main", head: str = "feature") -> Ran:
    """A run with JSON output, whose document must fit the published schema."""
    ran = kodus_check("run", "--repo", str(repo.path), "--base", base, "--head", head, "--format", "json", *arguments)
    if ran.out:
        Draft202012Validator(jsondoc.schema("review")).validate(ran.document)
    return ran


@pytest.fixture
def team(repo: Repo) -> Repo:
    """``main`` with one gating rule, ``feature`` checked out on top of it."""
    repo.commit(BASE)
    repo.branch("feature")
    return repo


def test_a_match_on_a_changed_line_is_a_finding_that_fails_the_check(team: Repo) -> None:
    head = team.commit({"src/a.ts": BAD})
    ran = run(team)
    assert ran.code == 1
    assert ran.document["outcome"] == "findings"
    (finding,) = ran.document["findings"]
    assert finding == {
        "fingerprint": finding["fingerprint"],
        "agent": "main_review",
        "path": "src/a.ts",
        "old_path": None,
        "side": "right",
        "start_line": 1,
        "end_line": 1,
        "severity": "high",
        "mode": "gate",
        "title": "Parse x with `Money.parse`",
        "body": "Amounts are integers.",
        "evidence": {
            "kind": "match",
            "rule_id": "no-float-money",
            "source": "rules/money.yml",
            "byte_start": 8,
            "byte_end": 21,
            "text": "parseFloat(x)",
            "message": "Parse x with `Money.parse`",
        },
    }
    assert ran.document["head"] == {"sha": head}
    assert ran.document["base"] == {"ref": "main", "sha": team.rev("main")}
    assert ran.document["coverage"]["files"] == [{"path": "src/a.ts", "status": "rules_only", "reason": None}]
    assert ran.document["config"]["sources"] == [".kodus-check.yml"]


def test_a_clean_change_is_clean(team: Repo) -> None:
    team.commit({"src/a.ts": "let a = 2;\n"})
    ran = run(team)
    assert (ran.code, ran.document["outcome"], ran.document["findings"], ran.kinds) == (0, "clean", [], [])


def test_without_configuration_nothing_gates(team: Repo) -> None:
    team.checkout("main")
    team.commit({".kodus-check.yml": None})
    team.branch("feature")
    team.commit({"src/a.ts": BAD})
    ran = run(team)
    assert ran.code == 0
    assert [finding["mode"] for finding in ran.document["findings"]] == ["comment"]


@pytest.mark.parametrize(
    ("flag", "severity", "code"), [("high", "error", 1), ("critical", "error", 0), ("never", "error", 0), ("low", "info", 1)]
)
def test_fail_on_draws_the_line(repo: Repo, flag: str, severity: str, code: int) -> None:
    repo.commit({**BASE, "rules/money.yml": RULE.replace("error", severity)})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    assert run(repo, "--fail-on", flag).code == code


def test_a_rule_sets_its_own_mode_and_severity(repo: Repo) -> None:
    repo.commit({**BASE, "rules/money.yml": f"{RULE}metadata: {{mode: shadow, severity: critical}}\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    ran = run(repo)
    assert ran.code == 0
    assert [(finding["mode"], finding["severity"]) for finding in ran.document["findings"]] == [("shadow", "critical")]


def test_old_violations_on_untouched_lines_are_counted_not_reported(repo: Repo) -> None:
    repo.commit({**BASE, "src/a.ts": BAD + "let b = 1;\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD + "let b = 2;\n"})
    ran = run(repo)
    assert (ran.code, ran.document["findings"]) == (0, [])
    assert "1 match lies on lines" in ran.message("out_of_scope")


def test_scope_changed_files_reports_them(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": CONFIG + "scope: changed-files\n", "src/a.ts": BAD + "let b = 1;\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD + "let b = 2;\n"})
    ran = run(repo)
    assert (ran.code, len(ran.document["findings"])) == (1, 1)


def test_removing_a_line_inside_a_match_touches_it(repo: Repo) -> None:
    rule = "id: handler\nlanguage: python\nrule: {kind: function_definition, not: {has: {pattern: check(), stopBy: end}}}\n"
    repo.commit({**BASE, "rules/money.yml": rule, "a.py": "def f():\n    check()\n    return 1\n"})
    repo.branch("feature")
    repo.commit({"a.py": "def f():\n    return 1\n"})
    assert [finding["start_line"] for finding in run(repo).document["findings"]] == [1]


def test_agents_judge_their_own_paths(repo: Repo) -> None:
    config = (
        "main_review: {rules: []}\nagents:\n  ledger:\n    paths: ['src/ledger/**']\n    rules: |\n"
        "      id: no-float\n      language: typescript\n      rule: {pattern: parseFloat($A)}\n"
    )
    repo.commit({**BASE, ".kodus-check.yml": config})
    repo.branch("feature")
    repo.commit({"src/ledger/x.ts": BAD, "src/other.ts": BAD})
    (finding,) = run(repo).document["findings"]
    assert (finding["agent"], finding["path"]) == ("ledger", "src/ledger/x.ts")
    assert finding["evidence"]["source"] == ".kodus-check.yml#agents.ledger.rules"


def test_one_rule_in_two_hands_is_one_finding(repo: Repo) -> None:
    config = "main_review: {rules: [rules/money.yml]}\nagents: {ledger: {rules: [rules/money.yml, sgconfig.yml]}}\n"
    repo.commit({**BASE, ".kodus-check.yml": config})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    assert [finding["agent"] for finding in run(repo).document["findings"]] == ["main_review"]


def test_two_runs_give_the_same_bytes_apart_from_timings(team: Repo) -> None:
    team.commit({f"src/{index}.ts": BAD * 3 for index in range(40)})
    first, second = run(team).document, run(team).document
    del first["timings"], second["timings"]
    assert json.dumps(first) == json.dumps(second)
    assert len({finding["fingerprint"] for finding in first["findings"]}) == 120


def test_a_fingerprint_does_not_move_with_the_line(team: Repo) -> None:
    team.commit({"src/a.ts": BAD})
    before = run(team).document["findings"][0]
    team.commit({"src/a.ts": f"// a\n// b\n{BAD}"})
    after = run(team).document["findings"][0]
    assert (before["start_line"], after["start_line"]) == (1, 3)
    assert before["fingerprint"] == after["fingerprint"]


def test_fingerprints_are_a_promise(team: Repo) -> None:
    team.commit({"src/a.ts": BAD})
    assert run(team).document["findings"][0]["fingerprint"] == "eac5475eba5132ce80d45483"


def test_json_is_alone_on_stdout_and_progress_on_stderr(team: Repo) -> None:
    team.commit({"src/a.ts": BAD})
    ran = run(team)
    assert ran.out.startswith("{")
    assert "kodus-check: reading the change" in ran.err


def test_outputs_go_to_files_as_well(team: Repo, tmp_path: Path) -> None:
    team.commit({"src/a.ts": BAD})
    ran = run(team, "--output", f"markdown:{tmp_path}/r.md", "--output", f"text:{tmp_path}/r.txt")
    assert ran.code == 1
    assert "**Evidence** (`no-float-money` in `rules/money.yml`):" in (tmp_path / "r.md").read_text()
    assert (tmp_path / "r.txt").read_text().startswith("kodus-check: FINDINGS: 1 finding; this fails the check")


# -- what a hostile or clumsy head can try: no effect, and a notice ------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        ({"rules/money.yml": "id: no-float-money\nlanguage: typescript\nrule: {pattern: neverThis()}\n"}, "rules/money.yml"),
        ({"rules/money.yml": None}, "rules/money.yml"),
        ({"rules/extra.yml": "broken: ["}, "rules/extra.yml"),
        ({"sgconfig.yml": "ruleDirs: [\n"}, "sgconfig.yml"),
        ({"sgconfig.yml": SGCONFIG + "languageGlobs: {html: ['*.ts']}\n"}, "sgconfig.yml"),
        ({"src/sgconfig.yml": "ruleDirs: []\n"}, "src/sgconfig.yml"),
        ({".kodus-check.yml": "main_review: {rules: []}\n"}, ".kodus-check.yml"),
        ({".kodus-check.yml": "broken: ["}, ".kodus-check.yml"),
        ({".gitattributes": "*.ts binary -diff\n"}, ".gitattributes"),
        ({".gitignore": "*\n", ".ignore": "*\n"}, ".gitignore, .ignore"),
        ({".github/workflows/ci.yml": "on: push\n"}, ".github/workflows/ci.yml"),
        ({".gitlab-ci.yml": "job: {}\n"}, ".gitlab-ci.yml"),
    ],
)
def test_head_cannot_change_what_judges_it(team: Repo, edit: dict[str, Content], named: str) -> None:
    team.commit({"src/a.ts": BAD, **edit})
    ran = run(team)
    assert (ran.code, len(ran.document["findings"])) == (1, 1)
    assert f"The change edits {named}. It had no effect" in ran.message("check_configuration_changed")


@pytest.mark.parametrize(
    "source",
    [
        "// ast-grep-ignore\nlet a = parseFloat(x);\n",
        "let a = parseFloat(x); // ast-grep-ignore\n",
        "// ast-grep-ignore: no-float-money\n\nlet b = 1;\nlet a = parseFloat(x);\n",
    ],
)
def test_a_suppression_that_the_change_adds_silences_nothing(team: Repo, source: str) -> None:
    team.commit({"src/a.ts": source})
    ran = run(team)
    assert (ran.code, len(ran.document["findings"])) == (1, 1)
    assert "It silenced nothing in this run" in ran.message("suppression_added")


def test_a_suppression_of_the_base_that_names_its_rule_is_honoured(repo: Repo) -> None:
    source = "// ast-grep-ignore: no-float-money\nlet a = parseFloat(x);\n// ast-grep-ignore\nlet b = parseFloat(y);\n"
    repo.commit({**BASE, "src/a.ts": source})
    repo.branch("feature")
    repo.commit({"src/a.ts": source.replace("(x)", "(xx)").replace("(y)", "(yy)")})
    ran = run(repo)
    assert [finding["start_line"] for finding in ran.document["findings"]] == [4]
    assert "`no-float-money` at line 2" in ran.message("suppression_honoured")


def test_a_nul_byte_does_not_hide_lines(team: Repo) -> None:
    team.commit({"src/a.ts": b"let z = '\x00';\n" + BAD.encode()})
    ran = run(team)
    assert [(finding["start_line"], finding["evidence"]["text"]) for finding in ran.document["findings"]] == [(2, "parseFloat(x)")]


def test_a_byte_that_is_not_utf8_does_not_hide_a_file(team: Repo) -> None:
    team.commit({"src/a.ts": b"// \xff\n" + BAD.encode()})
    assert [finding["start_line"] for finding in run(team).document["findings"]] == [2]


def test_what_was_not_scanned_keeps_the_gate_open(team: Repo) -> None:
    team.commit({"src/a\nb.ts": "let q = 1;\n", "src/c.ts": BAD})
    ran = run(team)
    assert (ran.code, ran.document["outcome"]) == (4, "partial")
    assert len(ran.document["findings"]) == 1
    assert {"path": "src/a\nb.ts", "status": "not_scanned", "reason": "path_not_plain"} in ran.document["coverage"]["files"]
    text = kodus_check("run", "--repo", str(team.path), "--base", "main", "--head", "feature").out
    assert text.startswith("kodus-check: PARTIAL: 1 file NOT SCANNED; 1 finding")


@pytest.mark.parametrize(
    ("config", "code"),
    [(CONFIG + "on_unscanned: pass\n", 0), (CONFIG + "ignore: ['src/']\n", 0), (CONFIG + "fail_on: never\n", 0), (CONFIG, 4)],
)
def test_who_decides_that_unscanned_passes_is_the_base(repo: Repo, config: str, code: int) -> None:
    repo.commit({**BASE, ".kodus-check.yml": config})
    repo.branch("feature")
    repo.commit({"src/a\nb.ts": "let q = 1;\n"})
    assert run(repo).code == code


def test_what_the_base_declares_vendored_keeps_no_gate_open(repo: Repo) -> None:
    repo.commit({**BASE, ".gitattributes": "third/** linguist-vendored\nmade.ts linguist-generated\n"})
    repo.branch("feature")
    repo.commit({"third/a\nb.ts": "let q = 1;\n", "made.ts": "let q = 1;\n", "package-lock.json": "{}\n"})
    ran = run(repo)
    assert (ran.code, ran.document["outcome"]) == (0, "partial")
    fates = {file["path"]: (file["status"], file["reason"]) for file in ran.document["coverage"]["files"]}
    assert fates == {
        "made.ts": ("rules_only", "generated"),
        "package-lock.json": ("skipped", "no_rule"),
        "third/a\nb.ts": ("not_scanned", "path_not_plain"),
    }
    repo.commit({".gitattributes": "** linguist-vendored\n", "src/a\nb.ts": "let q = 1;\n"})
    assert run(repo).code == 4


# -- a base that is not right -------------------------------------------------------------------------------------------


def test_a_broken_rule_document_is_refused_and_the_others_run(repo: Repo) -> None:
    repo.commit({**BASE, "rules/money.yml": f"{RULE}---\nid: worse\nlanguage: python\nrule: {{kind: nope}}\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    ran = run(repo)
    assert (ran.code, len(ran.document["findings"])) == (1, 1)
    assert ran.message("rule_refused").startswith("`worse` does not run: Kind `nope` is invalid.")
    assert [one["subject"] for one in ran.document["notices"] if one["kind"] == "rule_refused"] == ["rules/money.yml:8"]


def test_a_broken_config_is_exit_2_and_says_where(team: Repo) -> None:
    team.checkout("main")
    team.commit({".kodus-check.yml": "fail_onn: high\n"})
    team.branch("feature")
    team.commit({"src/a.ts": BAD})
    ran = run(team)
    assert (ran.code, ran.document["outcome"], ran.document["findings"]) == (2, "failed", [])
    assert ran.message("config_invalid") == ".kodus-check.yml:1:1: unknown key `fail_onn`; did you mean `fail_on`?"


def test_the_change_that_repairs_the_config_can_be_merged(team: Repo) -> None:
    team.checkout("main")
    team.commit({".kodus-check.yml": "fail_onn: high\n"})
    team.branch("feature")
    team.commit({".kodus-check.yml": "fail_on: high\n"})
    ran = run(team)
    assert (ran.code, ran.document["outcome"]) == (0, "failed")
    assert ran.kinds == ["config_invalid", "config_repaired_in_head"]


def test_a_branch_that_only_lacks_the_broken_config_repairs_nothing(repo: Repo) -> None:
    repo.commit({"sgconfig.yml": SGCONFIG})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    repo.checkout("main")
    repo.commit({".kodus-check.yml": "fail_onn: high\n"})
    ran = run(repo)
    assert (ran.code, ran.kinds) == (2, ["config_invalid"])


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("[rules/nope.yml]", "the base has no such rule file"),
        ("['builtin:esentials']", "did you mean `builtin:essentials`?"),
        ("[../x.yml]", "does not stay inside the repository"),
        ("[/etc/x.yml]", "this path is absolute"),
        ("[src/a.ts]", "a rule file ends in .yml or .yaml"),
    ],
)
def test_names_that_do_not_exist_are_config_errors(repo: Repo, rules: str, problem: str) -> None:
    repo.commit({**BASE, ".kodus-check.yml": f"version: 1\nmain_review:\n  rules: {rules}\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    ran = run(repo)
    assert ran.code == 2
    assert ".kodus-check.yml:3:3: `main_review.rules[0]`:" in ran.message("config_invalid")
    assert problem in ran.message("config_invalid")


def test_no_rules_and_nothing_changed_are_loud(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": "main_review: {rules: []}\n"})
    repo.branch("feature")
    assert run(repo).kinds == ["no_rules"]
    repo.checkout("main")
    repo.commit(BASE)
    assert run(repo, head="main").kinds == ["nothing_to_judge"]
    assert kodus_check("run", "--repo", str(repo.path), "--base", "main", "--head", "main").out.startswith(
        "kodus-check: NOTHING JUDGED"
    )


# -- where it cannot review ---------------------------------------------------------------------------------------------


def test_unknown_revision(team: Repo) -> None:
    ran = run(team, base="nope")
    assert (ran.code, ran.document["outcome"]) == (3, "failed")
    assert "unknown revision `nope`" in ran.message("could_not_review")


def test_not_a_repository(tmp_path: Path) -> None:
    ran = kodus_check("run", "--repo", str(tmp_path), "--base", "a", "--format", "json")
    assert (ran.code, ran.document["outcome"]) == (3, "failed")
    assert "not a git repository" in ran.message("could_not_review")


def test_the_only_likely_branch_is_the_base(team: Repo) -> None:
    team.commit({"src/a.ts": BAD})
    ran = kodus_check("run", "--repo", str(team.path), "--format", "json")
    assert (ran.code, ran.document["base"]["ref"]) == (1, "main")


def test_no_base_is_a_usage_error(team: Repo) -> None:
    team.git("branch", "-m", "main", "trunk")
    ran = kodus_check("run", "--repo", str(team.path))
    assert (ran.code, ran.out) == (2, "")
    assert "Name the target branch with `--base`" in ran.err


def test_origin_head_is_the_default_base(team: Repo, tmp_path: Path) -> None:
    team.commit({"src/a.ts": BAD})
    team.checkout("main")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(team.path), str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "checkout", "-q", "feature"], check=True)
    ran = kodus_check("run", "--format", "json", cwd=clone)
    assert ran.code == 1
    assert ran.document["base"]["ref"] == "origin/HEAD"


@pytest.mark.parametrize("kind", ["blob", "tree", "commit", "rule"])
def test_a_corrupted_object_is_exit_3_and_never_a_green(team: Repo, kind: str) -> None:
    head = team.commit({"src/a.ts": BAD})
    oid = {
        "blob": team.rev("feature:src/a.ts"),
        "tree": team.rev("feature:src"),
        "commit": head,
        "rule": team.rev("main:rules/money.yml"),
    }[kind]
    real = zlib.decompress(team.loose_object(oid).read_bytes())
    header, _, body = real.partition(b"\0")
    body = team.git("cat-file", "tree", "main:src") if kind == "tree" else body.replace(b"parseFloat", b"parseInt()")
    header = b"%s %d" % (header.split()[0], len(body))
    team.loose_object(oid).chmod(0o644)
    forged = header + b"\0" + (body.replace(b"Test", b"Evil") if kind == "commit" else body)
    team.loose_object(oid).write_bytes(zlib.compress(forged))
    assert forged != real
    ran = run(team)
    assert (ran.code, ran.document["outcome"]) == (3, "failed")
    assert "does not hash to its name" in ran.message("could_not_review")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a clone to another user")
def test_a_clone_of_another_owner(team: Repo) -> None:
    team.commit({"src/a.ts": BAD})
    for folder, _, files in os.walk(team.path):
        for name in (".", *files):
            os.chown(Path(folder) / name, 4711, 4711)
    assert run(team).code == 1


def test_without_git_nothing_is_judged(team: Repo, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", "run", "--repo", str(team.path), "--base", "main", "--head", "feature"],
        env={"PATH": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout.startswith("kodus-check: FAILED: could not review")
    assert "git is not installed" in done.stdout


@pytest.mark.parametrize("behaviour", ["kill -9 $$", "exit 101", "echo not json", "exit 0", "exit 7"])
def test_an_ast_grep_that_fails_is_never_a_green(behaviour: str, team: Repo, tmp_path: Path) -> None:
    """It dies, panics, prints nonsense, or reads nothing and says all is well: each is a failure or a partial result."""
    team.commit({"src/a.ts": "let a = 2;\n"})
    tool = tmp_path / "ast-grep"
    tool.write_text(
        f'#!/bin/sh\nfor a in "$@"; do case $a in --version) echo ast-grep 0.51.1; exit 0;; .) exit 0;; esac; done\n{behaviour}\n'
    )
    tool.chmod(0o755)
    code = (
        f"import kodus_check.rules.astgrep as astgrep, kodus_check.cli as cli; astgrep.binary = lambda: {str(tool)!r}; cli.main()"
    )
    command = [
        sys.executable,
        "-c",
        code,
        "run",
        "--repo",
        str(team.path),
        "--base",
        "main",
        "--head",
        "feature",
        "--format",
        "json",
    ]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, capture_output=True, text=True, check=False
    )
    assert done.returncode in (3, 4)
    assert json.loads(done.stdout)["outcome"] == ("partial" if done.returncode == 4 else "failed")


def test_without_ast_grep_nothing_is_judged(team: Repo, tmp_path: Path) -> None:
    team.commit({"src/a.ts": BAD})
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(python.parents[1])], check=True)
    packages = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    tools = tmp_path / "bin"
    tools.mkdir()
    git = shutil.which("git")
    assert git is not None
    (tools / "git").symlink_to(git)
    done = subprocess.run(
        [str(python), "-m", "kodus_check", "run", "--repo", str(team.path), "--base", "main", "--head", "feature"],
        env={"PATH": str(tools), "PYTHONPATH": f"{Path(__file__).parents[1]}:{packages}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout.startswith("kodus-check: FAILED: could not review")
    assert "ast-grep is not installed" in done.stdout


# -- suggestions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "suggestion"),
    [
        ("let a = parseFloat(x);\n", "let a = Money.parse(x);"),
        ("  f(parseFloat(x), 1)", "  f(Money.parse(x), 1)"),
        ("let a = parseFloat(\n  x\n);\nlet b = 1;\n", "let a = Money.parse(x);"),
        ("let a = parseFloat(x);\r\n", "let a = Money.parse(x);"),
        ("let ü = parseFloat('é'); // ast-grep-ignore\n", "let ü = Money.parse('é'); // ast-grep-ignore"),
        ("let z = '\u200b' + parseFloat(x);\n", None),
    ],
)
def test_a_fix_becomes_the_lines_of_the_match_with_the_fix_applied(repo: Repo, source: str, suggestion: str | None) -> None:
    repo.commit({**BASE, "rules/money.yml": f"{RULE}fix: Money.parse($A)\n"})
    repo.branch("feature")
    repo.commit({"src/b.ts": source})
    (finding,) = run(repo).document["findings"]
    assert finding.get("suggestion") == suggestion
    if suggestion is not None:
        lines = source.replace("\r\n", "\n").split("\n")
        lines[finding["start_line"] - 1 : finding["end_line"]] = suggestion.split("\n")
        assert "parseFloat" not in "\n".join(lines)
    markdown = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--head", "feature", "--format", "markdown").out
    assert ("```suggestion\n" in markdown) is (suggestion is not None)


def test_a_key_in_a_message_or_a_fix_is_not_repeated(repo: Repo) -> None:
    key = "ghp_" + "a1B2" * 9
    rule = "id: token\nlanguage: typescript\nmessage: Do not log $A\nrule: {pattern: log($A)}\nfix: hide($A)\n"
    repo.commit({**BASE, "rules/money.yml": rule})
    repo.branch("feature")
    repo.commit({"src/b.ts": f"log('{key}');\n"})
    (finding,) = run(repo).document["findings"]
    assert (finding["title"], finding.get("suggestion")) == ("Do not log 'ghp_***'", None)
    for form in ("text", "markdown", "sarif", "codequality"):
        ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--head", "feature", "--format", form)
        assert key not in ran.out, form
