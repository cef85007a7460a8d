"""What a reviewer gets to read of a skill: its SKILL.md up to a limit, and the files beside it, as text and never run."""

from dataclasses import dataclass

from kodus_check.guides import tokens
from kodus_check.guides.frontmatter import decoded
from kodus_check.guides.skills import Count
from kodus_check.model import Skill
from kodus_check.text import counted

MAX_LINES, MAX_TOKENS = 500, 5_000
MOST_NAMED = 10


class BadReference(ValueError):
    """A path that is no file beside the skill: why, and what there is."""


@dataclass(frozen=True, slots=True)
class SkillText:
    """The first ``lines`` of ``of_lines`` lines; ``notice`` says so where that is not all."""

    text: str
    lines: int
    of_lines: int
    notice: str = ""


def read_skill(skill: Skill, *, count: Count = tokens.count) -> SkillText:
    """The text of a skill with its frontmatter, cut at a line end after 500 lines or 5,000 tokens, whichever comes first."""
    lines = decoded(skill.data).replace("\r\n", "\n").removesuffix("\n").split("\n")
    keep = min(len(lines), MAX_LINES)
    if (skill.tokens or 0) > MAX_TOKENS:
        keep = _most(lines[:keep], count)
    if keep == len(lines):
        return SkillText("\n".join(lines), keep, keep)
    left = counted(len(lines) - keep, "line")
    notice = f"[cut here: {left} of `{skill.path}` more, over {MAX_LINES} lines or {MAX_TOKENS:,} tokens]"
    return SkillText("\n".join([*lines[:keep], notice]), keep, len(lines), notice)


def reference(skill: Skill, path: str) -> str:
    """The name of the file beside the skill that ``path`` means; BadReference says why there is none."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    known = [one.path for one in skill.files]
    if path in known:
        return path
    if any(mark in path for mark in ("\0", "%", "\\", "://")) or path.startswith("/") or ".." in parts:
        raise BadReference("a path beside the skill is relative, without `..`, backslashes, escapes or a scheme")
    if len(parts) > 2:
        raise BadReference("files of a skill are read down to one folder below it")
    name = "/".join(parts)
    if name in known:
        return name
    alike = next((one for one in known if one.lower() == name.lower()), None)
    if alike:
        raise BadReference(f"there is no `{name}` beside the skill; there is `{alike}`")
    there = ", ".join(f"`{one}`" for one in known[:MOST_NAMED]) or "none"
    if len(known) > MOST_NAMED:
        there += f" and {len(known) - MOST_NAMED:,} more"
    raise BadReference(f"there is no `{name}` beside the skill; files there: {there}")


def shown(data: bytes) -> str:
    """The bytes of a file beside a skill as text, or what they are instead."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return f"[binary, {len(data):,} bytes]"
    return f"[binary, {len(data):,} bytes]" if "\0" in text else text


def _most(lines: list[str], count: Count) -> int:
    """How many whole lines stay within the tokens: by halving, since counts only grow."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(lines[:middle])) <= MAX_TOKENS:
            low = middle
        else:
            high = middle - 1
    return low
