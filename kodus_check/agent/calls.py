"""A log of every tool call: what was asked, what the verdict was, and the whole result, which may be quoted later."""

import time
from dataclasses import dataclass, field

from kodus_check.agent.redact import redact
from kodus_check.text import one_line, shorten

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``arguments`` are for showing: on one line, without keys, cut.

    ``reason`` says why it was refused or what failed ("" when it was answered); ``result`` is what the model got; ``seconds`` is
    how long it took.
    """

    id: str
    agent: str
    tool: str
    arguments: str
    reason: str
    result: str = field(repr=False)
    seconds: float

    @property
    def size(self) -> int:
        """Bytes of the result."""
        return len(self.result.encode("utf-8", "surrogatepass"))

    @property
    def lines(self) -> int:
        """Lines of the result."""
        return self.result.count("\n") + 1 if self.result else 0


@dataclass
class CallLog:
    """Calls in the order in which they ended, as ``call-1``, ``call-2``, …; nothing is ever taken out or changed."""

    _calls: list[Call] = field(default_factory=list)

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    def add(self, agent: str, tool: str, arguments: str, result: str, start: float, *, reason: str = "") -> Call:
        """Records a call that began at ``start`` (``time.perf_counter``)."""
        call = Call(
            id=f"call-{len(self._calls) + 1}",
            agent=agent,
            tool=tool,
            arguments=shorten(redact(one_line(arguments))[0], MAX_SHOWN),
            reason=reason,
            result=result,
            seconds=round(time.perf_counter() - start, 4),
        )
        self._calls.append(call)
        return call

    def find(self, call_id: str) -> Call | None:
        return next((call for call in self._calls if call.id == call_id), None)

    def evidence(self, call_id: str) -> str | None:
        """The whole result of a call; None where there is no such call, or it was not answered."""
        call = self.find(call_id)
        return call.result if call is not None and not call.reason else None
