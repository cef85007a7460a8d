"""The first line that people read: one of four outcomes, never to be mistaken for another."""

from collections import Counter
from collections.abc import Iterable

from kodus_check.model import CoverageStatus, Mode, Notice, NoticeKind, Outcome, Review, RuleStatus
from kodus_check.text import counted

FAILURES = (NoticeKind.COULD_NOT_REVIEW, NoticeKind.CONFIG_INVALID)
"""Notices that are the reason why a run failed."""

ABOUT_THE_BASE = (
    NoticeKind.RULE_KEY_DROPPED,
    NoticeKind.RULE_GLOB_INERT,
    NoticeKind.RULE_CONSTRAINT_INERT,
    NoticeKind.SGCONFIG_KEY_IGNORED,
)
"""Notices that no change under review brought in and that take nothing from the result: people get their number only."""


def shown_notices(notices: Iterable[Notice]) -> list[Notice]:
    """What people read below the outcome. The JSON document has every notice."""
    listed = list(notices)
    # That a change has no file of some language is no news to people; scripts may want to know it.
    unsaid = (*FAILURES, *ABOUT_THE_BASE, NoticeKind.RULE_LANGUAGE_UNMATCHED)
    shown = [notice for notice in listed if notice.kind not in unsaid]
    count = sum(notice.kind in ABOUT_THE_BASE for notice in listed)
    if count:
        about = counted(count, "remark")
        shown.append(
            Notice(
                NoticeKind.RULE_KEY_DROPPED, f"{about} on the rules of the base, which run all the same: see `kodus-check rules`."
            )
        )
    return shown


def coverage_counts(review: Review) -> str:
    """How many changed files were judged, and how many not, by reason."""
    judged = (CoverageStatus.JUDGED, CoverageStatus.RULES_ONLY)
    counts = Counter(str(one.status if one.status in judged else one.reason) for one in review.coverage)
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def guides_followed(review: Review) -> list[str]:
    """The paths of the guides that some reviewer follows."""
    return [path for path, names in review.guides.followed_by.items() if names] if review.guides is not None else []


def cost_line(review: Review) -> str:
    """What asking the model took; "" where none was asked."""
    if not review.agents:
        return ""
    requests, tokens = sum(one.requests for one in review.agents), sum(one.tokens for one in review.agents)
    cost = cost_of(review)
    return f"{counted(requests, 'request')}, {counted(tokens, 'token')}, {f'${cost}' if cost else 'price not known'}"


def cost_of(review: Review) -> str:
    """What the model cost in US dollars, "" where a price is not known."""
    costs = [one.cost_usd for one in review.agents if one.requests]
    if not costs:
        return "0"
    known = [cost for cost in costs if cost is not None]
    return f"{sum(known):.4f}" if len(known) == len(costs) else ""


def headline(review: Review) -> str:
    """The outcome in one line of plain text."""
    if review.outcome is Outcome.FAILED:
        return "FAILED: could not review, nothing was judged"
    judged = sum(one.status in (CoverageStatus.JUDGED, CoverageStatus.RULES_ONLY) for one in review.coverage)
    refused = sum(rule.status is RuleStatus.REFUSED for rule in review.rules)
    by_what = f"{counted(judged, 'file')} judged by {counted(sum(rule.runs for rule in review.rules), 'rule')}"
    if review.agents:
        by_what += " and the model"
    if refused:
        by_what += f", {counted(refused, 'rule')} REFUSED"
    found = _findings(review)
    if review.outcome is Outcome.PARTIAL:
        missed = sum(one.status is CoverageStatus.NOT_SCANNED for one in review.coverage)
        told = [f"{counted(len(review.not_judged), 'file')} NOT JUDGED by the model"] if review.not_judged else []
        told += [f"{counted(missed, 'file')} NOT SCANNED"] if missed or not told else []
        return f"PARTIAL: {', '.join(told)}; {found or 'no findings in the rest'} ({by_what})"
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
        parts.append(f"{counted(shown, 'finding')}{gate}")
    if modes[Mode.SHADOW]:
        parts.append(f"{modes[Mode.SHADOW]} in shadow mode")
    return ", ".join(parts)
