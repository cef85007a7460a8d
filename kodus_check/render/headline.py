"""The first line that people read: one of four outcomes, never to be mistaken for another."""

from collections import Counter

from kodus_check.model import CoverageStatus, Mode, NoticeKind, Outcome, Review

FAILURES = (NoticeKind.COULD_NOT_REVIEW, NoticeKind.CONFIG_INVALID)
"""Notices that are the reason why a run failed."""


def headline(review: Review) -> str:
    """The outcome in one line of plain text."""
    if review.outcome is Outcome.FAILED:
        return "FAILED: could not review, nothing was judged"
    judged = sum(one.status in (CoverageStatus.JUDGED, CoverageStatus.RULES_ONLY) for one in review.coverage)
    by_what = f"{_count(judged, 'file')} judged by {_count(sum(rule.runs for rule in review.rules), 'rule')}"
    found = _findings(review)
    if review.outcome is Outcome.PARTIAL:
        missed = sum(one.status is CoverageStatus.NOT_SCANNED for one in review.coverage)
        return f"PARTIAL: {_count(missed, 'file')} NOT SCANNED; {found or 'no findings in the rest'} ({by_what})"
    if found:
        return f"FINDINGS: {found} ({by_what})"
    if any(notice.kind in (NoticeKind.NOTHING_TO_JUDGE, NoticeKind.NO_RULES) for notice in review.notices):
        return "NOTHING JUDGED: no rule applied to any changed file"
    return f"CLEAN: no findings ({by_what})"


def _findings(review: Review) -> str:
    modes = Counter(finding.mode for finding in review.findings)
    shown = len(review.findings) - modes[Mode.SHADOW]
    parts = []
    if shown:
        gate = "; this fails the check" if review.fails else ""
        parts.append(f"{_count(shown, 'finding')}{gate}")
    if modes[Mode.SHADOW]:
        parts.append(f"{modes[Mode.SHADOW]} in shadow mode")
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
