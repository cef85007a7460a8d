"""``files`` globs that match nothing at the base: the rule is dead, and nobody would see it from a clean result."""

import fnmatch
import re
from collections.abc import Iterable

from kodus_check.model import Notice, NoticeKind, RepoPath, Rule
from kodus_check.rules import languages
from kodus_check.rules.documents import globs_of


def dead_globs(rules: Iterable[Rule], paths: Iterable[RepoPath]) -> list[Notice]:
    """A notice for each loaded rule of the team none of whose ``files`` globs matches a file of the base in its language."""
    listed = list(paths)
    notices: list[Notice] = []
    for rule in rules:
        if not rule.runs or rule.source.startswith("builtin:"):
            continue
        globs = [glob for glob in globs_of(rule.text, "files") if "{" not in glob]
        own = [str(path) for path in listed if rule.language in languages.languages_in(path)]
        if not own:
            notices.append(_notice(rule, f"no file of the base is {rule.language}"))
        elif globs and not any(_pattern(glob).fullmatch(path) for glob in globs for path in own):
            names = ", ".join(f"`{glob}`" for glob in globs)
            notices.append(_notice(rule, f"{names} in `files` matches no {rule.language} file of the base"))
    return notices


def _notice(rule: Rule, why: str) -> Notice:
    message = f"`{rule.id}` has nothing to judge yet: {why}. Globs are relative to the repository root."
    return Notice(NoticeKind.RULE_GLOB_INERT, message, f"{rule.source}:{rule.line}")


def _pattern(glob: str) -> re.Pattern[str]:
    """As ast-grep reads it: a star crosses folders, and ``**/`` may be no folder at all."""
    return re.compile(fnmatch.translate(glob.replace("**/", "\0")).replace("\\\0", "(?:.*/)?").replace("\0", "(?:.*/)?"))
