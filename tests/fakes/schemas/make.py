"""Makes the committed slices of GitHub's published descriptions that the GitHub fake is checked against.

Run from the root of the project: ``python -m tests.fakes.schemas.make [FOLDER]``. FOLDER holds (or gets, by ``npm pack``)
the three packages below. Only what the fake serves is kept, with everything that it refers to; prose and examples are
dropped. The fake is closed-world, so an operation that is not in the slice does not exist.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import InterfaceTypeDefinitionNode, ObjectTypeDefinitionNode, parse, print_ast

HERE = Path(__file__).parent
REST = ("@octokit/openapi", "23.0.2", "generated/api.github.com.json")
WEBHOOKS = ("@octokit/openapi-webhooks", "12.1.0", "generated/api.github.com.json")
GRAPHQL = ("@octokit/graphql-schema", "15.26.1", "schema.graphql")

OPERATIONS = frozenset(
    {
        "git/get-ref",
        "issues/create-comment",
        "issues/delete-comment",
        "issues/get",
        "issues/get-comment",
        "issues/list-comments",
        "issues/update-comment",
        "pulls/create-reply-for-review-comment",
        "pulls/create-review",
        "pulls/create-review-comment",
        "pulls/delete-review-comment",
        "pulls/get",
        "pulls/get-review-comment",
        "pulls/list",
        "pulls/list-review-comments",
        "pulls/list-reviews",
        "pulls/update-review-comment",
        "rate-limit/get",
        "reactions/create-for-issue-comment",
        "repos/create-commit-status",
        "repos/get",
        "repos/get-branch",
        "repos/get-collaborator-permission-level",
        "repos/get-combined-status-for-ref",
        "repos/get-commit",
        "repos/list-commit-statuses-for-ref",
        "repos/list-pull-requests-associated-with-commit",
        "users/get-authenticated",
    }
)

EVENTS = (
    "issue-comment-created",
    "issue-comment-deleted",
    "issue-comment-edited",
    "merge-group-checks-requested",
    "pull-request-closed",
    "pull-request-converted-to-draft",
    "pull-request-edited",
    "pull-request-labeled",
    "pull-request-opened",
    "pull-request-ready-for-review",
    "pull-request-reopened",
    "pull-request-synchronize",
    "push",
    "workflow-dispatch",
    "workflow-run-completed",
)

TYPES: Mapping[str, str] = {
    "Query": "id node repository viewer",
    "Mutation": "minimizeComment resolveReviewThread unresolveReviewThread",
    "Repository": "id nameWithOwner pullRequest",
    "PullRequest": "id number title isDraft locked headRefOid baseRefName headRefName reviewThreads",
    "PullRequestReviewThreadConnection": "nodes edges pageInfo totalCount",
    "PullRequestReviewThreadEdge": "cursor node",
    "PullRequestReviewThread": "id isResolved isOutdated isCollapsed path line originalLine startLine originalStartLine diffSide "
    "startDiffSide subjectType resolvedBy comments viewerCanResolve viewerCanUnresolve viewerCanReply pullRequest",
    "PullRequestReviewCommentConnection": "nodes edges pageInfo totalCount",
    "PullRequestReviewCommentEdge": "cursor node",
    "PullRequestReviewComment": "id databaseId fullDatabaseId body author authorAssociation url path line originalLine outdated "
    "isMinimized minimizedReason createdAt updatedAt",
    "IssueComment": "id databaseId fullDatabaseId body author authorAssociation url isMinimized minimizedReason createdAt "
    "updatedAt",
    "PageInfo": "endCursor hasNextPage hasPreviousPage startCursor",
    "Actor": "login url",
    "Node": "id",
    "Minimizable": "isMinimized minimizedReason",
    "User": "id databaseId login url",
    "Bot": "id databaseId login url",
    "MinimizeCommentInput": "*",
    "MinimizeCommentPayload": "clientMutationId minimizedComment",
    "ResolveReviewThreadInput": "*",
    "ResolveReviewThreadPayload": "clientMutationId thread",
    "UnresolveReviewThreadInput": "*",
    "UnresolveReviewThreadPayload": "clientMutationId thread",
    "CommentAuthorAssociation": "*",
    "DiffSide": "*",
    "PullRequestReviewThreadSubjectType": "*",
    "ReportedContentClassifiers": "*",
    "BigInt": "*",
    "DateTime": "*",
    "GitObjectID": "*",
    "URI": "*",
}

_PROSE = frozenset({"description", "summary", "example", "examples", "externalDocs", "tags", "title", "headers", "deprecated"})


def packed(folder: Path, name: str, version: str) -> Path:
    """The tarball of a package, fetched by ``npm pack`` if it is not there."""
    tarball = folder / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    if not tarball.exists():
        subprocess.run(["npm", "pack", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return tarball


def member(tarball: Path, name: str) -> str:
    """The text of a file in a package."""
    with tarfile.open(tarball) as archive:
        file = archive.extractfile(f"package/{name}")
        assert file is not None, f"{tarball}: no {name}"
        return file.read().decode()


def slim(value: Any, *, names: bool = False) -> Any:
    """The description without prose; ``names`` says that the keys are names somebody gave, which all stay."""
    if isinstance(value, list):
        return [slim(item) for item in value]
    if not isinstance(value, dict):
        return value
    maps = {"properties", "schemas", "paths", "responses", "parameters", "patternProperties"}
    return {
        key: slim(item, names=not names and key in maps)
        for key, item in value.items()
        if names or not (key in _PROSE or key.startswith("x-"))
    }


def references(value: Any) -> Iterator[str]:
    """Every ``$ref`` in a description."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item
            else:
                yield from references(item)


