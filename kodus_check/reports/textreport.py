"""The report for people at a terminal or in a CI log."""

from collections import Counter
from collections.abc import Iterator

from kodus_check.model import CoverageStatus, Finding, Mode, Outcome, Review, RuleStatus
from kodus_check.render.headline import FAILURES, coverage_counts, headline, shown_notices
from kodus_check.render.markdown import place_of, reproduce
from kodus_check.text import log_safe, mask_keys, one_line, shorten, visible

MAX_CODE_LINES = 6
MAX_CODE_WIDTH = 160


def text_report(review: Review) -> str:
    """The whole review as text, its outcome in the first line. Safe to print in a terminal and in a CI log."""
    return log_safe("\n".join(_lines(review)) + "\n")


def _lines(review: Review) -> Iterator[str]:
    yield f"kodus-check: {headline(review)}"
    causes = [notice for notice in review.notices if notice.kind in FAILURES]
    for cause in causes:
        yield f"  {one_line(cause.message)}"
    if review.outcome is not Outcome.FAILED:
        yield from _judged(review)
    for finding in sorted(review.findings, key=lambda one: (one.path, one.start_line, one.severity.rank)):
        yield ""
        yield from _finding(finding)
    others = shown_notices(review.notices)
    if others:
        yield ""
        yield "Notices"
        for notice in others:
            subject = f"{one_line(notice.subject)}: " if notice.subject and notice.subject not in notice.message else ""
            yield f"  - {subject}{one_line(notice.message)}"
    if review.drops:
        counts = Counter(str(drop.reason) for drop in review.drops)
        yield ""
        yield "Dropped candidates: " + ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))


def _judged(review: Review) -> Iterator[str]:
    if review.base is None or review.head is None:
        return
    yield f"  change  {str(review.merge_base)[:12]}..{review.head.sha[:12]} ({one_line(review.head.ref)})"
    yield f"  judged by  {one_line(review.base.ref)} at {review.base.sha[:12]}"
    fates = Counter(rule.status for rule in review.rules)
    yield "  rules  " + (", ".join(f"{fates[status]} {status}" for status in RuleStatus if fates[status]) or "none")
    yield f"  files  {coverage_counts(review)}"
    for one in review.coverage:
        if one.status is CoverageStatus.NOT_SCANNED:
            yield f"  NOT SCANNED  {one_line(str(one.path))} ({one.reason})"
    yield f"  again  {reproduce(review)}"


def _finding(finding: Finding) -> Iterator[str]:
    mode = "" if finding.mode is Mode.COMMENT else f" [{finding.mode}]"
    yield f"{one_line(place_of(finding))}  {finding.severity}{mode}  {one_line(finding.title)}"
    lines = visible(mask_keys(finding.evidence.text)).split("\n")
    for line in lines[:MAX_CODE_LINES]:
        yield f"    | {shorten(line, MAX_CODE_WIDTH)}"
    if len(lines) > MAX_CODE_LINES:
        yield f"    | … ({len(lines) - MAX_CODE_LINES} more lines)"
    if finding.body:
        for line in visible(finding.body).split("\n"):
            yield f"    {line}"
    yield f"    Evidence: rule {one_line(finding.evidence.rule_id)} in {one_line(finding.evidence.source)}"
