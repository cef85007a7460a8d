"""Clones that end early, and repositories of another hash."""

from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.objects import MissingObject
from kodus_check.git.workspace import Workspace
from tests.git import forge
from tests.git.views import added
from tests.repo import Repo

# --- clones that end early -------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(repo: Repo) -> tuple[str, str]:
    return repo.commit({"f": "1\n", "d/g": "g\n"}), repo.commit({"f": "2\n"})


def shallow(repo: Repo, to: Path, depth: int) -> Repo:
    repo.git("clone", "-q", f"--depth={depth}", "--no-single-branch", repo.path.as_uri(), str(to))
    return Repo(to)


def test_a_shallow_clone_that_holds_the_merge_base(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    third = repo.commit({"f": "3\n"})
    assert added(shallow(repo, tmp_path / "ws", 2).path, pair[1], third) == {"f": [1]}


@pytest.mark.parametrize("later", ["head", "base"])
def test_a_shallow_clone_whatever_the_clock_says(repo: Repo, tmp_path: Path, later: str) -> None:
    """The merge base is in the clone, its parent is not; the answer may not hang on which commit looks younger."""
    repo.commit({"f": "1\n"})
    base = repo.commit({"f": "2\n"})
    repo.clock -= 60 if later == "head" else 6000
    head = repo.commit({"f": "3\n"})
    assert added(shallow(repo, tmp_path / "ws", 2).path, base, head) == {"f": [1]}


def test_a_shallow_clone_that_lacks_the_merge_base(repo: Repo, tmp_path: Path) -> None:
    """Unknown is not unrelated."""
    fork = repo.commit({"f": "1\n"})
    repo.branch("feature")
    repo.commit({"g": "1\n"})
    head = repo.commit({"g": "2\n"})
    repo.checkout("main")
    base = repo.commit({"h": "1\n"})
    with pytest.raises(MissingObject) as caught:
        shallow(repo, tmp_path / "ws", 1).change(base, head)
    assert caught.value.exit_code == 3
    assert "fetch-depth: 0" in str(caught.value.remedy)
    assert repo.change(base, head).merge_base == fork


def test_a_shallow_clone_whose_revision_goes_back_too_far(repo: Repo, pair: tuple[str, str], tmp_path: Path) -> None:
    with Workspace(shallow(repo, tmp_path / "ws", 1).path) as workspace, pytest.raises(MissingObject) as caught:
        workspace.resolve("HEAD~1")
    assert caught.value.oid == pair[0]


@pytest.mark.parametrize("lacks", ["blob:none", "tree:0"])
def test_a_partial_clone_that_lacks_what_changed(repo: Repo, pair: tuple[str, str], tmp_path: Path, lacks: str) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", f"--filter={lacks}", repo.path.as_uri(), str(tmp_path / "ws"))
    with pytest.raises(MissingObject) as caught:
        Repo(tmp_path / "ws").change(*pair)
    assert caught.value.oid == repo.rev(f"{pair[0]}:f" if lacks == "blob:none" else f"{pair[0]}^{{tree}}")


# --- SHA-256 ---------------------------------------------------------------------------------------------------------------


def test_a_sha256_repository(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo", object_format="sha256")
    fork = repo.commit({"f": "1\n2\n3\n", "old": "x\n" * 9, "d/g": "g\n", "i.png": b"\0"})
    repo.branch("feature")
    repo.git("mv", "old", "new")
    head = repo.commit({"f": "1\n3\nfour\n", "i.png": b"\0\1", "d/g": None, "fresh": "n"})
    repo.checkout("main")
    base = repo.commit({"f": "0\n1\n2\n3\n"})
    repo.git("tag", "-a", "-m", "t", "v1")
    change = repo.change("v1", "feature")
    assert (change.base.sha, change.head.sha, change.merge_base) == (base, head, fork)
    assert [(str(file.path), str(file.status), list(file.added), list(file.removed)) for file in change.files] == [
        ("d/g", "deleted", [], [1]),
        ("f", "modified", [3], [2]),
        ("fresh", "added", [1], []),
        ("i.png", "modified", [], []),
        ("new", "renamed", [], []),
    ]
    with Workspace(repo.path) as workspace:
        assert workspace.hash_kind == "sha256"
        assert [workspace.resolve(name).sha for name in (head, head[:9], "feature~1", "v1^{commit}")] == [head, head, fork, base]
        with pytest.raises(CannotReview, match="not an id of this sha256 repository"):
            workspace.resolve("1" * 40)
        with pytest.raises(MissingObject):
            workspace.resolve("1" * 64)


def test_a_poisoned_object_of_a_sha256_repository(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo", object_format="sha256")
    base = repo.commit({"f": "1\n"})
    head = repo.commit({"f": "2\n"})
    oid = repo.rev(f"{head}:f")
    forge.poison(repo, oid, b"1\n")
    with pytest.raises(CannotReview, match=f"object {oid} does not hash to its name"):
        repo.change(base, head)
