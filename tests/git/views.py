"""What the tests compare of a changed file, and contents that they share."""

from pathlib import Path

from kodus_check.model import ChangedFile, FileKind, FileStatus
from tests.repo import Repo

TEXT = "".join(f"line {number}\n" for number in range(1, 11))
BINARY = b"\x89PNG\r\n\0\0\0\n"
HIDDEN = b"safe\n\0\nend\n"

Seen = tuple[FileStatus, FileKind, str | None, list[int], list[int], list[int], list[int]]
"""Status, kind, old path, added, removed, right, cuts."""


def seen(file: ChangedFile) -> Seen:
    old = str(file.old_path) if file.old_path else None
    return file.status, file.kind, old, list(file.added), list(file.removed), list(file.right), list(file.cuts)


def nothing(status: FileStatus, kind: FileKind = FileKind.FILE, old: str | None = None) -> Seen:
    return status, kind, old, [], [], [], []


def added(directory: Path, base: str, head: str) -> dict[str, list[int]]:
    """The added lines of each file of a change in the workspace ``directory``."""
    return {name: list(file.added) for name, file in Repo(directory).changed(base, head).items()}
