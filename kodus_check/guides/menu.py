"""Which skills a model is told of, and how it asks for more: the menu of the prompt and the two modes of the skill tool.

T1  a description that holds markup, or closes ours       -> escaped, on one line, without invisible characters
T2  a description so long that others vanish              -> shortened first; one too large alone is skipped and counted
T3  a query that is an expensive pattern                  -> literal text, bounded
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodus_check.errors import ConfigError
from kodus_check.globs import Globs
from kodus_check.guides.skills import summary
from kodus_check.model import RepoPath, Skill
from kodus_check.text import visible

MAX_MENU, MAX_PAGE = 8_000, 8_000
MAX_QUERY = 256
NOTICE_ROOM = 280
DESCRIPTION_SIZES = (1_024, 400, 160)

_WORD = re.compile(r"[a-z0-9]{2,}")
_CUT = "…"


@dataclass(frozen=True, slots=True)
class ChangeWords:
    """What of a change is compared with skills: the paths of its files, and its text (added lines, title, description)."""

    paths: tuple[RepoPath, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """``text`` lists the ids in ``shown``; ``omitted`` are those left out, ``oversized`` those of them too large alone."""

    text: str
    shown: tuple[str, ...]
    omitted: tuple[str, ...]
    oversized: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a search: ``next_offset`` is None behind the last entry."""

    text: str
    shown: tuple[str, ...]
    total: int
    next_offset: int | None


def eligible(skills: Iterable[Skill]) -> list[Skill]:
    """The skills that a model may load by itself: valid, no twin, not manual-only."""
    return [one for one in skills if one.valid and not one.twin_of and one.invocation.model]


def menu(skills: Sequence[Skill], change: ChangeWords, *, budget: int = MAX_MENU) -> Menu:
    """The menu of ``skills`` (all eligible) within ``budget`` characters, the notice of omission included."""
    first, rest = _ordered(skills, change)
    ids = [one.id for one in skills]
    for size in DESCRIPTION_SIZES:
        entries = [_entry(one, size, recommended=number < first) for number, one in enumerate(rest)]
        if len(rest) == len(skills) and len("\n".join(entries)) <= budget:
            return Menu("\n".join(entries), tuple(one.id for one in rest), (), ())
        if len("\n".join(entries)) + NOTICE_ROOM <= budget:
            break
    lines: list[str] = []
    shown: list[str] = []
    oversized: list[str] = []
    room = budget - NOTICE_ROOM
    used = 0
    for one, entry in zip(rest, entries, strict=True):
        if len(entry) > room:
            oversized.append(one.id)
        elif used + len(entry) + 1 > room:
            break
        else:
            lines.append(entry)
            shown.append(one.id)
            used += len(entry) + 1
    omitted = tuple(one for one in ids if one not in set(shown))
    too_large = f" ({len(oversized)} too large to list)" if oversized else ""
    lines.append(
        f"{len(omitted):,} of {len(ids):,} skills are not listed{too_large}. Call `skill` with `query` to find them: words of a "
        'name or description, or "" for all, and `offset` to go on.'
    )
    return Menu("\n".join(lines), tuple(shown), omitted, tuple(oversized))


def search(skills: Sequence[Skill], query: str, offset: int = 0, *, budget: int = MAX_PAGE) -> Page:
    """The skills whose name or description holds ``query`` (literal, any case), from ``offset`` on, as many as fit.

    ValueError for an offset below zero or a query that is too long.
    """
    if offset < 0:
        raise ValueError("offset must be 0 or more")
    if len(query) > MAX_QUERY:
        raise ValueError(f"a query may have {MAX_QUERY} characters")
    wanted = query.lower().strip()
    found = [one for one in skills if wanted in f"{one.id}\n{one.name}\n{summary(one)}".lower()]
    lines: list[str] = []
    shown: list[str] = []
    used = 0
    for one in found[offset:]:
        entry = _entry(one, DESCRIPTION_SIZES[1])
        if lines and used + len(entry) + 1 > budget:
            break
        lines.append(entry)
        shown.append(one.id)
        used += len(entry) + 1
    end = offset + len(shown)
    return Page("\n".join(lines), tuple(shown), len(found), end if end < len(found) else None)


def _ordered(skills: Sequence[Skill], change: ChangeWords) -> tuple[int, list[Skill]]:
    """How many match the change by their paths, and the skills to list: these first, then triggered ones, then by relevance."""
    text = change.text.lower()
    names = " ".join(str(path) for path in change.paths).lower()
    scores = _relevance(skills, change)
    by_path = {one.id for one in skills if one.paths and _speaks_of(one, change.paths)}
    triggered = {one.id for one in skills if any(word.lower() in text or word.lower() in names for word in one.triggers)}
    offered = [one for one in skills if not one.triggers or one.id in triggered or one.id in by_path]
    return len(by_path), sorted(
        offered,
        key=lambda one: (one.id not in by_path, one.id not in triggered, -scores[one.id], one.order, one.id),
    )


def _speaks_of(skill: Skill, paths: Iterable[RepoPath]) -> bool:
    try:
        globs = Globs(skill.paths)
    except (ConfigError, re.error):  # a skill with a broken glob speaks of no file in particular
        return False
    return any(path in globs for path in paths)


def _relevance(skills: Sequence[Skill], change: ChangeWords) -> dict[str, float]:
    """Words of name, description and paths shared with the change, rare ones counting more."""
    own = {one.id: frozenset(_words(f"{one.name} {one.description} {' '.join(one.paths)}")) for one in skills}
    having: dict[str, int] = {}
    for words in own.values():
        for word in words:
            having[word] = having.get(word, 0) + 1
    wanted = frozenset(_words(change.text)) | frozenset(word for path in change.paths for word in _words(str(path)))
    weight = {word: math.log(1 + len(own) / count) for word, count in having.items() if word in wanted}
    return {name: sum(weight.get(word, 0.0) for word in words) for name, words in own.items()}


def _words(text: str) -> Iterable[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)  # camelCase is two words
    return (word.group().removesuffix("s") for word in _WORD.finditer(spaced.lower()))


def _entry(skill: Skill, size: int, *, recommended: bool = False) -> str:
    text = summary(skill)
    if len(text) > size:
        text = text[: size - 1].rstrip() + _CUT
    mark = ' recommended="true"' if recommended else ""
    return f'<skill name="{_escaped(skill.id)}"{mark}>{_escaped(text)}</skill>'


def _escaped(text: str) -> str:
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(char, entity)
    return visible(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")  # an id may hold a folder of any name
