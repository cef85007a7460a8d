"""What a run may spend, and what is counted."""

import pytest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from kodus_check.agent.ledger import Ledger, LimitReached, Limits
from kodus_check.agent.prices import Prices
from kodus_check.model import BatchFailure


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_open_batch_keeps_one_request_for_its_report() -> None:
    ledger = Ledger(Limits(requests=4))
    ledger.open_batch()
    ledger.open_batch()
    ledger.request("a")
    assert ledger.may_look_further()
    ledger.request("a")
    assert not ledger.may_look_further()
    with pytest.raises(LimitReached) as reached:
        ledger.open_batch()
    assert reached.value.reason is BatchFailure.LIMIT_REQUESTS
    ledger.request("a")
    ledger.close_batch()
    ledger.request("b")
    with pytest.raises(LimitReached):
        ledger.request("b")
    assert (ledger.spent["a"].requests, ledger.spent["b"].requests, ledger.total.requests) == (3, 1, 4)


@pytest.mark.parametrize(
    ("limits", "cost", "seconds", "reason"),
    [
        (Limits(tokens=100), 0.0, 0.0, BatchFailure.LIMIT_TOKENS),
        (Limits(cost_usd=0.5), 0.5, 0.0, BatchFailure.LIMIT_COST),
        (Limits(seconds=10), 0.0, 10.0, BatchFailure.LIMIT_SECONDS),
    ],
)
def test_each_limit_stops(limits: Limits, cost: float, seconds: float, reason: BatchFailure) -> None:
    clock = Clock()
    ledger = Ledger(limits, clock)
    ledger.request("a")
    ledger.answer("a", input_tokens=90, cached_tokens=1_000, output_tokens=10, cost_usd=cost)
    clock.now = seconds
    assert not ledger.may_look_further()
    with pytest.raises(LimitReached) as reached:
        ledger.request("a")
    assert reached.value.reason is reason


def test_cached_tokens_are_not_counted_and_no_price_is_no_cost() -> None:
    ledger = Ledger(Limits(tokens=100, cost_usd=None))
    ledger.answer("a", input_tokens=10, cached_tokens=10_000, output_tokens=5, cost_usd=None)
    ledger.request("a")
    assert (ledger.total.tokens, ledger.total.priced) == (15, False)


USAGE = RequestUsage(input_tokens=1_000_000, cache_read_tokens=200_000, output_tokens=100_000)


@pytest.mark.parametrize(
    ("prices", "model", "expected"),
    [
        (Prices(3.0, 0.3, 15.0), "nobody-knows", 0.8 * 3 + 0.2 * 0.3 + 0.1 * 15),
        (Prices(3.0, None, 15.0), "nobody-knows", 3 + 0.1 * 15),
        (Prices(), "nobody-knows", None),
        (Prices(3.0), "nobody-knows", None),
    ],
)
def test_prices(prices: Prices, model: str, expected: float | None) -> None:
    cost = prices.cost(ModelResponse([], usage=USAGE, model_name=model, provider_name="openai"))
    assert cost == (None if expected is None else pytest.approx(expected))


def test_the_price_table_knows_a_common_model() -> None:
    cost = Prices().cost(ModelResponse([], usage=USAGE, model_name="gpt-4o", provider_name="openai"))
    assert cost is not None
    assert cost > 1
