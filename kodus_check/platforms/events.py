"""What a GitHub event asks for: a pull request, two commits, or nothing. A payload is data that others wrote, so nothing is taken
from it that is not of its expected shape.

T1  a payload names another repository, an option as a branch, a commit that is none -> shapes are checked; names are never commands
T2  a comment of a bot, or on an issue, starts a review that costs money             -> ignored, with the reason
T3  ``GITHUB_SHA`` of ``pull_request_target`` is the default branch's                -> both come from the pull request alone
T4  the payload's base commit is as old as the event                                 -> the branch is taken; its tip is looked up
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kodus_check.errors import CannotReview, UsageError
from kodus_check.model import Sha, is_sha, parse_sha

MAX_PAYLOAD = 30 * 1024 * 1024
WRITERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
COMMAND = "/kodus-check"

_REPOSITORY = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}")
_REF = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\s~^:?*\[\\\x00-\x20\x7f]{1,400}(?<![./])")
_NOWHERE = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class Target:
    """What is judged: ``head`` against the tip of ``base``, a branch or a commit.

    ``number`` is the pull request that comments belong to (None: none). ``whole`` is false where only rules run: drafts and queues.
    ``head`` and ``base`` of None are not in the event: the platform knows them by the number, or by ``head_branch``
    (``owner:branch``). ``trusted`` says that the author could have written to the repository anyway.
    """

    repository: str
    number: int | None
    base: str | None
    head: Sha | None
    whole: bool = True
    trusted: bool = False
    head_branch: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing is to be judged, and why: a neutral result."""

    reason: str


def occasion(environ: Mapping[str, str]) -> Target | Ignored | None:
    """What the event of this workflow asks for; None outside of GitHub's runners."""
    if environ.get("GITHUB_ACTIONS") != "true" or not environ.get("GITHUB_EVENT_NAME"):
        return None
    name = environ["GITHUB_EVENT_NAME"]
    read = _EVENTS.get(name)
    if read is None:
        return Ignored(f"the event `{name}` is about no change; kodus-check reads {', '.join(_EVENTS)}")
    repository = environ.get("GITHUB_REPOSITORY", "")
    if not _REPOSITORY.fullmatch(repository):
        raise CannotReview("this names no repository", where=f"GITHUB_REPOSITORY={repository}")
    return read(_payload(environ.get("GITHUB_EVENT_PATH", "")), repository)


def _payload(path: str) -> dict[str, Any]:
    try:
        file = Path(path)
        if file.stat().st_size > MAX_PAYLOAD:
            raise CannotReview(f"the event has more than {MAX_PAYLOAD:,} bytes", where=path)
        payload = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        remedy = "GITHUB_EVENT_PATH names the file of the event; the runner sets it."
        raise CannotReview(f"the event cannot be read ({type(error).__name__})", where=path or None, remedy=remedy) from None
    if not isinstance(payload, dict):
        raise CannotReview("the event is no JSON object", where=path)
    return payload


def _pull_request(payload: dict[str, Any], repository: str) -> Target | Ignored:
    number = _number(payload, "number")
    if payload.get("action") == "closed" or _get(payload, "pull_request", "state") == "closed":
        return Ignored(f"pull request {number} is closed")
    same = _get(payload, "pull_request", "head", "repo", "full_name") == repository
    return Target(
        repository,
        number,
        _branch(payload, "pull_request", "base", "ref"),
        _commit(payload, "pull_request", "head", "sha"),
        whole=_get(payload, "pull_request", "draft") is not True,
        trusted=same or _get(payload, "pull_request", "author_association") in WRITERS,
    )


