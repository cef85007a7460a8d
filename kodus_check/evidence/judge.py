"""The proof of a match: the base's rule is loaded, the bytes stand in head, and the lines are changed ones."""

from kodus_check.evidence import fingerprint
from kodus_check.model import (
    ChangedFile,
    Drop,
    DropReason,
    Finding,
    Match,
    MatchEvidence,
    Mode,
    Rule,
    Scope,
)
from kodus_check.text import fold_space, mask_keys


def prove_match(match: Match, rule: Rule | None, file: ChangedFile | None, head: bytes, scope: Scope) -> MatchEvidence | Drop:
    """Evidence that ``rule`` matched ``match`` in ``head`` (the verified blob of ``file``) where the change touches it."""
    if rule is None or not rule.runs or rule.id != match.rule_id:
        return Drop(DropReason.RULE_NOT_LOADED, f"the base has no loaded rule `{match.rule_id}`", match)
    if file is None or file.path != match.path or file.new_oid is None:
        return Drop(DropReason.FILE_NOT_CHANGED, f"{match.path} is not a changed file of head", match)
    if head[match.byte_start : match.byte_end].decode("utf-8", "backslashreplace") != match.text:
        return Drop(DropReason.TEXT_NOT_AT_OFFSETS, f"{match.path} does not hold this text at byte {match.byte_start}", match)
    start = head.count(b"\n", 0, match.byte_start) + 1
    end = head.count(b"\n", 0, max(match.byte_start, match.byte_end - 1)) + 1
    if (start, end) != (match.start_line, match.end_line):
        return Drop(DropReason.TEXT_NOT_AT_OFFSETS, f"these bytes are lines {start}-{end} of {match.path}", match)
    if scope is Scope.CHANGED_LINES and not file.touches(start, end):
        return Drop(DropReason.LINES_NOT_CHANGED, f"the change does not touch lines {start}-{end} of {match.path}", match)
    return MatchEvidence(rule.id, rule.source, match.byte_start, match.byte_end, match.text, match.message)


def finding_of_match(match: Match, rule: Rule, file: ChangedFile, evidence: MatchEvidence, *, agent: str, mode: Mode) -> Finding:
    """The finding that a proved match is by itself: the rule's message and note, at the lines that matched.

    A message can hold a piece of head, and so a key; a suggestion must be exact, so one that holds a key is none.
    """
    return Finding(
        fingerprint=fingerprint.of_match(match),
        agent=agent,
        path=match.path,
        old_path=file.old_path,
        side="right",
        start_line=match.start_line,
        end_line=match.end_line,
        severity=rule.severity,
        mode=mode,
        title=mask_keys(fold_space(match.message)) or f"Rule {rule.id}",
        body=rule.note.strip(),
        evidence=evidence,
        suggestion=match.fixed if match.fixed is None or mask_keys(match.fixed) == match.fixed else None,
    )
