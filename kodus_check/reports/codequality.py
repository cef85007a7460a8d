"""GitLab's Code Quality report: one entry a finding. GitLab shows entries of equal fingerprint as one, and ours are unique."""

from typing import Any

from kodus_check.model import Mode, Review, Severity
from kodus_check.reports.order import worst_first
from kodus_check.text import one_line

_SEVERITIES = {
    Severity.CRITICAL: "blocker",
    Severity.HIGH: "critical",
    Severity.MEDIUM: "major",
    Severity.LOW: "minor",
    Severity.INFO: "info",
}


def codequality_document(review: Review) -> list[dict[str, Any]]:
    """The entries for all findings that are not in shadow mode."""
    return [
        {
            "description": one_line(finding.title),
            "check_name": one_line(finding.evidence.name),
            "fingerprint": finding.fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {"path": str(finding.path), "lines": {"begin": finding.start_line, "end": finding.end_line}},
        }
        for finding in worst_first(review.findings)
        if finding.mode is not Mode.SHADOW
    ]
