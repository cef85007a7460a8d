# ruff: noqa: E501 - configurations stand on a line
"""Whole runs with both passes behind a real socket: what is published, what is dropped and why, and what a run can be narrowed to."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripted import GOOD
from tests.repo import Content, Repo
from tests.test_asking import BASE, CHANGE, CONFIG, coverage, run
from tests.test_run import Ran

REASON = "The rule is about reversals, and this is none."


def team(repo: Repo, config: str = "", files: dict[str, Content] | None = None) -> Repo:
    """The repository with its change; ``config`` goes behind or, for the keys of a reviewer, into the usual one."""
    repo.commit({**BASE, ".kodus-check.yml": config if "main_review" in config else CONFIG + config, **(files or {})})
    repo.branch("feature")
    repo.commit(CHANGE)
    return repo


def kodus_check(*arguments: str, server: Any, env: dict[str, str] | None = None) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "kodus_check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "OPENAI_BASE_URL": server.base_url("openai"),
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
            **(env or {}),
        },
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def scripted(server: Any, verdict: str | None = "confirmed", *findings: Any) -> None:
    """Both passes; without a verdict the second one is left to the test."""
    server.call_tool("report_findings", {"findings": list(findings or [GOOD])})
    if verdict is not None:
        server.call_tool("report_verdicts", {"verdicts": [{"id": "F1", "verdict": verdict, "reason": REASON}]})


def dropped(ran: Ran) -> list[tuple[str, str]]:
    return [(one["reason"], one["detail"]) for one in ran.document["dropped"]]


GATE = "model: openai-chat:gpt-4o\nfail_on: high\nmain_review: {mode: gate, docs: [docs/ledger.md], rules: [rules/money.yml]}\n"


@pytest.mark.parametrize(
    ("config", "severity", "code", "mode"),
    [
        ("", "high", 0, "comment"),
        ("", "critical", 0, "comment"),
        (GATE, "high", 1, "gate"),
        (GATE, "critical", 1, "gate"),
        (GATE, "medium", 0, "gate"),
        (GATE.replace("fail_on: high", "fail_on: never"), "critical", 0, "gate"),
        (GATE.replace("gate", "shadow"), "critical", 0, "shadow"),
    ],
)
def test_what_is_confirmed_is_published(repo: Repo, llmock: Any, config: str, severity: str, code: int, mode: str) -> None:
    team(repo, config)
    scripted(llmock, "confirmed", {**GOOD, "severity": severity})
    ran = run(repo, llmock)
    (finding,) = ran.document["findings"]
    assert (ran.code, finding["mode"], finding["severity"], finding["start_line"]) == (code, mode, severity, 2)
    assert dropped(ran) == []
    assert len(llmock.requests) == 2


def test_what_stands_in_the_shadow_is_counted_apart(repo: Repo, llmock: Any) -> None:
    team(repo, GATE.replace("gate", "shadow"))
    scripted(llmock)
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--format", "markdown", server=llmock)
    assert ran.code == 0
    assert "1 in shadow mode" in ran.out
    assert "1 finding" not in ran.out.split("\n", 2)[0]


@pytest.mark.parametrize(
    ("config", "verdict", "reason"),
    [
        ("", "refuted", "refuted"),
        ("", "unsure", "unsure"),
        ("publish: {on_unsure: drop}\n", "unsure", "unsure"),
        ("publish: {on_unsure: comment}\n", "refuted", "refuted"),
        ("publish: {on_unsure: comment}\n", "unsure", None),
    ],
)
def test_what_is_not_confirmed_is_dropped_in_the_models_own_words(
    repo: Repo, llmock: Any, config: str, verdict: str, reason: str | None
) -> None:
    team(repo, config)
    scripted(llmock, verdict)
    ran = run(repo, llmock)
    assert (ran.code, ran.document["outcome"]) == (0, "findings" if reason is None else "clean")
    assert dropped(ran) == ([] if reason is None else [(reason, REASON)])
    assert len(ran.document["findings"]) == (reason is None)
    assert "model_failed" not in ran.kinds
    assert coverage(ran)["src/a.py"] == ("judged", None)


@pytest.mark.parametrize(("config", "code"), [("", 0), ("on_model_failure: pass\n", 0), ("on_model_failure: fail\n", 4), (GATE, 0)])
@pytest.mark.parametrize(
    ("fault", "reason", "requests"),
    [
        (lambda server: server.fail(401, times=None, model="gpt-v"), "unauthorized", 1),
        (lambda server: server.call_tool("report_verdicts", {"verdicts": []}, times=None), "invalid", 2),
    ],
)
def test_what_could_not_be_looked_at_again_is_not_published(
    repo: Repo, llmock: Any, config: str, code: int, fault: Any, reason: str, requests: int
) -> None:
    team(
        repo,
        f"verifier_model: openai-chat:gpt-v\n{config}"
        if "main_review" not in config
        else f"{config}verifier_model: openai-chat:gpt-v\n",
    )
    scripted(llmock, None)
    fault(llmock)
    ran = run(repo, llmock)
    assert (ran.code, ran.document["outcome"], ran.document["findings"]) == (code, "partial", [])
    assert [one[0] for one in dropped(ran)] == ["not_verified"]
    said = ran.message("model_failed")
    assert said.startswith(
        f"NOT VERIFIED: 1 finding of the model could not be looked at again by `openai-chat:gpt-v` ({reason}), and are not published."
    )
    assert coverage(ran)["src/a.py"] == ("skipped", "model_failed")
    assert len(llmock.requests) == 1 + requests


def test_nothing_proved_asks_no_second_time(repo: Repo, llmock: Any) -> None:
    team(repo)
    scripted(llmock, None, {**GOOD, "quote": "Every entry may be updated at will by anyone."})
    ran = run(repo, llmock)
    assert [one[0] for one in dropped(ran)] == ["quote_not_in_guide"]
    assert (ran.document["outcome"], len(llmock.requests)) == ("clean", 1)


# -- another model ----------------------------------------------------------------------------------------------------------


def test_the_second_model_has_its_own_address_and_key(repo: Repo, llmock: Any) -> None:
    team(repo, "verifier_model: anthropic:claude-x\n")
    scripted(llmock)
    ran = run(repo, llmock, env={"ANTHROPIC_BASE_URL": llmock.base_url("anthropic"), "ANTHROPIC_API_KEY": "key-of-anthropic"})
    assert [(one.provider, one.model) for one in llmock.requests] == [("openai", "gpt-4o"), ("anthropic", "claude-x")]
    assert len(ran.document["findings"]) == 1
    assert "key-of-anthropic" not in ran.out + ran.err


def test_the_second_model_of_the_same_provider_is_asked_where_the_first_is(repo: Repo, llmock: Any) -> None:
    team(repo, f"verifier_model: openai-chat:gpt-mini\nbase_url: {llmock.base_url('openai')}\n")
    scripted(llmock)
    ran = run(repo, llmock, env={"OPENAI_BASE_URL": ""})
    assert [one.model for one in llmock.requests] == ["gpt-4o", "gpt-mini"]
    assert len(ran.document["findings"]) == 1


def test_a_base_url_is_not_that_of_another_provider(repo: Repo, llmock: Any) -> None:
    team(
        repo,
        "verifier_model: anthropic:claude-x\nbase_url: http://127.0.0.1:9\n".replace(
            "http://127.0.0.1:9", llmock.base_url("openai")
        ),
    )
    scripted(llmock)
    env = {"OPENAI_BASE_URL": "", "ANTHROPIC_BASE_URL": llmock.base_url("anthropic"), "ANTHROPIC_API_KEY": "k"}
    assert len(run(repo, llmock, env=env).document["findings"]) == 1


def test_a_second_model_without_its_key_is_named(repo: Repo, llmock: Any) -> None:
    team(repo, "verifier_model: anthropic:claude-x\n")
    scripted(llmock, None)
    ran = run(repo, llmock)
    assert (ran.code, ran.document["outcome"], ran.document["findings"]) == (0, "partial", [])
    said = ran.message("model_failed")
    assert "`anthropic:claude-x` (no_key)" in said
    assert "needs the key in ANTHROPIC_API_KEY, and it is not set" in said
    assert [one.provider for one in llmock.requests] == ["openai"]


def test_both_passes_share_the_limits(repo: Repo, llmock: Any) -> None:
    team(repo, "limits: {requests: 1}\n")
    scripted(llmock)
    ran = run(repo, llmock)
    assert (ran.document["outcome"], ran.document["findings"], len(llmock.requests)) == ("partial", [], 1)
    assert "NOT VERIFIED" in ran.message("model_failed")
    assert "`limits.requests`" in ran.message("model_failed")
    assert [one["name"] for one in ran.document["agents"]] == ["main_review"]


# -- one reviewer, one skill ------------------------------------------------------------------------------------------------

SKILL = "---\nname: manual\ndescription: Reviews ledgers.\ndisable-model-invocation: true\n---\n\nEvery reversal is a new entry in the ledger.\n"
PY = "agents: {py: {paths: ['*.py'], docs: [docs/ledger.md]}}\n"


def test_one_reviewer_alone(repo: Repo, llmock: Any) -> None:
    team(repo, PY)
    scripted(llmock)
    ran = run(repo, llmock, "--agent", "py")
    assert [(one["agent"], one["path"]) for one in ran.document["findings"]] == [("py", "src/a.py")]
    assert [one["name"] for one in ran.document["agents"]] == ["py", "verifier_model"]


def test_a_skill_that_only_people_load_is_loaded_by_its_name(repo: Repo, llmock: Any) -> None:
    team(repo, files={".claude/skills/manual/SKILL.md": SKILL})
    llmock.call_tool("skill", {"name": "manual"})
    finding = {
        **GOOD,
        "guide": ".claude/skills/manual/SKILL.md",
        "guide_lines": "7",
        "quote": "Every reversal is a new entry in the ledger.",
    }
    scripted(llmock, "confirmed", finding)
    ran = run(repo, llmock, "--skill", "manual")
    assert dropped(ran) == []
    (found,) = ran.document["findings"]
    assert (found["evidence"]["guide"], found["evidence"]["skill"]) == (".claude/skills/manual/SKILL.md", "manual")
    assert "A reversal is a new entry, never" not in json.dumps(llmock.requests[0].body)  # no docs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--agent", "nobody"), "nobody"),
        (("--skill", "nothing"), "the base has no such skill"),
        (("--agent", "main_review", "--skill", "nothing"), "--skill nothing"),
    ],
)
def test_names_that_are_not_there_are_usage_errors(repo: Repo, llmock: Any, arguments: tuple[str, ...], said: str) -> None:
    team(repo)
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", *arguments, server=llmock)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert llmock.requests == []


# -- looking into it --------------------------------------------------------------------------------------------------------


def test_try_shows_drops_and_tokens(repo: Repo, llmock: Any) -> None:
    team(repo, GATE)
    scripted(llmock, "refuted")
    arguments = ("try", "main_review", "--repo", str(repo.path), "--base", "main")
    ran = kodus_check(*arguments, server=llmock)
    assert ran.code == 0
    assert f"\nDrops\n  - refuted: src/a.py:2  {GOOD['title']}\n    {REASON}\n" in ran.out
    assert "\nTokens of the prompt, before the matches of rules\n  1: system " in ran.out
    assert len(llmock.requests) == 2


def test_try_as_a_document_fails_no_job(repo: Repo, llmock: Any) -> None:
    team(repo, GATE)
    scripted(llmock)
    ran = kodus_check("try", "main_review", "--repo", str(repo.path), "--base", "main", "--format", "json", server=llmock)
    assert (ran.code, [one["mode"] for one in ran.document["findings"]]) == (0, ["gate"])


def test_a_trace_has_a_line_for_each_thing_that_happened(repo: Repo, llmock: Any, tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    team(repo)
    llmock.call_tool("read_file", {"path": key})
    llmock.call_tool("report_findings", {"findings": [GOOD, {**GOOD, "path": "src/none.py"}]})
    verdict = {"id": "F1", "verdict": "refuted", "reason": f"It logs {key}."}
    llmock.call_tool("report_verdicts", {"verdicts": [verdict]})
    target = tmp_path / "trace.jsonl"
    ran = run(repo, llmock, "--output", f"trace:{target}")
    assert ran.code == 0
    text = target.read_text()
    events = [json.loads(line) for line in text.splitlines()]
    kinds = [(one["kind"], one.get("agent") or one.get("verdict") or one.get("reason")) for one in events]
    assert sorted(kinds) == sorted(
        [
            ("request", "main_review"),
            ("request", "main_review"),
            ("request", "verifier_model"),
            ("tool", "main_review"),
            ("verdict", "refuted"),
            ("drop", "refuted"),
            ("drop", "file_not_changed"),
        ]
    )
    assert key not in text
    assert all(one["input_tokens"] >= 0 and one["seconds"] >= 0 for one in events if one["kind"] == "request")
    (verdict_event,) = [one for one in events if one["kind"] == "verdict"]
    assert (verdict_event["path"], verdict_event["line"], len(verdict_event["fingerprint"]) > 8) == ("src/a.py", 2, True)


@pytest.mark.parametrize("output", ["trace", "trace:", "traces:x"])
def test_outputs_that_are_none(repo: Repo, llmock: Any, output: str) -> None:
    team(repo)
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--output", output, server=llmock)
    assert ran.code == 2
    assert "trace" in ran.err


# -- the keys ---------------------------------------------------------------------------------------------------------------


def test_the_keys_are_listed_with_their_places(repo: Repo, llmock: Any) -> None:
    team(repo, f"verifier_model: anthropic:claude-x\npublish: {{on_unsure: comment}}\n{PY.replace('{py: {', '{py: {mode: gate, ')}")
    ran = kodus_check("config", "show", "--repo", str(repo.path), "--base", "main", "--format", "json", server=llmock)
    values = {one["key"]: (one["value"], one["level"], one["where"]) for one in ran.document["values"]}
    assert values["verifier_model"] == ("anthropic:claude-x", "repository", ".kodus-check.yml:4:1")
    assert values["publish.on_unsure"][:2] == ("comment", "repository")
    assert values["agents.py.mode"][:2] == ("gate", "repository")
    assert values["main_review.mode"] == ("comment", "default", None)


def test_the_keys_have_defaults(repo: Repo, llmock: Any) -> None:
    team(repo)
    ran = kodus_check("config", "show", "--repo", str(repo.path), "--base", "main", "--format", "json", server=llmock)
    values = {one["key"]: (one["value"], one["level"]) for one in ran.document["values"]}
    assert values["verifier_model"][1] == values["publish.on_unsure"][1] == values["main_review.mode"][1] == "default"
    assert values["publish.on_unsure"][0] == "drop"


@pytest.mark.parametrize(
    ("config", "line", "hint"),
    [
        ("verifier_model: [a]\n", 4, "verifier_model"),
        ("verifyer_model: anthropic:x\n", 4, "did you mean `verifier_model`?"),
        ("publish: {on_unsure: publish}\n", 4, "comment"),
        ("publish: {on_unsur: drop}\n", 4, "did you mean `on_unsure`?"),
        ("publish: comment\n", 4, "publish"),
        ("agents: {py: {mode: block}}\n", 4, "gate"),
        (GATE.replace("gate", "gat"), 3, "input should be 'shadow', 'comment' or 'gate'"),
    ],
)
def test_bad_values_are_refused_where_they_stand(repo: Repo, llmock: Any, config: str, line: int, hint: str) -> None:
    team(repo, config)
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", "--format", "json", server=llmock)
    assert (ran.code, ran.document["outcome"]) == (2, "failed")
    said = ran.message("config_invalid")
    assert said.startswith(f".kodus-check.yml:{line}:")
    assert hint in said
    assert llmock.requests == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gpt-4o", "Providers are openai"), ("antropic:x", "Did you mean `anthropic:…`?"), ("anthropic:", "anthropic")],
)
def test_a_second_model_that_is_none_is_said_before_anything_is_asked(repo: Repo, llmock: Any, name: str, hint: str) -> None:
    team(repo, f"verifier_model: '{name}'\n")
    ran = kodus_check("run", "--repo", str(repo.path), "--base", "main", server=llmock)
    assert (ran.code, ran.out) == (2, "")
    assert f".kodus-check.yml:4:1: `{name}` names no model" in ran.err
    assert hint in ran.err
    assert llmock.requests == []
