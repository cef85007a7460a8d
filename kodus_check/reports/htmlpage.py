"""What all HTML pages share: one file each, which loads nothing and runs nothing.

T1  text of the repository is markup, or ends an attribute  -> autoescape for every template; nothing is marked safe
T2  bidi, zero-width and control characters deceive          -> ``visible`` on every value that a template puts out
T3  the page calls home, or a script slips in                -> no script, no address; the policy in ``base.html.j2`` forbids both
T4  a template reaches into Python                           -> sandboxed, immutable; an undefined name is an error
T5  a page repeats a secret key                              -> ``mask_keys`` on every value, before anything cuts it
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kodus_check.text import counted, mask_keys, one_line, shorten, visible

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEXT = 6_000
MAX_LEAD = 240


def page(template: str, values: Mapping[str, Any]) -> str:
    """The page that a template makes of ``values``."""
    return _templates().get_template(template).render(values)


def shown_text(text: str) -> str:
    """``text`` as a page shows it: keys masked, nothing invisible, cut visibly where it is very long."""
    return visible(shorten(mask_keys(text.replace("\r\n", "\n")), MAX_TEXT))


@cache
def _templates() -> "ImmutableSandboxedEnvironment":
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        # What a macro gives back has been here before, value by value.
        return value if isinstance(value, Markup | int | float) else shown_text(str(value))

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        counted=counted,
        lead=_lead,
        spans=_spans,
        one_line=lambda text: one_line(mask_keys(text)),
        grouped=lambda number: f"{number:,}",
    )
    return environment


def _lead(text: str) -> str:
    """The beginning of a long text, cut between two words where there are any; empty when the text is short enough as it is."""
    text = mask_keys(text)
    if len(text) <= MAX_LEAD:
        return ""
    start = text[:MAX_LEAD]
    return f"{start.rpartition(' ')[0] or start}…"


def _spans(text: str) -> list[tuple[bool, str]]:
    """Prose in parts: (whether it stood between backticks, text). A backtick without a partner is text."""
    parts = mask_keys(text).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return [(number % 2 == 1, part) for number, part in enumerate(parts) if part]
