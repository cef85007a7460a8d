"""Files of head in a scratch tree, and what the rules match in them.

T1  head's ``sgconfig.yml``, ignore files and symlinks steer a scan   -> only regular blobs are written, and every file is
                                                                         named on the command line
T2  a suppression comment of head switches a rule off                 -> masked in the copy, byte for byte (``suppress``)
T3  a byte that is not UTF-8 makes ast-grep skip the file in silence  -> masked in the copy
T4  what ast-grep did not read looks like "no match"                  -> each file's own line of ``--inspect entity`` is required
T5  one hostile file takes the whole run down                         -> a chunk that breaks a bound is halved, down to the file
"""

import re
import shutil
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from kodus_check.errors import CannotReview
from kodus_check.model import CoverageReason, Match, RepoPath
from kodus_check.rules import astgrep, languages, suppress
from kodus_check.rules.ruleset import RuleSet
from kodus_check.text import fold_space

MAX_FILE = 4 * 1024 * 1024
CHUNK_FILES = 2000
CHUNK_BYTES = 20 * 1024 * 1024
CHUNK_SECONDS = 30.0
FILE_SECONDS = 10.0
TOTAL_SECONDS = 180.0

_ENTITY = "sg: entity|file|"
_SKIPPED = {"invalidUtf8": CoverageReason.INVALID_UTF8, "emptyFile": CoverageReason.EMPTY, "largeFile": CoverageReason.TOO_LARGE}


@dataclass(slots=True)
class ScanResult:
    """Every match by path (sorted by offset), the files that were read, and why others were not.

    A file in ``unruled`` was read too, but no rule's globs let it in.
    """

    matches: dict[RepoPath, list[Match]] = field(default_factory=dict)
    read: set[RepoPath] = field(default_factory=set)
    unruled: set[RepoPath] = field(default_factory=set)
    not_scanned: dict[RepoPath, CoverageReason] = field(default_factory=dict)


class ScratchTree:
    """Copies of head blobs at their repository paths, as ast-grep gets them. A context manager that removes them."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="kodus-check-scan-"))
        self.root = self._folder / "root"
        self.root.mkdir()
        self._sizes: dict[RepoPath, int] = {}
        self._originals: dict[RepoPath, Path] = {}
        self.refused: dict[RepoPath, CoverageReason] = {}
        self.marked: set[RepoPath] = set()
        """Files that hold a suppression comment."""

    def __enter__(self) -> "ScratchTree":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def paths(self) -> list[RepoPath]:
        return sorted(self._sizes)

    def size(self, path: RepoPath) -> int:
        return self._sizes[path]

    def add(self, path: RepoPath, data: bytes) -> None:
        """Writes one file; what cannot be written is in ``refused`` with its reason."""
        if not path.is_plain:
            self.refused[path] = CoverageReason.PATH_NOT_PLAIN
            return
        if len(data) > MAX_FILE:
            self.refused[path] = CoverageReason.TOO_LARGE
            return
        scanned = suppress.mask(mask_invalid_utf8(data))
        try:
            self._write(self.root, path, scanned)
            if scanned != data:
                self._originals[path] = self._write(self._folder / "originals", path, data)
        except OSError as error:
            if error.strerror != "File name too long":
                raise CannotReview(f"the scratch tree cannot be written: {error}", where=str(path)) from None
            self.refused[path] = CoverageReason.PATH_TOO_LONG
            return
        self._sizes[path] = len(data)
        if suppress.MARK in data:
            self.marked.add(path)

    def scanned(self, path: RepoPath) -> bytes:
        """The bytes that ast-grep gets."""
        return (self.root / str(path)).read_bytes()

    def original(self, path: RepoPath) -> bytes:
        """The bytes of head, of the same length."""
        kept = self._originals.get(path)
        return kept.read_bytes() if kept is not None else self.scanned(path)

    def rewrite(self, path: RepoPath, scanned: bytes) -> None:
        """Gives ast-grep other bytes of the same length."""
        (self.root / str(path)).write_bytes(scanned)

    @staticmethod
    def _write(root: Path, path: RepoPath, data: bytes) -> Path:
        target = root / str(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return target


def mask_invalid_utf8(data: bytes) -> bytes:
    """``data`` with every byte that is not part of valid UTF-8 replaced by ``_``: the same length, and ast-grep reads it."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return data
    # With surrogateescape each bad byte becomes one lone surrogate, which no valid text can hold.
    text = data.decode("utf-8", "surrogateescape")
    return text.translate(_LONE_SURROGATES).encode("utf-8")


_LONE_SURROGATES = dict.fromkeys(range(0xDC80, 0xDD00), "_")


def scannable(path: RepoPath, rule_languages: Iterable[str]) -> bool:
    """Whether a rule in one of these languages can match in a file of this name."""
    return not set(languages.languages_in(path)).isdisjoint(rule_languages)


def scan(rule_set: RuleSet, tree: ScratchTree) -> ScanResult:
    """Runs every loaded rule over the tree: one process a chunk, halved where a bound was broken."""
    result = ScanResult(not_scanned=dict(tree.refused))
    if not rule_set.loaded:
        return result
    rule_set.write_config(tree.root)
    deadline = time.monotonic() + TOTAL_SECONDS
    for chunk in _chunks(tree, tree.paths):
        _scan_chunk(rule_set, tree, chunk, deadline, result)
    for path in tree.paths:
        if path not in result.read and path not in result.not_scanned:
            result.not_scanned[path] = CoverageReason.NOT_READ
    for path, found in result.matches.items():
        result.matches[path] = _ordered(found)
    return result


