"""The resolved plan of a run: for each file its reviewers, and the rule sources they follow. What ``config check`` proves."""

import difflib
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from kodus_check.config.levels import Levels
from kodus_check.config.links import BadLink, check_doc, check_skill
from kodus_check.config.resolved import CONFIG_NAME, DEFAULT_RULES, SGCONFIG, Config, ReviewerConfig
from kodus_check.errors import ConfigError, UsageError
from kodus_check.git.trees import Tree
from kodus_check.globs import Globs
from kodus_check.guides import builtin
from kodus_check.model import Mode, Notice, RepoPath, Rule, Scope, Severity
from kodus_check.rules import packs, sources
from kodus_check.rules.documents import RuleSource


@dataclass(frozen=True, slots=True)
class ReviewerPlan:
    """One reviewer as resolved for one folder: the names of the rule sources it follows, and its files (None: every one).

    ``skills`` and ``docs`` are as written; None means what is found at the base. ``may_miss`` are those of them that the global
    level names: a repository need not have them.
    """

    name: str
    folder: str
    sources: frozenset[str]
    paths: Globs | None
    skills: tuple[str, ...] | None = None
    docs: tuple[str, ...] | None = None
    may_miss: frozenset[str] = frozenset()

    def judges(self, rule: Rule, path: RepoPath) -> bool:
        return rule.source in self.sources and (self.paths is None or path in self.paths)


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """What holds for the files of one configured folder ("" for the root) and of the folders in it that have none."""

    folder: str
    config: Config
    reviewers: tuple[ReviewerPlan, ...]
    ignored: Globs
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class Plan:
    """``folders`` has the root first, outer ones before inner ones. Rule sources are those of all of them."""

    folders: tuple[FolderPlan, ...]
    rule_sources: tuple[RuleSource, ...]
    utils: tuple[RuleSource, ...]
    looked_in: tuple[RepoPath, ...]
    """Folders whose every file may be a rule or a part of a guide."""
    files: frozenset[bytes]
    """Every path that is read as configuration, rules or guides."""
    sources: tuple[str, ...]
    """The names of the config files, in the order of their levels."""
    _by_folder: dict[bytes, FolderPlan] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_folder", {one.raw: one for one in self.folders})

    @property
    def config(self) -> Config:
        """The configuration at the root: what holds for the whole run."""
        return self.folders[0].config

    def only(self, agent: str) -> "Plan":
        """The plan of one reviewer alone, "" for all. UsageError where no folder has one of that name."""
        if not agent:
            return self
        names = dict.fromkeys(one.name for folder in self.folders for one in folder.reviewers)
        if agent not in names:
            raise UsageError("there is no such reviewer", where=agent, remedy=f"Reviewers here are {', '.join(names)}.")
        kept = tuple(replace(one, reviewers=tuple(own for own in one.reviewers if own.name == agent)) for one in self.folders)
        return replace(self, folders=kept)

    def for_file(self, path: RepoPath) -> FolderPlan:
        """What holds for this file: the plan of the innermost configured folder that it lies in."""
        if len(self.folders) > 1:
            folder = path.raw.rpartition(b"/")[0]
            while folder:
                if folder in self._by_folder:
                    return self._by_folder[folder]
                folder = folder.rpartition(b"/")[0]
        return self.folders[0]

    def ignores(self, path: RepoPath) -> bool:
        """Whether nothing judges this file."""
        return path in self.for_file(path).ignored

    def scope_of(self, path: RepoPath) -> Scope:
        return self.for_file(path).config.scope

    def reviewers_of(self, path: RepoPath) -> tuple[ReviewerPlan, ...]:
        """Which reviewers judge this file."""
        return tuple(one for one in self.for_file(path).reviewers if one.paths is None or path in one.paths)

    def reviewer_of(self, rule: Rule, path: RepoPath) -> ReviewerPlan | None:
        """The first reviewer that follows the rule for this file; None when none does."""
        return next((reviewer for reviewer in self.for_file(path).reviewers if reviewer.judges(rule, path)), None)

    def mode_of(self, rule: Rule, path: RepoPath | None = None) -> Mode:
        """What a match of this rule may do in a file (None: one at the root). Where no config file governs, nothing gates."""
        config = self.config if path is None else self.for_file(path).config
        if not config.from_file:
            return Mode.SHADOW if rule.mode is Mode.SHADOW else Mode.COMMENT
        return rule.mode or Mode.GATE

    def mode_of_model(self, agent: str, path: RepoPath) -> Mode:
        """What a finding of the model may do in a file. Where no config file governs, nothing gates."""
        config = self.for_file(path).config
        mode = next((one.mode for one in config.reviewers if one.name == agent), Mode.COMMENT)
        return Mode.COMMENT if mode is Mode.GATE and not config.from_file else mode

    def gates(self, rule: Rule, path: RepoPath | None = None) -> bool:
        """Whether a match of this rule in a file (None: one at the root) fails the check."""
        return self.mode_of(rule, path) is Mode.GATE and self.fails(rule.severity)

    def fails(self, severity: Severity) -> bool:
        """Whether a gating finding of this severity fails the check."""
        return self.config.fail_on is not None and severity.rank <= self.config.fail_on.rank

    def configures(self, path: RepoPath) -> bool:
        """Whether a change of this file changes how the check judges, or would if the workspace had a say in it."""
        name = path.raw.rpartition(b"/")[2]
        return (
            str(path) == ".gitlab-ci.yml"
            or name in (b".gitattributes", b".gitignore", b".ignore", b"sgconfig.yml")
            or path.raw.startswith(b".github/workflows/")
            or self.loads(path)
        )

    def loads(self, path: RepoPath) -> bool:
        """Whether this file is read as configuration, rules or guide, or lies where those are looked for."""
        return (
            path.raw in self.files
            or path.raw.rpartition(b"/")[2] == CONFIG_NAME.encode()
            or any(path.raw.startswith(folder.raw + b"/") for folder in self.looked_in)
        )


