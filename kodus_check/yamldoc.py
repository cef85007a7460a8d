"""YAML read as nodes, with the place of every key and value: one strict reader for config, sgconfig and rule documents.

Plain YAML 1.1 loading would turn ``on`` into true, ``012`` into 10 and let the last of two equal keys win without a word.
Here scalars follow the YAML 1.2 core schema, keys are always the text as written, and duplicate keys, foreign tags,
recursion and alias bombs are errors with line and column.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml reads the same language, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

Path = tuple[str | int, ...]

MAX_NODES = 50_000
MAX_DEPTH = 100

_STR = "tag:yaml.org,2002:str"
# What YAML 1.1 makes of a plain scalar. Only that it is plain is taken from this; its type is decided by the patterns below.
_IMPLICIT_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "null", "bool", "int", "float", "timestamp", "merge", "value")}

_NULL = re.compile(r"~|null|Null|NULL|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class YamlProblem(ValueError):
    """``message`` and the 1-based ``line`` and ``column`` where it stands."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """``value`` as plain Python data; ``places`` gives 1-based (line, column) of each value, ``key_places`` of each key.

    ``start`` and ``end`` are character offsets of the document's root node in the text.
    """

    value: Any
    places: dict[Path, tuple[int, int]] = field(repr=False)
    key_places: dict[Path, tuple[int, int]] = field(repr=False)
    start: int
    end: int
    line: int

    def place(self, path: Path) -> tuple[int, int]:
        """Where ``path`` stands; of a path that does not exist, its nearest existing ancestor."""
        while path and path not in self.places:
            path = path[:-1]
        return self.key_places.get(path, self.places[path])


def read_documents(text: str) -> Iterator[YamlDocument]:
    """Every document of ``text`` in order; raises :class:`YamlProblem` at the first that is not YAML. Empty ones are None."""
    loader = _Loader(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield _document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _problem(error.problem or "this is not YAML", mark) from None
    except yaml.YAMLError as error:
        raise YamlProblem(f"this is not YAML: {error}".split("\n")[0], 1, 1) from None
    finally:
        loader.dispose()


def read_document(text: str) -> YamlDocument:
    """The one document of ``text``."""
    documents = read_documents(text)
    first = next(documents, None)
    if first is None:
        return YamlDocument(None, {(): (1, 1)}, {}, 0, 0, 1)
    second = next(documents, None)
    if second is not None:
        raise YamlProblem("a second document (`---`) starts here; one was expected", second.line, 1)
    return first


def _document(root: yaml.Node) -> YamlDocument:
    places: dict[Path, tuple[int, int]] = {}
    key_places: dict[Path, tuple[int, int]] = {}
    seen = 0

    def build(node: yaml.Node, path: Path) -> Any:
        nonlocal seen
        seen += 1
        if seen > MAX_NODES:
            raise _problem("aliases expand to too much; write the values out", node.start_mark)
        if len(path) > MAX_DEPTH:
            raise _problem("this is nested too deeply (or an alias contains itself)", node.start_mark)
        places[path] = _place(node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            _check_tag(node, "tag:yaml.org,2002:seq")
            return [build(item, (*path, index)) for index, item in enumerate(node.value)]
        _check_tag(node, "tag:yaml.org,2002:map")
        out: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _problem("a key must be plain text", key.start_mark)
            if key.value in out:
                raise _problem(f"the key `{key.value}` stands twice", key.start_mark)
            key_places[(*path, key.value)] = _place(key.start_mark)
            out[key.value] = build(value, (*path, key.value))
        return out

    value = build(root, ())
    mark = root.start_mark
    return YamlDocument(value, places, key_places, mark.index, root.end_mark.index, mark.line + 1)


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.tag not in _IMPLICIT_TAGS:
        _check_tag(node, _STR)
    if node.style or node.tag in (_STR, "!"):
        return text
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text[0] in "tT"
    if _INT.fullmatch(text):
        # A leading zero is octal in YAML 1.1 and decimal in 1.2; people mean neither of them, so it stays text.
        return text if len(text.lstrip("-+")) > 18 or re.match(r"[-+]?0[0-9]", text) else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _check_tag(node: yaml.Node, default: str) -> None:
    if node.tag not in (default, "!", "?"):
        raise _problem(f"the tag `{node.tag}` has no meaning here", node.start_mark)


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _problem(message: str, mark: Any) -> YamlProblem:
    if mark is None:
        return YamlProblem(message, 1, 1)
    return YamlProblem(message, *_place(mark))
