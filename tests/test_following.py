# ruff: noqa: E501 - configurations read better on a line
"""Who follows which guide: names of a config looked up at the base, controls obeyed, budgets kept, and nothing that stops the rest."""

import pytest

from kodus_check.config.levels import Layer, Levels
from kodus_check.config.load import parse_layer
from kodus_check.following import Following, read_guides
from kodus_check.model import NoticeKind
from kodus_check.plan import make_plan
from tests.guides.rig import quick, skill, tree_of
from tests.repo import Content, Repo

FILES: dict[str, Content] = {
    ".agents/skills/money/SKILL.md": skill("money"),
    ".agents/skills/by-hand/SKILL.md": skill("by-hand", head="disable-model-invocation: true\n"),
    ".agents/skills/shut/SKILL.md": skill("shut", head="user-invocable: 'no'\n"),
    ".agents/skills/off/SKILL.md": skill("off", head="user-invocable: false\ndisable-model-invocation: true\n"),
    ".claude/skills/broken/SKILL.md": "no frontmatter\n",
    ".claude/skills/money/SKILL.md": skill("money", body="Another rule."),
    "lib/.agents/skills/lib-rules/SKILL.md": skill("lib-rules"),
    "elsewhere/extra/SKILL.md": skill("extra"),
    "CONTRIBUTING.md": "Open an issue first.\n",
    "AGENTS.md": "The same text.\n",
    "CLAUDE.md": "The same text.\n",
    "lib/AGENTS.md": "Rules of lib.\n",
    "docs/ledger.md": "A reversal is a new entry.\n",
    "docs/bad.md": b"\xff\n",
    "src/x.py": "x\n",
}


def following(repo: Repo, *layers: Layer, files: dict[str, Content] | None = None) -> Following:
    with tree_of(repo, {**FILES, **(files or {})}) as tree:
        return read_guides(tree, make_plan(Levels(layers), tree)[0], count=quick)


def layer(text: str, level: str = "repository", folder: bytes = b"") -> Layer:
    return parse_layer(text.encode(), ".kodus-check.yml", level, folder)


def followed(found: Following) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    return {
        (one.reviewer.folder, one.reviewer.name): ([skill.id for skill in one.skills], [doc.doc.path for doc in one.docs])
        for one in found.followed
    }


def kinds(found: Following) -> list[tuple[NoticeKind, str]]:
    ours = (NoticeKind.GUIDE_REFUSED, NoticeKind.GUIDE_MISSING, NoticeKind.GUIDE_SHARED, NoticeKind.SKILLS_OVER_LIMIT)
    return [(one.kind, one.subject) for one in found.guides.notices if one.kind in ours]


def test_without_a_config_what_is_found_is_followed(repo: Repo) -> None:
    found = following(repo)
    assert followed(found) == {("", "main_review"): (["money", "lib-rules"], ["CONTRIBUTING.md", "AGENTS.md"])}
    by_path = found.guides.followed_by
    assert by_path["lib/AGENTS.md"] == ("main_review",)
    assert by_path["CLAUDE.md"] == ()
    assert by_path["docs/ledger.md"] == ()
    assert by_path[".claude/skills/money/SKILL.md"] == ()


def test_a_link_is_the_invocation_of_a_skill_that_only_people_may_load(repo: Repo) -> None:
    found = following(repo, layer("main_review: {skills: [.agents/skills/by-hand, elsewhere/extra], docs: []}"))
    assert followed(found) == {("", "main_review"): (["by-hand", "extra"], [])}


def test_what_is_linked_but_cannot_be_followed_is_told_and_stops_nothing(repo: Repo) -> None:
    text = (
        "main_review:\n  skills: [.agents/skills/shut, .agents/skills/off, .claude/skills/broken, .agents/skills/money]\n"
        "  docs: [docs/bad.md, docs/ledger.md]\n"
    )
    found = following(repo, layer(text))
    assert followed(found) == {("", "main_review"): (["money"], ["docs/ledger.md"])}
    assert kinds(found) == [
        (NoticeKind.GUIDE_REFUSED, ".agents/skills/shut/SKILL.md:2"),
        (NoticeKind.GUIDE_REFUSED, ".agents/skills/off/SKILL.md:2"),
        (NoticeKind.GUIDE_REFUSED, ".claude/skills/broken/SKILL.md:1"),
        (NoticeKind.GUIDE_REFUSED, "docs/bad.md"),
    ]


