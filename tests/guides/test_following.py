# ruff: noqa: E501 - configurations and messages read better on a line
"""Who follows which guide, in the words that people read: what is linked, found, refused, missing, shared, and over a limit."""

import pytest

from kodus_check.config.levels import Layer, Levels
from kodus_check.config.load import parse_layer
from kodus_check.following import Following, read_guides
from kodus_check.guides import tokens
from kodus_check.model import Notice, NoticeKind
from kodus_check.plan import make_plan
from tests.guides.rig import Files, quick, skill, tree_of
from tests.repo import Repo

MANUAL, OFF, SHUT = (
    "disable-model-invocation: true\n",
    "disable-model-invocation: true\nuser-invocable: false\n",
    "user-invocable: no\n",
)


def layer(text: str, level: str = "repository", folder: bytes = b"") -> Layer:
    return parse_layer(text.encode(), ".kodus-check.yml", level, folder)


def read(repo: Repo, files: Files, *layers: Layer, links: dict[str, str] | None = None, modules: tuple[str, ...] = ()) -> Following:
    with tree_of(repo, files, links, modules) as tree:
        return read_guides(tree, make_plan(Levels(layers), tree)[0], count=quick)


def skills(found: Following, reviewer: str | None = None) -> list[list[str]]:
    return [[one.id for one in followed.skills] for followed in found.of(reviewer)]


def docs(found: Following, reviewer: str | None = None) -> list[list[tuple[str, int]]]:
    return [[(one.doc.path, one.lines) for one in followed.docs] for followed in found.of(reviewer)]


def refused(name: str, reviewer: str, why: str, subject: str) -> Notice:
    text = f"`{name}` is linked to `{reviewer}` but is not followed: {why}. Correct it at the base, or take the link out."
    return Notice(NoticeKind.GUIDE_REFUSED, text, subject)


@pytest.mark.parametrize(
    ("head", "found", "linked"),
    [
        ("", True, True),
        (MANUAL, False, True),
        ("user-invocable: false\n", True, True),
        (OFF, False, False),
        (SHUT, False, False),
        ("Disable-Model-Invocation: false\n", False, False),
    ],
)
def test_a_link_invokes_what_only_people_may_load_and_nothing_invokes_what_is_closed(
    repo: Repo, head: str, found: bool, linked: bool
) -> None:
    files: Files = {".claude/skills/a/SKILL.md": skill("a", head=head)}
    assert skills(read(repo, files)) == [["a"] if found else []]
    explicit = read(repo, files, layer("main_review: {skills: [.claude/skills/a]}"))
    assert skills(explicit) == [["a"] if linked else []]
    said = [one for one in explicit.guides.notices if one.kind is NoticeKind.GUIDE_REFUSED]
    why = "its controls let nobody load it"
    assert said == ([] if linked else [refused(".claude/skills/a", "main_review", why, ".claude/skills/a/SKILL.md:2")])
    assert explicit.guides.followed_by[".claude/skills/a/SKILL.md"] == (("main_review",) if linked else ())


def test_a_sidecar_that_cannot_be_read_closes_a_linked_skill(repo: Repo) -> None:
    files: Files = {"s/a/SKILL.md": skill("a"), "s/a/agents/openai.yaml": "---\n"}
    found = read(repo, files, layer("main_review: {skills: [s/a]}"))
    assert skills(found) == [[]]
    text = "`agents/openai.yaml`: document markers and directives are not read; so nobody may load it."
    assert list(found.guides.notices) == [
        Notice(NoticeKind.SKILL_CONTROL_UNCLEAR, text, "s/a/SKILL.md"),
        refused("s/a", "main_review", "its controls let nobody load it", "s/a/SKILL.md:2"),
    ]


