"""The store of verified objects, and trees read through it."""

from collections.abc import Iterator

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.objects import Blob, MissingObject, ObjectStore
from kodus_check.git.trees import Entry, Tree, TreeChange, tree_changes
from kodus_check.model import RepoPath, Sha, parse_sha
from tests.repo import Repo, path


@pytest.fixture
def store(repo: Repo) -> Iterator[ObjectStore]:
    with ObjectStore(repo.path / ".git") as store:
        yield store


def added_blob(repo: Repo, data: bytes) -> Sha:
    return parse_sha(repo.git("hash-object", "-w", "--stdin", data=data).decode().strip())


def root(repo: Repo, store: ObjectStore) -> Sha:
    return store.commit(parse_sha(repo.rev("HEAD"))).tree


# --- blobs -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\n", b"\0", b"a\r\nb\x0c", b"x" * 70_000, bytes(range(256)) * 9])
def test_a_blob_is_its_bytes(repo: Repo, store: ObjectStore, data: bytes) -> None:
    oid = added_blob(repo, data)
    assert store.blob(oid) == Blob(oid, len(data), data)


@pytest.mark.parametrize(("limit", "kept"), [(0, False), (9, False), (10, True), (11, True)])
def test_a_blob_over_the_limit_is_not_kept(repo: Repo, store: ObjectStore, limit: int, kept: bool) -> None:
    oid = added_blob(repo, b"0123456789")
    assert store.blob(oid, limit=limit) == Blob(oid, 10, b"0123456789" if kept else None)
    assert store.blob(oid).data == b"0123456789"


def test_many_blobs_come_in_the_order_they_were_asked_for(repo: Repo, store: ObjectStore) -> None:
    """More requests than are written ahead, with large answers that fill the pipe in between."""
    contents = [b"%d\n" % number * (1 + 20_000 * (number % 97 == 0)) for number in range(1_300)]
    repo.commit({str(number): data for number, data in enumerate(contents)})
    listed = (line.split() for line in repo.git("ls-tree", "HEAD").splitlines())
    oids = {int(words[3]): parse_sha(words[2].decode()) for words in listed}
    wanted = [oids[number] for number in range(1_300)] + [oids[7], oids[7], oids[0]]
    assert [blob.data for blob in store.blobs(wanted)] == [*contents, contents[7], contents[7], contents[0]]
    assert list(store.blobs([])) == []


def test_a_list_that_is_left_early_does_not_mix_up_the_next(repo: Repo, store: ObjectStore) -> None:
    first, second = added_blob(repo, b"first\n"), added_blob(repo, b"second\n")
    blobs = store.blobs([first] * 500)
    assert next(blobs).data == b"first\n"
    del blobs
    assert store.blob(second).data == b"second\n"


def test_damage_behind_what_was_read_ahead(repo: Repo, store: ObjectStore) -> None:
    """git dies at an object while requests for later ones are still to be written."""
    repo.commit({f"{number:03}": bytes(range(256)) if number == 300 else b"%d\n" % number for number in range(700)})
    oids = [parse_sha(line.split()[2].decode()) for line in repo.git("ls-tree", "HEAD").splitlines()]
    file = repo.loose_object(oids[300])
    raw = file.read_bytes()
    file.unlink()
    file.write_bytes(raw[: len(raw) - 8])
    blobs = store.blobs(oids)
    assert [next(blobs).oid for _ in range(150)] == oids[:150]
    assert store._process is not None
    assert store._process.wait(timeout=30) != 0  # all answers up to the damaged one fit the pipe
    assert [next(blobs).oid for _ in range(150)] == oids[150:300]
    with pytest.raises(CannotReview, match=oids[300]):
        next(blobs)
    assert store.blob(oids[699]).data == b"699\n"


def test_a_store_opens_again_after_it_was_closed(repo: Repo, store: ObjectStore) -> None:
    oid = added_blob(repo, b"x")
    assert store.blob(oid).data == b"x"
    store.close()
    store.close()
    assert store.blob(oid).data == b"x"


def test_another_kind_than_asked_for(repo: Repo, store: ObjectStore) -> None:
    head = parse_sha(repo.commit({"f": "1\n"}))
    blob, tree = parse_sha(repo.rev("HEAD:f")), root(repo, store)
    with pytest.raises(CannotReview, match=f"object {tree} is a tree, not a blob"):
        store.blob(tree)
    with pytest.raises(CannotReview, match=f"object {blob} is a blob, not a tree"):
        store.tree(blob)
    with pytest.raises(CannotReview, match=f"object {head} is a commit, not a tree"):
        store.tree(head)
    with pytest.raises(CannotReview, match=f"object {tree} is a tree, not a commit"):
        store.commit(tree)
    with pytest.raises(MissingObject, match="is not in this clone"):
        store.tree(parse_sha("0" * 39 + "1"))
    assert store.blob(blob).data == b"1\n"


