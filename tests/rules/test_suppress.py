"""RU-2: a suppression comment counts only where it names its rule and stands unchanged at the base."""

import pytest

from kodus_check.model import ChangedFile, FileKind, FileStatus, LineSet, RepoPath
from kodus_check.rules.scan import scan, silenced
from kodus_check.rules.suppress import Suppressions, find, mask, names_rule, unmask_text, with_honoured
from tests.repo import Repo, path
from tests.rules.rig import OK, load, rule, tree_of

NAMED = "// ast-grep-ignore: ok"
CALL = "parseFloat(a);"


def changed(*added: int) -> ChangedFile:
    return ChangedFile(path("a.ts"), FileStatus.MODIFIED, FileKind.FILE, added=LineSet.of(added))


COMMENTS = [
    # head, base (None: the file is new), added lines of head, honoured, reported as added
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", f"{NAMED}\n", (), (2,), (), id="named and at the base"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", f"{NAMED}\n", (2,), (), (2,), id="on an added line"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", f"{NAMED}!\n", (), (), (), id="another text at the base"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", f" {NAMED}\n", (), (), (), id="another indent at the base"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", None, (1, 2, 3), (), (2,), id="new file"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", None, (), (), (), id="no such file at the base"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n", "", (), (), (), id="empty at the base"),
    pytest.param(f"x;\n{NAMED}\n{CALL}\n{NAMED}\n", f"{NAMED}\n", (4,), (2,), (4,), id="a second one is added"),
    pytest.param(f"x;\n{NAMED}\r\n{CALL}\r\n", f"{NAMED}\r\n", (), (2,), (), id="CRLF"),
    pytest.param(f"x;\n{NAMED}\r\n{CALL}\r\n", f"{NAMED}\n", (), (), (), id="CRLF in head alone"),
    pytest.param(f"x;\n{CALL} {NAMED}\n", f"{CALL} {NAMED}\n", (), (2,), (), id="on the line of the code"),
    pytest.param(f"x;\nq; {NAMED}\n", f"{CALL} {NAMED}\n", (2,), (), (2,), id="the code before it changed"),
    pytest.param("x;\n// ast-grep-ignore\ny;\n", "// ast-grep-ignore\n", (), (), (), id="without a name"),
    pytest.param("x;\n// ast-grep-ignore:\ny;\n", "// ast-grep-ignore:\n", (), (), (), id="colon without a name"),
    pytest.param("x;\n/* ast-grep-ignore: */\ny;\n", "/* ast-grep-ignore: */\n", (), (), (), id="block without a name"),
    pytest.param("x\n<!-- ast-grep-ignore: -->\ny;\n", "<!-- ast-grep-ignore: -->\n", (), (), (), id="HTML without a name"),
    pytest.param("x;\n// ast-grep-ignore because: x\n", "// ast-grep-ignore because: x\n", (), (), (), id="reason, no name"),
    pytest.param("x;\n// ast-grep-ignore\ny;\n", "", (2,), (), (2,), id="without a name, added"),
    pytest.param("x;\n# ast-grep-ignore:ok\n", "# ast-grep-ignore:ok\n", (), (2,), (), id="no space"),
    pytest.param(
        "x;\n# ast-grep-ignore : a, b\n", "# ast-grep-ignore : a, b\n", (), (2,), (), id="space before the colon, two names"
    ),
    pytest.param(f"x;\ny;\n{CALL}\n", f"{NAMED}\n", (2,), (), (), id="no comment"),
    pytest.param(f"{NAMED}\n{CALL}\n", f"{NAMED}\n{CALL}\n", (), (1,), (), id="first line"),
    pytest.param(f"{NAMED}\n\n{CALL}\n", f"{NAMED}\n\nx;\n", (), (1,), (), id="for the whole file, as at the base"),
    pytest.param(f"{NAMED}\n\n{CALL}\n", f"{NAMED}\n{CALL}\n", (2,), (), (1,), id="made to speak for the whole file"),
    pytest.param(f"{NAMED}\n\n{CALL}\n", f"{NAMED}\nx;\n\n{CALL}\n", (), (), (1,), id="the same by removing a line"),
    pytest.param(f"{NAMED}\n\n{CALL}\n", f"x;\n{NAMED}\n\n{CALL}\n", (), (), (1,), id="the same by removing what was before it"),
    pytest.param(f"{NAMED}\n \t\r\n{CALL}\n", f"{NAMED}\n{CALL}\n", (2,), (), (1,), id="the same with white space"),
    pytest.param("// ast-grep-ignore\n\nx;\n", "// ast-grep-ignore\n\n", (), (), (), id="for the whole file without a name"),
]