def test_nothing_that_is_broken_stops_the_rest(repo: Repo) -> None:
    files: Files = {
        "s/good/SKILL.md": skill("good"),
        "s/name/SKILL.md": skill("other"),
        "s/utf/SKILL.md": b"---\nname: \xff\n---\n",
        "s/deep/SKILL.md": "---\nname: deep\nx: " + "[" * 5_000,
        "s/big/SKILL.md": b"x" * 1_048_577,
        "docs/good.md": "A rule.\n",
        "docs/empty.md": "",
        "docs/nul.md": b"a\0b",
    }
    names = ("name", "utf", "deep", "big", "gone-link", "out", "good")
    config = f"main_review:\n  skills: [{', '.join(f's/{name}' for name in names)}]\n  docs: [docs/empty.md, docs/nul.md, docs/l.md, docs/good.md]\n"
    found = read(repo, {**files, "docs/l.md": "x\n"}, layer(config), links={"s/gone-link": "nowhere", "s/out": "/etc"})
    assert skills(found) == [["good"]]
    assert docs(found) == [[("docs/l.md", 1), ("docs/good.md", 1)]]
    assert list(found.guides.notices) == [
        refused("s/name", "main_review", "`name` is `other`, but the folder is `name`; they must be equal", "s/name/SKILL.md:2"),
        refused("s/utf", "main_review", "not UTF-8 (byte 10)", "s/utf/SKILL.md:2"),
        refused("s/deep", "main_review", "the frontmatter is not closed by a line `---`", "s/deep/SKILL.md:1"),
        refused("s/big", "main_review", "1,048,577 bytes; a guide may have 1,048,576", "s/big/SKILL.md:1"),
        refused("s/gone-link", "main_review", "a link to `s/nowhere`, which the base does not have", "s/gone-link"),
        refused("s/out", "main_review", "a link that leaves the repository", "s/out"),
        refused("docs/empty.md", "main_review", "empty", "docs/empty.md"),
        refused("docs/nul.md", "main_review", "not text: it holds NUL", "docs/nul.md"),
    ]


def test_a_linked_doc_that_is_a_link_is_told(repo: Repo) -> None:
    found = read(repo, {"d/x.md": "x\n"}, layer("main_review: {docs: [l.md, ld/x.md]}"), links={"l.md": "d/x.md", "ld": "d"})
    assert docs(found) == [[]]
    assert list(found.guides.notices) == [
        refused("l.md", "main_review", "a symlink, and those are not followed; link the file itself", "l.md"),
        refused("ld/x.md", "main_review", "the base has no such file", "ld/x.md"),
    ]


def test_what_the_global_level_links_may_be_missing_but_not_broken(repo: Repo) -> None:
    files: Files = {"s/broken/SKILL.md": "x", "s/a/SKILL.md": skill("a"), "d.md": "d\n", "bad.md": b"\xff"}
    text = "main_review: {skills: [s/gone, s/broken, s/a, 'builtin:auth-boundaries'], docs: [gone.md, bad.md, d.md]}"
    found = read(repo, files, layer(text, "global"))
    assert (skills(found), docs(found)) == ([["a", "builtin:auth-boundaries"]], [[("d.md", 1)]])

    def missing(name: str) -> Notice:
        said = f"`{name}` is linked to `main_review` at the global level, and this repository has none: it is not followed."
        return Notice(NoticeKind.GUIDE_MISSING, said, name)

    why = "no frontmatter: the file must begin with a line `---`, then `name:` and `description:`"
    assert list(found.guides.notices) == [
        missing("s/gone"),
        refused("s/broken", "main_review", why, "s/broken/SKILL.md:1"),
        missing("gone.md"),
        refused("bad.md", "main_review", "line 1: not UTF-8 (byte 0)", "bad.md"),
    ]


def test_a_guide_is_followed_once_however_it_is_written(repo: Repo) -> None:
    files: Files = {"s/a/SKILL.md": skill("a"), "docs/x.md": "x\n"}
    text = "main_review: {skills: [s/a, ./s/a/, s/a/SKILL.md, l/a], docs: [docs/x.md, ./docs/x.md, docs//x.md]}"
    found = read(repo, files, layer(text), links={"l": "s"})
    assert (skills(found), docs(found), found.guides.notices) == ([["a"]], [[("docs/x.md", 1)]], ())
    assert [(one.skills_linked, one.tokens_linked) for one in found.guides.budgets] == [(1, 0)]


