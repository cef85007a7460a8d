"""What became of each file of a change."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kodus_check.git.change import read_change
from kodus_check.git.objects import ObjectStore
from kodus_check.git.workspace import Workspace
from kodus_check.model import FileKind, FileStatus, RepoPath
from tests.git.views import BINARY, HIDDEN, TEXT, Seen, nothing, seen
from tests.repo import Repo

ELSEWHERE = "1234567890123456789012345678901234567890"


def git(*arguments: str) -> Callable[[Repo], object]:
    return lambda repo: repo.git(*arguments)


def write(files: dict[str, str | bytes | None]) -> Callable[[Repo], object]:
    return lambda repo: repo.write(files)


def link(target: str, name: str) -> Callable[[Repo], object]:
    return lambda repo: Path(repo.path / name).symlink_to(target)


def gitlink(name: str, sha: str) -> Callable[[Repo], object]:
    """A submodule; its folder makes ``git add`` leave it alone."""

    def apply(repo: Repo) -> None:
        Path(repo.path / name).mkdir(exist_ok=True)
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},{name}")

    return apply


def chmod(name: str, mode: int) -> Callable[[Repo], object]:
    return lambda repo: Path(repo.path / name).chmod(mode)


def unlink(name: str) -> Callable[[Repo], object]:
    return lambda repo: Path(repo.path / name).unlink()


Steps = list[Callable[[Repo], object]]
TEN = list(range(1, 11))

CASES: dict[str, tuple[Steps, Steps, dict[str, Seen]]] = {
    "added": ([], [write({"f": "1\n2\n"})], {"f": (FileStatus.ADDED, FileKind.FILE, None, [1, 2], [], [1, 2], [])}),
    "added in a new folder": (
        [],
        [write({"a/b/c": "1\n"})],
        {"a/b/c": (FileStatus.ADDED, FileKind.FILE, None, [1], [], [1], [])},
    ),
    "modified": (
        [write({"f": TEXT})],
        [write({"f": TEXT.replace("line 1\n", "one\n")})],
        {"f": (FileStatus.MODIFIED, FileKind.FILE, None, [1], [1], [1, 2, 3, 4], [0])},
    ),
    "deleted": ([write({"f": "1\n2\n"})], [unlink("f")], {"f": (FileStatus.DELETED, FileKind.FILE, None, [], [1, 2], [], [0])}),
    "renamed with an edit": (
        [write({"old": TEXT})],
        [git("mv", "old", "new"), write({"new": TEXT.replace("line 9\n", "nine\n")})],
        {"new": (FileStatus.RENAMED, FileKind.FILE, "old", [9], [9], [6, 7, 8, 9, 10], [8])},
    ),
    "pure rename": ([write({"old": TEXT})], [git("mv", "old", "new")], {"new": nothing(FileStatus.RENAMED, old="old")}),
    "renamed and made executable": (
        [write({"old": TEXT})],
        [git("mv", "old", "new"), chmod("new", 0o755)],
        {"new": nothing(FileStatus.RENAMED, old="old")},
    ),
    "renamed into a folder with the old name": (
        [write({"f": TEXT})],
        [unlink("f"), write({"f/f": TEXT})],
        {"f/f": nothing(FileStatus.RENAMED, old="f")},
    ),
    "two files change places": (
        [write({"a": TEXT, "b": "other\n"})],
        [write({"b": TEXT, "a": "other\n"})],
        {
            "a": (FileStatus.MODIFIED, FileKind.FILE, None, [1], TEN, [1], [0]),
            "b": (FileStatus.MODIFIED, FileKind.FILE, None, TEN, [1], TEN, [0]),
        },
    ),
    "a copy is new from its first line to its last": (
        [write({"a": TEXT})],
        [write({"a": TEXT + "more\n", "b": TEXT})],
        {
            "a": (FileStatus.MODIFIED, FileKind.FILE, None, [11], [], [8, 9, 10, 11], []),
            "b": (FileStatus.COPIED, FileKind.FILE, "a", TEN, [], TEN, []),
        },
    ),
    "a copy with an edit": (
        [write({"a": TEXT})],
        [write({"a": TEXT + "more\n", "b": TEXT.replace("line 5", "five")})],
        {
            "a": (FileStatus.MODIFIED, FileKind.FILE, None, [11], [], [8, 9, 10, 11], []),
            "b": (FileStatus.COPIED, FileKind.FILE, "a", TEN, [], TEN, []),
        },
    ),
    "one file becomes two": (
        [write({"a": TEXT})],
        [unlink("a"), write({"b": TEXT, "c": TEXT})],
        {
            "b": (FileStatus.COPIED, FileKind.FILE, "a", TEN, [], TEN, []),
            "c": nothing(FileStatus.RENAMED, old="a"),
        },
    ),
    "a copy of an untouched file is added": (
        [write({"a": TEXT})],
        [write({"b": TEXT})],
        {"b": (FileStatus.ADDED, FileKind.FILE, None, TEN, [], TEN, [])},
    ),
    "only the mode": ([write({"f": "1\n"})], [chmod("f", 0o755)], {"f": nothing(FileStatus.MODE_CHANGED)}),
    "mode and lines": (
        [write({"f": "1\n"})],
        [write({"f": "2\n"}), chmod("f", 0o755)],
        {"f": (FileStatus.MODIFIED, FileKind.FILE, None, [1], [1], [1], [0])},
    ),
    "symlink added": ([], [link("/etc/passwd", "l")], {"l": nothing(FileStatus.ADDED, FileKind.SYMLINK)}),
    "symlink points elsewhere": (
        [link("a", "l")],
        [unlink("l"), link("b", "l")],
        {"l": nothing(FileStatus.MODIFIED, FileKind.SYMLINK)},
    ),
    "symlink deleted": ([link("a", "l")], [unlink("l")], {"l": nothing(FileStatus.DELETED, FileKind.SYMLINK)}),
    "symlink renamed": (
        [link("some/where", "l")],
        [git("mv", "l", "m")],
        {"m": nothing(FileStatus.RENAMED, FileKind.SYMLINK, old="l")},
    ),
    "file to symlink": (
        [write({"f": "1\n2\n"})],
        [unlink("f"), link("elsewhere", "f")],
        {"f": nothing(FileStatus.TYPE_CHANGED, FileKind.SYMLINK)},
    ),
    "symlink to file": (
        [link("elsewhere", "f")],
        [unlink("f"), write({"f": "1\n2\n"})],
        {"f": (FileStatus.TYPE_CHANGED, FileKind.FILE, None, [1, 2], [], [1, 2], [])},
    ),
    "symlink to a file of the same bytes": (
        [link("elsewhere", "f")],
        [unlink("f"), write({"f": "elsewhere"})],
        {"f": (FileStatus.TYPE_CHANGED, FileKind.FILE, None, [1], [], [1], [])},
    ),
    "symlink to binary": (
        [link("elsewhere", "f")],
        [unlink("f"), write({"f": BINARY})],
        {"f": nothing(FileStatus.TYPE_CHANGED, FileKind.BINARY)},
    ),
    "file to submodule": (
        [write({"s": "1\n"})],
        [unlink("s"), gitlink("s", ELSEWHERE)],
        {"s": nothing(FileStatus.TYPE_CHANGED, FileKind.SUBMODULE)},
    ),
    "file to folder": (
        [write({"f": "1\n"})],
        [unlink("f"), write({"f/g": "other\n"})],
        {
            "f": (FileStatus.DELETED, FileKind.FILE, None, [], [1], [], [0]),
            "f/g": (FileStatus.ADDED, FileKind.FILE, None, [1], [], [1], []),
        },
    ),
    "submodule added": ([], [gitlink("sub", ELSEWHERE)], {"sub": nothing(FileStatus.ADDED, FileKind.SUBMODULE)}),
    "submodule moved on": (
        [gitlink("sub", ELSEWHERE)],
        [gitlink("sub", ELSEWHERE[::-1])],
        {"sub": nothing(FileStatus.MODIFIED, FileKind.SUBMODULE)},
    ),
    "submodule deleted": (
        [gitlink("sub", ELSEWHERE)],
        [git("rm", "-q", "--cached", "sub")],
        {"sub": nothing(FileStatus.DELETED, FileKind.SUBMODULE)},
    ),
    "binary added": ([], [write({"i.png": BINARY})], {"i.png": nothing(FileStatus.ADDED, FileKind.BINARY)}),
    "binary modified": (
        [write({"i.png": BINARY})],
        [write({"i.png": BINARY + b"x"})],
        {"i.png": nothing(FileStatus.MODIFIED, FileKind.BINARY)},
    ),
    "binary deleted": ([write({"i.png": BINARY})], [unlink("i.png")], {"i.png": nothing(FileStatus.DELETED, FileKind.BINARY)}),
    "binary renamed": (
        [write({"i.png": BINARY})],
        [git("mv", "i.png", "j.png")],
        {"j.png": nothing(FileStatus.RENAMED, FileKind.BINARY, old="i.png")},
    ),
    "text to binary": (
        [write({"f": "1\n"})],
        [write({"f": b"1\n\0\n"})],
        {"f": nothing(FileStatus.MODIFIED, FileKind.BINARY)},
    ),
    "binary to text": (
        [write({"f": b"1\n\0\n"})],
        [write({"f": "1\n"})],
        {"f": nothing(FileStatus.MODIFIED, FileKind.BINARY)},
    ),
    "empty file added": ([], [write({"f": ""})], {"f": nothing(FileStatus.ADDED)}),
    "empty file deleted": ([write({"f": ""})], [unlink("f")], {"f": nothing(FileStatus.DELETED)}),
    "filled": (
        [write({"f": ""})],
        [write({"f": "1\n"})],
        {"f": (FileStatus.MODIFIED, FileKind.FILE, None, [1], [], [1], [])},
    ),
    "emptied": (
        [write({"f": "1\n"})],
        [write({"f": ""})],
        {"f": (FileStatus.MODIFIED, FileKind.FILE, None, [], [1], [], [0])},
    ),
    "only lines removed": (
        [write({"f": TEXT})],
        [write({"f": TEXT.replace("line 4\nline 5\n", "").replace("line 9\n", "")})],
        {"f": (FileStatus.MODIFIED, FileKind.FILE, None, [], [4, 5, 9], list(range(1, 8)), [3, 6])},
    ),
    "nothing": ([write({"f": TEXT})], [], {}),
    "changed and changed back": ([write({"f": TEXT})], [write({"f": "x"}), write({"f": TEXT})], {}),
}


@pytest.mark.parametrize("name", CASES)
def test_what_became_of_each_file(repo: Repo, name: str) -> None:
    before, after, expected = CASES[name]
    repo.write({"untouched.txt": "stays\n"})
    base = committed(repo, before)
    head = committed(repo, after)
    assert {path: seen(file) for path, file in repo.changed(base, head).items()} == expected


def committed(repo: Repo, steps: Steps) -> str:
    for step in steps:
        step(repo)
    return repo.commit()


def test_the_ids_are_those_of_both_sides(repo: Repo) -> None:
    base = repo.commit({"edited": "1\n", "gone": "2\n"})
    head = repo.commit({"edited": "3\n", "gone": None, "new": "a\n"})
    files = repo.changed(base, head)
    assert {path: (file.old_oid, file.new_oid) for path, file in files.items()} == {
        "edited": (repo.rev(f"{base}:edited"), repo.rev(f"{head}:edited")),
        "gone": (repo.rev(f"{base}:gone"), None),
        "new": (None, repo.rev(f"{head}:new")),
    }


def test_the_sink_gets_every_head_blob_of_a_regular_file_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ObjectStore.blobs.__kwdefaults__ or {}, "limit", 1000)
    repo.write({"edited": "1\n", "gone": "2\n", "old": TEXT, "mode": "m\n", "hidden.py": HIDDEN})
    base = repo.commit()
    for step in (git("mv", "old", "new"), chmod("mode", 0o755), link("edited", "l"), gitlink("sub", ELSEWHERE), unlink("gone")):
        step(repo)
    head = repo.commit({"edited": "3\n", "added": "4\n", "i.png": BINARY, "big": "b\n" * 501, "hidden.py": HIDDEN + b"x\n"})
    sunk: list[tuple[str, FileKind, bytes]] = []
    with Workspace(repo.path) as workspace:
        read_change(
            workspace,
            workspace.resolve(base),
            workspace.resolve(head),
            as_text=lambda path: path == RepoPath(b"hidden.py"),
            sink=lambda file, data: sunk.append((str(file.path), file.kind, data)),
        )
    assert sunk == [
        ("added", FileKind.FILE, b"4\n"),
        ("edited", FileKind.FILE, b"3\n"),
        ("hidden.py", FileKind.BINARY, HIDDEN + b"x\n"),
        ("i.png", FileKind.BINARY, BINARY),
        ("mode", FileKind.FILE, b"m\n"),
        ("new", FileKind.FILE, TEXT.encode()),
    ]
