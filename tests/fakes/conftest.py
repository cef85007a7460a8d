from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import scene as scenes
from tests.repo import Repo


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository that every scene copies."""
    return scenes.prepared(Repo.init(tmp_path_factory.mktemp("prepared") / "repo"))


@pytest.fixture
def scene(prepared: Repo, tmp_path: Path) -> Iterator[scenes.Scene]:
    """A pull request on the GitHub fake. At the end the fake itself must have answered nothing that GitHub does not publish."""
    with scenes.made(prepared, tmp_path / "copy") as scene:
        yield scene
        assert not [violation for violation in scene.fake.violations if violation.by == "fake"]
