"""Nothing that a pull request or a workspace holds hides a line: NUL bytes, attributes, settings."""

import pytest

from kodus_check.git.change import read_change
from kodus_check.git.workspace import Workspace
from kodus_check.model import FileKind, FileStatus
from tests.git.views import BINARY, HIDDEN, TEXT, Seen, nothing, seen
from tests.repo import Repo

# --- binary files whose lines are read all the same -------------------------------------------------------------------------

AS_TEXT: dict[str, tuple[dict[str, bytes], dict[str, bytes | None], dict[str, Seen]]] = {
    "a NUL was there before": (
        {"f.py": HIDDEN},
        {"f.py": HIDDEN.replace(b"safe", b"evil")},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [1], [1], [1, 2, 3], [0])},
    ),
    "a NUL is added": (
        {"f.py": b"a\nb\n"},
        {"f.py": b"a\n\0\nb\n"},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [2], [], [1, 2, 3], [])},
    ),
    "a NUL is removed": (
        {"f.py": b"a\n\0\nb\n"},
        {"f.py": b"a\nb\n"},
        {"f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [], [2], [1, 2], [1])},
    ),
    "added": ({}, {"f.py": HIDDEN}, {"f.py": (FileStatus.ADDED, FileKind.BINARY, None, [1, 2, 3], [], [1, 2, 3], [])}),
    "deleted": ({"f.py": HIDDEN}, {"f.py": None}, {"f.py": (FileStatus.DELETED, FileKind.BINARY, None, [], [1, 2, 3], [], [0])}),
    "renamed with an edit": (
        {"old.py": TEXT.encode() + HIDDEN},
        {"old.py": None, "new.py": TEXT.encode() + HIDDEN + b"evil\n"},
        {"new.py": (FileStatus.RENAMED, FileKind.BINARY, "old.py", [14], [], [11, 12, 13, 14], [])},
    ),
    "only where it is asked for": (
        {"f.py": HIDDEN, "i.png": BINARY},
        {"f.py": HIDDEN + b"evil\n", "i.png": BINARY + b"x"},
        {
            "f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [4], [], [1, 2, 3, 4], []),
            "i.png": nothing(FileStatus.MODIFIED, FileKind.BINARY),
        },
    ),
    "text files beside it stay as they are": (
        {"f.py": HIDDEN, "g.txt": b"1\n"},
        {"f.py": HIDDEN + b"evil\n", "g.txt": b"2\n"},
        {
            "f.py": (FileStatus.MODIFIED, FileKind.BINARY, None, [4], [], [1, 2, 3, 4], []),
            "g.txt": (FileStatus.MODIFIED, FileKind.FILE, None, [1], [1], [1], [0]),
        },
    ),
}


@pytest.mark.parametrize("name", AS_TEXT)
def test_a_nul_byte_hides_no_line_of_code(repo: Repo, name: str) -> None:
    before, after, expected = AS_TEXT[name]
    base, head = repo.commit({"k": "k", **before}), repo.commit(after)
    with Workspace(repo.path) as workspace:
        change, _ = read_change(
            workspace, workspace.resolve(base), workspace.resolve(head), as_text=lambda path: path.suffix == ".py"
        )
    assert {str(file.path): seen(file) for file in change.files} == expected


# --- a pull request's .gitattributes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "attributes"),
    [
        (".gitattributes", "*.md -diff"),
        ("docs/.gitattributes", "*.md -diff"),
        (".git/info/attributes", "*.md -diff"),
        (".gitattributes", "* binary"),
        (".gitattributes", "* diff=hidden"),
        (".git/info/attributes", "* diff=hidden"),
        (".gitattributes", "[attr]hide -diff\n*.md hide"),
        (".gitattributes", "* working-tree-encoding=UTF-16"),
        (".gitattributes", "*.md linguist-generated export-ignore"),
        (".gitattributes", "* filter=lfs diff=lfs merge=lfs -text"),
    ],
)
def test_attributes_hide_nothing(repo: Repo, place: str, attributes: str) -> None:
    repo.git("config", "diff.hidden.binary", "true")
    base = repo.commit({"docs/rules.md": "# Rules\n\nNever log secrets.\n"})
    repo.commit({"docs/rules.md": "# Rules\n\nLog what you like.\n", "n.md": "new\n"})
    repo.write({place: attributes + "\n"})
    if not place.startswith(".git/"):
        blob = repo.git("hash-object", "-w", "--stdin", "--no-filters", data=attributes.encode()).decode().strip()
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{place}")
        repo.git("commit", "-q", "-m", "attributes")
    files = repo.changed(base, "HEAD")
    assert seen(files["docs/rules.md"]) == (FileStatus.MODIFIED, FileKind.FILE, None, [3], [3], [1, 2, 3], [2])
    assert list(files["n.md"].added) == [1]


@pytest.mark.parametrize(
    "setting",
    [
        "diff.context=0",
        "diff.interHunkContext=100",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.suppressBlankEmpty=true",
        "diff.algorithm=patience",
        "diff.indentHeuristic=false",
        "diff.renames=false",
        "diff.ignoreSubmodules=all",
        "diff.orderFile=/dev/null",
        "diff.relative=true",
        "diff.color=always",
        "color.ui=always",
        "diff.wsErrorHighlight=all",
        "core.quotePath=false",
        "core.bigFileThreshold=1",
        "core.autocrlf=true",
        "core.abbrev=4",
        "i18n.logOutputEncoding=UTF-16",
    ],
)
def test_settings_of_the_workspace_do_not_shape_the_diff(repo: Repo, setting: str) -> None:
    old = "\n\n" + TEXT + "\n\n"
    base = repo.commit({"docs/naïve.md": old, "a": old, "old": old + "x\n"})
    repo.git("mv", "old", "new")
    head = repo.commit({"docs/naïve.md": old.replace("line 5", "five"), "a": old + "\n"})
    before = repo.change(base, head)
    repo.git("config", *setting.split("=", 1))
    assert repo.change(base, head) == before
    assert seen(before.files[1]) == (FileStatus.MODIFIED, FileKind.FILE, None, [7], [7], list(range(4, 11)), [6])