def make_plan(levels: Levels, tree: Tree, *, builtin_skills: Collection[str] | None = None) -> tuple[Plan, list[Notice]]:
    """Reads every rule source that a level names from the base, and looks for every guide that one links.

    A name that does not exist is a ConfigError, unless it is a guide of the global level. ``builtin_skills`` are the names of those
    that ship, where they are not to be looked up.
    """
    return _Maker(levels, tree, builtin.names() if builtin_skills is None else builtin_skills).plan()


class _Maker:
    """Collects what the folders of one plan have in common, so that each source is read once."""

    def __init__(self, levels: Levels, tree: Tree, builtin_skills: Collection[str]) -> None:
        self._levels = levels
        self._tree = tree
        self._builtin_skills = builtin_skills
        self._sg_files, self._sg_notices = sources.read_sgconfig(tree)
        self._uses_sgconfig = False
        self._named: dict[str, list[RuleSource]] = {}
        self._inline: dict[str, RuleSource] = {}
        self._found: dict[str, RuleSource] = {}
        self._rule_paths: list[RepoPath] = []
        self._guides: dict[tuple[str, str], RepoPath | None] = {}

    def plan(self) -> tuple[Plan, list[Notice]]:
        folders = tuple(self._folder(raw) for raw in self._levels.folders)
        sg_files, guides = self._sg_files, [path for path in self._guides.values() if path is not None]
        names = (CONFIG_NAME, SGCONFIG, *self._levels.sources, *self._found, *(source.name for source in sg_files.utils))
        plan = Plan(
            folders,
            tuple(self._found.values()),
            sg_files.utils,
            (*sg_files.folders, *dict.fromkeys(path for path in (*self._rule_paths, *guides) if self._tree.find(path) is None)),
            frozenset(
                [*(name.partition("#")[0].encode("utf-8", "surrogateescape") for name in names), *(path.raw for path in guides)]
            ),
            self._levels.sources,
        )
        return plan, self._sg_notices if self._uses_sgconfig or sg_files.utils else []

    def _folder(self, raw: bytes) -> FolderPlan:
        config = self._levels.config(raw)
        shown = raw.decode("utf-8", "backslashreplace")
        reviewers = tuple(self._reviewer(config, reviewer, shown) for reviewer in config.reviewers)
        return FolderPlan(shown, config, reviewers, Globs(config.ignore, where=config.origin("ignore").where), raw)

    def _reviewer(self, config: Config, reviewer: ReviewerConfig, folder: str) -> ReviewerPlan:
        own: list[RuleSource] = []
        for index, name in enumerate(reviewer.rules):
            own.extend(self._rules(config, reviewer, index, name))
        if reviewer.inline_rules is not None:
            own.append(self._inline.setdefault(reviewer.inline_rules, _inline(config, reviewer)))
        for source in own:
            self._found.setdefault(source.name, source)
        where = config.origin(f"{reviewer.key}.paths").where
        return ReviewerPlan(
            reviewer.name,
            folder,
            frozenset(source.name for source in own),
            Globs(reviewer.paths, where=where) if reviewer.paths is not None else None,
            reviewer.skills,
            reviewer.docs,
            self._linked(config, reviewer, "skills") | self._linked(config, reviewer, "docs"),
        )

    def _rules(self, config: Config, reviewer: ReviewerConfig, index: int, name: str) -> list[RuleSource]:
        key = f"{reviewer.key}.rules"
        if name == SGCONFIG:
            self._uses_sgconfig = True
            optional = reviewer.rules == DEFAULT_RULES or config.origin(key).level == "global"
            if not optional and self._tree.find(sources.SGCONFIG) is None:
                raise _unknown(config, key, index, name, "there is no such file at the base")
            return list(self._sg_files.sources)
        if name not in self._named:
            self._named[name] = _named(config, self._tree, key, index, name)
            if not name.startswith(packs.PREFIX):
                self._rule_paths.append(RepoPath.parse(name))
        return self._named[name]

    def _linked(self, config: Config, reviewer: ReviewerConfig, kind: str) -> frozenset[str]:
        """Looks for each guide that is linked; returns the names that may be missing."""
        key = f"{reviewer.key}.{kind}"
        names = (reviewer.skills if kind == "skills" else reviewer.docs) or ()
        may_miss = config.origin(key).level == "global"
        for index, name in enumerate(names):
            if (kind, name) in self._guides:
                continue
            try:
                found = check_skill(self._tree, name, self._builtin_skills) if kind == "skills" else check_doc(self._tree, name)
            except BadLink as link:
                if not (may_miss and link.absent):
                    raise _unknown(config, key, index, name, link.why) from None
                continue
            self._guides[(kind, name)] = found
        return frozenset(names) if may_miss else frozenset()


