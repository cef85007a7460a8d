"""Parts of the page of a review that stand below the findings: what was dropped, the files, the rules, what asking cost."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kodus_check.model import (
    AgentRun,
    Candidate,
    Coverage,
    CoverageReason,
    CoverageStatus,
    Drop,
    DropReason,
    Match,
    Review,
    Rule,
    RuleStatus,
    Severity,
)
from kodus_check.text import MAX_LINE, mask_keys, shorten, visible

MAX_CODE_LINES = 40
MAX_DROPS = 40
"""Drops of one reason that are shown."""
MAX_FILES = 300
"""Files of one fate that are listed."""
MAX_RULES = 300
"""Rules of one status that are listed."""

_JUDGED = (CoverageStatus.JUDGED, CoverageStatus.RULES_ONLY)
_LABELS = {
    CoverageStatus.NOT_SCANNED: "Not scanned",
    CoverageStatus.JUDGED: "Judged",
    CoverageStatus.RULES_ONLY: "Judged by the rules only",
    CoverageStatus.SKIPPED: "Left alone",
}
_NOT_JUDGED = "Not judged by the model"
_BAD = (_LABELS[CoverageStatus.NOT_SCANNED], _NOT_JUDGED)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is no finding. ``claims`` are (label, text) of what it said its proof was."""

    place: str
    detail: str
    severity: str
    by: str
    from_model: bool
    title: str
    body: str
    claims: tuple[tuple[str, str], ...]
    code: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Group:
    """Drops of one reason, the worst first; ``left_out`` are not shown."""

    reason: str
    total: int
    shown: tuple[Dropped, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Fate:
    """Files that had the same fate. ``bad``: they should have been judged."""

    label: str
    reason: str
    bad: bool
    total: int
    paths: tuple[str, ...]
    left_out: int


def code(text: str, start: int) -> dict[str, Any]:
    """Lines of code from number ``start`` on. Keys are masked in the whole text: one can stand over several lines."""
    lines = visible(mask_keys(text.replace("\r\n", "\n"))).removesuffix("\n").split("\n")
    shown = lines[:MAX_CODE_LINES]
    return {
        "start": start,
        "lines": [shorten(line, MAX_LINE) for line in shown],
        "left_out": len(lines) - len(shown),
        "digits": len(str(start + len(shown))),
    }


def cost(run: AgentRun) -> str:
    """What a reviewer cost in dollars, as far as it is known."""
    if not run.requests:
        return "nothing asked"
    return "price unknown" if run.cost_usd is None else f"${run.cost_usd:.4f}"


def drop_groups(review: Review) -> list[Group]:
    """Drops by reason, the most frequent first."""
    severities = {rule.id: rule.severity for rule in review.rules}
    by_reason: defaultdict[DropReason, list[Drop]] = defaultdict(list)
    for drop in review.drops:
        by_reason[drop.reason].append(drop)

    def worst(drop: Drop) -> tuple[int, str, int]:
        return _severity(drop.candidate, severities).rank, str(drop.candidate.path), drop.candidate.start_line

    return [
        Group(
            str(reason),
            len(drops),
            tuple(_dropped(drop, _severity(drop.candidate, severities)) for drop in sorted(drops, key=worst)[:MAX_DROPS]),
            max(0, len(drops) - MAX_DROPS),
        )
        for reason, drops in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _severity(candidate: Match | Candidate, severities: dict[str, Severity]) -> Severity:
    return candidate.severity if isinstance(candidate, Candidate) else severities.get(candidate.rule_id, Severity.INFO)


def _dropped(drop: Drop, severity: Severity) -> Dropped:
    one = drop.candidate
    lines = f"{one.start_line}" if one.start_line == one.end_line else f"{one.start_line}-{one.end_line}"
    place = f"{one.path}:{lines}"
    if isinstance(one, Match):
        claims = (("Rule", one.rule_id),)
        return Dropped(place, drop.detail, str(severity), "rules", False, one.message, "", claims, code(one.text, one.start_line))
    guide = one.guide or ""
    if guide and one.guide_lines:
        guide += ":{}-{}".format(*one.guide_lines)
    said = (
        ("Proof named", str(one.evidence)),
        ("Guide", guide),
        ("Quote", one.quote),
        ("Rule", one.rule_id),
        ("Call", one.call_id),
    )
    return Dropped(
        place,
        drop.detail,
        str(severity),
        one.agent,
        True,
        one.title,
        one.body,
        tuple((label, text) for label, text in said if text),
        code(one.code, one.start_line) if one.code else None,
    )


def covered(review: Review) -> dict[str, Any]:
    """Every changed file by its fate; those that should have been judged and were not come first."""
    missed = set(review.not_judged)
    by_fate: defaultdict[tuple[int, str, str], list[str]] = defaultdict(list)
    for one in review.coverage:
        by_fate[_fate(one, one.path in missed)].append(str(one.path))
    known = {one.path for one in review.coverage}
    for path in review.not_judged:
        if path not in known:
            by_fate[1, _NOT_JUDGED, ""].append(str(path))
    fates = [
        Fate(label, reason, order < len(_BAD), len(paths), tuple(sorted(paths)[:MAX_FILES]), max(0, len(paths) - MAX_FILES))
        for (order, label, reason), paths in sorted(by_fate.items())
    ]
    return {
        "fates": fates,
        "total": sum(one.total for one in fates),
        "judged": sum(one.status in _JUDGED and one.path not in missed for one in review.coverage),
        "missed": sum(one.total for one in fates if one.bad),
    }


def _fate(one: Coverage, missed: bool) -> tuple[int, str, str]:
    """The order of a fate, its label and its reason."""
    reason = str(one.reason).replace("_", " ") if one.reason is not None else ""
    if one.status is CoverageStatus.NOT_SCANNED:
        return 0, _LABELS[one.status], reason
    if missed or one.reason is CoverageReason.MODEL_FAILED:
        judged = one.status in _JUDGED
        return 1, _NOT_JUDGED, "judged by the rules" if judged else reason
    return len(_BAD) + list(_LABELS).index(one.status), _LABELS[one.status], reason


def rule_rows(review: Review) -> list[dict[str, Any]]:
    """Rules by what became of them: the refused first, then those that are off, then those that ran."""
    return [
        {"status": str(status), "total": len(rules), "listed": rules[:MAX_RULES], "left_out": max(0, len(rules) - MAX_RULES)}
        for status in (RuleStatus.REFUSED, RuleStatus.OFF, RuleStatus.LOADED)
        if (rules := _of_status(review.rules, status))
    ]


def _of_status(rules: Sequence[Rule], status: RuleStatus) -> list[Rule]:
    return sorted((rule for rule in rules if rule.status is status), key=lambda rule: (rule.severity.rank, rule.source, rule.line))
