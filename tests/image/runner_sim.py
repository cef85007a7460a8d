"""What GitHub's runner does with a container action, as far as an action can see it.

Source: actions/runner, ``ContainerActionHandler``, ``DockerCommandManager``, ``FileCommandManager`` and ``ActionCommand``: how
inputs are named, what is mounted and who owns it, which tokens of the job are in the environment, how files and log are read back.
"""

import json
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.image.containers import Containers
from tests.repo import Repo

RUNNER, DOCKER_GROUP = 1001, 118
MAX_SUMMARY = 1 << 20

SECRETS = {
    "ACTIONS_RUNTIME_TOKEN": "runtime-token-of-the-job",
    "ACTIONS_RUNTIME_URL": "https://runtime.example",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "identity-token-of-the-job",
    "ACTIONS_ID_TOKEN_REQUEST_URL": "https://identity.example",
    "ACTIONS_CACHE_URL": "https://cache.example",
    "ACTIONS_RESULTS_URL": "https://results.example",
    "KODUS_CHECK_KEY": "key-of-the-vault",
    "DEPLOY_PASSWORD": "password-of-another-step",
}
"""What a container action gets and the review must not."""

_FILES = {
    "GITHUB_ENV": "set_env",
    "GITHUB_PATH": "add_path",
    "GITHUB_STATE": "save_state",
    "GITHUB_OUTPUT": "set_output",
    "GITHUB_STEP_SUMMARY": "step_summary",
}
_V1 = re.compile(r"##\[([^\] ]+)([^\]]*)\](.*)")
_V2 = re.compile(r"::([A-Za-z][\w-]*)( [^\n]*?)?::(.*)")


@dataclass(frozen=True, slots=True)
class Command:
    """A workflow command that the runner found in the log."""

    name: str
    properties: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """What a step left: what a workflow and its readers get to see."""

    exit_code: int
    stdout: str
    stderr: str
    outputs: Mapping[str, str]
    summary: str
    other_files: Mapping[str, str]
    """The contents of the files that set variables, PATH and state of later steps."""

    @property
    def log(self) -> str:
        return f"{self.stdout}\n{self.stderr}"

    @property
    def commands(self) -> list[Command]:
        """The commands in the log: stdout and stderr are both read."""
        return [found for line in self.log.splitlines() if (found := parse_command(line)) is not None]


