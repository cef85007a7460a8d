# ruff: noqa: E501 - the tables are read by the line
"""Where quoted code stands: what a model makes of a listing or a diff, which place counts, and that no text costs time."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kodus_check.evidence.anchor import MAX_GAP, MAX_PARTS, NEAR, Anchor, NoAnchor, Sides, find_anchor
from kodus_check.model import Candidate, ChangedFile, DropReason, EvidenceKind, FileKind, FileStatus, Severity
from kodus_check.model.change import LineSet
from kodus_check.text import MAX_LINE
from tests.repo import path

NEW = """\
import os

def total(items):
    sum = 0
    for item in items:
        sum += item.price * 2

    return sum

def close(ledger):
    ledger.update(state="closed")
    return ledger
"""
OLD = """\
import os

def total(items):
    return sum(item.price for item in items)

def close(ledger):
    ledger.append(Entry("closed"))
    return ledger
"""


def modified(
    old: str | bytes | None,
    new: str | bytes | None,
    added: Iterable[int],
    removed: tuple[int, ...] = (),
    cuts: tuple[int, ...] = (),
) -> Sides:
    status = FileStatus.ADDED if old is None else FileStatus.DELETED if new is None else FileStatus.MODIFIED
    file = ChangedFile(
        path("src/a.py"), status, FileKind.FILE, added=LineSet.of(added), removed=LineSet.of(removed), cuts=LineSet.of(cuts)
    )
    return Sides(file, *(one.encode() if isinstance(one, str) else one for one in (old, new)))


def added_file(text: str | bytes) -> Sides:
    data = text.encode() if isinstance(text, str) else text
    return modified(None, data, range(1, len(data.removesuffix(b"\n").split(b"\n")) + 1) if data else [])


def said(code: str | None, start: int = 1, end: int | None = None, side: str = "right") -> Candidate:
    return Candidate(
        "main_review", EvidenceKind.CITATION, "src/a.py", start, end or start, "t", "b", Severity.HIGH, side=side, code=code
    )


def found(
    code: str | None, sides: Sides, start: int = 1, end: int | None = None, side: str = "right"
) -> tuple[str, int, int] | str:
    got = find_anchor(said(code, start, end, side), sides)
    if isinstance(got, NoAnchor):
        assert got.detail.endswith(".")
        return str(got.reason)
    assert got.lines == tuple(sides.shown(got.side)[got.start_line - 1 : got.end_line])
    return got.side, got.start_line, got.end_line


CHANGED = modified(OLD, NEW, [4, 5, 6, 7, 8, 11], (4, 7), (3,))


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        # as it is written, whatever the white space
        ("        sum += item.price * 2", (6, 6)),
        ("sum += item.price * 2", (6, 6)),
        ("\tsum  +=\titem.price *   2  ", (6, 6)),
        ("for item in items:\n    sum += item.price * 2", (5, 6)),
        ("\n\nfor item in items:\n\n\n        sum += item.price * 2\n\n", (5, 6)),
        ("sum += item.price * 2\nreturn sum", (6, 8)),
        ("for item in items:\r\n        sum += item.price * 2\r\n", (5, 6)),
        # out of a listing
        ("6+        sum += item.price * 2", (6, 6)),
        ("   6+        sum += item.price * 2", (6, 6)),
        ("6 |        sum += item.price * 2", (6, 6)),
        ("6|        sum += item.price * 2", (6, 6)),
        ("6:        sum += item.price * 2", (6, 6)),
        ("6         sum += item.price * 2", (6, 6)),
        ("5+    for item in items:\n6+        sum += item.price * 2\n7+\n8+    return sum", (5, 8)),
        ("5+    for item in items:\n6+        sum += item.price * 2\n7\n8+    return sum", (5, 8)),
        ("5+    for item in items:\n6+        sum += item.price * 2\n7 \n8 \treturn sum", (5, 8)),
        ("10  def close(ledger):\n7-    ledger.append(Entry(\"closed\"))\n11+    ledger.update(state=\"closed\")", (10, 11)),
        ("105+    for item in items:\n106+        sum += item.price * 2", (5, 6)),  # wrong numbers are no reason
        # out of a diff
        ("+        sum += item.price * 2", (6, 6)),
        ("+    for item in items:\n+        sum += item.price * 2", (5, 6)),
        (" def close(ledger):\n-    ledger.append(Entry(\"closed\"))\n+    ledger.update(state=\"closed\")\n     return ledger", (10, 12)),
        ("-    return sum(item.price for item in items)\n+    sum = 0\n+    for item in items:", (4, 5)),
        # fences
        ("```py\nsum += item.price * 2\n```", (6, 6)),
        ("```\nsum += item.price * 2", (6, 6)),
        ("~~~~python\n6+        sum += item.price * 2\n~~~~", (6, 6)),
        ("```diff\n+    for item in items:\n+        sum += item.price * 2\n```", (5, 6)),
        # dots
        ("sum = 0\n...\nreturn sum", (4, 8)),
        ("sum = 0\n    …\n    return sum", (4, 8)),
        ("sum = 0\n# ...\nreturn sum", (4, 8)),
        ("4+    sum = 0\n...\n8+    return sum", (4, 8)),
        ("+    sum = 0\n...\n+    return sum", (4, 8)),
        ("def total(items):\n...\nfor item in items:\n...\nreturn sum", (3, 8)),
        ("...\nsum += item.price * 2\n...", (6, 6)),
        ("sum = 0\n...\nfor item in items:", (4, 5)),  # that leave nothing out
        # parts of lines
        ("sum += item.price", (6, 6)),
        ("item.price * 2", (6, 6)),
        ("price *", (6, 6)),
        ("item in items:\n        sum += item.price", (5, 6)),
        ("in items:\n        sum += item.price * 2\n\n    return", (5, 8)),
        ("6+        sum += item.price", (6, 6)),
    ],
)  # fmt: skip
def test_readings_of_a_quote(code: str, lines: tuple[int, int]) -> None:
    assert found(code, CHANGED, 6) == ("right", *lines)


@pytest.mark.parametrize(
    "code",
    [
        "sum -= item.price * 2",
        "sum += item.price * 3",
        "um += item.price",  # no border of a word
        "sum += item.pri",
        "for item in items:\n        return sum",
        "sum = 0\nreturn sum",  # left out without a word
        "return sum\n...\nsum = 0",  # the wrong way round
        "sum = 0\n...\nprint(sum)",
        "for item in\n        sum += item.price * 2",  # only the ends may be cut
        "+    sum = 0\n+    print(sum)",
        "4+    sum = 0\nand so on",
        "Sum += Item.price * 2",
        "...",
        "```\n```",
        "sum += item.price * 2 # float",
    ],
)
def test_what_is_not_there_is_not_found(code: str) -> None:
    assert found(code, CHANGED, 6) == "code_not_found"


def test_a_gap_has_an_end_and_so_have_gaps() -> None:
    near = added_file("first(1)\n" + "x\n" * (MAX_GAP - 1) + "last(1)\n")
    far = added_file("first(1)\n" + "x\n" * MAX_GAP + "last(1)\n")
    assert found("first(1)\n...\nlast(1)", near) == ("right", 1, MAX_GAP + 1)
    assert found("first(1)\n...\nlast(1)", far) == "code_not_found"
    steps = [f"step({number})" for number in range(MAX_PARTS + 1)]
    assert found("\n...\n".join(steps[:-1]), added_file("\n".join(steps))) == ("right", 1, MAX_PARTS)
    assert found("\n...\n".join(steps), added_file("\n".join(steps))) == "code_not_found"


@pytest.mark.parametrize(
    ("code", "line", "there"),
    [
        ('key = "‹redacted:secret›"', 'key = "aB3dE5gH7jK9mN1p"', True),
        ("key = ‹redacted:secret›", "key = aB3dE5gH7jK9mN1p", True),
        ("‹redacted:private-key›", "MIIEpAIBAAKCAQEA", True),
        ("1+‹redacted:private-key›", "MIIEpAIBAAKCAQEA", True),
        ('f("‹redacted:aws›", "‹redacted:secret›")', 'f("AKIA", "xyz")', True),
        ("connect(‹redacted:aws›", "connect(AKIA, 2)", True),  # the end within the line
        ("token = ‹redacted:aws›, 2)", "my_token = AKIA, 2)", True),
        ("= ‹redacted:aws›, 2)", "token = AKIA, 2)", False),  # too little to begin within a line
        ('key = "‹redacted:secret›"', 'key = ""', False),
        ('key = "‹redacted:secret›"', 'token = "aB3dE5gH7jK9mN1p"', False),
        ('f("‹redacted:aws›", "‹redacted:secret›")', 'f("AKIA")', False),
        ("key = ‹redacted:secret", "key = aB3dE5gH7jK9mN1p", False),
        ("key = ‹redacted:SECRET 1›", "key = aB3dE5gH7jK9mN1p", False),
    ],
)  # fmt: skip
def test_what_was_taken_out_of_a_line_may_be_anything(code: str, line: str, there: bool) -> None:
    assert found(code, added_file(f"{line}\n")) == (("right", 1, 1) if there else "code_not_found")


def test_a_quote_of_nothing_but_what_was_taken_out_holds_only_where_the_model_says() -> None:
    sides = added_file("one()\n" * 8 + "MIIEpAIBAAKCAQEA\n" + "two()\n")
    assert found("‹redacted:private-key›", sides, 9) == ("right", 9, 9)
    assert found("‹redacted:private-key›", added_file("one()\n"), 5) == "code_not_found"


@pytest.mark.parametrize(
    ("code", "there"),
    [
        ("{0}", True),
        ("{0}… (1,234 more characters)", True),
        ("{0}…", True),
        ("{0}...", True),
        ("{1}…", True),
        ("2+{0}… (1,234 more characters)", True),
        ("one()\n{0}… (1,234 more characters)\ntwo()", True),
        ("{2}…", False),
        ("y{0}…", False),
    ],
)  # fmt: skip
def test_a_long_line_may_be_cut(code: str, there: bool) -> None:
    line = "x = " + ", ".join(f"call({number})" for number in range(300))
    assert len(line) > MAX_LINE
    sides = added_file(f"one()\n{line}\ntwo()\n")
    got = found(code.format(line[:MAX_LINE], line[:220], line[:30].replace("call", "cull")), sides, 2)
    assert got == (("right", 1, 3) if "two" in code else ("right", 2, 2)) if there else got == "code_not_found"


# -- which place ------------------------------------------------------------------------------------------------------------

REPEATED = "\n".join("save(x)" if number in (10, 30, 35, 200) else f"step({number})" for number in range(1, 301))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (10, 10, 10),
        (200, 200, 200),
        (8, 12, 10),
        (12, 12, 10),
        (22, 22, 30),
        (20, 20, 10),  # as far from two: the first
        (32, 32, 30),
        (33, 33, 35),
        (30, 35, 30),
        (31, 36, 35),
        (200 + NEAR, 200 + NEAR, 200),
        (201 + NEAR, 201 + NEAR, None),
        (139, 139, None),
    ],
)
def test_the_stated_lines_win_and_then_the_nearest(start: int, end: int, expected: int | None) -> None:
    got = found("save(x)", added_file(REPEATED), start, end)
    assert got == (("right", expected, expected) if expected else "code_not_found")


def test_the_only_place_counts_however_far_it_is() -> None:
    assert found("step(299)", added_file(REPEATED), 1) == ("right", 299, 299)
    assert found("step(299)", added_file(REPEATED), 9_999_999) == ("right", 299, 299)


@pytest.mark.parametrize(
    ("code", "start", "expected"),
    [
        ("}", 4, (4, 4)),
        ("}", 3, "code_not_found"),
        ("} }", 1, "code_not_found"),
        ("};\n}", 5, (5, 6)),
        ("}\n};", 4, (4, 5)),
        ("};\n}\n}", 6, (5, 7)),
        ("}\n}", 7, (6, 7)),
        ("x", 8, (8, 8)),
        ("x", 9, "code_not_found"),
        ("4+}", 4, (4, 4)),
        ("if", 1, "code_not_found"),
    ],
)
def test_code_that_says_nothing_counts_only_where_the_model_says(code: str, start: int, expected: tuple[int, int] | str) -> None:
    sides = added_file("if (a) {\n  if (b) {\n    go();\n  }\n};\n}\n}\nx\nend()\n")
    assert found(code, sides, start) == (expected if isinstance(expected, str) else ("right", *expected))


def test_of_equal_places_that_the_model_names_the_one_that_begins_there_is_taken() -> None:
    assert found("}\n}", added_file("}\n" * 6), 3, 4) == ("right", 3, 4)


def test_of_near_places_one_that_the_change_touches_is_taken() -> None:
    sides = modified("x\n", "save(x)\nstep()\nsave(x)\nstep()\n", [3])
    assert found("save(x)", sides, 2) == ("right", 3, 3)
    assert found("save(x)", sides, 1) == "lines_not_changed"  # the model names this one


@pytest.mark.parametrize(
    ("code", "side", "start", "expected"),
    [
        ('ledger.update(state="closed")', "left", 7, ("right", 11, 11)),
        ('ledger.append(Entry("closed"))', "right", 11, ("left", 7, 7)),
        ('ledger.append(Entry("closed"))', "left", 7, ("left", 7, 7)),
        ('7-    ledger.append(Entry("closed"))', "right", 7, ("left", 7, 7)),
        ('-    ledger.append(Entry("closed"))', "right", 7, ("left", 7, 7)),
        ('+    ledger.update(state="closed")', "left", 7, ("right", 11, 11)),
        ("return ledger", "right", 12, "lines_not_changed"),
        ("return ledger", "left", 8, "lines_not_changed"),
        ("import os", "right", 1, "lines_not_changed"),
        ("def total(items):\n    sum = 0", "right", 3, ("right", 3, 4)),
        ("import sys", "right", 1, "code_not_found"),
        (None, "right", 6, "code_missing"),
        ("", "right", 6, "code_missing"),
        (" \n\t", "right", 6, "code_missing"),
    ],
)
def test_sides(code: str | None, side: str, start: int, expected: tuple[str, int, int] | str) -> None:
    assert found(code, CHANGED, start, side=side) == expected


def test_untouched_code_is_named_with_its_place() -> None:
    got = find_anchor(said("return ledger", 3), CHANGED)
    assert got == NoAnchor(DropReason.LINES_NOT_CHANGED, "This code stands at src/a.py:12, and the change does not touch it.")


def test_lines_between_which_something_was_removed_are_touched() -> None:
    sides = modified("one(1)\ntwo(2)\nthree(3)\n", "one(1)\nthree(3)\n", [], (2,), (1,))
    assert found("one(1)\nthree(3)", sides, 1, 2) == ("right", 1, 2)
    assert found("one(1)", sides, 1) == "lines_not_changed"
    assert found("three(3)", sides, 2) == "lines_not_changed"
    assert found("two(2)", sides, 2) == ("left", 2, 2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_deleted_and_an_added_file_have_one_side(side: str) -> None:
    assert found("one(1)", modified("one(1)\n", None, [], (1,)), 1, side=side) == ("left", 1, 1)
    assert found("one(1)", modified(None, "one(1)\n", [1]), 1, side=side) == ("right", 1, 1)


@pytest.mark.parametrize(
    ("data", "code", "expected"),
    [
        (b"", "one(1)", "code_not_found"),
        (b"\n", "one(1)", "code_not_found"),
        (b"one(1)", "one(1)", ("right", 1, 1)),
        (b"\n\n\none(1)", "one(1)", ("right", 4, 4)),
        (b"one(1)\r\ntwo(2)\r\n", "one(1)\ntwo(2)", ("right", 1, 2)),
        (b"one(1)\ntwo(2)", "one(1)\r\ntwo(2)\r\n", ("right", 1, 2)),
        (b"caf\xe9(1)\n", "caf\\xe9(1)", ("right", 1, 1)),
        (b"caf\xe9(1)\n", "café(1)", "code_not_found"),
        ("café(1)\n".encode(), "café(1)", ("right", 1, 1)),
        ("a\u202eb(1)\n".encode(), "a\\u{202e}b(1)", ("right", 1, 1)),
        ("a\u00a0= b(1)\n".encode(), "a = b(1)", ("right", 1, 1)),
        (b"one(1)\rtwo(2)\nthree(3)\n", "three(3)", ("right", 2, 2)),
        (b"one(1)\x0ctwo(2)\nthree(3)\n", "three(3)", ("right", 2, 2)),
    ],
)  # fmt: skip
def test_bytes_of_all_sorts(data: bytes, code: str, expected: tuple[str, int, int] | str) -> None:
    assert found(code, added_file(data)) == expected


def test_code_that_looks_like_a_listing_or_a_diff_is_read_as_it_is_written_first() -> None:
    sides = added_file("12+ total\n+ more(x)\n- less(x)\ntotal\nmore(x)\nless(x)\n")
    assert found("12+ total", sides, 4) == ("right", 1, 1)
    assert found("+ more(x)", sides, 5) == ("right", 2, 2)
    assert found("- less(x)", sides, 6) == ("right", 3, 3)


# -- whatever is quoted -----------------------------------------------------------------------------------------------------

LINES = st.lists(
    st.sampled_from(["", "  ", "}", "  }", "x", "return x", "save(x)", "- item one", "+ item two", "12 monkeys", "call(a, b)", 'k = "‹v›"', "été = 1"])
    | st.text(st.sampled_from("abcxyz(){}=;,+-* \t'é漢"), max_size=30),
    min_size=1,
    max_size=25,
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(LINES, st.randoms(use_true_random=False), st.sampled_from(["", "{}+", "{} ", "{} | ", "{}|", "+"]))
def test_a_quoted_run_is_found_at_exactly_its_lines(lines: list[str], chance: random.Random, mark: str) -> None:
    solid = [number for number, line in enumerate(lines, 1) if line.strip()]
    assume(solid)
    start = chance.choice(solid)
    end = chance.choice([number for number in solid if number >= start])
    quoted: list[str] = []
    for number in range(start, end + 1):
        line = lines[number - 1]
        if not line.strip() and chance.random() < 0.5:
            continue
        quoted.append(mark.format(number) + " " * chance.randrange(4) * (not mark) + line)
        if not mark:
            quoted += [""] * chance.randrange(2)
    sides = added_file(chance.choice(["\n", "\r\n"]).join(lines) + chance.choice(["", "\n"]))
    assert found("\n".join(quoted), sides, start, end) == ("right", start, end)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["x = 1", "...", "…", "‹redacted:a›", "‹redacted:", "12+", "12 | x", "+x", "-", "```", "}", "\r", "\x00", "# ...", "x" * 250 + "…"]) | st.text(max_size=20), max_size=12),
    st.lists(st.sampled_from(["x = 1", "...", "‹redacted:a›", "12+", "+x", "```", "}", "x" * 1200]) | st.text(max_size=20), max_size=12),
    st.integers(0, 10**7),
    st.sampled_from(["left", "right"]),
)  # fmt: skip
def test_no_text_raises_and_what_is_found_is_touched(code: list[str], text: list[str], start: int, side: str) -> None:
    data = "\n".join(text).encode("utf-8", "surrogatepass")
    sides = modified("\n".join(code).encode("utf-8", "surrogatepass"), data, [1, 3], (2,))
    got = find_anchor(said("\n".join(code), start, side=side), sides)
    if isinstance(got, Anchor):
        assert 1 <= got.start_line <= got.end_line <= len(sides.shown(got.side))
        assert sides.touched(got.side, got.start_line, got.end_line)


@pytest.mark.parametrize(
    ("line", "code", "expected"),
    [
        (9_000, "the_only_one(1)", ("right", 9_000, 9_000)),
        (5_000, "only_one(1)", "code_not_found"),  # a part of a word
        (5_000, "the_only_one(1", ("right", 5_000, 5_000)),
        (5_010, "the_only_one(1", "code_not_found"),
        (5_000, "the_only_one(1)\n...\ny = 2", ("right", 5_000, 5_002)),
        (9_000, "the_only_one(1)\n...\ny = 2", "code_not_found"),
    ],
)
def test_far_away_only_the_very_lines_are_looked_for(line: int, code: str, expected: object) -> None:
    text = ["x = 1"] * 10_000
    text[line - 1], text[line + 1] = "the_only_one(1)", "y = 2"
    assert found(code, added_file("\n".join(text)), 5) == expected


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a", "a\n" * 1_999 + "b"),
        ("a", "+a\n" * 1_300 + "+b"),
        ("a", "1+a\n" * 990 + "1+b"),
        ("a", "a\n...\n" * 660 + "b"),
        ("a", "a\n...\n" * (MAX_PARTS - 1) + "b"),
        ("a" * 900, "‹redacted:a›a" * 200 + "Q"),
        ("a" * 900, "‹redacted:a›a" * 200 + "\nQ"),
        ("a" * 1_200, "a" * 3_999 + "b"),
        ("a " * 600, "a " * 400 + "b"),
        ("abc", "\n" * 4_000),
        ("abc", "." * 4_000),
        ("abc", "`" * 4_000),
        ("1 1", "1 " * 2_000),
        ("abc", "1" * 4_000),
    ],
)  # fmt: skip
def test_a_quote_made_to_cost_time_is_answered_as_any_other(line: str, code: str) -> None:
    sides = added_file(f"{line}\n" * 1_500)
    assert found(code[:4_000], sides, 750) == ("code_not_found" if code.strip() else "code_missing")
