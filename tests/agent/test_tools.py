"""The tools of a review: what they answer, where they stop, and what they never show."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kodus_check.agent.calls import CallLog
from kodus_check.agent.policy import Policy
from kodus_check.agent.tools import Toolbox, ToolLimits, inventory
from kodus_check.git.change import read_change
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import GuideFile, RepoPath, Sha, Skill
from tests.guides.rig import skill, tree_of
from tests.repo import Content, Repo

KEY = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
B64 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA" * 2
PEM = "-----BEGIN PRIVATE " + f"KEY-----\n{B64}\n{B64}\n-----END PRIVATE " + "KEY-----"
SECRET = "secret-value"
FILES: dict[str, Content] = {
    "src/a.py": "x = 1\nprint(x)\n",
    "src/long.txt": "".join(f"line {number}\n" for number in range(1, 1001)),
    "src/wide.txt": "w" * 5_000 + "\n",
    "src/keys.py": f"KEY = '{KEY}'\nTEXT = '''before\n{PEM}\nafter'''\n",
    "src/odd.txt": "a\x1b[31mred\u202e\n",
    "src/old.py": "old\n",
    "src/crlf.txt": "one\r\ntwo\rthree\r\n",
    "src/empty.txt": "",
    "src/latin.txt": b"caf\xe9\n",
    "src/two  spaces\n.md": "Spaces\n",
    "plain.txt": f"TOP={SECRET}\n",
    ".env": f"TOP={SECRET}\n",
    "conf/server.PEM": f"{SECRET}\n",
    ".aws/credentials": f"{SECRET}\n",
    "bin/x.bin": b"a\0needle",
    "big.txt": b"needle" + b"x" * 1_100_000,
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
    files=(
        GuideFile("fx.md", None),
        GuideFile("empty.md", None),
        GuideFile("odd.md", None),
        GuideFile("keys.md", None),
        GuideFile("server.key", None),
        GuideFile("inner/x.md", None, RepoPath(b"shared/x.md")),
        GuideFile("link.md", None, RepoPath(b"secrets/link.md")),
        GuideFile("Evil\n.md", None),
    ),
)
BESIDE = {
    "fx.md": b"Rates come from the treasury.\n",
    "empty.md": b"",
    "odd.md": "Right\u202eleft.\n".encode(),
    "keys.md": f"Use {KEY} here.\n".encode(),
    "server.key": SECRET.encode(),
    "inner/x.md": SECRET.encode(),
    "link.md": SECRET.encode(),
}
Made = Callable[[ToolLimits], Toolbox]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Makes a toolbox over a change that renames a private file too."""
    repo = Repo.init(tmp_path_factory.mktemp("tools") / "repo")
    repo.write(FILES)
    (repo.path / "link").symlink_to("/etc/passwd")
    repo.git("add", "--all", "--force")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("commit", "-q", "-m", "c")
    repo.branch("feature")
    repo.write({"src/a.py": "x = 2\nprint(x)\nneedle = parseFloat(1)\n", "src/old.py": None})
    repo.git("rm", "-q", "--cached", "src/old.py", "plain.txt")
    repo.git("mv", ".env", "moved.txt")
    repo.git("add", "--force", "src/a.py")
    repo.git("commit", "-q", "-m", "c")
    with Workspace(repo.path) as workspace:
        trees = [Tree(workspace.store, workspace.store.commit(workspace.resolve(name).sha).tree) for name in ("main", "feature")]
        change, _ = read_change(workspace, workspace.resolve("main"), workspace.resolve("feature"))
        policy = Policy([".agents/skills/*/inner/**"]).knowing(change)

        def make(limits: ToolLimits) -> Toolbox:
            return Toolbox(
                trees[0],
                trees[1],
                policy,
                [MONEY],
                CallLog(),
                agent="a",
                files=lambda one, name: BESIDE[name],
                limits=limits,
            )

        yield make


