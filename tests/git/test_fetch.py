"""Any checkout: what a shallow or partial clone lacks is fetched, cheaply, and only from where the CI's variables say."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.change import read_change
from kodus_check.git.fetch import Remote, remote_of
from kodus_check.git.objects import MissingObject
from kodus_check.git.workspace import Workspace
from kodus_check.model import Change
from tests.repo import Repo

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def clone(source: str, target: Path, *options: str) -> Path:
    subprocess.run(["git", "clone", "-q", *options, source, str(target)], env=ENV, check=True, capture_output=True)
    return target


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """``main`` has 120 commits, ``feature`` forked from the 10th, and a pull request's merge commit lies at a ref of its own."""
    repo = Repo.init(tmp_path_factory.mktemp("template") / "repo")
    repo.commit({"a.txt": "1\n2\n3\n", "big/x.txt": "x\n" * 1000})
    for number in range(9):
        repo.commit({"a.txt": f"1\n2\n3\n{number}\n"})
    repo.branch("feature")
    repo.commit({"a.txt": "1\n2\nthree\n8\n", "new.txt": "n\n"})
    repo.checkout("main")
    for number in range(110):
        repo.commit({"b.txt": f"{number}\n"})
    repo.branch("merge")
    repo.git("merge", "-q", "--no-edit", "feature")
    repo.git("update-ref", "refs/pull/7/merge", "HEAD")
    repo.checkout("main")
    return repo


@pytest.fixture
def origin(template: Repo, tmp_path: Path) -> Repo:
    """A copy of the template that a test may change."""
    shutil.copytree(template.path, tmp_path / "origin")
    return Repo(tmp_path / "origin", template.clock)


def changed(directory: Path, remote: Remote | None, *, base: str = "main", head: str) -> Change:
    with Workspace(directory, remote) as workspace:
        return read_change(workspace, workspace.resolve_base(base), workspace.resolve(head))[0]


def check(change: Change, origin: Repo) -> None:
    assert change.base.sha == origin.rev("main")
    assert change.merge_base == origin.rev("main~110")
    assert {str(file.path): list(file.added) for file in change.files} == {"a.txt": [3], "new.txt": [1]}


@pytest.fixture(params=["file", "http"])
def remote(request: pytest.FixtureRequest, origin: Repo) -> Iterator[Remote]:
    """The origin as a remote: by path, and over HTTP by git's own server program."""
    if request.param == "file":
        yield Remote(f"file://{origin.path}")
        return
    with http_server(origin.path) as url:
        yield Remote(url)


def http_server(path: Path, *, token: str | None = None) -> "HttpServer":
    return HttpServer(path, token)


class HttpServer:
    """``git http-backend`` behind a small HTTP server on loopback; with a token it wants it in each request."""

    def __init__(self, path: Path, token: str | None) -> None:
        exec_path = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
        requests: list[str] = []
        self.requests = requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                self._serve(b"")

            def do_POST(self) -> None:
                self._serve(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def _serve(self, body: bytes) -> None:
                requests.append(self.headers.get("Authorization", ""))
                if token is not None and self.headers.get("Authorization") != token:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="x"')
                    self.end_headers()
                    return
                place, _, query = self.path.partition("?")
                env = {
                    **ENV,
                    "GIT_PROJECT_ROOT": str(path),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": place,
                    "QUERY_STRING": query,
                    "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "CONTENT_LENGTH": str(len(body)),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                }
                done = subprocess.run([f"{exec_path}/git-http-backend"], env=env, input=body, capture_output=True, check=False)
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
                self.send_response(int(fields.pop("Status", "200 OK").split()[0]))
                for name, value in fields.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/.git"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--depth=1", "--branch=feature"),
        ("--depth=1", "--branch=main"),
        ("--depth=1", "--branch=feature", "--no-tags", "--single-branch"),
        ("--filter=blob:none", "--no-checkout"),
        ("--filter=tree:0", "--no-checkout"),
        ("--filter=blob:none", "--depth=1", "--branch=feature"),
        ("--bare", "--depth=3"),
    ],
    ids=" ".join,
)
def test_what_a_clone_lacks_is_fetched(options: tuple[str, ...], origin: Repo, remote: Remote, tmp_path: Path) -> None:
    origin.git("config", "uploadpack.allowFilter", "true")
    directory = clone(f"file://{origin.path}", tmp_path / "clone", *options)
    head = origin.rev("feature")
    with Workspace(directory, remote) as workspace:
        ends = workspace.resolve_base("main"), workspace.resolve(head)
        try:
            change = read_change(workspace, *ends)[0]
        except MissingObject:
            fork = workspace.merge_base(ends[0].sha, ends[1].sha)
            assert fork is not None
            workspace.refill([ends[0].sha, ends[1].sha, fork])
            change = read_change(workspace, *ends)[0]
    check(change, origin)


