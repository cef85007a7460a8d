"""A change in parts that a model can read: whole files where they fit, else hunks, else pieces of hunks. None is lost."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kodus_check.agent.difftext import HunkText, split
from kodus_check.model import ChangedFile, RepoPath
from kodus_check.text import one_line

MAX_TOKENS = 24_000
"""Tokens of change in one batch: reviewers find less in more."""
_PIECE_LINES = 200


@dataclass(frozen=True, slots=True)
class FileText:
    """A changed file as text: its heading and hunks."""

    file: ChangedFile
    hunks: tuple[HunkText, ...]

    @property
    def heading(self) -> str:
        old = f" (was {one_line(str(self.file.old_path))})" if self.file.old_path else ""
        return f"## {one_line(str(self.file.path))}: {self.file.status}{old}"


@dataclass(slots=True)
class Batch:
    """The text of one batch and the files that are in it, whole or in part."""

    text: str = ""
    paths: dict[RepoPath, None] = field(default_factory=dict)
    tokens: int = 0


def batches(files: Iterable[FileText], count: Callable[[str], int], *, most: int = MAX_TOKENS) -> list[Batch]:
    """Every file in order, in as few batches as the order allows; each holds at most about ``most`` tokens."""
    out: list[Batch] = []
    for file in files:
        whole = "\n".join([file.heading, *(hunk.text for hunk in file.hunks)])
        size = count(whole)
        if size <= most:
            _add(out, file, whole, size, most)
            continue
        room = most - count(file.heading) - 2
        pieces = [piece for hunk in file.hunks for piece in _pieces(hunk, count, room)]
        for piece in pieces:
            text = f"{file.heading}\n{piece.text}"
            _add(out, file, text, count(text), most)
    return out


def _add(out: list[Batch], file: FileText, text: str, size: int, most: int) -> None:
    if not out or out[-1].tokens + size > most:
        out.append(Batch())
    batch = out[-1]
    batch.text = f"{batch.text}\n\n{text}" if batch.text else text
    batch.paths[file.file.path] = None
    batch.tokens += size


def _pieces(hunk: HunkText, count: Callable[[str], int], most: int) -> list[HunkText]:
    """A hunk as it is where it fits, else in pieces that do, as far as single lines allow."""
    if count(hunk.text) <= most:
        return [hunk]
    lines = _PIECE_LINES
    while lines > 1:
        pieces = split(hunk, lines)
        if all(count(piece.text) <= most for piece in pieces):
            return pieces
        lines //= 2
    return split(hunk, 1)
