"""Free structural search over files of head: one pattern, one language, no rule. For whoever asks questions of the code.

T1  a pattern is text from a model           -> one argument behind ``--pattern=``, never a flag; the language is from a fixed list
T2  a pattern such as ``$A`` matches all     -> time, output and the number of hits are bounded, and a cut is said
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kodus_check.globs import Globs
from kodus_check.model import RepoPath
from kodus_check.rules import astgrep, languages, suppress
from kodus_check.rules.scan import ScratchTree
from kodus_check.text import counted

MAX_HITS = 200
MAX_FILES = 5_000
BOUNDS = astgrep.Bounds(seconds=20.0, output=16 * 1024**2)


@dataclass(frozen=True, slots=True)
class Hit:
    """One place: 1-based lines and the text that matched."""

    path: RepoPath
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``hits`` by path and line. ``cut`` says why there may be more, ``problem`` why there are none; empty when all is well."""

    hits: tuple[Hit, ...] = ()
    cut: str = ""
    problem: str = ""


def wanted(path: RepoPath, language: str, globs: Globs | None) -> bool:
    """Whether a file is searched: the language reads it, and a glob holds it where there are any."""
    return language in languages.languages_in(path) and (globs is None or path in globs)


def search(pattern: str, language: str, files: Iterable[tuple[RepoPath, bytes]], *, globs: Globs | None = None) -> SearchResult:
    """Every place in ``files`` that ``pattern`` matches as ``language``, up to ``MAX_HITS``. Never raises for a bad pattern."""
    name = languages.canonical(language)
    if name is None:
        return SearchResult(problem=f"there is no language `{language}`; there are {', '.join(languages.NAMES)}")
    if not pattern.strip() or "\0" in pattern:
        return SearchResult(problem="the pattern is empty")
    with ScratchTree() as tree:
        cut = ""
        for number, (path, data) in enumerate(one for one in files if wanted(one[0], name, globs)):
            if number >= MAX_FILES:
                cut = f"only the first {MAX_FILES:,} files were searched; narrow the globs"
                break
            tree.add(path, data)
        return _run(pattern, name, tree, cut)


def _run(pattern: str, language: str, tree: ScratchTree, cut: str) -> SearchResult:
    if not tree.paths:
        return SearchResult(cut=cut, problem="" if cut else f"no file of this language ({language}) is among those searched")
    config = Path(tree.root) / astgrep.own_config_name()
    config.write_text("{}", encoding="utf-8")
    arguments = ["run", "-c", config.name, "--json=stream", "--color", "never", "--lang", language, f"--pattern={pattern}", "--"]
    ran = astgrep.run([*arguments, *(str(path) for path in tree.paths)], cwd=tree.root, bounds=BOUNDS)
    if ran.broken is None and ran.code not in (0, 1):
        return SearchResult(problem=f"ast-grep does not take this pattern: {ran.stderr.strip()[-300:]}")
    if "ERROR node" in ran.stderr:
        return SearchResult(problem="this pattern is no whole piece of code in this language, so it matches nothing")
    hits = sorted(
        (_hit(json.loads(line)) for line in ran.lines if line), key=lambda hit: (hit.path, hit.start_line, hit.end_line, hit.text)
    )
    if ran.broken is not None:
        cut = f"the search was stopped ({ran.broken}), so there may be more; make the pattern or the globs narrower"
    if len(hits) > MAX_HITS:
        cut = f"{len(hits):,} places match; the first {MAX_HITS} are listed"
    elif tree.refused:
        cut = cut or f"{counted(len(tree.refused), 'file')} could not be searched"
    return SearchResult(tuple(hits[:MAX_HITS]), cut)


def _hit(item: dict[str, object]) -> Hit:
    place = item["range"]
    assert isinstance(place, dict)
    start, end = int(place["start"]["line"]) + 1, int(place["end"]["line"]) + 1
    if int(place["end"]["column"]) == 0 and end > start:
        end -= 1
    return Hit(RepoPath(str(item["file"]).encode()), start, end, suppress.unmask_text(str(item["text"])))
