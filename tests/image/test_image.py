"""The images as people start them by hand."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.image.containers import DOCKER_CAPABILITIES, Containers
from tests.repo import Repo


def _owned(checkout: Repo, uid: int) -> dict[Path, str]:
    for folder, _, files in os.walk(checkout.path):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            os.chown(path, uid, uid)
    return {checkout.path: "/repo"}


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--read-only", "--tmpfs=/tmp"),
        ("--user=1234:1234",),
        ("--user=1234:1234", "--read-only", "--tmpfs=/tmp"),
        ("--cap-drop=ALL", "--user=1"),
    ],
    ids=" ".join,
)
def test_a_dry_run_on_a_mounted_clone(slim: Containers, checkout: Repo, options: tuple[str, ...]) -> None:
    done = slim.run("run", "--base", "main", "--format", "json", options=options, mounts=_owned(checkout, 1000))
    review = json.loads(done.stdout)
    assert done.exit_code == 1, done.stderr
    assert [finding["path"] for finding in review["findings"]] == ["src/a.ts"]
    assert "Warning" not in done.stderr


def test_a_shell_in_place_of_the_entry_point_gives_root_up_too(slim: Containers, checkout: Repo) -> None:
    done = slim.run("-c", "kodus-check run --base main", entrypoint="sh", mounts=_owned(checkout, 1000))
    assert "Money.parse" in done.stdout
    assert done.exit_code == 1


def test_no_arguments_show_the_help(slim: Containers) -> None:
    done = slim.run()
    assert done.stdout.startswith("Usage: kodus-check [OPTIONS] COMMAND")
    assert done.exit_code == 0


def test_a_signal_ends_it(slim: Containers, checkout: Repo) -> None:
    """As process 1, for which the kernel has no default: without a handler `docker stop` would wait and kill."""
    name = f"kodus-check-test-{os.getpid()}"
    volumes = [f"--volume={host}:{inside}" for host, inside in _owned(checkout, 1000).items()]
    options = ["--interactive", f"--name={name}", f"--cap-add={DOCKER_CAPABILITIES}", *volumes]
    command = slim.command(options, ["quote", "--base", "main", "--batch", "-"])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
        time.sleep(2)
        assert waiting.poll() is None
        for _ in range(30):  # a slow machine may not have come to the handler yet
            subprocess.run(["podman", "kill", "--signal=TERM", name], check=False, capture_output=True)
            with suppress(subprocess.TimeoutExpired):
                waiting.wait(1)
                break
        assert waiting.poll() == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("options", "mode", "message"),
    [
        (["--read-only", "--read-only-tmpfs=false"], 0o755, "no temporary folder can be made"),
        (["--read-only", "--read-only-tmpfs=false", "--user=1234"], 0o755, "no temporary folder can be made"),
        ([], 0o700, "the review user (uid 60001) cannot read it"),
    ],
)
def test_what_keeps_it_from_working_is_said(slim: Containers, checkout: Repo, options: list[str], mode: int, message: str) -> None:
    mounts = _owned(checkout, 1000)
    (checkout.path / ".git").chmod(mode)
    done = slim.run("run", "--base", "main", options=options, mounts=mounts)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.exit_code == 3


def test_root_without_the_means_to_give_it_up_reviews_nothing(slim: Containers, checkout: Repo) -> None:
    for capabilities in ("", "SETUID,SETGID"):
        done = slim.run("run", "--base", "main", capabilities=capabilities, mounts=_owned(checkout, 1000))
        assert "the review could not be started as user 60001" in done.stderr
        assert done.stdout == ""
        assert done.exit_code == 3


def test_tokens_are_counted_without_a_network(slim: Containers) -> None:
    code = "from kodus_check.guides import tokens; print(tokens.count('hello world'), repr(tokens.problem()))"
    assert slim.run("-I", "-c", code, entrypoint="/opt/venv/bin/python").stdout == "2 ''\n"


def test_the_image_has_no_build_tools(slim: Containers) -> None:
    done = slim.run("-c", "command -v gcc make node npm uv; ls /opt/venv/bin/pip /opt/build /build", entrypoint="sh")
    assert done.stdout == ""


def test_tools_has_node_npm_pipx_and_uv(tools: Containers, checkout: Repo) -> None:
    script = "node --version; npm --version; npx --version; pipx --version; uv --version; uvx --version"
    for user in ("0", "60001"):
        done = tools.run("-c", f"cd /tmp && {script}", entrypoint="sh", options=[f"--user={user}", "--env=HOME=/tmp"])
        node, *others = done.stdout.splitlines()
        assert int(node.removeprefix("v").partition(".")[0]) >= 24
        assert len(others) == 5, done.stderr
        assert all(re.search(r"\d+\.\d+", line) for line in others)
    assert tools.run("run", "--base", "main", mounts=_owned(checkout, 1000)).exit_code == 1


def test_tools_can_make_environments_and_run_javascript(tools: Containers) -> None:
    script = "cd /tmp && uv venv --quiet --offline x && x/bin/python -c 'print(1)'; npm exec --offline -- node -p '1 + 1'"
    done = tools.run("-c", script, entrypoint="sh", options=["--user=60001", "--env=HOME=/tmp"])
    assert done.stdout.split() == ["1", "2"], done.stderr
