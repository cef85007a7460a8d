"""From the bytes of config files to the levels of a configuration, or to every fault with file, line, column and a hint."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kodus_check.config.levels import Layer, Levels, Setting, Value, resolve
from kodus_check.config.resolved import CONFIG_NAME, Config, Origin
from kodus_check.errors import ConfigError, UsageError
from kodus_check.git.elsewhere import Elsewhere, Server, tree_elsewhere
from kodus_check.git.trees import LFS_POINTER, MAX_GUIDE, Entry, Tree
from kodus_check.model import RepoPath
from kodus_check.text import one_line, shorten
from kodus_check.yamldoc import YamlDocument, YamlProblem, read_document

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from kodus_check.config.schema import ConfigFile

DEFAULT_PATH = RepoPath(CONFIG_NAME.encode())
_NAME = CONFIG_NAME.encode()


def read_levels(
    tree: Tree,
    path: RepoPath = DEFAULT_PATH,
    *,
    required: bool = False,
    shared: Layer | None = None,
    folders: Iterable[bytes] | None = (),
    flags: Layer | None = None,
) -> Levels:
    """The levels of a tree: ``shared`` (global), the file at ``path``, those in ``folders`` (None: everywhere), ``flags``.

    A file that is not there sets nothing, unless the one at ``path`` is ``required``.
    """
    layers = [] if shared is None else [shared]
    entry = tree.find(path)
    if entry is not None:
        layers.append(parse_layer(_bytes_of(tree, entry, str(path)), str(path), "repository"))
    elif required:
        raise ConfigError("there is no such config file at the base", where=str(path), remedy="Check the path of `--config`.")
    for found in _files_in(tree, folders):
        if found.path != path:
            folder = found.path.raw.rpartition(b"/")[0]
            layers.append(parse_layer(_bytes_of(tree, found, str(found.path)), str(found.path), "directory", folder))
    return Levels((*layers, *([] if flags is None else [flags])))


def read_global(name: str, server: Server | None) -> Layer:
    """The global level: a file on disk, or ``owner/repo@ref:path`` of the server that the run's repository is on."""
    file = Path(name)
    if file.is_file():
        if file.stat().st_size > MAX_GUIDE:
            raise ConfigError("the config cannot be read: it is too large", where=name, remedy="Name a small regular file.")
        return parse_layer(file.read_bytes(), name, "global")
    place = Elsewhere.parse(name)
    if place is None:
        raise UsageError(
            "there is no such file",
            where=f"--global-config {name}",
            remedy="Give the path of a file, or `owner/repo@ref:path` for one of another repository.",
        )
    with tree_elsewhere(place, server) as tree:
        entry = tree.find(place.path)
        if entry is None:
            raise ConfigError("there is no such file", where=name, remedy="Check the path behind the colon of `--global-config`.")
        return parse_layer(_bytes_of(tree, entry, name), name, "global")


def parse_config(data: bytes, name: str) -> Config:
    """The configuration that ``data`` makes by itself at the root; ConfigError names every fault."""
    return resolve([parse_layer(data, name, "repository")])


def parse_layer(data: bytes, name: str, level: str, folder: bytes = b"") -> Layer:
    """What a config file sets; ConfigError names every fault, in a ``folder`` also each key that it may not set."""
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
    file = _validated(value, document, name, in_folder=level == "directory")
    return Layer(level, name, _settings(file, document, level, name), folder)


def _files_in(tree: Tree, folders: Iterable[bytes] | None) -> list[Entry]:
    """Config files that do not lie at the root, outer ones first."""
    if folders is None:
        found = [entry for entry in tree.walk() if entry.path.raw.endswith(b"/" + _NAME)]
    else:
        looked_at = (tree.find(RepoPath(folder + b"/" + _NAME)) for folder in folders)
        found = [entry for entry in looked_at if entry is not None]
    return sorted(found, key=lambda entry: entry.path.raw.split(b"/")[:-1])


def _bytes_of(tree: Tree, entry: Entry, name: str) -> bytes:
    if entry.why_not_read:
        raise ConfigError(
            f"the config is a {entry.why_not_read}, and those are not followed", where=name, remedy="Put a regular file there."
        )
    blob = tree.blob(entry)
    if blob.data is None or blob.data.startswith(LFS_POINTER):
        reason = f"it has {blob.size:,} bytes" if blob.data is None else "it is a Git LFS pointer"
        raise ConfigError(f"the config cannot be read: {reason}", where=name, remedy="Put a small regular file there.")
    return blob.data


def _validated(value: dict[str, Any], document: YamlDocument, name: str, *, in_folder: bool) -> "ConfigFile":
    from pydantic import ValidationError

    from kodus_check.config.schema import DIRECTORY_KEYS, ConfigFile

    allowed = DIRECTORY_KEYS if in_folder else tuple(ConfigFile.model_fields)
    problems = [
        f"{_where(name, document, (key,))}: `{key}`: this key holds for the whole run; set it in the {CONFIG_NAME} at the root"
        for key in value
        if key in ConfigFile.model_fields and key not in allowed
    ]
    file: ConfigFile | None = None
    try:
        file = ConfigFile.model_validate(value)
    except ValidationError as error:
        problems.extend(_problem(detail, document, name, allowed) for detail in error.errors())
    if file is not None and not problems:
        return file
    told = tuple(dict.fromkeys(problems))
    more = f" ({len(told) - 1} more)" if len(told) > 1 else ""
    raise ConfigError(f"the configuration is not valid{more}: {told[0]}", problems=told)


def _problem(detail: "ErrorDetails", document: YamlDocument, name: str, top: tuple[str, ...]) -> str:
    from kodus_check.config.schema import Agent, Limits, MainReview, Prices, Publish

    path = tuple(part for part in detail["loc"] if not str(part).startswith(("list[", "str", "constrained-", "function-")))
    path = tuple(part for part in path if part != "[key]")
    where = _where(name, document, path)
    key = ".".join(str(part) for part in path)
    kind = detail["type"]
    if kind == "extra_forbidden":
        fields = {
            "main_review": MainReview.model_fields,
            "agents": Agent.model_fields,
            "limits": Limits.model_fields,
            "prices": Prices.model_fields,
            "publish": Publish.model_fields,
        }
        allowed = list(fields.get(str(path[0]), top) if len(path) > 1 else top)
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


def _settings(file: "ConfigFile", document: YamlDocument, level: str, name: str) -> dict[str, Setting]:
    """Every value that the file holds, by its dotted key. A key without a value is one that the file does not hold."""
    out: dict[str, Setting] = {}

    def put(path: tuple[str, ...], value: Any) -> None:
        written = tuple(value) if isinstance(value, list) else _rules(value) if path[-1] == "rules" else value
        out[".".join(path)] = Setting(written, Origin(level, _where(name, document, path)))

    for key, value in file.model_dump(exclude_unset=True, exclude_none=True).items():
        if key == "agents":
            for agent, section in value.items():
                put((key, agent), "")
                for part, inner in section.items():
                    put((key, agent, part), inner)
        elif isinstance(value, dict):
            for part, inner in value.items():
                put((key, part), inner)
        else:
            put((key,), value)
    return out


def _rules(text: str) -> Value:
    """Rules as text are YAML, unless they are one line that names a file or a pack."""
    line = text.strip()
    if "\n" not in line and (line.endswith((".yml", ".yaml")) or line.startswith("builtin:")):
        return (line,)
    return text
