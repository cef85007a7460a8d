"""From candidates to skills: what is valid and why one is not, who may load it, and which of several with one name counts."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import yaml

from kodus_check.git.objects import Blob
from kodus_check.git.trees import LFS_POINTER, MAX_GUIDE, Tree
from kodus_check.guides import builtin, tokens
from kodus_check.guides.find import Candidate
from kodus_check.guides.frontmatter import Broken, Frontmatter, entries, read_frontmatter, scalar, words
from kodus_check.guides.invocation import MAX_SIDECAR, invocation
from kodus_check.model import GuideFile, Notice, NoticeKind, Skill
from kodus_check.text import fold_space, one_line

MAX_NAME, MAX_DESCRIPTION = 64, 1024
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f]"
)
"""What hides text or turns it round. Joiners are not meant: emoji and many scripts need them."""

Count = Callable[[str], int]


def read_skills(tree: Tree, candidates: Iterable[Candidate], *, count: Count = tokens.count) -> tuple[list[Skill], list[Notice]]:
    """The skills of all candidates, in their order, each with its fate; ``count`` counts tokens."""
    listed = list(candidates)
    wanted = [entry for one in listed for entry in (one.file, one.sidecar) if entry is not None]
    blobs = {entry.oid: blob for entry, blob in zip(wanted, tree.blobs(wanted), strict=True)}
    skills: list[Skill] = []
    notices: list[Notice] = []
    for one in listed:
        file = blobs[one.file.oid] if one.file is not None else None
        sidecar = blobs[one.sidecar.oid] if one.sidecar is not None else None
        skill, found = _read(one, file, sidecar, count)
        skills.append(skill)
        notices.extend(found)
    return skills, notices


def builtin_skill(name: str, *, count: Count = tokens.count) -> Skill:
    """A skill that ships, as ``builtin:NAME``; KeyError when there is none."""
    data = builtin.read(name)
    shown = f"{builtin.PREFIX}{name}"
    files = tuple(GuideFile(path, None) for path in builtin.beside(name))
    skill, _ = judge(Skill(shown, data=data, files=files), name, None, "", count)
    return replace(skill, id=shown)


def judge(skill: Skill, folder: str, sidecar: bytes | None, sidecar_problem: str, count: Count) -> tuple[Skill, list[Notice]]:
    """``skill``, of which only the bytes and what lies around it are known, with everything that its bytes say.

    ``folder`` is the name it must have; "" for an agent file.
    """
    try:
        front = read_frontmatter(skill.data)
        name, description = _identity(front, folder)
    except Broken as broken:
        return replace(skill, reason=broken.reason, line=broken.line), []
    metadata = entries(front.entries.get("metadata"))
    body = skill.data[front.body :].decode()
    whole = skill.data.decode()
    made = replace(
        skill,
        name=name,
        id=name,
        description=description,
        line=front.line("name"),
        invocation=invocation(front.entries, sidecar, sidecar_problem),
        triggers=words(metadata.get("triggers")),
        paths=words(front.entries.get("paths")) or words(metadata.get("paths")),
        order=_order(metadata.get("order")),
        body=front.body,
        lines=whole.count("\n") + (not whole.endswith("\n")),
        tokens=count(whole),
    )
    return made, list(_remarks(made, front, body))


def settle(skills: Iterable[Skill], ranks: dict[str, int]) -> tuple[list[Skill], list[Notice]]:
    """Which of several skills with one name counts in each scope: the one with the lowest rank; ``ranks`` is by path.

    One that is not valid never counts; one that only people may load keeps its name all the same.
    """
    notices: list[Notice] = []
    winners: dict[tuple[str, str], Skill] = {}
    twins: dict[str, str] = {}
    listed = list({skill.path: skill for skill in sorted(skills, key=lambda one: -ranks[one.path])}.values())
    for skill in sorted((one for one in listed if one.valid), key=lambda one: (ranks[one.path], one.path)):
        first = winners.setdefault((skill.scope, skill.name), skill)
        if first is skill:
            continue
        twins[skill.path] = first.path
        if (first.oid, first.invocation) != (skill.oid, skill.invocation):
            notices.append(
                Notice(
                    NoticeKind.SKILL_SHADOWED,
                    f"`{skill.path}` is not used: `{first.path}` has the same name `{skill.name}` and comes first. "
                    "Rename one of them, or link the one you mean by its path.",
                    skill.path,
                )
            )
    names: dict[str, int] = {}
    for _, name in winners:
        names[name] = names.get(name, 0) + 1
    out = [replace(one, twin_of=twins.get(one.path, ""), id=_id(one, names, twins)) if one.valid else one for one in listed]
    return sorted(out, key=lambda one: (one.scope.count("/") + (one.scope != ""), ranks[one.path], one.path)), notices


def _id(skill: Skill, names: dict[str, int], twins: dict[str, str]) -> str:
    if skill.path in twins:
        return skill.path
    return f"{skill.scope}/{skill.name}" if skill.scope and names[skill.name] > 1 else skill.name


def _read(one: Candidate, file: Blob | None, sidecar: Blob | None, count: Count) -> tuple[Skill, list[Notice]]:
    skill = Skill(one.shown, reason=one.reason, scope=one.scope, files=one.beside)
    if file is None:
        return skill, []
    skill = replace(skill, oid=file.oid)
    if file.data is None:
        return replace(skill, reason=f"{file.size:,} bytes; a guide may have {MAX_GUIDE:,}"), []
    if file.data.startswith(LFS_POINTER):
        return replace(skill, reason="a Git LFS pointer, and what it points to is not in the repository"), []
    problem = one.sidecar_problem
    if sidecar is not None and (sidecar.data is None or sidecar.size >= MAX_SIDECAR):
        problem = f"it must be smaller than {MAX_SIDECAR // 1024} KiB"
    data = sidecar.data if sidecar is not None and not problem else None
    made, notices = judge(replace(skill, data=file.data), one.folder, data, problem, count)
    if one.note:
        notices.append(Notice(NoticeKind.GUIDE_REMARK, f"{one.note}. Remove or rename it.", one.shown))
    return made, notices


def _identity(front: Frontmatter, folder: str) -> tuple[str, str]:
    name = scalar(front.entries.get("name"))
    if name is None:
        raise Broken("`name` is missing, or no text", front.line("name"))
    shown = one_line(name)[:80]
    if not NAME.fullmatch(name):
        raise Broken(f"`name` is `{shown}`; it may hold lower-case letters, digits and single hyphens", front.line("name"))
    if len(name) > MAX_NAME:
        raise Broken(f"`name` has {len(name)} characters; {MAX_NAME} are allowed", front.line("name"))
    if folder and name != folder:
        raise Broken(f"`name` is `{shown}`, but the folder is `{one_line(folder)}`; they must be equal", front.line("name"))
    description = scalar(front.entries.get("description"))
    if description is None or not description.strip():
        raise Broken("`description` is missing, or no text", front.line("description"))
    return name, description.strip()


def _order(node: yaml.Node | None) -> int:
    text = scalar(node) or ""
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else 0


def _remarks(skill: Skill, front: Frontmatter, body: str) -> Iterable[Notice]:
    """What is wrong with a valid skill, and with its controls."""
    for problem in skill.invocation.diagnostics:
        yield Notice(NoticeKind.SKILL_CONTROL_UNCLEAR, f"{problem[:1].upper()}{problem[1:]}.", skill.path)
    for key in front.repaired:
        text = f"`{key}` is not YAML as it stands (an unquoted colon or mark); it was read as text. Put it in quotes."
        yield Notice(NoticeKind.GUIDE_REMARK, text, f"{skill.path}:{front.line(key)}")
    if len(skill.description) > MAX_DESCRIPTION:
        text = f"`description` has {len(skill.description):,} characters; more than {MAX_DESCRIPTION:,} are cut where it is listed."
        yield Notice(NoticeKind.GUIDE_REMARK, text, f"{skill.path}:{front.line('description')}")
    if "description" not in front.repaired and _has_comment(front.entries["description"], skill, front.line("description")):
        text = "What follows ` #` in `description` is a comment to YAML and is not read. Put the value in quotes."
        yield Notice(NoticeKind.GUIDE_REMARK, text, f"{skill.path}:{front.line('description')}")
    if UNSEEN.search(body) or UNSEEN.search(skill.description):
        text = "It holds characters that nobody sees (control, zero-width or bidi). They cannot be cited; look at what they hide."
        yield Notice(NoticeKind.GUIDE_HIDDEN_TEXT, text, skill.path)


def _has_comment(node: yaml.Node, skill: Skill, line: int) -> bool:
    plain = isinstance(node, yaml.ScalarNode) and not node.style and node.start_mark.line == node.end_mark.line
    return plain and " #" in skill.data.decode().split("\n")[line - 1]


def summary(skill: Skill) -> str:
    """The description on one line, as it is listed."""
    return fold_space(skill.description)