def _named(config: Config, tree: Tree, key: str, index: int, name: str) -> list[RuleSource]:
    if name.startswith(packs.PREFIX):
        try:
            return sources.read_pack(name)
        except KeyError:
            close = difflib.get_close_matches(name, [f"{packs.PREFIX}{pack}" for pack in packs.names()], n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"packs are {', '.join(packs.names())}"
            raise _unknown(config, key, index, name, f"no such pack ships; {hint}") from None
    try:
        path = RepoPath.parse(name)
    except UsageError as error:
        raise _unknown(config, key, index, name, error.what) from None
    if tree.find(path) is not None:
        if not name.endswith((".yml", ".yaml")):
            raise _unknown(config, key, index, name, "a rule file ends in .yml or .yaml")
        return [sources.read_file(tree, path)]
    folder = sources.read_folder(tree, path)
    if not folder:
        raise _unknown(config, key, index, name, "the base has no such rule file, and no folder of rule files")
    return folder


def _inline(config: Config, reviewer: ReviewerConfig) -> RuleSource:
    """Inline YAML; its lines are counted from the line after the key, where a block scalar starts."""
    key = f"{reviewer.key}.rules"
    where = config.origin(key).where
    name, line = where.rsplit(":", 2)[:2] if where.count(":") >= 2 else (key, "0")
    return RuleSource(f"{name}#{key}", (reviewer.inline_rules or "").encode(), line=int(line) + 1)


def _unknown(config: Config, key: str, index: int, name: str, why: str) -> ConfigError:
    where = config.origin(key).where
    return ConfigError(f"`{key}[{index}]`: `{name}`: {why}", where=where or None, remedy="Correct the name at the base.")
