"""Commands that try one reviewer."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kodus_check.cli.options import emit, format_option, place, place_options

if TYPE_CHECKING:
    from kodus_check.trying import ShownPrompt


@click.command("try")
@place_options
@format_option("text", "json")
@click.argument("agent", default="main_review")
@click.option("--show-prompt", is_flag=True, help="Print what the model would be told, part by part. Nothing is sent.")
@click.option("--model", metavar="ID", help="Ask this model (provider:model) instead of the configured one.")
def try_agent(
    repository: Path,
    base: str | None,
    head: str | None,
    config: str | None,
    form: str,
    agent: str,
    model: str | None,
    *,
    show_prompt: bool,
) -> None:
    """Try one reviewer on a change: AGENT is its name. Nothing is published. [default: main_review]"""
    from kodus_check.reports import jsondoc
    from kodus_check.trying import show_prompts, try_reviewer

    where = place(repository, base, head, config)
    shown, notices = show_prompts(where, agent)
    if show_prompt:
        if form == "json":
            prompts = [{"files": list(one.files), "system": one.system, "task": one.task, "tokens": one.tokens} for one in shown]
            told = [{"kind": str(one.kind), "message": one.message, "subject": one.subject} for one in notices]
            emit(jsondoc.dump({"version": jsondoc.VERSION, "agent": agent, "prompts": prompts, "notices": told}))
        else:
            _emit_prompts(agent, shown)
        return
    from kodus_check.progress import Progress

    with Progress() as progress:
        checked = try_reviewer(where, agent, os.environ, progress, model=model)
    if form == "json":
        emit(jsondoc.dump(jsondoc.review_document(checked.review)))
    else:
        from kodus_check.reports.textreport import try_report

        emit(try_report(checked.review, [one.tokens for one in shown]))
    sys.exit(3 if checked.exit_code == 3 else 0)


def _emit_prompts(agent: str, shown: "list[ShownPrompt]") -> None:
    from kodus_check.text import log_safe

    if not shown:
        emit(f"{agent} is asked nothing about this change: no file for it, or no guide that it could cite\n")
    for number, one in enumerate(shown, 1):
        sizes = ", ".join(f"{name} {count:,}" for name, count in one.tokens.items())
        emit(log_safe(f"--- prompt {number} of {len(shown)} for {agent}; tokens: {sizes}\n{one.system}\n---\n{one.task}\n"))
