"""What a tool may do and see, with a reason for each verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodus_check.agent.policy import (
    DEFAULT_PRIVATE,
    PRIVATE_FOLDERS,
    READ_TOOLS,
    REFUSED_TOOLS,
    Policy,
    Refusal,
    Verdict,
    tool_verdict,
)
from kodus_check.git.trees import Entry
from kodus_check.model import Change, ChangedFile, FileKind, FileStatus, RepoPath, Revision, Sha
from tests.repo import path

ZERO = Sha("0" * 40)


@pytest.mark.parametrize(
    ("name", "refusal", "reason"),
    [
        ("read_file", None, ""),
        ("skill", None, ""),
        ("run_cli", None, ""),
        # T1
        ("write_file", Refusal.REFUSED_TOOL, "it writes"),
        ("apply_patch", Refusal.REFUSED_TOOL, "it writes"),
        ("Bash", Refusal.REFUSED_TOOL, "it runs programs"),
        ("WebFetch", Refusal.REFUSED_TOOL, "it reaches the network"),
        ("Task", Refusal.REFUSED_TOOL, "it starts other agents"),
        ("read_anything", Refusal.UNKNOWN_TOOL, "is not known"),
        ("READ_FILE", Refusal.UNKNOWN_TOOL, "is not known"),
        ("", Refusal.UNKNOWN_TOOL, "is not known"),
    ],
)
def test_tools(name: str, refusal: Refusal | None, reason: str) -> None:
    verdict = tool_verdict(name)
    assert (verdict.refusal, verdict.allowed) == (refusal, refusal is None)
    assert reason in verdict.reason


def test_no_tool_is_both_read_and_refused() -> None:
    assert READ_TOOLS.isdisjoint(REFUSED_TOOLS)
    assert all(name == name.lower() for name in REFUSED_TOOLS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("a%20b.py", "a%20b.py"),
        ("100%.txt", "100%.txt"),
        ("src/a:b.py", "src/a:b.py"),
        ("a...b/..c", "a...b/..c"),
        (".github/x.yml", ".github/x.yml"),
        # T2
        ("/etc/passwd", Refusal.BAD_PATH),
        ("//host/share", Refusal.BAD_PATH),
        ("\\\\host\\share", Refusal.BAD_PATH),
        ("C:\\x", Refusal.BAD_PATH),
        ("C:/x", Refusal.BAD_PATH),
        ("c:x", Refusal.BAD_PATH),
        ("~/x", Refusal.BAD_PATH),
        ("~root/x", Refusal.BAD_PATH),
        ("..", Refusal.BAD_PATH),
        ("../../etc/passwd", Refusal.BAD_PATH),
        ("a/../../etc/passwd", Refusal.BAD_PATH),
        ("a\\..\\b", Refusal.BAD_PATH),
        (".git/config", Refusal.BAD_PATH),
        ("a/.GIT/config", Refusal.BAD_PATH),
        (".\\.Git\\config", Refusal.BAD_PATH),
        ("a\0b", Refusal.BAD_PATH),
        ("a\nb", Refusal.BAD_PATH),
        ("a\x1b[31m", Refusal.BAD_PATH),
        ("a\x85b", Refusal.BAD_PATH),
        ("%2e%2e/x", Refusal.BAD_PATH),
        ("a%2Fb", Refusal.BAD_PATH),
        ("a%5cb", Refusal.BAD_PATH),
        ("a%00", Refusal.BAD_PATH),
        ("%252e%252e/x", Refusal.BAD_PATH),
        ("https://x.example/a", Refusal.BAD_PATH),
        ("file:///etc/passwd", Refusal.BAD_PATH),
        ("", Refusal.BAD_PATH),
        (".", Refusal.BAD_PATH),
        ("\ud800", Refusal.BAD_PATH),
        ("x" * 1_025, Refusal.BAD_PATH),
        ("x" * 1_024, "x" * 1_024),
        # T4
        (".env", Refusal.PRIVATE),
        ("deploy/.ENV.local", Refusal.PRIVATE),
        (".\\.env", Refusal.PRIVATE),
        ("keys/server.PEM", Refusal.PRIVATE),
        ("server.key", Refusal.PRIVATE),
        ("a/.ssh/known_hosts", Refusal.PRIVATE),
        (".aws/config", Refusal.PRIVATE),
        ("Secrets/x.txt", Refusal.PRIVATE),
        ("secrets/id_rsa.pub", Refusal.PRIVATE),
        ("secrets/.env.example", Refusal.PRIVATE),
        ("id_rsa", Refusal.PRIVATE),
        ("id_ed25519.old", Refusal.PRIVATE),
        ("credentials-prod.json", Refusal.PRIVATE),
        ("service-account-1.json", Refusal.PRIVATE),
        ("infra/terraform.tfstate.backup", Refusal.PRIVATE),
        ("home/.docker/config.json", Refusal.PRIVATE),
        (".docker/config.json", Refusal.PRIVATE),
        ("own/hidden.txt", Refusal.PRIVATE),
        ("ärger.txt", Refusal.PRIVATE),
        ("a\u0308rger.txt", Refusal.PRIVATE),
        (".env.example", ".env.example"),
        ("id_rsa.pub", "id_rsa.pub"),
        ("src/environment.py", "src/environment.py"),
        ("src/secrets.py", "src/secrets.py"),
        ("src/key.ts", "src/key.ts"),
    ],
)
def test_paths(text: str, expected: str | Refusal) -> None:
    found = Policy(["own/**", "ÄRGER.txt"]).check_path(text)
    assert (str(found) if isinstance(found, RepoPath) else found.refusal) == expected
    assert isinstance(found, RepoPath) or found.reason


@given(st.text(max_size=40) | st.text(alphabet="./\\%2e5cfgitGITC:~\0 ", max_size=20))
def test_whatever_text_is_a_path_inside_or_a_reason(text: str) -> None:
    """T2."""
    found = Policy().check_path(text)
    if isinstance(found, Verdict):
        assert found.reason
        assert not found.allowed
    else:
        parts = found.raw.lower().split(b"/")
        assert not {b"", b".", b"..", b".git"} & set(parts)


def test_a_configuration_only_adds() -> None:
    """T5."""
    policy = Policy(["!.env", "!secrets/**", "notes.md"])
    for name in (".env", "secrets/x", "notes.md"):
        assert policy.may_see(path(name)).refusal is Refusal.PRIVATE, name
    assert policy.may_see(path("notes.txt")).allowed


def test_every_default_hides_something() -> None:
    for glob in DEFAULT_PRIVATE:
        if not glob.startswith("!"):
            assert not Policy().may_see(path(f"a/{glob.removeprefix('**/').replace('*', 'x')}")).allowed, glob
    for folder in PRIVATE_FOLDERS:
        assert not Policy().may_see(path(f"a/{folder}b/c.txt")).allowed, folder


@pytest.mark.parametrize(("old", "new"), [(".env", "plain.txt"), ("plain.txt", "keys/x.pem")])
def test_a_renamed_private_file_is_private_under_both_names(old: str, new: str) -> None:
    """T5."""
    file = ChangedFile(path(new), FileStatus.RENAMED, FileKind.FILE, old_path=path(old))
    other = ChangedFile(path("b.txt"), FileStatus.RENAMED, FileKind.FILE, old_path=path("a.txt"))
    revision = Revision("x", ZERO)
    policy = Policy(["own/**"]).knowing(Change(revision, revision, ZERO, (file, other)))
    assert not Policy().may_show(file).allowed
    assert Policy().may_show(other).allowed
    assert [policy.may_see(path(name)).allowed for name in ("plain.txt", old, new, "a.txt", "b.txt", "own/x")] == [
        False,
        False,
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("mode", "data", "refusal"),
    [
        (0o100644, b"text", None),
        (0o100755, b"", None),
        # T3
        (0o120000, b"/etc/passwd", Refusal.SYMLINK),
        (0o160000, b"", Refusal.SUBMODULE),
        (0o100644, None, Refusal.TOO_LARGE),
        (0o100644, b"version https://git-lfs.github.com/spec/v1\n", Refusal.LFS),
        (0o100644, b"a\0b", Refusal.BINARY),
    ],
)
def test_what_lies_in_the_tree(mode: int, data: bytes | None, refusal: Refusal | None) -> None:
    verdict = Policy().entry(Entry(path("a"), mode, ZERO), data, 5)
    assert verdict.refusal is refusal
    assert bool(verdict.reason) is (refusal is not None)
