"""Trees and commits that no git would write, well named: refused or read as git reads them, never misread."""

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.trees import Tree, tree_changes
from kodus_check.git.workspace import Workspace
from kodus_check.model import FileKind, FileStatus, RepoPath, parse_sha
from tests.git import forge
from tests.repo import Repo

FILE = b"100644"


@pytest.fixture
def base(repo: Repo) -> str:
    return repo.commit({"a": "1\n", "b": "2\n"})


def blob(repo: Repo, data: bytes = b"x\n") -> str:
    return repo.git("hash-object", "-w", "--stdin", data=data).decode().strip()


def child(repo: Repo, base: str, *entries: tuple[bytes, bytes, str]) -> str:
    return forge.add_commit(repo, forge.add_tree(repo, *entries), base)


@pytest.mark.parametrize("mode", [FILE, b"120000", b"160000", b"40000"])
@pytest.mark.parametrize("name", [b"..", b".", b"", b".git", b".GIT", b".gIt", b"a/b", b"/etc/passwd", b"../../x", b".git/config"])
def test_names_that_lead_out_of_the_repository(repo: Repo, base: str, mode: bytes, name: bytes) -> None:
    oid = forge.add_tree(repo, (FILE, b"f", blob(repo))) if mode == b"40000" else blob(repo)
    head = child(repo, base, (mode, name, oid))
    with pytest.raises(CannotReview, match="which no file may have") as caught:
        repo.change(base, head)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("name", [b"..", b".git", b"a/b"])
def test_such_a_name_deeper_in_the_tree(repo: Repo, base: str, name: bytes) -> None:
    inner = forge.add_tree(repo, (FILE, name, blob(repo)))
    head = child(repo, base, (FILE, b"a", blob(repo)), (b"40000", b"d", forge.add_tree(repo, (b"40000", b"e", inner))))
    with pytest.raises(CannotReview, match="which no file may have"):
        repo.change(base, head)


@pytest.mark.parametrize("second", [FILE, b"40000", b"120000", b"160000"])
def test_one_name_twice(repo: Repo, base: str, second: bytes) -> None:
    """One program would take the first, another the second: a file for the reviewer and one for the build."""
    other = forge.add_tree(repo, (FILE, b"f", blob(repo))) if second == b"40000" else blob(repo, b"evil\n")
    head = child(repo, base, (FILE, b"a", blob(repo)), (second, b"a", other))
    with pytest.raises(CannotReview, match="twice"):
        repo.change(base, head)


def test_one_name_twice_at_the_base(repo: Repo, base: str) -> None:
    odd = child(repo, base, (FILE, b"a", blob(repo)), (FILE, b"a", blob(repo, b"y\n")))
    head = child(repo, odd, (FILE, b"a", blob(repo)))
    with pytest.raises(CannotReview, match="twice"):
        repo.change(odd, head)


@pytest.mark.parametrize(
    "raw",
    [
        b"100644 a\0short",
        b"100644 a",
        b"100644",
        b"100644 a\0" + b"\1" * 20 + b"\0",
        b"+100644 a\0" + b"\1" * 20,
        b"0o100644 a\0" + b"\1" * 20,
        b"1_00644 a\0" + b"\1" * 20,
        b"100648 a\0" + b"\1" * 20,
        b" a\0" + b"\1" * 20,
    ],
)
def test_malformed_trees(repo: Repo, base: str, raw: bytes) -> None:
    head = forge.add_commit(repo, forge.add_object(repo, "tree", raw), base)
    with pytest.raises(CannotReview, match="is malformed"):
        repo.change(base, head)


@pytest.mark.parametrize(
    ("mode", "status", "kind"),
    [
        (b"100664", FileStatus.MODIFIED, FileKind.FILE),
        (b"0100644", FileStatus.MODIFIED, FileKind.FILE),
        (b"100600", FileStatus.MODIFIED, FileKind.FILE),
        (b"100777", FileStatus.MODIFIED, FileKind.FILE),
        (b"120777", FileStatus.TYPE_CHANGED, FileKind.SYMLINK),
        (b"644", FileStatus.TYPE_CHANGED, FileKind.SUBMODULE),
    ],
)
def test_odd_modes_mean_what_git_takes_them_for(repo: Repo, base: str, mode: bytes, status: FileStatus, kind: FileKind) -> None:
    """Old programs wrote modes such as 100664, and histories still hold them."""
    head = child(repo, base, (mode, b"a", blob(repo)), (FILE, b"b", repo.rev(f"{base}:b")))
    files = repo.changed(base, head)
    assert {name: (file.status, file.kind, list(file.added)) for name, file in files.items()} == {
        "a": (status, kind, [1] if kind is FileKind.FILE else [])
    }


def test_a_mode_that_means_the_same_is_no_change(repo: Repo, base: str) -> None:
    head = child(repo, base, (b"100664", b"a", repo.rev(f"{base}:a")), (FILE, b"b", repo.rev(f"{base}:b")))
    assert repo.changed(base, head) == {}


def test_a_folder_with_an_odd_mode_is_a_folder(repo: Repo, base: str) -> None:
    folder = forge.add_tree(repo, (FILE, b"f", blob(repo)))
    kept = [(FILE, name.encode(), repo.rev(f"{base}:{name}")) for name in "ab"]
    head = child(repo, base, *kept, (b"040755", b"d", folder))
    assert {name: list(file.added) for name, file in repo.changed(base, head).items()} == {"d/f": [1]}


