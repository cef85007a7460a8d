from collections.abc import Iterator

import pytest

from tests.reports.browser import Browser, chromium


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium for all tests of a process; each test opens its own page."""
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started
