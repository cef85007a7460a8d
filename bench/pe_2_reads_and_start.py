"""PE-2: verified reads against unverified ones, and what starting costs against importing what the command line needs."""

import subprocess
import sys
from pathlib import Path

from bench.inputs import git, memory_folder, repository
from bench.measure import command, row, seconds
from kodus_check.git.objects import ObjectStore
from kodus_check.git.trees import Tree
from kodus_check.model import Sha


def main() -> None:
    cache = Path(sys.argv[1] if len(sys.argv) > 1 else ".bench")
    with memory_folder() as folder:
        path = repository(folder, cache, most=1000, rules=10)
        _reads(path)
        _start(path)


def _reads(path: Path) -> None:
    """50 blobs of the base, from the commit down; the unverified way asks ls-tree for their ids first, as it must."""
    head = Sha(git(path, "rev-parse", "main").decode().strip())

    def verified() -> None:
        with ObjectStore(path / ".git") as store:
            tree = Tree(store, store.commit(head).tree)
            entries = [entry for entry, _ in zip(tree.walk(), range(50), strict=False)]
            assert len(list(store.blobs(entry.oid for entry in entries))) == 50

    def unverified() -> None:
        listed = git(path, "ls-tree", "-r", "-z", head).split(b"\0")[:50]
        oids = b"\n".join(line.split()[2] for line in listed) + b"\n"
        subprocess.run(["git", "-C", str(path), "cat-file", "--batch"], input=oids, capture_output=True, check=True)

    ours, theirs = seconds(verified, times=9), seconds(unverified, times=9)
    row("50 blobs of the base, verified", f"{ours * 1000:.1f} / {theirs * 1000:.1f} ms", f"ratio {ours / theirs:.2f} (goal 1.5)")


def _start(path: Path) -> None:
    program = [sys.executable, "-m", "kodus_check"]
    floor = seconds(command([sys.executable, "-c", "import click, yaml, jinja2"]), times=9)
    helped = seconds(command([*program, "--help"]), times=9)
    row("--help", f"{helped * 1000:.0f} / {floor * 1000:.0f} ms", f"ratio {helped / floor:.2f} (goal 2.5)")
    git(path, "checkout", "-q", "-b", "small", "main")
    names = git(path, "diff", "--name-only", "--diff-filter=M", "main", "head", "--", "*.py").decode().split("\n")[:3]
    git(path, "checkout", "-q", "head", "--", *names)
    git(path, "commit", "-q", "-m", "three files")
    small = seconds(command([*program, "run", "--repo", str(path), "--base", "main", "--head", "small"]), times=9)
    row("a run on 3 files, 10 rules", f"{small * 1000:.0f} / {floor * 1000:.0f} ms", f"ratio {small / floor:.2f} (goal 4)")


if __name__ == "__main__":
    main()
