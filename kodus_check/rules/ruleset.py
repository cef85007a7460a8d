"""Rules made ready to run: one file a document, each accepted by ast-grep itself, under a config of our own.

The config lies in the root of the scanned tree, because ``files`` and ``ignores`` are relative to the folder of the config: so they
are relative to the repository root. Its name is random, so that no file of head can be it.
"""

import json
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from kodus_check.errors import CannotReview
from kodus_check.model import Notice, Rule, RuleStatus
from kodus_check.rules import astgrep
from kodus_check.rules.documents import RuleSource, read_source, refuse

_NAMED_RULE = re.compile(r"/rules/([0-9]{6})\.yml")
_CAUSE = re.compile(r"^╰▻ (.*)$", re.MULTILINE)


@dataclass(slots=True)
class RuleSet:
    """Rules of one run, in the order of their sources, in files below ``folder``. A context manager that removes them."""

    folder: Path
    rules: list[Rule] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    config_name: str = field(default_factory=lambda: f".kodus-check-{secrets.token_hex(8)}")

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
        _settle(rule_set, [util for source in utils for util in _read_utils(source, rule_set)])
    except BaseException:
        shutil.rmtree(rule_set.folder, ignore_errors=True)
        raise
    return rule_set


def _read_utils(source: RuleSource, rule_set: RuleSet) -> list[Rule]:
    utils, notices = read_source(source)
    rule_set.notices.extend(notices)
    return [util for util in utils if util.status is not RuleStatus.REFUSED]


def _settle(rule_set: RuleSet, utils: list[Rule]) -> None:
    """Lets ast-grep read what was written, takes away what it refuses, until it accepts the rest."""
    empty = rule_set.folder / "empty"
    for name in ("rules", "utils", "empty"):
        (rule_set.folder / name).mkdir()
    rule_set.write_config(empty)
    for index, util in enumerate(utils):
        _file(rule_set, "utils", index).write_text(util.text, encoding="utf-8")
    if utils and _complaint(rule_set, empty) is not None:
        _drop_bad_utils(rule_set, utils, empty)
    for index, rule in enumerate(rule_set.rules):
        if rule.status is RuleStatus.LOADED:
            _file(rule_set, "rules", index).write_text(rule.text, encoding="utf-8")
    while rule_set.loaded and (complaint := _complaint(rule_set, empty)) is not None:
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
    texts = {index: rule.text for index, rule in enumerate(rule_set.rules) if rule.status is RuleStatus.LOADED}
    for index in texts:
        _file(rule_set, "rules", index).unlink()
    good: list[int] = []
    for index, text in texts.items():
        path = _file(rule_set, "rules", index)
        path.write_text(text, encoding="utf-8")
        complaint = _complaint(rule_set, empty)
        if complaint is None:
            good.append(index)
            path.unlink()
        else:
            _drop(rule_set, index, complaint)
    for index in good:
        _file(rule_set, "rules", index).write_text(texts[index], encoding="utf-8")
    complaint = _complaint(rule_set, empty)
    if complaint is not None:
        raise CannotReview(f"ast-grep accepts each rule alone but not all together: {_cause(complaint)}")


def _drop_bad_utils(rule_set: RuleSet, utils: list[Rule], empty: Path) -> None:
    """A bad utility rule fails everything and is not named. Those that others need come first: rounds until nothing changes."""
    waiting = dict(enumerate(utils))
    for index in waiting:
        _file(rule_set, "utils", index).unlink()
    complaints: dict[int, str] = {}
    progress = True
    while waiting and progress:
        progress = False
        for index, util in list(waiting.items()):
            path = _file(rule_set, "utils", index)
            path.write_text(util.text, encoding="utf-8")
            complaint = _complaint(rule_set, empty)
            if complaint is None:
                del waiting[index]
                progress = True
            else:
                path.unlink()
                complaints[index] = complaint
    for index, util in waiting.items():
        rule_set.notices.append(refuse(util, f"as a utility rule, {_cause(complaints[index])}")[1])


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
    causes = _CAUSE.findall(complaint)
    return causes[-1] if causes else (complaint.strip().split("\n")[-1] or "ast-grep gave no reason")


def _file(rule_set: RuleSet, kind: str, index: int) -> Path:
    return rule_set.folder / kind / f"{index:06}.yml"