@pytest.mark.parametrize(("head", "base", "added", "honoured", "reported"), COMMENTS)
def test_which_comments_count(
    head: str, base: str | None, added: tuple[int, ...], honoured: tuple[int, ...], reported: tuple[int, ...]
) -> None:
    found = find(changed(*added), head.encode(), base.encode() if base is not None else None)
    assert found == Suppressions(honoured, reported)


def kept(head: str, honoured: tuple[int, ...], *rules: str, utils: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    """(rule, line) of each match that is left where these comments are honoured."""
    with load(*(rules or (OK, rule("b"))), utils=utils) as loaded, tree_of({"a.ts": head, "other.ts": CALL}) as tree:
        result = scan(loaded, tree)
        everything = result.matches[path("a.ts")]
        gone = silenced(loaded, tree, result, {path("a.ts"): honoured})
        assert set(gone) <= {path("a.ts")}
        assert all(gone.values())
        return [(one.rule_id, one.start_line) for one in everything if one not in gone.get(path("a.ts"), [])]


@pytest.mark.parametrize(
    ("head", "honoured", "left"),
    [
        pytest.param(f"{NAMED}\n{CALL}\n{CALL}\n", (1,), [("b", 2), ("b", 3), ("ok", 3)], id="next line"),
        pytest.param(f"{CALL}\n{CALL} {NAMED}\n", (2,), [("b", 1), ("ok", 1), ("b", 2)], id="same line"),
        pytest.param(f"{NAMED}\n\nx;\n{CALL}\n{CALL}\n", (1,), [("b", 4), ("b", 5)], id="whole file"),
        pytest.param(f"x;\n{NAMED}\n\n{CALL}\n", (2,), [("b", 4), ("ok", 4)], id="followed by an empty line, but not first"),
        pytest.param(f"/* ast-grep-ignore: ok */\n{CALL}\n", (1,), [("b", 2)], id="block"),
        pytest.param(f"// ast-grep-ignore: b, ok\n{CALL}\n", (1,), [], id="two names"),
        pytest.param(f"// ast-grep-ignore: other\n{CALL}\n", (1,), [("b", 2), ("ok", 2)], id="another rule's name"),
        pytest.param(f"// ast-grep-ignore: o\n{CALL}\n", (1,), [("b", 2), ("ok", 2)], id="part of a name"),
        pytest.param(f"{NAMED}\nparseFloat(\n  a);\n", (1,), [("b", 2)], id="a match of several lines"),
        pytest.param(f"parseFloat(parseFloat(a)) {NAMED}\n", (1,), [("b", 1), ("b", 1)], id="nested matches"),
        pytest.param(f"{NAMED}\n{CALL}\n{NAMED}\n{CALL}\n", (3,), [("b", 2), ("ok", 2), ("b", 4)], id="one of two"),
        pytest.param(f"{NAMED}\n{CALL}\n{NAMED}\n{CALL}\n", (1, 3), [("b", 2), ("b", 4)], id="both"),
        pytest.param(f"// ast-grep-ignore\n{CALL}\n", (1,), [("b", 2), ("ok", 2)], id="without a name"),
        pytest.param(f"{CALL} /* ast-grep-ignore */ {NAMED}\n", (1,), [("b", 1)], id="one with and one without a name"),
        pytest.param(
            f"{CALL} /* ast-grep-ignore: x */ // ast-grep-ignore\n", (1,), [("b", 1), ("ok", 1)], id="the same for another"
        ),
        pytest.param(f"/* ast-grep-ignore: b,\n ok */\n{CALL}\n", (1,), [("ok", 3)], id="a name on a line that does not count"),
        pytest.param(f'q("ast-grep-ignore: ok");\n{CALL}\n', (1,), [("b", 2), ("ok", 2)], id="in a string"),
        pytest.param(f"é {NAMED}\n\xff\n{CALL} {NAMED}\n", (3,), [("b", 3)], id="beside other characters"),
    ],
)
def test_what_an_honoured_comment_silences(head: str, honoured: tuple[int, ...], left: list[tuple[str, int]]) -> None:
    """Only the matches that ast-grep itself silences by it, of rules that it names."""
    assert kept(head, honoured) == left


def test_a_rule_that_looks_for_the_comment_is_not_silenced_by_it() -> None:
    comments = rule("comments", "rule: {kind: comment}")
    assert kept(f"{NAMED}\n{CALL}\n", (1,), OK, comments, rule("no", "rule: {kind: comment, regex: ast-grep-ignore}")) == [
        ("comments", 1),
        ("no", 1),
    ]


def test_a_file_that_cannot_be_scanned_again_keeps_its_matches() -> None:
    with load(OK) as rules, tree_of({"a.ts": f"{NAMED}\n{CALL}\n", "b.ts": f"{NAMED}\n{CALL}\n"}) as tree:
        result = scan(rules, tree)
        honoured: dict[RepoPath, tuple[int, ...]] = {path("a.ts"): (1,), path("b.ts"): (1,)}
        assert set(silenced(rules, tree, result, honoured)) == set(honoured)
        tree.rewrite(path("a.ts"), b"")
        assert set(silenced(rules, tree, result, honoured)) == {path("b.ts")}
        assert len(result.matches[path("a.ts")]) == 1


def test_from_a_real_change(repo: Repo) -> None:
    """One comment of the base, one that the change adds, one that it moves: lines as git numbers them."""
    base = repo.commit({"a.ts": f"one;\n{NAMED}\n{CALL}\ntwo;\nthree;\nfour;\nfive;\n{NAMED} moved\nsix;\n"})
    head_text = f"zero;\none;\n{NAMED}\n{CALL}\n{NAMED} moved\ntwo;\nthree;\nfour;\nfive;\nsix;\n{NAMED}\n{CALL}\n"
    head = repo.commit({"a.ts": head_text})
    file = repo.changed(base, head)["a.ts"]
    found = find(file, head_text.encode(), repo.git("show", f"{base}:a.ts"))
    assert found == Suppressions(honoured=(3,), added=(5, 11))
    assert kept(head_text, found.honoured) == [("b", 4), ("b", 12), ("ok", 12)]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("// ast-grep-ignore: ok", True),
        ("// ast-grep-ignore: a,ok,b", True),
        ("/*ast-grep-ignore:ok*/", True),
        ("// ast-grep-ignore: okay", False),
        ("// ast-grep-ignore: not-ok", False),
        ("// ast-grep-ignore: ok-not", False),
        ("ok; // ast-grep-ignore: a", False),
        ("// ast-grep-ignore ok", False),
    ],
)
def test_names_rule(line: str, named: bool) -> None:
    assert names_rule(f"x\n{line}\nast-grep-ignore: ok".encode(), (2,), "ok") is named


