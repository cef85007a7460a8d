"""The change set: which files, what became of each, and the lines in head's numbering."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kodus_check.git.change import read_change
from kodus_check.git.objects import MAX_BLOB, ObjectStore
from kodus_check.git.workspace import Workspace
from kodus_check.model import ChangedFile, FileKind, FileStatus, Hunk, NoticeKind, RepoPath
from tests.repo import Repo

TEXT = "".join(f"line {number}\n" for number in range(1, 11))
BINARY = b"\x89PNG\r\n\0\0\0\n"
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
Seen = tuple[FileStatus, FileKind, str | None, list[int], list[int], list[int], list[int]]
"""Status, kind, old path, added, removed, right, cuts."""


def seen(file: ChangedFile) -> Seen:
    old = str(file.old_path) if file.old_path else None
    return file.status, file.kind, old, list(file.added), list(file.removed), list(file.right), list(file.cuts)


def nothing(status: FileStatus, kind: FileKind = FileKind.FILE, old: str | None = None) -> Seen:
    return status, kind, old, [], [], [], []


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


# --- binary files whose lines are read all the same -------------------------------------------------------------------------

HIDDEN = b"safe\n\0\nend\n"

AS_TEXT: dict[str, tuple[dict[str, bytes], dict[str, bytes | None], dict[str, Seen]]] = {
    "a NUL was there before": (
        {"f.py": HIDDEN},
        {"f.py": HIDDEN.replace(b"safe", b"evil")},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [1], [1], [1, 2, 3], [0])},
    ),
    "a NUL is added": (
        {"f.py": b"a\nb\n"},
        {"f.py": b"a\n\0\nb\n"},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [2], [], [1, 2, 3], [])},
    ),
    "a NUL is removed": (
        {"f.py": b"a\n\0\nb\n"},
        {"f.py": b"a\nb\n"},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [], [2], [1, 2], [1])},
    ),
    "added": ({}, {"f.py": HIDDEN}, {"f.py": (FileStatus.ADDED, FileKind.BINARY, None, [1, 2, 3], [], [1, 2, 3], [])}),
    "deleted": ({"f.py": HIDDEN}, {"f.py": None}, {"f.py": (FileStatus.DELETED, FileKind.BINARY, None, [], [1, 2, 3], [], [0])}),
    "renamed with an edit": (
        {"old.py": TEXT.encode() + HIDDEN},
        {"old.py": None, "new.py": TEXT.encode() + HIDDEN + b"evil\n"},
        {"new.py": (FileStatus.RENAMED, FileKind.BINARY, "old.py", [14], [], [11, 12, 13, 14], [])},
    ),
    "only where it is asked for": (
        {"f.py": HIDDEN, "i.png": BINARY},
        {"f.py": HIDDEN + b"evil\n", "i.png": BINARY + b"x"},
        {
            "f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [4], [], [1, 2, 3, 4], []),
            "i.png": nothing(FileStatus.MODIFIED, FileKind.BINARY),
        },
    ),
    "text files beside it stay as they are": (
        {"f.py": HIDDEN, "g.txt": b"1\n"},
        {"f.py": HIDDEN + b"evil\n", "g.txt": b"2\n"},
        {
            "f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [4], [], [1, 2, 3, 4], []),
            "g.txt": (FileStatus.MODIFIED, FileKind.FILE, None, [1], [1], [1], [0]),
        },
    ),
}


@pytest.mark.parametrize("name", AS_TEXT)
def test_a_nul_byte_hides_no_line_of_code(repo: Repo, name: str) -> None:
    before, after, expected = AS_TEXT[name]
    base, head = repo.commit({"k": "k", **before}), repo.commit(after)
    with Workspace(repo.path) as workspace:
        change, _ = read_change(
            workspace, workspace.resolve(base), workspace.resolve(head), as_text=lambda path: path.suffix == ".py"
        )
    assert {str(file.path): seen(file) for file in change.files} == expected


# --- a pull request's .gitattributes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    [
        "*.md -diff",
        "* binary",
        "* -text -diff",
        "* diff=hidden",
        "*.md linguist-generated",
        "[attr]hide -diff\n*.md hide",
        "* working-tree-encoding=UTF-16",
        "* export-ignore",
        "* filter=lfs diff=lfs merge=lfs -text",
    ],
)
@pytest.mark.parametrize("place", [".gitattributes", "docs/.gitattributes", ".git/info/attributes"])
def test_attributes_hide_nothing(repo: Repo, attributes: str, place: str) -> None:
    repo.git("config", "diff.hidden.binary", "true")
    base = repo.commit({"docs/rules.md": "# Rules\n\nNever log secrets.\n"})
    repo.commit({"docs/rules.md": "# Rules\n\nLog what you like.\n", "n.md": "new\n"})
    repo.write({place: attributes + "\n"})
    if not place.startswith(".git/"):
        blob = repo.git("hash-object", "-w", "--stdin", "--no-filters", data=attributes.encode()).decode().strip()
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{place}")
        repo.git("commit", "-q", "-m", "attributes")
    files = repo.changed(base, "HEAD")
    assert seen(files["docs/rules.md"]) == (FileStatus.MODIFIED, FileKind.FILE, None, [3], [3], [1, 2, 3], [2])
    assert list(files["n.md"].added) == [1]


@pytest.mark.parametrize(
    "setting",
    [
        "diff.context=0",
        "diff.interHunkContext=100",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.suppressBlankEmpty=true",
        "diff.algorithm=patience",
        "diff.indentHeuristic=false",
        "diff.renames=false",
        "diff.ignoreSubmodules=all",
        "diff.orderFile=/dev/null",
        "diff.relative=true",
        "diff.color=always",
        "color.ui=always",
        "diff.wsErrorHighlight=all",
        "core.quotePath=false",
        "core.bigFileThreshold=1",
        "core.autocrlf=true",
        "core.abbrev=4",
        "i18n.logOutputEncoding=UTF-16",
    ],
)
def test_settings_of_the_workspace_do_not_shape_the_diff(repo: Repo, setting: str) -> None:
    old = "\n\n" + TEXT + "\n\n"
    base = repo.commit({"docs/naïve.md": old, "a": old, "old": old + "x\n"})
    repo.git("mv", "old", "new")
    head = repo.commit({"docs/naïve.md": old.replace("line 5", "five"), "a": old + "\n"})
    before = repo.change(base, head)
    repo.git("config", *setting.split("=", 1))
    assert repo.change(base, head) == before
    assert seen(before.files[1]) == (FileStatus.MODIFIED, FileKind.FILE, None, [7], [7], list(range(4, 11)), [6])


# --- which commits ---------------------------------------------------------------------------------------------------------


def test_lines_are_numbered_in_head_though_the_base_moved_on(repo: Repo) -> None:
    """Five lines put on top of the same file at the base move nothing: neither the numbers nor the change."""
    fork = repo.commit({"f": "".join(f"{number}\n" for number in range(1, 41))})
    repo.branch("feature")
    head = repo.commit({"f": "".join(f"{number}\n" if number != 30 else "thirty\n" for number in range(1, 41))})
    repo.checkout("main")
    base = repo.commit({"f": "new\n" * 5 + "".join(f"{number}\n" for number in range(1, 41)), "other": "of the base\n"})
    repo.git("merge", "-q", "--no-edit", "feature")
    change = repo.change(base, "feature")
    assert (change.base.sha, change.head.sha, change.merge_base) == (base, head, fork)
    assert [(str(file.path), seen(file)) for file in change.files] == [
        ("f", (FileStatus.MODIFIED, FileKind.FILE, None, [30], [30], list(range(27, 34)), [29]))
    ]
    assert change.files[0].hunks == (Hunk(27, 7, 27, 7),)


def test_head_that_merged_the_base_shows_only_its_own_lines(repo: Repo) -> None:
    repo.commit({"f": TEXT, "g": "g\n"})
    repo.branch("feature")
    repo.commit({"f": TEXT.replace("line 9", "nine")})
    repo.checkout("main")
    base = repo.commit({"g": "changed at the base\n"})
    repo.checkout("feature")
    repo.git("merge", "-q", "--no-edit", "main")
    change = repo.change("main", "feature")
    assert change.merge_base == base
    assert {str(file.path): list(file.added) for file in change.files} == {"f": [9]}


def test_a_merged_head_has_nothing_left(repo: Repo) -> None:
    head = repo.commit({"f": "1\n"})
    base = repo.commit({"f": "2\n"})
    change = repo.change(base, head)
    assert (change.merge_base, change.files) == (head, ())
    assert repo.change(base, base).files == ()


def test_unrelated_histories_are_compared_with_the_base_and_said(repo: Repo) -> None:
    base = repo.commit({"same": "s\n", "base-only": "of the base\n", "both": "1\n2\n"})
    repo.git("checkout", "-q", "--orphan", "other")
    head = repo.commit({"both": "1\nTWO\n", "base-only": None, "new": "n\n"})
    with Workspace(repo.path) as workspace:
        change, notices = read_change(workspace, workspace.resolve("main"), workspace.resolve("other"))
    assert (change.base.sha, change.head.sha, change.merge_base) == (base, head, base)
    assert {str(file.path): (str(file.status), list(file.added), list(file.removed)) for file in change.files} == {
        "base-only": ("deleted", [], [1]),
        "both": ("modified", [2], [2]),
        "new": ("added", [1], []),
    }
    assert [notice.kind for notice in notices] == [NoticeKind.UNRELATED_HISTORIES]
    assert "main and other have no common commit" in notices[0].message


def test_related_histories_give_no_notice(repo: Repo) -> None:
    base, head = repo.commit({"f": "1\n"}), repo.commit({"f": "2\n"})
    with Workspace(repo.path) as workspace:
        assert read_change(workspace, workspace.resolve(base), workspace.resolve(head))[1] == []


# --- size ------------------------------------------------------------------------------------------------------------------


def test_a_file_of_17_mb(repo: Repo) -> None:
    lines = [b"%07d,abcdefgh\n" % number for number in range(1_070_000)]
    base = repo.commit({"data.csv": b"".join(lines)})
    lines[500_000] = b"changed\n"
    lines.append(b"last\n")
    head = repo.commit({"data.csv": b"".join(lines)})
    assert sum(map(len, lines)) > 17_000_000
    assert seen(repo.changed(base, head)["data.csv"]) == (
        FileStatus.MODIFIED,
        FileKind.FILE,
        None,
        [500_001, 1_070_001],
        [500_001],
        [*range(499_998, 500_005), *range(1_069_998, 1_070_002)],
        [500_000],
    )


def test_3100_files(repo: Repo) -> None:
    """More than a platform's API lists; the groups that are proved together must not lose one, nor mix two up."""
    base = repo.commit({f"src/{number % 50}/{number}.py": f"{number}\nold\n" for number in range(2_000)})
    edits: dict[str, str | None] = {f"src/{number % 50}/{number}.py": f"{number}\nnew\nnew\n" for number in range(1_900)}
    edits |= {f"src/{number % 50}/{number}.py": None for number in range(1_900, 2_000)}
    edits |= {f"new/{number}.py": f"fresh {number * 7919}\n" for number in range(1_100)}
    head = repo.commit(edits)
    sunk: dict[str, bytes] = {}
    with Workspace(repo.path) as workspace:
        change, _ = read_change(
            workspace,
            workspace.resolve(base),
            workspace.resolve(head),
            sink=lambda file, data: sunk.update({str(file.path): data}),
        )
    by_status = {status: sum(file.status is status for file in change.files) for status in FileStatus}
    assert (len(change.files), by_status[FileStatus.MODIFIED], by_status[FileStatus.ADDED]) == (3_100, 1_900, 1_100)
    assert by_status[FileStatus.DELETED] == 100
    assert all(list(file.added) == [2, 3] for file in change.files if file.status is FileStatus.MODIFIED)
    assert sunk == {name: content.encode() for name, content in edits.items() if content is not None}


