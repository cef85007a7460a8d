"""Reviews and comments on the diff: what is taken, what is refused and how, and what a push does to them."""

from typing import Any

import pytest

from tests.fakes.scene import Scene, lines

NO_HUNK = "Pull request review thread diff hunk can't be blank"
NOT_IN_DIFF = "Pull request review thread line must be part of the diff"
OTHER_HUNK = "Pull request review thread start line must be part of the same hunk as the line."
ORDER = "Pull request review thread start line must precede the end line."
BAD_PATH = f"Pull request review thread path is invalid and {NO_HUNK}"


def at(path: str = "long.py", **anchor: object) -> dict[str, object]:
    return {"path": path, "body": "text", **anchor}


@pytest.mark.parametrize(
    "anchor",
    [
        at(line=10),
        at(line=11, side="RIGHT"),
        at(line=7),
        at(line=14),
        at(line=40, side="LEFT"),
        at(line=10, side="LEFT"),
        at(line=11, start_line=10),
        at(line=14, start_line=7, side="RIGHT", start_side="RIGHT"),
        at(line=11, start_line=10, start_side="LEFT"),
        at("new.py", line=20),
        at("new.py", line=20, side="LEFT"),
        at("gone.py", line=2, side="LEFT"),
        at("signs.sql", line=2),
        at("signs.sql", line=3),
        at("signs.sql", line=4),
        at("ünï cödé.py", line=1),
    ],
)
def test_an_anchor_in_one_hunk_is_taken(scene: Scene, anchor: dict[str, Any]) -> None:
    assert scene.review(anchor).status == 200
    [comment] = scene.comments()
    assert (comment["path"], comment["line"], comment["side"]) == (anchor["path"], anchor["line"], anchor.get("side", "RIGHT"))
    assert comment["start_line"] == anchor.get("start_line")
    scene.fake.assert_clean()


@pytest.mark.parametrize(
    ("anchor", "sentence"),
    [
        (at(line=6), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(line=15), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(line=60, side="LEFT"), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(line=0), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(line=25, start_line=24), f"{NOT_IN_DIFF}, {OTHER_HUNK}, and {NO_HUNK}"),
        (at(line=41, start_line=10), OTHER_HUNK),
        (at(line=41, start_line=25), OTHER_HUNK),
        (at(line=10, start_line=10), ORDER),
        (at(line=10, start_line=11), ORDER),
        (at(line=10, start_line=11, side="LEFT", start_side="RIGHT"), ORDER),
        (at("still.py", line=1), BAD_PATH),
        (at("old.py", line=1), BAD_PATH),
        (at("no/such.py", line=1), BAD_PATH),
        (at("gone.py", line=1), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at("elsewhere.py", line=1), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at("image.bin", line=1), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(), f"{NOT_IN_DIFF} and {NO_HUNK}"),
        (at(position=1), f"Pull request review thread position is invalid and {NO_HUNK}"),
        (at(line=10, body="x" * 65_537), "Body is too long (maximum is 65536 characters)"),
        (at(line=10, body=" "), "Body can't be blank"),
    ],
)
def test_one_wrong_comment_refuses_the_whole_review(scene: Scene, anchor: dict[str, object], sentence: str) -> None:
    answer = scene.review(at(line=10), anchor, at(line=11))
    assert (answer.status, answer.body["message"], answer.body["errors"]) == (422, "Unprocessable Entity", [sentence])
    assert scene.comments() == []
    assert scene.fake.reviews(scene.number) == []


@pytest.mark.parametrize(
    ("anchor", "errors"),
    [
        (
            at(line=25),
            [
                ("custom", "pull_request_review_thread.line", "pull_request_review_thread.line must be part of the diff"),
                ("missing_field", "pull_request_review_thread.diff_hunk", None),
            ],
        ),
        (
            at("still.py", line=1),
            [("invalid", "pull_request_review_thread.path", None), ("missing_field", "pull_request_review_thread.diff_hunk", None)],
        ),
        (
            at(line=41, start_line=10),
            [
                (
                    "custom",
                    "pull_request_review_thread.start_line",
                    "pull_request_review_thread.start_line must be part of the same hunk as the line.",
                )
            ],
        ),
        (at(line=10, body=""), [("unprocessable", "data", "Body cannot be blank")]),
        (at("still.py", subject_type="file"), [("invalid", "pull_request_review_thread.path", None)]),
    ],
)
def test_a_single_comment_is_refused_field_by_field(
    scene: Scene, anchor: dict[str, object], errors: list[tuple[str, str, str | None]]
) -> None:
    answer = scene.ask("POST", f"pulls/{scene.number}/comments", {**anchor, "commit_id": scene.head})
    assert (answer.status, answer.body["message"]) == (422, "Validation Failed")
    found = [(error["code"], error["field"], error.get("message")) for error in answer.body["errors"]]
    assert found[: len(errors)] == errors


