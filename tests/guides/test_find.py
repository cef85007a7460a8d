# ruff: noqa: E501 - tables read better with a case on a line
"""Where the base may have skills and docs: every root and its scope, and what looks like a skill but is none."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kodus_check.guides.docs import read_docs
from kodus_check.guides.find import AGENT_FILES, AGENTS, CLAUDE, GITHUB, MAX_SUGGESTED, OTHERS, doc_at, find_guides, skill_at
from kodus_check.guides.skills import read_skills, settle
from kodus_check.model import Invocation
from tests.guides.rig import OFF, ON, Files, Links, found_in, imported, quick, skill, skills_of, tree_of
from tests.repo import Repo, path

NOT_READ = "a submodule, and those are not read"
MANUAL, BOTH = Invocation(model=False), Invocation()


@pytest.mark.parametrize(
    ("name", "rank", "scope", "folder"),
    [
        (".agents/skills/a/SKILL.md", AGENTS, "", "a"),
        (".claude/skills/a/SKILL.md", CLAUDE, "", "a"),
        (".github/skills/a/SKILL.md", GITHUB, "", "a"),
        (".claude/agents/a.md", AGENT_FILES, "", ""),
        (".claude/agents/README.md", AGENT_FILES, "", ""),
        (".ax-code/skill/a/SKILL.md", OTHERS, "", "a"),
        (".ax-code/skills/a/SKILL.md", OTHERS, "", "a"),
        (".opencode/skills/a/SKILL.md", OTHERS, "", "a"),
        ("pkg/.agents/skills/a/SKILL.md", AGENTS, "pkg", "a"),
        ("pkg/x y/.claude/skills/a/SKILL.md", CLAUDE, "pkg/x y", "a"),
        ("pkg/.github/skills/a/SKILL.md", GITHUB, "pkg", "a"),
        ("pkg/.claude/agents/a.md", AGENT_FILES, "pkg", ""),
        ("pkg/.ax-code/skill/a/SKILL.md", OTHERS, "pkg", "a"),
        ("pkg/.opencode/skills/a/SKILL.md", OTHERS, "pkg", "a"),
        (".claude/notes/.agents/skills/a/SKILL.md", AGENTS, ".claude/notes", "a"),
    ],
)
def test_every_root_and_its_scope(repo: Repo, name: str, rank: int, scope: str, folder: str) -> None:
    (one,) = found_in(repo, {name: "x"})
    assert (one.shown, one.rank, one.scope, one.folder, one.reason) == (name, rank, scope, folder, "")
    assert str(one.file.path if one.file else "") == name


@pytest.mark.parametrize(
    "name",
    [
        "skills/a/SKILL.md",
        "a/SKILL.md",
        ".claude/commands/a.md",
        ".claude/agents/deep/a.md",
        ".claude/agents/a.txt",
        ".claude/skills/README.md",
        ".claude/skills/a/README.md",
        ".claude/skills/a/b/c/SKILL.md",
        ".claude/skill/a/SKILL.md",
        ".agents/agents/a.md",
        ".cursor/skills/a/SKILL.md",
        "agents/skills/a/SKILL.md",
        ".claude",
        ".claude/skills",
        "node_modules/p/.claude/skills/a/SKILL.md",
        "pkg/node_modules/.agents/skills/a/SKILL.md",
        "bower_components/.agents/skills/a/SKILL.md",
        "vendor/.agents/skills/a/SKILL.md",
        "third_party/x/.claude/agents/a.md",
        "lib/site-packages/p/.claude/skills/a/SKILL.md",
        ".venv/.claude/skills/a/SKILL.md",
        "ios/Pods/.claude/skills/a/SKILL.md",
    ],
)
def test_what_is_no_root(repo: Repo, name: str) -> None:
    assert found_in(repo, {name: skill("a")}) == []


@pytest.mark.parametrize(
    ("files", "links", "modules", "shown", "reason"),
    [
        ({".claude/skills/a/skill.md": "x"}, {}, (), ".claude/skills/a/skill.md", "the file must be named SKILL.md"),
        ({".claude/skills/a/Skill.MD": "x"}, {}, (), ".claude/skills/a/Skill.MD", "the file must be named SKILL.md"),
        ({".claude/skills/SKILL.md": "x"}, {}, (), ".claude/skills/SKILL.md", "a skill lies in a folder of its own, which has its name"),
        ({".claude/skills/skill.md": "x"}, {}, (), ".claude/skills/skill.md", "a skill lies in a folder of its own, which has its name"),
        ({".claude/skills/g/a/SKILL.md": "x"}, {}, (), ".claude/skills/g/a/SKILL.md", "too deep: a skill is a folder right in `.claude/skills`"),
        ({".claude/skills/a/SKILL.md/x": "x"}, {}, (), ".claude/skills/a/SKILL.md", "SKILL.md is a folder"),
        ({}, {}, (".claude/skills/a/SKILL.md",), ".claude/skills/a/SKILL.md", NOT_READ),
        ({}, {}, (".claude/skills/a",), ".claude/skills/a", NOT_READ),
        ({}, {}, (".claude/skills",), ".claude/skills", NOT_READ),
        ({}, {}, ("pkg/.agents",), "pkg/.agents", NOT_READ),
        ({}, {}, (".claude/agents/a.md",), ".claude/agents/a.md", NOT_READ),
    ],
)  # fmt: skip
def test_what_looks_like_a_skill_is_listed_with_the_reason(
    repo: Repo, files: Files, links: Links, modules: tuple[str, ...], shown: str, reason: str
) -> None:
    (one,) = found_in(repo, files, links, modules)
    assert (one.shown, one.reason, one.file) == (shown, reason, None)


def test_the_right_name_beside_a_wrong_one(repo: Repo) -> None:
    (one,) = found_in(repo, {".claude/skills/a/SKILL.md": "x", ".claude/skills/a/skill.md": "y"})
    assert (one.shown, one.reason) == (".claude/skills/a/SKILL.md", "")
    assert one.note == "`skill.md` lies beside SKILL.md and is not read"


def test_files_beside_a_skill_down_to_one_folder(repo: Repo) -> None:
    names = ("one.md", "references/two.md", "references/deep/no.md", "run.sh", "agents/openai.yaml")
    files: Files = {f".claude/skills/a/{name}": "x" for name in names}
    links = {
        ".claude/skills/a/link.md": "../../../t.md",
        ".claude/skills/a/out.md": "/etc/passwd",
        ".claude/skills/a/dir": "references",
    }
    with tree_of(repo, {**files, ".claude/skills/a/SKILL.md": skill("a"), "t.md": "t"}, links, (".claude/skills/a/sub",)) as tree:
        (one,) = find_guides(tree).skills
    assert [(file.path, str(file.where)) for file in one.beside] == [
        ("agents/openai.yaml", ".claude/skills/a/agents/openai.yaml"),
        ("link.md", "t.md"),
        ("one.md", ".claude/skills/a/one.md"),
        ("references/two.md", ".claude/skills/a/references/two.md"),
        ("run.sh", ".claude/skills/a/run.sh"),
    ]


@pytest.mark.parametrize(
    ("files", "links", "modules", "expected"),
    [
        ({".claude/skills/a/agents/openai.yaml": OFF}, {}, (), MANUAL),
        ({".claude/skills/a/agents/other.yaml": OFF}, {}, (), BOTH),
        ({".claude/skills/a/agents/openai.yaml/x": "x"}, {}, (), "it is a folder"),
        ({".claude/skills/a/agents": "x"}, {}, (), "`agents` is no folder"),
        ({"g": "x"}, {".claude/skills/a/agents": "../../../g"}, (), "`agents` is no folder"),
        ({}, {}, (".claude/skills/a/agents",), "`agents` is no folder"),
        ({}, {}, (".claude/skills/a/agents/openai.yaml",), "it is a submodule"),
        ({"o.yaml": ON}, {".claude/skills/a/agents/openai.yaml": "../../../../o.yaml"}, (), "it is a symlink"),
        ({".claude/skills/a/agents/openai.yaml": "#" * 65_535}, {}, (), BOTH),
        ({".claude/skills/a/agents/openai.yaml": "#" * 65_536}, {}, (), "it must be smaller than 64 KiB"),
        ({".claude/skills/a/agents/openai.yaml": "#" * 1_100_000}, {}, (), "it must be smaller than 64 KiB"),
    ],
)
def test_a_sidecar_in_any_form_but_a_file_closes_the_skill(
    repo: Repo, files: Files, links: Links, modules: tuple[str, ...], expected: Invocation | str
) -> None:
    with tree_of(repo, {".claude/skills/a/SKILL.md": skill("a"), **files}, links, modules) as tree:
        found = skills_of(tree)[0][".claude/skills/a/SKILL.md"]
    if isinstance(expected, str):
        expected = Invocation(False, False, (f"`agents/openai.yaml`: {expected}; so nobody may load it",))
    assert found.invocation == expected


def test_which_docs_are_followed_and_which_are_proposed(repo: Repo) -> None:
    names = [
        "CONTRIBUTING.md", ".github/ARCHITECTURE.md", "docs/Styleguide.md", "CONVENTIONS.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md",
        "pkg/AGENTS.md", "pkg/deep/.claude/CLAUDE.md", ".github/copilot-instructions.md", "pkg/.github/copilot-instructions.md",
        ".cursor/rules/a.mdc", "pkg/.cursor/rules/b.md", "docs/deep/x.md", "docs/node_modules/x.md",
        "docs/x.rst", "README.md", "pkg/CONTRIBUTING.md", "node_modules/p/AGENTS.md", ".cursor/rules/deep/x.mdc", "copilot-instructions.md",
        "pkg/docs/x.md", ".claude/skills/a/AGENTS.md", ".claude/agents/AGENTS.md",
    ]  # fmt: skip
    with tree_of(repo, {name: f"{name}\n" for name in names}) as tree:
        found = find_guides(tree).docs
    assert [(str(one.entry.path), one.scope, one.rules_file, one.default) for one in found] == [
        ("CONTRIBUTING.md", "", False, True),
        (".github/ARCHITECTURE.md", "", False, True),
        ("CONVENTIONS.md", "", False, True),
        ("docs/Styleguide.md", "", False, True),
        ("AGENTS.md", "", True, True),
        (".claude/CLAUDE.md", "", True, True),
        ("CLAUDE.md", "", True, True),
        (".github/copilot-instructions.md", "", True, True),
        (".cursor/rules/a.mdc", "", True, True),
        ("pkg/AGENTS.md", "pkg", True, True),
        ("pkg/.github/copilot-instructions.md", "pkg", True, True),
        ("pkg/.cursor/rules/b.md", "pkg", True, True),
        ("pkg/deep/.claude/CLAUDE.md", "pkg/deep", True, True),
        ("docs/deep/x.md", "", False, False),
    ]


def test_thirty_docs_are_proposed_at_most(repo: Repo) -> None:
    with tree_of(repo, {f"docs/{number:02}.md": "x" for number in range(40)}) as tree:
        found = find_guides(tree).docs
    assert [str(one.entry.path) for one in found] == [f"docs/{number:02}.md" for number in range(30)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("docs/x.md", ("docs/x.md", "", False)),
        ("any/notes.txt", ("any/notes.txt", "", False)),
        ("pkg/AGENTS.md", ("pkg/AGENTS.md", "", True)),
        ("gone.md", None),
        ("docs", None),
        ("linked/x.md", None),
    ],
)
def test_a_doc_of_a_config(repo: Repo, name: str, found: tuple[str, str, bool] | None) -> None:
    with tree_of(repo, {"docs/x.md": "x", "any/notes.txt": "x", "pkg/AGENTS.md": "x"}, {"linked": "docs"}) as tree:
        one = doc_at(tree, path(name))
    assert (one and (str(one.entry.path), one.scope, one.rules_file)) == found


PARTS = st.sampled_from(
    [
        ".claude",
        ".agents",
        ".github",
        "skills",
        "agents",
        "a",
        "b",
        "SKILL.md",
        "skill.md",
        "openai.yaml",
        "AGENTS.md",
        "docs",
        "x.md",
    ]
)
CONTENT = st.sampled_from(
    [("100644", "x"), ("100644", skill("a")), ("100644", skill("b")), ("100755", OFF), ("160000", "1" * 40)]
    + [
        ("120000", target)
        for target in ("..", ".", "a", "b", "../a", "../../.agents/skills", "../b/SKILL.md", "/etc", ".agents", "../../a", "../..")
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.lists(PARTS, min_size=1, max_size=5), CONTENT), max_size=25))
def test_no_tree_raises(repo: Repo, files: list[tuple[list[str], tuple[str, str]]]) -> None:
    with imported(repo, [(mode, "/".join(parts), content.encode()) for parts, (mode, content) in files]) as tree:
        found = find_guides(tree)
        shown = [one.shown for one in found.skills]
        assert len(shown) == len(set(shown))
        assert [one.rank for one in found.skills] == sorted(one.rank for one in found.skills)
        assert sum(not one.default for one in found.docs) <= MAX_SUGGESTED
        skills, _ = read_skills(tree, found.skills, count=quick)
        settled, _ = settle(skills, {one.shown: one.rank for one in found.skills})
        ids = [one.id for one in settled if one.valid]
        assert len(ids) == len(set(ids))
        for one in settled:
            # what is read is a file of the base and nothing else
            assert bool(one.oid) is (one.path in shown and not next(two.reason for two in found.skills if two.shown == one.path))
            assert not one.valid or one.data
        docs, _ = read_docs(tree, found.docs, count=quick)
        assert [one.path for one in docs] == [str(one.entry.path) for one in found.docs]
        for parts, _ in files:
            for depth in range(1, len(parts) + 1):
                place = path("/".join(parts[:depth]))
                assert bool(skill_at(tree, place).reason) is (skill_at(tree, place).file is None)
                doc_at(tree, place)
