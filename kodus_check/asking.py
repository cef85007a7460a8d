"""The stage that asks the model: which files each reviewer reads with which guides, and what that comes to. No model, no stage."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from kodus_check.agent.batches import FileText
from kodus_check.agent.calls import CallLog
from kodus_check.agent.difftext import hunk_texts
from kodus_check.agent.ledger import Ledger, Limits
from kodus_check.agent.models import Ask, ModelName, close, connect
from kodus_check.agent.policy import Policy, tool_verdict
from kodus_check.agent.prices import Prices
from kodus_check.agent.prompt import Standing, new_fence
from kodus_check.agent.reviewer import Asked, Task, ask_all, nobody_asked, prompts
from kodus_check.agent.tools import Inventory, Toolbox, inventory
from kodus_check.errors import UsageError
from kodus_check.following import Followed, Following
from kodus_check.git.objects import ObjectStore
from kodus_check.git.trees import Tree
from kodus_check.guides import builtin, tokens
from kodus_check.guides.budget import fit
from kodus_check.guides.menu import ChangeWords, eligible, menu
from kodus_check.model import (
    BatchFailure,
    Change,
    ChangedFile,
    FileKind,
    LoadedDoc,
    Match,
    Notice,
    NoticeKind,
    Proposed,
    RepoPath,
    Skill,
)
from kodus_check.plan import FolderPlan, Plan
from kodus_check.text import counted

MAX_TEXT = 1024 * 1024
"""A larger file is not read to a model; the rules still are for it."""


class Asking:
    """One run's questions to the model. ``readable`` says of a changed file whether a model may judge it at all."""

    def __init__(
        self,
        store: ObjectStore,
        trees: tuple[Tree, Tree],
        plan: Plan,
        following: Following,
        change: Change,
        readable: Callable[[ChangedFile], bool],
    ) -> None:
        self._store = store
        self._base, self._head = trees
        self._plan = plan
        self._following = following
        self._change = change
        self._readable = readable
        self._policy = Policy(plan.config.private)
        self._fence = new_fence()
        self._lock = threading.Lock()
        self.log = CallLog()
        self._inventory: Inventory | None = None

    def asked(self, matches: Mapping[RepoPath, Sequence[Match]]) -> tuple[list[Asked], list[Notice]]:
        """Every prompt of the run, in order, and what is to be said about them."""
        found, redacted = prompts(self.tasks(), matches, tokens.count)
        notices = []
        if redacted:
            text = f"Taken out of what the model reads: {counted(redacted, 'key-shaped value')} of the change."
            notices.append(Notice(NoticeKind.KEYS_REDACTED, f"{text} If one is a real key, revoke it: it is in the history."))
        return found, notices

    def tasks(self) -> Iterator[Task]:
        """One task a reviewer and configured folder that has files to judge."""
        texts: dict[RepoPath, FileText] = {}
        for followed in self._following.followed:
            reviewer = followed.reviewer
            files = [
                file
                for file in self._change.files
                if self._plan.for_file(file.path).folder == reviewer.folder
                and not self._plan.ignores(file.path)
                and (reviewer.paths is None or file.path in reviewer.paths)
                and self._readable(file)
                and self._policy.may_show(file).allowed
            ]
            for file in files:
                if file.path not in texts and (text := self._text(file)) is not None:
                    texts[file.path] = text
            listed = [texts[file.path] for file in files if file.path in texts]
            if listed:
                yield self._task(followed, listed)

    def _task(self, followed: Followed, files: list[FileText]) -> Task:
        reviewer = followed.reviewer
        folder = next(one for one in self._plan.folders if one.folder == reviewer.folder)
        paths = tuple(file.file.path for file in files)
        skills = [skill for skill in followed.skills if _speaks_of(skill.scope, paths)]
        docs = self._docs(followed, paths)
        words = ChangeWords(paths, "\n".join(hunk.text for file in files for hunk in file.hunks)[:200_000])
        listed = menu(eligible(skills) + [skill for skill in skills if not skill.invocation.model], words)
        if self._inventory is None:
            self._inventory = inventory(self._head, self._change, self._policy)
        description, instructions = _said(folder, reviewer.name)
        standing = Standing(
            fence=self._fence,
            description=description,
            instructions=instructions,
            docs=docs,
            menu=listed.text,
            language=self._plan.config.language,
            inventory=self._inventory.paths,
            inventory_total=self._inventory.total,
        )
        read: dict[str, Skill] = {}
        return Task(
            reviewer.name, standing, tuple(files), tuple(skills), docs, lambda: self._tools(reviewer.name, skills, read), read
        )

    def _docs(self, followed: Followed, paths: Sequence[RepoPath]) -> tuple[LoadedDoc, ...]:
        """The docs of a reviewer; where none are configured, also the rules files of the folders that are touched."""
        if followed.reviewer.docs is not None:
            return followed.docs
        own = [loaded.doc for loaded in followed.docs]
        by_path = self._following.guides.followed_by
        nested = [
            doc
            for doc in self._following.guides.docs
            if doc.scope and doc not in own and followed.reviewer.name in by_path.get(doc.path, ()) and _speaks_of(doc.scope, paths)
        ]
        return fit([*own, *nested])

    def _text(self, file: ChangedFile) -> FileText | None:
        if not file.hunks or file.oversize:
            return None
        old, new = (self._store.blob(oid, limit=MAX_TEXT).data if oid else None for oid in (file.old_oid, file.new_oid))
        if (file.old_oid and old is None) or (file.new_oid and new is None):
            return None
        return FileText(file, tuple(hunk_texts(file, old, new)))

    def _tools(self, agent: str, skills: Sequence[Skill], read: dict[str, Skill]) -> list[Callable[..., Awaitable[str]]]:
        """The tools of one conversation. Git is read by one of them at a time, in a thread, so that others are not held up."""
        box = Toolbox(self._base, self._head, self._policy, skills, self.log, agent=agent, files=self.beside, read=read)
        made: list[Callable[..., str]] = [box.read_file, box.list_files, box.search_text, box.search_code]
        if skills:
            made += [_named(box.skill, [skill.id for skill in skills]), box.read_skill_file]
        return [self._threaded(tool) for tool in made if tool_verdict(tool.__name__).allowed]

    def _threaded(self, tool: Callable[..., str]) -> Callable[..., Awaitable[str]]:
        def locked(**arguments: Any) -> str:
            with self._lock:
                return tool(**arguments)

        async def call(**arguments: Any) -> str:
            return await asyncio.to_thread(locked, **arguments)

        return _disguised(call, tool)

    def beside(self, skill: Skill, path: str) -> bytes:
        """The bytes of a file beside a skill, at the base or among what ships."""
        file = next(one for one in skill.files if one.path == path)
        if file.where is None:
            return (builtin.FOLDER / skill.path.removeprefix(builtin.PREFIX) / path).read_bytes()
        entry = self._base.find(file.where)
        assert entry is not None
        return self._base.blob(entry).data or b""


