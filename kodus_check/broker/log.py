"""The log of a step, line by line: what the review prints reaches the runner, but not as a command that is the broker's to give.

T1  ``::set-output``, ``::save-state``, ``::add-matcher`` or ``::stop-commands`` in a log do what the files of the step do
    -> annotations, groups and debug lines are commands; every other one is escaped and stays readable
T2  a line that the runner sees and we do not: an end of line of its own, a mark of another encoding at the start of the stream
    -> split as it splits, and written anew as UTF-8
T3  a line without an end, or a process that outlives the review and keeps its end open   -> cut, waited for a moment only

Source: actions/runner, ``ActionCommandManager`` and ``ActionCommand``.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import IO

MAX_LINE = 1 << 18
GRACE_SECONDS = 5.0

_LINE_END = re.compile(rb"\r\n|\r|\n")
_COMMAND = re.compile(r"[\s\ufeff]*::(?!(?:error|warning|notice|debug|group|endgroup)(?: |::))")


@contextmanager
def relayed(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Passes on what ``child`` prints, until it is told to end and what is left was read (T3)."""
    ends = ((child.stdout, 1), (child.stderr, 2))
    threads = [Thread(target=_relay, args=(end, sink), daemon=True) for end, sink in ends if end is not None]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join(GRACE_SECONDS)


def harmless(line: str) -> str:
    """``line`` so that it is no command but one that a review may give (T1)."""
    escaped = line.replace("##[", "##\\[")
    return f"\\{escaped}" if _COMMAND.match(escaped) else escaped


def _relay(source: IO[bytes], sink: int) -> None:
    rest = b""
    with source:
        while data := os.read(source.fileno(), 1 << 16):
            first, *more = _LINE_END.split(data)
            *lines, rest = [rest + first, *more]
            if len(rest) > MAX_LINE:
                lines, rest = [*lines, rest], b""
            _write(sink, lines)
    if rest:
        _write(sink, [rest])


def _write(sink: int, lines: list[bytes]) -> None:
    data = b"".join(f"{harmless(line.decode('utf-8', 'replace'))}\n".encode() for line in lines)
    with suppress(BrokenPipeError):  # nobody reads the log; the review must not wait for that
        while data:
            data = data[os.write(sink, data) :]
