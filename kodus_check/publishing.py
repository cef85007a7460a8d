"""A run on a pull request of GitHub: what the event is about, whether the token may write, and the comments at the end.

The order is the promise: whether anything can be published is decided before a model is asked.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from kodus_check.app import EXIT_OK, Checked
from kodus_check.errors import CannotReview
from kodus_check.model import Finding, Notice, NoticeKind, is_sha, parse_sha
from kodus_check.platforms.comments import Job, Publisher
from kodus_check.platforms.events import Ignored, Target, occasion
from kodus_check.platforms.github import ApiError, GitHub
from kodus_check.render.markdown import Templates, comment, summary
from kodus_check.reports.order import worst_first


@dataclass
class Session:
    """One run on one target. ``github`` is None without a token; ``read_only`` says why nothing can be written ("" when it can)."""

    target: Target
    github: GitHub | None
    read_only: str = ""
    notices: list[Notice] = field(default_factory=list)

    def publish(self, checked: Checked) -> Checked:
        """``checked`` with what publishing has to say. A head that moved on makes the run a neutral one."""
        review = replace(checked.review, notices=(*checked.review.notices, *self.notices))
        checked = replace(checked, review=review)
        if self.github is None or self.target.number is None or self.read_only or review.publishing is None:
            return checked
        templates = Templates(checked.templates)

        def render(finding: Finding) -> str:
            return comment(finding, review, templates)

        def summarise(told: list[Notice]) -> str:
            return summary(replace(review, notices=(*review.notices, *told)), templates)

        plan = review.publishing
        job = Job(self.target.number, plan.key, plan.inline, plan.summary)
        done = Publisher(self.github, job, render, summarise).publish(review, worst_first(review.findings), review.files)
        told = replace(review, notices=(*review.notices, *done.notices()))
        return Checked(told, EXIT_OK if done.superseded else checked.exit_code, checked.templates)


def begin(environ: Mapping[str, str], *, publish: bool, sleep: Callable[[float], None] = time.sleep) -> Session | Ignored | None:
    """What this run is about, as GitHub's event says; None outside of GitHub's runners."""
    target = occasion(environ)
    if target is None or isinstance(target, Ignored):
        return target
    token, url = environ.get("GITHUB_TOKEN", ""), environ.get("GITHUB_API_URL") or "https://api.github.com"
    github = GitHub(url, target.repository, token, sleep=sleep) if token else None
    found = _looked_up(target, github)
    if isinstance(found, Ignored):
        return found
    session = Session(found, github)
    if found.number is not None:
        session.read_only = _why_not(publish, github, found.number)
        if session.read_only and publish:
            session.notices.append(_not_published(session.read_only))
    return session


def _why_not(publish: bool, github: GitHub | None, number: int) -> str:
    if not publish:
        return "this is a dry run"
    if github is None:
        return "there is no token"
    return can_write(github, number)


def can_write(github: GitHub, number: int) -> str:
    """Why the token may not comment, "" when it may. An empty comment is refused in two ways, and never stands."""
    try:
        github.write("POST", f"issues/{number}/comments", {"body": ""})
    except ApiError as error:
        if error.status == 422 or error.unknown or error.limited:
            return ""  # what says nothing about the token is decided on by the writes themselves
        return error.message or f"GitHub answers {error.status}"
    return ""


def _not_published(why: str) -> Notice:
    text = (
        f"No comments are published: {why}. Summary, annotations, reports and the exit code are as always. Give the job "
        "`permissions: {contents: read, pull-requests: write}` and the token; a pull request from a fork gets one that only reads."
    )
    return Notice(NoticeKind.NOT_PUBLISHED, text)


def _looked_up(target: Target, github: GitHub | None) -> Target | Ignored:
    """The target with what the event leaves open, as the platform has it now."""
    if target.base is not None and target.head is not None:
        return target
    if github is None:
        raise CannotReview("this event does not say what to judge, and there is no token to ask GitHub", remedy="Set GITHUB_TOKEN.")
    try:
        if target.number is None:
            listed = github.pages(f"pulls?state=open&head={quote(target.head_branch, safe=':')}")
            pull = next((one for one in listed if _side(one, "head").get("sha") == target.head), None)
            if pull is None:
                return Ignored("no open pull request has the commit that the workflow ran on as its head")
        else:
            pull = github.read(f"pulls/{target.number}")
    except ApiError as error:
        raise CannotReview(f"the pull request cannot be read. {error}", remedy="Give the job `pull-requests: read`.") from None
    number, sha, ref = pull.get("number"), _side(pull, "head").get("sha"), _side(pull, "base").get("ref")
    if not isinstance(number, int) or not isinstance(sha, str) or not is_sha(sha) or not isinstance(ref, str):
        raise CannotReview("GitHub's answer is no pull request")
    if pull.get("state") == "closed":
        return Ignored(f"pull request {number} is closed")
    repo = _side(pull, "head").get("repo")
    same = isinstance(repo, dict) and repo.get("full_name") == target.repository
    return replace(
        target, number=number, base=ref, head=parse_sha(sha), whole=pull.get("draft") is not True, trusted=target.trusted or same
    )


def _side(pull: Mapping[str, object], name: str) -> dict[str, object]:
    side = pull.get(name)
    return side if isinstance(side, dict) else {}
