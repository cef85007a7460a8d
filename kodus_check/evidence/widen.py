"""From a place in a guide to what is printed of it: whole sentences and items in the guide's own words, so that no fragment turns
a rule round.

A sentence is printed whole, with its neighbours where they point at it: the next one that takes something back ("Unless …", "That
is wrong."), the one before that says what follows ("The following is forbidden."). Quotations and parentheses are not cut, and a
word or two ("Never!") belongs to the sentence behind it. A list item is printed whole, with the items it is nested in and the
sentence that leads in to the list ("Never log:"); a text that ends in a colon, or in no mark at all, goes with what
stands behind it; a table row with its header and what leads in to it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodus_check.evidence.fold import MARK, fold, fold_places
from kodus_check.evidence.sentences import (
    COLON,
    DENIES,
    FINAL,
    MAX_LABEL,
    POINTS_AT_LIST,
    POINTS_BACK,
    POINTS_ON,
    TAKES_BACK,
    TAKES_BACK_STRICTLY,
    sentences,
)
from kodus_check.mdtext.blocks import Block, Kind, Text

MAX_LINES = 20
MAX_FOLLOWING = 12
MAX_LEAD = 300
MAX_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class Span:
    """The characters ``start..end`` of a block's folded text, which has ``size``."""

    block: int
    start: int
    end: int
    size: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """Source offsets ``start..end`` in one block, printed with the list mark before it or not."""

    block: int
    start: int
    end: int
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Widened:
    """What to print, the 1-based first and last line of what holds the quote, and its first sentence, folded."""

    text: str
    start_line: int
    end_line: int
    start: str


def widened(text: Text, spans: Sequence[Span]) -> Widened:
    """The whole sentences and items that hold ``spans``, which follow each other."""
    main: list[_Piece] = []
    rows: list[int] = []
    for span in spans:
        block = text.blocks[span.block]
        if block.row >= 0:
            if block.row not in rows:
                rows.append(block.row)
                main.append(_row_piece(text, span.block, text.rows[block.row][0]))
        else:
            main.append(_piece(text, span, last=span is spans[-1]))
    before = [*_leads(text, spans[0].block), *_header(text, rows)]
    after = _following(text, spans[-1].block, main[-1])
    pieces = [*before, *main, *after]
    numbers = [number for piece in (*main, *after) for number in (_line(text, piece.start), _line(text, piece.end - 1))]
    return Widened(_printed(text, pieces), min(numbers), max(numbers), _first_sentence(text, main[0]))


def _first_sentence(text: Text, piece: _Piece) -> str:
    folded = fold(text.source[piece.start : piece.end])
    start, end = next(iter(sentences(folded)), (0, len(folded)))
    return folded[start:end]


def _piece(text: Text, span: Span, *, last: bool) -> _Piece:
    block = text.blocks[span.block]
    short_html = block.kind is Kind.HTML and block.last - block.first <= MAX_LINES
    if block.item >= 0 or block.kind in (Kind.CODE, Kind.HEADING) or short_html:
        return _whole(text, span.block)
    folded, places = _placed(text, block)
    listed = sentences(folded)
    first = max(number for number, (start, _) in enumerate(listed) if start <= span.start)
    final = next(number for number, (_, end) in enumerate(listed) if end >= min(span.end, len(folded)))
    for _ in range(MAX_NEIGHBOURS):
        if first > 0 and (POINTS_BACK.match(folded, listed[first][0]) or POINTS_ON.search(_said(folded, listed[first - 1]))):
            first -= 1
    return _sentences(text, span.block, places, listed, first, _with_next(folded, listed, final) if last else final)


def _said(folded: str, sentence: tuple[int, int]) -> str:
    return folded[slice(*sentence)]


def _with_next(folded: str, listed: list[tuple[int, int]], final: int) -> int:
    """The last of the sentences behind ``final`` that take back what the one before them says, or answer it."""
    for _ in range(MAX_NEIGHBOURS):
        if final + 1 < len(listed) and (
            TAKES_BACK.match(folded, listed[final + 1][0]) or folded[: listed[final][1]].endswith(("?", "\uff1f"))
        ):
            final += 1
    return final


def _sentences(text: Text, number: int, places: list[int], listed: list[tuple[int, int]], first: int, final: int) -> _Piece:
    """From sentence ``first`` to ``final``, with the marks that open before the first and close behind the last."""
    whole = _whole(text, number)
    start = places[0] if places and first == 0 else whole.start
    while start > whole.start and not text.source[start - 1].isspace():  # back over opening marks, not over an alert's own line
        start -= 1
    if first > 0:
        start = places[listed[first - 1][1] - 1] + 1
        start += _to_space(text.source, start, whole.end)
        while start < whole.end and text.source[start].isspace():
            start += 1
        start = min(start, places[listed[first][0]])
    end = whole.end
    if final + 1 < len(listed):
        end = places[listed[final][1] - 1] + 1
        end = min(end + _to_space(text.source, end, whole.end), max(end, places[listed[final + 1][0]]))
    return _Piece(number, start, len(text.source[:end].rstrip()) if end > start else end)


