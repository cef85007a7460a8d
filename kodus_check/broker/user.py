"""Becoming the review user: root in the container stays with the broker, what reads the repository has none of it.

T1  a user id alone can be left again: by a saved id, a group, a set-uid program or a capability of a file
    -> all three ids, no groups, no new privileges, every capability set and the bounding set empty, then looked at once more
T2  the ids of a runner's container: root owns the Docker socket, 1001 the workspace and the files that steer later steps
    -> an id of its own that owns nothing, below 65536 so that every usual user namespace maps it
T3  a child of the review (git, ast-grep, later a tool) reads the keys in ``/proc/<review>/environ``
    -> :func:`hide_from_siblings`: the process cannot be traced, and its files in ``/proc`` are root's
"""

import ctypes
import os
from pathlib import Path

from kodus_check.errors import CannotReview

REVIEW_UID = 60001

_PR_SET_DUMPABLE, _PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 23, 24, 38, 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_EMPTY = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")

_libc = ctypes.CDLL(None, use_errno=True)


class StillPrivileged(RuntimeError):
    """A way back to root is open; the message names it."""


def cannot_become(why: str) -> CannotReview:
    return CannotReview(
        f"the review could not be started as user {REVIEW_UID}: {why}",
        remedy="Start the container with the usual capabilities of root, or as another user (`--user UID:GID`).",
    )


def give(path: Path, uid: int) -> None:
    """Makes a user the owner of ``path``, where this is root's to give."""
    if os.geteuid() != 0:
        return
    try:
        os.chown(path, uid, uid)
    except OSError as error:
        raise cannot_become(f"{path}: {error.strerror}") from None


def become_review_user() -> None:
    """Gives up root for good, in this process and all that it starts (T1, T2). Raises where anything of it is left.

    Called in the child between fork and exec. Source of the order: capabilities(7), "Effect of user ID changes on capabilities".
    """
    for number in range(64):
        if _libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0) == 1:
            _call("dropping capabilities", _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0))
    _call("clearing ambient capabilities", _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
    os.setgroups([])
    os.setresgid(REVIEW_UID, REVIEW_UID, REVIEW_UID)
    os.setresuid(REVIEW_UID, REVIEW_UID, REVIEW_UID)
    header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _call("clearing inheritable capabilities", _libc.capset(header, nothing))
    refuse_new_privileges()
    os.umask(0o022)
    if left := privileges_left():
        raise StillPrivileged(", ".join(left))


def refuse_new_privileges() -> None:
    """No set-uid program gives this process, or one that it starts, anything more. Holds for every user."""
    _call("refusing new privileges", _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def hide_from_siblings() -> None:
    """Processes of the same user can no longer trace this one or read its memory and environment; no core is dumped (T3)."""
    _call("hiding from other processes", _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))


def privileges_left() -> list[str]:
    """What this process has beside the bare review user; empty when it is nothing."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    wanted = {
        **{name: ["0" * 16] for name in _EMPTY},
        **{name: [str(REVIEW_UID)] * 4 for name in ("Uid", "Gid")},
        "Groups": [],
        "NoNewPrivs": ["1"],
    }
    return [f"{name} {' '.join(status.get(name, ['?']))}" for name, value in wanted.items() if status.get(name) != value]


def _call(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
