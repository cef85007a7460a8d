"""Where the base may have skills and docs: one walk over its tree, names alone. What a file holds is judged elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from kodus_check.git.objects import MODE_SUBMODULE, MODE_SYMLINK
from kodus_check.git.trees import Entry, Tree
from kodus_check.guides.builtin import SKILL_FILE
from kodus_check.guides.links import BadTarget, followed, target
from kodus_check.model import GuideFile, RepoPath

NOT_OURS = frozenset((b"node_modules", b"bower_components", b"vendor", b"third_party", b"site-packages", b".venv", b"Pods"))
"""Folders of other people's code: their guides do not judge this repository."""

EXPLICIT, AGENTS, CLAUDE, GITHUB, AGENT_FILES, OTHERS = range(6)
"""Of several skills with one name, the one with the lowest rank counts."""

_ROOTS = {
    (b".agents", b"skills"): AGENTS,
    (b".claude", b"skills"): CLAUDE,
    (b".github", b"skills"): GITHUB,
    (b".claude", b"agents"): AGENT_FILES,
    (b".ax-code", b"skill"): OTHERS,
    (b".ax-code", b"skills"): OTHERS,
    (b".opencode", b"skills"): OTHERS,
}
_CONTAINERS = frozenset(container for container, _ in _ROOTS)

