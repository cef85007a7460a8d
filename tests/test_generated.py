"""Which files nobody writes by hand, by the base's own word."""

import pytest

from kodus_check.generated import GeneratedFiles
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from tests.repo import Repo, path

ATTRIBUTES = """\
# comment
*.pb.go linguist-generated
dist/** linguist-generated=true
dist/hand.js -linguist-generated
gen/ text
third/** linguist-vendored
/top.ts linguist-generated
off.ts linguist-generated=false
broken[z-a] linguist-generated
[ linguist-generated
*.gen linguist-generated
"""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/b/x.pb.go", "generated"),
        ("dist/deep/x.js", "generated"),
        ("dist/hand.js", None),
        ("third/lib/x.c", "vendored"),
        ("top.ts", "generated"),
        ("sub/top.ts", None),
        ("off.ts", None),
        ("sub/made.ts", "generated"),
        ("sub/deep/made.ts", "generated"),
        ("made.ts", None),
        ("sub/x.pb.go", None),
        ("package-lock.json", "lock_file"),
        ("web/yarn.lock", "lock_file"),
        ("vendor/x.go", None),
        ("src/a.ts", None),
        ("a.gen", "generated"),
    ],
)
def test_what_is_generated(repo: Repo, name: str, kind: str | None) -> None:
    nested = "made.ts linguist-generated\n*.pb.go !linguist-generated\n"
    commit = repo.commit({".gitattributes": ATTRIBUTES, "sub/.gitattributes": nested})
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        assert GeneratedFiles(tree).kind_of(path(name)) == kind
