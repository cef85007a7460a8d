# ruff: noqa: E501 - tables read better with a case on a line
"""Skills of real trees: where they are found, which are valid and why one is not, and which of several with one name counts."""

import pytest

from kodus_check.guides.find import skill_at
from kodus_check.guides.skills import read_skills
from kodus_check.model import Invocation, NoticeKind
from tests.guides.rig import quick, skill, skills_of, tree_of
from tests.repo import Content, Repo, path


def test_every_root_and_its_scope(repo: Repo) -> None:
    files: dict[str, Content] = {
        ".agents/skills/a/SKILL.md": skill("a"),
        ".claude/skills/b/SKILL.md": skill("b"),
        ".github/skills/c/SKILL.md": skill("c"),
        ".claude/agents/anything.md": skill("d"),
        ".ax-code/skill/e/SKILL.md": skill("e"),
        ".ax-code/skills/f/SKILL.md": skill("f"),
        ".opencode/skills/g/SKILL.md": skill("g"),
        "pkg/x/.claude/skills/h/SKILL.md": skill("h"),
        "node_modules/p/.claude/skills/i/SKILL.md": skill("i"),
        "vendor/.agents/skills/j/SKILL.md": skill("j"),
        "skills/k/SKILL.md": skill("k"),
        ".claude/skills/README.md": "x",
        ".claude/commands/l.md": skill("l"),
    }
    with tree_of(repo, files) as tree:
        found, notices = skills_of(tree)
    assert notices == []
    assert {one.name: (one.valid, one.scope, one.id) for one in found.values()} == {
        **{name: (True, "", name) for name in "abcdefg"},
        "h": (True, "pkg/x", "h"),
    }


