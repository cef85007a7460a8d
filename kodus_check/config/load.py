"""From the bytes of a config file to a resolved configuration, or to every fault in it with file, line, column and a hint."""

import difflib
from typing import TYPE_CHECKING, Any

from kodus_check.config.resolved import CONFIG_NAME, Config, Origin, ReviewerConfig
from kodus_check.errors import ConfigError
from kodus_check.git.trees import LFS_POINTER, Tree
from kodus_check.model import RepoPath, Scope, Severity
from kodus_check.text import one_line, shorten
from kodus_check.yamldoc import YamlDocument, YamlProblem, read_document

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from kodus_check.config.schema import ConfigFile

DEFAULT_PATH = RepoPath(CONFIG_NAME.encode())


def read_config(tree: Tree, path: RepoPath = DEFAULT_PATH, *, required: bool = False) -> Config:
    """The configuration at ``path`` of a tree; the defaults where there is no such file and none is ``required``."""
    entry = tree.find(path)
    if entry is None:
        if required:
            raise ConfigError("there is no such config file at the base", where=str(path), remedy="Check the path of `--config`.")
        return Config()
    if entry.why_not_read:
        raise ConfigError(
            f"the config is a {entry.why_not_read}, and those are not followed",
            where=str(path),
            remedy="Put a regular file there.",
        )
    blob = tree.blob(entry)
    if blob.data is None or blob.data.startswith(LFS_POINTER):
        reason = f"it has {blob.size:,} bytes" if blob.data is None else "it is a Git LFS pointer"
        raise ConfigError(f"the config cannot be read: {reason}", where=str(path), remedy="Put a small regular file there.")
    return parse_config(blob.data, str(path))


def parse_config(data: bytes, name: str) -> Config:
    """The configuration in ``data``; ConfigError names every fault."""
    try:
        document = read_document(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("this is not UTF-8", where=f"{name}:{line}", remedy="Save the file as UTF-8.") from None
    except YamlProblem as problem:
        hint = "Indent with spaces." if "\\t" in problem.message or "cannot start any token" in problem.message else None
        raise ConfigError(problem.message, where=f"{name}:{problem.line}:{problem.column}", remedy=hint) from None
    value = {} if document.value is None else document.value
    if not isinstance(value, dict):
        raise ConfigError("a config is a mapping of keys", where=_where(name, document, ()), remedy="See `config schema`.")
    return _resolve(_validated(value, document, name), document, name)


def _validated(value: dict[str, Any], document: YamlDocument, name: str) -> "ConfigFile":
    from pydantic import ValidationError

    from kodus_check.config.schema import ConfigFile

    try:
        return ConfigFile.model_validate(value)
    except ValidationError as error:
        problems = dict.fromkeys(_problem(detail, document, name) for detail in error.errors())
    first = next(iter(problems))
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    raise ConfigError(f"the configuration is not valid{more}: {first}", problems=tuple(problems))


def _problem(detail: "ErrorDetails", document: YamlDocument, name: str) -> str:
    from kodus_check.config.schema import Agent, ConfigFile, MainReview

    path = tuple(part for part in detail["loc"] if not str(part).startswith(("list[", "str", "constrained-", "function-")))
    path = tuple(part for part in path if part != "[key]")
    where = _where(name, document, path)
    key = ".".join(str(part) for part in path)
    kind = detail["type"]
    if kind == "extra_forbidden":
        fields = {2: MainReview.model_fields, 3: Agent.model_fields}.get(len(path), ConfigFile.model_fields)
        allowed = list(fields)
        close = difflib.get_close_matches(str(path[-1]), allowed, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"known keys here are {', '.join(allowed)}"
        return f"{where}: unknown key `{_show(key)}`; {hint}"
    given = shorten(one_line(repr(detail["input"])), 60)
    return f"{where}: `{_show(key)}`: {detail['msg'][:1].lower()}{detail['msg'][1:]}, not {given}"


def _show(text: str) -> str:
    return shorten(one_line(text), 80)


def _where(name: str, document: YamlDocument, path: tuple[str | int, ...]) -> str:
    line, column = document.place(path)
    return f"{name}:{line}:{column}"


def _resolve(file: "ConfigFile", document: YamlDocument, name: str) -> Config:
    origins = {
        ".".join(str(part) for part in path): Origin("repository", f"{name}:{line}:{column}")
        for path, (line, column) in document.key_places.items()
    }
    defaults = Config()
    main = defaults.main_review
    if file.main_review is not None and file.main_review.rules is not None:
        main = _reviewer(main.name, file.main_review.rules)
    agents = tuple(
        _reviewer(
            agent_name,
            agent.rules if agent.rules is not None else [],
            description=agent.description,
            paths=tuple(agent.paths) if agent.paths is not None else None,
        )
        for agent_name, agent in (file.agents or {}).items()
    )
    fail_on = defaults.fail_on if file.fail_on is None else None if file.fail_on == "never" else Severity(file.fail_on)
    return Config(
        fail_on=fail_on,
        on_unscanned_fails=file.on_unscanned != "pass",
        scope=defaults.scope if file.scope is None else Scope(file.scope),
        ignore=tuple(file.ignore or ()),
        main_review=main,
        agents=agents,
        from_file=True,
        sources=(name,),
        origins=origins,
    )


def _reviewer(name: str, rules: list[str] | str, *, description: str = "", paths: tuple[str, ...] | None = None) -> ReviewerConfig:
    """``rules`` as text is YAML, unless it is one line that names a file or a pack."""
    if isinstance(rules, list):
        return ReviewerConfig(name, description, paths, tuple(rules))
    line = rules.strip()
    if "\n" not in line and (line.endswith((".yml", ".yaml")) or line.startswith("builtin:")):
        return ReviewerConfig(name, description, paths, (line,))
    return ReviewerConfig(name, description, paths, (), rules)
