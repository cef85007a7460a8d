"""The quote check: does this quote stand in a guide as people see it there, and what are the guide's own words around it?

T1  words the guide does not hold, or holds in another order, number or case           -> contiguous, case-sensitive, folded search
T2  a fragment that turns a rule round ("use floats" from "never use floats")          -> the printed text is widened (``widen``)
T3  a fragment of a word ("null values" from "non-null values")                        -> word borders
T4  text that nobody sees: comments, hidden elements, struck out, link targets         -> only visible text is searched
T5  a quote with characters that nobody sees                                           -> refused
T6  a fragment so short that it stands anywhere; a heading, a path or code, which rule nothing -> must qualify
T7  parts joined over a gap that hides what stands between them                        -> in order, in one section, printed with it
T8  another guide's words under this guide's name                                      -> corrected where exactly one holds them
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from kodus_check.evidence.fold import MARK, fold, hides
from kodus_check.evidence.widen import MAX_LINES, Span, widened
from kodus_check.mdtext.blocks import Block, Kind, Text, read, without_frontmatter
from kodus_check.model import QuoteCheck, QuoteReason

MIN_WORDS, MIN_CHARACTERS, MIN_CJK = 3, 12, 8
MAX_CHARACTERS = 4_000
"""Of a quote: no rule is as long, and what is made to cost time ends here."""
MAX_PLACES = 200
"""How many places of a quote are looked at; what stands in more says nothing."""

_TOO_SHORT = (
    f"The quote is too short to prove a rule: at least {MIN_WORDS} words and {MIN_CHARACTERS} characters, or a whole list item or "
    "table cell of two words."
)

# Which marks of a quote mean themselves. People copy what they see and what is written; both hold such marks by right.
_READINGS = ("", "_", "<&", "_<&", "\\", "\\_<&", "*_", "*_<&~[", "`*_<&~[\\")

_WORD = re.compile(rf"\w+(?:{MARK}\w+)*")
_RUN_ON = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""What is written without spaces between words."""
_NEGATING = "不非未無无勿別别沒没莫禁免"
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_PATH = re.compile(r"[\w.*@~-]*(?:[/\\][\w.*@~-]*)+|[\w*-]+\.\w{1,5}")
_ELLIPSIS = re.compile(r"\s*[\[(]?\.{3,}[\])]?\s*")
_LIST_MARK = re.compile(r"\[[ xX]\]\s+|\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
_MARKS = re.compile(r"[\\`*_\[<&~|#>!]|(?m:^[ \t]*(?:[-+]|\d+[.)])\s)|\n[ \t]*[-=]{2}")
_QUOTE_MARK = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_LISTED = re.compile(r"(?m)^[ \t]*\d{1,7}\|[ \t]?")
"""The number of a line as a guide is shown to a model."""
_NUMBER = re.compile(r"[\s>*_+-]*(\d{1,9})[.)]\s")
_NUMBERED = re.compile(r"\W*(\d{1,9})[.)]\s?")
_REFERENCE = re.compile(r"(?<!\\)\[(?![!\s])([^\[\]]*[^\[\]\s])\](?:\[[^\[\]]*\])?(?!\()")
_TABLE_ROW = re.compile(r"(?m)^[ \t]*\||\|[ \t]*$|\s\|\s")
_TABLE_MARK = re.compile(r"(?m)^[ \t:-]*\|[ \t|:-]*$|(?<!\\)\|")
_JOINING = "-./:@\\=&'" + MARK


@dataclass
class Guide:
    """A guide made ready for searching; that work is done when it is first asked for."""

    path: str
    data: bytes = field(repr=False)

    @cached_property
    def text(self) -> Text:
        return read(without_frontmatter(self.data.decode("utf-8", "replace")))

    @cached_property
    def _parts(self) -> tuple[str, list[int], list[int]]:
        """All visible text folded, blocks set apart by one space; where each block begins in it; and which block that is."""
        folded = [(number, folded_block(block)) for number, block in enumerate(self.text.blocks)]
        starts: list[int] = []
        length = 0
        for _, part in folded:
            if part:
                starts.append(length)
                length += len(part) + 1
        return " ".join(part for _, part in folded if part), starts, [number for number, part in folded if part]

    @cached_property
    def folded(self) -> dict[int, str]:
        """Each block's text folded, by its number, where there is any."""
        _, starts, numbers = self._parts
        ends = [*(start - 1 for start in starts[1:]), len(self.stream)]
        return {number: self.stream[start:end] for number, start, end in zip(numbers, starts, ends, strict=True)}

    @cached_property
    def raw(self) -> str:
        """The source folded as if all of it were seen."""
        return fold(without_frontmatter(self.data.decode("utf-8", "replace")))

    @property
    def stream(self) -> str:
        return self._parts[0]

    def spans(self, start: int, end: int) -> list[Span]:
        """The pieces of blocks that lie in ``stream[start:end]``."""
        stream, starts, numbers = self._parts
        out: list[Span] = []
        index = bisect_right(starts, start) - 1
        while index < len(starts) and starts[index] < end:
            begin = starts[index]
            size = (starts[index + 1] - 1 if index + 1 < len(starts) else len(stream)) - begin
            if begin + size > start:
                out.append(Span(numbers[index], max(0, start - begin), min(size, end - begin), size))
            index += 1
        return out


def folded_block(block: Block) -> str:
    """A block's visible text folded, without the box of a task or the mark of an alert."""
    folded = fold(block.visible)
    return _LIST_MARK.sub("", folded, count=1) if folded.startswith("[") and _LIST_MARK.match(folded) else folded


def check_quote(guides: Mapping[str, Guide], path: str, quote: str, *, lines: tuple[int, int] | None = None) -> QuoteCheck:
    """Whether ``quote`` stands in the guide at ``path``, or in exactly one other of ``guides``; these are all that are linked.

    ``lines`` are the 1-based lines where it is said to stand: of several places, the nearest is taken.
    """
    if len(quote) > MAX_CHARACTERS:
        return QuoteCheck(
            path, QuoteReason.TOO_LONG, f"The quote is longer than {MAX_CHARACTERS:,} characters; quote the rule alone."
        )
    if hides(quote):
        return QuoteCheck(path, QuoteReason.HIDDEN_CHARACTERS, "The quote holds characters that nobody sees.")
    wanted = _Readings(quote)
    if not any(wanted):
        return QuoteCheck(path, QuoteReason.EMPTY, "The quote holds no text.")
    named = guides.get(path)
    first = _check(named, wanted, lines) if named is not None else None
    if first is not None and first.verified:
        return first
    others = [found for guide in guides.values() if guide is not named and (found := _search(guide, wanted, None, []))]
    if len(others) == 1:
        return others[0]
    if others and (first is None or first.reason in (QuoteReason.NOT_IN_GUIDE, QuoteReason.NOT_VISIBLE)):
        named_others = ", ".join(f"`{found.path}`" for found in others[:3])
        return QuoteCheck(
            path, QuoteReason.GUIDE_AMBIGUOUS, f"Several linked guides hold the quote ({named_others}), but not this one."
        )
    return first or QuoteCheck(path, QuoteReason.GUIDE_NOT_LINKED, "This guide is not linked, and no linked guide holds the quote.")


class _Readings:
    """What the quote may mean to say, the likeliest first: as it is written, and as Markdown with fewer and fewer marks.

    All are folded, none is empty; each is made when it is first asked for.
    """

    def __init__(self, quote: str) -> None:
        self._made: dict[str, None] = {}
        unlisted = _LISTED.sub("", quote)
        self._rest = self._make(quote) if unlisted == quote else chain(self._make(quote), self._make(unlisted))
        numbered = _NUMBER.match(unlisted)
        self.number = numbered[1] if numbered else ""

    def __iter__(self) -> Iterator[str]:
        yield from tuple(self._made)
        for reading in self._rest:
            if reading and reading not in self._made:
                self._made[reading] = None
                yield reading

    def _make(self, quote: str) -> Iterator[str]:
        plain = fold(quote)
        yield plain
        yield fold(_QUOTE_MARK.sub("", quote))
        if _MARKS.search(quote):
            unlinked = _REFERENCE.sub(r"\1", quote)
            variants = [(quote, literal) for literal in _READINGS]
            if unlinked != quote:  # what a reference link leads to stands elsewhere in the guide
                variants += [(unlinked, ""), (unlinked, "_<&")]
            for written, literal in variants:
                text = read(written, literal=literal, hides=False)
                if not text.has_empty_items():  # `> 0)` after a line break is no list, and its digit must not be lost
                    yield " ".join(part for block in text.blocks if (part := folded_block(block)))
            if "~" in quote:  # copied as it is written, with what is struck out
                yield " ".join(part for block in read(quote).blocks if (part := folded_block(block)))
            if "|" in quote and _TABLE_ROW.search(quote):
                yield fold(" ".join(part.visible for part in read(_TABLE_MARK.sub(" ", quote), hides=False).blocks))
        bare = plain.strip(f"{MARK} ") if plain.startswith(MARK) and plain.endswith(MARK) else plain
        yield bare
        yield _LIST_MARK.sub("", bare, count=1) if _LIST_MARK.match(bare) else ""


def _check(guide: Guide, wanted: _Readings, lines: tuple[int, int] | None) -> QuoteCheck:
    failures: list[tuple[QuoteReason, str]] = []
    if found := _search(guide, wanted, lines, failures):
        return found
    if failures:
        return QuoteCheck(guide.path, *failures[0])
    if any(reading in guide.raw for reading in wanted):
        detail = "The quote stands only where nobody sees it: a comment, markup, or struck out."
        return QuoteCheck(guide.path, QuoteReason.NOT_VISIBLE, detail)
    return QuoteCheck(guide.path, QuoteReason.NOT_IN_GUIDE, "The guide does not hold this text.")


def _search(
    guide: Guide, wanted: _Readings, lines: tuple[int, int] | None, failures: list[tuple[QuoteReason, str]]
) -> QuoteCheck | None:
    for reading in wanted:
        if found := _whole(guide, reading, lines, failures, wanted.number):
            return found
    for reading in wanted:
        parts = [part for part in _ELLIPSIS.split(reading) if part] if "..." in reading else []
        if len(parts) == 1 and (found := _whole(guide, parts[0], lines, failures, wanted.number)):  # dots at the ends alone
            return found
        if len(parts) > 1 and (found := _joined(guide, parts, failures)):
            return found
    return None


def _whole(
    guide: Guide, reading: str, lines: tuple[int, int] | None, failures: list[tuple[QuoteReason, str]], number: str
) -> QuoteCheck | None:
    """``number`` is that of a list mark before the quote: where the guide itself has a number there, it must be the same."""
    best: QuoteCheck | None = None
    for start, end in _found(guide.stream, reading, 0, failures):
        if number and _other_number(guide, start, end, number):
            failures.append((QuoteReason.NOT_IN_GUIDE, "The guide has another number before this text."))
            continue
        spans = _ruling(guide, guide.spans(start, end), failures)
        if spans and _qualifies(guide, spans, failures):
            result = _cited(guide, spans)
            if lines is None:
                return result
            if best is None or _distance(result, lines) < _distance(best, lines):
                best = result
    return best


def _other_number(guide: Guide, start: int, end: int, number: str) -> bool:
    """Whether the guide's own text has a number as its list mark there, and another one."""
    first = guide.spans(start, end)[0]
    found = _NUMBERED.fullmatch(guide.folded[first.block][: first.start])
    return found is not None and found[1] != number


def _joined(guide: Guide, parts: Sequence[str], failures: list[tuple[QuoteReason, str]]) -> QuoteCheck | None:
    """The first run of all parts in order, each of which qualifies, in one section and not too far apart."""
    for start, end in _found(guide.stream, parts[0], 0, failures):
        spans = _ruling(guide, guide.spans(start, end), failures)
        if not spans or not _qualifies(guide, spans, failures):
            return None
        section = guide.text.blocks[spans[0].block].section
        position = end
        for part in parts[1:]:
            found = next(_found(guide.stream, part, position, failures), None)
            if found is None:
                return None
            piece = _ruling(guide, guide.spans(*found), failures)
            if not piece or not _qualifies(guide, piece, failures):
                return None
            if guide.text.blocks[piece[-1].block].section != section:
                break
            position = found[1]
        else:
            whole = _cited(guide, guide.spans(_begin(guide, spans[0]), position))
            if whole.end_line - whole.start_line < MAX_LINES:
                return whole
        failures.append((QuoteReason.PARTS_APART, "The parts of the quote do not stand close together in one section."))
    return None


def _begin(guide: Guide, span: Span) -> int:
    _, starts, numbers = guide._parts
    return starts[numbers.index(span.block)] + span.start


def _found(stream: str, text: str, position: int, failures: list[tuple[QuoteReason, str]]) -> Iterator[tuple[int, int]]:
    """The places of ``text`` from word border to word border."""
    for _ in range(MAX_PLACES):
        start = stream.find(text, position)
        if start < 0:
            return
        end = start + len(text)
        if _is_border(stream, start, end):
            yield start, end
        else:
            failures.append((QuoteReason.PARTIAL_WORD, "The quote begins or ends inside a word."))
        position = start + 1


def _is_border(stream: str, start: int, end: int) -> bool:
    """Whether no word goes on over either end. Where words are not set apart, any long run of characters is taken, but none that
    leaves out the character that negates it."""
    first, last = stream[start], stream[end - 1]
    before, after = stream[max(0, start - 2) : start], stream[end : end + 2]
    long = end - start >= MIN_CJK
    if before and _is_word(first):
        if _is_word(before[-1]) and not (long and _runs_on(first) and _runs_on(before[-1]) and before[-1] not in _NEGATING):
            return False
        if before[-1] in "#@$%!~+":
            return False
        if before[-1] in _JOINING and len(before) == 2 and _is_word(before[0]) and not _is_cjk(before[0]):
            return False
    elif (
        before and first in _JOINING and _is_word(before[-1]) and not _is_cjk(before[-1]) and _is_word(stream[start + 1 : end][:1])
    ):
        return False
    if after and _is_word(last):
        if _is_word(after[0]) and not (long and _runs_on(last) and _runs_on(after[0])):
            return False
        if after[0] in "+#%" or (after[0] in _JOINING and len(after) == 2 and _is_word(after[1])):
            return False
    elif after and last in _JOINING and _is_word(after[0]) and not _is_cjk(after[0]) and _is_word(stream[start : end - 1][-1:]):
        return False
    return True


def _runs_on(char: str) -> bool:
    return _RUN_ON.match(char) is not None


def _is_word(char: str) -> bool:
    """Of one character or none."""
    return char.isalnum() or char == "_"


def _is_cjk(char: str) -> bool:
    return _CJK.match(char) is not None


def _ruling(guide: Guide, spans: list[Span], failures: list[tuple[QuoteReason, str]]) -> list[Span]:
    """The spans without leading headings; none when nothing is left or a heading stands among them."""
    kinds = [guide.text.blocks[span.block].kind for span in spans]
    first = next((number for number, kind in enumerate(kinds) if kind is not Kind.HEADING), len(kinds))
    if first == len(kinds):
        failures.append((QuoteReason.HEADING_ONLY, "A heading alone rules nothing; quote the sentence under it."))
        return []
    if Kind.HEADING in kinds[first:]:
        failures.append((QuoteReason.CROSSES_SECTIONS, "The quote runs over a heading into another section."))
        return []
    if all(kind is Kind.CODE for kind in kinds[first:]):
        failures.append((QuoteReason.CODE_ONLY, "A code block alone rules nothing; quote the sentence that speaks of it."))
        return []
    return spans[first:]


def _qualifies(guide: Guide, spans: Sequence[Span], failures: list[tuple[QuoteReason, str]]) -> bool:
    """Whether the prose in ``spans`` is long enough to mean something, and more than paths."""
    blocks = guide.text.blocks
    prose = [(span, guide.folded[span.block]) for span in spans if blocks[span.block].kind is not Kind.CODE]
    text = " ".join(folded[span.start : span.end] for span, folded in prose)
    words = _WORD.findall(text)
    if words and all(_PATH.fullmatch(word) for word in re.split(r"[\s,;]+", text.strip(" .,;")) if word):
        failures.append((QuoteReason.PATH_ONLY, "A path alone rules nothing."))
        return False
    if len(words) >= MIN_WORDS and len(text) >= MIN_CHARACTERS:
        return True
    if len(_CJK.findall(text)) >= MIN_CJK:
        return True
    for span, folded in prose:
        block = blocks[span.block]
        whole = span.start == 0 and span.size - span.end < MIN_CHARACTERS and not folded[span.end :].strip(" .;,")
        if whole and len(_WORD.findall(folded)) >= 2 and (block.kind is Kind.CELL or block.item >= 0):
            return True
    failures.append((QuoteReason.TOO_SHORT, _TOO_SHORT))
    return False


def _cited(guide: Guide, spans: Sequence[Span]) -> QuoteCheck:
    whole = widened(guide.text, spans)
    section = guide.text.blocks[spans[0].block].section
    return QuoteCheck(guide.path, None, "", whole.start_line, whole.end_line, whole.text, guide.text.trail(section), whole.start)


def _distance(found: QuoteCheck, lines: tuple[int, int]) -> int:
    return max(0, found.start_line - lines[1], lines[0] - found.end_line)
