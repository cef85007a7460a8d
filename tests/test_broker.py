"""The broker, part by part; `tests/image` tries the whole of it from inside a container."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from kodus_check import broker
from kodus_check.agent.models import PROVIDERS
from kodus_check.app import Place, check
from kodus_check.broker import child, inputs, log, user
from kodus_check.broker.environment import ALLOWED, MODEL_KEYS, REPLACED, TOKENS, review_environment
from kodus_check.broker.handover import MAX_OUTPUTS, OUTPUTS, Spool, hand_over, parse_outputs, spool, temporary_folder
from kodus_check.broker.inputs import TABLE, Call, Kind, Report, call_of, variable
from kodus_check.broker.log import MAX_LINE, harmless
from kodus_check.broker.placing import place, refuse_links
from kodus_check.errors import CannotReview, UsageError
from kodus_check.reports.annotations import append_outputs
from tests.image.runner_sim import Command, parse_command
from tests.repo import Repo

ROOT = Path(__file__).parents[1]
SOURCES = [path for path in (ROOT / "kodus_check").rglob("*.py") if path.parent.name != "broker"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give root up; `tests/image` does it as well")


def given(**values: str) -> dict[str, str]:
    return {variable(name.replace("_", "-")): value for name, value in values.items()}


# --- inputs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "arguments"),
    [
        ({}, ["run"]),
        ({"base": "", "fail_on": " ", "no_model": "", "review_file": "", "token": ""}, ["run"]),
        ({"base": "main", "head": "HEAD~1"}, ["run", "--base=main", "--head=HEAD~1"]),
        (
            {"config": "ci/check.yml", "global_config": "o/r@v1:c.yml"},
            ["run", "--config=ci/check.yml", "--global-config=o/r@v1:c.yml"],
        ),
        ({"model": "anthropic:claude", "fail_on": "high"}, ["run", "--model=anthropic:claude", "--fail-on=high"]),
        ({"no_model": "true"}, ["run", "--no-model"]),
        ({"no_model": "false"}, ["run"]),
        # T2: an option is what stands before the first `=`
        ({"base": "--no-model", "head": "a b;c $(d)"}, ["run", "--base=--no-model", "--head=a b;c $(d)"]),
        ({"review_file": "./out/a.json"}, ["run", "--output=json:/spool/report.json"]),
    ],
)
def test_inputs_are_one_argument_vector(values: dict[str, str], arguments: list[str]) -> None:
    assert call_of(given(**values)).command("/spool") == arguments


@pytest.mark.parametrize(
    ("option", "value", "arguments"),
    [("--publish", "true", ["--publish"]), ("--publish", "false", ["--dry-run"])],
)
def test_publish_has_a_flag_for_either(monkeypatch: pytest.MonkeyPatch, option: str, value: str, arguments: list[str]) -> None:
    monkeypatch.setattr(inputs, "offered", lambda: (frozenset({"--publish", "--dry-run"}), frozenset({"html"})))
    assert call_of(given(publish=value)).command("/s") == ["run", *arguments]
    assert call_of(given(html_file="a.html")).command("/s") == ["run", "--output=html:/s/report.html"]


def test_what_this_version_lacks_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "offered", lambda: (frozenset(), frozenset()))
    for name in (one.name for one in TABLE if one.kind is not Kind.SECRET):
        with pytest.raises(UsageError, match=f"input `{name}`: this version of kodus-check cannot do that yet"):
            call_of(given(**{name: "true"}))
    assert call_of(given(publish="false", no_model="false")).arguments == ("run",)


@pytest.mark.parametrize("value", ["True", "yes", "1", "0", "fasle", "true\nfalse", "on"])
def test_a_switch_is_true_or_false(value: str) -> None:
    """T4 of inputs."""
    for name in ("publish", "no-model"):
        with pytest.raises(UsageError, match=rf"input `{name}`: `.*` is neither true nor false\n  Write `true` or `false`"):
            call_of(given(**{name: value}))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("/etc/passwd", "absolute"),
        ("~/x", "absolute"),
        ("../x", "leaves"),
        ("a/../../x", "leaves"),
        (".git/hooks/pre-commit", "in `.git`"),
        ("a/.GIT/x", "in `.git`"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\x1b[0m", "control"),
        ("a/", "folder"),
        (".", "folder"),
    ],
)
def test_a_report_stays_in_the_workspace_and_out_of_git(value: str, why: str) -> None:
    """T3 of inputs."""
    with pytest.raises(UsageError, match=f"input `sarif-file`: .* cannot be the path of a report: .*{why}"):
        call_of(given(sarif_file=value))


def test_two_reports_have_two_paths() -> None:
    with pytest.raises(UsageError, match="input `sarif-file`: it names the same file as `review-file`"):
        call_of(given(review_file="a/b", sarif_file="./a//b"))


def test_a_line_break_in_an_input_is_refused() -> None:
    with pytest.raises(UsageError, match="input `head`: it is one line"):
        call_of(given(head="a\nb"))


def test_the_token_is_in_no_argument_and_no_text() -> None:
    call = call_of(given(token="ghs_secret", base="main"))
    assert call.secrets == {"GITHUB_TOKEN": "ghs_secret"}
    assert "ghs_secret" not in repr(call) + str(call.command("/s"))


def test_the_action_declares_the_table_and_hands_nothing_else_over() -> None:
    """T1 of inputs."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert list(action["inputs"]) == [one.name for one in TABLE]
    assert list(action["outputs"]) == [*OUTPUTS, *(one.name for one in TABLE if one.kind is Kind.REPORT)]
    assert set(action["runs"]) == {"using", "image"}
    assert all(one["description"] and not one["required"] for one in action["inputs"].values())
    assert all(one["description"] for one in action["outputs"].values())
    assert [name for name, one in action["inputs"].items() if "default" in one] == ["token"]


