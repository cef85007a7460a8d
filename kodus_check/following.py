"""Who follows which guide: the names that a plan links, looked up among the guides of the base, within each reviewer's budget."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kodus_check.errors import UsageError
from kodus_check.git.trees import Tree
from kodus_check.guides import builtin, tokens
from kodus_check.guides.budget import MAX_DOC_TOKENS, MAX_DOCS, MAX_SKILLS, budget_notices, fit
from kodus_check.guides.docs import read_docs
from kodus_check.guides.find import EXPLICIT, Candidate, DocCandidate, doc_at, find_guides, skill_at
from kodus_check.guides.menu import eligible
from kodus_check.guides.skills import Count, builtin_skill, read_skills, settle
from kodus_check.model import Budget, Doc, Guides, LoadedDoc, Notice, NoticeKind, RepoPath, Revision, Skill
from kodus_check.plan import Plan, ReviewerPlan


@dataclass(frozen=True, slots=True)
class Followed:
    """What one reviewer of one configured folder follows: its skills, and what of its docs fits."""

    reviewer: ReviewerPlan
    skills: tuple[Skill, ...]
    docs: tuple[LoadedDoc, ...]


@dataclass(frozen=True, slots=True)
class Following:
    """Every guide at the base, and what each reviewer follows of it, outer folders first."""

    guides: Guides
    followed: tuple[Followed, ...]

    def of(self, name: str | None) -> list[Followed]:
        """What a reviewer follows in all folders; everything where ``name`` is None."""
        return [one for one in self.followed if name is None or one.reviewer.name == name]


def read_guides(tree: Tree, plan: Plan, base: Revision | None = None, *, count: Count = tokens.count) -> Following:
    """Finds, reads and checks every guide at the base and says who follows it. Nothing here raises for a broken guide."""
    return _Reader(tree, plan, count).read(base)


def narrowed(following: Following, agent: str, skills: Sequence[str]) -> Following:
    """What one reviewer follows ("" for all), or these skills alone, which are loaded even where only a person may.

    UsageError where the base has no such skill.
    """
    followed = [one for one in following.followed if not agent or one.reviewer.name == agent]
    if not skills:
        return replace(following, followed=tuple(followed))
    chosen: list[Skill] = []
    for name in skills:
        found = [one for one in following.guides.skills if name in (one.id, one.name, one.path, one.path.removesuffix("/SKILL.md"))]
        valid = next((one for one in found if one.valid and (one.invocation.model or one.invocation.user)), None)
        if valid is None:
            why = (found[0].reason or "its controls let nobody load it") if found else "the base has no such skill"
            raise UsageError(why, where=f"--skill {name}", remedy="`kodus-check skills list` shows those of the base.")
        chosen.append(valid)
    return replace(following, followed=tuple(replace(one, skills=tuple(chosen), docs=()) for one in followed))


class _Reader:
    def __init__(self, tree: Tree, plan: Plan, count: Count) -> None:
        self._tree = tree
        self._count = count
        self._reviewers = [reviewer for folder in plan.folders for reviewer in folder.reviewers]
        self._found = find_guides(tree)
        self._notices: list[Notice] = []
        self._skills: dict[str, Skill] = {}
        self._docs: dict[str, Doc] = {}

    def read(self, base: Revision | None) -> Following:
        links = self._read_skills()
        self._read_docs()
        followed = [Followed(one, tuple(self._skills_of(one, links)), self._docs_of(one)) for one in self._reviewers]
        budgets = [self._budget(one) for one in followed]
        followed = [
            replace(one, skills=one.skills[:MAX_SKILLS] if one.reviewer.skills is not None else one.skills) for one in followed
        ]
        by_path = self._followed_by(followed)
        self._notices.extend(_shared(by_path))
        if tokens.problem() and self._count is tokens.count:
            text = f"Token counts are estimates, a quarter of the characters: {tokens.problem()}. Install the package again."
            self._notices.append(Notice(NoticeKind.TOKENS_ESTIMATED, text))
        guides = Guides(
            base,
            tuple(self._skills.values()),
            tuple(self._docs.values()),
            tuple(budgets),
            tuple(dict.fromkeys(one.name for one in self._reviewers)),
            by_path,
            tuple(dict.fromkeys(self._notices)),
        )
        return Following(guides, tuple(followed))

    def _read_skills(self) -> dict[str, str]:
        """Reads every skill; the answer is the path of the skill that each link names."""
        links: dict[str, str] = {}
        candidates = {one.shown: one for one in reversed(self._found.skills)}
        ranks = {path: one.rank for path, one in candidates.items()}
        shipped: dict[str, Skill] = {}
        for name in dict.fromkeys(name for one in self._reviewers for name in one.skills or ()):
            if name.startswith(builtin.PREFIX):
                links[name] = name
                try:
                    shipped[name] = builtin_skill(name.removeprefix(builtin.PREFIX), count=self._count)
                except KeyError:
                    shipped[name] = Skill(name, reason="no such skill ships")
                continue
            made = self._linked(name)
            links[name] = made.shown
            candidates.setdefault(made.shown, made)
            ranks[made.shown] = EXPLICIT
        read, notices = read_skills(self._tree, candidates.values(), count=self._count)
        settled, twins = settle(read, ranks)
        self._notices.extend([*notices, *twins])
        self._skills = {**{one.path: one for one in settled}, **shipped}
        return links

    def _linked(self, name: str) -> Candidate:
        try:
            return skill_at(self._tree, RepoPath.parse(name))
        except UsageError as error:
            return Candidate(EXPLICIT, "", name, reason=error.what)

    def _read_docs(self) -> None:
        candidates = {str(one.entry.path): one for one in self._found.docs}
        for name in dict.fromkeys(name for one in self._reviewers for name in one.docs or ()):
            found = self._doc_at(name)
            if found is not None:
                candidates.setdefault(str(found.entry.path), found)
        docs, notices = read_docs(self._tree, candidates.values(), count=self._count)
        self._docs = {one.path: one for one in docs}
        self._notices.extend(notices)

    def _doc_at(self, name: str) -> DocCandidate | None:
        try:
            return doc_at(self._tree, RepoPath.parse(name))
        except UsageError:
            return None

    def _skills_of(self, reviewer: ReviewerPlan, links: dict[str, str]) -> Iterator[Skill]:
        if reviewer.skills is None:
            found = {one.shown for one in self._found.skills}
            yield from eligible(skill for skill in self._skills.values() if skill.path in found)
            return
        seen: set[str] = set()
        for name in reviewer.skills:
            skill = self._skills[links[name]]
            if skill.path in seen:
                continue
            seen.add(skill.path)
            problem = skill.reason or ("" if skill.invocation.model or skill.invocation.user else "its controls let nobody load it")
            if not problem:
                yield skill
                continue
            missing = name in reviewer.may_miss and skill.oid is None and not name.startswith(builtin.PREFIX)
            self._refuse(reviewer, name, f"{skill.path}:{skill.line}" if skill.oid else name, problem, missing=missing)

    def _docs_of(self, reviewer: ReviewerPlan) -> tuple[LoadedDoc, ...]:
        return fit(self._linked_docs(reviewer), count=self._count)

    def _linked_docs(self, reviewer: ReviewerPlan) -> Iterator[Doc]:
        if reviewer.docs is None:
            yield from (doc for doc in self._default_docs() if _within(reviewer.folder, doc.scope))
            return
        seen: set[str] = set()
        for name in dict.fromkeys(reviewer.docs):
            found = self._doc_at(name)
            doc = self._docs.get(str(found.entry.path)) if found is not None else None
            if doc is not None and doc.path in seen:
                continue
            seen.add(doc.path if doc is not None else name)
            if doc is None:
                self._refuse(reviewer, name, name, "the base has no such file", missing=name in reviewer.may_miss)
            elif not doc.valid:
                self._refuse(reviewer, name, doc.path, doc.reason, missing=False)
            else:
                yield doc

    def _default_docs(self) -> Iterator[Doc]:
        """Docs that are followed where nothing is configured. A copy of one that speaks of its folder already is left out."""
        seen: dict[str, list[str]] = {}
        for candidate in self._found.docs:
            doc = self._docs[str(candidate.entry.path)]
            scopes = seen.setdefault(doc.oid or "", [])
            if candidate.default and doc.valid and not any(_within(doc.scope, scope) for scope in scopes):
                scopes.append(doc.scope)
                yield doc

    def _refuse(self, reviewer: ReviewerPlan, name: str, where: str, why: str, *, missing: bool) -> None:
        if missing:
            text = f"`{name}` is linked to `{reviewer.name}` at the global level, and this repository has none: it is not followed."
            self._notices.append(Notice(NoticeKind.GUIDE_MISSING, text, name))
            return
        text = f"`{name}` is linked to `{reviewer.name}` but is not followed: {why}. Correct it at the base, or take the link out."
        self._notices.append(Notice(NoticeKind.GUIDE_REFUSED, text, where))

    def _budget(self, one: Followed) -> Budget:
        asked = one.reviewer.skills is not None
        linked = len(one.skills) if asked else 0
        budget = Budget(one.reviewer.name, one.reviewer.folder, linked, MAX_SKILLS, one.docs, MAX_DOCS, MAX_DOC_TOKENS)
        self._notices.extend(budget_notices(budget, asked=one.reviewer.docs is not None))
        return budget

    def _followed_by(self, followed: Sequence[Followed]) -> dict[str, tuple[str, ...]]:
        out: dict[str, dict[str, None]] = {path: {} for path in (*self._skills, *self._docs)}
        for one in followed:
            docs: Iterable[Doc] = [loaded.doc for loaded in one.docs if not loaded.left_out]
            if one.reviewer.docs is None:
                docs = [*docs, *(doc for doc in self._default_docs() if doc.scope)]
            for path in (*(skill.path for skill in one.skills), *(doc.path for doc in docs)):
                out[path][one.reviewer.name] = None
        return {path: tuple(names) for path, names in out.items()}


def _within(folder: str, scope: str) -> bool:
    return not scope or f"{folder}/".startswith(f"{scope}/")


def _shared(followed_by: dict[str, tuple[str, ...]]) -> Iterator[Notice]:
    """Guides of the main review that an agent follows as well."""
    for path, names in followed_by.items():
        others = [name for name in names if name != "main_review"]
        if others and len(others) < len(names):
            listed = ", ".join(f"`{name}`" for name in others)
            text = (
                f"`{path}` is followed by the main review and by {listed}: the same rule may comment twice. Link it to one of them."
            )
            yield Notice(NoticeKind.GUIDE_SHARED, text, path)
