"""Sentences of folded text, and the words by which one speaks of its neighbours."""

import re

from kodus_check.evidence.fold import MARK

MAX_LABEL = 60
"""Characters of a paragraph that is a heading but for its marks."""

_ENDS = re.compile(rf"[.!?\u2026]+[{MARK})\]*]*\s+|[\u3002\uff01\uff1f]+[{MARK}\u300d\u300f)\uff09]*\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"])(?:e\.g|i\.e|etc|cf|vs|resp|incl|approx|no|nr|sec|fig|eq|ca|bzw|z\.b|d\.h|[A-Za-z])\.$", re.IGNORECASE
)
_LONGEST_ABBREVIATION = 12
_SHORT = 3
"""A sentence of fewer words is a mark on the next one."""
TAKES_BACK_STRICTLY = re.compile(
    r"\W*(?:Unless|Except|Exceptions?|However|But|Otherwise|Although|Though|Sauf|Ausnahme|Ausnahmen|Au\u00dfer|Excepto|Salvo)\b"
    r"|\W*(?:\u9664\u975e|\u4f46|\u305f\u3060\u3057|\u4f8b\u5916)"
)
TAKES_BACK = re.compile(
    rf"(?:{TAKES_BACK_STRICTLY.pattern})|\W*(?:Only|Not|No longer)\b"
    r"|\W*Never (?:at|during|for|if|in|inside|on|outside|when|where|with)\b"
    r"|\W*(?:This|That|These|Those|It|They|Both|Doing so|The above)\b[^.!?]*?"
    r"\b(?:not|no|never|wrong|incorrect|bad|false|obsolete|deprecated|outdated|forbid\w*|prohibit\w*|optional|was|were|until|dropped"
    r"|gone|\w+n.t)\b",
    re.IGNORECASE,
)
POINTS_BACK = re.compile(
    r"\W*(?:For (?:example|instance)|E\.g|I\.e|Such as|Like|Instead|Or|And|Also|Likewise|Similarly|Nor|Neither|Then|So"
    r"|Thus|Hence|Therefore|Zum Beispiel|Par exemple|Por ejemplo)\b"
)
POINTS_ON = re.compile(
    r"\b(?:following|below|next|examples?|obsolete|deprecated|outdated|superseded|no longer|used to|formerly|previously|wrong"
    r"|incorrect|bad|forbidden|anti-?patterns?|instead of|not do|(?:never|don.t) do|false|myths?)\b|[?:][^\w]*$",
    re.IGNORECASE,
)
POINTS_AT_LIST = re.compile(r"\W*(?:These|Those|Here|Such)\b")
DENIES = re.compile(r"\b(?:not|no|never|avoid|forbid|forbids|refuse|reject|prohibited|\w+n.t)\b", re.IGNORECASE)
_ENCLOSING = re.compile(rf"[()\uff08\uff09{MARK}]")
COLON = (":", "\uff1a")
FINAL = re.compile(r"[.!?;,\u3002\uff01\uff1f]$")


def sentences(folded: str) -> list[tuple[int, int]]:
    """The start and end of each sentence of a folded text. Where it is not sure, two are one: wider is safer."""
    starts = [0]
    enclosed = iter(_enclosed(folded))
    inside = next(enclosed, None)
    for found in _ENDS.finditer(folded):
        end = found.end()
        while inside is not None and inside[1] < end:
            inside = next(enclosed, None)
        following = folded[end : end + 1]
        if not following or following.islower() or following in ",;)" or (inside is not None and inside[0] < end):
            continue
        if _ABBREVIATION.search(folded[max(0, end - _LONGEST_ABBREVIATION) : end].rstrip()):
            continue
        if found[0][0] in ".!?\u2026" and len(re.findall(r"\w+", folded[starts[-1] : min(end, starts[-1] + MAX_LABEL)])) < _SHORT:
            continue
        starts.append(end)
    ends = [*starts[1:], len(folded)]
    return [(start, len(folded[:end].rstrip())) for start, end in zip(starts, ends, strict=True)]


def _enclosed(folded: str) -> list[tuple[int, int]]:
    """The start and end of what stands in quotation marks or parentheses, the outermost only, in order."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    quoted = -1
    for mark in _ENCLOSING.finditer(folded):
        index, char = mark.start(), mark[0]
        if char in "(\uff08":
            opened.append(index)
        elif char in ")\uff09":
            if opened:
                found.append((opened.pop(), index))
        else:
            before, after = folded[index - 1 : index] if index else " ", folded[index + 1 : index + 2] or " "
            if quoted < 0 and not before.isalnum() and not after.isspace():
                quoted = index
            elif quoted >= 0 and not before.isspace() and not after.isalnum():
                found.append((quoted, index))
                quoted = -1
    out: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if not out or start > out[-1][1]:
            out.append((start, end))
        elif end > out[-1][1]:
            out[-1] = (out[-1][0], end)
    return out
