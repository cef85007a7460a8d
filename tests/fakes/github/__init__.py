"""A GitHub that runs here: stateful, over a real git repository and a real socket, closed to everything GitHub does not publish.

It is checked against GitHub's own descriptions in both directions, and it is a fake: it never was the live service.

    with GitHubFake(repo.path) as fake:
        token = fake.token("github-actions[bot]", can_write=True)
        number = fake.pull(base="main", head="feature", author="alice")
        ...  # any client with base_url=fake.url and that token
        fake.assert_clean()
"""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from tests.fakes.contract import Json
from tests.fakes.github.faults import Faults
from tests.fakes.github.operations import Call
from tests.fakes.github.reviewing import create_reply, create_review_comment
from tests.fakes.github.server import Seen, Server, Service, Violation
from tests.fakes.github.state import (
    Account,
    ForeignWrite,
    IssueComment,
    Level,
    Pull,
    Review,
    ReviewComment,
    Side,
    Status,
    Thread,
    Token,
    World,
)
from tests.fakes.github.views import Views

__all__ = ["Account", "GitHubFake", "Pull", "Review", "ReviewComment", "Seen", "Status", "Thread", "Violation"]

_WRITES = ("pull_requests", "issues", "statuses")


class GitHubFake:
    """One repository on the service. Branches are those of the git repository at ``path``: committing there is pushing."""

    def __init__(
        self,
        path: Path,
        full_name: str = "acme/app",
        *,
        default_branch: str = "main",
        private: bool = False,
        enterprise: bool = False,
    ) -> None:
        """``enterprise`` serves below ``/api/v3`` and GraphQL at ``/api/graphql``, as a GitHub Enterprise server does."""
        self.world = World(path, full_name, default_branch, private=private, prefix="/api/v3" if enterprise else "")
        self._service = Service(self.world)
        self._server: Server | None = None

    def __enter__(self) -> Self:
        self._server = Server(self._service)
        self.world.url = self._server.url + self.world.prefix
        self._server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        assert self._server is not None
        self._server.stop()

    @property
    def url(self) -> str:
        """The address of the REST API, for ``base_url``. GraphQL is below it at ``/graphql`` (Enterprise: beside it)."""
        assert self._server is not None, "the fake was not entered"
        return self.world.url

    @property
    def full_name(self) -> str:
        return self.world.full_name

    @property
    def views(self) -> Views:
        """What the service shows of its state."""
        return self._service.views

    @property
    def faults(self) -> Faults:
        """What is to go wrong."""
        return self._service.faults

    @property
    def requests(self) -> list[Seen]:
        """Every request, in the order in which they were answered."""
        return self._service.requests

    @property
    def writes(self) -> list[Seen]:
        """The requests that may change something (a GraphQL query that only reads is not one)."""
        return [seen for seen in self.requests if seen.method != "GET" and not _only_reads(seen)]

    @property
    def violations(self) -> list[Violation]:
        """Everything that the published description does not allow."""
        return self._service.violations

    @property
    def foreign_writes(self) -> list[ForeignWrite]:
        """Every time that somebody changed, deleted or hid what another had written."""
        return self.world.foreign_writes

    @property
    def pulls(self) -> dict[int, Pull]:
        """The pull requests, as last seen; ``get_pull`` looks at git first."""
        return self.world.pulls

    @property
    def verdicts(self) -> list[Review]:
        """Reviews that approve or request changes."""
        return [review for review in self.world.reviews if review.state in {"APPROVED", "CHANGES_REQUESTED"}]

    def assert_clean(self) -> None:
        """Fails if a client left GitHub's description, judged a pull request, or touched what is not its own."""
        assert not self.violations, self.violations
        assert not self.verdicts, self.verdicts
        assert not self.foreign_writes, self.foreign_writes

    def budget(self, limit: int) -> None:
        """Sets the requests per hour that the rate limit headers show."""
        self._service.rate_limit = limit

    def account(
        self, login: str, *, user_type: str | None = None, association: str | None = None, permission: str | None = None
    ) -> Account:
        """The account of that login; what is given is changed. ``permission``: none, read, write or admin."""
        return self.world.account(login, user_type=user_type, association=association, permission=permission)

    def token(
        self,
        login: str = "github-actions[bot]",
        *,
        user_type: str | None = None,
        can_write: bool = True,
        permissions: Mapping[str, Level] | None = None,
        kind: Literal["installation", "personal"] | None = None,
    ) -> str:
        """A new token of that account. By default a bot's is an installation token.

        ``permissions`` are laid over what ``can_write`` gives: contents (read; write lets threads be resolved),
        pull_requests, issues and statuses.
        """
        account = self.account(login, user_type=user_type)
        level: Level = "write" if can_write else "read"
        held: dict[str, Level] = {"contents": "read", **dict.fromkeys(_WRITES, level), **(permissions or {})}
        kind = kind or ("installation" if account.type == "Bot" else "personal")
        value = f"{'ghs' if kind == 'installation' else 'ghp'}_fake{len(self.world.tokens) + 1:036d}"
        self.world.tokens[value] = Token(value, account, kind, held)
        return value

    def pull(
        self,
        base: str = "main",
        head: str = "feature",
        *,
        number: int | None = None,
        title: str = "A change",
        body: str | None = None,
        author: str = "octocat",
        association: str | None = None,
        draft: bool = False,
        fork: str | None = None,
        fork_deleted: bool = False,
        head_ref: str | None = None,
        labels: tuple[str, ...] = (),
    ) -> int:
        """Opens a pull request of two branches of the git repository and returns its number.

        With ``fork`` (owner/name) the head is shown as a branch there, under ``head_ref`` if that is given;
        ``fork_deleted`` shows no head repository.
        """
        base_sha, head_sha = self.world.truth.branch(base), self.world.truth.branch(head)
        assert base_sha, f"no branch {base!r}"
        assert head_sha, f"no branch {head!r}"
        number = number or max((*self.world.pulls, *self.world.issues, 0)) + 1
        head_repo = None if fork_deleted else fork or self.full_name
        self.world.pulls[number] = Pull(
            number=number,
            title=title,
            body=body,
            author=self.account(author, association=association),
            base_ref=base,
            head_ref=head_ref or head,
            git_ref=head,
            head_repo=head_repo,
            head_owner=(fork or self.full_name).partition("/")[0],
            base_sha=base_sha,
            head_sha=head_sha,
            created=self.world.now(),
            draft=draft,
            labels=list(labels),
        )
        return number

    def get_pull(self, number: int) -> Pull:
        """The pull request as it is now."""
        pull = self.world.refreshed(number)
        assert pull is not None, f"no pull request {number}"
        return pull

    def close(self, number: int, *, merged: bool = False) -> None:
        pull = self.get_pull(number)
        pull.state, pull.merged = "closed", merged

    def reopen(self, number: int) -> None:
        self.get_pull(number).state = "open"

    def lock(self, number: int, locked: bool = True) -> None:
        self.get_pull(number).locked = locked

    def set_draft(self, number: int, draft: bool) -> None:
        self.get_pull(number).draft = draft

    def retarget(self, number: int, base: str) -> None:
        """Gives a pull request another base branch."""
        sha = self.world.truth.branch(base)
        assert sha, f"no branch {base!r}"
        pull = self.get_pull(number)
        pull.base_ref, pull.base_sha = base, sha

    def issue(self, title: str = "A question", *, number: int | None = None) -> int:
        """Opens an issue that is no pull request."""
        number = number or max((*self.world.pulls, *self.world.issues, 0)) + 1
        self.world.issues[number] = title
        return number

    def comment(self, number: int, body: str, *, author: str = "octocat") -> int:
        """Somebody comments in the conversation; returns the id."""
        now = self.world.now()
        comment = IssueComment(self.world.new_id(), number, self.account(author), body, now, now)
        self.world.issue_comments.append(comment)
        return comment.id

    def _call(self, author: str, values: Mapping[str, str], body: Json) -> Call:
        account = self.account(author)
        rights: dict[str, Level] = dict.fromkeys(("contents", *_WRITES), "write")
        return Call(self.world, self.views, Token("", account, "personal", rights), values, {}, body)

    def review_comment(
        self,
        number: int,
        path: str,
        line: int | None,
        body: str,
        *,
        author: str = "octocat",
        side: Side = "RIGHT",
        start_line: int | None = None,
    ) -> int:
        """Somebody comments on a line (or with None on the file) of the diff as it is now; returns the id."""
        given: Json = {"path": path, "body": body, "commit_id": self.get_pull(number).head_sha}
        given |= {"subject_type": "file"} if line is None else {"line": line, "side": side}
        given |= {} if start_line is None else {"start_line": start_line, "start_side": side}
        made = create_review_comment(self._call(author, {"pull_number": str(number)}, given))
        assert made.status == 201, made.body
        return int(made.body["id"])

    def reply(self, comment_id: int, body: str, *, author: str = "octocat") -> int:
        """Somebody answers a comment on the diff; returns the id of the answer."""
        parent = next(comment for comment in self.world.comments if comment.id == comment_id)
        values = {"pull_number": str(parent.pull), "comment_id": str(parent.reply_to or comment_id)}
        made = create_reply(self._call(author, values, {"body": body}))
        assert made.status == 201, made.body
        return int(made.body["id"])

    def thread(self, comment_id: int) -> Thread:
        """The conversation of a comment on the diff."""
        return next(comment.thread for comment in self.world.comments if comment.id == comment_id)

    def resolve(self, comment_id: int, *, by: str = "octocat") -> None:
        """Somebody resolves the conversation of a comment on the diff."""
        self.thread(comment_id).resolved_by = self.account(by)

    def unresolve(self, comment_id: int) -> None:
        self.thread(comment_id).resolved_by = None

    def issue_comments(self, number: int) -> list[IssueComment]:
        return [comment for comment in self.world.issue_comments if comment.issue == number]

    def review_comments(self, number: int) -> list[ReviewComment]:
        return self.world.visible_comments(number)

    def reviews(self, number: int) -> list[Review]:
        return [review for review in self.world.reviews if review.pull == number]

    def statuses(self, sha: str) -> list[Status]:
        """The statuses of a commit, oldest first."""
        return [status for status in self.world.statuses if status.sha == sha]


def _only_reads(seen: Seen) -> bool:
    query = seen.body.get("query") if seen.operation == "graphql" and isinstance(seen.body, dict) else None
    return isinstance(query, str) and "mutation" not in query.split("{", 1)[0]
