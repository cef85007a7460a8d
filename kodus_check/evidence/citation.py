"""The proof of a citation: the quote stands in a guide that this reviewer follows and has read, as the base has it.

T1  a quote of a guide that the reviewer does not follow, or of one that only head has   -> only guides of the base are looked in
T2  a quote of a skill that was never loaded, guessed from its description               -> a skill proves only once it was loaded
T3  a quote with words of the model's own                                                -> the guide's own words are what is kept
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kodus_check.evidence import fingerprint
from kodus_check.evidence.anchor import Anchor, Sides
from kodus_check.evidence.fold import fold
from kodus_check.evidence.quote import Guide, check_quote
from kodus_check.model import Candidate, CitationEvidence, Drop, DropReason, Finding, Mode, QuoteReason
from kodus_check.text import fold_space, mask_keys

_LINES = re.compile(r"(?:#|:)[Ll]?(\d{1,7})(?:\s*[-\u2013]\s*[Ll]?(\d{1,7}))?$")


@dataclass(frozen=True, slots=True)
class Citable:
    """What one reviewer may quote: ``guides`` by path, and ``unloaded`` skills that it follows but did not load.

    ``skills`` are the ids of the skills that guides belong to, by path. ``outside`` are paths of guides that ship.
    """

    guides: Mapping[str, Guide]
    unloaded: Mapping[str, Guide] = field(default_factory=dict)
    skills: Mapping[str, str] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()

    def named(self, text: str) -> tuple[str, tuple[int, int] | None]:
        """The path that a model's name of a guide means, and the lines that stand behind it, if any."""
        name = text.strip().strip("`'\"").strip()
        found = _LINES.search(name)
        lines = None
        if found is not None and name not in self.guides:
            name = name[: found.start()]
            first, last = int(found[1]), int(found[2] or found[1])
            lines = (min(first, last), max(first, last))
        name = name.removeprefix("./")
        known = (*self.guides, *self.unloaded)
        if name in known:
            return name, lines
        by_id = [path for path in known if self.skills.get(path) == name]
        return (by_id[0] if by_id else name), lines


def prove_citation(candidate: Candidate, citable: Citable) -> CitationEvidence | Drop:
    """Evidence that a guide of the base holds the candidate's quote, or why it is none."""
    name, lines = citable.named(candidate.guide or "")
    lines = candidate.guide_lines or lines
    checked = check_quote(citable.guides, name, candidate.quote or "", lines=lines)
    if not checked.verified:
        assert checked.reason is not None
        elsewhere = check_quote(citable.unloaded, name, candidate.quote or "", lines=lines) if citable.unloaded else None
        if elsewhere is not None and elsewhere.verified and checked.reason is not QuoteReason.GUIDE_AMBIGUOUS:
            skill = citable.skills.get(elsewhere.path, elsewhere.path)
            return Drop(DropReason.SKILL_NOT_LOADED, f"The skill `{skill}` holds this text, but it was not loaded.", candidate)
        return Drop(DropReason.of_quote(checked.reason), checked.detail, candidate)
    return CitationEvidence(
        checked.path,
        checked.start_line,
        checked.end_line,
        checked.text,
        checked.start,
        checked.trail,
        citable.skills.get(checked.path, ""),
        checked.path not in citable.outside,
    )


def finding_of_citation(candidate: Candidate, evidence: CitationEvidence, anchor: Anchor, sides: Sides, *, mode: Mode) -> Finding:
    """The finding that a proved citation is, at the lines where its code was found."""
    file = sides.file
    path = file.old_path or file.path
    return Finding(
        fingerprint=fingerprint.of_citation(evidence.path, evidence.start, path, anchor, sides),
        agent=candidate.agent,
        path=file.path,
        old_path=file.old_path,
        side=anchor.side,
        start_line=anchor.start_line,
        end_line=anchor.end_line,
        severity=candidate.severity,
        mode=mode,
        title=mask_keys(fold_space(candidate.title)),
        body=mask_keys(candidate.body.strip()),
        evidence=evidence,
        code="\n".join(anchor.lines),
    )


def same_rule(one: CitationEvidence, other: CitationEvidence) -> bool:
    """Whether two citations are of the same sentences of the same guide, in whole or in part. One line can hold many sentences."""
    if one.path != other.path or one.start_line > other.end_line or other.start_line > one.end_line:
        return False
    return one.start == other.start or one.start in fold(other.text) or other.start in fold(one.text)
