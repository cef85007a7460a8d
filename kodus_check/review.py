"""The whole of judging, top-down: from two commits to a Review. Nothing here prints, posts or picks an exit code."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kodus_check.agent.models import Ask
from kodus_check.config.levels import Layer, Levels, folders_above
from kodus_check.config.load import DEFAULT_PATH, read_levels
from kodus_check.config.resolved import Config
from kodus_check.coverage import coverage_of, head_lines_to_judge, with_model
from kodus_check.earlier import Touched, matched_before
from kodus_check.evidence.judge import finding_of_match, prove_match
from kodus_check.generated import GeneratedFiles
from kodus_check.git.change import read_change
from kodus_check.git.objects import MissingObject
from kodus_check.git.trees import Tree, tree_changes
from kodus_check.git.workspace import Workspace
from kodus_check.model import (
    Change,
    ChangedFile,
    CoverageReason,
    CoverageStatus,
    Drop,
    DropReason,
    Finding,
    Mode,
    Notice,
    Outcome,
    Publishing,
    RepoPath,
    Review,
    Revision,
    Scope,
    Sha,
)
from kodus_check.modelreview import EVERYTHING, Only, Said, Scanned, ask_model
from kodus_check.notices import (
    change_notices,
    coverage_notices,
    language_notices,
    matched_before_notice,
    not_trusted_notice,
    out_of_scope_notice,
    rules_only_notice,
    suppression_notices,
)
from kodus_check.plan import Plan, make_plan
from kodus_check.preview import preview_notices
from kodus_check.rules import suppress
from kodus_check.rules.ruleset import RuleSet, load_rules
from kodus_check.rules.scan import ScanResult, ScratchTree, scan, scannable, silenced
from kodus_check.text import counted

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge: names of revisions, where the config lies at the base, the levels above it and below it."""

    base: str
    head: str
    config_path: RepoPath = DEFAULT_PATH
    config_required: bool = False
    shared: Layer | None = None
    flags: Layer | None = None
    ask: Ask | None = None
    blob_url: str = ""
    only: Only = EVERYTHING
    trusted: bool = True
    """Whether the author could write to the repository anyway."""
    rules_only: bool = False
    """Whether it is too early for a model: a draft, or a merge queue."""

    def levels(self, tree: Tree, folders: Iterable[bytes] | None) -> Levels:
        """The levels that hold in ``folders`` of a tree (None: in all of it)."""
        return read_levels(
            tree, self.config_path, required=self.config_required, shared=self.shared, folders=folders, flags=self.flags
        )

    def plan(self, tree: Tree, folders: Iterable[bytes] | None) -> tuple[Plan, list[Notice]]:
        """The plan that those levels make."""
        return make_plan(self.levels(tree, folders), tree)


def review(workspace: Workspace, request: Request, progress: Progress) -> Review:
    """Judges ``head`` by what stands at ``base``. Raises ConfigError or CannotReview where it cannot."""
    base, head = workspace.resolve_base(request.base), workspace.resolve(request.head)
    try:
        return _judge(workspace, base, head, request, progress)
    except MissingObject:
        if workspace.remote is None:
            raise
    progress("fetching what this clone lacks")
    fork = workspace.merge_base(base.sha, head.sha)
    workspace.refill({base.sha, head.sha, fork or base.sha})
    return _judge(workspace, base, head, request, progress)


