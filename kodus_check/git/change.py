"""The change set: every file between the merge base and head, its lines proved.

Which files changed comes from our own walk over verified trees; git adds only the pairing of renames and the hunks. Both must
agree: a path that one of them knows and the other does not is a failure of the run, never "no change".
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from kodus_check.errors import CannotReview
from kodus_check.git.diff import DiffMismatch, ProvedLines, RawRecord, Section, diff_tree, one_sided, prove
from kodus_check.git.objects import MODE_SUBMODULE, MODE_SYMLINK, Blob, ObjectStore
from kodus_check.git.trees import TreeChange, tree_changes
from kodus_check.git.workspace import Workspace
from kodus_check.model import Change, ChangedFile, FileKind, FileStatus, Notice, NoticeKind, RepoPath, Revision, Sha

BINARY_PROBE = 8000  # git looks for a NUL in this many bytes

_GROUP_FILES = 200
_GROUP_BYTES = 4 * 1024 * 1024

Sink = Callable[[ChangedFile, bytes], None]
"""Takes each changed file with the verified bytes of its head blob while they are at hand."""

_NOTHING = one_sided(b"", is_new=True)


def read_change(
    workspace: Workspace,
    base: Revision,
    head: Revision,
    *,
    as_text: Callable[[RepoPath], bool] = lambda path: False,
    sink: Sink | None = None,
) -> tuple[Change, list[Notice]]:
    """The change ``merge_base(base, head)..head`` with verified files, ordered by path.

    A file with a NUL byte is binary to git, which would hide its lines; where ``as_text`` holds for its path its lines are read
    all the same. Head blobs of regular files go to ``sink`` once, in the order of git's list, so that none is read again.
    """
    store = workspace.store
    notices: list[Notice] = []
    fork = workspace.merge_base(base.sha, head.sha)
    if fork is None:
        notices.append(
            Notice(
                NoticeKind.UNRELATED_HISTORIES,
                f"{base.ref} and {head.ref} have no common commit, so the change is everything that differs between them. "
                "Rebase head onto the base for a smaller review.",
            )
        )
        fork = base.sha
    old_tree, new_tree = store.commit(fork).tree, store.commit(head.sha).tree
    walked = list(tree_changes(store, old_tree, new_tree))
    try:
        files = _read_files(workspace, walked, (old_tree, new_tree), sink, as_text)
    except CannotReview:
        _name_damage(store, walked)
        raise
    return Change(base, head, fork, tuple(sorted(files, key=lambda file: file.path))), notices


def _read_files(
    workspace: Workspace, walked: list[TreeChange], trees: tuple[Sha, Sha], sink: Sink | None, as_text: Callable[[RepoPath], bool]
) -> list[ChangedFile]:
    with diff_tree(workspace.git_dir, *trees) as (records, sections):
        _agree(records, walked)
        files = list(_files(workspace, records, sections, sink, as_text))
        if next(sections, None) is not None:
            raise CannotReview("git printed more changed files than its own list names")
    edited = (FileStatus.MODIFIED, FileStatus.RENAMED)
    hidden = {file.path for file in files if file.kind is FileKind.BINARY and file.status in edited and as_text(file.path)}
    if hidden:
        with diff_tree(workspace.git_dir, *trees, text=True) as (records, sections):
            _agree(records, walked)
            shown = {file.path: file for file in _files(workspace, records, sections, None, as_text) if file.path in hidden}
        files = [shown.get(file.path, file) for file in files]
    return files


def _name_damage(store: ObjectStore, walked: list[TreeChange]) -> None:
    """Raises for the first blob that is missing or wrong: git stops at such a one without a word that we could pass on."""
    store.close()  # answers that nobody took may still be in its pipe
    sides = [side for one in walked for side in ((one.old_mode, one.old_oid), (one.new_mode, one.new_oid))]
    for _ in store.blobs((oid for mode, oid in sides if oid and mode != MODE_SUBMODULE), limit=0):
        pass


def _agree(records: list[RawRecord], walked: list[TreeChange]) -> None:
    """Git's list, its pairs taken apart, must be the list of our own walk."""
    ours: Counter[tuple[RepoPath, str, int, Sha]] = Counter()
    for change in walked:
        if change.old_oid:
            ours[(change.path, "old", change.old_mode, change.old_oid)] += 1
        if change.new_oid:
            ours[(change.path, "new", change.new_mode, change.new_oid)] += 1
    theirs: Counter[tuple[RepoPath, str, int, Sha]] = Counter()
    for record in records:
        if record.old_oid and record.letter != "C":
            theirs[(record.old_path, "old", record.old_mode, record.old_oid)] += 1
        if record.new_oid:
            theirs[(record.path, "new", record.new_mode, record.new_oid)] += 1
    if ours != theirs:
        path = min((key[0] for key in (ours - theirs) + (theirs - ours)), default=None)
        raise CannotReview(
            "the list of changed files that git printed is not that of the verified trees",
            where=str(path),
            remedy="The object database was changed or is damaged; nothing in it can judge. Run `git fsck`, then clone again.",
        )


