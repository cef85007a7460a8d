"""RU-4: what breaks a bound is named with its reason and costs no other file its matches; nor does an ast-grep that misbehaves."""

from functools import partial
from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.rules import astgrep
from kodus_check.rules import scan as scan_module
from kodus_check.rules.scan import ScanResult, ScratchTree, scan
from tests.repo import path
from tests.rules.conftest import FakeAstGrep
from tests.rules.rig import OK, load, matched, not_scanned, one_rule, rule, scanned, source, spans, tree_of

CALL = "parseFloat(a)"
FOLLOWS = rule("slow", "rule: {kind: expression_statement, follows: {pattern: zzz($B), stopBy: end}}")
"""Quadratic: every statement looks at all before it."""
SLOW_CODE = "f(1);\n" * 30_000


# --- bounds --------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds of time, twenty times tighter."""
    for name in ("CHUNK_SECONDS", "FILE_SECONDS", "TOTAL_SECONDS"):
        monkeypatch.setattr(scan_module, name, getattr(scan_module, name) / 20)


def bounded(monkeypatch: pytest.MonkeyPatch, **bounds: int) -> None:
    monkeypatch.setattr(astgrep, "Bounds", partial(astgrep.Bounds, **bounds))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("slow", [["a0000.ts"], ["a0000.ts", "a0100.ts", "a0299.ts"]], ids=["one", "three"])
def test_slow_files_cost_no_other_its_matches(slow: list[str]) -> None:
    """T5. The whole time must not be used up before the others were scanned."""
    files = {f"a{number:04}.ts": CALL for number in range(300)}
    result = scanned([OK, FOLLOWS], {**files, **dict.fromkeys(slow, SLOW_CODE)})
    assert not_scanned(result) == dict.fromkeys(slow, "timeout")
    assert len(matched(result)) == 300 - len(slow)


@pytest.mark.usefixtures("quick")
def test_a_slow_file_alone() -> None:
    result = scanned([OK, FOLLOWS], {"a.ts": SLOW_CODE})
    assert (matched(result), not_scanned(result), result.read) == ({}, {"a.ts": "timeout"}, set())


