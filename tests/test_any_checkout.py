"""The whole check on clones that lack what it needs, with the remote that the CI's variables name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo import Repo
from tests.test_run import BAD, BASE, Ran


def run_in(directory: Path, remote: str | None, head: str) -> Ran:
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": str(Path(__file__).parents[1])}
    if remote is not None:
        env["KODUS_CHECK_REMOTE"] = remote
    command = [sys.executable, "-m", "kodus_check", "run", "--base", "main", "--head", head, "--format", "json"]
    done = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "options", [("--depth=1",), ("--filter=blob:none", "--no-checkout"), ("--filter=tree:0", "--no-checkout")], ids=" ".join
)
def test_a_clone_that_lacks_something(options: tuple[str, ...], repo: Repo, tmp_path: Path) -> None:
    repo.commit(BASE)
    repo.branch("feature")
    head = repo.commit({"src/a.ts": BAD})
    repo.checkout("main")
    repo.commit({"other.txt": "x\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    source = f"file://{repo.path}"
    subprocess.run(["git", "clone", "-q", "--branch=feature", *options, source, str(clone)], check=True, capture_output=True)
    ran = run_in(clone, source, head)
    assert ran.code == 1
    assert [finding["path"] for finding in ran.document["findings"]] == ["src/a.ts"]
    assert ran.document["base"] == {"ref": "main", "sha": repo.rev("main")}
    alone = run_in(clone, None, head)
    assert (alone.code, alone.document["outcome"]) == (3, "failed")
