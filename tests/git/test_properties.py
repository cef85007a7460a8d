"""Random histories: what is read must be provable from the two files alone, and the merge base must be git's."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kodus_check.git.change import read_change
from kodus_check.git.history import merge_base
from kodus_check.git.workspace import Workspace
from kodus_check.model import ChangedFile, FileKind, FileStatus, parse_sha
from tests.git.histories import best_common, grow
from tests.repo import Repo


@contextmanager
def temporary_repo() -> Iterator[Repo]:
    with tempfile.TemporaryDirectory() as folder:
        yield Repo.init(Path(folder))


# --- contents --------------------------------------------------------------------------------------------------------------

LINE = st.one_of(
    st.sampled_from(
        [
            b"a",
            b"b",
            b"c",
            b"",
            b"+ x",
            b"++ counter;",
            b"- x",
            b"-- x",
            b"@@ -1 +1 @@",
            b" x",
            b"\\ No newline at end of file",
            b"diff --git a/x b/x",
            b"x\r",
            b"\x0cx",
            b"x\xe2\x80\xa8y",
            b"x\ry",
            b"\xff\xfe",
        ]
    ),
    st.binary(max_size=6).map(lambda raw: raw.replace(b"\n", b"")),
    st.just(b"\0"),
)
LINES = st.lists(LINE, max_size=25)
END = st.sampled_from([b"\n", b"\n", b"\n", b""])
NAME = st.sampled_from([b"a", b"b", b"d/a", b"d/e/b", b"na\xc3\xafve file", b"tab\tname", b"-x", b"\xff", b'"q"'])
MODE = st.sampled_from([b"100644", b"100644", b"100644", b"100755", b"120000"])

File = tuple[bytes, list[bytes], bytes]
"""Mode, lines, what ends the last line."""
FILES = st.dictionaries(NAME, st.tuples(MODE, LINES, END), max_size=5)


def content(file: File) -> bytes:
    return b"\n".join(file[1]) + (file[2] if file[1] else b"")


@st.composite
def edited(draw: st.DrawFn, files: dict[bytes, File]) -> dict[bytes, File]:
    """The files after a few edits, renames, copies, mode changes, deletions and additions."""
    after = dict(files)
    for _ in range(draw(st.integers(1, 4))):
        if not after or draw(st.integers(0, 5)) == 0:
            after |= draw(FILES)
            continue
        name = draw(st.sampled_from(sorted(after)))
        mode, lines, end = after[name]
        what = draw(st.sampled_from(["edit", "edit", "edit", "edit", "end", "mode", "rename", "copy", "delete"]))
        if what == "edit":
            start = draw(st.integers(0, len(lines)))
            after[name] = mode, lines[:start] + draw(st.lists(LINE, max_size=3)) + lines[start + draw(st.integers(0, 3)) :], end
        elif what == "end":
            after[name] = mode, lines, draw(END)
        elif what == "mode":
            after[name] = draw(MODE), lines, end
        elif what == "delete":
            del after[name]
        else:
            after[draw(NAME)] = after[name]
            if what == "rename":
                after.pop(name, None)
    return after


@st.composite
def histories(draw: st.DrawFn) -> list[dict[bytes, File]]:
    states = [draw(FILES)]
    for _ in range(draw(st.integers(1, 3))):
        states.append(draw(edited(states[-1])))
    return states


def without_clashes(files: dict[bytes, File]) -> dict[bytes, File]:
    """A path cannot be a folder as well."""
    return {name: file for name, file in files.items() if not any(other.startswith(name + b"/") for other in files)}


def imported(repo: Repo, states: list[dict[bytes, File]]) -> list[str]:
    """One commit after another, written by ``fast-import``."""
    stream = b""
    for number, files in enumerate(states, 1):
        stream += b"commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nm" % (number, number)
        stream += b"\n" + (b"from :%d\n" % (number - 1) if number > 1 else b"") + b"deleteall\n"
        for name, file in files.items():
            quoted = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
            stream += b"M %s inline %s\ndata %d\n%s\n" % (file[0], quoted, len(content(file)), content(file))
    repo.git("fast-import", "--quiet", data=stream)
    return repo.git("rev-list", "--reverse", "main").decode().split()


def lines_of(data: bytes) -> list[bytes]:
    """Lines with their ends, split at LF alone."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def check(file: ChangedFile, old: bytes, new: bytes) -> None:
    """The numbers of one file, recomputed from its two contents."""
    before, after = lines_of(old), lines_of(new)
    assert all(1 <= line <= len(after) for line in file.added)
    assert all(1 <= line <= len(before) for line in file.removed)
    built = [line for number, line in enumerate(before, 1) if number not in file.removed]
    for number in file.added:
        built.insert(number - 1, after[number - 1])
    assert b"".join(built) == new

    assert set(file.added) <= set(file.right)
    assert set(file.right) == {line for hunk in file.hunks for line in range(hunk.new_start, hunk.new_start + hunk.new_lines)}
    old_end = new_end = 0
    shift = 0
    for hunk in file.hunks:
        old_first = hunk.old_start if hunk.old_lines else hunk.old_start + 1
        new_first = hunk.new_start if hunk.new_lines else hunk.new_start + 1
        assert old_first > old_end
        assert new_first > new_end
        assert new_first - old_first == shift
        old_end, new_end = old_first + hunk.old_lines - 1, new_first + hunk.new_lines - 1
        shift += hunk.new_lines - hunk.old_lines
        removed = [line for line in range(old_first, old_end + 1) if line in file.removed]
        added = [line for line in range(new_first, new_end + 1) if line in file.added]
        assert removed or added
        assert hunk.old_lines - len(removed) == hunk.new_lines - len(added)
    assert old_end <= len(before)
    assert new_end <= len(after)
    assert shift == len(after) - len(before)

    # A cut is where a removed line stood: behind as many lines of head as stay or come in front of it.
    kept = [line for line in range(1, len(after) + 1) if line not in file.added]
    stays = [line for line in range(1, len(before) + 1) if line not in file.removed]
    cuts = set()
    for line in file.removed:
        in_front = sum(other < line for other in stays)
        cuts.add(kept[in_front - 1] if in_front else 0)
    assert {max((line for line in kept if line <= cut), default=0) for cut in file.cuts} == cuts


