"""Progress on stderr: a live line in a terminal, plain lines elsewhere. stdout belongs to the result alone."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from kodus_check.text import log_safe, one_line

if TYPE_CHECKING:
    from rich.status import Status


class Progress:
    """Call it with what is being done now. A context manager."""

    def __init__(self, stream: TextIO = sys.stderr, *, live: bool | None = None) -> None:
        self._stream = stream
        self._live = stream.isatty() if live is None else live
        self._status: Status | None = None

    def __enter__(self) -> "Progress":
        if self._live:
            from rich.console import Console

            self._status = Console(file=self._stream).status("kodus-check")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, what: str) -> None:
        shown = log_safe(one_line(what))
        if self._status is None:
            print(f"kodus-check: {shown}", file=self._stream, flush=True)
        else:
            from rich.text import Text

            self._status.update(Text(shown))
