"""Who follows which rule and guide for which file, and what a match may do."""

from typing import Any

import pytest

from kodus_check.config.levels import Layer, Levels
from kodus_check.config.load import parse_layer
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import Mode, Rule, RuleStatus, Severity
from kodus_check.plan import Plan, make_plan
from tests.repo import Content, Repo, path

FILES = {"sgconfig.yml": "ruleDirs: [rules]\n", "rules/a.yml": "", "rules/deep/b.yaml": "", "more/c.yml": "", "rules/readme.md": ""}


def plan_of(repo: Repo, config: str | None) -> Plan:
    commit = repo.commit(FILES)
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        layers = () if config is None else (parse_layer(config.encode(), "c.yml", "repository"),)
        return make_plan(Levels(layers), tree)[0]


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


GUIDES: dict[Any, Content] = {
    "docs/ledger.md": "d\n",
    "CONTRIBUTING.md": "c\n",
    ".claude/skills/money/SKILL.md": "---\nname: money\ndescription: d\n---\n",
    ".claude/skills/money/more.md": "m\n",
    ".claude/agents/auditor.md": "a\n",
    ".claude/agents/notes.txt": "n\n",
    "empty/readme.txt": "r\n",
}


def tree_plan(repo: Repo, layers: list[Layer], files: dict[Any, Content] | None = None) -> Plan:
    (repo.path / "linked").symlink_to("elsewhere")
    repo.commit({name: content for name, content in {**FILES, **GUIDES, **(files or {})}.items() if content is not None})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.git("commit", "-q", "-m", "submodule")
    commit = repo.rev("HEAD")
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        return make_plan(Levels(tuple(layers)), tree, builtin_skills=("auth-boundaries",))[0]


def layer(text: str, level: str = "repository", folder: bytes = b"") -> Layer:
    return parse_layer(text.encode(), f"{folder.decode()}/c.yml" if folder else "c.yml", level, folder)


@pytest.mark.parametrize(
    ("kind", "name", "fault"),
    [
        ("skills", ".claude/skills/money", None),
        ("skills", "./.claude/skills/money/", None),
        ("skills", ".claude/skills/money/SKILL.md", None),
        ("skills", ".claude/agents/auditor.md", None),
        ("skills", "builtin:auth-boundaries", None),
        ("skills", "linked/money", None),
        ("skills", "linked", None),
        ("skills", ".claude/skills/mony", "the base has no such skill; did you mean `.claude/skills/money`?"),
        ("skills", ".claude/agents/auditer.md", "the base has no such skill; did you mean `.claude/agents/auditor.md`?"),
        ("skills", "zzz", "the base has no such skill"),
        ("skills", "empty", "this folder holds no SKILL.md"),
        (
            "skills",
            ".claude/agents/notes.txt",
            "a skill is a folder that holds a SKILL.md, that file itself, or an agent file (.md)",
        ),
        ("skills", "builtin:auth-boundary", "no such skill ships; did you mean `builtin:auth-boundaries`?"),
        ("skills", "../money", "this path does not stay inside the repository"),
        ("skills", "/etc", "this path is absolute"),
        ("docs", "docs/ledger.md", None),
        ("docs", "linked/x.md", None),
        ("docs", "docs/leger.md", "the base has no such file; did you mean `docs/ledger.md`?"),
        ("docs", "docs", "this is a folder, and a doc is a file"),
        ("docs", "../x.md", "this path does not stay inside the repository"),
        ("docs", "sub", "this is a submodule, and a doc is a file"),
    ],
)
@pytest.mark.parametrize("reviewer", ["main_review", "agents.x"])
def test_linked_guides_are_looked_for(repo: Repo, reviewer: str, kind: str, name: str, fault: str | None) -> None:
    section, inner = ("agents:\n  x:", "    ") if reviewer == "agents.x" else ("main_review:", "  ")
    config = layer(f"{section}\n{inner}{kind}: ['{name}']\n")
    if fault is None:
        assert [one for one in tree_plan(repo, [config]).folders[0].reviewers if getattr(one, kind) == (name,)]
        return
    with pytest.raises(ConfigError) as raised:
        tree_plan(repo, [config])
    place = "3:5" if reviewer == "agents.x" else "2:3"
    told = f"c.yml:{place}: `{reviewer}.{kind}[0]`: `{name}`: {fault}. Correct the name at the base."
    assert raised.value.problems == (told,)


