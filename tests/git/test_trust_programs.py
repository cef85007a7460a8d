"""A workspace whose configuration wants to run programs, and an environment that wants to steer git.

Every trap is first shown to spring for plain git, then it must not spring for us.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.change import read_change
from kodus_check.git.objects import MissingObject
from kodus_check.git.workspace import Workspace
from tests.repo import Repo


class Trap:
    """A program that leaves a mark when it runs."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "ran"
        self.program = folder / "evil.sh"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.mark}'\n")
        self.program.chmod(0o755)

    @property
    def sprang(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@dataclass(frozen=True)
class Setting:
    """What the workspace holds (``{evil}`` is the program), and the git command by which the program would run."""

    config: dict[str, str]
    command: list[str]
    attributes: str = ""


TRAPS = {
    "fsmonitor": Setting({"core.fsmonitor": "{evil}"}, ["status"]),
    "external diff": Setting({"diff.external": "{evil}"}, ["diff", "HEAD~1", "HEAD"]),
    "diff driver": Setting({"diff.evil.command": "{evil}"}, ["diff", "HEAD~1", "HEAD"], "*.txt diff=evil"),
    "textconv": Setting({"diff.evil.textconv": "{evil}"}, ["diff", "HEAD~1", "HEAD"], "*.txt diff=evil"),
    "cached textconv": Setting(
        {"diff.evil.textconv": "{evil}", "diff.evil.cachetextconv": "true"}, ["diff", "HEAD~1", "HEAD"], "*.txt diff=evil"
    ),
    "clean filter": Setting({"filter.evil.clean": "{evil}"}, ["add", "--renormalize", "f.txt"], "*.txt filter=evil"),
    "smudge filter": Setting({"filter.evil.smudge": "{evil}"}, ["checkout", "HEAD~1", "--", "f.txt"], "*.txt filter=evil"),
    "alias": Setting({f"alias.{name}": "!{evil}" for name in ("trapped", "rev-parse", "diff-tree", "cat-file")}, ["trapped"]),
    "included file": Setting({"include.path": "../evil.config"}, ["diff", "HEAD~1", "HEAD"]),
    "conditionally included file": Setting({"includeIf.gitdir:**.path": "../evil.config"}, ["diff", "HEAD~1", "HEAD"]),
    "hooks": Setting({"core.hooksPath": "hooks"}, ["update-ref", "refs/heads/x", "HEAD"]),
    "signature program": Setting({"gpg.program": "{evil}", "log.showSignature": "true"}, ["log", "-1", "signed"]),
    "ssh": Setting({"core.sshCommand": "{evil}", "remote.origin.url": "ssh://h.invalid/r"}, ["ls-remote", "-q", "origin", "."]),
    "credential helper": Setting({"credential.helper": "!{evil}"}, ["credential", "fill"]),
}


@pytest.mark.parametrize("name", TRAPS)
def test_programs_of_the_workspace_are_not_run(repo: Repo, trap: Trap, name: str) -> None:
    """T1 of ``workspace``."""
    base = repo.commit({"f.txt": "1\n"})
    head = repo.commit({"f.txt": "2\n"})
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nm\n"
    raw = repo.git("cat-file", "commit", head).partition(b"\n\n")[0] + b"\n" + signature
    repo.git("tag", "signed", repo.git("hash-object", "-w", "-t", "commit", "--stdin", data=raw).decode().strip())
    setting = TRAPS[name]
    repo.write({"evil.config": f'[diff]\n\texternal = "{trap.program}"\n'})
    repo.write({"hooks/reference-transaction": trap.program.read_text(), ".git/info/attributes": setting.attributes})
    (repo.path / "hooks/reference-transaction").chmod(0o755)
    for key, value in setting.config.items():
        repo.git("config", key, value.format(evil=trap.program))
    sprung(repo, trap, setting.command)

    with Workspace(repo.path) as workspace:
        assert workspace.resolve("HEAD").sha == head
        assert workspace.resolve("signed^{commit}").sha == repo.rev("signed")
        workspace.default_base()
    assert list(repo.changed(base, "main")["f.txt"].added) == [1]
    assert not trap.sprang


def sprung(repo: Repo, trap: Trap, command: list[str]) -> None:
    """Lets plain git fall into the trap, and sets it again."""
    try:
        repo.git(*command, data=b"protocol=https\nhost=h.invalid\n\n", env={"GIT_TERMINAL_PROMPT": "0"})
    except AssertionError:
        assert trap.sprang  # the program gives no output, which fails some commands
    assert trap.sprang
    trap.mark.unlink()


def test_alternate_refs_command(tmp_path: Path, trap: Trap) -> None:
    origin = Repo.init(tmp_path / "origin")
    base = origin.commit({"f": "1\n"})
    head = origin.commit({"f": "2\n"})
    origin.git("clone", "-q", "--shared", str(origin.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    clone.git("config", "core.alternateRefsCommand", str(trap.program))
    origin.commit({"f": "3\n"})
    sprung(clone, trap, ["fetch", "-q", "origin"])
    assert list(clone.changed(base, head)["f"].added) == [1]
    assert not trap.sprang


@pytest.mark.parametrize(
    "settings",
    [
        {"remote.origin.uploadpack": "{evil}"},
        {"remote.origin.url": "ext::{evil}", "protocol.ext.allow": "always"},
        {"remote.origin.url": "ssh://h.invalid/r", "core.sshCommand": "{evil}"},
        {"remote.origin.url": "evil::x", "remote.origin.vcs": "evil"},
    ],
    ids=["upload-pack", "ext transport", "ssh", "remote helper"],
)
@pytest.mark.parametrize("lacks", ["blob:none", "tree:0"])
def test_a_partial_clone_is_not_completed_by_its_own_program(
    tmp_path: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], lacks: str
) -> None:
    """T4 of ``process``."""
    origin = Repo.init(tmp_path / "origin")
    base = origin.commit({"d/f": "1\n"})
    head = origin.commit({"d/f": "2\n"})
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("clone", "-q", "--no-checkout", f"--filter={lacks}", origin.path.as_uri(), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    for key, value in settings.items():
        clone.git("config", key, value.format(evil=trap.program))
    (tmp_path / "git-remote-evil").symlink_to(trap.program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(AssertionError):
        clone.git("cat-file", "-p", f"{head}:d/f", env={"PATH": os.environ["PATH"]})
    assert trap.sprang
    trap.mark.unlink()

    with pytest.raises(MissingObject, match="is not in this clone") as caught:
        clone.change(base, head)
    assert caught.value.exit_code == 3
    assert not trap.sprang


# --- the environment of the job --------------------------------------------------------------------------------------------


@pytest.fixture
def pair(repo: Repo) -> tuple[str, str]:
    base = repo.commit({"f": "1\n"})
    return base, repo.commit({"f": "2\n", "g": "g\n"})


VARIABLES: dict[str, Callable[[Path], str]] = {
    "GIT_DIR": lambda folder: f"{folder}/elsewhere/.git",
    "GIT_WORK_TREE": lambda folder: f"{folder}/elsewhere",
    "GIT_COMMON_DIR": lambda folder: f"{folder}/elsewhere/.git",
    "GIT_OBJECT_DIRECTORY": lambda folder: f"{folder}/nowhere",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": lambda folder: f"{folder}/nowhere",
    "GIT_INDEX_FILE": lambda folder: f"{folder}/nowhere",
    "GIT_NAMESPACE": lambda folder: "other",
    "GIT_CEILING_DIRECTORIES": lambda folder: f"{folder}",
    "GIT_CONFIG": lambda folder: f"{folder}/evil.config",
    "GIT_CONFIG_GLOBAL": lambda folder: f"{folder}/evil.config",
    "GIT_CONFIG_SYSTEM": lambda folder: f"{folder}/evil.config",
    "GIT_CONFIG_PARAMETERS": lambda folder: f"'diff.external={folder}/evil.sh'",
    "GIT_CONFIG_COUNT": lambda folder: "nonsense",
    "GIT_EXTERNAL_DIFF": lambda folder: f"{folder}/evil.sh",
    "GIT_DIFF_OPTS": lambda folder: "-u0",
    "GIT_TRACE": lambda folder: f"{folder}/ran",
    "GIT_TRACE2": lambda folder: f"{folder}/ran",
    "GIT_REPLACE_REF_BASE": lambda folder: "refs/heads",
    "GIT_GRAFT_FILE": lambda folder: f"{folder}/grafts",
    "GIT_SHALLOW_FILE": lambda folder: f"{folder}/shallow",
    "GIT_LITERAL_PATHSPECS": lambda folder: "1",
    "GIT_DEFAULT_HASH": lambda folder: "sha256",
    "GIT_ATTR_SOURCE": lambda folder: "HEAD",
    "GIT_EXEC_PATH": lambda folder: f"{folder}",
    "HOME": lambda folder: f"{folder}",
    "XDG_CONFIG_HOME": lambda folder: f"{folder}",
    "LC_ALL": lambda folder: "de_DE.UTF-8",
    "LANGUAGE": lambda folder: "de",
    "SUDO_UID": lambda folder: "12345",
}


@pytest.mark.parametrize("name", VARIABLES)
def test_variables_do_not_steer_git(
    repo: Repo, pair: tuple[str, str], trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """T1 and T2 of ``process``."""
    before = repo.change(*pair)
    Repo.init(tmp_path / "elsewhere").commit({"f": "another repository\n"})
    evil = f'[diff]\n\texternal = "{trap.program}"\n\tnoprefix = true\n[core]\n\tfsmonitor = "{trap.program}"\n'
    for file in ("evil.config", ".gitconfig", "git/config"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(evil)
    for file in ("grafts", "shallow"):
        (tmp_path / file).write_text(f"{pair[1]}\n")
    seen = tmp_path / "environment"
    git_on_path(tmp_path, monkeypatch, f'env >> "{seen}"\nexec "$REAL" "$@"')
    value = VARIABLES[name](tmp_path)
    monkeypatch.setenv(name, value)
    assert repo.change(*pair) == before
    assert repo.change("main~1", "main").merge_base == pair[0]
    assert not trap.sprang
    lines = seen.read_text().splitlines()
    assert "GIT_CONFIG_NOSYSTEM=1" in lines
    assert f"{name}={value}" not in lines


def test_tokens_do_not_reach_git(repo: Repo, pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T1 of ``process``, seen by a git on PATH that writes down its environment."""
    seen = tmp_path / "environment"
    git_on_path(tmp_path, monkeypatch, f'env >> "{seen}"\nexec "$REAL" "$@"')
    for name in ("GITHUB_TOKEN", "ANTHROPIC_API_KEY", "CI_JOB_TOKEN", "GIT_ASKPASS", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, "s3cret")
    assert len(repo.change(*pair).files) == 2
    text = seen.read_text()
    assert "GIT_CONFIG_NOSYSTEM=1" in text
    assert "s3cret" not in text


def git_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Puts a shell script in front of the real git, which it finds in ``$REAL``."""
    real = next(str(Path(part) / "git") for part in os.environ["PATH"].split(":") if (Path(part) / "git").exists())
    (folder / "bin").mkdir()
    (folder / "bin/git").write_text(f"#!/bin/sh\nREAL='{real}'\n{script}\n")
    (folder / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")


# --- a git that does not do its work ---------------------------------------------------------------------------------------

LIES = {
    "leaves a file out": ("head -c 0", "is not that of the verified trees"),
    "adds a file": (
        r"printf ':100644 000000 1111111111111111111111111111111111111111 0000000000000000000000000000000000000000 D\0x\0'; cat",
        "is not that of the verified trees",
    ),
    "names another blob": (r"sed 's/^index [0-9a-f]/index 0/'", "names other blobs"),
    "names another status": (r"sed 's/ M\x00f/ Q\x00f/'", "unknown status 'Q'"),
    "prints a list that is none": ("echo hello", "is not that of the verified trees"),
    "prints a list that ends early": (r"printf ':100644 100644'", "is not that of the verified trees"),
    "prints a record that is none": (r"printf 'hello\0f\0'", "a file list that this program cannot read"),
    "prints a record without a path": (r"printf ':100644 100644 1 2 M\0'", "a file list that this program cannot read"),
    "prints a rename without its second path": (
        r"printf ':100644 100644 1 2 R100\0a\0'",
        "a file list that this program cannot read",
    ),
    "prints a mode that is none": (r"sed 's/^:100644/:100x44/'", "a file list that this program cannot read"),
    "prints a path that leads out": (r"sed 's/ A\x00g/ A\x00../'", "a file list that this program cannot read"),
    "prints an id that is none": (
        r"sed 's/^:100644 100644 [0-9a-f]* /:100644 100644 xyz /'",
        "a file list that this program cannot read",
    ),
    "changes a line": (r"sed 's/^-1$/-7/'", "is not what the old file holds"),
    "changes an added line": (r"sed 's/^+2$/+7/'", "applying it to the old file does not give the new one"),
    "shifts a hunk": (r"sed 's/^@@ -1 +1 @@/@@ -1 +2 @@/'", "at another line of the new file"),
    "drops a hunk": (r"sed '/^@@ -1 +1 @@/,/^+2$/d'", "applying it to the old file does not give the new one"),
    "cuts a hunk short": (r"sed '/^+2$/d'", "a hunk that is shorter than its header says"),
    "garbles a hunk header": (r"sed 's/^@@ -1 /@@ x /'", "a hunk that this program cannot read"),
    "calls text binary": (r"sed 's/^--- a.f$/Binary files a and b differ/;/^@@ -1 +1/,/^+2$/d'", "it is no binary file"),
    "drops a section": (r"sed '/^diff --git a.g/,$d'", "fewer changed files than its own list names"),
    "drops every section": (r"sed '/^diff --git/,$d'", "fewer changed files than its own list names"),
    "drops the header of the first section": (r"sed 's/diff --git a.f b.f//'", "cannot read"),
    "adds a section": ("cat; echo 'diff --git a/x b/x'", "more changed files than its own list names"),
    "prints text before the sections": (r"sed 's/^\x00diff --git a.f/\x00hello\n&/;s/diff --git a.f/hello\n&/'", "cannot read"),
    "prints nothing and fails": ("cat > /dev/null; exit 3", "is not that of the verified trees"),
    "fails at the end": ("cat; exit 3", "git diff-tree ended with 3"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_git_that_lies_is_found_out(
    repo: Repo, pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The output of ``diff-tree`` goes through a filter; nothing but a failure may come of it."""
    script, message = LIES[name]
    git_on_path(tmp_path, monkeypatch, f'case "$*" in *diff-tree*) "$REAL" "$@" | ({script}) ;; *) exec "$REAL" "$@" ;; esac')
    with pytest.raises(CannotReview, match=message) as caught:
        repo.change(*pair)
    assert caught.value.exit_code == 3


def test_a_git_that_shows_only_half_of_a_change_of_type(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = repo.commit({"f": "1\n"})
    (repo.path / "f").unlink()
    (repo.path / "f").symlink_to("elsewhere")
    head = repo.commit()
    half = r"sed '/^new file mode/,$d' | sed '$d'"
    git_on_path(tmp_path, monkeypatch, f'case "$*" in *diff-tree*) "$REAL" "$@" | {half} ;; *) exec "$REAL" "$@" ;; esac')
    with pytest.raises(CannotReview, match="fewer changed files than its own list names"):
        repo.change(base, head)


def test_a_git_that_hides_lines_though_told_not_to(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that knows no ``--text`` would let a NUL byte hide the lines of a file that has to be read."""
    base, head = repo.commit({"f.py": b"a\n\0\n"}), repo.commit({"f.py": b"evil\n\0\n"})
    git_on_path(
        tmp_path,
        monkeypatch,
        'for word; do shift; [ "$word" = --text ] || set -- "$@" "$word"; done; exec "$REAL" "$@"',
    )
    with Workspace(repo.path) as workspace, pytest.raises(CannotReview, match="no lines of a binary file") as caught:
        read_change(workspace, workspace.resolve(base), workspace.resolve(head), as_text=lambda path: True)
    assert caught.value.exit_code == 3


def test_no_git(repo: Repo, pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = "git is not installed or not on PATH"
    with Workspace(repo.path) as workspace:
        base, head = workspace.resolve(pair[0]), workspace.resolve(pair[1])
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CannotReview, match=missing):
            workspace.resolve("main")
        with pytest.raises(CannotReview, match=missing):
            read_change(workspace, base, head)
        workspace.store.close()
        with pytest.raises(CannotReview, match=missing):
            workspace.resolve(pair[0])
    with pytest.raises(CannotReview, match=missing) as caught:
        repo.change(*pair)
    assert caught.value.exit_code == 3
