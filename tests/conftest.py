from pathlib import Path

import pytest

from tests.repo import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository on branch ``main``."""
    return Repo.init(tmp_path / "repo")
