"""The stage that judges what the model proposed: each candidate becomes a finding with proof, or a drop with one reason.

A claim about a file, a line, a guide or a rule counts only where it is true by our own look at the commits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kodus_check.agent.reviewer import Asked, Task
from kodus_check.agent.tools import beside
from kodus_check.asking import MAX_TEXT, Asking
from kodus_check.evidence.anchor import NoAnchor, Sides, find_anchor
from kodus_check.evidence.citation import Citable, finding_of_citation, prove_citation, same_rule
from kodus_check.evidence.quote import Guide
from kodus_check.git.objects import ObjectStore
from kodus_check.guides import builtin
from kodus_check.model import (
    Candidate,
    Change,
    ChangedFile,
    CitationEvidence,
    Drop,
    DropReason,
    EvidenceKind,
    Finding,
    Match,
    MatchEvidence,
    RepoPath,
)
from kodus_check.plan import Plan
from kodus_check.text import one_line


@dataclass
class Judged:
    """``proved`` wait for the second pass, each with the candidate it was made of and the sides of its file."""

    proved: list[tuple[Finding, Candidate, Sides]] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)


class Judge:
    """Judges the candidates of one run. ``matched`` are the findings that rules made, ``matches`` all that rules matched."""

    def __init__(
        self,
        store: ObjectStore,
        change: Change,
        plan: Plan,
        asking: Asking,
        asked: Sequence[Asked],
        matched: Sequence[Finding],
        matches: Mapping[RepoPath, Sequence[Match]],
        rule_ids: Iterable[str],
    ) -> None:
        self._store = store
        self._change = change
        self._plan = plan
        self._asking = asking
        self._matched = matched
        self._matches = matches
        self._rule_ids = frozenset(rule_ids)
        self._tasks = {(one.task.agent, path): one.task for one in asked for path in one.batch.paths}
        self._names: dict[str, dict[str, ChangedFile]] = {}
        self._sides: dict[RepoPath, Sides] = {}
        self._citable: dict[int, Citable] = {}

    def judge(self, candidates: Iterable[Candidate]) -> Judged:
        """What becomes of each candidate, in order."""
        out = Judged()
        for candidate in candidates:
            judged = self._judge(candidate)
            if isinstance(judged, Finding):
                twin = self._twin(judged, candidate, [finding for finding, _, _ in out.proved])
                if twin is None:
                    out.proved.append((judged, candidate, self._sides[judged.path]))
                    continue
                judged = Drop(DropReason.DUPLICATE, twin, candidate)
            out.drops.append(judged)
        return out

    def _judge(self, candidate: Candidate) -> Finding | Drop:
        file = self._file(candidate)
        if isinstance(file, Drop):
            return file
        if candidate.evidence is EvidenceKind.MATCH:
            return self._match(candidate, file)
        if candidate.evidence is not EvidenceKind.CITATION:
            return Drop(
                DropReason.CALL_NOT_RECORDED, f"This run has no recorded call `{one_line(candidate.call_id or '')}`.", candidate
            )
        evidence = prove_citation(candidate, self._citable_by(self._tasks[candidate.agent, file.path]))
        if isinstance(evidence, Drop):
            return evidence
        sides = self.sides_of(file)
        anchor = find_anchor(candidate, sides)
        if isinstance(anchor, NoAnchor):
            return Drop(anchor.reason, anchor.detail, candidate)
        return finding_of_citation(candidate, evidence, anchor, sides, mode=self._plan.mode_of_model(candidate.agent, file.path))

    def _file(self, candidate: Candidate) -> ChangedFile | Drop:
        """The changed file that a candidate names, among those that its reviewer was asked about."""
        known = self._names.setdefault(candidate.agent, self._named(candidate.agent))
        name = candidate.path.strip().strip("`'\"").strip()
        for variant in (name, name.replace("\\", "/"), name.removeprefix("./"), name[2:] if name[:2] in ("a/", "b/") else name):
            if variant in known:
                return known[variant]
        if any(name in (str(file.path), one_line(str(file.path))) for file in self._change.files):
            return Drop(DropReason.FILE_NOT_ASKED, f"`{candidate.agent}` was not asked about this file.", candidate)
        return Drop(DropReason.FILE_NOT_CHANGED, "The change does not touch such a file.", candidate)

    def _named(self, agent: str) -> dict[str, ChangedFile]:
        files = [file for file in self._change.files if (agent, file.path) in self._tasks]
        out: dict[str, ChangedFile] = {}
        for file in files:
            if file.old_path is not None:
                out.setdefault(str(file.old_path), file)
                out.setdefault(one_line(str(file.old_path)), file)
        for file in files:
            out[one_line(str(file.path))] = file
        return {**out, **{str(file.path): file for file in files}}

    def _match(self, candidate: Candidate, file: ChangedFile) -> Drop:
        """A match that proves something is a finding of its rule already, which needs nobody's word."""
        rule_id = (candidate.rule_id or "").strip().strip("`")
        if rule_id not in self._rule_ids:
            return Drop(DropReason.RULE_NOT_LOADED, f"The base has no loaded rule `{one_line(rule_id)}`.", candidate)
        if self._matched_there(rule_id, file.path, candidate.start_line, candidate.end_line):
            return Drop(DropReason.DUPLICATE, f"The rule `{rule_id}` reports this itself.", candidate)
        if any(one.rule_id == rule_id for one in self._matches.get(file.path, ())):
            text = f"The rule `{rule_id}` matched elsewhere in this file, or on lines that the change does not touch."
            return Drop(DropReason.RULE_DID_NOT_MATCH, text, candidate)
        return Drop(DropReason.RULE_DID_NOT_MATCH, f"The rule `{rule_id}` did not match in this file.", candidate)

    def _matched_there(self, rule_id: str, path: RepoPath, start: int, end: int) -> bool:
        return any(
            isinstance(one.evidence, MatchEvidence)
            and one.evidence.rule_id == rule_id
            and one.path == path
            and one.start_line <= end
            and start <= one.end_line
            for one in self._matched
        )

    def _twin(self, finding: Finding, candidate: Candidate, before: Iterable[Finding]) -> str | None:
        """What says the same already: the rule that the candidate names itself, or another citation of these sentences."""
        rule_id = (candidate.rule_id or "").strip().strip("`")
        if rule_id and finding.side == "right" and self._matched_there(rule_id, finding.path, finding.start_line, finding.end_line):
            return f"The rule `{rule_id}` reports this itself."
        for one in before:
            assert isinstance(one.evidence, CitationEvidence)
            assert isinstance(finding.evidence, CitationEvidence)
            if one.fingerprint == finding.fingerprint or (
                (one.path, one.side) == (finding.path, finding.side)
                and one.start_line <= finding.end_line
                and finding.start_line <= one.end_line
                and same_rule(one.evidence, finding.evidence)
            ):
                return f"`{one.agent}` has reported the same rule at these lines."
        return None

    def sides_of(self, file: ChangedFile) -> Sides:
        """Both sides of a changed file, read once."""
        if file.path not in self._sides:
            old, new = (self._store.blob(oid, limit=MAX_TEXT).data if oid else None for oid in (file.old_oid, file.new_oid))
            self._sides[file.path] = Sides(file, old, new)
        return self._sides[file.path]

    def _citable_by(self, task: Task) -> Citable:
        """The guides of a task: its docs as far as it got them, whole or in part, and the skills that it has loaded."""
        if id(task) not in self._citable:
            guides = {one.doc.path: Guide(one.doc.path, one.doc.data) for one in task.docs if not one.left_out}
            unloaded: dict[str, Guide] = {}
            skills: dict[str, str] = {}
            for skill in task.skills:
                skills[skill.path] = skill.id
                (guides if skill.path in task.read else unloaded)[skill.path] = Guide(skill.path, skill.data)
                for file in skill.files:
                    path = beside(skill, file.path)
                    if path in task.read and path not in guides:
                        skills[path] = skill.id
                        guides[path] = Guide(path, self._asking.beside(skill, file.path))
            outside = frozenset(path for path in guides if path.startswith(builtin.PREFIX))
            self._citable[id(task)] = Citable(guides, unloaded, skills, outside)
        return self._citable[id(task)]
