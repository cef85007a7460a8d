"""PE-5: twice the files, twice the rules, twice the findings: at most 2.2 times the time."""

import sys
from pathlib import Path

from bench.inputs import git, memory_folder, repository
from bench.measure import command, peak_megabytes, row, seconds


def main() -> None:
    cache = Path(sys.argv[1] if len(sys.argv) > 1 else ".bench")
    start = seconds(command([sys.executable, "-m", "kodus_check", "--help"]))
    with memory_folder() as folder:
        for name, small, large in (
            ("files", repository(folder, cache, most=1500, rules=10), repository(folder, cache, most=3000, rules=10)),
            ("rules", repository(folder, cache, most=1400, rules=100), repository(folder, cache, most=1400, rules=200)),
            (
                "findings",
                _many(repository(folder, cache, most=11, rules=3), 4000),
                _many(repository(folder, cache, most=12, rules=3), 8000),
            ),
        ):
            one, two = (seconds(_run(path), times=3) - start for path in (small, large))
            row(f"twice the {name}", f"{one:.2f} s, {two:.2f} s", f"ratio {two / one:.2f} (goal 2.2)")
            memory = [peak_megabytes(_arguments(path)) for path in (small, large)]
            row(f"twice the {name}: peak memory", f"{memory[0]:.0f} MB, {memory[1]:.0f} MB")


def _arguments(path: Path) -> list[str]:
    return [sys.executable, "-m", "kodus_check", "run", "--repo", str(path), "--base", "main", "--head", "head", "--format", "json"]


def _run(path: Path) -> object:
    return command(_arguments(path))


def _many(path: Path, findings: int) -> Path:
    """Files that hold this many matches on added lines."""
    for number in range(10):
        (path / f"many_{number}.py").write_text("".join(f"print({line})\n" for line in range(findings // 10)))
    git(path, "add", "--all", "--force")
    git(path, "commit", "-q", "-m", "many")
    return path


if __name__ == "__main__":
    main()
