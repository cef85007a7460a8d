"""One use case a function: reads, judges, writes what was asked for, and picks the exit code."""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kodus_check.agent.models import Ask, ModelName
from kodus_check.config.levels import Layer, Levels, Setting, folders_above
from kodus_check.config.load import DEFAULT_PATH, read_global
from kodus_check.config.resolved import CONFIG_NAME, Origin
from kodus_check.errors import CannotReview, ConfigError, KodusCheckError, UsageError
from kodus_check.git.change import read_change
from kodus_check.git.elsewhere import Server
from kodus_check.git.fetch import Remote
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import (
    Change,
    Notice,
    NoticeKind,
    Outcome,
    RepoPath,
    Review,
    Revision,
    Rule,
    RuleStatus,
)
from kodus_check.modelreview import EVERYTHING, Only
from kodus_check.review import Progress, Request, changed_paths, review
from kodus_check.rules import packs
from kodus_check.rules.documents import MAX_SOURCE_BYTES, RuleSource, read_source
from kodus_check.rules.globs import dead_globs
from kodus_check.rules.languages import language_of
from kodus_check.rules.ruleset import load_rules
from kodus_check.rules.sources import SGCONFIG, read_rule_tests
from kodus_check.rules.testing import RuleTest, RuleTestResult, read_tests, run_tests

TEMPLATE_FOLDER = b".kodus-check/templates/"

EXIT_OK, EXIT_GATE, EXIT_USAGE, EXIT_FAILED, EXIT_OPEN = 0, 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Place:
    """Which repository and which two revisions, as the command line names them.

    ``global_config`` names a file on disk, or one of another repository of ``server``.
    """

    repository: Path
    base: str | None = None
    head: str | None = None
    config: str | None = None
    remote: Remote | None = None
    global_config: str | None = None
    server: Server | None = None
    blob_url: str = ""

    def open(self) -> Workspace:
        return Workspace(self.repository, self.remote)

    def request(self, workspace: Workspace, flags: Layer | None = None) -> Request:
        base = self.base or workspace.default_base()
        if base is None:
            raise UsageError(
                "no base to judge by: this clone does not say which branch changes are made for",
                where=str(self.repository),
                remedy="Name the target branch with `--base`, such as `--base main` or `--base origin/main`.",
            )
        return Request(
            base=base,
            head=self.head or "HEAD",
            config_path=RepoPath.parse(self.config) if self.config else DEFAULT_PATH,
            config_required=self.config is not None,
            shared=self._read_global(workspace),
            flags=flags,
            blob_url=self.blob_url,
        )

    def _read_global(self, workspace: Workspace) -> Layer | None:
        """The global level. A file of head is none: the change under review has no say."""
        if self.global_config is None:
            return None
        path = _in_checkout(Path(self.global_config), workspace.directory)
        if path is not None:
            head = workspace.resolve(self.head or "HEAD")
            if Tree(workspace.store, workspace.store.commit(head.sha).tree).find(path) is not None:
                raise UsageError(
                    "this file belongs to the commit under review, which has no say in how it is judged",
                    where=f"--global-config {self.global_config}",
                    remedy="Name a file outside of the checkout, or `owner/repo@ref:path`. `--config` names one at the base.",
                )
        return read_global(self.global_config, self.server)


def _in_checkout(file: Path, directory: Path) -> RepoPath | None:
    """The path of an existing file in the checkout that ``directory`` lies in; None for one outside of it."""
    place = directory.resolve()
    top = next((one for one in (place, *place.parents) if (one / ".git").exists()), None)
    if top is None or not file.is_file() or not file.resolve().is_relative_to(top):
        return None
    inside = file.resolve().relative_to(top)
    return None if ".git" in inside.parts else RepoPath(os.fsencode(inside))


@dataclass(frozen=True, slots=True)
class Checked:
    """A finished run: its review, its exit code, and the base's own templates."""

    review: Review
    exit_code: int
    templates: dict[str, str]


