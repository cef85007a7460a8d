"""Real git repositories for tests: files in, commit ids out."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kodus_check.git.change import read_change
from kodus_check.git.workspace import Workspace
from kodus_check.model import Change, ChangedFile, RepoPath

Content = str | bytes | None
"""Text or bytes of a file; None removes it."""

_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
    "LC_ALL": "C.UTF-8",
}


@dataclass
class Repo:
    """A repository with a work tree in ``path``. Commit times go up by a minute, so that ids are the same in every run."""

    path: Path
    clock: int = field(default=1_767_225_600)

    @classmethod
    def init(cls, path: Path, *, object_format: str = "sha1") -> "Repo":
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "-b", "main", "--template=", f"--object-format={object_format}")
        return repo

    def git(self, *arguments: str | bytes, data: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """Runs git and returns its stdout; a failure raises with its stderr."""
        stamp = f"{self.clock} +0000"
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            env={**_ENV, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, **(env or {})},
            input=data,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode('utf-8', 'replace')}"
        return done.stdout

    def write(self, files: Mapping[Any, Content]) -> None:
        """Writes files into the work tree (names as text or as bytes)."""
        for name, content in files.items():
            target = os.path.join(os.fsencode(self.path), os.fsencode(name))  # noqa: PTH118 - Path has no bytes
            if content is None:
                os.unlink(target)  # noqa: PTH108
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
            with open(target, "wb") as file:  # noqa: PTH123
                file.write(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[Any, Content] | None = None, message: str = "c") -> str:
        """Writes files, commits everything, and returns the id."""
        if files:
            self.write(files)
        self.clock += 60
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
        return self.rev("HEAD")

    def branch(self, name: str, start: str = "HEAD") -> None:
        self.git("checkout", "-q", "-B", name, start)

    def checkout(self, name: str) -> None:
        self.git("checkout", "-q", name)

    def rev(self, name: str) -> str:
        return self.git("rev-parse", name).decode().strip()

    def change(self, base: str, head: str) -> Change:
        """The change set that the program reads."""
        with Workspace(self.path) as workspace:
            return read_change(workspace, workspace.resolve(base), workspace.resolve(head))[0]

    def changed(self, base: str, head: str) -> dict[str, ChangedFile]:
        """The changed files by their shown path."""
        return {str(file.path): file for file in self.change(base, head).files}

    def loose_object(self, oid: str) -> Path:
        """The file of a loose object."""
        return self.path / ".git" / "objects" / oid[:2] / oid[2:]


def path(text: str) -> RepoPath:
    return RepoPath(text.encode())
