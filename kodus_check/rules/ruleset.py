"""Rules made ready to run: one file a document, each accepted by ast-grep itself, under a config of our own.

The config lies in the root of the scanned tree, because ``files`` and ``ignores`` are relative to the folder of the config: so they
are relative to the repository root. Its name is random, so that no file of head can be it.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from kodus_check.errors import CannotReview
from kodus_check.model import Notice, Rule, RuleStatus
from kodus_check.rules import astgrep, packs, suppress
from kodus_check.rules.documents import UTILITY_KEYS, RuleSource, read_source, refuse
from kodus_check.text import fold_space
from kodus_check.yamldoc import YamlProblem, read_document

_NAMED_RULE = re.compile(r"/rules/([0-9]{6})\.yml")
_CAUSE = re.compile(r"^╰▻ (.+(?:\n(?!╰▻).+)*)", re.MULTILINE)
_CIRCLE = re.compile(r"^Rule `.*` has a cyclic")


@dataclass(slots=True)
class RuleSet:
    """Rules of one run, in the order of their sources, in files below ``folder``. A context manager that removes them."""

    folder: Path
    rules: list[Rule] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    config_name: str = field(default_factory=astgrep.own_config_name)

    def __enter__(self) -> "RuleSet":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def loaded(self) -> list[Rule]:
        return [rule for rule in self.rules if rule.status is RuleStatus.LOADED]

    @property
    def languages(self) -> frozenset[str]:
        return frozenset(rule.language for rule in self.loaded)

    def write_config(self, root: Path) -> None:
        """Puts our config into the root of a tree that is about to be scanned."""
        config = {"ruleDirs": [str(self.folder / "rules")], "utilDirs": [str(self.folder / "utils")]}
        (root / self.config_name).write_text(json.dumps(config), encoding="utf-8")

    def arguments(self) -> list[str]:
        """The arguments of ``ast-grep`` up to the paths."""
        return ["scan", "-c", self.config_name, "--custom-languages", "ignore", "--color", "never"]


def load_rules(sources: Iterable[RuleSource], utils: Iterable[RuleSource] = ()) -> RuleSet:
    """Reads, checks and writes the rules of ``sources`` (and the utility rules they use). Nothing raises for a bad document."""
    rule_set = RuleSet(Path(tempfile.mkdtemp(prefix="kodus-check-rules-")))
    try:
        first: dict[str, Rule] = {}
        for source in sources:
            found, notices = read_source(source)
            rule_set.notices.extend(notices)
            for rule in found:
                earlier = first.setdefault(rule.id, rule) if rule.status is not RuleStatus.REFUSED else rule
                if earlier is rule:
                    rule_set.rules.append(rule)
                    continue
                refused, notice = refuse(rule, f"its id is taken by the rule at {earlier.source}:{earlier.line}")
                rule_set.rules.append(refused)
                rule_set.notices.append(notice)
        _settle(rule_set, dict(enumerate(util for source in utils for util in _read_utils(source, rule_set))))
    except BaseException:
        shutil.rmtree(rule_set.folder, ignore_errors=True)
        raise
    return rule_set


def _read_utils(source: RuleSource, rule_set: RuleSet) -> list[Rule]:
    utils, notices = read_source(source, UTILITY_KEYS)
    rule_set.notices.extend(notices)
    return [util for util in utils if util.status is not RuleStatus.REFUSED]


def _settle(rule_set: RuleSet, utils: dict[int, Rule]) -> None:
    """Lets ast-grep read what was written, takes away what it refuses, until it accepts the rest.

    The packs that ship are tested with the program and not asked about again: starting ast-grep with all of them costs more than a
    scan of a few files.
    """
    empty = rule_set.folder / "empty"
    for name in ("rules", "utils", "empty"):
        (rule_set.folder / name).mkdir()
    rule_set.write_config(empty)
    for index, util in utils.items():
        _write(_file(rule_set, "utils", index), util.text)
    if utils and _complaint(rule_set, empty) is not None:
        _drop_bad_utils(rule_set, utils, empty)
    defined = _drop_unfounded_utils(rule_set, utils)
    shipped = {index for index, rule in enumerate(rule_set.rules) if rule.source.startswith(packs.PREFIX)}
    for index, rule in enumerate(rule_set.rules):
        if rule.status is not RuleStatus.LOADED or index in shipped:
            continue
        if missing := _undefined(rule, defined):
            rule_set.rules[index], notice = refuse(rule, missing)
            rule_set.notices.append(notice)
            continue
        _write(_file(rule_set, "rules", index), rule.text)
    _settle_written(rule_set, empty)
    for index in shipped:
        if rule_set.rules[index].status is RuleStatus.LOADED:
            _write(_file(rule_set, "rules", index), rule_set.rules[index].text)


def _settle_written(rule_set: RuleSet, empty: Path) -> None:
    while any((rule_set.folder / "rules").iterdir()) and (complaint := _complaint(rule_set, empty)) is not None:
        named = _NAMED_RULE.search(complaint)
        if named is None:
            _drop_bad_rules_one_by_one(rule_set, empty)
            return
        _drop(rule_set, int(named[1]), complaint)


def _drop(rule_set: RuleSet, index: int, complaint: str) -> None:
    _file(rule_set, "rules", index).unlink()
    rule_set.rules[index], notice = refuse(rule_set.rules[index], _cause(complaint))
    rule_set.notices.append(notice)


def _drop_bad_rules_one_by_one(rule_set: RuleSet, empty: Path) -> None:
    """For complaints that name no file (a bad glob): each rule is tried alone."""
    texts = {index: rule.text for index, rule in enumerate(rule_set.rules) if _file(rule_set, "rules", index).exists()}
    for index in texts:
        _file(rule_set, "rules", index).unlink()
    good: list[int] = []
    for index, text in texts.items():
        path = _file(rule_set, "rules", index)
        _write(path, text)
        complaint = _complaint(rule_set, empty)
        if complaint is None:
            good.append(index)
            path.unlink()
        else:
            _drop(rule_set, index, complaint)
    for index in good:
        _write(_file(rule_set, "rules", index), texts[index])
    complaint = _complaint(rule_set, empty)
    if complaint is not None:
        raise CannotReview(f"ast-grep accepts each rule alone but not all together: {_cause(complaint)}")


def _drop_bad_utils(rule_set: RuleSet, utils: dict[int, Rule], empty: Path) -> None:
    """A bad utility rule fails everything and is not named. Those that others need come first: rounds until nothing changes."""
    waiting = dict(utils)
    for index in waiting:
        _file(rule_set, "utils", index).unlink()
    complaints: dict[int, str] = {}
    progress = True
    while waiting and progress:
        progress = False
        for index, util in list(waiting.items()):
            path = _file(rule_set, "utils", index)
            _write(path, util.text)
            complaint = _complaint(rule_set, empty)
            if complaint is None:
                del waiting[index]
                progress = True
            else:
                path.unlink()
                complaints[index] = complaint
    for index in waiting:
        _refuse_util(rule_set, utils, index, _cause(complaints[index]))


def _drop_unfounded_utils(rule_set: RuleSet, utils: dict[int, Rule]) -> set[str]:
    """Takes away utility rules that use one which is not there, until none is left; the names of those that stay."""
    while True:
        defined = {util.id for util in utils.values()}
        unfounded = [(index, missing) for index, util in utils.items() if (missing := _undefined(util, defined))]
        if not unfounded:
            return defined
        for index, missing in unfounded:
            _file(rule_set, "utils", index).unlink()
            _refuse_util(rule_set, utils, index, missing)


def _refuse_util(rule_set: RuleSet, utils: dict[int, Rule], index: int, reason: str) -> None:
    rule_set.notices.append(refuse(utils.pop(index), f"as a utility rule, {reason}")[1])


def _undefined(rule: Rule, defined: Collection[str]) -> str:
    """What ast-grep says of a rule that uses an unknown one, said of utility rules too.

    There ast-grep itself is silent, and a rule that uses them never matches.
    """
    if "matches" not in rule.text:
        return ""
    used: dict[str, None] = {}
    own: set[str] = set()
    try:
        _collect_names(read_document(rule.text).value, used, own)
    except YamlProblem:  # a directive without its marker, which ast-grep refuses by itself
        return ""
    return next((f"Rule `{name}` is not defined." for name in used if name not in own and name not in defined), "")


def _collect_names(value: Any, used: dict[str, None], own: set[str]) -> None:
    """The utility rules that ``value`` uses, in order, and the names that it defines for itself."""
    if isinstance(value, list):
        for item in value:
            _collect_names(item, used, own)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in ("utils", "constraints") and isinstance(inner, dict):
            own.update(inner)
            _collect_names(list(inner.values()), used, own)
        elif key == "arguments" and isinstance(inner, list):
            own.update(name for name in inner if isinstance(name, str))
        elif key == "matches" and isinstance(inner, dict):
            used.update(dict.fromkeys(inner))
            _collect_names([list(given.values()) for given in inner.values() if isinstance(given, dict)], used, own)
        elif key == "matches" and isinstance(inner, str):
            used[inner] = None
        elif key != "metadata":
            _collect_names(inner, used, own)


def _complaint(rule_set: RuleSet, empty: Path) -> str | None:
    """What ast-grep says against the rules as they are written now; None when it accepts them."""
    ran = astgrep.run([*rule_set.arguments(), "--json=stream", "."], cwd=empty, bounds=astgrep.Bounds())
    if ran.broken is None and ran.code in (0, 1):
        return None
    if ran.broken is None and ran.code in (8, 9):
        return ran.stderr
    raise CannotReview(
        f"ast-grep ended with {ran.code} ({ran.broken or 'no bound broken'}) while it read the rules: {_cause(ran.stderr)}"
    )


def _cause(complaint: str) -> str:
    causes = _CAUSE.findall(suppress.unmask_text(complaint))
    # Which rule of a circle it names is another one each time.
    return _CIRCLE.sub("A utility rule has a cyclic", fold_space(causes[-1])) if causes else _last_line(complaint)


def _last_line(text: str) -> str:
    return text.strip().split("\n")[-1] or "ast-grep gave no reason"


def _write(path: Path, text: str) -> None:
    """A rule that looks for suppression comments must look for what the scanned files have in their place."""
    path.write_bytes(suppress.mask(text.encode()))


def _file(rule_set: RuleSet, kind: str, index: int) -> Path:
    return rule_set.folder / kind / f"{index:06}.yml"
