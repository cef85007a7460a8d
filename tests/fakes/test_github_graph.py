"""Review threads over GraphQL: paging, resolving, hiding, and what a query may not ask."""

from typing import Any

import pytest

from tests.fakes.scene import Scene, lines

THREADS = """query($number: Int!, $first: Int, $after: String, $comments: Int = 10) {
  repository(owner: "acme", name: "app") { pullRequest(number: $number) {
    reviewThreads(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id isResolved isOutdated path line originalLine subjectType diffSide viewerCanResolve
        resolvedBy { login }
        comments(first: $comments) { pageInfo { hasNextPage endCursor } nodes { databaseId body author { login __typename } } }
      }
    }
  } }
}"""
RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }"
UNRESOLVE = "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"


def threads(scene: Scene, *, first: int = 50, after: str | None = None, comments: int = 10) -> Any:
    answer = scene.graph(THREADS, number=scene.number, first=first, after=after, comments=comments)
    return answer["data"]["repository"]["pullRequest"]["reviewThreads"]


def test_threads_hold_their_comments(scene: Scene) -> None:
    comment = scene.fake.review_comment(scene.number, "long.py", 10, "why", author="alice")
    scene.fake.reply(comment, "because", author="github-actions[bot]")
    [thread] = threads(scene)["nodes"]
    assert (thread["path"], thread["line"], thread["isResolved"], thread["resolvedBy"]) == ("long.py", 10, False, None)
    shown = [(one["databaseId"], one["body"], one["author"]) for one in thread["comments"]["nodes"]]
    assert shown[0] == (comment, "why", {"login": "alice", "__typename": "User"})
    assert shown[1][1:] == ("because", {"login": "github-actions", "__typename": "Bot"})
    assert scene.fake.violations == []


@pytest.mark.parametrize(("size", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (100, 1)])
def test_threads_are_read_page_by_page(scene: Scene, size: int, pages: int) -> None:
    made = [scene.fake.review_comment(scene.number, "long.py", line, "n") for line in (7, 8, 9, 10, 11)]
    found: list[int] = []
    cursor: str | None = None
    for number in range(pages):
        page = threads(scene, first=size, after=cursor)
        found += [thread["comments"]["nodes"][0]["databaseId"] for thread in page["nodes"]]
        assert (page["totalCount"], page["pageInfo"]["hasNextPage"]) == (5, number < pages - 1)
        cursor = page["pageInfo"]["endCursor"]
    assert found == made


def test_comments_of_a_thread_are_cut_too(scene: Scene) -> None:
    comment = scene.fake.review_comment(scene.number, "long.py", 10, "0")
    for number in range(3):
        scene.fake.reply(comment, str(number))
    [thread] = threads(scene, comments=2)["nodes"]
    assert len(thread["comments"]["nodes"]) == 2
    assert thread["comments"]["pageInfo"]["hasNextPage"]
    more = scene.graph(
        "query($id: ID!, $after: String) { node(id: $id) { ... on PullRequestReviewThread {"
        " comments(first: 9, after: $after) { nodes { body } } } } }",
        id=thread["id"],
        after=thread["comments"]["pageInfo"]["endCursor"],
    )
    assert [one["body"] for one in more["data"]["node"]["comments"]["nodes"]] == ["1", "2"]


def test_the_last_ones_are_read_backwards(scene: Scene) -> None:
    for line in (7, 8, 9):
        scene.fake.review_comment(scene.number, "long.py", line, "n")
    query = """{ repository(owner: "acme", name: "app") { pullRequest(number: 1) {
      reviewThreads(last: 2) { pageInfo { hasPreviousPage startCursor } nodes { line } edges { cursor } } } } }"""
    page = scene.graph(query)["data"]["repository"]["pullRequest"]["reviewThreads"]
    assert [thread["line"] for thread in page["nodes"]] == [8, 9]
    assert page["pageInfo"] == {"hasPreviousPage": True, "startCursor": page["edges"][0]["cursor"]}


def test_an_outdated_thread_has_lost_its_line(scene: Scene) -> None:
    scene.fake.review_comment(scene.number, "long.py", 10, "n")
    scene.fake.review_comment(scene.number, "long.py", None, "file")
    scene.repo.commit({"long.py": lines((10, "other"))})
    first, second = threads(scene)["nodes"]
    assert (first["isOutdated"], first["line"], first["originalLine"], first["subjectType"]) == (True, None, 10, "LINE")
    assert (second["isOutdated"], second["line"], second["subjectType"]) == (False, None, "FILE")


def test_a_pending_review_shows_no_thread(scene: Scene) -> None:
    assert scene.review({"path": "long.py", "line": 10, "body": "b"}, event=None).status == 200
    assert threads(scene)["nodes"] == []


@pytest.mark.parametrize(
    ("permissions", "resolved"),
    [({"contents": "write"}, True), ({}, False), ({"contents": "write", "pull_requests": "read"}, False)],
)
def test_resolving_needs_the_right_to_push(scene: Scene, permissions: dict[str, Any], resolved: bool) -> None:
    token = scene.fake.token("robot[bot]", permissions=permissions)
    comment = scene.fake.review_comment(scene.number, "long.py", 10, "n")
    [thread] = threads(scene)["nodes"]
    answer = scene.graph(RESOLVE, token=token, id=thread["id"])
    if resolved:
        assert answer == {"data": {"resolveReviewThread": {"thread": {"isResolved": True, "resolvedBy": {"login": "robot"}}}}}
        assert scene.graph(UNRESOLVE, token=token, id=thread["id"])["data"]["unresolveReviewThread"]["thread"] == {
            "isResolved": False
        }
    else:
        assert answer["data"] == {"resolveReviewThread": None}
        [error] = answer["errors"]
        assert (error["type"], error["path"]) == ("FORBIDDEN", ["resolveReviewThread"])
        assert error["message"] == "Resource not accessible by integration"
    assert scene.fake.thread(comment).resolved_by is None
    assert scene.fake.violations == []