def ask(asked: Sequence[Asked], plan: Plan, how: Ask) -> tuple[Proposed, Ledger]:
    """Asks the configured model everything. A model that cannot be asked is an outcome, never an exception."""
    config = plan.config
    ledger = Ledger(_limits(config.limits))
    name = ModelName.parse(config.model, config.base_url, where=config.origin("model").where)
    missing = name.missing_key(how.environ)
    if missing:
        detail = f"the model `{name}` needs the key in {missing}, and it is not set"
        return nobody_asked(asked, BatchFailure.NO_KEY, detail), ledger
    try:
        model = (how.connect or connect)(name, how.environ)
    except UsageError as error:
        return nobody_asked(asked, BatchFailure.UNAVAILABLE, error.sentence), ledger
    from kodus_check.agent.engine import Engine

    prices = Prices(config.prices.get("input"), config.prices.get("cached_input"), config.prices.get("output"))

    async def run() -> Proposed:
        try:
            return await ask_all(asked, Engine(model, ledger, prices, trace=how.trace))
        finally:
            await close(model)

    return asyncio.run(run()), ledger


def probe(plan: Plan, how: Ask) -> tuple[str, str]:
    """Whether the configured model answers: ("", how) when it does, else (why not, what to do)."""
    from kodus_check.agent.engine import BatchFailed, Engine, Job, Report

    config = plan.config
    name = ModelName.parse(config.model, config.base_url, where=config.origin("model").where)
    missing = name.missing_key(how.environ)
    if missing:
        return f"the key in {missing} is not set", REMEDIES[BatchFailure.NO_KEY]
    report = Report(
        "report_ready",
        "Say that you are ready.",
        "ready",
        {"type": "array", "items": {"type": "string"}},
        lambda given: (given, ()),
    )
    job = Job("doctor", "You are asked whether you can call tools.", "Call `report_ready` with an empty list.", report)

    async def ask_once() -> None:
        model = (how.connect or connect)(name, how.environ)
        try:
            await Engine(model, Ledger(Limits(requests=3, tokens=20_000, seconds=60.0)), Prices()).ask(job)
        finally:
            await close(model)

    try:
        asyncio.run(ask_once())
    except UsageError as error:
        return error.what, error.remedy or ""
    except BatchFailed as failed:
        return f"{failed.reason}: {failed.detail}", REMEDIES.get(failed.reason, "Choose a model that calls tools.")
    return "", f"{name} answers and calls tools"


