"""Who may do what, pages, the closed world, and the record of requests."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.scene import Scene, made
from tests.repo import Repo

INTEGRATION = "Resource not accessible by integration"


def writes(scene: Scene) -> list[tuple[str, str, dict[str, object] | None]]:
    """Every write there is."""
    comment = scene.fake.comment(scene.number, "c", author="github-actions[bot]")
    note = scene.fake.review_comment(scene.number, "long.py", 10, "n", author="github-actions[bot]")
    line = {"body": "b", "path": "long.py", "line": 10, "commit_id": scene.head}
    return [
        ("POST", f"pulls/{scene.number}/reviews", {"body": "b", "event": "COMMENT"}),
        ("POST", f"pulls/{scene.number}/comments", line),
        ("POST", f"pulls/{scene.number}/comments/{note}/replies", {"body": "b"}),
        ("PATCH", f"pulls/comments/{note}", {"body": "b"}),
        ("DELETE", f"pulls/comments/{note}", None),
        ("POST", f"issues/{scene.number}/comments", {"body": "b"}),
        ("POST", f"issues/comments/{comment}/reactions", {"content": "eyes"}),
        ("PATCH", f"issues/comments/{comment}", {"body": "b"}),
        ("DELETE", f"issues/comments/{comment}", None),
        ("POST", f"statuses/{scene.head}", {"state": "success"}),
    ]


@pytest.mark.parametrize(
    ("login", "message"),
    [("github-actions[bot]", INTEGRATION), ("carol", "Resource not accessible by personal access token")],
)
def test_a_token_that_may_only_read_writes_nothing(scene: Scene, login: str, message: str) -> None:
    token = scene.fake.token(login, can_write=False)
    for method, path, body in writes(scene):
        answer = scene.ask(method, path, body, token=token)
        assert (answer.status, answer.body["message"]) == (403, message), path
    assert scene.ask("GET", f"pulls/{scene.number}", token=token).status == 200
    assert len(scene.fake.issue_comments(scene.number)) == len(scene.comments()) == 1
    assert scene.fake.world.statuses == []


def test_a_token_that_may_write_writes_everything(scene: Scene) -> None:
    assert [scene.ask(*write).status for write in writes(scene)] == [200, 201, 201, 200, 204, 201, 201, 200, 204, 201]
    scene.fake.assert_clean()


@pytest.mark.parametrize(
    ("permissions", "path", "body", "status"),
    [
        ({"statuses": "read"}, "statuses/{head}", {"state": "success"}, 403),
        ({"pull_requests": "read"}, "pulls/1/reviews", {"body": "b", "event": "COMMENT"}, 403),
        ({"pull_requests": "read"}, "issues/1/comments", {"body": "b"}, 201),
        ({"issues": "none"}, "issues/1/comments", {"body": "b"}, 201),
        ({"issues": "none", "pull_requests": "read"}, "issues/1/comments", {"body": "b"}, 403),
        ({"contents": "none"}, "branches/main", None, 403),
        ({"pull_requests": "none"}, "pulls/1", None, 403),
    ],
)
def test_permissions_are_held_apart(
    scene: Scene, permissions: dict[str, Any], path: str, body: dict[str, object] | None, status: int
) -> None:
    token = scene.fake.token(permissions=permissions)
    answer = scene.ask("GET" if body is None else "POST", path.format(head=scene.head), body, token=token)
    assert answer.status == status


@pytest.mark.parametrize(
    ("token", "method", "path", "status", "message"),
    [
        ("wrong", "GET", "pulls/1", 401, "Bad credentials"),
        (None, "GET", "pulls/1", 200, None),
        (None, "POST", "issues/1/comments", 401, "Requires authentication"),
        (None, "GET", "/user", 401, "Requires authentication"),
        (None, "POST", "/graphql", 401, "This endpoint requires you to be authenticated."),
    ],
)
def test_who_nobody_knows(scene: Scene, token: str | None, method: str, path: str, status: int, message: str | None) -> None:
    body = None if method == "GET" else {"query": "{viewer{login}}"} if path == "/graphql" else {"body": "b"}
    answer = scene.ask(method, path, body, token=token)
    assert (answer.status, answer.body.get("message")) == (status, message)


def test_a_private_repository_is_not_there_for_somebody_unknown(scene: Scene) -> None:
    scene.fake.world.private = True
    assert scene.ask("GET", "pulls/1", token=None).status == 404
    assert scene.ask("GET", "pulls/1").status == 200


@pytest.mark.parametrize(
    ("login", "kind", "status", "shown"),
    [
        ("github-actions[bot]", None, 403, INTEGRATION),
        ("dave", None, 200, "dave"),
        ("dave", "installation", 403, INTEGRATION),
        ("robot", "personal", 200, "robot"),
    ],
)
def test_only_a_person_has_a_user(scene: Scene, login: str, kind: Any, status: int, shown: str) -> None:
    answer = scene.ask("GET", "/user", token=scene.fake.token(login, kind=kind))
    assert (answer.status, answer.body.get("login") or answer.body["message"]) == (status, shown)


@pytest.mark.parametrize("permission", ["admin", "write", "read", "none"])
def test_the_permission_of_a_collaborator(scene: Scene, permission: str) -> None:
    scene.fake.account("erin", permission=permission)
    body = scene.ask("GET", "collaborators/erin/permission").body
    assert (body["permission"], body["user"]["login"]) == (permission, "erin")


def test_nobody_has_no_permission(scene: Scene) -> None:
    answer = scene.ask("GET", "collaborators/ghost/permission")
    assert (answer.status, answer.body["message"]) == (404, "ghost is not a user")


def test_associations_are_shown(scene: Scene) -> None:
    scene.fake.account("frank", association="MEMBER")
    scene.fake.comment(scene.number, "c", author="frank")
    scene.fake.review_comment(scene.number, "long.py", 10, "n", author="frank")
    shown = [scene.ask("GET", f"issues/{scene.number}/comments").body[0], scene.comments()[0]]
    assert [comment["author_association"] for comment in shown] == ["MEMBER", "MEMBER"]


@pytest.mark.parametrize(
    ("query", "first", "count", "relations"),
    [
        ("", 0, 30, {"next": 2, "last": 5}),
        ("?per_page=100", 0, 100, {"next": 2, "last": 2}),
        ("?per_page=500", 0, 100, {"next": 2, "last": 2}),
        ("?per_page=50&page=2", 50, 50, {"prev": 1, "next": 3, "last": 3, "first": 1}),
        ("?per_page=50&page=3", 100, 30, {"prev": 2, "first": 1}),
        ("?per_page=100&page=9", 0, 0, {"prev": 2, "first": 1}),
        ("?page=1", 0, 30, {"next": 2, "last": 5}),
    ],
)
def test_pages_and_their_links(scene: Scene, query: str, first: int, count: int, relations: dict[str, int]) -> None:
    for number in range(130):
        scene.fake.comment(scene.number, str(number))
    answer = scene.ask("GET", f"issues/{scene.number}/comments{query}")
    assert [comment["body"] for comment in answer.body] == [str(first + number) for number in range(count)]
    links = re.findall(r'<([^>]+[?&]page=(\d+)[^>]*)>; rel="(\w+)"', answer.headers.get("link", ""))
    assert {relation: int(page) for _, page, relation in links} == relations
    assert all(address.startswith(f"{scene.fake.url}/repos/acme/app/issues/1/comments?") for address, _, _ in links)


def test_one_page_has_no_links(scene: Scene) -> None:
    scene.fake.comment(scene.number, "c")
    assert "link" not in scene.ask("GET", f"issues/{scene.number}/comments").headers


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "problem"),
    [
        ("GET", "pulls/1/files", None, 404, "no such operation"),
        ("GET", "/unset/git_url", None, 404, "no such operation"),
        ("PUT", "pulls/1", {}, 404, "no such operation"),
        ("DELETE", "pulls/1/reviews", None, 404, "no such operation"),
        ("GET", "pulls/one", None, 400, "pull_number: .: 'one' is not of type 'integer'"),
        ("GET", "pulls/1/comments?per_pages=100", None, 400, "query per_pages: unknown"),
        ("GET", "pulls/1/comments?per_page=all", None, 400, "per_page: .: 'all' is not of type 'integer'"),
        ("GET", "pulls/1/comments?sort=size", None, 400, "sort: .: 'size' is not one of ['created', 'updated']"),
        ("GET", "pulls/1", {"a": 1}, 400, "body: none is described"),
        ("POST", "issues/1/comments", None, 400, "body: missing"),
        ("POST", "issues/1/comments", {"body": 1}, 400, "body body: 1 is not of type 'string'"),
        ("POST", "issues/1/comments", {"text": "b"}, 400, "body .: 'body' is a required property"),
        ("POST", "issues/1/comments", {"body": "b", "text": "b"}, 400, "body /text: unknown property"),
        (
            "POST",
            "pulls/1/reviews",
            {"event": "NOPE"},
            400,
            "body event: 'NOPE' is not one of ['APPROVE', 'REQUEST_CHANGES', 'COMMENT']",
        ),
        (
            "POST",
            "pulls/1/reviews",
            {"comments": [{"path": "a", "body": "b", "lines": 1}]},
            400,
            "body /comments/0/lines: unknown property",
        ),
        (
            "POST",
            "pulls/1/reviews",
            {"comments": [{"path": "a", "body": "b", "subject_type": "file"}]},
            400,
            "body /comments/0/subject_type: unknown property",
        ),
        (
            "POST",
            "statuses/x",
            {"state": "done"},
            400,
            "body state: 'done' is not one of ['error', 'failure', 'pending', 'success']",
        ),
    ],
)
def test_the_world_is_closed(
    scene: Scene, method: str, path: str, body: dict[str, object] | None, status: int, problem: str
) -> None:
    answer = scene.ask(method, path, body)
    assert answer.status == status
    assert (scene.fake.violations[0].by, scene.fake.violations[0].method) == ("client", method)
    assert problem in [violation.problem for violation in scene.fake.violations]
    assert scene.fake.reviews(1) == []
    with pytest.raises(AssertionError):
        scene.fake.assert_clean()


def test_a_body_that_is_not_json(scene: Scene) -> None:
    answer = scene.ask("POST", "issues/1/comments", raw=b"{")
    assert (answer.status, answer.body["message"]) == (400, "Problems parsing JSON")
    assert [violation.problem for violation in scene.fake.violations] == ["body: not JSON"]


def test_a_wrong_answer_of_the_fake_itself_is_a_violation(prepared: Repo, tmp_path: Path) -> None:
    with made(prepared, tmp_path / "copy") as scene:
        scene.fake.pulls[1].title = None  # type: ignore[assignment] # what no pull request has
        scene.ask("GET", "pulls/1")
        assert [(violation.by, violation.problem) for violation in scene.fake.violations] == [
            ("fake", "200 title: None is not of type 'string'")
        ]


def test_another_repository_is_not_found_and_no_violation(scene: Scene) -> None:
    assert scene.ask("GET", "/repos/acme/other").status == 404
    assert scene.fake.violations == []


def test_requests_are_recorded(scene: Scene) -> None:
    scene.ask("POST", "issues/1/comments", {"body": "b"})
    scene.ask("GET", "pulls?state=all&head=acme:feature")
    post, get = scene.fake.requests
    assert (post.method, post.path, post.body, post.status) == ("POST", "/repos/acme/app/issues/1/comments", {"body": "b"}, 201)
    assert (post.operation, post.login, post.authorization) == (
        "issues/create-comment",
        "github-actions[bot]",
        f"Bearer {scene.token}",
    )
    assert (get.query, get.body, get.status) == ({"state": "all", "head": "acme:feature"}, None, 200)
    assert scene.fake.writes == [post]


def test_the_budget_is_counted_and_ends(scene: Scene) -> None:
    scene.fake.budget(3)
    left = [scene.ask("GET", "pulls/1").headers["x-ratelimit-remaining"] for _ in range(2)]
    assert left == ["2", "1"]
    assert scene.ask("GET", "/rate_limit").body["rate"]["remaining"] == 1
    assert [scene.ask("GET", "pulls/1").status for _ in range(2)] == [200, 403]
