"""What is measured on: two releases of a large package as base and head, and rules of which most match nothing."""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "homeassistant"
BASE, HEAD = "2024.2.0", "2024.3.0"

_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "b"), ("EMAIL", "b@example.org"))
    },
    **{f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A temporary folder in memory, so that disk write-back does not decide; all children use it too."""
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kodus-check-bench-", dir=place) as name:
        os.environ["TMPDIR"] = name
        tempfile.tempdir = name
        yield Path(name)


def wheels(cache: Path) -> tuple[Path, Path]:
    """The two wheels, downloaded once."""
    cache.mkdir(parents=True, exist_ok=True)
    found = []
    for version in (BASE, HEAD):
        path = cache / f"{PACKAGE}-{version}-py3-none-any.whl"
        if not path.exists():
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--python-version=3.12",
            ]
            subprocess.run([*command, "--dest", str(cache), f"{PACKAGE}=={version}"], check=True)
        found.append(path)
    return found[0], found[1]


def repository(folder: Path, cache: Path, *, most: int, rules: int) -> Path:
    """A repository whose ``main`` is the older release with rules, and ``head`` the newer one, with ``most`` changed files."""
    old, new = wheels(cache)
    path = folder / f"repo-{most}-{rules}"
    path.mkdir()
    git(path, "init", "-q", "-b", "main", "--template=")
    with zipfile.ZipFile(old) as before, zipfile.ZipFile(new) as after:
        crcs = {info.filename: info.CRC for info in before.infolist()}
        names = [info.filename for info in after.infolist() if crcs.get(info.filename) != info.CRC][:most]
        before.extractall(path, [name for name in names if name in crcs])
        write_rules(path, rules)
        _commit(path, "base")
        git(path, "checkout", "-q", "-b", "head")
        after.extractall(path, names)
        _commit(path, "head")
    git(path, "repack", "-adq")
    return path


def write_rules(path: Path, count: int) -> None:
    """``count`` Python rules, of which the first three match something."""
    patterns = ["print($$$A)", "assert $A", "$A.get($B)"] + [f"never_called_{number}($$$A)" for number in range(count)]
    (path / "rules").mkdir()
    (path / "sgconfig.yml").write_text("ruleDirs: [rules]\n")
    (path / ".kodus-check.yml").write_text("main_review: {rules: [sgconfig.yml]}\nfail_on: never\n")
    for number, pattern in enumerate(patterns[:count]):
        (path / "rules" / f"{number:03}.yml").write_text(
            f"id: r{number}\nlanguage: python\nmessage: m\nrule: {{pattern: '{pattern}'}}\n"
        )


def git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(path), *arguments], env=_ENV, check=True, capture_output=True).stdout


def _commit(path: Path, message: str) -> None:
    git(path, "add", "--all", "--force")
    git(path, "commit", "-q", "-m", message)