@pytest.fixture
def box(made: Made) -> Toolbox:
    return made(ToolLimits())


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("src/a.py",), "    1 | x = 2\n    2 | print(x)\n    3 | needle = parseFloat(1)"),
        (("src/a.py", "base"), "    1 | x = 1\n    2 | print(x)"),
        (("src/a.py", "head", 2, 2), "    2 | print(x)"),
        (("src/a.py", "head", -5, 1), "    1 | x = 2"),
        (("src/a.py", "head", 3, 99), "    3 | needle = parseFloat(1)"),
        (("src\\a.py", "base", 2), "    2 | print(x)"),
        (("src/old.py", "base"), "    1 | old"),
        (("src/odd.txt",), "    1 | a\\u{1b}[31mred\\u{202e}"),
        (("src/crlf.txt",), "    1 | one\n    2 | two\\u{d}three"),
        (("src/empty.txt",), "This file is empty."),
        (("src/latin.txt",), "    1 | caf\\xe9"),
        (("src/keys.py", "head", 1, 1), "    1 | KEY = '\u2039redacted:github\u203a'"),
        (("src/keys.py", "head", 4, 5), "    4 | \u2039redacted:private-key\u203a\n    5 | \u2039redacted:private-key\u203a"),
    ],
)
def test_read_file(box: Toolbox, arguments: tuple[str, ...], answer: str) -> None:
    assert box.read_file(*arguments) == answer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone.py", "There is no file `gone.py` at head. Use list_files or search_text to find it."),
        ("src/A.PY", "There is no file `src/A.PY` at head. There is `src/a.py`."),
        ("read.md", "There is no file `read.md` at head. There is `docs/Read.md`."),
        ("src", "`src` is a folder; list it with list_files."),
        ("src/a.py/x", "There is no file `src/a.py/x` at head."),
        ("link", "`link` cannot be read: this is a symlink, and those are not followed."),
        ("link/passwd", "There is no file `link/passwd` at head."),
        ("module", "`module` cannot be read: this is a submodule, and those are not followed."),
        ("bin/x.bin", "`bin/x.bin` cannot be read: this is a binary file of 8 bytes."),
        ("big.txt", "`big.txt` cannot be read: this file has 1,100,006 bytes, which is too large to read."),
        ("lfs.bin", "LFS"),
        (".env", "private"),
        ("conf/SERVER.pem", "private"),
        ("moved.txt", "private"),
        (".aws/credentials", "private"),
        ("../../etc/passwd", "inside the repository"),
        (".git/config", "inside the repository"),
        ("/etc/passwd", "absolute"),
        ("C:\\x", "relative to the root"),
        ("%2e%2e/etc/passwd", "percent escapes"),
        ("a\0b", "control characters"),
        ("", "inside the repository"),
    ],
)
@pytest.mark.parametrize("side", ["head", "base"])
def test_what_cannot_be_read_is_an_answer(box: Toolbox, path: str, said: str, side: str) -> None:
    """T1."""
    answer = box.read_file(path, side)  # type: ignore[arg-type]
    assert said.replace("at head", f"at {side}") in answer
    assert SECRET not in answer
    assert "root:" not in answer


def test_a_hint_names_no_private_file(box: Toolbox) -> None:
    assert "server" not in box.read_file("x/server.pe").lower().replace("x/server.pe", "")
    assert "moved" not in box.read_file("src/moved.txt").replace("src/moved.txt", "")


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (4, None, "`src/a.py` has 3 lines; line 4 is not there."),
        (3, 2, "`end_line` (2) is before `start_line` (3)."),
        (1, 0, "`end_line` (0) is before `start_line` (1)."),
    ],
)
def test_lines_that_are_not_there(box: Toolbox, start: int, end: int | None, said: str) -> None:
    assert box.read_file("src/a.py", "head", start, end) == said


def test_reading_is_bounded_and_says_how_to_go_on(box: Toolbox, made: Made) -> None:
    """T2."""
    first = box.read_file("src/long.txt").split("\n")
    assert (first[0], first[399], first[400:]) == (
        "    1 | line 1",
        "  400 | line 400",
        ["[truncated: lines 1-400 of 1,000; go on with start_line=401]"],
    )
    assert box.read_file("src/long.txt", start_line=999).split("\n") == ["  999 | line 999", " 1000 | line 1000"]
    assert box.read_file("src/long.txt", end_line=401).endswith("\n[truncated: lines 1-400 of 1,000; go on with start_line=401]")
    assert box.read_file("src/long.txt", end_line=400).endswith("  400 | line 400")
    assert box.read_file("src/wide.txt") == f"    1 | {'w' * 1_000}… (4000 more characters)"
    small = made(ToolLimits(characters=40))
    assert (
        small.read_file("src/long.txt")
        == "    1 | line 1\n    2 | line 2\n[truncated: lines 1-2 of 1,000; go on with start_line=3]"
    )
    assert small.read_file("src/wide.txt").startswith("    1 | www")


