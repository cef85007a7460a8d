"""HTML pages: one file each, which loads nothing and runs nothing.

T1  text of the repository is markup, or ends an attribute  -> autoescape for every template; nothing is marked safe
T2  bidi, zero-width and control characters deceive          -> ``visible`` on every value that a template puts out
T3  the page calls home, or a script slips in                -> no script, no address; the policy in ``base.html.j2`` forbids both
T4  a template reaches into Python                           -> sandboxed, immutable; an undefined name is an error
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kodus_check.text import counted, one_line, shorten, visible

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEXT = 6_000
MAX_LEAD = 240


@dataclass(frozen=True, slots=True)
class _Bar:
    """``used`` of ``limit``, and what is ``linked``. The widths are percent of the track, which ends at the larger of the two."""

    label: str
    used: int
    linked: int
    limit: int

    @property
    def over(self) -> bool:
        return self.linked > self.limit

    @property
    def used_width(self) -> float:
        return self._width(self.used)

    @property
    def rest_width(self) -> float:
        return self._width(self.linked - self.used)

    @property
    def limit_at(self) -> float:
        return self._width(self.limit)

    def _width(self, amount: int) -> float:
        return round(100 * max(0, amount) / max(self.linked, self.limit, 1), 2)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A linked doc that a reviewer does not get whole, and what is left of it."""

    path: str
    fate: str
    detail: str


@dataclass(frozen=True, slots=True)
class _Card:
    """The budget of one reviewer."""

    reviewer: str
    folder: str
    bars: tuple[_Bar, ...]
    cuts: tuple[_Cut, ...]


@dataclass(frozen=True, slots=True)
class _Guide:
    """A row of the matrix: ``anchor`` is where the guide has its own row, ``state`` what to know of it at a glance."""

    anchor: str
    title: str
    kind: str
    state: str
    followed_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Skill:
    """A row of the skills table. ``groups`` are the filters that show it."""

    anchor: str
    title: str
    data: Mapping[str, Any]
    invocation: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Filter:
    """A choice above the skills table; ``group`` is the class of the rows that it shows ("" for all)."""

    group: str
    label: str
    count: int


_FILTERS = {
    "bad": "Not valid",
    "manual": "Manual only",
    "off": "Switched off",
    "twin": "Twins",
    "unfollowed": "Followed by nobody",
}


def guides_page(document: Mapping[str, Any]) -> str:
    """The document of ``guides`` as one HTML file, which works offline and with nothing beside it."""
    skills = [_skill(number, skill) for number, skill in enumerate(document["skills"], 1)]
    guides = [
        *(_Guide(one.anchor, one.title, "skill", _state(one.data), frozenset(one.data["followed_by"])) for one in skills),
        *(
            _Guide(f"doc-{number}", doc["path"], "doc", _state(doc), frozenset(doc["followed_by"]))
            for number, doc in enumerate(document["docs"], 1)
        ),
    ]
    valid = [guide for guide in (*document["skills"], *document["docs"]) if guide["valid"]]
    values = {
        "base": document["base"],
        "counts": {
            "valid": sum(skill["valid"] for skill in document["skills"]),
            "bad": sum(not skill["valid"] for skill in document["skills"]),
            "manual": sum("manual" in skill.groups for skill in skills),
            "docs": len(document["docs"]),
            "tokens": sum(guide["tokens"] or 0 for guide in valid),
        },
        "notices": document["notices"],
        "reviewers": document["reviewers"],
        "followed": [guide for guide in guides if guide.followed_by],
        "unfollowed": [guide for guide in guides if not guide.followed_by],
        "cards": _cards(document),
        "skills": skills,
        "filters": _filters(skills),
        "docs": document["docs"],
    }
    return _templates().get_template("guides.html.j2").render(values)


