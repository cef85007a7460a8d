"""The page of the guides: every skill and doc at the base, who follows it, and what fits. ``htmlpage`` has the threats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodus_check.reports.budgetcards import budget_cards
from kodus_check.reports.htmlpage import page


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
        "cards": budget_cards(document),
        "skills": skills,
        "filters": _filters(skills),
        "docs": document["docs"],
    }
    return page("guides.html.j2", values)


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