def _files(
    workspace: Workspace,
    records: list[RawRecord],
    sections: Iterator[Section],
    sink: Sink | None,
    as_text: Callable[[RepoPath], bool],
) -> Iterator[ChangedFile]:
    """Groups of sections are proved together, so that blobs are read without a round trip each and the diff text is not kept."""
    group: list[tuple[RawRecord, Section]] = []
    size = 0
    for record in records:
        parts = list(islice(sections, record.sections))
        if len(parts) != record.sections:
            raise CannotReview("git printed fewer changed files than its own list names", where=str(record.path))
        group.append((record, parts[-1]))
        size += parts[-1].size
        if len(group) >= _GROUP_FILES or size >= _GROUP_BYTES:
            yield from _prove_group(workspace, group, sink, as_text)
            group, size = [], 0
    yield from _prove_group(workspace, group, sink, as_text)


def _prove_group(
    workspace: Workspace, group: list[tuple[RawRecord, Section]], sink: Sink | None, as_text: Callable[[RepoPath], bool]
) -> Iterator[ChangedFile]:
    wanted: list[Sha] = []
    for record, _ in group:
        wanted.extend(_blobs_of(record))
    blobs = workspace.store.blobs(wanted)
    for record, section in group:
        read = {oid: next(blobs) for oid in _blobs_of(record)}
        old = read.get(record.old_oid) if record.old_oid else None
        new = read.get(record.new_oid) if record.new_oid else None
        file = _changed_file(record, section, old, new, as_text)
        yield file
        if sink is not None and new is not None and new.data is not None and file.kind in (FileKind.FILE, FileKind.BINARY):
            sink(file, new.data)


def _blobs_of(record: RawRecord) -> list[Sha]:
    """The ids of the blobs that prove this record: none of a submodule, one of two equal sides, the new one of a copy."""
    sides = [(record.old_mode, record.old_oid), (record.new_mode, record.new_oid)]
    if record.letter == "C":
        sides = sides[1:]
    return list(dict.fromkeys(oid for mode, oid in sides if oid and mode != MODE_SUBMODULE))


def _changed_file(
    record: RawRecord, section: Section, old: Blob | None, new: Blob | None, as_text: Callable[[RepoPath], bool]
) -> ChangedFile:
    kind = _kind(record, old, new)
    oversize = any(blob is not None and blob.data is None for blob in (old, new))
    lines = _NOTHING
    if not oversize and (kind is FileKind.FILE or (kind is FileKind.BINARY and as_text(record.path))):
        lines = _lines(record, kind, section, old, new)
    return ChangedFile(
        path=record.path,
        status=_status(record),
        kind=kind,
        old_path=record.old_path if record.letter in "RC" else None,
        old_oid=record.old_oid,
        new_oid=record.new_oid,
        hunks=lines.hunks,
        added=lines.added,
        removed=lines.removed,
        right=lines.right,
        cuts=lines.cuts,
        oversize=oversize,
    )


def _lines(record: RawRecord, kind: FileKind, section: Section, old: Blob | None, new: Blob | None) -> ProvedLines:
    old_data = old.data if old is not None and old.data is not None else b""
    new_data = new.data if new is not None and new.data is not None else b""
    if record.letter == "D":
        return one_sided(old_data, is_new=False)
    if record.letter in "ACT":  # a copy is a new file: every line of it is new at this path
        return one_sided(new_data, is_new=True)
    if record.old_oid == record.new_oid:
        return _NOTHING
    if section.binary:
        if kind is FileKind.FILE:
            raise DiffMismatch(record.path, "it is no binary file")
        return _NOTHING
    if section.ids != (str(record.old_oid).encode(), str(record.new_oid).encode()):
        raise DiffMismatch(record.path, "its section names other blobs")
    return prove(record.path, old_data, new_data, section.hunks)


def _kind(record: RawRecord, old: Blob | None, new: Blob | None) -> FileKind:
    mode = record.new_mode or record.old_mode
    if mode == MODE_SUBMODULE:
        return FileKind.SUBMODULE
    if mode == MODE_SYMLINK:
        return FileKind.SYMLINK
    sides = (new,) if record.letter in "ACT" else (old, new)
    binary = any(blob is not None and blob.data is not None and b"\0" in blob.data[:BINARY_PROBE] for blob in sides)
    return FileKind.BINARY if binary else FileKind.FILE


def _status(record: RawRecord) -> FileStatus:
    if record.letter == "M" and record.old_oid == record.new_oid:
        return FileStatus.MODE_CHANGED
    try:
        return {
            "A": FileStatus.ADDED,
            "C": FileStatus.COPIED,
            "D": FileStatus.DELETED,
            "M": FileStatus.MODIFIED,
            "R": FileStatus.RENAMED,
            "T": FileStatus.TYPE_CHANGED,
        }[record.letter]
    except KeyError:
        raise CannotReview(f"git printed the unknown status {record.letter!r}", where=str(record.path)) from None