@pytest.mark.parametrize(
    ("names", "level", "folder", "fault"),
    [
        ("skills: [nowhere], docs: [none.md]", "global", b"", None),
        ("skills: [nowhere]", "repository", b"", "c.yml:1:15: `main_review.skills[0]`: `nowhere`: the base has no such skill"),
        ("docs: [none.md]", "directory", b"src", "src/c.yml:1:15: `main_review.docs[0]`: `none.md`: the base has no such file"),
        ("skills: [empty]", "global", b"", None),
        ("skills: [../x]", "global", b"", "`../x`: this path does not stay inside the repository"),
        ("docs: [docs]", "global", b"", "`docs`: this is a folder, and a doc is a file"),
        ("skills: ['builtin:nope']", "global", b"", "`builtin:nope`: no such skill ships"),
        ("rules: [none.yml]", "global", b"", "`none.yml`: the base has no such rule file"),
    ],
)
def test_a_guide_of_the_global_level_may_be_missing(repo: Repo, names: str, level: str, folder: bytes, fault: str | None) -> None:
    layers = [layer(f"main_review: {{{names}}}", level, folder)]
    if fault is None:
        tree_plan(repo, layers)
        return
    with pytest.raises(ConfigError) as raised:
        tree_plan(repo, layers)
    assert fault in raised.value.problems[0]


def test_what_a_later_stage_gets_of_guides(repo: Repo) -> None:
    plan = tree_plan(
        repo,
        [
            layer("main_review: {skills: [nowhere, .claude/skills/money]}\nagents: {x: {docs: [CONTRIBUTING.md]}}", "global"),
            layer("main_review: {docs: [docs/ledger.md]}"),
            layer("main_review: {skills: []}\nagents: {y: {skills: [.claude/agents/auditor.md]}}", "directory", b"src"),
        ],
    )
    found = [(one.folder, one.name, one.skills, one.docs, one.may_miss) for folder in plan.folders for one in folder.reviewers]
    both = ("nowhere", ".claude/skills/money")
    assert found == [
        ("", "main_review", both, ("docs/ledger.md",), frozenset(both)),
        ("", "x", (), ("CONTRIBUTING.md",), frozenset({"CONTRIBUTING.md"})),
        ("src", "main_review", (), ("docs/ledger.md",), frozenset()),
        ("src", "x", (), ("CONTRIBUTING.md",), frozenset({"CONTRIBUTING.md"})),
        ("src", "y", (".claude/agents/auditor.md",), (), frozenset()),
    ]
    assert [(one.skills, one.docs) for one in plan_of(repo, None).folders[0].reviewers] == [(None, None)]


@pytest.mark.parametrize(
    ("file", "loads"),
    [
        ("docs/ledger.md", True),
        ("docs/other.md", False),
        ("CONTRIBUTING.md", False),
        (".claude/skills/money/SKILL.md", True),
        (".claude/skills/money/more.md", True),
        (".claude/skills/other/SKILL.md", False),
        (".claude/agents/auditor.md", True),
        (".claude/agents/notes.txt", False),
        ("src/.kodus-check.yml", True),
        ("new/deep/.kodus-check.yml", True),
        ("src/c.yml", True),
        ("c.yml", True),
        ("more/c.yml", True),
        ("more/d.yml", False),
    ],
)
def test_linked_guides_and_config_files_of_folders_configure_the_check(repo: Repo, file: str, loads: bool) -> None:
    plan = tree_plan(
        repo,
        [
            layer("main_review: {docs: [docs/ledger.md]}"),
            layer(
                "main_review: {skills: [.claude/skills/money/SKILL.md, .claude/agents/auditor.md], rules: [more/c.yml]}",
                "directory",
                b"src",
            ),
        ],
    )
    assert (plan.loads(path(file)), plan.configures(path(file))) == (loads, loads)


