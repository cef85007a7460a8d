"""The inputs of the action (``INPUT_*``) as one argument vector of ``kodus-check run``, and the reports that it is to write.

T1  the runner puts ``args`` into one command line, backslashes unescaped    -> inputs come from the environment only
T2  a value that starts with ``-`` becomes an option                         -> ``--option=value``, one argument, no shell
T3  a report path leaves the workspace, or lies in ``.git``                  -> refused, nothing runs
T4  a misspelt ``publish: fasle`` means something else than it says          -> ``true`` or ``false``, nothing else
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import PurePosixPath

from kodus_check.errors import UsageError
from kodus_check.text import one_line


class Kind(Enum):
    TEXT = "text"
    """``--option=value``."""
    SWITCH = "switch"
    """``option`` where true, ``off`` (if there is one) where false."""
    REPORT = "report"
    """``--output=format:path``, to a path in the workspace."""
    SECRET = "secret"  # noqa: S105 - a word, not a secret
    """Goes to the environment of the review, never into an argument vector."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of ``action.yml``. ``option`` is the option of ``run``; for a report, the format that ``--output`` takes."""

    name: str
    kind: Kind
    option: str
    off: str = ""


TABLE = (
    Input("base", Kind.TEXT, "--base"),
    Input("head", Kind.TEXT, "--head"),
    Input("config", Kind.TEXT, "--config"),
    Input("global-config", Kind.TEXT, "--global-config"),
    Input("agent", Kind.TEXT, "--agent"),
    Input("skill", Kind.TEXT, "--skill"),
    Input("model", Kind.TEXT, "--model"),
    Input("no-model", Kind.SWITCH, "--no-model"),
    Input("fail-on", Kind.TEXT, "--fail-on"),
    Input("publish", Kind.SWITCH, "--publish", off="--dry-run"),
    Input("shard", Kind.TEXT, "--shard"),
    Input("review-file", Kind.REPORT, "json"),
    Input("sarif-file", Kind.REPORT, "sarif"),
    Input("html-file", Kind.REPORT, "html"),
    Input("trace-file", Kind.REPORT, "trace"),
    Input("token", Kind.SECRET, "GITHUB_TOKEN"),
)
"""Every input, in the order in which it reaches ``run``."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report that a later step reads: ``path`` is relative to the workspace, ``spool`` its name until it is put there."""

    name: str
    form: str
    path: str

    @property
    def spool(self) -> str:
        return f"report.{self.form}"


@dataclass(frozen=True, slots=True)
class Call:
    """What one step of a workflow asks for. ``secrets`` are variables of the review's environment."""

    arguments: tuple[str, ...]
    reports: tuple[Report, ...]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def command(self, folder: str) -> list[str]:
        """The arguments of ``kodus-check``, with reports going to ``folder``."""
        return [*self.arguments, *(f"--output={one.form}:{folder}/{one.spool}" for one in self.reports)]


def call_of(environ: Mapping[str, str]) -> Call:
    """The call that the inputs in ``environ`` mean; UsageError names the input at fault. An empty input is one not given."""
    arguments, reports, secrets = ["run"], [], {}
    options, formats = offered()
    for one in TABLE:
        value = environ.get(variable(one.name), "").strip()
        if not value:
            continue
        if one.kind is Kind.SECRET:
            secrets[one.option] = value
        elif one.kind is Kind.REPORT:
            if one.option not in formats:
                raise _cannot(one)
            reports.append(Report(one.name, one.option, _report_path(one.name, value)))
        else:
            arguments.extend(_argument(one, value, options))
    for earlier, later in _pairs(reports):
        if earlier.path == later.path:
            raise UsageError(
                f"it names the same file as `{earlier.name}`", where=f"input `{later.name}`", remedy="Give each its own."
            )
    return Call(tuple(arguments), tuple(reports), secrets)


def variable(name: str) -> str:
    """The variable by which a runner hands an input over. It keeps dashes."""
    return f"INPUT_{name.replace(' ', '_').upper()}"


@cache
def offered() -> tuple[frozenset[str], frozenset[str]]:
    """The options of ``run`` in this version, and the formats that its ``--output`` takes."""
    from kodus_check.cli.review import FORMATS, TRACE, run

    return frozenset(flag for one in run.params for flag in (*one.opts, *one.secondary_opts)), frozenset((*FORMATS, TRACE))


def _argument(one: Input, value: str, options: frozenset[str]) -> list[str]:
    if one.kind is Kind.TEXT:
        if "\0" in value or "\n" in value:
            raise UsageError("it is one line of text", where=f"input `{one.name}`", remedy="Remove the line break.")
        if one.option not in options:
            raise _cannot(one)
        return [f"{one.option}={value}"]
    if value not in ("true", "false"):
        raise UsageError(
            f"`{one_line(value)[:60]}` is neither true nor false", where=f"input `{one.name}`", remedy="Write `true` or `false`."
        )
    if value == "true" and one.option not in options:
        raise _cannot(one)
    wanted = one.option if value == "true" else one.off
    return [wanted] if wanted in options else []


def _report_path(name: str, value: str) -> str:
    """The path of a report, normalised (T3)."""
    parts = PurePosixPath(value).parts
    why = (
        "it holds a control character" if not value.isprintable()
        else "it is absolute" if value.startswith(("/", "~"))
        else "it leaves the workspace with `..`" if ".." in parts
        else "it lies in `.git`" if any(part.casefold() == ".git" for part in parts)
        else "it names a folder" if not parts or value.endswith("/")
        else ""
    )  # fmt: skip
    if why:
        raise UsageError(
            f"`{one_line(value)[:200]}` cannot be the path of a report: {why}",
            where=f"input `{name}`",
            remedy="Give a path relative to the checkout, such as `reports/kodus-check.json`.",
        )
    return "/".join(parts)


def _cannot(one: Input) -> UsageError:
    return UsageError(
        "this version of kodus-check cannot do that yet",
        where=f"input `{one.name}`",
        remedy="Remove the input, or use a newer version.",
    )


def _pairs(reports: list[Report]) -> Iterator[tuple[Report, Report]]:
    return ((earlier, later) for number, later in enumerate(reports) for earlier in reports[:number])
