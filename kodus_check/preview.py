"""What a change of the configuration or the rules would load once it is merged, and whether the gate gets weaker by it.

The change has no say in its own run. But it will have one in all others, and nobody reads YAML for what it leaves out.
"""

from collections.abc import Iterable

from kodus_check.config.load import read_config
from kodus_check.config.resolved import Config
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.model import Change, Notice, NoticeKind, RepoPath, Rule, Scope
from kodus_check.plan import Plan, make_plan
from kodus_check.rules.ruleset import load_rules
from kodus_check.text import counted

_MOST = 10


def preview_notices(change: Change, plan: Plan, rules: Iterable[Rule], head: Tree, config_path: RepoPath) -> list[Notice]:
    """What head would load in place of the base, told only where that differs."""
    paths = {path for file in change.files for path in (file.path, file.old_path) if path is not None}
    if not any(plan.loads(path) or path == config_path for path in paths):
        return []
    try:
        after_plan = make_plan(read_config(head, config_path), head)[0]
    except ConfigError as error:
        return [
            Notice(
                NoticeKind.CHECK_CONFIGURATION_PREVIEW,
                f"Once merged, the configuration would not be valid and every run would fail: {error.problems[0]}",
                str(config_path),
            )
        ]
    with load_rules(after_plan.rule_sources, after_plan.utils) as after:
        before_rules = {rule.id: rule for rule in rules if rule.runs}
        after_rules = {rule.id: rule for rule in after.rules if rule.runs}
        refused = [rule.id or f"{rule.source}:{rule.line}" for rule in after.rules if rule.reason and not rule.runs]
    told = [
        *_listed("no longer run", [name for name in before_rules if name not in after_rules]),
        *_listed("new", [name for name in after_rules if name not in before_rules]),
        *_listed(
            "changed", [name for name, rule in before_rules.items() if name in after_rules and _differs(rule, after_rules[name])]
        ),
        *_listed("refused", [name for name in refused if name in before_rules]),
        *_changed_values(plan.config, after_plan.config),
    ]
    notices = [
        Notice(
            NoticeKind.CHECK_CONFIGURATION_PREVIEW,
            f"Once merged, {counted(len(after_rules), 'rule')} will run (now {len(before_rules)}): {'; '.join(told)}.",
        )
    ]
    weaker = list(_weaker(plan, after_plan, before_rules, after_rules))
    if weaker:
        notices.append(
            Notice(
                NoticeKind.GATE_LOOSENED,
                f"Once merged, the gate is weaker: {'; '.join(weaker)}. Approve this change only if that is meant.",
            )
        )
    return notices if told else []


def _differs(one: Rule, other: Rule) -> bool:
    return (_code(one), one.severity, one.mode) != (_code(other), other.severity, other.mode)


def _code(rule: Rule) -> list[str]:
    return [line for line in rule.text.split("\n") if line.strip() and not line.startswith("#")]


def _changed_values(before: Config, after: Config) -> list[str]:
    old, new = before.values(), after.values()
    keys = [key for key in new if key not in old or old[key] != new[key]]
    return [f"`{key}` is {_shown(new[key])} (now {_shown(old.get(key))})" for key in keys] + [
        f"`{key}` is gone" for key in old if key not in new
    ]


def _weaker(before: Plan, after: Plan, before_rules: dict[str, Rule], after_rules: dict[str, Rule]) -> Iterable[str]:
    gone = [name for name, rule in before_rules.items() if before.gates(rule) and name not in after_rules]
    quiet = [
        name
        for name, rule in before_rules.items()
        if before.gates(rule) and name in after_rules and not after.gates(after_rules[name])
    ]
    yield from _listed("gating rules that no longer run", gone)
    yield from _listed("rules that no longer gate", quiet)
    old, new = before.config, after.config
    if old.from_file and not new.from_file:
        yield "without a config file nothing gates"
    if old.fail_on is not None and (new.fail_on is None or new.fail_on.rank < old.fail_on.rank):
        yield f"`fail_on` is {new.fail_on or 'never'} (now {old.fail_on})"
    if old.on_unscanned_fails and not new.on_unscanned_fails:
        yield "`on_unscanned` is pass (now fail)"
    if old.scope is Scope.CHANGED_FILES and new.scope is Scope.CHANGED_LINES:
        yield "`scope` is changed-lines (now changed-files)"
    more = [glob for glob in new.ignore if glob not in old.ignore]
    if more:
        yield f"more files are ignored: {_names(more)}"


def _listed(what: str, names: list[str]) -> list[str]:
    return [f"{what}: {_names(names)}"] if names else []


def _names(names: list[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(f"`{name}`" for name in names[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _shown(value: object) -> str:
    text = f"`{value}`" if not isinstance(value, list) else _names([str(item) for item in value]) or "none"
    return text if len(text) < 200 else f"{text[:200]}…"
