"""Where the code that a model quotes stands: found again by our own look, since the lines that a model gives are often wrong.

A model copies from a numbered listing or a diff, folds white space, leaves lines out, and reads keys that were taken out. So each
quote has a few readings, and two lines are the same when they are so with white space folded. Blank lines do not count.

T1  code that stands nowhere, or far from where it is said to stand and in several places  -> no anchor
T2  a brace or two that stand everywhere                                                    -> only where the model says
T3  code that the change does not touch                                                     -> no anchor
T4  a file of half a million lines, and a quote that nearly stands at each                   -> a window around the lines given
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kodus_check.model import Candidate, ChangedFile, DropReason
from kodus_check.text import MAX_LINE, fold_space, shown_lines

NEAR = 60
"""Lines between a place and the lines that the model gives, over which a place counts only where it is the only one."""
SEARCHED = 5_000
"""Lines before and behind those that the model gives, in which a quote may be a part of lines or leave some out (T4)."""
MAX_GAP = 60
"""Lines that a quote may leave out with dots."""
MAX_PARTS = 20
"""Parts between dots; a quote of more is none."""
MIN_PREFIX = 200
"""Characters of a line that was cut for the model, which must be quoted at least."""
MIN_LETTERS = 4
"""Letters and digits of a quote that says something by itself."""

_LISTED = re.compile(r"\s*\d{1,7}(?:(?P<mark>[-+])| ?\||:|(?=\s|$))[ ]?(?P<code>.*)", re.DOTALL)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\S*\s*")
_DOTS = re.compile(r"\W{0,4}(?:\.{3}|\u2026)\W{0,4}")
_REDACTED = re.compile("\u2039redacted:[a-z-]+\u203a")
_CUT = re.compile(r"\u2026 \([\d,]+ more characters\)$")


@dataclass(frozen=True, slots=True)
class Anchor:
    """Lines of one side of a changed file. ``lines`` are these lines as they are shown."""

    side: str
    start_line: int
    end_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoAnchor:
    """Why there is none."""

    reason: DropReason
    detail: str


class Sides:
    """Both sides of a changed file as they are shown to a model. ``old`` and ``new`` are the blobs, None where there is none."""

    def __init__(self, file: ChangedFile, old: bytes | None, new: bytes | None) -> None:
        self.file = file
        self._shown = {"left": shown_lines(old), "right": shown_lines(new)}
        self._folded = {side: [fold_space(line) for line in lines] for side, lines in self._shown.items()}

        self._written: dict[str, _Written] = {}

    def written(self, side: str) -> "_Written":
        """The side as one text, made when it is first asked for."""
        if side not in self._written:
            self._written[side] = _Written(self._folded[side])
        return self._written[side]

    def shown(self, side: str) -> list[str]:
        return self._shown[side]

    def folded(self, side: str) -> list[str]:
        """The lines with white space folded."""
        return self._folded[side]

    def touched(self, side: str, start: int, end: int) -> bool:
        """Whether the change touches these lines."""
        return self.file.touches(start, end) if side == "right" else self.file.removed.overlaps(start, end)

    def changed(self, side: str, line: int) -> bool:
        return line in (self.file.added if side == "right" else self.file.removed)


class _Written:
    """The lines of a side that are not blank as one text, in which a quote is looked for as it is, however far away."""

    def __init__(self, folded: Sequence[str]) -> None:
        self._numbers = [number for number, line in enumerate(folded, 1) if line]
        self._text = "\n".join(["", *(folded[number - 1] for number in self._numbers), ""])
        self._ends = list(accumulate(len(folded[number - 1]) + 1 for number in self._numbers))

    def places(self, reading: Sequence[str]) -> "list[_Place]":
        """The places of these very lines: all that matters is whether there is one."""
        wanted = "\n".join(["", *reading, ""])
        position = self._text.find(wanted)
        out: list[_Place] = []
        while position >= 0 and len(out) < 2:
            start = bisect_right(self._ends, position)
            out.append(_Place(self._numbers[start], self._numbers[start + len(reading) - 1]))
            position = self._text.find(wanted, position + 1)
        return out


def find_anchor(candidate: Candidate, sides: Sides) -> Anchor | NoAnchor:
    """The lines that hold the candidate's code, nearest to those that it gives; first on the side that it gives."""
    code = candidate.code
    if code is None or not code.strip():
        return NoAnchor(DropReason.CODE_MISSING, "The finding does not say which lines of code it is about.")
    untouched: _Place | None = None
    for side in (candidate.side, "left" if candidate.side == "right" else "right"):
        place = _nearest(code, candidate, sides, side)
        if place is not None and sides.touched(side, place.start, place.end):
            lines = sides.shown(side)[place.start - 1 : place.end]
            return Anchor(side, place.start, place.end, tuple(lines))
        untouched = untouched or place
    if untouched is not None:
        where = f"{candidate.path}:{untouched.start}"
        return NoAnchor(DropReason.LINES_NOT_CHANGED, f"This code stands at {where}, and the change does not touch it.")
    return NoAnchor(DropReason.CODE_NOT_FOUND, "The file does not hold this code where the finding says, nor anywhere near.")


