"""From what a model reports to candidates: lenient in form, strict in meaning, one bad item costs only itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.agent.reply import ITEM_SCHEMA, MAX_ITEMS, read_findings
from kodus_check.model import Candidate, EvidenceKind, Severity
from tests.agent.scripted import GOOD


def one(**changes: Any) -> Candidate:
    reading = read_findings([{**GOOD, **changes}], "main_review")
    assert reading.problems == ()
    return reading.candidates[0]


def test_a_whole_item() -> None:
    assert one() == Candidate(
        "main_review", EvidenceKind.CITATION, "src/a.py", 2, 2, "Entry is updated", "It must be a new entry.", Severity.HIGH,
        "right", "docs/ledger.md", (3, 3), GOOD["quote"], None, None, GOOD["code"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"start_line": "7", "end_line": None}, "start_line", 7),
        ({"start_line": "L7", "end_line": 9.0}, "end_line", 9),
        ({"start_line": 9, "end_line": 7}, "start_line", 7),
        ({"start_line": None, "end_line": 4}, "start_line", 4),
        ({"guide_lines": "12-14"}, "guide_lines", (12, 14)),
        ({"guide_lines": "L12 \u2013 L14"}, "guide_lines", (12, 14)),
        ({"guide_lines": 5}, "guide_lines", (5, 5)),
        ({"guide_lines": "nonsense"}, "guide_lines", None),
        ({"severity": "URGENT"}, "severity", Severity.MEDIUM),
        ({"severity": None}, "severity", Severity.MEDIUM),
        ({"side": None}, "side", "right"),
        ({"side": "LEFT"}, "side", "left"),
        ({"evidence": " Citation "}, "evidence", EvidenceKind.CITATION),
        ({"code": ""}, "code", None),
        ({"unknown": 1}, "path", "src/a.py"),
        ({"title": "t" * 500}, "title", "t" * 200),
    ],
)
def test_what_is_understood(changes: dict[str, Any], field: str, value: object) -> None:
    assert getattr(one(**changes), field) == value


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("text", "must be an object"),
        ({**GOOD, "evidence": "hunch"}, "evidence: it must be one of"),
        ({**GOOD, "start_line": 0}, "start_line: it must be a line number"),
        ({**GOOD, "start_line": True}, "start_line"),
        ({**GOOD, "start_line": None, "end_line": None}, "start_line"),
        ({**GOOD, "quote": None}, "quote: it is needed"),
        ({**GOOD, "quote": " "}, "quote: it is needed"),
        ({**GOOD, "quote": ["a"]}, "quote: it must be text"),
        ({**GOOD, "quote": "q" * 5000}, "quote: it is longer"),
        ({**GOOD, "evidence": "match"}, "rule_id: it is needed"),
        ({**GOOD, "evidence": "cli"}, "call_id: it is needed"),
        ({**GOOD, "path": None}, "path: it is missing"),
        ({**GOOD, "title": ""}, "title: it is missing"),
        ({**GOOD, "side": "up"}, "side"),
    ],
)
def test_a_bad_item_costs_only_itself(item: Any, problem: str) -> None:
    reading = read_findings([GOOD, item, GOOD], "main_review")
    assert len(reading.candidates) == 2
    assert reading.problems[0].startswith("findings[1]: ")
    assert problem in reading.problems[0]


@pytest.mark.parametrize("findings", [None, "none", {"a": 1}, 7])
def test_what_is_no_list_is_no_answer(findings: object) -> None:
    assert read_findings(findings, "a").problems
    assert read_findings(findings, "a").candidates == ()


def test_a_flood_is_cut_and_told() -> None:
    reading = read_findings([GOOD] * (MAX_ITEMS + 5), "a")
    assert (len(reading.candidates), len(reading.problems)) == (MAX_ITEMS, 1)


def test_evidence_stands_before_prose() -> None:
    assert list(ITEM_SCHEMA["properties"]) == list(GOOD)
    assert ITEM_SCHEMA["required"] == list(GOOD)


@settings(max_examples=200, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, "x"]), inner, max_size=8), max_leaves=20))  # fmt: skip  # noqa: E501
def test_nothing_raises(given_value: object) -> None:
    read_findings(given_value, "a")
    read_findings([given_value], "a")
