"""Webhook payloads, as a workflow finds them in the file that ``GITHUB_EVENT_PATH`` names.

Each is built from the state of a fake and checked against GitHub's published schema of that event, closed-world:
a payload that does not fit is an error here, not a surprise in a test.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tests.fakes.contract import STAMP, Json, event_problems, webhooks
from tests.fakes.github import GitHubFake
from tests.fakes.github.state import IssueComment

PullAction = Literal["opened", "synchronize", "reopened", "edited", "ready_for_review", "converted_to_draft", "closed", "labeled"]
CommentAction = Literal["created", "edited", "deleted"]
NOWHERE = "0" * 40
"""The ``before`` of a new branch and the ``after`` of a deleted one."""


def write(payload: Mapping[str, object], path: Path) -> Path:
    """Writes a payload where ``GITHUB_EVENT_PATH`` is to point."""
    path.write_text(json.dumps(payload, indent=2))
    return path


def _event(fake: GitHubFake, name: str, given: Json, sender: str) -> Json:
    """The payload of an event with the parts that every event has."""
    schemas = webhooks()
    schema = schemas.document["events"][name]
    everywhere = {"repository": fake.views.repository(), "sender": fake.views.user(fake.account(sender))}
    made: Json = schemas.filled(schema, {**everywhere, **given}, url=fake.url)
    wrong = event_problems(name, made)
    assert not wrong, f"{name}: {wrong}"
    return made


def pull_request(
    fake: GitHubFake,
    number: int,
    action: PullAction = "opened",
    *,
    sender: str | None = None,
    before: str = "",
    label: str = "review",
    changes: Json | None = None,
) -> Json:
    """``pull_request`` (and ``pull_request_target``, whose payload is the same).

    ``before`` is the head before a ``synchronize``; ``changes`` of an ``edited`` are, after a retarget,
    ``{"base": {"ref": {"from": ...}, "sha": {"from": ...}}}``.
    """
    pull = fake.get_pull(number)
    shown = {**fake.views.pull_overlay(pull), **fake.views.pull_numbers(pull), "mergeable": None, "mergeable_state": "unknown"}
    given: Json = {"action": action, "number": number, "pull_request": shown}
    if action == "synchronize":
        given |= {"before": before or pull.base_sha, "after": pull.head_sha}
    if action == "labeled":
        given["label"] = fake.views.label(label)
    if action == "edited":
        given["changes"] = {"title": {"from": "Before"}} if changes is None else changes
    return _event(fake, f"pull-request-{action.replace('_', '-')}", given, sender or pull.author.login)


def issue_comment(fake: GitHubFake, comment_id: int, action: CommentAction = "created", *, sender: str | None = None) -> Json:
    """``issue_comment``, on a pull request (then ``issue.pull_request`` is there) or on an issue."""
    comment: IssueComment = next(comment for comment in fake.world.issue_comments if comment.id == comment_id)
    given: Json = {
        "action": action,
        "issue": fake.views.issue_overlay(comment.issue),
        "comment": fake.views.issue_comment_overlay(comment),
    }
    if action == "edited":
        given["changes"] = {"body": {"from": "Before"}}
    return _event(fake, f"issue-comment-{action}", given, sender or comment.account.login)


def merge_group(fake: GitHubFake, numbers: Sequence[int], head_sha: str, *, base: str = "main") -> Json:
    """``merge_group`` (checks_requested) of one or more pull requests; the branch is named after the last."""
    base_sha = fake.world.truth.branch(base)
    given = {
        "action": "checks_requested",
        "merge_group": {
            "base_ref": f"refs/heads/{base}",
            "base_sha": base_sha,
            "head_ref": f"refs/heads/gh-readonly-queue/{base}/pr-{numbers[-1]}-{base_sha}",
            "head_sha": head_sha,
            "head_commit": _commit(fake, head_sha),
        },
    }
    return _event(fake, "merge-group-checks-requested", given, "github-merge-queue[bot]")


def _short(repository: Json) -> Json:
    """The shorter repository that a workflow run shows."""
    return {name: item for name, item in repository.items() if name not in {"default_branch", "visibility"}}


def workflow_run(
    fake: GitHubFake, number: int, *, event: str = "pull_request", conclusion: str = "success", run_id: int = 4711
) -> Json:
    """``workflow_run`` (completed) of a workflow that ran on a pull request; a fork's run names no pull request."""
    pull = fake.get_pull(number)
    own = pull.head_repo == fake.full_name
    base, head = _short(fake.views.repository()), _short(fake.views.repository(pull.head_repo or f"{pull.head_owner}/gone"))
    sides = {
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": {name: base[name] for name in ("id", "name", "url")}},
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": {name: head[name] for name in ("id", "name", "url")}},
    }
    url = f"{fake.views.repository_url}/pulls/{number}"
    run = {
        "id": run_id,
        "name": "checks",
        "event": event,
        "status": "completed",
        "conclusion": conclusion,
        "head_branch": pull.head_ref,
        "head_sha": pull.head_sha,
        "head_commit": _commit(fake, pull.head_sha),
        "head_repository": head,
        "repository": base,
        "actor": fake.views.user(pull.author),
        "triggering_actor": fake.views.user(pull.author),
        "pull_requests": [{"id": pull.number + 1_000_000, "number": number, "url": url, **sides}] if own else [],
        "run_attempt": 1,
        "run_number": 1,
        "path": ".github/workflows/checks.yml",
    }
    return _event(fake, "workflow-run-completed", {"action": "completed", "workflow": {}, "workflow_run": run}, pull.author.login)


def workflow_dispatch(
    fake: GitHubFake, inputs: Mapping[str, str] | None = None, *, ref: str = "main", sender: str = "octocat"
) -> Json:
    """``workflow_dispatch``; without inputs the payload has null for them."""
    path = ".github/workflows/review.yml"
    given = {"inputs": None if inputs is None else dict(inputs), "ref": f"refs/heads/{ref}", "workflow": path}
    return _event(fake, "workflow-dispatch", given, sender)


def _commit(fake: GitHubFake, sha: str) -> Json:
    tree, _, message = fake.world.truth.details(sha)
    person = {"name": "Test", "email": "test@example.org"}
    return {"id": sha, "tree_id": tree, "message": message, "timestamp": STAMP, "author": person, "committer": person}


def push(
    fake: GitHubFake,
    after: str,
    *,
    before: str = NOWHERE,
    branch: str = "main",
    pusher: str = "octocat",
    forced: bool = False,
) -> Json:
    """``push`` to a branch; a new branch comes from nowhere, a deleted one goes there."""
    truth = fake.world.truth
    url = f"{fake.url}/html/{fake.full_name}"
    deleted, created = after == NOWHERE, before == NOWHERE
    shas = [] if deleted or created else truth.commits(before, after)[::-1]
    commits = [
        {**_commit(fake, sha), "url": f"{url}/commit/{sha}", "distinct": True, "added": [], "removed": [], "modified": []}
        for sha in (shas if deleted else [*shas[:-1], after])
    ]
    given = {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": created,
        "deleted": deleted,
        "forced": forced,
        "base_ref": None,
        "compare": f"{url}/compare/{before[:12]}...{after[:12]}",
        "commits": [] if deleted or created else commits,
        "head_commit": None if deleted else commits[-1],
        "pusher": {"name": pusher, "email": f"{pusher}@example.org"},
    }
    return _event(fake, "push", given, pusher)
