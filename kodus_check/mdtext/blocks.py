"""A Markdown text as a list of blocks in reading order, each with its visible text, its container and its place in the source."""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from html import unescape
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from kodus_check.mdtext import inline

_HTML_PART = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_FRONTMATTER = re.compile(r"---[ \t]*\r?\n(?:.*?\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_PIPE = re.compile(r"\\\||\|")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
MAX_INLINE = 30_000
"""Characters. No prose is longer, and the time that markdown-it takes grows with the square; longer blocks are not seen."""

MAX_BLANK = 20
"""Lines that look blank before the text of a block."""


class Kind(Enum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    CELL = "cell"
    CODE = "code"
    HTML = "html"


@dataclass(slots=True)
class Block:
    """A run of text that is rendered together.

    ``content`` is its text without block marks; ``starts`` are the offsets in the source where its lines begin; ``first`` and
    ``last`` its 0-based lines, the last excluded. ``item`` and ``row`` count list items and table rows of the whole text (-1: in
    none); ``section`` is the index of the heading above it, -1 before the first.
    """

    kind: Kind
    content: str
    starts: "array[int]"
    first: int
    last: int
    item: int
    section: int
    row: int = -1
    visible: str = ""
    hidden: tuple[str, ...] = ()
    """The names of the open elements that hide where it begins."""


@dataclass(slots=True)
class Item:
    """A list item: the item it is nested in (-1: none), its list, the block that leads in to that list and its own first one
    (-1: none)."""

    parent: int
    list: int
    lead: int
    first: int = -1


@dataclass(slots=True)
class Heading:
    level: int
    text: str
    parent: int


@dataclass
class Text:
    """A parsed Markdown text. ``source`` has the length of what was given, with line ends that are ``\\n`` alone."""

    source: str
    blocks: list[Block] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    rows: list[tuple[int, int]] = field(default_factory=list)
    """Of each table row its 0-based line, and the line of its table's header."""
    env: dict[str, Any] = field(default_factory=dict)
    literal: str = ""

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.source))]

    def trail(self, section: int) -> tuple[str, ...]:
        """The headings above a section, outermost first."""
        out: list[str] = []
        while section >= 0:
            out.append(self.headings[section].text)
            section = self.headings[section].parent
        return tuple(reversed(out))

    def has_empty_items(self) -> bool:
        """Whether a list item holds nothing but its mark."""
        filled = {block.item for block in self.blocks} | {item.parent for item in self.items}
        return any(number not in filled for number in range(len(self.items)))

    def places(self, block: Block) -> list[int]:
        """The offset in the source of each visible character of ``block``."""
        if not block.visible:
            return []
        md = inline.reader(self.literal)
        hidden = inline.Hidden(block.hidden)
        if block.kind is Kind.HTML:
            within = [index for _, found in _html_parts(block.content, hidden) for index in found]
        elif block.kind is Kind.CODE:
            within = list(range(len(block.content)))
        else:
            within = inline.places(block.content, self.env, hidden, md)
        if (
            block.kind is Kind.CELL
            and "|" in block.content
            and block.content not in self.source[block.starts[0] :][: len(block.content)]
        ):
            within = [index + block.content.count("|", 0, index + 1) for index in within]  # each stands behind a backslash
        if len(block.starts) == 1 or not within:
            return [block.starts[0] + index for index in within]
        begins = [0, *(found.end() for found in re.finditer("\n", block.content))]
        out: list[int] = []
        line = 0
        for index in within:
            while line + 1 < len(begins) and begins[line + 1] <= index:
                line += 1
            out.append(block.starts[min(line, len(block.starts) - 1)] + index - begins[line])
        return out


