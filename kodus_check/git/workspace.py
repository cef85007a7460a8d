"""From a checkout to a repository of our own that borrows nothing but its objects.

T1  the workspace's config, hooks, attributes, replace refs and commit graph are under the pull request's hand (code that ran
    earlier in the job, a reused runner)       -> a bare repository of our own, ``objects/info/alternates`` to the workspace's
T2  the clone belongs to another user          -> one ``rev-parse`` with a global config of ours that names this directory safe
T3  a forged commit graph or replace ref moves ``HEAD~3``  -> only plain names go to git, ``~`` and ``^`` are walked by us
T4  a folder that the pull request brings is a bare repository, and the job runs there  -> refused below a checkout
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from kodus_check.errors import CannotReview, UsageError
from kodus_check.git.fetch import DEPTHS, Remote, default_branch_of, fetch, tip_of
from kodus_check.git.history import merge_base
from kodus_check.git.objects import MissingObject, ObjectStore
from kodus_check.git.process import OPTIONS, command, environment, run, said
from kodus_check.model import Revision, Sha, is_sha, parse_sha

_SUFFIX = re.compile(r"(?:~[0-9]*|\^[0-9]*|\^\{commit\}|\^\{\})+$")
_STEP = re.compile(r"~([0-9]*)|\^([0-9]*)(?!\{)|\^\{(?:commit)?\}")


class Workspace:
    """The checkout at ``directory``, and an isolated repository over its objects in ``git_dir``. A context manager.

    What a shallow or partial clone lacks is fetched from ``remote``; without one, it is a MissingObject with its remedy.
    """

    def __init__(self, directory: Path, remote: Remote | None = None) -> None:
        self.directory = directory
        self.remote = remote
        self._merge_bases: dict[tuple[Sha, Sha], Sha | None] = {}
        self._scratch = Path(tempfile.mkdtemp(prefix="kodus-check-git-"))
        try:
            self._global_config = self._write_global_config()
            common, self.hash_kind = self._discover()
            self._partial = _is_partial(common)
            self.clone_kind = "partial" if self._partial else "shallow" if (common / "shallow").is_file() else "complete"
            self.git_dir = self._isolate(common)
            self.store = ObjectStore(self.git_dir, remedy=_remedy(common))
        except BaseException:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.store.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def resolve(self, name: str) -> Revision:
        """The commit that ``name`` means in the workspace. Branches, tags, ids, and ``~N``/``^N`` behind them."""
        suffix = _SUFFIX.search(name)
        plain = name[: suffix.start()] if suffix else name
        steps = suffix[0] if suffix else ""
        if not plain or plain.startswith("-") or any(part in plain for part in ("..", ":", "^", "~", "@{-", "\0")):
            raise UsageError(
                "this is not one revision", where=name, remedy="Give a branch, a tag or a commit id, such as `origin/main`."
            )
        sha = parse_sha(plain) if is_sha(plain) else self._rev_parse(plain, name)
        if len(sha) != (64 if self.hash_kind == "sha256" else 40):
            raise CannotReview(f"`{name}` is not an id of this {self.hash_kind} repository")
        self._need(sha)
        commit = self.store.commit(sha)
        for step in _STEP.finditer(steps):
            for _ in range(_number(step[1]) if step[1] is not None else 0):
                if not commit.parents:
                    raise CannotReview(f"`{name}` goes back further than the history does")
                commit = self.store.commit(commit.parents[0])
            if step[2] is not None and (number := _number(step[2])):
                if number > len(commit.parents):
                    raise CannotReview(f"`{name}`: commit {commit.oid} has no parent {number}")
                commit = self.store.commit(commit.parents[number - 1])
        return Revision(name, commit.oid)

    def resolve_base(self, name: str) -> Revision:
        """The tip of the branch ``name`` at the remote now, where there is a remote and such a branch; else as :meth:`resolve`."""
        tip = tip_of(self.remote, name) if self.remote is not None and not is_sha(name) else None
        if tip is None:
            return self.resolve(name)
        self._need(tip)
        return Revision(name, self.store.commit(tip).oid)

    def merge_base(self, base: Sha, head: Sha) -> Sha | None:
        """The best common ancestor, None for unrelated histories. Where the clone ends before it, more of both is fetched."""
        if (base, head) not in self._merge_bases:
            self._merge_bases[base, head] = self._find_merge_base(base, head)
        return self._merge_bases[base, head]

    def _find_merge_base(self, base: Sha, head: Sha) -> Sha | None:
        try:
            return merge_base(self.store, base, head)
        except MissingObject:
            if self.remote is None:
                raise
            found = self._merge_base_of_remote(self.remote, base, head)
        if found is not None:
            self._need(found)
        return found

    def refill(self, commits: Iterable[Sha]) -> None:
        """Fetches commits with all their trees and blobs, whatever the clone has of them (a partial clone has some)."""
        if self.remote is None:
            raise UsageError("there is no remote to fetch from")
        self.store.close()
        fetch(self.git_dir, self.remote, commits, depth=1)

    def default_base(self) -> str | None:
        """The name of the branch that changes are made for: ``origin/HEAD``, the remote's default, or the only likely one."""
        if self._has("refs/remotes/origin/HEAD"):
            return "origin/HEAD"
        if self.remote is not None:
            return default_branch_of(self.remote)
        for names in (("origin/main", "origin/master"), ("main", "master")):
            found = [name for name in names if self._has(f"refs/remotes/{name}" if "/" in name else f"refs/heads/{name}")]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def _has(self, ref: str) -> bool:
        return self._git_in_workspace("--verify", "--quiet", ref).returncode == 0

    def _need(self, commit: Sha) -> None:
        """Makes sure that the isolated repository has a commit and its tree."""
        try:
            self.store.tree(self.store.commit(commit).tree)
        except MissingObject:
            if self.remote is None:
                raise
            if not self._partial:  # a partial clone has commits without what belongs to them
                self._lend_refs()
            fetch(self.git_dir, self.remote, [commit], depth=1)
            self.store.close()

    def _lend_refs(self) -> None:
        """Names the workspace's HEAD in our repository, so that the remote does not send again what is borrowed."""
        head = self._git_in_workspace("--verify", "--quiet", "HEAD").stdout.decode("ascii", "replace").strip()
        if is_sha(head):
            run(command(self.git_dir, "update-ref", "refs/lent/HEAD", head), env=environment())

    def _merge_base_of_remote(self, remote: Remote, base: Sha, head: Sha) -> Sha | None:
        """Fetches commits alone, ever more of them, into a repository of their own until the walk ends inside."""
        history = self._scratch / "history.git"
        self._init(history)
        error: MissingObject | None = None
        for depth in (*DEPTHS, None):
            fetch(history, remote, [base, head], depth=depth, commits_only=True)
            with ObjectStore(history) as store:
                try:
                    return merge_base(store, base, head)
                except MissingObject as missing:
                    error = missing
        assert error is not None
        raise error

    def _rev_parse(self, plain: str, name: str) -> Sha:
        found = self._git_in_workspace("--verify", "--quiet", plain)
        text = found.stdout.decode("ascii", "replace").strip()
        if found.returncode != 0 or not is_sha(text):
            raise CannotReview(
                f"unknown revision `{name}`",
                where=str(self.directory),
                remedy="Name a branch, tag or commit that this clone has (`git branch -a` lists them), or fetch it first.",
            )
        return parse_sha(text)

    def _git_in_workspace(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """The one git command that runs in the workspace: ``rev-parse``, which reads refs and runs nothing."""
        # A bare repository is used only when it is the very directory that was named.
        place = [f"--git-dir={self.directory.resolve()}"] if _is_bare(self.directory) else ["-C", str(self.directory)]
        return run(
            ["git", *place, *OPTIONS, "-c", "safe.bareRepository=explicit", "rev-parse", *arguments],
            env=environment(GIT_CONFIG_GLOBAL=str(self._global_config)),
        )

    def _write_global_config(self) -> Path:
        path = self._scratch / "gitconfig"
        directory = self.directory.resolve()
        # Discovery may go up to a parent directory, whose owner counts; only this process and this one command read the file.
        lines = [f"\tdirectory = {_quoted(str(place))}\n" for place in (directory, *directory.parents)]
        path.write_text("".join(["[safe]\n", *lines]), encoding="utf-8", errors="surrogateescape")
        return path

    def _discover(self) -> tuple[Path, str]:
        missing = _missing_common_directory(self.directory)
        if missing is not None:
            raise CannotReview(
                f"this is a worktree, and the repository it belongs to is not here: {missing}",
                where=str(self.directory),
                remedy=f"Mount {missing} at the same path too, or check out a full clone.",
            )
        outer = _checkout_around_bare(self.directory)
        if outer is not None:
            raise CannotReview(
                f"this is a bare repository inside the checkout {outer}, where a pull request may have put it",
                where=str(self.directory),
                remedy="Run this in the checkout, or in a clone outside of it.",
            )
        found = self._git_in_workspace("--path-format=absolute", "--git-common-dir", "--show-object-format")
        if found.returncode != 0:
            raise CannotReview(
                f"this is not a git repository: {said(found.stderr)}",
                where=str(self.directory),
                remedy="Run this in a clone, or name one with `--repo DIR`.",
            )
        common, _, hash_kind = found.stdout.decode("utf-8", "surrogateescape").rstrip("\n").rpartition("\n")
        if not (Path(common) / "objects").is_dir():
            raise CannotReview(
                f"the repository's common directory is not here: {common}",
                where=str(self.directory),
                remedy=f"Mount {common} at the same path too, or check out a full clone.",
            )
        return Path(common), hash_kind

    def _init(self, git_dir: Path) -> None:
        made = run(
            ["git", "init", "--quiet", "--bare", "--template=", f"--object-format={self.hash_kind}", str(git_dir)],
            env=environment(),
        )
        if made.returncode != 0:
            raise CannotReview(f"git could not make a repository: {said(made.stderr)}", where=str(git_dir))

    def _isolate(self, common: Path) -> Path:
        git_dir = self._scratch / "isolated.git"
        self._init(git_dir)
        objects = common / "objects"
        if "\n" in str(objects):
            raise CannotReview("the path of this repository holds a line break", where=str(common))
        alternates = git_dir / "objects" / "info" / "alternates"
        alternates.parent.mkdir(parents=True, exist_ok=True)
        alternates.write_text(
            f"{objects}\n", encoding="utf-8", errors="surrogateescape"
        )  # absolute, so neither `#` nor `"` is first
        shallow = common / "shallow"
        if shallow.is_file():
            shutil.copyfile(shallow, git_dir / "shallow")
        return git_dir


def _remedy(common: Path) -> str:
    """What to do where this clone lacks an object."""
    if (common / "shallow").is_file():
        return "This clone is shallow. Fetch its history: `git fetch --unshallow origin`, in GitHub's checkout `fetch-depth: 0`."
    if _is_partial(common):
        return "This is a partial clone. Clone without `--filter`, or run `git fetch --refetch --no-filter origin`."
    return "The clone is damaged. Run `git fsck`, then clone again."


def _is_partial(common: Path) -> bool:
    return any((common / "objects" / "pack").glob("*.promisor"))


def _number(digits: str) -> int:
    """The number behind ``~`` or ``^``: 1 without one, and a huge one instead of one that Python does not convert."""
    return int(digits or 1) if len(digits) < 10 else 1 << 31


def _quoted(value: str) -> str:
    """A value of a git configuration file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _is_bare(directory: Path) -> bool:
    return not (directory / ".git").exists() and all((directory / name).exists() for name in ("HEAD", "objects", "refs"))


def _checkout_around_bare(directory: Path) -> Path | None:
    """The checkout that the bare repository at or above ``directory`` lies in (T4). What is below ``.git`` no commit can bring."""
    directory = directory.resolve()
    for place in (directory, *directory.parents):
        if (place / ".git").exists():
            return None
        if _is_bare(place):
            outer = (one for one in place.parents if (one / ".git").exists() and ".git" not in place.relative_to(one).parts)
            return next(outer, None)
    return None


def _missing_common_directory(directory: Path) -> str | None:
    """The directory that a worktree's ``.git`` file points to, when it is not there (only the worktree was mounted)."""
    for place in (directory.resolve(), *directory.resolve().parents):
        pointer = place / ".git"
        if pointer.is_dir():
            return None
        if pointer.is_file():
            target = pointer.read_text(encoding="utf-8", errors="surrogateescape").partition("gitdir:")[2].strip()
            path = place / target
            return None if path.is_dir() else str(path.parent.parent if path.parent.name == "worktrees" else path)
    return None
