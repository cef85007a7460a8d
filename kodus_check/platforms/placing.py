"""Where a finding can stand on a pull request: GitHub takes comments only on lines of the change's own hunks, and refuses a whole
review for one line that is not. So each place is checked by our own lines before anything is sent."""

from dataclasses import dataclass

from kodus_check.model import ChangedFile, Finding, Hunk


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of one hunk that a comment can be on. ``whole`` says that they are all lines of the finding."""

    side: str
    start: int
    end: int
    whole: bool


def place_of(finding: Finding, file: ChangedFile | None) -> Place | None:
    """The place of a finding in the diff; None where it has none, as in a binary file or far from any hunk."""
    if file is None:
        return None
    first, last = finding.start_line, finding.end_line
    best: tuple[int, Place] | None = None
    for hunk in file.hunks:
        start, end = _lines(hunk, finding.side)
        start, end = max(start, first), min(end, last)
        if finding.side == "left":
            removed = [line for line in range(start, end + 1) if line in file.removed]
            if not removed:
                continue
            start, end = removed[0], removed[-1]
        if start > end:
            continue
        touched = sum(line in (file.added if finding.side == "right" else file.removed) for line in range(start, end + 1))
        place = Place(finding.side, start, end, (start, end) == (first, last))
        if best is None or touched > best[0]:
            best = (touched, place)
    return best[1] if best is not None else None


def _lines(hunk: Hunk, side: str) -> tuple[int, int]:
    """The first and last line of a hunk on one side."""
    if side == "right":
        return hunk.new_start, hunk.new_start + hunk.new_lines - 1
    return hunk.old_start, hunk.old_start + hunk.old_lines - 1
