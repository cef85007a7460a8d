"""What every landing keeps: nothing of the outside in the project, small files, documents that are true."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from kodus_check.config.schema import json_schema
from kodus_check.model import (
    CoverageReason,
    CoverageStatus,
    DropReason,
    FileKind,
    FileStatus,
    Mode,
    NoticeKind,
    Outcome,
    RuleStatus,
    Severity,
)
from kodus_check.reports import jsondoc

ROOT = Path(__file__).parents[1]
TRACKED = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
FILES = [ROOT / name for name in TRACKED if name and (ROOT / name).is_file()]

# Written so that this file does not match itself.
FOREIGN = re.compile(r"/wor[k]/|[.][.]/share[d]|pythonhoste[d]|pypi[.]or[g]|registry[.]npmj[s]|deb[.]debian[.]or[g]|[.]pyen[v]")


def test_no_file_names_a_path_of_one_machine_or_a_registry() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in FILES
        if (found := FOREIGN.search(path.read_text(encoding="utf-8", errors="replace")))
    ]
    assert named == []


def test_no_source_file_outgrows_its_noun() -> None:
    lengths = {
        str(path.relative_to(ROOT)): path.read_bytes().count(b"\n")
        for path in FILES
        if path.suffix == ".py" and path.is_relative_to(ROOT / "kodus_check")
    }
    assert lengths, "no source files found"
    assert {name: length for name, length in lengths.items() if length > 420} == {}


def test_locks_have_hashes_and_no_addresses() -> None:
    for name in ("requirements.txt", "requirements-build.txt", "requirements-dev.txt", "requirements-tools.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        packages = [line for line in lines if line and not line.startswith((" ", "#"))]
        assert packages
        assert all(re.fullmatch(r"[a-z0-9._-]+==\S+( ; .+)? \\", line) for line in packages), name
        assert all(line.strip().startswith("--hash=sha256:") for line in lines if line.startswith(" ")), name


def test_every_runtime_dependency_is_locked() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project.partition("dependencies = [")[2].partition("]")[0]
    wanted = set(re.findall(r'"([a-z0-9-]+)', block))
    locked = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE))
    assert wanted
    assert wanted <= locked


def _enums(node: object) -> list[tuple[str, ...]]:
    if isinstance(node, dict):
        own = [tuple(node["enum"])] if "enum" in node else []
        return own + [enum for value in node.values() for enum in _enums(value)]
    if isinstance(node, list):
        return [enum for value in node for enum in _enums(value)]
    return []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("review", [Outcome, NoticeKind, Severity, Mode, DropReason, CoverageStatus, CoverageReason]),
        ("changes", [FileStatus, FileKind]),
        ("rules", [Severity, RuleStatus, NoticeKind]),
        ("guides", [NoticeKind]),
    ],
)
def test_fixed_words_of_the_code_are_those_of_the_schema(name: str, words: list[type]) -> None:
    listed = _enums(jsondoc.schema(name))
    for kind in words:
        assert tuple(str(word) for word in kind) in listed, kind.__name__  # type: ignore[attr-defined]


def test_the_schemas_are_valid_schemas() -> None:
    from jsonschema import Draft202012Validator

    for name in ("review", "changes", "rules", "guides"):
        Draft202012Validator.check_schema(jsondoc.schema(name))
    Draft202012Validator.check_schema(json_schema())
    assert json.dumps(json_schema())
