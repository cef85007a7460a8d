"""The repository, its pull requests, statuses and conversations."""

from typing import Any

import pytest

from tests.fakes.github.operations import HANDLERS
from tests.fakes.github.routes import operations
from tests.fakes.scene import Scene


def test_every_published_operation_is_served_and_nothing_else() -> None:
    assert {operation.id for operation in operations()} == set(HANDLERS)


def test_a_pull_request_shows_what_git_has(scene: Scene) -> None:
    body = scene.ask("GET", f"pulls/{scene.number}").body
    assert (body["base"]["ref"], body["base"]["sha"], body["head"]["ref"], body["head"]["sha"]) == (
        "main",
        scene.base,
        "feature",
        scene.head,
    )
    assert (body["user"]["login"], body["changed_files"], body["commits"], body["draft"]) == ("alice", 7, 1, False)
    assert (body["additions"], body["deletions"]) == (6, 5)


def test_a_push_is_seen_at_once_and_a_deleted_branch_keeps_its_last_head(scene: Scene) -> None:
    new = scene.repo.commit({"more.py": "x\n"})
    assert scene.ask("GET", f"pulls/{scene.number}").body["head"]["sha"] == new
    scene.repo.checkout("main")
    scene.repo.git("branch", "-D", "feature")
    assert scene.ask("GET", f"pulls/{scene.number}").body["head"]["sha"] == new
    assert scene.ask("GET", "branches/feature").status == 404


def test_the_base_in_a_pull_request_is_as_old_as_its_last_push(scene: Scene) -> None:
    scene.repo.checkout("main")
    tip = scene.repo.commit({"other.py": "x\n"})
    assert scene.ask("GET", f"pulls/{scene.number}").body["base"]["sha"] == scene.base
    assert scene.ask("GET", "branches/main").body["commit"]["sha"] == tip
    scene.repo.checkout("feature")
    scene.repo.commit({"more.py": "x\n"})
    assert scene.ask("GET", f"pulls/{scene.number}").body["base"]["sha"] == tip


def test_a_retargeted_pull_request_has_the_diff_to_its_new_base(scene: Scene) -> None:
    scene.repo.branch("release", "feature")
    new = scene.repo.commit({"only.py": "x\n"})
    scene.repo.branch("stacked", "release")
    scene.repo.commit({"top.py": "x\n"})
    number = scene.fake.pull("main", "stacked")
    assert scene.ask("GET", f"pulls/{number}").body["changed_files"] == 9
    scene.fake.retarget(number, "release")
    body = scene.ask("GET", f"pulls/{number}").body
    assert (body["changed_files"], body["base"]["ref"], body["base"]["sha"]) == (1, "release", new)


@pytest.mark.parametrize(
    ("given", "shown", "label"),
    [
        ({}, "acme/app", "acme:feature"),
        ({"fork": "mallory/app"}, "mallory/app", "mallory:feature"),
        ({"fork": "mallory/app", "head_ref": "patch-1"}, "mallory/app", "mallory:patch-1"),
        ({"fork": "mallory/app", "fork_deleted": True}, None, "mallory:feature"),
    ],
)
def test_a_head_may_be_in_a_fork(scene: Scene, given: dict[str, Any], shown: str | None, label: str) -> None:
    number = scene.fake.pull(**given)
    head = scene.ask("GET", f"pulls/{number}").body["head"]
    assert (head["repo"] and head["repo"]["full_name"], head["label"]) == (shown, label)
    assert head["sha"] == scene.head
    assert scene.ask("GET", f"pulls?head={label}&state=all").body[-1]["head"]["label"] == label


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [3, 1]),
        ("?state=all", [3, 2, 1]),
        ("?state=closed", [2]),
        ("?direction=asc", [1, 3]),
        ("?head=mallory:feature", [3]),
        ("?head=acme:feature&base=main", [1]),
        ("?base=other", []),
        ("?head=feature", [3, 1]),
        ("?head=bob:feature", []),
    ],
)
def test_pull_requests_are_found(scene: Scene, query: str, numbers: list[int]) -> None:
    scene.fake.close(scene.fake.pull(), merged=True)
    scene.fake.pull(fork="mallory/app")
    assert [pull["number"] for pull in scene.ask("GET", f"pulls{query}").body] == numbers


def test_pull_requests_of_a_commit(scene: Scene) -> None:
    first = scene.head
    scene.repo.commit({"more.py": "x\n"})
    assert [pull["number"] for pull in scene.ask("GET", f"commits/{first}/pulls").body] == [scene.number]
    assert scene.ask("GET", f"commits/{scene.base}/pulls").body == []
    assert scene.ask("GET", f"commits/{'0' * 40}/pulls").status == 422


@pytest.mark.parametrize(
    ("path", "status", "wanted"),
    [
        ("git/ref/heads/feature", 200, "head"),
        ("git/ref/heads/a/b", 200, "head"),
        ("git/ref/heads/nothing", 404, ""),
        ("branches/main", 200, "base"),
        ("branches/a/b", 200, "head"),
        ("branches/a%2Fb", 200, "head"),
        ("branches/nothing", 404, ""),
        ("commits/main", 200, "base"),
        ("commits/a/b", 200, "head"),
        ("commits/nothing", 422, ""),
    ],
)
def test_refs_and_branches(scene: Scene, path: str, status: int, wanted: str) -> None:
    scene.repo.git("branch", "a/b", "feature")
    answer = scene.ask("GET", path)
    assert answer.status == status
    if wanted:
        found = answer.body.get("object") or answer.body.get("commit")
        assert (found.get("sha") or answer.body["sha"]) == getattr(scene, wanted)


