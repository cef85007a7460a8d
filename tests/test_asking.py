# ruff: noqa: E501 - configurations stand on a line
"""Whole runs with a model behind a real socket: what comes of each of its failures, and that the rules' findings stay."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kodus_check.app import Place
from kodus_check.doctor import examine
from kodus_check.reports import jsondoc
from tests.agent.scripted import GOOD
from tests.repo import Content, Repo
from tests.test_run import BAD, RULE, Ran, kodus_check

LEDGER = "# Ledger\n\nA reversal is a new entry, never an UPDATE of the original.\n"
CONFIG = "model: openai-chat:gpt-4o\nfail_on: high\nmain_review: {docs: [docs/ledger.md], rules: [rules/money.yml]}\n"
BASE: dict[str, Content] = {
    ".kodus-check.yml": CONFIG,
    "docs/ledger.md": LEDGER,
    "rules/money.yml": RULE,
    "src/a.py": "x = 1\n",
    "src/a.ts": "let a = 1;\n",
    "yarn.lock": "a\n",
    ".env": "A=1\n",
}
CHANGE: dict[str, Content] = {
    "src/a.py": 'x = 1\ndb.execute("UPDATE entries SET x = 1")\n',
    "yarn.lock": "b\n",
    ".env": "A=top-secret\n",
}


@pytest.fixture
def team(repo: Repo) -> Repo:
    repo.commit(BASE)
    repo.branch("feature")
    return repo


def run(repo: Repo, server: Any, *arguments: str, env: dict[str, str] | None = None) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", "run", "--repo", str(repo.path), "--base", "main", "--format", "json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "OPENAI_BASE_URL": server.base_url("openai"),
            "OPENAI_API_KEY": "key-of-nobody",
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
            **(env or {}),
        },
    )
    ran = Ran(done.returncode, done.stdout, done.stderr)
    Draft202012Validator(jsondoc.schema("review")).validate(ran.document)
    assert "key-of-nobody" not in done.stdout + done.stderr
    return ran


def coverage(ran: Ran) -> dict[str, tuple[str, str | None]]:
    return {one["path"]: (one["status"], one["reason"]) for one in ran.document["coverage"]["files"]}


VERDICT = {"verdicts": [{"id": "F1", "verdict": "confirmed", "reason": "Line 2 updates an entry."}]}


def test_what_a_model_proposes_is_published_with_the_guides_own_words(team: Repo, llmock: Any) -> None:
    team.commit({**CHANGE, "src/a.ts": BAD})
    llmock.call_tool("read_file", {"path": "src/a.py"}).call_tool("report_findings", {"findings": [GOOD]})
    llmock.call_tool("report_verdicts", VERDICT)
    ran = run(team, llmock)
    assert (ran.code, ran.document["outcome"]) == (1, "findings")
    assert [one["evidence"]["kind"] for one in ran.document["findings"]] == ["match", "citation"]
    found = ran.document["findings"][1]
    assert (found["path"], found["start_line"], found["mode"], found["title"]) == ("src/a.py", 2, "comment", GOOD["title"])
    assert found["evidence"] == {
        "kind": "citation",
        "guide": "docs/ledger.md",
        "skill": None,
        "start_line": 3,
        "end_line": 3,
        "text": "A reversal is a new entry, never an UPDATE of the original.",
        "headings": ["Ledger"],
    }
    assert ran.document["dropped"] == []
    assert coverage(ran) == {
        ".env": ("skipped", "no_rule"),
        "src/a.py": ("judged", None),
        "src/a.ts": ("judged", None),
        "yarn.lock": ("skipped", "no_rule"),
    }
    counts = [(agent["name"], agent["requests"], agent["tokens"] > 0) for agent in ran.document["agents"]]
    assert counts == [("main_review", 2, True), ("verifier_model", 1, True)]


def test_what_a_model_is_told(team: Repo, llmock: Any) -> None:
    team.commit({**CHANGE, "src/a.ts": BAD})
    llmock.call_tool("report_findings", {"findings": []})
    run(team, llmock)
    (request,) = llmock.requests
    told = json.dumps(request.body)
    for text in ("3|A reversal is a new entry", "2+db.execute", "no-float-money at src/a.ts:1", "docs/ledger.md", "src/a.py"):
        assert text in told
    for text in ("top-secret", ".env", "key-of-nobody"):
        assert text not in told
    assert "yarn.lock: modified" not in told


@pytest.mark.parametrize(
    ("fault", "reason", "requests"),
    [
        (lambda server: server.fail(500, times=None), "unavailable", 3),
        (lambda server: server.fail(401, times=None), "unauthorized", 1),
        (lambda server: server.rate_limit(times=None, retry_after=0.01), "rate_limited", 3),
        (lambda server: server.fail(404, times=None), "rejected", 1),
        (lambda server: server.context_overflow(times=None), "too_large", 1),
        (lambda server: server.reply("All is well.", times=None).tool_mode("off"), "invalid", 2),
        (lambda server: server.call_tool("report_findings", {}, times=None), "invalid", 2),
    ],
)
def test_a_model_that_fails_leaves_the_rules_findings_and_is_said_first(
    team: Repo, llmock: Any, fault: Any, reason: str, requests: int
) -> None:
    team.commit({**CHANGE, "src/a.ts": BAD})
    fault(llmock)
    ran = run(team, llmock)
    assert (ran.code, ran.document["outcome"]) == (1, "partial")
    assert [one["path"] for one in ran.document["findings"]] == ["src/a.ts"]
    message = ran.message("model_failed")
    assert message.startswith(f"NOT JUDGED by the model `openai-chat:gpt-4o` ({reason}): src/a.py, src/a.ts.")
    assert coverage(ran)["src/a.py"] == ("skipped", "model_failed")
    assert coverage(ran)["src/a.ts"] == ("rules_only", "model_failed")
    assert len(llmock.requests) == requests


@pytest.mark.parametrize(
    ("config", "findings", "code"),
    [
        ("", False, 0),
        ("on_model_failure: pass\n", False, 0),
        ("on_model_failure: fail\n", False, 4),
        ("on_model_failure: fail\n", True, 4),
        ("", True, 1),
    ],
)
def test_exit_codes_of_a_failed_model(repo: Repo, llmock: Any, config: str, findings: bool, code: int) -> None:
    repo.commit({**BASE, ".kodus-check.yml": CONFIG + config})
    repo.branch("feature")
    repo.commit({**CHANGE, **({"src/a.ts": BAD} if findings else {})})
    llmock.fail(401, times=None)
    assert run(repo, llmock).code == code


def test_the_first_line_says_not_judged(team: Repo, llmock: Any) -> None:
    team.commit(CHANGE)
    llmock.fail(401, times=None)
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", "run", "--repo", str(team.path), "--base", "main"],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "OPENAI_BASE_URL": llmock.base_url("openai"),
        },
    )
    assert done.stdout.startswith("kodus-check: PARTIAL: 1 file NOT JUDGED by the model; no findings in the rest")


@pytest.mark.parametrize(
    ("arguments", "env", "outcome", "kind", "requests"),
    [
        (("--no-model",), {}, "clean", None, 0),
        ((), {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}, "partial", "model_failed", 0),
        (("--model", "anthropic:x"), {}, "partial", "model_failed", 0),
    ],
)
def test_when_the_model_is_not_asked(
    team: Repo, llmock: Any, arguments: tuple[str, ...], env: dict[str, str], outcome: str, kind: str | None, requests: int
) -> None:
    team.commit(CHANGE)
    ran = run(team, llmock, *arguments, env=env)
    assert (ran.code, ran.document["outcome"], len(llmock.requests)) == (0, outcome, requests)
    assert ("model_failed" in ran.kinds) is (kind is not None)


def test_without_a_guide_to_cite_nothing_is_asked(repo: Repo, llmock: Any) -> None:
    repo.commit(
        {**BASE, ".kodus-check.yml": "model: openai-chat:gpt-4o\nmain_review: {docs: [], skills: [], rules: [rules/money.yml]}\n"}
    )
    repo.branch("feature")
    repo.commit({"src/a.ts": "let a = 2;\n"})
    ran = run(repo, llmock)
    assert (ran.code, ran.document["outcome"], len(llmock.requests)) == (0, "clean", 0)
    assert "follows a guide to cite" in ran.message("model_not_asked")


def test_agents_read_their_own_files_with_their_own_guides(repo: Repo, llmock: Any) -> None:
    config = (
        CONFIG
        + "agents:\n  py:\n    description: Guards Python.\n    instructions: Be strict.\n    paths: ['*.py']\n    docs: [docs/py.md]\n"
    )
    repo.commit({**BASE, ".kodus-check.yml": config, "docs/py.md": "Every handler logs its errors.\n"})
    repo.branch("feature")
    repo.commit({**CHANGE, "src/a.ts": "let a = 2;\n"})
    llmock.call_tool("report_findings", {"findings": []}, times=2)
    ran = run(repo, llmock)
    told = sorted(json.dumps(one.body) for one in llmock.requests)
    assert [one["name"] for one in ran.document["agents"]] == ["main_review", "py"]
    of_py = next(text for text in told if "Be strict." in text)
    assert ("Every handler logs" in of_py, "new entry, never" in of_py, "src/a.ts: modified" in of_py) == (True, False, False)
    of_main = next(text for text in told if "Be strict." not in text)
    assert ("Every handler logs" in of_main, "new entry, never" in of_main, "src/a.ts: modified" in of_main) == (False, True, True)


def test_one_batch_that_fails_costs_no_other_its_answer(repo: Repo, llmock: Any) -> None:
    config = CONFIG + "agents: {py: {paths: ['*.py'], docs: [docs/ledger.md]}}\nlimits: {requests: 1}\n"
    repo.commit({**BASE, ".kodus-check.yml": config})
    repo.branch("feature")
    repo.commit(CHANGE)
    llmock.call_tool("report_findings", {"findings": [GOOD]}, times=2)
    ran = run(repo, llmock)
    assert (ran.document["outcome"], len(llmock.requests)) == ("partial", 1)
    assert len([one for one in ran.document["dropped"] if one["reason"] == "not_verified"]) == 1
    assert all("limits.requests" in one["message"] for one in ran.document["notices"] if one["kind"] == "model_failed")
    assert ran.kinds.count("model_failed") == 2


def test_try_shows_the_prompt_and_sends_nothing(team: Repo, llmock: Any) -> None:
    team.commit(CHANGE)
    arguments = ("try", "main_review", "--show-prompt", "--repo", str(team.path), "--base", "main")
    document = kodus_check(*arguments, "--format", "json").document
    (prompt,) = document["prompts"]
    assert prompt["files"] == ["src/a.py"]
    assert "3|A reversal is a new entry" in prompt["task"]
    assert prompt["tokens"]["in all"] >= prompt["tokens"]["system"] + prompt["tokens"]["guides"] + prompt["tokens"]["diff"]
    assert "2+db.execute" in kodus_check(*arguments).out
    assert (
        "Reviewers here are main_review."
        in kodus_check("try", "x", "--show-prompt", "--repo", str(team.path), "--base", "main").err
    )
    assert llmock.requests == []


@pytest.mark.parametrize(
    ("fault", "state", "said"),
    [
        (lambda server: server.call_tool("report_ready", {"ready": []}), "ok", "openai-chat:gpt-4o answers and calls tools"),
        (lambda server: server.fail(401, times=None), "warning", "unauthorized"),
        (lambda server: server.reply("Hello!", times=None).tool_mode("off"), "warning", "invalid"),
    ],
)
def test_doctor_asks_the_model(team: Repo, llmock: Any, fault: Any, state: str, said: str) -> None:
    fault(llmock)
    items = {one.name: one for one in examine(Place(team.path, "main"))}
    assert (str(items["model"].state), said in items["model"].detail) == (state, True)
