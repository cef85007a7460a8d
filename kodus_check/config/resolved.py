"""The configuration that a run uses, every value with the level and the place it came from. Needs no schema library to exist."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kodus_check.model import Mode, Scope, Severity

CONFIG_NAME = ".kodus-check.yml"
MAIN_REVIEW = "main_review"
SGCONFIG = "sgconfig.yml"
DEFAULT_RULES = (SGCONFIG, "builtin:essentials")
DEFAULT_LIMITS: Mapping[str, float] = {"cost_usd": 2.0, "tokens": 2_000_000, "requests": 80, "seconds": 900}


Listed = tuple[str, Any, str, str]
"""A value as it is shown: its dotted key, itself, its level and its place."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The level a value comes from and where it stands (``file:line:column``, "" for the defaults and for a flag).

    Levels are ``default``, ``global``, ``repository``, ``directory`` and ``flag``; each takes the place of those before it.
    """

    level: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class ReviewerConfig:
    """What one reviewer (the main review or an agent) follows. ``paths`` of None is every file.

    ``skills`` and ``docs`` are names as they were written. None says that no level names any: what is found at the base counts.
    """

    name: str
    description: str = ""
    paths: tuple[str, ...] | None = None
    rules: tuple[str, ...] = ()
    inline_rules: str | None = None
    skills: tuple[str, ...] | None = ()
    docs: tuple[str, ...] | None = ()
    instructions: str = ""
    mode: Mode = Mode.COMMENT
    """Of what the model finds."""

    @property
    def key(self) -> str:
        """What the keys of this reviewer start with."""
        return self.name if self.name == MAIN_REVIEW else f"agents.{self.name}"  # no agent's name holds an underscore


@dataclass(frozen=True, slots=True)
class Config:
    """A resolved configuration. ``from_file`` is false where no level has a file: then every finding is a comment."""

    fail_on: Severity | None = Severity.HIGH
    on_unscanned_fails: bool = True
    scope: Scope = Scope.CHANGED_LINES
    ignore: tuple[str, ...] = ()
    model: str = ""
    verifier_model: str = ""
    publish_unsure: bool = False
    publish_inline: int = 30
    publish_summary: bool = True
    trust_everyone: bool = False
    base_url: str = ""
    on_model_failure_fails: bool = False
    language: str = "en"
    private: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    prices: Mapping[str, float] = field(default_factory=dict)
    main_review: ReviewerConfig = ReviewerConfig(MAIN_REVIEW, rules=DEFAULT_RULES, skills=None, docs=None)
    agents: tuple[ReviewerConfig, ...] = ()
    from_file: bool = False
    sources: tuple[str, ...] = ()
    origins: dict[str, Origin] = field(default_factory=dict)

    def origin(self, key: str) -> Origin:
        """Where the value of a dotted key comes from; a key that no level sets comes from the defaults."""
        return self.origins.get(key, Origin("default"))

    @property
    def reviewers(self) -> tuple[ReviewerConfig, ...]:
        return (self.main_review, *self.agents)

    def listed(self) -> list[Listed]:
        """Every value with its level and place."""
        return [(key, value, self.origin(key).level, self.origin(key).where) for key, value in self.values().items()]

    def values(self) -> dict[str, Any]:
        """Every value by its dotted key, as the config file writes it; None where a file would say nothing."""
        out: dict[str, Any] = {
            "version": 1,
            "fail_on": str(self.fail_on) if self.fail_on else "never",
            "on_unscanned": "fail" if self.on_unscanned_fails else "pass",
            "scope": str(self.scope),
            "ignore": list(self.ignore),
            "model": self.model or None,
            "verifier_model": self.verifier_model or None,
            "base_url": self.base_url or None,
            "on_model_failure": "fail" if self.on_model_failure_fails else "pass",
            "language": self.language,
            "private": list(self.private),
            "trust": "everyone" if self.trust_everyone else "writers",
            "publish.inline": self.publish_inline,
            "publish.summary": self.publish_summary,
            "publish.on_unsure": "comment" if self.publish_unsure else "drop",
            **{f"limits.{name}": value for name, value in self.limits.items()},
            **{f"prices.{name}": value for name, value in self.prices.items()},
        }
        for reviewer in self.reviewers:
            if reviewer is not self.main_review:
                out[f"{reviewer.key}.description"] = reviewer.description
                out[f"{reviewer.key}.instructions"] = reviewer.instructions
                out[f"{reviewer.key}.paths"] = _listed(reviewer.paths)
            out[f"{reviewer.key}.skills"] = _listed(reviewer.skills)
            out[f"{reviewer.key}.docs"] = _listed(reviewer.docs)
            out[f"{reviewer.key}.mode"] = str(reviewer.mode)
            out[f"{reviewer.key}.rules"] = reviewer.inline_rules if reviewer.inline_rules is not None else list(reviewer.rules)
        return out


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)
