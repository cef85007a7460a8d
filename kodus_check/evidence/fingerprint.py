"""What a finding is recognised by from run to run. A promise to users: what goes in here changes only with a major version.

No line and no prose goes in, so that a finding stays the same one when code above it moves or its wording changes.
"""

import hashlib

from kodus_check.model import Match
from kodus_check.text import fold_space

LENGTH = 24


def of_match(match: Match) -> str:
    """24 hex digits over rule id, path, matched text with white space folded, and the ordinal among equal matches in the file."""
    parts = (b"match", match.rule_id.encode(), match.path.raw, fold_space(match.text).encode(), str(match.ordinal).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:LENGTH]