def test_what_run_offers_is_read_from_it() -> None:
    options, formats = inputs.offered()
    assert {"--base", "--head", "--config", "--global-config", "--model", "--no-model", "--fail-on", "--output"} <= options
    assert {"json", "sarif"} <= formats


# --- environment ---------------------------------------------------------------------------------------------------------------

NEVER = (
    "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_CACHE_URL",  # T1
    "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE",  # T2
    "KODUS_CHECK_KEY",  # T3
    "PYTHONPATH", "LD_PRELOAD", "GIT_CONFIG_COUNT", "GIT_SSH_COMMAND", "NODE_OPTIONS", "INPUT_TOKEN", "BASH_ENV", "IFS",  # T4
    "DEPLOY_PASSWORD", "MY_SECRET", "NPM_TOKEN", "DOCKER_HOST",
)  # fmt: skip


def test_no_other_variable_passes() -> None:
    environ = dict.fromkeys((*NEVER, *ALLOWED, *REPLACED), "value")
    passed = review_environment(environ, {"HOME": "/spool/home"})
    assert set(passed) == {*ALLOWED, "PATH", "HOME"}
    assert passed["PATH"].startswith("/usr/local/sbin:")
    assert passed["HOME"] == "/spool/home"
    assert not set(NEVER) & ALLOWED
    assert not [name for name in ALLOWED if name.startswith(("ACTIONS_", "INPUT_", "GIT_", "PYTHON", "LD_", "NODE"))]


def test_our_own_variables_win_and_an_empty_one_takes_away() -> None:
    environ = {"GITHUB_EVENT_PATH": "/github/workflow/event.json", "GITHUB_TOKEN": "a", "OPENAI_API_KEY": ""}
    assert review_environment(environ, {"GITHUB_EVENT_PATH": "", "GITHUB_TOKEN": "b"}) == {
        "PATH": review_environment({}, {})["PATH"],
        "GITHUB_TOKEN": "b",
    }


