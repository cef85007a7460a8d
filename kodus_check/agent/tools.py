"""The read-only tools of a review. Each answers with text, whatever it is asked; all go through git objects and one policy.

T1  a tool that raises would end the run                       -> everything that can fail is an answer that says what to do
T2  endless output, a huge file, a search over all of history  -> bounds on lines, characters, files, bytes and time, each cut said
T3  text of the repository that plays instruction or terminal  -> spelled out where nobody would see it, redacted, said to be data
"""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kodus_check.agent.calls import CallLog
from kodus_check.agent.policy import Policy, Verdict
from kodus_check.agent.redact import redact
from kodus_check.errors import ConfigError, KodusCheckError
from kodus_check.git.trees import Entry, Tree
from kodus_check.globs import Globs
from kodus_check.guides.find import NOT_OURS
from kodus_check.guides.menu import MAX_QUERY, search
from kodus_check.guides.reading import BadReference, read_skill, reference, shown
from kodus_check.model import Change, RepoPath, Skill
from kodus_check.rules.search import search as structural
from kodus_check.text import counted, one_line, shorten, visible

MAX_READ_LINES, MAX_READ_CHARACTERS, MAX_LINE = 400, 24_000, 1_000
MAX_LISTED, MAX_MATCHES, MAX_FILE_BYTES = 200, 50, 1_000_000
MAX_SEARCH_FILES, MAX_SEARCH_BYTES, MAX_SEARCH_SECONDS = 5_000, 40_000_000, 10.0

Side = Literal["head", "base"]
Tool = Callable[..., Awaitable[str]]


class Refused(Exception):
    """An answer that says why there is none."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """At most so many paths of the repository, those of changed folders first, and how many there are in all."""

    paths: tuple[str, ...]
    total: int


def inventory(head: Tree, change: Change, policy: Policy, *, most: int = 400) -> Inventory:
    """Paths of head without private ones and without folders of other people's code, which count too."""
    touched = {file.path.raw.rpartition(b"/")[0] for file in change.files}
    ours: list[RepoPath] = []
    total = 0
    for entry in head.walk():
        total += 1
        if not NOT_OURS.intersection(entry.path.raw.split(b"/")[:-1]) and not policy.is_private(entry.path):
            ours.append(entry.path)
    ours.sort(key=lambda path: (path.raw.rpartition(b"/")[0] not in touched, path.raw.count(b"/"), path.raw))
    return Inventory(tuple(one_line(str(path)) for path in ours[:most]), total)