def test_list_files(box: Toolbox, made: Made) -> None:
    assert box.list_files().split("\n") == [
        "big.txt",
        "bin/ (1 file)",
        "docs/ (1 file)",
        "lfs.bin",
        "link (symlink)",
        "module (submodule)",
        "node_modules/ (1 file)",
        "src/ (9 files)",
        "[3 private files not shown]",
    ]
    assert box.list_files("./src/", "base").split("\n") == [
        "a.py",
        "crlf.txt",
        "empty.txt",
        "keys.py",
        "latin.txt",
        "long.txt",
        "odd.txt",
        "old.py",
        "two  spaces\\u{a}.md",
        "wide.txt",
    ]
    assert box.list_files(".aws") == "[1 private file not shown]"
    assert box.list_files("gone") == "There is no folder `gone` at head. Use list_files on a folder above it."
    assert box.list_files("src/a.py") == "There is no folder `src/a.py` at head. `src/a.py` is a file; read it with read_file."
    assert "cannot be listed" in box.list_files("../..")
    assert "cannot be listed" in box.list_files(".git")
    assert box.list_files("", "both") == "`side` is head or base."  # type: ignore[arg-type]
    few = made(ToolLimits(listed=2)).list_files().split("\n")
    assert few[:3] == ["big.txt", "bin/ (1 file)", "[truncated: 2 of 8 entries; name a folder, or find files with search_text]"]


NEEDLE = "1 line in 1 file:\nsrc/a.py:3: needle = parseFloat(1)"
OTHERS = "[node_modules: other people's code is not searched; read_file and list_files work there]"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("needle", "src/**"), NEEDLE),
        (("needle",), f"{NEEDLE}\n[files not searched: 1 Git LFS pointer, 1 too large]"),
        (("NEEDLE", "src/**"), "Nothing holds this text."),
        (("NEEDLE", "src/**", "head", False), NEEDLE),
        (("key =", "src/keys.py", "head", False), "1 line in 1 file:\nsrc/keys.py:1: KEY = '\u2039redacted:github\u203a'"),
        (("print(", "*.py", "base"), "1 line in 1 file:\nsrc/a.py:2: print(x)"),
        ((".*", "src/"), "Nothing holds this text."),
        (("red", "src/odd.txt"), "1 line in 1 file:\nsrc/odd.txt:1: a\\u{1b}[31mred\\u{202e}"),
        (("Spaces", "*.md"), "1 line in 1 file:\nsrc/two  spaces\\u{a}.md:1: Spaces"),
        (("KEY =", "src/keys.py"), "1 line in 1 file:\nsrc/keys.py:1: KEY = '\u2039redacted:github\u203a'"),
        (("needle", "bin/*"), "Nothing holds this text."),
        (("needle", "node_modules/**"), f"Nothing holds this text.\n{OTHERS}"),
        (("a\nb",), "Search for one line of text of at most 256 characters."),
        ((" ",), "Search for one line of text of at most 256 characters."),
        (("x" * 257,), "Search for one line of text of at most 256 characters."),
        (("x", "", "both"), "`side` is head or base."),
    ],
)  # fmt: skip
def test_search_text(box: Toolbox, arguments: tuple[str, ...], answer: str) -> None:
    assert box.search_text(*arguments) == answer  # type: ignore[arg-type]


@pytest.mark.parametrize("side", ["head", "base"])
@pytest.mark.parametrize("text", [SECRET, SECRET[:4], "TOP=", KEY, KEY[:8], B64, B64[:20]])
def test_a_search_finds_nothing_private_and_no_part_of_a_key(box: Toolbox, text: str, side: str) -> None:
    """Nor does its answer tell that there is one (T2, T4)."""
    hidden = {"base": "plain.txt"}.get(side, "nothing")  # at the base this is a file like any other
    answer = "\n".join(line for line in box.search_text(text, "", side, False).split("\n")[1:] if hidden not in line)  # type: ignore[arg-type]
    assert text.lower() not in answer.lower()


