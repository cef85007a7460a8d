"""Large matches that stood at the merge base already.

A rule about a whole class or function matches hundreds of lines. Editing one of them touches the match, but brings nothing in: a
comment there speaks of old code. Such a match is set aside only if it is large, its first line is untouched, and the same rule
matched from the same first line at the merge base. Small matches are always reported: in those an edit may be the fault itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from kodus_check.git.objects import ObjectStore
from kodus_check.model import ChangedFile, Match, RepoPath, Sha
from kodus_check.rules.ruleset import RuleSet
from kodus_check.rules.scan import ScratchTree, scan

LARGE = 12
"""Lines above which a match is about a construct rather than an expression."""

Touched = tuple[ChangedFile, list[Match]]


def matched_before(store: ObjectStore, rules: RuleSet, touched: Iterable[Touched]) -> frozenset[Match]:
    """Those of the ``touched`` matches that stood at the merge base already, as described above."""
    large: dict[ChangedFile, list[Match]] = {}
    for file, matches in touched:
        found = [one for one in matches if one.end_line - one.start_line >= LARGE and one.start_line not in file.added]
        if found and file.old_oid and file.new_oid:
            large[file] = found
    if not large:
        return frozenset()
    old = {file: file.old_path or file.path for file in large}
    with ScratchTree() as tree:
        for path, blob in zip(old.values(), store.blobs(file.old_oid for file in large if file.old_oid), strict=True):
            if blob.data is not None:
                tree.add(path, blob.data)
        result = scan(rules, tree)
        known = {file: _first_lines(tree, path, result.matches.get(path, [])) for file, path in old.items()}
    heads = {file: blob.data or b"" for file, blob in zip(large, store.blobs(_head_ids(large)), strict=True)}
    return frozenset(one for file, matches in large.items() for one in _known(matches, heads[file], known[file]))


def _head_ids(large: Mapping[ChangedFile, list[Match]]) -> list[Sha]:
    return [file.new_oid for file in large if file.new_oid]


def _first_lines(tree: ScratchTree, path: RepoPath, matches: list[Match]) -> Counter[tuple[str, bytes]]:
    data = tree.original(path) if matches else b""
    return Counter((one.rule_id, _line(data, one.byte_start)) for one in matches)


def _known(matches: list[Match], head: bytes, known: Counter[tuple[str, bytes]]) -> Iterable[Match]:
    for one in matches:
        key = (one.rule_id, _line(head, one.byte_start))
        if known[key] > 0:
            known[key] -= 1
            yield one


def _line(data: bytes, start: int) -> bytes:
    """The whole line in which a match starts."""
    end = data.find(b"\n", start)
    return data[data.rfind(b"\n", 0, start) + 1 : end if end >= 0 else len(data)]
