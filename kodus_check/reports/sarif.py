"""SARIF 2.1.0 as GitHub code scanning accepts it: relative percent-encoded addresses, lines from 1, own fingerprints, limits."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote_from_bytes

from kodus_check import __version__
from kodus_check.model import CitationEvidence, Finding, Mode, Notice, Outcome, Review, Rule, Severity
from kodus_check.reports.order import worst_first
from kodus_check.text import mask_keys, visible

MAX_RESULTS = 25_000  # more and GitHub refuses the file; of these it shows the 5,000 worst
MAX_RULES = 25_000
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.INFO: "note",
}


def sarif_document(review: Review) -> dict[str, Any]:
    """One run with a result for each finding that is not in shadow mode, and the notices as notifications of the tool."""
    shown = [finding for finding in worst_first(review.findings) if finding.mode is not Mode.SHADOW]
    rules = _rules(review, shown)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    left_out = len(shown) - MAX_RESULTS
    notices = list(review.notices)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "kodus-check", "semanticVersion": __version__, "rules": rules}},
                "automationDetails": {"id": "kodus-check/"},
                "invocations": [
                    {
                        "executionSuccessful": review.outcome in (Outcome.CLEAN, Outcome.FINDINGS),
                        "toolExecutionNotifications": [
                            *(_notification(notice) for notice in notices),
                            *(
                                [{"level": "warning", "message": {"text": f"{left_out} findings are left out."}}]
                                if left_out > 0
                                else []
                            ),
                        ],
                    }
                ],
                "results": [_result(finding, index) for finding in shown[:MAX_RESULTS]],
            }
        ],
    }


def _rules(review: Review, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The loaded rules; of more than fit, those that have findings."""
    loaded = [rule for rule in review.rules if rule.runs]
    used = {finding.evidence.name for finding in findings}
    ordered = sorted(loaded, key=lambda rule: rule.id not in used)
    cited = {finding.evidence.path for finding in findings if isinstance(finding.evidence, CitationEvidence)}
    return [*(_guide(path) for path in sorted(cited)), *(_rule(rule) for rule in ordered)][:MAX_RULES]


def _guide(path: str) -> dict[str, Any]:
    return {"id": visible(path), "shortDescription": {"text": f"What {visible(path)} says"}, "properties": {"tags": ["guide"]}}


def _rule(rule: Rule) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": visible(rule.id)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.language], "source": f"{rule.source}:{rule.line}"},
    }
    if rule.note:
        made["help"] = {"text": visible(rule.note)}
    return made


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    evidence = finding.evidence
    rule_id, said = evidence.name, ""
    if isinstance(evidence, CitationEvidence):
        rule_id, said = visible(evidence.path), f"{evidence.source} says: {mask_keys(evidence.text)}"
    result: dict[str, Any] = {
        "ruleId": rule_id,
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(f"{finding.title}\n\n{said}" if said else finding.title)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote_from_bytes(finding.path.raw, safe="/")},
                    "region": {"startLine": finding.start_line, "endLine": finding.end_line},
                }
            }
        ],
        "partialFingerprints": {"kodusCheck/v1": finding.fingerprint},
        "properties": {"agent": finding.agent, "mode": str(finding.mode), "severity": str(finding.severity)},
    }
    if rule_id in index:
        result["ruleIndex"] = index[rule_id]
    return result


def _notification(notice: Notice) -> dict[str, Any]:
    subject = f"{visible(notice.subject)}: " if notice.subject else ""
    return {"level": "note", "descriptor": {"id": str(notice.kind)}, "message": {"text": f"{subject}{visible(notice.message)}"}}