def _skill(number: int, skill: Mapping[str, Any]) -> _Skill:
    groups = {
        "bad": not skill["valid"],
        "manual": _invocation(skill) == "Manual only",
        "off": _invocation(skill) == "Switched off",
        "twin": skill["twin_of"] is not None,
        "unfollowed": skill["valid"] and not skill["followed_by"],
    }
    title = skill["id"] or skill["name"] or skill["path"]
    return _Skill(f"skill-{number}", title, skill, _invocation(skill), tuple(name for name, holds in groups.items() if holds))


def _invocation(skill: Mapping[str, Any]) -> str:
    if not skill["valid"]:
        return "Nobody"
    match (skill["invocation"]["model"], skill["invocation"]["user"]):
        case (True, True):
            return "Model and people"
        case (False, True):
            return "Manual only"
        case (True, False):
            return "Model only"
    return "Switched off"


def _state(guide: Mapping[str, Any]) -> str:
    if not guide["valid"]:
        return "not valid"
    if "invocation" not in guide:
        return ""
    if guide["twin_of"] is not None:
        return "twin"
    invocation = _invocation(guide)
    return "" if invocation == "Model and people" else invocation.lower()


def _filters(skills: Sequence[_Skill]) -> list[_Filter]:
    """Only the choices that make a difference."""
    counts = {group: sum(group in skill.groups for skill in skills) for group in _FILTERS}
    useful = [_Filter(group, label, counts[group]) for group, label in _FILTERS.items() if 0 < counts[group] < len(skills)]
    return [_Filter("", "All", len(skills)), *useful] if useful else []


def _cards(document: Mapping[str, Any]) -> list[_Card]:
    reasons = {doc["path"]: doc["reason"] for doc in document["docs"]}
    return [
        _Card(
            budget["reviewer"],
            budget["folder"],
            (
                _Bar(
                    "Skills",
                    min(budget["skills"]["linked"], budget["skills"]["limit"]),
                    budget["skills"]["linked"],
                    budget["skills"]["limit"],
                ),
                _Bar("Docs", min(len(budget["docs"]), budget["docs_limit"]), len(budget["docs"]), budget["docs_limit"]),
                _Bar("Doc tokens", budget["tokens"], budget["tokens_linked"], budget["tokens_limit"]),
            ),
            tuple(cut for doc in budget["docs"] if (cut := _cut(doc, reasons.get(doc["path"])))),
        )
        for budget in document["budgets"]
    ]


def _cut(doc: Mapping[str, Any], reason: str | None) -> _Cut | None:
    if reason:
        return _Cut(doc["path"], "Not valid", reason)
    if doc["lines"] == doc["of_lines"]:
        return None
    whole = "tokens not counted" if doc["of_tokens"] is None else counted(doc["of_tokens"], "token")
    if doc["lines"] == 0:
        return _Cut(doc["path"], "Left out", f"{whole}, {counted(doc['of_lines'], 'line')}")
    return _Cut(doc["path"], "Trimmed", f"to {doc['tokens']:,} of {whole}, {doc['lines']:,} of {counted(doc['of_lines'], 'line')}")


@cache
def _templates() -> "ImmutableSandboxedEnvironment":
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        # What a macro gives back has been here before, value by value.
        return value if isinstance(value, Markup) or not isinstance(value, str) else visible(shorten(value, MAX_TEXT))

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(counted=counted, lead=_lead, spans=_spans, one_line=one_line, grouped=lambda number: f"{number:,}")
    return environment


def _lead(text: str) -> str:
    """The beginning of a long text, cut between two words where there are any; empty when the text is short enough as it is."""
    if len(text) <= MAX_LEAD:
        return ""
    start = text[:MAX_LEAD]
    return f"{start.rpartition(' ')[0] or start}…"


def _spans(text: str) -> list[tuple[bool, str]]:
    """Prose in parts: (whether it stood between backticks, text). A backtick without a partner is text."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return [(number % 2 == 1, part) for number, part in enumerate(parts) if part]
