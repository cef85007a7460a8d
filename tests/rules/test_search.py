"""Free structural search: hits with their lines, and every reason why there are none or not all."""

import pytest

from kodus_check.globs import Globs
from kodus_check.rules import astgrep
from kodus_check.rules import search as module
from kodus_check.rules.search import search
from tests.repo import path

FILES = [
    (path("src/b.ts"), b"let a = f(\n  1\n);\nf(2);\n"),
    (path("src/a.ts"), b"// \xc3\xa9\nf(3); // ast-grep-ignore\n"),
    (path("lib/c.ts"), b"f(4);\n"),
    (path("x.py"), b"f(5)\n"),
    (path("page.html"), b"<script>\nf(6)\n</script>\n"),
    (path("sgconfig.yml"), b"broken: ["),
    (path("-x y.ts"), b"f(7)"),
]


def places(pattern: str, language: str = "typescript", globs: Globs | None = None) -> list[tuple[str, int, int]]:
    result = search(pattern, language, FILES, globs=globs)
    assert (result.cut, result.problem) == ("", "")
    return [(str(hit.path), hit.start_line, hit.end_line) for hit in result.hits]


@pytest.mark.parametrize(
    ("pattern", "language", "globs", "found"),
    [
        (
            "f($A)",
            "typescript",
            None,
            [("-x y.ts", 1, 1), ("lib/c.ts", 1, 1), ("src/a.ts", 2, 2), ("src/b.ts", 1, 3), ("src/b.ts", 4, 4)],
        ),
        ("f($A)", "TS", ["src/**"], [("src/a.ts", 2, 2), ("src/b.ts", 1, 3), ("src/b.ts", 4, 4)]),
        ("f($A)", "python", None, [("x.py", 1, 1)]),
        ("f($A)", "javascript", None, [("page.html", 2, 2)]),
        ("nothing($A)", "typescript", None, []),
        ("-1", "typescript", None, []),
    ],
)
def test_hits(pattern: str, language: str, globs: list[str] | None, found: list[tuple[str, int, int]]) -> None:
    assert places(pattern, language, Globs(globs) if globs else None) == found


@pytest.mark.parametrize(
    ("pattern", "language", "problem"),
    [
        ("f($A)", "klingon", "there is no language `klingon`"),
        ("", "python", "the pattern is empty"),
        (" \n", "python", "the pattern is empty"),
        ("f(\0)", "python", "the pattern is empty"),
        ("a; b", "typescript", "ast-grep does not take this pattern"),
        ("f(((", "typescript", "this pattern is no whole piece of code"),
        ("f($A)", "rust", "no file of this language (rust)"),
    ],
)
def test_problems_are_told(pattern: str, language: str, problem: str) -> None:
    result = search(pattern, language, FILES)
    assert result.hits == ()
    assert problem in result.problem


def test_more_hits_than_are_listed() -> None:
    result = search("f($A)", "typescript", [(path("a.ts"), b"f(1);\n" * 1000)])
    assert len(result.hits) == module.MAX_HITS
    assert result.cut == "1,000 places match; the first 200 are listed"


def test_more_files_than_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 3)
    result = search("f($A)", "typescript", ((path(f"{number}.ts"), b"f(1)\n") for number in range(9)))
    assert len(result.hits) == 3
    assert "only the first 3 files were searched" in result.cut


def test_a_search_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BOUNDS", astgrep.Bounds(seconds=0.3, output=200_000))
    result = search("$A", "typescript", [(path("a.ts"), b"f(g(h(1)));" * 20_000)])
    assert "the search was stopped" in result.cut


def test_files_that_cannot_be_searched_are_counted() -> None:
    result = search("f($A)", "typescript", [(path("a.ts"), b"f(1)"), (path("b\n.ts"), b"f(1)")])
    assert (len(result.hits), result.cut) == (1, "1 file could not be searched")
