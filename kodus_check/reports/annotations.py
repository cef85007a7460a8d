"""GitHub's workflow commands and files: annotations, the step summary, the outputs.

T1  a runner shows 10 annotations of a kind in a step and cuts messages at 4,096 characters -> the worst come first, the last one
    says how many more there are
T2  text of head in a command ends it or sets a property                                    -> escaped as the runner unescapes
T3  a step summary above 1 MiB is dropped whole                                             -> cut visibly below that
T4  an output value that holds its delimiter sets other outputs                             -> a random delimiter
"""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from kodus_check.model import CoverageStatus, Finding, Mode, Outcome, Review
from kodus_check.render.headline import cost_of, headline
from kodus_check.reports.order import worst_first
from kodus_check.text import shorten, visible

MAX_OF_A_KIND = 10
MAX_MESSAGE = 4_096
MAX_SUMMARY_BYTES = 1_000_000

_KINDS = ("error", "warning", "notice")


def annotations(review: Review) -> str:
    """One line for each annotation, within the caps of a step."""
    return "".join(f"{line}\n" for line in _commands(review))


def _commands(review: Review) -> Iterator[str]:
    by_kind: dict[str, list[Finding]] = {kind: [] for kind in _KINDS}
    for finding in worst_first(review.findings):
        if finding.mode is not Mode.SHADOW:
            by_kind[_kind(finding)].append(finding)
    if review.outcome in (Outcome.FAILED, Outcome.PARTIAL):
        yield f"::error title=kodus-check::{_data(headline(review))}"
    for kind, findings in by_kind.items():
        room = MAX_OF_A_KIND - (kind == "error" and review.outcome in (Outcome.FAILED, Outcome.PARTIAL))
        shown = findings if len(findings) <= room else findings[: room - 1]
        for finding in shown:
            yield (
                f"::{kind} file={_property(str(finding.path))},line={finding.start_line},endLine={finding.end_line},"
                f"title={_property(f'{finding.severity} {finding.evidence.name}')}::{_data(finding.title)}"
            )
        if len(findings) > len(shown):
            yield f"::{kind} title=kodus-check::{len(findings) - len(shown)} more of this kind are in the summary"


def append_summary(path: Path, markdown: str) -> None:
    """Appends to the step summary file, which other steps may have written to; cut visibly where it would get too large."""
    room = MAX_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
    data = markdown.encode("utf-8", "backslashreplace")
    if len(data) > room:
        notice = "\n\n… this summary was cut here: it is too long for the platform.\n"
        kept = data[: max(0, room - len(notice.encode()) - 8)].decode("utf-8", "ignore")
        data = f"{kept.rpartition(chr(10))[0]}{notice}".encode() if kept else b""
    with path.open("ab") as file:
        file.write(data)


def append_outputs(path: Path, review: Review) -> None:
    """Appends the outputs of the step: outcome, findings, coverage, tokens, cost."""
    judged = sum(one.status in (CoverageStatus.JUDGED, CoverageStatus.RULES_ONLY) for one in review.coverage)
    values = {
        "outcome": str(review.outcome),
        "findings": str(sum(finding.mode is not Mode.SHADOW for finding in review.findings)),
        "coverage": f"{judged}/{len(review.coverage)}",
        "tokens": str(sum(run.tokens for run in review.agents)),
        "cost": cost_of(review),
    }
    append_values(path, values)


def append_values(path: Path, values: Mapping[str, str]) -> None:
    """Appends outputs of the step by their names (T4)."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in values.items():
            delimiter = f"kodus-check-{secrets.token_hex(16)}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _kind(finding: Finding) -> str:
    if finding.mode is Mode.GATE and finding.severity.rank <= 1:
        return "error"
    return "warning" if finding.severity.rank <= 2 else "notice"


def _data(text: str) -> str:
    shown = shorten(visible(text), MAX_MESSAGE - 100)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
