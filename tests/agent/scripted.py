"""A model that says what it is told, in the process, and what it was sent."""

import asyncio
from collections.abc import Iterable
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from kodus_check.agent.engine import Answer, Engine, Job, Report
from kodus_check.agent.ledger import Ledger, Limits
from kodus_check.agent.prices import Prices
from kodus_check.agent.reply import ITEM_SCHEMA, read_findings
from kodus_check.model import Candidate

GOOD: dict[str, Any] = {
    "evidence": "citation",
    "guide": "docs/ledger.md",
    "guide_lines": "3",
    "quote": "A reversal is a new entry, never an UPDATE of the original.",
    "rule_id": None,
    "call_id": None,
    "path": "src/a.py",
    "side": "right",
    "start_line": 2,
    "end_line": 2,
    "code": 'db.execute("UPDATE entries SET x = 1")',
    "title": "Entry is updated",
    "body": "It must be a new entry.",
    "severity": "high",
}


def call(name: str, arguments: Any, **options: Any) -> ModelResponse:
    return ModelResponse([ToolCallPart(name, arguments)], **options)


def report(*findings: Any, **options: Any) -> ModelResponse:
    return call("report_findings", {"findings": list(findings)}, **options)


def say(text: str, **options: Any) -> ModelResponse:
    return ModelResponse([TextPart(text)] if text else [], **options)


class Scripted:
    """``replies`` are given in order; exceptions are raised. ``seen`` are the messages and the tools of each request."""

    def __init__(self, replies: Iterable[ModelResponse | Exception]) -> None:
        self._replies = iter(replies)
        self.seen: list[tuple[list[ModelMessage], list[str], list[str]]] = []
        self.waits: list[float] = []
        self.model = FunctionModel(self._answer)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append((list(messages), [one.name for one in info.function_tools], [one.name for one in info.output_tools]))
        reply = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        await asyncio.sleep(0)
        return reply

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


FINDINGS: Report[tuple[Candidate, ...]] = Report(
    "report_findings",
    "Report all findings.",
    "findings",
    {"type": "array", "items": ITEM_SCHEMA},
    lambda given: (read_findings(given, "main_review").candidates, read_findings(given, "main_review").problems),
)


async def read_file(path: str) -> str:
    """Read a file."""
    return f"content of {path}"


def ask(
    script: Scripted, limits: Limits | None = None, *, tools: Any = (read_file,)
) -> tuple[Answer[tuple[Candidate, ...]], Ledger]:
    ledger = Ledger(limits or Limits())
    engine = Engine(script.model, ledger, Prices(), sleep=script.sleep)
    return asyncio.run(engine.ask(Job("main_review", "system", "prompt", FINDINGS, tools, frozenset({"skill"})))), ledger