@pytest.mark.parametrize(
    ("files", "links", "modules", "listed", "reason"),
    [
        ({".claude/skills/a/skill.md": skill("a")}, {}, (), ".claude/skills/a/skill.md", "must be named SKILL.md"),
        ({".claude/skills/SKILL.md": skill("a")}, {}, (), ".claude/skills/SKILL.md", "a folder of its own"),
        ({".claude/skills/g/a/SKILL.md": skill("a")}, {}, (), ".claude/skills/g/a/SKILL.md", "too deep"),
        ({".claude/skills/a/SKILL.md/x": "x"}, {}, (), ".claude/skills/a/SKILL.md", "is a folder"),
        ({}, {}, (".claude/skills/a/SKILL.md",), ".claude/skills/a/SKILL.md", "a submodule"),
        ({}, {}, (".claude/skills/a",), ".claude/skills/a", "a submodule"),
        # T1: out of the repository
        ({}, {".claude/skills/a": "/etc"}, (), ".claude/skills/a", "leaves the repository"),
        ({}, {".claude/skills/a": "../../../x"}, (), ".claude/skills/a", "leaves the repository"),
        ({}, {".claude/skills/a/SKILL.md": "/etc/passwd"}, (), ".claude/skills/a/SKILL.md", "leaves the repository"),
        ({}, {".claude/skills": "/etc"}, (), ".claude/skills", "leaves the repository"),
        ({}, {".claude/agents/a.md": "../../../../x"}, (), ".claude/agents/a.md", "leaves the repository"),
        # T2 - chains and circles
        ({"s/a/SKILL.md": skill("a")}, {"l": "s/a", ".claude/skills/a": "../../l"}, (), ".claude/skills/a", "link to another link"),
        ({}, {".claude/skills/a": "b", ".claude/skills/b": "a"}, (), ".claude/skills/a", "link to another link"),
        # T3
        ({}, {".claude/skills/a": "../../gone"}, (), ".claude/skills/a", "does not have"),
        ({}, {".claude/skills/a": "../../sub"}, ("sub",), ".claude/skills/a", "into a submodule"),
        ({"d/x": "x"}, {".claude/skills/a/SKILL.md": "../../../d"}, (), ".claude/skills/a/SKILL.md", "a link to a folder"),
        ({".claude/skills/a/SKILL.md": b"version https://git-lfs.github.com/spec/v1\n"}, {}, (), ".claude/skills/a/SKILL.md", "LFS"),
        ({".claude/skills/a/SKILL.md": b"x" * 1_100_000}, {}, (), ".claude/skills/a/SKILL.md", "1,100,000 bytes"),
        ({".claude/skills/a/SKILL.md": skill("b")}, {}, (), ".claude/skills/a/SKILL.md", "must be equal"),
        ({".claude/skills/a/SKILL.md": skill("A")}, {}, (), ".claude/skills/a/SKILL.md", "lower-case"),
        ({".claude/skills/a-/SKILL.md": skill("a-")}, {}, (), ".claude/skills/a-/SKILL.md", "single hyphens"),
        ({".claude/skills/a--b/SKILL.md": skill("a--b")}, {}, (), ".claude/skills/a--b/SKILL.md", "single hyphens"),
        ({f".claude/skills/{'a' * 65}/SKILL.md": skill("a" * 65)}, {}, (), f".claude/skills/{'a' * 65}/SKILL.md", "64"),
        ({".claude/skills/a/SKILL.md": "---\nname: a\n---\n"}, {}, (), ".claude/skills/a/SKILL.md", "`description` is missing"),
        ({".claude/skills/a/SKILL.md": "---\nname: a\ndescription: ' '\n---\n"}, {}, (), ".claude/skills/a/SKILL.md", "`description`"),
        ({".claude/skills/a/SKILL.md": "---\nname: a\ndescription: [b]\n---\n"}, {}, (), ".claude/skills/a/SKILL.md", "`description`"),
        ({".claude/skills/a/SKILL.md": "---\ndescription: b\n---\n"}, {}, (), ".claude/skills/a/SKILL.md", "`name` is missing"),
        ({".claude/agents/README.md": "# no skill\n"}, {}, (), ".claude/agents/README.md", "no frontmatter"),
    ],
)  # fmt: skip
def test_what_is_not_a_valid_skill_is_listed_and_costs_no_other(
    repo: Repo, files: dict[str, Content], links: dict[str, str], modules: tuple[str, ...], listed: str, reason: str
) -> None:
    with tree_of(repo, {**files, ".agents/skills/good/SKILL.md": skill("good")}, links, modules) as tree:
        found, _ = skills_of(tree)
    assert reason in found[listed].reason
    assert found[".agents/skills/good/SKILL.md"].valid


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({".claude/skills/a": "../../s/a"}, "s/a/SKILL.md"),
        ({".claude/skills/a/SKILL.md": "../../../s/a/SKILL.md"}, "s/a/SKILL.md"),
        ({".claude/skills": "../s"}, "s/a/SKILL.md"),
        ({".claude": "c"}, "c/skills/a/SKILL.md"),
        ({".claude/agents/x.md": "../../s/a/SKILL.md"}, "s/a/SKILL.md"),
    ],
)
def test_a_link_inside_the_tree_is_followed_once(repo: Repo, links: dict[str, str], expected: str) -> None:
    with tree_of(repo, {"s/a/SKILL.md": skill("a"), "c/skills/a/SKILL.md": skill("a")}, links) as tree:
        found, notices = skills_of(tree)
    assert [(one.path, one.valid) for one in found.values()] == [(expected, True)]
    assert notices == []


