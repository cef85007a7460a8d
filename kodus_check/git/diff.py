"""Reading ``git diff-tree`` output, and proving what was read against the blobs.

The reader counts hunk lines: ``+++``, ``---``, ``diff --git`` and ``@@`` inside a hunk are content, whatever they look like. Lines
end at ``\\n`` alone, so CR, form feed and U+2028 are content too. Names come from the NUL-separated raw records, never from the
headers. What it read counts only once :func:`prove` has made the new blob out of the old one with it.
"""

import io
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from kodus_check.errors import CannotReview
from kodus_check.git.process import command, environment, no_git, said
from kodus_check.model import Hunk, LineSet, RepoPath, Sha, parse_sha

_HUNK = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")
_RAW = re.compile(rb":([0-7]{6}) ([0-7]{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])[0-9]*")
_NO_NEWLINE = b"\\"

RENAME_LIMIT = 1000
"""Above this many candidates git pairs only exact renames, so that a huge change stays linear."""


class DiffMismatch(CannotReview):
    """What git printed does not make the new blob out of the old one."""

    def __init__(self, path: RepoPath, detail: str) -> None:
        super().__init__(
            f"the diff that git printed is not the difference of the two verified blobs: {detail}",
            where=str(path),
            remedy="The object database was changed or is damaged; nothing in it can judge. Run `git fsck`, then clone again.",
        )


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One entry of the file list. ``letter`` is git's status; ``old_path`` differs from ``path`` for R and C."""

    letter: str
    path: RepoPath
    old_path: RepoPath
    old_mode: int
    new_mode: int
    old_oid: Sha | None
    new_oid: Sha | None

    @property
    def sections(self) -> int:
        """How many ``diff --git`` parts git prints for it: a change of type is a deletion and a creation."""
        return 2 if self.letter == "T" else 1


@dataclass(slots=True)
class HunkText:
    """A hunk with its lines as printed: the first byte is the tag, the rest the content with its newline, if it has one."""

    hunk: Hunk
    lines: list[bytes]


@dataclass(slots=True)
class Section:
    """One ``diff --git`` part."""

    ids: tuple[bytes, bytes] | None = None
    binary: bool = False
    hunks: list[HunkText] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(len(line) for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True, slots=True)
class ProvedLines:
    """The line numbers of one file's change, after the proof."""

    hunks: tuple[Hunk, ...]
    added: LineSet
    removed: LineSet
    right: LineSet
    cuts: LineSet


@contextmanager
def diff_tree(git_dir: Path, old: Sha, new: Sha, *, text: bool = False) -> Iterator[tuple[list[RawRecord], Iterator[Section]]]:
    """The file list and the sections of the difference of two trees or commits, the sections streamed.

    ``text`` makes git treat every blob as text. A non-zero exit of git is CannotReview when the block ends.
    """
    arguments = [
        "diff-tree", "-r", "-M", "-C", f"-l{RENAME_LIMIT}", "--raw", "-p", "-z", "--full-index", "--no-color", "--no-ext-diff",
        "--no-textconv", "--irreversible-delete", "--submodule=short", "--ignore-submodules=none", "--diff-algorithm=myers",
        "--indent-heuristic", "-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/",
        *(["--text"] if text else []), old, new,
    ]  # fmt: skip
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command(git_dir, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(),
                bufsize=1 << 16,
            )
        except FileNotFoundError:
            raise no_git() from None
        assert process.stdout is not None
        try:
            records, rest = _raw_records(process.stdout)
            yield records, _sections(_Lines(rest, process.stdout), text=text)
        except BaseException:
            process.kill()
            raise
        finally:
            process.stdout.close()
            code = process.wait()
        if code != 0:
            errors.seek(0)
            raise CannotReview(
                f"git diff-tree ended with {code}: {said(errors.read())}",
                remedy="An object may be missing (shallow or partial clone) or damaged: run `git fsck`, or clone in full.",
            )


def prove(path: RepoPath, old: bytes, new: bytes, hunks: list[HunkText]) -> ProvedLines:
    """Applies ``hunks`` to ``old`` and returns their lines if the result is ``new``, byte for byte; else DiffMismatch."""
    old_lines = io.BytesIO(old).readlines()
    out: list[bytes] = []
    position = 0
    added: list[int] = []
    removed: list[int] = []
    cuts: list[int] = []
    right: list[tuple[int, int]] = []
    for text in hunks:
        hunk = text.hunk
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        before = [line[1:] for line in text.lines if line[0] != 0x2B]
        fits = position <= start <= len(old_lines) and len(before) == hunk.old_lines
        if not fits or old_lines[start : start + hunk.old_lines] != before:
            raise DiffMismatch(path, f"the hunk at line {hunk.old_start} is not what the old file holds")
        out.extend(old_lines[position:start])
        position = start + hunk.old_lines
        if len(out) != (hunk.new_start - 1 if hunk.new_lines else hunk.new_start):
            raise DiffMismatch(path, f"the hunk at line {hunk.new_start} is at another line of the new file")
        if hunk.new_lines:
            right.append((hunk.new_start, hunk.new_start + hunk.new_lines - 1))
        end = len(out) + hunk.new_lines
        old_number = start
        for line in text.lines:
            tag = line[0]
            if tag == 0x2B:
                out.append(line[1:])
                added.append(len(out))
                continue
            old_number += 1
            if tag == 0x2D:
                removed.append(old_number)
                if not cuts or cuts[-1] != len(out):
                    cuts.append(len(out))
            else:
                out.append(line[1:])
        if len(out) != end:
            raise DiffMismatch(path, f"the hunk at line {hunk.new_start} has more or fewer new lines than it says")
    out.extend(old_lines[position:])
    if b"".join(out) != new:
        raise DiffMismatch(path, "applying it to the old file does not give the new one")
    return ProvedLines(
        tuple(text.hunk for text in hunks),
        LineSet.of(added),
        LineSet.of(removed),
        LineSet(tuple(right)),
        LineSet(tuple((line, line) for line in cuts)),  # `of` is for lines, and 0 is none
    )


