"""Commands about the program itself: what it can do here, and a demonstration."""

import sys
from pathlib import Path

import click

from kodus_check.cli.options import emit, format_option, place, place_options


@click.command()
@place_options
@format_option("text", "json")
def doctor(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show what this environment can do, and what to do about what it cannot. Exit 3 when a run would fail."""
    from kodus_check.doctor import State, examine
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import doctor_text

    items = examine(place(repository, base, head, config))
    if form == "json":
        listed = [{"name": one.name, "state": str(one.state), "detail": one.detail, "remedy": one.remedy or None} for one in items]
        emit(jsondoc.dump({"version": jsondoc.VERSION, "items": listed}))
    else:
        emit(doctor_text([(one.name, str(one.state), one.detail, one.remedy) for one in items]))
    sys.exit(3 if any(one.state is State.FAILED for one in items) else 0)


@click.command()
def demo() -> None:
    """Build a small repository with a change in it, run the check, and print what it would comment."""
    from kodus_check.demo import run_demo

    emit(run_demo())
