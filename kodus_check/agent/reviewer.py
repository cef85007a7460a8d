"""All reviewers over one change, at the same time: what each is asked in which parts, and what comes back.

What is reported is proposed only. A part without a usable answer is named with its files, and costs no other part its answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kodus_check.agent.batches import Batch, FileText, batches
from kodus_check.agent.ledger import Ledger, Spent
from kodus_check.agent.prompt import Prompt, Standing, build
from kodus_check.agent.redact import redact
from kodus_check.agent.reply import ITEM_SCHEMA, read_findings
from kodus_check.model import (
    AgentRun,
    BatchFailure,
    Candidate,
    FailedBatch,
    LoadedDoc,
    Match,
    Notice,
    NoticeKind,
    Proposed,
    RepoPath,
    Skill,
)
from kodus_check.text import counted

if TYPE_CHECKING:
    from kodus_check.agent.engine import Engine

PARALLEL = 8
KEPT_TOOLS = frozenset({"skill", "read_skill_file"})

ToolMaker = Callable[[], Sequence[Callable[..., Awaitable[str]]]]


@dataclass(frozen=True, slots=True)
class Task:
    """One reviewer's part of the change. ``tools`` makes those of one conversation; ``citable`` says that it follows a guide.

    ``read`` gets the path of each skill, and each file beside one, that its conversations load.
    """

    agent: str
    standing: Standing
    files: tuple[FileText, ...]
    skills: tuple[Skill, ...]
    docs: tuple[LoadedDoc, ...]
    tools: ToolMaker
    read: dict[str, Skill] = field(default_factory=dict)

    @property
    def citable(self) -> bool:
        return bool(self.skills) or any(not one.left_out for one in self.docs)


@dataclass(frozen=True, slots=True)
class Asked:
    """A batch of a task with its prompt."""

    task: Task
    batch: Batch
    prompt: Prompt


def prompts(
    tasks: Iterable[Task], matches: Mapping[RepoPath, Sequence[Match]], count: Callable[[str], int]
) -> tuple[list[Asked], int]:
    """Every batch of every task that has a guide to cite, and how many key-shaped values were taken out of them."""
    out: list[Asked] = []
    redacted = 0
    for task in tasks:
        if not task.citable or not task.files:
            continue
        listed = batches(task.files, count)
        for number, batch in enumerate(listed, 1):
            own = [match for path in batch.paths for match in matches.get(path, ())]
            batch.text, found = redact(batch.text)
            redacted += found
            part, parts = (number, len(listed)) if len(listed) > 1 else (0, 0)
            prompt = build(task.standing, batch.text, own, part=part, parts=parts)
            out.append(Asked(task, batch, replace(prompt, task=redact(prompt.task)[0])))
    return out, redacted


def nobody_asked(asked: Sequence[Asked], reason: BatchFailure, detail: str) -> Proposed:
    """The outcome of a review in which the model cannot be asked at all."""
    out = Proposed()
    for one in asked:
        _fail(out, one, reason, detail)
    return out


async def ask_all(asked: Sequence[Asked], engine: "Engine", *, clock: Callable[[], float] = time.monotonic) -> Proposed:
    """Asks all batches, some at the same time; the order of what comes back is that of ``asked``."""
    gate = asyncio.Semaphore(PARALLEL)
    seconds: dict[str, float] = {}

    async def ask(one: Asked) -> Any:
        async with gate:
            start = clock()
            try:
                return await _ask(one, engine)
            finally:
                seconds[one.task.agent] = seconds.get(one.task.agent, 0.0) + clock() - start

    answers = await asyncio.gather(*(ask(one) for one in asked))
    out = Proposed()
    for one, (candidates, problems, failure) in zip(asked, answers, strict=True):
        if failure is not None:
            _fail(out, one, *failure)
            continue
        out.candidates.extend(candidates)
        out.answered.update(one.batch.paths)
        if problems:
            out.notices.append(_unreadable(one, problems))
    out.answered -= out.unanswered
    out.runs = _runs(asked, engine.ledger, seconds)
    return out


async def _ask(one: Asked, engine: "Engine") -> tuple[Sequence[Candidate], Sequence[str], tuple[BatchFailure, str] | None]:
    from kodus_check.agent.engine import BatchFailed, Job, Report

    agent = one.task.agent

    def read(findings: object) -> tuple[tuple[Candidate, ...], Sequence[str]]:
        reading = read_findings(findings, agent)
        return reading.candidates, reading.problems

    report = Report(
        name="report_findings",
        description="Report all findings of this change at once, [] when there are none. This ends the review.",
        key="findings",
        schema={"type": "array", "items": ITEM_SCHEMA},
        read=read,
    )
    try:
        answer = await engine.ask(Job(agent, one.prompt.system, one.prompt.task, report, one.task.tools(), KEPT_TOOLS))
    except BatchFailed as failed:
        return (), (), (failed.reason, failed.detail)
    return answer.value, answer.problems, None


def _fail(out: Proposed, one: Asked, reason: BatchFailure, detail: str) -> None:
    out.failed.append(FailedBatch(one.task.agent, reason, detail, tuple(str(path) for path in one.batch.paths)))
    out.unanswered.update(one.batch.paths)


def _unreadable(one: Asked, problems: Sequence[str]) -> Notice:
    return Notice(
        NoticeKind.MODEL_REPLY_UNREADABLE,
        f"`{one.task.agent}` reported {counted(len(problems), 'item')} that could not be read, even when asked again: "
        f"{problems[0]}. The others count.",
        one.task.agent,
    )


def _runs(asked: Sequence[Asked], ledger: Ledger, seconds: Mapping[str, float]) -> list[AgentRun]:
    out: list[AgentRun] = []
    for name in dict.fromkeys(one.task.agent for one in asked):
        spent = ledger.spent.get(name, Spent())
        cost = round(spent.cost_usd, 6) if spent.priced else None
        size = sum(one.task.agent == name for one in asked)
        out.append(
            AgentRun(
                name, spent.requests, spent.input_tokens, spent.cached_tokens, spent.output_tokens, cost,
                round(seconds.get(name, 0.0), 3), batches=size,
            )
        )  # fmt: skip
    return out
