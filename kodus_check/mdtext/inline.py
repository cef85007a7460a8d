"""The visible text of inline Markdown, and the place in the source of each of its characters.

markdown-it says what is text, code, link and tag, but not where it stood. Its tokens are walked along the source again: all of
them say how long they were, but for links and images, whose ends are noted while they are parsed.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import (
    StateInline,
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    html_inline,
    image,
    link,
    strikethrough,
)
from markdown_it.token import Token

_MARKED = re.compile(r"[\\`*_\[\]<>&!~]")
_HIDDEN_OPEN = re.compile(r"<[A-Za-z][^>]*(?:\shidden(?=[\s=/>])|display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_HIDDEN_TAGS = re.compile(
    r"<(script|style|template|noscript|iframe|textarea|title|object|svg|del|s|strike)(?=[\s/>])", re.IGNORECASE
)
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_BREAKING = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))

# Most marked text holds only code and bold words. Of that it is plain what is seen, without parsing it.
_SIMPLE = re.compile(
    r"""(?>
      [^\\`*_\[\]<>&!~\n]+
      | !(?!\[) | (?<=\w)_(?=\w) | (?<![ \t])\n(?=\S)
      | (?<!`)`[^`\s](?:[^`\n]*[^`\s])?`(?!`)
      | (?<![\w*])\*\*(?=\w)[^\\`*_\[\]<>&!~\n]*(?<=\w)\*\*(?![\w*])
    )*+""",
    re.VERBOSE,
)
_SIMPLE_MARKS = re.compile(r"`([^`]*)`|\*\*()")

_Rule = Callable[[StateInline, bool], bool]


def _noted(rule: _Rule) -> _Rule:
    """``rule`` that also notes where what it took ends, by where it began."""

    def noting(state: StateInline, silent: bool) -> bool:
        start = state.pos
        taken = rule(state, silent)
        ends: dict[tuple[int, int], int] | None = state.env.get("ends")
        if taken and not silent and ends is not None:
            ends[id(state.src), start] = state.pos
        return taken

    return noting


def _unless(marks: str, literal: frozenset[str], rule: _Rule) -> _Rule:
    """``rule``, off where it would begin with a mark that is to be taken as a plain character."""

    def choosing(state: StateInline, silent: bool) -> bool:
        mark = state.src[state.pos]
        return not (mark in marks and mark in literal) and rule(state, silent)

    return choosing


def reader(literal: str = "") -> MarkdownIt:
    """GitHub's Markdown; the characters of ``literal`` (of ``\\`*_[<&~``) mark nothing. One for each; they hold no state."""
    return _made(literal)


@cache
def _made(literal: str) -> MarkdownIt:
    made = MarkdownIt("commonmark", {"strikethrough_single_tilde": True}).enable(["table", "strikethrough"])
    plain = frozenset(literal)
    ruler = made.inline.ruler
    rules: dict[str, tuple[str, _Rule]] = {
        "escape": ("\\", escape),
        "backticks": ("`", backtick),
        "strikethrough": ("~", strikethrough.tokenize),
        "emphasis": ("*_", emphasis.tokenize),
        "link": ("[", _noted(link)),
        "image": ("!", _noted(image)),
        "autolink": ("<", autolink),
        "html_inline": ("<", html_inline),
        "entity": ("&", entity),
    }
    for name, (marks, rule) in rules.items():
        ruler.at(name, _unless(marks, plain, rule) if plain else rule)
    made.inline.ruler2.disable(["fragments_join"])
    if "<" in plain:
        made.block.ruler.disable(["html_block"])
    return made


class Hidden:
    """Counts the open HTML elements whose content nobody sees, over blocks and inline tags alike."""

    def __init__(self, opened: tuple[str, ...] = (), *, hides: bool = True) -> None:
        """``opened`` are the names of those that are open at the start. ``hides`` is false where nothing may be lost: elements that
        hide their content and struck text then do not."""
        self._open = list(opened)
        self.hides = hides

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def opened(self) -> tuple[str, ...]:
        return tuple(self._open)

    def forget(self, name: str, before: int) -> None:
        """Takes elements called ``name`` as closed, but for the ``before`` outermost elements."""
        self._open[before:] = [one for one in self._open[before:] if one != name]

    def see(self, tag: str) -> None:
        """Takes notice of one tag as written."""
        found = _TAG_NAME.match(tag)
        if found is None or not self.hides:
            return
        name = found[1].lower()
        if tag.startswith("</"):
            if self._open and self._open[-1] == name:
                self._open.pop()
        elif not tag.endswith("/>") and name not in _VOID:
            starts = _HIDDEN_OPEN.match(tag) or _HIDDEN_TAGS.match(tag)
            if starts or (self._open and self._open[-1] == name):
                self._open.append(name)


def breaks(tag: str) -> bool:
    """Whether a tag sets apart what stands before and behind it."""
    found = _TAG_NAME.match(tag)
    return found is not None and found[1].lower() in _BREAKING


def visible(content: str, env: dict[str, Any], hidden: Hidden, md: MarkdownIt) -> str:
    """What of ``content`` (the text of one block without its block marks) is seen when it is rendered."""
    if not _MARKED.search(content):
        return "" if hidden else content
    if md is reader() and _SIMPLE.fullmatch(content):
        return "" if hidden else _SIMPLE_MARKS.sub(r"\1", content)
    return "".join(text for text, _ in _walk(content, env, hidden, md))


def places(content: str, env: dict[str, Any], hidden: Hidden, md: MarkdownIt) -> list[int]:
    """The offset in ``content`` of each character that :func:`visible` returns."""
    if not _MARKED.search(content):
        return [] if hidden else list(range(len(content)))
    return [place for _, found in _walk(content, env, hidden, md) for place in found]


def _walk(content: str, env: dict[str, Any], hidden: Hidden, md: MarkdownIt) -> list[tuple[str, list[int]]]:
    ends: dict[tuple[int, int], int] = {}
    tokens: list[Token] = []
    md.inline.parse(content, md, {**env, "ends": ends}, tokens)
    walk = _Walk(content, ends, hidden)
    for token in tokens:
        walk.see(token)
    return walk.shown


class _Walk:
    """Goes along ``content`` token by token and notes what is shown, with the offset of each character."""

    def __init__(self, content: str, ends: dict[tuple[int, int], int], hidden: Hidden) -> None:
        self.shown: list[tuple[str, list[int]]] = []
        self._content = content
        self._ends = ends
        self._hidden = hidden
        self._at = 0
        self._closing: list[int] = []
        self._struck = 0

    def see(self, token: Token) -> None:
        if token.type == "text":
            self._pass(token.content)
            self._show(token.content, list(range(self._at - len(token.content), self._at)))
        elif token.type == "text_special":
            self._pass(token.markup)
            self._show(token.content, [self._at - len(token.markup)] * len(token.content))
        elif token.type in ("softbreak", "hardbreak"):
            self._line_end()
        elif token.type == "code_inline":
            self._code(token)
        elif token.type == "html_inline":
            self._pass(token.content)
            if breaks(token.content):
                self._show(" ", [self._at - len(token.content)])
            self._hidden.see(token.content)
        elif token.type == "image":
            opening = self._content.find("![", self._at)
            self._at = self._end_of(opening, opening + 2 + len(token.content))
        elif token.type == "link_open":
            self._open_link(token)
        elif token.type == "link_close":
            self._at = max(self._at, self._closing.pop())
        else:  # emphasis and the like: as long as the mark
            self._at += len(token.markup)
            self._struck += self._hidden.hides and {"s_open": 1, "s_close": -1}.get(token.type, 0)

    def _show(self, text: str, places: list[int]) -> None:
        if not self._hidden and not self._struck:
            self.shown.append((text, places))

    def _pass(self, written: str) -> None:
        """Moves behind ``written``, which stands here or right behind something that left no token."""
        found = self._at if self._content.startswith(written, self._at) else self._content.find(written, self._at)
        self._at = (found if found >= 0 else self._at) + len(written)

    def _line_end(self) -> None:
        found = self._content.find("\n", self._at)
        self._show("\n", [max(self._at, found)])
        self._at = found + 1 if found >= 0 else len(self._content)
        while self._at < len(self._content) and self._content[self._at] in " \t":
            self._at += 1

    def _code(self, token: Token) -> None:
        """Of code a space at both ends may be gone, and its line ends are spaces."""
        begin = self._content.find(token.markup, self._at) + len(token.markup)
        start = max(begin, self._content.replace("\n", " ").find(token.content, begin))
        end = start + len(token.content)
        self._show(token.content, list(range(start, end)))
        self._at = self._content.find(token.markup, end) + len(token.markup)

    def _open_link(self, token: Token) -> None:
        if token.info == "auto":
            self._closing.append(self._content.find(">", self._at) + 1)
            self._at = self._content.find("<", self._at) + 1
            return
        opening = self._content.find("[", self._at)
        self._closing.append(self._end_of(opening, opening + 1))
        self._at = opening + 1

    def _end_of(self, opening: int, otherwise: int) -> int:
        return self._ends.get((id(self._content), opening), otherwise)
