"""Comments on a pull request: once each, at the right place, whatever the server does in between."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kodus_check.model import ChangedFile, Finding, Mode, Notice, Outcome, Review, Revision, Sha
from kodus_check.platforms.comments import BATCH, Job, Published, Publisher
from kodus_check.platforms.github import GitHub, error_of
from kodus_check.platforms.markers import facts_of, marker
from kodus_check.publishing import can_write
from tests.fakes import scene as scenes
from tests.fakes.scene import Scene
from tests.platforms.test_placing import finding
from tests.render.test_markdown import review as made_review
from tests.repo import Repo

REVIEWS = ("POST", r"/pulls/1/reviews$")
SINGLE = ("POST", r"/pulls/1/comments$")
TALK = ("POST", r"/issues/1/comments$")


class Desk:
    """What a run of the check has at hand when it publishes."""

    def __init__(self, scene: Scene, files: dict[str, ChangedFile]) -> None:
        self.scene = scene
        self.files = files
        self.waits: list[float] = []

    def review(self, *findings: Finding) -> Review:
        return made_review(
            outcome=Outcome.FINDINGS,
            base=Revision("main", Sha(self.scene.base)),
            head=Revision("feature", Sha(self.scene.head)),
            findings=findings,
        )

    def publish(self, *findings: Finding, inline: int = 30, summary: bool = True, key: str = "k1") -> Published:
        github = GitHub(self.scene.fake.url, "acme/app", self.scene.token, sleep=self.waits.append, pause=0)
        job = Job(self.scene.number, key, inline, summary)

        def summarise(told: list[Notice]) -> str:
            return "\n".join(["SUMMARY", *(one.message for one in told)])

        try:
            publisher = Publisher(github, job, lambda one: f"FOUND {one.fingerprint}", summarise)
            return publisher.publish(self.review(*findings), findings, self.files.values())
        finally:
            github.close()

    @property
    def lines(self) -> list[tuple[str, int | None, str | None]]:
        return [(one.path, one.line, one.side) for one in self.scene.fake.review_comments(self.scene.number)]

    @property
    def fingerprints(self) -> list[str]:
        return [facts_of(one.body).get("fp", "") for one in self.scene.fake.review_comments(self.scene.number)]

    @property
    def summaries(self) -> list[str]:
        bodies = [one.body for one in self.scene.fake.issue_comments(self.scene.number)]
        return [body for body in bodies if facts_of(body).get("kind") == "summary"]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, dict[str, ChangedFile]]:
    repo = scenes.prepared(Repo.init(tmp_path_factory.mktemp("comments") / "repo"))
    return repo, repo.changed("main", "feature")


@pytest.fixture
def desk(template: tuple[Repo, dict[str, ChangedFile]], tmp_path: Path) -> Iterator[Desk]:
    with scenes.made(template[0], tmp_path / "copy") as scene:
        yield Desk(scene, template[1])
        assert not scene.fake.violations, json.dumps([str(one) for one in scene.fake.violations])


SOME = (finding("long.py", 10), finding("long.py", 11), finding("gone.py", 1, side="left"), finding("signs.sql", 2, 3))


def test_findings_are_one_review_and_a_summary(desk: Desk) -> None:
    done = desk.publish(*SOME)
    assert (done.inline, done.on_files, done.listed, done.kept, done.summary, done.problems) == (4, 0, 0, 0, True, [])
    assert desk.lines == [("long.py", 10, "RIGHT"), ("long.py", 11, "RIGHT"), ("gone.py", 1, "LEFT"), ("signs.sql", 3, "RIGHT")]
    (review,) = desk.scene.fake.reviews(1)
    assert (review.state, review.body.startswith("4 new findings at ")) == ("COMMENTED", True)
    assert len(desk.summaries) == 1


def test_nothing_is_approved_or_rejected(desk: Desk) -> None:
    desk.publish(*SOME)
    assert desk.scene.fake.verdicts == []
    assert [one.state for one in desk.scene.fake.reviews(1)] == ["COMMENTED"]


def test_a_second_run_writes_nothing(desk: Desk) -> None:
    desk.publish(*SOME)
    writes = len(desk.scene.fake.writes)
    done = desk.publish(*SOME)
    assert (done.kept, done.inline, len(desk.scene.fake.writes)) == (4, 0, writes)


def test_only_new_findings_are_added_and_the_summary_follows(desk: Desk) -> None:
    desk.publish(SOME[0])
    done = desk.publish(*SOME)
    assert (done.kept, done.inline, len(desk.summaries)) == (1, 3, 1)
    assert sorted(desk.fingerprints) == sorted(one.fingerprint for one in SOME)


def test_findings_without_a_place_go_to_their_file(desk: Desk) -> None:
    done = desk.publish(finding("image.bin", 1), finding("long.py", 25), finding("still.py", 3))
    assert (done.inline, done.on_files, done.listed) == (0, 2, 1)
    assert [path for path, line, _ in desk.lines if line is None] == ["image.bin", "long.py"]


def test_no_more_than_the_base_allows_and_the_rest_stands_in_the_summary(desk: Desk) -> None:
    done = desk.publish(*SOME, inline=2)
    assert (done.inline, done.listed, len(desk.lines)) == (2, 2, 2)
    assert desk.publish(*SOME, inline=0).inline == 0


def test_shadow_findings_are_not_commented(desk: Desk) -> None:
    done = desk.publish(replace(SOME[0], mode=Mode.SHADOW))
    assert (done.inline, done.listed, desk.lines) == (0, 0, [])


def test_many_findings_are_sent_in_requests_of_thirty(template: tuple[Repo, dict[str, ChangedFile]], tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "many")
    repo.commit({"a.py": "x\n"})
    repo.branch("feature")
    repo.commit({"b.py": "y\n" * 200})
    with scenes.made(repo, tmp_path / "copy") as scene:
        desk = Desk(scene, repo.changed("main", "feature"))
        done = desk.publish(*(finding("b.py", line) for line in range(1, 201)), inline=200)
        sizes = [len(one.body["comments"]) for one in scene.fake.writes if one.path.endswith("/reviews")]
        assert (done.inline, max(sizes), sum(sizes)) == (200, BATCH, 200)
        assert len(desk.lines) == 200


def test_without_a_summary_nothing_is_said_in_the_conversation(desk: Desk) -> None:
    assert not desk.publish(SOME[0], summary=False).summary
    assert desk.summaries == []


def test_two_jobs_keep_to_themselves(desk: Desk) -> None:
    desk.publish(SOME[0], key="one")
    done = desk.publish(SOME[0], key="two")
    assert (done.kept, len(desk.lines), len(desk.summaries)) == (0, 2, 2)


def test_a_copied_marker_of_somebody_else_counts_for_nothing(desk: Desk) -> None:
    line = marker(kind="finding", job="k1", fp=SOME[0].fingerprint)
    desk.scene.fake.review_comment(1, "long.py", 10, f"mine now\n\n{line}", author="mallory")
    desk.scene.fake.comment(1, f"SUMMARY\n\n{marker(kind='summary', job='k1', head=desk.scene.head)}", author="mallory")
    done = desk.publish(SOME[0])
    assert (done.inline, len(desk.lines)) == (1, 2)
    assert len(desk.scene.fake.issue_comments(1)) == 2
    assert desk.scene.fake.foreign_writes == []


def moved(desk: Desk) -> Callable[[], object]:
    def move() -> None:
        desk.scene.repo.checkout("feature")
        desk.scene.repo.commit({"later.py": "x\n"})

    return move


def test_a_head_that_moved_on_is_superseded(desk: Desk) -> None:
    moved(desk)()
    done = desk.publish(*SOME)
    assert "has moved on" in done.superseded
    assert [one.kind for one in done.notices()] == ["superseded"]
    assert desk.scene.fake.writes == []


def test_a_pull_request_that_was_closed_gets_nothing(desk: Desk) -> None:
    desk.scene.fake.close(1)
    done = desk.publish(*SOME)
    assert (done.superseded, done.problems) == ("", ["Pull request 1 is closed: nothing was posted."])
    assert desk.scene.fake.writes == []


@pytest.mark.parametrize("kind", ["before", "after", "truncate"])
@pytest.mark.parametrize("where", [REVIEWS, TALK])
def test_a_lost_answer_is_read_back_and_nothing_stands_twice(desk: Desk, kind: Any, where: tuple[str, str]) -> None:
    desk.scene.fake.faults.add(*where, kind)
    done = desk.publish(*SOME)
    assert desk.scene.fake.faults.waiting == []
    assert (done.inline, done.problems) == (4, [])
    assert sorted(desk.fingerprints) == sorted(one.fingerprint for one in SOME)
    assert len(desk.summaries) == 1


@pytest.mark.parametrize("kind", ["before", "after"])
def test_a_server_that_stays_down_is_said_and_a_later_run_adds_what_is_missing(desk: Desk, kind: Any) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "before", times=3)
    done = desk.publish(*SOME)
    assert (done.inline, done.listed, done.summary) == (0, 4, True)
    assert "4 comments could not be written" in " ".join(done.problems)
    assert "4 comments could not be written" in desk.summaries[0]
    again = desk.publish(*SOME)
    assert (again.inline, len(desk.lines)) == (4, 4)
    assert "could not be written" not in desk.summaries[0]


def test_a_comment_that_was_dropped_in_silence_is_sent_again(desk: Desk) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "drop_comment", index=2)
    done = desk.publish(*SOME)
    assert (done.inline, sorted(desk.fingerprints)) == (4, sorted(one.fingerprint for one in SOME))


def test_a_secondary_limit_waits_as_long_as_the_server_asks(desk: Desk) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "secondary", retry_after=7)
    done = desk.publish(*SOME)
    assert (done.inline, desk.waits) == (4, [7.0])


def test_a_limit_that_asks_for_too_long_ends_in_the_summary(desk: Desk) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "secondary", retry_after=600)
    done = desk.publish(*SOME)
    assert (done.inline, done.listed, done.summary, desk.waits) == (0, 4, True, [])
    assert "rate limit" in done.problems[0]


def test_a_review_that_is_refused_is_sent_comment_by_comment(desk: Desk) -> None:
    desk.scene.fake.faults.add(
        *REVIEWS, "unprocessable", body={"message": "Unprocessable Entity", "errors": ["Review comments is invalid"]}
    )
    done = desk.publish(*SOME)
    assert (done.inline, done.on_files, len(desk.lines)) == (4, 0, 4)


def test_a_line_that_is_refused_goes_to_its_file(desk: Desk) -> None:
    refusal = {"message": "Unprocessable Entity", "errors": ["Pull request review thread line must be part of the diff"]}
    desk.scene.fake.faults.add(*REVIEWS, "unprocessable", body=refusal)
    desk.scene.fake.faults.add(*SINGLE, "unprocessable", body=refusal)
    done = desk.publish(*SOME)
    assert (done.inline, done.on_files, len(desk.lines)) == (3, 1, 4)
    assert ("long.py", None) in [(path, line) for path, line, _ in desk.lines]


def test_a_write_that_is_forbidden_ends_it_with_a_reason(desk: Desk) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "read_only")
    done = desk.publish(*SOME)
    assert (done.inline, done.listed, done.summary) == (0, 4, True)
    assert "Resource not accessible by integration" in done.problems[0]


def test_a_locked_conversation_takes_nothing_and_it_is_said(desk: Desk) -> None:
    desk.scene.fake.lock(1)
    done = desk.publish(*SOME)
    assert (done.inline, done.on_files, done.listed, done.summary) == (0, 0, 4, False)
    assert any("locked" in problem for problem in done.problems)


def test_reads_are_repeated(desk: Desk) -> None:
    desk.scene.fake.faults.add("GET", r"/pulls/1$", "before", times=2)
    done = desk.publish(SOME[0])
    assert (done.inline, desk.waits) == (1, [1.0, 2.0])


def test_a_server_that_answers_no_read_publishes_nothing(desk: Desk) -> None:
    desk.scene.fake.faults.add("GET", r"/pulls/1", "before", times=20)
    done = desk.publish(SOME[0])
    assert (done.inline, done.listed, done.summary, desk.scene.fake.writes) == (0, 1, False, [])
    assert done.problems


def test_comments_that_cannot_be_told_from_others_are_not_written_again(desk: Desk) -> None:
    desk.scene.token = desk.scene.fake.token("alice")
    assert desk.publish(*SOME).inline == 4
    writes = len(desk.scene.fake.writes)
    desk.scene.fake.faults.add("GET", r"/user$", "before", times=20)
    done = desk.publish(*SOME)
    assert (done.inline, done.summary, len(desk.lines), len(desk.summaries)) == (0, False, 4, 1)
    assert (len(desk.scene.fake.writes), bool(done.problems)) == (writes, True)


@pytest.mark.parametrize(("asked", "waits"), [(None, [60.0]), (0, [0.0]), (59, [59.0])])
def test_a_limit_that_says_nothing_is_waited_for_a_minute(desk: Desk, asked: int | None, waits: list[float]) -> None:
    desk.scene.fake.faults.add(*REVIEWS, "secondary", retry_after=asked)
    assert (desk.publish(*SOME).inline, desk.waits) == (4, waits)


@pytest.mark.parametrize("header", ["nan", "inf", "-5", "soon", ""])
def test_an_odd_retry_after_is_none(header: str) -> None:
    assert error_of(403, {"message": "secondary rate limit"}, {"Retry-After": header}).retry_after is None


@pytest.mark.parametrize("comment", [{"user": "me"}, {"user": None}, {"user": {"login": None}}, {"body": 7}, {}])
def test_an_odd_comment_is_not_ours(desk: Desk, comment: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pages = GitHub.pages
    monkeypatch.setattr(GitHub, "pages", lambda self, path: iter([comment, *pages(self, path)]))
    assert desk.publish(*SOME).inline == 4


@pytest.mark.parametrize("answer", [[], "x", {"head": "x"}, {"head": {"sha": 1}}, None])
def test_an_odd_pull_request_publishes_nothing_and_costs_no_review(
    desk: Desk, answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GitHub, "read", lambda self, path: answer)
    done = desk.publish(*SOME)
    assert (done.inline, done.summary, desk.scene.fake.writes) == (0, False, [])


@pytest.mark.parametrize(("can", "why"), [(True, ""), (False, "Resource not accessible by integration")])
def test_whether_a_token_may_write_is_known_before(desk: Desk, can: bool, why: str) -> None:
    token = desk.scene.fake.token("github-actions[bot]", can_write=can)
    github = GitHub(desk.scene.fake.url, "acme/app", token, pause=0)
    assert can_write(github, 1) == why
    github.close()
    assert desk.scene.fake.issue_comments(1) == []


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        (f"x\n\n{marker(kind='finding', fp='ab')}", {"kind": "finding", "fp": "ab"}),
        (f"x\n\n{marker(kind='finding', fp='ab')}\n", {"kind": "finding", "fp": "ab"}),
        (f"{marker(kind='finding', fp='ab')}\n\nx", {}),
        (f"> {marker(kind='finding', fp='ab')}", {}),
        ("<!-- kodus-check v2 kind=finding -->", {}),
        ("<!-- kodus-check v1 kind=a b -->", {}),
        (None, {}),
        ("", {}),
    ],
)
def test_a_marker_is_the_last_line(body: str | None, facts: dict[str, str]) -> None:
    assert facts_of(body) == facts


@pytest.mark.parametrize("requests", [(0, 7), (5, 9)])
def test_how_many_requests_it_takes(desk: Desk, requests: tuple[int, int]) -> None:
    count, most = requests
    desk.publish(*(finding("long.py", line) for line in range(10, 10 + count)))
    assert len(desk.scene.fake.requests) <= most
