"""A pull request on the GitHub fake whose change breaks rules of its base, and runs on it as a workflow starts them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import payloads
from tests.fakes.github import GitHubFake
from tests.repo import Repo
from tests.test_run import RULE, Ran

CONFIG = "version: 1\nmain_review: {rules: [rules/money.yml]}\n"


@dataclass
class Hub:
    """The pull request ``number`` of ``feature`` into ``main``."""

    repo: Repo
    fake: GitHubFake
    folder: Path
    number: int
    token: str
    env: dict[str, str] = field(default_factory=dict)

    def run(
        self,
        payload: Mapping[str, Any] | None = None,
        *arguments: str,
        event: str = "pull_request",
        command: str = "run",
        **env: str,
    ) -> Ran:
        """One run of a workflow's job for an event."""
        given = payload if payload is not None else payloads.pull_request(self.fake, self.number)
        path = payloads.write(given, self.folder / "event.json")
        done = subprocess.run(
            [sys.executable, "-m", "kodus_check", command, "--repo", str(self.repo.path), "--format", "json", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "HOME": "/nonexistent",
                "PYTHONPATH": str(Path(__file__).parents[2]),
                **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
                "GITHUB_ACTIONS": "true",
                "GITHUB_EVENT_NAME": event,
                "GITHUB_EVENT_PATH": str(path),
                "GITHUB_REPOSITORY": self.fake.full_name,
                "GITHUB_API_URL": self.fake.url,
                "GITHUB_SERVER_URL": "https://github.example",
                "KODUS_CHECK_REMOTE": f"file://{self.repo.path}",
                "GITHUB_TOKEN": self.token,
                **self.env,
                **env,
            },
        )
        assert self.token not in done.stdout + done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    def comments(self) -> list[dict[str, Any]]:
        """The comments on the diff, as path, line, side and body."""
        return [
            {"path": one.path, "line": one.line, "side": one.side, "body": one.body, "start": one.start_line}
            for one in self.fake.review_comments(self.number)
        ]

    def said(self) -> list[str]:
        """The bodies of the comments on the conversation."""
        return [one.body for one in self.fake.issue_comments(self.number)]


@pytest.fixture
def hub(repo: Repo, tmp_path: Path) -> Iterator[Hub]:
    lines = [f"let a{number} = {number};" for number in range(1, 61)]
    repo.commit({".kodus-check.yml": CONFIG, "rules/money.yml": RULE, "src/a.ts": "\n".join(lines) + "\n"})
    repo.branch("feature")
    lines[29] = "let a30 = parseFloat(x);"
    repo.commit({"src/a.ts": "\n".join(lines) + "\n"})
    folder = tmp_path / "hub"
    folder.mkdir()
    with GitHubFake(repo.path) as fake:
        yield Hub(repo, fake, folder, fake.pull(author="alice"), fake.token())
        assert not fake.violations, json.dumps([str(one) for one in fake.violations])