def test_a_blob_over_the_limit_is_oversize_and_has_no_lines(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ObjectStore.blobs.__kwdefaults__ or {}, "limit", 100)
    base = repo.commit({"grows": "x\n", "shrinks": "y\n" * 200, "small": "z\n" * 50})
    head = repo.commit({"grows": "x\n" * 51, "shrinks": "y\n", "small": "z\n" * 49 + "Z\n", "new": "n\n" * 51})
    assert {path: (file.oversize, list(file.added), file.hunks != ()) for path, file in repo.changed(base, head).items()} == {
        "grows": (True, [], False),
        "new": (True, [], False),
        "shrinks": (True, [], False),
        "small": (False, [50], True),
    }


def test_the_limit_is_32_mib(repo: Repo) -> None:
    data = b"x" * 1023 + b"\n"
    base = repo.commit({"at": data, "over": data})
    head = repo.commit({"at": data * 32 * 1024, "over": data * 32 * 1024 + b"\n"})
    assert MAX_BLOB == 32 * 1024 * 1024
    assert {path: (file.oversize, len(file.added)) for path, file in repo.changed(base, head).items()} == {
        "at": (False, 32 * 1024 - 1),
        "over": (True, 0),
    }


# --- what the sink gets ----------------------------------------------------------------------------------------------------


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
