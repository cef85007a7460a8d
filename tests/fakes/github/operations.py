"""The operations on repository, conversation and statuses; those on reviews are in ``reviewing``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fakes.contract import Json, rest
from tests.fakes.github.replies import Reply, forbidden, invalid, listing, locked_issue, not_found, refusal, wrong_body
from tests.fakes.github.state import Account, ForeignWrite, IssueComment, Level, Pull, Status, Token, World
from tests.fakes.github.views import Views


@dataclass(frozen=True)
class Call:
    """One request that fits the description."""

    world: World
    views: Views
    token: Token | None
    values: Mapping[str, str]
    query: Mapping[str, str]
    body: Json

    @property
    def account(self) -> Account:
        """Who writes; only asked after the token was checked."""
        assert self.token is not None
        return self.token.account

    def number(self, name: str) -> int:
        return int(self.values[name])

    def pull(self) -> Pull | None:
        return self.world.refreshed(self.number("pull_number"))

    def foreign(self, owner: Account, kind: str, number: int) -> None:
        """Takes down that somebody changed what another wrote."""
        if owner is not self.account:
            self.world.foreign_writes.append(ForeignWrite(self.account.login, kind, number))  # type: ignore[arg-type] # callers are literal


Handler = Callable[[Call], Reply]
HANDLERS: dict[str, tuple[Handler, tuple[str, ...], Level]] = {}
"""Operation id to what does it, and the permissions of which one is needed."""


def handles(operation: str, *permissions: str, level: Level = "read") -> Callable[[Handler], Handler]:
    """Registers a handler; without permissions anybody may."""

    def register(handler: Handler) -> Handler:
        HANDLERS[operation] = (handler, permissions, level)
        return handler

    return register


@handles("repos/get")
def get_repository(call: Call) -> Reply:
    return Reply(200, call.views.full_repository(call.token))


@handles("users/get-authenticated")
def get_user(call: Call) -> Reply:
    """An installation has no user."""
    if call.token is None:
        return refusal(401, "Requires authentication")
    return forbidden(call.token) if call.token.kind == "installation" else Reply(200, call.views.me(call.token.account))


@handles("rate-limit/get")
def get_rate_limit(call: Call) -> Reply:
    """The budget itself is written in by the server, which counts."""
    schema = rest().component("rate-limit-overview")
    return Reply(200, rest().filled(schema, url=call.world.url))


@handles("git/get-ref", "contents")
def get_ref(call: Call) -> Reply:
    ref = f"refs/{call.values['ref']}"
    sha = call.world.truth.commit(ref)
    return not_found() if sha is None else Reply(200, call.views.git_ref(ref, sha))


@handles("repos/get-branch", "contents")
def get_branch(call: Call) -> Reply:
    name = call.values["branch"]
    sha = call.world.truth.branch(name)
    return refusal(404, "Branch not found") if sha is None else Reply(200, call.views.branch(name, sha))


def _no_commit(name: str) -> Reply:
    return refusal(422, f"No commit found for SHA: {name}")


@handles("repos/get-commit", "contents")
def get_commit(call: Call) -> Reply:
    sha = call.world.truth.commit(call.values["ref"])
    return _no_commit(call.values["ref"]) if sha is None else Reply(200, call.views.commit(sha))


@handles("repos/list-pull-requests-associated-with-commit", "pull_requests")
def list_commit_pulls(call: Call) -> Reply:
    sha = call.world.truth.commit(call.values["commit_sha"])
    if sha is None:
        return _no_commit(call.values["commit_sha"])
    pulls = [pull for number in call.world.pulls if (pull := call.world.refreshed(number)) is not None]
    rows = [pull for pull in pulls if sha in call.world.truth.commits(call.world.base_tip(pull), pull.head_sha)]
    return listing(rows, call.views.pull_simple)


@handles("repos/get-collaborator-permission-level")
def get_permission(call: Call) -> Reply:
    login = call.values["username"]
    account = call.world.accounts.get(login)
    return refusal(404, f"{login} is not a user") if account is None else Reply(200, call.views.permission(account))


@handles("repos/create-commit-status", "statuses", level="write")
def create_status(call: Call) -> Reply:
    sha = call.world.truth.commit(call.values["sha"])
    if sha is None:
        return _no_commit(call.values["sha"])
    description = call.body.get("description")
    if description and len(description) > 140:
        message = "description is too long (maximum is 140 characters)"
        return invalid({"resource": "Status", "code": "custom", "field": "description", "message": message})
    status = Status(
        id=call.world.new_id(),
        sha=sha,
        state=call.body["state"],
        context=call.body.get("context", "default"),
        description=description,
        target_url=call.body.get("target_url"),
        account=call.account,
        created=call.world.now(),
    )
    call.world.statuses.append(status)
    return Reply(201, call.views.status(status))


@handles("repos/list-commit-statuses-for-ref", "statuses")
def list_statuses(call: Call) -> Reply:
    sha = call.world.truth.commit(call.values["ref"])
    rows = [status for status in reversed(call.world.statuses) if status.sha == sha]
    return listing(rows, call.views.status)


@handles("repos/get-combined-status-for-ref", "statuses")
def get_combined_status(call: Call) -> Reply:
    sha = call.world.truth.commit(call.values["ref"])
    if sha is None:
        return not_found()
    latest = {status.context: status for status in call.world.statuses if status.sha == sha}
    return Reply(200, call.views.combined_status(sha, list(latest.values())))


def _knows(call: Call) -> bool:
    number = call.number("issue_number")
    return number in call.world.pulls or number in call.world.issues


@handles("issues/get", "issues", "pull_requests")
def get_issue(call: Call) -> Reply:
    return Reply(200, call.views.issue(call.number("issue_number"))) if _knows(call) else not_found()


@handles("issues/list-comments", "issues", "pull_requests")
def list_issue_comments(call: Call) -> Reply:
    if not _knows(call):
        return not_found()
    since = call.query.get("since", "")
    number = call.number("issue_number")
    rows = [comment for comment in call.world.issue_comments if comment.issue == number and comment.updated >= since]
    return listing(rows, call.views.issue_comment)


@handles("issues/create-comment", "issues", "pull_requests", level="write")
def create_issue_comment(call: Call) -> Reply:
    if not _knows(call):
        return not_found()
    number = call.number("issue_number")
    pull = call.world.pulls.get(number)
    if pull and pull.locked and call.token and not call.token.may(("contents",), "write"):
        return locked_issue()
    if refused := wrong_body(call.body["body"], "IssueComment"):
        return refused
    now = call.world.now()
    comment = IssueComment(call.world.new_id(), number, call.account, call.body["body"], now, now)
    call.world.issue_comments.append(comment)
    return Reply(201, call.views.issue_comment(comment))


def _issue_comment(call: Call) -> IssueComment | None:
    number = call.number("comment_id")
    return next((comment for comment in call.world.issue_comments if comment.id == number), None)


@handles("issues/get-comment", "issues", "pull_requests")
def get_issue_comment(call: Call) -> Reply:
    comment = _issue_comment(call)
    return not_found() if comment is None else Reply(200, call.views.issue_comment(comment))


@handles("issues/update-comment", "issues", "pull_requests", level="write")
def update_issue_comment(call: Call) -> Reply:
    comment = _issue_comment(call)
    if comment is None:
        return not_found()
    if refused := wrong_body(call.body["body"], "IssueComment"):
        return refused
    call.foreign(comment.account, "edited", comment.id)
    comment.body, comment.updated = call.body["body"], call.world.now()
    return Reply(200, call.views.issue_comment(comment))


@handles("issues/delete-comment", "issues", "pull_requests", level="write")
def delete_issue_comment(call: Call) -> Reply:
    comment = _issue_comment(call)
    if comment is None:
        return not_found()
    call.foreign(comment.account, "deleted", comment.id)
    call.world.issue_comments.remove(comment)
    return Reply(204)


@handles("reactions/create-for-issue-comment", "issues", "pull_requests", level="write")
def create_reaction(call: Call) -> Reply:
    """The same reaction again is answered 200 and not stored twice."""
    comment = _issue_comment(call)
    if comment is None:
        return not_found()
    content = call.body["content"]
    for number, known, account in comment.reactions:
        if known == content and account is call.account:
            return Reply(200, call.views.reaction(number, content, account))
    number = call.world.new_id()
    comment.reactions.append((number, content, call.account))
    return Reply(201, call.views.reaction(number, content, call.account))