def test_the_keys_of_all_models_pass() -> None:
    named = {name for one in PROVIDERS.values() for name in (one.key, one.address) if name}
    assert named <= MODEL_KEYS
    firsts = {name.split("_")[0] for name in named}
    assert {name.split("_")[0] for name in MODEL_KEYS} - firsts == {"GEMINI"}  # the other name of Google's key


def test_every_variable_that_the_code_reads_passes() -> None:
    """A variable that is read but not on the list would be silently dead in the action."""
    reading = re.compile(r"""environ(?:\.get\(|\[)\s*["']([A-Z][A-Z0-9_]+)["']""")
    read = {name: path.name for path in SOURCES for name in reading.findall(path.read_text(encoding="utf-8"))}
    assert len(read) > 10
    ours = {"TIKTOKEN_CACHE_DIR"}  # set for one call, by the one who reads it
    assert {name: path for name, path in read.items() if name not in ALLOWED | REPLACED | ours} == {}
    assert {name for name in read if name.endswith("_TOKEN")} <= TOKENS


# --- the review user -----------------------------------------------------------------------------------------------------------


def _python(code: str, **options: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False, cwd="/", **options)  # type: ignore[call-overload,no-any-return]


@as_root
def test_the_review_user_has_no_way_back() -> None:
    """T1 and T2 of the user: no id, group, capability or set-uid program."""
    done = _python(
        "import os\nfrom kodus_check.broker.user import become_review_user as become, privileges_left as left\n"
        "os.setgroups([0, 4])\nassert left()\nbecome()\nassert left() == []\n"
        "def refused(call, *arguments):\n    try: call(*arguments)\n    except PermissionError: return\n"
        "    raise SystemExit(str(call))\n"
        "refused(os.setuid, 0); refused(os.setgid, 0); refused(os.setgroups, [0]); refused(os.setresuid, -1, 0, -1)\n"
        "refused(os.kill, os.getppid(), 0); refused(os.listdir, f'/proc/{os.getppid()}/fd')\n"
        "print(os.getresuid(), os.getresgid(), os.getgroups())"
    )
    assert done.stdout == "(60001, 60001, 60001) (60001, 60001, 60001) []\n", done.stderr
    assert user.REVIEW_UID not in (0, 1000, 1001)


def test_what_is_left_is_named() -> None:
    assert any(one.startswith("Uid ") for one in user.privileges_left())


def test_the_keys_are_hidden_from_others_of_the_same_user() -> None:
    """T3 of the user."""
    done = _python(
        "import os\nfrom kodus_check.broker import user\n"
        "if os.geteuid() == 0: os.setresuid(60001, 60001, 60001)\n"
        "user._libc.prctl(4, 1, 0, 0, 0)\n"  # as after the start of a new program
        "owner = lambda: os.stat('/proc/self/environ').st_uid\n"
        "assert owner() == os.geteuid()\nuser.hide_from_siblings()\nprint(owner())"
    )
    assert done.stdout == "0\n", done.stderr


def test_a_child_that_is_not_the_review_user_reviews_nothing() -> None:
    """T1 of the child."""
    done = _python(
        f"import sys; sys.argv = ['x', '{child.AS_REVIEW_USER}', 'demo']; from kodus_check.broker.child import main; main()"
    )
    assert "the review was not started: it would run with " in done.stderr
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.parametrize("fault", ["child.hide_from_siblings = None", "sys.modules['kodus_check.cli'] = None"])
def test_a_defect_of_the_child_is_not_a_finding(fault: str) -> None:
    """T3 of the child."""
    done = _python(f"import sys; from kodus_check.broker import child; sys.argv = ['x', 'demo']; {fault}; child.main()")
    assert "this is a defect of kodus-check" in done.stderr
    assert done.returncode == 3


