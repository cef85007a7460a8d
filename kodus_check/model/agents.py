"""What a model proposes, and what asking it cost. Nothing here is published: a candidate becomes a finding only by evidence."""

from dataclasses import dataclass, field

from kodus_check.model.notice import Notice
from kodus_check.model.paths import RepoPath
from kodus_check.model.words import BatchFailure, EvidenceKind, Severity


@dataclass(frozen=True, slots=True)
class Candidate:
    """One item that a model reported, with what it says its proof is. Every field but ``agent`` is the model's own word.

    ``path`` is a text that names no file until it was looked up; ``guide_lines`` and ``start_line..end_line`` are 1-based.
    """

    agent: str
    evidence: EvidenceKind
    path: str
    start_line: int
    end_line: int
    title: str
    body: str
    severity: Severity
    side: str = "right"
    guide: str | None = None
    guide_lines: tuple[int, int] | None = None
    quote: str | None = None
    rule_id: str | None = None
    call_id: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A part of the change that a reviewer was asked about without a usable answer; ``paths`` are its files as they are shown."""

    agent: str
    reason: BatchFailure
    detail: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentRun:
    """What one reviewer did and cost: ``input_tokens`` without the cached ones; ``cost_usd`` is None where no price is known."""

    name: str
    requests: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float | None
    seconds: float
    tool_calls: int = 0
    batches: int = 0

    @property
    def tokens(self) -> int:
        """Uncached input and output."""
        return self.input_tokens + self.output_tokens


@dataclass
class Proposed:
    """What all reviewers proposed. ``answered`` are files that every batch which holds them has an answer for."""

    candidates: list[Candidate] = field(default_factory=list)
    failed: list[FailedBatch] = field(default_factory=list)
    runs: list[AgentRun] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    answered: set[RepoPath] = field(default_factory=set)
    unanswered: set[RepoPath] = field(default_factory=set)