def test_a_search_is_bounded_and_says_so(made: Made) -> None:
    """T2."""
    box = made(ToolLimits(matches=2, match=10))
    assert box.search_text("line 1", "src/*.txt") == (
        "112 lines in 1 file, the first 2 are listed:\nsrc/long.txt:1: line 1\nsrc/long.txt:10: line 10"
    )
    assert box.search_text("wwww", "src/*.txt").endswith("wide.txt:1: wwwwwwwwww… (4990 more characters)")
    assert made(ToolLimits(search_files=1)).search_text("line 1").split("\n") == [
        "Nothing that was searched holds this text.",
        "[stopped at its bound of 1 file, 1 file read; narrow it with glob]",
        "[files not searched: 1 too large]",
    ]
    stopped = made(ToolLimits(search_bytes=20)).search_text("x = 2", "src/*")
    assert stopped.split("\n") == [
        "at least 1 line in 1 file:",
        "src/a.py:1: x = 2",
        "[stopped at its bound of 20 bytes, 1 file read; narrow it with glob]",
    ]
    assert "bound of time" in made(ToolLimits(search_seconds=-1.0)).search_text("x")
    assert made(ToolLimits()).search_text("x = 2", "src/*").startswith("1 line in 1 file:")  # git can be read after a stop


@pytest.mark.parametrize(
    ("glob", "said"),
    [
        ("[z-a]", "is no glob"),
        ("\\", "is no glob"),
        ("!", "is no glob"),
        ("[[:foo:]]", "is no glob"),
        ("*a*a*a*a", "at most 3 wildcards"),
        ("**/" * 4 + "x", "3 times `**`"),
        ("x" * 201, "at most 200 characters"),
    ],
)
def test_a_glob_that_is_none_is_an_answer(box: Toolbox, glob: str, said: str) -> None:
    """T1 of searching."""
    assert said in box.search_text("x", glob)
    assert said in box.search_code("x", "python", glob)


def test_search_code(box: Toolbox, made: Made) -> None:
    assert box.search_code("parseFloat($A)", "python") == "src/a.py:3: parseFloat(1)"
    assert box.search_code("parseFloat($A)", "python", "docs/**").startswith("No file of this language")
    assert box.search_code("nothing($A)", "python") == "Nothing matches."
    assert box.search_code("x", "klingon").startswith("There is no language `klingon`; there are ")
    assert box.search_code(" ", "python") == "The pattern is empty."
    assert box.search_code("x y", "python").startswith("ast-grep does not take this pattern: ")
    assert box.search_code("--x", "python") == "Nothing matches."
    few = made(ToolLimits(matches=1)).search_code("$A", "python").split("\n")
    assert (few[0][:11], few[1][-6:]) == ("src/a.py:1:", " more]")


@pytest.mark.parametrize("pattern", ["$A = $B", "KEY = $B", "TEXT = $B", "$A"])
def test_search_code_shows_no_key_and_no_part_of_one(made: Made, pattern: str) -> None:
    """T3 of searching: a match inside a key, or a cut through one."""
    for limits in (ToolLimits(), ToolLimits(match=30)):
        answer = made(limits).search_code(pattern, "python", "src/keys.py")
        assert answer.startswith("src/keys.py:")
        assert pattern == "TEXT = $B" or "\u2039redacted" in answer
        assert KEY[:10] not in answer
        assert B64[:12] not in answer


def test_skills_are_loaded_once_and_their_files_after_them(box: Toolbox) -> None:
    assert box.read_skill_file("money", "fx.md") == "`money` is not loaded. Load it with `skill` first."
    assert box.skill(query="MON") == '1 skill:\n<skill name="money">About money.</skill>'
    assert list(box.loaded) == []
    assert box.skill(name="money") == (
        f"Skill `money`, file `.agents/skills/money/SKILL.md`:\n\n{skill('money').strip()}\n\n"
        "Files beside it, for read_skill_file: `fx.md`, `empty.md`, `odd.md`, `keys.md`, `Evil\\u{a}.md`"
    )
    assert list(box.loaded) == ["money"]
    assert box.skill(name="money") == "`money` is loaded already; it stands above."
    assert box.read_skill_file("money", "fx.md") == "Rates come from the treasury.\n"
    assert box.read_skill_file("money", "./fx.md") == "Rates come from the treasury.\n"
    assert box.read_skill_file("money", "empty.md") == "This file is empty, or too large to be read."
    assert "without `..`" in box.read_skill_file("money", "../x")
    assert "there is `fx.md`" in box.read_skill_file("money", "FX.md")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "Give either `name`, to load a skill, or `query`, to find some."),
        ({"name": "money", "query": "x"}, "Give either `name`, to load a skill, or `query`, to find some."),
        ({"name": "gone"}, "There is no such skill. Find skills with `query`."),
        ({"name": ""}, "There is no such skill. Find skills with `query`."),
        ({"query": "nothing like it"}, "No skill holds that."),
        ({"query": "", "offset": -1}, "Offset must be 0 or more."),
        ({"query": "", "offset": 1}, "No skill from offset 1 on; 1 skill in all."),
        ({"query": "x" * 257}, "A query may have 256 characters."),
    ],
)
def test_skills_asked_for_wrongly(box: Toolbox, arguments: dict[str, str], said: str) -> None:
    assert box.skill(**arguments) == said  # type: ignore[arg-type]
    assert box.loaded == {}


