"""What the review can reach, tried from the inside: a probe stands in for the command line, and the real broker starts it."""

import json
from pathlib import Path
from typing import Any

import pytest

from kodus_check.broker.environment import ALLOWED, REPLACED
from tests.image.runner_sim import SECRETS, Runner, Step

PROBE = Path(__file__).with_name("probe.py")
NO_CAPABILITY = ["0" * 16]


@pytest.fixture
def probed(runner: Runner) -> Runner:
    runner.more_mounts = {PROBE: f"{runner.containers.file('kodus_check.cli')}:ro"}
    runner.step_env = {
        "OPENAI_API_KEY": "key-of-the-model",
        "PYTHONPATH": "/github/workspace",
        "LD_PRELOAD": "",
        "NODE_OPTIONS": "-r x",
    }
    return runner


def _report(done: Step) -> dict[str, Any]:
    assert done.exit_code == 0, done.log
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_review_is_nobody(probed: Runner) -> None:
    status = _report(probed.run())["status"]
    assert status["Uid"] == status["Gid"] == ["60001"] * 4
    assert status["Groups"] == []
    assert {name: status[name] for name in status if name.startswith("Cap")} == dict.fromkeys(
        ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), NO_CAPABILITY
    )
    assert status["NoNewPrivs"] == ["1"]


def test_every_attempt_from_the_inside_fails(probed: Runner) -> None:
    attempts = _report(probed.run())["attempts"]
    assert len(attempts) > 20
    assert {name: ended for name, ended in attempts.items() if not ended.startswith("denied")} == {}


def test_the_environment_is_the_list_and_nothing_else(probed: Runner) -> None:
    environ = _report(probed.run(model="openai:x"))["environ"]
    assert set(environ) <= ALLOWED | REPLACED | {"LC_CTYPE"}  # set by Python itself
    assert environ["OPENAI_API_KEY"] == "key-of-the-model"
    assert environ["GITHUB_TOKEN"] == "token-of-the-job"
    assert [name for name, value in SECRETS.items() if value in str(environ)] == []
    assert not [name for name in environ if name.startswith(("INPUT_", "ACTIONS_", "PYTHON", "LD_", "NODE"))]


def test_only_the_three_usual_descriptors_are_open(probed: Runner) -> None:
    assert _report(probed.run())["descriptors"] == [0, 1, 2]


def test_the_token_is_in_no_argument(probed: Runner) -> None:
    assert _report(probed.run(base="main", fail_on="high"))["arguments"] == ["kodus-check", "run", "--base=main", "--fail-on=high"]


@pytest.mark.parametrize(
    ("what", "message"),
    [("link", "is not taken over"), ("pipe", "is not a file of the review's own"), ("outputs", "is no output of the review")],
)
def test_what_root_should_not_take_over_is_refused(probed: Runner, what: str, message: str) -> None:
    probed.step_env["GITHUB_ACTOR"] = f"leave:{what}"
    done = probed.run(review_file="review.json")
    assert message in done.stderr
    assert done.exit_code == 3
    assert "review-file" not in done.outputs
    assert not (probed.checkout.path / "review.json").exists()


def test_the_log_is_no_way_past_the_broker(probed: Runner) -> None:
    probed.step_env["GITHUB_ACTOR"] = "leave:commands"
    done = probed.run()
    assert done.exit_code == 0, done.log
    assert [one.name for one in done.commands] == ["error"]
    assert "set-output name=outcome::clean" in done.stdout


def test_a_summary_that_is_too_long_is_cut(probed: Runner) -> None:
    probed.step_env["GITHUB_ACTOR"] = "leave:summary"
    done = probed.run()
    assert "this summary was cut here" in done.summary
    assert len(done.summary) < 1_000_000
