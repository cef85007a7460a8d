"""How this program starts git.

T1  the environment of a CI job holds tokens, and ``GIT_*`` variables steer git        -> ``environment`` builds one from nothing
T2  system and user configuration run programs (fsmonitor, pagers, filters, includes)  -> none is read; ours is on the command line
T3  replace refs and commit graphs change what an id means                             -> both off
T4  a partial clone runs its ``uploadpack`` to fetch a missing object                  -> no transport is allowed
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from kodus_check.errors import CannotReview

OPTIONS = (
    "-c", "core.commitGraph=false",
    "-c", "core.multiPackIndex=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.attributesFile=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=true",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
)  # fmt: skip


def environment(**extra: str) -> dict[str, str]:
    """The whole environment of a git child (T1 to T4)."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        **extra,
    }


def command(git_dir: Path, *arguments: str) -> list[str]:
    """The argument vector of one git command in our own repository."""
    return ["git", *OPTIONS, f"--git-dir={git_dir}", *arguments]


def run(arguments: Sequence[str], *, env: Mapping[str, str]) -> "subprocess.CompletedProcess[bytes]":
    """Runs git to its end and returns it whatever its exit code; CannotReview when there is no git."""
    try:
        return subprocess.run(arguments, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise no_git() from None


def no_git() -> CannotReview:
    return CannotReview("git is not installed or not on PATH", remedy="Install git 2.34 or newer.")


def said(stderr: bytes, most: int = 400) -> str:
    """The last lines of what git printed, for an error message."""
    text = stderr.decode("utf-8", "backslashreplace").strip()
    return " / ".join(text.split("\n")[-3:])[:most] or "(git said nothing)"
