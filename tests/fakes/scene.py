"""A repository with one nasty pull request, and a bare client that shows every byte."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from shutil import copytree
from typing import Any

from github import Auth, Github, GithubRetry
from github.PullRequest import PullRequest

from tests.fakes.github import GitHubFake
from tests.repo import Repo

LONG = [f"line {number}" for number in range(1, 61)]
BEFORE: dict[str, str | bytes | None] = {
    "long.py": "\n".join(LONG) + "\n",
    "old.py": "\n".join(LONG[:20]) + "\n",
    "moved.py": "\n".join(LONG[20:40]) + "\n",
    "gone.py": "a\nb\n",
    "image.bin": b"\0\1\2",
    "signs.sql": "one\ntwo\n",
    "still.py": "untouched\n",
}
CHANGED = [*LONG[:9], "line ten", "and more", *LONG[10:39], *LONG[40:]]
"""Line 10 became 10 and 11; line 40 is gone (its neighbours are now 40 and 41)."""
AFTER: dict[str, str | bytes | None] = {
    "long.py": "\n".join(CHANGED) + "\n",
    "old.py": None,
    "new.py": "\n".join([*LONG[:19], "the end"]) + "\n",
    "moved.py": None,
    "elsewhere.py": "\n".join(LONG[20:40]) + "\n",
    "gone.py": None,
    "image.bin": b"\0\1\3",
    "signs.sql": "one\n++ plus\n-- minus\ntwo\n",
    "ünï cödé.py": "x = 1\n",
}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: Any


@dataclass
class Scene:
    """The pull request ``number`` of ``feature`` into ``main``, and a token that may write."""

    repo: Repo
    fake: GitHubFake
    number: int
    token: str
    base: str
    head: str
    clients: list[Github] = field(default_factory=list)

    def ask(self, method: str, path: str, body: object = None, *, token: str | None = "", raw: bytes | None = None) -> Answer:
        """One request; paths without a leading slash are below the repository, a token of None is none."""
        token = self.token if token == "" else token
        connection = HTTPConnection(self.fake.url.removeprefix("http://"), timeout=5)
        try:
            data = raw if raw is not None else None if body is None else json.dumps(body).encode()
            headers = {"authorization": f"Bearer {token}"} if token else {}
            connection.request(method, path if path.startswith("/") else f"/repos/acme/app/{path}", data, headers)
            reply = connection.getresponse()
            text = reply.read()
            return Answer(
                reply.status, {name.lower(): value for name, value in reply.getheaders()}, json.loads(text) if text else None
            )
        finally:
            connection.close()

    def review(self, *comments: dict[str, object], event: str | None = "COMMENT", token: str | None = "", **more: object) -> Answer:
        """Posts a review with comments."""
        body: dict[str, object] = {"body": "Review", "commit_id": self.head, "comments": list(comments), **more}
        if event is not None:
            body["event"] = event
        return self.ask("POST", f"pulls/{self.number}/reviews", body, token=token)

    def comments(self) -> list[Any]:
        """The comments on the diff as the service lists them."""
        found: list[Any] = self.ask("GET", f"pulls/{self.number}/comments?per_page=100").body
        return found

    def graph(self, query: str, token: str | None = "", **variables: object) -> Any:
        return self.ask("POST", "/graphql", {"query": query, "variables": variables}, token=token).body

    def client(self, token: str | None = None, *, retry: GithubRetry | None = None, url: str = "") -> Github:
        """PyGithub without pauses and, if they are not given, without its own retries."""
        auth = Auth.Token(token or self.token)
        client = Github(
            auth=auth, base_url=url or self.fake.url, seconds_between_requests=0, seconds_between_writes=0, retry=retry, timeout=5
        )
        self.clients.append(client)
        return client

    def pull(self) -> PullRequest:
        """The pull request through PyGithub."""
        return self.client().get_repo("acme/app").get_pull(self.number)


def lines(*replaced: tuple[int, str]) -> str:
    """The changed ``long.py`` with more lines replaced (counted in the new file)."""
    text = list(CHANGED)
    for number, line in replaced:
        text[number - 1] = line
    return "\n".join(text) + "\n"


def prepared(repo: Repo) -> Repo:
    """The repository of the scene: ``main`` and, checked out, ``feature``."""
    repo.commit(BEFORE)
    repo.branch("feature")
    repo.commit(AFTER)
    return repo


@contextmanager
def made(template: Repo, path: Path) -> Iterator[Scene]:
    """The scene in a copy of a prepared repository."""
    repo = Repo(Path(copytree(template.path, path)), template.clock)
    base, head = repo.rev("main"), repo.rev("feature")
    with GitHubFake(repo.path) as fake:
        scene = Scene(repo, fake, fake.pull(author="alice"), fake.token(), base, head)
        try:
            yield scene
        finally:
            for client in scene.clients:
                client.close()
