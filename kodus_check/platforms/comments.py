"""Comments on a pull request: inline, on a file, and one summary that is kept up to date. Nothing that was found is lost.

T1  a comment that exists already is written again        -> comments that bear our marker are read first, of our own identity alone
T2  the answer to a write is lost                         -> what stands is read back before anything is sent again
T3  one refused line costs the whole review               -> lines are checked before; else each is sent alone, then on the file
T4  the pull request moved on while it was judged         -> nothing is posted
T5  somebody copies a marker into a comment of their own  -> a marker counts only in comments of the token's identity
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kodus_check.model import ChangedFile, Finding, Mode, Notice, NoticeKind, RepoPath, Review, is_sha
from kodus_check.platforms.github import MAX_WAIT, ApiError, GitHub
from kodus_check.platforms.markers import facts_of, marker
from kodus_check.platforms.placing import Place, place_of
from kodus_check.text import counted

BATCH = 30
TRIES = 3
FIRST_WAIT = 2.0


@dataclass(frozen=True, slots=True)
class Job:
    """Which comments belong together: those of one configuration on one pull request. ``inline`` is how many there may be new."""

    number: int
    key: str
    inline: int = 30
    summary: bool = True


@dataclass
class Published:
    """What stands now. ``listed`` are findings that stand in the summary alone; ``problems`` say why something does not stand."""

    superseded: str = ""
    inline: int = 0
    on_files: int = 0
    kept: int = 0
    listed: int = 0
    summary: bool = False
    problems: list[str] = field(default_factory=list)

    def notices(self) -> list[Notice]:
        if self.superseded:
            return [Notice(NoticeKind.SUPERSEDED, self.superseded)]
        return [Notice(NoticeKind.NOT_PUBLISHED, text) for text in dict.fromkeys(self.problems)]


@dataclass(frozen=True, slots=True)
class _Wanted:
    finding: Finding
    body: str
    path: RepoPath
    place: Place | None


class _Stop(Exception):
    """Nothing more can be written, and why."""


class Publisher:
    """Writes the comments of one review. ``render`` gives the body of a finding, ``summarise`` that of the summary."""

    def __init__(
        self,
        github: GitHub,
        job: Job,
        render: Callable[[Finding], str],
        summarise: Callable[[list[Notice]], str],
    ) -> None:
        self._github = github
        self._job = job
        self._render = render
        self._summarise = summarise
        self._me: str | None = None
        self._tried: list[_Wanted] = []
        self._on_files: list[_Wanted] = []
        self._waited = 0.0

    def publish(self, review: Review, findings: Sequence[Finding], files: Iterable[ChangedFile]) -> Published:
        """Writes what is missing of ``findings`` (the worst first) and brings the summary up to date."""
        out = Published()
        try:
            out.superseded = self._moved(review)
            if out.superseded:
                return out
            self._me = self._identity()
        except (_Stop, ApiError) as error:  # where that is not known, nothing may be written
            out.problems.append(str(error) if isinstance(error, _Stop) else f"Nothing was posted. {error}.")
            return self._with_listed(out, findings)
        try:
            self._post(out, review, findings, {file.path: file for file in files})
        except _Stop as stop:
            out.problems.append(str(stop))
        except ApiError as error:
            out.problems.append(f"{error}.")
        self._count(out)
        self._with_listed(out, findings)
        if self._job.summary:
            try:
                self._put_summary(review, self._summarise(out.notices()))
                out.summary = True
            except (_Stop, ApiError) as error:
                out.problems.append(f"The summary comment could not be written. {error}")
        return out

    def _with_listed(self, out: Published, findings: Sequence[Finding]) -> Published:
        shown = sum(finding.mode is not Mode.SHADOW for finding in findings)
        out.listed = max(0, shown - out.inline - out.on_files - out.kept)
        return out

    def _moved(self, review: Review) -> str:
        """How the pull request has moved on, "" where it has not; _Stop where it is closed or its head is not known (T4)."""
        pull = self._github.read(f"pulls/{self._job.number}")
        now = _part(pull, "head").get("sha")
        if not isinstance(now, str) or not is_sha(now):
            raise _Stop("Nothing was posted: GitHub's answer is no pull request.")
        if review.head is not None and now != review.head.sha:
            return f"The pull request has moved on to {now[:12]} while {review.head.sha[:12]} was judged: nothing was posted."
        if pull.get("state") == "closed":
            raise _Stop(f"Pull request {self._job.number} is closed: nothing was posted.")
        return ""

    def _identity(self) -> str | None:
        """The login of the token; None where the server refuses to say, as for the token of a job: then it is a bot's."""
        try:
            user = self._github.read("/user")
        except ApiError as error:
            if error.unknown or error.limited:
                raise
            return None
        login = user.get("login") if isinstance(user, dict) else None
        return login if isinstance(login, str) else None

    def _ours(self, comment: Mapping[str, Any], kind: str) -> dict[str, str]:
        """The facts of a comment of our own (T5)."""
        user = _part(comment, "user")
        own = user.get("login") == self._me if self._me is not None else user.get("type") == "Bot"
        facts = facts_of(comment.get("body")) if own else {}
        return facts if facts.get("job") == self._job.key and facts.get("kind") == kind else {}

    def _standing(self) -> set[str]:
        """The fingerprints of our comments on the diff."""
        found = (self._ours(one, "finding") for one in self._github.pages(f"pulls/{self._job.number}/comments"))
        return {facts["fp"] for facts in found if "fp" in facts}

    def _post(self, out: Published, review: Review, findings: Sequence[Finding], files: Mapping[RepoPath, ChangedFile]) -> None:
        assert review.head is not None
        shown = [finding for finding in findings if finding.mode is not Mode.SHADOW]
        standing = self._standing() if shown else set()
        out.kept = sum(finding.fingerprint in standing for finding in shown)
        new = [self._wanted(finding, files) for finding in shown if finding.fingerprint not in standing]
        room = max(0, self._job.inline)
        placed = [one for one in new if one.place is not None][:room]
        on_files = [one for one in new if one.place is None and one.finding.path in files and one.path.is_utf8][
            : room - len(placed)
        ]
        self._tried, self._on_files = [*placed, *on_files], list(on_files)
        for start in range(0, len(placed), BATCH):
            self._on_files += self._batch(placed[start : start + BATCH], review.head.sha)
        for one in self._on_files:
            self._alone(replace(one, place=None), review.head.sha, out)

    def _count(self, out: Published) -> None:
        """What of all that was tried stands now: the server's own word, not ours."""
        if not self._tried:
            return
        try:
            standing = self._standing()
        except ApiError as error:
            out.problems.append(f"What stands could not be read back. {error}.")
            return
        on_files = {one.finding.fingerprint for one in self._on_files}
        out.on_files = len(on_files & standing)
        out.inline = sum(one.finding.fingerprint in standing - on_files for one in self._tried)
        missing = sum(one.finding.fingerprint not in standing for one in self._tried)
        if missing:
            out.problems.append(f"{counted(missing, 'comment')} could not be written; the summary has the findings.")

    def _wanted(self, finding: Finding, files: Mapping[RepoPath, ChangedFile]) -> _Wanted:
        file = files.get(finding.path)
        place = place_of(finding, file) if finding.path.is_utf8 else None
        shown = finding if place is not None and place.whole and place.side == "right" else replace(finding, suggestion=None)
        line = marker(kind="finding", job=self._job.key, fp=finding.fingerprint)
        return _Wanted(finding, f"{self._render(shown).rstrip()}\n\n{line}", finding.path, place)

    def _batch(self, batch: Sequence[_Wanted], head: str) -> list[_Wanted]:
        """Posts one review; the answer are those that the server refuses at their lines."""
        pending = list(batch)
        for attempt in range(1, TRIES + 1):
            text = f"{counted(len(pending), 'new finding')} at {head[:12]}."
            body = {
                "commit_id": head,
                "event": "COMMENT",
                "body": f"{text}\n\n{marker(kind='review', job=self._job.key)}",
                "comments": [{"path": str(one.path), "body": one.body, **_lines(one.place)} for one in pending],
            }
            try:
                self._github.write("POST", f"pulls/{self._job.number}/reviews", body)
            except ApiError as error:
                if error.status == 422:
                    return [one for one in pending if not self._alone(one, head, None)]
                self._wait_or_stop(error, attempt)
            standing = self._standing()
            pending = [one for one in pending if one.finding.fingerprint not in standing]
            if not pending:
                return []
        return []

    def _alone(self, one: _Wanted, head: str, out: Published | None) -> bool:
        """Posts one comment, on its lines or on its file; whether the server took it."""
        where = {"subject_type": "file"} if one.place is None else _lines(one.place)
        body = {"commit_id": head, "path": str(one.path), "body": one.body, **where}
        for attempt in range(1, TRIES + 1):
            try:
                self._github.write("POST", f"pulls/{self._job.number}/comments", body)
            except ApiError as error:
                if error.status == 422:
                    if out is not None:
                        out.problems.append(f"GitHub takes no comment on {one.path}: {error.message}.")
                    return False
                self._wait_or_stop(error, attempt)
                if one.finding.fingerprint in self._standing():
                    return True
                continue
            return True
        return False

    def _put_summary(self, review: Review, text: str) -> None:
        head = review.head.sha if review.head is not None else "none"
        body = f"{text.rstrip()}\n\n{marker(kind='summary', job=self._job.key, head=head)}"
        for attempt in range(1, TRIES + 1):
            found = [one for one in self._github.pages(f"issues/{self._job.number}/comments") if self._ours(one, "summary")]
            if found and found[0].get("body") == body:
                return
            try:
                if found:
                    self._github.write("PATCH", f"issues/comments/{int(found[0]['id'])}", {"body": body})
                else:
                    self._github.write("POST", f"issues/{self._job.number}/comments", {"body": body})
            except ApiError as error:
                self._wait_or_stop(error, attempt)
                continue
            return
        raise _Stop("GitHub did not answer in time.")

    def _wait_or_stop(self, error: ApiError, attempt: int) -> None:
        """Waits before what stands is read back (T2); _Stop where nothing more can come of it."""
        if not (error.unknown or error.limited):
            raise _Stop(f"{error}.") from None
        wait = error.wait(FIRST_WAIT * 2 ** (attempt - 1))
        if (attempt == TRIES and error.limited) or self._waited + wait > MAX_WAIT:
            raise _Stop(f"{error}; it asks to wait.") from None
        self._waited += wait
        self._github.sleep(wait)


def _part(answer: object, name: str) -> Mapping[str, Any]:
    """A part of an answer that should be an object; an empty one where it is none."""
    part = answer.get(name) if isinstance(answer, dict) else None
    return part if isinstance(part, dict) else {}


def _lines(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {}
    side = place.side.upper()
    start = {} if place.start == place.end else {"start_line": place.start, "start_side": side}
    return {"line": place.end, "side": side, **start}
