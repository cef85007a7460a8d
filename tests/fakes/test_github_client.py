"""PyGithub against the fake: the client that the adapter uses must feel at home."""

import pytest
from github import GithubException, GithubRetry, RateLimitExceededException, UnknownObjectException

from tests.fakes.github import GitHubFake
from tests.fakes.scene import Scene

QUERY = """query($n: Int!) { repository(owner: "acme", name: "app") { pullRequest(number: $n) {
  reviewThreads(first: 10) { nodes { id isResolved } } } } }"""


def test_a_review_is_posted_and_read_back(scene: Scene) -> None:
    pull = scene.pull()
    comments = [
        {"path": "long.py", "line": 10, "side": "RIGHT", "body": "added"},
        {"path": "long.py", "line": 40, "side": "LEFT", "body": "deleted"},
        {"path": "long.py", "start_line": 10, "line": 11, "start_side": "RIGHT", "side": "RIGHT", "body": "both"},
    ]
    commit = scene.client().get_repo("acme/app").get_commit(pull.head.sha)
    review = pull.create_review(commit=commit, body="Found", event="COMMENT", comments=comments)  # type: ignore[arg-type] # their type knows no line
    assert (review.state, review.user.login, review.commit_id) == ("COMMENTED", "github-actions[bot]", scene.head)
    assert [(comment.body, comment.line, comment.side) for comment in pull.get_review_comments()] == [
        ("added", 10, "RIGHT"),
        ("deleted", 40, "LEFT"),
        ("both", 11, "RIGHT"),
    ]
    assert [review.body for review in pull.get_reviews()] == ["Found"]
    scene.fake.assert_clean()


def test_comments_on_the_diff_live_a_whole_life(scene: Scene) -> None:
    pull = scene.pull()
    commit = scene.client().get_repo("acme/app").get_commit(pull.head.sha)
    line = pull.create_review_comment("line", commit, "long.py", line=10, side="RIGHT")
    file = pull.create_review_comment("file", commit, "image.bin", subject_type="file")
    pull.create_review_comment_reply(line.id, "reply")
    line.edit("changed")
    file.delete()
    assert [comment.body for comment in pull.get_review_comments()] == ["changed", "reply"]
    assert pull.get_review_comment(line.id).body == "changed"
    scene.fake.assert_clean()


def test_the_conversation_lives_a_whole_life(scene: Scene) -> None:
    pull = scene.pull()
    comment = pull.create_issue_comment("hello")
    comment.edit("bye")
    comment.create_reaction("eyes")
    assert [(one.body, one.user.login) for one in pull.get_issue_comments()] == [("bye", "github-actions[bot]")]
    pull.get_issue_comment(comment.id).delete()
    assert pull.as_issue().comments == 0
    scene.fake.assert_clean()


def test_all_pages_are_followed(scene: Scene) -> None:
    for number in range(101):
        scene.fake.comment(scene.number, str(number))
    assert [comment.body for comment in scene.pull().get_issue_comments()] == [str(number) for number in range(101)]
    assert [seen.query.get("page") for seen in scene.fake.requests[-4:]] == [None, "2", "3", "4"]


def test_the_repository_is_read(scene: Scene) -> None:
    client = scene.client()
    repository = client.get_repo("acme/app")
    assert (repository.full_name, repository.default_branch) == ("acme/app", "main")
    assert repository.get_branch("main").commit.sha == scene.base
    assert repository.get_git_ref("heads/feature").object.sha == scene.head
    assert [pull.number for pull in repository.get_pulls(state="open", head="acme:feature")] == [scene.number]
    assert [pull.number for pull in repository.get_commit(scene.head).get_pulls()] == [scene.number]
    assert repository.get_collaborator_permission("alice") == "read"
    assert client.get_rate_limit().rate.limit == 1000
    scene.fake.assert_clean()


def test_statuses_are_set(scene: Scene) -> None:
    commit = scene.client().get_repo("acme/app").get_commit(scene.head)
    commit.create_status("failure", description="two findings", context="kodus-check")
    assert [(status.state, status.context) for status in commit.get_statuses()] == [("failure", "kodus-check")]
    assert commit.get_combined_status().state == "failure"
    scene.fake.assert_clean()