@dataclass(frozen=True, slots=True)
class _Place:
    """Lines ``start..end``, 1-based."""

    start: int
    end: int

    def distance(self, candidate: Candidate) -> int:
        return max(0, self.start - candidate.end_line, candidate.start_line - self.end)


def _nearest(code: str, candidate: Candidate, sides: Sides, side: str) -> _Place | None:
    folded = sides.folded(side)
    first, last = max(1, candidate.start_line - SEARCHED), min(len(folded), candidate.end_line + SEARCHED)
    lines = [(number, folded[number - 1]) for number in range(first, last + 1) if folded[number - 1]]
    written = sides.written(side)
    for reading in _readings(code, side):
        says_nothing = sum(char.isalnum() for line in reading for char in _REDACTED.sub("", line)) < MIN_LETTERS
        for loose in (False, True):
            places = list(_places(reading, lines, loose=loose)) or ([] if loose else written.places(reading))
            if len(places) > 1 or says_nothing:
                places = [one for one in places if one.distance(candidate) <= (0 if says_nothing else NEAR)]
            if places:
                return min(
                    places,
                    key=lambda one: (
                        one.distance(candidate) > 0,
                        not sides.touched(side, one.start, one.end),
                        one.distance(candidate),
                        abs(one.start - candidate.start_line),
                        one.start,
                    ),
                )
            if says_nothing:
                break
    return None


def _readings(code: str, side: str) -> Iterator[list[str]]:
    """What the quoted lines may be, folded, without blank ones: as written, out of a listing, out of a diff."""
    lines = [line for line in code.replace("\r\n", "\n").split("\n") if line.strip()]
    if len(lines) > 1 and _FENCE.fullmatch(lines[0]):
        lines = lines[1:-1] if _FENCE.fullmatch(lines[-1]) else lines[1:]
    seen: list[list[str]] = []
    for reading in (lines, _unlisted(lines, side), _undiffed(lines, side)):
        folded = [folded for line in reading if (folded := fold_space(line))]
        while folded and _DOTS.fullmatch(folded[0]):
            folded.pop(0)
        while folded and _DOTS.fullmatch(folded[-1]):
            folded.pop()
        if folded and folded not in seen:
            seen.append(folded)
            yield folded


def _unlisted(lines: Sequence[str], side: str) -> list[str]:
    """Lines without the numbers before them, of one side; none where a line has no number."""
    out: list[str] = []
    other = "-" if side == "right" else "+"
    for line in lines:
        found = _LISTED.fullmatch(line)
        if found is not None:
            if found["mark"] != other:
                out.append(found["code"])
        elif _DOTS.fullmatch(line.strip()):
            out.append(line)
        else:
            return []
    return out


