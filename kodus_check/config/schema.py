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


ModeName = Literal["shadow", "comment", "gate"]
ModelMode = Annotated[
    ModeName | None, Field(default=None, description="What a finding of the model may do: be counted, be shown, fail the check.")
]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class Limits(_Section):
    """What one run may spend on the model."""

    cost_usd: Positive | None = Field(default=None, description="US dollars. Default 2.")
    tokens: Count | None = Field(default=None, description="Uncached input and output. Default 2,000,000.")
    requests: Count | None = Field(default=None, description="Requests, retries included. Default 80.")
    seconds: Positive | None = Field(default=None, description="Wall time. Default 900.")


class Prices(_Section):
    """US dollars for a million tokens, where the price table does not know the model."""

    input: float | None = Field(default=None, ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    output: float | None = Field(default=None, ge=0)


class MainReview(_Section):
    """What every changed file is judged by."""

    skills: Skills = None
    docs: Docs = None
    rules: Rules | None = None
    mode: ModelMode = None


class Publish(_Section):
    """What is published of what was found."""

    inline: Annotated[int, Field(ge=0, le=200)] | None = Field(
        default=None, description="New comments on the lines of a change in one run, at most; the summary has all. Default 30."
    )
    summary: bool | None = Field(default=None, description="Whether a summary is kept as a comment. Default true.")
    on_unsure: Literal["drop", "comment"] | None = Field(
        default=None, description="What comes of a finding that the second pass is not sure of. Default drop."
    )


class Agent(_Section):
    """A reviewer for a part of the repository."""

    description: str = ""
    instructions: str | None = Field(default=None, description="What the model is told beside the guides.")
    paths: list[NonEmpty] | None = Field(default=None, description="The files it judges, in gitignore syntax. Absent: all.")
    skills: Skills = None
    docs: Docs = None
    rules: Rules | None = None
    mode: ModelMode = None


class ConfigFile(_Section):
    """Configuration of kodus-check. Every key is optional; it is read from the base branch."""

    version: Literal[1] = 1
    model: NonEmpty | None = Field(default=None, description="provider:model, such as anthropic:NAME. Absent: rules only.")
    verifier_model: NonEmpty | None = Field(
        default=None, description="provider:model that looks at each finding of the model again. Absent: the same model."
    )
    base_url: NonEmpty | None = Field(default=None, description="Another address of the provider's API.")
    on_model_failure: Literal["pass", "fail"] | None = Field(
        default=None, description="Whether files that the model should have judged but did not keep the gate open (exit 4)."
    )
    language: NonEmpty | None = Field(default=None, description="Of titles and texts that the model writes. Default en.")
    private: list[NonEmpty] | None = Field(
        default=None, description="Files that no model sees, in gitignore syntax, beside those that never are."
    )
    limits: Limits | None = None
    prices: Prices | None = None
    publish: Publish | None = None
    fail_on: Literal["critical", "high", "medium", "low", "info", "never"] | None = Field(
        default=None, description="The lowest severity of a gating finding that fails the check."
    )
    trust: Literal["writers", "everyone"] | None = Field(
        default=None,
        description="Whose changes a model reads: of people who can write here (the default), or of everyone.",
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
