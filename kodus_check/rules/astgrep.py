"""The ast-grep binary, run with bounds.

T1  rule text and source can burn time, memory and output                   -> wall time, address space and stdout are capped
T2  the environment holds tokens                                            -> built from nothing
T3  ``sgconfig.yml`` of a checkout is searched upwards and can load code    -> always ``-c`` with a file of our own, customLanguages
                                                                               ignored, a version that ignores them by default
T4  another version silently matches differently                            -> the version is checked
"""

import json
import os
import resource
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kodus_check.errors import CannotReview
from kodus_check.model import CoverageReason

VERSION = "0.51."
MAX_RESULTS = 65_535  # ast-grep's own largest value; exactly this many means it stopped early


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one process may use: seconds of wall time, bytes of address space, bytes of stdout."""

    seconds: float = 30.0
    memory: int = 4 * 1024**3
    output: int = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Ran:
    """How a process ended. ``broken`` names the bound it broke (or a crash); then ``lines`` is incomplete."""

    code: int
    lines: list[bytes]
    stderr: str
    broken: CoverageReason | None

    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines if line]


@cache
def binary() -> str:
    """The ast-grep that belongs to this Python environment, its version checked; CannotReview when there is none."""
    beside = Path(sys.executable).parent / "ast-grep"
    path = str(beside) if beside.is_file() else shutil.which("ast-grep")
    if path is None:
        raise CannotReview("ast-grep is not installed", remedy="Install kodus-check with its dependencies (`ast-grep-cli`).")
    try:
        said = subprocess.run([path, "--version"], env=_environment(), capture_output=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotReview(f"ast-grep does not start: {error}", where=path) from None
    version = said.decode("utf-8", "replace").split()[-1:] or ["?"]
    if not version[0].startswith(VERSION):
        raise CannotReview(
            f"this is ast-grep {version[0]}; other versions match differently",
            where=path,
            remedy=f"Install `ast-grep-cli` {VERSION}*, the version this program was tried with.",
        )
    return path


def own_config_name() -> str:
    """A name for a config of ours in the root of a tree: random, so that no file of head can be it (T3)."""
    return f".kodus-check-{secrets.token_hex(8)}"


def run(arguments: Sequence[str], *, cwd: Path, bounds: Bounds) -> Ran:
    """Runs ast-grep to its end or to a bound. Output up to the bound is kept, without a line that was cut."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [binary(), *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            start_new_session=True,
        )
        broken: CoverageReason | None = CoverageReason.CRASH
        try:
            _limit(process.pid, bounds)
            output, broken = _collect(process, bounds)
        finally:  # an interrupt too must leave no process behind
            if broken is not None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        errors.seek(0)
        stderr = errors.read(64 * 1024**2).decode("utf-8", "backslashreplace")
    lines = output.split(b"\n")
    cut = lines.pop()
    if broken is None and code < 0:
        broken = CoverageReason.MEMORY if code == -signal.SIGABRT else CoverageReason.CRASH
    if broken is None and code == 101:
        broken = CoverageReason.CRASH
    if broken is None and cut:
        lines.append(cut)
    return Ran(code, lines, stderr, broken)


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "AST_GREP_TRUST_DIR": "/nonexistent", "NO_COLOR": "1", "LC_ALL": "C"}


def _limit(pid: int, bounds: Bounds) -> None:
    if sys.platform == "linux":  # elsewhere no process can limit another; time and output are bounded all the same
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_AS, (bounds.memory, bounds.memory))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


def _collect(process: "subprocess.Popen[bytes]", bounds: Bounds) -> tuple[bytes, CoverageReason | None]:
    assert process.stdout is not None
    end = time.monotonic() + bounds.seconds
    output = bytearray()
    with selectors.DefaultSelector() as selector, process.stdout as stdout:
        selector.register(stdout, selectors.EVENT_READ)
        while True:
            left = end - time.monotonic()
            if left <= 0 or not selector.select(left):
                return bytes(output), CoverageReason.TIMEOUT
            part = os.read(stdout.fileno(), 1 << 18)
            if not part:
                return bytes(output), _ended(process, end)
            output.extend(part)
            if len(output) > bounds.output:
                return bytes(output), CoverageReason.OUTPUT


def _ended(process: "subprocess.Popen[bytes]", end: float) -> CoverageReason | None:
    try:
        process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return CoverageReason.TIMEOUT
    return None
