"""The page of a whole review: the outcome first, then what is proved, then what is not, then how it was done.

``htmlpage`` has the threats; here in addition:

T1  a model's words pass for a proved finding    -> what was dropped is folded away and marked as not proved
T2  thousands of findings make a page of no use  -> the worst are shown whole, the next as a list, the rest as a number
T3  a link leads elsewhere                       -> only web addresses of guides at the base, see ``_link``; no key in one
T4  a key that stands over several lines of code -> masked before the lines are parted
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodus_check.model import CitationEvidence, Finding, Mode, Notice, NoticeKind, Outcome, Review, RuleStatus, Severity
from kodus_check.render.headline import ABOUT_THE_BASE, FAILURES, headline
from kodus_check.render.links import guide_link
from kodus_check.render.markdown import place_of, reproduce
from kodus_check.reports.budgetcards import budget_cards
from kodus_check.reports.guidesdoc import guides_document
from kodus_check.reports.htmlpage import page
from kodus_check.reports.order import worst_first
from kodus_check.reports.reviewfacts import code, cost, covered, drop_groups, rule_rows
from kodus_check.text import mask_keys

MAX_WHOLE = 200
MAX_SHADOW = 50
MAX_LISTED = 1_000
MAX_NOTICES = 300

_MARKS = {"CLEAN": "✓", "FINDINGS": "●", "PARTIAL": "◐", "FAILED": "✕", "NOTHING JUDGED": "○"}
_MEANINGS = {
    "CLEAN": "All that had to be judged was judged, and nothing was found.",
    "FINDINGS": "Each finding is proved by a rule or a guide as it stands at the base. What could not be proved is not a finding.",
    "PARTIAL": "A part of the change was not judged. That nothing was found there does not mean that nothing is there.",
    "FAILED": "No part of the change was judged. This is no verdict on it, neither a good one nor a bad one.",
    "NOTHING JUDGED": "There was nothing that a rule could speak of. This is no verdict on the change.",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    """A finding with all that a template cannot work out. ``link`` leads to the cited lines; ``rule_lines`` names them."""

    anchor: str
    finding: Finding
    place: str
    code: Mapping[str, Any] | None
    suggestion: Mapping[str, Any] | None
    cited: bool
    trail: str = ""
    rule_lines: str = ""
    link: str = ""


def review_page(review: Review) -> str:
    """The review as one HTML file, which works offline and with nothing beside it."""
    published = worst_first(one for one in review.findings if one.mode is not Mode.SHADOW)
    shadow = worst_first(one for one in review.findings if one.mode is Mode.SHADOW)
    causes = [notice for notice in review.notices if notice.kind in FAILURES]
    quiet = (*ABOUT_THE_BASE, NoticeKind.RULE_LANGUAGE_UNMATCHED)
    notices = [notice for notice in review.notices if notice.kind not in (*FAILURES, *quiet)]
    remarks = [notice for notice in review.notices if notice.kind in quiet]
    files = covered(review)
    values = {
        "review": review,
        "outcome": _outcome(review),
        "causes": causes,
        "counts": _counts(review, published, shadow, files),
        "published": _found(review, published, "finding", MAX_WHOLE),
        "shadow": _found(review, shadow, "shadow", MAX_SHADOW),
        "drops": drop_groups(review),
        "notices": _notices(notices),
        "remarks": _notices(remarks),
        "coverage": files,
        "cards": budget_cards(guides_document(review.guides)) if review.guides is not None else [],
        "followed": [(path, names) for path, names in review.guides.followed_by.items() if names] if review.guides else [],
        "rules": rule_rows(review),
        "fates": [(str(status), sum(rule.status is status for rule in review.rules)) for status in RuleStatus],
        "runs": [(run, cost(run)) for run in review.agents],
        "total": _total(review),
        "again": reproduce(review),
    }
    return page("review.html.j2", values)


def _outcome(review: Review) -> dict[str, str]:
    """The outcome by its word, so that what is seen and what is read cannot differ."""
    word, _, rest = headline(review).partition(": ")
    return {
        "word": word,
        "kind": word.lower().replace(" ", "-"),
        "mark": _MARKS[word],
        "rest": rest,
        "meaning": _MEANINGS[word],
    }


def _counts(
    review: Review, published: Sequence[Finding], shadow: Sequence[Finding], files: Mapping[str, Any]
) -> list[dict[str, Any]]:
    if review.outcome is Outcome.FAILED:
        return []
    severities = Counter(one.severity for one in published)
    counts: list[tuple[str, int, str]] = [(str(one), severities[one], str(one)) for one in Severity if severities[one]]
    counts = counts or [("findings", 0, "")]
    if shadow:
        counts.append(("in shadow mode", len(shadow), ""))
    counts.append(("files judged", files["judged"], ""))
    if files["missed"]:
        counts.append(("files not judged", files["missed"], "bad"))
    counts.append(("candidates dropped", len(review.drops), ""))
    return [{"label": label, "number": number, "kind": kind} for label, number, kind in counts]


def _found(review: Review, findings: Sequence[Finding], name: str, most: int) -> dict[str, Any]:
    """``whole`` findings, a ``listed`` line for each of the next, and for the rest how many of each severity there are."""
    rest = findings[most + MAX_LISTED :]
    severities = Counter(one.severity for one in rest)
    return {
        "total": len(findings),
        "whole": [_shown(review, one, f"{name}-{number}") for number, one in enumerate(findings[:most], 1)],
        "listed": [{"finding": one, "place": place_of(one)} for one in findings[most : most + MAX_LISTED]],
        "left_out": len(rest),
        "left_out_by": ", ".join(f"{severities[one]:,} {one}" for one in Severity if severities[one]),
    }


def _shown(review: Review, finding: Finding, anchor: str) -> _Shown:
    evidence = finding.evidence
    suggestion = None if finding.suggestion is None else code(finding.suggestion, finding.start_line)
    if not isinstance(evidence, CitationEvidence):
        return _Shown(anchor, finding, place_of(finding), code(evidence.text, finding.start_line), suggestion, cited=False)
    one = evidence.start_line == evidence.end_line
    return _Shown(
        anchor,
        finding,
        place_of(finding),
        code(finding.code, finding.start_line) if finding.code else None,
        suggestion,
        cited=True,
        trail=" › ".join(evidence.trail),
        rule_lines=f"line {evidence.start_line}" if one else f"lines {evidence.start_line}–{evidence.end_line}",
        link=_link(review, evidence),
    )


def _link(review: Review, evidence: CitationEvidence) -> str:
    """The address of the cited lines; "" where there is none, it is no web address, or it would repeat a key (T3)."""
    try:
        link = guide_link(review, evidence)
    except UnicodeEncodeError:  # a path that no bytes of a repository give
        return ""
    # Percent signs hide where a word begins, so the path is looked at too.
    holds_key = any(mask_keys(text) != text for text in (link, evidence.path))
    return link if link.startswith(("https://", "http://")) and not holds_key else ""


def _notices(notices: Iterable[Notice]) -> dict[str, Any]:
    """Equal kinds side by side, in the order in which each kind came first."""
    listed = list(notices)
    first = {kind: number for number, kind in reversed(list(enumerate(one.kind for one in listed)))}
    listed.sort(key=lambda one: first[one.kind])
    return {"total": len(listed), "listed": listed[:MAX_NOTICES], "left_out": max(0, len(listed) - MAX_NOTICES)}


def _total(review: Review) -> dict[str, Any]:
    runs = review.agents
    known = [run.cost_usd for run in runs if run.requests and run.cost_usd is not None]
    asked = sum(run.requests > 0 for run in runs)
    return {
        "requests": sum(run.requests for run in runs),
        "tool_calls": sum(run.tool_calls for run in runs),
        "input_tokens": sum(run.input_tokens for run in runs),
        "cached_tokens": sum(run.cached_tokens for run in runs),
        "output_tokens": sum(run.output_tokens for run in runs),
        "cost": f"${sum(known):.4f}" if len(known) == asked else "price unknown",
    }