def check(
    place: Place,
    progress: Progress,
    *,
    fail_on: str | None = None,
    model: str | None = None,
    ask: Ask | None = None,
    only: Only = EVERYTHING,
    trusted: bool = True,
    rules_only: bool = False,
) -> Checked:
    """The whole check. A failure is a review too, with outcome ``failed``; only a usage error is raised.

    ``model`` takes the place of the configured one ("" for none); ``ask`` says how it is asked (None: not at all); ``only`` narrows
    the run to a reviewer or to skills; ``trusted`` says that the author could write to the repository anyway,
    ``rules_only`` that it is too early for a model.
    """
    given = {"fail_on": fail_on, "model": model}
    settings = {key: Setting(value, Origin("flag")) for key, value in given.items() if value is not None}
    flags = Layer("flag", "", settings) if settings else None
    if model:
        ModelName.parse(model, where="--model")
    try:
        with place.open() as workspace:
            request = replace(place.request(workspace, flags), ask=ask, only=only, trusted=trusted, rules_only=rules_only)
            try:
                done = review(workspace, request, progress)
                return Checked(done, exit_code(done), read_templates(workspace, request.base))
            except ConfigError as error:
                return _config_failed(workspace, request, error)
            except CannotReview as error:
                return Checked(_failed(error, _known(workspace, request)), error.exit_code, {})
    except UsageError:
        raise
    except KodusCheckError as error:
        kind = NoticeKind.CONFIG_INVALID if isinstance(error, ConfigError) else NoticeKind.COULD_NOT_REVIEW
        return Checked(_failed(error, (None, None), kind=kind), error.exit_code, {})


def exit_code(done: Review) -> int:
    """The contract: 3 for failed, 4 for an open gate, 1 for a gating finding, else 0."""
    if done.outcome is Outcome.FAILED:
        return EXIT_FAILED
    if done.gate_open:
        return EXIT_OPEN
    return EXIT_GATE if done.fails else EXIT_OK


def read_change_of(place: Place) -> Change:
    """The change set alone."""
    with place.open() as workspace:
        request = place.request(workspace)
        base, head = workspace.resolve_base(request.base), workspace.resolve(request.head)
        change, _ = read_change(workspace, base, head, as_text=lambda path: language_of(path) is not None)
        return change


@dataclass(frozen=True, slots=True)
class RulesAtBase:
    """Every rule document at the base, with its source and what is to be said about it."""

    base: Revision
    sources: tuple[RuleSource, ...]
    rules: tuple[Rule, ...]
    notices: tuple[Notice, ...]

    @property
    def sizes(self) -> list[tuple[str, int, int]]:
        """(name, bytes, limit) of each source."""
        return [(source.name, len(source.data), MAX_SOURCE_BYTES) for source in self.sources]

    @property
    def loaded(self) -> int:
        return sum(rule.status is RuleStatus.LOADED for rule in self.rules)


def rules_at_base(place: Place) -> RulesAtBase:
    """Every rule document at the base with its fate."""
    with place.open() as workspace:
        request = place.request(workspace)
        tree = _tree(workspace, request.base)
        plan, notices = request.plan(tree, None)
        with load_rules(plan.rule_sources, plan.utils) as rules:
            dead = dead_globs(rules.rules, (entry.path for entry in tree.walk()))
            base = workspace.resolve_base(request.base)
            return RulesAtBase(base, plan.rule_sources, tuple(rules.rules), (*notices, *rules.notices, *dead))


@dataclass(frozen=True, slots=True)
class RulesTested:
    """Results of rule tests, the ids of rules that have none, and faults of the test files themselves."""

    results: tuple[RuleTestResult, ...]
    untested: tuple[str, ...]
    problems: tuple[str, ...]


def rule_tests_at_base(place: Place) -> RulesTested:
    """The tests that the base's ``sgconfig.yml`` names and those of the packs in use, against the rules of the base."""
    with place.open() as workspace:
        request = place.request(workspace)
        tree = _tree(workspace, request.base)
        plan, _ = request.plan(tree, None)
        used = {source.name.partition("/")[0].removeprefix(packs.PREFIX) for source in plan.rule_sources if _is_pack(source)}
        found = [*read_rule_tests(tree), *(source for pack in sorted(used) for source in packs.test_sources(pack))]
        return _tested(plan.rule_sources, plan.utils, found)


def rule_tests_in(path: Path) -> RulesTested:
    """The rules and tests in a file or folder of the disk: a document with ``valid`` or ``invalid`` is a test."""
    files = sorted(one for one in path.rglob("*") if one.suffix in (".yml", ".yaml")) if path.is_dir() else [path]
    rules: list[RuleSource] = []
    tests: list[RuleSource] = []
    for file in files:
        data = file.read_bytes()
        (tests if re.search(rb"^(valid|invalid):", data, re.MULTILINE) else rules).append(RuleSource(str(file), data))
    return _tested(rules, (), tests)


