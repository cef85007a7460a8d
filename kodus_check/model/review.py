"""Rules, matches, evidence, findings, and the Review that holds all that a run found out."""

from dataclasses import dataclass, field

from kodus_check.model.agents import AgentRun, Candidate
from kodus_check.model.change import ChangedFile, Revision
from kodus_check.model.guides import Guides
from kodus_check.model.notice import Notice
from kodus_check.model.paths import RepoPath, Sha
from kodus_check.model.words import CoverageReason, CoverageStatus, DropReason, Mode, Outcome, RuleStatus, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule document at the base and its fate. ``line`` is where it starts in its source; ``text`` is what ast-grep gets.

    ``mode`` is what ``metadata.mode`` asks for; None leaves it to the configuration.
    """

    id: str
    language: str
    severity: Severity
    status: RuleStatus
    source: str
    line: int
    reason: str = ""
    text: str = field(default="", repr=False)
    mode: Mode | None = None
    note: str = ""

    @property
    def runs(self) -> bool:
        return self.status is RuleStatus.LOADED


@dataclass(frozen=True, slots=True)
class Match:
    """What ast-grep reported for one rule in one file of head, with lines that this program computed from the offsets.

    ``text`` is the head's own bytes between the offsets. ``fixed`` are lines ``start_line..end_line`` with the rule's fix applied,
    without the last newline. ``ordinal`` counts equal matches (rule, path, folded text) from 0.
    """

    rule_id: str
    path: RepoPath
    byte_start: int
    byte_end: int
    start_line: int
    end_line: int
    text: str
    message: str
    fixed: str | None = None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """A rule of the base matched these bytes of head. Made by ``evidence`` alone, which checked the bytes."""

    rule_id: str
    source: str
    byte_start: int
    byte_end: int
    text: str
    message: str

    @property
    def name(self) -> str:
        """What the finding goes by where it is listed."""
        return self.rule_id


@dataclass(frozen=True, slots=True)
class CitationEvidence:
    """A guide of the base says so. Made by ``evidence`` alone, which found the quote in the guide's bytes.

    ``text`` are the guide's own words, ``start_line..end_line`` its 1-based lines of the sentences that hold the quote, ``trail``
    the headings above, outermost first. ``start`` is the first of those sentences, folded: what the rule is recognised by.
    ``skill`` is the id of the skill that the guide belongs to ("" for a doc); ``in_repository`` is false for a guide that ships.
    """

    path: str
    start_line: int
    end_line: int
    text: str
    start: str
    trail: tuple[str, ...] = ()
    skill: str = ""
    in_repository: bool = True

    @property
    def name(self) -> str:
        """What the finding goes by where it is listed."""
        return self.path

    @property
    def source(self) -> str:
        """Where it stands."""
        return f"{self.path}:{self.start_line}"


Evidence = MatchEvidence | CitationEvidence


@dataclass(frozen=True, slots=True)
class Finding:
    """What is published. It cannot be built without evidence; ``start_line..end_line`` are lines of ``path`` on ``side``.

    ``suggestion`` replaces exactly these lines. ``code`` are these lines as they are shown, where the evidence does not hold them.
    """

    fingerprint: str
    agent: str
    path: RepoPath
    old_path: RepoPath | None
    side: str
    start_line: int
    end_line: int
    severity: Severity
    mode: Mode
    title: str
    body: str
    evidence: Evidence
    suggestion: str | None = None
    code: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.evidence, Evidence):
            raise TypeError("a finding needs evidence")


@dataclass(frozen=True, slots=True)
class Drop:
    """A candidate that did not become a finding, and why."""

    reason: DropReason
    detail: str
    candidate: Match | Candidate


@dataclass(frozen=True, slots=True)
class Coverage:
    """What happened to one changed file."""

    path: RepoPath
    status: CoverageStatus
    reason: CoverageReason | None = None


@dataclass(frozen=True, slots=True)
class Publishing:
    """What the base says of publishing: ``inline`` new comments at most, a ``summary`` comment or none. ``key`` names the job."""

    key: str
    inline: int = 30
    summary: bool = True


@dataclass(frozen=True, slots=True)
class Review:
    """Everything that a run found out: the only thing that passes from judging to rendering and publishing.

    ``fails`` says that a gating finding reaches ``fail_on``, ``gate_open`` that a file which a gating rule should have judged
    was not scanned and ``on_unscanned`` is ``fail``.
    """

    outcome: Outcome
    base: Revision | None
    head: Revision | None
    merge_base: Sha | None
    config_sha: Sha | None
    config_sources: tuple[str, ...]
    findings: tuple[Finding, ...]
    drops: tuple[Drop, ...]
    notices: tuple[Notice, ...]
    coverage: tuple[Coverage, ...]
    rules: tuple[Rule, ...]
    timings: dict[str, float]
    gate_open: bool = False
    fails: bool = False
    agents: tuple[AgentRun, ...] = ()
    not_judged: tuple[RepoPath, ...] = ()
    """Files that the model should have judged and did not."""
    model: str = ""
    """The model that was asked ("" for none)."""
    guides: Guides | None = None
    """Every guide at the base with who follows it, where a model was asked."""
    files: tuple[ChangedFile, ...] = ()
    """The changed files, for placing comments."""
    publishing: Publishing | None = None
    blob_url: str = ""
    """What an address of a file at a commit starts with (``https://github.com/o/r/blob/``); "" where it is not known."""