class Toolbox:
    """The tools of one reviewer. ``loaded`` are the skills that it has loaded, in order."""

    def __init__(
        self,
        base: Tree,
        head: Tree,
        policy: Policy,
        skills: Sequence[Skill],
        log: CallLog,
        *,
        agent: str,
        files: Callable[[Skill, str], bytes],
    ) -> None:
        """``files`` reads a file beside a skill."""
        self.loaded: dict[str, Skill] = {}
        self._trees = {"head": head, "base": base}
        self._policy = policy
        self._skills = {skill.id: skill for skill in skills}
        self._log = log
        self._agent = agent
        self._files = files

    def read_file(self, path: str, side: Side = "head", start_line: int = 1, end_line: int | None = None) -> str:
        """Read lines of a file, numbered. `side` is head (the change) or base (what judges it); lines are 1-based."""
        return self._answer(
            "read_file", f"{side}:{path}:{start_line}-{end_line or ''}", lambda: self._read(path, side, start_line, end_line)
        )

    def list_files(self, folder: str = "", side: Side = "head") -> str:
        """List what lies in a folder; without one, in the root."""
        return self._answer("list_files", f"{side}:{folder}", lambda: self._list(folder, side))

    def search_text(self, text: str, glob: str = "", side: Side = "head") -> str:
        """Find lines that hold a text, taken literally. `glob` (gitignore syntax, such as `src/**/*.py`) narrows the files."""
        return self._answer("search_text", f"{side}:{glob}:{text}", lambda: self._search(text, glob, side))

    def search_code(self, pattern: str, language: str, glob: str = "") -> str:
        """Find code by structure: `pattern` is code of `language` with `$NAME` for any one node and `$$$` for any number."""
        return self._answer("search_code", f"{language}:{glob}:{pattern}", lambda: self._structural(pattern, language, glob))

    def skill(self, name: str | None = None, query: str | None = None, offset: int = 0) -> str:
        """Load a skill by `name`, or find skills by `query` (literal; "" lists all) from `offset` on. Not both."""
        return self._answer(
            "skill", f"{name or ''}:{query if query is not None else ''}:{offset}", lambda: self._skill(name, query, offset)
        )

    def read_skill_file(self, skill: str, path: str) -> str:
        """Read a file beside a skill that is loaded, down to one folder below it."""
        return self._answer("read_skill_file", f"{skill}:{path}", lambda: self._skill_file(skill, path))

    def _answer(self, tool: str, arguments: str, work: Callable[[], str]) -> str:
        start = time.perf_counter()
        reason = ""
        try:
            result = work()
        except Refused as refused:
            result = reason = str(refused)
        except (KodusCheckError, ValueError, OSError, RecursionError) as error:  # T1
            reason = type(error).__name__
            result = f"This could not be done ({one_line(str(error))[:200]}). Try something else."
        self._log.add(self._agent, tool, redact(one_line(arguments))[0], result, start, reason=reason)
        return result

    def _read(self, path: str, side: Side, start_line: int, end_line: int | None) -> str:
        lines = self._text(path, side).split("\n")
        if lines[-1] == "":
            lines.pop()
        first = max(1, start_line)
        if first > max(1, len(lines)):
            raise Refused(f"`{one_line(path)}` has {counted(len(lines), 'line')}; line {first:,} is not there.")
        last = min(len(lines), end_line or len(lines), first + MAX_READ_LINES - 1)
        out: list[str] = []
        size = 0
        for number in range(first, last + 1):
            line = f"{number:>5} | {shorten(lines[number - 1], MAX_LINE)}"
            size += len(line) + 1
            if size > MAX_READ_CHARACTERS:
                last = number - 1
                break
            out.append(line)
        if last < len(lines) and (end_line is None or last < end_line):
            out.append(f"[truncated: lines {first:,}-{last:,} of {len(lines):,}; go on with start_line={last + 1}]")
        return "\n".join(out)

    def _text(self, path: str, side: Side) -> str:
        _, data = self._file(path, side)
        return redact(visible(data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")))[0]

    def _file(self, path: str, side: Side) -> tuple[Entry, bytes]:
        found = self._policy.path(path)
        if isinstance(found, Verdict):
            raise Refused(f"`{one_line(path)[:200]}` cannot be read: {found.reason}.")
        tree = self._tree(side)
        entry = tree.find(found)
        if entry is None:
            raise Refused(self._missing(tree, found, side))
        blob = tree.blob(entry, limit=MAX_FILE_BYTES) if not entry.why_not_read else None
        verdict = self._policy.entry(entry, blob.data if blob else None, blob.size if blob else 0)
        if not verdict.allowed:
            raise Refused(f"`{found}` cannot be read: {verdict.reason}.")
        assert blob is not None
        assert blob.data is not None
        return entry, blob.data

    def _missing(self, tree: Tree, path: RepoPath, side: Side) -> str:
        if tree.is_folder(path):
            return f"`{path}` is a folder; list it with list_files."
        name = path.raw.rpartition(b"/")[2].lower()
        others = (one.path for one in tree.walk(skip=NOT_OURS) if one.path.raw.rpartition(b"/")[2].lower() == name)
        alike = next((one for one in others if not self._policy.is_private(one)), None)
        hint = f" There is `{alike}`." if alike else " Use list_files or search_text to find it."
        return f"There is no file `{path}` at {side}.{hint}"

    def _tree(self, side: str) -> Tree:
        if side not in self._trees:
            raise Refused("`side` is head or base.")
        return self._trees[side]

    def _list(self, folder: str, side: Side) -> str:
        tree = self._tree(side)
        path: RepoPath | None = None
        if folder.strip() not in ("", ".", "./", "/"):
            found = self._policy.path(folder)
            if isinstance(found, Verdict):
                raise Refused(f"`{one_line(folder)[:200]}` cannot be listed: {found.reason}.")
            if not tree.is_folder(found):
                raise Refused(f"There is no folder `{found}` at {side}.")
            path = found
        start = len(path.raw) + 1 if path else 0
        names: dict[str, int] = {}
        private = 0
        for entry in tree.walk(path):
            if self._policy.is_private(entry.path):
                private += 1
                continue
            head, slash, _ = entry.path.raw[start:].partition(b"/")
            name = one_line(head.decode("utf-8", "backslashreplace")) + ("/" if slash else "")
            names[name] = names.get(name, 0) + 1
        lines = [f"{name} ({counted(count, 'file')})" if name.endswith("/") else name for name, count in sorted(names.items())]
        if len(lines) > MAX_LISTED:
            lines = [*lines[:MAX_LISTED], f"[truncated: {MAX_LISTED} of {len(names):,} entries; name a folder]"]
        if private:
            lines.append(f"[{counted(private, 'private file')} not shown]")
        return "\n".join(lines) or "This folder is empty."

    def _candidates(self, glob: str, side: Side) -> Iterator[Entry]:
        try:
            globs = Globs([glob]) if glob else None
        except ConfigError as error:
            raise Refused(f"`{one_line(glob)}` is no glob: {error.what}.") from None
        for entry in self._tree(side).walk(skip=NOT_OURS):
            if not entry.why_not_read and not self._policy.is_private(entry.path) and (globs is None or entry.path in globs):
                yield entry

    def _search(self, text: str, glob: str, side: Side) -> str:
        if not text.strip() or len(text) > MAX_QUERY or "\n" in text:
            raise Refused(f"Search for one line of text of at most {MAX_QUERY} characters.")
        wanted = text.encode()
        deadline = time.monotonic() + MAX_SEARCH_SECONDS
        entries = list(self._candidates(glob, side))
        out: list[str] = []
        found = files = size = 0
        stopped = f"only {MAX_SEARCH_FILES:,} of {len(entries):,} files were searched" if len(entries) > MAX_SEARCH_FILES else ""
        looked_at = entries[:MAX_SEARCH_FILES]
        for entry, blob in zip(looked_at, self._tree(side).blobs(looked_at, limit=MAX_FILE_BYTES), strict=True):
            if time.monotonic() > deadline or size > MAX_SEARCH_BYTES:
                stopped = "the search was stopped by its bounds"
                break
            data = blob.data or b""
            size += len(data)
            if wanted not in data or b"\0" in data[:8_192]:
                continue
            files += 1
            for number, line in enumerate(data.split(b"\n"), 1):
                if wanted in line:
                    found += 1
                    if found <= MAX_MATCHES:
                        told = visible(line.decode("utf-8", "backslashreplace")).strip()
                        out.append(f"{one_line(str(entry.path))}:{number}: {shorten(told, 300)}")
        most = f", the first {MAX_MATCHES} are listed" if found > MAX_MATCHES else ""
        head = f"{counted(found, 'line')} in {counted(files, 'file')}{most}"
        tail = f"[{stopped}; narrow it with glob]" if stopped else ""
        return redact("\n".join(part for part in (f"{head}:" if found else "Nothing holds this text.", *out, tail) if part))[0]

    def _structural(self, pattern: str, language: str, glob: str) -> str:
        entries = list(self._candidates(glob, "head"))
        blobs = self._trees["head"].blobs(entries, limit=MAX_FILE_BYTES)
        result = structural(pattern, language, ((entry.path, blob.data or b"") for entry, blob in zip(entries, blobs, strict=True)))
        if result.problem:
            raise Refused(f"{result.problem[:1].upper()}{result.problem[1:]}.")
        lines = [f"{hit.path}:{hit.start_line}: {shorten(one_line(hit.text), 300)}" for hit in result.hits[:MAX_MATCHES]]
        more = f"[{len(result.hits) - MAX_MATCHES:,} more]" if len(result.hits) > MAX_MATCHES else ""
        cut = f"[{result.cut}]" if result.cut else ""
        return redact("\n".join(part for part in (*lines, more, cut) if part) or "Nothing matches.")[0]

    def _skill(self, name: str | None, query: str | None, offset: int) -> str:
        if (name is None) == (query is None):
            raise Refused("Give either `name`, to load a skill, or `query`, to find some.")
        if query is not None:
            page = search(list(self._skills.values()), query, offset)
            more = f"\n[next_offset: {page.next_offset}]" if page.next_offset is not None else ""
            return f"{counted(page.total, 'skill')}:\n{page.text}{more}" if page.shown else "No skill holds that."
        skill = self._skills.get(name or "")
        if skill is None:
            raise Refused("There is no such skill. Find skills with `query`.")
        if skill.id in self.loaded:
            return f"`{skill.id}` is loaded already; it stands above."
        self.loaded[skill.id] = skill
        beside = ", ".join(f"`{file.path}`" for file in skill.files[:10])
        more = f"\n\nFiles beside it, for read_skill_file: {beside}" if beside else ""
        return f"Skill `{skill.id}`, file `{skill.path}`:\n\n{read_skill(skill).text}{more}"

    def _skill_file(self, name: str, path: str) -> str:
        skill = self.loaded.get(name)
        if skill is None:
            raise Refused(f"`{one_line(name)[:80]}` is not loaded. Load it with `skill` first.")
        try:
            text = shown(self._files(skill, reference(skill, path)))
        except BadReference as error:
            raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
        return shorten(text, MAX_READ_CHARACTERS)
