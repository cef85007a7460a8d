"""The operations on pull requests, their reviews and the comments on their diff."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Literal

from tests.fakes.contract import Json
from tests.fakes.github.operations import Call, handles
from tests.fakes.github.replies import (
    BODY_LIMIT,
    Reply,
    invalid,
    listing,
    locked_comment,
    locked_review,
    not_found,
    unprocessable,
    wrong_body,
)
from tests.fakes.github.state import Pull, Review, ReviewComment, Side, Thread, World

_STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

Wrong = Literal["path", "line", "start_line", "order", "body", "position"]
_SENTENCES = {
    "path": "Pull request review thread path is invalid",
    "line": "Pull request review thread line must be part of the diff",
    "start_line": "Pull request review thread start line must be part of the same hunk as the line.",
    "order": "Pull request review thread start line must precede the end line.",
    "body": f"Body is too long (maximum is {BODY_LIMIT} characters)",
    "position": "Pull request review thread position is invalid",
}
_NO_HUNK = "Pull request review thread diff hunk can't be blank"


@handles("pulls/get", "pull_requests")
def get_pull(call: Call) -> Reply:
    pull = call.pull()
    return not_found() if pull is None else Reply(200, call.views.pull(pull))


@handles("pulls/list", "pull_requests")
def list_pulls(call: Call) -> Reply:
    """A head without its owner (and a colon) is not a filter at all: everything comes back."""
    state, head, base = call.query.get("state", "open"), call.query.get("head"), call.query.get("base")
    rows = [
        pull
        for number in sorted(call.world.pulls)
        if (pull := call.world.refreshed(number)) is not None
        and state in {pull.state, "all"}
        and (head is None or ":" not in head or head == f"{pull.head_owner}:{pull.head_ref}")
        and base in {None, pull.base_ref}
    ]
    descending = call.query.get("direction", "desc" if call.query.get("sort", "created") == "created" else "asc") == "desc"
    return listing(rows[::-1] if descending else rows, call.views.pull_simple)


@handles("pulls/list-reviews", "pull_requests")
def list_reviews(call: Call) -> Reply:
    """A pending review is shown to its author only."""
    pull = call.pull()
    if pull is None:
        return not_found()
    mine = call.token.account if call.token else None
    reviews = [review for review in call.world.reviews if review.pull == pull.number]
    return listing([review for review in reviews if review.state != "PENDING" or review.account is mine], call.views.review)


@handles("pulls/list-review-comments", "pull_requests")
def list_review_comments(call: Call) -> Reply:
    pull = call.pull()
    if pull is None:
        return not_found()
    since = call.query.get("since", "")
    rows = [comment for comment in call.world.visible_comments(pull.number) if comment.updated >= since]
    if "sort" in call.query:
        rows.sort(key=attrgetter("updated" if call.query["sort"] == "updated" else "id"))
        rows = rows[::-1] if call.query.get("direction", "asc") == "desc" else rows
    return listing(rows, call.views.review_comment)


def _base(world: World, pull: Pull, commit: str) -> str:
    return world.truth.merge_base(world.base_tip(pull), commit)


def _belongs(world: World, pull: Pull, commit: str) -> bool:
    """Whether a commit is the head or one of the commits of the pull request as it is now."""
    known = world.truth.commit(commit)
    return (
        known is not None
        and known == commit
        and commit in (pull.head_sha, *world.truth.commits(world.base_tip(pull), pull.head_sha))
    )


def problems(world: World, pull: Pull, commit: str, item: Json) -> list[Wrong]:
    """What is wrong with the anchor of a comment, in the order in which the service says it."""
    file = world.truth.diff(_base(world, pull, commit), commit).get(item["path"])
    if file is None:
        return ["path"]
    if item.get("subject_type") == "file":
        return []
    if "line" not in item:
        return ["position" if "position" in item else "line"]
    side: Side = item.get("side", "RIGHT")
    place = file.places.get((side, item["line"]))
    wrong: list[Wrong] = [] if place else ["line"]
    if "start_line" in item:
        start_side: Side = item.get("start_side", side)
        start = file.places.get((start_side, item["start_line"]))
        same_side = start_side == side
        if (same_side and item["start_line"] >= item["line"]) or (start and place and start[0] == place[0] and start >= place):
            wrong.append("order")
        elif start is None or place is None or start[0] != place[0]:
            wrong.append("start_line")
    return wrong


def sentence(wrong: Sequence[Wrong]) -> str:
    """All problems of one comment as one sentence."""
    parts = [_SENTENCES[name] for name in wrong]
    if {"path", "line", "position"} & set(wrong):
        parts.append(_NO_HUNK)
    return parts[0] if len(parts) == 1 else " and ".join(parts) if len(parts) == 2 else ", ".join(parts[:-1]) + f", and {parts[-1]}"


def _objects(wrong: Sequence[Wrong]) -> list[Json]:
    """The same as objects, which the answer for a single comment has."""
    told: dict[Wrong, tuple[str, str]] = {
        "line": ("line", "must be part of the diff"),
        "start_line": ("start_line", "must be part of the same hunk as the line."),
        "order": ("start_line", "must precede the end line."),
    }
    made: list[Json] = []
    for name in wrong:
        if name in told:
            field = f"pull_request_review_thread.{told[name][0]}"
            made.append(
                {"resource": "PullRequestReviewComment", "code": "custom", "field": field, "message": f"{field} {told[name][1]}"}
            )
        else:
            made.append({"resource": "PullRequestReviewComment", "code": "invalid", "field": f"pull_request_review_thread.{name}"})
    if {"path", "line", "position"} & set(wrong):
        made.append(
            {"resource": "PullRequestReviewComment", "code": "missing_field", "field": "pull_request_review_thread.diff_hunk"}
        )
    return made


def _locked_for(call: Call, pull: Pull) -> bool:
    """Who may push may speak in a locked conversation."""
    return pull.locked and call.token is not None and not call.token.may(("contents",), "write")


def _refused_review(call: Call, pull: Pull, commit: str) -> Reply | None:
    """The first reason not to take a review: it is taken whole or not at all."""
    event, body, items = call.body.get("event"), call.body.get("body", ""), call.body.get("comments", [])
    if _locked_for(call, pull):
        return locked_review()
    if not _belongs(call.world, pull, commit):
        return unprocessable("The commitOID is not part of the pull request")
    if not body and (event == "REQUEST_CHANGES" or (event == "COMMENT" and not items)):
        return unprocessable("Body is required")
    if event == "APPROVE" and call.account is pull.author:
        return unprocessable("Review Can not approve your own pull request")
    if event is None and any(_pending(review, call, pull) for review in call.world.reviews):
        return unprocessable("User can only have one pending review per pull request")
    if len(body) > BODY_LIMIT or any(len(item["body"]) > BODY_LIMIT for item in items):
        return unprocessable(_SENTENCES["body"])
    if any(not item["body"].strip() for item in items):
        return unprocessable("Body can't be blank")
    for item in items:
        if wrong := problems(call.world, pull, commit, item):
            return unprocessable(sentence(wrong))
    return None


def _pending(review: Review, call: Call, pull: Pull) -> bool:
    return review.state == "PENDING" and review.account is call.account and review.pull == pull.number


def add_review(call: Call, pull: Pull, commit: str, state: str, body: str = "") -> Review:
    review = Review(call.world.new_id(), pull.number, call.account, body, state, commit, call.world.now())
    call.world.reviews.append(review)
    return review


def add_comment(call: Call, pull: Pull, review: Review, item: Json) -> ReviewComment:
    """Stores a comment whose anchor was checked, with a thread of its own."""
    world, commit = call.world, review.commit_id
    base = _base(world, pull, commit)
    file = world.truth.diff(base, commit)[item["path"]]
    on_file = item.get("subject_type") == "file"
    side: Side = item.get("side", "RIGHT")
    thread = Thread(world.new_id(), pull.number)
    now = world.now()
    comment = ReviewComment(
        id=world.new_id(),
        pull=pull.number,
        review=review,
        thread=thread,
        account=call.account,
        body=item["body"],
        path=item["path"],
        commit=commit,
        base=base,
        created=now,
        updated=now,
        side=side,
        line=None if on_file else item["line"],
        start_side=item.get("start_side", side) if "start_line" in item and not on_file else None,
        start_line=item.get("start_line") if not on_file else None,
        excerpt="" if on_file else file.excerpt(file.places[side, item["line"]]),
    )
    world.threads.append(thread)
    world.comments.append(comment)
    return comment


@handles("pulls/create-review", "pull_requests", level="write")
def create_review(call: Call) -> Reply:
    pull = call.pull()
    if pull is None:
        return not_found()
    commit = call.body.get("commit_id", pull.head_sha)
    if refused := _refused_review(call, pull, commit):
        return refused
    state = _STATES.get(call.body.get("event", ""), "PENDING")
    review = add_review(call, pull, commit, state, call.body.get("body", ""))
    for item in call.body.get("comments", []):
        add_comment(call, pull, review, item)
    return Reply(200, call.views.review(review))


def _reply(call: Call, pull: Pull, parent: ReviewComment | None) -> Reply:
    if parent is None or parent.pull != pull.number:
        return not_found()
    if _locked_for(call, pull):
        return locked_comment()
    if parent.reply_to is not None:
        return invalid({"resource": "PullRequestReviewComment", "code": "invalid", "field": "in_reply_to"})
    if refused := wrong_body(call.body["body"], "PullRequestReviewComment"):
        return refused
    review = add_review(call, pull, pull.head_sha, "COMMENTED")
    now = call.world.now()
    comment = ReviewComment(
        id=call.world.new_id(),
        pull=pull.number,
        review=review,
        thread=parent.thread,
        account=call.account,
        body=call.body["body"],
        path=parent.path,
        commit=parent.commit,
        base=parent.base,
        created=now,
        updated=now,
        side=parent.side,
        line=parent.line,
        start_side=parent.start_side,
        start_line=parent.start_line,
        excerpt=parent.excerpt,
        reply_to=parent.id,
    )
    call.world.comments.append(comment)
    return Reply(201, call.views.review_comment(comment))


def _comment(call: Call, number: int) -> ReviewComment | None:
    return next((comment for comment in call.world.comments if comment.id == number), None)


@handles("pulls/create-review-comment", "pull_requests", level="write")
def create_review_comment(call: Call) -> Reply:
    """One comment on a line or on a file; with ``in_reply_to`` everything but the body is ignored."""
    pull = call.pull()
    if pull is None:
        return not_found()
    if "in_reply_to" in call.body:
        return _reply(call, pull, _comment(call, call.body["in_reply_to"]))
    if _locked_for(call, pull):
        return locked_comment()
    commit = call.body["commit_id"]
    if not _belongs(call.world, pull, commit):
        message = "commit_id is not part of the pull request"
        return invalid({"resource": "PullRequestReviewComment", "code": "custom", "field": "commit_id", "message": message})
    if refused := wrong_body(call.body["body"], "PullRequestReviewComment"):
        return refused
    if wrong := problems(call.world, pull, commit, call.body):
        return invalid(*_objects(wrong))
    review = add_review(call, pull, commit, "COMMENTED")
    return Reply(201, call.views.review_comment(add_comment(call, pull, review, call.body)))


@handles("pulls/create-reply-for-review-comment", "pull_requests", level="write")
def create_reply(call: Call) -> Reply:
    pull = call.pull()
    return not_found() if pull is None else _reply(call, pull, _comment(call, call.number("comment_id")))


@handles("pulls/get-review-comment", "pull_requests")
def get_review_comment(call: Call) -> Reply:
    comment = _comment(call, call.number("comment_id"))
    return not_found() if comment is None else Reply(200, call.views.review_comment(comment))


@handles("pulls/update-review-comment", "pull_requests", level="write")
def update_review_comment(call: Call) -> Reply:
    comment = _comment(call, call.number("comment_id"))
    if comment is None:
        return not_found()
    if refused := wrong_body(call.body["body"], "PullRequestReviewComment"):
        return refused
    call.foreign(comment.account, "edited", comment.id)
    comment.body, comment.updated = call.body["body"], call.world.now()
    return Reply(200, call.views.review_comment(comment))


@handles("pulls/delete-review-comment", "pull_requests", level="write")
def delete_review_comment(call: Call) -> Reply:
    """A thread ends with its last comment; replies to a deleted comment stay."""
    comment = _comment(call, call.number("comment_id"))
    if comment is None:
        return not_found()
    call.foreign(comment.account, "deleted", comment.id)
    remove_comment(call.world, comment)
    return Reply(204)


def remove_comment(world: World, comment: ReviewComment) -> None:
    world.comments.remove(comment)
    if not any(other.thread is comment.thread for other in world.comments):
        world.threads.remove(comment.thread)
