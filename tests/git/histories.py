"""Histories of empty commits, given by their parents and times."""

from collections.abc import Mapping

from tests.repo import Repo

History = Mapping[str, tuple[list[str], int]]
"""For each commit its parents, which stand before it, and its time."""


def grow(repo: Repo, commits: History) -> dict[str, str]:
    """Makes the commits with one ``fast-import``, a branch on each, and returns their ids."""
    marks = {name: number for number, name in enumerate(commits, 1)}
    stream = ""
    for name, (parents, time) in commits.items():
        stream += f"reset refs/heads/{name}\n\ncommit refs/heads/{name}\nmark :{marks[name]}\n"
        stream += f"committer A <a@example.org> {time * 1000} +0000\ndata {len(name)}\n{name}\n"
        for word, parent in zip(["from", *["merge"] * 9], parents, strict=False):
            stream += f"{word} :{marks[parent]}\n"
    repo.git("fast-import", "--quiet", data=stream.encode())
    listed = repo.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads").decode().splitlines()
    ids = dict(line.split() for line in listed)
    return {name: ids[name] for name in commits}


def best_common(commits: History, one: str, other: str) -> set[str]:
    """By definition: common ancestors of which no other common ancestor is a descendant."""
    above: dict[str, set[str]] = {}
    for name, (parents, _) in commits.items():
        above[name] = {name}.union(*(above[parent] for parent in parents))
    common = above[one] & above[other]
    return {name for name in common if not any(name != lower and name in above[lower] for lower in common)}
