"""RU-1: a source split into documents, each refused or kept by itself."""

import pytest

from kodus_check.model import Mode, Notice, NoticeKind, Rule, RuleStatus, Severity
from kodus_check.rules.documents import MAX_SOURCE_BYTES, read_source
from tests.rules.rig import OK, load, matched, rule, scanned, source

A, B = rule("a"), rule("b")
JSON = '{"id": "a", "language": "typescript", "rule": {"pattern": "parseFloat($A)"}}'


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(A, [(1, "a")], id="one document"),
        pytest.param(A.rstrip("\n"), [(1, "a")], id="no newline at the end"),
        pytest.param("---\n" + A, [(2, "a")], id="leading marker"),
        pytest.param("---\n---\n" + A, [(3, "a")], id="two leading markers"),
        pytest.param(A + "---\n", [(1, "a")], id="trailing marker"),
        pytest.param(A + "---", [(1, "a")], id="trailing marker without newline"),
        pytest.param(A + "...\n", [(1, "a")], id="end marker"),
        pytest.param(A + "---\n" + B, [(1, "a"), (5, "b")], id="two documents"),
        pytest.param(A + "---\n---\n---\n" + B + "---\n", [(1, "a"), (7, "b")], id="empty documents between"),
        pytest.param(A + "...\n---\n" + B, [(1, "a"), (6, "b")], id="end marker and marker"),
        pytest.param("\n\n# note\n" + A, [(4, "a")], id="comments and empty lines first"),
        pytest.param(A + "---\n# note\n\n" + B, [(1, "a"), (7, "b")], id="the line is that of the first key"),
        pytest.param("--- # note\n" + A, [(2, "a")], id="marker with a comment"),
        pytest.param(A + "--- # note\n" + B, [(1, "a"), (5, "b")], id="marker with a comment between"),
        pytest.param("---\t\n" + A, [(2, "a")], id="marker with a tab"),
        pytest.param("--- " + JSON, [(1, "a")], id="document on the marker's line"),
        pytest.param(B + "--- " + JSON + "\n---\n" + rule("c"), [(1, "b"), (4, "a"), (6, "c")], id="the same between others"),
        pytest.param(crlf("---\n" + A + "---\n" + B), [(2, "a"), (6, "b")], id="CRLF"),
        pytest.param("\ufeff" + A, [(1, "a")], id="BOM"),
        pytest.param("\ufeff---\n" + A, [(2, "a")], id="BOM and marker"),
        pytest.param(JSON, [(1, "a")], id="JSON"),
        pytest.param(JSON.replace(", ", ",\n").replace("{", "{\n", 1), [(1, "a")], id="JSON on several lines"),
        pytest.param("%YAML 1.2\n---\n" + A, [(3, "a")], id="directive"),
        pytest.param("%TAG ! tag:x,2000:\n---\n" + A + "...\n%YAML 1.2\n---\n" + B, [(3, "a"), (9, "b")], id="directives of two"),
        pytest.param(A.replace("id", '"id"'), [(1, "a")], id="quoted key"),
        pytest.param(rule("a", "note: |\n  x\n  --- y\n  ...\nrule: {pattern: parseFloat($A)}"), [(1, "a")], id="indented marker"),
        pytest.param(rule("a", 'message: "---"\nrule: {pattern: parseFloat($A)}'), [(1, "a")], id="marker in quotes"),
        pytest.param(rule("a", "rule: {any: [&p {pattern: parseFloat($A)}, *p]}"), [(1, "a")], id="anchor and alias"),
        pytest.param("? id\n: a\n? language\n: ts\n? rule\n: {pattern: parseFloat($A)}\n", [(1, "a")], id="explicit keys"),
    ],
)
def test_documents_of_a_source(text: str, found: list[tuple[int, str]]) -> None:
    """Each has its line, is taken by ast-grep as it stands and runs exactly once."""
    with load(text) as rules:
        assert [(one.line, one.id) for one in rules.rules] == found
        assert [one.reason for one in rules.rules] == [""] * len(found)
        assert rules.notices == []
    assert matched(scanned(text, {"x.ts": "parseFloat(a)"})) == {"x.ts": len(found)}


