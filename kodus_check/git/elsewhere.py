"""The tree of another repository on the same server: where an organization keeps the configuration that it shares.

T1  the run's token reaches a server that it is not for    -> it goes only where the run's own repository comes from
T2  a name becomes an option of git, a program or a way    -> it has one shape (``OWNER/REPO@REF:PATH``), and the address starts
    out of the server                                         with the server that the CI's variables name
T3  the server sends objects that are not what their       -> a bare repository of our own, fsck at arrival, re-hashed before
    names say                                                 they are believed
"""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kodus_check.errors import CannotReview, UsageError
from kodus_check.git.fetch import FETCH_OPTIONS, Remote, fetch, fetch_environment, fetch_failed, remote_of
from kodus_check.git.objects import ObjectStore
from kodus_check.git.process import OPTIONS, environment, run, said
from kodus_check.git.trees import Tree
from kodus_check.model import RepoPath, Sha, is_sha, parse_sha

_NAME = r"(?![-.])[A-Za-z0-9._-]+"
_SHAPE = re.compile(rf"({_NAME}(?:/{_NAME})+)@((?!-)[^\s:~^?*\[\\]+):(.+)")
_REPOSITORY = re.compile(r"(.*[^/]|file://)/[^/]+/[^/]+")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A file of another repository at a branch, a tag or a commit."""

    repository: str
    ref: str
    path: RepoPath

    @classmethod
    def parse(cls, text: str) -> "Elsewhere | None":
        """The file that ``owner/repo@ref:path`` names; None for a text of another shape."""
        found = _SHAPE.fullmatch(text)
        if found is None or ".." in found[2]:
            return None
        return cls(found[1], found[2], RepoPath.parse(found[3]))


@dataclass(frozen=True, slots=True)
class Server:
    """Where repositories are fetched from by their names. ``authorization`` is the value of an HTTP header, and secret."""

    url: str
    suffix: str = ""
    authorization: str | None = field(default=None, repr=False)

    def remote(self, repository: str) -> Remote:
        return Remote(f"{self.url}/{repository}{self.suffix}", self.authorization)


def blob_url_of(environ: Mapping[str, str]) -> str:
    """What the address of a file at a commit starts with, as the CI's variables name the repository; "" where they name none."""
    if environ.get("GITHUB_SERVER_URL") and environ.get("GITHUB_REPOSITORY"):
        url, between = f"{environ['GITHUB_SERVER_URL']}/{environ['GITHUB_REPOSITORY']}", "blob/"
    else:
        url, between = environ.get("CI_PROJECT_URL", ""), "-/blob/"
    return f"{url}/{between}" if re.fullmatch(r"https?://[\w.:\[\]-]+(?:/[\w.~-]+)+", url) else ""


def server_of(environ: Mapping[str, str]) -> Server | None:
    """The server that the run's repository is on (T1), or the one that the variables name; None where they name none."""
    remote = remote_of(environ)
    named = {
        variable: environ[variable].rstrip("/") for variable in ("GITHUB_SERVER_URL", "CI_SERVER_URL") if environ.get(variable)
    }
    for variable, url in named.items():
        if remote is not None and remote.url.startswith(f"{url}/"):
            return Server(url, ".git" if variable == "CI_SERVER_URL" else "", remote.authorization)
    if remote is not None:
        found = _REPOSITORY.fullmatch(remote.url.rstrip("/").removesuffix("/.git"))
        return Server(found[1], "", remote.authorization) if found is not None else None
    return next((Server(url, ".git" if variable == "CI_SERVER_URL" else "") for variable, url in named.items()), None)


@contextmanager
def tree_elsewhere(place: Elsewhere, server: Server | None) -> Iterator[Tree]:
    """The tree that ``place`` lies in, of one commit, fetched into a repository that is removed again."""
    if server is None:
        raise UsageError(
            f"no server is known to fetch {place.repository} from",
            where=f"{place.repository}@{place.ref}:{place.path}",
            remedy="Set KODUS_CHECK_REMOTE to the address of this repository, or GITHUB_SERVER_URL to that of the server.",
        )
    remote = server.remote(place.repository)
    commit = _commit_of(remote, place)
    with tempfile.TemporaryDirectory(prefix="kodus-check-elsewhere-") as folder:
        git_dir = Path(folder) / "elsewhere.git"
        kind = "sha256" if len(commit) == 64 else "sha1"
        made = run(["git", "init", "--quiet", "--bare", "--template=", f"--object-format={kind}", str(git_dir)], env=environment())
        if made.returncode != 0:
            raise CannotReview(f"git could not make a repository: {said(made.stderr)}", where=str(git_dir))
        fetch(git_dir, remote, [commit], depth=1)
        with ObjectStore(git_dir, remedy=f"The server did not send all of {remote.url}.") as store:
            yield Tree(store, store.commit(commit).tree)


def _commit_of(remote: Remote, place: Elsewhere) -> Sha:
    """What the ref is at the remote now: a branch, else a tag; a full id is itself."""
    if is_sha(place.ref):
        return parse_sha(place.ref)
    name = place.ref.removeprefix("refs/heads/")
    names = (f"refs/heads/{name}", f"refs/tags/{name}")
    done = run(["git", *OPTIONS, *FETCH_OPTIONS, "ls-remote", "--", remote.url, *names], env=fetch_environment(remote))
    if done.returncode != 0:
        raise fetch_failed(remote, done.stderr)
    lines = [line.partition("\t") for line in done.stdout.decode("utf-8", "replace").split("\n")]
    found = {name: oid for oid, _, name in lines}
    oid = next((found[name] for name in names if name in found), None)
    if oid is None or not is_sha(oid):
        raise UsageError(
            f"{place.repository} has no branch and no tag `{place.ref}`",
            where=remote.url,
            remedy="Name one that is there, or a full commit id.",
        )
    return parse_sha(oid)