@as_root
@pytest.mark.parametrize("closed", [".", ".git", ".git/objects", ".git/HEAD"])
def test_a_checkout_that_cannot_be_read_is_said(repo: Repo, closed: str) -> None:
    child.can_read(repo.path)
    child.can_read(repo.path.parent)  # what is not there is not this one's to say
    (repo.path / closed).chmod(0o600)
    code = (
        f"import os; from pathlib import Path\nfrom kodus_check.broker import child\nos.chdir({str(repo.path)!r})\n"
        "os.setresuid(60001, 60001, 60001)\nchild.can_read(Path('.'))"
    )
    done = _python(code)
    assert "the review user (uid 60001) cannot read it" in done.stderr
    assert "chmod -R go+rX" in done.stderr


# --- placing -------------------------------------------------------------------------------------------------------------------


def test_a_report_is_placed_with_the_folders_that_it_needs(tmp_path: Path) -> None:
    """T4 of placing, as root: they belong to the workspace's owner."""
    owner = 1001 if os.geteuid() == 0 else os.geteuid()
    if os.geteuid() == 0:
        os.chown(tmp_path, owner, owner)
    refuse_links(tmp_path, "a/b/r.json")
    assert list(tmp_path.iterdir()) == []
    place(tmp_path, "a/b/r.json", b"1", error=CannotReview)
    place(tmp_path, "a/b/r.json", b"2", error=CannotReview)
    refuse_links(tmp_path, "a/b/r.json")
    assert (tmp_path / "a/b/r.json").read_bytes() == b"2"
    assert {path.stat().st_uid for path in tmp_path.rglob("*")} == {owner}
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("make", "path", "why"),
    [
        (lambda at, out: (at / "r").symlink_to(out / "new"), "r", "a symbolic link"),
        (lambda at, out: (at / "r").symlink_to(out / "there"), "r", "a symbolic link"),
        (lambda at, out: (at / "d").symlink_to(out), "d/r", "a symbolic link"),
        (lambda at, out: (at / "d").symlink_to(out), "d/e/r", "a symbolic link"),
        (lambda at, out: ((at / "d").mkdir(), (at / "d/e").symlink_to(out)), "d/e/r", "a symbolic link"),
        (lambda at, out: os.mkfifo(at / "r"), "r", "is no file"),
        (lambda at, out: (at / "r").mkdir(), "r", "is no file"),
        (lambda at, out: (at / "d").write_text(""), "d/r", "is no folder"),
    ],
)
def test_nothing_of_the_checkout_is_followed(make: object, path: str, why: str, tmp_path: Path) -> None:
    """T1 and T3 of placing."""
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (outside / "there").write_text("kept")
    make(workspace, outside)  # type: ignore[operator]
    before = sorted(workspace.rglob("*"))
    with pytest.raises(UsageError, match=rf"{path}: the report was not written: .*{why}"):
        refuse_links(workspace, path)
    with pytest.raises(CannotReview, match=rf"{path}: the report was not written: .*{why}"):
        place(workspace, path, b"data", error=CannotReview)
    assert [one.name for one in outside.iterdir()] == ["there"]
    assert (outside / "there").read_text() == "kept"
    assert sorted(workspace.rglob("*")) == before


def test_another_file_of_the_same_inode_is_not_written_into(tmp_path: Path) -> None:
    """T2 of placing."""
    (tmp_path / "other").write_text("kept")
    (tmp_path / "r").hardlink_to(tmp_path / "other")
    place(tmp_path, "r", b"data", error=CannotReview)
    assert (tmp_path / "other").read_text() == "kept"
    assert (tmp_path / "r").read_text() == "data"


# --- handing over --------------------------------------------------------------------------------------------------------------

REPORT = Report("review-file", "json", "out/review.json")


@pytest.fixture
def spooled() -> Iterator[Spool]:
    with spool(os.geteuid(), {}) as ours:
        yield ours


