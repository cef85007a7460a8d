"""What happened to each changed file: judged by the rules, rightly left alone, or not scanned though it should have been."""

from collections.abc import Collection, Iterable, Iterator

from kodus_check.generated import GeneratedFiles
from kodus_check.git.trees import LFS_POINTER
from kodus_check.model import Change, ChangedFile, Coverage, CoverageReason, CoverageStatus, FileKind, FileStatus, RepoPath, Scope
from kodus_check.plan import Plan
from kodus_check.rules.ruleset import RuleSet
from kodus_check.rules.scan import ScanResult, scannable

_KINDS = {FileKind.SYMLINK: CoverageReason.SYMLINK, FileKind.SUBMODULE: CoverageReason.SUBMODULE}


def head_lines_to_judge(file: ChangedFile, plan: Plan, data: bytes) -> bool:
    """Whether this file of head has lines that a rule could speak of."""
    if file.kind in _KINDS or file.status is FileStatus.DELETED or data.startswith(LFS_POINTER):
        return False
    if plan.scope_of(file.path) is Scope.CHANGED_FILES:
        return True
    edited_binary = file.kind is FileKind.BINARY and file.status in (FileStatus.MODIFIED, FileStatus.RENAMED)
    return bool(file.added or file.cuts) or (edited_binary and file.old_oid != file.new_oid)


def coverage_of(change: Change, plan: Plan, rules: RuleSet, result: ScanResult, generated: GeneratedFiles) -> Iterator[Coverage]:
    """The coverage of every changed file, in the order of the change. What nobody writes by hand is for the rules alone."""
    languages = rules.languages
    for file in change.files:
        status, reason = _fate(file, plan, languages, result)
        if status is CoverageStatus.RULES_ONLY:
            reason = generated.kind_of(file.path)
        yield Coverage(file.path, status, reason)


def with_model(
    coverage: Iterable[Coverage], answered: Collection[RepoPath], unanswered: Collection[RepoPath]
) -> Iterator[Coverage]:
    """The coverage with what the model judged, and what it should have judged and did not."""
    for one in coverage:
        judged = one.status in (CoverageStatus.RULES_ONLY, CoverageStatus.SKIPPED)
        if one.path in unanswered and judged:
            yield Coverage(one.path, one.status, CoverageReason.MODEL_FAILED)
        elif one.path in answered and judged:
            yield Coverage(one.path, CoverageStatus.JUDGED)
        else:
            yield one


def _fate(
    file: ChangedFile, plan: Plan, languages: frozenset[str], result: ScanResult
) -> tuple[CoverageStatus, CoverageReason | None]:
    reason = result.not_scanned.get(file.path)
    if reason is CoverageReason.EMPTY:
        return CoverageStatus.SKIPPED, reason
    if reason is not None:
        return CoverageStatus.NOT_SCANNED, reason
    if file.path in result.unruled:
        return CoverageStatus.SKIPPED, CoverageReason.NO_RULE
    if file.path in result.read:
        return CoverageStatus.RULES_ONLY, None
    if plan.ignores(file.path):
        return CoverageStatus.SKIPPED, CoverageReason.IGNORED
    if file.kind in _KINDS:
        return CoverageStatus.SKIPPED, _KINDS[file.kind]
    if file.status is FileStatus.DELETED:
        return CoverageStatus.SKIPPED, CoverageReason.DELETED
    if not scannable(file.path, languages):
        return CoverageStatus.SKIPPED, CoverageReason.BINARY if file.kind is FileKind.BINARY else CoverageReason.NO_RULE
    if file.oversize:
        return CoverageStatus.NOT_SCANNED, CoverageReason.TOO_LARGE
    if file.added or file.cuts:
        return CoverageStatus.SKIPPED, CoverageReason.LFS_POINTER
    return CoverageStatus.SKIPPED, CoverageReason.NO_CHANGED_LINES
