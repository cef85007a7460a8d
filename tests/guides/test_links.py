# ruff: noqa: E501 - tables read better with a case on a line
"""Symlinks of the base as data: followed once and inside the tree, whatever they stand for, and never past a sidecar."""

import pytest

from kodus_check.guides.find import AGENT_FILES, AGENTS, CLAUDE, EXPLICIT, GITHUB, OTHERS, find_guides, skill_at
from kodus_check.guides.skills import read_skills
from kodus_check.model import Invocation
from tests.guides.rig import OFF, ON, Files, Links, found_in, imported, quick, skill, skills_of, tree_of
from tests.repo import Repo, path

GONE = "which the base does not have"
NOT_READ = "a submodule, and those are not read"
OUT, CHAIN = "a link that leaves the repository", "a link to another link"
MANUAL, BOTH = Invocation(model=False), Invocation()


@pytest.mark.parametrize(
    ("files", "links", "modules", "shown", "reason"),
    [
        # T1: out of the repository
        ({}, {".claude/skills/a": "/etc"}, (), ".claude/skills/a", OUT),
        ({}, {".claude/skills/a": "../../../x"}, (), ".claude/skills/a", OUT),
        ({}, {".claude/skills/a": "../../.claude/../../x"}, (), ".claude/skills/a", OUT),
        ({}, {".claude/skills/a/SKILL.md": "/etc/passwd"}, (), ".claude/skills/a/SKILL.md", OUT),
        ({}, {".claude/agents/a.md": "../../../../x"}, (), ".claude/agents/a.md", OUT),
        ({}, {".claude/skills": "/etc"}, (), ".claude/skills", OUT),
        ({}, {"pkg/.claude": "../../x"}, (), "pkg/.claude", OUT),
        ({}, {".claude/skills/a": "../.."}, (), ".claude/skills/a", "a link to the repository itself, or into .git"),
        ({}, {".claude/skills/a": "../../.git/hooks"}, (), ".claude/skills/a", "a link to the repository itself, or into .git"),
        # T2: a chain or a circle
        ({"s/a/SKILL.md": "x"}, {"l": "s/a", ".claude/skills/a": "../../l"}, (), ".claude/skills/a", CHAIN),
        ({"s/a/SKILL.md": "x"}, {"l": "s", ".claude/skills/a": "../../l/a"}, (), ".claude/skills/a", CHAIN),
        ({"s/d/x": "x", "s/a/SKILL.md": "x"}, {"l": "s/d", ".claude/skills/a": "../../l/../s/a"}, (), ".claude/skills/a", CHAIN),
        ({"s/SKILL.md": "x"}, {"l.md": "s/SKILL.md", ".claude/skills/a/SKILL.md": "../../../l.md"}, (), ".claude/skills/a/SKILL.md", CHAIN),
        ({"s/a/SKILL.md": "x"}, {"l": "s", ".claude/skills": "../l"}, (), ".claude/skills", CHAIN),
        ({"s/a/SKILL.md": "x"}, {"c/skills": "../s", ".claude": "c"}, (), ".claude/skills", "a link to a symlink"),
        ({"c/x": "x"}, {".claude": "c"}, ("c/skills",), ".claude/skills", "a link to a submodule"),
        ({}, {".claude/skills/a": "a"}, (), ".claude/skills/a", CHAIN),
        ({}, {".claude": ".claude"}, (), ".claude", CHAIN),
        # T3: to a submodule or to nothing
        ({}, {".claude/skills/a": "../../sub"}, ("sub",), ".claude/skills/a", "a link into a submodule"),
        ({}, {".claude/skills/a": "../../sub/x"}, ("sub",), ".claude/skills/a", "a link into a submodule"),
        ({}, {".claude/skills": "../sub/skills"}, ("sub",), ".claude/skills", "a link into a submodule"),
        ({}, {".claude/skills/a": "../../gone"}, (), ".claude/skills/a", f"a link to `gone`, {GONE}"),
        ({"f": "x"}, {".claude/skills/a": "../../f/x"}, (), ".claude/skills/a", f"a link to `f/x`, {GONE}"),
        ({}, {".claude/agents/a.md": "gone.md"}, (), ".claude/agents/a.md", f"a link to `.claude/agents/gone.md`, {GONE}"),
        ({"d/x": "x"}, {".claude/skills/a/SKILL.md": "../../../d"}, (), ".claude/skills/a/SKILL.md", "a link to a folder"),
        ({"d/x": "x"}, {".claude/agents/a.md": "../../d"}, (), ".claude/agents/a.md", "a link to a folder"),
    ],
)  # fmt: skip
def test_a_link_that_is_not_followed_is_listed_with_the_reason(
    repo: Repo, files: Files, links: Links, modules: tuple[str, ...], shown: str, reason: str
) -> None:
    (one,) = found_in(repo, files, links, modules)
    assert (one.shown, one.reason, one.file) == (shown, reason, None)


