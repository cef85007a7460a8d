"""Comments and summary as Markdown.

T1  text of head in a template's hands   -> templates get finished, escaped Markdown; there is nothing raw for one to forget
T2  a template of the base runs code     -> sandboxed, immutable environment, and one that fails is replaced by ours, with a notice
T3  a body above the platform's limit    -> cut visibly, its fences closed
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kodus_check.model import CitationEvidence, Finding, MatchEvidence, Mode, Notice, NoticeKind, Outcome, Review, RuleStatus
from kodus_check.render.headline import FAILURES, cost_line, coverage_counts, guides_followed, headline, shown_notices
from kodus_check.render.links import guide_link
from kodus_check.render.prose import prose
from kodus_check.text import code_span, fenced, inline_markdown, mask_keys, quoted, shorten, trusted_markdown

MAX_BODY = 60_000
MAX_EVIDENCE_LINES = 12
MAX_EVIDENCE_CHARACTERS = 2_000
MAX_LISTED = 200
MAX_GUIDES = 20

NAMES = ("comment.md.j2", "summary.md.j2")

_FENCE_LANGUAGES = {"csharp": "cs"}


class Templates:
    """The templates of a run: those that ship, or the base's own in ``overrides`` (name to text). Problems go to ``notices``."""

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        from jinja2 import BaseLoader, DictLoader, FileSystemLoader
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def environment(loader: BaseLoader) -> ImmutableSandboxedEnvironment:
            # Markdown is not HTML: the values are escaped before they get here (T1).
            return ImmutableSandboxedEnvironment(loader=loader, trim_blocks=True, lstrip_blocks=True, autoescape=False)

        self._own = environment(FileSystemLoader(Path(__file__).parent / "templates"))
        self._overrides = environment(DictLoader(dict(overrides or {})))
        self._overridden = set(overrides or {})
        self.notices: list[Notice] = []

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        from jinja2 import TemplateError

        if name in self._overridden:
            try:
                return self._overrides.get_template(name).render(values)
            except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
                self._overridden.discard(name)
                reason = f"{type(error).__name__}: {error}"
                self.notices.append(
                    Notice(
                        NoticeKind.TEMPLATE_REFUSED,
                        f"This template failed ({shorten(reason, 200)}); the one that ships was used. Correct it at the base.",
                        name,
                    )
                )
        return self._own.get_template(name).render(values)


def comment(finding: Finding, review: Review, templates: Templates) -> str:
    """The Markdown body of one finding of a review."""
    evidence = finding.evidence
    values = _of_citation(evidence, review) if isinstance(evidence, CitationEvidence) else _of_match(evidence, review)
    body = templates.render(
        "comment.md.j2",
        {
            "severity": str(finding.severity),
            "mode": str(finding.mode),
            "title": inline_markdown(finding.title),
            # A rule's note is the base's own Markdown; what a model wrote is data.
            "body": prose(finding.body) if isinstance(evidence, CitationEvidence) else trusted_markdown(mask_keys(finding.body)),
            "place": code_span(place_of(finding)),
            "suggestion": fenced(finding.suggestion, "suggestion") if finding.suggestion is not None else "",
            **values,
        },
    )
    return _capped(body)


def _of_match(evidence: MatchEvidence, review: Review) -> dict[str, str]:
    language = next((rule.language for rule in review.rules if rule.id == evidence.rule_id), "")
    text = _shown_text(evidence.text)
    return {
        "kind": "match",
        "rule": code_span(evidence.rule_id),
        "source": code_span(evidence.source),
        "evidence": quoted(fenced(text, _FENCE_LANGUAGES.get(language, language))),
        "place_of_rule": "",
    }


def _of_citation(evidence: CitationEvidence, review: Review) -> dict[str, str]:
    lines = f"{evidence.start_line}" if evidence.start_line == evidence.end_line else f"{evidence.start_line}-{evidence.end_line}"
    shown = f"line{'' if evidence.start_line == evidence.end_line else 's'} {lines}"
    link = guide_link(review, evidence)
    at_base = f" of {code_span(review.base.sha[:12])}" if review.base is not None and evidence.in_repository else ""
    trail = " › ".join(inline_markdown(shorten(heading, 200)) for heading in evidence.trail)
    place = f"[{shown}]({link})" if link else shown
    return {
        "kind": "citation",
        "rule": code_span(evidence.path),
        "source": code_span(evidence.source),
        "evidence": quoted(prose(evidence.text)),
        "place_of_rule": f"{trail}, {place}{at_base}" if trail else f"{place[:1].upper()}{place[1:]}{at_base}",
    }


