"""What the commands share: their common options, and how a result leaves the program."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kodus_check.app import Place

_Command = TypeVar("_Command", bound=Callable[..., Any])


_GLOBAL_CONFIG = "kodus_check.global_config"


def _keep_global_config(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Keeps the option for :func:`place`, so that commands need not hand it on; one given to a group holds below it too."""
    if value is not None:
        context.meta[_GLOBAL_CONFIG] = value


def place_options(command: _Command) -> _Command:
    """The options that every command over a repository takes."""
    for option in (
        click.option(
            "--global-config",
            metavar="TEXT",
            expose_value=False,
            callback=_keep_global_config,
            help="What the base's own config goes over: a file, or `owner/repo@ref:path` on the same server.",
        ),
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


def emit(text: str) -> None:
    """The result, to stdout. A reader that is gone (`| head`) must not end in exit code 1, which means a finding."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains once more at its end
        sys.exit(128 + signal.SIGPIPE)


def place(repository: Path, base: str | None, head: str | None, config: str | None) -> "Place":
    from kodus_check.app import Place
    from kodus_check.git.elsewhere import blob_url_of, server_of
    from kodus_check.git.fetch import remote_of

    global_config = click.get_current_context().meta.get(_GLOBAL_CONFIG)
    return Place(
        repository,
        base,
        head,
        config,
        remote_of(os.environ),
        global_config,
        server_of(os.environ),
        blob_url_of(os.environ),
    )
