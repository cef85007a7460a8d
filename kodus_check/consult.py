"""Use cases over the guides of the base: who follows what, whether a quote stands there, and what skills there are."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kodus_check.app import Place
from kodus_check.errors import UsageError
from kodus_check.evidence.quote import Guide, check_quote
from kodus_check.following import Following, read_guides
from kodus_check.git.trees import MAX_GUIDE, Tree
from kodus_check.git.workspace import Workspace
from kodus_check.guides import builtin
from kodus_check.guides.builtin import SKILL_FILE
from kodus_check.guides.invocation import MAX_SIDECAR, SIDECAR
from kodus_check.guides.menu import Page, search
from kodus_check.guides.reading import BadReference, read_skill, reference, shown
from kodus_check.guides.skills import builtin_skill, judge
from kodus_check.model import GuideFile, QuoteCheck, Skill


def guides_at_base(place: Place) -> Following:
    """Every guide at the base and who follows it."""
    with place.open() as workspace:
        return _read(place, workspace)[1]


@dataclass(frozen=True, slots=True)
class BatchLine:
    """The answer to one line of a batch: a verdict, or what is wrong with the line."""

    check: QuoteCheck | None
    error: str = ""


def check_one(place: Place, agent: str | None, guide: str, quote: str) -> QuoteCheck:
    """Whether a quote stands in a guide that ``agent`` (None: any reviewer) follows."""
    with place.open() as workspace:
        return _Quotes(place, workspace, agent).check(guide, quote)


def check_batch(place: Place, agent: str | None, lines: Iterable[str]) -> Iterator[BatchLine]:
    """One answer for each line ``{"guide": …, "quote": …}`` that is not blank. A bad line costs only itself."""
    with place.open() as workspace:
        quotes = _Quotes(place, workspace, agent)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                asked = json.loads(line)
            except ValueError:
                yield BatchLine(None, f"line {number} is not JSON")
                continue
            if not isinstance(asked, dict) or not all(isinstance(asked.get(key), str) for key in ("guide", "quote")):
                yield BatchLine(None, f'line {number} is no object with the texts "guide" and "quote"')
                continue
            yield BatchLine(quotes.check(asked["guide"], asked["quote"]))


def find_skills(place: Place, query: str, offset: int) -> tuple[Page, list[Skill]]:
    """The valid skills whose name or description holds ``query``, a page at a time. Those that only people may load are in it."""
    skills = {one.id: one for one in _all_skills(place) if one.valid and not one.twin_of}
    try:
        page = search(list(skills.values()), query, offset)
        return page, [skills[name] for name in page.shown]
    except ValueError as error:
        raise UsageError(str(error), where=f"--offset {offset}" if offset < 0 else "QUERY") from None


@dataclass(frozen=True, slots=True)
class ShownSkill:
    skill: Skill
    text: str


def show_skill(place: Place, name: str, file: str | None) -> ShownSkill:
    """The text of a skill as a reviewer reads it, or of a file beside it. ``name`` is an id, a path or ``builtin:NAME``."""
    with place.open() as workspace:
        tree, following = _read(place, workspace)
        known = [*following.guides.skills, *_shipped(following)]
        skill = next((one for one in known if name in (one.id, one.path, one.path.removesuffix(f"/{SKILL_FILE}"))), None)
        if skill is None:
            raise UsageError("there is no such skill at the base", where=name, remedy="`kodus-check skills list` names them.")
        if skill.reason:
            where = f"{skill.path}:{skill.line}"
            raise UsageError(f"not a valid skill: {skill.reason}", where=where, remedy="Correct it at the base.")
        if file is None:
            return ShownSkill(skill, read_skill(skill).text)
        try:
            return ShownSkill(skill, shown(_beside(tree, skill, reference(skill, file))))
        except BadReference as error:
            raise UsageError(str(error), where=file) from None


def validate_at_base(place: Place) -> list[Skill]:
    """Every skill at the base with its fate."""
    with place.open() as workspace:
        return list(_read(place, workspace)[1].guides.skills)


def validate_on_disk(path: Path) -> list[Skill]:
    """Every skill below a folder of the disk (or the one in a file), which need not be committed. Links are not followed."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.name.lower() == SKILL_FILE.lower())
    return [_on_disk(file) for file in files]


