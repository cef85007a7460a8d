# ruff: noqa: E501 - tables read better with a case on a line
"""Frontmatter as it was written: what is read, what is refused with which reason and line, and that nothing else is raised."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.frontmatter import Broken, Frontmatter, entries, read_frontmatter, scalar, words


def front(text: str) -> str:
    return f"---\n{text}\n---\nbody\n"


@pytest.mark.parametrize(
    ("data", "name", "description", "body"),
    [
        (front("name: a\ndescription: b"), "a", "b", "body\n"),
        (front("name: 012\ndescription: yes"), "012", "yes", "body\n"),
        (front("name: 2026-01-01\ndescription: 0x1f"), "2026-01-01", "0x1f", "body\n"),
        (front("name: true\ndescription: 'a'"), "true", "a", "body\n"),
        (front("name: ~\ndescription: null"), None, None, "body\n"),
        (front("name: '~'\ndescription: \"null\""), "~", "null", "body\n"),
        ("\ufeff" + front("name: a\ndescription: b"), "a", "b", "body\n"),
        ("---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n", "a", "b", "body\r\n"),
        ("--- \t\nname: a\ndescription: b\n---  \nbody", "a", "b", "body"),
        (front("name: a\ndescription: x---y") + "\n---\nmore", "a", "x---y", "body\n\n---\nmore"),
        (front("name: a\ndescription: a --- b"), "a", "a --- b", "body\n"),
        (front("name: a\ndescription: >\n  one\n  two"), "a", "one two\n", "body\n"),
        (front("name: a\ndescription: |\n  one\n  two"), "a", "one\ntwo\n", "body\n"),
        (front("name: a\ndescription: one\n  two"), "a", "one two", "body\n"),
        (front("name: a\ndescription: Q &A and *why* it matters"), "a", "Q &A and *why* it matters", "body\n"),
        (front("name: a\ndescription: use C# and #tags"), "a", "use C# and", "body\n"),
        (front("name: a\nx: 1\nx: 2\ndescription: b"), "a", "b", "body\n"),
        (front("# a comment\nname: a\ndescription: b"), "a", "b", "body\n"),
        (front("? name\n: a\ndescription: b"), "a", "b", "body\n"),
        (front("{name: a, description: b}"), "a", "b", "body\n"),
        (front("name: a\n# Title right above a key\ndescription: b"), "a", "b", "body\n"),
        (front("name: a\n[1, 2]: x\ndescription: b"), "a", "b", "body\n"),
        (front("name: a\n\n#no heading\n\ndescription: '<<'"), "a", "<<", "body\n"),
        ("---\nname: a\ndescription: b\n---", "a", "b", ""),
        (front("name: a\ndescription: b") + "\ufeff", "a", "b", "body\n\ufeff"),
        ("---\nname: \u00e9\ndescription: \U0001f600\n---\n\U0001f600", "\u00e9", "\U0001f600", "\U0001f600"),
        # repaired
        ("---\r\nname: a\r\ndescription: Use when: x\r\n---\r\nbody\r\n", "a", "Use when: x", "body\r\n"),
        (front("name: a\ndescription: Use when: x \t"), "a", "Use when: x", "body\n"),
        (front("name: a\ndescription: Ends in:"), "a", "Ends in:", "body\n"),
        (front("name: a\ndescription: `x` does it"), "a", "`x` does it", "body\n"),
        (front("name: a\ndescription: b\nuser-invocable: false\nhint: [a] [b]"), "a", "b", "body\n"),
        (front("name: a\ndescription: Use when: x"), "a", "Use when: x", "body\n"),
        (front("name: a\ndescription: it's when: x"), "a", "it's when: x", "body\n"),
        (front("name: a\nargument-hint: [a] [b]\ndescription: b"), "a", "b", "body\n"),
        (front("name: a\ndescription: @x does it"), "a", "@x does it", "body\n"),
        (front("name: a\ndescription: \u4f7f\u7528\u3002license: Apache-2.0"), "a", "\u4f7f\u7528\u3002license: Apache-2.0", "body\n"),
    ],
)  # fmt: skip
def test_what_is_read(data: str, name: str | None, description: str | None, body: str) -> None:
    found = read_frontmatter(data.encode())
    assert (scalar(found.entries.get("name")), scalar(found.entries.get("description"))) == (name, description)
    assert data.encode()[found.body :].decode() == body


NO_FRONTMATTER = "no frontmatter: the file must begin with a line `---`, then `name:` and `description:`"
UNCLOSED = "the frontmatter is not closed by a line `---`"
ANCHORS = "YAML anchors and aliases are not read here; write the value out"
TAGS = "YAML tags are not read here"
MERGED = "YAML merge keys are not read here"
DEEP = "nested too deeply"
COLON = "not YAML: mapping values are not allowed in this context"
LOST = f"{COLON}; not repaired, for an invocation control may be lost in it"


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"body only\n", NO_FRONTMATTER, 1),
        (b"", NO_FRONTMATTER, 1),
        (b"\n\n", NO_FRONTMATTER, 1),
        (b" ---\nname: a\n---\n", NO_FRONTMATTER, 1),
        (b"----\nname: a\n----\n", NO_FRONTMATTER, 1),
        (b"--- # x\nname: a\n---\n", NO_FRONTMATTER, 1),
        (b"---\rname: a\r---\r", NO_FRONTMATTER, 1),
        (b"\n---\nname: a\n---\n", "the frontmatter must begin on the first line", 2),
        (b"\r\n \n---\nname: a\n---\n", "the frontmatter must begin on the first line", 3),
        (b"\xef\xbb\xbf\xef\xbb\xbf---\nname: a\n---\n", NO_FRONTMATTER, 1),  # one mark, not two
        (b"---", UNCLOSED, 1),
        (b"---\nname: a\ndescription: b\n", UNCLOSED, 1),
        (b"---\nname: a\n--- x\n", UNCLOSED, 1),
        (b"---\nname: a\n ---\n", UNCLOSED, 1),
        (b"---\nname: a\n...\n", UNCLOSED, 1),
        (b"---\nname: a\n\n# Title\n\nprose\n\n---\nmore\n", UNCLOSED, 1),
        (b"---\nname: a\n## Title\n\nprose: x\n---\n", UNCLOSED, 1),
        (b"---\n---\n", "the frontmatter is empty", 2),
        (b"---\n# only a comment\n---\n", "the frontmatter is empty", 2),
        (b"---\n- a\n---\n", "the frontmatter is no mapping of keys", 2),
        (b"---\n# c\nname\n---\n", "the frontmatter is no mapping of keys", 3),
        (b"\xff\xfe-\x00-\x00-\x00", "not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8", 1),
        (b"\xfe\xff\x00-\x00-\x00-", "not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8", 1),
        (b"---\nname: a\n\xff\n---\n", "not UTF-8 (byte 12)", 3),
        (b"\xef\xbb\xbf---\nname: a\n\xff\n---\n", "not UTF-8 (byte 15)", 3),
        (b"---\nname: a\n---\nbody \xff\n", "not UTF-8 (byte 21)", 4),
        (b"---\nname: a\n\tx: b\n---\n", "not YAML: found a tab character that violates indentation", 3),
        (b"---\nx:\n  a: 1\n\tb: 2\n---\n", "not YAML: found a tab character that violates indentation", 4),
        (b'---\nname: a\ndescription: "Say "hi""\n---\n', "not YAML: did not find expected key", 3),
        (b"---\nname: a\ndescription: *.py\n---\n", "not YAML: did not find expected alphabetic or numeric character", 3),
        (b"---\nname: a\ndescription: %x\n---\n", "not YAML: found character that cannot start any token", 3),
        (b"---\nname: a\ndescription: [a\n---\n", "not YAML: did not find expected ',' or ']'", 4),
        (b"---\nname: a\n\x07\n---\n", "not YAML: it holds a control character", 3),
        (b"---\n# " + b"\xc3\xa9" * 40 + b"\n\x1b\n" + b"#\n" * 60 + b"---\n", "not YAML: it holds a control character", 3),
        # T1 - tags
        (b"---\nname: a\nx: !!python/object/apply:os.system [id]\n---\n", TAGS, 3),
        (b"---\nname: !!str a\n---\n", TAGS, 2),
        (b"---\nname: a\nx: !own {a: b}\n---\n", TAGS, 3),
        (b"---\nname: a\nx: !<tag:yaml.org,2002:bool> true\n---\n", TAGS, 3),
        # T2: aliases and merged keys
        (b"---\nx: &a 1\ny: *a\n---\n", ANCHORS, 2),
        (b"---\nx: *a\n---\n", ANCHORS, 2),
        (b"---\nx: 1\ny: &a [1]\n---\n", ANCHORS, 3),
        (b"---\nx: 1\n&a y: 1\n---\n", ANCHORS, 3),
        (b"---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n", ANCHORS, 2),
        (b"---\nname: a\n<<: {user-invocable: false}\n---\n", MERGED, 3),
        (b"---\nname: a\nx: {<<: {a: b}}\n---\n", MERGED, 3),
        # T3 - nesting
        (b"---\nx: " + b"[" * 3_000 + b"]" * 3_000 + b"\n---\n", DEEP, 2),
        (b"---\nx: " + b"[" * 3_000 + b"\n---\n", DEEP, 2),
        (b"---\nx: " + b"{a: " * 3_000 + b"b" + b"}" * 3_000 + b"\n---\n", DEEP, 2),
        (b"---\nname: a\nx: " + b"[" * 40 + b"]" * 40 + b"\n---\n", DEEP, 3),
        (b"---\nx:\n - " + b"- " * 3_000 + b"a\n---\n", DEEP, 3),
        # T4: equal keys
        (b"---\nname: a\nname: b\n---\n", "`name` stands twice", 3),
        (b"---\nname: a\n'name': a\n---\n", "`name` stands twice", 3),
        (b"---\ndescription: a\nx: 1\ndescription: b\n---\n", "`description` stands twice", 4),
        (b"---\nuser-invocable: true\nuser-invocable: false\n---\n", "`user-invocable` stands twice", 3),
        (b"---\ndisable-model-invocation: true\ndisable-model-invocation: true\n---\n", "`disable-model-invocation` stands twice", 3),
        # T5: the line end before the control is lost; a repair would swallow it
        (b"---\nname: a\ndescription: Use: it.disable-model-invocation: true\n---\n", LOST, 3),
        (b"---\nname: a\ndescription: Use: when. user-invocable: false\n---\n", LOST, 3),
        (b"---\nname: a\ndescription: Use: when. USER_INVOCABLE: false\n---\n", LOST, 3),
        (b"---\nname: a\nhint: a: b\n# user-invocable: false\n---\n", LOST, 3),
        (b"---\nname: a\nhint: a: b.user-invocable: false\nuser-invocable: true\n---\n", LOST, 3),
        (b"---\ndisable-model-invocation: a: b\n---\n", COLON, 2),
        (b"---\nname: a\nuser-invocable: @false\n---\n", "not YAML: found character that cannot start any token", 3),
        # T6: lines are those of the file
        (b"---\n# a\r# b\rname: a\rname: b\r\n---\n", "`name` stands twice", 2),
        ("---\n# a\u2028# b\u2029# c\x85\nname: a\nname: b\n---\n".encode(), "`name` stands twice", 4),
        (b"---\n# a\r# b\nx: !own y\n---\n", TAGS, 3),
        (b"---\n# a\r# b\nname: {\n---\n", "not YAML: did not find expected node content", 4),
        (b"---\n# a\r# b\n- x\n---\n", "the frontmatter is no mapping of keys", 3),
        # what is not mended
        (b"---\nx: " + b"a" * 70_000 + b"\n---\n", "the frontmatter is larger than 64 KiB", 2),
        (b"---\nname: a\ndescription: Use: x\n  and: y\n---\n", COLON, 3),
        (b"---\nname: a\n  description: b: c\n---\n", COLON, 3),
        (b"---\nname: a\ndescription: [a] [b]\n---\n", "not YAML: did not find expected key", 3),
        (b"---\nname: a\nx: y: z\n<example>\n---\n", COLON, 3),
    ],
)  # fmt: skip
def test_what_is_refused(data: bytes, reason: str, line: int) -> None:
    with pytest.raises(Broken) as broken:
        read_frontmatter(data)
    assert (broken.value.reason, broken.value.line) == (reason, line)


def test_the_largest_frontmatter_and_the_deepest_are_read() -> None:
    text = "name: a\nx: "
    assert read_frontmatter(front(text + "b" * (65_535 - len(text))).encode()).entries.keys() == {"name", "x"}
    assert read_frontmatter(front("x: " + "[" * 39 + "]" * 39).encode()).entries.keys() == {"x"}


def test_lines_are_those_of_the_file() -> None:
    """T6."""
    found = read_frontmatter("---\n# a\r# b\u2028# c\x85# \U0001f600\nname: a\n\ndescription: >\n  b\nx: 1\n---\n".encode())
    assert [found.line(key) for key in ("name", "description", "x", "gone")] == [3, 5, 7, 1]


@pytest.mark.parametrize(
    "text",
    [
        "a: x" + " " * 60_000 + "y\nb: c: d\nname: a",
        "a: x: " * 10_000,
        "a: @\n" * 12_000,
        "a: [\n" * 10_000,
        "# x\n" * 15_000 + "a: b: c",
        "---x\n" * 10_000,
        "- " * 30_000,
        "? " * 30_000,
        "{" * 60_000,
        "a: 'x\n" * 10_000,
    ],
)
def test_nothing_takes_long(text: str) -> None:
    """T3."""
    start = time.process_time()
    with contextlib.suppress(Broken):
        read_frontmatter(front(text).encode())
    assert time.process_time() - start < 5


def test_a_repair_says_which_key() -> None:
    assert read_frontmatter(front("name: a\ndescription: x: y\nhint: [a] [b]").encode()).repaired == ("description", "hint")
    assert read_frontmatter(front("name: a\ndescription: x\nuser-invocable: true\nhint: b: c").encode()).repaired == ("hint",)
    assert read_frontmatter(front("name: a\ndescription: 'x: y'\nhint: [a]").encode()).repaired == ()


def test_lists_of_words() -> None:
    root = read_frontmatter(front("a: [x, y]\nb: x, y,\nc: {d: [z]}").encode()).entries
    assert words(root["a"]) == words(root["b"]) == ("x", "y")
    assert words(entries(root["c"])["d"]) == ("z",)
    assert words(None) == ()


def read_or_refuse(data: bytes) -> Frontmatter | Broken:
    try:
        return read_frontmatter(data)
    except Broken as broken:
        return broken


@settings(max_examples=400, deadline=None)
@given(
    st.binary(max_size=80),
    st.text(alphabet="ab:\n -[]{}&*!'\"#@`|>%,?<\t\r\u2028\x85\ufeff\x00\x1b", max_size=60),
    st.lists(
        st.sampled_from(
            ["name: a", "description: b: c", "user-invocable: false", "x: [a] [b]", "  y: z", "# t", "", "|", "---", "'"]
        ),
        max_size=8,
    ),
)
def test_nothing_but_broken_is_raised_and_lines_are_in_the_file(data: bytes, text: str, lines: list[str]) -> None:
    for raw in (data, b"---\n" + data + b"\n---\n", front(text).encode(), front("\n".join(lines)).encode()):
        found = read_or_refuse(raw)
        if isinstance(found, Broken):
            assert 1 <= found.line <= raw.count(b"\n") + 1
            assert found.reason
            continue
        assert all(2 <= found.line(key) <= raw.count(b"\n") for key in found.entries)
        # what is behind the first closing fence, and nothing of it lost
        before = raw[: found.body].decode().removesuffix("\n").removesuffix("\r")
        assert before.rstrip(" \t").endswith("\n---")
