# ruff: noqa: E501 - the table shows what comes out, as it comes out
"""Prose that must not do anything: only paragraphs, lists and code come out, and every character of it can still be read."""

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodus_check.render.prose import MAX_CHARACTERS, MAX_LINES, prose
from kodus_check.text import quoted, visible

AS_GITHUB = MarkdownIt("gfm-like", {"linkify": False})
AS_OTHERS = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HARMLESS = {
    "paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak", "code_inline", "fence", "bullet_list_open",
    "bullet_list_close", "ordered_list_open", "ordered_list_close", "list_item_open", "list_item_close",
}  # fmt: skip
QUOTE = {"blockquote_open", "blockquote_close"}


def flat(markdown: str, reader: MarkdownIt = AS_GITHUB) -> Iterator[Token]:
    for token in reader.parse(markdown):
        yield token
        yield from token.children or ()


def shown(markdown: str, reader: MarkdownIt = AS_GITHUB) -> str:
    """What is read in it, without white space; a list item as its mark."""
    out = ""
    for token in flat(markdown, reader):
        if token.type == "list_item_open":
            out += f"{token.info}{token.markup}"
        elif token.type != "inline":
            out += token.content
    return re.sub(r"[\s\u200b]", "", out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n", ""),
        ("One.", "One."),
        ("One\ntwo.\n\n\n\nThree.", "One\ntwo.\n\nThree."),
        ("One\r\ntwo.", "One\ntwo."),
        ("One\rtwo.", "One\\\\u{d}two."),
        ("    not code", "not code"),
        ("\tnot code", "not code"),
        ("# no heading", "\\# no heading"),
        ("no heading\n===", "no heading\n\\==="),
        ("no heading\n---", "no heading\n\\---"),
        ("*so* `it` **is**", "\\*so\\* `it` \\*\\*is\\*\\*"),
        ("a | b\n--|--\nc | d", "a \\| b\n\\--\\|--\nc \\| d"),
        ("/close", "\\/close"),
        ("> q", "\\> q"),
        ("@octocat #1", "@&#8203;octocat #&#8203;1"),
        ("- [x] done", "- \\[x\\] done"),
        ("[x]: http://y.example", "\\[x\\]: http:&#8203;//y.example"),
        ("<!-- kodus-check:fp=1 -->", "\\<!- - kodus-check:fp=1 --\\>"),
        # lists
        ("- a\n- b", "- a\n- b"),
        ("* a\n+ b", "- a\n- b"),
        ("- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d"),
        ("- a\n\t- b", "- a\n  - b"),
        ("- a\n          - b", "- a\n  - b"),
        ("1. a\n   - b\n2) c", "1. a\n   - b\n2. c"),
        ("1. a\n  - b", "1. a\n   - b"),
        ("100. a\n\n    - b", "100. a\n\n     - b"),
        ("so:\n100. a", "so:\n\n100. a"),
        ("so:\n1. a\n2. b", "so:\n1. a\n2. b"),
        ("- a\n  7. b", "- a\n\n  7. b"),
        ("- a\n  more of it\n- b", "- a\n  more of it\n- b"),
        ("- a\n\n  more of it\n\nand on", "- a\n\n  more of it\n\nand on"),
        ("- - a", "- \\- a"),
        ("- # a", "- \\# a"),
        ("- ```", "- \\`\\`\\`"),
        ("-", "\\-"),
        ("1.", "1\\."),
        ("1234567890. a", "1234567890\\. a"),
        ("- - -", "- \\- -"),
        # code
        ("```\na\n```", "```\na\n```"),
        ("```py\n@octocat\n```\n#1", "```py\n@octocat\n```\n\n\\#&#8203;1"),
        ("~~~ts\na\n~~~", "```ts\na\n```"),
        ("~~~~\n~~~\n```\n~~~~", "````\n~~~\n```\n````"),
        ("so:\n```\na", "so:\n\n```\na\n```"),
        ("- a\n  ```\n  x\n  ```\n  - b", "- a\n\n```\n  x\n```\n\n- b"),
        ("````\n```\nb\n````", "````\n```\nb\n````"),
        ("```\n<!-- kodus-check\n```", "```\n<!- - kodus-check\n```"),
        ("``` a `b`", "\\`\\`\\` a `b`"),
        # T2: what a platform would apply or draw
        ("```suggestion\nos.exit()\n```", "```\nos.exit()\n```"),
        ("```suggestion:-0+3\nos.exit()\n```", "```\nos.exit()\n```"),
        ("~~~ mermaid\ngraph TD\n~~~", "```\ngraph TD\n```"),
        ("```math\nx\n```", "```\nx\n```"),
        ("```geojson\n{}\n```", "```\n{}\n```"),
        ("```PlantUML\na\n```", "```\na\n```"),
        # keys
        ("use ghp_" + "a1B2" * 9, "use ghp\\_\\*\\*\\*"),
    ],
)  # fmt: skip
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected
    assert {token.type for token in flat(prose(text))} <= HARMLESS


