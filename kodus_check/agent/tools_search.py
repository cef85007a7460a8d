"""Searching for a model: a literal text, or a piece of code by its structure.

T1  a glob from a model that takes forever to match, or that is none     -> short, few wildcards a segment, tried once
T2  a search over all of a huge repository                               -> bounds on files, bytes and seconds, each cut said
T3  a match inside a key, which no pattern finds once it is cut out      -> keys are taken out of the whole file first
T4  an answer that tells, by finding it, what a key begins with          -> what is searched is what may be shown
"""

import re
import time
import warnings
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

from kodus_check.agent.policy import Refusal
from kodus_check.agent.tools_files import Refused, View, as_text, named, sentence, told
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Entry
from kodus_check.globs import Globs
from kodus_check.guides.find import NOT_OURS
from kodus_check.guides.menu import MAX_QUERY
from kodus_check.model import RepoPath
from kodus_check.rules import languages
from kodus_check.rules.search import Hit, wanted
from kodus_check.rules.search import search as structural
from kodus_check.text import counted, one_line, shorten

MAX_GLOB, MAX_STARS, MAX_DEEP = 200, 3, 3


@dataclass
class _Reading:
    """Files of one search, read until a bound stops it; ``stopped`` says which."""

    view: View
    side: str
    globs: Globs | None
    language: str = ""
    read: int = 0
    stopped: str = ""
    skipped: Counter[Refusal] = field(default_factory=Counter)

    def files(self) -> Generator[tuple[Entry, bytes], None, None]:
        limits, tree = self.view.limits, self.view.tree(self.side)
        deadline = time.monotonic() + limits.search_seconds
        entries: list[Entry] = []
        for entry in tree.walk(skip=NOT_OURS):
            if self._is_candidate(entry):
                entries.append(entry)
            if len(entries) > limits.search_files or time.monotonic() > deadline:
                self._stop(counted(limits.search_files, "file") if len(entries) > limits.search_files else "time")
                break
        size = 0
        looked_at = entries[: limits.search_files]
        for entry, blob in zip(looked_at, tree.blobs(looked_at, limit=limits.file_bytes), strict=True):
            if size > limits.search_bytes or time.monotonic() > deadline:
                self._stop(f"{limits.search_bytes:,} bytes" if size > limits.search_bytes else "time")
                return
            self.read += 1
            size += len(blob.data or b"")
            verdict = self.view.policy.entry(entry, blob.data, blob.size)
            if verdict.refusal is not None:
                self.skipped[verdict.refusal] += 1
            elif blob.data is not None:
                yield entry, blob.data

    def remarks(self) -> list[str]:
        """What was not searched, for the end of an answer."""
        out = (
            [f"[stopped at its bound of {self.stopped}, {counted(self.read, 'file')} read; narrow it with glob]"]
            if self.stopped
            else []
        )
        kinds = [f"{count:,} {kind}" for kind, count in sorted(self.skipped.items()) if kind is not Refusal.BINARY]
        if kinds:
            out.append(f"[files not searched: {', '.join(kinds)}]")
        return out

    def _stop(self, bound: str) -> None:
        self.stopped = self.stopped or bound

    def _is_candidate(self, entry: Entry) -> bool:
        if entry.why_not_read or not self.view.policy.may_see(entry.path).allowed:
            return False
        if self.language:
            return wanted(entry.path, self.language, self.globs)
        return self.globs is None or entry.path in self.globs


