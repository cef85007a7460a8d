# ruff: noqa: E501 - tables read better with a case on a line
"""Skills of real trees: which are valid and why one is not, and which of several with one name counts."""

import itertools
from dataclasses import replace

import pytest

from kodus_check.guides.find import EXPLICIT, find_guides
from kodus_check.guides.skills import builtin_skill, judge, read_skills, settle, summary
from kodus_check.model import Invocation, Notice, NoticeKind, Skill
from tests.guides.rig import quick, skill, skills_of, tree_of
from tests.repo import Content, Repo

CHARS = "it may hold lower-case letters, digits and single hyphens"


def judged(data: bytes | str, folder: str = "a", sidecar: bytes | None = None) -> tuple[Skill, list[Notice]]:
    raw = data.encode() if isinstance(data, str) else data
    return judge(Skill(f"s/{folder}/SKILL.md", data=raw), folder, sidecar, "", quick)


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        (skill("a"), "a"),
        (skill("a-1-b"), "a-1-b"),
        (skill("a" * 64), "a" * 64),
        # as text, whatever YAML makes of it
        *((skill(name), name) for name in ("true", "yes", "on", "123", "012", "0x1f", "2026-01-01", "1e3")),
        ("---\nname: 'a'\ndescription: b\n---\n", "a"),
        ("---\nname: \"null\"\ndescription: b\n---\n", "null"),
        ("---\nname: a\ndescription: null and void\n---\n", "a"),
        ("\ufeff" + skill("a"), "a"),
        (skill("a").replace("\n", "\r\n"), "a"),
        (skill("a", body="---\nmore\n---"), "a"),
        (skill("any-name"), ""),  # an agent file
        (skill("a", head="license: MIT\ncompatibility: x\nmodel: opus\ntools: [Bash]\nhooks: {a: b}\n"), "a"),
        (skill("a", head="# disable-model-invocation: true\n"), "a"),
    ],
)  # fmt: skip
def test_what_is_a_valid_skill(data: str, folder: str) -> None:
    found, notices = judged(data, folder)
    assert (found.valid, found.reason, found.name, found.id, notices) == (True, "", folder or "any-name", folder or "any-name", [])
    assert (found.invocation, found.triggers, found.paths, found.order) == (Invocation(), (), (), 0)


@pytest.mark.parametrize(
    ("data", "folder", "reason", "line"),
    [
        (skill("b"), "a", "`name` is `b`, but the folder is `a`; they must be equal", 2),
        (skill("A"), "A", f"`name` is `A`; {CHARS}", 2),
        (skill("a_b"), "a_b", f"`name` is `a_b`; {CHARS}", 2),
        (skill("a b"), "a b", f"`name` is `a b`; {CHARS}", 2),
        (skill("a.b"), "a.b", f"`name` is `a.b`; {CHARS}", 2),
        (skill("-a"), "-a", f"`name` is `-a`; {CHARS}", 2),
        (skill("a-"), "a-", f"`name` is `a-`; {CHARS}", 2),
        (skill("a--b"), "a--b", f"`name` is `a--b`; {CHARS}", 2),
        (skill("\u6280\u80fd"), "\u6280\u80fd", f"`name` is `\u6280\u80fd`; {CHARS}", 2),
        (skill("\u0663"), "\u0663", f"`name` is `\u0663`; {CHARS}", 2),
        (skill("a/../b"), "", f"`name` is `a/../b`; {CHARS}", 2),
        ('---\nname: "a\\n"\ndescription: b\n---\n', "a", f"`name` is `a`; {CHARS}", 2),
        ('---\nname: "a\\e[1m"\ndescription: b\n---\n', "a", f"`name` is `a\\u{{1b}}[1m`; {CHARS}", 2),
        (skill("X" * 200), "a", f"`name` is `{'X' * 80}`; {CHARS}", 2),
        (skill("x" * 200), "a", "`name` has 200 characters; 64 are allowed", 2),
        (skill("a" * 65), "a" * 65, "`name` has 65 characters; 64 are allowed", 2),
        ("---\ndescription: b\n---\n", "a", "`name` is missing, or no text", 1),
        ("---\ndescription: b\nname: ~\n---\n", "a", "`name` is missing, or no text", 3),
        ("---\nname: null\ndescription: b\n---\n", "null", "`name` is missing, or no text", 2),
        ("---\nname: [a]\ndescription: b\n---\n", "a", "`name` is missing, or no text", 2),
        ("---\nname: ''\ndescription: b\n---\n", "a", f"`name` is ``; {CHARS}", 2),
        ("---\nname: a\n---\n", "a", "`description` is missing, or no text", 1),
        ("---\nname: a\ndescription:\n---\n", "a", "`description` is missing, or no text", 3),
        ("---\nname: a\ndescription: ' \t'\n---\n", "a", "`description` is missing, or no text", 3),
        ("---\nname: a\ndescription: [b]\n---\n", "a", "`description` is missing, or no text", 3),
        ("---\nname: a\ndescription: {b: c}\n---\n", "a", "`description` is missing, or no text", 3),
        ("# A title\n", "a", "no frontmatter: the file must begin with a line `---`, then `name:` and `description:`", 1),
        ("---\nname: a\nname: a\ndescription: b\n---\n", "a", "`name` stands twice", 3),
        (b"---\nname: a\ndescription: \xe9\n---\n", "a", "not UTF-8 (byte 25)", 3),
        (skill("a").encode("utf-16"), "a", "not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8", 1),
        ("---\nname: a\ndescription: b\nuser-invocable: a: b\n---\n", "a", "not YAML: mapping values are not allowed in this context", 4),
        # an example that breaks YAML in an agent file
        ("---\nname: a\ndescription: b\n<example>\nx: y: z\n</example>\n---\n", "", "not YAML: could not find expected ':'", 5),
    ],
)  # fmt: skip
def test_what_is_no_valid_skill_and_where(data: bytes | str, folder: str, reason: str, line: int) -> None:
    found, notices = judged(data, folder)
    assert (found.reason, found.line) == (reason, line)
    assert (found.valid, found.name, found.id, notices) == (False, "", "", [])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            "a Git LFS pointer, and what it points to is not in the repository",
        ),
        (b"x" * 1_048_577, "1,048,577 bytes; a guide may have 1,048,576"),
        (b"", "no frontmatter: the file must begin with a line `---`, then `name:` and `description:`"),
    ],
)
def test_what_is_not_read_costs_no_other(repo: Repo, content: bytes, reason: str) -> None:
    with tree_of(repo, {".claude/skills/a/SKILL.md": content, ".claude/skills/b/SKILL.md": skill("b")}) as tree:
        found, notices = skills_of(tree)
    assert (found[".claude/skills/a/SKILL.md"].reason, found[".claude/skills/b/SKILL.md"].valid, notices) == (reason, True, [])


