"""GitHub's published schemas as a closed world: what is not described is wrong, in requests and in the answers of a fake."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SCHEMAS = Path(__file__).parent / "schemas"
STAMP = "2026-01-01T00:00:00Z"

Json = dict[str, Any]


def modern(value: Any, root: str) -> Any:
    """An OpenAPI 3.0 or 3.1 schema as JSON Schema 2020-12, its references made absolute below ``root``."""
    if isinstance(value, list):
        return [modern(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    schema = {key: modern(item, root) for key, item in value.items() if key != "nullable" or not isinstance(item, bool)}
    if isinstance(schema.get("$ref"), str):
        schema["$ref"] = root + schema["$ref"]
    if value.get("nullable") is not True:
        return schema
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], *([] if None in schema["enum"] else [None])]
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


class Schemas:
    """The components of one published document, and checks by them."""

    def __init__(self, document: Json, root: str) -> None:
        self.document: Json = modern(document, root)
        self._root = root
        resource = Resource.from_contents(self.document, default_specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(root, resource)
        self._validators: dict[int, tuple[Json, Validator]] = {}

    def component(self, name: str) -> Json:
        """The schema of that name."""
        found: Json = self.document["components"]["schemas"][name]
        return found

    def resolve(self, schema: Json) -> Json:
        """A schema with its reference followed."""
        while "$ref" in schema:
            found: Any = self.document
            for step in schema["$ref"].removeprefix(self._root).removeprefix("#/").split("/"):
                found = found[step.replace("~1", "/").replace("~0", "~")]
            schema = found
        return schema

    def problems(self, schema: Json, value: Any) -> list[str]:
        """What is wrong with a value: everything JSON Schema says, and every property that no branch of the schema names."""
        made = Draft202012Validator(schema, registry=self._registry)
        _, validator = self._validators.setdefault(id(schema), (schema, made))  # the schema is kept, so its id stays its own
        wrong = [
            f"{'/'.join(map(str, error.absolute_path)) or '.'}: {error.message[:200]}" for error in validator.iter_errors(value)
        ]
        return wrong + [f"{where}: unknown property" for where in self._unknown([schema], value, "")]

    def branches(self, schema: Json) -> Iterator[Json]:
        """The schema and every alternative and part of it, references followed."""
        schema = self.resolve(schema)
        yield schema
        for word in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(word, ()):
                yield from self.branches(part)

    def _unknown(self, schemas: list[Json], value: Any, where: str) -> Iterator[str]:
        every = [branch for schema in schemas for branch in self.branches(schema)]
        if isinstance(value, list):
            below = [branch["items"] for branch in every if isinstance(branch.get("items"), dict)]
            for index, item in enumerate(value if below else ()):
                yield from self._unknown(below, item, f"{where}/{index}")
        elif isinstance(value, dict) and any("properties" in branch for branch in every):
            open_ended = any(branch.get("additionalProperties", False) is not False for branch in every)
            for key, item in value.items():
                named = [branch["properties"][key] for branch in every if key in branch.get("properties", ())]
                if named:
                    yield from self._unknown(named, item, f"{where}/{key}")
                elif not open_ended:
                    yield f"{where}/{key}"

    def filled(self, schema: Json, given: Any = None, *, url: str, key: str = "") -> Any:
        """The smallest value that the schema allows, with ``given`` laid over it.

        Addresses that nobody gave point below ``url``/unset, where nothing is served: a client that follows one is caught.
        """
        schema = self._pick(schema, given)
        if isinstance(given, dict) and ("properties" in schema or "allOf" in schema):
            return self._filled_object(schema, given, url)
        if isinstance(given, list) and isinstance(schema.get("items"), dict):
            return [item if item is None else self.filled(schema["items"], item, url=url, key=key) for item in given]
        return given if given is not None else self._smallest(schema, url, key)

    def _filled_object(self, schema: Json, given: Json, url: str) -> Json:
        properties: dict[str, list[Json]] = {}
        required: list[str] = []
        for branch in self.branches(schema):
            required += branch.get("required", ())
            for name, item in branch.get("properties", {}).items():
                properties.setdefault(name, []).append(item)
        made: Json = {}
        for name in dict.fromkeys([*required, *given]):
            known = properties.get(name, [{}])
            if name in given and given[name] is None:
                made[name] = None
            else:
                made[name] = self.filled(known[0] if len(known) == 1 else {"allOf": known}, given.get(name), url=url, key=name)
        return made

    def _pick(self, schema: Json, given: Any) -> Json:
        schema = self.resolve(schema)
        for word in ("anyOf", "oneOf"):
            options = [self.resolve(option) for option in schema.get(word, ())]
            if options and given is None and any(option.get("type") == "null" for option in options):
                return {"type": "null"}
            if options:
                fitting = [
                    option for option in options if not isinstance(given, dict) or "properties" in option or "allOf" in option
                ]
                return self._pick((fitting or options)[0], given)
        if "allOf" in schema and not any("properties" in branch for branch in self.branches(schema)):
            return self._pick(schema["allOf"][-1], given)
        return schema

    def _smallest(self, schema: Json, url: str, key: str) -> Any:
        kind = schema.get("type", "object" if "properties" in schema or "allOf" in schema else "null")
        if isinstance(kind, list):
            kind = "null" if "null" in kind else kind[0]
        if kind == "object":
            return self._filled_object(schema, {}, url)
        if kind != "null" and "enum" in schema:
            return schema["enum"][0]
        address = schema.get("format") == "uri" or key.endswith("url")
        text = STAMP if schema.get("format") == "date-time" else f"{url}/unset/{key}" if address else key
        return {
            "string": text.ljust(schema.get("minLength", 0), "0"),
            "integer": 1,
            "number": 1,
            "boolean": False,
            "array": [],
        }.get(kind)


@cache
def rest() -> Schemas:
    """The slice of the REST API."""
    schemas = Schemas(json.loads((SCHEMAS / "github-openapi.json").read_text()), "urn:github:rest")
    comment = schemas.component("pull-request-review-comment")["properties"]
    for name in ("line", "original_line", "position", "original_position", "side"):
        _nullable(comment, name)
    for component in ("pull-request", "pull-request-simple"):
        _nullable(schemas.component(component)["properties"]["head"]["properties"], "repo")
    return schemas


@cache
def webhooks() -> Schemas:
    """The slice of the webhook payloads."""
    schemas = Schemas(json.loads((SCHEMAS / "github-webhooks.json").read_text()), "urn:github:webhooks")
    heads = {}
    for schema in schemas.document["events"].values():
        for part in schemas.branches(schemas.resolve(schema)["properties"].get("pull_request", {})):
            if head := part.get("properties", {}).get("head"):
                heads[id(head)] = head
    for head in heads.values():
        _nullable(head["properties"], "repo")
    return schemas


def _nullable(properties: Json, name: str) -> None:
    """Mends a property that is null in fact and not on paper: lines of outdated and of file-level comments, deleted forks."""
    properties[name] = {"anyOf": [properties[name], {"type": "null"}]}


def event_problems(name: str, payload: Mapping[str, Any]) -> list[str]:
    """What is wrong with a webhook payload; ``name`` as published, for example ``pull-request-opened``."""
    schemas = webhooks()
    return schemas.problems(schemas.document["events"][name], payload)