def test_an_explicit_path_takes_the_place_of_its_twins(repo: Repo) -> None:
    files: Files = {f".{root}/skills/a/SKILL.md": skill("a", body=root) for root in ("agents", "claude", "github")}
    found = read(repo, files, layer("main_review: {skills: [.github/skills/a]}\nagents: {x: {skills: []}}"))
    assert skills(found) == [["a"], []]
    assert {one.path: one.twin_of for one in found.guides.skills} == {
        ".github/skills/a/SKILL.md": "",
        ".agents/skills/a/SKILL.md": ".github/skills/a/SKILL.md",
        ".claude/skills/a/SKILL.md": ".github/skills/a/SKILL.md",
    }
    assert [one.subject for one in found.guides.notices] == [".agents/skills/a/SKILL.md", ".claude/skills/a/SKILL.md"]


@pytest.mark.parametrize("number", [20, 21])
def test_twenty_linked_skills_each(repo: Repo, number: int) -> None:
    names = [f"s/n{index:02}" for index in range(number)]
    files: Files = {f"{name}/SKILL.md": skill(name[2:]) for name in names}
    listed = ", ".join(names)
    found = read(repo, files, layer(f"main_review: {{skills: [{listed}]}}\nagents: {{x: {{skills: [{listed}]}}}}"))
    assert skills(found) == [[name[2:] for name in names[:20]]] * 2
    over = [one.subject for one in found.guides.notices if one.kind is NoticeKind.SKILLS_OVER_LIMIT]
    assert over == ["main_review", "x"] * (number > 20)
    assert found.guides.followed_by[f"{names[-1]}/SKILL.md"] == (("main_review", "x") if number == 20 else ())


@pytest.mark.parametrize(
    ("config", "shared"),
    [
        ("agents: {a: {docs: [AGENTS.md]}}", "`a`"),  # found for the main review, linked to the agent
        ("main_review: {docs: [AGENTS.md]}\nagents: {a: {docs: [AGENTS.md]}, b: {docs: [AGENTS.md]}}", "`a`, `b`"),
        ("main_review: {docs: []}\nagents: {a: {docs: [AGENTS.md]}, b: {docs: [AGENTS.md]}}", ""),
        ("main_review: {docs: [AGENTS.md]}\nagents: {a: {docs: []}}", ""),
    ],
)
def test_the_same_rule_may_comment_twice(repo: Repo, config: str, shared: str) -> None:
    found = read(repo, {"AGENTS.md": "x\n"}, layer(config))
    text = f"`AGENTS.md` is followed by the main review and by {shared}: the same rule may comment twice. Link it to one of them."
    assert list(found.guides.notices) == ([Notice(NoticeKind.GUIDE_SHARED, text, "AGENTS.md")] if shared else [])


def test_a_shared_skill_is_told_as_well(repo: Repo) -> None:
    found = read(repo, {"s/a/SKILL.md": skill("a")}, layer("main_review: {skills: [s/a]}\nagents: {x: {skills: [s/a]}}"))
    assert [(one.kind, one.subject) for one in found.guides.notices] == [(NoticeKind.GUIDE_SHARED, "s/a/SKILL.md")]


BLOCK = f"{'word ' * 79}end.\n\n"  # 100 tokens and a little more


