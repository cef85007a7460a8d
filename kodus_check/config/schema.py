"""The shape of a `.kodus-check.yml`. The JSON Schema that editors use is made from these classes."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

DIRECTORY_KEYS = ("version", "scope", "ignore", "main_review", "agents")
"""What a config file in a folder may set. Every other key holds for the whole run."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
Rules = Annotated[
    list[NonEmpty] | str,
    Field(description="Rule files or folders of the base, `sgconfig.yml` for its ruleDirs, `builtin:PACK`; or YAML rules as text."),
]
Skills = Annotated[
    list[NonEmpty] | None,
    Field(description="Folders that hold a SKILL.md, agent files (.md), or `builtin:NAME`."),
]
Docs = Annotated[list[NonEmpty] | None, Field(description="Files that tell what this team holds to.")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class MainReview(_Section):
    """What every changed file is judged by."""

    skills: Skills = None
    docs: Docs = None
    rules: Rules | None = None


class Agent(_Section):
    """A reviewer for a part of the repository."""

    description: str = ""
    paths: list[NonEmpty] | None = Field(default=None, description="The files it judges, in gitignore syntax. Absent: all.")
    skills: Skills = None
    docs: Docs = None
    rules: Rules | None = None


class ConfigFile(_Section):
    """Configuration of kodus-check. Every key is optional; it is read from the base branch."""

    version: Literal[1] = 1
    fail_on: Literal["critical", "high", "medium", "low", "info", "never"] | None = Field(
        default=None, description="The lowest severity of a gating finding that fails the check."
    )
    on_unscanned: Literal["fail", "pass"] | None = Field(
        default=None, description="Whether a file that a gating rule should have judged but could not keeps the gate open (exit 4)."
    )
    scope: Literal["changed-lines", "changed-files"] | None = Field(
        default=None, description="Whether matches on untouched lines of changed files are findings too."
    )
    ignore: list[NonEmpty] | None = Field(default=None, description="Files that nothing judges, in gitignore syntax.")
    main_review: MainReview | None = None
    agents: dict[Name, Agent] | None = None


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a config file."""
    schema = ConfigFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": ".kodus-check.yml"}
