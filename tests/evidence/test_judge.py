"""A match becomes evidence only where the rule, the bytes, the lines and the change all agree."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kodus_check.evidence import fingerprint
from kodus_check.evidence.judge import finding_of_match, prove_match
from kodus_check.model import (
    ChangedFile,
    Drop,
    DropReason,
    FileKind,
    FileStatus,
    Finding,
    LineSet,
    Match,
    MatchEvidence,
    Mode,
    Rule,
    RuleStatus,
    Scope,
    Severity,
    Sha,
)
from tests.repo import path

HEAD = b"one\ntwo bad()\nthree\nfour(\n  bad()\n)\n"
RULE = Rule("r", "python", Severity.HIGH, RuleStatus.LOADED, "rules/r.yml", 1)
FILE = ChangedFile(
    path("a.py"), FileStatus.MODIFIED, FileKind.FILE, new_oid=Sha("0" * 40), added=LineSet.of([2]), cuts=LineSet.of([4])
)
MATCH = Match("r", path("a.py"), 8, 13, 2, 2, "bad()", "message")


def test_a_match_on_an_added_line_is_evidence() -> None:
    proof = prove_match(MATCH, RULE, FILE, HEAD, Scope.CHANGED_LINES)
    assert proof == MatchEvidence("r", "rules/r.yml", 8, 13, "bad()", "message")


@pytest.mark.parametrize(
    ("match", "rule", "file", "reason"),
    [
        (MATCH, None, FILE, DropReason.RULE_NOT_LOADED),
        (MATCH, replace(RULE, status=RuleStatus.REFUSED), FILE, DropReason.RULE_NOT_LOADED),
        (MATCH, replace(RULE, status=RuleStatus.OFF), FILE, DropReason.RULE_NOT_LOADED),
        (MATCH, replace(RULE, id="other"), FILE, DropReason.RULE_NOT_LOADED),
        (MATCH, RULE, None, DropReason.FILE_NOT_CHANGED),
        (MATCH, RULE, replace(FILE, path=path("b.py")), DropReason.FILE_NOT_CHANGED),
        (MATCH, RULE, replace(FILE, new_oid=None), DropReason.FILE_NOT_CHANGED),
        (replace(MATCH, text="good()"), RULE, FILE, DropReason.TEXT_NOT_AT_OFFSETS),
        (replace(MATCH, byte_start=9), RULE, FILE, DropReason.TEXT_NOT_AT_OFFSETS),
        (replace(MATCH, byte_end=9999), RULE, FILE, DropReason.TEXT_NOT_AT_OFFSETS),
        (replace(MATCH, start_line=1), RULE, FILE, DropReason.TEXT_NOT_AT_OFFSETS),
        (replace(MATCH, end_line=3), RULE, FILE, DropReason.TEXT_NOT_AT_OFFSETS),
        (MATCH, RULE, replace(FILE, added=LineSet.of([1, 3])), DropReason.LINES_NOT_CHANGED),
    ],
)
def test_anything_less_is_a_drop_with_its_reason(
    match: Match, rule: Rule | None, file: ChangedFile | None, reason: DropReason
) -> None:
    proof = prove_match(match, rule, file, HEAD, Scope.CHANGED_LINES)
    assert isinstance(proof, Drop)
    assert (proof.reason, proof.candidate) == (reason, match)
    assert proof.detail


@pytest.mark.parametrize(
    ("added", "cuts", "start", "end", "touches"),
    [
        ([2], [], 2, 2, True),
        ([2], [], 1, 3, True),
        ([2], [], 3, 9, False),
        ([], [4], 4, 5, True),  # removed between its two lines
        ([], [4], 4, 4, False),  # removed behind its only line
        ([], [4], 5, 6, False),  # removed before it
        ([], [4], 3, 4, False),
        ([], [0], 1, 3, False),
        ([5, 6, 7, 20], [], 8, 19, False),
        ([5, 6, 7, 20], [], 8, 20, True),
    ],
)
def test_what_touches_a_change(added: list[int], cuts: list[int], start: int, end: int, touches: bool) -> None:
    file = replace(FILE, added=LineSet.of(added), cuts=LineSet.of(cuts))
    assert file.touches(start, end) is touches


def test_scope_changed_files_asks_for_no_changed_line() -> None:
    proof = prove_match(MATCH, RULE, replace(FILE, added=LineSet()), HEAD, Scope.CHANGED_FILES)
    assert isinstance(proof, MatchEvidence)


def finding(**change: Any) -> Finding:
    evidence = MatchEvidence("r", "rules/r.yml", 8, 13, "bad()", "message")
    made = finding_of_match(
        replace(MATCH, message=change.pop("message", "message")), RULE, FILE, evidence, agent="a", mode=Mode.GATE
    )
    return replace(made, **change)


def test_a_finding_cannot_be_built_without_evidence() -> None:
    with pytest.raises(TypeError, match="needs evidence"):
        finding(evidence=None)
    with pytest.raises(TypeError, match="needs evidence"):
        finding(evidence={"kind": "match"})


def test_a_rule_without_a_message_is_named_by_its_id() -> None:
    assert finding(message="").title == "Rule r"
    assert finding(message=" two\n lines ").title == "two lines"


def test_only_the_evidence_package_makes_evidence() -> None:
    package = Path(__file__).parents[2] / "kodus_check"
    makers = {
        source.relative_to(package).parts[0]
        for source in package.rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("MatchEvidence", "Finding")
    }
    assert makers == {"evidence"}


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"byte_start": 100, "byte_end": 105, "start_line": 9, "end_line": 9}, True),
        ({"message": "other words"}, True),
        ({"text": "bad( \n )"}, False),
        ({"text": " bad()\n"}, True),
        ({"rule_id": "s"}, False),
        ({"path": path("b.py")}, False),
        ({"ordinal": 1}, False),
    ],
)
def test_what_a_fingerprint_is_made_of(change: dict[str, Any], same: bool) -> None:
    assert (fingerprint.of_match(replace(MATCH, **change)) == fingerprint.of_match(MATCH)) is same
