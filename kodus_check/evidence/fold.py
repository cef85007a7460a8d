"""Folding: what two texts may differ in and still be the same words. Applied to visible text, guides and quotes alike.

White space and line ends become one space; quotation marks of all kinds one mark; dashes one of two (joined as in ``re-use``, or
set off as in ``a - b``); an ellipsis three dots; what nobody sees is left out; characters are composed (NFC).
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""Control, zero-width and bidi characters, and what else takes no place: a quote that holds one is refused."""

DASH = "\u2014"
"""What a dash that is set off becomes, with the space around it."""
MARK = '"'
"""What every quotation mark and apostrophe becomes."""

_QUOTES = (
    "'`\u2018\u2019\u201a\u201b\u2032\u2033\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
    "\u00b4\u02bc\uff02\uff07\u300c\u300d\u300e\u300f"
)
_HYPHENS = "\u2010\u2011\u2012\u2212"
_MAP = str.maketrans({**dict.fromkeys(_QUOTES, MARK), **dict.fromkeys(_HYPHENS, "-"), "\u2026": "..."})
_PLAIN = re.compile(r"[^'`\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff-]*")
_DASHES = re.compile(r" ?(?:[-\u2013\u2014\u2015] ?)+")
_SPACE = re.compile(r"\s{2,}|[^\S ]")
"""White space that is more or other than one space."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PICTURE = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_OF_PICTURE = re.compile(rf"(?<={_PICTURE})\ufe0f?\u200d(?={_PICTURE})|(?<=[#*0-9]|{_PICTURE})[\ufe0e\ufe0f]")
"""What stands between or behind pictures to join or to colour them."""


def hides(quote: str) -> bool:
    """Whether ``quote`` holds characters that nobody sees; those that belong to a picture (an emoji) are seen with it."""
    return HIDDEN.search(quote) is not None and HIDDEN.search(_OF_PICTURE.sub("", quote)) is not None


def fold(text: str) -> str:
    """``text`` folded; no white space at its ends."""
    if _PLAIN.fullmatch(text):
        return " ".join(text.split())
    if text.isascii():
        text = (HIDDEN.sub("", text) if _CONTROL.search(text) else text).replace("'", MARK).replace("`", MARK)
    else:
        text = unicodedata.normalize("NFC", HIDDEN.sub("", text)).translate(_MAP)
    return _DASHES.sub(_dash, " ".join(text.split())).strip()


def fold_places(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """:func:`fold`, and for each character of the result one of ``places``, which gives a place to each character of ``text``."""
    if text.isascii() and not _CONTROL.search(text):
        flat, found = text.replace("'", MARK).replace("`", MARK), list(places)
    else:
        flat, found = _mapped(text, places)
    flat, found = _replaced(_SPACE, flat, found, lambda run: " ")
    cut = len(flat) - len(flat.lstrip())
    end = max(cut, len(flat.rstrip()))
    flat, found = _replaced(_DASHES, flat[cut:end], found[cut:end], _dash)
    return flat, found


def _mapped(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """``text`` without what nobody sees, composed, its marks made equal; a place for each character."""
    seen = [(char, place) for char, place in zip(text, places, strict=True) if not HIDDEN.match(char)]
    chars: list[str] = []
    found: list[int] = []
    for composed, index in _composed("".join(char for char, _ in seen)):
        for char in composed.translate(_MAP):
            chars.append(char)
            found.append(seen[index][1])
    return "".join(chars), found


def _dash(run: "re.Match[str]") -> str:
    return "-" if run[0] in ("-", "\u2013") else DASH


def _composed(text: str) -> list[tuple[str, int]]:
    """Each character of the composed ``text`` with the index of the first character that went into it."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return [(char, index) for index, char in enumerate(text)]
    out: list[tuple[str, int]] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index < len(text):
            if unicodedata.combining(text[index]):
                continue
            cluster = text[start:index]
            longer = unicodedata.normalize("NFC", cluster + text[index])
            if longer != unicodedata.normalize("NFC", cluster) + unicodedata.normalize("NFC", text[index]):
                continue
        out.extend((char, start) for char in unicodedata.normalize("NFC", text[start:index]))
        start = index
    return out


def _replaced(
    pattern: "re.Pattern[str]", text: str, places: list[int], new: "Callable[[re.Match[str]], str]"
) -> tuple[str, list[int]]:
    parts: list[str] = []
    found: list[int] = []
    position = 0
    for run in pattern.finditer(text):
        parts.append(text[position : run.start()])
        found.extend(places[position : run.start()])
        made = new(run)
        parts.append(made)
        lead = len(run[0]) - len(run[0].lstrip())
        found.extend([places[run.start() + (lead if lead < len(run[0]) else 0)]] * len(made))
        position = run.end()
    return "".join(parts) + text[position:], [*found, *places[position:]]
