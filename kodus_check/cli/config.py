"""Commands over the configuration."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from kodus_check.cli.options import emit, format_option, place, place_options


@click.group("config")
def config_group() -> None:
    """Look at the configuration."""


@config_group.command()
@place_options
@click.option("--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Check this file instead.")
def check(repository: Path, base: str | None, head: str | None, config: str | None, file: Path | None) -> None:
    """Say whether the config at the base is valid, in every folder of it (exit 0), or what is wrong with it (exit 2)."""
    if file is not None:
        from kodus_check.config.load import parse_config

        parse_config(file.read_bytes(), str(file))
        emit(f"{file}: valid (names of rules are checked at the base only)\n")
        return
    from kodus_check.app import config_at_base

    found = config_at_base(place(repository, base, head, config))
    emit(f"{', '.join(found.sources)}: valid\n" if found.sources else "no config at the base: the defaults apply\n")


@config_group.command()
@place_options
@format_option("text", "json")
@click.option("--path", "file", metavar="FILE", help="As it holds for this file. [default: the root, then what each folder sets]")
def show(repository: Path, base: str | None, head: str | None, config: str | None, form: str, file: str | None) -> None:
    """Show the resolved configuration, each value with its level and place."""
    from kodus_check.app import config_at_base
    from kodus_check.model import RepoPath
    from kodus_check.reports import jsondoc
    from kodus_check.reports.tables import config_text

    path = RepoPath.parse(file) if file is not None else None
    levels = config_at_base(place(repository, base, head, config))
    values = (levels.config_of(path) if path is not None else levels.config()).listed()
    folders = levels.set_by_folder() if path is None else []
    if form == "text":
        emit(config_text(values, folders))
        return
    document = {"version": jsondoc.VERSION, "path": file, "values": _document(values)}
    emit(jsondoc.dump({**document, "folders": [{"folder": name, "values": _document(own)} for name, own in folders]}))


@config_group.command()
@place_options
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the proposal, write nothing.")
def init(repository: Path, base: str | None, head: str | None, config: str | None, *, to_stdout: bool) -> None:
    """Write a commented `.kodus-check.yml` for what this repository has at the base. A file that exists is never overwritten."""
    from kodus_check.proposal import propose, write_new

    text = propose(place(repository, base, head, config))
    if to_stdout:
        emit(text)
        return
    emit(f"{write_new(repository, text)}: written; read it, then commit it to the base\n")


@config_group.command()
def schema() -> None:
    """Print the JSON Schema of a config file, for editors."""
    from kodus_check.config.schema import json_schema

    emit(json.dumps(json_schema(), indent=2) + "\n")


def _document(values: Iterable[tuple[str, Any, str, str]]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value, "level": level, "where": where or None} for key, value, level, where in values]