def test_an_explicit_path_comes_before_the_order_of_roots(repo: Repo) -> None:
    found = following(repo, layer("main_review: {skills: [.claude/skills/money]}"))
    (one,) = found.followed[0].skills
    assert (one.path, one.id) == (".claude/skills/money/SKILL.md", "money")


def test_a_guide_of_the_global_level_may_be_missing(repo: Repo) -> None:
    found = following(repo, layer("main_review: {skills: [gone/skill], docs: [gone.md, docs/ledger.md]}", "global"))
    assert followed(found) == {("", "main_review"): ([], ["docs/ledger.md"])}
    assert kinds(found) == [(NoticeKind.GUIDE_MISSING, "gone/skill"), (NoticeKind.GUIDE_MISSING, "gone.md")]


def test_a_guide_of_the_main_review_and_an_agent_is_told(repo: Repo) -> None:
    found = following(
        repo, layer("main_review: {docs: [docs/ledger.md]}\nagents: {a: {docs: [docs/ledger.md]}, b: {docs: [docs/ledger.md]}}")
    )
    (notice,) = [one for one in found.guides.notices if one.kind is NoticeKind.GUIDE_SHARED]
    assert "followed by the main review and by `a`, `b`" in notice.message
    agents_only = following(
        repo, layer("main_review: {docs: []}\nagents: {a: {docs: [docs/ledger.md]}, b: {docs: [docs/ledger.md]}}")
    )
    assert kinds(agents_only) == []


def test_folders_have_their_own_guides_and_budgets(repo: Repo) -> None:
    found = following(
        repo,
        layer("main_review: {skills: [], docs: [CONTRIBUTING.md]}"),
        layer("main_review: {docs: [docs/ledger.md]}\nagents: {lib: {skills: [builtin:safe-db-migration]}}", "directory", b"lib"),
    )
    assert followed(found) == {
        ("", "main_review"): ([], ["CONTRIBUTING.md"]),
        ("lib", "main_review"): ([], ["docs/ledger.md"]),
        ("lib", "lib"): (["builtin:safe-db-migration"], []),
    }
    assert [(one.folder, one.reviewer, one.skills_linked) for one in found.guides.budgets] == [
        ("", "main_review", 0),
        ("lib", "main_review", 0),
        ("lib", "lib", 1),
    ]


def test_defaults_in_a_configured_folder_have_the_rules_file_of_that_folder(repo: Repo) -> None:
    found = following(repo, layer("scope: changed-files"), layer("ignore: [x]", "directory", b"lib"))
    assert [one[1] for one in followed(found).values()] == [
        ["CONTRIBUTING.md", "AGENTS.md"],
        ["CONTRIBUTING.md", "AGENTS.md", "lib/AGENTS.md"],
    ]


def test_at_most_twenty_linked_skills(repo: Repo) -> None:
    names = [f"s/n{number}" for number in range(22)]
    files: dict[str, Content] = {f"{name}/SKILL.md": skill(name[2:]) for name in names}
    found = following(repo, layer(f"main_review: {{skills: [{', '.join(names)}], docs: []}}"), files=files)
    assert [one.id for one in found.followed[0].skills] == [name[2:] for name in names[:20]]
    assert kinds(found) == [(NoticeKind.SKILLS_OVER_LIMIT, "main_review")]


def test_found_without_a_config_there_may_be_more(repo: Repo) -> None:
    files: dict[str, Content] = {f".agents/skills/n{number}/SKILL.md": skill(f"n{number}") for number in range(30)}
    assert len(following(repo, files=files).followed[0].skills) == 32


@pytest.mark.parametrize("name", ["builtin:auth-boundaries", "builtin:safe-db-migration"])
def test_skills_that_ship_are_valid(repo: Repo, name: str) -> None:
    found = following(repo, layer(f"main_review: {{skills: ['{name}']}}"))
    (one,) = found.followed[0].skills
    assert (one.path, one.id, one.valid, one.lines < 200, bool(one.triggers)) == (name, name, True, True, True)
