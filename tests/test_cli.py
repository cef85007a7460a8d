"""The smaller commands, and the contract of all: help without configuration, JSON that fits its schema, errors with remedies."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kodus_check.reports import jsondoc
from tests.repo import Repo
from tests.test_run import BAD, BASE, CONFIG, RULE, kodus_check


@pytest.mark.parametrize(
    "command", [[], ["run"], ["changes"], ["rules"], ["config"], ["config", "show"], ["config", "check"], ["demo"]]
)
def test_help_works_anywhere(command: list[str], tmp_path: Path) -> None:
    ran = kodus_check(*command, "--help", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: ")


def test_version() -> None:
    from kodus_check import __version__

    assert kodus_check("--version").out == f"kodus-check, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["run", "--fail-on", "bad"], ["run", "--format", "xml"], ["run", "--output", "text"], ["run", "--repo", "/nowhere"], ["nope"]],
)
def test_usage_errors_are_exit_2_and_leave_stdout_empty(arguments: list[str]) -> None:
    ran = kodus_check(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err


def test_changes_as_json(repo: Repo) -> None:
    repo.commit({"a.txt": "1\n2\n3\n", "old.bin": b"\x00", b"b\xff.txt": "x\n"})
    repo.branch("feature")
    repo.commit({"a.txt": "1\ntwo\n3\n", b"b\xff.txt": "y\n"})
    ran = kodus_check("changes", "--repo", str(repo.path), "--base", "main", "--head", "feature", "--format", "json")
    assert ran.code == 0
    Draft202012Validator(jsondoc.schema("changes")).validate(ran.document)
    first, second = ran.document["files"]
    assert first == {
        "path": "a.txt",
        "old_path": None,
        "status": "modified",
        "kind": "file",
        "hunks": [{"old_start": 1, "old_lines": 3, "new_start": 1, "new_lines": 3}],
        "added": [2],
        "removed": [2],
        "commentable": {"right": [1, 2, 3], "left": [2]},
    }
    assert (second["path"], second["path_b64"]) == ("b\\xff.txt", "Yv8udHh0")


def test_changes_as_text(repo: Repo) -> None:
    repo.commit({"a.txt": "1\n2\n3\n"})
    repo.branch("feature")
    repo.commit({"a.txt": None, "b.txt": "1\n2\n3\n", "\x1b[31m.txt": "x"})
    out = kodus_check("changes", "--repo", str(repo.path), "--base", "main", "--head", "feature").out
    assert "renamed       b.txt (from a.txt)  +0 -0" in out
    assert "added         \\u{1b}[31m.txt  +1 -0" in out


def test_rules_as_json(repo: Repo) -> None:
    repo.commit(
        {
            **BASE,
            "rules/money.yml": (
                f"{RULE}---\nid: b\nlanguage: klingon\nrule: {{kind: x}}\n"
                "---\nid: c\nlanguage: py\nseverity: off\nrule: {pattern: x}\n"
            ),
        }
    )
    ran = kodus_check("rules", "--repo", str(repo.path), "--base", "main", "--format", "json")
    assert ran.code == 0
    Draft202012Validator(jsondoc.schema("rules")).validate(ran.document)
    assert ran.document["sources"] == [
        {"source": "rules/money.yml", "bytes": len((repo.path / "rules/money.yml").read_bytes()), "limit": 64000}
    ]
    assert [(rule["id"], rule["status"], rule["line"]) for rule in ran.document["rules"]] == [
        ("no-float-money", "loaded", 1),
        ("b", "refused", 8),
        ("c", "off", 12),
    ]
    assert "does not know the language `klingon`" in ran.document["rules"][1]["reason"]


def test_rules_as_text(repo: Repo) -> None:
    repo.commit({**BASE, "rules/money.yml": f"{RULE}---\nid: b\nlanguage: python\n"})
    out = kodus_check("rules", "--repo", str(repo.path), "--base", "main").out
    assert out.startswith("1 of 2 rules run, from 1 source\n")
    assert "refused  info                 b  rules/money.yml:8  it has no `rule`" in out


def test_config_check(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": "version: 1\nscoop: changed-files\nfail_on: x\n"})
    ran = kodus_check("config", "check", "--repo", str(repo.path), "--base", "main")
    assert (ran.code, ran.out) == (2, "")
    assert "kodus-check: .kodus-check.yml:2:1: unknown key `scoop`; did you mean `scope`?\n" in ran.err
    assert ".kodus-check.yml:3:1: `fail_on`" in ran.err
    repo.commit(BASE)
    assert kodus_check("config", "check", "--repo", str(repo.path), "--base", "main").out == ".kodus-check.yml: valid\n"
    repo.commit({".kodus-check.yml": None})
    assert kodus_check("config", "check", "--repo", str(repo.path), "--base", "main").out.startswith("no config at the base")


def test_config_check_of_a_file_before_it_is_committed(tmp_path: Path) -> None:
    file = tmp_path / "new.yml"
    file.write_text("scope: changed-files\n")
    assert kodus_check("config", "check", "--file", str(file)).code == 0
    file.write_text("scope: changed-file\n")
    ran = kodus_check("config", "check", "--file", str(file))
    assert ran.code == 2
    assert "new.yml:1:1: `scope`" in ran.err


def test_config_show_tells_where_each_value_comes_from(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": CONFIG + "fail_on: low\n"})
    ran = kodus_check("config", "show", "--repo", str(repo.path), "--base", "main", "--format", "json")
    values = {value["key"]: (value["value"], value["level"], value["where"]) for value in ran.document["values"]}
    assert values["fail_on"] == ("low", "repository", ".kodus-check.yml:3:1")
    assert values["scope"] == ("changed-lines", "default", None)
    assert values["main_review.rules"] == (["sgconfig.yml"], "repository", ".kodus-check.yml:2:15")
    text = kodus_check("config", "show", "--repo", str(repo.path), "--base", "main").out
    assert "fail_on = 'low'  (repository, .kodus-check.yml:3:1)" in text


def test_config_schema_accepts_what_the_program_accepts() -> None:
    validator = Draft202012Validator(json.loads(kodus_check("config", "schema").out))
    assert validator.is_valid({"version": 1, "main_review": {"rules": ["a.yml"]}, "agents": {"a": {"paths": ["x"]}}})
    assert not validator.is_valid({"fail_onn": "high"})
    assert not validator.is_valid({"fail_on": "worst"})


def test_another_config_path(repo: Repo) -> None:
    repo.commit({**BASE, "ci/check.yml": "fail_on: never\nmain_review: {rules: [sgconfig.yml]}\n"})
    repo.branch("feature")
    repo.commit({"src/a.ts": BAD})
    place = ["--repo", str(repo.path), "--base", "main", "--head", "feature"]
    assert kodus_check("run", *place, "--config", "ci/check.yml").code == 0
    missing = kodus_check("run", *place, "--config", "ci/none.yml")
    assert missing.code == 2
    assert missing.out.startswith("kodus-check: FAILED")


def test_the_demo_shows_what_the_readme_says() -> None:
    ran = kodus_check("demo")
    assert ran.code == 0
    assert "**FINDINGS: 2 findings; this fails the check" in ran.out
    assert "THE MODEL IS SCRIPTED" in ran.out
    rule = (
        "**Rule** (`docs/ledger.md`):\n\n> A reversal is a new entry with the opposite sign, never an\n"
        "> `UPDATE` or `DELETE` of the original.\n\nLedger › Entries, [lines 5-6](https://example.org/team/shop/blob/"
    )
    assert rule in ran.out
    assert "- quote_not_in_guide: The query has no timeout: Every query has a timeout of five seconds.\n" in ran.out
    assert "> parseFloat(line)" in ran.out
    assert "It silenced nothing in this run" in ran.out
    assert "The change edits rules/money.yml. It had no effect on this run" in ran.out


def patched(code: str, *arguments: str, stdout: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    """Runs the program with some of it replaced first."""
    script = f"import sys; import kodus_check.app as app; import kodus_check.cli as cli\n{code}\ncli.main()"
    return subprocess.run([sys.executable, "-c", script, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ("RuntimeError('boom')", 3, "this is a defect of kodus-check"),
        ("MemoryError()", 3, "MemoryError"),
        ("RecursionError()", 3, "RecursionError"),
        ("KeyboardInterrupt()", 130, ""),
    ],
)
def test_a_defect_never_looks_like_a_finding(error: str, code: int, said: str) -> None:
    ran = patched(f"def fail(*a, **k): raise {error}\napp.read_change_of = fail", "changes")
    assert (ran.returncode, ran.stdout) == (code, "")
    assert said in ran.stderr


def test_a_closed_pipe_is_no_finding(repo: Repo) -> None:
    repo.commit({f"{number}.txt": "x" for number in range(3000)})
    command = [
        sys.executable,
        "-m",
        "kodus_check",
        "changes",
        "--repo",
        str(repo.path),
        "--base",
        "HEAD",
        "--head",
        "HEAD",
        "--format",
        "json",
    ]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr


def test_names_outside_the_terminals_encoding_do_not_stop_it(repo: Repo) -> None:
    repo.commit({"ü😀.txt": "x"})
    repo.branch("feature")
    repo.commit({"ü😀.txt": "y"})
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", "changes", "--repo", str(repo.path), "--base", "main"],
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert "modified      ü😀.txt" in done.stdout.decode()


RULE_TEST = "id: no-float-money\nvalid: ['Money.parse(x)']\ninvalid: ['parseFloat(x)', 'a = parseFloat(b)']\n"


def test_rules_test_at_the_base(repo: Repo) -> None:
    repo.commit(
        {**BASE, "sgconfig.yml": "ruleDirs: [rules]\ntestConfigs: [{testDir: rule-tests}]\n", "rule-tests/m.yml": RULE_TEST}
    )
    place = ["--repo", str(repo.path), "--base", "main"]
    ran = kodus_check("rules", "test", *place)
    assert (ran.code, ran.out) == (0, "1 passed, 0 failed\n")
    repo.commit({"rule-tests/m.yml": RULE_TEST.replace("a = parseFloat(b)", "a = parseInt(b)")})
    ran = kodus_check("rules", "test", *place)
    assert ran.code == 1
    assert (
        ran.out == "FAILED  no-float-money  (rule-tests/m.yml:1): invalid[1] does not match: a = parseInt(b)\n0 passed, 1 failed\n"
    )
    repo.commit({"rule-tests/m.yml": None})
    assert kodus_check("rules", "test", *place).code == 2


def test_rules_test_of_files_before_they_are_committed(tmp_path: Path) -> None:
    (tmp_path / "money.yml").write_text(f"{RULE}---\nid: other\nlanguage: python\nrule: {{pattern: x}}\n")
    (tmp_path / "money-test.yml").write_text(RULE_TEST)
    (tmp_path / "broken-test.yml").write_text("valid: [\n")
    ran = kodus_check("rules", "test", str(tmp_path), "--format", "json")
    assert ran.code == 1
    assert [(test["id"], test["passed"]) for test in ran.document["tests"]] == [("no-float-money", True)]
    assert ran.document["untested"] == ["other"]
    assert "broken-test.yml:2: " in ran.document["problems"][0]


def test_doctor(repo: Repo, tmp_path: Path) -> None:
    repo.commit(BASE)
    ran = kodus_check("doctor", "--repo", str(repo.path), "--base", "main", "--format", "json")
    assert ran.code == 0
    assert [(item["name"], item["state"]) for item in ran.document["items"]] == [
        ("git", "ok"),
        ("ast-grep", "ok"),
        ("repository", "ok"),
        ("base, configuration and rules", "ok"),
        ("platform", "ok"),
        ("model", "ok"),
    ]
    assert "1 rule run, 0 refused" in ran.document["items"][-3]["detail"]
    assert ran.document["items"][-2]["detail"] == "no event of GitHub: a run prints its result and publishes nothing"
    assert ran.document["items"][-1]["detail"] == "none is configured: the rules judge alone"
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.path}", str(shallow)], check=True)
    text = kodus_check("doctor", "--repo", str(shallow)).out
    assert "warning  repository: shallow, sha1\n         Where the merge base is not in it" in text


@pytest.mark.parametrize(
    ("files", "state", "detail"),
    [
        ({".kodus-check.yml": "nope: 1\n"}, "failed", "unknown key `nope`"),
        ({"rules/money.yml": "id: x\n"}, "warning", "0 rules run, 1 refused"),
    ],
)
def test_doctor_says_what_is_wrong_with_the_base(files: dict[str, str], state: str, detail: str, repo: Repo) -> None:
    repo.commit({**BASE, **files})
    ran = kodus_check("doctor", "--repo", str(repo.path), "--base", "main", "--format", "json")
    assert ran.code == (3 if state == "failed" else 0)
    (item,) = [one for one in ran.document["items"] if one["name"] == "base, configuration and rules"]
    assert (item["state"], detail in item["detail"]) == (state, True)


def test_doctor_outside_of_a_repository(tmp_path: Path) -> None:
    ran = kodus_check("doctor", "--repo", str(tmp_path))
    assert ran.code == 3
    assert "failed   repository:" in ran.out
    assert "--repo DIR" in ran.out
