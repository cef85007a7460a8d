"""Files of head in a scratch tree, and what the rules match in them.

T1  head's ``sgconfig.yml``, ignore files and symlinks steer a scan   -> only regular blobs are written, and every file is
                                                                         named on the command line
T2  a suppression comment of head switches a rule off                 -> masked in the copy, byte for byte (``suppress``)
T3  a byte that is not UTF-8 makes ast-grep skip the file in silence  -> masked in the copy
T4  an encoding that compilers read and ast-grep does not (UTF-16, Python's coding line)  -> not scanned, and said
T5  what ast-grep did not read looks like "no match"                  -> each file's own line of ``--inspect entity`` is required
T6  one hostile file takes the whole run down                         -> a chunk that breaks a bound is cut up, down to the file,
                                                                         after all others were scanned
T7  --json repeats a long line for each match in it                   -> a file that is scanned alone is reported as SARIF, which
                                                                         holds the matched text alone
"""

import errno
import json
import re
import shutil
import tempfile
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from kodus_check.errors import CannotReview
from kodus_check.model import CoverageReason, Match, RepoPath
from kodus_check.rules import astgrep, languages, suppress
from kodus_check.rules.ruleset import RuleSet
from kodus_check.text import fold_space, visible

MAX_FILE = 4 * 1024 * 1024
CHUNK_FILES = 2000
CHUNK_BYTES = 20 * 1024 * 1024
CHUNK_SECONDS = 30.0
FILE_SECONDS = 10.0
TOTAL_SECONDS = 180.0
PIECES = 16
"""How many parts a chunk that broke a bound is cut into: with two, one hostile file in a full chunk would cost eleven timeouts."""

_ENTITY = "sg: entity|file|"
_SKIPPED = {"invalidUtf8": CoverageReason.INVALID_UTF8, "emptyFile": CoverageReason.EMPTY, "fileTooLarge": CoverageReason.TOO_LARGE}


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
        if has_foreign_encoding(path, data):
            self.refused[path] = CoverageReason.FOREIGN_ENCODING
            return
        scanned = suppress.mask(mask_invalid_utf8(data))
        try:
            self._write(self.root, path, scanned)
            if scanned != data:
                self._originals[path] = self._write(self._folder / "originals", path, data)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
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


