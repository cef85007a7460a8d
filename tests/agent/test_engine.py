"""One conversation: what ends it, what is counted, what is tried again, and that nothing cut reads as "nothing found"."""

import asyncio
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelTimeoutError
from pydantic_ai.messages import ModelRequest, ModelResponse, ThinkingPart, ToolReturnPart

from kodus_check.agent.compact import Compactor
from kodus_check.agent.engine import BatchFailed, Engine, Job
from kodus_check.agent.ledger import Ledger, Limits
from kodus_check.agent.prices import Prices
from kodus_check.model import BatchFailure
from tests.agent.scripted import FINDINGS, GOOD, Scripted, ask, call, read_file, report, say

BAD = {**GOOD, "start_line": 0}


@pytest.mark.parametrize(
    ("replies", "found", "problems", "requests"),
    [
        ([report()], 0, 0, 1),
        ([report(GOOD)], 1, 0, 1),
        ([call("read_file", {"path": "a"}), report(GOOD, GOOD)], 2, 0, 2),
        ([report(BAD, GOOD), report(GOOD, GOOD)], 2, 0, 2),  # repaired once
        ([report(BAD, GOOD), report(BAD, GOOD)], 1, 1, 2),  # then salvaged item by item
        ([report(BAD, GOOD), say("", finish_reason="length")], 1, 2, 2),  # what was said before the break counts
        ([call("report_findings", {}), report(GOOD)], 1, 0, 2),
        ([call("report_findings", '{"findings": [{"pa', finish_reason="stop"), report(GOOD)], 1, 0, 2),
        ([say("No problems found."), report()], 0, 0, 2),
        ([call("write_file", {"path": "x"}), report(GOOD)], 1, 0, 2),
        ([call("read_file", "not json", finish_reason="stop"), report(GOOD)], 1, 0, 2),
    ],
)
def test_what_comes_to_a_report(replies: list[ModelResponse], found: int, problems: int, requests: int) -> None:
    answer, ledger = ask(Scripted(replies))
    assert (len(answer.value), len(answer.problems), ledger.total.requests) == (found, problems, requests)


@pytest.mark.parametrize(
    ("replies", "reason", "requests"),
    [
        ([say("")], BatchFailure.EMPTY, 1),  # T1
        ([ModelResponse([ThinkingPart("hm")])], BatchFailure.EMPTY, 1),
        ([say("The change looks", finish_reason="length")], BatchFailure.TRUNCATED, 1),
        ([call("report_findings", {"findings": []}, finish_reason="length")], BatchFailure.TRUNCATED, 1),
        ([call("report_findings", '{"findings": [')], BatchFailure.TRUNCATED, 1),
        ([report(finish_reason="content_filter")], BatchFailure.REFUSED, 1),
        ([say("Fine."), say("Fine.")], BatchFailure.INVALID, 2),
        ([call("report_findings", {}), call("report_findings", {})], BatchFailure.INVALID, 2),
        ([call("report_findings", {"findings": "none"}), call("report_findings", {"findings": "none"})], BatchFailure.INVALID, 2),
        ([call("nothing", {})] * 5, BatchFailure.INVALID, 4),
        # T2: attempts are ours and counted
        ([ModelHTTPError(500, "m")] * 5, BatchFailure.UNAVAILABLE, 3),
        ([ModelHTTPError(503, "m")] * 5, BatchFailure.UNAVAILABLE, 3),
        ([ModelHTTPError(429, "m")] * 5, BatchFailure.RATE_LIMITED, 3),
        ([ModelHTTPError(408, "m")] * 5, BatchFailure.UNAVAILABLE, 3),
        ([ModelHTTPError(401, "m")], BatchFailure.UNAUTHORIZED, 1),
        ([ModelHTTPError(403, "m")], BatchFailure.UNAUTHORIZED, 1),
        ([ModelHTTPError(404, "m")], BatchFailure.REJECTED, 1),
        ([ModelHTTPError(400, "m")], BatchFailure.REJECTED, 1),
        ([ModelConnectionError("m", "refused")] * 5, BatchFailure.UNAVAILABLE, 3),
        ([ModelTimeoutError("m", "slow")] * 5, BatchFailure.UNAVAILABLE, 3),
    ],
)
def test_what_comes_to_no_report(replies: list[Any], reason: BatchFailure, requests: int) -> None:
    script = Scripted(replies)
    ledger = Ledger(Limits())
    engine = Engine(script.model, ledger, Prices(), sleep=script.sleep)
    with pytest.raises(BatchFailed) as failed:
        asyncio.run(engine.ask(Job("main_review", "s", "p", FINDINGS, (read_file,))))
    assert (failed.value.reason, ledger.total.requests) == (reason, requests)
    assert failed.value.detail


