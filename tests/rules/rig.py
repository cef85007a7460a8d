"""Rules and files in, matches out: the real ast-grep over a scratch tree."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from kodus_check.model import RepoPath, Rule
from kodus_check.rules.documents import RuleSource
from kodus_check.rules.ruleset import RuleSet, load_rules
from kodus_check.rules.scan import ScanResult, ScratchTree, scan

OK = "id: ok\nlanguage: typescript\nrule: {pattern: parseFloat($A)}\n"
"""The rule of most tests."""


def rule(name: str, body: str = "rule: {pattern: parseFloat($A)}", language: str = "typescript") -> str:
    return f"id: {name}\nlanguage: {language}\n{body}\n"


def source(text: str | bytes, name: str = "rules.yml", line: int = 1) -> RuleSource:
    return RuleSource(name, text.encode() if isinstance(text, str) else text, line)


def load(*texts: str | bytes, utils: Sequence[str] = ()) -> RuleSet:
    """A rule set of sources ``r0.yml``, ``r1.yml``… and utility rules ``u0.yml``…; the caller closes it."""
    sources = [source(text, f"r{index}.yml") for index, text in enumerate(texts)]
    return load_rules(sources, [source(text, f"u{index}.yml") for index, text in enumerate(utils)])


def fates(rules: RuleSet) -> list[tuple[str, str]]:
    """The rules in order: (id, reason), the reason empty where the rule runs."""
    return [(one.id, "" if one.runs else one.reason) for one in rules.rules]


def one_rule(rules: RuleSet) -> Rule:
    (only,) = rules.rules
    return only


@contextmanager
def tree_of(files: Mapping[str, str | bytes] | Mapping[bytes, str | bytes]) -> Iterator[ScratchTree]:
    with ScratchTree() as tree:
        for name, data in files.items():
            raw = name.encode() if isinstance(name, str) else name
            tree.add(RepoPath(raw), data.encode() if isinstance(data, str) else data)
        yield tree


def scanned(
    rules: str | Sequence[str],
    files: Mapping[str, str | bytes] | Mapping[bytes, str | bytes],
    utils: Sequence[str] = (),
) -> ScanResult:
    """What the rules find. Every rule must load, so that no test passes over nothing."""
    with load(*([rules] if isinstance(rules, str) else rules), utils=utils) as loaded, tree_of(files) as tree:
        assert [one.reason for one in loaded.rules if not one.runs] == []
        return scan(loaded, tree)


def spans(result: ScanResult, name: str) -> list[tuple[int, int]]:
    """The byte offsets of every match in one file."""
    return [(match.byte_start, match.byte_end) for match in result.matches.get(RepoPath(name.encode()), [])]


def matched(result: ScanResult) -> dict[str, int]:
    """How many matches each file has."""
    return {str(path): len(matches) for path, matches in result.matches.items()}


def not_scanned(result: ScanResult) -> dict[str, str]:
    return {str(path): str(reason) for path, reason in result.not_scanned.items()}
