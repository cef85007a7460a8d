"""When HTTP itself breaks: connections dropped, bodies that are none, servers that hang or are not there."""

import asyncio
import time

import pytest

from kodus_check.agent.engine import BatchFailed, Engine, Job
from kodus_check.agent.ledger import Ledger, Limits
from kodus_check.agent.models import ModelName, close, connect
from kodus_check.agent.prices import Prices
from kodus_check.model import BatchFailure
from tests.agent.faulty import FaultyServer
from tests.agent.scripted import FINDINGS, read_file


def failure(api: str, url: str, *, seconds: float = 60.0) -> tuple[BatchFailed, Ledger]:
    ledger = Ledger(Limits(seconds=seconds))

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    async def run() -> None:
        model = connect(ModelName.parse(api, url), {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
        try:
            await Engine(model, ledger, Prices(), sleep=sleep).ask(Job("a", "s", "p", FINDINGS, (read_file,)))
        finally:
            await close(model)

    with pytest.raises(BatchFailed) as failed:
        asyncio.run(run())
    return failed.value, ledger


@pytest.mark.parametrize("api", ["openai-chat:m", "openai:m", "anthropic:m"])
@pytest.mark.parametrize(
    ("fault", "reasons", "requests"),
    [
        ("drop", {BatchFailure.UNAVAILABLE}, {3}),
        ("half", {BatchFailure.UNAVAILABLE}, {3}),
        ("garbage", {BatchFailure.UNAVAILABLE, BatchFailure.INVALID}, {1, 2, 3}),
        ("empty", {BatchFailure.UNAVAILABLE, BatchFailure.INVALID, BatchFailure.EMPTY}, {1, 2, 3}),
    ],
)
def test_what_breaks(api: str, fault: str, reasons: set[BatchFailure], requests: set[int]) -> None:
    with FaultyServer(fault) as server:
        failed, ledger = failure(api, server.url)
        assert (failed.reason in reasons, ledger.total.requests in requests) == (True, True), (
            failed.reason,
            failed.detail,
            server.requests,
        )
        assert server.requests == ledger.total.requests


def test_a_server_that_hangs_is_stopped_by_the_clock() -> None:
    with FaultyServer("hang") as server:
        start = time.monotonic()
        failed, _ = failure("openai-chat:m", server.url, seconds=0.5)
        assert failed.reason is BatchFailure.LIMIT_SECONDS
        assert time.monotonic() - start < 15


def test_a_server_that_is_not_there() -> None:
    with FaultyServer("drop") as server:
        url = server.url
    failed, ledger = failure("openai-chat:m", url)
    assert (failed.reason, ledger.total.requests) == (BatchFailure.UNAVAILABLE, 3)
