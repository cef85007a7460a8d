"""The change set. Lines are 1-based: in head for ``right``, in the merge base for ``left``."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kodus_check.model.paths import RepoPath, Sha
from kodus_check.model.words import FileKind, FileStatus


@dataclass(frozen=True, slots=True)
class LineSet:
    """Sorted, disjoint, inclusive 1-based line ranges. Built by :meth:`of`."""

    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, lines: Iterable[int]) -> "LineSet":
        """From ascending numbers of lines, or of cuts, where 0 is before the first line."""
        ranges: list[tuple[int, int]] = []
        start = end = -2
        for line in lines:
            if line == end + 1:
                end = line
                continue
            if end >= 0:
                ranges.append((start, end))
            start = end = line
        if end >= 0:
            ranges.append((start, end))
        return cls(tuple(ranges))

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(end - start + 1 for start, end in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for start, end in self.ranges:
            yield from range(start, end + 1)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any line of ``start..end`` (inclusive) is in the set."""
        index = bisect_right(self.ranges, (end, 1 << 62))
        return index > 0 and self.ranges[index - 1][1] >= start

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.overlaps(line, line)


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk with three lines of context, numbered as ``git diff`` prints it: a start of an empty side is the line before."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of the change, its line numbers proved against both blobs.

    ``added`` are lines of head, ``removed`` lines of the merge base; ``right`` are the lines of head that stand in a hunk
    (added and context), which is what platforms let people comment on. ``cuts`` are head lines after which something was
    removed (0 is before the first line). ``oversize`` blobs are hashed but not kept, and have no lines here.
    """

    path: RepoPath
    status: FileStatus
    kind: FileKind
    old_path: RepoPath | None = None
    old_oid: Sha | None = None
    new_oid: Sha | None = None
    hunks: tuple[Hunk, ...] = ()
    added: LineSet = field(default=LineSet())
    removed: LineSet = field(default=LineSet())
    right: LineSet = field(default=LineSet())
    cuts: LineSet = field(default=LineSet())
    oversize: bool = False

    def touches(self, start: int, end: int) -> bool:
        """Whether head lines ``start..end`` hold an added line, or had a line removed between two of them."""
        return self.added.overlaps(start, end) or (start < end and self.cuts.overlaps(start, end - 1))


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit and the name it was asked for by."""

    ref: str
    sha: Sha


@dataclass(frozen=True, slots=True)
class Change:
    """``merge_base..head``, judged by what stands at ``base``. ``merge_base`` is the base itself where histories are unrelated."""

    base: Revision
    head: Revision
    merge_base: Sha
    files: tuple[ChangedFile, ...]
