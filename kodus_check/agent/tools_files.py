"""Reading and listing for a model: numbered lines of one file, one folder, the inventory of the prompt.

T1  a huge file, a line without end, a folder of thousands     -> bounds on lines, characters and entries, each cut said
T2  names that hold newlines or escape sequences               -> spelled out in every listing, hint and heading
T3  a hint about a wrong path that names a private file        -> hints are made from what may be seen alone
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Literal

from kodus_check.agent.policy import Policy, Verdict
from kodus_check.agent.redact import redact
from kodus_check.git.trees import Entry, Tree
from kodus_check.guides.find import NOT_OURS
from kodus_check.model import Change, RepoPath
from kodus_check.text import counted, shorten, visible

Side = Literal["head", "base"]


class Refused(Exception):
    """An answer that says why there is none, and what to do."""


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """How much one call reads and answers: lines and characters of a file read, entries listed, places found; and of a search
    the files, their bytes, and seconds. ``file_bytes`` is the largest file that is looked into at all."""

    read_lines: int = 400
    characters: int = 24_000
    line: int = 1_000
    listed: int = 200
    matches: int = 50
    match: int = 300
    file_bytes: int = 1_000_000
    search_files: int = 5_000
    search_bytes: int = 40_000_000
    search_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class View:
    """What the tools of one reviewer look at."""

    trees: Mapping[str, Tree]
    policy: Policy
    limits: ToolLimits

    def tree(self, side: str) -> Tree:
        if side not in self.trees:
            raise Refused("`side` is head or base.")
        return self.trees[side]

    def text(self, path: str, side: str) -> str:
        """The text of a file, with what nobody would see spelled out and without keys."""
        found = self.policy.check_path(path)
        if isinstance(found, Verdict):
            raise Refused(f"{named(path)} cannot be read: {found.reason}.")
        tree = self.tree(side)
        entry = tree.find(found)
        if entry is None:
            raise Refused(self._missing(tree, found, side))
        blob = tree.blob(entry, limit=self.limits.file_bytes) if not entry.why_not_read else None
        data = blob.data if blob else None
        verdict = self.policy.entry(entry, data, blob.size if blob else 0)
        if data is None or not verdict.allowed:
            raise Refused(f"{named(found)} cannot be read: {verdict.reason}.")
        return as_text(data)

    def _missing(self, tree: Tree, path: RepoPath, side: str) -> str:
        if tree.is_folder(path):
            return f"{named(path)} is a folder; list it with list_files."
        name = path.raw.rpartition(b"/")[2].lower()
        others = (entry.path for entry in tree.walk(skip=NOT_OURS) if entry.path.raw.rpartition(b"/")[2].lower() == name)
        alike = nsmallest(
            1,
            (one for one in others if self.policy.may_see(one).allowed),
            key=lambda one: (one.raw.lower() != path.raw.lower(), one.raw.count(b"/"), one.raw),
        )
        hint = f" There is {named(alike[0])}." if alike else " Use list_files or search_text to find it."
        return f"There is no file {named(path)} at {side}.{hint}"


def as_text(data: bytes) -> str:
    """The text of a blob as a model gets it. The number of its lines is that of the blob, splitting on ``\\n`` alone."""
    return redact(visible(data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")))[0]


def told(path: object) -> str:
    """A path as it is shown: what would break the line or hide is spelled out, spaces are kept."""
    return visible(str(path)).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def named(path: object) -> str:
    return f"`{shorten(told(path), 200)}`"


def sentence(reason: str) -> str:
    """A reason that another module gives, as an answer of its own."""
    shown = told(reason.strip()).rstrip(".")
    return f"{shown if shown.startswith('ast-grep') else shown[:1].upper() + shown[1:]}."


def read(view: View, path: str, side: str, start_line: int, end_line: int | None) -> str:
    """Numbered lines ``start_line..end_line`` (1-based, inclusive), as many as the limits allow."""
    limits = view.limits
    lines = view.text(path, side).removesuffix("\n").split("\n")
    if lines == [""]:
        return "This file is empty."
    first = max(1, start_line)
    if first > len(lines):
        raise Refused(f"{named(path)} has {counted(len(lines), 'line')}; line {first:,} is not there.")
    if end_line is not None and end_line < first:
        raise Refused(f"`end_line` ({end_line:,}) is before `start_line` ({first:,}).")
    wanted = min(len(lines), end_line if end_line is not None else len(lines))
    out: list[str] = []
    size = 0
    for number in range(first, min(wanted, first + limits.read_lines - 1) + 1):
        line = f"{number:>5} | {shorten(lines[number - 1], limits.line)}"
        size += len(line) + 1
        if out and size > limits.characters:
            break
        out.append(line)
    last = first + len(out) - 1
    if last < wanted:
        out.append(f"[truncated: lines {first:,}-{last:,} of {len(lines):,}; go on with start_line={last + 1}]")
    return "\n".join(out)


def listing(view: View, folder: str, side: str) -> str:
    """What lies in a folder, folders with the number of files in them; private files are counted and not named."""
    tree = view.tree(side)
    path: RepoPath | None = None
    if folder.strip() not in ("", ".", "./", "/"):
        found = view.policy.check_path(folder)
        if isinstance(found, Verdict):
            raise Refused(f"{named(folder)} cannot be listed: {found.reason}.")
        if not tree.is_folder(found):
            there = (
                f"{named(found)} is a file; read it with read_file." if tree.find(found) else "Use list_files on a folder above it."
            )
            raise Refused(f"There is no folder {named(found)} at {side}. {there}")
        path = found
    start = len(path.raw) + 1 if path else 0
    names: dict[str, int] = {}
    private = 0
    for entry in tree.walk(path):
        if not view.policy.may_see(entry.path).allowed:
            private += 1
            continue
        name, slash, _ = entry.path.raw[start:].partition(b"/")
        shown = told(name.decode("utf-8", "backslashreplace")) + ("/" if slash else _kind(entry))
        names[shown] = names.get(shown, 0) + 1
    lines = [f"{name} ({counted(count, 'file')})" if name.endswith("/") else name for name, count in sorted(names.items())]
    most = view.limits.listed
    if len(lines) > most:
        lines = [*lines[:most], f"[truncated: {most:,} of {len(names):,} entries; name a folder, or find files with search_text]"]
    if private:
        lines.append(f"[{counted(private, 'private file')} not shown]")
    return "\n".join(lines) or "This folder is empty."


def _kind(entry: Entry) -> str:
    return f" ({entry.why_not_read})" if entry.why_not_read else ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """At most so many paths of the repository, those of changed folders first; how many files there are in all, and of these how
    many are private."""

    paths: tuple[str, ...]
    total: int
    private: int = 0


def inventory(head: Tree, change: Change, policy: Policy, *, most: int = 400) -> Inventory:
    """Paths of head, breadth-first behind those of changed folders. Folders of other people's code are counted, not named."""
    policy = policy.knowing(change)
    touched = {file.path.raw.rpartition(b"/")[0] for file in change.files}
    total = private = 0

    def seen() -> Iterator[RepoPath]:
        nonlocal total, private
        for entry in head.walk():
            total += 1
            if not policy.may_see(entry.path).allowed:
                private += 1
            elif not NOT_OURS.intersection(entry.path.raw.split(b"/")[:-1]):
                yield entry.path

    first = nsmallest(most, seen(), key=lambda path: (path.raw.rpartition(b"/")[0] not in touched, path.raw.count(b"/"), path.raw))
    return Inventory(tuple(told(path) for path in first), total, private)