def test_a_bom_is_no_part_of_the_rule() -> None:
    (found,), _ = read_source(source("\ufeff" + A))
    assert found.text == A


@pytest.mark.parametrize(
    "text", ["", "\n", "# only\n# comments\n", "---\n", "---\n---", "...\n", "\ufeff", "%YAML 1.2\n---\n", "~"]
)
def test_nothing_in_it(text: str) -> None:
    assert read_source(source(text)) == ([], [])


PLAIN_IDS = [
    "a/b",
    "a#b",
    "😀",
    "012",
    "1e3",
    "0x1F",
    "0o17",
    "1_000",
    "2020-01-01",
    "1:30",
    "yes",
    "off",
    "=",
    "<<",
    ".nan",
    "1.0.0",
]
QUOTED_IDS = {
    '"a b\\nc"': "a b\nc",
    '" a "': " a ",
    '"12"': "12",
    '"null"': "null",
    "'it''s'": "it's",
    '"\\x41"': "A",
    "!!str 12": "12",
    "|\n  a\n  b": "a\nb\n",
    ">-\n  a\n  b": "a b",
}


@pytest.mark.parametrize(
    ("written", "name"),
    [*zip(PLAIN_IDS, PLAIN_IDS, strict=True), *QUOTED_IDS.items()],
)
def test_an_id_is_what_ast_grep_reports(written: str, name: str) -> None:
    """A different reading of one scalar would lose every match of the rule without a word."""
    with load(rule(written)) as rules:
        assert [(one.id, one.reason) for one in rules.rules] == [(name, "")]
    for files in ({"x.ts": "parseFloat(a)"}, {"x.ts": "parseFloat(a)", "y.ts": "b"}):
        (found,) = scanned(rule(written), files).matches.values()
        assert [match.rule_id for match in found] == [name]


@pytest.mark.parametrize(
    ("end", "note"),
    [
        ("note: |\n  x", "x"),
        ("note: |\n  x\n", "x\n"),
        ("note: |-\n  x\n", "x"),
        ("note: |+\n  x\n\n", "x\n\n"),
        ("note: >\n  x\n  y\n", "x y\n"),
    ],
)
def test_a_block_scalar_at_the_end(end: str, note: str) -> None:
    """The last newline is there if the source has it, and a marker line that follows does not add or take one."""
    for text in (OK + end, B + "---\n" + OK + end):
        assert read_source(source(text))[0][-1].note == note
        assert read_source(source(text))[0][-1].text.endswith(end)
    first, second = read_source(source(OK + end + ("" if end.endswith("\n") else "\n") + "---\n" + B))[0]
    assert (first.note, second.note) == (note if end.endswith("\n") else f"{note}\n", "")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{x}: &{x} [{', '.join([f'*{y}'] * 9)}]\n" for y, x in zip("abcde", "bcdef", strict=True)
)
NO_ID = "it has no `id` (a text that names it)"
NO_LANGUAGE = "it has no `language` (one name; a list is not possible)"
SEVERITY = "`metadata.severity` must be one of critical, high, medium, low, info"
MODE = "`metadata.mode` must be one of shadow, comment, gate"
CONTROL = "control characters are not allowed"