def test_private_files_beside_a_skill_are_neither_named_nor_read(box: Toolbox) -> None:
    """T3, by their name and by where a link leads."""
    told = box.skill(name="money")
    for name in ("server.key", "inner/x.md", "link.md"):
        answer = box.read_skill_file("money", name)
        assert name not in told
        assert f"There is no `{name}` beside the skill; files there: `fx.md`" in answer
        assert SECRET not in answer
        assert "\n" not in answer


def test_hidden_characters_of_guides_stay_and_are_said(box: Toolbox) -> None:
    """T4."""
    box.skill(name="money")
    answer = box.read_skill_file("money", "odd.md")
    assert answer.startswith("Right\u202eleft.\n")
    assert "characters that nobody sees" in answer
    assert "nobody sees" not in box.read_skill_file("money", "fx.md")


def test_a_key_in_a_guide_is_taken_out(box: Toolbox) -> None:
    """T2."""
    box.skill(name="money")
    assert box.read_skill_file("money", "keys.md") == "Use \u2039redacted:github\u203a here.\n"


def test_a_skill_that_is_private_is_none(repo: Repo) -> None:
    with tree_of(repo, {"a": "b"}) as tree:
        hidden = Skill("secrets/SKILL.md", "secrets", "secrets", "About secrets.", data=b"x", oid=Sha("0" * 40))
        odd = Skill("a/..\\b/SKILL.md", "odd", "odd", "Odd.", data=b"x", oid=Sha("0" * 40))
        box = Toolbox(tree, tree, Policy(), [hidden, odd], CallLog(), agent="a", files=lambda one, name: b"")
        assert box.skill(query="") == "No skill holds that."


def test_what_breaks_is_an_answer_and_is_logged(box: Toolbox) -> None:
    """T1: a defect, a damaged clone."""

    def broken(one: Skill, name: str) -> bytes:
        raise LookupError(f"/tmp/somewhere {KEY}")

    box._files = broken
    box.skill(name="money")
    assert box.read_skill_file("money", "fx.md") == "This could not be done, and it is not your fault. Try something else."
    call = box._log.calls[-1]
    assert call.reason == "LookupError: /tmp/somewhere \u2039redacted:github\u203a"
    assert box.read_file("src/a.py", "head", "1")  # type: ignore[arg-type]
    assert box.read_file(None)  # type: ignore[arg-type]
    assert [one.reason[:9] for one in box._log.calls[-2:]] == ["TypeError", "TypeError"]


def test_a_damaged_clone_is_an_answer(repo: Repo) -> None:
    """T1."""
    repo.commit({"a.txt": "a\n", "b.txt": "b\n"})
    gone = repo.loose_object(repo.rev("HEAD:a.txt"))
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve("main").sha).tree)
        box = Toolbox(tree, tree, Policy(), [], CallLog(), agent="a", files=lambda one, name: b"")
        gone.unlink()
        assert box.read_file("a.txt").startswith("This could not be done: object ")
        assert str(repo.path) not in box.search_text("b")
        assert box.read_file("b.txt") == "    1 | b"


def test_every_call_is_logged(box: Toolbox) -> None:
    box.read_file("src/a.py")
    box.read_file(".env")
    box.search_text(KEY)
    box.list_files("a\nb")
    box.search_code("x" * 300, "python")
    box.skill(query="")
    box.read_skill_file("money", "fx.md")
    log = box._log
    assert [(one.id, one.agent, one.tool, bool(one.reason)) for one in log.calls] == [
        ("call-1", "a", "read_file", False),
        ("call-2", "a", "read_file", True),
        ("call-3", "a", "search_text", False),
        ("call-4", "a", "list_files", True),
        ("call-5", "a", "search_code", False),
        ("call-6", "a", "skill", False),
        ("call-7", "a", "read_skill_file", True),
    ]
    assert log.calls[0].arguments == "head:src/a.py:1-"
    assert log.calls[2].arguments == "head::\u2039redacted:github\u203a"
    assert "\n" not in log.calls[3].arguments
    assert len(log.calls[4].arguments) < 250
    assert (log.calls[0].size, log.calls[0].lines) == (len(box.read_file("src/a.py")), 3)
    assert log.calls[0].seconds >= 0
    assert log.evidence("call-1") == box.read_file("src/a.py")
    assert log.evidence("call-2") is None
    assert log.evidence("call-99") is None
    with pytest.raises(AttributeError):
        log.calls[0].result = "another"  # type: ignore[misc]


