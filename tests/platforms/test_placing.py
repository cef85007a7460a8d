"""Where findings can stand on GitHub's diff, over a pull request with everything in it; the fake refuses what GitHub refuses."""

from pathlib import Path

import pytest

from kodus_check.model import ChangedFile, Finding, MatchEvidence, Mode, Severity
from kodus_check.platforms.placing import Place, place_of
from tests.fakes import scene as scenes
from tests.repo import Repo, path

EVIDENCE = MatchEvidence("r", "rules/r.yml", 0, 1, "x", "m")


def finding(name: str, start: int, end: int | None = None, side: str = "right") -> Finding:
    return Finding(
        f"{abs(hash((name, start, end, side))):024x}"[:24], "main_review", path(name), None, side, start, end or start,
        Severity.HIGH, Mode.COMMENT, "t", "", EVIDENCE,
    )  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ChangedFile]:
    repo = scenes.prepared(Repo.init(tmp_path_factory.mktemp("placing") / "repo"))
    return repo.changed("main", "feature")


# long.py: hunk 1 is head 7..14 (line 10 became 10 and 11), hunk 2 is head 38..43 (old line 40 is gone)
@pytest.mark.parametrize(
    ("found", "place"),
    [
        (finding("long.py", 10), Place("right", 10, 10, whole=True)),
        (finding("long.py", 10, 11), Place("right", 10, 11, whole=True)),
        (finding("long.py", 14), Place("right", 14, 14, whole=True)),
        (finding("long.py", 15), None),
        (finding("long.py", 1, 10), Place("right", 7, 10, whole=False)),
        (finding("long.py", 11, 60), Place("right", 11, 14, whole=False)),
        (finding("long.py", 10, 40), Place("right", 10, 14, whole=False)),
        (finding("long.py", 40, 41), Place("right", 40, 41, whole=True)),
        (finding("long.py", 40, side="left"), Place("left", 40, 40, whole=True)),
        (finding("long.py", 38, 42, side="left"), Place("left", 40, 40, whole=False)),
        (finding("long.py", 39, side="left"), None),
        (finding("gone.py", 1, 2, side="left"), Place("left", 1, 2, whole=True)),
        (finding("gone.py", 1), None),
        (finding("elsewhere.py", 1), None),
        (finding("image.bin", 1), None),
        (finding("ünï cödé.py", 1), Place("right", 1, 1, whole=True)),
        (finding("signs.sql", 2, 3), Place("right", 2, 3, whole=True)),
    ],
)
def test_the_place_of_a_finding(files: dict[str, ChangedFile], found: Finding, place: Place | None) -> None:
    assert place_of(found, files[str(found.path)]) == place


def test_a_file_that_is_not_changed_has_no_place() -> None:
    assert place_of(finding("still.py", 1), None) is None


def test_github_takes_every_place_that_is_offered_and_none_of_the_others(
    files: dict[str, ChangedFile], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = scenes.prepared(Repo.init(tmp_path_factory.mktemp("places") / "repo"))
    with scenes.made(repo, tmp_path / "copy") as scene:
        taken = refused = 0
        for name, file in files.items():
            for side in ("right", "left"):
                for line in range(1, 66):
                    place = place_of(finding(name, line, side=side), file)
                    body = {"path": name, "body": "b", "commit_id": scene.head, "line": line, "side": side.upper()}
                    status = scene.ask("POST", f"pulls/{scene.number}/comments", body).status
                    if place is not None:
                        assert (name, side, line, status) == (name, side, line, 201)
                        taken += 1
                    elif side == "right" or status == 422:
                        assert (name, side, line, status) == (name, side, line, 422)
                        refused += 1
        assert (taken >= 20, refused > 300) == (True, True)