REFUSED = [
    # text, 1-based line in it, id, reason
    pytest.param("language: ts\nrule: {kind: x}\n", 1, "", NO_ID, id="no id"),
    pytest.param("id:\nlanguage: ts\nrule: {kind: x}\n", 1, "", NO_ID, id="null id"),
    pytest.param("id: 12\nlanguage: ts\nrule: {kind: x}\n", 1, "", NO_ID, id="number as id"),
    pytest.param("id: true\nlanguage: ts\nrule: {kind: x}\n", 1, "", NO_ID, id="boolean as id"),
    pytest.param("id: [a]\nlanguage: ts\nrule: {kind: x}\n", 1, "", NO_ID, id="list as id"),
    pytest.param('id: ""\nlanguage: ts\nrule: {kind: x}\n', 1, "", NO_ID, id="empty id"),
    pytest.param('id: "  "\nlanguage: ts\nrule: {kind: x}\n', 1, "  ", NO_ID, id="blank id"),
    pytest.param("id: a\nlanguage: ts\n", 1, "a", "it has no `rule`", id="no rule"),
    pytest.param("# x\n\nid: a\nlanguage: ts\nrule:\n", 3, "a", "it has no `rule`", id="null rule, comments first"),
    pytest.param("id: a\nrule: {kind: x}\n", 1, "a", NO_LANGUAGE, id="no language"),
    pytest.param("id: a\nlanguage: [ts, tsx]\nrule: {kind: x}\n", 1, "a", NO_LANGUAGE, id="list of languages"),
    pytest.param("id: a\nlanguage: 1\nrule: {kind: x}\n", 1, "a", NO_LANGUAGE, id="number as language"),
    pytest.param(rule("a", "metadata: {severity: error}\nrule: {kind: x}"), 1, "a", SEVERITY, id="severity in ast-grep's words"),
    pytest.param(rule("a", "metadata: {severity: High}\nrule: {kind: x}"), 1, "a", SEVERITY, id="severity in capitals"),
    pytest.param(rule("a", "metadata: {severity: [high]}\nrule: {kind: x}"), 1, "a", SEVERITY, id="list of severities"),
    pytest.param(rule("a", "metadata: {severity: }\nrule: {kind: x}"), 1, "a", SEVERITY, id="null severity"),
    pytest.param(rule("a", "metadata: {mode: block}\nrule: {kind: x}"), 1, "a", MODE, id="unknown mode"),
    pytest.param(rule("a", "metadata: {mode: 1}\nrule: {kind: x}"), 1, "a", MODE, id="number as mode"),
    pytest.param("just text\n", 1, "", "a rule is a mapping with `id`, `language` and `rule`", id="text"),
    pytest.param("- id: a\n- id: b\n", 1, "", "a rule is a mapping with `id`, `language` and `rule`", id="list"),
    pytest.param("id: a\nlanguage: ts\nrule: {kind: [}\n", 3, "", "did not find expected node content", id="syntax"),
    pytest.param("id: a\n rule: x\n", 2, "", "mapping values are not allowed in this context", id="indent"),
    pytest.param("id: a\nlanguage: ts\nrule:\n\tkind: x\n", 4, "", "found character that cannot start any token", id="tab"),
    pytest.param(A + "id: b\n", 4, "", "the key `id` stands twice", id="duplicate key"),
    pytest.param(rule("a", "rule:\n  kind: x\n  kind: y"), 5, "", "the key `kind` stands twice", id="duplicate key inside"),
    pytest.param("id: !foo a\n", 1, "", "the tag `!foo` has no meaning here", id="foreign tag"),
    pytest.param("id: a\nrule: !!set {}\n", 2, "", "the tag `tag:yaml.org,2002:set` has no meaning here", id="YAML set"),
    pytest.param("{a: 1}: b\n", 1, "", "a key must be plain text", id="mapping as key"),
    pytest.param("id: *a\n", 1, "", "found undefined alias", id="alias of nothing"),
    pytest.param("id: &a [*a]\n", 1, "", "this is nested too deeply (or an alias contains itself)", id="recursion"),
    pytest.param(BOMB + A, 1, "", "aliases expand to too much; write the values out", id="alias bomb"),
    pytest.param("id: a\0\n", 1, "", f"this is not YAML: unacceptable character #x0000: {CONTROL}", id="NUL"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "name", "reason"), REFUSED)
