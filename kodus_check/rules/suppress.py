"""Suppression comments of ast-grep, which the change itself could bring along.

No flag of ast-grep turns them off, so they are broken in the scanned copy by one byte of the same length. Only a comment that names
its rules and stands unchanged at the base keeps its meaning: the team has seen that one.
"""

import re
from dataclasses import dataclass

from kodus_check.model import ChangedFile

MARK = b"ast-grep-ignore"
MASKED = b"ast-grep_ignore"

_NAMED = re.compile(rb"ast-grep-ignore[ \t]*:[ \t]*[^\s*<#-]")


@dataclass(frozen=True, slots=True)
class Suppressions:
    """1-based head lines of one file's suppression comments: those that keep their meaning, and those that the change adds."""

    honoured: tuple[int, ...]
    added: tuple[int, ...]


def mask(data: bytes) -> bytes:
    """``data`` with every suppression comment broken, offsets unchanged."""
    return data.replace(MARK, MASKED) if MARK in data else data


def unmask_text(text: str) -> str:
    """Text that ast-grep reported from a masked copy, as it stands in the original."""
    return text.replace(MASKED.decode(), MARK.decode())


def find(file: ChangedFile, head: bytes, base: bytes | None) -> Suppressions:
    """The suppression comments of a file's head bytes, judged against its bytes at the base (None: it is not there)."""
    known = set(base.split(b"\n")) if base is not None else set()
    honoured: list[int] = []
    added: list[int] = []
    for number, line in enumerate(head.split(b"\n"), start=1):
        if MARK not in line:
            continue
        if number in file.added:
            added.append(number)
        elif line in known and _NAMED.search(line):
            honoured.append(number)
    return Suppressions(tuple(honoured), tuple(added))


def with_honoured(scanned: bytes, lines: tuple[int, ...]) -> bytes:
    """A masked copy in which the comments on ``lines`` have their meaning back."""
    parts = scanned.split(b"\n")
    for number in lines:
        parts[number - 1] = parts[number - 1].replace(MASKED, MARK)
    return b"\n".join(parts)
