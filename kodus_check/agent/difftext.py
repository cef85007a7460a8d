"""A change as a model reads it: one number a line, of the side that the line belongs to, so that it can point and be checked.

``12 `` is a line of context and ``12+`` an added one, numbered in head; ``12-`` is a removed one, numbered in the merge base.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kodus_check.model import ChangedFile, Hunk
from kodus_check.text import cut_line, shown_lines


@dataclass(frozen=True, slots=True)
class HunkText:
    """A hunk's lines, its first line being the header."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def hunk_texts(file: ChangedFile, old: bytes | None, new: bytes | None) -> list[HunkText]:
    """The hunks of a file, from the blobs of both sides (None where there is none)."""
    before, after = shown_lines(old), shown_lines(new)
    return [HunkText((_header(hunk), *_numbered(file, hunk, before, after))) for hunk in file.hunks]


def split(hunk: HunkText, most: int) -> list[HunkText]:
    """A hunk in pieces of at most ``most`` lines, each with the header."""
    head, *lines = hunk.lines
    return [HunkText((head, *lines[start : start + most])) for start in range(0, max(1, len(lines)), most)]


def _header(hunk: Hunk) -> str:
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"


def _numbered(file: ChangedFile, hunk: Hunk, before: list[str], after: list[str]) -> Iterator[str]:
    old = hunk.old_start if hunk.old_lines else hunk.old_start + 1
    new = hunk.new_start if hunk.new_lines else hunk.new_start + 1
    old_end, new_end = old + hunk.old_lines, new + hunk.new_lines
    while old < old_end or new < new_end:
        if old < old_end and old in file.removed:
            yield f"{old}-{_at(before, old)}"
            old += 1
        elif new < new_end and new in file.added:
            yield f"{new}+{_at(after, new)}"
            new += 1
        else:
            yield f"{new} {_at(after, new)}"
            old, new = old + 1, new + 1


def _at(lines: list[str], number: int) -> str:
    return cut_line(lines[number - 1]) if number <= len(lines) else ""
