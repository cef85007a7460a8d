"""RU-2, RU-3, RU-4: what the rules match in files of head, and what nothing in head can change about it."""

from collections.abc import Mapping, Sequence

import pytest

from kodus_check.model import CoverageReason, Match, RepoPath
from kodus_check.rules import scan as scan_module
from kodus_check.rules.scan import scan, scannable
from tests.repo import path
from tests.rules.rig import OK, load, matched, not_scanned, rule, scanned, spans, tree_of

CALL = "parseFloat(a)"


# --- places --------------------------------------------------------------------------------------------------------------------

PLACES = [
    # rule, file name, bytes, [(start, end, first line, last line, text)]
    pytest.param(OK, "a.ts", 'const s = "😀é"; parseFloat(s);', [(20, 33, 1, 1, "parseFloat(s)")], id="emoji before"),
    pytest.param(OK, "a.ts", "\ufeffconst x = parseFloat(a);", [(13, 26, 1, 1, CALL)], id="BOM"),
    pytest.param(
        OK,
        "a.ts",
        "// 456789012345678\r\n// 456789012345678\r\nfoo(parseFloat(\r\n b\r\n));",
        [(44, 62, 3, 5, "parseFloat(\r\n b\r\n)")],
        id="CRLF over lines",
    ),
    pytest.param(OK, "a.ts", b"// \xff\nparseFloat(a)", [(5, 18, 2, 2, CALL)], id="a bad byte before"),
    pytest.param(OK, "a.ts", b"parseFloat('\xe9\xff');", [(0, 16, 1, 1, "parseFloat('\\xe9\\xff')")], id="bad bytes inside"),
    pytest.param(OK, "a.ts", "parseFloat('é');".encode("latin-1"), [(0, 15, 1, 1, "parseFloat('\\xe9')")], id="Latin-1"),
    pytest.param(OK, "a.ts", b"\xed\xa0\x80;parseFloat(a)", [(4, 17, 1, 1, CALL)], id="an encoded surrogate"),
    pytest.param(OK, "a.ts", "\x00parseFloat(a);", [(1, 14, 1, 1, CALL)], id="NUL"),
    pytest.param(
        OK, "a.ts", "parseFloat(parseFloat(a))", [(0, 25, 1, 1, f"parseFloat({CALL})"), (11, 24, 1, 1, CALL)], id="nested"
    ),
    pytest.param(OK, "a.ts", "a\u2028b\x0c\nparseFloat(a)", [(7, 20, 2, 2, CALL)], id="what does not break lines"),
    pytest.param(OK, "a.ts", "a;\r\rparseFloat(a)", [(4, 17, 1, 1, CALL)], id="a lone CR breaks no line"),
    pytest.param(
        OK,
        "a.ts",
        "\n" * 12 + "parseFloat(a);\n" * 10,
        [(12 + 15 * n, 25 + 15 * n, 13 + n, 13 + n, CALL) for n in range(10)],
        id="many",
    ),
    pytest.param(OK, "a.mts", CALL, [(0, 13, 1, 1, CALL)], id="another extension"),
    pytest.param(OK, "a.d.ts", CALL, [(0, 13, 1, 1, CALL)], id="two extensions"),
    pytest.param(rule("ok", language="tsx"), "a.tsx", f"<b>{{{CALL}}}</b>", [(4, 17, 1, 1, CALL)], id="tsx"),
    pytest.param(rule("ok", language="js"), "a.jsx", f"<b>{{{CALL}}}</b>", [(4, 17, 1, 1, CALL)], id="jsx"),
    pytest.param(
        rule("ok", "rule: {pattern: useState($A)}"),
        "a.ts",
        "useState<number>(1); useState(1)",
        [(21, 32, 1, 1, "useState(1)")],
        id="type arguments",
    ),
    pytest.param(
        rule("ok", "rule: {pattern: 'run($$$A, shell=True, $$$B)'}", "python"),
        "a.py",
        "run(x, shell=True)",
        [],
        id="no argument after",
    ),
    pytest.param(
        rule("ok", "rule: {pattern: 'run($$$A, shell=True, $$$B)'}", "python"),
        "a.py",
        "run(x, shell=True, check=True)",
        [(0, 30, 1, 1, "run(x, shell=True, check=True)")],
        id="arguments around",
    ),
    pytest.param(
        rule("ok", "constraints: {ARGS: {regex: zzz}}\nrule: {pattern: log.error($$$ARGS)}"),
        "a.ts",
        "log.error(1)",
        [(0, 12, 1, 1, "log.error(1)")],
        id="an inert constraint",
    ),
    pytest.param(
        rule("ok", "severity: error\nrule: {pattern: parseFloat($A)}"), "a.ts", CALL, [(0, 13, 1, 1, CALL)], id="exit code 1"
    ),
    pytest.param(
        rule("ok", "rule: {kind: module}", "python"),
        "a.py",
        "a\nb\n",
        [(0, 4, 1, 2, "a\nb\n")],
        id="a match that ends with a newline",
    ),
    pytest.param(
        rule("ok", language="js"),
        "i.html",
        "<html>\n<script>\n  parseFloat(a)</script>",
        [(18, 31, 3, 3, CALL)],
        id="a script in HTML",
    ),
    pytest.param(
        OK, "i.html", f'é<script lang="ts">{CALL}</script><script>{CALL}</script>', [(20, 33, 1, 1, CALL)], id="TypeScript in HTML"
    ),
    pytest.param(
        rule("ok", "rule: {kind: class_name}", "css"), "i.html", "<style>\n.x{}\n</style>", [(9, 10, 2, 2, "x")], id="CSS in HTML"
    ),
    pytest.param(rule("ok", language="js"), "i.html", f'<p onclick="{CALL}">', [], id="an attribute in HTML"),
]