def test_threads_are_read_and_resolved(scene: Scene) -> None:
    scene.fake.review_comment(scene.number, "long.py", 10, "n")
    client = scene.client(scene.fake.token(permissions={"contents": "write"}))
    requester = client.get_repo("acme/app").requester
    _, data = requester.graphql_query(QUERY, {"n": scene.number})
    [thread] = data["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
    requester.graphql_named_mutation("resolveReviewThread", {"threadId": thread["id"]}, "thread { isResolved }")
    _, data = requester.graphql_query(QUERY, {"n": scene.number})
    assert data["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"] == [{"id": thread["id"], "isResolved": True}]
    scene.fake.assert_clean()


def test_a_comment_is_hidden(scene: Scene) -> None:
    comment = scene.pull().create_issue_comment("old")
    assert comment.minimize("OUTDATED")
    assert scene.fake.issue_comments(scene.number)[0].minimized == "outdated"


def test_refusals_are_its_exceptions(scene: Scene) -> None:
    pull = scene.pull()
    with pytest.raises(GithubException) as refused:
        pull.create_review(body="b", event="COMMENT", comments=[{"path": "long.py", "line": 30, "body": "b"}])
    assert (refused.value.status, "must be part of the diff" in str(refused.value.data)) == (422, True)
    with pytest.raises(UnknownObjectException):
        scene.client().get_repo("acme/app").get_pull(99)
    with pytest.raises(GithubException, match="not accessible by integration"):
        _ = scene.client().get_user().login
    with pytest.raises(GithubException, match="Resource not accessible by integration"):
        scene.client(scene.fake.token(can_write=False)).get_repo("acme/app").get_pull(scene.number).create_issue_comment("b")
    assert scene.client(scene.fake.token("dave")).get_user().login == "dave"


def test_a_secondary_limit_is_its_exception_with_the_time_to_wait(scene: Scene) -> None:
    pull = scene.pull()
    scene.fake.faults.add("POST", "/comments$", "secondary", retry_after=7)
    with pytest.raises(RateLimitExceededException) as refused:
        pull.create_issue_comment("b")
    assert (refused.value.headers or {})["retry-after"] == "7"


@pytest.mark.parametrize(("methods", "kept"), [(None, 2), ({"GET"}, 1)])
def test_its_own_retries_say_everything_twice(scene: Scene, methods: set[str] | None, kept: int) -> None:
    """Why an adapter must not let the client retry a write: the service had stored the comment when it answered 502."""
    retry = GithubRetry(total=2, backoff_factor=0) if methods is None else GithubRetry(total=2, allowed_methods=methods)
    pull = scene.client(retry=retry).get_repo("acme/app").get_pull(scene.number)
    scene.fake.faults.add("POST", "/comments$", "after")
    if methods is None:
        pull.create_issue_comment("b")
    else:
        with pytest.raises(GithubException):
            pull.create_issue_comment("b")
    assert len(scene.fake.issue_comments(scene.number)) == kept


def test_a_field_it_should_not_send_is_caught(scene: Scene) -> None:
    pull = scene.pull()
    with pytest.raises(GithubException, match="Not in the published description"):
        pull.create_review(body="b", event="COMMENT", comments=[{"path": "long.py", "lines": 10, "body": "b"}])  # type: ignore[typeddict-unknown-key] # the mistake is meant
    assert scene.fake.violations[0].problem == "body /comments/0/lines: unknown property"


def test_two_fakes_do_not_know_each_other(scene: Scene) -> None:
    with GitHubFake(scene.repo.path, "other/thing") as other:
        other.pull()
        scene.pull().create_issue_comment("b")
        assert other.issue_comments(1) == []
        assert other.requests == []
        assert other.url != scene.fake.url


def test_an_enterprise_server_is_below_its_prefix(scene: Scene) -> None:
    with GitHubFake(scene.repo.path, enterprise=True) as fake:
        number = fake.pull()
        assert fake.url.endswith("/api/v3")
        client = scene.client(fake.token(), url=fake.url)
        pull = client.get_repo("acme/app").get_pull(number)
        for text in "abc":
            pull.create_issue_comment(text)
        assert [comment.body for comment in pull.get_issue_comments()] == ["a", "b", "c"]
        _, data = pull.requester.graphql_query(QUERY, {"n": number})
        assert data["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"] == []
        fake.assert_clean()
        with pytest.raises(UnknownObjectException):
            scene.client(fake.token(), url=fake.url.removesuffix("/api/v3")).get_repo("acme/app")
        assert [violation.problem for violation in fake.violations] == ["no such operation"]
