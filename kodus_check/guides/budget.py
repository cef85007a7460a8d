"""How many guides a reviewer may follow, and what of its docs fits: whole blocks from the top, never half a list or table."""

from collections.abc import Iterable, Sequence

from kodus_check.guides import tokens
from kodus_check.guides.frontmatter import decoded
from kodus_check.guides.skills import Count
from kodus_check.mdtext.blocks import borders
from kodus_check.model import Budget, Doc, LoadedDoc, Notice, NoticeKind
from kodus_check.text import counted

MAX_SKILLS, MAX_DOCS, MAX_DOC_TOKENS = 20, 10, 20_000
MOST_NAMED = 5
WORTH_LOADING = 40
"""Tokens below which the beginning of a doc says nothing."""


def fit(
    docs: Iterable[Doc], *, most: int = MAX_DOCS, limit: int = MAX_DOC_TOKENS, count: Count = tokens.count
) -> tuple[LoadedDoc, ...]:
    """What is loaded of each doc, in order: all of it while it fits, else its first blocks, else nothing."""
    out: list[LoadedDoc] = []
    left = limit
    for number, doc in enumerate(docs):
        size = doc.tokens or 0
        if number >= most:
            loaded = LoadedDoc(doc, 0, 0)
        elif size <= left:
            loaded = LoadedDoc(doc, doc.lines, size)
        else:
            loaded = _trimmed(doc, left, count)
        left -= loaded.tokens
        out.append(loaded)
    return tuple(out)


def shown_lines(loaded: LoadedDoc) -> list[str]:
    """The lines of a doc that are loaded, without their ends."""
    return decoded(loaded.doc.data).replace("\r\n", "\n").split("\n")[: loaded.lines]


def budget_notices(budget: Budget, *, asked: bool) -> list[Notice]:
    """That docs were cut or left out, or that too many guides are linked; ``asked`` says that a configuration links them."""
    where = f" in `{budget.folder}`" if budget.folder else ""
    remedy = "Link fewer or shorter docs, or make a skill of it." if asked else "Link what matters in `.kodus-check.yml`."
    notices = [
        Notice(
            NoticeKind.GUIDE_TRIMMED,
            f"For `{budget.reviewer}`{where} `{one.doc.path}` is cut after line {one.lines:,} of {one.doc.lines:,} "
            f"({one.tokens:,} of {one.doc.tokens or 0:,} tokens): one reviewer may have {budget.tokens_limit:,}. {remedy}",
            one.doc.path,
        )
        for one in budget.docs
        if not one.whole and not one.left_out
    ]
    gone = [one.doc for one in budget.docs if one.left_out]
    if gone:
        named = ", ".join(f"`{doc.path}` ({doc.tokens or 0:,} tokens)" for doc in gone[:MOST_NAMED])
        more = f" and {len(gone) - MOST_NAMED:,} more" if len(gone) > MOST_NAMED else ""
        notices.append(
            Notice(
                NoticeKind.GUIDE_LEFT_OUT,
                f"For `{budget.reviewer}`{where} {counted(len(gone), 'linked doc')} did not fit: {named}{more}. "
                f"One reviewer may have {budget.docs_limit} docs and {budget.tokens_limit:,} tokens of them. {remedy}",
                gone[0].path if len(gone) == 1 else budget.reviewer,
            )
        )
    if budget.skills_linked > budget.skills_limit:
        notices.append(
            Notice(
                NoticeKind.SKILLS_OVER_LIMIT,
                f"`{budget.reviewer}`{where} links {counted(budget.skills_linked, 'skill')}; only the first {budget.skills_limit} "
                "are followed. Link fewer, or split the reviewer.",
                budget.reviewer,
            )
        )
    return notices


def _trimmed(doc: Doc, left: int, count: Count) -> LoadedDoc:
    text = decoded(doc.data).replace("\r\n", "\n")
    lines = text.split("\n")
    best = (0, 0)
    for line in _likely(borders(text), lines, left, count):
        size = count("\n".join(lines[:line]) + "\n")
        if size <= left:
            best = (line, size)
            break
    return LoadedDoc(doc, *best) if best[1] >= WORTH_LOADING else LoadedDoc(doc, 0, 0)


def _likely(ends: Sequence[int], lines: list[str], left: int, count: Count) -> list[int]:
    """The borders that may fit, the farthest first. Pieces are counted alone; their sum is near the count of the whole."""
    total = start = 0
    fitting: list[int] = []
    for end in ends:
        total += count("\n".join(lines[start:end]) + "\n")
        if total > left * 1.05 + 16:
            break
        fitting.append(end)
        start = end
    return fitting[::-1]
