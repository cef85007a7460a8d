"""What git's diff says about lines: read by counting, whatever the lines and the names look like."""

import os
from dataclasses import dataclass

import pytest

from kodus_check.model import ChangedFile, FileStatus, Hunk
from tests.repo import Repo

LONG = b"".join(b"line %d\n" % number for number in range(1, 31))


@dataclass(frozen=True)
class Case:
    """Two contents of one file, and what changed between them."""

    old: bytes
    new: bytes
    hunks: list[tuple[int, int, int, int]]
    added: list[int]
    removed: list[int]
    right: list[int]
    cuts: list[int]


def seen(file: ChangedFile) -> tuple[list[tuple[int, int, int, int]], list[int], list[int], list[int], list[int]]:
    hunks = [(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) for hunk in file.hunks]
    return hunks, list(file.added), list(file.removed), list(file.right), list(file.cuts)


def span(first: int, last: int) -> list[int]:
    return list(range(first, last + 1))


CASES = {
    "plain edit": Case(b"a\nb\nc\nd\ne\nf\n", b"a\nB\nc\nd\ne\nf\n", [(1, 5, 1, 5)], [2], [2], span(1, 5), [1]),
    "two hunks, the second moved by the first": Case(
        LONG,
        LONG.replace(b"line 4\n", b"").replace(b"line 20\n", b"line 20\nnew\nnewer\n"),
        [(1, 7, 1, 6), (18, 6, 17, 8)],
        [20, 21],
        [4],
        span(1, 6) + span(17, 24),
        [3],
    ),
    "two edits that share a hunk": Case(
        LONG,
        LONG.replace(b"line 10\n", b"ten\n").replace(b"line 16\n", b""),
        [(7, 13, 7, 12)],
        [10],
        [10, 16],
        span(7, 18),
        [9, 15],
    ),
    "inserted before the first line": Case(b"a\nb\nc\nd\n", b"0\na\nb\nc\nd\n", [(1, 3, 1, 4)], [1], [], span(1, 4), []),
    "removed first line": Case(b"a\nb\nc\nd\ne\n", b"b\nc\nd\ne\n", [(1, 4, 1, 3)], [], [1], span(1, 3), [0]),
    "removed last line": Case(b"a\nb\nc\nd\ne\n", b"a\nb\nc\nd\n", [(2, 4, 2, 3)], [], [5], span(2, 4), [4]),
    "removed on both sides of a line that stays": Case(b"a\nb\nc\nd\n", b"b\nd\n", [(1, 4, 1, 2)], [], [1, 3], [1, 2], [0, 1]),
    "CRLF": Case(b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n", [(1, 3, 1, 3)], [2], [2], [1, 2, 3], [1]),
    "only the line ending": Case(b"a\nb\nc\n", b"a\nb\r\nc\n", [(1, 3, 1, 3)], [2], [2], [1, 2, 3], [1]),
    "a CR inside a line is no line end": Case(b"a\rb\nc\n", b"a\rb\nd\re\n", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]),
    "no newline at the end of both": Case(b"a\nb", b"a\nc", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]),
    "no newline at the end, edit above it": Case(b"a\nb\nc", b"A\nb\nc", [(1, 3, 1, 3)], [1], [1], [1, 2, 3], [0]),
    "last newline added": Case(b"a\nb", b"a\nb\n", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]),
    "last newline removed": Case(b"a\nb\n", b"a\nb", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]),
    "line added behind a missing newline": Case(b"a\nb", b"a\nb\nc", [(1, 2, 1, 3)], [2, 3], [2], [1, 2, 3], [1]),
    "omitted old count": Case(b"a\n", b"a\nb\n", [(1, 1, 1, 2)], [2], [], [1, 2], []),
    "omitted new count": Case(b"a\nb\n", b"a\n", [(1, 2, 1, 1)], [], [2], [1], [1]),
    "both counts omitted": Case(b"a\n", b"b\n", [(1, 1, 1, 1)], [1], [1], [1], [0]),
    "emptied": Case(b"a\nb\n", b"", [(1, 2, 0, 0)], [], [1, 2], [], [0]),
    "filled": Case(b"", b"a\nb\n", [(0, 0, 1, 2)], [1, 2], [], [1, 2], []),
    "one line without newline into an empty file": Case(b"", b"a", [(0, 0, 1, 1)], [1], [], [1], []),
    "an added line that looks like +++": Case(
        b"int counter;\nint other;\nreturn;\n",
        b"int counter;\n++ counter;\nint other;\nreturn;\nend;\n",
        [(1, 3, 1, 5)],
        [2, 5],
        [],
        span(1, 5),
        [],
    ),
    "a removed line that looks like ---": Case(b"a\n-- x\nb\n", b"a\nb\n", [(1, 3, 1, 2)], [], [2], [1, 2], [1]),
    "--- and +++ pairs like a file header": Case(
        b"-- a/other.py\nx\n", b"++ b/other.py\nx\n", [(1, 2, 1, 2)], [1], [1], [1, 2], [0]
    ),
    "form feed, vertical tab, NEL, U+2028, U+2029, FS inside lines": Case(
        "one\x0c1\ntwo\u20282\nthree\u20293\nfour\x0b4\nfive\x85\x1c5\n".encode(),
        "one\x0c1\ntwo\u20282\nthree\u20293\nFOUR\x0b4\nfive\x85\x1c5\n".encode(),
        [(1, 5, 1, 5)],
        [4],
        [4],
        span(1, 5),
        [3],
    ),
    "lines that look like headers of a diff": Case(
        b"a\nb\n",
        b"a\ndiff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline at end of file\n"
        b"Binary files a/x and b/x differ\nb\n",
        [(1, 2, 1, 9)],
        span(2, 8),
        [],
        span(1, 9),
        [],
    ),
    "headers of a diff as context": Case(
        b"diff --git a/x b/x\n@@ -1 +1 @@\n\\ No newline at end of file\nold\n",
        b"diff --git a/x b/x\n@@ -1 +1 @@\n\\ No newline at end of file\nnew\n",
        [(1, 4, 1, 4)],
        [4],
        [4],
        span(1, 4),
        [3],
    ),
    "the marker itself is the last line, without newline": Case(
        b"a\n\\ No newline at end of file", b"b\n\\ No newline at end of file", [(1, 2, 1, 2)], [1], [1], [1, 2], [0]
    ),
    "blank lines": Case(b"\n\n\n", b"\n\n\n\n", [(1, 3, 1, 4)], [4], [], span(1, 4), []),
    "no valid UTF-8": Case(b"\xff\xfe\n\x80\n", b"\xff\xfe\n\x81\n", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]),
    "a NUL behind the part that git looks at": Case(
        b"x" * 8000 + b"\0\na\n", b"x" * 8000 + b"\0\nb\n", [(1, 2, 1, 2)], [2], [2], [1, 2], [1]
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lines_of_one_edited_file(repo: Repo, name: str) -> None:
    case = CASES[name]
    base = repo.commit({"f.txt": case.old})
    head = repo.commit({"f.txt": case.new})
    assert seen(repo.changed(base, head)["f.txt"]) == (case.hunks, case.added, case.removed, case.right, case.cuts)


def test_all_of_them_in_one_diff(repo: Repo) -> None:
    """Nothing of one file's hunks leaks into the next file's."""
    names = {f"{index:02}.txt": case for index, case in enumerate(CASES.values())}
    base = repo.commit({f"d{name}/{name}": case.old for name, case in names.items()})
    head = repo.commit({f"d{name}/{name}": case.new for name, case in names.items()})
    files = repo.changed(base, head)
    assert {path: seen(file) for path, file in files.items()} == {
        f"d{name}/{name}": (case.hunks, case.added, case.removed, case.right, case.cuts) for name, case in names.items()
    }


NAMES = {
    "non-ASCII": "naïve file.py".encode(),
    "decomposed": "nai\u0308ve.py".encode(),
    "emoji": "\N{ROCKET}.py".encode(),
    "newline": b"two\nlines.py",
    "tab": b"a\tb.py",
    "carriage return": b"a\rb.py",
    "quote": b'say "hi".py',
    "backslash": b"back\\slash\\n.py",
    "octal escape as text": b"\\303\\257.py",
    "leading dash": b"-rf",
    "option": b"--no-index",
    "brackets": b"app/[id]/page.tsx",
    "pathspec magic": b":(exclude)*.py",
    "glob": b"*.py",
    "not UTF-8": b"caf\xe9.py",
    "spaces at both ends": b" a ",
    "a b/ inside": b"x b/x",
    "rename arrow": b"a => b",
    "braces": b"{a,b => c}.py",
    "header of a diff": b"diff --git a/x b/x",
    "newline and header": b"x\n@@ -1 +1 @@\n+y",
    "dev null": b"dev/null",
    "escape character": b"\x1b[31mred\x7f.py",
    "U+2028": "a\u2028b.py".encode(),
    "case": b"README.MD",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_the_bytes_that_git_stores(repo: Repo, name: str) -> None:
    raw = NAMES[name]
    repo.commit({b"gone/" + raw: b"g\n", b"edited/" + raw: b"1\n2\n3\n", b"old/" + raw: b"a\nb\nc\nd\ne\nf\n"})
    repo.git("mv", b"old", b"renamed")
    repo.write({b"renamed/" + raw: b"a\nb\nc\nD\ne\nf\n", b"edited/" + raw: b"1\n2\nthree\n", b"new/" + raw: b"n\n"})
    head = repo.commit({b"gone/" + raw: None})
    files = {file.path.raw: file for file in repo.change(f"{head}~1", head).files}
    assert {name: (file.status, file.old_path and file.old_path.raw, list(file.added)) for name, file in files.items()} == {
        b"edited/" + raw: (FileStatus.MODIFIED, None, [3]),
        b"gone/" + raw: (FileStatus.DELETED, None, []),
        b"new/" + raw: (FileStatus.ADDED, None, [1]),
        b"renamed/" + raw: (FileStatus.RENAMED, b"old/" + raw, [4]),
    }


def test_several_files_are_ordered_by_the_bytes_of_their_paths(repo: Repo) -> None:
    names = [b"B.py", b"a-b.py", b"a.py", b"a/z.py", b"a0.py", b"\xc3\xa9.py", b"\xff.py"]
    base = repo.commit({"keep": "k\n"})
    head = repo.commit({name: b"%d\n" % index for index, name in enumerate(reversed(names))})
    assert [file.path.raw for file in repo.change(base, head).files] == names


def test_a_long_name_and_a_deep_folder(repo: Repo) -> None:
    deep = b"/".join([b"d" * 200] * 15)
    base = repo.commit({"keep": "k\n"})
    tree = repo.git("hash-object", "-w", "--stdin", data=b"x\n").decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{tree},{os.fsdecode(deep)}")
    repo.clock += 60
    repo.git("commit", "-q", "-m", "deep")
    assert [(file.path.raw, file.hunks) for file in repo.change(base, "HEAD").files] == [(deep, (Hunk(0, 0, 1, 1),))]
