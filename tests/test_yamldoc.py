"""YAML as nodes: what is written is what is read, and every fault has its place."""

import pytest

from kodus_check.yamldoc import YamlProblem, read_document, read_documents


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a: yes", {"a": "yes"}),
        ("on: off", {"on": "off"}),
        ("a: 012", {"a": "012"}),
        ("a: 12", {"a": 12}),
        ("a: -3", {"a": -3}),
        ("a: 1.5", {"a": 1.5}),
        ("a: 1:30", {"a": "1:30"}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: true", {"a": True}),
        ("a: False", {"a": False}),
        ("a: ~", {"a": None}),
        ("a:", {"a": None}),
        ("a: 'true'", {"a": "true"}),
        ('a: "12"', {"a": "12"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("1: x", {"1": "x"}),
        ("<<: x", {"<<": "x"}),
        ("a: [1, x]\nb: {c: d}", {"a": [1, "x"], "b": {"c": "d"}}),
        ("a: &k x\nb: *k", {"a": "x", "b": "x"}),
        ("", None),
        ("# only a comment\n", None),
    ],
)
def test_scalars_follow_the_core_schema(written: str, value: object) -> None:
    assert read_document(written).value == value


@pytest.mark.parametrize(
    ("written", "message", "line", "column"),
    [
        ("a: 1\na: 2\n", "the key `a` stands twice", 2, 1),
        ("x:\n  b: 1\n  b: 2\n", "the key `b` stands twice", 3, 3),
        ("a: !!python/object:os.system x\n", "the tag `tag:yaml.org,2002:python/object:os.system` has no meaning here", 1, 4),
        ("a: !mine {}\n", "the tag `!mine` has no meaning here", 1, 4),
        ("a:\n\tb: 1\n", "found character that cannot start any token", 2, 1),
        ("a: &x [*x]\n", "this is nested too deeply (or an alias contains itself)", 1, 4),
        ("a: [1\n", "did not find expected ',' or ']'", 2, 1),
        ("? [a]\n: 1\n", "a key must be plain text", 1, 3),
        ("a: 1\n---\nb: 2\n", "a second document (`---`) starts here; one was expected", 3, 1),
    ],
)
def test_faults_have_a_place(written: str, message: str, line: int, column: int) -> None:
    with pytest.raises(YamlProblem) as raised:
        read_document(written)
    assert (raised.value.message, raised.value.line, raised.value.column) == (message, line, column)


def test_an_alias_bomb_is_refused_at_once() -> None:
    levels = [
        "a: &a [x,x,x,x,x,x,x,x,x]",
        *(f"{b}: &{b} [{','.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
    ]
    with pytest.raises(YamlProblem, match="aliases expand to too much"):
        read_document("\n".join(levels))


def test_places_of_keys_and_values() -> None:
    document = read_document("a:\n  - b: 1\n    c: 2\n")
    assert document.place(("a",)) == (1, 1)
    assert document.place(("a", 0, "c")) == (3, 5)
    assert document.places[("a", 0, "c")] == (3, 8)
    assert document.place(("a", 0, "missing", 3)) == (2, 5)


def test_documents_in_order() -> None:
    assert [(document.line, document.value) for document in read_documents("a: 1\n---\nb: 2\n")] == [(1, {"a": 1}), (3, {"b": 2})]