def _tested(rules: Iterable[RuleSource], utils: Iterable[RuleSource], sources: Iterable[RuleSource]) -> RulesTested:
    tests: list[RuleTest] = []
    problems: list[str] = []
    for source in sources:
        found, wrong = read_tests(source)
        tests.extend(found)
        problems.extend(wrong)
    known = {test.rule_id for test in tests}
    listed = list(rules)
    untested = [rule.id for source in listed for rule in read_source(source)[0] if rule.runs and rule.id not in known]
    return RulesTested(tuple(run_tests(listed, utils, tests)), tuple(untested), tuple(problems))


def _is_pack(source: RuleSource) -> bool:
    return source.name.startswith(packs.PREFIX)


def config_at_base(place: Place) -> Levels:
    """Every level of the configuration; raises ConfigError when one, or a name in it, is wrong."""
    with place.open() as workspace:
        request = place.request(workspace)
        tree = _tree(workspace, request.base)
        request.plan(tree, None)
        return request.levels(tree, None)


def read_templates(workspace: Workspace, base: str) -> dict[str, str]:
    """The base's own templates, by name. What is no readable text is left out: the template that ships is used."""
    tree = _tree(workspace, base)
    out: dict[str, str] = {}
    for name in ("comment.md.j2", "summary.md.j2"):
        entry = tree.find(RepoPath(TEMPLATE_FOLDER + name.encode()))
        if entry is None or entry.why_not_read:
            continue
        data = tree.blob(entry).data
        if data is not None:
            out[name] = data.decode("utf-8", "replace")
    return out


def _tree(workspace: Workspace, revision: str) -> Tree:
    return Tree(workspace.store, workspace.store.commit(workspace.resolve_base(revision).sha).tree)


def _known(workspace: Workspace, request: Request) -> tuple[Revision | None, Revision | None]:
    """What can still be said of the two commits when a run has failed."""

    def resolve(how: Callable[[str], Revision], name: str) -> Revision | None:
        try:
            return how(name)
        except KodusCheckError:
            return None

    return resolve(workspace.resolve_base, request.base), resolve(workspace.resolve, request.head)


def _config_failed(workspace: Workspace, request: Request, error: ConfigError) -> Checked:
    """Exit 2, unless head is the change that repairs the config: then nobody could merge the repair."""
    base, head = _known(workspace, request)
    done = _failed(error, (base, head), kind=NoticeKind.CONFIG_INVALID)
    if base is None or head is None or not _repairs(workspace, request, base, head):
        return Checked(done, EXIT_USAGE, {})
    notice = Notice(
        NoticeKind.CONFIG_REPAIRED_IN_HEAD,
        "The configuration at the base is broken, and this change repairs it. Nothing was judged; the check passes so that the "
        "repair can be merged.",
        str(request.config_path),
    )
    return Checked(replace(done, notices=(*done.notices, notice)), EXIT_OK, {})


def _repairs(workspace: Workspace, request: Request, base: Revision, head: Revision) -> bool:
    """Whether the change itself edits the config, and well: a branch that merely lacks the broken one repairs nothing."""
    try:
        if workspace.merge_base(base.sha, head.sha) is None:
            return False
        changed = changed_paths(workspace, base, head)
        if not any(_is_config(path, request) for path in changed):
            return False
        request.plan(Tree(workspace.store, workspace.store.commit(head.sha).tree), folders_above(changed))
    except KodusCheckError:
        return False
    return True


def _is_config(path: RepoPath, request: Request) -> bool:
    return path in (request.config_path, SGCONFIG) or path.raw.rpartition(b"/")[2] == CONFIG_NAME.encode()


def _failed(
    error: KodusCheckError,
    known: tuple[Revision | None, Revision | None],
    *,
    kind: NoticeKind = NoticeKind.COULD_NOT_REVIEW,
) -> Review:
    problems: Iterable[str] = error.problems if isinstance(error, ConfigError) else (error.sentence,)
    return Review(
        outcome=Outcome.FAILED,
        base=known[0],
        head=known[1],
        merge_base=None,
        config_sha=None,
        config_sources=(),
        findings=(),
        drops=(),
        notices=tuple(Notice(kind, problem, error.where or "") for problem in problems),
        coverage=(),
        rules=(),
        timings={},
    )