def _told(done: Spool, tmp_path: Path, code: int = 0, reports: tuple[Report, ...] = (REPORT,)) -> Mapping[str, str]:
    """The outputs that the runner reads after the hand-over, parsed as it does."""
    workspace = tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    output, told = tmp_path / "output", tmp_path / "summary"
    output.write_text("")
    try:
        hand_over(done, reports, workspace, {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(told)}, code)
    finally:
        parts = re.findall(r"([a-z-]+)<<(\S+)\n(.*?)\n\2\n", output.read_text(encoding="utf-8"), re.DOTALL)
    return {name: value for name, _, value in parts}


def test_what_the_review_left_reaches_the_runner(spooled: Spool, tmp_path: Path) -> None:
    (spooled.out / "report.json").write_text("{}")
    (spooled.out / "outputs").write_text("outcome=clean\nfindings<<x\n0\nx\n")
    (spooled.out / "summary.md").write_text("## fine\n")
    assert _told(spooled, tmp_path) == {"outcome": "clean", "findings": "0", "review-file": "out/review.json"}
    assert (tmp_path / "workspace/out/review.json").read_text() == "{}"
    assert (tmp_path / "summary").read_text() == "## fine\n"


@pytest.mark.parametrize("ended", [-9, -15])
def test_a_review_that_a_signal_ended_has_failed_whatever_it_said(spooled: Spool, tmp_path: Path, ended: int) -> None:
    """T6 of the hand-over."""
    (spooled.out / "outputs").write_text("outcome=clean\n")
    assert _told(spooled, tmp_path, code=ended, reports=()) == {"outcome": "failed"}


def test_a_hand_over_that_fails_is_no_success(spooled: Spool, tmp_path: Path) -> None:
    """T6 of the hand-over."""
    (spooled.out / "outputs").write_text("outcome=clean\nfindings=0\n")
    (spooled.out / "report.json").symlink_to("/etc/hostname")
    with pytest.raises(CannotReview):
        _told(spooled, tmp_path)
    assert "\nfailed\n" in (tmp_path / "output").read_text()
    assert "clean" not in (tmp_path / "output").read_text()


def test_a_review_that_was_ended_has_failed(spooled: Spool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _told(spooled, tmp_path, code=3) == {"outcome": "failed"}
    assert "no report for `review-file`" in capsys.readouterr().err


def _link(spooled: Spool, outside: Path) -> None:
    (spooled.out / "report.json").symlink_to(outside)


def _hard_link(spooled: Spool, outside: Path) -> None:
    (spooled.out / "report.json").hardlink_to(outside)


def _pipe(spooled: Spool, outside: Path) -> None:
    os.mkfifo(spooled.out / "report.json")


def _folder(spooled: Spool, outside: Path) -> None:
    (spooled.out / "report.json").mkdir()


def _link_for_outputs(spooled: Spool, outside: Path) -> None:
    (spooled.out / "outputs").symlink_to(outside)


@pytest.mark.parametrize("leave", [_link, _hard_link, _pipe, _folder, _link_for_outputs])
def test_only_files_of_the_review_are_taken_over(leave: object, spooled: Spool, tmp_path: Path) -> None:
    """T1 and T2 of the hand-over."""
    outside = Path(spooled.folder, "secret")  # the same file system, so that a hard link can be made
    outside.write_text("outcome=clean\n")
    leave(spooled, outside)  # type: ignore[operator]
    with pytest.raises(CannotReview, match="what the review left is not taken over"):
        _told(spooled, tmp_path)
    assert not (tmp_path / "workspace/out").exists()


@as_root
def test_a_file_of_another_user_is_not_taken_over(spooled: Spool, tmp_path: Path) -> None:
    (spooled.out / "report.json").write_text("{}")
    os.chown(spooled.out / "report.json", 1234, 1234)
    with pytest.raises(CannotReview, match="not a file of the review's own"):
        _told(spooled, tmp_path)


def test_too_much_is_refused(spooled: Spool, tmp_path: Path) -> None:
    """T2 of the hand-over."""
    (spooled.out / "outputs").write_text("outcome=clean\n" * MAX_OUTPUTS)
    with pytest.raises(CannotReview, match="larger than 65,536 bytes"):
        _told(spooled, tmp_path)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("outcome=clean\n\ncost=0.01\n", {"outcome": "clean", "cost": "0.01"}),
        ("coverage<<E\n1/2\nE\ntokens=12\n", {"coverage": "1/2", "tokens": "12"}),
        ("outcome=partial\ncost=1E-7\n", {"outcome": "partial", "cost": "1E-7"}),
        ("tokens=\ncost=\n", {"tokens": "", "cost": ""}),
    ],
)
def test_outputs_are_read(text: str, values: dict[str, str]) -> None:
    assert parse_outputs(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "review-file=/etc/passwd\n",  # not the review's to set
        "other=1\n",
        "Outcome=clean\n",
        "outcome=clean\noutcome=failed\n",
        "outcome<<E\nclean\n",
        "outcome<<E\nclean\nfindings=0\nE\n",  # two lines
        "outcome\n",
        "=clean\n",
        "outcome=a\x1bb\n",
        "outcome=a\rb\n",
        "outcome=\n",
        'outcome=clean"; curl x | sh #\n',  # a workflow may paste an output into a shell
        "findings=$(id)\n",
        "findings=a<<b\n",
        "coverage=1/2;id\n",
        "cost=`id`\n",
        f"findings={'1' * 13}\n",
        "tokens=\u0661\n",  # a digit, but not one of ours
    ],
)
def test_strange_outputs_are_refused(text: str) -> None:
    """T3 of the hand-over."""
    with pytest.raises(CannotReview, match="not taken over"):
        parse_outputs(text)


