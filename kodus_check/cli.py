"""The command line: options in, one function of ``app`` each, text or JSON out. No logic of its own."""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kodus_check import __version__
from kodus_check.errors import ConfigError, KodusCheckError, UsageError

if TYPE_CHECKING:
    from kodus_check.app import Checked, Place

_Command = TypeVar("_Command", bound=Callable[..., Any])

FORMATS = ("text", "markdown", "json", "sarif", "codequality")
SEVERITIES = ("critical", "high", "medium", "low", "info", "never")


def place_options(command: _Command) -> _Command:
    """The options that every command over a repository takes."""
    for option in (
        click.option("--config", metavar="PATH", help="Another config path, at the base. [default: .kodus-check.yml]"),
        click.option("--head", metavar="REV", help="The commit under review. [default: HEAD]"),
        click.option("--base", metavar="REV", help="The target branch, which judges. [default: origin/HEAD]"),
        click.option(
            "--repo",
            "repository",
            metavar="DIR",
            default=".",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="The clone. [default: the current directory]",
        ),
    ):
        command = option(command)
    return command


def format_option(*formats: str) -> Callable[[_Command], _Command]:
    return click.option("--format", "form", type=click.Choice(formats), default="text", show_default=True, help="What stdout gets.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kodus-check")
def cli() -> None:
    """Judge a change by the rules of its base branch, and publish nothing that cannot be proved.

    Exit codes: 0 nothing that gates; 1 a gating finding; 2 usage or configuration error; 3 could not review;
    4 something that should have been judged was not.
    """


