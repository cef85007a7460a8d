"""The line at the end of our own comments by which they are found again. Untrusted text cannot hold one: ``text`` breaks them."""

import re

_MARKER = re.compile(r"<!-- kodus-check v1((?: [a-z]+=[A-Za-z0-9._-]+)+) -->")


def marker(**facts: str) -> str:
    """The line for these facts; values are words."""
    line = f"<!-- kodus-check v1 {' '.join(f'{name}={value}' for name, value in facts.items())} -->"
    assert _MARKER.fullmatch(line), "a fact is no word"
    return line


def facts_of(body: object) -> dict[str, str]:
    """The facts in the last line of a comment; none where that is no marker."""
    if not isinstance(body, str):
        return {}
    found = _MARKER.fullmatch(body.rstrip().rpartition("\n")[2])
    return dict(fact.split("=", 1) for fact in found[1].split()) if found else {}