def test_every_reviewer_of_every_folder_has_a_budget_of_its_own(repo: Repo) -> None:
    files: Files = {"a.md": BLOCK * 150, "b.md": BLOCK * 60, "c.md": "short\n", "lib/x.py": "x\n"}
    found = read(
        repo,
        files,
        layer("main_review: {skills: [], docs: [a.md, b.md, c.md]}\nagents: {x: {docs: [b.md]}}"),
        layer("main_review: {docs: [b.md, a.md]}", "directory", b"lib"),
    )
    assert [(one.folder, one.reviewer, one.tokens, one.tokens_linked) for one in found.guides.budgets] == [
        ("", "main_review", 15_037 + 4_912 + 1, 15_037 + 6_015 + 1),
        ("", "x", 6_015, 6_015),
        ("lib", "main_review", 6_015 + 13_934, 15_037 + 6_015),
        ("lib", "x", 6_015, 6_015),
    ]
    assert docs(found, "main_review") == [[("a.md", 300), ("b.md", 97), ("c.md", 1)], [("b.md", 120), ("a.md", 277)]]
    trimmed = [one.message for one in found.guides.notices if one.kind is NoticeKind.GUIDE_TRIMMED]
    end = "one reviewer may have 20,000. Link fewer or shorter docs, or make a skill of it."
    assert trimmed == [
        f"For `main_review` `b.md` is cut after line 97 of 120 (4,912 of 6,015 tokens): {end}",
        f"For `main_review` in `lib` `a.md` is cut after line 277 of 300 (13,934 of 15,037 tokens): {end}",
    ]


def test_a_doc_that_is_left_out_is_followed_by_nobody(repo: Repo) -> None:
    files: Files = {f"{number}.md": "A rule.\n" for number in range(11)}
    found = read(repo, files, layer(f"main_review: {{docs: [{', '.join(files)}]}}"))
    assert [found.guides.followed_by[name] for name in ("9.md", "10.md")] == [("main_review",), ()]
    assert [(one.kind, one.subject) for one in found.guides.notices] == [(NoticeKind.GUIDE_LEFT_OUT, "10.md")]


def test_without_a_config_copies_are_followed_once_where_they_speak_of_the_same_files(repo: Repo) -> None:
    files: Files = {
        "x/AGENTS.md": "Same.\n",
        "x/deep/AGENTS.md": "Same.\n",
        "xy/AGENTS.md": "Same.\n",
        "AGENTS.md": "Root.\n",
        ".claude/CLAUDE.md": "Root.\n",
        "y/CLAUDE.md": "Root.\n",
    }
    found = read(repo, files)
    assert docs(found) == [[("AGENTS.md", 1)]]
    assert {path: bool(names) for path, names in found.guides.followed_by.items()} == {
        "AGENTS.md": True,
        ".claude/CLAUDE.md": False,
        "x/AGENTS.md": True,
        "xy/AGENTS.md": True,
        "y/CLAUDE.md": False,
        "x/deep/AGENTS.md": False,
    }


def test_an_empty_list_follows_nothing(repo: Repo) -> None:
    files: Files = {".claude/skills/a/SKILL.md": skill("a"), "AGENTS.md": "x\n"}
    found = read(repo, files, layer("main_review: {skills: [], docs: []}"))
    assert (skills(found), docs(found), found.guides.notices) == ([[]], [[]], ())
    assert found.guides.followed_by == {".claude/skills/a/SKILL.md": (), "AGENTS.md": ()}
    assert found.guides.reviewers == ("main_review",)


def test_an_agent_follows_nothing_that_is_not_linked_to_it(repo: Repo) -> None:
    files: Files = {".claude/skills/a/SKILL.md": skill("a"), "AGENTS.md": "x\n"}
    found = read(repo, files, layer("agents: {x: {description: d}}"))
    assert (skills(found), docs(found)) == ([["a"], []], [[("AGENTS.md", 1)], []])


@pytest.mark.parametrize("exact", [True, False])
def test_estimates_are_told(repo: Repo, monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    monkeypatch.setattr(tokens, "problem", lambda: "" if exact else "the table is gone")
    with tree_of(repo, {"AGENTS.md": "hello world\n"}) as tree:
        found = read_guides(tree, make_plan(Levels(()), tree)[0], count=tokens.count)
    text = "Token counts are estimates, a quarter of the characters: the table is gone. Install the package again."
    assert list(found.guides.notices) == ([] if exact else [Notice(NoticeKind.TOKENS_ESTIMATED, text)])
    assert found.guides.docs[0].tokens == 3
