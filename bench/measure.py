"""Wall time and peak memory of commands and functions."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path


def seconds(action: Callable[[], object], *, times: int = 5) -> float:
    """The median wall time of ``action``."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def command(arguments: Sequence[str], *, cwd: Path | None = None, codes: tuple[int, ...] = (0,)) -> Callable[[], bytes]:
    """An action that runs a command to its end and returns its stdout."""

    def run() -> bytes:
        done = subprocess.run(arguments, cwd=cwd, capture_output=True, check=False)
        assert done.returncode in codes, done.stderr.decode("utf-8", "replace")
        return done.stdout

    return run


def peak_megabytes(arguments: Sequence[str]) -> float:
    """Peak resident memory of one process, without its children, in MB: asked of the kernel by a small parent."""
    probe = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(os.wait4(child.pid, 0)[2].ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", probe, *arguments], capture_output=True, check=True, env=os.environ)
    return int(done.stdout) / 1024


def row(name: str, value: str, goal: str = "") -> None:
    print(f"{name:58} {value:>22}  {goal}", flush=True)