def test_what_is_slow_waits_until_the_others_are_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the whole time is too short for all of it."""
    for name, value in {"CHUNK_FILES": 20, "CHUNK_SECONDS": 1.0, "FILE_SECONDS": 0.5, "TOTAL_SECONDS": 2.0}.items():
        monkeypatch.setattr(scan_module, name, value)
    slow, quick = ({f"{letter}{number:02}.ts": data for number in range(20)} for letter, data in (("a", SLOW_CODE), ("b", CALL)))
    result = scanned([OK, FOLLOWS], {**slow, **quick})
    assert not_scanned(result) == dict.fromkeys(slow, "timeout")
    assert matched(result) == dict.fromkeys(quick, 1)


def test_what_the_time_did_not_reach_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "TOTAL_SECONDS", 0.0)
    result = scanned(OK, {"a.ts": CALL, "b.ts": CALL})
    assert (matched(result), not_scanned(result)) == ({}, {"a.ts": "timeout", "b.ts": "timeout"})


@pytest.mark.parametrize("others", [{}, {"b.ts": CALL, "c.ts": CALL}], ids=["alone", "with others"])
def test_many_matches_on_a_long_line(others: dict[str, str]) -> None:
    """T6: as ``--json`` this would be 125 MB, its lines over and over."""
    code = "f(1);" * 5000
    result = scanned([OK, rule("f", "rule: {pattern: f($A)}")], {"a.ts": code, **others})
    assert spans(result, "a.ts") == [(start, start + 4) for start in range(0, 25_000, 5)]
    assert [one.ordinal for one in result.matches[path("a.ts")]] == list(range(5000))
    assert matched(result) == {"a.ts": 5000, **dict.fromkeys(others, 1)}
    assert result.not_scanned == {}


@pytest.mark.parametrize("others", [{}, {"b.ts": CALL, "c.ts": CALL}], ids=["alone", "with others"])
def test_too_much_output(others: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, output=200_000)
    result = scanned([OK, rule("f", "rule: {pattern: f($A)}")], {"a.ts": "f(1);\n" * 2000, **others})
    assert not_scanned(result) == {"a.ts": "output"}
    assert matched(result) == dict.fromkeys(others, 1)


@pytest.mark.parametrize("count", [49, 50, 60])
def test_too_many_matches(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """ast-grep stops at the largest number without a word, so that exactly this many are too many."""
    monkeypatch.setattr(astgrep, "MAX_RESULTS", 50)
    result = scanned(OK, {"a.ts": f"{CALL};\n" * count, "b.ts": f"{CALL};\n" * 49, "c.ts": CALL})
    assert not_scanned(result) == ({} if count < 50 else {"a.ts": "output"})
    assert matched(result) == {**({"a.ts": count} if count < 50 else {}), "b.ts": 49, "c.ts": 1}


def test_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, memory=300 * 1024**2)
    result = scanned(OK, {"a.ts": CALL, "b.ts": "a=" + "[1," * 1_300_000, "c.ts": CALL})
    assert not_scanned(result) == {"b.ts": "memory"}
    assert matched(result) == {"a.ts": 1, "c.ts": 1}


@pytest.mark.parametrize(("name", "value"), [("CHUNK_FILES", 3), ("CHUNK_BYTES", 30)], ids=["by count", "by bytes"])
def test_chunks(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, name, value)
    files = {f"{number:02}.ts": CALL for number in range(10)}
    assert matched(scanned(OK, files)) == dict.fromkeys(files, 1)


def test_more_names_than_one_command_line_takes() -> None:
    """2.9 MB of them, where the kernel takes 2 MB."""
    folder = "/".join([letter * 240 for letter in "abcdef"])
    assert len(matched(scanned(OK, {f"{folder}/{number:04}.ts": CALL for number in range(2000)}))) == 2000


# --- ast-grep that does not do what we rely on -----------------------------------------------------------------------------------

SAYS_VERSION = 'case "$1" in --version) echo "ast-grep 0.51.1"; exit;; esac\n'


def with_fake(fake_astgrep: FakeAstGrep, script: str, files: dict[str, str]) -> ScanResult:
    """Loads the rules with the real ast-grep and scans with a fake one."""
    with load(OK) as rules, tree_of(files) as tree:
        fake_astgrep(SAYS_VERSION + script)
        return scan(rules, tree)


def test_a_file_that_ast_grep_does_not_speak_of_is_not_clean(fake_astgrep: FakeAstGrep) -> None:
    """T4."""
    line = "echo 'sg: entity|file|a.ts: language=TypeScript,appliedRuleCount=1' >&2"
    result = with_fake(fake_astgrep, line, {"a.ts": CALL, "b.ts": CALL})
    assert (result.read, not_scanned(result)) == ({path("a.ts")}, {"b.ts": "not_read"})


def test_a_reason_that_we_do_not_know(fake_astgrep: FakeAstGrep) -> None:
    lines = "echo 'sg: entity|file|a.ts: skipped=invalidUtf8' >&2; echo 'sg: entity|file|b.ts: skipped=somethingNew' >&2"
    result = with_fake(fake_astgrep, lines, {"a.ts": CALL, "b.ts": CALL})
    assert (result.read, not_scanned(result)) == (set(), {"a.ts": "invalid_utf8", "b.ts": "not_read"})


def test_a_file_that_was_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    with load(OK) as rules, tree_of({"a.ts": CALL, "b.ts": CALL}) as tree:
        (tree.root / "a.ts").unlink()
        result = scan(rules, tree)
        assert (matched(result), not_scanned(result)) == ({"b.ts": 1}, {"a.ts": "not_read"})


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("echo 'no such option' >&2; exit 2", "ast-grep ended with 2: no such option"),
        (
            """echo '{"file": "a.ts", "ruleId": "ok", "text": "other", "range": {"byteOffset": {"start": 0, "end": 5}}}'""",
            "a.ts: ast-grep reported offsets whose bytes are not the text it reported",
        ),
    ],
)
def test_what_ast_grep_must_not_do(script: str, what: str, fake_astgrep: FakeAstGrep) -> None:
    with pytest.raises(CannotReview) as caught:
        with_fake(fake_astgrep, script, {"a.ts": CALL, "b.ts": CALL})
    assert str(caught.value) == what


def test_a_crash_is_that_files_alone(fake_astgrep: FakeAstGrep) -> None:
    real = astgrep.binary()
    script = f'for name; do case "$name" in b.ts) kill -SEGV $$;; esac; done; exec {real} "$@"'
    result = with_fake(fake_astgrep, script, {f"{name}.ts": CALL for name in "abcdefgh"})
    assert not_scanned(result) == {"b.ts": "crash"}
    assert matched(result) == {f"{name}.ts": 1 for name in "acdefgh"}


def test_the_tree_cannot_be_written(tmp_path: Path) -> None:
    with ScratchTree() as tree:
        tree.add(path("a.ts"), b"file")
        with pytest.raises(CannotReview, match=r"a\.ts/b\.ts: the scratch tree cannot be written"):
            tree.add(path("a.ts/b.ts"), b"the same name as a folder")


def test_line_of_a_rule_without_matches() -> None:
    """Nothing to report is an empty result, not a missing one."""
    with load(OK) as rules, tree_of({"a.ts": "b"}) as tree:
        assert one_rule(rules).line == source(OK).line
        result = scan(rules, tree)
        assert (result.matches, result.read, result.not_scanned) == ({}, {path("a.ts")}, {})
