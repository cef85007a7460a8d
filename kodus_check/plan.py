"""The resolved plan of a run: for each reviewer its files, and the rule sources it follows. What ``config check`` proves."""

import difflib
from dataclasses import dataclass

from kodus_check.config.resolved import CONFIG_NAME, DEFAULT_RULES, SGCONFIG, Config, ReviewerConfig
from kodus_check.errors import ConfigError, UsageError
from kodus_check.git.trees import Tree
from kodus_check.globs import Globs
from kodus_check.model import Mode, Notice, RepoPath, Rule
from kodus_check.rules import packs, sources
from kodus_check.rules.documents import RuleSource


@dataclass(frozen=True, slots=True)
class ReviewerPlan:
    """One reviewer: the names of the rule sources it follows, and its files (None: every changed file)."""

    name: str
    sources: frozenset[str]
    paths: Globs | None

    def judges(self, rule: Rule, path: RepoPath) -> bool:
        return rule.source in self.sources and (self.paths is None or path in self.paths)


@dataclass(frozen=True, slots=True)
class Plan:
    config: Config
    reviewers: tuple[ReviewerPlan, ...]
    rule_sources: tuple[RuleSource, ...]
    utils: tuple[RuleSource, ...]
    rule_folders: tuple[RepoPath, ...]
    ignored: Globs
    files: frozenset[bytes]
    """Every path that is read as configuration or rules."""

    def mode_of(self, rule: Rule) -> Mode:
        """What a match of this rule may do. Without a config file nothing gates."""
        if not self.config.from_file:
            return Mode.SHADOW if rule.mode is Mode.SHADOW else Mode.COMMENT
        return rule.mode or Mode.GATE

    def gates(self, rule: Rule) -> bool:
        """Whether a match of this rule fails the check."""
        worst_allowed = self.config.fail_on
        return worst_allowed is not None and self.mode_of(rule) is Mode.GATE and rule.severity.rank <= worst_allowed.rank

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
        """Whether this file is read as configuration or rules, or lies where rules are looked for."""
        return path.raw in self.files or any(path.raw.startswith(folder.raw + b"/") for folder in self.rule_folders)

    def reviewer_of(self, rule: Rule, path: RepoPath) -> ReviewerPlan | None:
        """The first reviewer that follows the rule for this file; None when none does."""
        return next((reviewer for reviewer in self.reviewers if reviewer.judges(rule, path)), None)


def make_plan(config: Config, tree: Tree) -> tuple[Plan, list[Notice]]:
    """Reads every rule source that the configuration names from the base; a name that does not exist is a ConfigError."""
    sg_files, sg_notices = sources.read_sgconfig(tree)
    found: dict[str, RuleSource] = {}
    reviewers: list[ReviewerPlan] = []
    uses_sgconfig = False
    for reviewer in (config.main_review, *config.agents):
        own: list[RuleSource] = []
        key = reviewer.name if reviewer is config.main_review else f"agents.{reviewer.name}"
        for index, name in enumerate(reviewer.rules):
            if name == SGCONFIG:
                uses_sgconfig = True
                optional = reviewer.rules == DEFAULT_RULES
                if not optional and tree.find(sources.SGCONFIG) is None:
                    raise _unknown(config, f"{key}.rules", index, name, "there is no such file at the base")
                own.extend(sg_files.sources)
            else:
                own.extend(_named(config, tree, key, index, name))
        if reviewer.inline_rules is not None:
            own.append(_inline(config, key, reviewer))
        for source in own:
            found.setdefault(source.name, source)
        paths = Globs(reviewer.paths, where=config.origin(f"{key}.paths").where) if reviewer.paths is not None else None
        reviewers.append(ReviewerPlan(reviewer.name, frozenset(source.name for source in own), paths))
    plan = Plan(
        config,
        tuple(reviewers),
        tuple(found.values()),
        sg_files.utils,
        sg_files.folders,
        Globs(config.ignore, where=config.origin("ignore").where),
        frozenset(
            name.partition("#")[0].encode()
            for name in (CONFIG_NAME, SGCONFIG, *(source.name for source in (*found.values(), *sg_files.utils)))
        ),
    )
    return plan, sg_notices if uses_sgconfig or sg_files.utils else []


def _named(config: Config, tree: Tree, key: str, index: int, name: str) -> list[RuleSource]:
    if name.startswith(packs.PREFIX):
        try:
            return sources.read_pack(name)
        except KeyError:
            close = difflib.get_close_matches(name, [f"{packs.PREFIX}{pack}" for pack in packs.names()], n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"packs are {', '.join(packs.names())}"
            raise _unknown(config, f"{key}.rules", index, name, f"no such pack ships; {hint}") from None
    try:
        path = RepoPath.parse(name)
    except UsageError as error:
        raise _unknown(config, f"{key}.rules", index, name, error.what) from None
    if tree.find(path) is not None:
        if not name.endswith((".yml", ".yaml")):
            raise _unknown(config, f"{key}.rules", index, name, "a rule file ends in .yml or .yaml")
        return [sources.read_file(tree, path)]
    folder = sources.read_folder(tree, path)
    if not folder:
        raise _unknown(config, f"{key}.rules", index, name, "the base has no such rule file, and no folder of rule files")
    return folder


def _inline(config: Config, key: str, reviewer: ReviewerConfig) -> RuleSource:
    """Inline YAML; its lines are counted from the line after the key, where a block scalar starts."""
    where = config.origin(f"{key}.rules").where
    name, line = where.rsplit(":", 2)[:2] if where.count(":") >= 2 else (f"{key}.rules", "0")
    text = reviewer.inline_rules or ""
    return RuleSource(f"{name}#{key}.rules", text.encode(), line=int(line) + 1)


def _unknown(config: Config, key: str, index: int, name: str, why: str) -> ConfigError:
    where = config.origin(key).where
    return ConfigError(f"`{key}[{index}]`: `{name}`: {why}", where=where or None, remedy="Correct the name at the base.")
