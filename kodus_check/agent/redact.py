"""Values that are shaped like secret keys, taken out of whatever a provider is sent. Lines keep their number.

Precision matters: a hash, an identifier or a long name is code that the model must see.

T1  a private key in a change, in a numbered listing or without its end   -> taken out line by line; what stands before them stays
T2  a text that makes a pattern slow                                      -> bounded repeats, and no pattern without its mark
"""

import re
from typing import NamedTuple

_ASSIGNED = re.compile(
    # The first letters stand alone so that most of a text is passed over at once.
    r"""(?P<name>[pPsStTaAcC](?i:assword|asswd|wd|ecret|oken|pi[_-]?key|ccess[_-]?key|rivate[_-]?key|uth[_-]?key|redential)"""
    r"""[\w-]{0,30}["'\]]{0,2}[ \t]{0,4}(?::[ \t]{0,2}[A-Za-z][\w\[\]|. ]{0,30})?(?::=|=>|[:=])[ \t]{0,4})"""
    r"""(?:(?P<mark>["'`])(?P<quoted>[^\s"'`]{16,500})(?P=mark)|(?P<bare>[A-Za-z0-9+/_=~-]{20,500})(?=[ \t\r]*$))""",
    re.MULTILINE,
)
_NAMES = ("pass", "pwd", "secret", "token", "key", "credential")


class _Kind(NamedTuple):
    """What a kind of key looks like; ``hints`` are texts of which each such key holds one."""

    name: str
    hints: tuple[str, ...]
    pattern: "re.Pattern[str]"


