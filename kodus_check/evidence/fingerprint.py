"""What a finding is recognised by from run to run. A promise to users: what goes in here changes only with a major version.

No line and no prose goes in, so that a finding stays the same one when code above it moves or its wording changes.
"""

import hashlib
from collections.abc import Sequence

from kodus_check.evidence.anchor import Anchor, Sides
from kodus_check.model import Match, RepoPath
from kodus_check.text import fold_space

LENGTH = 24


def of_match(match: Match) -> str:
    """24 hex digits over rule id, path, matched text with white space folded, and the ordinal among equal matches in the file."""
    return _hashed(b"match", match.rule_id.encode(), match.path.raw, fold_space(match.text).encode(), str(match.ordinal).encode())


def of_citation(guide: str, start: str, path: RepoPath, anchor: Anchor, sides: Sides) -> str:
    """24 hex digits over guide path, the first sentence of the rule, path (the old one of a renamed file), and the line.

    That is the longest changed line of the anchor, folded, with its ordinal among equal lines of the file: a model that takes in
    a line more or less of the same code, or quotes another part of the same sentence, says the same thing.
    """
    folded = sides.folded(anchor.side)
    numbers = range(anchor.start_line, anchor.end_line + 1)
    line = max(
        [number for number in numbers if sides.changed(anchor.side, number)] or numbers,
        key=lambda one: (len(folded[one - 1]), -one),
    )
    return _hashed(
        b"citation",
        guide.encode("utf-8", "surrogateescape"),
        start.encode("utf-8", "replace"),
        path.raw,
        anchor.side.encode(),
        folded[line - 1].encode("utf-8", "replace"),
        str(_ordinal(folded, line)).encode(),
    )


def _ordinal(folded: Sequence[str], line: int) -> int:
    return sum(one == folded[line - 1] for one in folded[: line - 1])


def _hashed(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:LENGTH]