def test_a_server_that_cannot_filter(origin: Repo, tmp_path: Path) -> None:
    origin.git("config", "uploadpack.allowFilter", "false")
    directory = clone(f"file://{origin.path}", tmp_path / "clone", "--depth=1", "--branch=feature")
    check(changed(directory, Remote(f"file://{origin.path}"), head="HEAD"), origin)


def test_the_checkout_of_a_merge_ref(origin: Repo, tmp_path: Path) -> None:
    """What a runner makes of a pull request: one commit deep, detached, no branch, no origin/HEAD."""
    directory = Repo.init(tmp_path / "clone").path
    for arguments in (["fetch", "-q", "--depth=1", f"file://{origin.path}", "refs/pull/7/merge"], ["checkout", "-q", "FETCH_HEAD"]):
        subprocess.run(["git", "-C", str(directory), *arguments], env=ENV, check=True, capture_output=True)
    check(changed(directory, Remote(f"file://{origin.path}"), head=origin.rev("feature")), origin)


def test_little_is_fetched(origin: Repo, tmp_path: Path) -> None:
    """The commits between, the changed files: not the whole tree again, which the clone has."""
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.commit({f"files/{number}.bin": os.urandom(20_000) for number in range(100)})
    origin.branch("late")
    origin.commit({"late.txt": "x\n"})
    origin.checkout("main")
    origin.commit({"b.txt": "again\n"})
    directory = clone(f"file://{origin.path}", tmp_path / "clone", "--depth=1", "--branch=late")
    with Workspace(directory, Remote(f"file://{origin.path}")) as workspace:
        change = read_change(workspace, workspace.resolve_base("main"), workspace.resolve("HEAD"))[0]
        fetched = sum(path.stat().st_size for path in workspace.git_dir.parent.rglob("*.pack"))
    assert [str(file.path) for file in change.files] == ["late.txt"]
    assert fetched < 200_000


def test_the_base_is_the_remotes_tip_now(origin: Repo, tmp_path: Path) -> None:
    directory = clone(f"file://{origin.path}", tmp_path / "clone")
    moved = origin.commit({"b.txt": "later\n"})
    with Workspace(directory, Remote(f"file://{origin.path}")) as workspace:
        assert workspace.resolve_base("main").sha == moved
        assert workspace.resolve_base("origin/main").sha == moved
        assert workspace.resolve("origin/main").sha != moved
        assert workspace.resolve_base(origin.rev("main~1")).sha == origin.rev("main~1")


def test_the_token_goes_with_each_request_and_nowhere_else(origin: Repo, tmp_path: Path) -> None:
    directory = clone(f"file://{origin.path}", tmp_path / "clone", "--depth=1", "--branch=feature")
    environ = {"KODUS_CHECK_REMOTE_TOKEN": "s3cret"}
    expected = "basic eC1hY2Nlc3MtdG9rZW46czNjcmV0"
    server = http_server(origin.path, token=expected)
    with server as url:
        remote = remote_of({**environ, "KODUS_CHECK_REMOTE": url})
        assert remote is not None
        check(changed(directory, remote, head="HEAD"), origin)
        assert set(server.requests) == {expected}
        wrong = remote_of({"KODUS_CHECK_REMOTE": url, "KODUS_CHECK_REMOTE_TOKEN": "wrong"})
        with pytest.raises(CannotReview, match="could not fetch from") as raised:
            changed(directory, wrong, head="HEAD")
    assert "s3cret" not in f"{remote!r}"
    assert "wrong" not in str(raised.value)


