r"""YAML frontmatter of a skill, read as nodes, so that everything is seen as it was written.

T1  ``!!python/…`` and other tags make a loader build objects                     -> any tag is refused, nothing is constructed
T2  aliases that expand without end; keys merged in from elsewhere                -> anchors, aliases and ``<<`` are refused
T3  deep nesting overflows a recursive reader                                     -> events first, which do not recurse, bounded
T4  two equal keys, of which a reader and a person each see another one           -> refused where the key means something
T5  a repair that swallows a control (a lost line end before it)                  -> no repair where a control is involved
T6  YAML breaks lines where no file does (a lone ``\r``, U+2028): lines run away     -> lines are counted in the file
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml
from yaml.reader import ReaderError

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml reads the same language, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_BYTES = 64 * 1024
MAX_DEPTH = 40

CONTROLS = ("disable-model-invocation", "user-invocable")
_ONCE = ("name", "description", *CONTROLS)
_CONTROL_WORDS = re.compile(r"disable[-_]model[-_]invocation|user[-_]invocable", re.IGNORECASE)

_FENCE = re.compile(r"---[ \t]*")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_LINE = re.compile(r"([A-Za-z_][\w-]*):[ \t]+(\S.*)")


class Broken(ValueError):
    """Frontmatter that is not read: ``reason``, the 1-based ``line`` of the file, and whether it is the YAML that is broken."""

    def __init__(self, reason: str, line: int = 1, *, yaml_error: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.yaml_error = yaml_error


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The root's entries by key (the last of several) and their 1-based lines in the file, the byte offset of the body, and the
    keys whose value was repaired."""

    entries: dict[str, yaml.Node]
    places: dict[str, int]
    body: int
    repaired: tuple[str, ...] = ()

    def line(self, key: str) -> int:
        return self.places.get(key, 1)


def decoded(data: bytes) -> str:
    """``data`` as UTF-8 with one byte order mark left out; Broken with the line of the first byte that is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Broken("not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise Broken(f"not UTF-8 (byte {offset:,})", data.count(b"\n", 0, offset) + 1) from None


def read_frontmatter(data: bytes) -> Frontmatter:
    """The frontmatter of a skill's bytes. Fences are whole lines; the first closing one counts."""
    text = decoded(data)
    block, after = _split(text)
    body = len(data) - len(text[after:].encode())
    if len(block.encode()) > MAX_BYTES:
        raise Broken(f"the frontmatter is larger than {MAX_BYTES // 1024} KiB", 2)
    try:
        return _read(block, body, ())
    except Broken as broken:
        repaired, keys = _repaired(block) if broken.yaml_error else (block, ())
        if not keys:
            raise
        try:
            found = _read(repaired, body, keys)
        except Broken:
            raise broken from None
        if len(_CONTROL_WORDS.findall(block)) != sum(key in CONTROLS for key in found.entries):
            raise Broken(f"{broken.reason}; not repaired, for an invocation control may be lost in it", broken.line) from None
        return found


def scalar(node: yaml.Node | None) -> str | None:
    """The text of a scalar as written; None for what is no scalar, and for a plain null."""
    if not isinstance(node, yaml.ScalarNode) or (not node.style and node.value in ("", "~", "null", "Null", "NULL")):
        return None
    text: str = node.value
    return text


def words(node: yaml.Node | None) -> tuple[str, ...]:
    """A list of texts, written as a list or with commas."""
    listed = node.value if isinstance(node, yaml.SequenceNode) else None
    parts = (scalar(node) or "").split(",") if listed is None else [scalar(item) or "" for item in listed]
    return tuple(part.strip() for part in parts if part.strip())


def entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """The entries of a mapping whose keys are plain text; none for anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def compose(text: str, line: int = 1) -> yaml.Node | None:
    """The one document of ``text`` as nodes: no tags, anchors, aliases or merge keys, not nested too deeply. Broken otherwise.

    ``line`` is the line of the file where ``text`` starts.
    """
    try:
        _check_events(text, line)
        node: yaml.Node | None = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if sum(map(text.count, "[{")) > 1_000:  # the scanner gives up before the first event is out
            raise Broken("nested too deeply", _line(text, mark.index if mark else 0, line)) from None
        problem = (error.problem or "this is not YAML").replace("'\\t'", "a tab")
        raise Broken(f"not YAML: {problem}", _line(text, mark.index if mark else 0, line), yaml_error=True) from None
    except yaml.YAMLError as error:
        position = text.find(chr(error.character)) if isinstance(error, ReaderError) else 0  # its own is in bytes with libyaml
        raise Broken("not YAML: it holds a control character", _line(text, position, line)) from None
    return node


def _split(text: str) -> tuple[str, int]:
    """What stands between the fences, and the offset behind the closing one."""
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0].removesuffix("\r")):
        first = next((number for number, line in enumerate(lines) if line.strip()), None)
        if first and _FENCE.fullmatch(lines[first].removesuffix("\r")):
            raise Broken("the frontmatter must begin on the first line", first + 1)
        raise Broken("no frontmatter: the file must begin with a line `---`, then `name:` and `description:`")
    offset = len(lines[0]) + 1
    for number, line in enumerate(lines[1:], 1):
        if _FENCE.fullmatch(line.removesuffix("\r")):
            block = lines[1:number]
            if any(_is_heading(block, index) for index in range(len(block))):
                break
            return "".join(f"{one}\n" for one in block), min(offset + len(line) + 1, len(text))
        offset += len(line) + 1
    raise Broken("the frontmatter is not closed by a line `---`")


def _is_heading(block: list[str], index: int) -> bool:
    """Whether this line is a heading of the body rather than a comment: a blank line stands beside it."""
    if not _HEADING.match(block[index]):
        return False
    return any(0 <= other < len(block) and not block[other].strip() for other in (index - 1, index + 1))


def _read(block: str, body: int, repaired: tuple[str, ...]) -> Frontmatter:
    root = compose(block, 2)
    if root is None:
        raise Broken("the frontmatter is empty", 2)
    if not isinstance(root, yaml.MappingNode):
        raise Broken("the frontmatter is no mapping of keys", _line(block, root.start_mark.index, 2))
    found: dict[str, yaml.Node] = {}
    places: dict[str, int] = {}
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if key.value in found and key.value in _ONCE:
            raise Broken(f"`{key.value}` stands twice", _line(block, key.start_mark.index, 2))
        found[key.value] = value
        places[key.value] = _line(block, key.start_mark.index, 2)
    return Frontmatter(found, places, body, repaired)


def _line(text: str, index: int, first: int) -> int:
    """The line of the file in which character ``index`` of ``text`` stands. A mark's own line counts every break of YAML (T6)."""
    return first + text.count("\n", 0, index)


def _check_events(text: str, line: int) -> None:
    depth = 0
    for event in yaml.parse(text, _Loader):
        place = event.start_mark.index if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Broken("YAML anchors and aliases are not read here; write the value out", _line(text, place, line))
        if getattr(event, "tag", None) is not None:
            raise Broken("YAML tags are not read here", _line(text, place, line))
        if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]:
            raise Broken("YAML merge keys are not read here", _line(text, place, line))
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
            if depth > MAX_DEPTH:
                raise Broken("nested too deeply", _line(text, place, line))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1


def _repaired(block: str) -> tuple[str, tuple[str, ...]]:
    """``block`` with plain one-line values that break YAML put in quotes, and the keys of these."""
    lines = block.split("\n")
    keys: list[str] = []
    for number, line in enumerate(lines):
        found = _LINE.fullmatch(line.rstrip(" \t\r"))
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if found is None or following[:1] in (" ", "\t") or not _is_repairable(*found.groups()):
            continue
        lines[number] = f"{found[1]}: '{found[2].replace(chr(39), chr(39) * 2)}'"
        keys.append(found[1])
    return "\n".join(lines), tuple(keys)


def _is_repairable(key: str, value: str) -> bool:
    if key in CONTROLS:
        return False
    # `argument-hint: [a] [b]`: a key that means nothing here
    opened = value[0] in "[{" and key not in _ONCE and sum(map(value.count, "[{")) <= MAX_DEPTH
    if not (opened or value[0] in "@`" or (value[0] not in "\"'[{|>&*!%#" and re.search(r":(?:[ \t]|$)", value))):
        return False
    return any(True for _ in _errors(f"{key}: {value}"))


def _errors(text: str) -> Iterator[str]:
    try:
        compose(text)
    except Broken as broken:
        yield broken.reason
