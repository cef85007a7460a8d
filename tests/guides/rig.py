"""Guides of a real repository for tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.guides.find import find_guides
from kodus_check.guides.skills import read_skills, settle
from kodus_check.model import Notice, Skill
from tests.repo import Content, Repo


def skill(name: str, *, body: str = "A rule.", head: str = "") -> str:
    return f"---\nname: {name}\ndescription: About {name}.\n{head}---\n{body}\n"


def quick(text: str) -> int:
    """A token count that costs nothing."""
    return len(text) // 4


@contextmanager
def tree_of(
    repo: Repo, files: dict[str, Content], links: dict[str, str] | None = None, modules: tuple[str, ...] = ()
) -> Iterator[Tree]:
    """The tree of a commit with these files, symlinks and submodules."""
    repo.write(files)
    for name, target in (links or {}).items():
        place = repo.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
    repo.git("add", "--all", "--force")
    for name in modules:
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{name}")
    repo.git("commit", "-q", "--allow-empty", "-m", "c")
    with Workspace(repo.path) as workspace:
        yield Tree(workspace.store, workspace.store.commit(workspace.resolve("HEAD").sha).tree)


def skills_of(tree: Tree) -> tuple[dict[str, Skill], list[Notice]]:
    """Every discovered skill by path, settled."""
    found = find_guides(tree)
    skills, notices = read_skills(tree, found.skills, count=quick)
    settled, twins = settle(skills, {one.shown: one.rank for one in reversed(found.skills)})
    return {one.path: one for one in settled}, [*notices, *twins]
