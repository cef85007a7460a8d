"""The merge base: git's answer, found without asking git."""

import pytest

from kodus_check.git.history import merge_base
from kodus_check.git.objects import MissingObject
from kodus_check.git.workspace import Workspace
from kodus_check.model import parse_sha
from tests.git.histories import History, grow
from tests.repo import Repo

CASES: dict[str, tuple[History, str | None]] = {
    "fork": ({"fork": ([], 1), "base": (["fork"], 2), "head": (["fork"], 3)}, "fork"),
    "the base moved far on": (
        {"fork": ([], 1), "m1": (["fork"], 3), "m2": (["m1"], 4), "base": (["m2"], 5), "head": (["fork"], 2)},
        "fork",
    ),
    "head on the base": ({"old": ([], 1), "base": (["old"], 2), "head": (["base"], 3)}, "base"),
    "head is merged": ({"old": ([], 1), "head": (["old"], 2), "other": (["old"], 3), "base": (["other", "head"], 4)}, "head"),
    "head merged the base": ({"fork": ([], 1), "base": (["fork"], 2), "f": (["fork"], 3), "head": (["f", "base"], 4)}, "base"),
    "head merged the base, which moved on": (
        {"fork": ([], 1), "m": (["fork"], 2), "f": (["fork"], 3), "head": (["f", "m"], 4), "base": (["m"], 5)},
        "m",
    ),
    "octopus": (
        {
            "root": ([], 1),
            "a": (["root"], 2),
            "b": (["root"], 3),
            "c": (["root"], 4),
            "head": (["a", "b", "c"], 5),
            "base": (["b"], 6),
        },
        "b",
    ),
    "unrelated": ({"base": ([], 1), "head": ([], 2)}, None),
    "unrelated until a merge": ({"x": ([], 1), "y": ([], 2), "base": (["x", "y"], 3), "head": (["y"], 4)}, "y"),
    "criss-cross: the younger of two": (
        {
            "root": ([], 1),
            "a": (["root"], 2),
            "b": (["root"], 3),
            "base": (["a", "b"], 4),
            "head": (["b", "a"], 5),
        },
        "b",
    ),
    "criss-cross twice": (
        {
            "root": ([], 1),
            "a": (["root"], 2),
            "b": (["root"], 3),
            "c": (["a", "b"], 5),
            "d": (["b", "a"], 4),
            "base": (["c", "d"], 6),
            "head": (["d", "c"], 7),
        },
        "c",
    ),
    "all at the same second": ({"root": ([], 1), "fork": (["root"], 1), "base": (["fork"], 1), "head": (["fork"], 1)}, "fork"),
    "clocks run backwards": ({"root": ([], 9), "fork": (["root"], 7), "base": (["fork"], 5), "head": (["fork"], 3)}, "fork"),
    "the fork looks younger than both": (
        {"root": ([], 1), "fork": (["root"], 9), "base": (["fork"], 2), "head": (["fork"], 3)},
        "fork",
    ),
    "an ancestor of the fork looks younger": (
        {"root": ([], 9), "fork": (["root"], 1), "side": (["root"], 2), "base": (["fork", "side"], 3), "head": (["fork"], 4)},
        "fork",
    ),
    "the base is older than what it was made of": (
        {"r": ([], 4), "a": (["r"], 3), "b": (["a"], 2), "c": (["b"], 5), "base": (["r", "c"], 0), "head": (["b", "base"], 0)},
        "base",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_merge_base(repo: Repo, name: str) -> None:
    commits, right = CASES[name]
    ids = grow(repo, commits)
    with Workspace(repo.path) as workspace:
        found = merge_base(workspace.store, parse_sha(ids["base"]), parse_sha(ids["head"]))
        back = merge_base(workspace.store, parse_sha(ids["head"]), parse_sha(ids["base"]))
    assert found == (ids[right] if right else None)
    assert back == found
    if right:
        assert found in repo.git("merge-base", "--all", ids["base"], ids["head"]).decode().split()


def test_of_two_at_the_same_second_the_smaller_id(repo: Repo) -> None:
    ids = grow(repo, {"root": ([], 1), "a": (["root"], 2), "b": (["root"], 2), "base": (["a", "b"], 3), "head": (["b", "a"], 3)})
    with Workspace(repo.path) as workspace:
        assert merge_base(workspace.store, parse_sha(ids["base"]), parse_sha(ids["head"])) == min(ids["a"], ids["b"])


LONG: History = {
    "c0": ([], 0),
    **{f"c{number}": ([f"c{number - 1}"], number) for number in range(1, 2_000)},
    "head": (["c100"], 3_000),
}


def test_a_long_history_is_walked_only_to_the_fork(repo: Repo) -> None:
    """The commits below it need not even be there."""
    repo.git("config", "fastimport.unpackLimit", "100000")
    ids = grow(repo, LONG)
    for number in range(100):
        repo.loose_object(ids[f"c{number}"]).unlink()
    with Workspace(repo.path) as workspace:
        assert merge_base(workspace.store, parse_sha(ids["c1999"]), parse_sha(ids["head"])) == ids["c100"]


BROKEN: dict[str, tuple[History, set[str], str | None]] = {
    "below the fork": ({"x": ([], 1), "fork": (["x"], 2), "base": (["fork"], 3), "head": (["fork"], 4)}, {"x"}, "fork"),
    "below the fork, at the same second": (
        {"x": ([], 1), "fork": (["x"], 1), "base": (["fork"], 1), "head": (["fork"], 1)},
        {"x"},
        "fork",
    ),
    "below the base, which is the fork": ({"x": ([], 1), "base": (["x"], 5), "head": (["base"], 2)}, {"x"}, "base"),
    "on the way to the fork": (
        {"fork": ([], 1), "x": (["fork"], 2), "base": (["x"], 3), "head": (["fork"], 4)},
        {"x"},
        None,
    ),
    "another way that could lead to a better one": (
        {"fork": ([], 1), "x": (["fork"], 2), "base": (["fork", "x"], 3), "head": (["fork"], 4)},
        {"x"},
        None,
    ),
    "the fork itself": ({"x": ([], 1), "base": (["x"], 2), "head": (["x"], 3)}, {"x"}, None),
    "everything below both": ({"x": ([], 1), "y": ([], 1), "base": (["x"], 2), "head": (["y"], 3)}, {"x", "y"}, None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_history_with_a_hole(repo: Repo, name: str) -> None:
    """A hole matters only where a better common ancestor could be behind it; then the answer is not "unrelated"."""
    commits, missing, right = BROKEN[name]
    ids = grow(repo, commits)
    for one in missing:
        repo.loose_object(ids[one]).unlink()
    with Workspace(repo.path) as workspace:
        if right:
            assert merge_base(workspace.store, parse_sha(ids["base"]), parse_sha(ids["head"])) == ids[right]
        else:
            with pytest.raises(MissingObject) as caught:
                merge_base(workspace.store, parse_sha(ids["base"]), parse_sha(ids["head"]))
            assert caught.value.oid in {ids[one] for one in missing}
