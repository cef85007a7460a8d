"""A file put into the workspace, as root, without following anything that the checkout brings.

T1  the pull request has a symlink where the report goes, or where a folder on the way is: root would write wherever it points
    -> every step is opened relative to the one before and follows no link; a link on the way refuses the report
T2  a hard link to another file stands there                                 -> a new file is renamed over it
T3  a pipe or device stands there, and the broker would wait on it           -> refused
T4  a report that only root can read or delete breaks later steps and the next checkout  -> owner and group are the workspace's
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kodus_check.errors import KodusCheckError, UsageError
from kodus_check.text import one_line

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def refuse_links(workspace: Path, path: str, *, error: type[KodusCheckError] = UsageError) -> None:
    """Raises ``error`` where ``path`` cannot be written without following what the checkout brings. Makes nothing."""
    with _opened(workspace) as folder:
        try:
            name = _walk(folder, path, make=False)
        except FileNotFoundError:
            return  # a folder that is made when the report is there
        except OSError as problem:
            raise _refused(path, problem, error) from None
        _look(folder[-1], name, path, error)


def place(workspace: Path, path: str, data: bytes, *, error: type[KodusCheckError]) -> None:
    """Writes ``data`` to ``path`` in ``workspace``, in one step, owned by whom the workspace belongs to (T1 to T4)."""
    with _opened(workspace) as folder:
        try:
            name = _walk(folder, path, make=True)
            _look(folder[-1], name, path, error)
            _replace(folder, name, data)
        except OSError as problem:
            raise _refused(path, problem, error) from None


@contextmanager
def _opened(workspace: Path) -> Iterator[list[int]]:
    """The descriptors of the folders on the way, the workspace's first. They are closed at the end."""
    folders = [os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
    try:
        yield folders
    finally:
        for folder in folders:
            os.close(folder)


def _walk(folders: list[int], path: str, *, make: bool) -> str:
    """Opens the folders of ``path`` one by one, and returns the name of the file in the last."""
    *parents, name = path.split("/")
    for part in parents:
        if make:
            _make(folders, part)
        folders.append(os.open(part, _FOLDER, dir_fd=folders[-1]))
    return name


def _make(folders: list[int], part: str) -> None:
    try:
        os.mkdir(part, 0o755, dir_fd=folders[-1])
    except FileExistsError:
        return
    descriptor = os.open(part, _FOLDER, dir_fd=folders[-1])
    try:
        _own(descriptor, folders[0])
    finally:
        os.close(descriptor)


def _look(folder: int, name: str, path: str, error: type[KodusCheckError]) -> None:
    """Raises where something else than a file has the name (T1, T3)."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise _refused(path, OSError(errno.ELOOP if stat.S_ISLNK(mode) else errno.EEXIST, ""), error)


def _replace(folders: list[int], name: str, data: bytes) -> None:
    folder = folders[-1]
    beside = f".kodus-check-{secrets.token_hex(8)}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            _own(file.fileno(), folders[0])
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(beside, dir_fd=folder)
        raise


def _own(descriptor: int, workspace: int) -> None:
    """Gives a new file or folder to the workspace's owner (T4); whoever is not root owns what they make."""
    if os.geteuid() == 0:
        owner = os.fstat(workspace)
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _refused(path: str, problem: OSError, error: type[KodusCheckError]) -> KodusCheckError:
    why = {
        errno.ELOOP: "a symbolic link stands there, and root would write wherever it points",
        errno.ENOTDIR: "something on the way is no folder, or a symbolic link",
        errno.EEXIST: "something that is no file stands there",
    }.get(problem.errno or 0, problem.strerror or str(problem))
    return error(
        f"the report was not written: {why}", where=one_line(path), remedy="Choose a path that the checkout does not have."
    )
