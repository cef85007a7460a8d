"""Commands over one change: the whole check, and the change set."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kodus_check.cli.options import emit, format_option, place, place_options
from kodus_check.errors import UsageError
from kodus_check.text import log_safe, one_line

if TYPE_CHECKING:
    from kodus_check.app import Checked
    from kodus_check.publishing import Session

FORMATS = ("text", "markdown", "json", "sarif", "codequality", "html")
TRACE = "trace"
SEVERITIES = ("critical", "high", "medium", "low", "info", "never")


@click.command()
@place_options
@format_option(*FORMATS)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT:PATH",
    help="Write the result to a file too; `trace:PATH` writes what the model was asked and did. Repeatable.",
)
@click.option("--publish/--dry-run", "publish", default=None, help="Write comments on the pull request. [default: in CI]")
@click.option("--agent", metavar="NAME", default="", help="Run this reviewer alone.")
@click.option("--skill", "skills", multiple=True, metavar="NAME", help="Follow this skill alone, and no docs. Repeatable.")
@click.option("--model", metavar="ID", help="Ask this model (provider:model) instead of the configured one.")
@click.option("--no-model", is_flag=True, help="Ask no model; run the rules alone.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The lowest severity of a gating finding that fails the check.")
def run(
    repository: Path,
    base: str | None,
    head: str | None,
    config: str | None,
    form: str,
    outputs: tuple[str, ...],
    fail_on: str | None,
    model: str | None,
    agent: str,
    skills: tuple[str, ...],
    *,
    publish: bool | None,
    no_model: bool,
) -> None:
    """Run the whole check on a change."""
    from kodus_check.agent.models import Ask
    from kodus_check.app import check
    from kodus_check.modelreview import Only
    from kodus_check.progress import Progress

    targets = [_output(text) for text in outputs]
    events: list[dict[str, Any]] = []
    session = _session(base, head, publish=publish)
    if session is not None:
        base, head = session.target.base, session.target.head
    with Progress() as progress:
        checked = check(
            place(repository, base, head, config),
            progress,
            fail_on=fail_on,
            model="" if no_model else model,
            ask=None if no_model else Ask(os.environ, trace=events.append),
            only=Only(agent, skills),
            trusted=session is None or session.target.trusted,
            rules_only=session is not None and not session.target.whole,
        )
        if session is not None:
            progress("publishing")
            checked = session.publish(checked)
    for output_form, path in targets:
        try:
            path.write_text(_traced(events) if output_form == TRACE else _written(checked, output_form), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the result cannot be written: {error.strerror}", where=str(path)) from None
    emit(_written(checked, form))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from kodus_check.runner import tell_runner

        click.echo(tell_runner(checked, os.environ), err=True, nl=False)
    sys.exit(checked.exit_code)


@click.command()
@place_options
@format_option("text", "json")
def changes(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show the change set: files, hunks, changed and commentable lines."""
    from kodus_check.app import read_change_of
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import changes_text

    change = read_change_of(place(repository, base, head, config))
    emit(jsondoc.dump(jsondoc.changes_document(change)) if form == "json" else changes_text(change))


def _session(base: str | None, head: str | None, *, publish: bool | None) -> "Session | None":
    """What the event of a GitHub workflow is about, where the command line does not say it. Ends the run where that is nothing."""
    if base is None and head is None:
        from kodus_check.platforms.events import Ignored
        from kodus_check.publishing import begin

        found = begin(os.environ, publish=publish is not False)
        if isinstance(found, Ignored):
            emit(log_safe(f"kodus-check: nothing to judge: {one_line(found.reason)}\n"))
            sys.exit(0)
        if found is not None:
            return found
    if publish:
        raise UsageError(
            "there is no pull request to publish to",
            where="--publish",
            remedy="Comments are written where GitHub's event names a pull request, and neither `--base` nor `--head` is given.",
        )
    return None


def _output(text: str) -> tuple[str, Path]:
    form, colon, path = text.partition(":")
    if not colon or form not in (*FORMATS, TRACE) or not path:
        known = ", ".join((*FORMATS, TRACE))
        raise UsageError("not an output", where=f"--output {text}", remedy=f"Write FORMAT:PATH, where FORMAT is one of {known}.")
    return form, Path(path)


def _traced(events: "list[dict[str, Any]]") -> str:
    from kodus_check.reports.trace import trace_lines

    return trace_lines(events)


def _written(checked: "Checked", form: str) -> str:
    if form == "json":
        from kodus_check.reports.jsondoc import dump, review_document

        return dump(review_document(checked.review))
    if form == "sarif":
        from kodus_check.reports.jsondoc import dump
        from kodus_check.reports.sarif import sarif_document

        return dump(sarif_document(checked.review))
    if form == "codequality":
        from kodus_check.reports.codequality import codequality_document
        from kodus_check.reports.jsondoc import dump

        return dump(codequality_document(checked.review))
    if form == "html":
        from kodus_check.reports.reviewpage import review_page

        return review_page(checked.review)
    if form == "markdown":
        from kodus_check.reports.markdown import markdown_report

        return markdown_report(checked.review, checked.templates)
    from kodus_check.reports.textreport import text_report

    return text_report(checked.review)
