"""Objects of a repository, each re-hashed before it is believed.

``git cat-file`` serves a corrupted or forged loose object under the right name without a word, and ``git diff`` believes it.
Here an object's bytes must hash to the id it was asked for by, from the commit down, so that the commit id alone vouches for
everything that judges.
"""

import hashlib
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import TracebackType
from typing import IO

from kodus_check.errors import CannotReview
from kodus_check.git.process import command, environment, no_git
from kodus_check.model import Sha, parse_sha

MODE_FILE = 0o100000
MODE_DIRECTORY = 0o040000
MODE_SYMLINK = 0o120000
MODE_SUBMODULE = 0o160000

MAX_BLOB = 32 * 1024 * 1024
"""Blobs above this are hashed but not kept."""

_WINDOW = 400  # requests written ahead of the answers: their lines fit a pipe's buffer, so neither side waits for the other


@dataclass(frozen=True, slots=True)
class Blob:
    """A verified blob. ``data`` is None when it is larger than the limit it was read with; ``size`` is always its size."""

    oid: Sha
    size: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class TreeEntry:
    name: bytes
    mode: int
    oid: Sha

    @property
    def is_directory(self) -> bool:
        return self.mode == MODE_DIRECTORY


@dataclass(frozen=True, slots=True)
class Commit:
    oid: Sha
    tree: Sha
    parents: tuple[Sha, ...]
    time: int


class MissingObject(CannotReview):
    """The repository does not have this object (a shallow or partial clone)."""

    def __init__(self, oid: str, remedy: str) -> None:
        super().__init__(f"object {oid} is not in this clone", remedy=remedy)
        self.oid = oid