@pytest.mark.parametrize(
    ("data", "masked"),
    [
        (b"// ast-grep-ignore: ok", b"// ast-grep_ignore: ok"),
        (b"ast-grep-ignoreast-grep-ignore", b"ast-grep_ignoreast-grep_ignore"),
        (b"ast-grep-ignor AST-GREP-IGNORE ast_grep-ignore", b"ast-grep-ignor AST-GREP-IGNORE ast_grep-ignore"),
        (b"\xff ast-grep-ignore \xfe", b"\xff ast-grep_ignore \xfe"),
        (b"", b""),
    ],
)
def test_mask(data: bytes, masked: bytes) -> None:
    assert mask(data) == masked


def test_unmask_text() -> None:
    assert unmask_text("see `ast-grep_ignore`, ast-grep_ignored") == "see `ast-grep-ignore`, ast-grep-ignored"


def test_only_named_comments_of_honoured_lines_get_their_meaning_back() -> None:
    masked = b"// ast-grep_ignore: a\n// ast-grep_ignore\n/* ast-grep_ignore */ // ast-grep_ignore : b\n// ast-grep_ignore: c"
    assert with_honoured(masked, (1, 2, 3)) == (
        b"// ast-grep-ignore: a\n// ast-grep_ignore\n/* ast-grep_ignore */ // ast-grep-ignore : b\n// ast-grep_ignore: c"
    )
    assert with_honoured(masked, ()) == masked
