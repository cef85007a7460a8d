"""The start of the container: root, where it was started as root, stays here; the review runs as a user that cannot become root.

Without arguments, in a GitHub action: the inputs are one call, and the broker waits for the review and hands over what it left.
With arguments: they are those of ``kodus-check``, and this process becomes the review. Started as any other user, there is no root
to give up; everything else is the same.

T1  the review reads what the pull request wrote; a fault there must not be root in a container that has the Docker socket
    -> the broker reads nothing of the repository; the review is a new program under another user, see ``user``
T2  the memory and environment of the broker hold the tokens of the job
    -> a new program with a new environment and no descriptor but 0 to 2
T3  a defect of the broker, or a review that was ended, looks like a gating finding or like success  -> exit 3, as everywhere
T4  the log is a way past the broker to the outputs and the state of the step  -> it goes through the broker, see ``log``
"""

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from kodus_check.broker.child import AS_REVIEW_USER
from kodus_check.broker.environment import review_environment
from kodus_check.broker.handover import hand_over, spool, temporary_folder
from kodus_check.broker.inputs import call_of
from kodus_check.broker.log import relayed
from kodus_check.broker.placing import refuse_links
from kodus_check.broker.user import REVIEW_UID, become_review_user, cannot_become, give, hide_from_siblings, refuse_new_privileges
from kodus_check.errors import CannotReview, KodusCheckError
from kodus_check.text import log_safe, visible


def main() -> None:
    """The entry point of the image. Ends in an exit code of the contract, whatever happens (T3)."""
    arguments = sys.argv[1:]
    try:
        hide_from_siblings()  # matters where the review is the same user (T2)
        if arguments or os.environ.get("GITHUB_ACTIONS") != "true":
            command_line(arguments or ["--help"], os.environ)
        sys.exit(action(os.environ))
    except KodusCheckError as error:
        _say(str(error))
        sys.exit(error.exit_code)
    except Exception:  # noqa: BLE001 - a defect of ours must not look like a gating finding
        _say(f"this is a defect of kodus-check; please report it.\n{traceback.format_exc()}")
        sys.exit(3)


def action(environ: Mapping[str, str]) -> int:
    """One step of a workflow; its exit code. The runner's files get what the review left, also when it failed."""
    call = call_of(environ)
    workspace = Path(environ.get("GITHUB_WORKSPACE") or ".").resolve()
    if not workspace.is_dir():
        raise CannotReview("there is no such folder", where=str(workspace), remedy="Check out the repository in an earlier step.")
    for report in call.reports:
        refuse_links(workspace, report.path)
    with spool(REVIEW_UID if _is_root() else os.geteuid(), environ) as ours:
        env = review_environment(environ, {**call.secrets, **ours.variables(environ)})
        code = _review(call.command(str(ours.out)), env, workspace)
        hand_over(ours, call.reports, workspace, environ, code)
    return code if code >= 0 else CannotReview.exit_code


def command_line(arguments: list[str], environ: Mapping[str, str]) -> None:
    """Becomes ``kodus-check`` with these arguments; does not return."""
    folder = temporary_folder(environ)
    give(folder, REVIEW_UID)
    env = review_environment(environ, {"HOME": "/nonexistent", "TMPDIR": str(folder)})
    vector = _vector(arguments)
    try:
        _drop()
    except (OSError, RuntimeError) as error:
        raise cannot_become(str(error)) from None
    os.execve(vector[0], vector, env)  # noqa: S606 - no shell is meant


def _review(arguments: list[str], env: Mapping[str, str], workspace: Path) -> int:
    """Runs the review to its end (T1, T2, T4). Returns its exit code, or the negative number of the signal that ended it."""
    try:
        child = subprocess.Popen(
            _vector(arguments),
            env=dict(env),
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_drop,  # noqa: PLW1509 - there are no threads yet
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise cannot_become(str(error)) from None
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: child.send_signal(number))
    with relayed(child):
        code = child.wait()
    if code < 0:
        _say(f"the review was ended by {signal.strsignal(-code)} (signal {-code})\n  Look for a limit of memory or time.")
    return code


def _vector(arguments: list[str]) -> list[str]:
    """The review as a program of its own: isolated from the folder it starts in and from ``PYTHON*`` variables."""
    marker = [AS_REVIEW_USER] if _is_root() else []
    return [sys.executable, "-I", "-c", "from kodus_check.broker.child import main; main()", *marker, *arguments]


def _drop() -> None:
    if _is_root():
        become_review_user()
    else:
        refuse_new_privileges()


def _is_root() -> bool:
    return os.geteuid() == 0


def _say(text: str) -> None:
    sys.stderr.write(log_safe(f"kodus-check: {visible(text)}\n"))