@pytest.mark.parametrize("path", ["long.py", "gone.py", "elsewhere.py", "image.bin"])
def test_a_comment_on_a_file_has_no_line(scene: Scene, path: str) -> None:
    answer = scene.ask(
        "POST", f"pulls/{scene.number}/comments", {"body": "b", "path": path, "commit_id": scene.head, "subject_type": "file"}
    )
    assert answer.status == 201
    assert (answer.body["line"], answer.body["original_line"], answer.body["subject_type"]) == (None, None, "file")


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ({"event": "COMMENT"}, "COMMENTED"),
        ({"event": "APPROVE"}, "APPROVED"),
        ({"event": "REQUEST_CHANGES"}, "CHANGES_REQUESTED"),
        ({"event": None}, "PENDING"),
    ],
)
def test_a_verdict_is_remembered(scene: Scene, given: dict[str, Any], state: str) -> None:
    answer = scene.review(**given)
    assert answer.body["state"] == state
    assert [review.state for review in scene.fake.verdicts] == [state] * (state in {"APPROVED", "CHANGES_REQUESTED"})
    if scene.fake.verdicts:
        with pytest.raises(AssertionError, match=state):
            scene.fake.assert_clean()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"event": "COMMENT", "body": ""}, "Body is required"),
        ({"event": "REQUEST_CHANGES", "body": ""}, "Body is required"),
        ({"body": "x" * 65_537}, "Body is too long (maximum is 65536 characters)"),
        ({"commit_id": "0" * 40}, "The commitOID is not part of the pull request"),
    ],
)
def test_a_review_without_comments_is_refused(scene: Scene, given: dict[str, Any], sentence: str) -> None:
    assert scene.review(**given).body["errors"] == [sentence]


def test_a_review_of_comments_needs_no_body(scene: Scene) -> None:
    assert scene.review(at(line=10), body="").status == 200


def test_nobody_approves_their_own_pull_request(scene: Scene) -> None:
    answer = scene.review(event="APPROVE", token=scene.fake.token("alice"))
    assert answer.body["errors"] == ["Review Can not approve your own pull request"]


def test_a_pending_review_is_seen_by_its_author_only(scene: Scene) -> None:
    assert scene.review(at(line=10), event=None).status == 200
    assert scene.comments() == []
    path = f"pulls/{scene.number}/reviews"
    assert len(scene.ask("GET", path).body) == 1
    assert scene.ask("GET", path, token=scene.fake.token("alice")).body == []
    assert scene.review(event=None).body["errors"] == ["User can only have one pending review per pull request"]


def test_the_base_commit_is_not_part_of_the_pull_request(scene: Scene) -> None:
    answer = scene.ask("POST", f"pulls/{scene.number}/comments", {**at(line=10), "commit_id": scene.base})
    assert [error["message"] for error in answer.body["errors"]] == ["commit_id is not part of the pull request"]


def test_an_older_commit_of_the_pull_request_can_be_reviewed_by_its_own_lines(scene: Scene) -> None:
    new = scene.repo.commit({"long.py": "first\n" + lines()})
    assert scene.review(at(line=10), commit_id=scene.head).status == 200
    [comment] = scene.comments()
    assert (comment["line"], comment["original_line"]) == (11, 10)
    assert (comment["commit_id"], comment["original_commit_id"]) == (new, scene.head)


def test_a_commit_that_was_pushed_away_is_refused(scene: Scene) -> None:
    scene.repo.git("commit", "-q", "--amend", "-m", "other")
    assert scene.review(at(line=10), commit_id=scene.head).body["errors"] == ["The commitOID is not part of the pull request"]


@pytest.mark.parametrize(
    ("anchor", "pushed", "line"),
    [
        (at(line=10), lines((10, "changed again")), None),
        (at(line=11), lines((10, "changed again")), 11),
        (at(line=10), "zero\n" + lines(), 11),
        (at(line=40, side="LEFT"), "zero\n" + lines(), 40),
        (at(line=11, start_line=10), "zero\n" + lines(), 12),
        (at(line=10), None, None),
        (at(line=10), "\n".join(f"line {n}" for n in range(1, 61)) + "\n", None),
    ],
)
def test_a_push_moves_a_comment_or_outdates_it(scene: Scene, anchor: dict[str, Any], pushed: str | None, line: int | None) -> None:
    assert scene.review(anchor).status == 200
    new = scene.repo.commit({"long.py": pushed})
    [comment] = scene.comments()
    assert (comment["line"], comment["original_line"]) == (line, anchor["line"])
    assert comment["commit_id"] == (scene.head if line is None else new)
    assert (comment["position"] is None) == (line is None)
    assert comment["original_start_line"] == anchor.get("start_line")
    assert comment["start_line"] == (11 if "start_line" in anchor else None)


def test_a_base_that_moved_does_not_move_the_numbers_of_the_head(scene: Scene) -> None:
    scene.repo.checkout("main")
    scene.repo.commit({"long.py": "a\nb\nc\n" + "\n".join(f"line {n}" for n in range(1, 61)) + "\n"})
    assert scene.review(at(line=10)).status == 200
    assert scene.review(at(line=13)).status == 200
    assert scene.review(at(line=15)).status == 422


