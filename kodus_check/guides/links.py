"""Symlinks of the base as data: where one leads, as long as that is inside the base's tree and no second link stands on the way.

T1  a link to an absolute path, or out of the repository                 -> refused; the disk is never looked at
T2  a chain or a circle of links                                         -> one link, no more
T3  a link to a submodule or to nothing                                  -> refused
"""

from kodus_check.git.objects import MODE_SUBMODULE, MODE_SYMLINK
from kodus_check.git.trees import Entry, Tree
from kodus_check.model import RepoPath

_MAX_TARGET = 4096


class BadTarget(ValueError):
    """Why a link is not followed."""


def target(tree: Tree, link: Entry) -> RepoPath:
    """The path of the file or folder that ``link`` names; BadTarget where it is not to be followed."""
    data = tree.blob(link, limit=_MAX_TARGET).data
    if data is None or b"\0" in data:
        raise BadTarget("a link with a target that is no path")
    if data.startswith(b"/"):
        raise BadTarget("a link that leaves the repository")
    parts = link.path.raw.split(b"/")[:-1]
    for part in data.split(b"/"):
        if part == b"..":
            if not parts:
                raise BadTarget("a link that leaves the repository")
            _no_link(tree, parts)  # behind a link `..` is another folder
            parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    try:
        path = RepoPath(b"/".join(parts))
    except ValueError:
        raise BadTarget("a link to the repository itself, or into .git") from None
    _no_link(tree, parts)
    if tree.find(path) is None and not tree.is_folder(path):
        raise BadTarget(f"a link to `{path}`, which the base does not have")
    return path


def followed(tree: Tree, path: RepoPath) -> RepoPath:
    """``path`` with the one link that stands on it replaced by where it leads; BadTarget as above."""
    parts = path.raw.split(b"/")
    for depth in range(1, len(parts) + 1):
        entry = tree.find(RepoPath(b"/".join(parts[:depth])))
        if entry is not None and entry.mode == MODE_SYMLINK:
            rest = parts[depth:]
            real = RepoPath(b"/".join([target(tree, entry).raw, *rest]))
            _no_link(tree, real.raw.split(b"/"))
            return real
    return path


def _no_link(tree: Tree, parts: list[bytes]) -> None:
    """BadTarget where one of these folders, or the file at their end, is a link or a submodule."""
    for depth in range(1, len(parts) + 1):
        entry = tree.find(RepoPath(b"/".join(parts[:depth])))
        if entry is not None and entry.mode == MODE_SYMLINK:
            raise BadTarget("a link to another link")
        if entry is not None and entry.mode == MODE_SUBMODULE:
            raise BadTarget("a link into a submodule")
