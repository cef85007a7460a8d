"""Finding the commit that a name means."""

from pathlib import Path

import pytest

from kodus_check.errors import CannotReview, UsageError
from kodus_check.git.objects import MissingObject
from kodus_check.git.workspace import Workspace
from tests.repo import Repo


@pytest.fixture
def history(repo: Repo) -> dict[str, str]:
    """``one - two - merge - three`` on main, where ``side`` (from ``one``) was merged; ``three`` is tagged."""
    ids = {"one": repo.commit({"f": "1\n"})}
    repo.branch("side")
    ids["side"] = repo.commit({"g": "1\n"})
    repo.checkout("main")
    ids["two"] = repo.commit({"f": "2\n"})
    repo.clock += 60
    repo.git("merge", "-q", "--no-ff", "--no-edit", "side")
    ids["merge"] = repo.rev("HEAD")
    ids["three"] = repo.commit({"f": "3\n"})
    repo.git("tag", "light")
    repo.git("tag", "-a", "-m", "annotated", "v1")
    repo.git("tag", "-a", "-m", "of a tag", "v2", "v1")
    repo.git("branch", "feature/x~y".replace("~", "-"), "two^{commit}".replace("two", ids["two"]))
    repo.git("update-ref", "refs/remotes/origin/main", ids["two"])
    repo.git("update-ref", "refs/pull/7/head", ids["side"])
    return ids


RESOLVES = {
    "main": "three",
    "refs/heads/main": "three",
    "heads/main": "three",
    "side": "side",
    "feature/x-y": "two",
    "origin/main": "two",
    "refs/pull/7/head": "side",
    "light": "three",
    "v1": "three",
    "v1^{commit}": "three",
    "v1^{}": "three",
    "v2": "three",
    "v2~1": "merge",
    "v1^{commit}~1": "merge",
    "v1~1^{commit}": "merge",
    "HEAD": "three",
    "@": "three",
    "@~1": "merge",
    "HEAD~0": "three",
    "HEAD^0": "three",
    "HEAD~": "merge",
    "HEAD^": "merge",
    "HEAD~2": "two",
    "HEAD~~": "two",
    "HEAD^^": "two",
    "HEAD~1^2": "side",
    "HEAD^^2": "side",
    "HEAD~3": "one",
    "HEAD~1^2~1": "one",
    "main~1^1^": "one",
}


@pytest.mark.parametrize("name", RESOLVES)
def test_names_of_commits(repo: Repo, history: dict[str, str], name: str) -> None:
    with Workspace(repo.path) as workspace:
        revision = workspace.resolve(name)
    assert (revision.ref, revision.sha) == (name, history[RESOLVES[name]])
    assert repo.rev(f"{name}^{{commit}}") == revision.sha


@pytest.mark.parametrize("digits", [7, 12, 39, 40])
def test_ids_short_and_full(repo: Repo, history: dict[str, str], digits: int) -> None:
    with Workspace(repo.path) as workspace:
        for oid in history.values():
            assert workspace.resolve(oid[:digits]).sha == oid
            assert workspace.resolve(oid[:digits].upper()).sha == oid
        assert workspace.resolve(history["three"][:digits] + "~2").sha == history["two"]
        tag = repo.rev("v1")
        assert workspace.resolve(tag[:digits]).sha == history["three"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope", "unknown revision `nope`"),
        ("origin/nope", "unknown revision `origin/nope`"),
        ("nope~2", "unknown revision `nope~2`"),
        ("f", "unknown revision `f`"),
        ("0000000", "unknown revision `0000000`"),
        ("main@{99}", "unknown revision"),
        ("main@{upstream}", "unknown revision"),
        ("two words", "unknown revision"),
        ("naïve", "unknown revision `naïve`"),
        ("\udce9", "unknown revision"),
        ("main\n", "unknown revision"),
    ],
)
def test_unknown_names_say_what_to_do(repo: Repo, history: dict[str, str], name: str, message: str) -> None:
    with Workspace(repo.path) as workspace, pytest.raises(CannotReview) as caught:
        workspace.resolve(name)
    assert caught.value.exit_code == 3
    assert caught.value.what.startswith(message)
    assert "git branch -a" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("HEAD~99", "`HEAD~99` goes back further than the history does"),
        ("HEAD^3", "has no parent 3"),
        ("HEAD~1^3", "has no parent 3"),
        ("HEAD~4^", "goes back further|has no parent 1"),
        ("HEAD~" + "9" * 5000, "goes back further than the history does"),
        ("HEAD^" + "9" * 5000, "has no parent"),
    ],
)
def test_steps_beyond_the_history(repo: Repo, history: dict[str, str], name: str, message: str) -> None:
    with Workspace(repo.path) as workspace, pytest.raises(CannotReview, match=message) as caught:
        workspace.resolve(name)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a..b",
        "main..side",
        "main...side",
        "..",
        ":path",
        "main:f",
        ":/message",
        "-x",
        "--all",
        "--output=x",
        "-",
        "^main",
        "main^!",
        "main^@",
        "main^-1",
        "main^{tree}",
        "main^{/message}",
        "main^{commit}^{tree}",
        "~1",
        "^{commit}",
        "@{-1}",
        "a\0b",
    ],
)
def test_what_is_no_single_commit_is_a_usage_error(repo: Repo, history: dict[str, str], name: str) -> None:
    with Workspace(repo.path) as workspace, pytest.raises(UsageError) as caught:
        workspace.resolve(name)
    assert caught.value.exit_code == 2
    assert "origin/main" in str(caught.value.remedy)


def test_an_id_that_is_not_here(repo: Repo, history: dict[str, str]) -> None:
    with Workspace(repo.path) as workspace:
        with pytest.raises(MissingObject, match=f"{'1' * 40} is not in this clone"):
            workspace.resolve("1" * 40)
        with pytest.raises(CannotReview, match="not an id of this sha1 repository"):
            workspace.resolve("1" * 64)


def test_a_short_id_of_two_objects_is_unknown(repo: Repo) -> None:
    head = repo.commit({f"{number}": f"{number}\n" for number in range(500)})
    names = {line.split()[2].decode() for line in repo.git("ls-tree", head).splitlines()} | {head}
    short = next(one[:4] for one in sorted(names) if sum(other.startswith(one[:4]) for other in names) > 1)
    with Workspace(repo.path) as workspace, pytest.raises(CannotReview, match="unknown revision"):
        workspace.resolve(short)


def test_default_base_is_the_branch_of_the_remote(tmp_path: Path, repo: Repo) -> None:
    head = repo.commit({"f": "1\n"})
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    with Workspace(repo.path) as workspace:
        assert workspace.default_base() == "main"
    with Workspace(tmp_path / "clone") as workspace:
        name = workspace.default_base()
        assert name == "origin/HEAD"
        assert workspace.resolve(name).sha == head
