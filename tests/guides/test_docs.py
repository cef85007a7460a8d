# ruff: noqa: E501 - tables read better with a case on a line
"""Docs of real trees: which are followed by default or proposed, and which cannot be read; what of them fits a budget."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.budget import MAX_DOC_TOKENS, budget_notices, fit, shown_lines
from kodus_check.guides.docs import read_docs
from kodus_check.guides.find import doc_at, find_guides
from kodus_check.model import Budget, Doc, NoticeKind
from tests.guides.rig import quick, tree_of
from tests.repo import Content, Repo, path


def test_which_docs_are_followed_and_which_are_proposed(repo: Repo) -> None:
    names = [
        "CONTRIBUTING.md", ".github/ARCHITECTURE.md", "docs/Styleguide.md", "CONVENTIONS.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md",
        "pkg/AGENTS.md", ".github/copilot-instructions.md", ".cursor/rules/a.mdc", "pkg/.cursor/rules/b.md", "docs/deep/x.md",
        "docs/x.rst", "README.md", "pkg/CONTRIBUTING.md", "node_modules/p/AGENTS.md",
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
        ("pkg/.cursor/rules/b.md", "pkg", True, True),
        ("docs/deep/x.md", "", False, False),
    ]


def test_thirty_docs_are_proposed_at_most(repo: Repo) -> None:
    with tree_of(repo, {f"docs/{number:02}.md": "x" for number in range(40)}) as tree:
        found = find_guides(tree).docs
    assert [str(one.entry.path) for one in found] == [f"docs/{number:02}.md" for number in range(30)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("A rule.\n", ""),
        ("\ufeffA rule.\r\n", ""),
        ("", "empty"),
        (" \n\t\n", "empty"),
        (b"a\xffb", "not UTF-8 (byte 1)"),
        (b"\xff\xfea\x00", "UTF-16"),
        (b"a\x00b", "NUL"),
        (b"version https://git-lfs.github.com/spec/v1\noid x\n", "LFS"),
        (b"x" * 1_048_577, "1,048,577 bytes"),
    ],
)
def test_what_can_be_read(repo: Repo, content: Content, reason: str) -> None:
    with tree_of(repo, {"AGENTS.md": content}) as tree:
        (doc,), _ = read_docs(tree, find_guides(tree).docs, count=quick)
    assert (reason in doc.reason, doc.valid) == (True, not reason)


def test_links_and_submodules_are_no_docs(repo: Repo) -> None:
    with tree_of(repo, {"AGENTS.md": "x"}, {"CLAUDE.md": "AGENTS.md"}, ("CONTRIBUTING.md",)) as tree:
        docs, _ = read_docs(tree, find_guides(tree).docs, count=quick)
        assert doc_at(tree, path("gone.md")) is None
    assert [(one.path, one.reason.split(",")[0]) for one in docs] == [
        ("CONTRIBUTING.md", "a submodule"),
        ("AGENTS.md", ""),
        ("CLAUDE.md", "a symlink"),
    ]


def doc(text: str, name: str = "d.md") -> Doc:
    return Doc(name, data=text.encode(), lines=text.count("\n"), tokens=quick(text))


def test_docs_are_loaded_whole_while_they_fit_then_cut_behind_a_block() -> None:
    block = f"{'word ' * 79}end.\n\n"
    loaded = fit([doc(block * 3, "a"), doc(block * 3, "b"), doc(block, "c")], limit=quick(block) * 5, count=quick)
    assert [(one.doc.path, one.lines, one.whole, one.left_out) for one in loaded] == [
        ("a", 6, True, False),
        ("b", 3, False, False),
        ("c", 0, False, True),
    ]
    assert sum(one.tokens for one in loaded) <= quick(block) * 5


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        ("- a\n- b\n- c\n", 2),
        ("| a |\n|---|\n| b |\n", 2),
        ("```\na\n\nb\n```\n", 2),
        ("## Heading\n\nText that is too long.\n", 2),
    ],
)
def test_no_list_table_or_code_is_cut_and_no_heading_dangles(last: str, kept: int) -> None:
    first = f"{'word ' * 60}\n\n"
    text = first + last.replace("a", "a" * 100).replace("b", "b" * 100)
    (loaded,) = fit([doc(text)], limit=quick(first) + 8, count=quick)
    assert shown_lines(loaded) == first.split("\n")[:kept][: loaded.lines]
    assert loaded.lines in (1, 2)


def test_ten_docs() -> None:
    loaded = fit([doc("A rule.\n", str(number)) for number in range(12)], count=quick)
    assert [one.doc.path for one in loaded if one.left_out] == ["10", "11"]
    budget = Budget("main_review", "", 22, 20, loaded, 10, MAX_DOC_TOKENS)
    kinds = {one.kind: one.message for one in budget_notices(budget, asked=True)}
    assert set(kinds) == {NoticeKind.GUIDE_LEFT_OUT, NoticeKind.SKILLS_OVER_LIMIT}
    assert "2 linked docs did not fit: `10` (2 tokens), `11` (2 tokens)" in kinds[NoticeKind.GUIDE_LEFT_OUT]
    assert "links 22 skills; only the first 20" in kinds[NoticeKind.SKILLS_OVER_LIMIT]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["- a", "# b", "text " * 30, "", "```", "| a |\n|---|\n| b |"]), max_size=12), max_size=5),
    st.integers(0, 400),
)
def test_what_is_loaded_is_a_beginning_and_within_the_budget(texts: list[list[str]], limit: int) -> None:
    docs = [doc("\n".join(lines) + "\n", str(number)) for number, lines in enumerate(texts)]
    loaded = fit(docs, limit=limit, count=quick)
    assert [one.doc for one in loaded] == docs
    assert sum(one.tokens for one in loaded) <= limit
    for one in loaded:
        lines = one.doc.data.decode().split("\n")
        assert shown_lines(one) == lines[: one.lines]
        assert one.whole or quick("\n".join(lines[: one.lines]) + "\n") == one.tokens or one.left_out
