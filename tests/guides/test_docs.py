# ruff: noqa: E501 - tables read better with a case on a line
"""Docs of real trees: what can be read of them, and why not."""

import pytest

from kodus_check.guides.docs import read_docs
from kodus_check.guides.find import find_guides
from kodus_check.model import Notice, NoticeKind
from tests.guides.rig import quick, tree_of
from tests.repo import Content, Repo


@pytest.mark.parametrize(
    ("content", "reason", "lines", "tokens"),
    [
        ("A rule.\n", "", 1, 2),
        ("A rule.\n\nAnother", "", 3, 4),
        ("\ufeffA rule.\r\n", "", 1, 2),
        ("x" * 1_048_576, "", 1, 262_144),
        ("", "empty", 0, None),
        (" \n\t\n", "empty", 0, None),
        (b"\xef\xbb\xbf\r\n", "empty", 0, None),
        (b"a\n\xffb", "line 2: not UTF-8 (byte 2)", 0, None),
        (b"\xff\xfea\x00", "line 1: not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8", 0, None),
        (b"a\x00b", "not text: it holds NUL", 0, None),
        (b"version https://git-lfs.github.com/spec/v1\noid x\n", "a Git LFS pointer, and what it points to is not in the repository", 0, None),
        (b"x" * 1_048_577, "1,048,577 bytes; a guide may have 1,048,576", 0, None),
    ],
)  # fmt: skip
def test_what_can_be_read(repo: Repo, content: Content, reason: str, lines: int, tokens: int | None) -> None:
    with tree_of(repo, {"AGENTS.md": content, "docs/other.md": "x"}) as tree:
        (doc, other), notices = read_docs(tree, find_guides(tree).docs, count=quick)
    assert (doc.reason, doc.valid, doc.lines, doc.tokens) == (reason, not reason, lines, tokens)
    assert (doc.oid is not None, other.valid, notices) == (True, True, [])


def test_links_and_submodules_are_no_docs(repo: Repo) -> None:
    with tree_of(repo, {"AGENTS.md": "x"}, {"CLAUDE.md": "AGENTS.md"}, ("CONTRIBUTING.md",)) as tree:
        docs, _ = read_docs(tree, find_guides(tree).docs, count=quick)
    assert [(one.path, one.reason, one.oid is None) for one in docs] == [
        ("CONTRIBUTING.md", "a submodule, and those are not followed; link the file itself", True),
        ("AGENTS.md", "", False),
        ("CLAUDE.md", "a symlink, and those are not followed; link the file itself", True),
    ]


@pytest.mark.parametrize(("char", "hidden"), [("\u202e", True), ("\x1b", True), ("\u200b", True), ("\u200d", False), ("\t", False)])
def test_hidden_text_is_told(repo: Repo, char: str, hidden: bool) -> None:
    with tree_of(repo, {"AGENTS.md": f"a{char}b\n"}) as tree:
        (doc,), notices = read_docs(tree, find_guides(tree).docs, count=quick)
    message = "It holds characters that nobody sees (control, zero-width or bidi). They cannot be cited; look at what they hide."
    assert (doc.valid, notices) == (True, [Notice(NoticeKind.GUIDE_HIDDEN_TEXT, message, "AGENTS.md")] if hidden else [])