_TOO_DEEP = "too deep"
_TEAM_DOCS = ("contributing", "architecture", "conventions", "styleguide")
_RULES_FILES = ("agents.md", "claude.md")
MAX_SUGGESTED = 30


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be a skill: its file (None with the ``reason`` why there is none to read) and what lies beside it.

    ``folder`` is the name that the skill must have ("" for an agent file), ``shown`` the path it is listed under, ``scope`` the
    folder of the repository that it speaks of.
    """

    rank: int
    scope: str
    shown: str
    folder: str = ""
    file: Entry | None = None
    reason: str = ""
    beside: tuple[GuideFile, ...] = ()
    sidecar: Entry | None = None
    sidecar_problem: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class DocCandidate:
    """A file that may be linked as a doc. ``default`` ones are followed where no configuration says otherwise."""

    entry: Entry
    scope: str = ""
    rules_file: bool = False
    default: bool = False


@dataclass
class Found:
    skills: list[Candidate] = field(default_factory=list)
    docs: list[DocCandidate] = field(default_factory=list)


@dataclass(frozen=True, slots=True, order=True)
class _Root:
    rank: int
    scope: bytes
    path: RepoPath


def find_guides(tree: Tree) -> Found:
    """Every candidate at the base, skills by rank and path, docs in the order in which they count."""
    roots: dict[_Root, None] = {}
    found = Found()
    suggested: list[DocCandidate] = []
    for entry in tree.walk(skip=NOT_OURS):
        raw = entry.path.raw
        if b"." not in raw:
            continue
        parts = raw.split(b"/")
        root = _root_of(tree, entry, parts, found)
        roots.update(dict.fromkeys(root))
        if not root:
            doc = _doc_of(entry, parts)
            if doc is not None:
                (found.docs if doc.default else suggested).append(doc)
    for one in sorted(roots):
        found.skills.extend(_skills_in(tree, one))
    found.skills = _once(found.skills)
    found.docs.sort(key=_doc_order)
    found.docs.extend(sorted(suggested, key=lambda doc: doc.entry.path)[:MAX_SUGGESTED])
    return found


def skill_at(tree: Tree, path: RepoPath) -> Candidate:
    """The skill that a link names: a folder, the SKILL.md in it, or an agent file. Links of the tree are followed once."""
    shown = str(path)
    above, _, last = path.raw.rpartition(b"/")
    if last == SKILL_FILE.encode() and above and tree.find(path) is not None:
        return skill_at(tree, RepoPath(above))  # a link itself, it still has the name and the sidecar of its folder
    try:
        real = followed(tree, path)
    except BadTarget as error:
        return Candidate(EXPLICIT, "", shown, reason=str(error))
    entry = tree.find(real)
    if entry is None:
        if not tree.is_folder(real):
            return Candidate(EXPLICIT, "", shown, reason="the base has no such skill")
        name = path.raw.rpartition(b"/")[2]
        made = _skill_in(tree, _Root(EXPLICIT, b"", real), name, real, list(tree.walk(real)))
        if made is None or made.reason.startswith(_TOO_DEEP):
            return Candidate(EXPLICIT, "", shown, reason=f"this folder holds no {SKILL_FILE}")
        return made
    folder, _, file = real.raw.rpartition(b"/")
    if file == SKILL_FILE.encode() and folder:
        named = path.raw.rpartition(b"/")[0].rpartition(b"/")[2] or folder.rpartition(b"/")[2]
        made = _skill_in(tree, _Root(EXPLICIT, b"", real), named, RepoPath(folder), list(tree.walk(RepoPath(folder))))
        assert made is not None
        return made
    if entry.why_not_read:
        return Candidate(EXPLICIT, "", shown, reason=f"a {entry.why_not_read}, and those are not read")
    if file.lower() == SKILL_FILE.lower().encode() and file != SKILL_FILE.encode():
        return Candidate(EXPLICIT, "", shown, reason=f"the file must be named {SKILL_FILE}")
    return _agent(tree, EXPLICIT, "", entry)


def doc_at(tree: Tree, path: RepoPath) -> DocCandidate | None:
    """The doc that a link names; None where the base has no such file."""
    entry = tree.find(path)
    if entry is None:
        return None
    known = _doc_of(entry, path.raw.split(b"/"))
    return DocCandidate(entry, rules_file=known is not None and known.rules_file)


def _root_of(tree: Tree, entry: Entry, parts: list[bytes], found: Found) -> list[_Root]:
    """The skill roots that this entry lies in, or is a link to."""
    for index, part in enumerate(parts):
        if part not in _CONTAINERS:
            continue
        scope = b"/".join(parts[:index])
        if index + 1 == len(parts):
            return list(_linked_container(tree, entry, part, scope, found))
        rank = _ROOTS.get((part, parts[index + 1]))
        if rank is None:
            continue
        path = RepoPath(b"/".join(parts[: index + 2]))
        if index + 2 == len(parts):
            return list(_linked_root(tree, entry, rank, scope, found))
        return [_Root(rank, scope, path)]
    return []


def _linked_root(tree: Tree, entry: Entry, rank: int, scope: bytes, found: Found) -> Iterator[_Root]:
    path = _target(tree, entry, rank, scope, found)
    if path is not None and tree.is_folder(path):
        yield _Root(rank, scope, path)


def _linked_container(tree: Tree, entry: Entry, name: bytes, scope: bytes, found: Found) -> Iterator[_Root]:
    path = _target(tree, entry, OTHERS, scope, found)
    if path is None:
        return
    for (container, root), rank in _ROOTS.items():
        below = RepoPath(path.raw + b"/" + root)
        if container != name:
            continue
        if tree.is_folder(below):
            yield _Root(rank, scope, below)
        elif path.raw.rpartition(b"/")[2] not in _CONTAINERS and (link := tree.find(below)) and link.why_not_read:
            shown = f"{entry.path}/{root.decode()}"
            found.skills.append(Candidate(rank, _shown(scope), shown, reason=f"a link to a {link.why_not_read}"))


def _target(tree: Tree, entry: Entry, rank: int, scope: bytes, found: Found) -> RepoPath | None:
    """Where a link in the place of a root leads. One that leads nowhere is listed, as is a submodule; a file means nothing."""
    reason = "a submodule, and those are not read" if entry.mode == MODE_SUBMODULE else ""
    try:
        if entry.mode == MODE_SYMLINK:
            return target(tree, entry)
    except BadTarget as error:
        reason = str(error)
    if reason:
        found.skills.append(Candidate(rank, _shown(scope), str(entry.path), reason=reason))
    return None


def _shown(folder: bytes) -> str:
    return folder.decode("utf-8", "backslashreplace")


def _once(listed: list[Candidate]) -> list[Candidate]:
    """Each file once, though several links may lead to it: by the way that can make a skill of it, for all it is linked from."""

    def worth(one: Candidate) -> tuple[bool, bool]:
        return bool(one.reason), one.folder not in ("", one.shown.rpartition("/")[0].rpartition("/")[2])

    best: dict[str, Candidate] = {}
    for one in sorted(listed, key=worth):
        first = best.setdefault(one.shown, one)
        if worth(first) == worth(one):
            both = zip(first.scope.split("/"), one.scope.split("/"), strict=False)
            best[one.shown] = replace(first, scope="/".join(part for part, _ in takewhile(lambda pair: pair[0] == pair[1], both)))
    return sorted(best.values(), key=lambda one: one.rank)


def _skills_in(tree: Tree, root: _Root) -> Iterator[Candidate]:
    """The candidates of one root. Each lies in a folder of its own; agent files lie in the root itself."""
    scope = _shown(root.scope)
    folders: dict[bytes, list[Entry]] = {}
    for entry in tree.walk(root.path):
        name, slash, _ = entry.path.raw[len(root.path.raw) + 1 :].partition(b"/")
        if root.rank == AGENT_FILES:
            if not slash and name.endswith(b".md"):
                yield _agent_file(tree, root, scope, entry)
        elif slash:
            folders.setdefault(name, []).append(entry)
        elif entry.mode == MODE_SUBMODULE:
            yield Candidate(root.rank, scope, str(entry.path), reason="a submodule, and those are not read")
        elif entry.mode == MODE_SYMLINK:
            if (made := _linked_skill(tree, root, scope, name, entry)) is not None:
                yield made
        elif name.lower() == SKILL_FILE.lower().encode():
            yield Candidate(root.rank, scope, str(entry.path), reason="a skill lies in a folder of its own, which has its name")
    for name, entries in folders.items():
        if (made := _skill_in(tree, root, name, RepoPath(root.path.raw + b"/" + name), entries)) is not None:
            yield made


def _linked_skill(tree: Tree, root: _Root, scope: str, name: bytes, entry: Entry) -> Candidate | None:
    try:
        path = target(tree, entry)
    except BadTarget as error:
        return Candidate(root.rank, scope, str(entry.path), reason=str(error))
    return _skill_in(tree, root, name, path, list(tree.walk(path))) if tree.is_folder(path) else None


def _agent_file(tree: Tree, root: _Root, scope: str, entry: Entry) -> Candidate:
    if entry.mode == MODE_SYMLINK:
        try:
            real = tree.find(target(tree, entry))
        except BadTarget as error:
            return Candidate(root.rank, scope, str(entry.path), reason=str(error))
        if real is None:
            return Candidate(root.rank, scope, str(entry.path), reason="a link to a folder")
        return _agent(tree, root.rank, scope, real)
    if entry.why_not_read:
        return Candidate(root.rank, scope, str(entry.path), reason=f"a {entry.why_not_read}, and those are not read")
    return _agent(tree, root.rank, scope, entry)


def _agent(tree: Tree, rank: int, scope: str, file: Entry) -> Candidate:
    """An agent file, which may have any name. Where a link makes one of a SKILL.md, the sidecar beside that still holds."""
    folder, _, name = file.path.raw.rpartition(b"/")
    sidecar, problem = _sidecar(tree, folder) if name == SKILL_FILE.encode() else (None, "")
    return Candidate(rank, scope, str(file.path), file=file, sidecar=sidecar, sidecar_problem=problem)


def _skill_in(tree: Tree, root: _Root, name: bytes, folder: RepoPath, entries: list[Entry]) -> Candidate | None:
    """The candidate in one folder, whose files are ``entries``; None where it has nothing to do with skills."""
    scope = _shown(root.scope)
    shown = f"{folder}/{SKILL_FILE}"
    exact = SKILL_FILE.encode()
    inside = {entry.path.raw[len(folder.raw) + 1 :]: entry for entry in entries}
    alike = [path for path in inside if path.lower() == exact.lower() and path != exact]
    entry = inside.get(exact)
    reason = note = ""
    if entry is None:
        if any(path.startswith(exact + b"/") for path in inside):
            reason = f"{SKILL_FILE} is a folder"
        elif alike:
            shown = str(inside[alike[0]].path)
            reason = f"the file must be named {SKILL_FILE}"
        elif deeper := next((path for path in inside if path.endswith(b"/" + exact) and path.count(b"/") == 1), None):
            shown = str(inside[deeper].path)
            reason = f"{_TOO_DEEP}: a skill is a folder right in `{root.path}`"
        else:
            return None
        return Candidate(root.rank, scope, shown, reason=reason)
    if alike:
        note = f"`{alike[0].decode('utf-8', 'replace')}` lies beside {SKILL_FILE} and is not read"
    if entry.mode == MODE_SUBMODULE:
        return Candidate(root.rank, scope, shown, reason="a submodule, and those are not read")
    if entry.mode == MODE_SYMLINK:
        try:
            entry = tree.find(target(tree, entry))
        except BadTarget as error:
            return Candidate(root.rank, scope, shown, reason=str(error))
        if entry is None:
            return Candidate(root.rank, scope, shown, reason="a link to a folder")
    sidecar, problem = _sidecars(tree, folder.raw, entry.path.raw.rpartition(b"/")[0])
    return Candidate(
        root.rank,
        scope,
        str(entry.path),
        name.decode("utf-8", "backslashreplace"),
        entry,
        beside=tuple(_beside(tree, inside)),
        sidecar=sidecar,
        sidecar_problem=problem,
        note=note,
    )


def _sidecar(tree: Tree, folder: bytes) -> tuple[Entry | None, str]:
    """The sidecar in a folder that may restrict invocation. One that is there in any other form than a file closes the skill."""
    agents = RepoPath(folder + b"/agents" if folder else b"agents")
    path = RepoPath(agents.raw + b"/openai.yaml")
    entry = tree.find(path)
    if entry is not None:
        return (None, f"it is a {entry.why_not_read}") if entry.why_not_read else (entry, "")
    if tree.is_folder(path):
        return None, "it is a folder"
    if tree.find(agents) is not None:
        return None, "`agents` is no folder"
    return None, ""


def _sidecars(tree: Tree, folder: bytes, real: bytes) -> tuple[Entry | None, str]:
    """The sidecar in a skill's folder, or in that of the file which its SKILL.md leads to; two different ones close the skill."""
    found = {entry.oid if entry else problem: (entry, problem) for entry, problem in map(_sidecar, (tree, tree), (folder, real))}
    found.pop("", None)
    if len(found) > 1:
        return None, f"another one lies beside the file that {SKILL_FILE} leads to"
    return next(iter(found.values()), (None, ""))