def _judge(workspace: Workspace, base: Revision, head: Revision, request: Request, progress: Progress) -> Review:
    clock = _Clock()
    with clock("plan"):
        tree = Tree(workspace.store, workspace.store.commit(base.sha).tree)
        plan, notices = request.plan(tree, folders_above(changed_paths(workspace, base, head)))
        plan = plan.only(request.only.agent)
    with load_rules(plan.rule_sources, plan.utils) as rules, ScratchTree() as scratch:
        notices += rules.notices
        languages = rules.languages
        progress(f"reading the change {base.sha[:12]}..{head.sha[:12]}")
        with clock("change"):
            change, found = read_change(
                workspace, base, head, as_text=lambda path: scannable(path, languages), sink=_to_scan(plan, languages, scratch)
            )
        notices += found
        files, with_rules = counted(len(change.files), "changed file"), counted(len(rules.loaded), "rule")
        progress(f"scanning {len(scratch.paths):,} of {files} with {with_rules}")
        with clock("rules"):
            result = scan(rules, scratch)
            notices += _honour_suppressions(tree, change, rules, scratch, result)
        with clock("proof"):
            findings, drops, outside = _prove(workspace, change, plan, rules, result)
    generated = GeneratedFiles(tree)
    head_tree = Tree(workspace.store, workspace.store.commit(head.sha).tree)
    coverage = tuple(coverage_of(change, plan, rules, result, generated))
    said = Said()
    why_not = why_not_asked(request, plan.config)
    if why_not is not None:
        notices.append(why_not)
    elif plan.config.model and request.ask is not None:
        progress(f"asking {plan.config.model}")
        with clock("model"):
            scanned = Scanned(
                tree, head_tree, plan, change, generated, result.matches, findings, [rule.id for rule in rules.loaded]
            )
            said = ask_model(workspace.store, scanned, request.ask, request.only)
        notices += said.notices
        coverage = tuple(with_model(coverage, said.answered, said.unanswered))
        findings += said.findings
        drops += said.drops
        _trace_drops(request.ask, drops)
    notices += change_notices(change, plan) + preview_notices(change, plan, rules.rules, head_tree, request.plan)
    notices += language_notices(change, rules.rules)
    notices += coverage_notices(change, rules, coverage)
    notices += out_of_scope_notice(outside) + matched_before_notice(drops)
    unscanned = [one.path for one in coverage if one.status is CoverageStatus.NOT_SCANNED]
    return Review(
        outcome=Outcome.PARTIAL if unscanned or said.unanswered else Outcome.FINDINGS if findings else Outcome.CLEAN,
        base=base,
        head=head,
        merge_base=change.merge_base,
        config_sha=_blob_id(tree, request.config_path),
        config_sources=plan.sources,
        findings=tuple(findings),
        drops=tuple(drops),
        notices=tuple(dict.fromkeys(notices)),
        coverage=coverage,
        rules=tuple(rules.rules),
        timings=clock.seconds,
        gate_open=(plan.config.on_model_failure_fails and bool(said.unanswered))
        or (
            plan.config.on_unscanned_fails
            and any(_gate_covers(plan, rules, path) for path in unscanned if generated.kind_of(path) is not CoverageReason.VENDORED)
        ),
        fails=any(finding.mode is Mode.GATE and plan.fails(finding.severity) for finding in findings),
        agents=tuple(said.runs),
        not_judged=tuple(sorted(said.unanswered)),
        model=plan.config.model if request.ask is not None else "",
        guides=said.guides,
        files=change.files,
        publishing=publishing_of(plan.config, request.config_path),
        blob_url=request.blob_url,
    )


def publishing_of(config: Config, path: RepoPath) -> Publishing:
    """What the base says of publishing. Runs of one config path on a pull request are one job, whatever workflow starts them."""
    return Publishing(hashlib.sha256(path.raw).hexdigest()[:8], config.publish_inline, config.publish_summary)


def why_not_asked(request: Request, config: Config) -> Notice | None:
    """Why the configured model is not asked about this change; None where it is, or none is configured or wanted."""
    if not config.model or request.ask is None:
        return None
    if request.rules_only:
        return rules_only_notice()
    return None if request.trusted or config.trust_everyone else not_trusted_notice()


def _trace_drops(ask: Ask, drops: Iterable[Drop]) -> None:
    for drop in drops:
        candidate = drop.candidate
        place = {"path": str(candidate.path), "line": candidate.start_line}
        ask.trace({"kind": "drop", "reason": str(drop.reason), "detail": drop.detail, **place})


def changed_paths(workspace: Workspace, base: Revision, head: Revision) -> frozenset[RepoPath]:
    """Every path that the change touches on either side, from the trees alone."""
    fork = workspace.merge_base(base.sha, head.sha) or base.sha
    before, after = (workspace.store.commit(sha).tree for sha in (fork, head.sha))
    return frozenset(one.path for one in tree_changes(workspace.store, before, after))


