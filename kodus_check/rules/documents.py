"""Rule sources split into documents, each checked by itself.

One bad document fails a whole ast-grep run, and ast-grep accepts documents without an ``id`` and unknown names without a word. So
a document reaches it only when it has what it needs; whatever is refused here is refused alone, with its reason and line.
The text that runs is the source's own, each line at its own number: only the marker lines between documents and unknown top-level
keys are taken out of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kodus_check.model import Mode, Notice, NoticeKind, Rule, RuleStatus, Severity
from kodus_check.rules import languages
from kodus_check.yamldoc import YamlDocument, YamlProblem, read_document

MAX_SOURCE_BYTES = 64_000

KNOWN_KEYS = (
    "id", "language", "rule", "constraints", "utils", "transform", "fix", "rewriters", "message", "note", "severity", "labels",
    "files", "ignores", "url", "metadata",
)  # fmt: skip
UTILITY_KEYS = (*KNOWN_KEYS, "arguments")  # what the rules that use a utility rule give to it
SEVERITIES = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "info": Severity.LOW, "hint": Severity.INFO}

_MARKER = re.compile(r"(---|\.\.\.)(?=\s|$)")
_FLOW = re.compile(r"([&!]\S*\s+)*\{")  # an anchor or tag may stand before it


@dataclass(frozen=True, slots=True)
class RuleSource:
    """Where rules come from: ``name`` is a path at the base, ``builtin:PACK/file.yml`` or the place of inline YAML in the config.

    ``line`` is the line of ``name`` at which ``data`` starts. ``refused`` says why the source could not be read at all.
    """

    name: str
    data: bytes
    line: int = 1
    refused: str = ""


def read_source(source: RuleSource, known: tuple[str, ...] = KNOWN_KEYS) -> tuple[list[Rule], list[Notice]]:
    """Every document of a source with its fate, and what people should know about them. ``known`` are its top-level keys."""
    reason = source.refused
    if not reason and len(source.data) > MAX_SOURCE_BYTES:
        reason = f"{len(source.data):,} bytes; a rule source may have {MAX_SOURCE_BYTES:,}. Split it into several files."
    text = ""
    if not reason:
        try:
            text = source.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            reason = f"not UTF-8 (byte {error.start})"
    if reason:
        notice = Notice(
            NoticeKind.SOURCE_REFUSED, f"No rule of this source runs: {reason.rstrip('.')}. Correct it at the base.", source.name
        )
        return [], [notice]
    rules: list[Rule] = []
    notices: list[Notice] = []
    for line, part in split_documents(text):
        rule, found = _read_rule(source, line, part, known)
        if rule is not None:
            rules.append(rule)
            notices.extend(found)
    return rules, notices


def split_documents(text: str) -> Iterator[tuple[int, str]]:
    """(1-based line, text) of each document. A line that starts with ``---`` or ``...`` can be nothing but a marker in YAML."""
    start, lines = 1, list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        if marker := _MARKER.match(line):
            yield start, "\n".join(lines) + "\n"
            rest = line[3:] if marker[1] == "---" else ""
            # What follows the marker on its own line stays in its column, so that places in errors stay right.
            start, lines = (number, [f"   {rest}"]) if rest.strip() else (number + 1, [])
        else:
            lines.append(line)
    # The last line has a newline only if the source has it: a block scalar's value depends on that.
    yield start, "\n".join(lines)


def refuse(rule: Rule, reason: str) -> tuple[Rule, Notice]:
    """The rule as refused, and the notice that says so."""
    name = f"`{rule.id}`" if rule.id else "This document"
    notice = Notice(
        NoticeKind.RULE_REFUSED,
        f"{name} does not run: {reason.rstrip('.')}. The other rules run. Correct the document at the base.",
        f"{rule.source}:{rule.line}",
    )
    return replace(rule, status=RuleStatus.REFUSED, reason=reason), notice


def _read_rule(source: RuleSource, line: int, text: str, known: tuple[str, ...]) -> tuple[Rule | None, list[Notice]]:
    offset = source.line + line - 2
    blank = Rule("", "", Severity.INFO, RuleStatus.REFUSED, source.name, offset + 1)
    try:
        document = read_document(_without_directives(text))
    except YamlProblem as problem:
        rule, notice = refuse(replace(blank, line=offset + problem.line), problem.message)
        return rule, [notice]
    value = document.value
    if value is None:
        return None, []
    blank = replace(blank, line=offset + document.line)
    if not isinstance(value, dict):
        rule, notice = refuse(blank, "a rule is a mapping with `id`, `language` and `rule`")
        return rule, [notice]
    blank = replace(blank, id=value["id"] if isinstance(value.get("id"), str) else "")
    reason = _why_refused(value)
    if reason:
        rule, notice = refuse(blank, reason)
        return rule, [notice]
    kept, dropped = _cut_unknown_keys(text, document, known)
    metadata = value["metadata"] if isinstance(value.get("metadata"), dict) else {}
    severity = str(value.get("severity") or "hint")
    rule = replace(
        blank,
        language=languages.canonical(value["language"]) or "",
        severity=Severity(metadata["severity"]) if "severity" in metadata else SEVERITIES.get(severity, Severity.INFO),
        mode=Mode(metadata["mode"]) if "mode" in metadata else None,
        status=RuleStatus.OFF if severity == "off" else RuleStatus.LOADED,
        reason="severity: off" if severity == "off" else "",
        text="\n" * offset + kept,
        note=value["note"] if isinstance(value.get("note"), str) else "",
    )
    where = f"{rule.source}:{rule.line}"
    notices = [
        Notice(
            NoticeKind.RULE_KEY_DROPPED,
            f"`{rule.id}` is read without its key `{key}`, which ast-grep does not know. Move it under `metadata`.",
            where,
        )
        for key in dropped
    ]
    notices.extend(
        Notice(
            NoticeKind.RULE_GLOB_INERT,
            f"`{rule.id}`: the glob `{glob}` in `{key}` matches no file: {why}. Globs are relative to the repository root.",
            where,
        )
        for key in ("files", "ignores")
        for glob in _globs(value.get(key))
        if (why := _why_inert(glob))
    )
    constraints = value["constraints"] if isinstance(value.get("constraints"), dict) else {}
    notices.extend(
        Notice(
            NoticeKind.RULE_CONSTRAINT_INERT,
            f"`{rule.id}`: the constraint on `{name}` has no effect, because ast-grep does not look at constraints on `$$${name}`. "
            f"Match one node with `${name}` instead.",
            where,
        )
        for name in constraints
        if _is_multi_only(name, value["rule"])
    )
    return rule, notices


def _is_multi_only(name: str, rule: Any) -> bool:
    """Whether a rule uses a variable as ``$$$NAME`` and nowhere as ``$NAME``."""
    texts = list(_texts(rule))
    multi, single = re.compile(rf"\$\$\${re.escape(name)}\b"), re.compile(rf"(?<!\$)\${re.escape(name)}\b")
    return any(multi.search(text) for text in texts) and not any(single.search(text) for text in texts)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(part)


def _why_refused(value: dict[str, Any]) -> str:
    if not isinstance(value.get("id"), str) or not value["id"].strip():
        return "it has no `id` (a text that names it)"
    if value.get("rule") is None:
        return "it has no `rule`"
    if not isinstance(value.get("language"), str):
        return "it has no `language` (one name; a list is not possible)"
    if languages.canonical(value["language"]) is None:
        return f"ast-grep does not know the language `{value['language']}`; it knows {', '.join(languages.NAMES)}"
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        for key, allowed in (("severity", Severity), ("mode", Mode)):
            if key in metadata and metadata[key] not in list(allowed):
                return f"`metadata.{key}` must be one of {', '.join(allowed)}"
    return ""


def _cut_unknown_keys(text: str, document: YamlDocument, known: tuple[str, ...]) -> tuple[str, list[str]]:
    """The text with a comment for each line of an unknown top-level key, so that no line after it changes its number.

    A flow mapping stays whole: ast-grep refuses it then by itself.
    """
    lines = text.split("\n")
    starts = sorted((document.key_places[(key,)][0], key) for key in document.value)
    unknown = [key for _, key in starts if key not in known]
    line, column = document.places[()]
    if not unknown or _FLOW.match(lines[line - 1], column - 1) or len({line for line, _ in starts}) != len(starts):
        return text, []
    for (line, key), (end, _) in zip(starts, [*starts[1:], (len(lines) + 1, "")], strict=True):
        if key not in known:
            lines[line - 1 : end - 1] = ["#"] * (end - line)
    return "\n".join(lines), unknown


def without_keys(data: bytes, keys: tuple[str, ...]) -> bytes:
    """A source whose documents lack these top-level keys, every other line at its own number. What is not YAML stays as it is."""
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return data
    known = tuple(key for key in KNOWN_KEYS if key not in keys)
    for line, text in split_documents("\n".join(lines)):
        try:
            document = read_document(_without_directives(text))
        except YamlProblem:
            continue
        if not isinstance(document.value, dict):
            continue
        extra = tuple(key for key in document.value if key not in KNOWN_KEYS)
        # Without its last newline, or the marker line of the next document would count as the last key's.
        kept, cut = _cut_unknown_keys(text.removesuffix("\n"), document, known + extra)
        if cut:
            changed = kept.split("\n")
            lines[line - 1 : line - 1 + len(changed)] = changed
    return "\n".join(lines).encode()


def globs_of(text: str, key: str) -> list[str]:
    """The globs of ``files`` or ``ignores`` in the text of a checked document."""
    value = read_document(_without_directives(text)).value
    return _globs(value.get(key)) if isinstance(value, dict) else []


def _without_directives(text: str) -> str:
    return "\n".join("" if line.startswith("%") else line for line in text.split("\n"))


def _globs(value: Any) -> list[str]:
    """The glob texts of ``files`` or ``ignores``: a list of texts or of mappings with ``glob``."""
    items = value if isinstance(value, list) else []
    texts = [item.get("glob") if isinstance(item, dict) else item for item in items]
    return [text for text in texts if isinstance(text, str)]


def _why_inert(glob: str) -> str:
    if glob.startswith(("./", "../", "/")):
        return "it does not start at a name"
    if glob.startswith("!"):
        return "`!` has no meaning here, use `ignores`"
    if glob.endswith("/"):
        return f"it names a folder, `{glob}**` names what is in it"
    last = glob.rpartition("/")[2]
    if not any(char in glob for char in "*?[{") and "." not in last:
        return f"it names a folder or a file without extension; `{glob}/**` names what is in the folder"
    return ""
