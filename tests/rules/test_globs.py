"""Rules that can match nothing at the base."""

import pytest

from kodus_check.model import Rule, RuleStatus, Severity
from kodus_check.rules.globs import dead_globs
from tests.repo import path

FILES = [path(name) for name in ("src/a.ts", "src/deep/b.ts", "lib/c.tsx", "top.ts", "x.py")]


def rule(language: str, files: str, source: str = "r.yml") -> Rule:
    text = f"id: r\nlanguage: {language}\nrule: {{pattern: x}}\n{files}"
    return Rule("r", language, Severity.HIGH, RuleStatus.LOADED, source, 1, text=text)


@pytest.mark.parametrize(
    ("language", "files", "why"),
    [
        ("typescript", "", None),
        ("typescript", "files: ['src/**']", None),
        ("typescript", "files: ['src/*.ts']", None),
        ("typescript", "files: ['**/b.ts']", None),
        ("typescript", "files: ['**/top.ts']", None),
        ("typescript", "files: ['src/**/a.ts']", None),
        ("typescript", "files: ['app/**', 'top.ts']", None),
        ("typescript", "files: ['{src,lib}/**']", None),
        ("typescript", "files: [{glob: 'src/**'}]", None),
        ("typescript", "files: ['app/**']", "`app/**` in `files` matches no typescript file of the base"),
        ("typescript", "files: ['lib/**']", "`lib/**` in `files` matches no typescript file of the base"),
        ("typescript", "files: ['rc/**']", "`rc/**` in `files` matches no typescript file of the base"),
        ("rust", "", "no file of the base is rust"),
    ],
)
def test_dead_globs(language: str, files: str, why: str | None) -> None:
    notices = dead_globs([rule(language, files)], FILES)
    assert [why in notice.message for notice in notices if why is not None] == ([] if why is None else [True])
    assert bool(notices) is (why is not None)


def test_rules_that_ship_and_rules_that_do_not_run_are_left_alone() -> None:
    refused = Rule("r", "rust", Severity.HIGH, RuleStatus.REFUSED, "r.yml", 1)
    assert dead_globs([rule("rust", "", "builtin:essentials/rust.yml"), refused], FILES) == []
