"""What ast-grep 0.51 calls a language, and which file names it reads as one. A name or extension not here is not scanned."""

from kodus_check.model import RepoPath

_TABLE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # canonical name: (other names a rule may use, file extensions as ast-grep matches them: case-sensitive)
    "bash": ((), (".bash", ".sh", ".zsh", ".bats", ".cgi", ".command", ".env", ".fcgi", ".ksh", ".tmux", ".tool")),
    "c": ((), (".c", ".h")),
    "cpp": (("cc", "c++", "cxx"), (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cu", ".ino", ".c++")),
    "csharp": (("cs",), (".cs",)),
    "css": ((), (".css", ".scss")),
    "dart": ((), (".dart",)),
    "elixir": (("ex",), (".ex", ".exs")),
    "go": (("golang",), (".go",)),
    "haskell": (("hs",), (".hs",)),
    "hcl": ((), (".hcl", ".tf", ".tfvars", ".nomad")),
    "html": ((), (".html", ".htm", ".xhtml")),
    "java": ((), (".java",)),
    "javascript": (("js", "jsx"), (".js", ".jsx", ".mjs", ".cjs")),
    "json": ((), (".json",)),
    "kotlin": (("kt",), (".kt", ".kts", ".ktm")),
    "lua": ((), (".lua",)),
    "markdown": (("md",), (".md", ".markdown")),
    "nix": ((), (".nix",)),
    "php": ((), (".php",)),
    "python": (("py",), (".py", ".pyi", ".py3", ".bzl", ".bazel")),
    "ruby": (("rb",), (".rb", ".gemspec", ".rbw")),
    "rust": (("rs",), (".rs",)),
    "scala": ((), (".scala", ".sc", ".sbt")),
    "solidity": (("sol",), (".sol",)),
    "swift": ((), (".swift",)),
    "tsx": ((), (".tsx",)),
    "typescript": (("ts",), (".ts", ".mts", ".cts")),
    "yaml": (("yml",), (".yml", ".yaml")),
    "zig": ((), (".zig",)),
}

_CANONICAL = {alias: name for name, (aliases, _) in _TABLE.items() for alias in (name, *aliases)}
_BY_EXTENSION = {extension: name for name, (_, extensions) in _TABLE.items() for extension in extensions}
_INJECTED = {"html": ("javascript", "typescript", "css")}

NAMES = tuple(sorted(_TABLE))


def canonical(name: str) -> str | None:
    """The canonical name of a language as a rule names it (any case, any alias); None for one that ast-grep refuses."""
    return _CANONICAL.get(name.lower())


def language_of(path: RepoPath) -> str | None:
    """The language that ast-grep reads this file as; None when it reads it as none (``.TS``, ``.vue``, no extension)."""
    return _BY_EXTENSION.get(path.suffix)


def languages_in(path: RepoPath) -> tuple[str, ...]:
    """Every language whose rules can match in this file: its own, and for HTML those of scripts and styles in it."""
    language = language_of(path)
    return (language, *_INJECTED.get(language, ())) if language else ()


def extension_of(language: str) -> str:
    """An extension that ast-grep reads as this canonical language."""
    return _TABLE[language][1][0]