@pytest.mark.parametrize("target", [b"x" * 5_000, b"s\0/a", b"", b"."])
def test_a_target_that_no_file_system_would_take(repo: Repo, target: bytes) -> None:
    """A link is data: git stores any bytes as its target."""
    with imported(repo, [("120000", ".claude/skills/a", target), ("100644", ".claude/skills/b/x.md", b"x")]) as tree:
        found = [(one.shown, one.reason) for one in find_guides(tree).skills]
    assert found == ([(".claude/skills/a", "a link with a target that is no path")] if len(target) > 1 else [])


def test_a_circle_of_two(repo: Repo) -> None:
    """T2."""
    found = found_in(repo, {}, {".claude/skills/a": "b", ".claude/skills/b": "a"})
    assert [(one.shown, one.reason) for one in found] == [(".claude/skills/a", CHAIN), (".claude/skills/b", CHAIN)]


@pytest.mark.parametrize(
    ("links", "shown", "rank", "scope"),
    [
        ({".claude/skills/a": "../../s/a"}, "s/a/SKILL.md", CLAUDE, ""),
        ({".claude/skills/a": "./../../s//a/"}, "s/a/SKILL.md", CLAUDE, ""),
        ({"pkg/.github/skills/a": "../../../s/a"}, "s/a/SKILL.md", GITHUB, "pkg"),
        ({".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"}, "s/a/SKILL.md", CLAUDE, ""),
        ({".claude/skills": "../s"}, "s/a/SKILL.md", CLAUDE, ""),
        ({".ax-code/skill": "../s"}, "s/a/SKILL.md", OTHERS, ""),
        ({"pkg/.claude": "../c"}, "c/skills/a/SKILL.md", CLAUDE, "pkg"),
        ({".claude": "c"}, "c/skills/a/SKILL.md", CLAUDE, ""),
        ({".github": "c"}, "c/skills/a/SKILL.md", GITHUB, ""),
        ({".claude/agents/x.md": "../../s/a/SKILL.md"}, "s/a/SKILL.md", AGENT_FILES, ""),
    ],
)
def test_a_link_inside_the_tree_is_followed_once(repo: Repo, links: Links, shown: str, rank: int, scope: str) -> None:
    (one,) = found_in(repo, {"s/a/SKILL.md": skill("a"), "c/skills/a/SKILL.md": skill("a")}, links)
    assert (one.shown, one.rank, one.scope, one.reason) == (shown, rank, scope, "")


@pytest.mark.parametrize("links", [{".claude/skills": "../.agents/skills"}, {".claude": ".agents"}])
def test_a_mirror_of_a_root_is_that_root(repo: Repo, links: Links) -> None:
    found = found_in(repo, {f".agents/skills/{name}/SKILL.md": skill(name) for name in "ab"}, links)
    assert [(one.shown, one.rank) for one in found] == [(f".agents/skills/{name}/SKILL.md", AGENTS) for name in "ab"]


@pytest.mark.parametrize(
    ("files", "links", "expected"),
    [
        # the folder has the name through one link only
        ({}, {".claude/skills/a": "../../s/b", ".claude/skills/b": "../../s/b"}, [("s/b/SKILL.md", "b", "")]),
        ({}, {".claude/skills/b": "../../s/b", ".claude/skills/c": "../../s/b"}, [("s/b/SKILL.md", "b", "")]),
        ({}, {".agents/skills/c": "../../s/b", ".claude/skills/b": "../../s/b"}, [("s/b/SKILL.md", "b", "")]),
        # a group of skills beside a link to one of them
        ({}, {".claude/skills/all": "../../s", ".claude/skills/b": "../../s/b"}, [("s/b/SKILL.md", "b", "")]),
        ({".claude/skills/b/SKILL.md": skill("b")}, {".claude/skills/all": "."}, [(".claude/skills/b/SKILL.md", "b", "")]),
        # two folders that share one: what it is scoped to is what they have in common
        ({}, {"p/x/.claude/skills": "../../../s", "p/y/.claude/skills": "../../../s"}, [("s/b/SKILL.md", "b", "p")]),
        ({}, {"x/.claude/skills": "../../s", "xy/.agents/skills": "../../s"}, [("s/b/SKILL.md", "b", "")]),
        ({"p/.agents/skills/b/SKILL.md": skill("b")}, {".claude/skills": "../p/.agents/skills"}, [("p/.agents/skills/b/SKILL.md", "b", "")]),
    ],
)  # fmt: skip
def test_a_file_with_several_ways_to_it_is_one_skill(
    repo: Repo, files: Files, links: Links, expected: list[tuple[str, str, str]]
) -> None:
    found = found_in(repo, {"s/b/SKILL.md": skill("b"), **files}, links)
    assert [(one.shown, one.folder, one.scope) for one in found] == expected
    assert [one.reason for one in found] == [""]