def test_a_bad_document_is_refused_alone(text: str, line: int, name: str, reason: str) -> None:
    whole = rule("before") + "---\n" + text + "---\n" + rule("after")
    rules, notices = read_source(source(whole, line=100))
    before, bad, after = rules
    assert (before.id, before.status, before.line) == ("before", RuleStatus.LOADED, 100)
    assert (after.id, after.status, after.line) == ("after", RuleStatus.LOADED, 105 + text.count("\n"))
    assert (bad.id, bad.status, bad.line, bad.reason) == (name, RuleStatus.REFUSED, 103 + line, reason)
    what = f"`{name}`" if name else "This document"
    assert notices == [
        Notice(
            NoticeKind.RULE_REFUSED,
            f"{what} does not run: {reason}. The other rules run. Correct the document at the base.",
            f"rules.yml:{103 + line}",
        )
    ]
    with load(whole) as loaded:
        assert [one.id for one in loaded.loaded] == ["before", "after"]


def test_an_unknown_language_is_refused_with_those_that_are_known() -> None:
    (bad,), _ = read_source(source(rule("a", language="vue")))
    assert (bad.status, bad.language) == (RuleStatus.REFUSED, "")
    assert bad.reason.startswith("ast-grep does not know the language `vue`; it knows bash, c, cpp, csharp, ")
    assert bad.reason.endswith(", tsx, typescript, yaml, zig")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(A.encode() + b"# \xff\n", "not UTF-8 (byte 61)", id="not UTF-8"),
        pytest.param(A.encode("utf-16"), "not UTF-8 (byte 0)", id="UTF-16"),
        pytest.param(
            A.encode() + b"#" * (MAX_SOURCE_BYTES + 1 - len(A)),
            "64,001 bytes; a rule source may have 64,000. Split it into several files",
            id="one byte too many",
        ),
    ],
)
def test_a_source_that_is_refused_whole(data: bytes, reason: str) -> None:
    notice = Notice(NoticeKind.SOURCE_REFUSED, f"No rule of this source runs: {reason}. Correct it at the base.", "rules.yml")
    assert read_source(source(data)) == ([], [notice])
    with load(data, B) as rules:
        assert [one.id for one in rules.loaded] == ["b"]


def test_a_source_of_the_largest_size_is_read() -> None:
    rules, notices = read_source(source(A.encode() + b"#" * (MAX_SOURCE_BYTES - len(A))))
    assert [one.id for one in rules] == ["a"]
    assert notices == []


# --- keys that ast-grep does not know ------------------------------------------------------------------------------------------

REST = ["language: typescript", "rule: {pattern: parseFloat($A)}"]


