"""The tools of a review: what they answer, where they stop, and what they never show."""

from collections.abc import Iterator

import pytest

from kodus_check.agent.calls import CallLog
from kodus_check.agent.policy import Policy
from kodus_check.agent.tools import Toolbox, inventory
from kodus_check.git.change import read_change
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import GuideFile, Skill
from tests.guides.rig import quick, skill
from tests.repo import Content, Repo

KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FILES: dict[str, Content] = {
    "src/a.py": "x = 1\nprint(x)\n",
    "src/long.txt": "".join(f"line {number}\n" for number in range(1, 1001)),
    "src/wide.txt": "w" * 5_000 + "\n",
    "src/keys.py": f"KEY = '{KEY}'\n",
    "src/odd.txt": "a\x1b[31mred\u202e\n",
    "src/old.py": "old\n",
    ".env": "TOP=secret-value\n",
    "conf/server.PEM": "secret-value\n",
    "bin/x.bin": b"a\0b",
    "big.txt": b"x" * 1_100_000,
    "lfs.bin": b"version https://git-lfs.github.com/spec/v1\noid x\n",
    "docs/Read.md": "text\n",
    "node_modules/p/x.js": "needle\n",
}
MONEY = Skill(
    ".agents/skills/money/SKILL.md",
    "money",
    "money",
    "About money.",
    data=skill("money").encode(),
    files=(GuideFile("fx.md", None),),
)


@pytest.fixture
def box(repo: Repo) -> Iterator[Toolbox]:
    repo.commit(FILES)
    (repo.path / "link").symlink_to("/etc/passwd")
    repo.branch("feature")
    repo.commit({"src/a.py": "x = 2\nprint(x)\nneedle = parseFloat(1)\n", "src/old.py": None})
    with Workspace(repo.path) as workspace:
        trees = [Tree(workspace.store, workspace.store.commit(workspace.resolve(name).sha).tree) for name in ("main", "feature")]
        yield Toolbox(
            trees[0], trees[1], Policy(), [MONEY], CallLog(), agent="a", files=lambda one, name: b"Rates come from the treasury.\n"
        )


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("src/a.py",), "    1 | x = 2\n    2 | print(x)\n    3 | needle = parseFloat(1)"),
        (("src/a.py", "base"), "    1 | x = 1\n    2 | print(x)"),
        (("src/a.py", "head", 2, 2), "    2 | print(x)"),
        (("src/old.py", "base"), "    1 | old"),
        (("src/odd.txt",), "    1 | a\\u{1b}[31mred\\u{202e}"),
        (("src/keys.py",), "    1 | KEY = '\u2039redacted: github\u203a'"),
    ],
)
def test_read_file(box: Toolbox, arguments: tuple[str, ...], answer: str) -> None:
    assert box.read_file(*arguments) == answer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone.py", "There is no file `gone.py` at head."),
        ("src/A.PY", "There is `src/a.py`"),
        ("read.md", "There is `docs/Read.md`"),
        ("src", "is a folder"),
        ("link", "symlink"),
        ("bin/x.bin", "binary"),
        ("big.txt", "too large"),
        ("lfs.bin", "LFS"),
        (".env", "private"),
        ("conf/SERVER.pem", "private"),
        ("../../etc/passwd", "inside the repository"),
        (".git/config", "inside the repository"),
        ("/etc/passwd", "absolute"),
        ("a\0b", "control characters"),
    ],
)
def test_what_cannot_be_read_is_an_answer(box: Toolbox, path: str, said: str) -> None:
    """T1."""
    answer = box.read_file(path)
    assert said in answer
    assert "secret-value" not in answer
    assert "root:" not in answer


