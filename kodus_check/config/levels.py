"""Levels of configuration: what each file sets, put over one another value by value.

default < global < repository < directory (the innermost last) < flag. A list replaces the one above it, a key that a file does
not hold leaves what is above as it is, and an empty list is none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import overload

from kodus_check.config.resolved import Config, Listed, Origin, ReviewerConfig
from kodus_check.model import Mode, RepoPath, Scope, Severity

Value = str | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that a level sets. Inline rules are text, everything that a file writes as a list is a tuple."""

    value: Value
    origin: Origin


Settings = Mapping[str, Setting]
"""By dotted key (``scope``, ``agents.ledger.rules``). ``agents.NAME`` alone says that there is such an agent."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What one file, or the command line, sets. ``folder`` is the folder whose files it governs, in bytes; empty for all."""

    level: str
    name: str
    settings: Settings
    folder: bytes = b""

    def governs(self, folder: bytes) -> bool:
        """Whether it holds for the files that lie in ``folder``."""
        return not self.folder or (folder + b"/").startswith(self.folder + b"/")


@dataclass(frozen=True, slots=True)
class Levels:
    """Every layer that may hold for a file of the repository, the uppermost first and the flags last."""

    layers: tuple[Layer, ...] = ()

    @property
    def folders(self) -> tuple[bytes, ...]:
        """The root (empty) and each folder that has a configuration of its own, outer ones before what is inside them."""
        return (b"", *dict.fromkeys(layer.folder for layer in self.layers if layer.folder))

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the files, in order."""
        return tuple(layer.name for layer in self.layers if layer.level != "flag")

    def config(self, folder: bytes = b"") -> Config:
        """The configuration as it holds for the files that lie in ``folder``."""
        return resolve(layer for layer in self.layers if layer.governs(folder))

    def set_by_folder(self) -> list[tuple[str, list[Listed]]]:
        """Each configured folder below the root with the values that its own file sets."""
        return [(_shown(layer.folder), _listed(layer)) for layer in self.layers if layer.folder]

    def config_of(self, path: RepoPath) -> Config:
        """The configuration as it holds for one file."""
        return self.config(path.raw.rpartition(b"/")[0])


def _shown(folder: bytes) -> str:
    return folder.decode("utf-8", "backslashreplace")


def _listed(layer: Layer) -> list[Listed]:
    named = {key: setting for key, setting in layer.settings.items() if not _names_agent(key)}
    return [
        (key, list(one.value) if isinstance(one.value, tuple) else one.value, one.origin.level, one.origin.where)
        for key, one in named.items()
    ]


def _names_agent(key: str) -> bool:
    return key.startswith("agents.") and key.count(".") == 1


def folders_above(paths: Iterable[RepoPath]) -> frozenset[bytes]:
    """Every folder that one of these files lies in, near or far, without the root."""
    found: set[bytes] = set()
    for path in paths:
        folder = path.raw.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return frozenset(found)


def merged(*levels: Settings) -> dict[str, Setting]:
    """Each value as the last level that sets it has it. Keys keep the place where they came up first."""
    out: dict[str, Setting] = {}
    for settings in levels:
        out.update(settings)
    return out


def resolve(layers: Iterable[Layer]) -> Config:
    """The configuration that these layers make, each put over those before it, over the defaults."""
    listed = list(layers)
    settings = merged(*(layer.settings for layer in listed))
    files = tuple(layer.name for layer in listed if layer.level != "flag")
    defaults = Config()
    fail_on = _text(settings, "fail_on", "high")
    agents = [key.removeprefix("agents.") for key in settings if _names_agent(key)]
    return Config(
        fail_on=None if fail_on == "never" else Severity(fail_on),
        on_unscanned_fails=_text(settings, "on_unscanned", "fail") == "fail",
        scope=Scope(_text(settings, "scope", defaults.scope)),
        ignore=_names(settings, "ignore", ()),
        model=_text(settings, "model", ""),
        verifier_model=_text(settings, "verifier_model", ""),
        publish_inline=int(_numbers(settings, "publish").get("inline", defaults.publish_inline)),
        publish_summary=bool(_numbers(settings, "publish").get("summary", defaults.publish_summary)),
        trust_everyone=_text(settings, "trust", "writers") == "everyone",
        publish_unsure=_text(settings, "publish.on_unsure", "drop") == "comment",
        base_url=_text(settings, "base_url", ""),
        on_model_failure_fails=_text(settings, "on_model_failure", "pass") == "fail",
        language=_text(settings, "language", defaults.language),
        private=_names(settings, "private", ()),
        limits={**defaults.limits, **_numbers(settings, "limits")},
        prices=_numbers(settings, "prices"),
        main_review=_reviewer(settings, defaults.main_review),
        agents=tuple(_reviewer(settings, ReviewerConfig(name)) for name in agents),
        from_file=bool(files),
        sources=files,
        origins={key: setting.origin for key, setting in settings.items()},
    )


def _reviewer(settings: Settings, default: ReviewerConfig) -> ReviewerConfig:
    key = default.key
    rules = settings.get(f"{key}.rules")
    inline = rules.value if rules is not None and isinstance(rules.value, str) else None
    return ReviewerConfig(
        default.name,
        _text(settings, f"{key}.description", default.description),
        _names(settings, f"{key}.paths", default.paths),
        () if inline is not None else _names(settings, f"{key}.rules", default.rules),
        inline,
        _names(settings, f"{key}.skills", default.skills),
        _names(settings, f"{key}.docs", default.docs),
        _text(settings, f"{key}.instructions", default.instructions),
        Mode(_text(settings, f"{key}.mode", default.mode)),
    )


def _numbers(settings: Settings, key: str) -> dict[str, float]:
    """The numbers of a section by their names."""
    found = {name.removeprefix(f"{key}."): setting.value for name, setting in settings.items() if name.startswith(f"{key}.")}
    return {name: value for name, value in found.items() if isinstance(value, (int, float))}


def _text(settings: Settings, key: str, default: str) -> str:
    return str(settings[key].value) if key in settings else default


@overload
def _names(settings: Settings, key: str, default: tuple[str, ...]) -> tuple[str, ...]: ...


@overload
def _names(settings: Settings, key: str, default: tuple[str, ...] | None) -> tuple[str, ...] | None: ...


def _names(settings: Settings, key: str, default: tuple[str, ...] | None) -> tuple[str, ...] | None:
    value = settings[key].value if key in settings else default
    return value if isinstance(value, tuple) else default