def has_foreign_encoding(path: RepoPath, data: bytes) -> bool:
    """Whether the file says of itself that its bytes are code in another way than ast-grep reads them."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return True
    if languages.language_of(path) != "python":
        return False
    named = (_PYTHON_CODING.match(line) for line in data.split(b"\n", 2)[:2])
    return any(found is not None and found[1].lower().replace(b"_", b"-") not in _ASCII_SUPERSETS for found in named)


_PYTHON_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ASCII_SUPERSETS = frozenset(
    (b"utf-8", b"utf8", b"utf-8-sig", b"ascii", b"us-ascii", b"latin-1", b"latin1", b"iso-8859-1", b"iso-8859-15", b"iso-latin-1",
     b"cp1252", b"windows-1252", b"cp1251", b"koi8-r", b"euc-jp", b"euc-kr", b"gb2312")
)  # fmt: skip
"""Encodings in which every ASCII byte outside of a multi-byte character is that ASCII character, and code is ASCII."""


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
    """Runs every loaded rule over the tree."""
    result = ScanResult(not_scanned=dict(tree.refused))
    if not rule_set.loaded:
        return result
    rule_set.write_config(tree.root)
    _scan_all(rule_set, tree, tree.paths, result)
    for path in tree.paths:
        if path not in result.read and path not in result.not_scanned:
            result.not_scanned[path] = CoverageReason.NOT_READ
    result.matches = {path: _ordered(found) for path, found in sorted(result.matches.items())}
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
    _scan_all(rule_set, tree, sorted(honoured), again)
    out: dict[RepoPath, list[Match]] = {}
    for path in again.read:
        left = {(match.rule_id, match.byte_start, match.byte_end) for match in again.matches.get(path, [])}
        found, original = result.matches.get(path, []), tree.original(path)
        named = {one for one in {match.rule_id for match in found} if suppress.names_rule(original, honoured[path], one)}
        gone = [one for one in found if one.rule_id in named and (one.rule_id, one.byte_start, one.byte_end) not in left]
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


def _scan_all(rule_set: RuleSet, tree: ScratchTree, paths: list[RepoPath], result: ScanResult) -> None:
    """One process a chunk. One that breaks a bound is cut into pieces, which wait until all the others are done."""
    deadline = time.monotonic() + TOTAL_SECONDS
    waiting = deque((chunk, CHUNK_SECONDS) for chunk in _chunks(tree, paths))
    while waiting:
        chunk, seconds = waiting.popleft()
        left = deadline - time.monotonic()
        if left <= 0:
            result.not_scanned.update(dict.fromkeys(chunk, CoverageReason.TIMEOUT))
            continue
        broken = _scan_chunk(rule_set, tree, chunk, min(seconds, left), result)
        if broken is None:
            continue
        if len(chunk) == 1:
            result.not_scanned[chunk[0]] = broken
            continue
        size = -(-len(chunk) // PIECES)
        waiting.extend((chunk[start : start + size], FILE_SECONDS) for start in range(0, len(chunk), size))


def _scan_chunk(
    rule_set: RuleSet, tree: ScratchTree, paths: list[RepoPath], seconds: float, result: ScanResult
) -> CoverageReason | None:
    """Adds what one process finds to ``result``; or nothing, and the bound that it broke."""
    alone = len(paths) == 1
    ran = astgrep.run(
        [
            *rule_set.arguments(), "--format=sarif" if alone else "--json=stream", "--inspect", "entity",
            "--max-results", str(astgrep.MAX_RESULTS), "--", *(str(path) for path in paths),
        ],
        cwd=tree.root,
        bounds=astgrep.Bounds(seconds=seconds),
    )  # fmt: skip
    if ran.broken is not None:
        return ran.broken
    if ran.code not in (0, 1):
        raise CannotReview(f"ast-grep ended with {ran.code}: {ran.stderr.strip()[-400:]}")
    try:
        found = _read_sarif(ran, paths[0]) if alone else ran.objects()
    except (ValueError, LookupError, TypeError) as error:
        raise CannotReview(f"ast-grep printed something else than its matches: {type(error).__name__}") from None
    if len(found) >= astgrep.MAX_RESULTS:
        return CoverageReason.OUTPUT
    _read_inspection(ran.stderr, {str(path): path for path in paths}, result)
    _read_matches(found, tree, result)
    return None


def _read_sarif(ran: astgrep.Ran, path: RepoPath) -> list[dict[str, Any]]:
    """The matches of one file as ``--json`` gives them, without the lines around each."""
    items: list[dict[str, Any]] = []
    for one in (one for run in json.loads(b"\n".join(ran.lines))["runs"] for one in run["results"]):
        region = one["locations"][0]["physicalLocation"]["region"]
        start = region["byteOffset"]
        items.append(
            {
                "file": str(path),
                "ruleId": one["ruleId"],
                "message": one["message"]["text"],
                "text": region["snippet"]["text"],
                "range": {"byteOffset": {"start": start, "end": start + region["byteLength"]}},
                **_replacement(one),
            }
        )
    return items


def _replacement(result: dict[str, Any]) -> dict[str, Any]:
    """The fix of a SARIF result as ``--json`` gives it; nothing where there is none, or a choice of several."""
    changes = [change for fix in result.get("fixes", []) for change in fix["artifactChanges"]]
    replacements = [one for change in changes for one in change["replacements"]]
    if len(replacements) != 1:
        return {}
    region = replacements[0]["deletedRegion"]
    offsets = {"start": region["byteOffset"], "end": region["byteOffset"] + region["byteLength"]}
    return {"replacement": replacements[0]["insertedContent"]["text"], "replacementOffsets": offsets}


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


def _read_matches(found: list[dict[str, Any]], tree: ScratchTree, result: ScanResult) -> None:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for item in found:
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
        rule_id=suppress.unmask_text(item["ruleId"]),
        path=path,
        byte_start=start,
        byte_end=end,
        start_line=start_line,
        end_line=end_line,
        text=original[start:end].decode("utf-8", "backslashreplace"),
        message=suppress.unmask_text(item.get("message") or ""),
        fixed=_fixed(item, original),
    )


def _fixed(item: dict[str, Any], original: bytes) -> str | None:
    """The lines of the match with the rule's fix applied; None where the fix reaches beyond them or is no visible text."""
    offsets = item.get("replacementOffsets")
    if not isinstance(item.get("replacement"), str) or not isinstance(offsets, dict):
        return None
    first = original.rfind(b"\n", 0, item["range"]["byteOffset"]["start"]) + 1
    last = original.find(b"\n", max(first, item["range"]["byteOffset"]["end"] - 1))
    last = len(original) if last < 0 else last
    if not first <= offsets["start"] <= offsets["end"] <= last:
        return None
    replacement = suppress.unmask_text(item["replacement"])
    fixed = original[first : offsets["start"]] + replacement.encode() + original[offsets["end"] : last]
    try:
        text = fixed.decode("utf-8").removesuffix("\r")
    except UnicodeDecodeError:
        return None
    return text if visible(text) == text else None


def _ordered(matches: list[Match]) -> list[Match]:
    """In the order of the file, each once, equal ones numbered."""
    seen: dict[tuple[str, str], int] = {}
    out: list[Match] = []
    for match in sorted(set(matches), key=lambda match: (match.byte_start, match.byte_end, match.rule_id)):
        key = (match.rule_id, fold_space(match.text))
        ordinal = seen[key] = seen.get(key, -1) + 1
        out.append(replace(match, ordinal=ordinal))
    return out
