"""Where rules come from: the base's files, its ``sgconfig.yml``, the packs that ship, and YAML in the config itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kodus_check.errors import ConfigError, UsageError
from kodus_check.git.trees import LFS_POINTER, Entry, Tree
from kodus_check.model import Notice, NoticeKind, RepoPath
from kodus_check.rules import packs
from kodus_check.rules.documents import MAX_SOURCE_BYTES, RuleSource
from kodus_check.yamldoc import YamlProblem, read_document

SGCONFIG = RepoPath(b"sgconfig.yml")

_HONOURED = ("ruleDirs", "utilDirs")
_NOT_HONOURED = ("customLanguages", "languageGlobs", "languageInjections")  # what else steers a scan by ast-grep itself
_EXTENSIONS = (b".yml", b".yaml")
_ROOT = re.compile(r"(\.(/+\.?)*)?")  # the root itself: empty, `.`, `./`, `./.`


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """Rule sources and utility-rule sources in a stable order, and the folders they were looked for in."""

    sources: tuple[RuleSource, ...] = ()
    utils: tuple[RuleSource, ...] = ()
    folders: tuple[RepoPath, ...] = ()


def read_file(tree: Tree, path: RepoPath) -> RuleSource:
    """One rule file of the base. What is not a regular file of a possible size is a refused source, never a guess."""
    entry = tree.find(path)
    if entry is None:
        return RuleSource(str(path), b"", refused="there is no such file at the base")
    return _read(tree, entry)


def read_folder(tree: Tree, folder: RepoPath | None) -> list[RuleSource]:
    """Every rule file below a folder of the base, by path."""
    found = (entry for entry in tree.walk(folder) if entry.path.raw.endswith(_EXTENSIONS) and entry.path != SGCONFIG)
    return [_read(tree, entry) for entry in sorted(found, key=lambda entry: entry.path)]


def read_sgconfig(tree: Tree) -> tuple[RuleFiles, list[Notice]]:
    """The rules that the base's ``sgconfig.yml`` names, read as data: its ruleDirs and utilDirs, never its customLanguages."""
    entry = tree.find(SGCONFIG)
    if entry is None:
        return RuleFiles(), []
    source = _read(tree, entry)
    value = _mapping(source)
    notices = [
        Notice(
            NoticeKind.SGCONFIG_KEY_IGNORED,
            f"`{key}` has no effect here: only ruleDirs and utilDirs of the base are read. Its rules may match less than locally.",
            str(SGCONFIG),
        )
        for key in value
        if key in _NOT_HONOURED
    ]
    found: dict[str, tuple[RuleSource, ...]] = {}
    looked_in: list[RepoPath] = []
    for key in _HONOURED:
        folders = value.get(key) or []
        if not isinstance(folders, list) or not all(isinstance(text, str) for text in folders):
            notices.append(
                Notice(
                    NoticeKind.SOURCE_REFUSED,
                    f"`{key}` must be a list of folders, so nothing is read from it. Correct it at the base.",
                    str(SGCONFIG),
                )
            )
            folders = []
        found[key], problems = _read_folders(tree, key, folders, looked_in)
        notices.extend(problems)
    return RuleFiles(found["ruleDirs"], found["utilDirs"], tuple(looked_in)), notices


def read_rule_tests(tree: Tree) -> list[RuleSource]:
    """The rule tests in the folders that ``testConfigs`` of the base's ``sgconfig.yml`` names."""
    entry = tree.find(SGCONFIG)
    configs = _mapping(_read(tree, entry)).get("testConfigs") if entry is not None else None
    folders = [one.get("testDir") for one in configs if isinstance(one, dict)] if isinstance(configs, list) else []
    found: dict[str, RuleSource] = {}
    for text in folders:
        if isinstance(text, str):
            found.update(
                (source.name, source) for source in read_folder(tree, RepoPath.parse(text)) if "__snapshots__" not in source.name
            )
    return list(found.values())


def read_pack(name: str) -> list[RuleSource]:
    """The sources of ``builtin:NAME``; KeyError when there is no such pack."""
    return packs.sources(name.removeprefix(packs.PREFIX))


def _mapping(source: RuleSource) -> dict[str, Any]:
    """The content of ``sgconfig.yml``. A broken one is a broken configuration: none of the team's rules could run."""
    remedy = "Correct it at the base."
    if source.refused:
        raise ConfigError(source.refused, where=source.name, remedy=remedy)
    try:
        value = read_document(source.data.decode("utf-8-sig")).value
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is not UTF-8 (byte {error.start})", where=source.name, remedy=remedy) from None
    except YamlProblem as problem:
        raise ConfigError(problem.message, where=f"{source.name}:{problem.line}:{problem.column}", remedy=remedy) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError("this is not a mapping of keys", where=f"{source.name}:1:1", remedy=remedy)
    return value


def _read_folders(
    tree: Tree, key: str, texts: Iterable[str], looked_in: list[RepoPath]
) -> tuple[tuple[RuleSource, ...], list[Notice]]:
    sources: dict[str, RuleSource] = {}
    notices: list[Notice] = []
    for text in texts:
        try:
            folder = None if _ROOT.fullmatch(text) else RepoPath.parse(text)
        except UsageError as error:
            notices.append(Notice(NoticeKind.SOURCE_REFUSED, f"`{key}` names a path that is not read: {error}", str(SGCONFIG)))
            continue
        files = read_folder(tree, folder)
        if folder is not None:
            looked_in.append(folder)
        sources.update((source.name, source) for source in files)
        if not files and key == "ruleDirs":
            notices.append(
                Notice(
                    NoticeKind.SOURCE_REFUSED,
                    f"`{key}` names `{text}`, where the base has no .yml or .yaml file: no rule comes from there.",
                    str(SGCONFIG),
                )
            )
    return tuple(sources[name] for name in sorted(sources)), notices


def _read(tree: Tree, entry: Entry) -> RuleSource:
    name = str(entry.path)
    if entry.why_not_read:
        return RuleSource(name, b"", refused=f"it is a {entry.why_not_read}, and those are not followed")
    blob = tree.blob(entry)
    if blob.data is None:
        return RuleSource(name, b"", refused=f"{blob.size:,} bytes; a rule source may have {MAX_SOURCE_BYTES:,}")
    if blob.data.startswith(LFS_POINTER):
        return RuleSource(name, b"", refused="it is a Git LFS pointer, and what it points to is not in the repository")
    return RuleSource(name, blob.data)
