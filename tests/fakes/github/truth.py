"""What git says: branch tips, merge bases, the hunks of a pull request, and where a line went after a push."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Place = tuple[int, int]
"""A line of a diff: the number of its hunk and its position within that hunk."""

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DIFF = ("-c", "core.quotePath=false", "-c", "diff.renames=true", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M")


@dataclass
class FileDiff:
    """The hunks of one changed file. A line is commentable if ``places`` has it; two lines share a hunk if their places do."""

    path: str
    previous: str
    places: dict[tuple[str, int], Place] = field(default_factory=dict)
    texts: list[list[str]] = field(default_factory=list)
    """For each hunk its header and its lines."""
    added: int = 0
    deleted: int = 0

    def excerpt(self, place: Place) -> str:
        """What the service shows as ``diff_hunk``: the hunk up to the line."""
        hunk, position = place
        return "\n".join(self.texts[hunk][: position + 2])


def _read_file(lines: list[bytes], at: int, diff: FileDiff) -> int:
    """Reads the hunks of one file from line ``at``, counting hunk lines, and returns the number of the next line."""
    while at < len(lines) and not lines[at].startswith(b"diff --git "):
        header = _HUNK.match(lines[at])
        at += 1
        if header is None:
            continue
        old, new = int(header[1]), int(header[3])
        left, right = int(header[2] or 1), int(header[4] or 1)
        text = [lines[at - 1].decode("utf-8", "replace")]
        diff.texts.append(text)
        while left or right or (at < len(lines) and lines[at].startswith(b"\\")):
            kind = lines[at][:1]
            text.append(lines[at].decode("utf-8", "replace"))
            place = (len(diff.texts) - 1, len(text) - 2)
            at += 1
            if kind in {b" ", b"-"}:
                diff.places["LEFT", old] = place
                old, left = old + 1, left - 1
                diff.deleted += kind == b"-"
            if kind in {b" ", b"+"}:
                diff.places["RIGHT", new] = place
                new, right = new + 1, right - 1
                diff.added += kind == b"+"
    return at


class Truth:
    """A git repository, read afresh at each question (a push in a test is a commit on a branch)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: dict[str, str] | None = None
        # what commits say never changes
        self.diff = cache(self._diff)
        self.moved = cache(self._moved)
        self.merge_base = cache(self._merge_base)
        self.commits = cache(self._commits)
        self.details = cache(self._details)

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
        return subprocess.run(["git", "-C", str(self._path), *arguments], env=environment | quiet, capture_output=True, check=False)

    def read(self, *arguments: str) -> bytes:
        """The output of a git command that must succeed."""
        done = self._git(*arguments)
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode('utf-8', 'replace')}"
        return done.stdout

    def commit(self, name: str) -> str | None:
        """The id of a commit by any name git knows, or None."""
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def branch(self, name: str) -> str | None:
        """The tip of a branch, or None if there is no such branch."""
        return self.commit(f"refs/heads/{name}") if self._seen is None else self._seen.get(name)

    @contextmanager
    def still(self) -> Iterator[None]:
        """While it lasts (for one request), all branches are where they were at its start."""
        rows = self.read("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads").decode().split("\n")
        self._seen = {name: sha for sha, _, name in (row.partition(" ") for row in rows if row)}
        try:
            yield
        finally:
            self._seen = None

    def _merge_base(self, base: str, head: str) -> str:
        """The merge base, or the base itself for unrelated histories."""
        done = self._git("merge-base", base, head)
        return done.stdout.decode().strip() if done.returncode == 0 else base

    def _commits(self, base: str, head: str) -> list[str]:
        """The commits of a pull request, newest first."""
        return self.read("rev-list", f"{base}..{head}").decode().split()

    def _details(self, sha: str) -> tuple[str, list[str], str]:
        """Tree, parents and message of a commit."""
        tree, parents, message = self.read("show", "-s", "--format=%T%n%P%n%B", sha).decode("utf-8", "replace").split("\n", 2)
        return tree, parents.split(), message.strip()

    def _diff(self, base: str, head: str) -> Mapping[str, FileDiff]:
        """The three-dot diff by path (the new one; the old one for a deleted file)."""
        start = self.merge_base(base, head)
        names = self.read(*_DIFF, "--name-status", "-z", start, head, "--").decode("utf-8", "replace").split("\0")[:-1]
        lines = self.read(*_DIFF, "-U3", start, head, "--").split(b"\n")
        files: dict[str, FileDiff] = {}
        at = 0
        while names:
            status, previous = names.pop(0), names.pop(0)
            path = names.pop(0) if status[0] in "RC" else previous
            files[path] = FileDiff(path, previous)
            for _ in range(2 if status == "T" else 1):  # a file that became a link is shown as one gone and one new
                at = _read_file(lines, at + 1, files[path])
        return files

    def _moved(self, path: str, old: str, new: str, line: int) -> int | None:
        """Where a line of ``path`` at commit ``old`` is at commit ``new``; None if it was changed or the file is gone."""
        done = self._git(*_DIFF, "-U0", f"{old}:{path}", f"{new}:{path}")
        if done.returncode:
            return None
        shift = 0
        for header in map(_HUNK.match, done.stdout.split(b"\n")):
            if header is None:
                continue
            first, count, added = int(header[1]), int(header[2] or 1), int(header[4] or 1)
            if count and first <= line < first + count:
                return None
            if line > first:
                shift += added - count
        return line + shift
