"""Tests of rules: snippets that a rule must match (``invalid``) and must not (``valid``), in ast-grep's own test format.

All snippets of all tests are scanned in one process. ``files`` and ``ignores`` say where a rule applies, not what it matches, so a
snippet counts as standing where the rule applies.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kodus_check.model import RepoPath, Rule
from kodus_check.rules import languages
from kodus_check.rules.documents import RuleSource, split_documents, without_keys
from kodus_check.rules.ruleset import load_rules
from kodus_check.rules.scan import ScratchTree, scan
from kodus_check.yamldoc import YamlProblem, read_document


@dataclass(frozen=True, slots=True)
class RuleTest:
    """One test document: ``valid`` snippets must not match, ``invalid`` ones must."""

    rule_id: str
    source: str
    line: int
    valid: tuple[str, ...]
    invalid: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleTestResult:
    """The fate of one test; ``problems`` is empty when it passed."""

    test: RuleTest
    problems: tuple[str, ...]


def read_tests(source: RuleSource) -> tuple[list[RuleTest], list[str]]:
    """The tests in a source, and what is wrong with documents that are none (``source:line: reason``)."""
    if source.refused:
        return [], [f"{source.name}: {source.refused}"]
    tests: list[RuleTest] = []
    problems: list[str] = []
    for line, text in split_documents(source.data.decode("utf-8-sig", "replace")):
        try:
            value = read_document(text).value
        except YamlProblem as problem:
            problems.append(f"{source.name}:{line + problem.line - 1}: {problem.message}")
            continue
        if value is None:
            continue
        test = _test(value, source.name, line)
        if test is None:
            problems.append(f"{source.name}:{line}: a rule test has a text `id` and lists of texts `valid` and `invalid`")
        else:
            tests.append(test)
    return tests, problems


def run_tests(sources: Iterable[RuleSource], utils: Iterable[RuleSource], tests: Iterable[RuleTest]) -> list[RuleTestResult]:
    """Runs every test against the rules of ``sources``."""
    anywhere = [replace(source, data=without_keys(source.data, ("files", "ignores"))) for source in sources]
    with load_rules(anywhere, utils) as rules, ScratchTree() as tree:
        by_id = {rule.id: rule for rule in rules.rules if rule.id}
        listed = list(tests)
        places = {
            (number, kind, index): path
            for number, test in enumerate(listed)
            for kind, snippets in (("valid", test.valid), ("invalid", test.invalid))
            for index, snippet in enumerate(snippets)
            if (path := _place(by_id.get(test.rule_id), number, kind, index, snippet, tree)) is not None
        }
        result = scan(rules, tree)
        out: list[RuleTestResult] = []
        for number, test in enumerate(listed):
            rule = by_id.get(test.rule_id)
            if rule is None or not rule.runs:
                reason = rule.reason if rule is not None else "no rule has this id"
                out.append(RuleTestResult(test, (f"the rule does not run: {reason}",)))
                continue
            problems: list[str] = []
            for kind, snippets in (("valid", test.valid), ("invalid", test.invalid)):
                for index, snippet in enumerate(snippets):
                    path = places[(number, kind, index)]
                    if path in result.not_scanned:
                        problems.append(f"{kind}[{index}] was not scanned: {result.not_scanned[path]}")
                        continue
                    found = [match for match in result.matches.get(path, []) if match.rule_id == test.rule_id]
                    if kind == "valid" and found:
                        problems.append(f"valid[{index}] matches at its line {found[0].start_line}: {_short(snippet)}")
                    if kind == "invalid" and not found:
                        problems.append(f"invalid[{index}] does not match: {_short(snippet)}")
            out.append(RuleTestResult(test, tuple(problems)))
        return out


def _place(rule: Rule | None, number: int, kind: str, index: int, snippet: str, tree: ScratchTree) -> RepoPath | None:
    if rule is None or not rule.runs:
        return None
    path = RepoPath(f"t{number}/{kind}{index}{languages.extension_of(rule.language)}".encode())
    tree.add(path, snippet.encode("utf-8", "replace"))
    return path


def _test(value: object, source: str, line: int) -> RuleTest | None:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return None
    lists = [value.get(kind) or [] for kind in ("valid", "invalid")]
    if not all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists):
        return None
    return RuleTest(value["id"], source, line, tuple(lists[0]), tuple(lists[1]))


def _short(snippet: str) -> str:
    first = snippet.strip().split("\n")[0]
    return first if len(first) <= 80 else f"{first[:80]}…"
