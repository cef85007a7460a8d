"""What a model is told, in an order that stays the same from request to request, so that providers can keep it.

T1  text of the change that plays instruction        -> between markers with a random part, and said to be data
T2  text that holds the marker                       -> the marker is new for each run and is broken where it occurs
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kodus_check.guides.budget import shown_lines
from kodus_check.model import LoadedDoc, Match
from kodus_check.text import counted, one_line, shorten

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_MATCHES = 50


def new_fence() -> str:
    """A marker that no text of the change can hold by design."""
    return f"=== DATA {secrets.token_hex(8)} ==="


@dataclass(frozen=True, slots=True)
class Standing:
    """What is the same for all batches of one reviewer. ``menu`` and ``inventory`` are finished texts ("" for none)."""

    fence: str
    description: str = ""
    instructions: str = ""
    docs: tuple[LoadedDoc, ...] = ()
    menu: str = ""
    language: str = "en"
    inventory: Sequence[str] = ()
    inventory_total: int = 0


@dataclass(frozen=True, slots=True)
class Prompt:
    """``parts`` are the texts that went in, by name, for counting."""

    system: str
    task: str
    parts: Mapping[str, str] = field(repr=False)


def build(standing: Standing, diff: str, matches: Sequence[Match], *, part: int = 0, parts: int = 0) -> Prompt:
    """The prompt of one batch: part ``part`` of ``parts`` (1-based; 0 where there is only one)."""
    docs = [_doc(one) for one in standing.docs if not one.left_out]
    inventory = safe("\n".join(standing.inventory), standing.fence)
    told = safe("\n".join(_match(one) for one in matches[:_MOST_MATCHES]), standing.fence)
    shown = safe(diff, standing.fence)
    system = environment().get_template("system.md.j2").render().strip()
    task = (
        environment()
        .get_template("task.md.j2")
        .render(
            fence=standing.fence,
            description=standing.description,
            instructions=standing.instructions,
            docs=docs,
            menu=standing.menu,
            language=standing.language,
            inventory=inventory,
            inventory_shown=f"{len(standing.inventory):,}",
            inventory_total=f"{standing.inventory_total:,}",
            matches=told,
            diff=shown,
            part=part,
            parts=parts,
        )
    )
    sections = {
        "system": system,
        "guides": "\n".join(doc["text"] for doc in docs),
        "menu": standing.menu,
        "inventory": inventory,
        "matches": told,
        "diff": shown,
    }
    return Prompt(system, task.strip(), sections)


def _doc(loaded: LoadedDoc) -> dict[str, Any]:
    lines = shown_lines(loaded)
    cut = "" if loaded.whole else f"{counted(loaded.doc.lines - loaded.lines, 'line')} more"
    return {"path": loaded.doc.path, "text": "\n".join(f"{number}|{line}" for number, line in enumerate(lines, 1)), "cut": cut}


def _match(match: Match) -> str:
    lines = f"{match.start_line}" if match.start_line == match.end_line else f"{match.start_line}-{match.end_line}"
    return f"{one_line(match.rule_id)} at {one_line(str(match.path))}:{lines}: {shorten(one_line(match.message), 200)}"


def safe(text: str, fence: str) -> str:
    """``text`` that cannot close the part it stands in (T2)."""
    return text.replace(fence, "=== (marker) ===")


@cache
def environment() -> "Environment":
    """The templates of prompts."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,  # noqa: S701 - this is no HTML: a model reads it
    )