@settings(max_examples=60, deadline=None)
@given(histories())
def test_any_change_is_read_and_proved(states: list[dict[bytes, File]]) -> None:
    states = [without_clashes(state) for state in states]
    with temporary_repo() as repo:
        ids = imported(repo, states)
        with Workspace(repo.path) as workspace:
            for first in range(len(ids)):
                for last in range(first, len(ids)):
                    base, head = workspace.resolve(ids[first]), workspace.resolve(ids[last])
                    change, notices = read_change(workspace, base, head, as_text=lambda path: True)
                    assert notices == []
                    assert change.merge_base == ids[first]
                    compare(list(change.files), states[first], states[last])


def compare(files: list[ChangedFile], old: dict[bytes, File], new: dict[bytes, File]) -> None:
    changed = {
        name
        for name in old.keys() | new.keys()
        if name not in old or name not in new or (old[name][0], content(old[name])) != (new[name][0], content(new[name]))
    }
    moved = {file.old_path.raw for file in files if file.old_path and file.status is FileStatus.RENAMED}
    assert [file.path.raw for file in files] == sorted(changed - (moved - new.keys()))
    for file in files:
        before, after = old.get(file.old_path.raw if file.old_path else file.path.raw), new.get(file.path.raw)
        mode = (after or before or (b"",))[0]
        if mode == b"120000":
            assert (file.kind, file.added, file.removed, file.hunks) == (
                FileKind.SYMLINK,
                type(file.added)(),
                type(file.removed)(),
                (),
            )
            continue
        fresh = file.status in (FileStatus.ADDED, FileStatus.COPIED, FileStatus.TYPE_CHANGED)
        check(file, content(before) if before and not fresh else b"", content(after) if after else b"")


# --- merge bases -----------------------------------------------------------------------------------------------------------

DAG = st.lists(st.tuples(st.lists(st.integers(1, 6), max_size=3, unique=True), st.integers(0, 5)), min_size=2, max_size=14)
"""For each commit how many commits back its parents are, and its time. Times are few and in no order."""


def named(commits: list[tuple[list[int], int]]) -> dict[str, tuple[list[str], int]]:
    return {
        f"c{index}": ([f"c{index - back}" for back in backs if back <= index], time) for index, (backs, time) in enumerate(commits)
    }


@settings(max_examples=40, deadline=None)
@given(DAG)
@example(
    [([], 4), ([1], 3), ([1], 2), ([1], 5), ([4, 1], 0), ([3, 1], 0)]
)  # a walk by time meets c2 before it sees that c4 is better
def test_the_merge_base_is_a_best_common_ancestor(dag: list[tuple[list[int], int]]) -> None:
    commits = named(dag)
    with temporary_repo() as repo:
        ids = grow(repo, commits)
        with Workspace(repo.path) as workspace:
            for one, other in product(commits, repeat=2):
                found = merge_base(workspace.store, parse_sha(ids[one]), parse_sha(ids[other]))
                # Of several the youngest, then the one with the smallest id: the same in every run.
                best = sorted((-commits[name][1], ids[name]) for name in best_common(commits, one, other))
                assert found == (best[0][1] if best else None), (one, other)
        last = next(reversed(commits))
        for one in commits:
            best_ids = {ids[name] for name in best_common(commits, one, last)}
            assert (set(repo.git("merge-base", "--all", ids[one], ids[last]).decode().split()) if best_ids else set()) == best_ids
