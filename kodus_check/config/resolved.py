"""The configuration that a run uses, every value with the level and the place it came from. Needs no schema library to exist."""

from dataclasses import dataclass, field, replace
from typing import Any

from kodus_check.model import Scope, Severity

CONFIG_NAME = ".kodus-check.yml"
MAIN_REVIEW = "main_review"
SGCONFIG = "sgconfig.yml"
DEFAULT_RULES = (SGCONFIG, "builtin:essentials")


@dataclass(frozen=True, slots=True)
class Origin:
    """The level a value comes from (``default``, ``repository`` or ``flag``) and where it stands (``file:line:column``)."""

    level: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class ReviewerConfig:
    """What one reviewer (the main review or an agent) follows. ``paths`` of None is every file."""

    name: str
    description: str = ""
    paths: tuple[str, ...] | None = None
    rules: tuple[str, ...] = ()
    inline_rules: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """A resolved configuration. ``from_file`` is false where the base has none: then every finding is a comment."""

    fail_on: Severity | None = Severity.HIGH
    on_unscanned_fails: bool = True
    scope: Scope = Scope.CHANGED_LINES
    ignore: tuple[str, ...] = ()
    main_review: ReviewerConfig = ReviewerConfig(MAIN_REVIEW, rules=DEFAULT_RULES)
    agents: tuple[ReviewerConfig, ...] = ()
    from_file: bool = False
    sources: tuple[str, ...] = ()
    origins: dict[str, Origin] = field(default_factory=dict)

    def origin(self, key: str) -> Origin:
        """Where the value of a dotted key comes from; a key that no level sets comes from the defaults."""
        return self.origins.get(key, Origin("default"))

    def with_flag(self, key: str, **change: Any) -> "Config":
        """The configuration with one value given on the command line."""
        return replace(self, **change, origins={**self.origins, key: Origin("flag")})

    def values(self) -> dict[str, Any]:
        """Every value by its dotted key, as the config file writes it."""
        out: dict[str, Any] = {
            "version": 1,
            "fail_on": str(self.fail_on) if self.fail_on else "never",
            "on_unscanned": "fail" if self.on_unscanned_fails else "pass",
            "scope": str(self.scope),
            "ignore": list(self.ignore),
        }
        for reviewer in (self.main_review, *self.agents):
            prefix = reviewer.name if reviewer is self.main_review else f"agents.{reviewer.name}"
            if reviewer is not self.main_review:
                out[f"{prefix}.description"] = reviewer.description
                out[f"{prefix}.paths"] = list(reviewer.paths) if reviewer.paths is not None else None
            out[f"{prefix}.rules"] = reviewer.inline_rules if reviewer.inline_rules is not None else list(reviewer.rules)
        return out
