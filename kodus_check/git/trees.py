"""Trees read through the verified store: one path, a folder, or the difference of two trees."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kodus_check.git.objects import MODE_SUBMODULE, MODE_SYMLINK, Blob, ObjectStore, TreeEntry
from kodus_check.model import RepoPath, Sha

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
MAX_GUIDE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a tree that is read as data."""

    path: RepoPath
    mode: int
    oid: Sha

    @property
    def why_not_read(self) -> str | None:
        """The reason why this entry is no regular file, as a word; None when it is one."""
        return {MODE_SYMLINK: "symlink", MODE_SUBMODULE: "submodule"}.get(self.mode)


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One path whose entry differs: modes are 0 and ids None on the side where it does not exist."""

    path: RepoPath
    old_mode: int
    new_mode: int
    old_oid: Sha | None
    new_oid: Sha | None


class Tree:
    """The tree of one commit."""

    def __init__(self, store: ObjectStore, root: Sha) -> None:
        self._store = store
        self.root = root

    def find(self, path: RepoPath) -> Entry | None:
        """The file, symlink or submodule at ``path``; None where there is none, or a folder."""
        entry = self._entry(path)
        return Entry(path, entry.mode, entry.oid) if entry is not None and not entry.is_directory else None

    def is_folder(self, path: RepoPath) -> bool:
        entry = self._entry(path)
        return entry is not None and entry.is_directory

    def walk(self, folder: RepoPath | None = None, *, skip: frozenset[bytes] = frozenset()) -> Iterator[Entry]:
        """Every file below ``folder`` (the whole tree without one), in stored order. Symlinks are entries, never followed.

        Folders named in ``skip`` are left out with all that is in them.
        """
        if folder is None:
            yield from self._walk(b"", self.root, skip)
            return
        entry = self._entry(folder)
        if entry is not None and entry.is_directory:
            yield from self._walk(folder.raw + b"/", entry.oid, skip)

    def blobs(self, entries: Iterable[Entry], *, limit: int = MAX_GUIDE) -> Iterator[Blob]:
        """The blobs of many files in order."""
        return self._store.blobs((entry.oid for entry in entries), limit=limit)

    def blob(self, entry: Entry, *, limit: int = MAX_GUIDE) -> Blob:
        return self._store.blob(entry.oid, limit=limit)

    def _walk(self, prefix: bytes, oid: Sha, skip: frozenset[bytes]) -> Iterator[Entry]:
        stack = [(prefix, iter(self._store.tree(oid)))]  # a tree can be nested deeper than Python recurses
        while stack:
            prefix, entries = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
            elif entry.is_directory and entry.name in skip:
                continue
            elif entry.is_directory:
                stack.append((prefix + entry.name + b"/", iter(self._store.tree(entry.oid))))
            else:
                yield Entry(RepoPath(prefix + entry.name), entry.mode, entry.oid)

    def _entry(self, path: RepoPath) -> TreeEntry | None:
        oid = self.root
        entry: TreeEntry | None = None
        for part in path.raw.split(b"/"):
            if entry is not None:
                if not entry.is_directory:
                    return None
                oid = entry.oid
            entry = next((one for one in self._store.tree(oid) if one.name == part), None)
            if entry is None:
                return None
        return entry


def tree_changes(store: ObjectStore, old: Sha, new: Sha) -> Iterator[TreeChange]:
    """Every path whose entry differs between two trees, renames not paired. Equal subtrees are not read."""
    folders: list[tuple[bytes, Sha | None, Sha | None]] = [(b"", old, new)]
    while folders:
        prefix, before, after = folders.pop()
        for name, one, other in _differing(store, before, after):
            old_folder, new_folder = (side.oid if side and side.is_directory else None for side in (one, other))
            if old_folder != new_folder:
                folders.append((prefix + name + b"/", old_folder, new_folder))
            old_file, new_file = (side if side and not side.is_directory else None for side in (one, other))
            if old_file or new_file:
                yield TreeChange(
                    RepoPath(prefix + name),
                    old_file.mode if old_file else 0,
                    new_file.mode if new_file else 0,
                    old_file.oid if old_file else None,
                    new_file.oid if new_file else None,
                )


def _differing(store: ObjectStore, old: Sha | None, new: Sha | None) -> Iterator[tuple[bytes, TreeEntry | None, TreeEntry | None]]:
    """The names whose entries differ between two folders, of which one may not exist."""
    before = {entry.name: entry for entry in store.tree(old)} if old else {}
    after = {entry.name: entry for entry in store.tree(new)} if new else {}
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)