def one_sided(data: bytes, *, is_new: bool) -> ProvedLines:
    """The lines of a file that exists on one side only: all of them. Nothing to prove, for nothing was read from git's diff."""
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    if count == 0:
        return ProvedLines((), LineSet(), LineSet(), LineSet(), LineSet())
    every = LineSet(((1, count),))
    if is_new:
        return ProvedLines((Hunk(0, 0, 1, count),), every, LineSet(), every, LineSet())
    return ProvedLines((Hunk(1, count, 0, 0),), LineSet(), every, LineSet(), LineSet(((0, 0),)))


class _Lines:
    """Lines of a stream of which a first part was already read. ``readline`` is the stream's own once that part is used up."""

    readline: Callable[[], bytes]

    def __init__(self, first: bytes, stream: IO[bytes]) -> None:
        self._first = io.BytesIO(first)
        self._stream = stream
        self.readline = self._from_first

    def _from_first(self) -> bytes:
        line = self._first.readline()
        if line.endswith(b"\n"):
            return line
        self.readline = self._stream.readline
        return line + self._stream.readline()


def _raw_records(stream: IO[bytes]) -> tuple[list[RawRecord], bytes]:
    """The NUL-separated records at the start of the output, and what was read beyond them."""
    buffer = bytearray()
    position = 0

    def token() -> bytes | None:
        nonlocal position
        while (end := buffer.find(b"\0", position)) < 0:
            part = stream.read(1 << 16)
            if not part:
                return None
            buffer.extend(part)
        found = bytes(buffer[position:end])
        position = end + 1
        return found

    records: list[RawRecord] = []
    while head := token():
        path = token()
        new_path = token() if head.rpartition(b" ")[2][:1] in (b"R", b"C") else path
        record = _record(head, path, new_path) if path is not None and new_path is not None else None
        if record is None:
            raise CannotReview("git printed a file list that this program cannot read")
        records.append(record)
    return records, bytes(buffer[position:])


def _record(head: bytes, path: bytes, new_path: bytes) -> RawRecord | None:
    """The record that starts with ``head``; None when it is none."""
    found = _RAW.fullmatch(head)
    if found is None:
        return None
    try:
        paths = RepoPath(new_path), RepoPath(path)
        return RawRecord(found[5].decode(), *paths, int(found[1], 8), int(found[2], 8), _oid(found[3]), _oid(found[4]))
    except ValueError:
        return None


def _oid(raw: bytes) -> Sha | None:
    return None if not raw.strip(b"0") else parse_sha(raw.decode("ascii", "replace"))


def _sections(lines: _Lines, *, text: bool) -> Iterator[Section]:
    section: Section | None = None
    line = lines.readline()
    while line:
        if line.startswith(b"diff --git "):
            if section is not None:
                yield section
            section = Section()
        elif section is None:
            raise CannotReview("git printed a diff that this program cannot read")
        elif line.startswith(b"@@ "):
            hunk, line = _hunk(line, lines)
            section.hunks.append(hunk)
            continue
        elif line.startswith(b"index ") and (ids := _INDEX.match(line)):
            section.ids = (ids[1], ids[2])
        elif line.startswith(b"Binary files "):
            if text:
                raise CannotReview("git printed no lines of a binary file, though it was told to")
            section.binary = True
        line = lines.readline()
    if section is not None:
        yield section


def _hunk(header: bytes, lines: _Lines) -> tuple[HunkText, bytes]:
    """The hunk behind ``header`` and the line after it. A count that is not given is 1."""
    found = _HUNK.match(header)
    if found is None:
        raise CannotReview("git printed a hunk that this program cannot read")
    old_start, new_start = int(found[1]), int(found[3])
    old_lines = 1 if found[2] is None else int(found[2])
    new_lines = 1 if found[4] is None else int(found[4])
    old_left, new_left = old_lines, new_lines
    body: list[bytes] = []
    line = lines.readline()
    while True:
        tag = line[:1]
        if tag == _NO_NEWLINE and body:  # not a line: the one before it has no newline
            body[-1] = body[-1][:-1]
        elif old_left <= 0 and new_left <= 0:
            return HunkText(Hunk(old_start, old_lines, new_start, new_lines), body), line
        elif tag == b" ":
            old_left -= 1
            new_left -= 1
            body.append(line)
        elif tag == b"-":
            old_left -= 1
            body.append(line)
        elif tag == b"+":
            new_left -= 1
            body.append(line)
        else:
            raise CannotReview("git printed a hunk that is shorter than its header says")
        line = lines.readline()
