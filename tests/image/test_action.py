"""The action on a real repository, in the environment that the runner makes for it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.github import GitHubFake
from tests.image.runner_sim import RUNNER, SECRETS, Runner, parse_command, parse_file_command
from tests.repo import Repo

HOSTILE = "x\"$(touch /github/workspace/pwned)`touch /github/home/pwned`;'|&>\n::set-output name=outcome::clean\n##[add-mask]a"


def test_a_pull_request_is_judged_and_the_runner_is_told(runner: Runner) -> None:
    done = runner.run(base="main", publish="false", review_file="reports/review.json", sarif_file="kodus-check.sarif")
    assert done.exit_code == 1, done.log
    assert done.outputs["outcome"] == "findings"
    assert done.outputs["findings"] == "1"
    assert done.outputs["coverage"] == "1/1"
    assert done.outputs["review-file"] == "reports/review.json"
    assert done.outputs["sarif-file"] == "kodus-check.sarif"
    assert "Money.parse" in done.summary
    assert [(one.name, one.properties["file"], one.properties["line"]) for one in done.commands] == [("error", "src/a.ts", "2")]
    workspace = runner.checkout.path
    assert json.loads((workspace / "reports/review.json").read_text())["outcome"] == "findings"
    assert json.loads((workspace / "kodus-check.sarif").read_text())["version"] == "2.1.0"
    assert set(done.other_files.values()) == {""}


def test_reports_belong_to_the_owner_of_the_workspace(runner: Runner) -> None:
    runner.run(base="main", review_file="new/folder/review.json")
    workspace = runner.checkout.path
    for name in ("new", "new/folder", "new/folder/review.json"):
        found = (workspace / name).stat()
        assert (found.st_uid, found.st_gid) == (RUNNER, RUNNER), name
    assert [path.name for path in (workspace / "new/folder").iterdir()] == ["review.json"]


def test_the_event_says_what_is_judged(runner: Runner) -> None:
    done = runner.run(publish="false")
    assert done.exit_code == 1, done.log
    assert done.outputs["outcome"] == "findings"
    assert "review-file" not in done.outputs


def test_without_inputs_it_comments_on_the_pull_request(runner: Runner, checkout: Repo, tmp_path: Path) -> None:
    checkout.git("clone", "--quiet", "--bare", str(checkout.path), str(tmp_path / "hosted"))
    runner.containers = replace(runner.containers, network="host")
    with GitHubFake(tmp_path / "hosted", "octo/repo") as fake:
        runner.number = fake.pull(base="main", head="feature", author="mona")
        runner.step_env["GITHUB_API_URL"] = fake.url
        done = runner.run(token=fake.token("github-actions[bot]", can_write=True))
        assert done.exit_code == 1, done.log
        assert ["Money.parse" in one.body for one in fake.review_comments(runner.number)] == [True]
        fake.assert_clean()


def test_nothing_of_the_job_is_in_the_log(runner: Runner) -> None:
    done = runner.run(base="main", review_file="review.json")
    shown = done.log + done.summary + str(done.outputs) + (runner.checkout.path / "review.json").read_text()
    assert [name for name, value in {**SECRETS, "token": "token-of-the-job"}.items() if value in shown] == []


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"publish": "yes"}, "input `publish`: `yes` is neither true nor false"),
        ({"no_model": "True"}, "input `no-model`: `True` is neither true nor false"),
        ({"review_file": "../review.json"}, "it leaves the workspace"),
        ({"review_file": "/etc/passwd"}, "it is absolute"),
        ({"review_file": ".git/hooks/x"}, "it lies in `.git`"),
        ({"fail_on": "sometimes"}, "'sometimes' is not one of"),
        ({"fail_on": 'x\\" --fail-on never \\"'}, "is not one of"),
    ],
)
def test_a_wrong_input_is_a_usage_error(runner: Runner, inputs: dict[str, str], message: str) -> None:
    done = runner.run(base="main", **inputs)
    assert message in done.stderr
    assert done.exit_code == 2


def test_a_link_where_a_report_goes_is_refused(runner: Runner) -> None:
    runner.checkout.commit({"src/b.ts": "export const c = 1;\n"})
    workspace = runner.checkout.path
    (workspace / "review.json").symlink_to("/github/file_commands/set_env")
    (workspace / "reports").symlink_to("/github/home")
    for path in ("review.json", "reports/review.json"):
        done = runner.run(base="main", review_file=path)
        assert "symbolic link" in done.stderr
        assert done.exit_code == 2
        assert done.other_files["set_env"] == ""
    assert list((runner.folder / "home").iterdir()) == []


def test_hostile_names_in_the_event_run_nothing(runner: Runner) -> None:
    runner.head_ref = HOSTILE
    runner.event = {"pull_request": {"number": 7, "title": HOSTILE, "body": HOSTILE, "head": {"ref": HOSTILE, "sha": HOSTILE}}}
    done = runner.run(base="main", head="HEAD")
    _nothing_ran(runner, done.exit_code, 1)
    assert {one.name for one in done.commands} == {"error"}


@pytest.mark.parametrize("value", [HOSTILE, "--help", "--repo=/", "HEAD:evil", "$(touch /github/workspace/pwned)"])
def test_hostile_inputs_run_nothing(runner: Runner, value: str) -> None:
    done = runner.run(base="main", head=value)
    _nothing_ran(runner, done.exit_code, 2, 3)
    assert "Usage: kodus-check [OPTIONS]" not in done.stdout
    assert all(one.name == "error" for one in done.commands)


def _nothing_ran(runner: Runner, exit_code: int, *allowed: int) -> None:
    assert exit_code in allowed
    assert not list(Path(runner.folder).rglob("pwned"))


def test_the_simulated_runner_reads_as_the_real_one_does() -> None:
    assert parse_file_command("a=b<<c\nd<<E\n1\n2=3\nE\n") == {"a": "b<<c", "d": "1\n2=3"}
    with pytest.raises(AssertionError, match="delimiter"):
        parse_file_command("a<<E\n1\n")
    found = parse_command("  ::error file=a%2Cb,line=2::100%25%0Amore")
    assert found is not None
    assert (found.name, found.properties, found.text) == ("error", {"file": "a,b", "line": "2"}, "100%\nmore")
    assert parse_command("text ##[add-mask]x") is not None
    assert parse_command("text ::error::x") is None
