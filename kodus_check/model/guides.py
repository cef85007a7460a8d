"""Guides: the skills and docs that a team keeps, as they stand at the base, and who follows them."""

from dataclasses import dataclass, field

from kodus_check.model.change import Revision
from kodus_check.model.notice import Notice
from kodus_check.model.paths import RepoPath, Sha
from kodus_check.model.words import QuoteReason


@dataclass(frozen=True, slots=True)
class Invocation:
    """Who may load a skill: a model by itself, a person by naming it. ``diagnostics`` say why a declaration could not be read."""

    model: bool = True
    user: bool = True
    diagnostics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuideFile:
    """A file of a guide. ``path`` is relative to the skill's own folder for its neighbours; ``oid`` is None for what ships."""

    path: str
    oid: Sha | None
    where: RepoPath | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill at the base and its fate.

    ``path`` is the path of its ``SKILL.md`` or agent file, or ``builtin:NAME``; ``id`` is what names it in a run: its name, or
    folder and name where another folder has one of the same name. ``reason`` says why it is no valid skill ("" when it is),
    with the 1-based ``line`` of the fault; ``scope`` is the folder whose files it speaks of ("" for all). ``data`` are the bytes
    of the file; ``body`` the offset behind its frontmatter. ``twin_of`` is the path of the skill that takes its place.
    """

    path: str
    name: str = ""
    id: str = ""
    description: str = ""
    reason: str = ""
    line: int = 1
    scope: str = ""
    invocation: Invocation = Invocation()
    triggers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    order: int = 0
    files: tuple[GuideFile, ...] = ()
    data: bytes = field(default=b"", repr=False)
    body: int = 0
    lines: int = 0
    tokens: int | None = None
    oid: Sha | None = None
    twin_of: str = ""

    @property
    def valid(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class Doc:
    """One doc at the base and its fate. ``rules_file``: other agents read it as their rules too. ``scope`` as for a skill."""

    path: str
    reason: str = ""
    scope: str = ""
    rules_file: bool = False
    data: bytes = field(default=b"", repr=False)
    lines: int = 0
    tokens: int | None = None
    oid: Sha | None = None

    @property
    def valid(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class LoadedDoc:
    """A doc as a reviewer gets it: its first ``lines`` lines, ``tokens`` of ``of_tokens``. Zero lines: left out."""

    doc: Doc
    lines: int
    tokens: int

    @property
    def whole(self) -> bool:
        return self.lines == self.doc.lines

    @property
    def left_out(self) -> bool:
        return self.lines == 0


@dataclass(frozen=True, slots=True)
class Budget:
    """What one reviewer may follow and what it does follow. ``folder`` is the configured folder it holds for ("" for the root).

    ``skills_linked`` are the ids that the configuration names, at most ``skills_limit`` of which are followed; skills that were
    only discovered are not counted. ``docs`` holds every linked doc in order, with what is left of it.
    """

    reviewer: str
    folder: str
    skills_linked: int
    skills_limit: int
    docs: tuple[LoadedDoc, ...]
    docs_limit: int
    tokens_limit: int

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.docs)

    @property
    def tokens_linked(self) -> int:
        return sum(one.doc.tokens or 0 for one in self.docs)


@dataclass(frozen=True, slots=True)
class Guides:
    """Every guide at the base. ``followed_by`` gives the reviewers of each path, ``reviewers`` all there are, in order."""

    base: Revision | None
    skills: tuple[Skill, ...]
    docs: tuple[Doc, ...]
    budgets: tuple[Budget, ...]
    reviewers: tuple[str, ...]
    followed_by: dict[str, tuple[str, ...]]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The verdict on one quote.

    Verified: ``path`` is the guide that holds it, ``start_line..end_line`` the 1-based lines of the whole sentences or items that
    hold it, ``text`` these in the guide's own words with what leads in to them, ``trail`` the headings above, outermost first;
    ``start`` is the first of those sentences, folded and without what leads in to it.
    Otherwise ``reason`` is a fixed word and ``detail`` says it in a sentence.
    """

    path: str
    reason: QuoteReason | None = None
    detail: str = ""
    start_line: int = 0
    end_line: int = 0
    text: str = ""
    trail: tuple[str, ...] = ()
    start: str = ""

    @property
    def verified(self) -> bool:
        return self.reason is None