@pytest.mark.parametrize(
    "names",
    [[b"b", b"a"], [b"a", b"c", b"b"], [b"a/", b"a-b"], [b"a0", b"a/"], [b"b", b"a/"]],
    ids=lambda names: b" ".join(names).decode(),
)
def test_entries_out_of_order(repo: Repo, base: str, names: list[bytes]) -> None:
    """git walks two trees side by side and counts on their order, in which a folder's name ends in a slash."""
    file, folder = blob(repo), forge.add_tree(repo, (FILE, b"f", blob(repo)))
    head = child(repo, base, *((b"40000", name[:-1], folder) if name.endswith(b"/") else (FILE, name, file) for name in names))
    with pytest.raises(CannotReview, match="its names are out of order"):
        repo.change(base, head)


def test_a_nul_byte_in_a_symlink_does_not_make_the_file_after_it_binary(repo: Repo, base: str) -> None:
    before = child(repo, base, (b"120000", b"a", blob(repo, b"some\0where")))
    head = child(repo, before, (FILE, b"a", blob(repo, b"1\n")))
    file = repo.changed(before, head)["a"]
    assert (file.status, file.kind, list(file.added)) == (FileStatus.TYPE_CHANGED, FileKind.FILE, [1])


def test_entries_in_gits_order(repo: Repo, base: str) -> None:
    file, folder = blob(repo), forge.add_tree(repo, (FILE, b"f", blob(repo)))
    head = child(
        repo, base, (FILE, b"a-b", file), (FILE, b"a.b", file), (b"40000", b"a", folder), (FILE, b"a0", file), (FILE, b"b", file)
    )
    assert {"a-b", "a.b", "a/f", "a0", "b"} <= repo.changed(base, head).keys()


def test_folders_nested_deeper_than_a_program_can_recurse(repo: Repo, base: str) -> None:
    tree = forge.add_tree(repo, (FILE, b"f", blob(repo)))
    for _ in range(1500):
        tree = forge.add_tree(repo, (b"40000", b"d", tree))
    kept = [(FILE, name.encode(), repo.rev(f"{base}:{name}")) for name in "ab"]
    head = child(repo, base, *kept, (b"40000", b"d", tree))
    deepest = b"d/" * 1501 + b"f"
    assert [file.path.raw for file in repo.change(base, head).files] == [deepest]
    with Workspace(repo.path) as workspace:
        store = workspace.store
        old, new = store.commit(parse_sha(base)).tree, store.commit(parse_sha(head)).tree
        assert [one.path.raw for one in tree_changes(store, old, new)] == [deepest]
        assert [entry.path.raw for entry in Tree(store, new).walk()] == [b"a", b"b", deepest]
        assert Tree(store, new).find(RepoPath(deepest)) is not None


# --- commits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("time", ["", "x", "-5", "0", "9" * 5000, "99999999999999999999", "1.5"])
def test_nonsense_times_do_not_lead_astray(repo: Repo, base: str, time: str) -> None:
    fork = forge.add_commit(repo, repo.rev(f"{base}^{{tree}}"), base, time=time)
    head = child(repo, fork, (FILE, b"a", blob(repo)))
    moved = forge.add_commit(repo, repo.rev(f"{base}^{{tree}}"), fork, time=time)
    assert repo.change(moved, head).merge_base == fork


def test_a_parent_line_where_git_reads_none_is_none(repo: Repo, base: str) -> None:
    """Parents stand between the tree and the author; a line further down is an unknown header."""
    other = repo.commit({"a": "3\n"})
    head = forge.add_commit(repo, repo.rev(f"{other}^{{tree}}"), base, extra=f"parent {other}\n")
    change = repo.change(other, head)
    assert change.merge_base == base
    assert [str(file.path) for file in change.files] == ["a"]


def test_a_signature_is_no_header(repo: Repo, base: str) -> None:
    other = repo.commit({"a": "3\n"})
    signature = f"gpgsig -----BEGIN PGP SIGNATURE-----\n parent {other}\n tree {other}\n -----END PGP SIGNATURE-----\n"
    head = forge.add_commit(repo, repo.rev(f"{other}^{{tree}}"), base, extra=signature)
    assert repo.change(other, head).merge_base == base


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\nm\n",
        b"author A <a@example.org> 1 +0000\n\nm\n",
        b"tree \nauthor A <a@example.org> 1 +0000\n\nm\n",
        b"tree 123\nauthor A <a@example.org> 1 +0000\n\nm\n",
        b"tree " + b"1" * 64 + b"\nauthor A <a@example.org> 1 +0000\n\nm\n",
        b"tree " + b"1" * 40 + b"\nparent x\nauthor A <a@example.org> 1 +0000\n\nm\n",
    ],
)
def test_malformed_commits(repo: Repo, base: str, raw: bytes) -> None:
    head = forge.add_object(repo, "commit", raw)
    with pytest.raises(CannotReview, match=r"is malformed|another kind of hash") as caught:
        repo.change(base, head)
    assert caught.value.exit_code == 3


def test_a_tree_or_a_blob_as_a_commit(repo: Repo, base: str) -> None:
    for name, kind in ((f"{base}^{{tree}}", "tree"), (f"{base}:a", "blob")):
        with pytest.raises(CannotReview, match=f"is a {kind}, not a commit"):
            repo.change(base, repo.rev(name))


def test_a_tag_of_a_tag_of_a_tag(repo: Repo, base: str) -> None:
    name = base
    for number in range(12):
        repo.git("tag", "-a", "-m", "t", f"t{number}", name)
        name = f"t{number}"
    assert repo.change("t5", base).base.sha == base
    with pytest.raises(CannotReview, match="is a tag, not a commit"):
        repo.change("t11", base)