def _on_disk(file: Path) -> Skill:
    skill = Skill(str(file))
    if file.is_symlink() or not file.is_file():
        return Skill(
            str(file), reason="a link, and those are not followed on disk" if file.is_symlink() else f"{SKILL_FILE} is a folder"
        )
    if file.stat().st_size > MAX_GUIDE:
        return Skill(str(file), reason=f"{file.stat().st_size:,} bytes; a guide may have {MAX_GUIDE:,}")
    named = file.name.lower() == SKILL_FILE.lower()
    if named and file.name != SKILL_FILE:
        return Skill(str(file), reason=f"the file must be named {SKILL_FILE}")
    sidecar = file.parent / SIDECAR
    problem = ""
    data: bytes | None = None
    if sidecar.is_symlink() or sidecar.is_dir() or (sidecar.exists() and sidecar.stat().st_size >= MAX_SIDECAR):
        problem = f"it must be a file smaller than {MAX_SIDECAR // 1024} KiB"
    elif sidecar.exists():
        data = sidecar.read_bytes()
    return judge(replace(skill, data=file.read_bytes()), file.absolute().parent.name if named else "", data, problem, len)[0]


class _Quotes:
    """The guides that a quote may come from, made ready once for many quotes."""

    def __init__(self, place: Place, workspace: Workspace, agent: str | None) -> None:
        self._tree, following = _read(place, workspace)
        if agent is not None and agent not in following.guides.reviewers:
            listed = ", ".join(following.guides.reviewers)
            raise UsageError("there is no such reviewer", where=f"--agent {agent}", remedy=f"Reviewers here are {listed}.")
        followed = following.of(agent)
        self._skills = {skill.path: skill for one in followed for skill in one.skills}
        guides = {path: Guide(path, skill.data) for path, skill in self._skills.items()}
        docs = [loaded.doc for one in followed for loaded in one.docs if not loaded.left_out]
        scoped = [doc for doc in following.guides.docs if doc.scope and following.guides.followed_by.get(doc.path)]
        guides.update((doc.path, Guide(doc.path, doc.data)) for doc in (*docs, *(scoped if agent in (None, "main_review") else ())))
        self._guides = guides

    def check(self, guide: str, quote: str) -> QuoteCheck:
        path = guide.replace("\\", "/").removeprefix("./")
        if path not in self._guides:
            self._load_reference(path)
        return check_quote(self._guides, path, quote)

    def _load_reference(self, path: str) -> None:
        """A file beside a followed skill may be quoted too. It is read when it is first named."""
        for skill in self._skills.values():
            for file in skill.files:
                if path == (str(file.where) if file.where else f"{skill.path}/{file.path}"):
                    self._guides[path] = Guide(path, _beside(self._tree, skill, file.path))
                    return


def _read(place: Place, workspace: Workspace) -> tuple[Tree, Following]:
    request = place.request(workspace)
    base = workspace.resolve_base(request.base)
    tree = Tree(workspace.store, workspace.store.commit(base.sha).tree)
    plan, _ = request.plan(tree, None)
    return tree, read_guides(tree, plan, base)


def _all_skills(place: Place) -> list[Skill]:
    with place.open() as workspace:
        following = _read(place, workspace)[1]
        return [*following.guides.skills, *_shipped(following)]


def _shipped(following: Following) -> list[Skill]:
    """The skills that ship and that nobody here follows yet."""
    known = {one.path for one in following.guides.skills}
    return [builtin_skill(name) for name in builtin.names() if f"{builtin.PREFIX}{name}" not in known]


def _beside(tree: Tree, skill: Skill, path: str) -> bytes:
    file: GuideFile = next(one for one in skill.files if one.path == path)
    if file.where is None:
        return (builtin.FOLDER / skill.path.removeprefix(builtin.PREFIX) / path).read_bytes()
    entry = tree.find(file.where)
    assert entry is not None
    data = tree.blob(entry).data
    if data is None:
        raise UsageError(f"the file has more than {MAX_GUIDE:,} bytes", where=str(file.where))
    return data