def test_the_inventory_has_changed_folders_first_and_no_private_path(repo: Repo) -> None:
    repo.commit({**FILES, "aa/bb/c.txt": ""})
    repo.branch("feature")
    repo.git("rm", "-q", "plain.txt")
    repo.git("mv", ".env", "moved.txt")
    repo.commit({"src/a.py": "y\n"})
    with Workspace(repo.path) as workspace:
        change, _ = read_change(workspace, workspace.resolve("main"), workspace.resolve("feature"))
        head = Tree(workspace.store, workspace.store.commit(workspace.resolve("feature").sha).tree)
        found = inventory(head, change, Policy(), most=12)
        everything = inventory(head, change, Policy())
    assert (found.total, found.private) == (len(FILES), 3)
    # `src` and the root are the folders of changed files.
    assert found.paths == (
        "big.txt",
        "lfs.bin",
        "src/a.py",
        "src/crlf.txt",
        "src/empty.txt",
        "src/keys.py",
        "src/latin.txt",
        "src/long.txt",
        "src/odd.txt",
        "src/old.py",
        "src/two  spaces\\u{a}.md",
        "src/wide.txt",
    )
    assert everything.paths[12:] == ("bin/x.bin", "docs/Read.md", "aa/bb/c.txt")


PRIVATE_NAMES = [".env", "x/.ENV.prod", "keys/top.pem", "Secrets/deep/top.txt", ".aws/top", "a/id_rsa", "own/top.md"]
NAMED_OTHERWISE = {"top.txt", "top", "top.md"}
"""Names that are also those of public files, or asked for."""
NAMES = st.sampled_from(["a.py", "x/b.txt", "x/y/c.md", "top.txt", "a/id_rsa.pub", "z.env"])


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(NAMES, st.sampled_from(["one\n", "two\nTOP\n", f"k = '{KEY}'\n", ""]), min_size=1, max_size=4),
    st.sets(st.sampled_from(PRIVATE_NAMES), min_size=1, max_size=4),
    st.lists(st.sampled_from(["", "x", "TOP", "hidden", "top", ".", "a", "*", "**/*", "own", "secrets"]), min_size=3, max_size=3),
)
def test_no_answer_holds_anything_private(public: dict[str, str], private: set[str], words: list[str]) -> None:
    """T2: whatever is asked, no private content, no private path, no key."""
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(os.path.realpath(folder)))
        with tree_of(repo, {**public, **dict.fromkeys(private, "hidden-marker TOP\n")}) as tree:
            box = Toolbox(tree, tree, Policy(["own/**"]), [], CallLog(), agent="a", files=lambda one, name: b"")
            sides = ("head", "base")
            one, two, three = words
            answers = [box.search_text(one, two, side, False) for side in sides]  # type: ignore[arg-type]
            answers += [box.search_text("marker"), box.search_text("TOP", "**"), box.search_code("$A", "python", two)]
            answers += [box.list_files(name) for name in (one, two, three, "", "x", "keys", "Secrets", "Secrets/deep", ".aws")]
            asked = sorted(private) + [name.upper() for name in private] + [name.replace("/", "\\") for name in private]
            refused = [box.read_file(name) for name in (*asked, *words)]
            answers += [box.read_file(f"other/{name.rpartition('/')[2]}").partition(" at head.")[2] for name in private]
        log = box._log
    everything = "\n".join(answers)
    assert "hidden-marker" not in everything + "\n".join(refused)
    assert KEY not in everything
    names = {part for name in private for part in (name, name.rpartition("/")[2]) if part not in NAMED_OTHERWISE}
    assert not [name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", everything)]
    assert len(log.calls) == len(answers) + len(refused)
    assert [call.id for call in log.calls] == [f"call-{number}" for number in range(1, len(log.calls) + 1)]
