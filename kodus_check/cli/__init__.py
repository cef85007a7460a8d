"""The command line: options in, one function of ``app`` each, text or JSON out. No logic of its own."""

import signal
import sys
import traceback

import click

from kodus_check import __version__
from kodus_check.cli.config import config_group
from kodus_check.cli.environment import demo, doctor
from kodus_check.cli.guides import guides, quote, skills
from kodus_check.cli.review import changes, run
from kodus_check.cli.rules import rules
from kodus_check.cli.trying import try_agent
from kodus_check.errors import ConfigError, KodusCheckError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kodus-check")
def cli() -> None:
    """Judge a change by the rules of its base branch, and publish nothing that cannot be proved.

    Exit codes: 0 nothing that gates; 1 a gating finding; 2 usage or configuration error; 3 could not review;
    4 something that should have been judged was not.
    """


for _command in (run, changes, guides, quote, rules, skills, config_group, try_agent, doctor, demo):
    cli.add_command(_command)


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