def test_a_mebibyte_is_still_read(repo: Repo) -> None:
    text = skill("a", body="x" * (1_048_576 - len(skill("a", body=""))))
    with tree_of(repo, {".claude/skills/a/SKILL.md": text}) as tree:
        found = skills_of(tree)[0][".claude/skills/a/SKILL.md"]
    assert (len(found.data), found.valid) == (1_048_576, True)


@pytest.mark.parametrize(
    ("written", "description", "listed"),
    [
        ("  one  ", "one", "one"),
        (">\n  one\n  two", "one two", "one two"),
        (">-\n  one\n\n  two", "one\ntwo", "one two"),
        ("|\n  one\n    two", "one\n  two", "one two"),
        ("one\n  two", "one two", "one two"),
        ("'it''s'", "it's", "it's"),
        ('"a\\tb"', "a\tb", "a b"),
        ("x --- y", "x --- y", "x --- y"),
        ("1.0", "1.0", "1.0"),
    ],
)
def test_descriptions(written: str, description: str, listed: str) -> None:
    found, _ = judged(f"---\nname: a\ndescription: {written}\n---\n")
    assert (found.description, summary(found)) == (description, listed)


@pytest.mark.parametrize(
    ("head", "triggers", "paths", "order"),
    [
        ("metadata: {triggers: 'db, schema'}\n", ("db", "schema"), (), 0),
        ("metadata: {triggers: [db, '', ' x ']}\n", ("db", "x"), (), 0),
        ("metadata: {triggers: {a: b}}\n", (), (), 0),
        ("triggers: [db]\norder: 3\n", (), (), 0),  # extensions live under metadata
        ("paths: a/**, b/**\n", (), ("a/**", "b/**"), 0),
        ("metadata: {paths: [c]}\n", (), ("c",), 0),
        ("paths: [a]\nmetadata: {paths: [c]}\n", (), ("a",), 0),
        ("metadata: {order: -2}\n", (), (), -2),
        ("metadata: {order: two}\n", (), (), 0),
        ("metadata: {order: 9999999999}\n", (), (), 0),
        ("metadata: [a]\n", (), (), 0),
        ("metadata: text\n", (), (), 0),
    ],
)
def test_what_metadata_says(head: str, triggers: tuple[str, ...], paths: tuple[str, ...], order: int) -> None:
    found, _ = judged(skill("a", head=head))
    assert (found.valid, found.triggers, found.paths, found.order) == (True, triggers, paths, order)


