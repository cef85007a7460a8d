"""What the service remembers: accounts, tokens, pull requests, and what was said on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Literal

from tests.fakes.github.truth import Truth

Level = Literal["none", "read", "write"]
Side = Literal["LEFT", "RIGHT"]


@dataclass
class Account:
    """Somebody. ``permission`` is the role in the repository, ``association`` what comments show."""

    id: int
    login: str
    type: str = "User"
    association: str = "NONE"
    permission: str = "read"


@dataclass(frozen=True)
class Token:
    """A credential: an ``installation`` token acts as a bot within ``permissions``, a ``personal`` one as its user."""

    value: str
    account: Account
    kind: Literal["installation", "personal"]
    permissions: Mapping[str, Level]

    def may(self, names: tuple[str, ...], level: Level) -> bool:
        """Whether any of the permissions is at least at that level."""
        order = ("none", "read", "write")
        return any(order.index(self.permissions.get(name, "none")) >= order.index(level) for name in names)


@dataclass
class Pull:
    """A pull request. ``git_ref`` is the branch in the local repository that holds its head, whatever it is called in a fork."""

    number: int
    title: str
    body: str | None
    author: Account
    base_ref: str
    head_ref: str
    git_ref: str
    head_repo: str | None
    head_owner: str
    base_sha: str
    head_sha: str
    created: str
    draft: bool = False
    state: str = "open"
    merged: bool = False
    locked: bool = False
    labels: list[str] = field(default_factory=list)


@dataclass
class Review:
    """A submitted (or pending) review; comments made one by one get one each, without a body."""

    id: int
    pull: int
    account: Account
    body: str
    state: str
    commit_id: str
    created: str


@dataclass
class Thread:
    """A conversation on lines of a diff."""

    id: int
    pull: int
    resolved_by: Account | None = None


@dataclass
class ReviewComment:
    """A comment on a diff. Line numbers are those of ``commit`` (RIGHT) or of ``base``, its merge base (LEFT)."""

    id: int
    pull: int
    review: Review
    thread: Thread
    account: Account
    body: str
    path: str
    commit: str
    base: str
    created: str
    updated: str
    side: Side = "RIGHT"
    line: int | None = None
    start_side: Side | None = None
    start_line: int | None = None
    excerpt: str = ""
    reply_to: int | None = None
    minimized: str | None = None


@dataclass
class IssueComment:
    """A comment in the conversation of a pull request or an issue."""

    id: int
    issue: int
    account: Account
    body: str
    created: str
    updated: str
    reactions: list[tuple[int, str, Account]] = field(default_factory=list)
    minimized: str | None = None


@dataclass(frozen=True)
class Status:
    """A commit status."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    account: Account
    created: str


@dataclass(frozen=True)
class ForeignWrite:
    """Somebody changed or deleted what somebody else wrote."""

    by: str
    kind: Literal["edited", "deleted", "minimized"]
    id: int


class World:
    """The state of one repository on the service, over a real git repository."""

    def __init__(self, path: Path, full_name: str, default_branch: str, *, private: bool, prefix: str = "") -> None:
        self.truth = Truth(path)
        self.full_name = full_name
        self.owner, _, self.name = full_name.partition("/")
        self.default_branch = default_branch
        self.private = private
        self.prefix = prefix
        self.url = ""
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[str, Token] = {}
        self.pulls: dict[int, Pull] = {}
        self.issues: dict[int, str] = {}
        """Plain issues: number to title."""
        self.reviews: list[Review] = []
        self.threads: list[Thread] = []
        self.comments: list[ReviewComment] = []
        self.issue_comments: list[IssueComment] = []
        self.statuses: list[Status] = []
        self.foreign_writes: list[ForeignWrite] = []
        self._ids = count(1001)
        self._clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.account(self.owner, user_type="Organization", association="OWNER", permission="admin")

    def new_id(self) -> int:
        return next(self._ids)

    def now(self) -> str:
        """A time stamp, a second after the one before."""
        self._clock += timedelta(seconds=1)
        return self._clock.strftime("%Y-%m-%dT%H:%M:%SZ")

    def account(
        self, login: str, *, user_type: str | None = None, association: str | None = None, permission: str | None = None
    ) -> Account:
        """The account of that login, made at first use; what is given is changed."""
        if login not in self.accounts:
            self.accounts[login] = Account(self.new_id(), login, "Bot" if login.endswith("[bot]") else "User")
        account = self.accounts[login]
        account.type = user_type or account.type
        account.association = association or account.association
        account.permission = permission or account.permission
        return account

    def refreshed(self, number: int) -> Pull | None:
        """The pull request with the head that git has now; a new head brings the base up to date too."""
        pull = self.pulls.get(number)
        if pull is None or pull.state == "closed":
            return pull
        head = self.truth.branch(pull.git_ref)
        if head is not None and head != pull.head_sha:
            pull.head_sha = head
            pull.base_sha = self.truth.branch(pull.base_ref) or pull.base_sha
        return pull

    def base_tip(self, pull: Pull) -> str:
        """The tip of the base branch now, or the last known one if the branch or the pull request is gone."""
        tip = self.truth.branch(pull.base_ref) if pull.state == "open" else None
        return tip or pull.base_sha

    def thread_comments(self, thread: Thread) -> list[ReviewComment]:
        return [comment for comment in self.comments if comment.thread is thread and comment.review.state != "PENDING"]

    def visible_comments(self, number: int) -> list[ReviewComment]:
        """The review comments that readers see: not those of a pending review."""
        return [comment for comment in self.comments if comment.pull == number and comment.review.state != "PENDING"]

    def line_now(self, comment: ReviewComment, line: int | None, side: Side | None) -> int | None:
        """Where a line of a comment is in the diff of today; None if it is outdated."""
        pull = self.refreshed(comment.pull)
        if line is None or side is None or pull is None:
            return None
        base, head = self.truth.merge_base(self.base_tip(pull), pull.head_sha), pull.head_sha
        file = self.truth.diff(base, head).get(comment.path)
        if file is None:
            return None
        old, new = (comment.base, base) if side == "LEFT" else (comment.commit, head)
        path = file.previous if side == "LEFT" else comment.path
        now = line if old == new else self.truth.moved(path, old, new, line)
        return now if now is not None and (side, now) in file.places else None

    def outdated(self, comment: ReviewComment) -> bool:
        return comment.line is not None and self.line_now(comment, comment.line, comment.side) is None
