"""Prose of many lines that must not do anything: a guide's own words, and what a model wrote.

Lines, list marks and code blocks are kept, everything else is shown as it is written, see ``inline_markdown``.

T1  a list mark that is none where it stands, so that what is below is code  -> the items above are known, or a blank line
T2  a block that a platform draws or applies: ``suggestion``, ``mermaid``    -> only names of languages are kept
"""

import re

from kodus_check.text import fenced, inline_markdown, mask_keys, visible

MAX_LINES = 60
MAX_CHARACTERS = 6_000

_LANGUAGES = frozenset(
    [
        "bash",
        "c",
        "c++",
        "cpp",
        "cs",
        "csharp",
        "css",
        "dart",
        "diff",
        "dockerfile",
        "elixir",
        "go",
        "graphql",
        "groovy",
        "hcl",
        "html",
        "http",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "jsonc",
        "jsx",
        "kotlin",
        "kt",
        "less",
        "lua",
        "make",
        "makefile",
        "markdown",
        "md",
        "nix",
        "objective-c",
        "perl",
        "php",
        "powershell",
        "proto",
        "py",
        "python",
        "r",
        "rb",
        "rs",
        "ruby",
        "rust",
        "scala",
        "scss",
        "sh",
        "shell",
        "sql",
        "svelte",
        "swift",
        "terraform",
        "text",
        "tf",
        "toml",
        "ts",
        "tsx",
        "txt",
        "typescript",
        "vue",
        "xml",
        "yaml",
        "yml",
        "zig",
        "zsh",
    ]
)
_ITEM = re.compile(r"([ \t]*)([-*+]|[0-9]{1,9}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})[^`]*")


def prose(text: str) -> str:
    """``text`` as Markdown that renders as itself, cut visibly where it is very long."""
    lines, left = _cut(visible(mask_keys(text.replace("\r\n", "\n"))).strip("\n"))
    out: list[str] = []
    above: list[tuple[int, int]] = []  # list items: the column of the mark as it is given, and of the text as it comes out
    open_at = 0  # the column of the text of the line before
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if opening := _FENCE.fullmatch(line):
            end = next((at for at in range(index, len(lines)) if _closes(lines[at], opening[1])), len(lines))
            language = opening[2] if opening[2].lower() in _LANGUAGES else ""
            out += ["", *fenced("\n".join(lines[index:end]), language).split("\n"), ""]
            index, above = end + 1, []
            continue
        if not line.strip():
            out.append("")
            continue
        column = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        while above and column < above[-1][0] + 2:
            above.pop()
        indent = above[-1][1] if above else 0
        if item := _ITEM.match(line):
            mark = "-" if item[2] in "-*+" else f"{item[2][:-1]}."
            if mark not in ("-", "1.") and out and out[-1] and indent >= open_at:
                out.append("")  # another number cannot end a paragraph (T1)
            out.append(f"{' ' * indent}{mark} {inline_markdown(line[item.end() :])}")
            open_at = indent + len(mark) + 1
            above.append((column, open_at))
        else:
            out.append(f"{' ' * indent}{inline_markdown(line)}")
            open_at = indent
    if left:
        out += ["", f"… ({left} more {'line' if left == 1 else 'lines'})"]
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
