"""What a shallow or partial clone does not have, fetched into a repository of our own.

T1  the workspace's config says where to fetch from and which program to run  -> address and token come from CI variables only
T2  a token in an argument vector or a log is everybody's                     -> given to git in its environment, never printed
T3  negotiation asks the clone that is borrowed from for its refs, by         -> ``core.alternateRefsCommand`` answers nothing
    running git in it
T4  a server sends objects that are not what their names say                  -> fsck at arrival, re-hashed before they are believed
"""

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kodus_check.errors import CannotReview
from kodus_check.git.process import OPTIONS, environment, run, said
from kodus_check.model import Sha, is_sha, parse_sha

DEPTHS = (50, 500, 5_000, 50_000)
"""How many commits of both histories are fetched in turn until the merge base is among them; then all of them."""

FETCH_OPTIONS = (
    "-c", "protocol.version=2",
    "-c", "transfer.fsckObjects=true",
    "-c", "core.alternateRefsCommand=true",
    "-c", "fetch.writeCommitGraph=false",
    "-c", "credential.helper=",
    "-c", "http.followRedirects=initial",
)  # fmt: skip
_BRANCH = re.compile(r"(?:refs/heads/)?(?!.*\.\.)[^-/.\s~^:?*\[\\][^\s~^:?*\[\\]*")


@dataclass(frozen=True, slots=True)
class Remote:
    """Where missing objects come from. ``authorization`` is the value of an HTTP header, and secret."""

    url: str
    authorization: str | None = field(default=None, repr=False)

    @property
    def scheme(self) -> str:
        return self.url.partition("://")[0] if "://" in self.url else "file"


def remote_of(environ: Mapping[str, str]) -> Remote | None:
    """The remote that a CI's variables name (GitHub Actions, GitLab CI, or ours: ``KODUS_CHECK_REMOTE``); None outside of a CI."""
    if url := environ.get("KODUS_CHECK_REMOTE"):
        token = environ.get("KODUS_CHECK_REMOTE_TOKEN")
        return Remote(url, _basic("x-access-token", token) if token else None)
    if environ.get("GITHUB_ACTIONS") == "true" and environ.get("GITHUB_SERVER_URL") and environ.get("GITHUB_REPOSITORY"):
        token = environ.get("GITHUB_TOKEN") or environ.get("INPUT_GITHUB-TOKEN")
        url = f"{environ['GITHUB_SERVER_URL']}/{environ['GITHUB_REPOSITORY']}"
        return Remote(url, _basic("x-access-token", token) if token else None)
    if environ.get("GITLAB_CI") and environ.get("CI_SERVER_URL") and environ.get("CI_PROJECT_PATH"):
        token = environ.get("CI_JOB_TOKEN")
        url = f"{environ['CI_SERVER_URL']}/{environ['CI_PROJECT_PATH']}.git"
        return Remote(url, _basic("gitlab-ci-token", token) if token else None)
    return None


def tip_of(remote: Remote, branch: str) -> Sha | None:
    """The commit at the tip of a branch of the remote now; None where it has no such branch."""
    name = branch.removeprefix("refs/heads/").removeprefix("origin/")
    if not _BRANCH.fullmatch(name):
        return None
    done = run(
        ["git", *OPTIONS, *FETCH_OPTIONS, "ls-remote", "--exit-code", "--", remote.url, f"refs/heads/{name}"],
        env=fetch_environment(remote),
    )
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise fetch_failed(remote, done.stderr)
    word = done.stdout.split(b"\t")[0].decode("ascii", "replace")
    return parse_sha(word) if is_sha(word) else None


def default_branch_of(remote: Remote) -> str | None:
    """The name of the remote's default branch."""
    done = run(["git", *OPTIONS, *FETCH_OPTIONS, "ls-remote", "--symref", "--", remote.url, "HEAD"], env=fetch_environment(remote))
    if done.returncode != 0:
        raise fetch_failed(remote, done.stderr)
    found = re.search(rb"^ref: refs/heads/([^\t]+)\tHEAD$", done.stdout, re.MULTILINE)
    return found[1].decode("utf-8", "surrogateescape") if found else None


def fetch(git_dir: Path, remote: Remote, wanted: Iterable[Sha], *, depth: int | None, commits_only: bool = False) -> None:
    """Fetches commits into the repository at ``git_dir``: the newest ``depth`` of their histories, all of them for None.

    ``commits_only`` leaves out trees and blobs where the server can.
    """
    arguments = [
        "git", *OPTIONS, *FETCH_OPTIONS, f"--git-dir={git_dir}", "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
        "--no-write-fetch-head", "--no-auto-maintenance",
        *([f"--depth={depth}"] if depth is not None else ["--unshallow"] if (git_dir / "shallow").exists() else []),
        *(["--filter=tree:0"] if commits_only else []),
        "--", remote.url, *(f"+{oid}:refs/kodus-check/{oid}" for oid in wanted),
    ]  # fmt: skip
    done = run(arguments, env=fetch_environment(remote))
    if done.returncode != 0:
        raise fetch_failed(remote, done.stderr)


def fetch_environment(remote: Remote) -> dict[str, str]:
    extra = {"GIT_ALLOW_PROTOCOL": remote.scheme, "GIT_ASKPASS": "true"}
    if remote.authorization is not None and remote.scheme in ("http", "https"):
        extra |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"http.{remote.url}.extraHeader"}
        extra["GIT_CONFIG_VALUE_0"] = f"Authorization: {remote.authorization}"
    return environment(**extra)


def _basic(user: str, token: str) -> str:
    return f"basic {base64.b64encode(f'{user}:{token}'.encode()).decode()}"


def fetch_failed(remote: Remote, stderr: bytes) -> CannotReview:
    return CannotReview(
        f"could not fetch from {remote.url}: {said(stderr)}",
        remedy="Give the job read access to the repository's contents, or check out the full history (`fetch-depth: 0`).",
    )
