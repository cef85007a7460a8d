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


class DropReason(StrEnum):
    """Why a candidate did not become a finding."""

    TEXT_NOT_AT_OFFSETS = "text_not_at_offsets"
    RULE_NOT_LOADED = "rule_not_loaded"
    FILE_NOT_CHANGED = "file_not_changed"
    LINES_NOT_CHANGED = "lines_not_changed"
    MATCHED_BEFORE = "matched_before"


class RuleStatus(StrEnum):
    LOADED = "loaded"
    REFUSED = "refused"
    OFF = "off"