def _to_space(source: str, start: int, end: int) -> int:
    """How many characters stand before the next white space: closing marks, or the target of a link."""
    found = re.compile(r"\s").search(source, start, end)
    return (found.start() if found else end) - start


def _whole(text: Text, number: int) -> _Piece:
    block = text.blocks[number]
    lines = block.content.split("\n")
    return _Piece(number, block.starts[0], block.starts[len(lines) - 1] + len(lines[-1].rstrip()), marked=block.item >= 0)


def _placed(text: Text, block: Block) -> tuple[str, list[int]]:
    from kodus_check.evidence.quote import folded_block

    folded, places = fold_places(block.visible, text.places(block))
    shown = folded_block(block)
    cut = len(folded) - len(shown)
    return shown, places[cut:]


def _leads(text: Text, number: int) -> list[_Piece]:
    """What must be read before the block: the items it is nested in, and what announces them or it; outermost first."""
    numbers: list[int] = []
    item = text.blocks[number].item
    if (announcing := _announcing(text, number)) >= 0:
        numbers.append(announcing)
    while item >= 0:
        numbers.append(text.items[item].first)
        lead = text.items[item].lead
        if lead >= 0 and _leads_in(text, lead):
            numbers.append(lead)
        item = text.items[item].parent
    known = sorted({one for one in numbers if 0 <= one < number})
    if (announcing := _announcing(text, known[0] if known else number)) >= 0:
        known.insert(0, announcing)
    return [_lead(text, one) for one in dict.fromkeys(known)]


def _leads_in(text: Text, number: int) -> bool:
    """Whether the block before a list belongs to it: a list item, or a text that ends in no full stop or speaks of what comes."""
    block = text.blocks[number]
    if block.item >= 0:
        return True
    folded = fold(block.visible)
    return _unfinished(folded) or _points_on(folded) or POINTS_AT_LIST.match(folded, sentences(folded)[-1][0]) is not None


def _announcing(text: Text, number: int) -> int:
    """The paragraph right before a block, where it ends in a colon, or in no mark and is short; or one that ends in a colon and has
    nothing but paragraphs behind it; -1: there is none."""
    block = text.blocks[number]
    if block.kind in (Kind.CODE, Kind.HEADING) or (block.item >= 0 and text.items[block.item].first == number):
        return -1
    before = number - 1
    while before >= 0 and (
        not text.blocks[before].visible.strip()
        or (block.row >= 0 and text.blocks[before].row >= 0 and _one_table(text, before, number))
    ):
        before -= 1
    one = text.blocks[before]
    if before < 0 or one.section != block.section or one.item != block.item or one.kind not in (Kind.PARAGRAPH, Kind.HTML):
        return -1
    folded = fold(one.visible)
    short = one.kind is Kind.PARAGRAPH and _unfinished(folded) and len(folded) <= MAX_LABEL
    if folded.endswith(COLON) or short or (block.row >= 0 and _points_on(folded)):
        return before
    for other in range(before - 1, max(-1, before - MAX_FOLLOWING), -1) if block.kind is one.kind is Kind.PARAGRAPH else ():
        first = text.blocks[other]
        if first.kind is not Kind.PARAGRAPH or first.section != block.section or first.item != block.item:
            break
        if fold(first.visible).endswith(COLON):
            return other
    return -1


def _points_on(folded: str) -> bool:
    """Whether the last sentence of a text says something of what comes behind it."""
    start, end = sentences(folded)[-1]
    return POINTS_ON.search(folded[start:end]) is not None or DENIES.search(folded[start:end]) is not None


def _one_table(text: Text, one: int, other: int) -> bool:
    return text.rows[text.blocks[one].row][1] == text.rows[text.blocks[other].row][1]


def _unfinished(folded: str) -> bool:
    """Whether a text ends in a colon or in no mark at all, so that it goes with what stands behind it."""
    return not FINAL.search(folded.rstrip(f"{MARK})*_ "))


def _lead(text: Text, number: int) -> _Piece:
    """The last sentence of a block, or all of it where it is a short one of a list item."""
    block = text.blocks[number]
    folded, places = _placed(text, block)
    if not folded or (block.item >= 0 and len(folded) <= MAX_LEAD):
        return _whole(text, number)
    listed = sentences(folded)
    found = _sentences(text, number, places, listed, len(listed) - 1, len(listed) - 1)
    return _Piece(number, found.start, found.end, marked=block.item >= 0 and len(listed) == 1)


