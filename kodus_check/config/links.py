"""Whether what a config links as a skill or a doc is there. Looked up by name; nothing of its content is read."""

import difflib
from collections.abc import Collection, Iterable
from itertools import islice

from kodus_check.errors import UsageError
from kodus_check.git.objects import MODE_SYMLINK
from kodus_check.git.trees import Tree
from kodus_check.model import RepoPath

BUILTIN = "builtin:"
SKILL_FILE = b"SKILL.md"

_MOST_CANDIDATES = 5_000


class BadLink(ValueError):
    """A link that cannot be meant. ``absent`` says that its shape is right and the base has no such thing."""

    def __init__(self, why: str, *, absent: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.absent = absent


def check_skill(tree: Tree, name: str, builtin: Collection[str]) -> RepoPath | None:
    """The folder or agent file that a link of a skill names, None for one that ships; BadLink says what is wrong."""
    if name.startswith(BUILTIN):
        if name.removeprefix(BUILTIN) not in builtin:
            raise BadLink(f"no such skill ships{_hint(name, [f'{BUILTIN}{one}' for one in builtin])}")
        return None
    path = _parsed(name)
    if _through_symlink(tree, path):
        return path
    entry = tree.find(path)
    if entry is not None:
        if entry.why_not_read or path.suffix != ".md":
            raise BadLink("a skill is a folder that holds a SKILL.md, that file itself, or an agent file (.md)")
        folder, _, file = path.raw.rpartition(b"/")
        return RepoPath(folder) if file == SKILL_FILE and folder else path
    if tree.find(RepoPath(path.raw + b"/" + SKILL_FILE)) is not None:
        return path
    if next(tree.walk(path), None) is not None:
        raise BadLink(f"this folder holds no SKILL.md{_hint(name, _skills(tree))}", absent=True)
    raise BadLink(f"the base has no such skill{_hint(name, _skills(tree))}", absent=True)


def check_doc(tree: Tree, name: str) -> RepoPath:
    """The file that a link of a doc names; BadLink says what is wrong."""
    path = _parsed(name)
    if _through_symlink(tree, path):
        return path
    entry = tree.find(path)
    if entry is None:
        if next(tree.walk(path), None) is not None:
            raise BadLink("this is a folder, and a doc is a file")
        raise BadLink(f"the base has no such file{_hint(name, _docs(tree))}", absent=True)
    if entry.why_not_read:
        raise BadLink(f"this is a {entry.why_not_read}, and a doc is a file")
    return path


def _parsed(name: str) -> RepoPath:
    try:
        return RepoPath.parse(name)
    except UsageError as error:
        raise BadLink(error.what) from None


def _through_symlink(tree: Tree, path: RepoPath) -> bool:
    """Whether the path, or a folder that it goes through, is a symlink: where that leads is seen when it is read."""
    parts = path.raw.split(b"/")
    ways = (tree.find(RepoPath(b"/".join(parts[: depth + 1]))) for depth in range(len(parts)))
    return any(entry is not None and entry.mode == MODE_SYMLINK for entry in ways)


def _skills(tree: Tree) -> Iterable[str]:
    for path in _docs(tree):
        if path.endswith("/SKILL.md"):
            yield path.removesuffix("/SKILL.md")
        elif "/agents/" in path:
            yield path


def _docs(tree: Tree) -> Iterable[str]:
    return (str(entry.path) for entry in tree.walk() if entry.path.suffix == ".md")


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(islice(known, _MOST_CANDIDATES)), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
