"""Plain text of the guides, for a terminal of 100 columns or a CI log."""

import textwrap
from collections.abc import Iterable, Iterator

from kodus_check.model.guides import Budget, Doc, Guides, LoadedDoc, Skill
from kodus_check.text import counted, log_safe, one_line, shorten

WIDTH = 100
BAR = 20
MAX_MESSAGE = 600
MAX_NAME = 200

_INDENT = " " * 10


def guides_text(guides: Guides) -> str:
    """The counts first, then skills, docs, budgets and notices. Safe to print in a terminal and in a CI log."""
    return log_safe("\n".join(_lines(guides)) + "\n")


def skills_text(skills: Iterable[Skill]) -> str:
    """One line a skill: what names it in a run and as much of its description as fits, or why it is not valid."""
    lines = []
    for skill in skills:
        if not skill.valid:
            lines.append(f"{_mark(False)} {_path(skill.path)}:{skill.line}: {shorten(one_line(skill.reason), MAX_NAME)}")
            continue
        notes = "".join(f"[{note}] " for note in _notes(skill))
        lines.append(_fitted(f"{_mark(True)} {_path(_title(skill))}  {notes}{one_line(skill.description)}".rstrip()))
    return log_safe("".join(f"{line}\n" for line in lines or ["no skill at the base"]))


def _lines(guides: Guides) -> Iterator[str]:
    base = f"{one_line(guides.base.ref)} at {guides.base.sha[:12]}" if guides.base else "no base"
    yield f"kodus-check guides: {base}"
    valid = sum(skill.valid for skill in guides.skills)
    bad = len(guides.skills) - valid
    yield (
        f"  {counted(len(guides.skills), 'skill')}: {valid:,} valid, {bad:,} not valid; {counted(len(guides.docs), 'doc')}; "
        f"{counted(len(guides.reviewers), 'reviewer')}"
    )
    yield from _section("Skills", (line for skill in guides.skills for line in _skill(skill, guides)))
    if not guides.skills:
        yield "  none: add a folder such as .agents/skills/NAME/ with a SKILL.md to the base"
    yield from _section("Docs", (line for doc in guides.docs for line in _doc(doc, guides)))
    if not guides.docs:
        yield "  none: add CONTRIBUTING.md or ARCHITECTURE.md to the base"
    if guides.budgets:
        yield from _section("Budgets", (line for budget in guides.budgets for line in _budget(budget)))
    if guides.notices:
        yield from _section("Notices", (line for one in guides.notices for line in _notice(one.subject, one.message)))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from lines


def _skill(skill: Skill, guides: Guides) -> Iterator[str]:
    if not skill.valid:
        yield from _wrapped(
            f"  {_mark(False)} ", f"{_path(skill.path)}:{skill.line}: Not a valid skill: {_prose(skill.reason)}", _INDENT
        )
        return
    notes = "".join(f"  [{note}]" for note in _notes(skill))
    yield f"  {_mark(True)} {_path(_title(skill))}{notes}"
    yield from _wrapped(_INDENT, _path(skill.path), _INDENT)
    if skill.description:
        yield _fitted(f"{_INDENT}{one_line(skill.description)}")
    size = [_tokens(skill.tokens), counted(skill.lines, "line"), *([counted(len(skill.files), "file")] if skill.files else [])]
    yield from _wrapped(
        _INDENT, "; ".join([", ".join(size), *_reach(skill.scope, guides.followed_by.get(skill.path, ()))]), _INDENT
    )
    if skill.twin_of:
        yield from _wrapped(_INDENT, f"takes its place: {_path(skill.twin_of)}", _INDENT)
    for fault in skill.invocation.diagnostics:
        yield from _wrapped(_INDENT, _prose(fault), _INDENT)


def _doc(doc: Doc, guides: Guides) -> Iterator[str]:
    if not doc.valid:
        yield from _wrapped(f"  {_mark(False)} ", f"{_path(doc.path)}: {_prose(doc.reason)}", _INDENT)
        return
    yield f"  {_mark(True)} {_path(doc.path)}{'  [also a rules file]' if doc.rules_file else ''}"
    size = f"{_tokens(doc.tokens)}, {counted(doc.lines, 'line')}"
    yield from _wrapped(_INDENT, "; ".join([size, *_reach(doc.scope, guides.followed_by.get(doc.path, ()))]), _INDENT)


def _budget(budget: Budget) -> Iterator[str]:
    yield f"  {_path(budget.reviewer)}" + (f" in {_path(budget.folder)}/" if budget.folder else "")
    yield _bar("skills", budget.skills_linked, budget.skills_linked, budget.skills_limit)
    yield _bar("docs", len(budget.docs), len(budget.docs), budget.docs_limit)
    yield _bar("tokens", budget.tokens, budget.tokens_linked, budget.tokens_limit)
    for one in budget.docs:
        if fate := _fate(one):
            yield from _wrapped("    ", f"{_path(one.doc.path)}: {fate}", "      ")


def _bar(label: str, used: int, linked: int, limit: int) -> str:
    # Rounded up, so that a little is not shown as nothing.
    filled = min(BAR, -(-BAR * used // limit)) if limit else BAR * bool(used)
    over = f"  OVER: {linked:,} linked" if linked > limit else ""
    return f"    {label:6} [{'#' * filled}{'.' * (BAR - filled)}]  {used:,} of {limit:,}{over}"


def _fate(one: LoadedDoc) -> str:
    """What is lost of a linked doc; empty when nothing is."""
    if not one.doc.valid:
        return f"not loaded: {_prose(one.doc.reason)}"
    if one.whole:
        return ""
    if one.left_out:
        return f"left out: {_tokens(one.doc.tokens)}, {counted(one.doc.lines, 'line')}"
    return f"trimmed to {one.tokens:,} of {_tokens(one.doc.tokens)}, {one.lines:,} of {counted(one.doc.lines, 'line')}"


def _notice(subject: str, message: str) -> Iterator[str]:
    about = f"{_path(subject)}: " if subject and subject not in message else ""
    yield from _wrapped("  - ", f"{about}{_prose(message)}", "    ")


def _notes(skill: Skill) -> Iterator[str]:
    """What else people must know of a skill, whether it is valid or not."""
    match (skill.invocation.model, skill.invocation.user):
        case (False, False):
            yield "switched off"
        case (False, True):
            yield "manual only"
        case (True, False):
            yield "model only"
    if skill.twin_of:
        yield "twin"


def _reach(scope: str, reviewers: tuple[str, ...]) -> Iterator[str]:
    if scope:
        yield f"for {_path(scope)}/"
    yield f"followed by {', '.join(map(_path, reviewers))}" if reviewers else "followed by nobody"


def _mark(valid: bool) -> str:
    return "ok     " if valid else "INVALID"


def _title(skill: Skill) -> str:
    return skill.id or skill.name or skill.path


def _tokens(tokens: int | None) -> str:
    return "tokens not counted" if tokens is None else counted(tokens, "token")


def _path(text: str) -> str:
    return shorten(one_line(text), MAX_NAME)


def _prose(text: str) -> str:
    return shorten(one_line(text), MAX_MESSAGE)


def _fitted(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _wrapped(first: str, text: str, later: str) -> Iterator[str]:
    # A path longer than a line stays whole: people copy it.
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
