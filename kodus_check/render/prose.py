"""Prose of many lines that must not do anything: a guide's own words, and what a model wrote.

Lines, list marks and code blocks are kept, everything else is shown as it is written, see ``inline_markdown``.
"""

import re

from kodus_check.text import fenced, inline_markdown, mask_keys, visible

MAX_LINES = 60
MAX_CHARACTERS = 6_000

_ITEM = re.compile(r"([ \t]*)([-*+]|[0-9]{1,9}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})[^`]*")


def prose(text: str) -> str:
    """``text`` as Markdown that renders as itself, cut visibly where it is very long."""
    lines, left = _cut(visible(mask_keys(text.replace("\r\n", "\n"))).strip("\n"))
    out: list[str] = []
    depth = 0  # how far a line may be indented: to the text of the list item above
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if opening := _FENCE.fullmatch(line):
            end = next((at for at in range(index, len(lines)) if _closes(lines[at], opening[1])), len(lines))
            out += ["", *fenced("\n".join(lines[index:end]), opening[2]).split("\n"), ""]
            index, depth = end + 1, 0
            continue
        if not line.strip():
            out.append("")
            continue
        indent = min(depth, (len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())) // 2 * 2)
        if item := _ITEM.match(line):
            mark = "-" if item[2] in "-*+" else f"{item[2][:-1]}."
            out.append(f"{' ' * indent}{mark} {inline_markdown(line[item.end() :])}")
            depth = indent + len(mark) + 1
        else:
            out.append(f"{' ' * indent}{inline_markdown(line)}")
            depth = indent or 0
    if left:
        out += ["", f"… ({left} more lines)"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n")


def _closes(line: str, fence: str) -> bool:
    return re.fullmatch(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*", line) is not None


def _cut(text: str) -> tuple[list[str], int]:
    """The lines that are shown, and how many are not."""
    lines = text.split("\n")
    kept: list[str] = []
    size = 0
    for line in lines[:MAX_LINES]:
        size += len(line)
        if size > MAX_CHARACTERS:
            break
        kept.append(line)
    return (kept, len(lines) - len(kept)) if kept else ([lines[0][:MAX_CHARACTERS] + "…"], len(lines) - 1)
