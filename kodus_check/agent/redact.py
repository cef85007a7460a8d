"""Values that are shaped like secret keys, taken out of whatever a provider is sent. Lines keep their number.

Precision matters: a hash, an identifier or a long name is code that the model must see.
"""

import re

_ASSIGNED = re.compile(
    r"""(?P<name>\b[\w.-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w-]{0,20}["']?\s{0,4}(?:[:=]|=>)\s{0,4})"""
    r"""(?P<mark>["'`])(?P<value>[^\s"'`]{16,200})(?P=mark)""",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[str, "re.Pattern[str]"], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("private key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{16,20000}?(?=-----END|\Z)"),
        ("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
        ("github", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_\w{40,255}\b"),
        ("gitlab", r"\bgl(?:pat|ptt|rt|dt|soat)-[\w-]{20,100}"),
        ("slack", r"\bxox[abeprs]-[\w-]{20,200}|\bhooks\.slack\.com/services/[\w/]{20,100}"),
        ("anthropic", r"\bsk-ant-[\w-]{20,200}"),
        ("openai", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,200}\b"),
        ("stripe", r"\b[rs]k_(?:live|test)_\w{16,200}"),
        ("google", r"\bAIza[\w-]{35}\b"),
        ("npm", r"\bnpm_\w{36}\b"),
        ("pypi", r"\bpypi-[\w-]{60,300}"),
        ("sendgrid", r"\bSG\.[\w-]{16,100}\.[\w-]{16,100}"),
        ("twilio", r"\bSK[0-9a-f]{32}\b"),
        ("jwt", r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}"),
        ("password in an address", r"(?<=://)[^\s/:@]{1,100}:[^\s/@]{3,200}(?=@)"),
    )
)
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|your[_-]|xxxx|\*\*\*|<|\$\{|\{\{"
    r"|process\.env|os\.environ|redacted",
    re.IGNORECASE,
)


def redact(text: str) -> tuple[str, int]:
    """``text`` with each key-shaped value replaced by its kind, and how many there were."""
    found = 0

    def mark(kind: str, value: str) -> str:
        nonlocal found
        found += 1
        return f"\u2039redacted: {kind}\u203a" + "\n" * value.count("\n")

    for kind, pattern in _KINDS:
        text = pattern.sub(lambda hit, kind=kind: mark(kind, hit[0]), text)  # type: ignore[misc]

    def assigned(hit: "re.Match[str]") -> str:
        value = hit["value"]
        if _PLACEHOLDER.search(value) or not _is_random(value):
            return hit[0]
        return f"{hit['name']}{hit['mark']}{mark('secret', value)}{hit['mark']}"

    return _ASSIGNED.sub(assigned, text), found


def _is_random(value: str) -> bool:
    """Whether a text looks drawn rather than written: several kinds of characters, many different ones, no words."""
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"))
    return kinds >= 3 and len(set(value)) >= 10 and not re.search(r"[a-z]{9}", value)
