import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kodus_check.rules import astgrep

FakeAstGrep = Callable[[str], Path]


@pytest.fixture
def fake_astgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAstGrep]:
    """Puts a shell script where ast-grep is looked for first. For what the real one cannot be made to do."""

    def make(script: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / "ast-grep"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(folder / "python"))
        astgrep.binary.cache_clear()
        return path

    yield make
    monkeypatch.undo()
    astgrep.binary.cache_clear()
