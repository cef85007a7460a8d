"""Files that nobody writes by hand, as the base declares them: a model does not read them, rules still run.

Only the base's ``.gitattributes`` and the fixed names of lock files count. A folder that a change calls ``vendor`` proves nothing.
"""

import re
from dataclasses import dataclass

from kodus_check.errors import KodusCheckError
from kodus_check.git.trees import Tree
from kodus_check.globs import Globs
from kodus_check.model import CoverageReason, RepoPath

LOCK_FILES = frozenset(
    {
        b"Cargo.lock", b"Gemfile.lock", b"Pipfile.lock", b"Podfile.lock", b"bun.lock", b"bun.lockb", b"composer.lock",
        b"deno.lock", b"flake.lock", b"go.sum", b"gradle.lockfile", b"mix.lock", b"npm-shrinkwrap.json", b"package-lock.json",
        b"packages.lock.json", b"pdm.lock", b"pnpm-lock.yaml", b"poetry.lock", b"pubspec.lock", b"uv.lock", b"yarn.lock",
    }
)  # fmt: skip

_ATTRIBUTE = re.compile(r"(-|!)?linguist-(generated|vendored)(?:=(\S+))?")


@dataclass(frozen=True, slots=True)
class _Line:
    pattern: Globs
    sets: dict[str, bool]


class GeneratedFiles:
    """What the ``.gitattributes`` files of one tree say. They are read where a question needs them, once each."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lines: dict[bytes, list[_Line]] = {}

    def kind_of(self, path: RepoPath) -> CoverageReason | None:
        """``LOCK_FILE``, ``GENERATED``, ``VENDORED``, or None for a file that people write."""
        if path.raw.rpartition(b"/")[2] in LOCK_FILES:
            return CoverageReason.LOCK_FILE
        found: dict[str, bool] = {}
        parts = path.raw.split(b"/")
        for depth in range(len(parts)):  # a file deeper in the tree is read later and wins, as in git
            inside = RepoPath(b"/".join(parts[depth:]))
            for line in self._at(b"/".join(parts[:depth])):
                if inside in line.pattern:
                    found.update(line.sets)
        return next((kind for kind in (CoverageReason.GENERATED, CoverageReason.VENDORED) if found.get(str(kind))), None)

    def _at(self, folder: bytes) -> list[_Line]:
        if folder not in self._lines:
            entry = self._tree.find(RepoPath(folder + b"/.gitattributes" if folder else b".gitattributes"))
            data = self._tree.blob(entry).data if entry is not None and entry.why_not_read is None else None
            self._lines[folder] = _parse((data or b"").decode("utf-8", "replace"))
        return self._lines[folder]


def _parse(text: str) -> list[_Line]:
    lines: list[_Line] = []
    for line in text.split("\n"):
        words = line.split()
        if not words or words[0].startswith(("#", "[", '"', "!")):
            continue
        sets = {
            found[2]: found[1] is None and found[3] not in ("false", "0")
            for word in words[1:]
            if (found := _ATTRIBUTE.fullmatch(word))
        }
        if sets:
            try:
                lines.append(_Line(Globs([words[0]]), sets))
            except KodusCheckError:  # git reads over a pattern that it cannot read, too
                continue
    return lines
