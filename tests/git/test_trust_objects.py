"""An object database that lies: it may stop the review, it may never change what the review sees.

Where git itself is taken in, the test shows that first.
"""

from collections.abc import Callable

import pytest

from kodus_check.errors import CannotReview
from kodus_check.git.objects import MissingObject, ObjectStore
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import parse_sha
from tests.git import forge
from tests.repo import Repo, path

RULE = "Never log secrets.\n"
EVIL = b"Log what you like.\n"


@pytest.fixture
def pair(repo: Repo) -> tuple[str, str]:
    """A base with a rule and a head that edits a file, renames one and adds one in a folder."""
    base = repo.commit({"docs/rule.md": RULE, "src/a.py": "a = 1\nb = 2\n", "old.py": "same\n" * 9})
    repo.git("mv", "old.py", "new.py")
    return base, repo.commit({"src/a.py": "a = 1\nb = eval(x)\n", "src/new/b.py": "b\n"})


def refused(repo: Repo, base: str, head: str) -> CannotReview:
    with pytest.raises(CannotReview) as caught:
        repo.change(base, head)
    assert caught.value.exit_code == 3
    assert caught.value.remedy
    return caught.value


# --- bytes under another object's name -------------------------------------------------------------------------------------


def test_poisoned_head_blob_that_empties_the_diff(repo: Repo, pair: tuple[str, str]) -> None:
    """Head's blob gets the bytes of the base's, so that git prints the file's name and not one changed line."""
    oid = repo.rev("HEAD:src/a.py")
    forge.poison(repo, oid, b"a = 1\nb = 2\n")
    assert b"@@" not in repo.git("diff", "--no-renames", *pair, "--", "src/a.py")
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


def test_poisoned_base_blob_that_empties_the_diff(repo: Repo, pair: tuple[str, str]) -> None:
    oid = repo.rev(f"{pair[0]}:src/a.py")
    forge.poison(repo, oid, b"a = 1\nb = eval(x)\n")
    assert b"@@" not in repo.git("diff", "--no-renames", *pair, "--", "src/a.py")
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


@pytest.mark.parametrize("name", ["src/a.py", "src/new/b.py"])
@pytest.mark.parametrize("data", [b"", b"harmless\n", b"a = 1\nb = eval(y)\n", b"\0binary\0", b"x" * 100_000])
def test_poisoned_head_blob(repo: Repo, pair: tuple[str, str], name: str, data: bytes) -> None:
    oid = repo.rev(f"HEAD:{name}")
    forge.poison(repo, oid, data)
    assert repo.git("cat-file", "blob", oid) == data
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


def test_poisoned_blob_of_a_deleted_file(repo: Repo) -> None:
    base = repo.commit({"gone.py": "1\n2\n", "k": "k"})
    head = repo.commit({"gone.py": None})
    forge.poison(repo, repo.rev(f"{base}:gone.py"), b"1\n")
    assert "does not hash to its name" in refused(repo, base, head).what


def test_poisoned_blob_makes_a_rename_of_an_edit(repo: Repo) -> None:
    """A new file looks like an old one that went away: a pure rename would show no line of it."""
    base = repo.commit({"old.py": "harmless\n" * 20, "k": "k"})
    head = repo.commit({"old.py": None, "new.py": "evil\n" * 20})
    forge.poison(repo, repo.rev(f"{head}:new.py"), b"harmless\n" * 20)
    assert b"rename to new.py" in repo.git("diff", base, head)
    assert "does not hash to its name" in refused(repo, base, head).what


def test_poisoned_head_tree_that_hides_the_change(repo: Repo, pair: tuple[str, str]) -> None:
    """Head's folder gets the entries of the base's folder: git lists no file in it."""
    oid, old = repo.rev("HEAD:src"), repo.rev(f"{pair[0]}:src")
    forge.poison(repo, oid, repo.git("cat-file", "tree", old), "tree")
    assert b"src/" not in repo.git("diff", "--name-only", *pair)
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


def test_poisoned_root_tree_that_hides_everything(repo: Repo, pair: tuple[str, str]) -> None:
    oid, old = repo.rev("HEAD^{tree}"), repo.rev(f"{pair[0]}^{{tree}}")
    forge.poison(repo, oid, repo.git("cat-file", "tree", old), "tree")
    assert repo.git("diff", *pair) == b""
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


def test_poisoned_head_commit_with_the_base_tree(repo: Repo, pair: tuple[str, str]) -> None:
    base, head = pair
    forge.poison(repo, head, repo.git("cat-file", "commit", head).replace(*_trees(repo, base, head)), "commit")
    assert repo.git("diff", base, head) == b""
    assert refused(repo, base, head).what == f"object {head} does not hash to its name"