def _to_scan(plan: Plan, languages: frozenset[str], scratch: ScratchTree) -> Callable[[ChangedFile, bytes], None]:
    """Takes head blobs while the change is read, so that none is read twice."""

    def add(file: ChangedFile, data: bytes) -> None:
        # The lines of a file that git calls binary are known only later; it is scanned in any case.
        if not plan.ignores(file.path) and scannable(file.path, languages) and head_lines_to_judge(file, plan, data):
            scratch.add(file.path, data)

    return add


def _honour_suppressions(base: Tree, change: Change, rules: RuleSet, scratch: ScratchTree, result: ScanResult) -> list[Notice]:
    """Takes out of ``result`` what a suppression comment of the base silences; says so, and names comments that are new."""
    honoured: dict[RepoPath, tuple[int, ...]] = {}
    added: dict[RepoPath, tuple[int, ...]] = {}
    for file in change.files:
        if file.path not in scratch.marked:
            continue
        entry = base.find(file.old_path or file.path)
        at_base = base.blob(entry, limit=scratch.size(file.path) * 4).data if entry and not entry.why_not_read else None
        comments = suppress.find(file, scratch.original(file.path), at_base)
        if comments.added:
            added[file.path] = comments.added
        if comments.honoured and result.matches.get(file.path):
            honoured[file.path] = comments.honoured
    gone = silenced(rules, scratch, result, honoured) if honoured else {}
    for path, matches in gone.items():
        result.matches[path] = [match for match in result.matches[path] if match not in matches]
    files = {file.path: file for file in change.files}
    told = {path: [one for one in matches if files[path].touches(one.start_line, one.end_line)] for path, matches in gone.items()}
    return suppression_notices({path: matches for path, matches in told.items() if matches}, added)


def _prove(
    workspace: Workspace, change: Change, plan: Plan, rules: RuleSet, result: ScanResult
) -> tuple[list[Finding], list[Drop], int]:
    """Findings and drops of all matches, and how many matches lie on lines that the change does not touch."""
    by_id = {rule.id: rule for rule in rules.loaded}
    findings: list[Finding] = []
    drops: list[Drop] = []
    outside = 0
    todo: list[Touched] = []
    for file in change.files:
        followed = [
            one
            for one in result.matches.get(file.path, [])
            if one.rule_id in by_id and plan.reviewer_of(by_id[one.rule_id], file.path) is not None
        ]
        every_line = plan.scope_of(file.path) is Scope.CHANGED_FILES
        inside = [one for one in followed if every_line or file.touches(one.start_line, one.end_line)]
        outside += len(followed) - len(inside)
        if inside:
            todo.append((file, inside))
    by_lines = [(file, matches) for file, matches in todo if plan.scope_of(file.path) is Scope.CHANGED_LINES]
    before = matched_before(workspace.store, rules, by_lines)
    blobs = workspace.store.blobs(file.new_oid for file, _ in todo if file.new_oid)
    for (file, matches), blob in zip(todo, blobs, strict=True):
        for match in matches:
            if match in before:
                drops.append(Drop(DropReason.MATCHED_BEFORE, "the rule matched from this line at the merge base already", match))
                continue
            rule = by_id[match.rule_id]
            evidence = prove_match(match, rule, file, blob.data or b"", plan.scope_of(file.path))
            if isinstance(evidence, Drop):
                drops.append(evidence)
                continue
            reviewer = plan.reviewer_of(rule, file.path)
            assert reviewer is not None
            findings.append(finding_of_match(match, rule, file, evidence, agent=reviewer.name, mode=plan.mode_of(rule, file.path)))
    return findings, drops, outside


def _gate_covers(plan: Plan, rules: RuleSet, path: RepoPath) -> bool:
    """Whether a rule that can fail the check should have judged this file."""
    return any(
        plan.gates(rule, path) and scannable(path, (rule.language,)) and plan.reviewer_of(rule, path) is not None
        for rule in rules.loaded
    )


def _blob_id(tree: Tree, path: RepoPath) -> Sha | None:
    entry = tree.find(path)
    return entry.oid if entry is not None else None


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = round(time.perf_counter() - start, 4)