def test_the_review_sets_the_outputs_that_are_known(repo: Repo, tmp_path: Path) -> None:
    base = repo.commit({"a.txt": "1\n"})
    head = repo.commit({"a.txt": "2\n"})
    append_outputs(tmp_path / "outputs", check(Place(repo.path, base, head), lambda what: None).review)
    assert list(parse_outputs((tmp_path / "outputs").read_text(encoding="utf-8"))) == list(OUTPUTS)


def test_a_long_summary_is_cut_and_a_strange_one_left_out(spooled: Spool, tmp_path: Path) -> None:
    """T4 of the hand-over."""
    (spooled.out / "summary.md").write_text("line\n" * 500_000)
    _told(spooled, tmp_path, reports=())
    told = (tmp_path / "summary").read_text()
    assert len(told) < 1_000_000
    assert "this summary was cut here" in told
    (spooled.out / "summary.md").unlink()
    (spooled.out / "summary.md").symlink_to("/etc/hostname")
    assert _told(spooled, tmp_path, reports=()) == {}
    assert (tmp_path / "summary").read_text() == told


def test_the_spool_is_made_for_one_run_and_gone_with_it(tmp_path: Path) -> None:
    """T5 of the hand-over."""
    event = tmp_path / "event.json"
    event.write_text('{"number": 7}')
    event.chmod(0o600)
    with spool(os.geteuid(), {"TMPDIR": str(tmp_path)}) as first, spool(os.geteuid(), {"TMPDIR": str(tmp_path)}) as second:
        assert first.folder.parent == second.folder.parent == tmp_path
        assert first.folder != second.folder
        assert [path.stat().st_mode & 0o777 for path in (first.folder, first.out)] == [0o711, 0o700]
        variables = first.variables({"GITHUB_EVENT_PATH": str(event), "GITHUB_OUTPUT": "/x"})
        copy = Path(variables["GITHUB_EVENT_PATH"])
        assert (copy.read_text(), copy.stat().st_mode & 0o777) == ('{"number": 7}', 0o444)
        assert variables["GITHUB_OUTPUT"].startswith(str(first.out))
        assert variables["GITHUB_STEP_SUMMARY"] == ""
    assert [path.name for path in tmp_path.iterdir()] == ["event.json"]


