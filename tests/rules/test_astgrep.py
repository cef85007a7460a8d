"""One process with bounds: what breaks one is told, and nothing else of this machine reaches it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kodus_check.errors import CannotReview
from kodus_check.model import CoverageReason
from kodus_check.rules import astgrep
from kodus_check.rules.astgrep import Bounds, Ran, run
from tests.rules.conftest import FakeAstGrep
from tests.rules.rig import OK

VERSION = 'case "$1" in --version) echo "ast-grep 0.51.1"; exit;; esac\n'
SCAN = ["scan", "-r", "rule.yml", "--json=stream", "-j1", "--"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rule.yml").write_text(OK)
    return tmp_path


def still_alive(file: Path) -> list[int]:
    """The processes named in ``file`` that still run a while after they should be dead. A zombie does not run."""
    end = time.monotonic() + 5
    left = pids(file)
    while left and time.monotonic() < end:
        left = [pid for pid in left if _state(pid) not in ("", "Z")]
    return left


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()]


# --- the real binary -----------------------------------------------------------------------------------------------------------


def test_what_a_run_gives(folder: Path) -> None:
    (folder / "a.ts").write_text("parseFloat(a)")
    ran = run([*SCAN, "a.ts"], cwd=folder, bounds=Bounds())
    assert (ran.code, ran.broken, ran.stderr, len(ran.lines)) == (0, None, "", 1)
    (match,) = ran.objects()
    assert (match["ruleId"], match["text"], match["range"]["byteOffset"]) == ("ok", "parseFloat(a)", {"start": 0, "end": 13})


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["scan", "--nope"], 2, "unexpected argument '--nope'"),
        (["scan", "-r", "no.yml"], 6, "Cannot read rule"),
        ([*SCAN, "no.ts"], 0, "No such file"),
    ],
)
def test_a_code_is_told_and_not_judged(arguments: list[str], code: int, said: str, folder: Path) -> None:
    ran = run(arguments, cwd=folder, bounds=Bounds())
    assert (ran.code, ran.broken, ran.objects()) == (code, None, [])
    assert said in ran.stderr


def test_memory(folder: Path) -> None:
    """10 MB on one line would take gigabytes; what was printed before is kept."""
    (folder / "a.ts").write_text("parseFloat(a)")
    (folder / "b.ts").write_text("a=" + "[1," * 3_333_333)
    ran = run([*SCAN, "a.ts", "b.ts"], cwd=folder, bounds=Bounds(memory=300 * 1024**2))
    assert ran.broken is CoverageReason.MEMORY
    assert [one["file"] for one in ran.objects()] == ["a.ts"]


def test_memory_that_is_enough(folder: Path) -> None:
    (folder / "a.ts").write_text("parseFloat(a)")
    assert run([*SCAN, "a.ts"], cwd=folder, bounds=Bounds(memory=300 * 1024**2)).broken is None


def test_time(folder: Path) -> None:
    (folder / "rule.yml").write_text(
        "id: s\nlanguage: ts\nrule: {kind: expression_statement, follows: {pattern: z($B), stopBy: end}}\n"
    )
    (folder / "a.ts").write_text("f(1);\n" * 50_000)
    start = time.monotonic()
    assert run([*SCAN, "a.ts"], cwd=folder, bounds=Bounds(seconds=0.3)).broken is CoverageReason.TIMEOUT
    assert time.monotonic() - start < 5


def test_output(folder: Path) -> None:
    """The lines that are kept are whole: a cut one is not among them."""
    (folder / "a.ts").write_text("parseFloat(a);\n" * 50_000)
    ran = run([*SCAN, "a.ts"], cwd=folder, bounds=Bounds(output=1_000_000))
    assert ran.broken is CoverageReason.OUTPUT
    assert 1_000 < len(ran.objects()) < 50_000
    assert sum(map(len, ran.lines)) < 1_000_000 + 2 * 2**18


# --- ends that the real one cannot be brought to -------------------------------------------------------------------------------


def fake(fake_astgrep: FakeAstGrep, script: str, cwd: Path, bounds: Bounds | None = None) -> Ran:
    fake_astgrep(VERSION + script)
    return run(["scan"], cwd=cwd, bounds=bounds or Bounds())


@pytest.mark.parametrize(
    ("script", "ran"),
    [
        ("printf '1\\n2\\n'", Ran(0, [b"1", b"2"], "", None)),
        ("printf '1\\n2'", Ran(0, [b"1", b"2"], "", None)),
        ("echo bad >&2; exit 8", Ran(8, [], "bad\n", None)),
        ("printf '\\377' >&2", Ran(0, [], "\\xff", None)),
        ("printf '1\\n2'; exit 101", Ran(101, [b"1"], "", CoverageReason.CRASH)),
        ("printf '1\\n2'; kill -SEGV $$", Ran(-signal.SIGSEGV, [b"1"], "", CoverageReason.CRASH)),
        ("printf '1\\n2'; kill -KILL $$", Ran(-signal.SIGKILL, [b"1"], "", CoverageReason.CRASH)),
        ("printf '1\\n2'; kill -ABRT $$", Ran(-signal.SIGABRT, [b"1"], "", CoverageReason.MEMORY)),
        ("cat", Ran(0, [], "", None)),
    ],
    ids=["two lines", "no newline at the end", "complaint", "odd complaint", "panic", "SEGV", "KILL", "ABRT", "stdin is empty"],
)
def test_ends(script: str, ran: Ran, fake_astgrep: FakeAstGrep, tmp_path: Path) -> None:
    assert fake(fake_astgrep, script, tmp_path) == ran


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60 & echo $! >> pids; echo $$ >> pids; echo 1; wait",
        "trap '' TERM INT; echo $$ >> pids; echo 1; while :; do sleep 1; done",
        "echo $$ >> pids; echo 1; exec >&-; sleep 60",
    ],
    ids=["with a child", "deaf", "closes its output"],
)
def test_what_takes_too_long_is_ended_with_its_children(script: str, fake_astgrep: FakeAstGrep, tmp_path: Path) -> None:
    start = time.monotonic()
    ran = fake(fake_astgrep, script, tmp_path, Bounds(seconds=0.5))
    assert time.monotonic() - start < 10
    assert ran == Ran(-signal.SIGKILL, [b"1"], "", CoverageReason.TIMEOUT)
    assert still_alive(tmp_path / "pids") == []


def test_an_endless_output_is_ended(fake_astgrep: FakeAstGrep, tmp_path: Path) -> None:
    ran = fake(fake_astgrep, "echo $$ > pids; yes", tmp_path, Bounds(output=100_000))
    assert ran.broken is CoverageReason.OUTPUT
    assert set(ran.lines) == {b"y"}
    assert still_alive(tmp_path / "pids") == []


def test_an_interrupt_leaves_no_process(fake_astgrep: FakeAstGrep, tmp_path: Path) -> None:
    """It has a session of its own, so that ^C does not reach it."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.7)
        with pytest.raises(KeyboardInterrupt):
            fake(fake_astgrep, "echo $$ > pids; sleep 60", tmp_path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 10
    assert still_alive(tmp_path / "pids") == []


# --- which binary, and what it is given ------------------------------------------------------------------------------------------


def test_the_environment_is_built_from_nothing(fake_astgrep: FakeAstGrep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TR-9, also for the question after its version."""
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("LD_PRELOAD", "")
    script = fake_astgrep('cat "/proc/$$/environ" > "$0.$1"\n' + VERSION)
    run(["scan"], cwd=tmp_path, bounds=Bounds())
    for name in ("--version", "scan"):
        given = (script.with_name(f"ast-grep.{name}")).read_bytes().rstrip(b"\0").split(b"\0")
        assert dict(pair.split(b"=", 1) for pair in given) == {
            b"PATH": b"/usr/bin:/bin",
            b"HOME": b"/nonexistent",
            b"AST_GREP_TRUST_DIR": b"/nonexistent",
            b"NO_COLOR": b"1",
            b"LC_ALL": b"C",
        }


def test_the_one_beside_this_python_comes_first(fake_astgrep: FakeAstGrep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = astgrep.binary()
    script = fake_astgrep(VERSION)
    monkeypatch.setenv("PATH", f"{Path(real).parent}:{os.environ['PATH']}")
    assert astgrep.binary() == str(script)
    script.unlink()
    astgrep.binary.cache_clear()
    assert astgrep.binary() == real


def test_the_real_one_is_the_version_that_was_tried() -> None:
    said = subprocess.run([astgrep.binary(), "--version"], capture_output=True, check=True).stdout.decode()
    assert said.startswith(f"ast-grep {astgrep.VERSION}")


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("echo ast-grep 0.45.3", "this is ast-grep 0.45.3; other versions match differently"),
        ("echo ast-grep 0.52.0", "this is ast-grep 0.52.0; other versions match differently"),
        ("echo ast-grep 0.510.0", "this is ast-grep 0.510.0; other versions match differently"),
        ("echo ast-grep 1.0.51.1", "this is ast-grep 1.0.51.1; other versions match differently"),
        ("echo", "this is ast-grep ?; other versions match differently"),
        ("exit 1", "this is ast-grep ?; other versions match differently"),
        ("printf '\\377'", "this is ast-grep \ufffd; other versions match differently"),
    ],
)
def test_another_version_is_refused(script: str, what: str, fake_astgrep: FakeAstGrep) -> None:
    path = fake_astgrep(script)
    with pytest.raises(CannotReview) as caught:
        astgrep.binary()
    assert (caught.value.what, caught.value.where) == (what, str(path))
    assert caught.value.remedy == "Install `ast-grep-cli` 0.51.*, the version this program was tried with."
    assert caught.value.exit_code == 3


@pytest.fixture
def no_astgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No ast-grep beside Python or on the PATH; gives the folder that is looked into first."""
    folder = tmp_path / "python"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(folder))
    astgrep.binary.cache_clear()
    yield folder
    monkeypatch.undo()
    astgrep.binary.cache_clear()


def test_no_binary(no_astgrep: Path, tmp_path: Path) -> None:
    for attempt in (astgrep.binary, lambda: run(["scan"], cwd=tmp_path, bounds=Bounds())):
        with pytest.raises(CannotReview) as caught:
            attempt()
        assert str(caught.value) == "ast-grep is not installed\n  Install kodus-check with its dependencies (`ast-grep-cli`)."


def test_one_on_the_path_is_found(no_astgrep: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "other" / "ast-grep"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n" + VERSION)
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{no_astgrep}:{other.parent}")
    assert astgrep.binary() == shutil.which("ast-grep") == str(other)


@pytest.mark.parametrize(
    ("content", "mode", "what"),
    [
        ("#!/bin/sh\n" + VERSION, 0o644, "ast-grep does not start: [Errno 13] Permission denied"),
        ("#!/no/such/shell\n", 0o755, "ast-grep does not start: [Errno 2] No such file or directory"),
        ("neither a script nor a binary\n", 0o755, "ast-grep does not start: [Errno 8] Exec format error"),
    ],
)
def test_one_that_does_not_start(content: str, mode: int, what: str, no_astgrep: Path) -> None:
    path = no_astgrep / "ast-grep"
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(CannotReview) as caught:
        astgrep.binary()
    assert caught.value.what.startswith(what)
    assert caught.value.where == str(path)
