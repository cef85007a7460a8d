"""One conversation with a model until it reports through one tool, or a decided failure. The agent loop itself is pydantic-ai's.

T1  a reply that was cut, is empty or was filtered reads as "nothing found"      -> a failed batch with its reason
T2  a library retries by itself, uncounted                                       -> clients do not retry; attempts are counted here
T3  a tool that raises ends the run                                              -> tools answer with text, whatever happens
T4  an error text of a provider holds a key                                      -> shown shortened and redacted
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Generic, TypeVar

from pydantic import WithJsonSchema
from pydantic_ai import Agent, ModelRetry, Tool, ToolOutput, UsageLimits
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from kodus_check.agent.compact import Compactor
from kodus_check.agent.ledger import Ledger, LimitReached
from kodus_check.agent.prices import Prices
from kodus_check.agent.redact import redact
from kodus_check.model import BatchFailure
from kodus_check.text import mask_keys, one_line, shorten

MAX_ATTEMPTS = 3
MAX_WAIT = 60.0
FIRST_WAIT = 1.0
_RETRIED = frozenset({408, 409, 429})
_REPORT_NOW = "No more tools can be called: what this run may spend is nearly used. Report now what you have found."

Value = TypeVar("Value")


class BatchFailed(Exception):
    """A conversation without a usable report."""

    def __init__(self, reason: BatchFailure, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Report(Generic[Value]):
    """The one tool that ends a conversation: its single required argument ``key`` with its JSON Schema.

    ``read`` turns what was given into a value and names what is wrong with the parts that could not be read.
    """

    name: str
    description: str
    key: str
    schema: dict[str, Any]
    read: Callable[[object], tuple[Value, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Job(Generic[Value]):
    """What to ask: ``prompt`` after ``system``. ``tools`` answer with text and never raise; ``kept`` ones are never compacted."""

    agent: str
    system: str
    prompt: str
    report: Report[Value]
    tools: Sequence[Callable[..., Awaitable[str]]] = ()
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """What was reported; ``problems`` are the parts that could not be read, even after they were asked for again."""

    value: Value
    problems: tuple[str, ...]


@dataclass
class Engine:
    """Asks one model on the account of one ledger. ``sleep`` waits between attempts; ``trace`` is told of each request."""

    model: Model
    ledger: Ledger
    prices: Prices
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    trace: Callable[[dict[str, Any]], None] = field(default=lambda event: None)

    async def ask(self, job: Job[Value]) -> Answer[Value]:
        """The report of one conversation; BatchFailed says why there is none."""
        try:
            self.ledger.open_batch()
        except LimitReached as limit:
            raise BatchFailed(limit.reason, limit.detail) from None
        try:
            async with asyncio.timeout(max(0.0, self.ledger.seconds_left)):
                return await self._ask(job)
        except TimeoutError:
            detail = f"the run's {self.ledger.limits.seconds:,.0f} seconds are over"
            raise BatchFailed(BatchFailure.LIMIT_SECONDS, detail) from None
        finally:
            self.ledger.close_batch()

    async def _ask(self, job: Job[Value]) -> Answer[Value]:
        readings: list[tuple[Value, Sequence[str]]] = []
        reading_type = Annotated[list[Any], WithJsonSchema(job.report.schema)]

        def report(**arguments: Any) -> Answer[Value]:
            value, problems = job.report.read(arguments[job.report.key])
            readings.append((value, problems))
            if problems and len(readings) == 1:
                raise ModelRetry("These parts cannot be read; report all again, corrected:\n" + "\n".join(problems[:20]))
            return Answer(value, tuple(problems))

        ending = ToolOutput(
            _with_argument(report, job.report.key, reading_type),
            name=job.report.name,
            description=job.report.description,
            max_retries=1,
        )
        agent = Agent(
            _Metered(self.model, self, job),
            output_type=ending,
            instructions=job.system,
            tools=[Tool(tool, takes_ctx=False, max_retries=3) for tool in job.tools],
            retries={"tools": 3, "output": 1},
        )
        try:
            result = await agent.run(job.prompt, usage_limits=UsageLimits(request_limit=None), model_settings=ModelSettings())
        except BatchFailed as failed:
            return _salvaged(readings, failed)
        except (UnexpectedModelBehavior, UserError) as error:
            return _salvaged(readings, _failure_of(error))
        return result.output


def _with_argument(function: Callable[..., Answer[Value]], key: str, kind: Any) -> Callable[..., Answer[Value]]:
    """``function`` as one whose single required argument has a name and a type that are known only now."""
    import inspect

    function.__annotations__ = {key: kind, "return": Answer}
    parameter = inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
    function.__signature__ = inspect.Signature([parameter], return_annotation=Answer)  # type: ignore[attr-defined]
    return function


def _salvaged(readings: Sequence[tuple[Value, Sequence[str]]], failed: BatchFailed) -> Answer[Value]:
    """What the last report said, where the conversation broke off after it; else the failure."""
    if not readings:
        raise failed
    value, problems = readings[-1]
    return Answer(value, (*problems, f"the conversation broke off before they were corrected ({failed.detail})"))


class _Metered(WrapperModel):
    """The model behind the ledger: counts, retries, checks each reply, and takes the tools away for the last request."""

    def __init__(self, wrapped: Model, engine: Engine, job: Job[Any]) -> None:
        super().__init__(wrapped)
        self._engine = engine
        self._job = job
        self._compactor = Compactor(job.kept)
        self._calls = 0

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        ledger = self._engine.ledger
        sent = self._compactor.compacted(messages)
        last = self._calls >= ledger.limits.tool_calls or not ledger.may_look_further()
        if last and model_request_parameters.function_tools:
            model_request_parameters = replace(model_request_parameters, function_tools=[])
            sent = _with_note(sent, _REPORT_NOW)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                ledger.request(self._job.agent)
            except LimitReached as limit:
                raise BatchFailed(limit.reason, limit.detail) from None
            start = time.perf_counter()
            try:
                response = await self.wrapped.request(sent, model_settings, model_request_parameters)
            except ModelAPIError as error:
                self._trace(start, error=type(error).__name__)
                await self._wait(error, attempt)
                continue
            except (UnexpectedModelBehavior, asyncio.CancelledError):
                raise
            except Exception as error:  # noqa: BLE001 - whatever a client makes of a body that is no answer
                self._trace(start, error=type(error).__name__)
                detail = f"the provider's reply could not be read ({type(error).__name__})"
                raise BatchFailed(BatchFailure.UNAVAILABLE, detail) from None
            self._count(response, start)
            _check(response)
            self._calls += sum(isinstance(part, ToolCallPart) for part in response.parts)
            return response
        raise AssertionError("the last attempt returns or raises")

    async def _wait(self, error: ModelAPIError, attempt: int) -> None:
        """Waits for the next attempt, as long as the provider asks for; BatchFailed where there is none."""
        if attempt == MAX_ATTEMPTS or not _may_pass(error):
            raise _failure_of(error, attempts=attempt) from None
        wait = error.retry_after if error.retry_after is not None else FIRST_WAIT * 2 ** (attempt - 1)
        if wait > min(MAX_WAIT, self._engine.ledger.seconds_left):
            failure = _failure_of(error, attempts=attempt)
            raise BatchFailed(failure.reason, f"{failure.detail}; the provider asks to wait {wait:,.0f} s") from None
        await self._engine.sleep(wait)

    def _count(self, response: ModelResponse, start: float) -> None:
        usage = response.usage
        cached = usage.cache_read_tokens
        cost = self._engine.prices.cost(response)
        uncached = max(0, usage.input_tokens - cached)
        self._engine.ledger.answer(
            self._job.agent, input_tokens=uncached, cached_tokens=cached, output_tokens=usage.output_tokens, cost_usd=cost
        )
        self._trace(start, input_tokens=uncached, cached_tokens=cached, output_tokens=usage.output_tokens)

    def _trace(self, start: float, **event: Any) -> None:
        seconds = round(time.perf_counter() - start, 3)
        self._engine.trace({"kind": "request", "agent": self._job.agent, "seconds": seconds, **event})


def _with_note(messages: list[ModelMessage], text: str) -> list[ModelMessage]:
    """``messages`` with a text behind the last one, which is a request."""
    last = messages[-1]
    if not isinstance(last, ModelRequest):
        return messages
    return [*messages[:-1], replace(last, parts=[*last.parts, UserPromptPart(text)])]


def _check(response: ModelResponse) -> None:
    """T1: what may not be read as an answer."""
    if response.finish_reason == "length":
        raise BatchFailed(BatchFailure.TRUNCATED, "the reply was cut at its length limit")
    if response.finish_reason in ("content_filter", "refusal"):
        raise BatchFailed(BatchFailure.REFUSED, "the provider filtered the reply")
    for part in response.parts:
        if (
            isinstance(part, ToolCallPart)
            and isinstance(part.args, str)
            and not _is_whole(part.args)
            and response.finish_reason is None
        ):
            raise BatchFailed(BatchFailure.TRUNCATED, "the reply ends inside a tool call")
    told = [
        part for part in response.parts if isinstance(part, ToolCallPart) or (isinstance(part, TextPart) and part.content.strip())
    ]
    if not told:
        raise BatchFailed(BatchFailure.EMPTY, "the reply is empty")


def _is_whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except ValueError:
        return False
    return True


def _may_pass(error: ModelAPIError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, ModelQuotaExceededError):
        return False
    if isinstance(error, ModelHTTPError):
        return error.status_code in _RETRIED or error.status_code >= 500
    return not isinstance(error, ModelRequestRejectedError)


_REASONS: tuple[tuple[type[Exception], BatchFailure], ...] = (
    (ModelAuthenticationError, BatchFailure.UNAUTHORIZED),
    (ModelQuotaExceededError, BatchFailure.RATE_LIMITED),
    (ModelRateLimitError, BatchFailure.RATE_LIMITED),
    (ModelContextWindowExceededError, BatchFailure.TOO_LARGE),
    (ModelConnectionError, BatchFailure.UNAVAILABLE),
    (ModelRequestRejectedError, BatchFailure.REJECTED),
    (ModelAPIError, BatchFailure.UNAVAILABLE),
    (ContentFilterError, BatchFailure.REFUSED),
    (OutputTokenLimitExceeded, BatchFailure.TRUNCATED),
)


_STATUS = {
    400: BatchFailure.REJECTED,
    401: BatchFailure.UNAUTHORIZED,
    403: BatchFailure.UNAUTHORIZED,
    404: BatchFailure.REJECTED,
    413: BatchFailure.TOO_LARGE,
    422: BatchFailure.REJECTED,
    429: BatchFailure.RATE_LIMITED,
}


def _failure_of(error: Exception, *, attempts: int = 1) -> BatchFailed:
    reason = next((reason for kind, reason in _REASONS if isinstance(error, kind)), BatchFailure.INVALID)
    if isinstance(error, ModelHTTPError) and not isinstance(error, ModelContextWindowExceededError):
        reason = _STATUS.get(error.status_code, reason)
    times = f" ({attempts} attempts)" if attempts > 1 else ""
    if isinstance(error, ModelHTTPError):
        return BatchFailed(reason, f"the provider answers {error.status_code}: {_shown(str(error.body or ''))}{times}")
    return BatchFailed(reason, f"{type(error).__name__}: {_shown(str(error))}{times}")


def _shown(text: str) -> str:
    return shorten(redact(mask_keys(one_line(text)))[0], 200)
