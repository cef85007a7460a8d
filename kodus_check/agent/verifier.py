"""The second pass: a model looks at each citation again and says whether the rule is about this code. No verdict, no publication.

T1  a verdict for a finding that does not exist, or none for one that does  -> ids are an enum of the request, and each is asked for
T2  two verdicts for one finding                                            -> unsure, where they differ
T3  text of the change, the guide or the reviewer that plays instruction    -> between the run's markers, as in the first pass
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kodus_check.agent.prompt import environment, safe
from kodus_check.agent.redact import redact
from kodus_check.model import BatchFailure, CitationEvidence, Finding, Verdict
from kodus_check.text import one_line, shorten

if TYPE_CHECKING:
    from kodus_check.agent.engine import Engine, Report

VERIFIER = "verifier_model"
"""What the second pass is called among the reviewers; no agent's name holds an underscore."""
MAX_FINDINGS = 12
MAX_TOKENS = 12_000
MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Question:
    """A finding with the code around it as a numbered text."""

    finding: Finding
    code: str


@dataclass(frozen=True, slots=True)
class Answered:
    """``verdict`` of None: there is none, and ``reason`` says why."""

    verdict: Verdict | None
    reason: str
    failure: BatchFailure | None = None


async def verify(questions: Sequence[Question], engine: "Engine", fence: str, count: Callable[[str], int]) -> list[Answered]:
    """A verdict for each question, in order. A model that fails is an answer without a verdict, never an exception."""
    import asyncio

    shown = [_shown(one, fence) for one in questions]
    batches = _batches(shown, count)
    answers = await asyncio.gather(*(_ask([shown[index] for index in batch], engine, fence) for batch in batches))
    return [answer for answered in answers for answer in answered]


def _batches(shown: Sequence[Mapping[str, str]], count: Callable[[str], int]) -> list[list[int]]:
    out: list[list[int]] = []
    tokens = 0
    for index, one in enumerate(shown):
        size = sum(count(text) for text in one.values())
        if not out or len(out[-1]) >= MAX_FINDINGS or tokens + size > MAX_TOKENS:
            out.append([])
            tokens = 0
        out[-1].append(index)
        tokens += size
    return out


def _shown(question: Question, fence: str) -> dict[str, str]:
    finding = question.finding
    evidence = finding.evidence
    assert isinstance(evidence, CitationEvidence)
    texts = {
        "guide": one_line(evidence.path),
        "trail": one_line(" > ".join(evidence.trail)),
        "rule": evidence.text,
        "path": one_line(str(finding.path)),
        "code": question.code,
        "said": f"{finding.title}\n{finding.body}".strip(),
    }
    return {name: safe(redact(text)[0], fence) for name, text in texts.items()}


async def _ask(shown: Sequence[Mapping[str, str]], engine: "Engine", fence: str) -> list[Answered]:
    from kodus_check.agent.engine import BatchFailed, Job

    ids = [f"F{number}" for number in range(1, len(shown) + 1)]
    listed = [{"id": name, **texts} for name, texts in zip(ids, shown, strict=True)]
    system = environment().get_template("verify_system.md.j2").render().strip()
    task = environment().get_template("verify_task.md.j2").render(fence=fence, findings=listed).strip()
    try:
        answer = await engine.ask(Job(VERIFIER, system, task, _report(ids)))
    except BatchFailed as failed:
        return [Answered(None, failed.detail, failed.reason)] * len(shown)
    missing = Answered(None, "the model gave no verdict for it, even when asked again", BatchFailure.INVALID)
    return [answer.value.get(name, missing) for name in ids]


def _report(ids: Sequence[str]) -> "Report[dict[str, Answered]]":
    from kodus_check.agent.engine import Report

    known: dict[str, Answered] = {}

    def read(given: object) -> tuple[dict[str, Answered], Sequence[str]]:
        """A second report may be of the missing ones alone: what was said before stands, unless it is said again."""
        verdicts, problems = read_verdicts(given, ids)
        known.update(verdicts)
        missing = [name for name in ids if name not in known]
        return dict(known), [*problems, *([f"verdicts: none for {', '.join(missing)}"] if missing else [])]

    item = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string", "enum": list(ids)},
            "verdict": {"type": "string", "enum": [str(verdict) for verdict in Verdict]},
            "reason": {"type": "string", "description": "Why, in one sentence."},
        },
        "required": ["id", "verdict", "reason"],
    }
    return Report(
        name="report_verdicts",
        description="Report exactly one verdict for each finding. This ends the review.",
        key="verdicts",
        schema={"type": "array", "items": item},
        read=read,
    )


def read_verdicts(given: object, ids: Sequence[str]) -> tuple[dict[str, Answered], Sequence[str]]:
    """The verdicts by id, and what is wrong with the rest (T1, T2)."""
    if not isinstance(given, list):
        return {}, ["verdicts: it must be a list with one item for each finding"]
    out: dict[str, Answered] = {}
    problems: list[str] = []
    for index, item in enumerate(given):
        read = _verdict(item, ids)
        if isinstance(read, str):
            problems.append(f"verdicts[{index}]: {read}")
            continue
        name, answered = read
        if name in out and out[name].verdict is not answered.verdict:
            answered = Answered(Verdict.UNSURE, "two verdicts were given for it, and they differ")
        out[name] = answered
    return out, problems


def _verdict(item: object, ids: Sequence[str]) -> tuple[str, Answered] | str:
    if not isinstance(item, Mapping):
        return "it must be an object"
    name: Any = item.get("id")
    if name not in ids:
        return f"id: there is no finding {shorten(one_line(repr(name)), 40)}; they are {', '.join(ids)}"
    try:
        verdict = Verdict(str(item.get("verdict") or "").strip().lower())
    except ValueError:
        return f"verdict: it must be one of {', '.join(Verdict)}"
    reason = item.get("reason")
    return name, Answered(verdict, shorten(one_line(reason), MAX_REASON) if isinstance(reason, str) else "")
