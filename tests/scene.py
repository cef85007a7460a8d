"""A whole check in the process, with a model that says what a scene tells it to: a real repository, real objects, real judging."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from kodus_check.agent.models import Ask
from kodus_check.app import Checked, Place, check
from tests.repo import Repo

MAIN = "main_review"
BLOB_URL = "https://code.example/team/shop/blob/"
CONFIG = "model: openai-chat:scripted\nmain_review: {docs: [docs/ledger.md], rules: []}\n"

Said = Mapping[str, Sequence[Mapping[str, Any]]]
"""What each reviewer reports."""


@dataclass
class Script:
    """A model for all reviewers of a run. ``says`` are their findings, ``loads`` the tool calls that come before, in order.

    An agent is known by its description, "Reviewer NAME."; ``verdict`` is asked with the first line of what a finding says, and
    may answer None for none. ``takes`` says whether a reviewer who reads a prompt reports an item. ``seen`` are all prompts.
    """

    says: Said
    loads: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = field(default_factory=dict)
    verdict: Callable[[str], str | None] = lambda title: "confirmed"
    takes: Callable[[Mapping[str, Any], str], bool] = lambda item, prompt: True
    seen: list[str] = field(default_factory=list)

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        system, prompt = _asked(messages)
        self.seen.append(f"{system}\n{prompt}")
        if "report_verdicts" in {tool.name for tool in info.output_tools}:
            return _call("report_verdicts", {"verdicts": self._verdicts(prompt)})
        agent = next((name for name in self.says if f"# Your task\nReviewer {name}." in prompt), MAIN)
        before = sum(isinstance(message, ModelResponse) for message in messages)
        loads = self.loads.get(agent, ())
        if before < len(loads):
            return _call(*loads[before])
        return _call("report_findings", {"findings": [dict(item) for item in self.says.get(agent, ()) if self.takes(item, prompt)]})

    def _verdicts(self, prompt: str) -> list[dict[str, str]]:
        fence = re.search(r"The marker of this run is `(.+?)`\.", prompt)
        assert fence is not None
        said = re.findall(rf"What the reviewer says:\n{re.escape(fence[1])}\n(.*)\n", prompt)
        found = [(f"F{number}", self.verdict(title)) for number, title in enumerate(said, 1)]
        return [{"id": name, "verdict": verdict, "reason": "As scripted."} for name, verdict in found if verdict is not None]


def judge(repo: Repo, script: Script, *, base: str = "main", head: str = "feature") -> Checked:
    """The check of ``head`` against ``base``."""
    place = Place(repo.path, base, head, blob_url=BLOB_URL)
    return check(place, lambda what: None, ask=Ask({"OPENAI_API_KEY": "none"}, lambda name, environ: FunctionModel(script.answer)))


def _asked(messages: Sequence[ModelMessage]) -> tuple[str, str]:
    first = messages[0]
    assert isinstance(first, ModelRequest)
    prompt = "\n".join(str(part.content) for part in first.parts if isinstance(part, UserPromptPart))
    return first.instructions or "", prompt


def _call(name: str, arguments: Mapping[str, Any]) -> ModelResponse:
    return ModelResponse([ToolCallPart(name, dict(arguments))])
