"""What this environment can do, item by item, each with what to do where it cannot."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from kodus_check.agent.models import Ask
from kodus_check.app import Place, rules_at_base
from kodus_check.errors import CannotReview, KodusCheckError
from kodus_check.git.process import environment, run
from kodus_check.git.trees import Tree
from kodus_check.model import RuleStatus
from kodus_check.rules import astgrep
from kodus_check.text import counted

OLDEST_GIT = (2, 34)


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was looked at. ``remedy`` says what to do, where there is something."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def examine(place: Place) -> list[Item]:
    """Every item in order; those that need what failed before them say so instead of failing again."""
    items = [_guarded("git", _git), _guarded("ast-grep", _ast_grep)]
    if any(item.state is State.FAILED for item in items):
        return items
    repository = _guarded("repository", lambda: _repository(place))
    items.append(repository)
    if repository.state is not State.FAILED:
        items.extend(_base(place))
    items.append(_guarded("platform", _platform))
    if all(item.state is not State.FAILED for item in items):
        items.append(_guarded("model", lambda: _model(place)))
    return items


def _guarded(name: str, look: Callable[[], Item]) -> Item:
    try:
        return look()
    except KodusCheckError as error:
        return Item(name, State.FAILED, f"{error.where}: {error.what}" if error.where else error.what, error.remedy or "")


def _git() -> Item:
    done = run(["git", "version"], env=environment())
    words = done.stdout.decode("ascii", "replace").split()
    version = words[2] if len(words) > 2 else "?"
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GIT:
        oldest = ".".join(str(number) for number in OLDEST_GIT)
        raise CannotReview(f"this is git {version}", remedy=f"Install git {oldest} or newer.")
    return Item("git", State.OK, version)


def _ast_grep() -> Item:
    return Item("ast-grep", State.OK, f"{astgrep.VERSION}x at {astgrep.binary()}")


def _repository(place: Place) -> Item:
    with place.open() as workspace:
        clone = workspace.clone_kind
        remote = f"; missing objects come from {place.remote.url}" if place.remote is not None else ""
        detail = f"{clone}, {workspace.hash_kind}{remote}"
        if clone == "complete" or place.remote is not None:
            return Item("repository", State.OK, detail)
        return Item("repository", State.WARNING, detail, "Where the merge base is not in it, a run fails: clone with full history.")


def _platform() -> Item:
    """What the event is about, and whether the token may comment on it."""
    from kodus_check.platforms.events import Ignored
    from kodus_check.publishing import begin

    found = begin(os.environ, publish=True)
    if found is None:
        return Item("platform", State.OK, "no event of GitHub: a run prints its result and publishes nothing")
    if isinstance(found, Ignored):
        return Item("platform", State.WARNING, f"nothing to judge: {found.reason}", "Start it on a pull request.")
    about = f"pull request {found.target.number}" if found.target.number is not None else "two commits, without a pull request"
    if found.target.number is not None and found.read_only:
        remedy = "Give the job `permissions: {contents: read, pull-requests: write}` and the token."
        return Item("platform", State.WARNING, f"{about}: no comments, {found.read_only}", remedy)
    return Item("platform", State.OK, about)


def _model(place: Place) -> Item:
    """Asks the configured model one small question."""
    with place.open() as workspace:
        request = place.request(workspace)
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve_base(request.base).sha).tree)
        plan, _ = request.plan(tree, ())
    if not plan.config.model:
        return Item("model", State.OK, "none is configured: the rules judge alone")
    from kodus_check.asking import probe

    problem, detail = probe(plan, Ask(os.environ))
    if problem:
        return Item("model", State.WARNING, f"{plan.config.model}: {problem}", detail)
    return Item("model", State.OK, detail)


def _base(place: Place) -> Iterator[Item]:
    name = "base, configuration and rules"
    try:
        found = rules_at_base(place)
    except KodusCheckError as error:
        yield Item(name, State.FAILED, error.sentence)
        return
    refused = [rule for rule in found.rules if rule.status is RuleStatus.REFUSED]
    detail = f"{found.base.ref} at {found.base.sha[:12]}: {counted(found.loaded, 'rule')} run, {len(refused)} refused"
    if refused or not found.loaded:
        yield Item(name, State.WARNING, detail, "`kodus-check rules` lists each rule with its reason.")
    else:
        yield Item(name, State.OK, detail)
