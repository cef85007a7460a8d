"""Who follows which rule for which file, and what a match of it may do."""

import pytest

from kodus_check.config.load import parse_config
from kodus_check.config.resolved import Config
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import Mode, Rule, RuleStatus, Severity
from kodus_check.plan import Plan, make_plan
from tests.repo import Repo, path

FILES = {"sgconfig.yml": "ruleDirs: [rules]\n", "rules/a.yml": "", "rules/deep/b.yaml": "", "more/c.yml": "", "rules/readme.md": ""}


def plan_of(repo: Repo, config: str | None) -> Plan:
    commit = repo.commit(FILES)
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        return make_plan(parse_config(config.encode(), "c.yml") if config is not None else Config(), tree)[0]


def names(plan: Plan) -> list[str]:
    return [source.name for source in plan.rule_sources if not source.name.startswith("builtin:")]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, ["rules/a.yml", "rules/deep/b.yaml"]),
        ("main_review: {rules: [sgconfig.yml]}", ["rules/a.yml", "rules/deep/b.yaml"]),
        ("main_review: {rules: [more/c.yml]}", ["more/c.yml"]),
        ("main_review: {rules: [rules/]}", ["rules/a.yml", "rules/deep/b.yaml"]),
        ("main_review: {rules: [./rules/a.yml]}", ["rules/a.yml"]),
        ("main_review: {rules: []}", []),
        ("main_review: {rules: [rules/a.yml]}\nagents: {x: {rules: [rules/a.yml, more/c.yml]}}", ["rules/a.yml", "more/c.yml"]),
    ],
)
def test_sources(repo: Repo, config: str | None, expected: list[str]) -> None:
    assert names(plan_of(repo, config)) == expected


def rule(source: str, severity: Severity = Severity.HIGH, mode: Mode | None = None) -> Rule:
    return Rule("r", "python", severity, RuleStatus.LOADED, source, 1, mode=mode)


@pytest.mark.parametrize(
    ("source", "file", "reviewer"),
    [
        ("rules/a.yml", "x.py", "main_review"),
        ("more/c.yml", "src/x.py", "x"),
        ("more/c.yml", "src/deep/x.py", "x"),
        ("more/c.yml", "lib/x.py", None),
        ("more/other.yml", "src/x.py", None),
    ],
)
def test_the_first_reviewer_that_follows_the_rule(repo: Repo, source: str, file: str, reviewer: str | None) -> None:
    plan = plan_of(repo, "main_review: {rules: [rules/a.yml]}\nagents: {x: {paths: ['src/**'], rules: [rules/a.yml, more/c.yml]}}")
    found = plan.reviewer_of(rule(source), path(file))
    assert (found.name if found else None) == reviewer


@pytest.mark.parametrize(
    ("config", "own", "severity", "mode", "gates"),
    [
        ("", None, Severity.HIGH, Mode.GATE, True),
        ("", None, Severity.MEDIUM, Mode.GATE, False),
        ("fail_on: info", None, Severity.INFO, Mode.GATE, True),
        ("fail_on: never", None, Severity.CRITICAL, Mode.GATE, False),
        ("", Mode.COMMENT, Severity.CRITICAL, Mode.COMMENT, False),
        ("", Mode.SHADOW, Severity.CRITICAL, Mode.SHADOW, False),
        (None, None, Severity.CRITICAL, Mode.COMMENT, False),
        (None, Mode.GATE, Severity.CRITICAL, Mode.COMMENT, False),
        (None, Mode.SHADOW, Severity.CRITICAL, Mode.SHADOW, False),
    ],
)
def test_modes(repo: Repo, config: str | None, own: Mode | None, severity: Severity, mode: Mode, gates: bool) -> None:
    plan = plan_of(repo, config)
    assert plan.mode_of(rule("rules/a.yml", severity, own)) is mode
    assert plan.gates(rule("rules/a.yml", severity, own)) is gates


@pytest.mark.parametrize(
    ("file", "configures"),
    [
        (".kodus-check.yml", True),
        ("sgconfig.yml", True),
        ("rules/a.yml", True),
        ("rules/new.yml", True),
        ("sub/.gitattributes", True),
        (".github/workflows/x.yml", True),
        (".gitlab-ci.yml", True),
        ("more/c.yml", False),
        ("src/rules/a.yml", False),
        (".github/CODEOWNERS", False),
    ],
)
def test_what_configures_the_check(repo: Repo, file: str, configures: bool) -> None:
    assert plan_of(repo, None).configures(path(file)) is configures