@pytest.mark.parametrize(
    ("files", "links", "expected"),
    [
        ({"s/a/agents/openai.yaml": OFF}, {".claude/skills/a": "../../s/a"}, MANUAL),
        ({"s/a/agents/openai.yaml": OFF}, {".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"}, MANUAL),
        ({".claude/skills/a/agents/openai.yaml": OFF}, {".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"}, MANUAL),
        ({"s/a/agents/openai.yaml": OFF}, {".claude/agents/x.md": "../../s/a/SKILL.md"}, MANUAL),
        (
            {"s/a/agents/openai.yaml": OFF, ".claude/skills/a/agents/openai.yaml": OFF},
            {".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"},
            MANUAL,
        ),
        (
            {"s/a/agents/openai.yaml": OFF, ".claude/skills/a/agents/openai.yaml": ON},
            {".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"},
            Invocation(
                False,
                False,
                ("`agents/openai.yaml`: another one lies beside the file that SKILL.md leads to; so nobody may load it",),
            ),
        ),
    ],
)
def test_no_link_leads_past_a_sidecar(repo: Repo, files: Files, links: Links, expected: Invocation) -> None:
    with tree_of(repo, {"s/a/SKILL.md": skill("a"), **files}, links) as tree:
        assert skills_of(tree)[0]["s/a/SKILL.md"].invocation == expected


LINKED: Files = {
    "s/a/SKILL.md": skill("a"),
    "s/a/agents/openai.yaml": OFF,
    "s/b/skill.md": skill("b"),
    "agent.md": skill("z"),
    "SKILL.md": skill("root"),
    "g/deep/a/SKILL.md": skill("a"),
}
LINKED_LINKS = {
    "linked": "s/a",
    "chain": "linked",
    "all": "s",
    "out": "/etc",
    "f/a/SKILL.md": "../../agent.md",
    "x/y/z": "../../w",
    "w/l": "../s",
}


@pytest.mark.parametrize(
    ("name", "shown", "reason", "invocation"),
    [
        ("s/a", "s/a/SKILL.md", "", MANUAL),
        ("s/a/SKILL.md", "s/a/SKILL.md", "", MANUAL),
        ("all/a", "s/a/SKILL.md", "", MANUAL),
        ("all/a/SKILL.md", "s/a/SKILL.md", "", MANUAL),
        ("agent.md", "agent.md", "", BOTH),
        ("SKILL.md", "SKILL.md", "", BOTH),
        ("linked", "s/a/SKILL.md", "`name` is `a`, but the folder is `linked`; they must be equal", BOTH),
        ("f/a/SKILL.md", "agent.md", "`name` is `z`, but the folder is `a`; they must be equal", BOTH),
        ("s/b/skill.md", "s/b/skill.md", "the file must be named SKILL.md", BOTH),
        ("s/b", "s/b/skill.md", "the file must be named SKILL.md", BOTH),
        ("nowhere", "nowhere", "the base has no such skill", BOTH),
        ("s", "s", "this folder holds no SKILL.md", BOTH),
        ("g", "g", "this folder holds no SKILL.md", BOTH),
        ("chain", "chain", CHAIN, BOTH),
        ("chain/SKILL.md", "chain/SKILL.md", CHAIN, BOTH),
        ("x/y/z/l/a", "x/y/z/l/a", CHAIN, BOTH),
        ("out/passwd", "out/passwd", OUT, BOTH),
        ("sub", "sub", NOT_READ, BOTH),
        ("sub/a", "sub/a", "the base has no such skill", BOTH),
    ],
)
def test_a_link_of_a_config(repo: Repo, name: str, shown: str, reason: str, invocation: Invocation) -> None:
    with tree_of(repo, LINKED, LINKED_LINKS, ("sub",)) as tree:
        candidate = skill_at(tree, path(name))
        (found,), _ = read_skills(tree, [candidate], count=quick)
    assert (candidate.rank, candidate.scope) == (EXPLICIT, "")
    assert (found.path, found.reason, found.invocation) == (shown, reason, invocation)
