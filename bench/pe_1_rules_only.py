"""PE-1: a rules-only run against its parts without us: git raw and diff, blob reads, scratch tree, one raw ast-grep scan."""

import subprocess
import sys
import time
from pathlib import Path

from bench.inputs import git, memory_folder, repository
from bench.measure import command, peak_megabytes, row, seconds
from kodus_check.rules.astgrep import binary


def main() -> None:
    cache = Path(sys.argv[1] if len(sys.argv) > 1 else ".bench")
    start = seconds(command([sys.executable, "-c", "import click, yaml, jinja2"]))
    row("interpreter and click, yaml, jinja2", f"{start * 1000:.0f} ms")
    with memory_folder() as folder:
        for files in (1000, 3300):
            for rules in (1, 10, 100):
                _measure(repository(folder, cache, most=files, rules=rules), files, rules, start)


def _measure(path: Path, files: int, rules: int, start: float) -> None:
    times = 3
    floor = seconds(lambda: _floor(path), times=times)
    arguments = [sys.executable, "-m", "kodus_check", "run", "--repo", str(path), "--base", "main", "--head", "head"]
    ours = seconds(command([*arguments, "--format", "json"]), times=times)
    ratio = (ours - start) / floor
    row(f"{files} files, {rules} rules", f"{ours:.2f} s / floor {floor:.2f} s", f"ratio {ratio:.2f} (goal 2.0, toward 1.25)")
    if rules == 100:
        row(f"{files} files, {rules} rules: peak memory", f"{peak_megabytes(arguments):.0f} MB", "(goal 120)")


def _floor(path: Path) -> None:
    """Each part once, as plainly as it can be done."""
    git(path, "diff-tree", "-r", "-M", "--raw", "-z", "main", "head")
    git(path, "diff-tree", "-r", "-M", "-p", "main", "head")
    names = git(path, "diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", "main", "head").decode().splitlines()
    records = [(line.split("\t")[1], *line.split("\t")[0].split()[2:4]) for line in names]
    both = [oid for _, old, new in records for oid in (old, new) if oid.strip("0")]
    _cat(path, both)
    scratch = path.parent / f"floor-{time.monotonic_ns()}"
    wanted = [(name, new) for name, _, new in records if new.strip("0") and name.endswith((".py", ".pyi"))]
    for (name, _), data in zip(wanted, _cat(path, [oid for _, oid in wanted]), strict=True):
        target = scratch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (scratch / ".config").write_text(f"ruleDirs: ['{path / 'rules'}']\n")
    command([binary(), "scan", "-c", ".config", "--json=stream", "."], cwd=scratch, codes=(0, 1))()


def _cat(path: Path, oids: list[str]) -> list[bytes]:
    done = subprocess.run(
        ["git", "-C", str(path), "cat-file", "--batch", "--buffer"],
        input="\n".join(oids).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    blobs, position = [], 0
    for _ in oids:
        end = done.stdout.index(b"\n", position)
        size = int(done.stdout[position:end].split()[2])
        blobs.append(done.stdout[end + 1 : end + 1 + size])
        position = end + size + 2
    return blobs


if __name__ == "__main__":
    main()