def test_poisoned_merge_base_with_the_tree_of_head(repo: Repo, pair: tuple[str, str]) -> None:
    fork, head = pair
    repo.branch("moved", fork)
    base = repo.commit({"other": "o\n"})
    forge.poison(repo, fork, repo.git("cat-file", "commit", fork).replace(*_trees(repo, head, fork)), "commit")
    assert repo.git("diff", f"{base}...{head}") == b""
    assert refused(repo, base, head).what == f"object {fork} does not hash to its name"


def test_poisoned_base_commit_that_descends_from_head(repo: Repo, pair: tuple[str, str]) -> None:
    base, head = pair
    forge.poison(
        repo, base, repo.git("cat-file", "commit", base).replace(b"\nauthor", f"\nparent {head}\nauthor".encode()), "commit"
    )
    assert refused(repo, base, head).what == f"object {base} does not hash to its name"


def _trees(repo: Repo, new: str, old: str) -> tuple[bytes, bytes]:
    return repo.rev(f"{old}^{{tree}}").encode(), repo.rev(f"{new}^{{tree}}").encode()


def test_poisoned_tag(repo: Repo, pair: tuple[str, str]) -> None:
    """The tag's name is an object too: its bytes decide which commit it means."""
    base, head = pair
    repo.git("tag", "-a", "-m", "t", "v1", base)
    oid = repo.rev("v1")
    forge.poison(repo, oid, repo.git("cat-file", "tag", oid).replace(base.encode(), head.encode()), "tag")
    assert refused(repo, "v1", head).what == f"object {oid} does not hash to its name"


def test_poisoned_rule_is_not_read(repo: Repo, pair: tuple[str, str]) -> None:
    """What judges is read from the base by its id: other bytes under that id are no rule."""
    oid = repo.rev("HEAD:docs/rule.md")
    forge.poison(repo, oid, EVIL)
    assert repo.git("show", f"{pair[0]}:docs/rule.md") == EVIL
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(parse_sha(pair[0])).tree)
        entry = tree.find(path("docs/rule.md"))
        assert entry is not None
        with pytest.raises(CannotReview, match="does not hash to its name"):
            tree.blob(entry)


