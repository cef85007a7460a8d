"""Webhook payloads: each fits GitHub's published schema, and says what the state says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.fakes import payloads
from tests.fakes.contract import event_problems, webhooks
from tests.fakes.scene import Scene


@pytest.fixture
def made(scene: Scene) -> dict[str, Any]:
    """One payload of every event."""
    comment = scene.fake.comment(scene.number, "/review", author="alice")
    found = {
        f"pull-request-{action.replace('_', '-')}": payloads.pull_request(scene.fake, scene.number, action)
        for action in get_args(payloads.PullAction)
    }
    found |= {
        f"issue-comment-{action}": payloads.issue_comment(scene.fake, comment, action)
        for action in get_args(payloads.CommentAction)
    }
    return found | {
        "merge-group-checks-requested": payloads.merge_group(scene.fake, [scene.number], scene.head),
        "workflow-run-completed": payloads.workflow_run(scene.fake, scene.number),
        "workflow-dispatch": payloads.workflow_dispatch(scene.fake, {"pr-number": "1"}),
        "push": payloads.push(scene.fake, scene.head, before=scene.base, branch="feature"),
    }


def test_every_published_event_has_a_payload_that_fits(made: dict[str, Any]) -> None:
    assert set(made) == set(webhooks().document["events"])
    assert {name: event_problems(name, payload) for name, payload in made.items()} == {name: [] for name in made}


def test_payloads_are_written_where_a_workflow_reads_them(made: dict[str, Any], tmp_path: Path) -> None:
    for name, payload in made.items():
        assert json.loads(payloads.write(payload, tmp_path / f"{name}.json").read_text()) == payload


def test_every_payload_names_the_repository_and_who_did_it(made: dict[str, Any]) -> None:
    assert {payload["repository"]["full_name"] for payload in made.values()} == {"acme/app"}
    assert all(payload["sender"]["login"] for payload in made.values())


def test_the_check_of_payloads_sees_what_is_wrong(made: dict[str, Any]) -> None:
    for name, payload in made.items():
        assert event_problems(name, {**payload, "surplus": 1}) == ["/surplus: unknown property"]
        assert event_problems(name, {**payload, "repository": 1})
        assert event_problems(name, {})


def test_a_pull_request_payload_has_both_sides(scene: Scene) -> None:
    payload = payloads.pull_request(scene.fake, scene.number)
    pull = payload["pull_request"]
    assert (payload["action"], payload["number"], pull["draft"], pull["user"]["login"]) == ("opened", 1, False, "alice")
    assert (pull["base"]["ref"], pull["base"]["sha"], pull["head"]["sha"]) == ("main", scene.base, scene.head)
    assert pull["url"] == f"{scene.fake.url}/repos/acme/app/pulls/1"


@pytest.mark.parametrize("action", get_args(payloads.PullAction))
@pytest.mark.parametrize(
    ("given", "shown"), [({"fork": "mallory/app"}, "mallory/app"), ({"fork": "mallory/app", "fork_deleted": True}, None)]
)
def test_a_head_in_a_fork(scene: Scene, action: Any, given: dict[str, Any], shown: str | None) -> None:
    number = scene.fake.pull(author="mallory", **given)
    pull = payloads.pull_request(scene.fake, number, action)["pull_request"]
    assert (pull["head"]["repo"] and pull["head"]["repo"]["full_name"], pull["head"]["user"]["login"]) == (shown, "mallory")
    assert pull["base"]["repo"]["full_name"] == "acme/app"


@pytest.mark.parametrize(
    ("change", "look", "wanted"),
    [
        (lambda scene: scene.fake.set_draft(1, True), lambda payload: payload["pull_request"]["draft"], True),
        (lambda scene: scene.fake.close(1, merged=True), lambda payload: payload["pull_request"]["merged"], True),
        (lambda scene: scene.fake.close(1), lambda payload: payload["pull_request"]["state"], "closed"),
        (lambda scene: scene.fake.lock(1), lambda payload: payload["pull_request"]["locked"], True),
        (
            lambda scene: scene.fake.account("alice", association="FIRST_TIME_CONTRIBUTOR"),
            lambda payload: payload["pull_request"]["author_association"],
            "FIRST_TIME_CONTRIBUTOR",
        ),
        (
            lambda scene: scene.fake.account("alice", user_type="Bot"),
            lambda payload: payload["pull_request"]["user"]["type"],
            "Bot",
        ),
    ],
)
def test_the_state_is_shown(
    scene: Scene, change: Callable[[Scene], object], look: Callable[[dict[str, Any]], object], wanted: object
) -> None:
    assert look(payloads.pull_request(scene.fake, 1)) != wanted
    change(scene)
    assert look(payloads.pull_request(scene.fake, 1)) == wanted


def test_a_synchronize_names_the_head_before_and_after(scene: Scene) -> None:
    new = scene.repo.commit({"more.py": "x\n"})
    payload = payloads.pull_request(scene.fake, 1, "synchronize", before=scene.head)
    assert (payload["before"], payload["after"], payload["pull_request"]["head"]["sha"]) == (scene.head, new, new)


def test_a_retarget_and_a_label(scene: Scene) -> None:
    changes = {"base": {"ref": {"from": "old"}, "sha": {"from": scene.base}}}
    assert payloads.pull_request(scene.fake, 1, "edited", changes=changes)["changes"] == changes
    assert payloads.pull_request(scene.fake, 1, "labeled", label="ai-review")["label"]["name"] == "ai-review"


def test_a_comment_on_a_pull_request_and_one_on_an_issue(scene: Scene) -> None:
    scene.fake.account("bob", association="MEMBER")
    here = payloads.issue_comment(scene.fake, scene.fake.comment(1, "/review", author="bob"))
    there = payloads.issue_comment(scene.fake, scene.fake.comment(scene.fake.issue(), "/review", author="renovate[bot]"))
    assert here["issue"]["pull_request"]["url"].endswith("/pulls/1")
    assert "pull_request" not in there["issue"]
    assert (here["comment"]["body"], here["comment"]["author_association"]) == ("/review", "MEMBER")
    assert (there["comment"]["user"]["type"], there["sender"]["login"]) == ("Bot", "renovate[bot]")


def test_a_merge_group_has_no_pull_request_but_a_telling_branch(scene: Scene) -> None:
    group = payloads.merge_group(scene.fake, [4, 1], scene.head)["merge_group"]
    assert (group["base_sha"], group["head_sha"], group["base_ref"]) == (scene.base, scene.head, "refs/heads/main")
    assert group["head_ref"] == f"refs/heads/gh-readonly-queue/main/pr-1-{scene.base}"


@pytest.mark.parametrize(("given", "numbers"), [({}, [2]), ({"fork": "mallory/app"}, [])])
def test_a_workflow_run_of_a_fork_names_no_pull_request(scene: Scene, given: dict[str, Any], numbers: list[int]) -> None:
    run = payloads.workflow_run(scene.fake, scene.fake.pull(**given))["workflow_run"]
    assert [pull["number"] for pull in run["pull_requests"]] == numbers
    assert (run["head_sha"], run["head_branch"], run["event"]) == (scene.head, "feature", "pull_request")
    assert run["head_repository"]["full_name"] == given.get("fork", "acme/app")


def test_a_dispatch_without_inputs_has_null(scene: Scene) -> None:
    assert payloads.workflow_dispatch(scene.fake)["inputs"] is None
    assert payloads.workflow_dispatch(scene.fake, {"pr-number": "7"}, ref="x")["inputs"] == {"pr-number": "7"}


@pytest.mark.parametrize(
    ("before", "after", "flags", "commits"),
    [
        ("base", "head", (False, False), 1),
        (payloads.NOWHERE, "head", (True, False), 0),
        ("head", payloads.NOWHERE, (False, True), 0),
    ],
)
def test_pushes(scene: Scene, before: str, after: str, flags: tuple[bool, bool], commits: int) -> None:
    ids = {"base": scene.base, "head": scene.head}
    payload = payloads.push(scene.fake, ids.get(after, after), before=ids.get(before, before), branch="feature")
    assert (payload["created"], payload["deleted"], len(payload["commits"])) == (*flags, commits)
    assert (payload["head_commit"] or {}).get("id") == (None if after == payloads.NOWHERE else scene.head)
    assert payload["ref"] == "refs/heads/feature"