def test_an_event_that_cannot_be_read_is_said(spooled: Spool) -> None:
    with pytest.raises(CannotReview, match="/nowhere: the event cannot be read: No such file"):
        spooled.variables({"GITHUB_EVENT_PATH": "/nowhere"})


def test_no_temporary_folder_is_said_and_the_checkout_is_none(tmp_path: Path) -> None:
    with pytest.raises(CannotReview, match=r"no temporary folder can be made: .*\n  .*--tmpfs /tmp"):
        temporary_folder({"TMPDIR": str(tmp_path / "nowhere")})


# --- the whole, by a user without root -----------------------------------------------------------------------------------------


@pytest.fixture
def job(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a step. The broker is not told that it is root, since the review user cannot read this test's folder."""
    monkeypatch.setattr(broker, "_is_root", lambda: False)
    repo.commit({"a.py": "x = 1\n"})
    repo.branch("feature")
    repo.commit({"a.py": "import yaml\nx = yaml.load(y)\n"})
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(repo.path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "ACTIONS_RUNTIME_TOKEN": "secret",
        "TMPDIR": str(tmp_path),
        **given(base="main", review_file="review.json", fail_on="never"),
    }


def test_a_step_from_inputs_to_outputs(job: dict[str, str], repo: Repo, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert broker.action(job) == 0
    assert json.loads((repo.path / "review.json").read_text())["outcome"] == "findings"
    assert "\nfindings\n" in (tmp_path / "output").read_text()
    assert "review-file<<" in (tmp_path / "output").read_text()
    assert "yaml.load" in (tmp_path / "summary").read_text()
    assert "::warning file=a.py,line=2" in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "repo", "summary"]


def test_a_link_is_refused_before_anything_runs(job: dict[str, str], repo: Repo) -> None:
    (repo.path / "review.json").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="a symbolic link"):
        broker.action(job)