def same_length(text: str) -> str:
    """``text`` with ``\\r\\n``, lone ``\\r`` and NUL replaced so that no offset changes. A lone ``\\r`` ends a line, as it does for
    Markdown and for GitHub's line numbers."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return text.replace("\0", "\ufffd")


def without_frontmatter(text: str) -> str:
    """``text`` with YAML frontmatter blanked out: it is not part of what a guide says."""
    text = same_length(text)
    start = 1 if text.startswith("\ufeff") else 0
    found = _FRONTMATTER.match(text, start)
    if found is None:
        return " " + text[1:] if start else text
    return re.sub(r"[^\n]", " ", text[: found.end()]) + text[found.end() :]


def read(text: str, *, literal: str = "", hides: bool = True) -> Text:
    """The blocks of a Markdown text; the characters of ``literal`` mark nothing inline, and with ``hides`` off only comments, tags
    and images are left out of what is visible. Places can be asked for where it is on."""
    return _Reader(same_length(text), literal, hides=hides).read()


class _Reader:
    def __init__(self, source: str, literal: str, *, hides: bool) -> None:
        self.out = Text(source, literal=literal)
        self._md = inline.reader(literal)
        self._hidden = inline.Hidden(hides=hides)
        self._lines = source.split("\n")
        self._offsets = array("q", [0])
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)
        self._section = -1
        self._item = -1
        self._lists: list[tuple[int, int]] = []
        self._list_count = 0
        self._cells: list[tuple[int, int]] = []
        self._cell = 0
        self._header = -1
        self._last_closed: dict[str, int] = {}

    def read(self) -> Text:
        tokens: list[Token] = []
        self._md.block.parse(self.out.source, self._md, self.out.env, tokens)
        previous = ""
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline(token, previous)
            elif kind in ("fence", "code_block"):
                self._code(token)
            elif kind == "html_block":
                self._html(token)
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self._open_list()
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self._lists.pop()
            elif kind == "list_item_open":
                number, lead = self._lists[-1]
                self.out.items.append(Item(self._item, number, lead))
                self._item = len(self.out.items) - 1
            elif kind == "list_item_close":
                self._item = self.out.items[self._item].parent
            elif kind == "thead_open" and token.map:
                self._header = token.map[0]
            elif kind == "tr_open" and token.map:
                self.out.rows.append((token.map[0], self._header))
                self._cells, self._cell = _cells(self._lines[token.map[0]]), 0
            previous = kind
        return self.out

    def _open_list(self) -> None:
        """A list is led in to by the paragraph before it. Code, and what is not seen, may stand between; a list right behind
        another one (with another mark) shares its lead."""
        lead = -1
        for before in range(len(self.out.blocks) - 1, -1, -1):
            block = self.out.blocks[before]
            if block.item != self._item:
                item = block.item
                while item >= 0 and self.out.items[item].parent != self._item:
                    item = self.out.items[item].parent
                lead = self.out.items[item].lead if item >= 0 else -1
                break
            if block.kind in (Kind.PARAGRAPH, Kind.HTML) and block.visible.strip():
                lead = before
            if lead >= 0 or block.kind in (Kind.HEADING, Kind.CELL):
                break
        self._lists.append((self._list_count, lead))
        self._list_count += 1

    def _inline(self, token: Token, previous: str) -> None:
        assert token.map is not None
        first, last = token.map
        content = token.content
        if previous in ("th_open", "td_open"):
            self._add(Kind.CELL, content, self._cell_starts(content, first), first, last, row=len(self.out.rows) - 1)
            return
        if previous != "heading_open":
            self._add(Kind.PARAGRAPH, content, self._starts(content, first), first, last)
            return
        level = len(token.markup) if token.markup else 0
        line = self._lines[first]
        column = line.find(content, _after_hashes(line)) if "\n" not in content else -1
        starts = array("q", [self._offsets[first] + column]) if column >= 0 else self._starts(content, first)
        level = _after_hashes_count(line) or (1 if self._lines[last - 1].strip(" >").startswith("=") else 2)
        parent = self._section
        while parent >= 0 and self.out.headings[parent].level >= level:
            parent = self.out.headings[parent].parent
        self._section = parent
        block = self._add(Kind.HEADING, content, starts, first, last)
        self.out.headings.append(Heading(level, " ".join(block.visible.split()), parent))
        self._section = block.section = len(self.out.headings) - 1

    def _cell_starts(self, content: str, line: int) -> "array[int]":
        start, end = self._cells[self._cell] if self._cell < len(self._cells) else (0, 0)
        self._cell += 1
        raw = self._lines[line][start:end]
        written = content if content in raw else content.replace("|", "\\|")
        column = raw.rfind(written)
        return array("q", [self._offsets[line] + start + max(column, 0)])

    def _starts(self, content: str, first: int) -> "array[int]":
        """Block marks stand before the text of a line, so that each line of ``content`` is the end of a line of the source. A first
        line of other white space than blanks (a no-break space) opens a paragraph, but is not in its content."""
        out = array("q")
        opening = content.split("\n", 1)[0].strip()
        last = min(first + MAX_BLANK, len(self._lines) - 1)
        while first < last and not self._lines[first].rstrip().endswith(opening):
            first += 1
        for number, line in enumerate(content.split("\n"), first):
            text = line.strip()
            source = self._lines[number] if number < len(self._lines) else ""
            lead = len(line) - len(line.lstrip())
            out.append(
                self._offsets[min(number, len(self._lines) - 1)] + len(source.rstrip()) - len(text) - lead
                if text
                else self._offsets[number]
            )
        return out

    def _code(self, token: Token) -> None:
        assert token.map is not None
        first, last = token.map
        content = token.content.rstrip("\n")
        self._add(Kind.CODE, content, self._starts(content, first + (token.type == "fence")), first, last)

    def _html(self, token: Token) -> None:
        assert token.map is not None
        content = token.content.rstrip("\n")
        self._add(Kind.HTML, content, self._starts(content, token.map[0]), *token.map)

    def _add(self, kind: Kind, content: str, starts: "array[int]", first: int, last: int, *, row: int = -1) -> Block:
        block = Block(kind, content, starts, first, last, self._item, self._section, row, hidden=self._hidden.opened)
        if kind is Kind.HTML:
            block.visible = "".join(text for text, _ in _html_parts(content, self._hidden))
        elif kind is Kind.CODE:
            block.visible = "" if self._hidden else content
        elif len(content) <= MAX_INLINE:
            block.visible = inline.visible(content, self.out.env, self._hidden, self._md)
            self._forget(block)
        if self._item >= 0 and self.out.items[self._item].first < 0:
            self.out.items[self._item].first = len(self.out.blocks)
        self.out.blocks.append(block)
        return block

    def _forget(self, block: Block) -> None:
        """Prose that speaks of a ``<title>`` without ticks hides the rest of its block, not of the text: nothing closes it."""
        behind = self._offsets[min(block.last, len(self._lines))]
        for name in set(self._hidden.opened[len(block.hidden) :]):
            if name not in self._last_closed:
                self._last_closed[name] = max((one.start() for one in re.finditer(f"(?i)</{name}", self.out.source)), default=-1)
            if self._last_closed[name] < behind:
                self._hidden.forget(name, len(block.hidden))


def _html_parts(content: str, hidden: inline.Hidden) -> list[tuple[str, Sequence[int]]]:
    """What is seen of an HTML block, neither tags nor comments, and the place of each character."""
    out: list[tuple[str, Sequence[int]]] = []

    def show(start: int, end: int) -> None:
        for entity in _ENTITY.finditer(content, start, end):
            out.append((content[start : entity.start()], range(start, entity.start())))
            text = unescape(entity[0])
            out.append((text, [entity.start()] * len(text)))
            start = entity.end()
        out.append((content[start:end], range(start, end)))

    position = 0
    for part in _HTML_PART.finditer(content):
        if not hidden:
            show(position, part.start())
            if inline.breaks(part[0]):
                out.append((" ", range(part.start(), part.start() + 1)))
        if not part[0].startswith("<!"):
            hidden.see(part[0])
        position = part.end()
    if not hidden:
        show(position, len(content))
    return out


def _cells(line: str) -> list[tuple[int, int]]:
    """The start and end of each cell of a table row, split as GitHub does: at pipes that no backslash stands before."""
    borders = [found.start() for found in _PIPE.finditer(line) if found[0] == "|"]
    edges = [-1, *borders, len(line)]
    found = [(start + 1, end) for start, end in pairwise(edges)]
    if found and not line[slice(*found[0])].replace(">", "").strip():
        found.pop(0)
    if found and not line[slice(*found[-1])].strip():
        found.pop()
    return found


def _after_hashes(line: str) -> int:
    found = re.search(r"#{1,6}(?=\s|$)", line)
    return found.end() if found else 0


def _after_hashes_count(line: str) -> int:
    found = re.match(r"(?:[ \t>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*(#{1,6})(?:\s|$)", line)
    return len(found[1]) if found else 0


def borders(text: str) -> list[int]:
    """After how many lines a text can be cut: behind a block of the outermost level that is no heading, in order."""
    source = same_length(text.replace("\r\n", " \n").replace("\r", " "))  # lines are counted by ``\n`` where this is asked
    tokens: list[Token] = []
    md = inline.reader()
    md.block.parse(source, md, {}, tokens)
    return [
        token.map[1] for token in tokens if token.level == 0 and token.map and token.nesting >= 0 and token.type != "heading_open"
    ]