def failure_notices(proposed: Proposed, model: str) -> list[Notice]:
    """That files were not judged by the model, why, and what to do; one notice a reason."""
    out: list[Notice] = []
    for reason in dict.fromkeys(one.reason for one in proposed.failed):
        same = [one for one in proposed.failed if one.reason is reason]
        files = list(dict.fromkeys(path for one in same for path in one.paths))
        named = ", ".join(files[:5]) + (f" and {len(files) - 5:,} more" if len(files) > 5 else "")
        why = f"{same[0].detail[:1].upper()}{same[0].detail[1:]}"
        text = f"NOT JUDGED by the model `{model}` ({reason}): {named}. {why}. The rules have judged what they can."
        remedy = REMEDIES.get(reason, "Run it again.")
        out.append(Notice(NoticeKind.MODEL_FAILED, f"{text} {remedy}", files[0] if len(files) == 1 else model))
    return out


REMEDIES = {
    BatchFailure.NO_KEY: "Give the job the key, or take `model` out of the config.",
    BatchFailure.UNAUTHORIZED: "Check the key and what it may use.",
    BatchFailure.RATE_LIMITED: "Run it again later, or raise the limit at the provider.",
    BatchFailure.UNAVAILABLE: "Run it again later.",
    BatchFailure.TOO_LARGE: "Choose a model that reads more, or link fewer docs.",
    BatchFailure.REJECTED: "Check the model's name and `base_url`.",
    BatchFailure.LIMIT_REQUESTS: "Raise `limits.requests` at the base, or split the change.",
    BatchFailure.LIMIT_TOKENS: "Raise `limits.tokens` at the base, or split the change.",
    BatchFailure.LIMIT_COST: "Raise `limits.cost_usd` at the base, or split the change.",
    BatchFailure.LIMIT_SECONDS: "Raise `limits.seconds` at the base, or split the change.",
}


def _limits(values: Mapping[str, float]) -> Limits:
    return Limits(int(values["requests"]), int(values["tokens"]), values["cost_usd"], values["seconds"])


def _said(folder: FolderPlan, name: str) -> tuple[str, str]:
    reviewer = next(one for one in folder.config.reviewers if one.name == name)
    return reviewer.description, reviewer.instructions


def _speaks_of(scope: str, paths: Sequence[RepoPath]) -> bool:
    return not scope or any(str(path).startswith(f"{scope}/") for path in paths)


def may_read(file: ChangedFile) -> bool:
    """Whether a changed file is text that a model can judge."""
    return file.kind is FileKind.FILE and bool(file.hunks) and not file.oversize


def _named(tool: Callable[..., str], names: Sequence[str]) -> Callable[..., str]:
    """``tool`` with its argument ``name`` as one of these: what was invented never reaches it."""
    from typing import Literal

    def skill(name: str | None = None, query: str | None = None, offset: int = 0) -> str:
        return tool(name=name, query=query, offset=offset)

    skill.__doc__ = tool.__doc__
    skill.__annotations__["name"] = Literal[tuple(sorted(names))] | None
    return skill


def _disguised(call: Callable[..., Awaitable[str]], tool: Callable[..., str]) -> Callable[..., Awaitable[str]]:
    """``call`` with the name, the text and the arguments of ``tool``."""
    import inspect

    signature = inspect.signature(tool)
    call.__name__, call.__doc__ = tool.__name__, tool.__doc__
    call.__annotations__ = {**getattr(tool, "__annotations__", {})}
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call