def test_what_a_skill_says_of_itself(repo: Repo) -> None:
    head = "paths: ['*.sql']\nmetadata:\n  triggers: [db, schema]\n  order: 3\nallowed-tools: Bash(*)\n"
    text = skill("a", head=head, body="one\ntwo")
    with tree_of(repo, {".claude/skills/a/SKILL.md": text}) as tree:
        found = skills_of(tree)[0][".claude/skills/a/SKILL.md"]
    assert (found.description, found.paths, found.triggers, found.order) == ("About a.", ("*.sql",), ("db", "schema"), 3)
    assert found.data[found.body :] == b"one\ntwo\n"
    assert (found.lines, found.tokens, found.invocation) == (text.count("\n"), quick(text), Invocation())


ROOTS = (
    ".agents/skills/a/SKILL.md",
    ".claude/skills/a/SKILL.md",
    ".github/skills/a/SKILL.md",
    ".claude/agents/z.md",
    ".ax-code/skill/a/SKILL.md",
)
"""In the order in which they count."""


@pytest.mark.parametrize("names", list(itertools.combinations(ROOTS, 2)))
def test_of_several_with_one_name_the_first_root_counts(repo: Repo, names: tuple[str, str]) -> None:
    first, second = names
    with tree_of(repo, {name: skill("a", body=name) for name in names}) as tree:
        found, notices = skills_of(tree)
    assert (found[first].twin_of, found[first].id) == ("", "a")
    assert (found[second].twin_of, found[second].id) == (first, second)
    assert notices == [
        Notice(
            NoticeKind.SKILL_SHADOWED,
            f"`{second}` is not used: `{first}` has the same name `a` and comes first. Rename one of them, or link the one you mean by its path.",
            second,
        )
    ]


@pytest.mark.parametrize("explicit", ROOTS)
def test_one_that_is_linked_by_its_path_comes_first(repo: Repo, explicit: str) -> None:
    with tree_of(repo, {name: skill("a", body=name) for name in ROOTS}) as tree:
        found = find_guides(tree).skills
        skills, _ = read_skills(tree, found, count=quick)
    settled, notices = settle(skills, {**{one.shown: one.rank for one in found}, explicit: EXPLICIT})
    assert {one.path: one.twin_of for one in settled} == {name: "" if name == explicit else explicit for name in ROOTS}
    assert sorted(one.subject for one in notices) == sorted(set(ROOTS) - {explicit})


MANUAL, SHUT = "disable-model-invocation: true\n", "user-invocable: no\n"


@pytest.mark.parametrize(
    ("first", "second", "twin", "kinds"),
    [
        pytest.param(skill("a"), skill("a"), True, [], id="copies collapse silently"),
        pytest.param(skill("a"), skill("a", body="b"), True, [NoticeKind.SKILL_SHADOWED], id="different ones give a notice"),
        pytest.param(skill("b"), skill("a"), False, [], id="an invalid one is passed over"),
        pytest.param(b"\xff", skill("a"), False, [], id="one that is no text as well"),
        pytest.param(skill("a", head=MANUAL), skill("a"), True, [NoticeKind.SKILL_SHADOWED], id="a manual-only one keeps its name"),
        pytest.param(
            skill("a", head=SHUT),
            skill("a"),
            True,
            [NoticeKind.SKILL_CONTROL_UNCLEAR, NoticeKind.SKILL_SHADOWED],
            id="as does one that nobody may load",
        ),
    ],
)
def test_twins(repo: Repo, first: Content, second: Content, twin: bool, kinds: list[NoticeKind]) -> None:
    with tree_of(repo, {".agents/skills/a/SKILL.md": first, ".claude/skills/a/SKILL.md": second}) as tree:
        found, said = skills_of(tree)
    one = found[".claude/skills/a/SKILL.md"]
    assert (one.twin_of, one.id) == ((".agents/skills/a/SKILL.md", one.path) if twin else ("", "a"))
    assert [one.kind for one in said] == kinds


def test_copies_that_differ_in_their_sidecar_are_no_copies(repo: Repo) -> None:
    off = "policy: {allow_implicit_invocation: false}\n"
    files: dict[str, Content] = {f".{root}/skills/a/SKILL.md": skill("a") for root in ("agents", "claude")}
    with tree_of(repo, {**files, ".claude/skills/a/agents/openai.yaml": off}) as tree:
        found, notices = skills_of(tree)
        assert [(one.kind, one.subject) for one in notices] == [(NoticeKind.SKILL_SHADOWED, ".claude/skills/a/SKILL.md")]
        assert [found[name].invocation.model for name in files] == [True, False]
    with tree_of(repo, {f".{root}/skills/a/agents/openai.yaml": off for root in ("agents", "claude")}) as tree:
        found, notices = skills_of(tree)
    assert ([found[name].invocation.model for name in files], notices) == ([False, False], [])