@cli.command()
@place_options
@format_option(*FORMATS)
@click.option("--output", "outputs", multiple=True, metavar="FORMAT:PATH", help="Write the result to a file too. Repeatable.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The lowest severity of a gating finding that fails the check.")
def run(
    repository: Path,
    base: str | None,
    head: str | None,
    config: str | None,
    form: str,
    outputs: tuple[str, ...],
    fail_on: str | None,
) -> None:
    """Run the whole check on a change."""
    from kodus_check.app import check
    from kodus_check.progress import Progress

    targets = [_output(text) for text in outputs]
    with Progress() as progress:
        checked = check(_place(repository, base, head, config), progress, fail_on=fail_on)
    for output_form, path in targets:
        try:
            path.write_text(_written(checked, output_form), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the result cannot be written: {error.strerror}", where=str(path)) from None
    _emit(_written(checked, form))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from kodus_check.runner import tell_runner

        click.echo(tell_runner(checked, os.environ), err=True, nl=False)
    sys.exit(checked.exit_code)


@cli.command()
@place_options
@format_option("text", "json")
def changes(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show the change set: files, hunks, changed and commentable lines."""
    from kodus_check.app import read_change_of
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import changes_text

    change = read_change_of(_place(repository, base, head, config))
    _emit(jsondoc.dump(jsondoc.changes_document(change)) if form == "json" else changes_text(change))


@cli.group(invoke_without_command=True)
@place_options
@format_option("text", "json")
@click.pass_context
def rules(context: click.Context, repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show every rule document at the base, and why one does not run."""
    if context.invoked_subcommand is not None:
        return
    from kodus_check.app import rules_at_base
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import rules_text

    found = rules_at_base(_place(repository, base, head, config))
    document = jsondoc.rules_document(found.sizes, found.rules, found.notices)
    _emit(jsondoc.dump(document) if form == "json" else rules_text(found.sizes, found.rules, found.notices))


@rules.command("test")
@place_options
@format_option("text", "json")
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
def rules_test(repository: Path, base: str | None, head: str | None, config: str | None, form: str, path: Path | None) -> None:
    """Run rule tests: those at the base, or the rules and tests in PATH, a file or folder that need not be committed.

    A test is a YAML document with the `id` of a rule and lists of snippets: `invalid` ones must match, `valid` ones must not.
    Exit 0: all pass; 1: one does not; 2: there is no test.
    """
    from kodus_check.app import rule_tests_at_base, rule_tests_in
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import rule_tests_text

    tested = rule_tests_in(path) if path is not None else rule_tests_at_base(_place(repository, base, head, config))
    results = [(one.test.rule_id, f"{one.test.source}:{one.test.line}", one.problems) for one in tested.results]
    if not results and not tested.problems:
        raise UsageError("no rule test was found", remedy="A test has an `id` and the lists `valid` and `invalid`.")
    if form == "json":
        _emit(jsondoc.dump(jsondoc.rule_tests_document(results, tested.untested, tested.problems)))
    else:
        _emit(rule_tests_text(results, tested.untested, tested.problems))
    sys.exit(1 if tested.problems or any(problems for _, _, problems in results) else 0)


@cli.group("config")
def config_group() -> None:
    """Look at the configuration."""


@config_group.command()
@place_options
@click.option("--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Check this file instead.")
def check(repository: Path, base: str | None, head: str | None, config: str | None, file: Path | None) -> None:
    """Say whether the config at the base is valid (exit 0) or what is wrong with it (exit 2)."""
    if file is not None:
        from kodus_check.config.load import parse_config

        parse_config(file.read_bytes(), str(file))
        _emit(f"{file}: valid (names of rules are checked at the base only)\n")
        return
    from kodus_check.app import config_at_base

    found = config_at_base(_place(repository, base, head, config))
    _emit(f"{', '.join(found.sources)}: valid\n" if found.from_file else "no config at the base: the defaults apply\n")


@config_group.command()
@place_options
@format_option("text", "json")
def show(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show the resolved configuration, each value with its level and place."""
    from kodus_check.app import config_at_base
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import config_text

    found = config_at_base(_place(repository, base, head, config))
    values = [(key, value, found.origin(key).level, found.origin(key).where) for key, value in found.values().items()]
    if form == "text":
        _emit(config_text(values))
        return
    listed = [{"key": key, "value": value, "level": level, "where": where or None} for key, value, level, where in values]
    _emit(jsondoc.dump({"version": jsondoc.VERSION, "values": listed}))


@config_group.command()
def schema() -> None:
    """Print the JSON Schema of a config file, for editors."""
    from kodus_check.config.schema import json_schema

    _emit(json.dumps(json_schema(), indent=2) + "\n")


@cli.command()
@place_options
@format_option("text", "json")
def doctor(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show what this environment can do, and what to do about what it cannot. Exit 3 when a run would fail."""
    from kodus_check.doctor import State, examine
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import doctor_text

    items = examine(_place(repository, base, head, config))
    if form == "json":
        listed = [{"name": one.name, "state": str(one.state), "detail": one.detail, "remedy": one.remedy or None} for one in items]
        _emit(jsondoc.dump({"version": jsondoc.VERSION, "items": listed}))
    else:
        _emit(doctor_text([(one.name, str(one.state), one.detail, one.remedy) for one in items]))
    sys.exit(3 if any(one.state is State.FAILED for one in items) else 0)


@cli.command()
def demo() -> None:
    """Build a small repository with a change in it, run the check, and print what it would comment."""
    from kodus_check.demo import run_demo

    _emit(run_demo())


def main() -> None:
    """The entry point: whatever happens ends in a message and the exit code of the contract, never by chance in 1."""
    from kodus_check.text import log_safe, visible

    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that temporary folders are removed
    try:
        cli(standalone_mode=False)
    except ConfigError as error:
        for problem in error.problems:
            click.echo(log_safe(f"kodus-check: {visible(problem)}"), err=True)
        sys.exit(error.exit_code)
    except KodusCheckError as error:
        click.echo(log_safe(f"kodus-check: {visible(str(error))}"), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(128 + signal.SIGINT)
    except Exception:  # noqa: BLE001 - a defect of ours must not look like a gating finding
        click.echo(log_safe(f"kodus-check: this is a defect of kodus-check; please report it.\n{traceback.format_exc()}"), err=True)
        sys.exit(3)


def _emit(text: str) -> None:
    """The result, to stdout. A reader that is gone (`| head`) must not end in exit code 1, which means a finding."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains once more at its end
        sys.exit(128 + signal.SIGPIPE)


def _place(repository: Path, base: str | None, head: str | None, config: str | None) -> "Place":
    from kodus_check.app import Place
    from kodus_check.git.fetch import remote_of

    return Place(repository, base, head, config, remote_of(os.environ))


def _output(text: str) -> tuple[str, Path]:
    form, colon, path = text.partition(":")
    if not colon or form not in FORMATS or not path:
        raise UsageError(
            "not an output", where=f"--output {text}", remedy=f"Write FORMAT:PATH, where FORMAT is one of {', '.join(FORMATS)}."
        )
    return form, Path(path)


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
    if form == "markdown":
        from kodus_check.reports.markdown import markdown_report

        return markdown_report(checked.review, checked.templates)
    from kodus_check.reports.textreport import text_report

    return text_report(checked.review)
