"""Long conversations: old tool results are taken out of what is sent, never out of what is kept.

Loaded skills stay word for word, however long it grows. Results are taken out in steps and stay out, because each change of
what was sent before costs the provider's cache.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart

MAX_CHARACTERS = 400_000
"""About 100,000 tokens. Above it, results are taken out until half of it is left."""
RECENT = 4


@dataclass
class Compactor:
    """``kept`` are the names of tools whose results are never taken out."""

    kept: frozenset[str]
    most: int = MAX_CHARACTERS
    _gone: set[str] = field(default_factory=set)

    def compacted(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """What to send for ``messages``, which stay as they are."""
        results = list(_results(messages))
        size = sum(len(str(part.content)) for part in results if part.tool_call_id not in self._gone)
        if size > self.most:
            for part in results[:-RECENT]:
                if size <= self.most / 2:
                    break
                if part.tool_name not in self.kept and part.tool_call_id not in self._gone:
                    self._gone.add(part.tool_call_id)
                    size -= len(str(part.content))
        return [self._without(message) for message in messages] if self._gone else messages

    def _without(self, message: ModelMessage) -> ModelMessage:
        if not isinstance(message, ModelRequest):
            return message
        parts = [self._shortened(part) if isinstance(part, ToolReturnPart) else part for part in message.parts]
        return replace(message, parts=parts)

    def _shortened(self, part: ToolReturnPart) -> ToolReturnPart:
        if part.tool_call_id not in self._gone:
            return part
        size = len(str(part.content))
        text = f"[taken out to save room: {size:,} characters; call `{part.tool_name}` again if needed]"
        return ToolReturnPart(tool_name=part.tool_name, content=text, tool_call_id=part.tool_call_id, timestamp=part.timestamp)


def _results(messages: Iterable[ModelMessage]) -> Iterable[ToolReturnPart]:
    for message in messages:
        if isinstance(message, ModelRequest):
            yield from (part for part in message.parts if isinstance(part, ToolReturnPart))