def closure(document: Mapping[str, Any], roots: Any) -> dict[str, Any]:
    """The components that ``roots`` need, directly and through each other."""
    components: dict[str, Any] = {}
    waiting = list(references(roots))
    while waiting:
        _, _, section, name = waiting.pop().split("/", 3)
        if name in components.setdefault(section, {}):
            continue
        component = slim(document["components"][section][name])
        components[section][name] = component
        waiting.extend(references(component))
    return {section: dict(sorted(items.items())) for section, items in sorted(components.items())}


def body_only(document: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """What the fake checks of an operation: parameters, request body, JSON replies of success."""
    kept: dict[str, Any] = {"operationId": operation["operationId"], "parameters": operation.get("parameters", [])}
    if "requestBody" in operation:
        kept["requestBody"] = operation["requestBody"]
    responses = {}
    for code, response in operation["responses"].items():
        found = response
        while "$ref" in found:
            _, _, section, name = found["$ref"].split("/", 3)
            found = document["components"][section][name]
        content = found.get("content", {}).get("application/json")
        if code.startswith("2") or content:
            responses[code] = {"content": {"application/json": {"schema": content["schema"]}}} if content else {}
    kept["responses"] = responses
    return slim(kept)  # type: ignore[no-any-return] # a dict in is a dict out


def rest_slice(document: Mapping[str, Any]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    found = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and operation.get("operationId") in OPERATIONS:
                paths.setdefault(path, {})[method] = body_only(document, operation)
                found.add(operation["operationId"])
    assert found == OPERATIONS, f"not published: {sorted(OPERATIONS - found)}"
    info = {"title": "A slice of GitHub's REST API", "version": document["info"]["version"]}
    return {"openapi": document["openapi"], "info": info, "paths": paths, "components": closure(document, paths)}


def webhook_slice(document: Mapping[str, Any]) -> dict[str, Any]:
    events = {
        name: slim(document["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"]) for name in EVENTS
    }
    info = {"title": "A slice of GitHub's webhook payloads", "version": document["info"]["version"]}
    return {"openapi": document["openapi"], "info": info, "events": events, "components": closure(document, events)}


def _named(items: Iterable[Any], wanted: str) -> tuple[Any, ...]:
    if wanted == "*":
        return tuple(items)
    kept = tuple(item for item in items if item.name.value in wanted.split())
    missing = set(wanted.split()) - {item.name.value for item in kept}
    assert not missing, f"not published: {sorted(missing)}"
    return kept


def graphql_slice(text: str) -> str:
    """The picked types with the picked fields; interfaces and union members outside the slice are cut."""
    kept = []
    for node in parse(text, no_location=True).definitions:
        name = getattr(getattr(node, "name", None), "value", "")
        if name not in TYPES:
            continue
        changes: dict[str, Any] = {}
        if isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
            changes["fields"] = _named(node.fields or (), TYPES[name])
            changes["interfaces"] = tuple(item for item in node.interfaces or () if item.name.value in TYPES)
        kept.append(print_ast(_bare(replace(node, **changes))))
    assert len(kept) == len(TYPES), "a type is not published"
    return "\n\n".join(sorted(kept)) + "\n"


def _bare(node: Any) -> Any:
    """A definition without the descriptions and directives of it and of all below it."""
    changes: dict[str, Any] = {name: value for name, value in (("description", None), ("directives", ())) if hasattr(node, name)}
    for name in ("fields", "values", "arguments"):
        if hasattr(node, name):
            changes[name] = tuple(_bare(item) for item in getattr(node, name) or ())
    return replace(node, **changes)


def main(folder: Path) -> None:
    notice = ["The files beside this one are cut from the packages below by make.py.\n"]
    texts = {}
    for name, version, file in (REST, WEBHOOKS, GRAPHQL):
        tarball = packed(folder, name, version)
        texts[name] = member(tarball, file)
        licence = member(tarball, "LICENSE.md" if name == GRAPHQL[0] else "LICENSE").strip()
        notice.append(f"{name} {version} (npm)\n\n{licence}\n")
    for target, document in (
        ("github-openapi.json", rest_slice(json.loads(texts[REST[0]]))),
        ("github-webhooks.json", webhook_slice(json.loads(texts[WEBHOOKS[0]]))),
    ):
        (HERE / target).write_text(json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n")
    (HERE / "github.graphql").write_text(graphql_slice(texts[GRAPHQL[0]]))
    (HERE / "NOTICE").write_text(("\n" + "-" * 70 + "\n\n").join(notice))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