class ObjectStore:
    """Verified reads from one ``git cat-file --batch`` process. A context manager; not for use from several threads."""

    def __init__(self, git_dir: Path, *, remedy: str = "The clone is damaged. Run `git fsck`, then clone again.") -> None:
        """``remedy`` is what to do where an object is missing."""
        self._git_dir = git_dir
        self._remedy = remedy
        self._process: subprocess.Popen[bytes] | None = None
        self._trees: dict[Sha, tuple[TreeEntry, ...]] = {}

    def __enter__(self) -> "ObjectStore":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.close()
        assert process.stdout is not None
        process.stdout.close()
        process.kill()
        process.wait()

    def blobs(self, oids: Iterable[Sha], *, limit: int = MAX_BLOB) -> Iterator[Blob]:
        """The blobs in order. Requests are written ahead, so that a long list costs no round trip each."""
        for oid, size, data in self._read(oids, b"blob", limit):
            yield Blob(oid, size, data)

    def blob(self, oid: Sha, *, limit: int = MAX_BLOB) -> Blob:
        return next(iter(list(self.blobs([oid], limit=limit))))

    def commit(self, oid: Sha) -> Commit:
        """The commit ``oid``; annotated tags are followed to their commit."""
        kind, data = self._any(oid)
        for _ in range(10):
            if kind != b"tag":
                break
            oid = _named(data.partition(b"\n")[0], b"object", oid)
            kind, data = self._any(oid)
        if kind != b"commit":
            raise CannotReview(f"object {oid} is a {kind.decode()}, not a commit")
        # As git does: parents are the lines right after the tree, and a time that is none counts as 0.
        first, *lines = data.partition(b"\n\n")[0].split(b"\n")
        parents = tuple(_named(line, b"parent", oid) for line in takewhile(lambda line: line.startswith(b"parent "), lines))
        committer = next((line.split() for line in lines if line.startswith(b"committer ")), [])
        time = int(committer[-2]) if len(committer) >= 2 and re.fullmatch(rb"[0-9]{1,18}", committer[-2]) else 0
        return Commit(oid, _named(first, b"tree", oid), parents, time)

    def tree(self, oid: Sha) -> tuple[TreeEntry, ...]:
        """The entries of a tree in stored order; a name that is empty, ``.``, ``..``, ``.git``, twice or holds ``/`` is refused."""
        if oid not in self._trees:
            _, _, data = next(iter(list(self._read([oid], b"tree", None))))
            assert data is not None
            self._trees[oid] = _tree_entries(oid, data)
        return self._trees[oid]

    def _any(self, oid: Sha) -> tuple[bytes, bytes]:
        stdin, stdout = self._pipes()
        _ask(stdin, [oid])
        kind, size = self._header(stdout, oid)
        data = self._body(stdout, oid, kind, size, keep=True)
        assert data is not None
        return kind, data

    def _read(self, oids: Iterable[Sha], kind: bytes, limit: int | None) -> Iterator[tuple[Sha, int, bytes | None]]:
        stdin, stdout = self._pipes()
        waiting: list[Sha] = []
        source = iter(oids)
        done = False
        try:
            while True:
                fresh: list[Sha] = []
                while not done and len(waiting) + len(fresh) < _WINDOW:
                    oid = next(source, None)
                    if oid is None:
                        done = True
                    else:
                        fresh.append(oid)
                if fresh:
                    _ask(stdin, fresh)
                    waiting.extend(fresh)
                if not waiting:
                    return
                # Answers are taken until half of the window is left, then the next requests go out.
                for _ in range(len(waiting) if done else max(1, len(waiting) - _WINDOW // 2)):
                    oid = waiting[0]
                    found, size = self._header(stdout, oid)
                    if found != kind:
                        raise CannotReview(f"object {oid} is a {found.decode()}, not a {kind.decode()}")
                    data = self._body(stdout, oid, found, size, keep=limit is None or size <= limit)
                    del waiting[0]
                    yield oid, size, data
        finally:
            if waiting:  # the caller stopped early or an answer was wrong: what is still in the pipe belongs to nobody
                self.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    command(self._git_dir, "-c", "core.bigFileThreshold=32m", "cat-file", "--batch"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment(),
                )
            except FileNotFoundError:
                raise no_git() from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _header(self, stdout: IO[bytes], oid: Sha) -> tuple[bytes, int]:
        words = stdout.readline().split()
        if len(words) == 3 and words[0] == oid.encode():
            return words[1], int(words[2])
        if words and words[-1] == b"missing":
            raise MissingObject(oid, self._remedy)
        self.close()
        raise CannotReview(
            f"git could not read object {oid}",
            remedy="The object database is damaged. Run `git fsck`, then clone again.",
        )

    def _body(self, stdout: IO[bytes], oid: Sha, kind: bytes, size: int, *, keep: bool) -> bytes | None:
        digest = (hashlib.sha1 if len(oid) == 40 else hashlib.sha256)(b"%s %d\0" % (kind, size), usedforsecurity=False)
        data: bytes | None = None
        left = size
        if keep:
            data = stdout.read(size)
            digest.update(data)
            left -= len(data)
        while left > 0 and not keep:
            part = stdout.read(min(left, 1 << 20))
            if not part:
                break
            digest.update(part)
            left -= len(part)
        if left or stdout.read(1) != b"\n" or digest.hexdigest() != oid:
            self.close()
            raise CannotReview(
                f"object {oid} does not hash to its name",
                remedy="The object database was changed or is damaged; nothing in it can judge. Run `git fsck`, then clone again.",
            )
        return data


def _ask(stdin: IO[bytes], oids: list[Sha]) -> None:
    with suppress(BrokenPipeError):  # git died at a damaged object: its answers, read in order, end there
        stdin.write("".join(f"{oid}\n" for oid in oids).encode())
        stdin.flush()


def _named(line: bytes, key: bytes, owner: Sha) -> Sha:
    """The id that a header line of the object ``owner`` names."""
    word, _, value = line.partition(b" ")
    try:
        sha = parse_sha(value.decode("ascii", "replace") if word == key else "")
    except ValueError:
        raise CannotReview(f"object {owner} is malformed") from None
    if len(sha) != len(owner):
        raise CannotReview(f"object {owner} names an id of another kind of hash")
    return sha


def _tree_entries(oid: Sha, data: bytes) -> tuple[TreeEntry, ...]:
    width = len(oid) // 2
    entries: list[TreeEntry] = []
    names: set[bytes] = set()
    before = b""
    position = 0
    while position < len(data):
        space = data.find(b" ", position)
        end = data.find(b"\0", space)
        raw = data[end + 1 : end + 1 + width]
        if space < 0 or end < 0 or len(raw) != width:
            raise CannotReview(f"tree {oid} is malformed")
        name = data[space + 1 : end]
        if name in names or name in (b"", b".", b"..") or name.lower() == b".git" or b"/" in name:
            raise CannotReview(f"tree {oid} holds the name {name!r}, which no file may have (or has it twice)")
        entry = TreeEntry(name, _mode(data[position:space], oid), Sha(raw.hex()))
        key = name + b"/" if entry.is_directory else name
        if key < before:  # git walks two trees side by side and misreads such a one
            raise CannotReview(f"tree {oid} is malformed: its names are out of order")
        names.add(name)
        entries.append(entry)
        before = key
        position = end + 1 + width
    return tuple(entries)


def _mode(digits: bytes, tree: Sha) -> int:
    """The mode as git takes it: the kind, and of a file whether its owner may execute it. Histories hold 100664 and the like."""
    if not re.fullmatch(rb"[0-7]{1,10}", digits):
        raise CannotReview(f"tree {tree} is malformed")
    mode = int(digits, 8)
    kind = mode & 0o170000
    if kind == MODE_FILE:
        return kind | (0o755 if mode & 0o100 else 0o644)
    return kind if kind in (MODE_DIRECTORY, MODE_SYMLINK) else MODE_SUBMODULE