def silenced(
    rule_set: RuleSet, tree: ScratchTree, result: ScanResult, honoured: dict[RepoPath, tuple[int, ...]]
) -> dict[RepoPath, list[Match]]:
    """The matches of ``result`` that the suppression comments on ``honoured`` lines silence, as ast-grep itself sees it.

    Those files are scanned again with these comments whole. A file that cannot be read again keeps its matches.
    """
    for path, lines in honoured.items():
        tree.rewrite(path, suppress.with_honoured(tree.scanned(path), lines))
    again = ScanResult()
    deadline = time.monotonic() + TOTAL_SECONDS
    for chunk in _chunks(tree, sorted(honoured)):
        _scan_chunk(rule_set, tree, chunk, deadline, again)
    out: dict[RepoPath, list[Match]] = {}
    for path in again.read:
        left = {(match.rule_id, match.byte_start, match.byte_end) for match in again.matches.get(path, [])}
        gone = [one for one in result.matches.get(path, []) if (one.rule_id, one.byte_start, one.byte_end) not in left]
        if gone:
            out[path] = gone
    return out


def _chunks(tree: ScratchTree, paths: list[RepoPath]) -> list[list[RepoPath]]:
    chunks: list[list[RepoPath]] = [[]]
    size = length = 0
    for path in paths:
        if chunks[-1] and (len(chunks[-1]) >= CHUNK_FILES or size >= CHUNK_BYTES or length >= 1_000_000):
            chunks.append([])
            size = length = 0
        chunks[-1].append(path)
        size += tree.size(path)
        length += len(path.raw) + 1
    return [chunk for chunk in chunks if chunk]


def _scan_chunk(rule_set: RuleSet, tree: ScratchTree, paths: list[RepoPath], deadline: float, result: ScanResult) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        result.not_scanned.update(dict.fromkeys(paths, CoverageReason.TIMEOUT))
        return
    seconds = FILE_SECONDS if len(paths) == 1 else CHUNK_SECONDS
    ran = astgrep.run(
        [
            *rule_set.arguments(), "--json=stream", "--inspect", "entity", "--max-results", str(astgrep.MAX_RESULTS), "--",
            *(str(path) for path in paths),
        ],
        cwd=tree.root,
        bounds=astgrep.Bounds(seconds=min(seconds, left)),
    )  # fmt: skip
    broken = ran.broken
    if broken is None and ran.code not in (0, 1):
        raise CannotReview(f"ast-grep ended with {ran.code}: {ran.stderr.strip()[-400:]}")
    if broken is None and len(ran.lines) >= astgrep.MAX_RESULTS:
        broken = CoverageReason.OUTPUT
    if broken is not None and len(paths) > 1:
        middle = len(paths) // 2
        _scan_chunk(rule_set, tree, paths[:middle], deadline, result)
        _scan_chunk(rule_set, tree, paths[middle:], deadline, result)
        return
    if broken is not None:
        result.not_scanned[paths[0]] = broken
        return
    _read_inspection(ran.stderr, {str(path): path for path in paths}, result)
    _read_matches(ran, tree, result)


def _read_inspection(stderr: str, asked: dict[str, RepoPath], result: ScanResult) -> None:
    ruled: set[RepoPath] = set()
    for line in stderr.split("\n"):
        if not line.startswith(_ENTITY):
            continue
        name, _, fate = line[len(_ENTITY) :].rpartition(": ")
        path = asked.get(name)
        if path is None:
            continue
        if fate.startswith("skipped="):
            result.not_scanned[path] = _SKIPPED.get(fate.removeprefix("skipped="), CoverageReason.NOT_READ)
            continue
        result.read.add(path)
        # HTML has a line for each language in it, and one of them is enough.
        if fate.endswith("appliedRuleCount=0") and path not in ruled:
            result.unruled.add(path)
        else:
            ruled.add(path)
            result.unruled.discard(path)


def _read_matches(ran: astgrep.Ran, tree: ScratchTree, result: ScanResult) -> None:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for item in ran.objects():
        by_file.setdefault(item["file"], []).append(item)
    for name, items in by_file.items():
        path = RepoPath(name.encode())
        scanned, original = tree.scanned(path), tree.original(path)
        newlines = [found.start() for found in re.finditer(rb"\n", original)] if len(items) > 8 else None
        result.matches[path] = [_match(item, path, scanned, original, newlines) for item in items]


def _match(item: dict[str, Any], path: RepoPath, scanned: bytes, original: bytes, newlines: list[int] | None) -> Match:
    start, end = item["range"]["byteOffset"]["start"], item["range"]["byteOffset"]["end"]
    if scanned[start:end] != item["text"].encode():
        raise CannotReview("ast-grep reported offsets whose bytes are not the text it reported", where=str(path))
    last = max(start, end - 1)
    if newlines is None:
        start_line, end_line = original.count(b"\n", 0, start) + 1, original.count(b"\n", 0, last) + 1
    else:
        start_line, end_line = bisect_left(newlines, start) + 1, bisect_left(newlines, last) + 1
    return Match(
        rule_id=item["ruleId"],
        path=path,
        byte_start=start,
        byte_end=end,
        start_line=start_line,
        end_line=end_line,
        text=original[start:end].decode("utf-8", "backslashreplace"),
        message=suppress.unmask_text(item.get("message") or ""),
    )


def _ordered(matches: list[Match]) -> list[Match]:
    """In the order of the file, each once, equal ones numbered."""
    seen: dict[tuple[str, str], int] = {}
    out: list[Match] = []
    for match in sorted(set(matches), key=lambda match: (match.byte_start, match.byte_end, match.rule_id)):
        key = (match.rule_id, fold_space(match.text))
        ordinal = seen[key] = seen.get(key, -1) + 1
        out.append(replace(match, ordinal=ordinal))
    return out
