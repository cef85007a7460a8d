"""The same conversation over real sockets with the three APIs: what goes over the wire, and what faults come to."""

import asyncio
from typing import Any

import pytest

from kodus_check.agent.engine import Answer, BatchFailed, Engine, Job
from kodus_check.agent.ledger import Ledger, Limits
from kodus_check.agent.models import ModelName, close, connect
from kodus_check.agent.prices import Prices
from kodus_check.asking import _named
from kodus_check.model import BatchFailure, Candidate
from tests.agent.scripted import FINDINGS, GOOD, read_file

APIS = ("openai-chat:gpt-4o", "openai:gpt-4o", "anthropic:claude-sonnet-5")
KEY = "test-key-of-nobody"


def ask(
    llmock: Any, api: str, *, tools: Any = (read_file,), limits: Limits | None = None
) -> tuple[Answer[tuple[Candidate, ...]], Ledger]:
    name = ModelName.parse(api, llmock.base_url("anthropic" if api.startswith("anthropic") else "openai"))
    ledger = Ledger(Limits())

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))

    async def run() -> Answer[tuple[Candidate, ...]]:
        model = connect(name, {name.provider.key: KEY})
        try:
            return await Engine(model, ledger, Prices(), sleep=sleep).ask(Job("main_review", "system", "prompt", FINDINGS, tools))
        finally:
            await close(model)

    return asyncio.run(run()), ledger


def offered(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tools on the wire by name, with their schemas."""
    out: dict[str, dict[str, Any]] = {}
    for tool in body.get("tools", []):
        inner = tool.get("function", tool)
        out[inner["name"]] = inner.get("parameters") or inner.get("input_schema") or {}
    return out


@pytest.mark.parametrize("api", APIS)
def test_a_conversation(llmock: Any, api: str) -> None:
    llmock.call_tool("read_file", {"path": "src/a.py"}).call_tool("report_findings", {"findings": [GOOD]})
    answer, ledger = ask(llmock, api)
    assert [one.title for one in answer.value] == ["Entry is updated"]
    assert ledger.total.requests == len(llmock.requests) == 2
    assert ledger.total.input_tokens > 0
    tools = offered(llmock.requests[0].body)
    assert list(tools) == ["read_file", "report_findings"]
    assert tools["report_findings"]["required"] == ["findings"]
    items = tools["report_findings"]["properties"]["findings"]["items"]
    assert list(items["properties"]) == list(GOOD)
    assert "content of src/a.py" in str(llmock.requests[1].body)


@pytest.mark.parametrize("api", APIS)
def test_skills_are_an_enum_and_without_skills_there_is_no_tool(llmock: Any, api: str) -> None:
    def load(name: str | None = None, query: str | None = None, offset: int = 0) -> str:
        """Load a skill."""
        loaded.append(name)
        return f"{name}{query}{offset}"

    loaded: list[str | None] = []
    named = _named(load, ["money", "auth"])

    async def skill(**arguments: Any) -> str:
        return named(**arguments)

    from kodus_check.asking import _disguised

    llmock.call_tool("skill", {"name": "invented"}).call_tool("skill", {"name": "auth"}).call_tool(
        "report_findings", {"findings": []}
    )
    ask(llmock, api, tools=(_disguised(skill, named),))
    schema = str(offered(llmock.requests[0].body)["skill"])
    assert "'enum': ['auth', 'money']" in schema
    assert loaded == ["auth"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("fault", "requests"),
    [
        (lambda server: server.rate_limit(times=2, retry_after=0.01), 3),
        (lambda server: server.fail(503, times=1), 2),
        (lambda server: server.break_tool_call("malformed_arguments").call_tool("report_findings", {"findings": []}), 2),
        (lambda server: server.break_tool_call("unknown_tool").call_tool("report_findings", {"findings": []}), 2),
    ],
)
def test_faults_that_pass(llmock: Any, api: str, fault: Any, requests: int) -> None:
    fault(llmock)
    llmock.call_tool("report_findings", {"findings": [GOOD]})
    answer, ledger = ask(llmock, api)
    assert len(answer.value) == 1
    assert len(llmock.requests) == ledger.total.requests == requests


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("fault", "reasons", "requests"),
    [
        (lambda server: server.fail(500, times=None), {BatchFailure.UNAVAILABLE}, 3),
        (lambda server: server.rate_limit(times=None, retry_after=0.01), {BatchFailure.RATE_LIMITED}, 3),
        (lambda server: server.fail(401, times=None), {BatchFailure.UNAUTHORIZED}, 1),
        (lambda server: server.fail(404, times=None), {BatchFailure.REJECTED}, 1),
        (lambda server: server.context_overflow(times=None), {BatchFailure.TOO_LARGE, BatchFailure.REJECTED}, 1),
    ],
)
def test_faults_that_do_not(llmock: Any, api: str, fault: Any, reasons: set[BatchFailure], requests: int) -> None:
    fault(llmock)
    with pytest.raises(BatchFailed) as failed:
        ask(llmock, api)
    assert failed.value.reason in reasons
    assert len(llmock.requests) == requests
    assert KEY not in failed.value.detail


@pytest.mark.parametrize(
    ("text", "base_url", "environ", "missing"),
    [
        ("openai:m", "", {}, "OPENAI_API_KEY"),
        ("openai:m", "", {"OPENAI_API_KEY": "k"}, ""),
        ("openai-chat:m", "", {}, "OPENAI_API_KEY"),
        ("openai-chat:m", "http://127.0.0.1:1/v1", {}, ""),
        ("openai-chat:m", "", {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, ""),
        ("anthropic:m", "http://127.0.0.1:1", {}, "ANTHROPIC_API_KEY"),
        ("google:m", "", {}, "GOOGLE_API_KEY"),
    ],
)
def test_which_key_is_needed(text: str, base_url: str, environ: dict[str, str], missing: str) -> None:
    assert ModelName.parse(text, base_url).missing_key(environ) == missing


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("chunks", range(1, 8))
def test_a_reply_that_is_cut_anywhere_never_reads_as_nothing_found(llmock: Any, api: str, chunks: int) -> None:
    llmock.call_tool("report_findings", {"findings": [GOOD]}, times=None).truncate(after_chunks=chunks, times=None)
    outcome: object
    try:
        outcome = [one.title for one in ask(llmock, api)[0].value]
    except BatchFailed as failed:
        outcome = failed.reason
    broken = (BatchFailure.TRUNCATED, BatchFailure.EMPTY, BatchFailure.INVALID, BatchFailure.UNAVAILABLE)
    assert outcome in (["Entry is updated"], *broken)
