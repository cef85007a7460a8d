# ruff: noqa: E501 - tables read better with a case on a line
"""What of a reviewer's docs fits: whole blocks from the top, never half a list, table or code, and no heading without its text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.budget import MAX_DOC_TOKENS, MAX_DOCS, MAX_SKILLS, WORTH_LOADING, budget_notices, fit, shown_lines
from kodus_check.model import Budget, Doc, LoadedDoc, Notice, NoticeKind
from tests.guides.rig import quick


def doc(text: str, name: str = "d.md") -> Doc:
    return Doc(
        name, data=text.encode(), lines=text.count("\n") + (not text.endswith("\n")), tokens=quick(text.removeprefix("\ufeff"))
    )


def loaded(*texts: str, limit: int = MAX_DOC_TOKENS) -> list[tuple[int, int]]:
    """Lines and tokens of each."""
    return [
        (one.lines, one.tokens)
        for one in fit([doc(text, str(number)) for number, text in enumerate(texts)], limit=limit, count=quick)
    ]


def test_the_limits_are_those_that_are_promised() -> None:
    assert (MAX_SKILLS, MAX_DOCS, MAX_DOC_TOKENS) == (20, 10, 20_000)


BLOCK = f"{'word ' * 79}end.\n\n"  # 400 characters, 100 tokens


@pytest.mark.parametrize(
    ("texts", "limit", "expected"),
    [
        ([BLOCK * 3, BLOCK * 2], 500, [(6, 300), (4, 200)]),
        ([BLOCK * 3, BLOCK * 2], 499, [(6, 300), (1, 100)]),
        ([BLOCK * 3, BLOCK * 3, BLOCK], 500, [(6, 300), (3, 200), (0, 0)]),
        ([BLOCK * 3, BLOCK], 120, [(1, 100), (0, 0)]),
        ([BLOCK * 3, "short\n"], 110, [(1, 100), (1, 1)]),  # one that still fits comes in
        ([BLOCK], 100, [(2, 100)]),
        ([BLOCK], 99, [(0, 0)]),
        ([BLOCK], 0, [(0, 0)]),
        ([], 10, []),
        (["x" * 400], 100, [(1, 100)]),
        (["x" * 400], 99, [(0, 0)]),
        # a beginning that says nothing is not worth loading
        (["x" * (WORTH_LOADING * 4 - 5) + "\n\n" + BLOCK], 100, [(0, 0)]),
        (["x" * (WORTH_LOADING * 4 - 1) + "\n\n" + BLOCK], 100, [(1, WORTH_LOADING)]),
    ],
)  # fmt: skip
def test_docs_are_loaded_whole_while_they_fit_then_cut_behind_a_block(
    texts: list[str], limit: int, expected: list[tuple[int, int]]
) -> None:
    assert loaded(*texts, limit=limit) == expected


LONG = "x" * 200  # 50 tokens
A_LIST = "".join(f"- {LONG}\n" for _ in range(4))


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        pytest.param(A_LIST, 1, id="list"),
        pytest.param(A_LIST.replace("\n", "\n\n"), 1, id="loose list"),
        pytest.param(A_LIST.replace("- ", "1. "), 1, id="numbered list"),
        pytest.param(f"- a\n\n  {LONG}\n\n  {LONG}\n\n  - {LONG}\n  - {LONG}\n", 1, id="nested list"),
        pytest.param(f"| a |\n|---|\n| {LONG} |\n| {LONG} |\n| {LONG} |\n", 1, id="table"),
        pytest.param(f"```\n{LONG}\n\n{LONG}\n\n{LONG}\n```\n", 1, id="fence"),
        pytest.param(f"~~~~\n{LONG}\n```\n{LONG}\n\n{LONG}\n~~~~\n", 1, id="fence in a fence"),
        pytest.param(f"    {LONG}\n\n    {LONG}\n\n    {LONG}\n", 1, id="indented code"),
        pytest.param(f"> {LONG}\n>\n> {LONG}\n>\n> {LONG}\n", 1, id="quote"),
        pytest.param(f"<div>\n{LONG}\n{LONG}\n{LONG}\n</div>\n", 1, id="HTML"),
        pytest.param(f"{LONG}\n{LONG}\n{LONG}\n", 1, id="paragraph"),
        pytest.param(f"## Heading\n\n{LONG} {LONG} {LONG}\n", 1, id="heading"),
        pytest.param(f"Heading\n---\n\n{LONG} {LONG} {LONG}\n", 1, id="underlined heading"),
        pytest.param(f"# One\n\n## Two\n\n{LONG} {LONG} {LONG}\n", 1, id="two headings"),
        pytest.param(f"# One\n\nsaid\n\n# Two\n\n{LONG} {LONG} {LONG}\n", 5, id="heading with its text, then one without"),
        pytest.param(f"- a\n- b\n\n{A_LIST.replace('- ', '* ')}", 4, id="list behind a list"),
        pytest.param(f"```\na\n```\n{LONG} {LONG} {LONG}\n", 5, id="closed fence"),
    ],
)
def test_no_block_is_cut_and_no_heading_dangles(after: str, kept: int) -> None:
    text = f"{LONG}\n\n{after}"
    (one,) = fit([doc(text)], limit=quick(LONG) + 50, count=quick)
    shown = shown_lines(one)
    while shown and not shown[-1].strip():
        shown.pop()
    assert shown == text.split("\n")[:kept]


@pytest.mark.parametrize("text", ["\ufeffA rule.\r\n\r\n" + BLOCK.replace("\n", "\r\n"), BLOCK * 2, "a\rb\n"])
def test_shown_lines_have_no_ends_and_no_mark(text: str) -> None:
    (one,) = fit([doc(text)], count=quick)
    assert (one.whole, one.left_out) == (True, False)
    assert shown_lines(one) == text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")


PIECES = st.lists(
    st.sampled_from(
        [
            "A short rule.",
            LONG,
            "- a\n- b\n- c",
            "1. a\n\n   more\n\n2. b",
            "| a | b |\n|---|---|\n| c | d |",
            "```py\n# no heading\n\nx\n```",
            "> said\n> so",
            "<!-- note\n\nmore -->",
            "# One",
            "Two\n===",
            "### Three",
        ]
    ),
    max_size=14,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=4), st.integers(0, 700), st.sampled_from(["\n", "\r\n"]))
def test_what_is_loaded_is_a_beginning_within_the_budget_that_ends_where_a_block_does(
    texts: list[list[str]], limit: int, end: str
) -> None:
    docs: list[Doc] = []
    ends: list[dict[int, str]] = []
    for number, pieces in enumerate(texts):
        lines: list[str] = []
        closing: dict[int, str] = {0: ""}
        for index, piece in enumerate(pieces):
            parted = [f"{piece}", "", f"Part {index}.", ""]  # so that two lists are two
            lines += piece.split("\n")
            closing[len(lines)] = piece
            lines += parted[1:]
            closing[len(lines) - 1] = "Part"
        docs.append(doc("".join(f"{line}{end}" for line in lines) or end, str(number)))
        ends.append(closing)
    found = fit(docs, limit=limit, count=quick)
    assert [one.doc for one in found] == docs
    assert sum(one.tokens for one in found) <= limit
    for one, closing in zip(found, ends, strict=True):
        lines = one.doc.data.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
        shown = shown_lines(one)
        assert shown == lines[: one.lines]
        assert one.tokens == (one.doc.tokens if one.whole else quick("".join(f"{line}\n" for line in shown)))
        if one.whole:
            continue
        while shown and not shown[-1].strip():
            shown.pop()
        assert len(shown) in closing
        assert not closing[len(shown)].startswith(("#", "Two"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab`|-#>* \n\r\t<~1.:[]=\\\x85\u2028\f", max_size=200), max_size=12), st.integers(0, 200))
def test_no_text_breaks_a_budget(texts: list[str], limit: int) -> None:
    docs = [doc(text, str(number)) for number, text in enumerate(texts)]
    found = fit(docs, limit=limit, count=quick)
    assert [one.doc for one in found] == docs
    assert sum(one.tokens for one in found) <= limit
    assert all(0 <= one.lines <= one.doc.lines for one in found)
    assert all(one.left_out for one in found[MAX_DOCS:])


def budget(*docs: LoadedDoc, folder: str = "", skills: int = 0) -> Budget:
    return Budget("main_review", folder, skills, MAX_SKILLS, docs, MAX_DOCS, MAX_DOC_TOKENS)


def test_ten_docs() -> None:
    found = fit([doc("A rule.\n", str(number)) for number in range(12)], count=quick)
    assert [one.doc.path for one in found if one.left_out] == ["10", "11"]
    (notice,) = budget_notices(budget(*found), asked=True)
    assert notice == Notice(
        NoticeKind.GUIDE_LEFT_OUT,
        "For `main_review` 2 linked docs did not fit: `10` (2 tokens), `11` (2 tokens). One reviewer may have 10 docs and 20,000 tokens of "
        "them. Link fewer or shorter docs, or make a skill of it.",
        "main_review",
    )


def test_a_doc_that_is_cut_is_named_with_its_tokens() -> None:
    found = fit([doc(BLOCK * 197, "a.md"), doc(BLOCK * 3, "b.md"), doc(BLOCK, "c.md")], count=quick)
    assert budget_notices(budget(*found, folder="lib"), asked=False) == [
        Notice(
            NoticeKind.GUIDE_TRIMMED,
            "For `main_review` in `lib` `b.md` is cut after line 3 of 6 (200 of 300 tokens): one reviewer may have 20,000. "
            "Link what matters in `.kodus-check.yml`.",
            "b.md",
        ),
        Notice(
            NoticeKind.GUIDE_LEFT_OUT,
            "For `main_review` in `lib` 1 linked doc did not fit: `c.md` (100 tokens). One reviewer may have 10 docs and 20,000 tokens of "
            "them. Link what matters in `.kodus-check.yml`.",
            "c.md",
        ),
    ]


def test_no_more_than_five_are_named() -> None:
    (notice,) = budget_notices(budget(*fit([doc("A rule.\n", str(number)) for number in range(17)], count=quick)), asked=True)
    assert (
        "7 linked docs did not fit: `10` (2 tokens), `11` (2 tokens), `12` (2 tokens), `13` (2 tokens), `14` (2 tokens) and 2 more."
        in notice.message
    )


@pytest.mark.parametrize(("linked", "said"), [(0, 0), (20, 0), (21, 1)])
def test_twenty_skills(linked: int, said: int) -> None:
    notices = budget_notices(budget(skills=linked), asked=True)
    text = "`main_review` links 21 skills; only the first 20 are followed. Link fewer, or split the reviewer."
    assert notices == [Notice(NoticeKind.SKILLS_OVER_LIMIT, text, "main_review")][:said]
