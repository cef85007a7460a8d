"""What a model reports, from its words to candidates: one schema to show, a lenient reading, and salvage item by item.

One bad field must not cost the others, and nothing that was cut may look complete: ``findings`` is required, so that an answer that
was cut before it is no answer, rather than "no findings".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kodus_check.model import Candidate, EvidenceKind, Severity
from kodus_check.text import one_line, shorten

MAX_ITEMS = 100
MAX_TITLE, MAX_BODY, MAX_QUOTE, MAX_CODE = 200, 4_000, 4_000, 4_000

_LINES = re.compile(r"\s*[Ll]?(\d{1,7})\s*(?:[-–:]\s*[Ll]?(\d{1,7})\s*)?")
_NULLABLE_TEXT = {"type": ["string", "null"]}
_NULLABLE_LINE = {"type": ["integer", "null"], "minimum": 1}

ITEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "evidence": {
            "type": "string",
            "enum": [str(kind) for kind in EvidenceKind],
            "description": "What proves it: a quote of a guide, a rule that matched, or the output of a tool.",
        },
        "guide": {**_NULLABLE_TEXT, "description": "For a citation: the path of the guide, as it is given."},
        "guide_lines": {**_NULLABLE_TEXT, "description": "For a citation: its lines in the guide, such as 12-14."},
        "quote": {**_NULLABLE_TEXT, "description": "For a citation: the rule, word for word as the guide has it."},
        "rule_id": {**_NULLABLE_TEXT, "description": "For a match: the id of the rule that matched there."},
        "call_id": {**_NULLABLE_TEXT, "description": "For tool output: the id of the call."},
        "path": {"type": "string", "description": "The changed file."},
        "side": {"type": "string", "enum": ["right", "left"], "description": "right: lines of the new file; left: removed lines."},
        "start_line": {**_NULLABLE_LINE, "description": "First line it speaks of."},
        "end_line": {**_NULLABLE_LINE, "description": "Last line it speaks of."},
        "code": {**_NULLABLE_TEXT, "description": "These lines of code, word for word."},
        "title": {"type": "string", "description": "What is wrong, in one short sentence."},
        "body": {"type": "string", "description": "Why the rule applies here, in a few sentences. Markdown, no headings."},
        "severity": {"type": "string", "enum": [str(severity) for severity in Severity]},
    },
}
ITEM_SCHEMA["required"] = list(ITEM_SCHEMA["properties"])
"""One item of ``report_findings``. Evidence stands before prose on purpose: a model that explains first defends what it said."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The candidates that could be read, and what is wrong with each of the others (``findings[2]: …``)."""

    candidates: tuple[Candidate, ...]
    problems: tuple[str, ...]


def read_findings(findings: object, agent: str) -> Reading:
    """Reads the argument ``findings`` item by item. A missing nullable key is null; unknown keys mean nothing."""
    if not isinstance(findings, list):
        return Reading((), ("findings: it must be a list, [] when there is nothing to report",))
    candidates: list[Candidate] = []
    problems: list[str] = []
    for index, item in enumerate(findings):
        if index >= MAX_ITEMS:
            problems.append(f"findings: {len(findings):,} items; at most {MAX_ITEMS} are read")
            break
        try:
            candidates.append(_read(item, agent))
        except _BadItem as bad:
            problems.append(f"findings[{index}]: {bad}")
    return Reading(tuple(candidates), tuple(problems))


class _BadItem(ValueError):
    """What is wrong with an item."""


def _read(item: object, agent: str) -> Candidate:
    if not isinstance(item, Mapping):
        raise _BadItem("it must be an object")
    evidence = _word(item, "evidence", EvidenceKind)
    start = _line(item, "start_line")
    end = _line(item, "end_line")
    if start is None and end is None:
        raise _BadItem("start_line: it must be a line number, 1 or more")
    first, last = start or end or 1, end or start or 1
    guide_lines = _span(item.get("guide_lines"))
    quote, rule_id, call_id = (_text(item, key, MAX_QUOTE) for key in ("quote", "rule_id", "call_id"))
    needed = {EvidenceKind.CITATION: ("quote", quote), EvidenceKind.MATCH: ("rule_id", rule_id)}.get(evidence, ("call_id", call_id))
    if needed[1] is None:
        raise _BadItem(f"{needed[0]}: it is needed where evidence is {evidence}")
    side = str(item.get("side") or "right").strip().lower()
    if side not in ("right", "left"):
        raise _BadItem("side: it must be right or left")
    title = _text(item, "title", MAX_TITLE)
    if title is None:
        raise _BadItem("title: it is missing")
    return Candidate(
        agent=agent,
        evidence=evidence,
        path=_needed(item, "path"),
        start_line=min(first, last),
        end_line=max(first, last),
        title=title,
        body=_text(item, "body", MAX_BODY) or "",
        severity=_severity(item),
        side=side,
        guide=_text(item, "guide", 1_000),
        guide_lines=guide_lines,
        quote=quote,
        rule_id=rule_id,
        call_id=call_id,
        code=_text(item, "code", MAX_CODE),
    )


def _word(item: Mapping[str, object], key: str, words: type[EvidenceKind]) -> EvidenceKind:
    try:
        return words(str(item.get(key) or "").strip().lower())
    except ValueError:
        raise _BadItem(f"{key}: it must be one of {', '.join(words)}") from None


def _severity(item: Mapping[str, object]) -> Severity:
    """A severity that is none counts as medium: that word alone must not cost a finding."""
    try:
        return Severity(str(item.get("severity") or "").strip().lower())
    except ValueError:
        return Severity.MEDIUM


def _needed(item: Mapping[str, object], key: str) -> str:
    text = _text(item, key, 1_000)
    if text is None:
        raise _BadItem(f"{key}: it is missing")
    return text


def _text(item: Mapping[str, object], key: str, most: int) -> str | None:
    value = item.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _BadItem(f"{key}: it must be text, not {shorten(one_line(repr(value)), 40)}")
    if len(value) > most:
        if key in ("title", "body"):
            return value[:most]
        raise _BadItem(f"{key}: it is longer than {most:,} characters")
    return value if value.strip() else None


def _line(item: Mapping[str, object], key: str) -> int | None:
    value = item.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, str) and re.fullmatch(r"\s*[Ll]?\d{1,7}\s*", value):
        value = int(value.strip().lstrip("Ll"))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 10_000_000:
        raise _BadItem(f"{key}: it must be a line number, 1 or more, not {shorten(one_line(repr(value)), 40)}")
    return value


def _span(value: object) -> tuple[int, int] | None:
    """Lines of a guide, which only say where to look first: what cannot be read says nothing."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value, value
    found = _LINES.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1]):
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return min(first, last), max(first, last)
