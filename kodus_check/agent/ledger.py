"""What a run may spend, kept by one ledger for all reviewers, so that no limit is only a hope.

Requests are counted before they are sent, retries too; tokens and cost after the answer. Each open batch holds one request in
reserve, for its report: what was read so far is worth more than one more look.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kodus_check.model import BatchFailure


@dataclass(frozen=True, slots=True)
class Limits:
    """Per run. ``tokens`` are uncached input and output; ``tool_calls`` per batch; None is no limit."""

    requests: int = 80
    tokens: int = 2_000_000
    cost_usd: float | None = 2.0
    seconds: float = 900.0
    tool_calls: int = 40


class LimitReached(Exception):
    """A request that may not be made. ``reason`` says which limit, ``detail`` how much of it was used."""

    def __init__(self, reason: BatchFailure, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class Spent:
    """What one reviewer has used."""

    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    priced: bool = True

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass
class Ledger:
    """``clock`` gives seconds; the run starts when the ledger is made."""

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    spent: dict[str, Spent] = field(default_factory=dict)
    _open: int = 0
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        self._start = self.clock()

    @property
    def total(self) -> Spent:
        out = Spent()
        for one in self.spent.values():
            out.requests += one.requests
            out.input_tokens += one.input_tokens
            out.cached_tokens += one.cached_tokens
            out.output_tokens += one.output_tokens
            out.cost_usd += one.cost_usd
            out.priced = out.priced and one.priced
        return out

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - (self.clock() - self._start)

    def open_batch(self) -> None:
        """Reserves the request of a batch's report. Raises LimitReached where not even that is left."""
        self._check(self.limits.requests - self.total.requests - self._open < 1)
        self._open += 1

    def close_batch(self) -> None:
        self._open -= 1

    def may_look_further(self) -> bool:
        """Whether another request than the reserved ones may be made; if not, the next one of a batch must be its report."""
        total = self.total
        return (
            self.limits.requests - total.requests > self._open
            and total.tokens < self.limits.tokens * 0.9
            and (self.limits.cost_usd is None or total.cost_usd < self.limits.cost_usd * 0.9)
            and self.seconds_left > self.limits.seconds * 0.1
        )

    def request(self, agent: str) -> None:
        """Counts one request of a reviewer that is about to be sent, a retry like any other. Raises LimitReached."""
        self._check(self.total.requests >= self.limits.requests)
        self.spent.setdefault(agent, Spent()).requests += 1

    def answer(self, agent: str, *, input_tokens: int, cached_tokens: int, output_tokens: int, cost_usd: float | None) -> None:
        """Counts what an answer says it used. ``cost_usd`` is None where no price is known."""
        spent = self.spent.setdefault(agent, Spent())
        spent.input_tokens += input_tokens
        spent.cached_tokens += cached_tokens
        spent.output_tokens += output_tokens
        if cost_usd is None:
            spent.priced = False
        else:
            spent.cost_usd += cost_usd

    def _check(self, no_request_left: bool) -> None:
        total, limits = self.total, self.limits
        if no_request_left:
            raise LimitReached(BatchFailure.LIMIT_REQUESTS, f"the run's {limits.requests:,} requests are used")
        if total.tokens >= limits.tokens:
            raise LimitReached(BatchFailure.LIMIT_TOKENS, f"{total.tokens:,} of the run's {limits.tokens:,} tokens are used")
        if limits.cost_usd is not None and total.cost_usd >= limits.cost_usd:
            raise LimitReached(BatchFailure.LIMIT_COST, f"${total.cost_usd:.2f} of the run's ${limits.cost_usd:.2f} are used")
        if self.seconds_left <= 0:
            raise LimitReached(BatchFailure.LIMIT_SECONDS, f"the run's {limits.seconds:,.0f} seconds are over")