def test_files_beside_a_skill_down_to_one_folder(repo: Repo) -> None:
    files: dict[str, Content] = {
        f".claude/skills/a/{name}": "x" for name in ("one.md", "references/two.md", "references/deep/no.md", "run.sh")
    }
    with tree_of(
        repo,
        {**files, ".claude/skills/a/SKILL.md": skill("a"), "t.md": "t"},
        {".claude/skills/a/link.md": "../../../t.md", ".claude/skills/a/out.md": "/etc/passwd"},
    ) as tree:
        found, _ = skills_of(tree)
    assert [(one.path, str(one.where)) for one in found[".claude/skills/a/SKILL.md"].files] == [
        ("link.md", "t.md"),
        ("one.md", ".claude/skills/a/one.md"),
        ("references/two.md", ".claude/skills/a/references/two.md"),
        ("run.sh", ".claude/skills/a/run.sh"),
    ]


def test_what_a_skill_says_of_itself(repo: Repo) -> None:
    head = "paths: ['*.sql']\nmetadata:\n  triggers: [db, schema]\n  order: 3\nallowed-tools: Bash(*)\n"
    text = skill("a", head=head, body="one\ntwo")
    with tree_of(repo, {".claude/skills/a/SKILL.md": text}) as tree:
        found = skills_of(tree)[0][".claude/skills/a/SKILL.md"]
    assert (found.description, found.paths, found.triggers, found.order) == ("About a.", ("*.sql",), ("db", "schema"), 3)
    assert found.data[found.body :] == b"one\ntwo\n"
    assert (found.lines, found.tokens, found.invocation) == (text.count("\n"), quick(text), Invocation())


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((".agents/skills/a/SKILL.md", ".claude/skills/a/SKILL.md"), ".agents/skills/a/SKILL.md"),
        ((".github/skills/a/SKILL.md", ".claude/skills/a/SKILL.md"), ".claude/skills/a/SKILL.md"),
        ((".github/skills/a/SKILL.md", ".claude/agents/z.md"), ".github/skills/a/SKILL.md"),
        ((".opencode/skills/a/SKILL.md", ".claude/agents/z.md"), ".claude/agents/z.md"),
    ],
)
def test_of_several_with_one_name_the_first_root_counts(repo: Repo, names: tuple[str, str], expected: str) -> None:
    with tree_of(repo, {name: skill("a", body=name) for name in names}) as tree:
        found, notices = skills_of(tree)
    loser = next(name for name in names if name != expected)
    assert (found[expected].twin_of, found[loser].twin_of) == ("", expected)
    assert (found[expected].id, found[loser].id) == ("a", loser)
    assert [(one.kind, one.subject) for one in notices] == [(NoticeKind.SKILL_SHADOWED, loser)]


@pytest.mark.parametrize(
    ("first", "second", "valid_twin", "notices"),
    [
        (skill("a"), skill("a"), True, []),  # copies collapse without a word
        (skill("b"), skill("a"), False, []),  # one that is not valid is passed over
        (
            skill("a", head="disable-model-invocation: true\n"),
            skill("a"),
            True,
            [NoticeKind.SKILL_SHADOWED],
        ),  # but one by hand keeps its name
    ],
)
def test_twins(repo: Repo, first: str, second: str, valid_twin: bool, notices: list[NoticeKind]) -> None:
    with tree_of(repo, {".agents/skills/a/SKILL.md": first, ".claude/skills/a/SKILL.md": second}) as tree:
        found, said = skills_of(tree)
    assert bool(found[".claude/skills/a/SKILL.md"].twin_of) is valid_twin
    assert [one.kind for one in said] == notices


def test_copies_that_differ_in_their_sidecar_are_no_copies(repo: Repo) -> None:
    files: dict[str, Content] = {
        ".agents/skills/a/SKILL.md": skill("a"),
        ".claude/skills/a/SKILL.md": skill("a"),
        ".claude/skills/a/agents/openai.yaml": "policy: {allow_implicit_invocation: false}\n",
    }
    with tree_of(repo, files) as tree:
        assert [one.kind for one in skills_of(tree)[1]] == [NoticeKind.SKILL_SHADOWED]


