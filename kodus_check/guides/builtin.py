"""The skills that ship: ``builtin:NAME`` is the folder ``builtin/skills/NAME`` of this package."""

from functools import cache
from pathlib import Path

SKILL_FILE = "SKILL.md"
PREFIX = "builtin:"
FOLDER = Path(__file__).parents[1] / "builtin" / "skills"


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in FOLDER.glob(f"*/{SKILL_FILE}")))


def read(name: str) -> bytes:
    """The bytes of a skill that ships; KeyError when there is none of that name."""
    if name not in names():
        raise KeyError(name)
    return (FOLDER / name / SKILL_FILE).read_bytes()


def beside(name: str) -> tuple[str, ...]:
    """The files beside it, down to one folder, relative to its own."""
    folder = FOLDER / name
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name != SKILL_FILE)
    return tuple(sorted(str(path) for path in files if len(path.parts) <= 2))
