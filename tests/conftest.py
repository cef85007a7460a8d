import os
from pathlib import Path

import pytest

from tests.repo import Repo

collect_ignore = [] if "KODUS_CHECK_IMAGE" in os.environ else ["image"]


def pytest_report_header() -> list[str]:
    return ["tests/image: left out, since no image is given; `.ci/image` builds the images and runs it"] if collect_ignore else []


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository on branch ``main``."""
    return Repo.init(tmp_path / "repo")
