"""Opening a workspace of any shape, and refusing what is none."""

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.workspace import Workspace
from tests.git.views import added
from tests.repo import Repo

# --- shapes of a workspace -------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(repo: Repo) -> tuple[str, str]:
    base = repo.commit({"f": "1\n", "d/g": "g\n"})
    return base, repo.commit({"f": "2\n"})


SHAPES: dict[str, Callable[[Repo, Path], object]] = {
    "linked worktree": lambda repo, to: repo.git("worktree", "add", "-q", "--detach", str(to)),
    "clone": lambda repo, to: repo.git("clone", "-q", str(repo.path), str(to)),
    "shared clone": lambda repo, to: repo.git("clone", "-q", "--shared", str(repo.path), str(to)),
    "clone with a reference": lambda repo, to: repo.git("clone", "-q", "--reference", str(repo.path), repo.path.as_uri(), str(to)),
    "bare clone": lambda repo, to: repo.git("clone", "-q", "--bare", str(repo.path), str(to)),
    "mirror": lambda repo, to: repo.git("clone", "-q", "--mirror", str(repo.path), str(to)),
    "git directory elsewhere": lambda repo, to: repo.git("clone", "-q", f"--separate-git-dir={to}.git", str(repo.path), str(to)),
    "symlink to the checkout": lambda repo, to: to.symlink_to(repo.path),
    "the .git directory itself": lambda repo, to: to.symlink_to(repo.path / ".git"),
    "folder in the checkout": lambda repo, to: to.symlink_to(repo.path / "d"),
    "clone in full of a partial kind": lambda repo, to: repo.git(
        "clone", "-q", "--filter=blob:limit=1g", repo.path.as_uri(), str(to)
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_a_workspace(repo: Repo, pair: tuple[str, str], tmp_path: Path, shape: str) -> None:
    SHAPES[shape](repo, tmp_path / "ws")
    with Workspace(tmp_path / "ws") as workspace:
        assert workspace.resolve("HEAD").sha == pair[1]
        assert workspace.resolve("HEAD~1").sha == pair[0]
    assert added(tmp_path / "ws", *pair) == {"f": [1]}


def test_a_submodule_checkout(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    outer = Repo.init(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "lib")
    assert added(outer.path / "lib", *pair) == {"f": [1]}


def test_alternates_of_alternates_and_relative_ones(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    repo.git("clone", "-q", "--shared", str(repo.path), str(tmp_path / "one"))
    Repo(tmp_path / "one").git("clone", "-q", "--shared", str(tmp_path / "one"), str(tmp_path / "two"))
    (tmp_path / "two/.git/objects/info/alternates").write_text("../../../one/.git/objects\n")
    assert added(tmp_path / "two", *pair) == {"f": [1]}


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "naïve",
        b"caf\xe9",
        'quo"te',
        "back\\slash",
        "#hash",
        "semi;colon",
        "tab\tname",
        "-dash",
        "[section]",
        "a=b",
        "*",
        "trailing ",
        "$(touch x)",
    ],
)
def test_names_of_the_directory(tmp_path: Path, name: str | bytes) -> None:
    """The names of it and its parents go into a configuration file and into ``alternates``, and each has a syntax of its own."""
    repo = Repo.init(tmp_path / os.fsdecode(name) / os.fsdecode(name))
    base = repo.commit({"f": "1\n"})
    head = repo.commit({"f": "2\n"})
    given_away(repo.path)
    assert added(repo.path, base, head) == {"f": [1]}


def test_a_line_break_in_the_name_is_refused(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "two\nlines")
    head = repo.commit({"f": "1\n"})
    with pytest.raises(CannotReview, match="holds a line break"):
        repo.change(head, head)


def given_away(path: Path) -> None:
    """To another owner, where we may: git trusts a directory of another user only when it is told so by name."""
    if os.geteuid() == 0:
        for place in (path, *path.rglob("*")):
            os.lchown(place, 12345, 12345)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
@pytest.mark.parametrize("shape", ["linked worktree", "clone", "shared clone", "bare clone", "git directory elsewhere"])
def test_foreign_owner(repo: Repo, pair: tuple[str, str], tmp_path: Path, shape: str) -> None:
    """T2: a container's root reads the checkout of the runner's user."""
    SHAPES[shape](repo, tmp_path / "ws")
    given_away(tmp_path)
    with pytest.raises(AssertionError, match="dubious ownership"):
        Repo(tmp_path / "ws").git("log", "-1")
    assert added(tmp_path / "ws", *pair) == {"f": [1]}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_foreign_reader() -> None:
    """The other way round: root's clone, read by a user without any rights on it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        repo = Repo.init(Path(folder) / "repo")
        base, head = repo.commit({"f": "1\n"}), repo.commit({"f": "2\n"})
        assert as_nobody(lambda: added(repo.path, base, head)) == "{'f': [1]}"
        assert "dubious ownership" in as_nobody(lambda: repo.git("log", "-1"))


def as_nobody(work: Callable[[], object]) -> str:
    """What ``work`` returns or raises as text, in a child of this process without root's rights."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: the child does not use them
        child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(writing, str(work()).encode())
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the result
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as result:  # noqa: PTH123 - a file descriptor
        text = result.read().decode()
    os.waitpid(child, 0)
    return text


def test_nothing_is_written_into_the_workspace(repo: Repo, pair: tuple[str, str]) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {str(place): (place.stat().st_mtime_ns, place.stat().st_size) for place in sorted(repo.path.rglob("*"))}

    before = state()
    repo.change(*pair)
    assert state() == before


def test_what_was_made_is_removed(repo: Repo, pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    with Workspace(repo.path) as workspace:
        assert workspace.git_dir.is_relative_to(tmp_path / "scratch")
        assert workspace.resolve("HEAD").sha == pair[1]
    with pytest.raises(CannotReview):
        Workspace(tmp_path / "nowhere")
    assert list((tmp_path / "scratch").iterdir()) == []


# --- what is no workspace --------------------------------------------------------------------------------------------------


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Path]:
    """A directory that no repository is above of."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize("name", ["", "missing", "file"])
def test_not_a_repository(plain: Path, name: str) -> None:
    (plain / "file").write_text("x")
    with pytest.raises(CannotReview, match="this is not a git repository") as caught:
        Workspace(plain / name)
    assert caught.value.exit_code == 3
    assert caught.value.where == str(plain / name)
    assert "--repo DIR" in str(caught.value.remedy)


@pytest.mark.parametrize("content", ["", "garbage\n", "ref: refs/heads/main\n"])
def test_a_git_file_that_is_none(plain: Path, content: str) -> None:
    (plain / ".git").write_text(content)
    with pytest.raises(CannotReview) as caught:
        Workspace(plain)
    assert caught.value.exit_code == 3


def test_an_empty_repository_has_no_head(repo: Repo) -> None:
    with Workspace(repo.path) as workspace, pytest.raises(CannotReview, match="unknown revision `HEAD`"):
        workspace.resolve("HEAD")


@pytest.mark.parametrize("inner", ["", "d"])
def test_a_worktree_without_its_repository(repo: Repo, pair: tuple[str, str], tmp_path: Path, inner: str) -> None:
    """Only the worktree was mounted into the container: the message names the mount that is missing."""
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "ws"))
    repo.path.rename(tmp_path / "moved")
    with pytest.raises(CannotReview, match="this is a worktree, and the repository it belongs to is not here") as caught:
        Workspace(tmp_path / "ws" / inner)
    assert caught.value.exit_code == 3
    assert caught.value.what.endswith(f": {repo.path / '.git'}")
    assert f"Mount {repo.path / '.git'} " in str(caught.value.remedy)


def test_a_worktree_whose_repository_lost_its_objects(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "ws"))
    shutil.move(repo.path / ".git/objects", tmp_path / "objects")
    with pytest.raises(CannotReview, match=str(repo.path / ".git")) as caught:
        Workspace(tmp_path / "ws")
    assert caught.value.exit_code == 3


def test_a_submodule_without_its_repository(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    outer = Repo.init(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "lib")
    shutil.rmtree(outer.path / ".git/modules")
    with pytest.raises(CannotReview, match="is not here") as caught:
        Workspace(outer.path / "lib")
    assert str(outer.path / ".git/modules/lib") in os.path.normpath(caught.value.what)


@pytest.mark.parametrize("inner", ["", "refs", "objects/info"])
def test_a_bare_repository_inside_a_checkout_is_not_used(repo: Repo, pair: tuple[str, str], inner: str) -> None:
    """T4: the pull request brings a folder that looks like a repository, with a base of its own making."""
    evil = Repo.init(repo.path.parent / "evil")
    evil.commit({"f": "as the attacker wants it\n"})
    evil.git("clone", "-q", "--bare", str(evil.path), str(repo.path / "services/x"))
    for folder in ("refs", "objects/info"):
        (repo.path / "services/x" / folder / "keep").write_text("")
    assert Repo(repo.path / "services/x").rev("main") == evil.rev("main")
    with pytest.raises(CannotReview, match="inside the checkout") as caught:
        Workspace(repo.path / "services/x" / inner)
    assert caught.value.exit_code == 3


def test_a_checkout_that_looks_like_a_bare_repository_too(repo: Repo, pair: tuple[str, str]) -> None:
    """The same at the root of the checkout: its ``.git`` is what counts."""
    evil = Repo.init(repo.path.parent / "evil")
    evil.commit({"f": "as the attacker wants it\n"})
    shutil.copytree(evil.path / ".git", repo.path, dirs_exist_ok=True)
    with Workspace(repo.path) as workspace:
        assert workspace.resolve("main").sha == pair[1]
