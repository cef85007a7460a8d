# ruff: noqa: E501 - tables read better with a case on a line
"""Frontmatter as it was written: what is read, what is refused with which reason and line, and that nothing else is raised."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.frontmatter import Broken, entries, read_frontmatter, scalar, words


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
        # repaired
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


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"body only\n", "no frontmatter", 1),
        (b"", "no frontmatter", 1),
        (b"\n---\nname: a\n---\n", "must begin on the first line", 2),
        (b"\xef\xbb\xbf\xef\xbb\xbf---\nname: a\n---\n", "no frontmatter", 1),  # one mark, not two
        (b"---\nname: a\ndescription: b\n", "not closed", 1),
        (b"---\nname: a\n\n# Title\n\nprose\n\n---\nmore\n", "not closed", 1),
        (b"---\n---\n", "empty", 2),
        (b"---\n- a\n---\n", "no mapping", 2),
        (b"---\nname\n---\n", "no mapping", 2),
        (b"\xff\xfe-\x00-\x00-\x00", "UTF-16", 1),
        (b"---\nname: a\n\xff\n---\n", "not UTF-8 (byte 12)", 3),
        (b"---\nname: a\n\tx: b\n---\n", "not YAML", 3),
        (b'---\nname: a\ndescription: "Say "hi""\n---\n', "not YAML", 3),
        (b"---\nname: a\n\x07\n---\n", "control character", 3),
        (b"---\nname: a\nx: !!python/object/apply:os.system [id]\n---\n", "tags", 3),  # T1
        (b"---\nname: !!str a\n---\n", "tags", 2),
        (b"---\nx: &a 1\ny: *a\n---\n", "aliases", 2),  # T2
        (b"---\nx: *a\n---\n", "aliases", 2),
        (b"---\nname: a\n<<: {user-invocable: false}\n---\n", "merge keys", 3),
        (b"---\nx: " + b"[" * 3000 + b"]" * 3000 + b"\n---\n", "nested too deeply", 2),  # T3
        (b"---\nx: " + b"[" * 3000 + b"\n---\n", "nested too deeply", 2),
        (b"---\nname: a\nname: b\n---\n", "`name` stands twice", 3),  # T4
        (b"---\ndescription: a\nx: 1\ndescription: b\n---\n", "`description` stands twice", 4),
        (b"---\nuser-invocable: true\nuser-invocable: false\n---\n", "`user-invocable` stands twice", 3),
        (b"---\nx: " + b"a" * 70_000 + b"\n---\n", "larger than 64 KiB", 2),
        # T5: the line end before the control is lost; a repair would swallow it
        (b"---\nname: a\ndescription: Use: it.disable-model-invocation: true\n---\n", "may be lost", 3),
        (b"---\nname: a\ndescription: Use: when. user-invocable: false\n---\n", "may be lost", 3),
        (b"---\ndisable-model-invocation: a: b\n---\n", "not YAML", 2),
    ],
)
def test_what_is_refused(data: bytes, reason: str, line: int) -> None:
    with pytest.raises(Broken) as broken:
        read_frontmatter(data)
    assert reason in broken.value.reason
    assert broken.value.line == line


def test_a_repair_says_which_key() -> None:
    assert read_frontmatter(front("name: a\ndescription: x: y\nhint: [a] [b]").encode()).repaired == ("description", "hint")
    assert read_frontmatter(front("name: a\ndescription: x\nuser-invocable: true\nhint: b: c").encode()).repaired == ("hint",)


def test_lists_of_words() -> None:
    root = read_frontmatter(front("a: [x, y]\nb: x, y,\nc: {d: [z]}").encode()).entries
    assert words(root["a"]) == words(root["b"]) == ("x", "y")
    assert words(entries(root["c"])["d"]) == ("z",)
    assert words(None) == ()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80), st.text(alphabet="ab:\n -[]{}&*!'\"#@`|>%,?<", max_size=60))
def test_nothing_but_broken_is_raised(data: bytes, text: str) -> None:
    for given_data in (data, b"---\n" + data + b"\n---\n", front(text).encode()):
        with contextlib.suppress(Broken):
            read_frontmatter(given_data)