def _issue_comment(payload: dict[str, Any], repository: str) -> Target | Ignored:
    number = _number(payload, "issue", "number")
    if not isinstance(_get(payload, "issue", "pull_request"), dict):
        return Ignored(f"the comment is on issue {number}, which is no pull request")
    if payload.get("action") != "created":
        return Ignored("only a new comment asks for a review")
    body = _get(payload, "comment", "body")
    if not isinstance(body, str) or COMMAND not in (line.strip() for line in body.splitlines()):
        return Ignored(f"the comment has no line `{COMMAND}`")
    if _get(payload, "comment", "user", "type") == "Bot":
        return Ignored("the comment is by a bot")
    if _get(payload, "issue", "state") == "closed":
        return Ignored(f"pull request {number} is closed")
    if _get(payload, "comment", "author_association") not in WRITERS:
        return Ignored("only people who can write to this repository start a review by a comment")
    return Target(repository, number, None, None, trusted=True)


def _merge_group(payload: dict[str, Any], repository: str) -> Target | Ignored:
    if payload.get("action") == "destroyed":
        return Ignored("the merge group is gone")
    base, head = (_commit(payload, "merge_group", name) for name in ("base_sha", "head_sha"))
    return Target(repository, None, str(base), head, whole=False, trusted=True)


def _workflow_run(payload: dict[str, Any], repository: str) -> Target | Ignored:
    event = _get(payload, "workflow_run", "event")
    if event not in ("pull_request", "pull_request_target"):
        return Ignored("the workflow that ran was not about a pull request")
    owner = _get(payload, "workflow_run", "head_repository", "owner", "login")
    branch = _get(payload, "workflow_run", "head_branch")
    if not isinstance(owner, str) or not isinstance(branch, str):
        return Ignored("the repository that the change came from is gone")
    # Only the commit is believed; which pull request it belongs to, and where that goes, the platform says.
    return Target(repository, None, None, _commit(payload, "workflow_run", "head_sha"), head_branch=f"{owner}:{branch}")


def _workflow_dispatch(payload: dict[str, Any], repository: str) -> Target | Ignored:
    given = _get(payload, "inputs", "pr-number")
    if not isinstance(given, str | int) or not re.fullmatch(r"[1-9][0-9]{0,9}", str(given).strip()):
        remedy = "Give the workflow an input `pr-number`, and start it with the number of an open pull request."
        raise UsageError("the run was started by hand without the number of a pull request", where="pr-number", remedy=remedy)
    return Target(repository, int(given), None, None, trusted=True)


def _push(payload: dict[str, Any], repository: str) -> Target | Ignored:
    after = _get(payload, "after")
    if payload.get("deleted") is True or (isinstance(after, str) and _NOWHERE.fullmatch(after)):
        return Ignored("the branch was deleted")
    if not str(payload.get("ref", "")).startswith("refs/heads/"):
        return Ignored("a tag was pushed")
    before = _get(payload, "before")
    new = not isinstance(before, str) or _NOWHERE.fullmatch(before)
    base = _branch(payload, "repository", "default_branch") if new else str(_commit(payload, "before"))
    return Target(repository, None, base, _commit(payload, "after"), trusted=True)


_EVENTS: dict[str, Callable[[dict[str, Any], str], Target | Ignored]] = {
    "pull_request": _pull_request,
    "pull_request_target": _pull_request,
    "issue_comment": _issue_comment,
    "merge_group": _merge_group,
    "workflow_run": _workflow_run,
    "workflow_dispatch": _workflow_dispatch,
    "push": _push,
}


def _get(payload: object, *keys: str) -> object:
    for key in keys:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload


def _number(payload: dict[str, Any], *keys: str) -> int:
    value = _get(payload, *keys)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _odd(keys)
    return value


def _branch(payload: dict[str, Any], *keys: str) -> str:
    value = _get(payload, *keys)
    if not isinstance(value, str) or not _REF.fullmatch(value) or is_sha(value):
        raise _odd(keys)
    return value


def _commit(payload: dict[str, Any], *keys: str) -> Sha:
    value = _get(payload, *keys)
    if not isinstance(value, str) or not is_sha(value):
        raise _odd(keys)
    return parse_sha(value)


def _odd(keys: tuple[str, ...]) -> CannotReview:
    return CannotReview(
        "the event does not have what GitHub sends", where=".".join(keys), remedy="Run it again; report it if it stays."
    )