NESTED = [
    layer("ignore: ['*.snap']\nmain_review: {rules: [rules/a.yml]}\nagents: {x: {rules: [more/c.yml], paths: ['**/x.py']}}"),
    layer("scope: changed-files\nmain_review: {rules: []}\nagents: {src: {rules: [rules/deep/b.yaml]}}", "directory", b"src"),
    layer("ignore: []\nagents: {x: {rules: [rules/a.yml]}}", "directory", b"src/ledger"),
]


@pytest.mark.parametrize(
    ("file", "folder", "reviewers", "ignored", "scope"),
    [
        ("a.py", "", ["main_review"], False, "changed-lines"),
        ("x.py", "", ["main_review", "x"], False, "changed-lines"),
        ("a.snap", "", ["main_review"], True, "changed-lines"),
        ("src/a.py", "src", ["main_review", "src"], False, "changed-files"),
        ("src/deep/x.py", "src", ["main_review", "x", "src"], False, "changed-files"),
        ("src/a.snap", "src", ["main_review", "src"], True, "changed-files"),
        ("src/ledger/deep/a.snap", "src/ledger", ["main_review", "src"], False, "changed-files"),
        ("srcs/a.py", "", ["main_review"], False, "changed-lines"),
    ],
)
def test_the_plan_answers_for_each_file(
    repo: Repo, file: str, folder: str, reviewers: list[str], ignored: bool, scope: str
) -> None:
    plan = tree_plan(repo, NESTED)
    assert plan.for_file(path(file)).folder == folder
    assert [one.name for one in plan.reviewers_of(path(file))] == reviewers
    assert (plan.ignores(path(file)), str(plan.scope_of(path(file)))) == (ignored, scope)


@pytest.mark.parametrize(
    ("source", "file", "reviewer"),
    [
        ("rules/a.yml", "a.py", "main_review"),
        ("rules/a.yml", "src/a.py", None),
        ("rules/a.yml", "src/ledger/x.py", "x"),
        ("more/c.yml", "src/x.py", "x"),
        ("more/c.yml", "src/ledger/x.py", None),
        ("rules/deep/b.yaml", "a.py", None),
        ("rules/deep/b.yaml", "src/a.py", "src"),
        ("rules/deep/b.yaml", "src/ledger/a.py", "src"),
    ],
)
def test_who_follows_a_rule_is_answered_for_each_file(repo: Repo, source: str, file: str, reviewer: str | None) -> None:
    plan = tree_plan(repo, NESTED)
    found = plan.reviewer_of(rule(source), path(file))
    assert (found.name if found else None) == reviewer
    assert sorted(names(plan)) == ["more/c.yml", "rules/a.yml", "rules/deep/b.yaml"]


def test_only_files_that_a_config_governs_can_gate(repo: Repo) -> None:
    plan = tree_plan(repo, [layer("", "directory", b"src")])
    assert (plan.mode_of(rule("rules/a.yml"), path("a.py")), plan.gates(rule("rules/a.yml"), path("a.py"))) == (Mode.COMMENT, False)
    assert (plan.mode_of(rule("rules/a.yml"), path("src/a.py")), plan.gates(rule("rules/a.yml"), path("src/a.py"))) == (
        Mode.GATE,
        True,
    )


def test_the_same_inline_rules_in_two_folders_are_one_source(repo: Repo) -> None:
    text = "main_review:\n  rules: |\n    id: r\n    language: python\n    rule: {pattern: x}\n"
    plan = tree_plan(repo, [layer(text, "directory", b"one"), layer(text, "directory", b"two")])
    assert [name for name in names(plan) if "#" in name] == ["one/c.yml#main_review.rules"]
    assert plan.reviewer_of(rule("one/c.yml#main_review.rules"), path("two/a.py")) is not None


def test_sgconfig_named_by_the_global_level_may_be_missing(repo: Repo) -> None:
    layers = [layer("main_review: {rules: [sgconfig.yml, rules/a.yml]}", "global")]
    assert names(tree_plan(repo, layers, {"sgconfig.yml": None})) == ["rules/a.yml"]
