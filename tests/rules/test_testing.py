"""Rule tests: what passes, what fails and how it is said."""

import pytest

from kodus_check.rules import packs
from kodus_check.rules.documents import RuleSource, read_source, without_keys
from kodus_check.rules.testing import RuleTest, read_tests, run_tests

RULES = RuleSource(
    "r.yml",
    b"id: a\nlanguage: typescript\nrule: {pattern: f($A)}\nfiles: ['src/**']\n"
    b"---\nid: b\nlanguage: python\nrule: {kind: nope}\n---\nid: c\nlanguage: tsx\nignores:\n  - '**'\nrule: {pattern: g()}\n",
)


def one(rule_id: str, *, valid: tuple[str, ...] = (), invalid: tuple[str, ...] = ()) -> RuleTest:
    return RuleTest(rule_id, "t.yml", 1, valid, invalid)


@pytest.mark.parametrize(
    ("test", "problems"),
    [
        (one("a", valid=("g(1)",), invalid=("f(1)", "x = f(y)")), ()),
        (one("a", valid=("1;\nf(1)",)), ("valid[0] matches at its line 2: 1;",)),
        (one("a", invalid=("f(1)", "g(1)")), ("invalid[1] does not match: g(1)",)),
        (one("a", invalid=("// ast-grep-ignore\nf(1)",)), ()),
        (one("b", invalid=("x",)), ("the rule does not run: Kind `nope` is invalid.",)),
        (one("c", invalid=("g()",)), ()),
        (one("none", invalid=("x",)), ("the rule does not run: no rule has this id",)),
        (one("a"), ()),
    ],
)
def test_a_test_and_its_problems(test: RuleTest, problems: tuple[str, ...]) -> None:
    (result,) = run_tests([RULES], [], [test])
    assert result.problems == problems


@pytest.mark.parametrize(
    ("text", "tests", "problems"),
    [
        ("id: a\nvalid: [x]\ninvalid: [y]\n", [("a", 1, ("x",), ("y",))], []),
        ("id: a\nvalid: [x]\n---\nid: b\ninvalid:\n  - |\n    y\n", [("a", 1, ("x",), ()), ("b", 4, (), ("y\n",))], []),
        ("# nothing\n", [], []),
        ("id: a\nvalid: x\n", [], ["t.yml:1: a rule test has a text `id` and lists of texts `valid` and `invalid`"]),
        ("valid: [x]\n", [], ["t.yml:1: a rule test has a text `id` and lists of texts `valid` and `invalid`"]),
        ("id: a\nvalid: [1]\n", [], ["t.yml:1: a rule test has a text `id` and lists of texts `valid` and `invalid`"]),
        ("id: a\nid: b\n", [], ["t.yml:2: the key `id` stands twice"]),
    ],
)
def test_reading_tests(text: str, tests: list[tuple[object, ...]], problems: list[str]) -> None:
    found, wrong = read_tests(RuleSource("t.yml", text.encode()))
    assert [(test.rule_id, test.line, test.valid, test.invalid) for test in found] == tests
    assert wrong == problems


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b"id: a\nfiles: [x]\nrule: r\n", b"id: a\n#\nrule: r\n"),
        (b"id: a\nfiles:\n  - x\n---\nid: b\nignores: [y]\nextra: 1\n", b"id: a\n#\n#\n---\nid: b\n#\nextra: 1\n"),
        (b"id: a\n---\nfiles: [x]\nid: b", b"id: a\n---\n#\nid: b"),
        (b"{id: a, files: [x]}\n", b"{id: a, files: [x]}\n"),
        (b"id: [\n---\nfiles: [x]\n", b"id: [\n---\n#\n"),
        (b"id: a\xff\nfiles: [x]\n", b"id: a\xff\nfiles: [x]\n"),
    ],
)
def test_keys_are_taken_out_line_by_line(data: bytes, left: bytes) -> None:
    assert without_keys(data, ("files", "ignores")) == left


@pytest.mark.parametrize("pack", packs.names())
def test_every_rule_that_ships_passes_its_tests_and_has_some(pack: str) -> None:
    sources = packs.sources(pack)
    tests = [test for source in packs.test_sources(pack) for test in read_tests(source)[0]]
    results = run_tests(sources, [], tests)
    assert {result.test.rule_id: result.problems for result in results if result.problems} == {}
    tested = {test.rule_id for test in tests if test.valid and test.invalid}
    ids = {rule.id for source in sources for rule in read_source(source)[0]}
    assert ids == tested
