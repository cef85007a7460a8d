"""Which published operation a request is, and what is wrong with it by the description."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote

from tests.fakes.contract import Json, Schemas, rest

_WITH_SLASHES = frozenset({"ref", "branch"})
_OLD_STATUSES = "/repos/{owner}/{repo}/statuses/{ref}"
"""Where statuses were listed before; it is not described any more, still served, and what PyGithub asks."""


@dataclass(frozen=True)
class Operation:
    """One published operation: where it is, and the schemas of what goes in and comes out."""

    id: str
    method: str
    template: str
    pattern: re.Pattern[str]
    inputs: Mapping[str, Json]
    query: frozenset[str]
    body: Json | None
    body_required: bool
    replies: Mapping[str, Json | None]

    def parameters(self, path: str) -> dict[str, str] | None:
        """The values in a path (still percent-encoded), or None if the path is another one."""
        match = self.pattern.fullmatch(path)
        return None if match is None else {name: unquote(value) for name, value in match.groupdict().items()}


def _operation(schemas: Schemas, template: str, method: str, item: Json) -> Operation:
    parts = [
        (f"(?P<{name}>{'.+' if name in _WITH_SLASHES else '[^/]+'})" if name else re.escape(text))
        for name, text in ((part[1:-1], "") if part.startswith("{") else ("", part) for part in re.split(r"(\{\w+\})", template))
    ]
    found = [schemas.resolve(parameter) for parameter in item["parameters"]]
    request = item.get("requestBody", {})
    return Operation(
        id=item["operationId"],
        method=method.upper(),
        template=template,
        pattern=re.compile("".join(parts)),
        inputs={parameter["name"]: parameter.get("schema", {}) for parameter in found},
        query=frozenset(parameter["name"] for parameter in found if parameter["in"] == "query"),
        body=request["content"]["application/json"]["schema"] if request else None,
        body_required=bool(request.get("required")),
        replies={
            code: reply["content"]["application/json"]["schema"] if reply else None for code, reply in item["responses"].items()
        },
    )


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the slice, the one with the most literal segments first."""
    schemas = rest()
    made = [
        _operation(schemas, template, method, item)
        for template, methods in schemas.document["paths"].items()
        for method, item in methods.items()
    ]
    listed = schemas.document["paths"]["/repos/{owner}/{repo}/commits/{ref}/statuses"]["get"]
    made.append(_operation(schemas, _OLD_STATUSES, "get", listed))
    return tuple(sorted(made, key=lambda one: (-sum(not step.startswith("{") for step in one.template.split("/")), one.template)))


def find(method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation of a request and the values in its path."""
    for operation in operations():
        if operation.method == method and (values := operation.parameters(path)) is not None:
            return operation, values
    return None


def _typed(schema: Json, text: str) -> Any:
    if schema.get("type") == "integer" and re.fullmatch(r"-?\d+", text):
        return int(text)
    return text


def request_problems(
    operation: Operation, values: Mapping[str, str], query: Mapping[str, str], body: Any, *, sent: bool
) -> list[str]:
    """What is wrong with a request: parameters that are unknown or of a wrong type, a body that does not fit."""
    schemas = rest()
    wrong = [f"query {name}: unknown" for name in query if name not in operation.query]
    for name, text in (*values.items(), *((name, text) for name, text in query.items() if name in operation.query)):
        schema = operation.inputs.get(name, {})
        wrong += [f"{name}: {problem}" for problem in schemas.problems(schema, _typed(schema, text))]
    if operation.body is None:
        return wrong + (["body: none is described"] if sent else [])
    if not sent:
        return wrong + (["body: missing"] if operation.body_required else [])
    return wrong + [f"body {problem}" for problem in schemas.problems(operation.body, body)]


_ERROR: Json = {
    "type": "object",
    "properties": {"message": {"type": "string"}, "documentation_url": {"type": "string"}, "errors": {"type": "array"}},
    "required": ["message", "documentation_url"],
}


def reply_problems(operation: Operation, status: int, body: Any) -> list[str]:
    """What is wrong with an answer of the fake itself."""
    code = str(status)
    if status >= 400:
        errors = rest().problems(
            operation.replies.get(code) or _ERROR, {key: item for key, item in body.items() if key != "status"}
        )
        return [f"{code}: {problem}" for problem in errors]
    if code not in operation.replies:
        return [f"{code}: not a published status"]
    schema = operation.replies[code]
    if schema is None:
        return [] if body is None else [f"{code}: a body where none is described: {json.dumps(body)[:80]}"]
    return [f"{code} {problem}" for problem in rest().problems(schema, body)]