@pytest.mark.parametrize(
    ("files", "links"),
    [
        ({".claude/skills/a/agents/openai.yaml/x": "x"}, {}),
        ({".claude/skills/a/agents": "a file"}, {}),
        ({}, {".claude/skills/a/agents/openai.yaml": "../SKILL.md"}),
        ({".claude/skills/a/agents/openai.yaml": "#" * 70_000}, {}),
        ({".claude/skills/a/agents/openai.yaml": "#" * 1_100_000}, {}),
    ],
)
def test_a_sidecar_in_another_form_closes_the_skill(repo: Repo, files: dict[str, Content], links: dict[str, str]) -> None:
    with tree_of(repo, {".claude/skills/a/SKILL.md": skill("a"), **files}, links) as tree:
        found, notices = skills_of(tree)
    invoked = found[".claude/skills/a/SKILL.md"].invocation
    assert (invoked.model, invoked.user) == (False, False)
    assert NoticeKind.SKILL_CONTROL_UNCLEAR in [one.kind for one in notices]


def test_equal_names_in_two_folders_are_two_skills(repo: Repo) -> None:
    files: dict[str, Content] = {f"{folder}.claude/skills/a/SKILL.md": skill("a", body=folder) for folder in ("", "x/", "y/")}
    with tree_of(repo, files) as tree:
        found, notices = skills_of(tree)
    assert ([one.id for one in found.values()], notices) == (["a", "x/a", "y/a"], [])


@pytest.mark.parametrize(
    ("head", "body", "kind", "said"),
    [
        ("x: a: b\n", "x", NoticeKind.GUIDE_REMARK, "`x` is not YAML as it stands"),
        ("x: 1\n", "a\u202eb", NoticeKind.GUIDE_HIDDEN_TEXT, "nobody sees"),
        ("user_invocable: false\n", "x", NoticeKind.SKILL_CONTROL_UNCLEAR, "must be written `user-invocable`"),
    ],
)
def test_remarks(repo: Repo, head: str, body: str, kind: NoticeKind, said: str) -> None:
    with tree_of(repo, {".claude/skills/a/SKILL.md": skill("a", head=head, body=body)}) as tree:
        (notice,) = skills_of(tree)[1]
    assert notice.kind is kind
    assert said in notice.message


def test_long_descriptions_and_comments_are_remarked(repo: Repo) -> None:
    files: dict[str, Content] = {
        ".claude/skills/a/SKILL.md": f"---\nname: a\ndescription: {'x' * 1025}\n---\n",
        ".claude/skills/b/SKILL.md": "---\nname: b\ndescription: use C# and #tags\n---\n",
        ".claude/skills/b/skill.md": "x",
        ".claude/skills/c/SKILL.md": f"---\nname: c\ndescription: {'x' * 1024}\n---\n",
    }
    with tree_of(repo, files) as tree:
        assert sorted(one.message[:40] for one in skills_of(tree)[1]) == [
            "What follows ` #` in `description` is a ",
            "`description` has 1,025 characters; more",
            "`skill.md` lies beside SKILL.md and is n",
        ]


@pytest.mark.parametrize(
    ("name", "shown", "reason"),
    [
        ("s/a", "s/a/SKILL.md", ""),
        ("s/a/SKILL.md", "s/a/SKILL.md", ""),
        ("agent.md", "agent.md", ""),
        ("linked", "s/a/SKILL.md", "must be equal"),
        ("nowhere", "nowhere", "no such skill"),
        ("s", "s", "holds no SKILL.md"),
        ("chain", "chain", "link to another link"),
    ],
)
def test_a_link_of_a_config(repo: Repo, name: str, shown: str, reason: str) -> None:
    with tree_of(repo, {"s/a/SKILL.md": skill("a"), "agent.md": skill("z")}, {"linked": "s/a", "chain": "linked"}) as tree:
        candidate = skill_at(tree, path(name))
        (found,), _ = read_skills(tree, [candidate], count=quick)
    assert (found.path, reason in found.reason, found.valid) == (shown, True, not reason)
