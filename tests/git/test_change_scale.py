"""Between which commits the change is, and changes of any size."""

import pytest

from kodus_check.git.change import read_change
from kodus_check.git.diff import RENAME_LIMIT
from kodus_check.git.objects import MAX_BLOB, ObjectStore
from kodus_check.git.workspace import Workspace
from kodus_check.model import FileKind, FileStatus, Hunk, NoticeKind
from tests.git.views import TEXT, nothing, seen
from tests.repo import Repo

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


def test_more_renames_than_git_pairs(repo: Repo) -> None:
    """Above git's limit only unchanged files are paired; the others are deletions and additions, and none is lost."""
    count = RENAME_LIMIT + 50
    files = {f"old/{number}": f"{number}\n" + TEXT for number in range(count)}
    base = repo.commit({**files, "old/same": "same\n" + TEXT})
    repo.git("mv", "old", "new")
    head = repo.commit({f"new/{number}": f"{number}\n{TEXT}more\n" for number in range(count)})
    found = repo.changed(base, head)
    assert seen(found["new/same"]) == nothing(FileStatus.RENAMED, old="old/same")
    assert found.keys() == files.keys() | {f"new/{number}" for number in range(count)} | {"new/same"}
    assert {file.status for name, file in found.items() if name != "new/same"} == {FileStatus.ADDED, FileStatus.DELETED}
    assert all(len(found[f"new/{number}"].added) == 12 for number in range(count))


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
