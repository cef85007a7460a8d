"""Events: what each is about, by payloads that fit GitHub's published schemas, and what an odd one comes to."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kodus_check.errors import CannotReview, UsageError
from kodus_check.model import Sha
from kodus_check.platforms.events import Ignored, Target, occasion
from tests.fakes import payloads
from tests.fakes.payloads import NOWHERE
from tests.platforms.conftest import Hub


def asked(hub: Hub, event: str, payload: object) -> Target | Ignored | None:
    path = hub.folder / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    return occasion(
        {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": hub.fake.full_name,
        }
    )


def head(hub: Hub) -> Sha:
    return Sha(hub.repo.rev("feature"))


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened", "ready_for_review", "labeled", "edited"])
def test_a_pull_request(hub: Hub, event: str, action: Any) -> None:
    target = asked(hub, event, payloads.pull_request(hub.fake, hub.number, action))
    assert target == Target("acme/app", 1, "main", head(hub), whole=True, trusted=True)


def test_a_draft_gets_rules_only(hub: Hub) -> None:
    hub.fake.set_draft(hub.number, True)
    target = asked(hub, "pull_request", payloads.pull_request(hub.fake, hub.number))
    assert isinstance(target, Target)
    assert not target.whole


def test_a_retargeted_pull_request_is_judged_by_its_new_branch(hub: Hub) -> None:
    hub.repo.git("branch", "release", "main")
    hub.fake.retarget(hub.number, "release")
    changes = {"base": {"ref": {"from": "main"}, "sha": {"from": hub.repo.rev("main")}}}
    target = asked(hub, "pull_request", payloads.pull_request(hub.fake, hub.number, "edited", changes=changes))
    assert isinstance(target, Target)
    assert target.base == "release"


def test_a_closed_pull_request_is_ignored(hub: Hub) -> None:
    hub.fake.close(hub.number)
    ignored = asked(hub, "pull_request", payloads.pull_request(hub.fake, hub.number, "closed"))
    assert ignored == Ignored("pull request 1 is closed")


def comment_event(hub: Hub, body: str, *, author: str = "octocat", number: int | None = None, action: Any = "created") -> Any:
    comment = hub.fake.comment(number or hub.number, body, author=author)
    return payloads.issue_comment(hub.fake, comment, action)


@pytest.mark.parametrize(
    ("body", "action", "reason"),
    [
        ("please look", "created", "the comment has no line `/kodus-check`"),
        ("run /kodus-check now", "created", "the comment has no line `/kodus-check`"),
        ("/kodus-check dismiss abc because", "created", "the comment has no line `/kodus-check`"),
        ("/kodus-check", "edited", "only a new comment asks for a review"),
        ("/kodus-check", "deleted", "only a new comment asks for a review"),
    ],
)
def test_a_comment_that_asks_for_nothing(hub: Hub, body: str, action: Any, reason: str) -> None:
    assert asked(hub, "issue_comment", comment_event(hub, body, action=action)) == Ignored(reason)


def test_a_comment_on_an_issue_or_of_a_bot_is_ignored(hub: Hub) -> None:
    issue = hub.fake.issue()
    ignored = asked(hub, "issue_comment", comment_event(hub, "/kodus-check", number=issue))
    assert ignored == Ignored(f"the comment is on issue {issue}, which is no pull request")
    payload = comment_event(hub, "/kodus-check", author="github-actions[bot]")
    assert asked(hub, "issue_comment", payload) == Ignored("the comment is by a bot")


@pytest.mark.parametrize(
    ("association", "starts"),
    [("OWNER", True), ("MEMBER", True), ("COLLABORATOR", True), ("CONTRIBUTOR", False), ("FIRST_TIMER", False), ("NONE", False)],
)
def test_who_may_start_a_review_by_a_comment(hub: Hub, association: str, starts: bool) -> None:
    payload = comment_event(hub, "Thanks!\n\n/kodus-check\n")
    payload["comment"]["author_association"] = association
    target = asked(hub, "issue_comment", payload)
    assert isinstance(target, Target) is starts
    if isinstance(target, Target):
        assert (target.number, target.base, target.head, target.trusted) == (1, None, None, True)


def test_a_merge_group_is_two_commits_and_rules(hub: Hub) -> None:
    payload = payloads.merge_group(hub.fake, [hub.number], head(hub))
    target = asked(hub, "merge_group", payload)
    assert target == Target("acme/app", None, hub.repo.rev("main"), head(hub), whole=False, trusted=True)
    assert isinstance(asked(hub, "merge_group", {**payload, "action": "destroyed"}), Ignored)


def test_a_workflow_run_is_believed_for_its_commit_alone(hub: Hub) -> None:
    payload = payloads.workflow_run(hub.fake, hub.number)
    target = asked(hub, "workflow_run", payload)
    assert isinstance(target, Target)
    assert (target.number, target.base, target.head, target.trusted) == (None, None, head(hub), False)
    assert target.head_branch.endswith(":feature")
    payload["workflow_run"]["event"] = "push"
    assert isinstance(asked(hub, "workflow_run", payload), Ignored)
    payload["workflow_run"].update(event="pull_request", head_repository=None)
    assert isinstance(asked(hub, "workflow_run", payload), Ignored)


@pytest.mark.parametrize(("given", "number"), [({"pr-number": "7"}, 7), ({"pr-number": " 12 "}, 12)])
def test_a_run_started_by_hand(hub: Hub, given: dict[str, str], number: int) -> None:
    target = asked(hub, "workflow_dispatch", payloads.workflow_dispatch(hub.fake, given))
    assert isinstance(target, Target)
    assert (target.number, target.base, target.trusted) == (number, None, True)


@pytest.mark.parametrize("given", [None, {}, {"pr-number": ""}, {"pr-number": "x"}, {"pr-number": "0"}, {"pr-number": "-1"}])
def test_a_run_started_by_hand_without_a_number_is_a_usage_error(hub: Hub, given: dict[str, str] | None) -> None:
    with pytest.raises(UsageError, match="without the number of a pull request"):
        asked(hub, "workflow_dispatch", payloads.workflow_dispatch(hub.fake, given))


def test_a_push_is_two_commits_and_publishes_nothing(hub: Hub) -> None:
    before = hub.repo.rev("main")
    target = asked(hub, "push", payloads.push(hub.fake, head(hub), before=before, branch="feature"))
    assert target == Target("acme/app", None, before, head(hub), trusted=True)
    new = asked(hub, "push", payloads.push(hub.fake, head(hub), branch="feature"))
    assert isinstance(new, Target)
    assert new.base == "main"
    assert isinstance(asked(hub, "push", payloads.push(hub.fake, NOWHERE, before=before, branch="gone")), Ignored)


def test_other_events_are_ignored(hub: Hub) -> None:
    ignored = asked(hub, "schedule", {})
    assert isinstance(ignored, Ignored)
    assert "the event `schedule` is about no change" in ignored.reason


def test_outside_of_a_runner_there_is_no_event(tmp_path: Path) -> None:
    assert occasion({}) is None
    assert occasion({"GITHUB_EVENT_NAME": "push"}) is None


def spoiled(**change: Any) -> Callable[[dict[str, Any]], object]:
    def spoil(payload: dict[str, Any]) -> object:
        for key, value in change.items():
            place: Any = payload
            *path, last = key.split("__")
            for part in path:
                place = place[part]
            place[last] = value
        return payload

    return spoil


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda payload: "{", "cannot be read"),
        (lambda payload: "[1]", "no JSON object"),
        (lambda payload: "[" * 100_000, "cannot be read"),
        (lambda payload: {}, "number"),
        (spoiled(number=True), "number"),
        (spoiled(number="1"), "number"),
        (spoiled(pull_request__base__ref="--upload-pack=evil"), "pull_request.base.ref"),
        (spoiled(pull_request__base__ref="a b"), "pull_request.base.ref"),
        (spoiled(pull_request__base__ref="a..b"), "pull_request.base.ref"),
        (spoiled(pull_request__base__ref="a" * 40), "pull_request.base.ref"),
        (spoiled(pull_request__base__ref=None), "pull_request.base.ref"),
        (spoiled(pull_request__head__sha="main"), "pull_request.head.sha"),
        (spoiled(pull_request__head__sha=["a"]), "pull_request.head.sha"),
        (spoiled(pull_request__head=None), "pull_request.head.sha"),
    ],
)
def test_a_payload_that_github_does_not_send(hub: Hub, spoil: Callable[[dict[str, Any]], object], said: str) -> None:
    with pytest.raises(CannotReview) as raised:
        asked(hub, "pull_request", spoil(payloads.pull_request(hub.fake, hub.number)))
    assert said in f"{raised.value.where} {raised.value.what}"


def test_a_fork_of_a_stranger_is_not_trusted(hub: Hub) -> None:
    payload = payloads.pull_request(hub.fake, hub.number)
    payload["pull_request"]["head"]["repo"]["full_name"] = "mallory/app"
    for association, trusted in (("NONE", False), ("CONTRIBUTOR", False), ("MEMBER", True)):
        payload["pull_request"]["author_association"] = association
        target = asked(hub, "pull_request", payload)
        assert isinstance(target, Target)
        assert target.trusted is trusted
    payload["pull_request"]["head"]["repo"] = None
    payload["pull_request"]["author_association"] = "NONE"
    gone = asked(hub, "pull_request_target", payload)
    assert isinstance(gone, Target)
    assert not gone.trusted