def test_equal_names_in_two_folders_are_two_skills(repo: Repo) -> None:
    files: dict[str, Content] = {f"{folder}.claude/skills/a/SKILL.md": skill("a", body=folder) for folder in ("", "x/", "y/")}
    with tree_of(repo, files) as tree:
        found, notices = skills_of(tree)
    assert ([one.id for one in found.values()], notices) == (["a", "x/a", "y/a"], [])


def test_a_name_that_only_one_folder_has_is_its_id(repo: Repo) -> None:
    files: dict[str, Content] = {
        "x/.agents/skills/a/SKILL.md": skill("a"),
        "x/.claude/skills/a/SKILL.md": skill("a"),
        "y/.claude/skills/b/SKILL.md": skill("b"),
    }
    with tree_of(repo, files) as tree:
        found, _ = skills_of(tree)
    assert [one.id for one in found.values()] == ["a", "x/.claude/skills/a/SKILL.md", "b"]


def test_ids_stay_apart_whatever_comes_first() -> None:
    skills = [Skill(f"{scope}/s", "a", "a", scope=scope) for scope in ("x", "y")]
    ranks = {one.path: 0 for one in skills}
    for listed in (skills, skills[::-1]):
        assert [one.id for one in settle(listed, ranks)[0]] == ["x/a", "y/a"]
    lone = replace(skills[0], reason="broken")
    assert [one.id for one in settle([lone, skills[1]], ranks)[0]] == ["a", "a"]


UNSEEN = "It holds characters that nobody sees (control, zero-width or bidi). They cannot be cited; look at what they hide."


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        (
            skill("a", head="hint: a: b\n"),
            NoticeKind.GUIDE_REMARK,
            "`hint` is not YAML as it stands (an unquoted colon or mark); it was read as text. Put it in quotes.",
            "s/a/SKILL.md:4",
        ),
        (
            f"---\ndescription: {'x' * 1025}\nname: a\n---\n",
            NoticeKind.GUIDE_REMARK,
            "`description` has 1,025 characters; more than 1,024 are cut where it is listed.",
            "s/a/SKILL.md:2",
        ),
        (
            "---\nname: a\ndescription: use C# and #tags\n---\n",
            NoticeKind.GUIDE_REMARK,
            "What follows ` #` in `description` is a comment to YAML and is not read. Put the value in quotes.",
            "s/a/SKILL.md:3",
        ),
        (
            "---\n# a\r# b\u2028# c\nname: a\ndescription: use #tags\n---\n",
            NoticeKind.GUIDE_REMARK,
            "What follows ` #` in `description` is a comment to YAML and is not read. Put the value in quotes.",
            "s/a/SKILL.md:4",
        ),
        *((skill("a", body=f"a{char}b"), NoticeKind.GUIDE_HIDDEN_TEXT, UNSEEN, "s/a/SKILL.md") for char in "\x1b\x00\u200b\u202e\u2066\U000e0041"),
        ('---\nname: a\ndescription: "a\\u202Eb"\n---\n', NoticeKind.GUIDE_HIDDEN_TEXT, UNSEEN, "s/a/SKILL.md"),
        (
            skill("a", head="user_invocable: false\n"),
            NoticeKind.SKILL_CONTROL_UNCLEAR,
            "`user_invocable` must be written `user-invocable`; so nobody may load it.",
            "s/a/SKILL.md",
        ),
    ],
)  # fmt: skip
def test_remarks(text: str, kind: NoticeKind, message: str, place: str) -> None:
    found, notices = judged(text)
    assert (found.valid, notices) == (True, [Notice(kind, message, place)])


@pytest.mark.parametrize(
    "text",
    [
        f"---\nname: a\ndescription: {'x' * 1024}\n---\n",
        "---\nname: a\ndescription: 'use #tags'\n---\n",
        "---\nname: a\ndescription: use C# well\n---\n",
        "---\nname: a # the folder\ndescription: b\n---\n",
        skill("a", body="<!-- a comment -->\n\tx\r\n"),
        skill("a", body="a family \U0001f468\u200d\U0001f469\u200d\U0001f467"),
        "\ufeff" + skill("a"),
        "---\n#a\r#b\r#c\rname: a\rdescription: b\n---\n",
    ],
)
def test_nothing_to_remark(text: str) -> None:
    found, notices = judged(text)
    assert (found.valid, notices) == (True, [])


def test_a_wrong_name_beside_is_remarked(repo: Repo) -> None:
    with tree_of(repo, {".claude/skills/b/SKILL.md": skill("b"), ".claude/skills/b/skill.md": "x"}) as tree:
        (notice,) = skills_of(tree)[1]
    assert notice == Notice(
        NoticeKind.GUIDE_REMARK,
        "`skill.md` lies beside SKILL.md and is not read. Remove or rename it.",
        ".claude/skills/b/SKILL.md",
    )


def test_no_such_skill_ships() -> None:
    with pytest.raises(KeyError):
        builtin_skill("../secrets")
