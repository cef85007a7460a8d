"""Suppression comments of ast-grep, which the change itself could bring along.

No flag of ast-grep turns them off, so they are broken in the scanned copy by one byte of the same length, and rules that look for
such comments are written with the same byte. Only a comment that names its rules and stands unchanged at the base keeps its
meaning: the team has seen that one.

T1  the change adds a comment, or one without a name        -> stays broken
T2  an empty line after a comment on the first line makes   -> such a comment counts only where the base has that line too
    it speak for the whole file
T3  a line that the change adds continues the comment with  -> only rules whose id stands on an honoured line itself are silenced
    another id
"""

import re
from dataclasses import dataclass

from kodus_check.model import ChangedFile

MARK = b"ast-grep-ignore"
MASKED = b"ast-grep_ignore"

_NAMES = rb"(?=[ \t]*:[ \t]*[^\s*<#-])"
_NAMED = re.compile(re.escape(MARK) + _NAMES)
_NAMED_MASKED = re.compile(re.escape(MASKED) + _NAMES)


@dataclass(frozen=True, slots=True)
class Suppressions:
    """1-based head lines of one file's suppression comments: those that keep their meaning, and those that the change adds.

    One that the change makes speak for the whole file counts as added.
    """

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
    lines, base_lines = head.split(b"\n"), base.split(b"\n") if base is not None else []
    known = set(base_lines)
    honoured: list[int] = []
    added: list[int] = []
    for number, line in enumerate(lines, start=1):
        if MARK not in line:
            continue
        whole_file = number == 1 and not b"".join(lines[1:2]).strip()
        if number in file.added or (whole_file and line in known and base_lines[:2] != lines[:2]):
            added.append(number)
        elif line in known and _NAMED.search(line):
            honoured.append(number)
    return Suppressions(tuple(honoured), tuple(added))


def with_honoured(scanned: bytes, lines: tuple[int, ...]) -> bytes:
    """A masked copy in which the comments on ``lines`` that name their rules have their meaning back."""
    parts = scanned.split(b"\n")
    for number in lines:
        parts[number - 1] = _NAMED_MASKED.sub(MARK, parts[number - 1])
    return b"\n".join(parts)


def names_rule(data: bytes, lines: tuple[int, ...], rule_id: str) -> bool:
    """Whether a comment on one of these 1-based lines of ``data`` names the rule."""
    name = re.compile(rb"(?<![\w-])" + re.escape(rule_id.encode()) + rb"(?![\w-])")
    parts = data.split(b"\n")
    return any(name.search(names) for number in lines for names in _NAMED.split(parts[number - 1])[1:])