def test_a_wait_is_as_long_as_the_provider_asks_for() -> None:
    script = Scripted([ModelHTTPError(429, "m", retry_after=7.0), ModelHTTPError(503, "m"), report(GOOD)])
    answer, ledger = ask(script)
    assert (len(answer.value), script.waits, ledger.total.requests) == (1, [7.0, 2.0], 3)


def test_a_wait_that_is_too_long_is_a_failure() -> None:
    script = Scripted([ModelHTTPError(429, "m", retry_after=600.0)])
    with pytest.raises(BatchFailed, match="asks to wait 600 s"):
        ask(script)
    assert script.waits == []


def test_no_error_text_shows_a_key() -> None:
    """T4."""
    key = "sk-" + "ant-" + "a1B2" * 10
    with pytest.raises(BatchFailed) as failed:
        ask(Scripted([ModelHTTPError(401, "m", {"error": f"invalid key {key}"})]))
    assert key not in failed.value.detail
    assert "401" in failed.value.detail


def test_the_last_request_has_no_tools_but_the_report() -> None:
    script = Scripted([*[call("read_file", {"path": "a"})] * 4, report(GOOD)])
    answer, ledger = ask(script, Limits(requests=5))
    assert (len(answer.value), ledger.total.requests) == (1, 5)
    assert [tools for _, tools, _ in script.seen] == [["read_file"]] * 4 + [[]]
    assert "Report now" in str(script.seen[-1][0][-1])
    assert script.seen[-1][2] == ["report_findings"]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(requests=3), BatchFailure.LIMIT_REQUESTS),
        (Limits(tokens=60), BatchFailure.LIMIT_TOKENS),
        (Limits(seconds=0.0), BatchFailure.LIMIT_SECONDS),
    ],
)
def test_limits_stop_for_sure(limits: Limits, reason: BatchFailure) -> None:
    script = Scripted([call("read_file", {"path": "a"})] * 50)
    with pytest.raises(BatchFailed) as failed:
        ask(script, limits)
    assert failed.value.reason is reason
    assert len(script.seen) <= 3


def test_tool_calls_are_limited() -> None:
    script = Scripted([*[call("read_file", {"path": "a"})] * 3, report()])
    ask(script, Limits(tool_calls=3))
    assert [bool(tools) for _, tools, _ in script.seen] == [True, True, True, False]


def test_the_wall_clock_stops_a_model_that_hangs() -> None:
    async def hang(path: str) -> str:
        """Read a file."""
        await asyncio.sleep(60)
        return path

    script = Scripted([call("hang", {"path": "a"})])
    with pytest.raises(BatchFailed) as failed:
        ask(script, Limits(seconds=0.3), tools=(hang,))
    assert failed.value.reason is BatchFailure.LIMIT_SECONDS


def test_long_conversations_keep_what_was_loaded() -> None:
    def result(name: str, number: int, size: int) -> ModelRequest:
        return ModelRequest([ToolReturnPart(tool_name=name, content="x" * size, tool_call_id=f"{name}{number}")])

    messages = [result("skill", 0, 500), *(result("read_file", number, 300) for number in range(10))]
    compactor = Compactor(frozenset({"skill"}), most=2_000)
    sent = compactor.compacted(list(messages))
    texts = _results(sent)
    assert texts[0] == "x" * 500
    assert [text.startswith("[taken out") for text in texts[1:]] == [True] * 6 + [False] * 4
    assert texts[-4:] == ["x" * 300] * 4
    assert [len(text) for text in _results(messages)] == [500, *[300] * 10]
    again = compactor.compacted([*messages, result("read_file", 11, 10)])
    assert [str(one) for one in again[:7]] == [str(one) for one in sent[:7]]


def _results(messages: list[Any]) -> list[str]:
    return [str(part.content) for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def test_nothing_is_compacted_below_the_threshold() -> None:
    messages = [ModelRequest([ToolReturnPart(tool_name="read_file", content="x", tool_call_id="1")])]
    assert Compactor(frozenset()).compacted(list(messages)) == messages
