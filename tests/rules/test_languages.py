"""Which language a file is read as, proved against the binary itself."""

import re
from pathlib import Path

import pytest

from kodus_check.rules import languages
from kodus_check.rules.astgrep import Bounds, run
from tests.repo import path
from tests.rules.rig import OK, fates, load, rule

EXTENSIONS = {
    "bash": ".bash .sh .zsh .bats .cgi .command .env .fcgi .ksh .tmux .tool",
    "c": ".c .h",
    "cpp": ".cc .cpp .cxx .hh .hpp .cu .ino .c++",
    "csharp": ".cs",
    "css": ".css .scss",
    "dart": ".dart",
    "elixir": ".ex .exs",
    "go": ".go",
    "haskell": ".hs",
    "hcl": ".hcl .tf .tfvars .nomad",
    "html": ".html .htm .xhtml",
    "java": ".java",
    "javascript": ".js .jsx .mjs .cjs",
    "json": ".json",
    "kotlin": ".kt .kts .ktm",
    "lua": ".lua",
    "markdown": ".md .markdown",
    "nix": ".nix",
    "php": ".php",
    "python": ".py .pyi .py3 .bzl .bazel",
    "ruby": ".rb .gemspec .rbw",
    "rust": ".rs",
    "scala": ".scala .sc .sbt",
    "solidity": ".sol",
    "swift": ".swift",
    "tsx": ".tsx",
    "typescript": ".ts .mts .cts .d.ts .test.ts",
    "yaml": ".yml .yaml",
    "zig": ".zig",
}
NOT_READ = [
    ".env", ".ts", ".env.local", "Dockerfile", "Makefile", "Rakefile", "Gemfile", "BUILD", "README", "a", "a.", "a.vue",
    "a.svelte", "a.astro", "a.erb", "a.sql", "a.toml", "a.proto", "a.less", "a.sass", "a.ipynb", "a.mdx", "a.jsonc", "a.json5",
    "a.jsonl", "a.phtml", "a.hxx", "a.h++", "a.rake", "a.m", "a.mm", "a.xml", "a.txt", "a.pyw", "a.pyx", "a.gradle", "a.xht",
    "a.es6", "a.patch", "a.TS", "a.Py", "a.JSON", "a.Html", "a.ts~", "a.ts.bak", "ts", "a.d", ".ts.",
]  # fmt: skip
KNOWN = [(f"x{extension}", name) for name, extensions in EXTENSIONS.items() for extension in extensions.split()]


@pytest.fixture(scope="module")
def spoken_of(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the binary says of every name: its language in lower case."""
    folder: Path = tmp_path_factory.mktemp("languages")
    (folder / "rule").write_text(OK)
    names = [name for name, _ in KNOWN] + NOT_READ
    for name in names:
        (folder / name).write_text("a")
    ran = run(["scan", "-r", "rule", "--inspect", "entity", "--json=stream", "--", *names], cwd=folder, bounds=Bounds())
    assert (ran.code, ran.broken) == (0, None)
    return {
        found[1]: found[2].lower() for found in re.finditer(r"^sg: entity\|file\|(.+): language=(\w+)", ran.stderr, re.MULTILINE)
    }


@pytest.mark.parametrize(("name", "language"), KNOWN)
def test_language_of(name: str, language: str, spoken_of: dict[str, str]) -> None:
    assert languages.language_of(path(name)) == language == spoken_of[name]
    assert languages.language_of(path(f"some.py/{name}")) == language


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_read_as_no_language(name: str, spoken_of: dict[str, str]) -> None:
    assert languages.language_of(path(name)) is None
    assert languages.languages_in(path(name)) == ()
    assert name not in spoken_of


def test_the_table_holds_no_more_than_what_is_tried_here() -> None:
    assert tuple(EXTENSIONS) == languages.NAMES
    tried = {extension for extensions in EXTENSIONS.values() for extension in extensions.split()}
    assert tried - {".d.ts", ".test.ts"} == set(languages._BY_EXTENSION)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.html", ("html", "javascript", "typescript", "css")),
        ("a.xhtml", ("html", "javascript", "typescript", "css")),
        ("a.ts", ("typescript",)),
        ("a.md", ("markdown",)),
    ],
)
def test_languages_in(name: str, found: tuple[str, ...]) -> None:
    assert languages.languages_in(path(name)) == found


ALIASES = {
    "cc": "cpp", "c++": "cpp", "cxx": "cpp", "cs": "csharp", "ex": "elixir", "golang": "go", "hs": "haskell", "js": "javascript",
    "jsx": "javascript", "kt": "kotlin", "md": "markdown", "py": "python", "rb": "ruby", "rs": "rust", "sol": "solidity",
    "ts": "typescript", "yml": "yaml",
}  # fmt: skip


def test_every_name_of_a_language_in_any_case() -> None:
    """ast-grep takes each of them; all in one set, for one run."""
    names = {**dict.fromkeys(EXTENSIONS, ""), **ALIASES}
    written = {form: canonical or name for name, canonical in names.items() for form in (name, name.upper(), name.title())}
    texts = [rule(f"r{index}", "rule: {kind: ERROR}", f'"{form}"') for index, form in enumerate(written)]
    with load("---\n".join(texts)) as rules:
        assert fates(rules) == [(f"r{index}", "") for index in range(len(written))]
        assert [one.language for one in rules.rules] == list(written.values())
    assert set(languages._CANONICAL) == set(names)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "vue",
            "svelte",
            "dockerfile",
            "toml",
            "sql",
            "graphql",
            "proto",
            "r",
            "perl",
            "objc",
            "julia",
            "ocaml",
            "xml",
            "make",
        ),
        *("sh", "scss", "tf", "py3", "c#", "type script", " ts", "mdx", "zsh", "jsonc", "node", "cplusplus"),
    ],
)
def test_what_is_no_language(name: str) -> None:
    """Nor is it one for ast-grep, which would refuse the whole run for it."""
    assert languages.canonical(name) is None
    with load(rule("a", language=f'"{name}"'), OK) as rules:
        assert [one.runs for one in rules.rules] == [False, True]
        (rules.folder / "rules" / "000000.yml").write_text(rule("a", language=f'"{name}"'))
        ran = run([*rules.arguments(), "."], cwd=rules.folder / "empty", bounds=Bounds())
        assert (ran.code, ran.broken) == (8, None)
        assert "SgLang" in ran.stderr
