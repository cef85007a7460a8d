"""The GraphQL side: review threads read page by page, resolved and reopened, comments hidden.

Queries are checked by graphql-core against a slice of the published schema, so a field that does not exist is an error.
"""

import base64
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, execute_sync, parse, validate

from tests.fakes.contract import SCHEMAS, Json
from tests.fakes.github.replies import Reply, refusal
from tests.fakes.github.state import Account, ForeignWrite, IssueComment, Pull, ReviewComment, Thread, Token, World

_LIMIT = 100


@cache
def schema() -> GraphQLSchema:
    return build_schema((SCHEMAS / "github.graphql").read_text())


def _error(kind: str, message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"type": kind})


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor).decode().removeprefix("cursor:"))
    except ValueError as problem:
        raise _error("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from problem


def connection(name: str, rows: Sequence[Any], view: Callable[[Any], Json], arguments: Json) -> Json:
    """A page of rows by first/after or last/before, with the service's own bounds."""
    first, last = arguments.get("first"), arguments.get("last")
    if first is None and last is None:
        text = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise _error("MISSING_PAGINATION_BOUNDARIES", text)
    for word, value in (("first", first), ("last", last)):
        if value is not None and not 1 <= value <= _LIMIT:
            text = f"Requesting {value} records on the `{name}` connection exceeds the `{word}` limit of {_LIMIT} records."
            raise _error("EXCESSIVE_PAGINATION", text)
    begin = _position(arguments["after"]) if arguments.get("after") else 0
    end = _position(arguments["before"]) - 1 if arguments.get("before") else len(rows)
    if first is not None:
        end = min(end, begin + first)
    else:
        begin = max(begin, end - (last or 0))
    shown = [view(row) for row in rows[begin:end]]
    cursors = [_cursor(begin + index + 1) for index in range(len(shown))]
    return {
        "totalCount": len(rows),
        "nodes": shown,
        "edges": [{"cursor": cursor, "node": node} for cursor, node in zip(cursors, shown, strict=True)],
        "pageInfo": {
            "hasNextPage": end < len(rows),
            "hasPreviousPage": begin > 0,
            "startCursor": cursors[0] if cursors else None,
            "endCursor": cursors[-1] if cursors else None,
        },
    }


class Graph:
    """Answers one request for one token."""

    def __init__(self, world: World, token: Token) -> None:
        self._world = world
        self._token = token

    def _actor(self, account: Account) -> Json:
        """A bot is called without its ``[bot]`` here, other than in the REST API."""
        login = account.login.removesuffix("[bot]") if account.type == "Bot" else account.login
        kind = "Bot" if account.type == "Bot" else "User"
        url = f"{self._world.url}/html/{login}"
        return {"__typename": kind, "id": f"{kind[0]}_{account.id}", "databaseId": account.id, "login": login, "url": url}

    def _said(self, comment: ReviewComment | IssueComment, prefix: str, html: str) -> Json:
        return {
            "id": f"{prefix}_{comment.id}",
            "databaseId": comment.id,
            "fullDatabaseId": str(comment.id),
            "body": comment.body,
            "author": self._actor(comment.account),
            "authorAssociation": comment.account.association,
            "url": f"{self._world.url}/html/{self._world.full_name}/{html}{comment.id}",
            "isMinimized": comment.minimized is not None,
            "minimizedReason": comment.minimized,
            "createdAt": comment.created,
            "updatedAt": comment.updated,
        }

    def _comment(self, comment: ReviewComment) -> Json:
        return {
            "__typename": "PullRequestReviewComment",
            **self._said(comment, "PRRC", f"pull/{comment.pull}#discussion_r"),
            "path": comment.path,
            "line": self._world.line_now(comment, comment.line, comment.side),
            "originalLine": comment.line,
            "outdated": self._world.outdated(comment),
        }

    def _issue_comment(self, comment: IssueComment) -> Json:
        return {"__typename": "IssueComment", **self._said(comment, "IC", f"issues/{comment.issue}#issuecomment-")}

    def _thread(self, thread: Thread) -> Json:
        comments = self._world.thread_comments(thread)
        first = comments[0]
        resolvable = self._token.may(("contents",), "write")
        line = self._world.line_now(first, first.line, first.side)
        start = self._world.line_now(first, first.start_line, first.start_side) if line is not None else None
        return {
            "__typename": "PullRequestReviewThread",
            "id": f"PRRT_{thread.id}",
            "isResolved": thread.resolved_by is not None,
            "isCollapsed": thread.resolved_by is not None,
            "isOutdated": self._world.outdated(first),
            "resolvedBy": self._actor(thread.resolved_by) | {"__typename": "User"} if thread.resolved_by else None,
            "path": first.path,
            "line": line,
            "originalLine": first.line,
            "startLine": start,
            "originalStartLine": first.start_line,
            "diffSide": first.side,
            "startDiffSide": first.start_side,
            "subjectType": "FILE" if first.line is None else "LINE",
            "viewerCanResolve": resolvable and thread.resolved_by is None,
            "viewerCanUnresolve": resolvable and thread.resolved_by is not None,
            "viewerCanReply": self._token.may(("pull_requests",), "write"),
            "comments": lambda _info, **arguments: connection("comments", comments, self._comment, arguments),
            "pullRequest": lambda _info: self._pull(self._world.pulls[thread.pull]),
        }

    def _pull(self, pull: Pull) -> Json:
        threads = [thread for thread in self._world.threads if thread.pull == pull.number and self._world.thread_comments(thread)]
        return {
            "__typename": "PullRequest",
            "id": f"PR_{pull.number}",
            "number": pull.number,
            "title": pull.title,
            "isDraft": pull.draft,
            "locked": pull.locked,
            "headRefOid": pull.head_sha,
            "baseRefName": pull.base_ref,
            "headRefName": pull.head_ref,
            "reviewThreads": lambda _info, **arguments: connection("reviewThreads", threads, self._thread, arguments),
        }

    def repository(self, _info: object, owner: str, name: str, **_: object) -> Json:
        if f"{owner}/{name}" != self._world.full_name:
            raise _error("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {
            "__typename": "Repository",
            "id": f"R_{self._world.owner}",
            "nameWithOwner": self._world.full_name,
            "pullRequest": self.pull,
        }

    def pull(self, _info: object, number: int) -> Json:
        pull = self._world.refreshed(number)
        if pull is None:
            raise _error("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self._pull(pull)

    def viewer(self, _info: object) -> Json:
        """The one who asks, with ``[bot]`` (the viewer is always shown as a user)."""
        return {**self._actor(self._token.account), "__typename": "User", "login": self._token.account.login}

    def _shown(self, node: str) -> Json | None:
        """Whatever has that id."""
        prefix, _, number = node.partition("_")
        rows: dict[str, tuple[Sequence[Any], Callable[[Any], Json]]] = {
            "PRRT": (self._world.threads, self._thread),
            "PRRC": (self._world.comments, self._comment),
            "IC": (self._world.issue_comments, self._issue_comment),
        }
        if prefix == "PR" and number.isdigit() and (pull := self._world.refreshed(int(number))):
            return self._pull(pull)
        found, view = rows.get(prefix, ((), self._thread))
        return next((view(row) for row in found if str(row.id) == number), None)

    def node(self, _info: object, id: str) -> Json:  # noqa: A002 - the published name of the argument
        found = self._shown(id)
        if found is None:
            raise _error("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")
        return found

    def _settle(self, given: Json, resolved_by: Account | None) -> Json:
        """Resolving needs the right to push, which reviewing alone does not give."""
        thread = next((thread for thread in self._world.threads if f"PRRT_{thread.id}" == given["threadId"]), None)
        if thread is None:
            raise _error("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['threadId']}'")
        if not (self._token.may(("pull_requests",), "write") and self._token.may(("contents",), "write")):
            raise _error("FORBIDDEN", "Resource not accessible by integration")
        thread.resolved_by = resolved_by
        return {"clientMutationId": given.get("clientMutationId"), "thread": self._thread(thread)}

    def resolve_review_thread(self, _info: object, input: Json) -> Json:  # noqa: A002 - the published name
        return self._settle(input, self._token.account)

    def unresolve_review_thread(self, _info: object, input: Json) -> Json:  # noqa: A002 - the published name
        return self._settle(input, None)

    def minimize_comment(self, _info: object, input: Json) -> Json:  # noqa: A002 - the published name
        subject = input["subjectId"]
        found: dict[str, ReviewComment | IssueComment] = {f"IC_{comment.id}": comment for comment in self._world.issue_comments}
        found |= {f"PRRC_{comment.id}": comment for comment in self._world.comments}
        if subject not in found:
            raise _error("NOT_FOUND", f"Could not resolve to a node with the global id of '{subject}'")
        if not self._token.may(("pull_requests", "issues"), "write"):
            raise _error("FORBIDDEN", "Resource not accessible by integration")
        comment = found[subject]
        comment.minimized = input["classifier"].lower().replace("_", "-")
        if comment.account is not self._token.account:
            self._world.foreign_writes.append(ForeignWrite(self._token.account.login, "minimized", comment.id))
        shown = self._issue_comment(comment) if isinstance(comment, IssueComment) else self._comment(comment)
        return {"clientMutationId": input.get("clientMutationId"), "minimizedComment": shown}

    def root(self) -> Json:
        return {
            "id": "Q",
            "repository": self.repository,
            "viewer": self.viewer,
            "node": self.node,
            "resolveReviewThread": self.resolve_review_thread,
            "unresolveReviewThread": self.unresolve_review_thread,
            "minimizeComment": self.minimize_comment,
        }


def _shown(error: GraphQLError) -> Json:
    """An error as the service writes it: its type beside its message."""
    made: Json = dict(error.formatted)
    kind = (made.pop("extensions", None) or {}).get("type")
    return ({"type": kind} if kind else {}) | made


def body_problems(body: Any) -> list[str]:
    """What is wrong with a request before its query is even read."""
    if not isinstance(body, dict):
        return ["body: not an object"]
    wrong = [f"body {key}: unknown property" for key in body if key not in {"query", "variables", "operationName"}]
    if not isinstance(body.get("query"), str):
        wrong.append("body query: not a text")
    if not isinstance(body.get("variables") or {}, dict):
        wrong.append("body variables: not an object")
    return wrong


def answer(world: World, token: Token | None, body: Json) -> tuple[Reply, list[str]]:
    """The answer to a query, and what in the query the published schema does not allow. Errors come with status 200."""
    if token is None:
        return refusal(401, "This endpoint requires you to be authenticated."), []
    try:
        document = parse(body["query"])
    except GraphQLError as problem:
        return Reply(200, {"errors": [_shown(problem)]}), [problem.message]
    if wrong := validate(schema(), document):
        return Reply(200, {"errors": [_shown(problem) for problem in wrong]}), [problem.message for problem in wrong]
    done = execute_sync(
        schema(),
        document,
        root_value=Graph(world, token).root(),
        variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"),
    )
    if done.data is None and done.errors and not any((problem.extensions or {}).get("type") for problem in done.errors):
        return Reply(200, {"errors": [_shown(problem) for problem in done.errors]}), [problem.message for problem in done.errors]
    made: Json = {"data": done.data}
    if done.errors:
        made["errors"] = [_shown(problem) for problem in done.errors]
    broken = [problem.message for problem in done.errors or () if not (problem.extensions or {}).get("type")]
    return Reply(200, made), broken
