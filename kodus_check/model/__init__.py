"""The nouns of the program: values only, no I/O, nothing of ours imported but ``errors``.

Lines are 1-based everywhere; byte offsets are 0-based and end-exclusive, in the bytes of the blob as git stores it.
"""

from kodus_check.model.agents import AgentRun, Candidate, FailedBatch, Proposed
from kodus_check.model.change import (
    Change,
    ChangedFile,
    Hunk,
    LineSet,
    Revision,
)
from kodus_check.model.guides import (
    Budget,
    Doc,
    GuideFile,
    Guides,
    Invocation,
    LoadedDoc,
    QuoteCheck,
    Skill,
)
from kodus_check.model.notice import Notice
from kodus_check.model.paths import (
    RepoPath,
    Sha,
    is_sha,
    parse_sha,
)
from kodus_check.model.review import (
    Coverage,
    Drop,
    Evidence,
    Finding,
    Match,
    MatchEvidence,
    Review,
    Rule,
)
from kodus_check.model.words import (
    BatchFailure,
    CoverageReason,
    CoverageStatus,
    DropReason,
    EvidenceKind,
    FileKind,
    FileStatus,
    Mode,
    NoticeKind,
    Outcome,
    QuoteReason,
    RuleStatus,
    Scope,
    Severity,
)

__all__ = [
    "AgentRun",
    "BatchFailure",
    "Budget",
    "Candidate",
    "Change",
    "ChangedFile",
    "Coverage",
    "CoverageReason",
    "CoverageStatus",
    "Doc",
    "Drop",
    "DropReason",
    "Evidence",
    "EvidenceKind",
    "FailedBatch",
    "FileKind",
    "FileStatus",
    "Finding",
    "GuideFile",
    "Guides",
    "Hunk",
    "Invocation",
    "LineSet",
    "LoadedDoc",
    "Match",
    "MatchEvidence",
    "Mode",
    "Notice",
    "NoticeKind",
    "Outcome",
    "Proposed",
    "QuoteCheck",
    "QuoteReason",
    "RepoPath",
    "Review",
    "Revision",
    "Rule",
    "RuleStatus",
    "Scope",
    "Severity",
    "Sha",
    "Skill",
    "is_sha",
    "parse_sha",
]
