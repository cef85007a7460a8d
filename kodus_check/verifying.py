"""The stage of the second pass: which proved findings a model confirms. One that has no verdict is not published, and is named."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kodus_check.agent.ledger import Ledger, Spent
from kodus_check.agent.models import Ask, ModelName, close, connect
from kodus_check.agent.prices import Prices
from kodus_check.agent.prompt import new_fence
from kodus_check.agent.verifier import VERIFIER, Answered, Question, verify
from kodus_check.asking import REMEDIES
from kodus_check.errors import UsageError
from kodus_check.evidence.anchor import Sides
from kodus_check.guides import tokens
from kodus_check.model import AgentRun, BatchFailure, Candidate, Drop, DropReason, Finding, Notice, NoticeKind, RepoPath, Verdict
from kodus_check.plan import Plan
from kodus_check.text import counted, cut_line

CONTEXT = 12
"""Lines before and behind a finding that the second pass sees."""


@dataclass
class Verified:
    """``unverified`` are the files of findings that have no verdict."""

    findings: list[Finding] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    runs: list[AgentRun] = field(default_factory=list)
    unverified: set[RepoPath] = field(default_factory=set)


def verified(proved: Sequence[tuple[Finding, Candidate, Sides]], plan: Plan, how: Ask, ledger: Ledger) -> Verified:
    """What the second pass leaves of ``proved``, on the account of ``ledger``."""
    out = Verified()
    if not proved:
        return out
    start = time.perf_counter()
    name = plan.config.verifier_model or plan.config.model
    answers = _answers([Question(finding, _context(finding, sides)) for finding, _, sides in proved], name, plan, how, ledger)
    for (finding, candidate, _), answer in zip(proved, answers, strict=True):
        said = {"verdict": str(answer.verdict or "none"), "reason": answer.reason}
        how.trace(
            {"kind": "verdict", "fingerprint": finding.fingerprint, "path": str(finding.path), "line": finding.start_line, **said}
        )
        if answer.verdict is Verdict.CONFIRMED or (answer.verdict is Verdict.UNSURE and plan.config.publish_unsure):
            out.findings.append(finding)
            continue
        if answer.verdict is None:
            out.unverified.add(finding.path)
        out.drops.append(Drop(_REASONS[answer.verdict], answer.reason or "The second pass gives no reason.", candidate))
    failed = [answer for answer in answers if answer.failure is not None]
    if failed:
        out.notices.append(_failure_notice(name, failed))
    spent = ledger.spent.get(VERIFIER)
    if spent is not None:
        out.runs.append(_run(spent, time.perf_counter() - start))
    return out


_REASONS: dict[Verdict | None, DropReason] = {
    Verdict.REFUTED: DropReason.REFUTED,
    Verdict.UNSURE: DropReason.UNSURE,
    None: DropReason.NOT_VERIFIED,
}


def _answers(questions: Sequence[Question], name: str, plan: Plan, how: Ask, ledger: Ledger) -> list[Answered]:
    config = plan.config
    key = "verifier_model" if config.verifier_model else "model"
    first = ModelName.parse(config.model, config.base_url, where=config.origin("model").where)
    model_name = ModelName.parse(name, where=config.origin(key).where)
    if model_name.provider == first.provider:
        model_name = replace(model_name, base_url=config.base_url)
    if missing := model_name.missing_key(how.environ):
        detail = f"the model `{name}` needs the key in {missing}, and it is not set"
        return [Answered(None, detail, BatchFailure.NO_KEY)] * len(questions)
    try:
        model = (how.connect or connect)(model_name, how.environ)
    except UsageError as error:
        return [Answered(None, error.sentence, BatchFailure.UNAVAILABLE)] * len(questions)
    from kodus_check.agent.engine import Engine

    prices = Prices(config.prices.get("input"), config.prices.get("cached_input"), config.prices.get("output"))

    async def run() -> list[Answered]:
        try:
            return await verify(questions, Engine(model, ledger, prices, trace=how.trace), new_fence(), tokens.count)
        finally:
            await close(model)

    return asyncio.run(run())


def _context(finding: Finding, sides: Sides) -> str:
    """The lines of a finding, marked with ``>``, with those around them on the same side."""
    shown = sides.shown(finding.side)
    first, last = max(1, finding.start_line - CONTEXT), min(len(shown), finding.end_line + CONTEXT)
    mark = "+" if finding.side == "right" else "-"
    out = []
    for number in range(first, last + 1):
        here = ">" if finding.start_line <= number <= finding.end_line else " "
        out.append(f"{here}{number}{mark if sides.changed(finding.side, number) else ' '}{cut_line(shown[number - 1])}")
    return "\n".join(out)


def _failure_notice(name: str, failed: Sequence[Answered]) -> Notice:
    first = failed[0]
    why = f"{first.reason[:1].upper()}{first.reason[1:]}"
    remedy = REMEDIES.get(first.failure, "Run it again.") if first.failure else "Run it again."
    text = (
        f"NOT VERIFIED: {counted(len(failed), 'finding')} of the model could not be looked at again by `{name}` "
        f"({first.failure}), and are not published. {why}. {remedy}"
    )
    return Notice(NoticeKind.MODEL_FAILED, text, name)


def _run(spent: Spent, seconds: float) -> AgentRun:
    cost = round(spent.cost_usd, 6) if spent.priced else None
    return AgentRun(
        VERIFIER, spent.requests, spent.input_tokens, spent.cached_tokens, spent.output_tokens, cost, round(seconds, 3), batches=1
    )
