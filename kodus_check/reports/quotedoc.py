"""The verdict on a quote, as JSON and as text."""

from typing import Any

from kodus_check.model import QuoteCheck
from kodus_check.text import log_safe, one_line, visible


def quote_document(check: QuoteCheck) -> dict[str, Any]:
    """One answer of ``quote``. ``text`` are the guide's own words; lines are 1-based, null where nothing was found."""
    found = check.verified
    return {
        "verified": found,
        "reason": str(check.reason) if check.reason else None,
        "detail": check.detail or None,
        "path": check.path,
        "start_line": check.start_line if found else None,
        "end_line": check.end_line if found else None,
        "text": check.text if found else None,
        "headings": list(check.trail),
    }


def quote_text(check: QuoteCheck) -> str:
    """The verdict for people: where it stands and the guide's own words, or why it proves nothing."""
    if not check.verified:
        return log_safe(f"not verified ({check.reason}): {one_line(check.path)}: {one_line(check.detail)}\n")
    lines = f"{check.start_line}" if check.start_line == check.end_line else f"{check.start_line}-{check.end_line}"
    trail = f" ({one_line(' > '.join(check.trail))})" if check.trail else ""
    quoted = "".join(f"  > {line}".rstrip() + "\n" for line in visible(check.text).split("\n"))
    return log_safe(f"verified: {one_line(check.path)}:{lines}{trail}\n{quoted}")
