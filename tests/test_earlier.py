"""A rule about a whole construct speaks once: when it comes in, not at every edit inside."""

from typing import Any

import pytest

from tests.repo import Content, Repo
from tests.test_run import CONFIG, SGCONFIG, run

RULE = """\
id: no-test-class
language: python
severity: error
message: Write functions
rule: {kind: class_definition, not: {has: {pattern: "allowed()", stopBy: end}}}
"""
BASE: dict[str, Content] = {"sgconfig.yml": SGCONFIG, "rules/r.yml": RULE, ".kodus-check.yml": CONFIG}


def klass(name: str = "Big", *, lines: int = 20, edited: str = "") -> str:
    body = [f"    a{number} = {number}" for number in range(lines)]
    if edited:
        body[5] = edited
    return f"class {name}:\n" + "\n".join(body) + "\n"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"t.py": klass()}, {"t.py": klass(edited="    b = 2")}, []),
        ({"t.py": klass()}, {"t.py": "x = 1\n\n" + klass(edited="    b = 2")}, []),
        ({"t.py": klass()}, {"t.py": None, "u.py": klass(edited="    b = 2")}, []),
        ({"t.py": klass("Big")}, {"t.py": klass("Bigger", edited="    b = 2")}, ["t.py"]),
        ({"t.py": klass(edited="    allowed()")}, {"t.py": klass(edited="    b = 2")}, ["t.py"]),
        ({"t.py": klass(lines=8)}, {"t.py": klass(lines=8, edited="    b = 2")}, ["t.py"]),
        ({}, {"t.py": klass()}, ["t.py"]),
        ({"t.py": klass()}, {"t.py": klass(edited="    b = 2") + klass(edited="    c = 3")}, ["t.py"]),
    ],
    ids=["edited", "moved", "renamed", "renamed class", "check removed", "small", "new", "second of its kind"],
)
def test_what_is_new(repo: Repo, before: dict[str, Any], after: dict[str, Any], found: list[str]) -> None:
    repo.commit({**BASE, **before})
    repo.branch("feature")
    repo.commit(after)
    ran = run(repo)
    assert [finding["path"] for finding in ran.document["findings"]] == found
    assert ran.code == (1 if found else 0)


def test_what_is_set_aside_is_listed_and_counted(repo: Repo) -> None:
    repo.commit({**BASE, "t.py": klass()})
    repo.branch("feature")
    repo.commit({"t.py": klass(edited="    b = 2")})
    ran = run(repo)
    assert [(drop["reason"], drop["candidate"]["rule_id"]) for drop in ran.document["dropped"]] == [
        ("matched_before", "no-test-class")
    ]
    assert ran.message("out_of_scope").startswith("1 match of more than 12 lines, which the change only edits inside, stood")


def test_scope_changed_files_reports_it(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": CONFIG + "scope: changed-files\n", "t.py": klass()})
    repo.branch("feature")
    repo.commit({"t.py": klass(edited="    b = 2")})
    assert len(run(repo).document["findings"]) == 1


def test_a_file_renamed_to_where_the_rule_applies_is_new_to_it(repo: Repo) -> None:
    repo.commit({**BASE, "rules/r.yml": RULE + "files: ['src/**']\n", "old/t.py": klass(lines=40)})
    repo.branch("feature")
    repo.commit({"old/t.py": None, "src/t.py": klass(lines=40, edited="    b = 2")})
    assert [finding["path"] for finding in run(repo).document["findings"]] == ["src/t.py"]
