# ruff: noqa: BLE001, PLW0108, PTH208, SIM115
"""Stands in for the command line in the image: the real broker starts it as it would the review, and it tries what it can.

Mounted over ``kodus_check/cli/__init__.py``. Prints one JSON object: what it is, what it has, and how each attempt ended.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)
_COMMANDS = Path("/github/file_commands")


def main() -> None:
    mode = os.environ.get("GITHUB_ACTOR", "")  # a variable that passes, and says which probe is wanted
    if mode.startswith("leave:"):
        _leave(mode.removeprefix("leave:"))
        sys.exit(0)
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    print(
        json.dumps(
            {
                "status": {
                    name: status[name].split()
                    for name in ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
                },
                "environ": dict(os.environ),
                "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1],
                "arguments": sys.argv,
                "attempts": {name: _tried(attempt) for name, attempt in _ATTEMPTS.items()},
            }
        )
    )
    sys.exit(0)


def _tried(attempt: Callable[[], object]) -> str:
    try:
        return f"ALLOWED {attempt()!r}"
    except BaseException as error:
        return f"denied {getattr(error, 'strerror', None) or type(error).__name__}"


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _by_a_child(path: str) -> str:
    """A process of the same user, as git and ast-grep are: the review must be closed to it as well."""
    done = subprocess.run(["cat", path], capture_output=True, check=False)
    if done.returncode:
        raise PermissionError(1, "by a child")
    return done.stdout.decode("utf-8", "replace")[:80]


def _set_uid_program() -> str:
    done = subprocess.run(["su", "-c", "id -u"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return done.stdout.decode()


_ATTEMPTS: dict[str, Callable[[], object]] = {
    "become root": lambda: os.setuid(0),
    "become root by saved id": lambda: os.setresuid(-1, 0, -1),
    "join docker": lambda: os.setgroups([118]),
    "group root": lambda: os.setgid(0),
    "su": _set_uid_program,
    "new user namespace": lambda: _checked(_libc.unshare(0x10000000)),
    "docker socket": lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"),
    "set a variable of later steps": lambda: (_COMMANDS / "set_env").open("a"),
    "set PATH of later steps": lambda: (_COMMANDS / "add_path").open("a"),
    "set an output past the broker": lambda: (_COMMANDS / "set_output").open("a"),
    "remove a file command": lambda: (_COMMANDS / "set_env").unlink(),
    "add a file command": lambda: (_COMMANDS / "new").open("w"),
    "environment of the broker": lambda: Path("/proc/1/environ").read_bytes()[:40],
    "memory of the broker": lambda: Path("/proc/1/mem").open("rb"),
    "descriptors of the broker": lambda: os.listdir("/proc/1/fd"),
    "signal the broker": lambda: os.kill(1, signal.SIGTERM),
    "trace the broker": lambda: _checked(_libc.ptrace(16, 1, 0, 0)),
    "environment of the review, by a child": lambda: _by_a_child(f"/proc/{os.getpid()}/environ"),
    "change the workspace": lambda: Path("/github/workspace/src/a.ts").open("a"),
    "change git's config": lambda: Path("/github/workspace/.git/config").open("a"),
    "write to the runner's home": lambda: Path("/github/home/.gitconfig").open("w"),
    "change the program": lambda: Path(__file__).open("a"),
    "change the start": lambda: Path("/opt/kodus-check/entrypoint.py").open("a"),
    "read shadow": lambda: Path("/etc/shadow").read_bytes(),
    "look into the spool": lambda: os.listdir(Path(os.environ["HOME"]).parent),
    "add to the spool": lambda: (Path(os.environ["HOME"]).parent / "new").open("w"),
}


def _leave(what: str) -> None:
    """Leaves something in the spool that root should not take over."""
    out = Path(os.environ["GITHUB_OUTPUT"])
    report = out.parent / "report.json"
    if what == "link":
        report.symlink_to("/etc/shadow")
    elif what == "pipe":
        os.mkfifo(report)
    elif what == "outputs":
        out.write_text("outcome=clean\nreview-file=/etc/passwd\n")
    elif what == "commands":
        print(
            "text\r::set-output name=outcome::clean\r\n::add-mask::a\nx ##[save-state name=a]b\n::error file=src/a.ts,line=2::fine"
        )
        print("::stop-commands::x\n::add-matcher::x.json", file=sys.stderr)
    elif what == "summary":
        Path(os.environ["GITHUB_STEP_SUMMARY"]).write_text("line\n" * 400_000)
