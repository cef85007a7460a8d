"""Commands over the ast-grep rules of the base."""

import sys
from pathlib import Path

import click

from kodus_check.cli.options import emit, format_option, place, place_options
from kodus_check.errors import UsageError


@click.group(invoke_without_command=True)
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

    found = rules_at_base(place(repository, base, head, config))
    document = jsondoc.rules_document(found.sizes, found.rules, found.notices)
    emit(jsondoc.dump(document) if form == "json" else rules_text(found.sizes, found.rules, found.notices))


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

    tested = rule_tests_in(path) if path is not None else rule_tests_at_base(place(repository, base, head, config))
    results = [(one.test.rule_id, f"{one.test.source}:{one.test.line}", one.problems) for one in tested.results]
    if not results and not tested.problems:
        raise UsageError("no rule test was found", remedy="A test has an `id` and the lists `valid` and `invalid`.")
    if form == "json":
        emit(jsondoc.dump(jsondoc.rule_tests_document(results, tested.untested, tested.problems)))
    else:
        emit(rule_tests_text(results, tested.untested, tested.problems))
    sys.exit(1 if tested.problems or any(problems for _, _, problems in results) else 0)
