"""Levels of configuration in whole runs: each file is judged by what holds for its folder, and only the base has a say."""

from pathlib import Path

import pytest

from kodus_check.app import Place, check
from kodus_check.git.elsewhere import Server
from tests.repo import Content, Repo
from tests.test_run import BAD, BASE, Ran, kodus_check, run

OTHER = """\
id: no-print
language: python
severity: error
message: Do not print
rule: {pattern: print($$$)}
"""
ROOT = "version: 1\nmain_review: {rules: [rules/money.yml]}\n"


def levels(repo: Repo, files: dict[str, Content]) -> Repo:
    """The base with these files beside the usual ones, and ``feature`` checked out on top of it."""
    repo.commit({**BASE, ".kodus-check.yml": ROOT, "rules/print.yml": OTHER, **files})
    repo.branch("feature")
    return repo


def found(ran: Ran) -> list[tuple[str, str, str]]:
    return [(one["path"], one["evidence"]["rule_id"], one["agent"]) for one in ran.document["findings"]]


def test_a_change_over_two_configured_folders_uses_both(repo: Repo) -> None:
    levels(
        repo,
        {
            "a/.kodus-check.yml": "main_review: {rules: [rules/print.yml]}\n",
            "b/.kodus-check.yml": "agents: {b-team: {rules: [rules/print.yml]}}\n",
        },
    )
    repo.commit({f"{folder}{name}": text for folder in ("a/", "b/", "") for name, text in (("x.ts", BAD), ("x.py", "print(1)\n"))})
    ran = run(repo)
    assert found(ran) == [
        ("a/x.py", "no-print", "main_review"),
        ("b/x.py", "no-print", "b-team"),
        ("b/x.ts", "no-float-money", "main_review"),
        ("x.ts", "no-float-money", "main_review"),
    ]
    assert ran.document["config"]["sources"] == [".kodus-check.yml", "a/.kodus-check.yml", "b/.kodus-check.yml"]
    assert ran.code == 1


def test_the_innermost_folder_wins_value_by_value(repo: Repo) -> None:
    levels(
        repo,
        {
            "a/.kodus-check.yml": "main_review: {rules: [rules/print.yml]}\nignore: ['**/skip.py']\n",
            "a/deep/.kodus-check.yml": "ignore: []\n",
        },
    )
    repo.commit({"a/skip.py": "print(1)\n", "a/deep/skip.py": "print(1)\n", "skip.ts": BAD})
    ran = run(repo)
    assert found(ran) == [("a/deep/skip.py", "no-print", "main_review"), ("skip.ts", "no-float-money", "main_review")]
    assert {one["path"]: one["reason"] for one in ran.document["coverage"]["files"]}["a/skip.py"] == "ignored"


def test_the_scope_holds_for_each_file(repo: Repo) -> None:
    old = "let a = parseFloat(x);\nlet b = 1;\n"
    levels(repo, {"wide/.kodus-check.yml": "scope: changed-files\n", "wide/x.ts": old, "x.ts": old})
    repo.commit({"wide/x.ts": f"{old}let c;\n", "x.ts": f"{old}let c;\n"})
    ran = run(repo)
    assert found(ran) == [("wide/x.ts", "no-float-money", "main_review")]


def test_a_moved_file_is_judged_where_it_is_now(repo: Repo) -> None:
    code = "x = 1\n" * 20
    levels(repo, {"a/.kodus-check.yml": "main_review: {rules: [rules/print.yml]}\n", "a/x.py": code, "b/y.py": code + "y = 2\n"})
    repo.commit({"a/x.py": None, "b/x.py": f"{code}print(1)\n", "b/y.py": None, "a/y.py": f"{code}y = 2\nprint(1)\n"})
    assert found(run(repo)) == [("a/y.py", "no-print", "main_review")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fail_on: never\n", "a/.kodus-check.yml:1:1: "),
        ("scope: sideways\n", "a/.kodus-check.yml:1:1: `scope`"),
        ("main_review: {rules: [rules/nothing.yml]}\n", "`main_review.rules[0]`: `rules/nothing.yml`"),
        ("main_review: {docs: [docs/nothing.md]}\n", "`main_review.docs[0]`: `docs/nothing.md`"),
        ("ignore: [\n", "a/.kodus-check.yml:2:1"),
    ],
)
def test_a_broken_file_in_a_folder_is_a_broken_configuration(repo: Repo, text: str, problem: str) -> None:
    levels(repo, {"a/.kodus-check.yml": text})
    repo.commit({"a/x.ts": BAD})
    ran = run(repo)
    assert (ran.code, ran.document["outcome"]) == (2, "failed")
    assert problem in ran.message("config_invalid")


def test_a_broken_file_in_a_folder_that_the_change_does_not_touch_stops_nothing_but_the_check_of_it(repo: Repo) -> None:
    levels(repo, {"a/.kodus-check.yml": "fail_on: never\n"})
    repo.commit({"x.ts": BAD})
    assert run(repo).code == 1
    checked = kodus_check("config", "check", "--repo", str(repo.path), "--base", "main")
    assert checked.code == 2
    assert "a/.kodus-check.yml:1:1" in checked.err