@pytest.mark.parametrize(
    ("lines", "dropped", "gone"),
    [
        # lines of the document, keys that are dropped, 1-based lines that are cut
        pytest.param(["id: a", "x: 1", *REST], ["x"], {2}, id="in the middle"),
        pytest.param(["x: 1", "id: a", *REST], ["x"], {1}, id="first"),
        pytest.param(["id: a", *REST, "x: 1"], ["x"], {4}, id="last"),
        pytest.param(["id: a", "x: 1", "y: 2", *REST, "z: 3"], ["x", "y", "z"], {2, 3, 6}, id="several"),
        pytest.param(["id: a", "x: |", "  rule: no", "", "  id: b", *REST], ["x"], {2, 3, 4, 5}, id="block scalar"),
        pytest.param(["id: a", "x:", "  y:", "    - 1", *REST], ["x"], {2, 3, 4}, id="nested mapping"),
        pytest.param(["id: a", "x:", "- 1", "- 2", *REST], ["x"], {2, 3, 4}, id="list without indent"),
        pytest.param(["id: a", 'x: "a', '  b"', *REST], ["x"], {2, 3}, id="quotes over two lines"),
        pytest.param(["id: a", "x: {a: 1,", "  b: 2}", *REST], ["x"], {2, 3}, id="flow mapping over two lines"),
        pytest.param(["id: a", "x: plain", "  text", *REST], ["x"], {2, 3}, id="plain text over two lines"),
        pytest.param(["id: a", '"x": 1', *REST], ["x"], {2}, id="quoted key"),
        pytest.param(["id: a", "<<: {id: b}", *REST], ["<<"], {2}, id="merge key"),
        pytest.param(["# c", "", "x: 1", "# d", "id: a", *REST], ["x"], {3, 4}, id="comments"),
        pytest.param(["id: a", "message: |", "  m", "x: 1", *REST], ["x"], {4}, id="after a block scalar"),
        pytest.param(["id: a", *REST, "note: |", "  n", "x: |", "  1"], ["x"], {6, 7}, id="last, after a block scalar"),
        pytest.param(["id: a", "ast-grep-essentials: true", *REST], ["ast-grep-essentials"], {2}, id="of a public collection"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_unknown_keys_are_cut_out(lines: list[str], dropped: list[str], gone: set[int], newline: str) -> None:
    """The rule runs, every other line is the source's own at its own number, and each key that is gone is named."""
    first = rule("zero") + "---\n"
    text = first + "".join(line + newline for line in lines)
    with load(text) as rules:
        cut = rules.rules[1]
        assert (cut.id, cut.status, cut.reason) == ("a", RuleStatus.LOADED, "")
        kept = cut.text.split("\n")
        assert kept[:4] == [""] * 4
        assert [number for number, line in enumerate(kept[4 : 4 + len(lines)], start=1) if line == "#"] == sorted(gone)
        for number, line in enumerate(lines, start=1):
            assert number in gone or kept[3 + number] == line + newline.rstrip("\n")
        assert rules.notices == [
            Notice(
                NoticeKind.RULE_KEY_DROPPED,
                f"`a` is read without its key `{key}`, which ast-grep does not know. Move it under `metadata`.",
                f"r0.yml:{cut.line}",
            )
            for key in dropped
        ]
    assert matched(scanned(text, {"x.ts": "parseFloat(a)"})) == {"x.ts": 2}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"x": 1, "id": "a", "language": "ts", "rule": {"kind": "identifier"}}', id="one line"),
        pytest.param('{"x": 1,\n "id": "a",\n "language": "ts",\n "rule": {"kind": "identifier"}}', id="first"),
        pytest.param('{\n "id": "a",\n "x": 1,\n "language": "ts",\n "rule": {"kind": "identifier"}\n}', id="in the middle"),
        pytest.param('{"id": "a",\n "language": "ts",\n "rule": {"kind": "identifier"},\n "x": 1}', id="last"),
        pytest.param('--- {"id": "a",\n "x": 1,\n "language": "ts",\n "rule": {"kind": "identifier"}}', id="on the marker's line"),
        pytest.param("&m {id: a,\nx: 1,\nlanguage: ts,\nrule: {kind: identifier}}", id="anchor"),
    ],
)
def test_a_flow_mapping_with_an_unknown_key_is_left_to_ast_grep(text: str) -> None:
    with load(text) as rules:
        (refused,) = rules.rules
        assert refused.status is RuleStatus.REFUSED
        assert refused.reason.startswith("unknown field `x`, expected one of id, language, rule, ")
        assert [notice.kind for notice in rules.notices] == [NoticeKind.RULE_REFUSED]


