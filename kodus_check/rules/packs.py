"""The rule packs that ship: ``builtin:NAME`` is the folder ``rules/NAME`` of this program."""

from functools import cache
from pathlib import Path

from kodus_check.rules.documents import RuleSource

PREFIX = "builtin:"


@cache
def folder() -> Path:
    """The folder of all packs: inside the package where it is installed, beside it in a checkout."""
    installed = Path(__file__).parent / "pack_files"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "rules"


def names() -> tuple[str, ...]:
    return tuple(sorted(path.name for path in folder().iterdir() if path.is_dir() and not path.name.startswith(".")))


def sources(name: str) -> list[RuleSource]:
    """The sources of pack ``name`` (without the prefix); KeyError when there is no such pack."""
    if name not in names():
        raise KeyError(name)
    files = sorted((folder() / name).glob("*.yml"))
    return [RuleSource(f"{PREFIX}{name}/{path.name}", path.read_bytes()) for path in files]


def test_sources(name: str) -> list[RuleSource]:
    """The sources of the rule tests of pack ``name``."""
    files = sorted((folder() / name / "tests").glob("*.yml"))
    return [RuleSource(f"{PREFIX}{name}/tests/{path.name}", path.read_bytes()) for path in files]
