"""Guides of a real repository for tests."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.guides.find import Candidate, find_guides
from kodus_check.guides.skills import read_skills, settle
from kodus_check.model import Notice, Skill
from tests.repo import Content, Repo

Files = dict[str, Content]
Links = dict[str, str]
OFF, ON = "policy: {allow_implicit_invocation: false}\n", "policy: {allow_implicit_invocation: true}\n"
"""Sidecars."""


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


@contextmanager
def imported(repo: Repo, files: Iterable[tuple[str, str, bytes]]) -> Iterator[Tree]:
    """The tree of a commit with these modes, names and contents, seen by no file system. The content of a submodule is its id."""
    data = b"commit refs/heads/main\ncommitter T <t@example.org> 1767225600 +0000\ndata 1\nc\ndeleteall\n"
    for mode, name, content in files:
        if mode == "160000":
            data += f"M {mode} {content.decode()} {name}\n".encode()
        else:
            data += f"M {mode} inline {name}\ndata {len(content)}\n".encode() + content + b"\n"
    repo.git("fast-import", "--quiet", "--force", data=data)
    with Workspace(repo.path) as workspace:
        yield Tree(workspace.store, workspace.store.commit(workspace.resolve("main").sha).tree)


def found_in(repo: Repo, files: Files, links: Links | None = None, modules: tuple[str, ...] = ()) -> list[Candidate]:
    with tree_of(repo, files, links, modules) as tree:
        return find_guides(tree).skills
