"""The nouns of the program: values only, no I/O, nothing of ours imported but ``errors``.

Lines are 1-based everywhere; byte offsets are 0-based and end-exclusive, in the bytes of the blob as git stores it.
"""

from kodus_check.model.change import (
    Change,
    ChangedFile,
    Hunk,
    LineSet,
    Revision,
)
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
    Notice,
    Review,
    Rule,
)
from kodus_check.model.words import (
    CoverageReason,
    CoverageStatus,
    DropReason,
    FileKind,
    FileStatus,
    Mode,
    NoticeKind,
    Outcome,
    RuleStatus,
    Scope,
    Severity,
)

__all__ = [
    "Change",
    "ChangedFile",
    "Coverage",
    "CoverageReason",
    "CoverageStatus",
    "Drop",
    "DropReason",
    "Evidence",
    "FileKind",
    "FileStatus",
    "Finding",
    "Hunk",
    "LineSet",
    "Match",
    "MatchEvidence",
    "Mode",
    "Notice",
    "NoticeKind",
    "Outcome",
    "RepoPath",
    "Review",
    "Revision",
    "Rule",
    "RuleStatus",
    "Scope",
    "Severity",
    "Sha",
    "is_sha",
    "parse_sha",
]