def _beside(tree: Tree, inside: dict[bytes, Entry]) -> Iterator[GuideFile]:
    """Files beside the skill, down to one folder. A link counts as what it leads to inside the tree."""
    for path, entry in sorted(inside.items()):
        if path == SKILL_FILE.encode() or path.count(b"/") > 1 or entry.mode == MODE_SUBMODULE:
            continue
        real: Entry | None = entry
        if entry.mode == MODE_SYMLINK:
            try:
                real = tree.find(target(tree, entry))
            except BadTarget:
                continue
        if real is not None:
            yield GuideFile(path.decode("utf-8", "backslashreplace"), real.oid, real.path)


def _doc_of(entry: Entry, parts: list[bytes]) -> DocCandidate | None:
    name = parts[-1].decode("utf-8", "replace").lower()
    above = _shown(b"/".join(parts[:-1]))
    if name in _RULES_FILES:
        return DocCandidate(entry, _above(above, ".claude"), rules_file=True, default=True)
    stem, dot, suffix = name.rpartition(".")
    if suffix not in ("md", "mdc", "markdown") or not dot:
        return None
    if stem in _TEAM_DOCS and above in ("", ".github", "docs"):
        return DocCandidate(entry, default=True)
    if name == "copilot-instructions.md" and parts[-2:-1] == [b".github"]:
        return DocCandidate(entry, _above(above, ".github"), rules_file=True, default=True)
    if parts[-3:-1] == [b".cursor", b"rules"]:
        return DocCandidate(entry, _above(above, ".cursor/rules"), rules_file=True, default=True)
    return DocCandidate(entry) if parts[0] == b"docs" and suffix == "md" else None


def _above(folder: str, last: str) -> str:
    """The folder that ``last`` lies in, where ``folder`` ends in it."""
    return folder.removesuffix(last).rstrip("/") if folder == last or folder.endswith(f"/{last}") else folder


def _doc_order(doc: DocCandidate) -> tuple[int, int, RepoPath]:
    name = str(doc.entry.path).rpartition("/")[2].lower()
    known = (*_TEAM_DOCS, "agents.md", "claude.md", "copilot-instructions.md")
    place = next((index for index, start in enumerate(known) if name.startswith(start)), len(known))
    return doc.scope.count("/") + (doc.scope != ""), place, doc.entry.path
