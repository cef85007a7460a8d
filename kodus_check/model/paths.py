"""Object ids and repository paths: right by construction once made."""

import re
from dataclasses import dataclass
from typing import NewType

from kodus_check.errors import UsageError

Sha = NewType("Sha", str)
"""A full object id in lower-case hex: 40 digits (SHA-1) or 64 (SHA-256). Made by :func:`parse_sha` alone."""

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_sha(text: str) -> bool:
    """Whether ``text`` has the shape of a full object id."""
    return _SHA.fullmatch(text) is not None


def parse_sha(text: str) -> Sha:
    """The object id in ``text``; ``ValueError`` when it is not one."""
    if not is_sha(text):
        raise ValueError(f"not an object id: {text!r}")
    return Sha(text)


@dataclass(frozen=True, slots=True, order=True)
class RepoPath:
    """A path relative to the repository root, as the bytes that git stores. ``str()`` is safe to show, never to open."""

    raw: bytes

    def __post_init__(self) -> None:
        parts = self.raw.split(b"/")
        if any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts) or b"\0" in self.raw:
            raise ValueError(f"not a path inside a repository: {self.raw!r}")

    @classmethod
    def parse(cls, text: str) -> "RepoPath":
        """The path a person, a config or a platform wrote: ``./`` and ``\\`` are normalised, a way out is refused."""
        folded = text.replace("\\", "/")
        if folded.startswith("/") or re.match(r"[A-Za-z]:/", folded):
            raise UsageError("this path is absolute", where=text, remedy="Give it relative to the repository root.")
        parts = [part for part in folded.split("/") if part not in ("", ".")]
        try:
            return cls("/".join(parts).encode("utf-8", "surrogateescape"))
        except ValueError:
            raise UsageError(
                "this path does not stay inside the repository",
                where=text or "(empty)",
                remedy="Give a path below the repository root, without `..`, NUL or `.git`.",
            ) from None

    @property
    def is_utf8(self) -> bool:
        try:
            self.raw.decode()
        except UnicodeDecodeError:
            return False
        return True

    @property
    def is_plain(self) -> bool:
        """UTF-8 without control characters: what line-based output of other programs can carry unharmed."""
        return self.is_utf8 and not any(ch < " " or "\x7f" <= ch <= "\x9f" or ch in "\u2028\u2029" for ch in str(self))

    @property
    def suffix(self) -> str:
        """The extension with its dot, as written (``.TS`` stays ``.TS``); empty where there is none (``.env``)."""
        name = self.raw.rpartition(b"/")[2]
        stem, dot, extension = name.rpartition(b".")
        return f".{extension.decode('utf-8', 'backslashreplace')}" if dot and stem else ""

    def __str__(self) -> str:
        return self.raw.decode("utf-8", "backslashreplace")