def test_statuses_are_listed_newest_first_and_combined_by_context(scene: Scene) -> None:
    for state, context in (("pending", "a"), ("failure", "b"), ("success", "a")):
        assert scene.ask("POST", f"statuses/{scene.head}", {"state": state, "context": context, "description": "d"}).status == 201
    assert [row["state"] for row in scene.ask("GET", f"commits/{scene.head}/statuses").body] == ["success", "failure", "pending"]
    combined = scene.ask("GET", "commits/feature/status").body
    assert (combined["state"], combined["total_count"], combined["sha"]) == ("failure", 2, scene.head)
    assert [status.context for status in scene.fake.statuses(scene.head)] == ["a", "b", "a"]
    assert scene.ask("GET", "commits/main/status").body["state"] == "pending"


@pytest.mark.parametrize(
    ("sha", "given", "message"),
    [
        ("0" * 40, {}, f"No commit found for SHA: {'0' * 40}"),
        (None, {"description": "x" * 141}, "description is too long (maximum is 140 characters)"),
    ],
)
def test_a_status_is_refused(scene: Scene, sha: str | None, given: dict[str, str], message: str) -> None:
    answer = scene.ask("POST", f"statuses/{sha or scene.head}", {"state": "success", **given})
    assert answer.status == 422
    assert message in str(answer.body)
    assert scene.fake.world.statuses == []


def test_the_conversation_is_written_read_changed_and_deleted(scene: Scene) -> None:
    path = f"issues/{scene.number}/comments"
    made = scene.ask("POST", path, {"body": "hello"})
    one = f"issues/comments/{made.body['id']}"
    assert (made.status, made.body["user"]["login"], made.body["user"]["type"]) == (201, "github-actions[bot]", "Bot")
    assert scene.ask("PATCH", one, {"body": "bye"}).body["body"] == "bye"
    assert scene.ask("GET", one).body == scene.ask("GET", path).body[0]
    assert scene.ask("DELETE", one).status == 204
    assert [
        scene.ask(method, one, body).status for method, body in (("GET", None), ("PATCH", {"body": "x"}), ("DELETE", None))
    ] == [404] * 3
    assert scene.fake.issue_comments(scene.number) == []
    scene.fake.assert_clean()


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("x" * 65_536, 201, ""),
        ("x" * 65_537, 422, "Body is too long (maximum is 65536 characters)"),
        ("é" * 65_536, 201, ""),
        ("", 422, "Body cannot be blank"),
        (" \n", 422, "Body cannot be blank"),
    ],
)
def test_the_length_of_a_body(scene: Scene, body: str, status: int, message: str) -> None:
    answer = scene.ask("POST", f"issues/{scene.number}/comments", {"body": body})
    assert answer.status == status
    assert not message or answer.body["errors"][0]["message"] == message
    number = scene.fake.comment(scene.number, "before", author="github-actions[bot]")
    assert scene.ask("PATCH", f"issues/comments/{number}", {"body": body}).status == (200 if status == 201 else 422)


def test_comments_since_a_time(scene: Scene) -> None:
    scene.fake.comment(scene.number, "old")
    later = scene.fake.comment(scene.number, "new")
    stamp = scene.fake.issue_comments(scene.number)[1].created
    found = scene.ask("GET", f"issues/{scene.number}/comments?since={stamp}").body
    assert [comment["id"] for comment in found] == [later]


def test_an_issue_is_not_a_pull_request(scene: Scene) -> None:
    number = scene.fake.issue("Why?")
    scene.fake.comment(number, "because")
    assert "pull_request" not in scene.ask("GET", f"issues/{number}").body
    assert scene.ask("GET", f"issues/{scene.number}").body["pull_request"]["url"].endswith(f"/pulls/{scene.number}")
    assert scene.ask("GET", f"pulls/{number}").status == 404
    assert [comment["body"] for comment in scene.ask("GET", f"issues/{number}/comments").body] == ["because"]


def test_a_reaction_is_kept_once(scene: Scene) -> None:
    number = scene.fake.comment(scene.number, "/review")
    path = f"issues/comments/{number}/reactions"
    assert [scene.ask("POST", path, {"content": "eyes"}).status for _ in range(2)] == [201, 200]
    assert scene.ask("POST", path, {"content": "eyes"}, token=scene.fake.token("bob", can_write=True)).status == 201
    assert [content for _, content, _ in scene.fake.issue_comments(scene.number)[0].reactions] == ["eyes", "eyes"]
    assert scene.ask("POST", path, {"content": "shrug"}).status == 400


def test_a_locked_conversation_takes_no_comment_but_of_who_may_push(scene: Scene) -> None:
    scene.fake.lock(scene.number)
    path = f"issues/{scene.number}/comments"
    answer = scene.ask("POST", path, {"body": "b"})
    assert (answer.status, answer.body["message"]) == (403, "Unable to create comment because issue is locked.")
    assert scene.ask("POST", path, {"body": "b"}, token=scene.fake.token(permissions={"contents": "write"})).status == 201
