"""Commands that try one reviewer."""

from pathlib import Path

import click

from kodus_check.cli.options import emit, format_option, place, place_options
from kodus_check.errors import UsageError


@click.command("try")
@place_options
@format_option("text", "json")
@click.argument("agent", default="main_review")
@click.option("--show-prompt", is_flag=True, help="Print what the model would be told, part by part. Nothing is sent.")
def try_agent(
    repository: Path, base: str | None, head: str | None, config: str | None, form: str, agent: str, *, show_prompt: bool
) -> None:
    """Try one reviewer on a change: AGENT is its name. [default: main_review]"""
    if not show_prompt:
        raise UsageError("nothing to do", remedy="Add `--show-prompt`; `run` asks the model.")
    from kodus_check.reports import jsondoc
    from kodus_check.text import log_safe
    from kodus_check.trying import show_prompts

    shown, notices = show_prompts(place(repository, base, head, config), agent)
    if form == "json":
        prompts = [{"files": list(one.files), "system": one.system, "task": one.task, "tokens": one.tokens} for one in shown]
        told = [{"kind": str(one.kind), "message": one.message, "subject": one.subject} for one in notices]
        emit(jsondoc.dump({"version": jsondoc.VERSION, "agent": agent, "prompts": prompts, "notices": told}))
        return
    if not shown:
        emit(f"{agent} is asked nothing about this change: no file for it, or no guide that it could cite\n")
    for number, one in enumerate(shown, 1):
        sizes = ", ".join(f"{name} {count:,}" for name, count in one.tokens.items())
        emit(log_safe(f"--- prompt {number} of {len(shown)} for {agent}; tokens: {sizes}\n{one.system}\n---\n{one.task}\n"))
