"""The faults: each shown by what the client gets and by what the service then holds."""

import time
from collections.abc import Callable
from http.client import IncompleteRead, RemoteDisconnected
from threading import Thread
from typing import Any

import pytest

from tests.fakes.scene import Scene

COMMENT = ("POST", r"/issues/1/comments$")


def say(scene: Scene, body: str = "b") -> Any:
    return scene.ask("POST", "issues/1/comments", {"body": body})


@pytest.mark.parametrize(("kind", "kept"), [("before", 0), ("after", 1)])
def test_a_bad_gateway_before_or_after_the_write(scene: Scene, kind: Any, kept: int) -> None:
    scene.fake.faults.add(*COMMENT, kind)
    assert say(scene).status == 502
    assert len(scene.fake.issue_comments(1)) == kept
    assert say(scene).status == 201
    assert [(seen.fault, seen.status) for seen in scene.fake.requests] == [(kind, 502), ("", 201)]


@pytest.mark.parametrize(
    ("kind", "given", "status", "message", "headers"),
    [
        ("secondary", {}, 403, "You have exceeded a secondary rate limit.", {"retry-after": "1"}),
        ("secondary", {"retry_after": 7}, 403, "You have exceeded a secondary rate limit.", {"retry-after": "7"}),
        ("secondary", {"retry_after": None}, 403, "You have exceeded a secondary rate limit.", {"retry-after": None}),
        ("secondary", {"status": 429}, 429, "You have exceeded a secondary rate limit.", {"retry-after": "1"}),
        ("primary", {}, 403, "API rate limit exceeded", {"x-ratelimit-remaining": "0"}),
        ("primary", {"status": 429}, 429, "API rate limit exceeded", {"x-ratelimit-remaining": "0"}),
        ("read_only", {}, 403, "Resource not accessible by integration", {}),
        ("locked", {}, 403, "Unable to create comment because issue is locked.", {}),
        ("unprocessable", {"body": {"message": "no"}}, 422, "no", {}),
    ],
)
def test_a_refusal_changes_nothing(
    scene: Scene, kind: Any, given: dict[str, Any], status: int, message: str, headers: dict[str, str | None]
) -> None:
    scene.fake.faults.add(*COMMENT, kind, **given)
    answer = say(scene)
    assert answer.status == status
    assert answer.body["message"].startswith(message)
    assert {name: answer.headers.get(name) for name in headers} == headers
    assert scene.fake.issue_comments(1) == []
    assert scene.fake.faults.waiting == []


def test_a_primary_limit_says_when_it_ends(scene: Scene) -> None:
    scene.fake.faults.add(*COMMENT, "primary")
    assert int(say(scene).headers["x-ratelimit-reset"]) > time.time()


def test_a_lock_as_a_fault_of_a_review(scene: Scene) -> None:
    scene.fake.faults.add("POST", "/reviews$", "locked")
    answer = scene.review()
    assert (answer.status, answer.body["errors"]) == (422, ["lock prevents review"])


@pytest.mark.parametrize(("index", "kept"), [(-1, ["a", "b"]), (0, ["b", "c"])])
def test_a_review_that_lost_one_of_its_comments(scene: Scene, index: int, kept: list[str]) -> None:
    scene.fake.faults.add("POST", "/reviews$", "drop_comment", index=index)
    notes: list[dict[str, object]] = [
        {"path": "long.py", "line": line, "body": body} for line, body in ((7, "a"), (8, "b"), (9, "c"))
    ]
    assert scene.review(*notes).status == 200
    assert [comment["body"] for comment in scene.comments()] == kept
    assert len(scene.fake.world.threads) == 2


def test_a_single_comment_that_was_never_stored(scene: Scene) -> None:
    scene.fake.faults.add("POST", "/comments$", "drop_comment")
    given = {"path": "long.py", "line": 10, "body": "b", "commit_id": scene.head}
    assert scene.ask("POST", "pulls/1/comments", given).status == 201
    assert scene.comments() == []


def test_a_page_that_was_cut(scene: Scene) -> None:
    scene.fake.comment(1, "c")
    scene.fake.faults.add("GET", "/comments$", "truncate")
    with pytest.raises(IncompleteRead):
        scene.ask("GET", "issues/1/comments")
    assert len(scene.ask("GET", "issues/1/comments").body) == 1


def test_no_answer(scene: Scene) -> None:
    scene.fake.faults.add(*COMMENT, "hang", seconds=0.2)
    start = time.monotonic()
    with pytest.raises(RemoteDisconnected):
        say(scene)
    assert 0.2 <= time.monotonic() - start < 2
    assert scene.fake.issue_comments(1) == []
    assert [(seen.fault, seen.status) for seen in scene.fake.requests] == [("hang", 0)]


def test_others_are_answered_while_one_hangs(scene: Scene) -> None:
    scene.fake.faults.add(*COMMENT, "hang", seconds=0.5)
    caught: list[Exception] = []

    def wait() -> None:
        try:
            say(scene)
        except RemoteDisconnected as problem:
            caught.append(problem)

    waiting = Thread(target=wait)
    waiting.start()
    start = time.monotonic()
    assert scene.ask("GET", "pulls/1").status == 200
    assert time.monotonic() - start < 0.4
    waiting.join()
    assert len(caught) == 1


def test_a_head_that_moves_in_between(scene: Scene) -> None:
    moved: list[str] = []
    scene.fake.faults.add("GET", "/pulls/1$", "moved_head", run=lambda: moved.append(scene.repo.commit({"more.py": "x\n"})))
    assert scene.ask("GET", "pulls/1").body["head"]["sha"] == moved[0] != scene.head
    assert scene.ask("GET", "pulls/1").body["head"]["sha"] == moved[0]
    assert len(moved) == 1


def test_faults_come_in_order_and_as_often_as_told(scene: Scene) -> None:
    scene.fake.faults.add(*COMMENT, "before", 2)
    scene.fake.faults.add(*COMMENT, "read_only")
    scene.fake.faults.add("GET", "/pulls/1$", "before")
    assert [say(scene).status for _ in range(4)] == [502, 502, 403, 201]
    assert [fault.kind for fault in scene.fake.faults.waiting] == ["before"]
    assert scene.ask("GET", "pulls/1").status == 502


def test_graphql_has_faults_too(scene: Scene) -> None:
    scene.fake.faults.add("POST", "^/graphql$", "before")
    assert scene.ask("POST", "/graphql", {"query": "{viewer{login}}"}).status == 502


@pytest.mark.parametrize(
    ("add", "told"),
    [
        (lambda faults: faults.add("GET", "x", "broken"), "no fault of kind"),
        (lambda faults: faults.add("GET", "x", "moved_head"), "moved_head needs run="),
        (lambda faults: faults.add("GET", "x", "unprocessable"), "unprocessable needs body="),
    ],
)
def test_a_fault_that_makes_no_sense(scene: Scene, add: Callable[[object], None], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        add(scene.fake.faults)
