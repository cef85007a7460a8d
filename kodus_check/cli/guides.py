"""Commands over the guides of the base: skills and docs, who follows them, and whether a quote stands in one."""

import json
import sys
from pathlib import Path
from typing import IO, Any

import click

from kodus_check.cli.options import emit, format_option, place, place_options
from kodus_check.errors import UsageError


@click.command()
@place_options
@format_option("text", "json", "html")
def guides(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """Show every skill and doc at the base: what is valid and why not, who follows it, what fits the budgets."""
    from kodus_check.consult import guides_at_base
    from kodus_check.reports import jsondoc
    from kodus_check.reports.guidesdoc import guides_document

    found = guides_at_base(place(repository, base, head, config)).guides
    if form == "text":
        from kodus_check.reports.guidestext import guides_text

        emit(guides_text(found))
    elif form == "html":
        from kodus_check.reports.page import guides_page

        emit(guides_page(guides_document(found)))
    else:
        emit(jsondoc.dump(guides_document(found)))


@click.command()
@place_options
@format_option("text", "json")
@click.option("--guide", metavar="PATH", help="The guide that is quoted.")
@click.option("--quote", "text", metavar="TEXT", help="The quote.")
@click.option("--batch", type=click.File(encoding="utf-8"), help='JSON lines {"guide", "quote"}, `-` for stdin; one answer each.')
@click.option("--agent", metavar="NAME", help="Only guides that this reviewer follows. [default: those of all]")
def quote(
    repository: Path,
    base: str | None,
    head: str | None,
    config: str | None,
    form: str,
    guide: str | None,
    text: str | None,
    batch: IO[str] | None,
    agent: str | None,
) -> None:
    """Say whether a quote stands in a guide at the base, and print the guide's own words around it.

    The same check decides which findings are published. Exit 0: it does; 1: it does not; with --batch always 0.
    """
    from kodus_check.consult import check_batch, check_one
    from kodus_check.reports import jsondoc
    from kodus_check.reports.quotedoc import quote_document, quote_text

    at = place(repository, base, head, config)
    if batch is not None:
        if guide is not None or text is not None:
            raise UsageError("`--batch` takes guides and quotes from its lines", remedy="Leave `--guide` and `--quote` out.")
        for line in check_batch(at, agent, batch):
            answer: dict[str, Any] = {"error": line.error} if line.check is None else quote_document(line.check)
            emit(f"{json.dumps(answer)}\n")
        return
    if guide is None or text is None:
        raise UsageError("nothing to check", remedy="Give `--guide` and `--quote`, or `--batch`.")
    found = check_one(at, agent, guide, text)
    emit(jsondoc.dump({"version": jsondoc.VERSION, **quote_document(found)}) if form == "json" else quote_text(found))
    sys.exit(0 if found.verified else 1)


@click.group()
def skills() -> None:
    """Look at the skills of the base and those that ship."""


@skills.command("list")
@place_options
@format_option("text", "json")
def list_skills(repository: Path, base: str | None, head: str | None, config: str | None, form: str) -> None:
    """List every skill at the base with its fate."""
    from kodus_check.consult import guides_at_base
    from kodus_check.reports import jsondoc
    from kodus_check.reports.guidesdoc import guides_document
    from kodus_check.reports.guidestext import skills_text

    found = guides_at_base(place(repository, base, head, config)).guides
    if form == "text":
        emit(skills_text(found.skills))
    else:
        document = guides_document(found)
        emit(jsondoc.dump({"version": jsondoc.VERSION, "base": document["base"], "skills": document["skills"]}))


@skills.command()
@place_options
@format_option("text", "json")
@click.argument("name")
@click.option("--file", metavar="PATH", help="A file beside it, such as references/payments.md.")
def show(repository: Path, base: str | None, head: str | None, config: str | None, form: str, name: str, file: str | None) -> None:
    """Print a skill as a reviewer reads it: NAME is its name, its path, or `builtin:NAME`."""
    from kodus_check.consult import show_skill
    from kodus_check.reports import jsondoc
    from kodus_check.text import log_safe, visible

    found = show_skill(place(repository, base, head, config), name, file)
    if form == "json":
        emit(jsondoc.dump({"version": jsondoc.VERSION, "path": found.skill.path, "file": file, "text": found.text}))
    else:
        emit(log_safe(visible(found.text.rstrip("\n"))) + "\n")


@skills.command()
@place_options
@format_option("text", "json")
@click.argument("query", default="")
@click.option("--offset", type=int, default=0, show_default=True, help="Where to go on: the `next_offset` of the page before.")
def search(repository: Path, base: str | None, head: str | None, config: str | None, form: str, query: str, offset: int) -> None:
    """Find skills whose name or description holds QUERY, taken literally, in any case."""
    from kodus_check.consult import find_skills
    from kodus_check.reports import jsondoc
    from kodus_check.reports.guidestext import skills_text

    page, found = find_skills(place(repository, base, head, config), query, offset)
    if form == "json":
        document = {
            "query": query,
            "offset": offset,
            "total": page.total,
            "skills": list(page.shown),
            "next_offset": page.next_offset,
        }
        emit(jsondoc.dump({"version": jsondoc.VERSION, **document}))
    else:
        more = f"{page.total - page.next_offset:,} more; go on with --offset {page.next_offset}\n" if page.next_offset else ""
        emit(skills_text(found) + more if found else "no skill holds that\n")


@skills.command()
@place_options
@format_option("text", "json")
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
def validate(repository: Path, base: str | None, head: str | None, config: str | None, form: str, path: Path | None) -> None:
    """Check the skills at the base, or those in PATH, a folder or file that need not be committed.

    Exit 0: all are valid; 1: one is not; 2: there is none.
    """
    from kodus_check.consult import validate_at_base, validate_on_disk
    from kodus_check.reports import jsondoc
    from kodus_check.reports.guidesdoc import skill_document
    from kodus_check.reports.guidestext import skills_text

    found = validate_on_disk(path) if path is not None else validate_at_base(place(repository, base, head, config))
    if not found:
        raise UsageError(
            "no skill was found", remedy="A skill is a folder that holds a SKILL.md, such as .agents/skills/NAME/SKILL.md."
        )
    if form == "json":
        emit(jsondoc.dump({"version": jsondoc.VERSION, "skills": [skill_document(one, ()) for one in found]}))
    else:
        emit(skills_text(found))
    sys.exit(0 if all(one.valid and not one.invocation.diagnostics for one in found) else 1)
