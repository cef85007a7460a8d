"""A log of every tool call: what was asked, what the verdict was, and the whole result, which may be quoted later."""

import time
from dataclasses import dataclass, field

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``reason`` says why it was refused ("" when it was answered); ``result`` is what the model got."""

    id: str
    agent: str
    tool: str
    arguments: str
    reason: str
    result: str = field(repr=False)
    seconds: float


@dataclass
class CallLog:
    calls: list[Call] = field(default_factory=list)

    def add(self, agent: str, tool: str, arguments: str, result: str, start: float, *, reason: str = "") -> Call:
        """Records a call that began at ``start`` (``time.perf_counter``)."""
        call = Call(
            f"call-{len(self.calls) + 1}", agent, tool, arguments[:MAX_SHOWN], reason, result, round(time.perf_counter() - start, 4)
        )
        self.calls.append(call)
        return call

    def find(self, call_id: str) -> Call | None:
        return next((call for call in self.calls if call.id == call_id), None)