@pytest.mark.parametrize("others", [{}, {"other.ts": "b", "z/other.py": "b"}], ids=["alone", "with others"])
@pytest.mark.parametrize(("text", "name", "data", "places"), PLACES)
def test_places(
    text: str, name: str, data: str | bytes, places: list[tuple[int, int, int, int, str]], others: dict[str, str]
) -> None:
    """A file that is scanned alone is reported in another format; it must say the same."""
    raw = data.encode() if isinstance(data, str) else data
    files: dict[str, str | bytes] = {name: raw, **others}
    result = scanned(text, files)
    found = result.matches.get(path(name), [])
    assert [(one.byte_start, one.byte_end, one.start_line, one.end_line, one.text) for one in found] == places
    assert result.not_scanned == {}
    assert path(name) in result.read
    for one in found:
        assert one.text == raw[one.byte_start : one.byte_end].decode("utf-8", "backslashreplace")
        assert one.start_line == raw[: one.byte_start].count(b"\n") + 1


def test_a_match_as_it_is_reported() -> None:
    text = rule("ok", "message: Parse $A with care.\nrule: {pattern: parseFloat($A)}")
    for files in ({"src/a.ts": f"b;\n{CALL};"}, {"src/a.ts": f"b;\n{CALL};", "b.ts": "b"}):
        result = scanned(text, files)
        assert result.matches == {path("src/a.ts"): [Match("ok", path("src/a.ts"), 3, 16, 2, 2, CALL, "Parse a with care.")]}


@pytest.mark.parametrize("rules", [[OK, rule("b", "rule: {pattern: $F(a)}")], [OK + "---\n" + rule("b", "rule: {pattern: $F(a)}")]])
def test_equal_matches_are_counted(rules: list[str]) -> None:
    """PU-2: by rule, file and text with white space folded, in the order of the file."""
    code = "parseFloat(a);\nparseFloat( a );\nparseFloat(a);parseFloat( \n a )\n"
    result = scanned(rules, {"x.ts": code, "y.ts": code})
    for matches in result.matches.values():
        assert [(one.rule_id, one.start_line, one.ordinal) for one in matches] == [
            ("b", 1, 0), ("ok", 1, 0), ("b", 2, 0), ("ok", 2, 0), ("b", 3, 1), ("ok", 3, 1), ("b", 3, 1), ("ok", 3, 1),
        ]  # fmt: skip


def test_order_is_the_same_every_time() -> None:
    files = {f"{name}.ts": f"{CALL};b({CALL})\n" * 3 for name in "dbcafeghij"}
    rules = [OK, rule("b"), rule("a", "rule: {kind: identifier}")]
    first = scanned(rules, files)
    assert list(first.matches) == sorted(path(name) for name in files)
    for _ in range(5):
        again = scanned(rules, files)
        assert list(again.matches.items()) == list(first.matches.items())