# --- what a document says about itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "severity", "status"),
    [
        ("severity: error", Severity.HIGH, RuleStatus.LOADED),
        ("severity: warning", Severity.MEDIUM, RuleStatus.LOADED),
        ("severity: info", Severity.LOW, RuleStatus.LOADED),
        ("severity: hint", Severity.INFO, RuleStatus.LOADED),
        ("", Severity.INFO, RuleStatus.LOADED),
        ("severity: off", Severity.INFO, RuleStatus.OFF),
        ('severity: "off"', Severity.INFO, RuleStatus.OFF),
        ("metadata: {severity: critical}", Severity.CRITICAL, RuleStatus.LOADED),
        ("severity: hint\nmetadata: {severity: high}", Severity.HIGH, RuleStatus.LOADED),
        ("severity: error\nmetadata: {severity: low}", Severity.LOW, RuleStatus.LOADED),
        ("severity: error\nmetadata: {severity: medium}", Severity.MEDIUM, RuleStatus.LOADED),
        ("severity: error\nmetadata: {severity: info}", Severity.INFO, RuleStatus.LOADED),
        ("severity: off\nmetadata: {severity: high}", Severity.HIGH, RuleStatus.OFF),
        ("severity: error\nmetadata: {other: 1}", Severity.HIGH, RuleStatus.LOADED),
    ],
)
def test_severity(body: str, severity: Severity, status: RuleStatus) -> None:
    """CF-5."""
    with load(OK + body + "\n") as rules:
        (found,) = rules.rules
        assert (found.severity, found.status) == (severity, status)
        assert found.reason == ("severity: off" if status is RuleStatus.OFF else "")


@pytest.mark.parametrize(("body", "mode"), [("", None), *((f"metadata: {{mode: {mode}}}", mode) for mode in Mode)])
def test_mode(body: str, mode: Mode | None) -> None:
    (found,), _ = read_source(source(OK + body))
    assert found.mode is mode


def test_a_document_as_it_is_kept() -> None:
    text = "\n# c\nid: a\nlanguage: TS\nseverity: error\nnote: why\nmetadata: {mode: gate}\nrule: {kind: x}\n"
    rules, notices = read_source(source(text, "rules/x.yml", line=7))
    assert rules == [
        Rule(
            "a", "typescript", Severity.HIGH, RuleStatus.LOADED, "rules/x.yml", 9, text="\n" * 6 + text, mode=Mode.GATE, note="why"
        )
    ]  # fmt: skip
    assert notices == []


@pytest.mark.parametrize(
    ("glob", "why"),
    [
        ("./src/**", "it does not start at a name"),
        ("../src/**", "it does not start at a name"),
        ("/src/**", "it does not start at a name"),
        ("!lib/**", "`!` has no meaning here, use `ignores`"),
        ("src/", "it names a folder, `src/**` names what is in it"),
        ("src", "it names a folder or a file without extension; `src/**` names what is in the folder"),
        ("src/deep", "it names a folder or a file without extension; `src/deep/**` names what is in the folder"),
    ],
)
@pytest.mark.parametrize("key", ["files", "ignores"])
@pytest.mark.parametrize("form", ["{key}: ['{glob}']\n", "{key}:\n- glob: '{glob}'\n  caseInsensitive: true\n"])
def test_a_glob_that_matches_no_file_is_named(glob: str, why: str, key: str, form: str) -> None:
    """RU-8; ast-grep takes it without a word, and it matches nothing indeed."""
    text = OK + form.format(key=key, glob=glob)
    _, notices = read_source(source(text))
    assert notices == [
        Notice(
            NoticeKind.RULE_GLOB_INERT,
            f"`ok`: the glob `{glob}` in `{key}` matches no file: {why}. Globs are relative to the repository root.",
            "rules.yml:1",
        )
    ]
    files = {"src/a.ts": "parseFloat(a)", "src/deep/b.ts": "parseFloat(a)", "lib/c.ts": "parseFloat(a)"}
    assert matched(scanned(text, files)) == ({} if key == "files" else dict.fromkeys(sorted(files), 1))


@pytest.mark.parametrize(
    "glob", ["src/**", "**/*.ts", "src/*.ts", "*.ts", "src/a.ts", "src/?.ts", "{src,lib}/**", "src/[a-c].ts", "**", "s*"]
)
def test_a_glob_that_matches_gives_no_notice(glob: str) -> None:
    text = OK + f"files: ['{glob}']\n"
    assert read_source(source(text))[1] == []
    assert matched(scanned(text, {"src/a.ts": "parseFloat(a)"})) == {"src/a.ts": 1}
