"""What a tool may do and see, with a reason for each verdict."""

import pytest

from kodus_check.agent.policy import Policy, Verdict, tool_verdict
from kodus_check.git.trees import Entry
from kodus_check.model import ChangedFile, FileKind, FileStatus, RepoPath, Sha
from tests.repo import path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("read_file", ""),
        ("skill", ""),
        ("write_file", "it writes"),  # T1
        ("Bash", "it runs programs"),
        ("web_fetch", "it reaches the network"),
        ("Task", "it starts other agents"),
        ("read_anything", "is not known"),
        ("", "is not known"),
    ],
)
def test_tools(name: str, reason: str) -> None:
    verdict = tool_verdict(name)
    assert verdict.allowed is not bool(reason)
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("a%20b.py", "a%20b.py"),
        # T2
        ("/etc/passwd", None),
        ("C:\\x", None),
        ("C:/x", None),
        ("~/x", None),
        ("..", None),
        ("a/../../etc/passwd", None),
        ("a/../b", None),
        (".git/config", None),
        ("a/.GIT/config", None),
        ("a\0b", None),
        ("a\nb", None),
        ("%2e%2e/x", None),
        ("a%2Fb", None),
        ("https://x.example/a", None),
        ("file:///etc/passwd", None),
        ("", None),
        ("x" * 2_000, None),
        # T4
        (".env", None),
        ("deploy/.ENV.local", None),
        ("keys/server.PEM", None),
        ("a/.ssh/known_hosts", None),
        ("Secrets/x.txt", None),
        ("own/hidden.txt", None),
        (".env.example", ".env.example"),
        ("id_rsa.pub", "id_rsa.pub"),
        ("id_rsa", None),
        ("src/environment.py", "src/environment.py"),
        ("src/secrets.py", "src/secrets.py"),
        ("src/key.ts", "src/key.ts"),
    ],
)
def test_paths(text: str, expected: str | None) -> None:
    found = Policy(["own/**"]).path(text)
    assert (str(found) if isinstance(found, RepoPath) else None) == expected
    assert expected is not None or (isinstance(found, Verdict) and found.reason)


def test_a_renamed_private_file_stays_private() -> None:
    file = ChangedFile(path("plain.txt"), FileStatus.RENAMED, FileKind.FILE, old_path=path(".env"))
    assert not Policy().may_show(file).allowed


@pytest.mark.parametrize(
    ("mode", "data", "reason"),
    [
        (0o100644, b"text", ""),
        (0o120000, b"/etc/passwd", "symlink"),  # T3
        (0o160000, b"", "submodule"),
        (0o100644, None, "too large"),
        (0o100644, b"version https://git-lfs.github.com/spec/v1\n", "LFS"),
        (0o100644, b"a\0b", "binary"),
    ],
)
def test_what_lies_in_the_tree(mode: int, data: bytes | None, reason: str) -> None:
    verdict = Policy().entry(Entry(path("a"), mode, Sha("0" * 40)), data, 5)
    assert verdict.allowed is not bool(reason)
    assert reason in verdict.reason
