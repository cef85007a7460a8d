"""What the model was asked and did, one JSON object a line: requests, tool calls, verdicts, drops. For looking into a run."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kodus_check.text import mask_keys


def trace_lines(events: Iterable[Mapping[str, Any]]) -> str:
    """The events in order, ASCII, with what is shaped like a key masked."""
    return "".join(f"{json.dumps({name: _masked(value) for name, value in event.items()})}\n" for event in events)


def _masked(value: Any) -> Any:
    return mask_keys(value) if isinstance(value, str) else value
