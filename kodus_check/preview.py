"""What a change of the configuration or the rules would load once it is merged, and whether the gate gets weaker by it.

The change has no say in its own run. But it will have one in all others, and nobody reads YAML for what it leaves out.
"""

from collections.abc import Callable, Iterable, Iterator

from kodus_check.config.levels import folders_above
from kodus_check.config.resolved import Config
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.model import Change, Mode, Notice, NoticeKind, RepoPath, Rule, Scope
from kodus_check.plan import Plan
from kodus_check.rules.ruleset import load_rules
from kodus_check.text import counted

_MOST = 10

PlanOf = Callable[[Tree, Iterable[bytes] | None], tuple[Plan, list[Notice]]]
"""Makes the plan of a tree, of which only some folders matter."""


def preview_notices(change: Change, plan: Plan, rules: Iterable[Rule], head: Tree, plan_of: PlanOf) -> list[Notice]:
    """What head would load in place of the base, told only where that differs."""
    paths = {path for file in change.files for path in (file.path, file.old_path) if path is not None}
    changed = sorted(path for path in paths if plan.loads(path))
    if not changed:
        return []
    try:
        after_plan, _ = plan_of(head, folders_above(paths))
    except ConfigError as error:
        return [
            Notice(
                NoticeKind.CHECK_CONFIGURATION_PREVIEW,
                f"Once merged, the configuration would not be valid and every run would fail: {error.problems[0]}",
                str(changed[0]),
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
        *_by_folder(plan, after_plan, lambda path: _changed_values(plan.for_file(path).config, after_plan.for_file(path).config)),
    ]
    notices = [
        Notice(
            NoticeKind.CHECK_CONFIGURATION_PREVIEW,
            f"Once merged, {counted(len(after_rules), 'rule')} will run (now {len(before_rules)}): {'; '.join(told)}.",
        )
    ]
    weaker = list(_by_folder(plan, after_plan, lambda path: _weaker(plan, after_plan, before_rules, after_rules, path)))
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


def _by_folder(before: Plan, after: Plan, tell: Callable[[RepoPath], Iterable[str]]) -> Iterator[str]:
    """What is to be told of a file at the root, and of one in each configured folder where it is not told further out already."""
    told: dict[bytes, list[str]] = {}
    folders = {one.raw for plan in (before, after) for one in plan.folders}
    for raw in sorted(folders, key=lambda raw: raw.split(b"/")):
        above = {line for outer, lines in told.items() if not outer or raw.startswith(outer + b"/") for line in lines}
        told[raw] = [line for line in tell(RepoPath(raw + b"/file" if raw else b"file")) if line not in above]
        shown = f" in `{raw.decode('utf-8', 'backslashreplace')}`" if raw else ""
        yield from (f"{line}{shown}" for line in told[raw])


def _weaker(
    before: Plan, after: Plan, before_rules: dict[str, Rule], after_rules: dict[str, Rule], path: RepoPath
) -> Iterable[str]:
    """What of the gate would be gone for a file like ``path``."""
    gating = [name for name, rule in before_rules.items() if before.gates(rule, path) and _followed(before, rule, path)]
    kept = [name for name in gating if name in after_rules]
    yield from _listed("gating rules that no longer run", [name for name in gating if name not in after_rules])
    yield from _listed(
        "gating rules that nobody follows any more", [name for name in kept if not _followed(after, after_rules[name], path)]
    )
    yield from _listed("rules that no longer gate", [name for name in kept if not after.gates(after_rules[name], path)])
    old, new = before.for_file(path).config, after.for_file(path).config
    if old.from_file and not new.from_file:
        yield "without a config file nothing gates"
    if old.fail_on is not None and (new.fail_on is None or new.fail_on.rank < old.fail_on.rank):
        yield f"`fail_on` is {new.fail_on or 'never'} (now {old.fail_on})"
    if old.on_unscanned_fails and not new.on_unscanned_fails:
        yield "`on_unscanned` is pass (now fail)"
    if old.on_model_failure_fails and not new.on_model_failure_fails:
        yield "`on_model_failure` is pass (now fail)"
    gating_model = [one.name for one in old.reviewers if one.mode is Mode.GATE and old.from_file]
    modes = {one.name: one.mode for one in new.reviewers}
    yield from _listed(
        "reviewers whose model no longer gates",
        [name for name in gating_model if modes.get(name) is not Mode.GATE or (old.model and not new.model)],
    )
    if old.scope is Scope.CHANGED_FILES and new.scope is Scope.CHANGED_LINES:
        yield "`scope` is changed-lines (now changed-files)"
    more = [glob for glob in new.ignore if glob not in old.ignore]
    if more:
        yield f"more files are ignored: {_names(more)}"


def _followed(plan: Plan, rule: Rule, path: RepoPath) -> bool:
    """Whether some reviewer in the folder of ``path`` follows the rule, whatever files of it."""
    return any(rule.source in reviewer.sources for reviewer in plan.for_file(path).reviewers)


def _listed(what: str, names: list[str]) -> list[str]:
    return [f"{what}: {_names(names)}"] if names else []


def _names(names: list[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(f"`{name}`" for name in names[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    text = f"`{value}`" if not isinstance(value, list) else _names([str(item) for item in value]) or "none"
    return text if len(text) < 200 else f"{text[:200]}…"