def test_head_has_no_say_and_the_edit_is_told(repo: Repo) -> None:
    levels(repo, {"a/.kodus-check.yml": "scope: changed-lines\n"})
    repo.commit(
        {"a/.kodus-check.yml": "main_review: {rules: []}\nignore: ['**']\n", "a/x.ts": BAD, "b/.kodus-check.yml": "ignore: [x]\n"}
    )
    ran = run(repo)
    assert found(ran) == [("a/x.ts", "no-float-money", "main_review")]
    assert "The change edits a/.kodus-check.yml, b/.kodus-check.yml." in ran.message("check_configuration_changed")
    assert "more files are ignored" in ran.message("gate_loosened")


def test_a_linked_guide_that_the_change_edits_is_told(repo: Repo) -> None:
    levels(repo, {".kodus-check.yml": "main_review: {docs: [docs/ledger.md], rules: []}\n", "docs/ledger.md": "Never.\n"})
    repo.commit({"docs/ledger.md": "Always.\n"})
    assert "The change edits docs/ledger.md." in run(repo).message("check_configuration_changed")


def test_a_global_file_lies_below_the_repositorys(repo: Repo, tmp_path: Path) -> None:
    levels(repo, {})
    repo.commit({"x.ts": BAD})
    shared = tmp_path / "shared.yml"
    shared.write_text("fail_on: critical\nmain_review: {rules: [rules/print.yml]}\n")
    ran = run(repo, "--global-config", str(shared))
    assert (ran.code, found(ran)) == (0, [("x.ts", "no-float-money", "main_review")])
    assert ran.document["config"]["sources"] == [str(shared), ".kodus-check.yml"]


def test_a_global_file_of_the_commit_under_review_is_refused(repo: Repo) -> None:
    levels(repo, {})
    repo.commit({"shared.yml": "fail_on: never\n"})
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--global-config", str(repo.path / "shared.yml"))
    assert ran.code == 2
    assert "has no say" in ran.err


def test_show_tells_the_level_of_each_value(repo: Repo, tmp_path: Path) -> None:
    levels(repo, {"a/.kodus-check.yml": "ignore: [x]\n"})
    shared = tmp_path / "shared.yml"
    shared.write_text("fail_on: low\nscope: changed-files\n")
    arguments = ("config", "show", "--repo", str(repo.path), "--base", "main", "--global-config", str(shared))
    shown = kodus_check(*arguments).out
    assert f"fail_on = 'low'  (global, {shared}:1:1)" in shown
    assert "main_review.rules = ['rules/money.yml']  (repository, .kodus-check.yml:2:15)" in shown
    assert "main_review.docs = found at the base  (default)" in shown
    assert "in a/\n  ignore = ['x']  (directory, a/.kodus-check.yml:1:1)" in shown
    document = kodus_check(*arguments, "--format", "json", "--path", "a/b.py").document
    values = {one["key"]: (one["value"], one["level"], one["where"]) for one in document["values"]}
    assert values["ignore"] == (["x"], "directory", "a/.kodus-check.yml:1:1")
    assert values["scope"] == ("changed-files", "global", f"{shared}:2:1")
    assert values["on_unscanned"] == ("fail", "default", None)
    assert (document["path"], document["folders"]) == ("a/b.py", [])


def test_a_global_file_of_another_repository(repo: Repo, tmp_path: Path) -> None:
    standards = Repo.init(tmp_path / "acme" / "standards")
    standards.commit({"kodus.yml": "fail_on: never\nmain_review: {docs: [docs/nobody-has-it.md]}\n"})
    levels(repo, {})
    repo.commit({"x.ts": BAD})
    place = Place(repo.path, "main", "feature", global_config="acme/standards@main:kodus.yml", server=Server(f"file://{tmp_path}"))
    checked = check(place, lambda what: None)
    assert (checked.exit_code, len(checked.review.findings)) == (0, 1)
    assert checked.review.config_sources == ("acme/standards@main:kodus.yml", ".kodus-check.yml")


def test_a_global_file_of_another_repository_needs_a_server(repo: Repo) -> None:
    levels(repo, {})
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--global-config", "acme/standards@main:kodus.yml")
    assert (ran.code, ran.out) == (2, "")
    assert "KODUS_CHECK_REMOTE" in ran.err
    assert "GITHUB_SERVER_URL" in ran.err


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ({"a/.kodus-check.yml": "scope: changed-files\n"}, 0),
        ({"a/.kodus-check.yml": None, "a/x.ts": BAD}, 0),
        ({"a/.kodus-check.yml": "scope: sideways again\n"}, 2),
        ({"a/x.ts": BAD}, 2),
    ],
)
def test_only_a_change_that_repairs_a_broken_folder_passes(repo: Repo, edit: dict[str, Content], code: int) -> None:
    levels(repo, {"a/.kodus-check.yml": "scope: sideways\n"})
    repo.commit(edit)
    ran = run(repo)
    assert (ran.code, ran.document["outcome"]) == (code, "failed")
    assert ("config_repaired_in_head" in ran.kinds) is (code == 0)
