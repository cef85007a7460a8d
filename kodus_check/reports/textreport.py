"""The report for people at a terminal or in a CI log."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kodus_check.model import Candidate, CitationEvidence, CoverageStatus, Finding, Mode, Outcome, Review, RuleStatus
from kodus_check.render.headline import FAILURES, cost_line, coverage_counts, guides_followed, headline, shown_notices
from kodus_check.render.markdown import place_of, reproduce
from kodus_check.text import counted, log_safe, mask_keys, one_line, shorten, visible

MAX_CODE_LINES = 6
MAX_CODE_WIDTH = 160
MAX_RULE_LINES = 12


def text_report(review: Review) -> str:
    """The whole review as text, its outcome in the first line. Safe to print in a terminal and in a CI log."""
    return log_safe("\n".join(_lines(review)) + "\n")


def try_report(review: Review, prompts: Sequence[Mapping[str, int]]) -> str:
    """The review of one reviewer, with each drop and the tokens of each part of its prompts."""
    lines = list(_lines(review))
    if review.drops:
        lines += ["", "Drops"]
        for drop in review.drops:
            said = drop.candidate.title if isinstance(drop.candidate, Candidate) else f"rule {drop.candidate.rule_id}"
            place = f"{drop.candidate.path}:{drop.candidate.start_line}"
            lines.append(f"  - {drop.reason}: {one_line(place)}  {one_line(mask_keys(said))}")
            lines.append(f"    {one_line(mask_keys(drop.detail))}")
    lines += ["", "Tokens of the prompt, before the matches of rules" if prompts else "The model was told nothing."]
    for number, sizes in enumerate(prompts, 1):
        lines.append(f"  {number}: " + ", ".join(f"{name} {count:,}" for name, count in sizes.items()))
    return log_safe("\n".join(lines) + "\n")


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
    if review.model:
        yield f"  guides  {counted(len(guides_followed(review)), 'guide')} at the base"
        yield f"  model  {one_line(review.model)}" + (f"  {cost_line(review)}" if review.agents else "")
    yield f"  files  {coverage_counts(review)}"
    for one in review.coverage:
        if one.status is CoverageStatus.NOT_SCANNED:
            yield f"  NOT SCANNED  {one_line(str(one.path))} ({one.reason})"
    yield f"  again  {reproduce(review)}"


def _finding(finding: Finding) -> Iterator[str]:
    mode = "" if finding.mode is Mode.COMMENT else f" [{finding.mode}]"
    yield f"{one_line(place_of(finding))}  {finding.severity}{mode}  {one_line(finding.title)}"
    evidence = finding.evidence
    cited = isinstance(evidence, CitationEvidence)
    lines = visible(mask_keys(finding.code if cited else evidence.text)).split("\n")
    for line in lines[:MAX_CODE_LINES]:
        yield f"    | {shorten(line, MAX_CODE_WIDTH)}"
    if len(lines) > MAX_CODE_LINES:
        yield f"    | … ({len(lines) - MAX_CODE_LINES} more lines)"
    if finding.body:
        for line in visible(mask_keys(finding.body)).split("\n"):
            yield f"    {line}"
    if isinstance(evidence, CitationEvidence):
        yield f"    Rule: {one_line(evidence.source)}"
        for line in visible(mask_keys(evidence.text)).split("\n")[:MAX_RULE_LINES]:
            yield f"    > {shorten(line, MAX_CODE_WIDTH * 3)}"
    else:
        yield f"    Evidence: rule {one_line(evidence.rule_id)} in {one_line(evidence.source)}"
