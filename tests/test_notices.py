"""Notices about rules that do less than they seem to."""

import pytest

from kodus_check.model import NoticeKind
from kodus_check.rules.documents import RuleSource, read_source
from tests.repo import Repo
from tests.test_run import BAD, CONFIG, SGCONFIG, kodus_check, run

RULE = "id: r\nlanguage: {language}\nrule: {{pattern: parseFloat($A)}}\n"


@pytest.mark.parametrize(
    ("languages", "changed", "told"),
    [
        (["typescript"], ["a.tsx"], True),
        (["tsx"], ["a.ts"], True),
        (["typescript"], ["a.tsx", "b.ts"], False),
        (["typescript", "tsx"], ["a.tsx"], False),
        (["typescript"], ["a.js"], False),
        (["python"], ["a.tsx"], False),
    ],
)
def test_a_rule_for_the_other_typescript(repo: Repo, languages: list[str], changed: list[str], told: bool) -> None:
    rules = {f"rules/{name}.yml": RULE.format(language=name).replace("id: r", f"id: {name}") for name in languages}
    repo.commit({"sgconfig.yml": SGCONFIG, ".kodus-check.yml": CONFIG, **rules})
    repo.branch("feature")
    repo.commit(dict.fromkeys(changed, BAD))
    ran = run(repo)
    assert ("rule_language_misses" in ran.kinds) is told
    if told:
        assert f"`{languages[0]}`" in ran.message("rule_language_misses")


@pytest.mark.parametrize(
    ("rule", "constraints", "inert"),
    [
        ("{pattern: f($$$ARGS)}", "ARGS", ["ARGS"]),
        ("{pattern: f($ARGS)}", "ARGS", []),
        ("{pattern: 'f($$$A, $ARGS)'}", "ARGS", []),
        ("{all: [{pattern: f($$$A)}, {has: {pattern: $B}}]}", "A", ["A"]),
        ("{all: [{pattern: f($$$A)}, {has: {pattern: $A}}]}", "A", []),
        ("{pattern: f($$$ARGSMORE)}", "ARGS", []),
    ],
)
def test_a_constraint_without_effect(rule: str, constraints: str, inert: list[str]) -> None:
    text = f"id: r\nlanguage: typescript\nrule: {rule}\nconstraints: {{{constraints}: {{regex: x}}}}\n"
    _, notices = read_source(RuleSource("r.yml", text.encode()))
    kinds = [notice for notice in notices if notice.kind is NoticeKind.RULE_CONSTRAINT_INERT]
    assert [f"on `{name}` has no effect" in notice.message for notice, name in zip(kinds, inert, strict=True)] == [True] * len(
        inert
    )


def test_a_language_that_no_changed_file_is_in_is_for_scripts_alone(repo: Repo) -> None:
    rules = {
        "rules/a.yml": RULE.format(language="rust"),
        "rules/b.yml": RULE.format(language="typescript").replace("id: r", "id: b"),
    }
    repo.commit({"sgconfig.yml": SGCONFIG, ".kodus-check.yml": CONFIG, **rules})
    repo.branch("feature")
    repo.commit({"a.ts": "let a = 1;\n"})
    ran = run(repo)
    assert ran.message("rule_language_unmatched").startswith("No changed file is rust")
    text = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--head", "feature").out
    assert "rust" not in text