def test_a_review_that_is_killed_is_not_a_success(
    job: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """T3 of the broker."""
    monkeypatch.setattr(broker, "_vector", lambda arguments: [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    assert broker.action(job) == 3
    assert "the review was ended by Killed (signal 9)" in capfd.readouterr().err
    assert "\nfailed\n" in (tmp_path / "output").read_text()


def test_a_signal_reaches_the_review() -> None:
    """As process 1 nothing would end the broker, and the runner would kill both after a while."""
    review = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(143)); print('ready', flush=True); time.sleep(60)"
    code = (
        "import sys\nfrom pathlib import Path\nfrom kodus_check import broker\n"
        f"broker._is_root = lambda: False\nbroker._vector = lambda arguments: [sys.executable, '-c', {review!r}]\n"
        "sys.exit(broker._review([], {}, Path('/')))"
    )
    with subprocess.Popen([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.terminate()
        assert running.wait(20) == 143


def test_the_review_is_a_new_program_with_a_new_environment(
    job: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """T1 and T2 of the broker."""
    code = "import os, json; print(json.dumps([sorted(os.environ), sorted(os.listdir('/proc/self/fd'))]))"
    monkeypatch.setattr(broker, "_vector", lambda arguments: [sys.executable, "-I", "-c", code])
    broker.action(job)
    names, descriptors = json.loads(capfd.readouterr().out)
    assert set(names) <= ALLOWED | REPLACED | {"LC_CTYPE"}
    assert descriptors == ["0", "1", "2", "3"]  # 3 is the folder that is listed


@pytest.mark.parametrize(
    ("arguments", "environ", "code", "message"),
    [
        ([], {"GITHUB_ACTIONS": "true", "INPUT_PUBLISH": "maybe"}, 2, "kodus-check: input `publish`: `maybe` is neither"),
        ([], {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": "/nowhere"}, 3, "/nowhere: there is no such folder"),
        (["--version"], {"TMPDIR": "/nowhere"}, 3, "no temporary folder"),
    ],
)
def test_what_cannot_be_meant_ends_in_its_exit_code(arguments: list[str], environ: dict[str, str], code: int, message: str) -> None:
    script = f"import sys; sys.argv[1:] = {arguments!r}; from kodus_check.broker import main; main()"
    done = _python(script, env={"PATH": os.environ["PATH"], **environ})
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == code


def test_a_defect_is_not_a_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """T3 of the broker."""
    monkeypatch.setattr(broker, "command_line", lambda arguments, environ: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["x", "run"])
    with pytest.raises(SystemExit) as ended:
        broker.main()
    assert ended.value.code == 3
    assert "this is a defect of kodus-check" in capsys.readouterr().err


def test_the_broker_is_closed_to_a_review_of_the_same_user() -> None:
    """T2 of the broker, where it was not started as root."""
    done = _python(
        "import os, subprocess\nfrom kodus_check import broker\n"
        "if os.geteuid() == 0: os.setresuid(60001, 60001, 60001)\n"
        "__import__('ctypes').CDLL(None).prctl(4, 1, 0, 0, 0)\n"  # as after the start of a new program
        "broker.action = lambda environ: subprocess.run(['cat', f'/proc/{os.getpid()}/environ']).returncode\n"
        "import sys; sys.argv = ['x']; broker.main()",
        env={"PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true", "ACTIONS_RUNTIME_TOKEN": "secret"},
    )
    assert "Permission denied" in done.stderr
    assert (done.stdout, done.returncode) == ("", 1)


# --- the log -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "",
        "text",
        "a ::set-output name=x::y",
        "::error file=a,line=2::b",
        "::warning::x",
        "::group::x",
        "::endgroup::",
        "  ::notice::é",
    ],
)
def test_text_and_annotations_pass(line: str) -> None:
    assert harmless(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "::set-output name=outcome::clean",
        "  ::SET-OUTPUT name=outcome::clean",
        "\u00a0\ufeff::save-state name=a::b",
        "::add-mask::a",
        "::stop-commands::a",
        "::add-matcher::x.json",
        "::errors::x",
        "::error",
        "text ##[add-mask]x",
        "::error::##[add-mask]x",
    ],
)
def test_no_other_command_passes(line: str) -> None:
    """T1 of the log."""
    assert parse_command(harmless(line)) in (None, Command("error", {}, "##\\[add-mask]x"))
    assert harmless(line).replace("\\", "") == line


PRINTS = """
import os, sys
os.write(1, b"\\xff\\xfe::add-mask::a\\rb\\r::set-output name=outcome::clean\\r\\nfirst\\n::error::fine\\n")
os.write(2, b"::set-out"); os.write(2, b"put name=outcome::clean\\nno end")
os.write(1, b"x" * 3_000_000 + b"##[add-mask]a")
if os.fork() == 0:
    os.setsid(); import time; time.sleep(45)
"""


def test_the_log_goes_through_the_broker(
    job: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """T1 to T3 of the log, T4 of the broker; what outlives the review holds nothing up."""
    monkeypatch.setattr(broker, "_vector", lambda arguments: [sys.executable, "-I", "-c", PRINTS])
    monkeypatch.setattr(log, "GRACE_SECONDS", 1.0)
    started = time.monotonic()
    assert broker.action(job) == 0
    assert time.monotonic() - started < 30
    out, err = capfd.readouterr()
    assert out.startswith("\ufffd\ufffd::add-mask::a\nb\n\\::set-output name=outcome::clean\nfirst\n::error::fine\n")
    assert [found.name for line in f"{out}\n{err}".splitlines() if (found := parse_command(line))] == ["error"]
    assert out.count("x" * 1_000) >= 2_900
    assert max(map(len, out.splitlines())) < MAX_LINE + (1 << 17)
    assert err.startswith("\\::set-output name=outcome::clean\n")


def test_a_call_is_a_value() -> None:
    assert Call(("run",), ()).command("/s") == ["run"]
