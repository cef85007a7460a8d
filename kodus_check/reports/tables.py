"""Plain text of the smaller documents: the change set, the rules, the configuration."""

from collections.abc import Iterable
from typing import Any

from kodus_check.model import Change, LineSet, Notice, Rule, RuleStatus
from kodus_check.text import counted, log_safe, one_line, shorten


def changes_text(change: Change) -> str:
    """One line a file: status, kind, path, and the changed line ranges."""
    lines = [
        f"base {change.base.sha} ({one_line(change.base.ref)})",
        f"head {change.head.sha} ({one_line(change.head.ref)})",
        f"merge base {change.merge_base}",
        counted(len(change.files), "changed file"),
    ]
    for file in change.files:
        old = f" (from {one_line(str(file.old_path))})" if file.old_path else ""
        kind = "" if file.kind == "file" else f" [{file.kind}]"
        lines.append(f"{file.status:13} {one_line(str(file.path))}{old}{kind}  +{_ranges(file.added)} -{_ranges(file.removed)}")
    return log_safe("\n".join(lines) + "\n")


def rules_text(sizes: Iterable[tuple[str, int, int]], rules: Iterable[Rule], notices: Iterable[Notice]) -> str:
    """One line a rule, then the notices."""
    listed = list(rules)
    loaded = sum(rule.status is RuleStatus.LOADED for rule in listed)
    lines = [f"{loaded} of {counted(len(listed), 'rule')} run, from {counted(len(list(sizes)), 'source')}"]
    for rule in listed:
        reason = f"  {one_line(rule.reason)}" if rule.reason else ""
        name = one_line(rule.id) or "(no id)"
        lines.append(f"{rule.status:8} {rule.severity:8} {rule.language:11} {name}  {one_line(rule.source)}:{rule.line}{reason}")
    lines.extend(f"notice: {one_line(notice.subject)}: {one_line(notice.message)}" for notice in notices)
    return log_safe("\n".join(lines) + "\n")


def rule_tests_text(results: Iterable[tuple[str, str, tuple[str, ...]]], untested: Iterable[str], problems: Iterable[str]) -> str:
    """What does not pass, then the counts. ``results`` are (rule id, place of the test, problems)."""
    listed = list(results)
    lines = [
        f"FAILED  {one_line(rule_id)}  ({one_line(where)}): {one_line(fault)}"
        for rule_id, where, faults in listed
        for fault in faults
    ]
    lines.extend(f"FAILED  {one_line(problem)}" for problem in problems)
    without = list(untested)
    if without:
        lines.append(f"without a test: {', '.join(one_line(rule_id) for rule_id in without)}")
    failed = sum(bool(faults) for _, _, faults in listed)
    lines.append(f"{len(listed) - failed} passed, {failed} failed")
    return log_safe("\n".join(lines) + "\n")


def doctor_text(items: Iterable[tuple[str, str, str, str]]) -> str:
    """One line an item (name, state, detail, remedy), and a line below it that says what to do."""
    lines: list[str] = []
    for name, state, detail, remedy in items:
        lines.append(f"{state:8} {name}: {one_line(detail)}")
        if remedy:
            lines.append(f"         {one_line(remedy)}")
    return log_safe("\n".join(lines) + "\n")


def config_text(
    values: Iterable[tuple[str, Any, str, str]], folders: Iterable[tuple[str, Iterable[tuple[str, Any, str, str]]]] = ()
) -> str:
    """One line a value: key, value, level, place. Below, the values that each folder sets for its own files."""
    lines = [_value_text(*value) for value in values]
    for folder, own in folders:
        lines += ["", f"in {one_line(folder)}/", *(f"  {_value_text(*value)}" for value in own)]
    return log_safe("\n".join(lines) + "\n")


def _value_text(key: str, value: object, level: str, where: str) -> str:
    found = value is None and key.endswith((".skills", ".docs"))
    shown = "found at the base" if found else shorten(one_line(repr(value)), 200)
    return f"{one_line(key)} = {shown}  ({level}{f', {one_line(where)}' if where else ''})"


def _ranges(lines: LineSet) -> str:
    shown = [f"{start}" if start == end else f"{start}-{end}" for start, end in lines.ranges[:8]]
    more = len(lines.ranges) - 8
    return (",".join(shown) or "0") + (f",… ({more} more)" if more > 0 else "")
