"""What goes between the broker and the review: a folder that the review writes to, read back with limits and passed on as root.

T1  a file of the review is a link to one that only root may read
    -> opened without following; a file with one name only, and the review's own
T2  a pipe without a writer, or a file without an end, holds up root      -> opened without waiting, regular files only, limits
T3  an output that the review does not have, one that sets others, or one that a workflow pastes into a shell
    -> known names, values of a fixed shape that no shell knows, our own delimiter
T4  a summary that the platform would drop whole                          -> cut visibly below its limit
T5  what an earlier run left in the folder is taken for this one's        -> made for this run, gone with it
T6  ``outcome`` says clean where nothing of the review was believed       -> ``failed``
"""

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kodus_check.broker.inputs import Report
from kodus_check.broker.placing import place
from kodus_check.broker.user import give
from kodus_check.errors import CannotReview
from kodus_check.model import Outcome
from kodus_check.reports.annotations import append_summary, append_values
from kodus_check.text import log_safe, one_line

OUTPUTS = {
    "outcome": re.compile("|".join(Outcome)),
    "findings": re.compile(r"[0-9]{1,12}"),
    "coverage": re.compile(r"[0-9]{1,12}/[0-9]{1,12}"),
    "tokens": re.compile(r"[0-9]{0,18}"),
    "cost": re.compile(r"(?:[0-9]{1,12}(?:\.[0-9]{1,20})?(?:E-[0-9]{1,2})?)?"),
}
"""The outputs that the review may set, and what each may be. ``action.yml`` has these, and one for each report that was written."""

MAX_REPORT, MAX_SUMMARY, MAX_OUTPUTS, MAX_EVENT = 128 << 20, 4 << 20, 64 << 10, 32 << 20
TEMPORARY = "/tmp"  # noqa: S108 - a folder of a random name is made in it
_DELIMITED = re.compile(r"([A-Za-z_-]+)<<(\S+)")
_SUMMARY, _OUTPUTS, _EVENT = "summary.md", "outputs", "event.json"


@dataclass(frozen=True, slots=True)
class Spool:
    """``out`` is the folder that the review writes to, ``descriptor`` the same folder as the broker opened it before."""

    folder: Path
    out: Path
    descriptor: int
    uid: int

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that send the review here; "" takes one away."""
        return {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "GITHUB_OUTPUT": str(self.out / _OUTPUTS) if environ.get("GITHUB_OUTPUT") else "",
            "GITHUB_STEP_SUMMARY": str(self.out / _SUMMARY) if environ.get("GITHUB_STEP_SUMMARY") else "",
            "GITHUB_EVENT_PATH": self._event(environ.get("GITHUB_EVENT_PATH", "")),
        }

    def read(self, name: str, most: int) -> bytes | None:
        """A file that the review wrote (T1, T2): at most ``most`` bytes and one more; None where there is none."""
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _strange(name, error.strerror or "it cannot be opened") from None
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != self.uid:
            os.close(descriptor)
            raise _strange(name, "it is not a file of the review's own")
        with os.fdopen(descriptor, "rb") as file:
            return file.read(most + 1)

    def _event(self, path: str) -> str:
        """A copy of the event, which the review user may not be able to read where the runner has it."""
        if not path:
            return ""
        copy = self.folder / _EVENT
        try:
            with Path(path).open("rb") as file:
                data = file.read(MAX_EVENT + 1)
        except OSError as error:
            raise CannotReview(f"the event cannot be read: {error.strerror}", where=one_line(path)) from None
        if len(data) > MAX_EVENT:
            raise CannotReview("the event is larger than any that the platform sends", where=one_line(path))
        copy.write_bytes(data)
        copy.chmod(0o444)
        return str(copy)


@contextmanager
def spool(uid: int, environ: Mapping[str, str]) -> Iterator[Spool]:
    """A spool for one run by the user ``uid``, removed at the end (T5)."""
    folder = temporary_folder(environ)
    try:
        folder.chmod(0o711)
        for name in ("home", "tmp", "out"):
            (folder / name).mkdir(0o700)
            give(folder / name, uid)
        descriptor = os.open(folder / "out", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            yield Spool(folder, folder / "out", descriptor, uid)
        finally:
            os.close(descriptor)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def temporary_folder(environ: Mapping[str, str]) -> Path:
    """A new folder below ``TMPDIR`` or ``/tmp``, never in the checkout, where Python would go in the end."""
    try:
        return Path(tempfile.mkdtemp(prefix="kodus-check-", dir=environ.get("TMPDIR") or TEMPORARY))
    except OSError as error:
        raise CannotReview(
            f"no temporary folder can be made: {error.strerror}",
            remedy="Give the container one that can be written: `--tmpfs /tmp`.",
        ) from None


def hand_over(done: Spool, reports: tuple[Report, ...], workspace: Path, environ: Mapping[str, str], exit_code: int) -> None:
    """Gives the runner what the review left: reports into the workspace, the outputs of the step, the summary.

    A negative ``exit_code`` is a signal: what such a review said of its outcome is not believed (T6).
    """
    failed = {"outcome": str(Outcome.FAILED)}
    values = dict(failed)
    try:
        said = parse_outputs((_limited(done, _OUTPUTS, MAX_OUTPUTS) or b"").decode("utf-8", "replace"))
        if exit_code >= 0 and (said or not exit_code):
            values = said
        for report in reports:
            if (data := _limited(done, report.spool, MAX_REPORT)) is None:
                sys.stderr.write(log_safe(f"kodus-check: no report for `{report.name}`: the review made none\n"))
                continue
            place(workspace, report.path, data, error=CannotReview)
            values[report.name] = report.path
    except BaseException:
        values |= failed
        raise
    finally:
        if path := environ.get("GITHUB_OUTPUT"):
            append_values(Path(path), values)
        if path := environ.get("GITHUB_STEP_SUMMARY"):
            _append_summary(Path(path), done)


def parse_outputs(text: str) -> dict[str, str]:
    """The outputs in the file of a step: ``name=value``, or ``name<<delimiter`` with lines up to the delimiter (T3)."""
    values: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, equals, value = line.partition("=")
        if (opening := _DELIMITED.fullmatch(line)) is not None:
            name, delimiter, found = opening[1], opening[2], []
            for inner in lines:
                if inner == delimiter:
                    break
                found.append(inner)
            else:
                raise _strange(_OUTPUTS, f"`{one_line(name)}` does not end")
            value = "\n".join(found)
        elif not equals:
            raise _strange(_OUTPUTS, f"`{one_line(line)[:60]}` sets nothing")
        if name not in OUTPUTS or name in values or not OUTPUTS[name].fullmatch(value):
            raise _strange(_OUTPUTS, f"`{one_line(name)[:60]}` is no output of the review, is set twice, or is not of its shape")
        values[name] = value
    return values


def _append_summary(path: Path, done: Spool) -> None:
    """The summary, cut below the limit of the platform (T4)."""
    data: bytes | None = None
    with suppress(CannotReview):  # it is the smaller loss, and the outputs are written
        data = done.read(_SUMMARY, MAX_SUMMARY)
    if data:
        append_summary(path, data.decode("utf-8", "replace"))


def _limited(done: Spool, name: str, most: int) -> bytes | None:
    data = done.read(name, most)
    if data is not None and len(data) > most:
        raise _strange(name, f"it is larger than {most:,} bytes")
    return data


def _strange(name: str, why: str) -> CannotReview:
    return CannotReview(
        f"what the review left is not taken over: {why}", where=name, remedy="Nothing of it was believed; run again."
    )