def test_a_commit_and_its_parents(repo: Repo, store: ObjectStore) -> None:
    one = repo.commit({"f": "1\n"}, message="a message\n\nparent " + "1" * 40 + "\ntree " + "2" * 40)
    repo.branch("side")
    two = repo.commit({"g": "1\n"})
    repo.checkout("main")
    three = repo.commit({"h": "1\n"})
    repo.git("merge", "-q", "--no-edit", "side")
    merge = store.commit(parse_sha(repo.rev("HEAD")))
    assert (merge.parents, merge.tree, merge.time) == ((three, two), repo.rev("HEAD^{tree}"), repo.clock)
    first = store.commit(parse_sha(one))
    assert (first.oid, first.parents, first.tree) == (one, (), repo.rev(f"{one}^{{tree}}"))


# --- trees -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(repo: Repo, store: ObjectStore) -> Tree:
    repo.write({"README.md": "r\n", "docs/a.md": "a\n", "docs/deep/b.md": "b\n", "docs-old/c.md": "c\n", b"\xff": "x"})
    (repo.path / "docs/link.md").symlink_to("/etc/passwd")
    (repo.path / "docs/folder").symlink_to("deep")
    (repo.path / "run.sh").write_text("#!/bin/sh\n")
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "sub").mkdir()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.commit()
    return Tree(store, root(repo, store))


@pytest.mark.parametrize(
    ("name", "mode", "reason"),
    [
        ("README.md", 0o100644, None),
        ("docs/a.md", 0o100644, None),
        ("docs/deep/b.md", 0o100644, None),
        ("run.sh", 0o100755, None),
        ("docs/link.md", 0o120000, "symlink"),
        ("docs/folder", 0o120000, "symlink"),
        ("sub", 0o160000, "submodule"),
    ],
)
def test_files_are_found_and_links_are_not_followed(repo: Repo, tree: Tree, name: str, mode: int, reason: str | None) -> None:
    entry = tree.find(path(name))
    assert entry == Entry(path(name), mode, parse_sha(repo.rev(f"HEAD:{name}")))
    assert entry.why_not_read == reason


@pytest.mark.parametrize(
    "name",
    [
        "docs",
        "docs/deep",
        "nope",
        "docs/nope",
        "nope/a.md",
        "README.md/a.md",
        "docs/folder/b.md",
        "sub/a",
        "readme.md",
        "docs/a.md/x",
    ],
)
def test_what_is_no_file(tree: Tree, name: str) -> None:
    assert tree.find(path(name)) is None


EVERY = [
    b"README.md",
    b"docs-old/c.md",
    b"docs/a.md",
    b"docs/deep/b.md",
    b"docs/folder",
    b"docs/link.md",
    b"run.sh",
    b"sub",
    b"\xff",
]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (None, EVERY),
        ("docs", [b"docs/a.md", b"docs/deep/b.md", b"docs/folder", b"docs/link.md"]),
        ("docs/deep", [b"docs/deep/b.md"]),
        ("docs/folder", []),
        ("README.md", []),
        ("nope", []),
        ("sub", []),
    ],
)
def test_walks(tree: Tree, folder: str | None, expected: list[bytes]) -> None:
    assert [entry.path.raw for entry in tree.walk(path(folder) if folder else None)] == expected


def test_the_bytes_of_an_entry(repo: Repo, store: ObjectStore, tree: Tree) -> None:
    entry = tree.find(path("docs/link.md"))
    assert entry is not None
    assert tree.blob(entry).data == b"/etc/passwd"
    for size, kept in ((1024 * 1024, True), (1024 * 1024 + 1, False)):
        big = Entry(path("big.md"), 0o100644, added_blob(repo, b"x" * size))
        assert (tree.blob(big).data is not None, tree.blob(big).size) == (kept, size)


def test_differences_of_trees(repo: Repo, store: ObjectStore) -> None:
    repo.commit({"same/x": "1\n", "edited": "1\n", "gone/a/b": "1\n", "becomes/folder": "1\n", "folder": "1\n"})
    old = root(repo, store)
    repo.write({"edited": "2\n", "gone/a/b": None, "new/c": "1\n", "becomes/folder": None, "folder": None})
    (repo.path / "becomes").rmdir()
    repo.commit({"becomes": "1\n", "folder/f": "1\n"})
    new = root(repo, store)
    one, two = parse_sha(repo.rev("HEAD~1:edited")), parse_sha(repo.rev("HEAD:edited"))
    changes = sorted(tree_changes(store, old, new), key=lambda change: change.path)
    assert changes == [
        TreeChange(RepoPath(b"becomes"), 0, 0o100644, None, one),
        TreeChange(RepoPath(b"becomes/folder"), 0o100644, 0, one, None),
        TreeChange(RepoPath(b"edited"), 0o100644, 0o100644, one, two),
        TreeChange(RepoPath(b"folder"), 0o100644, 0, one, None),
        TreeChange(RepoPath(b"folder/f"), 0, 0o100644, None, one),
        TreeChange(RepoPath(b"gone/a/b"), 0o100644, 0, one, None),
        TreeChange(RepoPath(b"new/c"), 0, 0o100644, None, one),
    ]
    assert list(tree_changes(store, new, new)) == []