# --- names ---------------------------------------------------------------------------------------------------------------------

NAMES = [
    "-x y.ts", "--help.ts", "[id].ts",
    "ünï😀.ts", "e\u0301.ts", "é.ts", "*.ts", "!x.ts", " lead.ts", "trail .ts", "a: b.ts", "a|b.ts",
    'q".ts', "a\\b.ts", "$A.ts", "a,b.ts", "~/x.ts", "STDIN.ts", "d: 1/skipped=x.ts", "x: skipped=emptyFile.ts", "@x.ts", "#x.ts",
    "%41.ts", ".hidden.ts", ".github/x.ts", "node_modules/q.ts", "target/x.ts", "a/b/c/d/e/f.ts",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_comes_back_as_it_is(name: str) -> None:
    assert matched(scanned(OK, {name: CALL})) == {name: 1}


def test_names_beside_each_other() -> None:
    result = scanned(OK, dict.fromkeys(NAMES, CALL))
    assert matched(result) == dict.fromkeys(sorted(NAMES, key=str.encode), 1)
    assert result.not_scanned == {}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param(b"a\nb.ts", CoverageReason.PATH_NOT_PLAIN, id="newline"),
        pytest.param(b"a\rb.ts", CoverageReason.PATH_NOT_PLAIN, id="CR"),
        pytest.param(b"a\x1bb.ts", CoverageReason.PATH_NOT_PLAIN, id="escape"),
        pytest.param("a\u2028b.ts".encode(), CoverageReason.PATH_NOT_PLAIN, id="U+2028"),
        pytest.param(b"bad\xff.ts", CoverageReason.PATH_NOT_PLAIN, id="not UTF-8"),
        pytest.param(b"x" * 253 + b".ts", CoverageReason.PATH_TOO_LONG, id="long component"),
        pytest.param("é".encode() * 127 + b".ts", CoverageReason.PATH_TOO_LONG, id="long component, in bytes"),
        pytest.param(b"/".join([b"d" * 200] * 25) + b"/a.ts", CoverageReason.PATH_TOO_LONG, id="long path"),
    ],
)
def test_a_name_that_cannot_be_scanned_costs_no_other(name: bytes, reason: CoverageReason) -> None:
    result = scanned(OK, {b"a.ts": CALL, name: CALL, b"z.ts": CALL})
    assert result.not_scanned == {RepoPath(name): reason}
    assert matched(result) == {"a.ts": 1, "z.ts": 1}


def test_the_longest_component() -> None:
    assert list(matched(scanned(OK, {"x" * 252 + ".ts": CALL})).values()) == [1]


@pytest.mark.parametrize("name", ["A.TS", "a.Ts", ".ts", "a", "Dockerfile", "a.vue", "a.txt"])
def test_what_ast_grep_does_not_read_is_not_read(name: str) -> None:
    """Such files are not given to it in a review; were they, they would not pass as clean."""
    assert not scannable(path(name), ["typescript", "tsx", "javascript"])
    result = scanned(OK, {name: CALL, "ok.ts": CALL})
    assert (matched(result), not_scanned(result)) == ({"ok.ts": 1}, {name: "not_read"})


@pytest.mark.parametrize(
    ("name", "languages", "possible"),
    [
        ("a.ts", ["typescript"], True), ("a.tsx", ["typescript"], False), ("a.ts", ["tsx"], False), ("a.jsx", ["javascript"], True),
        ("a.html", ["typescript"], True), ("a.html", ["javascript"], True), ("a.html", ["css"], True), ("a.html", ["html"], True),
        ("a.html", ["python"], False), ("a.py", ["go", "python"], True), ("a.py", [], False), ("a.TS", ["typescript"], False),
    ],
)  # fmt: skip
def test_scannable(name: str, languages: Sequence[str], possible: bool) -> None:
    assert scannable(path(name), languages) is possible


# --- what stands in head -------------------------------------------------------------------------------------------------------

