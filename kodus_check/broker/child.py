"""What the broker starts as the review user: looks whether it can read the checkout, then is ``kodus-check``.

T1  an image or option that changes who this runs as                         -> under a root broker it refuses to be anybody else
T2  the keys in its environment, for others of the same user                 -> hidden, see ``user``
T3  a defect before the command line is there looks like a gating finding, for which Python's own exit code is  -> exit 3
"""

import os
import stat
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from kodus_check.broker.user import REVIEW_UID, hide_from_siblings, privileges_left
from kodus_check.errors import CannotReview
from kodus_check.text import log_safe, visible

AS_REVIEW_USER = "--as-review-user"
"""The first argument where the broker was root: this process has to be the review user."""

_READ = (".", ".git", ".git/HEAD", ".git/objects", ".git/refs")


def main() -> None:
    """Runs ``kodus-check`` with the arguments of this process behind the marker."""
    try:
        kodus_check = _prepared()
    except CannotReview as error:
        sys.stderr.write(log_safe(f"kodus-check: {visible(str(error))}\n"))
        sys.exit(error.exit_code)
    except Exception:  # noqa: BLE001 - a defect of ours must not look like a gating finding
        sys.stderr.write(log_safe(f"kodus-check: this is a defect of kodus-check; please report it.\n{traceback.format_exc()}"))
        sys.exit(CannotReview.exit_code)
    kodus_check()


def _prepared() -> Callable[[], None]:
    """The command line, in a process that is nobody else than it should be (T1) and can read the checkout."""
    arguments = sys.argv[1:]
    if arguments[:1] == [AS_REVIEW_USER]:
        arguments = arguments[1:]
        if left := privileges_left():
            raise CannotReview(f"the review was not started: it would run with {', '.join(left)}")
    hide_from_siblings()
    can_read(Path.cwd())
    sys.argv = ["kodus-check", *arguments]
    from kodus_check.cli import main as kodus_check

    return kodus_check


def can_read(checkout: Path) -> None:
    """Raises CannotReview where the rights of the checkout keep this user out."""
    for name in _READ:
        path = checkout / name
        if not _readable(path):
            user = f"the review user (uid {REVIEW_UID})" if os.geteuid() == REVIEW_UID else f"uid {os.geteuid()}"
            raise CannotReview(
                f"{user} cannot read it",
                where=str(path),
                remedy="Make the checkout readable (`chmod -R go+rX .`), or start the container as its owner (`--user UID:GID`).",
            )


def _readable(path: Path) -> bool:
    """True too for what is not there: that is for the review to say."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except PermissionError:
        return False
    return os.access(path, os.R_OK | (os.X_OK if is_folder else 0))