def test_reading_is_bounded_and_says_how_to_go_on(box: Toolbox) -> None:
    """T2."""
    first = box.read_file("src/long.txt").split("\n")
    assert (first[0], first[399], first[400]) == (
        "    1 | line 1",
        "  400 | line 400",
        "[truncated: lines 1-400 of 1,000; go on with start_line=401]",
    )
    assert box.read_file("src/long.txt", start_line=999).split("\n") == ["  999 | line 999", " 1000 | line 1000"]
    assert "line 1,001 is not there" in box.read_file("src/long.txt", start_line=1001)
    assert len(box.read_file("src/wide.txt")) < 1_100


def test_list_files(box: Toolbox) -> None:
    root = box.list_files().split("\n")
    assert "src/ (5 files)" in root
    assert "[2 private files not shown]" in root
    assert not any(".env" in line or "PEM" in line for line in root)
    assert box.list_files("src").split("\n") == ["a.py", "keys.py", "long.txt", "odd.txt", "wide.txt"]
    assert "There is no folder" in box.list_files("gone")
    assert "cannot be listed" in box.list_files("../..")


def test_search_text(box: Toolbox) -> None:
    assert box.search_text("needle") == "1 line in 1 file:\nsrc/a.py:3: needle = parseFloat(1)"
    assert box.search_text("secret-value") == "Nothing holds this text."
    assert box.search_text(".*") == "Nothing holds this text."
    assert box.search_text("print(", side="base") == "1 line in 1 file:\nsrc/a.py:2: print(x)"
    assert box.search_text("line 1", "src/*.txt").startswith("112 lines in 1 file, the first 50 are listed:")
    assert "Search for one line" in box.search_text("a\nb")
    assert KEY not in box.search_text("KEY")


def test_search_code(box: Toolbox) -> None:
    assert box.search_code("parseFloat($A)", "python") == "src/a.py:3: parseFloat(1)"
    assert box.search_code("nothing($A)", "python") == "Nothing matches."
    assert "no language" in box.search_code("x", "klingon")


def test_skills_are_loaded_once_and_their_files_after_them(box: Toolbox) -> None:
    assert "Load it with `skill` first" in box.read_skill_file("money", "fx.md")
    assert '<skill name="money">About money.</skill>' in box.skill(query="MON")
    assert "A rule." in box.skill(name="money")
    assert list(box.loaded) == ["money"]
    assert "loaded already" in box.skill(name="money")
    assert box.read_skill_file("money", "fx.md") == "Rates come from the treasury.\n"
    assert "without `..`" in box.read_skill_file("money", "../x")
    assert "Give either" in box.skill()
    assert "Give either" in box.skill(name="money", query="x")
    assert "There is no such skill" in box.skill(name="gone")
    assert "0 or more" in box.skill(query="", offset=-1)


def test_every_call_is_logged(box: Toolbox) -> None:
    box.read_file("src/a.py")
    box.read_file(".env")
    box.search_text(KEY)
    calls = box._log.calls
    assert [(one.id, one.tool, bool(one.reason)) for one in calls] == [
        ("call-1", "read_file", False),
        ("call-2", "read_file", True),
        ("call-3", "search_text", False),
    ]
    assert KEY not in calls[2].arguments
    found = box._log.find("call-1")
    assert found is not None
    assert "print(x)" in found.result


def test_the_inventory_has_changed_folders_first_and_no_private_path(repo: Repo) -> None:
    repo.commit(FILES)
    repo.branch("feature")
    repo.commit({"src/a.py": "y\n"})
    with Workspace(repo.path) as workspace:
        change, _ = read_change(workspace, workspace.resolve("main"), workspace.resolve("feature"))
        head = Tree(workspace.store, workspace.store.commit(workspace.resolve("feature").sha).tree)
        found = inventory(head, change, Policy(), most=8)
    assert found.total == len(FILES)
    assert found.paths[:6] == ("src/a.py", "src/keys.py", "src/long.txt", "src/odd.txt", "src/old.py", "src/wide.txt")
    assert len(found.paths) == 8
    assert quick("x" * 4) == 1
