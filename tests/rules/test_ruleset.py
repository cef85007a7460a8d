"""RU-1: ast-grep itself judges each rule; what it refuses is refused alone, with ast-grep's reason."""

import tempfile
from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.model import Notice, NoticeKind, RepoPath, RuleStatus
from kodus_check.rules.ruleset import load_rules
from kodus_check.rules.scan import scan
from tests.rules.conftest import FakeAstGrep
from tests.rules.rig import OK, fates, load, matched, one_rule, rule, scanned, source, spans, tree_of

NO_KINDS = "Rule must specify a set of AST kinds to match. Try adding `kind` rule."
RULE_KEYS = "pattern, kind, regex, nthChild, range, inside, has, precedes, follows, all, any, not, matches"

BROKEN = {
    "unknown kind": ("rule: {kind: nope}", "Kind `nope` is invalid."),
    "two nodes": ('rule: {pattern: "a; b"}', "Multiple AST nodes are detected. Please check the pattern source `a; b`."),
    "empty pattern": ('rule: {pattern: ""}', "No AST root is detected. Please check the pattern source ``."),
    "broken pattern": ('rule: {pattern: "foo((("}', NO_KINDS),
    "pattern of one variable": ("rule: {pattern: $A}", NO_KINDS),
    "only regex": ("rule: {regex: a}", NO_KINDS),
    "only not": ("rule: {not: {kind: identifier}}", NO_KINDS),
    "empty rule": ("rule: {}", "Rule must have one positive matcher."),
    "rule is text": ("rule: x", 'invalid type: string "x", expected struct SerializableRule at line 7, column 1'),
    "broken regex": ('rule: {kind: identifier, regex: "("}', "regex parse error: ( ^ error: unclosed group"),
    "look-around": (
        'rule: {kind: identifier, regex: "(?=a)"}',
        "regex parse error: (?=a) ^^^ error: look-around, including look-ahead and look-behind, is not supported",
    ),
    "huge regex": ('rule: {kind: identifier, regex: "(a{1000}){1000}"}', "Compiled regex exceeds size limit of 10485760 bytes."),
    "unknown rule key": (
        "rule: {kind: identifier, nope: 1}",
        f"unknown field `nope`, expected one of {RULE_KEYS} at line 7, column 1",
    ),
    "merge key in rule": ("rule: {<<: {kind: x}}", f"unknown field `<<`, expected one of {RULE_KEYS} at line 7, column 1"),
    "severity in capitals": (
        "severity: Error\nrule: {kind: identifier}",
        "unknown variant `Error`, expected one of off, hint, info, warning, error at line 7, column 11",
    ),
    "note is a list": ("note: []\nrule: {kind: identifier}", "expected string scalar at line 7, column 7"),
    "files is text": ("files: src\nrule: {kind: identifier}", "expected sequence start at line 7, column 8"),
    "message is null": (
        "message:\nrule: {kind: identifier}",
        "cannot deserialize null into string; use Option<String> at line 7, column 8",
    ),
    "metadata is a list": ("metadata: [1]\nrule: {kind: identifier}", "expected mapping start at line 7, column 11"),
    "glob in files": (
        "files: ['a[*']\nrule: {kind: identifier}",
        "error parsing glob 'a[*': unclosed character class; missing ']'",
    ),
    "glob in ignores": (
        "ignores: ['{a']\nrule: {kind: identifier}",
        "error parsing glob '{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
    ),
    "undefined util": ("rule: {kind: identifier, matches: nope}", "Rule `nope` is not defined."),
    "undefined util in a constraint": ("constraints: {A: {matches: nope}}\nrule: {pattern: f($A)}", "Rule `nope` is not defined."),
    "undefined util in a rewriter": (
        "rule: {pattern: f($A)}\nrewriters: [{id: w, rule: {kind: identifier, matches: nope}, fix: ''}]",
        "Rule `nope` is not defined.",
    ),
    # ast-grep takes this one, and the rule would match nothing for ever.
    "undefined util in a util": (
        "utils: {u: {matches: nope}}\nrule: {kind: identifier, matches: u}",
        "Rule `nope` is not defined.",
    ),
    "utils in a circle": (
        "utils: {u: {matches: v}, v: {matches: u}}\nrule: {kind: identifier, matches: u}",
        "A utility rule has a cyclic dependency in its `matches` sub-rule.",
    ),
    "undefined variable in a constraint": (
        "constraints: {Z: {regex: a}}\nrule: {pattern: f($A)}",
        "Undefined meta var `Z` used in `constraints`.",
    ),
    "undefined variable in a fix": ("fix: $ZZ\nrule: {pattern: f($A)}", "Undefined meta var `ZZ` used in `fix`."),
    "undefined variable in a label": (
        "labels: {Z: {style: primary}}\nrule: {pattern: f($A)}",
        "Label meta-variable `Z` must be defined in `rule` or `constraints`.",
    ),
    "unknown transformation": (
        "transform: {B: {nope: 1}}\nrule: {pattern: f($A)}",
        "data did not match any variant of untagged enum Transformation",
    ),
    "nthChild": ("rule: {kind: identifier, nthChild: an+b+c}", "Illegal character a encountered"),
    "stopBy": (
        "rule: {kind: identifier, inside: {kind: program, stopBy: x}}",
        "unknown variant `x`, expected `neighbor`, `end` or a rule object",
    ),
    "too deep": (
        "rule: " + "{not: " * 90 + "{kind: identifier}" + "}" * 90,
        "budget breached: Depth { depth: 65 } at line 7, column 385",
    ),
}