def summary(review: Review, templates: Templates) -> str:
    """The Markdown of the summary comment."""
    fates = Counter(rule.status for rule in review.rules)
    body = templates.render(
        "summary.md.j2",
        {
            "headline": inline_markdown(headline(review)),
            "outcome": str(review.outcome),
            "problem": _problem(review),
            "failed": review.outcome is Outcome.FAILED,
            "findings": list(_rows(review.findings)),
            "notices": [
                {
                    "kind": str(notice.kind),
                    "subject": code_span(notice.subject) if notice.subject and notice.subject not in notice.message else "",
                    "message": inline_markdown(notice.message),
                }
                for notice in shown_notices((*review.notices, *templates.notices))
            ],
            "base_ref": code_span(review.base.ref) if review.base else "",
            "base": code_span(review.base.sha) if review.base else "",
            "head": code_span(review.head.sha) if review.head else "",
            "merge_base": code_span(review.merge_base) if review.merge_base else "",
            "rules": ", ".join(f"{fates[status]} {status}" for status in RuleStatus if fates[status]) or "none",
            "coverage": coverage_counts(review),
            "guides": ", ".join(code_span(name) for name in guides_followed(review)[:MAX_GUIDES]),
            "guides_more": max(0, len(guides_followed(review)) - MAX_GUIDES),
            "model": code_span(review.model) if review.model else "",
            "cost": cost_line(review),
            "dropped": ", ".join(
                f"{count} {reason}" for reason, count in sorted(Counter(str(drop.reason) for drop in review.drops).items())
            ),
            "reproduce": code_span(reproduce(review)),
        },
    )
    return _capped(body)


def place_of(finding: Finding) -> str:
    """``path:line`` or ``path:first-last``."""
    lines = f"{finding.start_line}" if finding.start_line == finding.end_line else f"{finding.start_line}-{finding.end_line}"
    return f"{finding.path}:{lines}"


def reproduce(review: Review) -> str:
    """The command that gives this review again."""
    if review.base is None or review.head is None:
        return "kodus-check run"
    return f"kodus-check run --base {review.base.sha} --head {review.head.sha}"


def _problem(review: Review) -> str:
    if review.outcome is not Outcome.FAILED:
        return ""
    texts = [notice.message for notice in review.notices if notice.kind in FAILURES]
    return "\n\n".join(inline_markdown(text) for text in texts)


def _rows(findings: Iterable[Finding]) -> Iterable[dict[str, str]]:
    listed = sorted(findings, key=lambda finding: (finding.severity.rank, finding.path, finding.start_line))
    for finding in listed[:MAX_LISTED]:
        yield {
            "severity": str(finding.severity),
            "place": code_span(place_of(finding)),
            "title": inline_markdown(shorten(finding.title, 300)),
            "rule": code_span(finding.evidence.name),
            "mode": str(finding.mode) if finding.mode is not Mode.COMMENT else "",
        }
    if len(listed) > MAX_LISTED:
        more = f"{len(listed) - MAX_LISTED} more findings are in the JSON report"
        yield {"severity": "", "place": "…", "title": more, "rule": "", "mode": ""}


def _shown_text(text: str) -> str:
    lines = mask_keys(text).split("\n")
    cut = lines[:MAX_EVIDENCE_LINES]
    if len(lines) > len(cut):
        cut.append(f"… ({len(lines) - len(cut)} more lines)")
    return shorten("\n".join(cut), MAX_EVIDENCE_CHARACTERS)


def _capped(body: str) -> str:
    body = body.strip() + "\n"
    if len(body) <= MAX_BODY:
        return body
    return trusted_markdown(body[: MAX_BODY - 200].rpartition("\n")[0]) + "\n\n… this text was cut here: it is too long.\n"