@pytest.mark.parametrize(
    ("environ", "url", "authorization"),
    [
        ({}, None, None),
        ({"GITHUB_SERVER_URL": "https://h", "GITHUB_REPOSITORY": "o/r"}, None, None),
        ({"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://h", "GITHUB_REPOSITORY": "o/r"}, "https://h/o/r", None),
        (
            {"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://h", "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": "t"},
            "https://h/o/r",
            "basic eC1hY2Nlc3MtdG9rZW46dA==",
        ),
        (
            {"GITLAB_CI": "true", "CI_SERVER_URL": "https://g", "CI_PROJECT_PATH": "a/b", "CI_JOB_TOKEN": "t"},
            "https://g/a/b.git",
            "basic Z2l0bGFiLWNpLXRva2VuOnQ=",
        ),
        ({"KODUS_CHECK_REMOTE": "file:///x", "GITLAB_CI": "true"}, "file:///x", None),
    ],
)
def test_where_to_fetch_from(environ: dict[str, str], url: str | None, authorization: str | None) -> None:
    remote = remote_of(environ)
    assert (remote.url if remote else None, remote.authorization if remote else None) == (url, authorization)


def test_the_workspaces_own_config_has_no_say(origin: Repo, tmp_path: Path) -> None:
    directory = clone(f"file://{origin.path}", tmp_path / "clone", "--depth=1", "--branch=feature")
    marker = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
    evil.chmod(0o755)
    for key, value in (
        ("remote.origin.uploadpack", str(evil)),
        ("remote.origin.url", "file:///nowhere"),
        ("url.file:///nowhere.insteadOf", f"file://{origin.path}"),
        ("core.alternateRefsCommand", str(evil)),
        ("core.sshCommand", str(evil)),
        ("credential.helper", str(evil)),
        ("core.fsmonitor", str(evil)),
    ):
        subprocess.run(["git", "-C", str(directory), "config", key, value], env=ENV, check=True)
    check(changed(directory, Remote(f"file://{origin.path}"), head="HEAD"), origin)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("--depth=1", "--branch=feature"), "git fetch --unshallow origin"),
        (("--filter=blob:none", "--no-checkout"), "Clone without `--filter`"),
    ],
)
def test_without_a_remote_the_fix_is_told(options: tuple[str, ...], remedy: str, origin: Repo, tmp_path: Path) -> None:
    origin.git("config", "uploadpack.allowFilter", "true")
    directory = clone(f"file://{origin.path}", tmp_path / "clone", *options, "--no-single-branch")
    with pytest.raises(MissingObject) as raised:
        changed(directory, None, base="origin/main", head="origin/feature")
    assert remedy in str(raised.value)
    assert raised.value.exit_code == 3


def test_a_remote_that_is_not_there(origin: Repo, tmp_path: Path) -> None:
    with pytest.raises(CannotReview, match="could not fetch from file:///nowhere"):
        changed(origin.path, Remote("file:///nowhere"), head="feature")


def test_unrelated_histories_of_a_shallow_clone(origin: Repo, tmp_path: Path) -> None:
    origin.git("checkout", "-q", "--orphan", "island")
    origin.commit({"island.txt": "x\n"})
    directory = clone(f"file://{origin.path}", tmp_path / "clone", "--depth=1", "--branch=island")
    with Workspace(directory, Remote(f"file://{origin.path}")) as workspace:
        change, notices = read_change(workspace, workspace.resolve_base("main"), workspace.resolve("HEAD"))
    assert change.merge_base == change.base.sha
    assert [str(notice.kind) for notice in notices] == ["unrelated_histories"]


@pytest.mark.parametrize(
    ("branches", "found"),
    [(["main"], "main"), (["master"], "master"), (["main", "master"], None), (["trunk"], None)],
)
def test_the_default_base_without_origin_head(branches: list[str], found: str | None, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "local")
    repo.commit({"a": "1"})
    repo.git("checkout", "-q", "--detach")
    repo.git("branch", "-q", "-D", "main")
    for branch in branches:
        repo.git("branch", branch)
    with Workspace(repo.path) as workspace:
        assert workspace.default_base() == found


def test_the_default_base_is_the_remotes_default_branch(origin: Repo, tmp_path: Path) -> None:
    directory = Repo.init(tmp_path / "clone").path
    with Workspace(directory, Remote(f"file://{origin.path}")) as workspace:
        assert workspace.default_base() == "main"


@pytest.mark.parametrize("url", ["--upload-pack=touch {marker}", "ext::touch {marker}", "-c core.sshCommand=x"])
def test_an_address_is_never_an_option_or_a_program(url: str, origin: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    remote = Remote(url.format(marker=marker))
    with Workspace(origin.path, remote) as workspace, pytest.raises(CannotReview, match="could not fetch from"):
        workspace.resolve_base("main")
    assert not marker.exists()