def test_replies_join_the_thread_and_cannot_be_replied_to(scene: Scene) -> None:
    scene.review(at(line=10))
    [comment] = scene.comments()
    path = f"pulls/{scene.number}/comments"
    first = scene.ask("POST", f"{path}/{comment['id']}/replies", {"body": "one"})
    second = scene.ask("POST", path, {"body": "two", "in_reply_to": comment["id"], "commit_id": "", "path": ""})
    assert [first.status, second.status] == [201, 201]
    assert {reply.body["in_reply_to_id"] for reply in (first, second)} == {comment["id"]}
    assert scene.ask("POST", f"{path}/{first.body['id']}/replies", {"body": "no"}).status == 422
    assert scene.ask("POST", f"{path}/99/replies", {"body": "no"}).status == 404
    assert len(scene.fake.world.threads) == 1


def test_a_comment_can_be_read_changed_and_deleted(scene: Scene) -> None:
    scene.review(at(line=10))
    [comment] = scene.comments()
    path = f"pulls/comments/{comment['id']}"
    changed = scene.ask("PATCH", path, {"body": "new"})
    assert (changed.status, changed.body["body"]) == (200, "new")
    assert changed.body["updated_at"] > changed.body["created_at"]
    assert scene.ask("GET", path).body == changed.body
    assert scene.ask("PATCH", path, {"body": ""}).status == 422
    assert scene.ask("DELETE", path).status == 204
    assert [
        scene.ask(method, path, body).status for method, body in (("GET", None), ("PATCH", {"body": "x"}), ("DELETE", None))
    ] == [404] * 3
    assert scene.fake.world.threads == []
    scene.fake.assert_clean()


def test_who_touches_the_words_of_another_is_remembered(scene: Scene) -> None:
    theirs = scene.fake.review_comment(scene.number, "long.py", 10, "mine", author="alice")
    scene.ask("PATCH", f"pulls/comments/{theirs}", {"body": "yours"})
    scene.ask("DELETE", f"pulls/comments/{theirs}")
    assert [(write.by, write.kind) for write in scene.fake.foreign_writes] == [
        ("github-actions[bot]", "edited"),
        ("github-actions[bot]", "deleted"),
    ]
    with pytest.raises(AssertionError):
        scene.fake.assert_clean()


def test_every_comment_has_a_review_and_single_ones_have_their_own(scene: Scene) -> None:
    scene.review(at(line=10), at(line=11))
    scene.ask("POST", f"pulls/{scene.number}/comments", {**at(line=7), "commit_id": scene.head})
    reviews = scene.ask("GET", f"pulls/{scene.number}/reviews").body
    assert [(review["body"], review["state"]) for review in reviews] == [("Review", "COMMENTED"), ("", "COMMENTED")]
    counts = [comment["pull_request_review_id"] for comment in scene.comments()]
    assert counts == [reviews[0]["id"]] * 2 + [reviews[1]["id"]]


def test_the_hunk_of_a_comment_ends_at_its_line(scene: Scene) -> None:
    scene.review(at(line=10))
    [comment] = scene.comments()
    assert comment["diff_hunk"].split("\n")[0].startswith("@@ -7,7 +7,8 @@")
    assert comment["diff_hunk"].split("\n")[-1] == "+line ten"


@pytest.mark.parametrize(
    ("order", "first"), [("", "a"), ("?sort=created&direction=desc", "b"), ("?sort=updated&direction=desc", "a")]
)
def test_comments_are_sorted_as_asked(scene: Scene, order: str, first: str) -> None:
    scene.review(at(line=10, body="a"), at(line=11, body="b"))
    number = scene.comments()[0]["id"]
    scene.ask("PATCH", f"pulls/comments/{number}", {"body": "a"})
    assert scene.ask("GET", f"pulls/{scene.number}/comments{order}").body[0]["body"] == first


def test_a_locked_conversation_takes_no_review_but_of_who_may_push(scene: Scene) -> None:
    comment = scene.fake.review_comment(scene.number, "long.py", 10, "before")
    scene.fake.lock(scene.number)
    path = f"pulls/{scene.number}/comments"
    answers = [
        scene.review(at(line=10)),
        scene.ask("POST", path, {**at(line=10), "commit_id": scene.head}),
        scene.ask("POST", f"{path}/{comment}/replies", {"body": "b"}),
    ]
    assert [answer.status for answer in answers] == [422] * 3
    assert answers[0].body["errors"] == ["lock prevents review"]
    assert [answer.body["errors"][0]["message"] for answer in answers[1:]] == ["lock prevents review"] * 2
    assert scene.review(at(line=10), token=scene.fake.token(permissions={"contents": "write"})).status == 200
    scene.fake.lock(scene.number, False)
    assert scene.review(at(line=10)).status == 200