def search_text(view: View, text: str, glob: str, side: str, case_sensitive: bool) -> str:
    """Lines that hold ``text``, with path and number, and how many there are."""
    if not text.strip() or len(text) > MAX_QUERY or "\n" in text:
        raise Refused(f"Search for one line of text of at most {MAX_QUERY} characters.")
    limits = view.limits
    reading = _Reading(view, side, _globs(glob))
    needle, raw = (text, text.encode()) if case_sensitive else (text.lower(), b"")
    out: list[str] = []
    found = files = 0
    for entry, data in reading.files():
        if raw not in data:  # most files end here, undecoded
            continue
        before = found
        for number, line in enumerate(_searched(data, needle, case_sensitive), 1):
            if needle in (line if case_sensitive else line.lower()):
                found += 1
                if found <= limits.matches:
                    out.append(f"{told(entry.path)}:{number}: {shorten(line.strip(), limits.match)}")
        files += found > before
    most = f", the first {limits.matches} are listed" if found > limits.matches else ""
    least = "at least " if reading.stopped and found else ""
    nothing = "Nothing that was searched holds this text." if reading.stopped else "Nothing holds this text."
    head = f"{least}{counted(found, 'line')} in {counted(files, 'file')}{most}:" if found else nothing
    return "\n".join([head, *out, *reading.remarks(), *_other_code(glob)])


def search_code(view: View, pattern: str, language: str, glob: str) -> str:
    """Places of head whose code has the structure of ``pattern``."""
    name = languages.canonical(language)
    reading = _Reading(view, "head", _globs(glob), name or language)
    files = reading.files()
    result = structural(pattern, language, ((entry.path, data) for entry, data in files))
    files.close()  # git is read again below, and one conversation with it is enough
    if result.problem and not (result.problem.startswith("no file") and reading.remarks()):
        raise Refused(sentence(one_line(result.problem)))
    most = view.limits.matches
    shown = _without_keys(view, result.hits[:most])
    lines = [f"{told(hit.path)}:{hit.start_line}: {shorten(one_line(text), view.limits.match)}" for hit, text in shown]
    if len(result.hits) > most:
        lines.append(f"[{len(result.hits) - most:,} more]")
    if result.cut:
        lines.append(f"[{one_line(result.cut)}]")
    return "\n".join([*(lines or ["Nothing matches."]), *reading.remarks(), *_other_code(glob)])


def _searched(data: bytes, needle: str, case_sensitive: bool) -> list[str]:
    """The lines of a file as they may be shown; none where a quick look says that none holds ``needle``."""
    if not case_sensitive and needle not in data.decode("utf-8", "backslashreplace").lower():
        return []
    return as_text(data).split("\n")


def _without_keys(view: View, hits: tuple[Hit, ...]) -> list[tuple[Hit, str]]:
    """Each hit with its text; where a key was taken out of its lines, with these lines instead (T3)."""
    tree = view.tree("head")
    lines: dict[RepoPath, tuple[list[str], list[str]]] = {}
    out: list[tuple[Hit, str]] = []
    for hit in hits:
        if hit.path not in lines:
            entry = tree.find(hit.path)
            data = (tree.blob(entry, limit=view.limits.file_bytes).data if entry else None) or b""
            lines[hit.path] = (data.decode("utf-8", "backslashreplace").split("\n"), as_text(data).split("\n"))
        raw, safe = (side[hit.start_line - 1 : hit.end_line] for side in lines[hit.path])
        marked = any("\u2039redacted:" in line for line in safe) and raw != safe
        out.append((hit, "\n".join(safe) if marked else hit.text))
    return out


def _globs(glob: str) -> Globs | None:
    """The files that a model means. Matching takes a time that grows with the power of the wildcards, so these are few (T1)."""
    if not glob.strip():
        return None
    parts = glob.split("/")
    if len(glob) > MAX_GLOB or sum("**" in part for part in parts) > MAX_DEEP:
        raise Refused(f"A glob has at most {MAX_GLOB} characters and {MAX_DEEP} times `**`.")
    if any(len(re.findall(r"\*+", part)) > MAX_STARS for part in parts):
        raise Refused(f"A glob has at most {MAX_STARS} wildcards between two slashes.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            globs = Globs([glob])
    except (ConfigError, re.error, Warning) as error:
        reason = error.what if isinstance(error, ConfigError) else str(error)
        raise Refused(f"{named(glob)} is no glob: {one_line(reason)}.") from None
    return globs


def _other_code(glob: str) -> list[str]:
    """That a glob names folders which are not searched."""
    asked = sorted(name.decode() for name in NOT_OURS if name.decode() in glob.split("/"))
    return [f"[{', '.join(asked)}: other people's code is not searched; read_file and list_files work there]"] if asked else []
