"""The configuration of another repository: fetched from the run's own server by name, never from anywhere else."""

import base64
from pathlib import Path

import pytest

from kodus_check.config.load import read_global
from kodus_check.errors import CannotReview, ConfigError, UsageError
from kodus_check.git.elsewhere import Elsewhere, Server, server_of, tree_elsewhere
from tests.git.test_fetch import http_server
from tests.repo import Repo, path


@pytest.fixture
def shared(tmp_path: Path) -> Repo:
    """``acme/standards`` on a server that is a folder; its default branch is ``main``, ``v1`` a tag of its first commit."""
    repo = Repo.init(tmp_path / "server" / "acme" / "standards")
    repo.commit({"review.yml": "fail_on: low\n"})
    repo.git("tag", "v1")
    repo.commit({"review.yml": "fail_on: critical\n", "deep/review.yml": "scope: changed-files\n"})
    return repo


def server(shared: Repo) -> Server:
    return Server(f"file://{shared.path.parents[1]}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acme/standards@main:review.yml", ("acme/standards", "main", "review.yml")),
        ("acme/group/standards@release/1:deep/./review.yml", ("acme/group/standards", "release/1", "deep/review.yml")),
        ("standards@main:review.yml", None),
        ("acme/standards:review.yml", None),
        ("acme/standards@main", None),
        ("acme/standards@--upload-pack=x:review.yml", None),  # T2
        ("--upload-pack=x/y@main:review.yml", None),
        ("../../x@main:review.yml", None),
        ("acme/..@main:review.yml", None),
        ("acme/standards@main..x:review.yml", None),
        ("https://evil.example/acme/standards@main:review.yml", None),
    ],
)
def test_the_shape_of_a_name(text: str, expected: tuple[str, str, str] | None) -> None:
    found = Elsewhere.parse(text)
    assert (found and (found.repository, found.ref, str(found.path))) == expected


def test_a_path_that_leaves_the_other_repository_is_refused() -> None:
    with pytest.raises(UsageError, match="does not stay inside"):
        Elsewhere.parse("acme/standards@main:../secret.yml")


@pytest.mark.parametrize(("ref", "content"), [("main", b"fail_on: critical\n"), ("v1", b"fail_on: low\n")])
def test_a_branch_or_a_tag_is_fetched(shared: Repo, ref: str, content: bytes) -> None:
    with tree_elsewhere(Elsewhere("acme/standards", ref, path("review.yml")), server(shared)) as tree:
        entry = tree.find(path("review.yml"))
        assert entry is not None
        assert tree.blob(entry).data == content


def test_a_full_commit_id_is_itself(shared: Repo) -> None:
    shared.git("config", "uploadpack.allowAnySHA1InWant", "true")
    place = Elsewhere("acme/standards", shared.rev("v1"), path("review.yml"))
    with tree_elsewhere(place, server(shared)) as tree:
        entry = tree.find(path("review.yml"))
        assert entry is not None
        assert tree.blob(entry).data == b"fail_on: low\n"


def test_over_http_with_the_runs_token_alone(shared: Repo) -> None:
    token = "Basic " + base64.b64encode(b"x-access-token:secret").decode()
    http = http_server(shared.path.parents[1], token=token)
    with http as url:
        address = url.removesuffix("/.git")
        at = Server(address, "/.git", token)
        layer = read_global("acme/standards@main:deep/review.yml", at)
        assert {key: setting.value for key, setting in layer.settings.items()} == {"scope": "changed-files"}
        assert layer.settings["scope"].origin.where == "acme/standards@main:deep/review.yml:1:1"
        with pytest.raises(CannotReview) as refused:
            read_global("acme/standards@main:review.yml", Server(address, "/.git"))
    assert set(http.requests) == {token, ""}
    assert "secret" not in str(refused.value)


def test_what_is_not_there(shared: Repo) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        read_global("acme/standards@main:nothing.yml", server(shared))
    no_branch = tree_elsewhere(Elsewhere("acme/standards", "nothing", path("a")), server(shared))
    with pytest.raises(UsageError, match="has no branch and no tag `nothing`"), no_branch:
        pass
    with pytest.raises(CannotReview), tree_elsewhere(Elsewhere("acme/nothing", "main", path("a")), server(shared)):
        pass
    with pytest.raises(UsageError, match="no server is known") as unknown:
        read_global("acme/standards@main:review.yml", None)
    assert "KODUS_CHECK_REMOTE" in str(unknown.value)
    with pytest.raises(UsageError, match="there is no such file"):
        read_global("nowhere.yml", server(shared))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"GITHUB_SERVER_URL": "https://git.example"}, ("https://git.example", "", False)),
        (
            {"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "t"},
            ("https://git.example", "", True),
        ),
        ({"KODUS_CHECK_REMOTE": "https://git.example/a/b", "KODUS_CHECK_REMOTE_TOKEN": "t"}, ("https://git.example", "", True)),
        # T1: the token belongs to the remote's server, not to the one that another variable names
        (
            {
                "KODUS_CHECK_REMOTE": "https://git.example/a/b",
                "KODUS_CHECK_REMOTE_TOKEN": "t",
                "GITHUB_SERVER_URL": "https://evil.example",
            },
            ("https://git.example", "", True),
        ),
        (
            {
                "KODUS_CHECK_REMOTE": "https://git.example.org/a/b",
                "KODUS_CHECK_REMOTE_TOKEN": "t",
                "GITHUB_SERVER_URL": "https://git.example",
            },
            ("https://git.example.org", "", True),
        ),
        (
            {"GITLAB_CI": "true", "CI_SERVER_URL": "https://git.example", "CI_PROJECT_PATH": "a/b/c", "CI_JOB_TOKEN": "t"},
            ("https://git.example", ".git", True),
        ),
    ],
)
def test_the_server_is_that_of_the_runs_own_repository(environ: dict[str, str], expected: tuple[str, str, bool] | None) -> None:
    found = server_of(environ)
    assert (found and (found.url, found.suffix, found.authorization is not None)) == expected
