"""What the service answers when it refuses, word for word where its words are known.

Not known, and so in our own words: what refuses a review without a body, a blank comment of a review and an answer to an
answer, and the shape in which a locked conversation refuses a single comment on the diff.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.contract import Json
from tests.fakes.github.state import Token

DOCS = "https://docs.github.com/rest"
BODY_LIMIT = 65_536
"""The most characters in a body."""


@dataclass
class Reply:
    """An answer. ``rows`` with ``view`` is a list that is cut into pages before it is shown."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    rows: Sequence[Any] | None = None
    view: Callable[[Any], Any] = lambda row: row


def listing(rows: Sequence[Any], view: Callable[[Any], Any]) -> Reply:
    """A list answered in pages."""
    return Reply(200, rows=rows, view=view)


def refusal(
    status: int, message: str, *, errors: list[Any] | None = None, docs: str = DOCS, headers: dict[str, str] | None = None
) -> Reply:
    body: Json = {"message": message, "documentation_url": docs, "status": str(status)}
    if errors is not None:
        body["errors"] = errors
    return Reply(status, body, headers or {})


def not_found() -> Reply:
    return refusal(404, "Not Found")


def forbidden(token: Token) -> Reply:
    """A token that may not."""
    holder = "integration" if token.kind == "installation" else "personal access token"
    return refusal(403, f"Resource not accessible by {holder}")


def read_only() -> Reply:
    return refusal(403, "Resource not accessible by integration")


def locked_issue() -> Reply:
    docs = "https://docs.github.com/articles/locking-conversations/"
    return refusal(403, "Unable to create comment because issue is locked.", docs=docs)


def unprocessable(*sentences: str) -> Reply:
    """422 of a review: one text for all that is wrong, and nothing says which comment is meant."""
    return refusal(422, "Unprocessable Entity", errors=list(sentences))


def invalid(*errors: Json) -> Reply:
    """422 of everything else: one object for each wrong field."""
    return refusal(422, "Validation Failed", errors=list(errors))


_LOCKED = "lock prevents review"


def locked_review() -> Reply:
    return unprocessable(_LOCKED)


def locked_comment() -> Reply:
    """The same for a single comment, whose errors are objects."""
    return invalid({"resource": "PullRequestReviewComment", "code": "custom", "message": _LOCKED})


def wrong_body(body: str, resource: str) -> Reply | None:
    """The refusal of an empty or too long body."""
    problem = ""
    if not body.strip():
        problem = "Body cannot be blank"
    elif len(body) > BODY_LIMIT:
        problem = f"Body is too long (maximum is {BODY_LIMIT} characters)"
    return invalid({"resource": resource, "code": "unprocessable", "field": "data", "message": problem}) if problem else None


def secondary_limit(status: int, retry_after: int | None) -> Reply:
    docs = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return refusal(status, message, docs=docs, headers=headers)


def primary_limit(status: int, reset: int) -> Reply:
    docs = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#primary-rate-limits"
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
    return refusal(status, "API rate limit exceeded for installation.", docs=docs, headers=headers)


def bad_gateway() -> Reply:
    return Reply(502, {"message": "Server Error", "documentation_url": DOCS, "status": "502"})