HOSTILE: dict[str, Mapping[str, str]] = {
    "languageGlobs": {"sgconfig.yml": "ruleDirs: [rules]\nlanguageGlobs: {html: ['*.ts']}\n", "rules/x.yml": rule("x")},
    "broken sgconfig.yml": {"sgconfig.yml": "ruleDirs: ["},
    "nested sgconfig.yml": {"src/sgconfig.yml": "ruleDirs: [.]\nlanguageGlobs: {python: ['*.ts']}\n", "src/deep/sgconfig.yml": "]"},
    "utilDirs": {"sgconfig.yml": "ruleDirs: [r]\nutilDirs: [u]\n", "u/u.yml": rule("u", "rule: {kind: nope}")},
    "customLanguages": {
        "sgconfig.yml": "ruleDirs: []\ncustomLanguages: {x: {libraryPath: x.so, extensions: [ts]}}\n",
        "x.so": "\x7fELF",
    },
    "ignore files": {
        ".gitignore": "*\n",
        ".ignore": "*\n",
        "src/.gitignore": "*.ts\n",
        ".git-info-exclude": "*",
        "src/.ignore": "*",
    },
    "suppression": {"src/s.ts": "// ast-grep-ignore\nb;"},
    "rules of the same id": {"rules/ok.yml": rule("ok", "severity: off\nrule: {pattern: parseFloat($A)}"), "ok.yml": "id: ok\n"},
}


@pytest.mark.parametrize("files", HOSTILE.values(), ids=HOSTILE)
def test_nothing_of_head_has_a_say(files: Mapping[str, str]) -> None:
    result = scanned(
        [rule("ok", "rule: {kind: call_expression, matches: u}"), rule("y", "rule: {kind: document}", "yaml")],
        {**files, "src/a.ts": CALL, "src/deep/b.ts": CALL, "c.ts": CALL},
        utils=[rule("u")],
    )
    calls = {str(name): [one.rule_id for one in found] for name, found in result.matches.items() if name.suffix == ".ts"}
    assert calls == {"c.ts": ["ok"], "src/a.ts": ["ok"], "src/deep/b.ts": ["ok"]}
    assert {name for name in files if name.endswith(".yml")} <= set(map(str, result.read))


SUPPRESSIONS = [
    "// ast-grep-ignore\nparseFloat(a);",
    "// ast-grep-ignore: ok\nparseFloat(a);",
    "// ast-grep-ignore: b, ok\nparseFloat(a);",
    "parseFloat(a); // ast-grep-ignore",
    "parseFloat(a); // ast-grep-ignore: ok",
    "/* ast-grep-ignore */\nparseFloat(a);",
    "/* ast-grep-ignore: ok */\nparseFloat(a);",
    "// ast-grep-ignore\n\nparseFloat(a);",
    "// ast-grep-ignore: ok\n\nb;\nparseFloat(a);",
    "// ast-grep-ignore because\nparseFloat(a);",
    "/** ast-grep-ignore */\nparseFloat(a);",
]


@pytest.mark.parametrize("code", SUPPRESSIONS)
def test_a_suppression_of_head_does_not_silence(code: str) -> None:
    """T2; each of these does silence in ast-grep itself."""
    with load(OK) as rules, tree_of({"a.ts": code}) as tree:
        result = scan(rules, tree)
        start = code.index("parseFloat")
        assert spans(result, "a.ts") == [(start, start + len(CALL))]
        assert tree.marked == {path("a.ts")}
        assert tree.original(path("a.ts")) == code.encode()
        tree.rewrite(path("a.ts"), code.encode())
        assert spans(scan(rules, tree), "a.ts") == []


def test_the_text_of_a_match_is_that_of_head() -> None:
    code = b"parseFloat(/* ast-grep-ignore: ok \xff */ a)"
    text = rule(
        "ok", "message: 'this: $X'\nrule: {pattern: parseFloat($A), kind: call_expression, has: {field: arguments, pattern: $X}}"
    )
    ((one,),) = scanned(text, {"a.ts": code}).matches.values()
    assert one.text == "parseFloat(/* ast-grep-ignore: ok \\xff */ a)"
    assert one.message == "this: (/* ast-grep-ignore: ok _ */ a)"