@pytest.mark.parametrize(("body", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_rule_is_refused_alone(body: str, reason: str) -> None:
    """The reason is ast-grep's own, and where it names a line, it is the line of the source."""
    with load(rule("first") + "---\n" + rule("bad", body) + "---\n" + rule("last"), OK) as rules:
        assert fates(rules) == [("first", ""), ("bad", reason), ("last", ""), ("ok", "")]
        bad = rules.rules[1]
        assert (bad.status, bad.source, bad.line) == (RuleStatus.REFUSED, "r0.yml", 5)
        assert rules.notices == [
            Notice(
                NoticeKind.RULE_REFUSED,
                f"`bad` does not run: {reason.rstrip('.')}. The other rules run. Correct the document at the base.",
                "r0.yml:5",
            )
        ]
        with tree_of({"a.ts": "parseFloat(a)"}) as tree:
            assert [match.rule_id for match in scan(rules, tree).matches[RepoPath(b"a.ts")]] == ["first", "last", "ok"]


def test_a_directive_without_its_marker() -> None:
    text = "%YAML 1.2\n" + rule("a", "rule: {kind: identifier, matches: u}\nutils: {u: {kind: identifier}}")
    with load(text, OK) as rules:
        assert fates(rules) == [("a", "did not find expected <document start> at line 2, column 1"), ("ok", "")]


def test_the_line_in_a_reason_is_that_of_the_source() -> None:
    """Also behind keys that were cut out, and where the source starts in the middle of a file."""
    text = "id: a\nx: |\n  1\n  2\nlanguage: ts\nseverity: Error\nrule: {kind: identifier}\n"
    with load_rules([source(text, "config.yml#rules", line=20)]) as rules:
        assert one_rule(rules).reason.endswith("expected one of off, hint, info, warning, error at line 25, column 11")


def test_every_broken_rule_of_many_is_refused() -> None:
    """Bad globs are not named by ast-grep, so each rule is tried alone there: this mixes both kinds."""
    names = [f"bad-{index}" for index in range(len(BROKEN))]
    texts = [
        text for name, (body, _) in zip(names, BROKEN.values(), strict=True) for text in (rule(name, body), rule(f"good-{name}"))
    ]
    with load("---\n".join(texts)) as rules:
        refused = {one.id: one.reason for one in rules.rules if not one.runs}
        lines = [reason.partition(" at line ")[0] for _, reason in BROKEN.values()]
        assert {name: reason.partition(" at line ")[0] for name, reason in refused.items()} == dict(zip(names, lines, strict=True))
        assert [one.id for one in rules.loaded] == [f"good-{name}" for name in names]
        assert len(rules.notices) == len(BROKEN)
        with tree_of({"a.ts": "parseFloat(a)"}) as tree:
            assert matched(scan(rules, tree)) == {"a.ts": len(BROKEN)}


def test_ids_are_taken_once() -> None:
    with load(OK + "---\n" + rule("b"), rule("c") + "---\n" + rule("ok", "rule: {kind: identifier}"), OK) as rules:
        taken = "its id is taken by the rule at r0.yml:1"
        assert fates(rules) == [("ok", ""), ("b", ""), ("c", ""), ("ok", taken), ("ok", taken)]
        assert [notice.subject for notice in rules.notices] == ["r1.yml:5", "r2.yml:1"]
        assert rules.notices[0].message == (f"`ok` does not run: {taken}. The other rules run. Correct the document at the base.")
        with tree_of({"a.ts": "parseFloat(a)"}) as tree:
            assert matched(scan(rules, tree)) == {"a.ts": 3}


def test_a_refused_document_takes_no_id() -> None:
    with load(
        "id: ok\nlanguage: vue\nrule: {kind: x}\n", "language: ts\nrule: {kind: x}\n", rule("", "rule: {kind: x}"), OK
    ) as rules:
        assert [one.runs for one in rules.rules] == [False, False, False, True]


def test_a_rule_that_is_off_is_listed_and_does_not_run() -> None:
    """It is not even shown to ast-grep, so that it may be broken."""
    with load(OK + "severity: off\n", rule("b", "severity: off\nrule: {kind: nope}"), rule("c")) as rules:
        assert [(one.id, one.status) for one in rules.rules] == [
            ("ok", RuleStatus.OFF),
            ("b", RuleStatus.OFF),
            ("c", RuleStatus.LOADED),
        ]
        assert rules.notices == []
        with tree_of({"a.ts": "parseFloat(a)"}) as tree:
            assert [match.rule_id for match in scan(rules, tree).matches[RepoPath(b"a.ts")]] == ["c"]


# --- utility rules -------------------------------------------------------------------------------------------------------------

USES_U = rule("r", "rule: {kind: call_expression, matches: u}")
CODE = {"a.ts": "parseFloat(a); foo(b)"}
FIRST, SECOND = (0, 13), (15, 21)


@pytest.mark.parametrize(
    ("utils", "found"),
    [
        pytest.param([rule("u")], [FIRST], id="one"),
        pytest.param([rule("u", "rule: {matches: v}"), rule("v")], [FIRST], id="one that uses a later one"),
        pytest.param([rule("v") + "---\n" + rule("u", "rule: {matches: v}")], [FIRST], id="two documents"),
        pytest.param(
            [rule("u", "rule: {any: [{matches: v}, {matches: w}]}"), rule("v"), rule("w", "rule: {pattern: foo($B)}")],
            [FIRST, SECOND],
            id="two",
        ),
        pytest.param([rule("u", "rule: {kind: call_expression, not: {matches: v}}"), rule("v")], [SECOND], id="negated"),
        pytest.param([rule("u", "utils: {v: {pattern: foo($B)}}\nrule: {matches: v}")], [SECOND], id="with a util of its own"),
        pytest.param([rule("u", "constraints: {B: {regex: b}}\nrule: {pattern: $C($B)}")], [SECOND], id="with a constraint"),
        pytest.param([rule("u", "severity: off\nmessage: m\nrule: {pattern: foo($B)}")], [SECOND], id="keys of a rule do no harm"),
        pytest.param([rule("u", "rule: {pattern: foo($B)}"), rule("matches", "rule: {matches: u}")], [SECOND], id="odd name"),
        pytest.param([rule("u", "x-key: 1\nrule: {pattern: foo($B)}")], [SECOND], id="unknown key"),
    ],
)
def test_utility_rules(utils: list[str], found: list[tuple[int, int]]) -> None:
    assert spans(scanned(USES_U, CODE, utils), "a.ts") == found


@pytest.mark.parametrize("bad", [[], [rule("bad", "rule: {kind: nope}")]], ids=["alone", "beside a broken one"])
def test_utility_rules_with_arguments(bad: list[str]) -> None:
    """One that uses a later one is good only once that one is there."""
    utils = [
        rule("u", "arguments: [X]\nrule: {any: [{matches: {v: {Y: {matches: X}}}}, {pattern: nothing($B)}]}"),
        rule("v", "arguments: [Y]\nrule: {all: [{kind: call_expression}, {matches: Y}]}"),
    ]
    uses = rule("r", "rule: {kind: call_expression, matches: {u: {X: {pattern: foo($B)}}}}")
    dangling = rule("s", "rule: {kind: call_expression, matches: {u: {X: {matches: nope}}}}")
    with load(uses, dangling, utils=[*utils, *bad]) as rules, tree_of(CODE) as tree:
        assert fates(rules) == [("r", ""), ("s", "Rule `nope` is not defined.")]
        assert len(rules.notices) == len(bad) + 1
        assert spans(scan(rules, tree), "a.ts") == [SECOND]


@pytest.mark.parametrize(
    "body",
    [
        "utils: {u: {pattern: parseFloat($A)}}\nrule: {matches: u}",
        "utils: {u: {matches: v}, v: {pattern: parseFloat($A)}}\nrule: {matches: u}",
        "utils: {matches: {pattern: parseFloat($A)}}\nrule: {matches: matches}",
        "constraints: {A: {matches: u}}\nutils: {u: {kind: identifier}}\nrule: {pattern: parseFloat($A)}",
        "metadata: {matches: nowhere}\nrule: {pattern: parseFloat($A)}",
        "message: 'matches: nowhere'\nrule: {pattern: parseFloat($A)}",
    ],
)
def test_utils_inside_a_rule(body: str) -> None:
    assert spans(scanned(rule("r", body), CODE), "a.ts") == [FIRST]


@pytest.mark.parametrize(
    ("utils", "refused"),
    [
        # utility rules, (line-less place, id, reason) of each that is refused, whether rule `r` still runs
        pytest.param([rule("u", "rule: {kind: nope}")], {"u": "Kind `nope` is invalid"}, id="broken"),
        pytest.param([rule("u", "rule: {matches: nope}")], {"u": "Rule `nope` is not defined"}, id="uses an undefined one"),
        pytest.param(
            [rule("bad", "rule: {kind: nope}"), rule("u", "rule: {any: [{matches: bad}, {pattern: foo($B)}]}")],
            {"bad": "Kind `nope` is invalid", "u": "Rule `bad` is not defined"},
            id="uses a broken one",
        ),
        pytest.param(
            [rule("u", "rule: {matches: v}"), rule("v", "rule: {matches: w}"), rule("w", "rule: {kind: nope}")],
            {"w": "Kind `nope` is invalid", "v": "Rule `w` is not defined", "u": "Rule `v` is not defined"},
            id="uses one that uses a broken one",
        ),
        pytest.param(
            [rule("u", "rule: {matches: u}")],
            {"u": "A utility rule has a cyclic dependency in its `matches` sub-rule"},
            id="uses itself",
        ),
        pytest.param(
            [rule("u", "constraints: {A: {matches: x}}\nrule: {pattern: f($A)}")], {"u": "Rule `x` is not defined"}, id="constraint"
        ),
        pytest.param(["id: u\nlanguage: ts\n"], {"u": "it has no `rule`"}, id="no rule"),
        pytest.param([rule("u", language="vue")], {"u": "ast-grep does not know the language `vue`"}, id="unknown language"),
    ],
)
def test_a_refused_utility_rule_takes_with_it_what_uses_it(utils: list[str], refused: dict[str, str]) -> None:
    """Where ast-grep says nothing, such a rule would match nothing, or everything behind a ``not``."""
    with load(USES_U, OK, utils=utils) as rules:
        assert fates(rules) == [("r", "Rule `u` is not defined."), ("ok", "")]
        of_utils = [notice for notice in rules.notices if notice.subject.startswith("u")]
        assert [notice.message.partition("`")[2].partition("`")[0] for notice in of_utils] == list(refused)
        for notice, reason in zip(of_utils, refused.values(), strict=True):
            assert notice.kind is NoticeKind.RULE_REFUSED
            assert reason in notice.message
        with tree_of(CODE) as tree:
            assert spans(scan(rules, tree), "a.ts") == [FIRST]


def test_two_utility_rules_in_a_circle_are_both_refused() -> None:
    with load(
        rule("r", "rule: {kind: call_expression, not: {matches: a}}"),
        OK,
        utils=[rule("a", "rule: {matches: b}"), rule("b", "rule: {matches: a}")],
    ) as rules:
        assert fates(rules) == [("r", "Rule `a` is not defined."), ("ok", "")]
        assert [notice.subject for notice in rules.notices] == ["u1.yml:1", "u0.yml:1", "r0.yml:1"]


def test_a_bad_utility_rule_costs_no_other() -> None:
    utils = [rule("v", "rule: {matches: u}"), rule("bad", "rule: {kind: nope}"), rule("u", "rule: {pattern: foo($B)}"), rule("u")]
    with load(rule("r", "rule: {matches: v}"), utils=utils) as rules:
        assert fates(rules) == [("r", "")]
        assert [notice.message.partition(": ")[2].partition(". ")[0] for notice in rules.notices] == [
            "as a utility rule, Kind `nope` is invalid",
            "as a utility rule, Duplicate rule id `u` is found",
        ]
        with tree_of(CODE) as tree:
            assert spans(scan(rules, tree), "a.ts") == [SECOND]


# --- the set itself ------------------------------------------------------------------------------------------------------------


def test_without_rules_ast_grep_is_not_started(fake_astgrep: FakeAstGrep) -> None:
    started = fake_astgrep('touch "$0.started"; echo "ast-grep 0.51.1"').with_name("ast-grep.started")
    with load(OK + "severity: off\n", "# nothing\n") as rules, tree_of({"a.ts": "parseFloat(a)"}) as tree:
        result = scan(rules, tree)
        assert (rules.loaded, rules.languages) == ([], frozenset())
    assert (result.matches, result.read, result.not_scanned) == ({}, set(), {})
    assert not started.exists()
    load(OK).__exit__(None, None, None)
    assert started.exists()  # the same fake is what a rule starts


def test_languages_are_those_of_the_rules_that_run() -> None:
    texts = [
        OK,
        rule("p", "rule: {pattern: f($A)}", "Python"),
        rule("g", "rule: {kind: nope}", "go"),
        rule("c", language="css") + "severity: off\n",
    ]
    with load(*texts) as rules:
        assert rules.languages == {"typescript", "python"}


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_astgrep: FakeAstGrep) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with load_rules([]) as rules:
        assert rules.folder.parent == tmp_path
    fake_astgrep('case "$1" in --version) echo "ast-grep 0.51.1";; *) echo "no such option" >&2; exit 2;; esac')
    with pytest.raises(CannotReview, match=r"ast-grep ended with 2 \(no bound broken\) while it read the rules: no such option"):
        load(OK)
    assert list(tmp_path.glob("kodus-check-*")) == []


def test_the_name_of_our_config_cannot_be_guessed() -> None:
    with load(OK) as one, load(OK) as other:
        assert one.config_name != other.config_name
        assert len(one.config_name) > 20