def _undiffed(lines: Sequence[str], side: str) -> list[str]:
    """Lines of a diff without the marks, of one side; none where they are no diff."""
    if not all(line[0] in "+- \t" or _DOTS.fullmatch(line.strip()) for line in lines) or not any(line[0] in "+-" for line in lines):
        return []
    other = "-" if side == "right" else "+"
    return [line[1:] if line[0] in "+- " else line for line in lines if line[0] != other]


def _places(reading: Sequence[str], lines: Sequence[tuple[int, str]], *, loose: bool) -> Iterator[_Place]:
    """Every place of a reading. ``loose``: its first line may begin, and its last one end, within a line of the file."""
    parts = _parts(reading)
    if len(parts) > MAX_PARTS:
        return
    for index in range(len(lines)):
        end = _run(parts[0], lines, index, loose, first=True, last=len(parts) == 1)
        for number, part in enumerate(parts[1:], 1):
            if end < 0:
                break
            start, end = end, -1
            for further in range(start, len(lines)):
                if lines[further][0] - lines[start - 1][0] > MAX_GAP:
                    break
                end = _run(part, lines, further, loose, first=False, last=number == len(parts) - 1)
                if end >= 0:
                    break
        if end >= 0:
            yield _Place(lines[index][0], lines[end - 1][0])


def _parts(reading: Sequence[str]) -> list[list[str]]:
    """The lines between lines that are dots alone."""
    parts: list[list[str]] = [[]]
    for line in reading:
        if _DOTS.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in parts if part]


def _run(part: Sequence[str], lines: Sequence[tuple[int, str]], index: int, loose: bool, *, first: bool, last: bool) -> int:
    """The index behind the last of the lines that ``part`` is, or -1."""
    if index + len(part) > len(lines):
        return -1
    for number, wanted in enumerate(part):
        if wanted == lines[index + number][1]:
            continue
        begins_within = loose and first and number == 0
        ends_within = loose and last and number == len(part) - 1
        if not _same(wanted, lines[index + number][1], begins_within=begins_within, ends_within=ends_within):
            return -1
    return index + len(part)


def _same(wanted: str, line: str, *, begins_within: bool, ends_within: bool) -> bool:
    """Whether a quoted line that is not equal to a line of the file stands for it all the same."""
    if len(line) > MAX_LINE:
        start = _CUT.sub("", wanted).rstrip(" \u2026.")
        if len(start) >= MIN_PREFIX and line.startswith(start):
            return True
    if _REDACTED.search(wanted):
        return _holds_parts(line, _REDACTED.split(wanted), begins_within=begins_within, ends_within=ends_within)
    if not (begins_within or ends_within) or sum(char.isalnum() for char in wanted) < MIN_LETTERS:
        return False
    if begins_within and ends_within:
        return _holds_words(line, wanted)
    return line.endswith(wanted) if begins_within else line.startswith(wanted)


def _holds_parts(line: str, parts: Sequence[str], *, begins_within: bool, ends_within: bool) -> bool:
    """Whether a line is these texts, a character or more between each two. Each stands where it first may: no way back."""
    position = line.find(parts[0]) if begins_within else 0
    if position < 0 or not line.startswith(parts[0], position):
        return False
    position += len(parts[0])
    for part in parts[1:-1]:
        position = line.find(part, position + 1)
        if position < 0:
            return False
        position += len(part)
    last = parts[-1]
    if ends_within:
        return position < len(line) and line.find(last, position + 1) >= 0
    return len(line) - len(last) > position and line.endswith(last)


def _holds_words(line: str, wanted: str) -> bool:
    """Whether a line holds a text that begins and ends at the border of a word."""
    position = line.find(wanted)
    while position >= 0:
        before, after = line[:position][-1:], line[position + len(wanted) :][:1]
        if not (_is_word(before) and _is_word(wanted[0])) and not (_is_word(after) and _is_word(wanted[-1])):
            return True
        position = line.find(wanted, position + 1)
    return False


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
