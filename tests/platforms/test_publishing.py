"""Whole runs as a workflow starts them: what is judged, what is published, and what the exit code says."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripted import GOOD
from tests.fakes import payloads
from tests.fakes.github import GitHubFake
from tests.platforms.conftest import CONFIG, Hub
from tests.repo import Repo

MODEL = "model: openai-chat:gpt-4o\n"
GUIDE = {"docs/ledger.md": "# Ledger\n\nA reversal is a new entry, never an UPDATE of the original.\n"}


def kinds(document: dict[str, Any]) -> list[str]:
    return [one["kind"] for one in document["notices"]]


def test_a_pull_request_gets_a_comment_and_a_summary_once(hub: Hub) -> None:
    for _ in range(2):
        ran = hub.run()
        assert (ran.code, ran.document["outcome"]) == (1, "findings")
        (comment,) = hub.comments()
        assert (comment["path"], comment["line"], comment["side"]) == ("src/a.ts", 30, "RIGHT")
        assert "**Evidence** (`no-float-money` in `rules/money.yml`):" in comment["body"]
        (summary,) = hub.said()
        assert "**FINDINGS: 1 finding; this fails the check" in summary


def test_lines_are_those_of_head_when_the_base_moved_on_in_the_same_file(hub: Hub) -> None:
    hub.repo.checkout("main")
    text = (hub.repo.path / "src/a.ts").read_text()
    hub.repo.commit({"src/a.ts": "// five\n" * 5 + text})
    assert hub.run().code == 1
    assert [one["line"] for one in hub.comments()] == [30]


def test_the_tip_of_the_base_judges_and_not_the_payloads_commit(hub: Hub) -> None:
    payload = payloads.pull_request(hub.fake, hub.number)
    hub.repo.checkout("main")
    hub.repo.commit({".kodus-check.yml": "version: 1\nmain_review: {rules: []}\n"})
    ran = hub.run(payload)
    assert (ran.code, hub.comments()) == (0, [])
    assert ran.document["base"]["sha"] == hub.repo.rev("main")


def test_a_clean_change_gets_a_summary_alone(hub: Hub) -> None:
    hub.repo.checkout("feature")
    hub.repo.commit({"src/a.ts": "let a = 2;\n"})
    ran = hub.run()
    assert (ran.code, ran.document["outcome"], hub.comments(), len(hub.said())) == (0, "clean", [], 1)
    assert "CLEAN: no findings" in hub.said()[0]


@pytest.mark.parametrize("arguments", [("--dry-run",), ("--base", "main", "--head", "feature")])
def test_a_dry_run_writes_nothing(hub: Hub, arguments: tuple[str, ...]) -> None:
    ran = hub.run(None, *arguments)
    assert (ran.code, hub.fake.writes) == (1, [])
    assert "not_published" not in kinds(ran.document)


def test_a_token_that_only_reads_is_said_before_anything_is_asked(hub: Hub, llmock: Any) -> None:
    config = CONFIG + MODEL + "on_model_failure: fail\n"
    hub.repo.checkout("main")
    hub.repo.commit({".kodus-check.yml": config.replace("rules:", "docs: [docs/ledger.md], rules:"), **GUIDE})
    llmock.call_tool("report_findings", {"findings": []})
    token = hub.fake.token("github-actions[bot]", can_write=False)
    hub.token = token
    ran = hub.run(OPENAI_BASE_URL=llmock.base_url("openai"), OPENAI_API_KEY="k")
    assert (ran.code, hub.comments(), hub.said()) == (1, [], [])
    (told,) = [one["message"] for one in ran.document["notices"] if one["kind"] == "not_published"]
    assert "Resource not accessible by integration" in told
    assert "pull-requests: write" in told
    first = next(one for one in hub.fake.requests)
    assert (first.method, first.status) == ("POST", 403)


def test_without_a_token_the_check_runs_all_the_same(hub: Hub) -> None:
    ran = hub.run(GITHUB_TOKEN="")
    assert (ran.code, hub.fake.requests) == (1, [])
    assert "there is no token" in ran.message("not_published")


def test_a_stranger_of_a_fork_gets_the_rules_and_no_model(hub: Hub, llmock: Any) -> None:
    hub.repo.checkout("main")
    hub.repo.commit({".kodus-check.yml": (CONFIG + MODEL).replace("rules:", "docs: [docs/ledger.md], rules:"), **GUIDE})
    number = hub.fake.pull(author="mallory", association="NONE", fork="mallory/app")
    payload = payloads.pull_request(hub.fake, number)
    env = {"OPENAI_BASE_URL": llmock.base_url("openai"), "OPENAI_API_KEY": "k"}
    hub.number = number
    ran = hub.run(payload, event="pull_request_target", **env)
    assert (ran.code, len(llmock.requests), len(hub.comments())) == (1, 0, 1)
    assert "cannot write to the repository" in ran.message("model_not_asked")
    hub.repo.checkout("main")
    trusting = (CONFIG + MODEL + "trust: everyone\n").replace("rules:", "docs: [docs/ledger.md], rules:")
    hub.repo.commit({".kodus-check.yml": trusting})
    llmock.call_tool("report_findings", {"findings": []})
    ran = hub.run(payload, event="pull_request_target", **env)
    assert (len(llmock.requests), "model_not_asked" in ran.kinds) == (1, False)


def test_a_draft_gets_the_rules_and_no_model(hub: Hub, llmock: Any) -> None:
    hub.repo.checkout("main")
    hub.repo.commit({".kodus-check.yml": (CONFIG + MODEL).replace("rules:", "docs: [docs/ledger.md], rules:"), **GUIDE})
    hub.fake.set_draft(hub.number, True)
    ran = hub.run(OPENAI_BASE_URL=llmock.base_url("openai"), OPENAI_API_KEY="k")
    assert (ran.code, len(llmock.requests), len(hub.comments())) == (1, 0, 1)
    assert "this is a draft or a merge queue" in ran.message("model_not_asked")
    assert "model_not_asked" not in hub.run(None, "--no-model").kinds


def test_two_workflows_of_one_configuration_comment_once(hub: Hub) -> None:
    hub.run(GITHUB_WORKFLOW="one", GITHUB_JOB="a")
    hub.run(GITHUB_WORKFLOW="two", GITHUB_JOB="b")
    assert (len(hub.comments()), len(hub.said())) == (1, 1)


def test_a_citation_is_commented_with_the_guides_words_and_a_link(hub: Hub, llmock: Any) -> None:
    hub.repo.checkout("main")
    hub.repo.commit({".kodus-check.yml": (CONFIG + MODEL).replace("rules:", "docs: [docs/ledger.md], rules:"), **GUIDE})
    code = "let a30 = parseFloat(x);"
    given = {**GOOD, "path": "src/a.ts", "start_line": 12, "end_line": 12, "code": code, "body": "See @octocat, fixes #1."}
    llmock.call_tool("report_findings", {"findings": [given]})
    llmock.call_tool("report_verdicts", {"verdicts": [{"id": "F1", "verdict": "confirmed", "reason": "Yes."}]})
    ran = hub.run(OPENAI_BASE_URL=llmock.base_url("openai"), OPENAI_API_KEY="k")
    assert ran.code == 1
    (cited,) = [one for one in hub.comments() if "**Rule** (`docs/ledger.md`):" in one["body"]]
    assert cited["line"] == 30
    assert "> A reversal is a new entry, never an UPDATE of the original.\n" in cited["body"]
    base = hub.repo.rev("main")
    assert f"[line 3](https://github.example/acme/app/blob/{base}/docs/ledger.md?plain=1#L3) of `{base[:12]}`" in cited["body"]
    assert "@octocat" not in cited["body"]
    assert "#1." not in cited["body"]


def test_a_maintainers_comment_starts_the_review_of_the_head_as_it_is(hub: Hub) -> None:
    comment = hub.fake.comment(hub.number, "/kodus-check")
    payload = payloads.issue_comment(hub.fake, comment)
    payload["comment"]["author_association"] = "MEMBER"
    ran = hub.run(payload, event="issue_comment")
    assert (ran.code, len(hub.comments())) == (1, 1)
    assert ran.document["head"]["sha"] == hub.repo.rev("feature")


@pytest.mark.parametrize(
    ("event", "payload", "said"),
    [
        ("schedule", {}, "the event `schedule` is about no change"),
        ("issue_comment", None, "the comment has no line `/kodus-check`"),
        ("pull_request", "closed", "pull request 1 is closed"),
    ],
)
def test_what_is_not_for_us_is_neutral(hub: Hub, event: str, payload: Any, said: str) -> None:
    if event == "issue_comment":
        payload = payloads.issue_comment(hub.fake, hub.fake.comment(hub.number, "hello"))
    if payload == "closed":
        hub.fake.close(hub.number)
        payload = payloads.pull_request(hub.fake, hub.number, "closed")
    ran = hub.run(payload, event=event)
    assert (ran.code, hub.fake.writes) == (0, [])
    assert ran.out.startswith(f"kodus-check: nothing to judge: {said}")


def test_a_merge_group_is_judged_by_rules_and_nothing_is_posted(hub: Hub) -> None:
    payload = payloads.merge_group(hub.fake, [hub.number], hub.repo.rev("feature"))
    ran = hub.run(payload, event="merge_group")
    assert (ran.code, ran.document["outcome"], hub.fake.requests) == (1, "findings", [])


def test_a_push_is_judged_and_nothing_is_posted(hub: Hub) -> None:
    payload = payloads.push(hub.fake, hub.repo.rev("feature"), before=hub.repo.rev("main"), branch="feature")
    ran = hub.run(payload, event="push")
    assert (ran.code, hub.fake.requests) == (1, [])


def test_a_workflow_run_finds_its_pull_request(hub: Hub) -> None:
    ran = hub.run(payloads.workflow_run(hub.fake, hub.number), event="workflow_run")
    assert (ran.code, len(hub.comments())) == (1, 1)


def test_a_workflow_run_of_a_commit_that_is_no_head_any_more_is_neutral(hub: Hub) -> None:
    payload = payloads.workflow_run(hub.fake, hub.number)
    hub.repo.checkout("feature")
    hub.repo.commit({"later.ts": "let b = 1;\n"})
    ran = hub.run(payload, event="workflow_run")
    assert (ran.code, hub.fake.writes) == (0, [])
    assert "no open pull request has the commit" in ran.out


def test_a_run_by_hand_takes_the_number(hub: Hub) -> None:
    ran = hub.run(payloads.workflow_dispatch(hub.fake, {"pr-number": str(hub.number)}), event="workflow_dispatch")
    assert (ran.code, len(hub.comments())) == (1, 1)
    missing = hub.run(payloads.workflow_dispatch(hub.fake, {"pr-number": "99"}), event="workflow_dispatch")
    assert missing.code == 3
    assert "the pull request cannot be read" in missing.err
    assert hub.run(payloads.workflow_dispatch(hub.fake), event="workflow_dispatch").code == 2


def test_a_pull_request_that_is_closed_while_it_is_judged_is_judged_all_the_same(hub: Hub) -> None:
    hub.fake.faults.add("GET", r"/pulls/1$", "moved_head", run=lambda: hub.fake.close(hub.number))
    ran = hub.run()
    assert (ran.code, hub.comments(), hub.said()) == (1, [], [])
    assert "is closed" in ran.message("not_published")


@pytest.mark.parametrize(
    ("writes", "state", "said"),
    [(True, "ok", "pull request 1"), (False, "warning", "pull request 1: no comments, Resource not accessible by integration")],
)
def test_doctor_says_whether_comments_can_be_written(hub: Hub, writes: bool, state: str, said: str) -> None:
    hub.token = hub.fake.token("github-actions[bot]", can_write=writes)
    ran = hub.run(None, command="doctor")
    (item,) = [one for one in ran.document["items"] if one["name"] == "platform"]
    assert (item["state"], item["detail"]) == (state, said)
    assert hub.said() == []


def test_a_head_that_moves_while_it_is_judged_ends_neutral(hub: Hub) -> None:
    def move() -> None:
        hub.repo.checkout("feature")
        hub.repo.commit({"later.ts": "let b = 1;\n"})

    hub.fake.faults.add("GET", r"/pulls/1$", "moved_head", run=move)
    ran = hub.run()
    assert (ran.code, hub.comments(), hub.said()) == (0, [], [])
    assert "has moved on" in ran.message("superseded")


def test_the_exit_code_follows_the_findings_when_publishing_fails(hub: Hub) -> None:
    hub.fake.faults.add("POST", r"/(reviews|comments)$", "before", times=50)
    ran = hub.run(KODUS_CHECK_TEST="1")
    assert (ran.code, hub.comments()) == (1, [])
    assert "not_published" in ran.kinds


def test_an_enterprise_server_has_its_own_address(hub: Hub) -> None:
    with GitHubFake(hub.repo.path, enterprise=True) as fake:
        hub = Hub(hub.repo, fake, hub.folder, fake.pull(author="alice"), fake.token())
        assert fake.url.endswith("/api/v3")
        assert (hub.run().code, len(hub.comments())) == (1, 1)
        assert not fake.violations


def test_a_head_that_only_the_remote_has_is_fetched(hub: Hub, tmp_path: Path) -> None:
    clone = Repo.init(tmp_path / "clone")
    origin = hub.repo
    clone.git("fetch", "-q", "--depth=1", f"file://{origin.path}", "main")
    clone.git("checkout", "-q", "-B", "main", "FETCH_HEAD")
    ran = hub.run(None, "--repo", str(clone.path))
    assert (ran.code, len(hub.comments())) == (1, 1)


def test_publish_without_a_pull_request_is_a_usage_error(hub: Hub) -> None:
    ran = hub.run(None, "--publish", "--base", "main", "--head", "feature")
    assert (ran.code, json.dumps(hub.fake.writes)) == (2, "[]")
    assert "there is no pull request to publish to" in ran.err
