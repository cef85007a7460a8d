"""The JSON documents that scripts rely on. Their schemas are in ``schemas/``; a change there is a major version."""

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kodus_check.model import (
    AgentRun,
    Candidate,
    Change,
    ChangedFile,
    CitationEvidence,
    Drop,
    Evidence,
    Finding,
    Match,
    Notice,
    RepoPath,
    Review,
    Revision,
    Rule,
)
from kodus_check.text import json_log_safe

VERSION = 1


def dump(document: dict[str, Any] | list[dict[str, Any]]) -> str:
    """The text of a document: ASCII, stable order, safe in a CI log."""
    return json_log_safe(json.dumps(document, indent=2)) + "\n"


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a document: ``review``, ``changes`` or ``rules``."""
    text = (Path(__file__).parent / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def review_document(review: Review) -> dict[str, Any]:
    """The Review document of ``run --format json``."""
    return {
        "version": VERSION,
        "outcome": str(review.outcome),
        "base": _revision(review.base),
        "head": {"sha": review.head.sha} if review.head else None,
        "merge_base": review.merge_base,
        "config": {"sha": review.config_sha, "sources": list(review.config_sources)},
        "findings": [_finding(finding) for finding in review.findings],
        "dropped": [_drop(drop) for drop in review.drops],
        "notices": _notices(review.notices),
        "coverage": {
            "files": [
                {**_path(one.path), "status": str(one.status), "reason": str(one.reason) if one.reason else None}
                for one in review.coverage
            ]
        },
        "agents": [_agent(run) for run in review.agents],
        "timings": dict(review.timings),
    }


def changes_document(change: Change) -> dict[str, Any]:
    """The document of ``changes``."""
    return {
        "version": VERSION,
        "base": _revision(change.base),
        "head": _revision(change.head),
        "merge_base": change.merge_base,
        "files": [_changed_file(file) for file in change.files],
    }


def rules_document(sources: Iterable[tuple[str, int, int]], rules: Iterable[Rule], notices: Iterable[Notice]) -> dict[str, Any]:
    """The document of ``rules``; ``sources`` are (name, bytes, limit)."""
    return {
        "version": VERSION,
        "sources": [{"source": name, "bytes": size, "limit": limit} for name, size, limit in sources],
        "rules": [
            {
                "id": rule.id,
                "language": rule.language,
                "severity": str(rule.severity),
                "status": str(rule.status),
                "reason": rule.reason or None,
                "source": rule.source,
                "line": rule.line,
            }
            for rule in rules
        ],
        "notices": _notices(notices),
    }


def rule_tests_document(
    results: Iterable[tuple[str, str, tuple[str, ...]]], untested: Iterable[str], problems: Iterable[str]
) -> dict[str, Any]:
    """The document of ``rules test``; ``results`` are (rule id, place of the test, problems)."""
    return {
        "version": VERSION,
        "tests": [
            {"id": rule_id, "where": where, "passed": not faults, "problems": list(faults)} for rule_id, where, faults in results
        ],
        "untested": list(untested),
        "problems": list(problems),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "fingerprint": finding.fingerprint,
        "agent": finding.agent,
        **_path(finding.path),
        "old_path": str(finding.old_path) if finding.old_path else None,
        "side": finding.side,
        "start_line": finding.start_line,
        "end_line": finding.end_line,
        "severity": str(finding.severity),
        "mode": str(finding.mode),
        "title": finding.title,
        "body": finding.body,
        "evidence": _evidence(finding.evidence),
        **({"suggestion": finding.suggestion} if finding.suggestion is not None else {}),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    if isinstance(evidence, CitationEvidence):
        return {
            "kind": "citation",
            "guide": evidence.path,
            "skill": evidence.skill or None,
            "start_line": evidence.start_line,
            "end_line": evidence.end_line,
            "text": evidence.text,
            "headings": list(evidence.trail),
        }
    return {
        "kind": "match",
        "rule_id": evidence.rule_id,
        "source": evidence.source,
        "byte_start": evidence.byte_start,
        "byte_end": evidence.byte_end,
        "text": evidence.text,
        "message": evidence.message,
    }


def _agent(run: AgentRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "requests": run.requests,
        "tokens": run.tokens,
        "cost_usd": run.cost_usd,
        "seconds": run.seconds,
    }


def _drop(drop: Drop) -> dict[str, Any]:
    return {"reason": str(drop.reason), "detail": drop.detail, "candidate": _candidate(drop.candidate)}


def _candidate(one: Match | Candidate) -> dict[str, Any]:
    """What a candidate said of itself. A model's own words are kept as it wrote them, for looking into a drop."""
    lines = {"start_line": one.start_line, "end_line": one.end_line}
    if isinstance(one, Match):
        return {"evidence": "match", "rule_id": one.rule_id, **_path(one.path), **lines}
    told = {
        "agent": one.agent,
        "guide": one.guide,
        "quote": one.quote,
        "rule_id": one.rule_id,
        "call_id": one.call_id,
        "side": one.side,
        "title": one.title,
    }
    said = {key: value for key, value in told.items() if value is not None}
    return {"evidence": str(one.evidence), "path": one.path, **lines, **said}


def _changed_file(file: ChangedFile) -> dict[str, Any]:
    return {
        **_path(file.path),
        "old_path": str(file.old_path) if file.old_path else None,
        "status": str(file.status),
        "kind": str(file.kind),
        "hunks": [
            {
                "old_start": hunk.old_start,
                "old_lines": hunk.old_lines,
                "new_start": hunk.new_start,
                "new_lines": hunk.new_lines,
            }
            for hunk in file.hunks
        ],
        "added": list(file.added),
        "removed": list(file.removed),
        "commentable": {"right": list(file.right), "left": list(file.removed)},
    }


def _revision(revision: Revision | None) -> dict[str, str] | None:
    return {"ref": revision.ref, "sha": revision.sha} if revision else None


def _path(path: RepoPath) -> dict[str, str]:
    if path.is_utf8:
        return {"path": str(path)}
    return {"path": str(path), "path_b64": base64.b64encode(path.raw).decode()}


def _notices(notices: Iterable[Notice]) -> list[dict[str, str]]:
    return [{"kind": str(one.kind), "message": one.message, "subject": one.subject} for one in notices]
