"""The nouns of the program. Values only: no I/O, and nothing here imports another module of ours but ``errors``.

Lines are 1-based everywhere, in head for ``right`` and in the merge base for ``left``; byte offsets are 0-based and
end-exclusive, in the bytes of the blob as git stores it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
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


class FileStatus(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"
    MODE_CHANGED = "mode_changed"


class FileKind(StrEnum):
    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    BINARY = "binary"


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for critical, 4 for info: smaller is worse."""
        return list(Severity).index(self)


class Mode(StrEnum):
    """What a finding may do: be counted only, be shown, or be shown and fail the check."""

    SHADOW = "shadow"
    COMMENT = "comment"
    GATE = "gate"


class Scope(StrEnum):
    CHANGED_LINES = "changed-lines"
    CHANGED_FILES = "changed-files"


class Outcome(StrEnum):
    CLEAN = "clean"
    FINDINGS = "findings"
    PARTIAL = "partial"
    FAILED = "failed"


class CoverageStatus(StrEnum):
    JUDGED = "judged"
    RULES_ONLY = "rules_only"
    SKIPPED = "skipped"
    NOT_SCANNED = "not_scanned"


class CoverageReason(StrEnum):
    """Why a changed file was not judged. The first group was rightly left alone, the second should have been judged."""

    NO_RULE = "no_rule"
    DELETED = "deleted"
    NO_CHANGED_LINES = "no_changed_lines"
    IGNORED = "ignored"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    BINARY = "binary"
    LFS_POINTER = "lfs_pointer"
    EMPTY = "empty"

    PATH_NOT_PLAIN = "path_not_plain"
    PATH_TOO_LONG = "path_too_long"
    INVALID_UTF8 = "invalid_utf8"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASH = "crash"
    NOT_READ = "not_read"


class NoticeKind(StrEnum):
    CONFIG_INVALID = "config_invalid"
    CONFIG_REPAIRED_IN_HEAD = "config_repaired_in_head"
    CHECK_CONFIGURATION_CHANGED = "check_configuration_changed"
    NOTHING_TO_JUDGE = "nothing_to_judge"
    NO_RULES = "no_rules"
    NOT_SCANNED = "not_scanned"
    OUT_OF_SCOPE = "out_of_scope"
    COULD_NOT_REVIEW = "could_not_review"
    RULE_REFUSED = "rule_refused"
    RULE_KEY_DROPPED = "rule_key_dropped"
    RULE_GLOB_INERT = "rule_glob_inert"
    SOURCE_REFUSED = "source_refused"
    SGCONFIG_KEY_IGNORED = "sgconfig_key_ignored"
    SUPPRESSION_HONOURED = "suppression_honoured"
    SUPPRESSION_ADDED = "suppression_added"
    TEMPLATE_REFUSED = "template_refused"
    UNRELATED_HISTORIES = "unrelated_histories"


class DropReason(StrEnum):
    """Why a candidate did not become a finding."""

    TEXT_NOT_AT_OFFSETS = "text_not_at_offsets"
    RULE_NOT_LOADED = "rule_not_loaded"
    FILE_NOT_CHANGED = "file_not_changed"
    LINES_NOT_CHANGED = "lines_not_changed"
    SAME_PLACE_AND_RULE = "same_place_and_rule"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that people must know about a run: what happened, what it means, what to do. ``subject`` is its path or name."""

    kind: NoticeKind
    message: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class LineSet:
    """Sorted, disjoint, inclusive 1-based line ranges. Built by :meth:`of`."""

    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, lines: Iterable[int]) -> "LineSet":
        """From ascending line numbers."""
        ranges: list[tuple[int, int]] = []
        start = end = -1
        for line in lines:
            if line == end + 1:
                end = line
                continue
            if end > 0:
                ranges.append((start, end))
            start = end = line
        if end > 0:
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


class RuleStatus(StrEnum):
    LOADED = "loaded"
    REFUSED = "refused"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule document at the base and its fate. ``line`` is where it starts in its source; ``text`` is what ast-grep gets.

    ``mode`` is what ``metadata.mode`` asks for; None leaves it to the configuration.
    """

    id: str
    language: str
    severity: Severity
    status: RuleStatus
    source: str
    line: int
    reason: str = ""
    text: str = field(default="", repr=False)
    mode: Mode | None = None
    note: str = ""

    @property
    def runs(self) -> bool:
        return self.status is RuleStatus.LOADED


@dataclass(frozen=True, slots=True)
class Match:
    """What ast-grep reported for one rule in one file of head, with lines that this program computed from the offsets.

    ``text`` is the head's own bytes between the offsets. ``ordinal`` counts equal matches (rule, path, folded text) from 0.
    """

    rule_id: str
    path: RepoPath
    byte_start: int
    byte_end: int
    start_line: int
    end_line: int
    text: str
    message: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """A rule of the base matched these bytes of head. Made by ``evidence`` alone, which checked the bytes."""

    rule_id: str
    source: str
    byte_start: int
    byte_end: int
    text: str
    message: str


Evidence = MatchEvidence


@dataclass(frozen=True, slots=True)
class Finding:
    """What is published. It cannot be built without evidence; ``start_line..end_line`` are lines of ``path`` on ``side``."""

    fingerprint: str
    agent: str
    path: RepoPath
    old_path: RepoPath | None
    side: str
    start_line: int
    end_line: int
    severity: Severity
    mode: Mode
    title: str
    body: str
    evidence: Evidence

    def __post_init__(self) -> None:
        if not isinstance(self.evidence, Evidence):
            raise TypeError("a finding needs evidence")


@dataclass(frozen=True, slots=True)
class Drop:
    """A candidate that did not become a finding, and why."""

    reason: DropReason
    detail: str
    candidate: Match


@dataclass(frozen=True, slots=True)
class Coverage:
    """What happened to one changed file."""

    path: RepoPath
    status: CoverageStatus
    reason: CoverageReason | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """Everything that a run found out: the only thing that passes from judging to rendering and publishing.

    ``fails`` says that a gating finding reaches ``fail_on``, ``gate_open`` that a file which a gating rule should have judged
    was not scanned and ``on_unscanned`` is ``fail``.
    """

    outcome: Outcome
    base: Revision | None
    head: Revision | None
    merge_base: Sha | None
    config_sha: Sha | None
    config_sources: tuple[str, ...]
    findings: tuple[Finding, ...]
    drops: tuple[Drop, ...]
    notices: tuple[Notice, ...]
    coverage: tuple[Coverage, ...]
    rules: tuple[Rule, ...]
    timings: dict[str, float]
    gate_open: bool = False
    fails: bool = False
