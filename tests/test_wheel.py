"""What is installed from a wheel works without the checkout: packs, templates and schemas are in it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.repo import Repo

ROOT = Path(__file__).parents[1]


def test_an_installed_wheel_runs_the_packs_that_ship(repo: Repo, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], check=True, capture_output=True)
    commit = repo.commit({"a.py": "import yaml\n"})

    def kodus_check(*arguments: str) -> str:
        code = (
            f"import sys; sys.path.insert(0, {str(site)!r}); import kodus_check.cli as program; "
            f"assert {str(site)!r} in program.__file__; program.main()"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path, check=True
        )
        return done.stdout

    rules = json.loads(kodus_check("rules", "--repo", str(repo.path), "--base", commit, "--format", "json"))["rules"]
    assert {rule["status"] for rule in rules} == {"loaded"}
    assert all(rule["source"].startswith("builtin:essentials/") for rule in rules)
    assert "## kodus-check" in kodus_check("run", "--repo", str(repo.path), "--base", commit, "--format", "markdown")
    assert "Review document" in json.dumps(json.loads((site / "kodus_check/reports/schemas/review.schema.json").read_text()))
