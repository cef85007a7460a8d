"""The fixed words of the program: what scripts may compare with. Each stands in the published schemas."""

from enum import StrEnum


class FileStatus(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"
    MODE_CHANGED = "mode_changed"


class FileKind(StrEnum):
    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    BINARY = "binary"


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for critical, 4 for info: smaller is worse."""
        return list(Severity).index(self)


class Mode(StrEnum):
    """What a finding may do: be counted only, be shown, or be shown and fail the check."""

    SHADOW = "shadow"
    COMMENT = "comment"
    GATE = "gate"


class Scope(StrEnum):
    CHANGED_LINES = "changed-lines"
    CHANGED_FILES = "changed-files"


class Outcome(StrEnum):
    CLEAN = "clean"
    FINDINGS = "findings"
    PARTIAL = "partial"
    FAILED = "failed"


class CoverageStatus(StrEnum):
    JUDGED = "judged"
    RULES_ONLY = "rules_only"
    SKIPPED = "skipped"
    NOT_SCANNED = "not_scanned"


class CoverageReason(StrEnum):
    """Why a changed file was not judged by all. The first group was rightly left alone, the second should have been judged."""

    NO_RULE = "no_rule"
    DELETED = "deleted"
    NO_CHANGED_LINES = "no_changed_lines"
    IGNORED = "ignored"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    BINARY = "binary"
    LFS_POINTER = "lfs_pointer"
    EMPTY = "empty"
    GENERATED = "generated"
    VENDORED = "vendored"
    LOCK_FILE = "lock_file"

    PATH_NOT_PLAIN = "path_not_plain"
    PATH_TOO_LONG = "path_too_long"
    INVALID_UTF8 = "invalid_utf8"
    FOREIGN_ENCODING = "foreign_encoding"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASH = "crash"
    NOT_READ = "not_read"
    MODEL_FAILED = "model_failed"


class NoticeKind(StrEnum):
    CONFIG_INVALID = "config_invalid"
    CONFIG_REPAIRED_IN_HEAD = "config_repaired_in_head"
    CHECK_CONFIGURATION_CHANGED = "check_configuration_changed"
    CHECK_CONFIGURATION_PREVIEW = "check_configuration_preview"
    GATE_LOOSENED = "gate_loosened"
    NOTHING_TO_JUDGE = "nothing_to_judge"
    NO_RULES = "no_rules"
    NOT_SCANNED = "not_scanned"
    OUT_OF_SCOPE = "out_of_scope"
    COULD_NOT_REVIEW = "could_not_review"
    RULE_REFUSED = "rule_refused"
    RULE_KEY_DROPPED = "rule_key_dropped"
    RULE_GLOB_INERT = "rule_glob_inert"
    RULE_CONSTRAINT_INERT = "rule_constraint_inert"
    RULE_LANGUAGE_MISSES = "rule_language_misses"
    RULE_LANGUAGE_UNMATCHED = "rule_language_unmatched"
    SOURCE_REFUSED = "source_refused"
    SGCONFIG_KEY_IGNORED = "sgconfig_key_ignored"
    SUPPRESSION_HONOURED = "suppression_honoured"
    SUPPRESSION_ADDED = "suppression_added"
    TEMPLATE_REFUSED = "template_refused"
    UNRELATED_HISTORIES = "unrelated_histories"
    GUIDE_REFUSED = "guide_refused"
    GUIDE_REMARK = "guide_remark"
    GUIDE_HIDDEN_TEXT = "guide_hidden_text"
    GUIDE_MISSING = "guide_missing"
    GUIDE_SHARED = "guide_shared"
    GUIDE_TRIMMED = "guide_trimmed"
    GUIDE_LEFT_OUT = "guide_left_out"
    SKILL_SHADOWED = "skill_shadowed"
    SKILL_CONTROL_UNCLEAR = "skill_control_unclear"
    SKILLS_OVER_LIMIT = "skills_over_limit"
    TOKENS_ESTIMATED = "tokens_estimated"
    MODEL_REPLY_UNREADABLE = "model_reply_unreadable"
    MODEL_NOT_ASKED = "model_not_asked"
    MODEL_FAILED = "model_failed"
    KEYS_REDACTED = "keys_redacted"
    SUPERSEDED = "superseded"
    NOT_PUBLISHED = "not_published"


class DropReason(StrEnum):
    """Why a candidate did not become a finding."""

    TEXT_NOT_AT_OFFSETS = "text_not_at_offsets"
    RULE_NOT_LOADED = "rule_not_loaded"
    FILE_NOT_CHANGED = "file_not_changed"
    LINES_NOT_CHANGED = "lines_not_changed"
    MATCHED_BEFORE = "matched_before"

    QUOTE_EMPTY = "quote_empty"
    QUOTE_HIDDEN_CHARACTERS = "quote_hidden_characters"
    QUOTE_NOT_IN_GUIDE = "quote_not_in_guide"
    QUOTE_NOT_VISIBLE = "quote_not_visible"
    QUOTE_PARTIAL_WORD = "quote_partial_word"
    QUOTE_TOO_SHORT = "quote_too_short"
    QUOTE_TOO_LONG = "quote_too_long"
    QUOTE_HEADING_ONLY = "quote_heading_only"
    QUOTE_PATH_ONLY = "quote_path_only"
    QUOTE_CODE_ONLY = "quote_code_only"
    QUOTE_CROSSES_SECTIONS = "quote_crosses_sections"
    QUOTE_PARTS_APART = "quote_parts_apart"
    GUIDE_NOT_LINKED = "guide_not_linked"
    GUIDE_AMBIGUOUS = "guide_ambiguous"
    SKILL_NOT_LOADED = "skill_not_loaded"
    FILE_NOT_ASKED = "file_not_asked"
    CODE_MISSING = "code_missing"
    CODE_NOT_FOUND = "code_not_found"
    RULE_DID_NOT_MATCH = "rule_did_not_match"
    CALL_NOT_RECORDED = "call_not_recorded"
    DUPLICATE = "duplicate"
    REFUTED = "refuted"
    UNSURE = "unsure"
    NOT_VERIFIED = "not_verified"

    @classmethod
    def of_quote(cls, reason: "QuoteReason") -> "DropReason":
        """The reason to drop a citation whose quote proves nothing."""
        return cls(str(reason) if reason in (QuoteReason.GUIDE_NOT_LINKED, QuoteReason.GUIDE_AMBIGUOUS) else f"quote_{reason}")


class RuleStatus(StrEnum):
    LOADED = "loaded"
    REFUSED = "refused"
    OFF = "off"


class QuoteReason(StrEnum):
    """Why a quote proves nothing."""

    EMPTY = "empty"
    HIDDEN_CHARACTERS = "hidden_characters"
    GUIDE_NOT_LINKED = "guide_not_linked"
    GUIDE_AMBIGUOUS = "guide_ambiguous"
    NOT_IN_GUIDE = "not_in_guide"
    NOT_VISIBLE = "not_visible"
    PARTIAL_WORD = "partial_word"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    HEADING_ONLY = "heading_only"
    PATH_ONLY = "path_only"
    CODE_ONLY = "code_only"
    CROSSES_SECTIONS = "crosses_sections"
    PARTS_APART = "parts_apart"


class EvidenceKind(StrEnum):
    """What a candidate says its proof is."""

    CITATION = "citation"
    MATCH = "match"
    CLI = "cli"
    PLUGIN = "plugin"


class Verdict(StrEnum):
    """What the second pass says of a finding: whether its rule is about this code, and the code breaks it."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNSURE = "unsure"


class BatchFailure(StrEnum):
    """Why a reviewer's batch has no usable answer."""

    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    INVALID = "invalid"
    LIMIT_REQUESTS = "limit_requests"
    LIMIT_TOKENS = "limit_tokens"
    LIMIT_COST = "limit_cost"
    LIMIT_SECONDS = "limit_seconds"
    LIMIT_TOOL_CALLS = "limit_tool_calls"
    TOO_LARGE = "too_large"
    NO_KEY = "no_key"
    UNAUTHORIZED = "unauthorized"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    REJECTED = "rejected"
