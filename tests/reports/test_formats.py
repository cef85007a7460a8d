"""SARIF, Code Quality, annotations, the runner's files: valid for who reads them, within their limits, safe with hostile text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from kodus_check.model import Coverage, CoverageReason, CoverageStatus, Mode, Notice, NoticeKind, Outcome, RepoPath, Severity
from kodus_check.reports import annotations as runner
from kodus_check.reports.codequality import codequality_document
from kodus_check.reports.sarif import MAX_RESULTS, sarif_document
from tests.render.test_markdown import EVIDENCE, FINDING, review
from tests.repo import path
from tests.reports.schemas import published

HOSTILE = replace(
    FINDING,
    path=RepoPath(b"we ird/a:b,c%\xff\xe2\x80\xae.ts"),
    title="50% of ::error::\r\n##[x] \x1b[31m",
    evidence=replace(EVIDENCE, rule_id="r:1,2"),
    severity=Severity.CRITICAL,
)


def check_sarif(document: dict[str, object]) -> None:
    Draft7Validator(published("sarif-schema-2.1.0.json")).validate(document)


def test_sarif_is_valid_and_says_where() -> None:
    document = sarif_document(review(notices=(Notice(NoticeKind.OUT_OF_SCOPE, "m", "s"),)))
    check_sarif(document)
    (run,) = document["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "no-float"
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a.ts"},
        "region": {"startLine": 3, "endLine": 3},
    }
    assert result["partialFingerprints"] == {"kodusCheck/v1": "0" * 24}
    assert run["invocations"][0]["executionSuccessful"] is True


def test_sarif_with_hostile_names() -> None:
    document = sarif_document(review(findings=(HOSTILE,)))
    check_sarif(document)
    (result,) = document["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "we%20ird/a%3Ab%2Cc%25%FF%E2%80%AE.ts"
    assert "\x1b" not in result["message"]["text"]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.PARTIAL])
def test_sarif_of_a_run_that_did_not_judge_everything_is_no_success(outcome: Outcome) -> None:
    document = sarif_document(review(outcome=outcome, findings=(), rules=()))
    check_sarif(document)
    assert document["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_sarif_keeps_githubs_limit_and_the_worst() -> None:
    many = tuple(replace(FINDING, start_line=number, severity=Severity.LOW) for number in range(1, MAX_RESULTS + 11))
    document = sarif_document(review(findings=(*many, replace(FINDING, severity=Severity.CRITICAL))))
    results = document["runs"][0]["results"]
    assert len(results) == MAX_RESULTS
    assert results[0]["properties"]["severity"] == "critical"
    assert "11 findings are left out." in str(document["runs"][0]["invocations"])


def test_shadow_findings_are_in_no_report() -> None:
    shadow = review(findings=(replace(FINDING, mode=Mode.SHADOW),))
    assert sarif_document(shadow)["runs"][0]["results"] == []
    assert codequality_document(shadow) == []
    assert runner.annotations(shadow) == ""


def test_code_quality() -> None:
    assert codequality_document(review()) == [
        {
            "description": "Use `g`",
            "check_name": "no-float",
            "fingerprint": "0" * 24,
            "severity": "critical",
            "location": {"path": "a.ts", "lines": {"begin": 3, "end": 3}},
        }
    ]
    severities = [replace(FINDING, severity=severity) for severity in Severity]
    listed = [entry["severity"] for entry in codequality_document(review(findings=tuple(severities)))]
    assert listed == ["blocker", "critical", "major", "minor", "info"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"mode": Mode.GATE}, "error"),
        ({"mode": Mode.GATE, "severity": Severity.MEDIUM}, "warning"),
        ({}, "warning"),
        ({"severity": Severity.LOW}, "notice"),
    ],
)
def test_an_annotation(change: dict[str, object], kind: str) -> None:
    finding = replace(FINDING, **change)  # type: ignore[arg-type]
    text = runner.annotations(review(findings=(finding,)))
    assert text == f"::{kind} file=a.ts,line=3,endLine=3,title={finding.severity} no-float::Use `g`\n"


def test_annotations_escape_what_the_runner_unescapes() -> None:
    (line,) = runner.annotations(review(findings=(HOSTILE,))).splitlines()
    command = re.fullmatch(r"::warning file=([^:,]*),line=3,endLine=3,title=([^:,]*)::(.*)", line)
    assert command is not None
    assert command[1] == "we ird/a%3Ab%2Cc%25\\xff\\u{202e}.ts"
    assert command[3] == "50%25 of ::error::\\u{d}%0A##[x] \\u{1b}[31m"


def test_annotations_keep_the_caps_of_a_step() -> None:
    many = tuple(replace(FINDING, start_line=number, title="x" * 9000) for number in range(1, 31))
    lines = runner.annotations(review(findings=many)).splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::warning title=kodus-check::21 more of this kind are in the summary"
    assert all(len(line.rpartition("::")[2]) <= 4096 for line in lines)


def test_a_partial_run_is_an_error_annotation_first() -> None:
    unscanned = Coverage(path("b.ts"), CoverageStatus.NOT_SCANNED, CoverageReason.TIMEOUT)
    gating = tuple(replace(FINDING, mode=Mode.GATE, start_line=number) for number in range(1, 31))
    lines = runner.annotations(review(outcome=Outcome.PARTIAL, coverage=(unscanned,), findings=gating)).splitlines()
    assert lines[0].startswith("::error title=kodus-check::PARTIAL: 1 file NOT SCANNED")
    assert sum(line.startswith("::error") for line in lines) == 10


def test_the_step_summary_is_appended_and_stays_below_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    file.write_text("before\n")
    runner.append_summary(file, "after\n")
    assert file.read_text() == "before\nafter\n"
    runner.append_summary(file, "ü line\n" * 400_000)
    assert file.stat().st_size <= runner.MAX_SUMMARY_BYTES
    assert "this summary was cut here" in file.read_text()
    runner.append_summary(file, "more\n" * 100)
    assert file.stat().st_size <= runner.MAX_SUMMARY_BYTES


def test_outputs_have_random_delimiters(tmp_path: Path) -> None:
    file = tmp_path / "output"
    runner.append_outputs(file, review())
    found = re.findall(r"^(\w+)<<(kodus-check-[0-9a-f]{32})\n(.*)\n\2$", file.read_text(), re.MULTILINE)
    assert [(name, value) for name, _, value in found] == [
        ("outcome", "findings"),
        ("findings", "1"),
        ("coverage", "1/1"),
        ("tokens", "0"),
        ("cost", "0"),
    ]
    assert len({delimiter for _, delimiter, _ in found}) == 5