@dataclass
class Runner:
    """Runs the action on ``checkout``, whose files belong to the runner's user as after ``actions/checkout``."""

    containers: Containers
    checkout: Repo
    folder: Path
    event: dict[str, Any] = field(default_factory=dict)
    """Empty is that of a pull request from ``head_ref`` to ``main``."""
    number: int = 7
    head_ref: str = "feature"
    step_env: dict[str, str] = field(default_factory=dict)
    more_mounts: dict[Path, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    head: str = ""

    def run(self, **inputs: str) -> Step:
        """One step that uses the action; inputs are written with ``_`` for ``-``. Those that are not given arrive empty."""
        home, workflow, commands, server = (self.folder / name for name in ("home", "workflow", "file_commands", "server"))
        for place in (home, workflow, commands):
            place.mkdir(exist_ok=True)
        for name in _FILES.values():
            (commands / name).write_text("", encoding="utf-8")
            (commands / name).chmod(0o644)
        if not server.exists():
            self.checkout.git("clone", "--quiet", "--bare", str(self.checkout.path), str(server / "octo" / "repo"))
            self.checkout.git("--git-dir", str(server / "octo" / "repo"), "symbolic-ref", "HEAD", "refs/heads/main")
            _give(server, 60001)  # the stand-in for the remote is a folder, and git serves only one's own
        self.head = self.head or self.checkout.rev("HEAD")  # before the runner's user owns it
        (workflow / "event.json").write_text(json.dumps(self.event or self._opened()), encoding="utf-8")
        for place in (self.checkout.path, home, workflow, commands):
            _give(place, RUNNER)
        with _docker_socket(self.folder) as docker:
            done = self.containers.run(
                options=["--workdir=/github/workspace", *self.options],
                env=self._environment(inputs),
                mounts={
                    docker: "/var/run/docker.sock",
                    home: "/github/home",
                    workflow: "/github/workflow",
                    commands: "/github/file_commands",
                    self.checkout.path: "/github/workspace",
                    server: "/server",
                    **self.more_mounts,
                },
            )
        summary = (commands / "step_summary").read_bytes()
        return Step(
            done.exit_code,
            done.stdout,
            done.stderr,
            parse_file_command((commands / "set_output").read_text(encoding="utf-8")),
            "" if len(summary) > MAX_SUMMARY else summary.decode(),
            {name: (commands / name).read_text(encoding="utf-8") for name in ("set_env", "add_path", "save_state")},
        )

    def _opened(self) -> dict[str, Any]:
        repository = {"full_name": "octo/repo"}
        return {
            "action": "opened",
            "number": self.number,
            "repository": repository,
            "pull_request": {
                "number": self.number,
                "title": "A change",
                "state": "open",
                "draft": False,
                "author_association": "MEMBER",
                "user": {"login": "mona", "type": "User"},
                "base": {"ref": "main", "repo": repository},
                "head": {"ref": self.head_ref, "sha": self.head, "repo": repository},
            },
        }

    def _environment(self, inputs: Mapping[str, str]) -> dict[str, str]:
        declared = dict.fromkeys(DECLARED, "") | {"token": "token-of-the-job"}
        given = declared | {name.replace("_", "-"): value for name, value in inputs.items()}
        return {
            **{f"INPUT_{name.replace(' ', '_').upper()}": value for name, value in given.items()},
            **{name: f"/github/file_commands/{file}" for name, file in _FILES.items()},
            **SECRETS,
            "CI": "true",
            "HOME": "/github/home",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": "/github/runner_temp",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": "/github/workspace",
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_SERVER_URL": "file:///server",
            "GITHUB_REPOSITORY": "octo/repo",
            "GITHUB_BASE_REF": "main",
            "GITHUB_HEAD_REF": self.head_ref,
            "GITHUB_SHA": self.head,
            "GITHUB_REF": f"refs/pull/{self.number}/merge",
            "GITHUB_RUN_ID": "1",
            **self.step_env,
        }


DECLARED = tuple(
    re.findall(
        r"^  ([a-z-]+):$",
        (Path(__file__).parents[2] / "action.yml").read_text("utf-8").partition("\noutputs:")[0],
        re.MULTILINE,
    )
)
"""The inputs that ``action.yml`` declares."""


def parse_command(line: str) -> Command | None:
    """A line of the log as the runner reads it: ``::name k=v::text`` at its start, or ``##[name k=v]text`` anywhere in it."""
    found = _V2.match(line.lstrip()) or _V1.search(line)
    if found is None:
        return None
    pairs = (one.partition("=") for one in (found[2] or "").strip().replace(";", ",").split(",") if one)
    return Command(found[1], {key.strip(): _unescape(value) for key, _, value in pairs}, _unescape(found[3]))


def parse_file_command(text: str) -> dict[str, str]:
    """A file of ``name=value`` and ``name<<DELIMITER`` entries. What the runner refuses raises, as the step would fail."""
    values: dict[str, str] = {}
    assert not text or text.endswith("\n")
    lines = iter(text.split("\n")[:-1])
    for line in lines:
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            values[line[:equals]] = line[equals + 1 :]
            continue
        assert heredoc > 0, f"invalid format: {line}"
        name, delimiter, found = line[:heredoc], line[heredoc + 2 :], []
        for inner in lines:
            if inner == delimiter:
                break
            found.append(inner)
        else:
            raise AssertionError(f"matching delimiter not found: {delimiter}")
        values[name] = "\n".join(found)
    return values


@contextmanager
def _docker_socket(folder: Path) -> Iterator[Path]:
    """A socket that answers, with the owner and rights of Docker's."""
    path = folder / "docker.sock"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(1)
        path.chmod(0o660)
        os.chown(path, 0, DOCKER_GROUP)
        yield path


def _give(place: Path, uid: int) -> None:
    for folder, _, files in os.walk(place):
        os.chown(folder, uid, uid)
        for name in files:
            os.chown(os.path.join(folder, name), uid, uid, follow_symlinks=False)  # noqa: PTH118


def _unescape(text: str) -> str:
    for escaped, plain in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, plain)
    return text
