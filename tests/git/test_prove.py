"""``prove``: hunks count only when they make the new file out of the old one, at the lines that they name."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kodus_check.errors import CannotReview
from kodus_check.git.diff import DiffMismatch, HunkText, ProvedLines, one_sided, prove
from kodus_check.model import Hunk
from tests.repo import path

OLD = b"a\nb\nc\nd\ne\nf\ng\nh\ni\n"
NEW = b"a\nB\nc\nd\ne\nf\ng\nh\nI\n"
FIRST = HunkText(Hunk(1, 5, 1, 5), [b" a\n", b"-b\n", b"+B\n", b" c\n", b" d\n", b" e\n"])
SECOND = HunkText(Hunk(6, 4, 6, 4), [b" f\n", b" g\n", b" h\n", b"-i\n", b"+I\n"])


def test_right_hunks_are_believed() -> None:
    proved = prove(path("f"), OLD, NEW, [FIRST, SECOND])
    assert (list(proved.added), list(proved.removed), list(proved.right), list(proved.cuts)) == (
        [2, 9],
        [2, 9],
        list(range(1, 10)),
        [1, 8],
    )


WRONG = {
    "no hunks": (OLD, NEW, []),
    "a hunk left out": (OLD, NEW, [FIRST]),
    "hunks in the wrong order": (OLD, NEW, [SECOND, FIRST]),
    "a hunk twice": (OLD, NEW, [FIRST, FIRST, SECOND]),
    "one hunk too many": (OLD, OLD, [FIRST]),
    "the new file has another byte": (OLD, NEW.replace(b"h", b"H"), [FIRST, SECOND]),
    "the new file goes on": (OLD, NEW + b"j\n", [FIRST, SECOND]),
    "the new file ends without newline": (OLD, NEW[:-1], [FIRST, SECOND]),
    "the old file has another byte in the context": (OLD.replace(b"c", b"C"), NEW, [FIRST, SECOND]),
    "the old file has another byte in a removed line": (OLD.replace(b"b", b"x"), NEW, [FIRST, SECOND]),
    "the context has a CR that the file has not": (b"a\nb\n", b"a\n", [HunkText(Hunk(1, 2, 1, 1), [b" a\r\n", b"-b\n"])]),
    "behind the end of the file": (b"a\n", b"a\nb\n", [HunkText(Hunk(9, 0, 2, 1), [b"+b\n"])]),
    "before the start of the file": (b"a\n", b"b\n", [HunkText(Hunk(0, 1, 0, 1), [b"-a\n", b"+b\n"])]),
    "more new lines than the header says": (b"", b"a\nb\n", [HunkText(Hunk(0, 0, 1, 1), [b"+a\n", b"+b\n"])]),
    "fewer new lines than the header says": (b"", b"a\n", [HunkText(Hunk(0, 0, 1, 2), [b"+a\n"])]),
    "new lines, but the header says none": (b"a\n", b"a\nb\n", [HunkText(Hunk(1, 0, 1, 0), [b"+b\n"])]),
    "more old lines than the header says": (b"a\nb\n", b"", [HunkText(Hunk(1, 1, 0, 0), [b"-a\n", b"-b\n"])]),
    "fewer old lines than the header says": (b"a\nb\n", b"b\n", [HunkText(Hunk(1, 2, 0, 0), [b"-a\n"])]),
    "the new start is shifted": (OLD, NEW, [HunkText(Hunk(1, 5, 2, 5), FIRST.lines), SECOND]),
    "the old start is shifted": (OLD, NEW, [HunkText(Hunk(2, 5, 1, 5), FIRST.lines), SECOND]),
    "both starts are shifted": (OLD, NEW, [FIRST, HunkText(Hunk(7, 4, 7, 4), SECOND.lines)]),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused(name: str) -> None:
    old, new, hunks = WRONG[name]
    with pytest.raises(DiffMismatch, match="not the difference of the two verified blobs") as caught:
        prove(path("src/f.py"), old, new, hunks)
    assert caught.value.where == "src/f.py"
    assert caught.value.exit_code == 3
    assert isinstance(caught.value, CannotReview)


LINE = st.sampled_from([b"a\n", b"b\n", b"\n", b"+\n", b"-- \n", b"\x0cc\n"])
SCRIPT = st.lists(st.tuples(st.sampled_from([b" ", b" ", b" ", b"-", b"+"]), LINE), min_size=1, max_size=14)
"""Lines with what becomes of each."""


def printed(script: list[tuple[bytes, bytes]], context: int) -> list[HunkText]:
    """The hunks that show every changed line of ``script`` with ``context`` lines around it."""
    near = [any(tag != b" " for tag, _ in script[max(0, at - context) : at + context + 1]) for at in range(len(script))]
    hunks: list[HunkText] = []
    old = new = 0
    for at, (tag, line) in enumerate(script):
        if near[at]:
            if at == 0 or not near[at - 1]:
                hunks.append(HunkText(Hunk(old, 0, new, 0), []))
            hunks[-1].lines.append(tag + line)
        old += tag != b"+"
        new += tag != b"-"
    for text in hunks:
        before = sum(line[:1] != b"+" for line in text.lines)
        after = sum(line[:1] != b"-" for line in text.lines)
        text.hunk = Hunk(text.hunk.old_start + bool(before), before, text.hunk.new_start + bool(after), after)
    return hunks


def rebuilt(old: bytes, new: bytes, proved: ProvedLines) -> bytes:
    """The old lines without the removed ones, with the added ones put in at their numbers."""
    lines = [line for number, line in enumerate(old.splitlines(keepends=True), 1) if number not in proved.removed]
    for number in proved.added:
        lines.insert(number - 1, new.splitlines(keepends=True)[number - 1])
    return b"".join(lines)


@settings(max_examples=400, deadline=None)
@given(SCRIPT, st.integers(0, 3), st.data())
def test_a_changed_hunk_is_refused_or_means_the_same(script: list[tuple[bytes, bytes]], context: int, data: st.DataObject) -> None:
    """One thing in the hunks is changed: they are refused, unless they still make the very same file at true numbers."""
    hunks = printed(script, context)
    old, new = (b"".join(line for tag, line in script if tag != other) for other in (b"+", b"-"))
    assert rebuilt(old, new, prove(path("f"), old, new, hunks)) == new
    assume(hunks)
    index = data.draw(st.integers(0, len(hunks) - 1))
    hunk, body = hunks[index].hunk, list(hunks[index].lines)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(body) - 1))
        place = data.draw(st.integers(1, len(body[at]) - 1))
        body[at] = body[at][:place] + bytes([body[at][place] ^ data.draw(st.integers(1, 255))]) + body[at][place + 1 :]
        with pytest.raises(DiffMismatch):
            prove(path("f"), old, new, [*hunks[:index], HunkText(hunk, body), *hunks[index + 1 :]])
        return
    numbers = [hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines]
    for which in data.draw(st.sets(st.integers(0, 3), min_size=1)):
        numbers[which] += data.draw(st.sampled_from([-2, -1, 1, 2]))
    try:
        again = prove(path("f"), old, new, [*hunks[:index], HunkText(Hunk(*numbers), body), *hunks[index + 1 :]])
    except DiffMismatch:
        return
    assert rebuilt(old, new, again) == new
    assert again.hunks[index].old_lines == hunk.old_lines
    assert again.hunks[index].new_lines == hunk.new_lines
    assert set(again.added) <= set(again.right)


@pytest.mark.parametrize(
    ("data", "lines"),
    [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"a\r\rb\x0c", 1), ("a\u2028b\n".encode(), 1)],
)
def test_a_file_on_one_side_only_has_all_its_lines(data: bytes, lines: int) -> None:
    new, gone = one_sided(data, is_new=True), one_sided(data, is_new=False)
    every = list(range(1, lines + 1))
    assert new.hunks == ((Hunk(0, 0, 1, lines),) if lines else ())
    assert gone.hunks == ((Hunk(1, lines, 0, 0),) if lines else ())
    assert [list(part) for part in (new.added, new.removed, new.right, new.cuts)] == [every, [], every, []]
    assert [list(part) for part in (gone.added, gone.removed, gone.right, gone.cuts)] == [[], every, [], [0] if lines else []]