_MIXED = r"(?=[\w-]{0,200}[0-9])(?=[\w-]{0,200}[A-Z])"
_KINDS = tuple(
    _Kind(name, hints, re.compile(pattern))
    for name, hints, pattern in (
        ("aws", ("AKIA", "ASIA", "ABIA", "ACCA"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
        ("github", ("gh", "github_pat_"), r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_\w{40,255}\b"),
        ("gitlab", ("gl",), r"\bgl(?:pat|ptt|rt|dt|soat|cbt|oas)-[\w-]{20,200}(?:\.[\w-]{2,100}){0,3}"),
        ("slack", ("xox", "slack.com"), r"\bxox[abeprs]-[\w-]{20,200}|\bhooks\.slack\.com/services/[\w/]{20,100}"),
        ("anthropic", ("sk-ant-",), r"\bsk-ant-[\w-]{20,200}"),
        (
            "openai",
            ("sk-",),
            rf"\bsk-(?:proj-|svcacct-|admin-)?{_MIXED}[\w-]{{20,200}}|\bsk-(?:or-v1-)?[0-9a-f]{{32,100}}\b",
        ),
        ("stripe", ("k_live_", "k_test_", "whsec_"), r"\b[rs]k_(?:live|test)_\w{16,200}|\bwhsec_[A-Za-z0-9+/=]{24,200}"),
        ("google", ("AIza", "GOCSPX-", "ya29."), r"\bAIza[\w-]{35}(?![\w-])|\bGOCSPX-[\w-]{28}|\bya29\.[\w-]{30,300}"),
        ("npm", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("pypi", ("pypi-",), r"\bpypi-[\w-]{60,300}"),
        ("sendgrid", ("SG.",), r"\bSG\.[\w-]{16,100}\.[\w-]{16,100}"),
        ("twilio", ("SK",), r"\bSK[0-9a-f]{32}\b"),
        ("jwt", ("eyJ",), r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}"),
    )
)
_IN_ADDRESS = re.compile(r"""(://[^\s/:@"'`<>]{0,100}:)([^\s/@"'`<>?#\\]{3,200})(?=@)""")
_NO_PASSWORD = re.compile(
    r"(?:pass|passwd|password|pw|pwd|secret|token|user|username|example|changeme|postgres|root|guest|test|x+|\*+|\.+)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|your[_-]|xxxx|\*\*\*|^[$<{%]|\$[{(]|\{\w*\}|<[\w -]+>|%\(|process\.env|os\.environ|redacted",
    re.IGNORECASE,
)
_HASH_NAME = re.compile(r"hash|digest|sha[0-9]|checksum|fingerprint|[_-]id\b", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9 ]{1,30} )?PRIVATE KEY(?: BLOCK)?-----")
_EDGE = re.compile(r"-----(BEGIN|END) ")
_RUN = re.compile(r"[A-Za-z0-9+/=]{12,}")
_LISTED = re.compile(r"\s*(?:\d{1,7}(?: \| |[-+ ]))?")
"""What stands before a line in a numbered listing or a diff."""


def redact(text: str) -> tuple[str, int]:
    """``text`` with each key-shaped value replaced by its kind, and how many there were."""
    text, found = _private_keys(text) if "PRIVATE KEY" in text else (text, 0)
    for kind in _KINDS:
        if any(hint in text for hint in kind.hints):
            text, more = kind.pattern.subn(_mark(kind.name), text)
            found += more

    def address(hit: "re.Match[str]") -> str:
        nonlocal found
        if _NO_PASSWORD.fullmatch(hit[2]) or _PLACEHOLDER.search(hit[2]):
            return hit[0]
        found += 1
        return f"{hit[1]}{_mark('url-password')}"

    def assigned(hit: "re.Match[str]") -> str:
        nonlocal found
        value = hit["quoted"] or hit["bare"]
        drawn = _is_drawn(value) if hit["quoted"] else _is_drawn(value, plain=True)
        if _PLACEHOLDER.search(value) or _UUID.fullmatch(value) or not (drawn or _is_hex(hit["name"], value)):
            return hit[0]
        found += 1
        mark = hit["mark"] or ""
        return f"{hit['name']}{mark}{_mark('secret')}{mark}"

    if "://" in text:
        text = _IN_ADDRESS.sub(address, text)
    lowered = text.lower()
    if any(name in lowered for name in _NAMES):
        text = _ASSIGNED.sub(assigned, text)
    return text, found


def _mark(kind: str) -> str:
    return f"\u2039redacted:{kind}\u203a"


def _is_drawn(value: str, *, plain: bool = False) -> bool:
    """Whether a text looks drawn rather than written: several kinds of characters, many different ones, no words.

    ``plain``: nothing but its place says that it is a value, so its digits must lie scattered too.
    """
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"))
    groups = len(re.findall(r"[0-9]+", value))
    if len(set(value)) < 10 or re.search(r"[a-z]{9}", value):
        return False
    scattered = groups >= 3 if kinds >= 3 else bool(re.fullmatch(r"[a-z0-9]{24,}", value)) and groups >= 5
    return scattered if plain or kinds < 3 else True


def _is_hex(name: str, value: str) -> bool:
    """Whether a value of a secret's name is a long hexadecimal one, and the name is not that of a hash."""
    return bool(re.fullmatch(r"[0-9a-fA-F]{32,}", value)) and len(set(value)) >= 8 and not _HASH_NAME.search(name)


def _private_keys(text: str) -> tuple[str, int]:
    """``text`` without the bodies of private keys; their first and last lines stay, so that one can be found and reported."""
    out: list[str] = []
    position = found = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < position:
            continue
        out.append(text[position : begin.end()])
        edge = _EDGE.search(text, begin.end())
        position = edge.start() if edge else len(text)
        body, hidden = _without_key(text[begin.end() : position], closed=edge is not None and edge[1] == "END")
        out.append(body)
        found += hidden
    return "".join(out) + text[position:], found


def _without_key(body: str, *, closed: bool) -> tuple[str, bool]:
    """The text after the first line of a key, its encoded lines replaced. Code between two such constants is no key (T1)."""
    if closed and not _is_encoded(body):
        return body, False
    out: list[str] = []
    hidden = False
    lines = body.split("\n")
    for number, line in enumerate(lines):
        start = _LISTED.match(line)
        assert start is not None
        rest = line[start.end() :]
        if _is_encoded(rest):
            out.append(line[: start.end()] + _RUN.sub(_mark("private-key"), rest))
            hidden = True
        elif hidden and re.fullmatch(r"[A-Za-z0-9+/=]{1,11}", rest.rstrip()):
            out.append(line[: start.end()] + _mark("private-key"))
        elif not closed and number and rest.strip() and not re.match(r"[A-Z][A-Za-z-]{2,20}: ", rest):
            out.extend(lines[number:])
            break
        else:
            out.append(line)
    return "\n".join(out), hidden


def _is_encoded(text: str) -> bool:
    """Whether at least half of a text are long runs of base64 characters."""
    size = sum(len(run) for run in _RUN.findall(text))
    return size > 0 and 2 * size >= len(re.sub(r"\s+", "", text))
