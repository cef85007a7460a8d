"""Folding and escaping: whatever came from a repository or a tool is data, and is escaped for the place where it is shown.

T1  a terminal obeys escape sequences; bidi and zero-width characters make code look like other code  -> ``visible``
T2  a CI log runs ``::command::`` at the start of a line and ``##[command]`` anywhere in one          -> ``log_safe``
T3  Markdown: mentions, cross references, closing keywords, links, images, HTML, quick actions        -> ``inline_markdown``
T4  code that holds a fence or backticks closes ours                                         -> ``fenced``, ``code_span``
T5  text that imitates the markers by which we find our own comments                                  -> all of T3 and T4
T6  a finding about a hard-coded key would print the key once more, where a force-push does not reach -> ``mask_keys``
"""

import re

MAX_LINE = 1_000
"""Characters of a line of code that is shown; what is left out is counted."""
ZERO_WIDTH_SPACE = "&#8203;"
RESERVED_MARKER = "<!-- kodus-check"

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")
_BACKTICKS = re.compile(r"`+")
_PUNCTUATION = re.compile(r"[\\`*_\[\]<>~&|$]")
_BLOCK_START = re.compile(r"[-+=#/]|[0-9]+(?=[.)])")
# What platforms turn into a mention, a reference or a link. They look at the rendered text, so a backslash does not stop them.
_TRIGGER = re.compile(
    r"""gh-(?=[0-9]) | [@#~%](?=[\w"']) | [!$&](?=[0-9]) | \^(?=alert) | :(?=//) | \bwww(?=\.) | \b(?:mailto|xmpp)(?=:)""",
    re.IGNORECASE | re.VERBOSE,
)

_KEY = re.compile(
    r"""(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}\b | \bgh[pousr]_[A-Za-z0-9]{36,} | \bgithub_pat_\w{40,} | \bglpat-[\w-]{20,}
    | \bxox[abprs]-[\w-]{20,} | \b[sr]k_(?:live|test)_\w{16,} | \bnpm_\w{36,} | \bSG\.[\w-]{16,}\.[\w-]{16,}
    | \bsk-(?:ant|proj|svcacct|admin)-[\w-]{20,} | \bAIza[\w-]{35}(?![\w-]) | \beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,}
    | (?<=PRIVATE\ KEY-----)[\s\S]{16,}?(?=-----END|$)""",
    re.VERBOSE,
)


def mask_keys(text: str) -> str:
    """``text`` with what is shaped like a secret key cut to its first four characters (T6)."""
    return _KEY.sub(lambda found: f"{found[0].strip()[:4]}***", text)


def fold_space(text: str) -> str:
    """Runs of white space as one space, none at the ends."""
    return _SPACE.sub(" ", text).strip()


def visible(text: str) -> str:
    """``text`` with every control, bidi and zero-width character spelled out; only tab and newline are left (T1)."""
    return _INVISIBLE.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)


def shown_lines(data: bytes | None) -> list[str]:
    """Lines as git counts them, for showing: bytes that are no UTF-8 and characters that nobody sees are spelled out."""
    if data is None:
        return []
    text = visible(data.decode("utf-8", "backslashreplace").replace("\r\n", "\n"))
    return text.removesuffix("\n").split("\n")


def cut_line(line: str) -> str:
    """A line of code as it is shown: what is over ``MAX_LINE`` characters is counted."""
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"


def one_line(text: str) -> str:
    """``text`` made visible and put on one line, for a message or a list entry."""
    return fold_space(visible(text))


def log_safe(text: str) -> str:
    """``text`` so that no CI runner takes a line of it for a command (T2). Content is kept; a backslash breaks the command."""
    lines = text.replace("##[", "##\\[").split("\n")
    return "\n".join(f"\\{line}" if line.lstrip().startswith("::") else line for line in lines)


def json_log_safe(document: str) -> str:
    """A JSON text whose strings can hold no ``##[`` command; it parses to the same value (T2)."""
    return document.replace("##[", "#\\u0023[")


def code_span(text: str) -> str:
    """``text`` as one Markdown code span, its fence longer than any run of backticks inside (T4, T5)."""
    shown = _break_markers(one_line(text)) or " "
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(text: str, language: str = "") -> str:
    """``text`` as a fenced code block. Code can hold fences itself, so ours is one backtick longer than its longest (T4, T5)."""
    shown = _break_markers(visible(text.replace("\r\n", "\n"))).rstrip("\n")
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def quoted(markdown: str) -> str:
    """Markdown lines as a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def inline_markdown(text: str) -> str:
    """Untrusted prose as one line of Markdown that renders as itself (T3). Code spans in it are kept, made anew."""
    shown = _break_markers(one_line(text))
    out: list[str] = []
    position = 0
    while opening := _BACKTICKS.search(shown, position):
        closing = next((run for run in _BACKTICKS.finditer(shown, opening.end()) if run[0] == opening[0]), None)
        if closing is None:
            out.append(_escape(shown[position : opening.end()]))
            position = opening.end()
            continue
        out.append(_escape(shown[position : opening.start()]))
        out.append(code_span(shown[opening.end() : closing.start()]))
        position = closing.end()
    out.append(_escape(shown[position:]))
    line = "".join(out)
    if start := _BLOCK_START.match(line):
        # At the start of a line these would open a list, a heading or a quick action; a digit is kept, what follows it escaped.
        cut = start.end() if start[0][0].isdigit() else 0
        line = f"{line[:cut]}\\{line[cut:]}"
    return line


def trusted_markdown(text: str) -> str:
    """Markdown that the base wrote (a rule's note): kept, but with open fences closed and our markers broken (T4, T5)."""
    shown = _break_markers(visible(text.replace("\r\n", "\n"))).strip()
    fence = ""
    for line in shown.split("\n"):
        run = re.match(r" {0,3}(`{3,}|~{3,})(.*)$", line)
        if run is None:
            continue
        if not fence:
            fence = run[1]
        elif run[1].startswith(fence) and not run[2].strip():
            fence = ""
    return f"{shown}\n{fence}" if fence else shown


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``, ``1,000 files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shorten(text: str, most: int, *, unit: str = "characters") -> str:
    """``text`` cut visibly at ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more {unit})"


def _escape(text: str) -> str:
    return _TRIGGER.sub(lambda found: f"{found[0]}{ZERO_WIDTH_SPACE}", _PUNCTUATION.sub(r"\\\g<0>", text))


def _break_markers(text: str) -> str:
    return text.replace(RESERVED_MARKER, RESERVED_MARKER.replace("<!--", "<!- -"))


def _longest_run(text: str) -> int:
    return max((len(run[0]) for run in _BACKTICKS.finditer(text)), default=0)