def _following(text: Text, number: int, last: _Piece) -> list[_Piece]:
    """What must be read behind a block that is printed to its end: the list or the code that it announces, in part where that is
    long, and the block that takes something back ("Unless …")."""
    block = text.blocks[number]
    if block.row >= 0 or last.end < _whole(text, number).end:
        return []
    folded = fold(block.visible)
    out: list[_Piece] = []
    index = number + 1
    if _unfinished(folded):
        while index < min(len(text.blocks), number + 1 + MAX_FOLLOWING):
            one = text.blocks[index]
            code = index == number + 1 and one.kind is Kind.CODE and one.last - one.first <= MAX_FOLLOWING
            if not (one.item >= 0 and _led_by(text, one.item, number)) and not (code and folded.endswith(COLON)):
                break
            out.append(_whole(text, index))
            index += 1
    if index < len(text.blocks) and len(out) < MAX_FOLLOWING and (taking := _taking_back(text, number, index)):
        out += [taking, *_following(text, index, taking)][:MAX_FOLLOWING]
    return out


def _taking_back(text: Text, number: int, index: int) -> _Piece | None:
    """The start of the block at ``index`` where that takes back what the block ``number`` says."""
    block = text.blocks[index]
    if block.section != text.blocks[number].section or block.kind not in (Kind.PARAGRAPH, Kind.HTML) or not block.visible.strip():
        return None
    folded, places = _placed(text, block)
    of_this_item = block.item >= 0 and block.item == text.blocks[number].item
    strictly = not of_this_item and (block.item >= 0 or text.blocks[number].item >= 0)
    if not (TAKES_BACK_STRICTLY if strictly else TAKES_BACK).match(folded):
        return None
    if block.item >= 0:
        return _whole(text, index)
    listed = sentences(folded)
    return _sentences(text, index, places, listed, 0, _with_next(folded, listed, 0))


def _led_by(text: Text, item: int, number: int) -> bool:
    while item >= 0:
        if text.items[item].lead == number:
            return True
        item = text.items[item].parent
    return False


def _header(text: Text, rows: Iterable[int]) -> list[_Piece]:
    """The header of the table, with the line under it, so that what is printed is a table again."""
    out: list[_Piece] = []
    for row in rows:
        line, header = text.rows[row]
        if header >= 0 and line != header and not out:
            number = next(index for index, block in enumerate(text.blocks) if block.row >= 0 and text.rows[block.row][0] == header)
            top = _row_piece(text, number, header)
            under = _row_piece(text, number, header + 1)
            out.append(_Piece(number, top.start, under.end))
    return out


def _row_piece(text: Text, number: int, line: int) -> _Piece:
    start, end = _line_bounds(text, line)
    prefix = re.match(r"[\s>]*", text.source[start:end])
    assert prefix is not None
    return _Piece(number, start + prefix.end(), len(text.source[:end].rstrip()))


def _printed(text: Text, pieces: Sequence[_Piece]) -> str:
    """The lines of all pieces without the marks of their containers, but with those of list items where there are several."""
    alone = len(pieces) == 1
    depths = [max(1, _depth(text, text.blocks[piece.block].item)) for piece in pieces]
    least = min(depths)
    out: list[str] = []
    before: _Piece | None = None
    for piece, depth in zip(pieces, depths, strict=True):
        lines = _lines_of(text, piece, marked=piece.marked and not alone)
        indent = "  " * (depth - least)
        if before is not None and not _tight(text, before, piece):
            out.append("")
        out.extend(f"{indent}{line}" for line in lines)
        before = piece
    return "\n".join(out)


def _tight(text: Text, one: _Piece, other: _Piece) -> bool:
    """Whether two pieces stand on neighbouring lines, both in a list or both in a table."""
    first, second = text.blocks[one.block], text.blocks[other.block]
    if first.row >= 0 and second.row >= 0:
        return True
    return first.item >= 0 and second.item >= 0 and first.item != second.item


def _lines_of(text: Text, piece: _Piece, *, marked: bool) -> list[str]:
    block = text.blocks[piece.block]
    if block.row >= 0:
        return [re.sub(r"^[\s>]*", "", line).rstrip() for line in text.source[piece.start : piece.end].split("\n")]
    if block.kind is Kind.CODE:
        return [_stripped(text, line) for line in range(block.first, block.last)]
    out: list[str] = []
    for number, (start, line) in enumerate(zip(block.starts, block.content.split("\n"), strict=False)):
        begin, end = max(start, piece.start), min(start + len(line), piece.end)
        if begin >= end:
            continue
        shown = text.source[begin:end].strip()
        if marked and number == 0:
            shown = _stripped(text, _line(text, start) - 1).strip()
        elif marked:
            shown = f"  {shown}"
        out.append(shown)
    return out


def _stripped(text: Text, line: int) -> str:
    start, end = _line_bounds(text, line)
    return re.sub(r"^(?:\s*>)+ ?", "", text.source[start:end]).rstrip()


def _depth(text: Text, item: int) -> int:
    depth = 0
    while item >= 0:
        depth += 1
        item = text.items[item].parent
    return depth


def _line_bounds(text: Text, line: int) -> tuple[int, int]:
    starts = text.line_starts
    start = starts[line]
    end = starts[line + 1] - 1 if line + 1 < len(starts) else len(text.source)
    return start, end


def _line(text: Text, offset: int) -> int:
    return bisect_right(text.line_starts, offset)