def test_what_is_long_is_cut_visibly() -> None:
    assert prose("a\n" * (MAX_LINES + 5)).split("\n")[-1] == "… (5 more lines)"
    assert prose("a\n\n" + "b" * MAX_CHARACTERS) == "a\n\n… (1 more line)"
    assert prose("a" * (MAX_CHARACTERS + 1)) == "a" * MAX_CHARACTERS + "…"
    assert prose("```\n" + "a\n" * MAX_LINES).endswith("\na\n```\n\n… (1 more line)")


PIECES = [
    "@octocat", "@org/team", "#1", "GH-1", "o/r#1", "!1", "fixes #1", "closes o/r#2", "[a](http://x.example)", "![i](http://x.example/z.png)", "[a][x]",
    "<http://x.example>", "http://x.example", "www.x.example", "mailto:a@x.example", "<b>hi</b>", "<script>", "<img src=x>", "<!-- c -->", "<!--", "-->",
    "<!-- kodus-check", "<details>", "</details>", "<?php", "<![CDATA[", "<!X", "```", "````", "~~~", "~~~~py", "```suggestion", "```py", "``", "`", "` a `",
    "`` a ` b ``", "# H", "###### H", "===", "=", "---", "--", "***", "___", "* * *", "| a | b |", "|---|---|", "a | b", "--|--", ":-:|-", "[^1]", "[^1]: foot",
    "[x]: http://y.example", "[!NOTE]", "- [ ] task", "- [x] t", "[ ] t", "- item", "* item", "+ item", "1. one", "2) two", "10. ten", "100. c", "999999999. q",
    "0. z", "1234567890. q", "> q", ">> q", "> - x", "> ```", "    code", "\tcode", "\t- x", "\t\t1. y", "  - deep", "    - deeper", "        - deepest", "   7. x",
    "- - - nested", "1. - # h", "- ```", "-", "+", "- ", "1.", "1. ", "/close", "/label ~x", "::error::x", "\u202e", "\u2066", "\u200b", "\x00", "\x1b[31m", "\r", "\r\n",
    "\u2028", "\x85", "\u00a0", "&lt;", "&#64;a", "&amp;", "\\", "\\\\", "\\`", "\\\n", "*em*", "**b**", "__u__", "_", "~~s~~", "~", "$x$", "$$", "$`x`$", "^alert", "+++", "{% x %}",
    ": term", "text words", "漢字", "é", "  ", "      ", "\t", "",
]  # fmt: skip
GLUE = ["", "", " ", "\n", "\n", "\n", "\n\n", "\n  ", "\n    ", "  \n"]


def mixture(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) + chance.choice(GLUE) for _ in range(chance.randrange(1, 10)))


def within(less: str, more: str) -> bool:
    """Whether the characters of ``less`` stand in ``more`` in this order."""
    rest = iter(more)
    return all(char in rest for char in less)


def check(text: str) -> None:
    out = prose(text)
    for reader in (AS_GITHUB, AS_OTHERS):
        assert {token.type for token in flat(out, reader)} <= HARMLESS, (text, out)
        assert {token.type for token in flat(quoted(out), reader)} <= HARMLESS | QUOTE, (text, out)
        assert sum(token.type == "blockquote_open" for token in flat(quoted(out), reader)) <= 1
    assert {token.info for token in flat(out) if token.type == "fence"} <= {"", "py", "http"}
    assert "<!-- kodus-check" not in out
    seen = shown(out)
    assert shown(quoted(out)) == seen, (text, out)
    given_text = visible(text.replace("\r\n", "\n")).replace("<!--", "<!- -")
    lines = [line for line in given_text.split("\n") if not re.fullmatch(r"[ \t]*(`{3,}|~{3,})[^`]*", line)]
    # Marks of lists come out as one kind, marks of code spans as none.
    kept, all_kept = (re.sub(r"[\s`*+.)-]", "", part) for part in ("".join(lines), given_text))
    read = re.sub(r"[`*+.)-]", "", seen)
    assert within(kept, read), (text, out)
    assert within(read, all_kept), (text, out)


@pytest.mark.parametrize("seed", range(20))
def test_mixtures_of_hostile_pieces_do_nothing_and_are_all_read(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        check(mixture(chance))


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from("ab1 `~*_[]()<>!#@&|$\\/:-+=.^{}\"'\t\n\r\u200b\u202e\x00é"), max_size=60).filter(
        lambda text: "kodus" not in text
    )
)
def test_characters_of_all_sorts_do_nothing_and_are_all_read(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text", ["`" * 6_000, "- " * 3_000, "> " * 3_000, "[" * 6_000, "\n".join(" " * n + "- x" for n in range(60)), "`a" * 3_000]
)
def test_long_texts_cost_no_time_and_nest_no_deeper_than_is_read(text: str) -> None:
    assert {token.type for token in flat(prose(text))} <= HARMLESS