@pytest.mark.parametrize("pattern", ["ast-grep-ignore", "^// ast-grep-ignore$", "grep-ig"])
def test_a_rule_against_suppressions_finds_them(pattern: str) -> None:
    """It has to look for what the copy holds in their place."""
    text = rule("no-ast-grep-ignore", f"message: no ast-grep-ignore\nrule: {{kind: comment, regex: {pattern}}}")
    result = scanned([text, OK], {"a.ts": "// ast-grep-ignore\nparseFloat(a);\n// ast-grep, ignore"})
    found = [(one.rule_id, one.byte_start, one.text, one.message) for one in result.matches[path("a.ts")]]
    expected = [("no-ast-grep-ignore", 0, "// ast-grep-ignore", "no ast-grep-ignore"), ("ok", 19, CALL, "")]
    assert found == (expected if pattern != "grep-ig" else expected[1:])


def test_our_config_is_not_scanned_and_bears_the_roots_name() -> None:
    """RU-3: globs are relative to the root of the repository, wherever the rule file lies."""
    with load(rule("y", "rule: {kind: document}", "yaml")) as rules, tree_of({"a.yml": "x: 1", "b.yml": "y: 1"}) as tree:
        assert matched(scan(rules, tree)) == {"a.yml": 1, "b.yml": 1}
        assert (tree.root / rules.config_name).is_file()
    assert not tree.root.exists()


@pytest.mark.parametrize(
    ("globs", "found"),
    [
        ("files: ['src/**']", ["src/a.ts", "src/b/c.ts"]),
        ("files: ['src/*.ts']", ["src/a.ts", "src/b/c.ts"]),  # a star crosses folders
        ("files: ['**/src/**']", ["pkg/src/a.ts", "src/a.ts", "src/b/c.ts"]),
        ("files: ['*.ts']", ["lib/a.ts", "pkg/src/a.ts", "src/a.ts", "src/b/c.ts"]),
        ("files: ['lib/a.ts', 'src/b/**']", ["lib/a.ts", "src/b/c.ts"]),
        ("ignores: ['src/**']", ["lib/a.ts", "pkg/src/a.ts"]),
        ("files: ['src/**']\nignores: ['src/b/**']", ["src/a.ts"]),
        ("files: ['none/**']", []),
    ],
)
def test_globs_are_relative_to_the_root(globs: str, found: list[str]) -> None:
    files = dict.fromkeys(("src/a.ts", "src/b/c.ts", "lib/a.ts", "pkg/src/a.ts"), CALL)
    result = scanned(OK + globs + "\n", files)
    assert matched(result) == dict.fromkeys(found, 1)
    assert {str(one) for one in result.unruled} == set(files) - set(found)
    assert {str(one) for one in result.read} == set(files)
    assert result.not_scanned == {}


def test_a_file_without_a_rule_is_not_clean() -> None:
    """A ``typescript`` rule says nothing about ``.tsx``, and HTML without a script has no JavaScript to judge."""
    html = {"a.html": "<p>", "b.html": "<script>b</script>", "c.html": "<style>b {}</style><script>b</script><style>b {}</style>"}
    result = scanned([OK, rule("j", language="js")], {"a.tsx": CALL, "a.ts": "b", **html})
    assert {str(one) for one in result.read} == {"a.tsx", "a.ts", *html}
    assert {str(one) for one in result.unruled} == {"a.tsx", "a.html"}


@pytest.mark.parametrize("others", [{}, {"b.ts": "b", "c.ts": "b"}], ids=["alone", "with others"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\n" * 3_100_000, "too_large", id="too many lines for ast-grep"),
        pytest.param(b" " * (scan_module.MAX_FILE + 1), "too_large", id="too many bytes for us"),
    ],
)
def test_a_file_that_is_not_scanned_has_its_reason(data: bytes, reason: str, others: dict[str, str]) -> None:
    files: dict[str, str | bytes] = {"a.ts": data, **others}
    result = scanned(OK, files)
    assert not_scanned(result) == {"a.ts": reason}
    assert {str(one) for one in result.read} == set(others)


def test_a_file_of_the_largest_size_is_scanned() -> None:
    data = CALL.encode() + b" " * (scan_module.MAX_FILE - len(CALL))
    assert matched(scanned(OK, {"a.ts": data})) == {"a.ts": 1}