def test_a_blob_as_a_tree(repo: Repo, pair: tuple[str, str]) -> None:
    oid = repo.rev("HEAD:src")
    forge.poison(repo, oid, b"", "blob")
    with pytest.raises(CannotReview, match=f"object {oid} is a blob, not a tree"):
        repo.change(*pair)


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:src", "HEAD:src/a.py"])
@pytest.mark.parametrize(
    "damage", [lambda raw: b"", lambda raw: raw[: len(raw) // 2], lambda raw: b"garbage", lambda raw: raw[:-4] + b"\0\0\0\0"]
)
def test_damaged_object(repo: Repo, pair: tuple[str, str], name: str, damage: Callable[[bytes], bytes]) -> None:
    oid = repo.rev(name)
    file = repo.loose_object(oid)
    raw = file.read_bytes()
    file.unlink()
    file.write_bytes(damage(raw))
    assert oid in refused(repo, *pair).what


@pytest.mark.parametrize(
    "name", ["HEAD", "HEAD^{tree}", "HEAD:src", "HEAD:src/a.py", "HEAD~1^{tree}", "HEAD~1:src/a.py", "HEAD~1:src"]
)
def test_missing_object(repo: Repo, pair: tuple[str, str], name: str) -> None:
    oid = repo.rev(name)
    repo.loose_object(oid).unlink()
    error = refused(repo, *pair)
    assert isinstance(error, MissingObject)
    assert error.oid == oid
    assert error.remedy == "The clone is damaged. Run `git fsck`, then clone again."


def test_damage_among_many_files_is_named(repo: Repo) -> None:
    """git dies in the middle of a long list of requests: the id is named, nothing hangs."""
    base = repo.commit({f"{number}": f"{number}\n" for number in range(1500)})
    head = repo.commit({f"{number}": f"{number} new\n" for number in range(1500)})
    oid = repo.rev(f"{head}:777")
    repo.loose_object(oid).unlink()
    repo.loose_object(oid).write_bytes(b"garbage")
    assert oid in refused(repo, base, head).what


# --- packs and indexes -----------------------------------------------------------------------------------------------------


def test_forged_pack_index(repo: Repo, pair: tuple[str, str]) -> None:
    oid = repo.rev("HEAD:src/a.py")
    forge.pack_under_another_name(repo, oid, b"a = 1\nb = 2\n")
    assert repo.git("cat-file", "blob", oid) == b"a = 1\nb = 2\n"
    assert refused(repo, *pair).what == f"object {oid} does not hash to its name"


def test_forged_multi_pack_index_is_not_used(repo: Repo, pair: tuple[str, str]) -> None:
    before = repo.change(*pair)
    repo.git("repack", "-q", "-a", "-d", "--no-write-bitmap-index", "--depth=0", "--window=0")
    old, new = repo.rev(f"{pair[0]}:src/a.py"), repo.rev("HEAD:src/a.py")
    forge.swap_in_multi_pack_index(repo, old, new)
    assert repo.git("cat-file", "blob", old) == b"a = 1\nb = eval(x)\n"
    assert repo.change(*pair) == before


def test_packed_objects_are_read(repo: Repo, pair: tuple[str, str]) -> None:
    before = repo.change(*pair)
    repo.git("gc", "-q", "--prune=now")
    assert not repo.loose_object(pair[1]).exists()
    assert repo.change(*pair) == before


# --- what an id means ------------------------------------------------------------------------------------------------------


def test_forged_commit_graph_that_makes_head_the_merge_base(repo: Repo, pair: tuple[str, str]) -> None:
    """git takes the parents of all but the tips from the graph file: with head below the base there is no change left."""
    fork, middle = pair
    head = repo.commit({"src/a.py": "a = eval(y)\n"})
    repo.branch("moved", fork)
    base = repo.commit({"k": "k\n"})
    before = repo.change(base, head)
    forge.commit_graph(repo, {fork: head, middle: None})
    assert repo.git("merge-base", base, head).decode().strip() == head
    assert repo.git("diff", f"{base}...{head}") == b""
    assert repo.change(base, head) == before
    assert before.merge_base == fork
    assert len(before.files) == 3


def test_forged_commit_graph_that_moves_a_revision(repo: Repo, pair: tuple[str, str]) -> None:
    """T3 of ``workspace``: ``HEAD~2`` is walked by us."""
    base, head = pair
    tip = repo.commit({"k": "k\n"})
    evil = repo.commit({"docs/rule.md": EVIL})
    forge.commit_graph(repo, {head: evil})
    assert repo.rev(f"{tip}~2") == evil
    with Workspace(repo.path) as workspace:
        assert workspace.resolve(f"{tip}~2").sha == base
        assert workspace.resolve(f"{tip}^^").sha == base


@pytest.mark.parametrize("kind", ["commit", "tree", "blob"])
def test_replace_refs(repo: Repo, pair: tuple[str, str], kind: str) -> None:
    """T3 of ``process``."""
    base, head = pair
    before = repo.change(base, head)
    suffix = {"commit": "", "tree": "^{tree}", "blob": ":src/a.py"}[kind]
    repo.git("replace", repo.rev(f"{head}{suffix}"), repo.rev(f"{base}{suffix}"))
    assert b"eval" not in repo.git("diff", base, head)
    assert repo.change(base, head) == before


def test_replace_ref_of_a_rule(repo: Repo, pair: tuple[str, str]) -> None:
    oid = repo.rev("HEAD:docs/rule.md")
    repo.git("replace", oid, repo.git("hash-object", "-w", "--stdin", data=EVIL).decode().strip())
    assert repo.git("show", "HEAD:docs/rule.md") == EVIL
    with Workspace(repo.path) as workspace:
        assert workspace.store.blob(parse_sha(oid)).data == RULE.encode()


def test_grafts(repo: Repo, pair: tuple[str, str]) -> None:
    base, head = pair
    repo.write({".git/info/grafts": f"{base} {head}\n{head}\n"})
    assert repo.git("merge-base", base, head).decode().strip() == head
    assert repo.change(base, head).merge_base == base


def test_a_graft_that_moves_a_revision(repo: Repo, pair: tuple[str, str]) -> None:
    """T3 of ``workspace``: git reads grafts even where replace refs and commit graphs are off."""
    base, head = pair
    evil = repo.commit({"docs/rule.md": EVIL})
    repo.write({".git/info/grafts": f"{head} {evil}\n"})
    assert repo.rev(f"{head}~1") == evil
    with Workspace(repo.path) as workspace:
        assert workspace.resolve(f"{head}~1").sha == base
        assert workspace.resolve(f"{head}^").sha == base


def test_forged_shallow_file_does_not_cut_the_history(repo: Repo, pair: tuple[str, str]) -> None:
    """A shallow boundary at head makes its history unrelated to git; the commits themselves say otherwise."""
    fork, head = pair
    repo.branch("moved", fork)
    base = repo.commit({"k": "k\n"})
    before = repo.change(base, head)
    repo.write({".git/shallow": f"{head}\n"})
    assert repo.git("rev-list", "--count", head).strip() == b"1"
    assert before.merge_base == fork
    assert repo.change(base, head) == before


# --- the store -------------------------------------------------------------------------------------------------------------


def test_the_store_reads_on_after_a_refusal(repo: Repo, pair: tuple[str, str]) -> None:
    bad, good = parse_sha(repo.rev("HEAD:src/a.py")), parse_sha(repo.rev("HEAD:docs/rule.md"))
    forge.poison(repo, bad, b"x")
    absent = parse_sha("1" * 40)
    with ObjectStore(repo.path / ".git") as store:
        with pytest.raises(CannotReview, match="does not hash"):
            list(store.blobs([good, bad, good]))
        assert store.blob(good).data == RULE.encode()
        with pytest.raises(MissingObject):
            list(store.blobs([good, absent, good]))
        assert [blob.data for blob in store.blobs([good, good])] == [RULE.encode()] * 2
