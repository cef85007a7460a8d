"""Visible text, and the place in the source of each of its characters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.mdtext import inline
from kodus_check.mdtext.blocks import Kind, borders, read, without_frontmatter

PARTS = ["# a **b**", "- x `y`", "  - z", "> q\n> r", "| a | `b \\| c` |\n|---|---|\n| d | e |", "t [l](u)\nv", "1. n", ""]


@pytest.mark.parametrize(
    ("content", "visible"),
    [
        ("plain text", "plain text"),
        ("**never** use `a b` x", "never use a b x"),
        ('[a *b*](https://u "t") b', "a b b"),
        ("a <!-- x --> b &amp; \\_c", "a  b & _c"),
        ("![alt](x) t <b>q</b>", " t q"),
        ("~~no~~ yes ~x~ a~b", " yes  a~b"),
        ("``a`b`` c", "a`b c"),
        ("<https://x.example> z", "https://x.example z"),
        ("z <span hidden>foo</span> g", "z  g"),
        ("a_b_c *x* __init__", "a_b_c x init"),
        ("***a*** b* **c*", "a b* *c"),
        ("[un] [x]: y", "[un] [x]: y"),
    ],
)
def test_visible(content: str, visible: str) -> None:
    md = inline.reader()
    assert inline.visible(content, {}, inline.Hidden(), md) == visible
    places = inline.places(content, {}, inline.Hidden(), md)
    assert len(places) == len(visible)


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet="ab _*`\n!.:)(-~[]<>&\\", max_size=16))
def test_the_short_way_says_the_same(content: str) -> None:
    """Simply marked text is read without parsing; what that says is what parsing says."""
    content = content.strip()
    shown = inline.visible(content, {}, inline.Hidden(), inline.reader())
    parsed = "".join(text for text, _ in inline._walk(content, {}, inline.Hidden(), inline.reader()))
    assert " ".join(shown.split()) == " ".join(parsed.split())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_places_point_at_the_very_characters(parts: list[str]) -> None:
    text = read("\n\n".join(parts))
    for block in text.blocks:
        places = text.places(block)
        assert len(places) == len(block.visible)
        for char, place in zip(block.visible, places, strict=True):
            assert text.source[place] == char or char.isspace() or text.source[place] in "\\&<"


def test_structure() -> None:
    text = read("# A\n\nLead:\n\n- one\n  - two\n\n## B\n\n| h | i |\n|---|---|\n| x | y |\n\n```\ncode\n```\n\n<p>html</p>\n")
    assert [(block.kind, block.visible.strip(), text.trail(block.section)) for block in text.blocks] == [
        (Kind.HEADING, "A", ("A",)),
        (Kind.PARAGRAPH, "Lead:", ("A",)),
        (Kind.PARAGRAPH, "one", ("A",)),
        (Kind.PARAGRAPH, "two", ("A",)),
        (Kind.HEADING, "B", ("A", "B")),
        *[(Kind.CELL, cell, ("A", "B")) for cell in "hixy"],
        (Kind.CODE, "code", ("A", "B")),
        (Kind.HTML, "html", ("A", "B")),
    ]
    assert [(item.parent, item.lead) for item in text.items] == [(-1, 1), (0, 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\nx", " " * 3 + "\n    \n   \nx"),
        ("\ufeff---\na: b\n---\nx", " " * 4 + "\n    \n   \nx"),
        ("---\na: b\nx", "---\na: b\nx"),
        ("x\n---\ny\n---\n", "x\n---\ny\n---\n"),
    ],
)
def test_frontmatter_is_blanked_out_without_moving_anything(text: str, expected: str) -> None:
    assert without_frontmatter(text) == expected


def test_borders_are_behind_whole_blocks_and_never_behind_a_heading() -> None:
    text = "# A\n\none\ntwo\n\n- x\n- y\n\n## B\n\n```\nc\n\nd\n```\n"
    assert borders(text) == [4, 8, 15]
