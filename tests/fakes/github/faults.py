"""Things that go wrong, queued by a test: each waits for a request that fits it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal, get_args

Kind = Literal[
    "before",
    "after",
    "secondary",
    "primary",
    "read_only",
    "unprocessable",
    "drop_comment",
    "truncate",
    "hang",
    "moved_head",
    "locked",
]


@dataclass
class Fault:
    """One queued fault; it happens ``times`` times, to requests whose path has a match of ``path``."""

    method: str
    path: re.Pattern[str]
    kind: Kind
    times: int = 1
    status: int = 403
    retry_after: int | None = 1
    body: dict[str, Any] = field(default_factory=dict)
    index: int = -1
    seconds: float = 30.0
    run: Callable[[], object] | None = None


class Faults:
    """The queue. ``waiting`` is what has not happened yet: a test that wants all of them to have happened looks at it."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []
        self._lock = Lock()

    def add(
        self,
        method: str,
        path: str,
        kind: Kind,
        times: int = 1,
        *,
        status: int = 403,
        retry_after: int | None = 1,
        body: dict[str, Any] | None = None,
        index: int = -1,
        seconds: float = 30.0,
        run: Callable[[], object] | None = None,
    ) -> None:
        """Queues a fault; ``path`` is searched for as a regular expression.

        - ``before``: 502, nothing happened; ``after``: 502, but it happened
        - ``secondary``: ``status`` (403 or 429) with ``retry-after`` (None: without the header)
        - ``primary``: ``status`` and the headers that say that nothing remains
        - ``read_only``: 403 of a token that may only read; ``locked``: what a locked conversation answers
        - ``unprocessable``: 422 with ``body``
        - ``drop_comment``: success, but the comment at ``index`` (of a review) was never stored
        - ``truncate``: half of the announced body; ``hang``: no answer for ``seconds``, then the connection ends, nothing happened
        - ``moved_head``: ``run`` is called first, then all goes on
        """
        assert kind in get_args(Kind), f"no fault of kind {kind!r}"
        assert kind != "moved_head" or run is not None, "moved_head needs run="
        assert kind != "unprocessable" or body, "unprocessable needs body="
        given = {"status": status, "retry_after": retry_after, "body": body or {}, "index": index, "seconds": seconds, "run": run}
        with self._lock:
            self.waiting.append(Fault(method.upper(), re.compile(path), kind, times, **given))  # type: ignore[arg-type] # keys are names

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that fits, used up by one."""
        with self._lock:
            for fault in self.waiting:
                if fault.method == method and fault.path.search(path):
                    fault.times -= 1
                    if not fault.times:
                        self.waiting.remove(fault)
                    return fault
        return None
