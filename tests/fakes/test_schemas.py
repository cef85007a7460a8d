"""The committed slices, how they are made, and the smallest values that fit them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.contract import SCHEMAS, Schemas, modern, rest
from tests.fakes.schemas import make
from tests.test_house import FOREIGN

DOCUMENT: dict[str, Any] = {
    "components": {
        "schemas": {
            "used": {
                "type": "object",
                "description": "prose",
                "properties": {
                    "description": {"type": "string", "description": "prose", "example": "e"},
                    "below": {"$ref": "#/components/schemas/below"},
                    "maybe": {"type": "string", "nullable": True},
                    "linked_url": {"type": "string"},
                    "at": {"type": "string", "format": "date-time"},
                    "state": {"type": "string", "enum": ["open", "closed"]},
                    "either": {"oneOf": [{"$ref": "#/components/schemas/below"}, {"type": "string"}]},
                    "many": {"type": "array", "items": {"$ref": "#/components/schemas/below"}},
                },
                "required": ["description", "below", "maybe", "linked_url", "at", "state"],
            },
            "below": {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"], "x-more": 1},
            "unused": {"type": "object"},
        }
    }
}
SMALL = {
    "description": "description",
    "below": {"size": 1},
    "maybe": None,
    "linked_url": "http://here/unset/linked_url",
    "at": "2026-01-01T00:00:00Z",
    "state": "open",
}


@pytest.mark.parametrize(
    ("name", "limit"), [("github-openapi.json", 250_000), ("github-webhooks.json", 200_000), ("github.graphql", 10_000)]
)
def test_a_slice_is_small_and_names_no_machine(name: str, limit: int) -> None:
    text = (SCHEMAS / name).read_text()
    assert 1000 < len(text) < limit
    assert not FOREIGN.search(text)
    assert not re.search(r"/(?:tm[p]|hom[e]|roo[t])/", text)  # written so that this file does not match itself


def test_the_slices_hold_what_is_asked_for() -> None:
    paths = json.loads((SCHEMAS / "github-openapi.json").read_text())["paths"]
    assert {operation["operationId"] for item in paths.values() for operation in item.values()} == make.OPERATIONS
    assert set(json.loads((SCHEMAS / "github-webhooks.json").read_text())["events"]) == set(make.EVENTS)


def test_the_notice_names_every_source_with_its_licence() -> None:
    text = (SCHEMAS / "NOTICE").read_text()
    sources = (make.REST, make.WEBHOOKS, make.GRAPHQL)
    assert [f"{name} {version}" in text for name, version, _ in sources] == [True] * 3
    assert text.count("Permission is hereby granted") == 3


@pytest.mark.parametrize("name", ["github-openapi.json", "github-webhooks.json"])
def test_a_slice_has_everything_that_it_refers_to(name: str) -> None:
    document = json.loads((SCHEMAS / name).read_text())
    for reference in make.references(document):
        _, _, section, component = reference.split("/", 3)
        assert component in document["components"][section]


def test_a_closure_has_what_is_used_without_prose() -> None:
    made = make.closure(DOCUMENT, {"$ref": "#/components/schemas/used"})["schemas"]
    assert set(made) == {"used", "below"}
    assert made["used"]["properties"]["description"] == {"type": "string"}
    assert "description" not in made["used"]
    assert "x-more" not in made["below"]


def test_an_operation_that_is_not_published_is_an_error() -> None:
    with pytest.raises(AssertionError, match="issues/get"):
        make.rest_slice({"openapi": "3", "info": {"version": "1"}, "paths": {}, "components": {}})


def test_a_field_that_is_not_published_is_an_error() -> None:
    with pytest.raises(AssertionError, match="not published"):
        make.graphql_slice("type Query { viewer: User }")


def test_a_package_at_hand_is_not_fetched(tmp_path: Path) -> None:
    tarball = tmp_path / "octokit-openapi-1.0.0.tgz"
    tarball.touch()
    assert make.packed(tmp_path, "@octokit/openapi", "1.0.0") == tarball


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"allOf": [{"$ref": "#/x"}], "nullable": True}, {"anyOf": [{"allOf": [{"$ref": "urn:r#/x"}]}, {"type": "null"}]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"properties": {"nullable": {"type": "string"}}}, {"properties": {"nullable": {"type": "string"}}}),
    ],
)
def test_old_schemas_are_modernised(old: object, new: object) -> None:
    assert modern(old, "urn:r") == new


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({}, {}),
        ({"maybe": "yes"}, {"maybe": "yes"}),
        ({"below": {"size": 3}}, {"below": {"size": 3}}),
        ({"below": {}}, {}),
        ({"many": [{}, {"size": 2}]}, {"many": [{"size": 1}, {"size": 2}]}),
        ({"either": {"size": 2}}, {"either": {"size": 2}}),
        ({"either": "text"}, {"either": "text"}),
    ],
)
def test_the_smallest_value_with_what_is_given(given: dict[str, Any], changes: dict[str, Any]) -> None:
    schemas = Schemas(DOCUMENT, "urn:test")
    made = schemas.filled(schemas.component("used"), given, url="http://here")
    assert made == {**SMALL, **changes}
    assert schemas.problems(schemas.component("used"), made) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"more": 1}, "/more: unknown property"),
        ({"below": {"size": 1, "more": 1}}, "/below/more: unknown property"),
        ({"many": [{"size": 1}, {"size": 1, "more": 1}]}, "/many/1/more: unknown property"),
        ({"either": {"size": 1, "more": 1}}, "/either/more: unknown property"),
        ({"state": "ajar"}, "state: 'ajar' is not one of ['open', 'closed']"),
        ({"below": {}}, "below: 'size' is a required property"),
    ],
)
def test_what_is_not_described_is_wrong(change: dict[str, Any], problem: str) -> None:
    schemas = Schemas(DOCUMENT, "urn:test")
    assert schemas.problems(schemas.component("used"), {**SMALL, **change}) == [problem]


def test_every_component_can_be_filled_and_fits() -> None:
    schemas = rest()
    wrong = {}
    for name, schema in schemas.document["components"]["schemas"].items():
        if problems := schemas.problems(schema, schemas.filled(schema, {} if "properties" in schema else None, url="http://here")):
            wrong[name] = problems
    assert wrong == {}