def test_whom_people_resolved_is_shown(scene: Scene) -> None:
    comment = scene.fake.review_comment(scene.number, "long.py", 10, "n")
    scene.fake.resolve(comment, by="alice")
    [thread] = threads(scene)["nodes"]
    assert (thread["isResolved"], thread["resolvedBy"]) == (True, {"login": "alice"})
    scene.fake.unresolve(comment)
    assert threads(scene)["nodes"][0]["isResolved"] is False


@pytest.mark.parametrize(
    ("query", "kind", "message"),
    [
        ('{repository(owner:"acme",name:"no"){id}}', "NOT_FOUND", "Could not resolve to a Repository with the name 'acme/no'."),
        (
            '{repository(owner:"acme",name:"app"){pullRequest(number:9){id}}}',
            "NOT_FOUND",
            "Could not resolve to a PullRequest with the number of 9.",
        ),
        ('{node(id:"PRRT_9"){id}}', "NOT_FOUND", "Could not resolve to a node with the global id of 'PRRT_9'"),
        (
            'mutation{resolveReviewThread(input:{threadId:"x"}){thread{id}}}',
            "NOT_FOUND",
            "Could not resolve to a node with the global id of 'x'",
        ),
        (
            '{repository(owner:"acme",name:"app"){pullRequest(number:1){reviewThreads{nodes{id}}}}}',
            "MISSING_PAGINATION_BOUNDARIES",
            "You must provide a `first` or `last` value to properly paginate the `reviewThreads` connection.",
        ),
        (
            '{repository(owner:"acme",name:"app"){pullRequest(number:1){reviewThreads(first:101){nodes{id}}}}}',
            "EXCESSIVE_PAGINATION",
            "Requesting 101 records on the `reviewThreads` connection exceeds the `first` limit of 100 records.",
        ),
        (
            '{repository(owner:"acme",name:"app"){pullRequest(number:1){reviewThreads(first:1,after:"?"){nodes{id}}}}}',
            "INVALID_CURSOR_ARGUMENTS",
            "`?` does not appear to be a valid cursor.",
        ),
    ],
)
def test_errors_have_a_type_and_status_200(scene: Scene, query: str, kind: str, message: str) -> None:
    answer = scene.ask("POST", "/graphql", {"query": query})
    assert answer.status == 200
    assert [(error["type"], error["message"]) for error in answer.body["errors"]] == [(kind, message)]
    assert scene.fake.violations == []


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ({"query": "{viewer{name_}}"}, 200, "Cannot query field 'name_' on type 'User'."),
        ({"query": "{viewer{login"}, 200, "Syntax Error"),
        ({"query": "mutation{approve{id}}"}, 200, "Cannot query field 'approve' on type 'Mutation'."),
        ({"query": "query($n:Int!){node(id:$n){id}}", "variables": {"n": 1}}, 200, "used in position expecting type 'ID!'"),
        ({"query": "query($n:ID!){node(id:$n){id}}"}, 200, "'ID!'"),
        ({"query": "{viewer{login}}", "extra": 1}, 400, "body extra: unknown property"),
        ({"variables": {}}, 400, "body query: not a text"),
        ({"query": "{viewer{login}}", "variables": []}, 200, ""),
        ({"query": "{viewer{login}}", "variables": [1]}, 400, "body variables: not an object"),
        ([], 400, "body: not an object"),
    ],
)
def test_a_query_outside_the_schema_is_a_violation(scene: Scene, body: object, status: int, problem: str) -> None:
    assert scene.ask("POST", "/graphql", body).status == status
    assert problem in (scene.fake.violations[0].problem if scene.fake.violations else "")
    assert bool(scene.fake.violations) == bool(problem)


def test_the_viewer_keeps_its_whole_name(scene: Scene) -> None:
    assert scene.graph("{viewer{login}}") == {"data": {"viewer": {"login": "github-actions[bot]"}}}


@pytest.mark.parametrize("kind", ["issue", "review"])
def test_a_comment_can_be_hidden(scene: Scene, kind: str) -> None:
    scene.fake.comment(scene.number, "c", author="github-actions[bot]")
    scene.fake.review_comment(scene.number, "long.py", 10, "n", author="alice")
    path = f"issues/{scene.number}/comments" if kind == "issue" else f"pulls/{scene.number}/comments"
    node = scene.ask("GET", path).body[0]["node_id"]
    query = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
      minimizedComment { isMinimized minimizedReason } } }"""
    hidden = {"isMinimized": True, "minimizedReason": "outdated"}
    assert scene.graph(query, id=node)["data"]["minimizeComment"]["minimizedComment"] == hidden
    assert [write.kind for write in scene.fake.foreign_writes] == ["minimized"] * (kind == "review")
    refused = scene.graph(query, token=scene.fake.token(can_write=False), id=node)
    assert refused["errors"][0]["type"] == "FORBIDDEN"
    assert [seen.operation for seen in scene.fake.writes] == ["graphql"] * 2
