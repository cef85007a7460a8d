"""RU-1: where rules come from at the base, read from git and never from the file system."""

from collections.abc import Callable, Iterator

import pytest

from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import Notice, NoticeKind, RuleStatus
from kodus_check.rules.documents import RuleSource
from kodus_check.rules.ruleset import load_rules
from kodus_check.rules.sources import RuleFiles, read_file, read_folder, read_pack, read_sgconfig
from tests.repo import Content, Repo, path
from tests.rules.rig import OK, fates, rule

AtBase = Callable[[dict[str, Content]], Tree]
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

POINTER = "it is a Git LFS pointer, and what it points to is not in the repository"
ALLOWED = "a rule source may have 64,000"


@pytest.fixture
def at_base(repo: Repo) -> Iterator[AtBase]:
    """Commits files and gives the tree."""
    opened: list[Workspace] = []

    def make(files: dict[str, Content]) -> Tree:
        repo.commit(files)
        opened.append(Workspace(repo.path))
        store = opened[-1].store
        return Tree(store, store.commit(opened[-1].resolve("HEAD").sha).tree)

    yield make
    for workspace in opened:
        workspace.__exit__(None, None, None)


def names(sources: tuple[RuleSource, ...] | list[RuleSource]) -> list[str]:
    return [source.name for source in sources]


def refused(message: str, subject: str = "sgconfig.yml") -> Notice:
    return Notice(NoticeKind.SOURCE_REFUSED, message, subject)


# --- sgconfig.yml --------------------------------------------------------------------------------------------------------------

FOLDERS = {
    "rules/b.yml": rule("b"),
    "rules/a.yaml": rule("a"),
    "rules/deep/er/c.yml": rule("c"),
    "rules/.hidden.yml": rule("d"),
    "rules/.hidden/e.yml": rule("e"),
    "rules/readme.md": "# no rule\n",
    "rules/f.YML": "not: a rule\n",
    "rules/g.yml.bak": "not: a rule\n",
    "rules/h.json": "{}",
    "other/i.yml": rule("i"),
    "utils/u.yml": rule("u"),
    "src/a.ts": "parseFloat(a)",
}
IN_RULES = ["rules/.hidden.yml", "rules/.hidden/e.yml", "rules/a.yaml", "rules/b.yml", "rules/deep/er/c.yml"]


@pytest.mark.parametrize(
    ("config", "rules", "utils", "folders"),
    [
        pytest.param("ruleDirs: [rules]\n", IN_RULES, [], ["rules"], id="one folder"),
        pytest.param("ruleDirs:\n- ./rules/\n", IN_RULES, [], ["rules"], id="written with dot and slash"),
        pytest.param(
            "ruleDirs: [rules/deep, other]\n", ["other/i.yml", "rules/deep/er/c.yml"], [], ["rules/deep", "other"], id="two"
        ),
        pytest.param("ruleDirs: [rules, rules/deep, rules]\n", IN_RULES, [], ["rules", "rules/deep", "rules"], id="overlapping"),
        pytest.param("ruleDirs: [.]\n", ["other/i.yml", *IN_RULES, "utils/u.yml"], [], [], id="the root"),
        pytest.param("ruleDirs: [./]\n", ["other/i.yml", *IN_RULES, "utils/u.yml"], [], [], id="the root with a slash"),
        pytest.param("ruleDirs: ['']\n", ["other/i.yml", *IN_RULES, "utils/u.yml"], [], [], id="the root as empty text"),
        pytest.param("ruleDirs: [other]\nutilDirs: [utils]\n", ["other/i.yml"], ["utils/u.yml"], ["other", "utils"], id="utilDirs"),
        pytest.param("ruleDirs: [other]\ntestConfigs: [{testDir: t}]\n", ["other/i.yml"], [], ["other"], id="testConfigs"),
        pytest.param("ruleDirs: [other]\nutilDirs: [no]\n", ["other/i.yml"], [], ["other", "no"], id="missing utilDirs"),
        pytest.param("ruleDirs: [other]\nwhatever: 1\n", ["other/i.yml"], [], ["other"], id="a key without meaning"),
        pytest.param("ruleDirs: []\n", [], [], [], id="none"),
        pytest.param("ruleDirs:\nutilDirs:\n", [], [], [], id="null"),
        pytest.param("{}\n", [], [], [], id="nothing in it"),
        pytest.param("\ufeffruleDirs: [other]\r\n", ["other/i.yml"], [], ["other"], id="BOM and CRLF"),
    ],
)
def test_sgconfig(config: str, rules: list[str], utils: list[str], folders: list[str], at_base: AtBase) -> None:
    files, notices = read_sgconfig(at_base({**FOLDERS, "sgconfig.yml": config}))
    assert (names(files.sources), names(files.utils), list(map(str, files.folders))) == (rules, utils, folders)
    assert notices == []
    assert [one.data.decode() for one in files.sources] == [FOLDERS[name] for name in rules]
    assert {(one.line, one.refused) for one in (*files.sources, *files.utils)} <= {(1, "")}


def test_no_sgconfig(at_base: AtBase) -> None:
    """Neither one with another ending nor one in a folder is it."""
    tree = at_base({"sgconfig.yaml": "ruleDirs: [rules]", "src/sgconfig.yml": "ruleDirs: [rules]", "rules/a.yml": OK})
    assert read_sgconfig(tree) == (RuleFiles(), [])


def missing(key: str, folder: str) -> str:
    return f"`{key}` names `{folder}`, where the base has no .yml or .yaml file: no rule comes from there."


ABSOLUTE = "this path is absolute\n  Give it relative to the repository root."


def outside(key: str, folder: str) -> str:
    return (
        f"`{key}` names a path that is not read: {folder}: this path does not stay inside the repository\n"
        "  Give a path below the repository root, without `..`, NUL or `.git`."
    )


@pytest.mark.parametrize(
    ("config", "said", "rules"),
    [
        pytest.param("ruleDirs: [no, other]", [missing("ruleDirs", "no")], ["other/i.yml"], id="missing folder"),
        pytest.param("ruleDirs: [src]", [missing("ruleDirs", "src")], [], id="no rule file in it"),
        pytest.param("ruleDirs: [other/i.yml]", [missing("ruleDirs", "other/i.yml")], [], id="a file"),
        pytest.param("ruleDirs: [other]\nutilDirs: [..]", [outside("utilDirs", "..")], ["other/i.yml"], id="utilDirs up"),
        pytest.param("ruleDirs: [.., other]", [outside("ruleDirs", "..")], ["other/i.yml"], id="up"),
        pytest.param("ruleDirs: [../, other]", [outside("ruleDirs", "../")], ["other/i.yml"], id="up with a slash"),
        pytest.param("ruleDirs: [./.., other]", [outside("ruleDirs", "./..")], ["other/i.yml"], id="up behind a dot"),
        pytest.param("ruleDirs: [../x]", [outside("ruleDirs", "../x")], [], id="up and down"),
        pytest.param("ruleDirs: [.git/hooks]", [outside("ruleDirs", ".git/hooks")], [], id="into .git"),
        pytest.param(
            "ruleDirs: [/, /etc, other]",
            [f"`ruleDirs` names a path that is not read: {folder}: {ABSOLUTE}" for folder in ("/", "/etc")],
            ["other/i.yml"],
            id="absolute",
        ),
        pytest.param(
            "ruleDirs: other",
            ["`ruleDirs` must be a list of folders, so nothing is read from it. Correct it at the base."],
            [],
            id="text for a list",
        ),
        pytest.param(
            "ruleDirs: [other]\nutilDirs: [1]",
            ["`utilDirs` must be a list of folders, so nothing is read from it. Correct it at the base."],
            ["other/i.yml"],
            id="a number in a list",
        ),
    ],
)
def test_what_sgconfig_cannot_have(config: str, said: list[str], rules: list[str], at_base: AtBase) -> None:
    files, notices = read_sgconfig(at_base({**FOLDERS, "sgconfig.yml": config}))
    assert notices == [refused(message) for message in said]
    assert names(files.sources) == rules
    assert files.utils == ()


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ("- ruleDirs", "sgconfig.yml:1:1: this is not a mapping of keys"),
        ("ruleDirs: [", "sgconfig.yml:2:1: did not find expected node content"),
        ("ruleDirs: [other]\nruleDirs: [rules]", "sgconfig.yml:2:1: the key `ruleDirs` stands twice"),
        (LFS, f"sgconfig.yml: {POINTER}"),
        (b"ruleDirs: [r\xff]", "sgconfig.yml: this is not UTF-8 (byte 12)"),
    ],
)
def test_a_broken_sgconfig_is_a_broken_configuration(config: str | bytes, fault: str, at_base: AtBase) -> None:
    """None of the team's rules could run, and that must not look like a clean change."""
    with pytest.raises(ConfigError) as raised:
        read_sgconfig(at_base({**FOLDERS, "sgconfig.yml": config}))
    assert raised.value.problems == (f"{fault}. Correct it at the base.",)


def test_an_empty_sgconfig_names_nothing(at_base: AtBase) -> None:
    assert read_sgconfig(at_base({**FOLDERS, "sgconfig.yml": ""})) == (RuleFiles(), [])


@pytest.mark.parametrize("key", ["customLanguages", "languageGlobs", "languageInjections"])
def test_a_key_of_sgconfig_without_effect(key: str, at_base: AtBase) -> None:
    """Its customLanguages never: they name code to load."""
    files, notices = read_sgconfig(at_base({**FOLDERS, "sgconfig.yml": f"{key}: {{a: b}}\nruleDirs: [other]\n"}))
    assert names(files.sources) == ["other/i.yml"]
    assert notices == [
        Notice(
            NoticeKind.SGCONFIG_KEY_IGNORED,
            f"`{key}` has no effect here: only ruleDirs and utilDirs of the base are read. Its rules may match less than locally.",
            "sgconfig.yml",
        )
    ]


def test_a_symlink_as_sgconfig(repo: Repo, at_base: AtBase) -> None:
    (repo.path / "sgconfig.yml").symlink_to("real.yml")
    with pytest.raises(ConfigError, match="it is a symlink, and those are not followed"):
        read_sgconfig(at_base({"real.yml": "ruleDirs: [rules]", "rules/a.yml": OK}))


# --- files and folders -----------------------------------------------------------------------------------------------------------


def test_what_is_no_regular_file_is_a_refused_source(repo: Repo, at_base: AtBase) -> None:
    """Each is named with its reason, and the others are read."""
    (repo.path / "rules").mkdir()
    (repo.path / "rules" / "b-link.yml").symlink_to("../elsewhere.yml")
    (repo.path / "rules" / "c-folder.yml").symlink_to("../src")
    (repo.path / "rules" / "d-out.yml").symlink_to("/etc/hostname")
    tree = at_base(
        {
            "elsewhere.yml": rule("elsewhere"),
            "src/x.yml": rule("x"),
            "rules/a.yml": OK,
            "rules/e-lfs.yml": LFS,
            "rules/f-large.yml": rule("large") + "#" * 64_000,
            "rules/g-huge.yml": "#" * (1024 * 1024 + 1),
            "rules/h-binary.yml": b"\xff\xfe\0\0",
            "rules/i.yml": rule("i"),
            "sgconfig.yml": "ruleDirs: [rules]",
        }
    )
    files, notices = read_sgconfig(tree)
    assert notices == []
    with load_rules(files.sources) as rules:
        assert fates(rules) == [("ok", ""), ("i", "")]
        link = "No rule of this source runs: it is a symlink, and those are not followed. Correct it at the base."
        assert rules.notices == [
            refused(link, "rules/b-link.yml"),
            refused(link, "rules/c-folder.yml"),
            refused(link, "rules/d-out.yml"),
            refused(
                f"No rule of this source runs: {POINTER}. Correct it at the base.",
                "rules/e-lfs.yml",
            ),
            refused(
                f"No rule of this source runs: 64,063 bytes; {ALLOWED}. Split it into several files. Correct it at the base.",
                "rules/f-large.yml",
            ),
            refused(f"No rule of this source runs: 1,048,577 bytes; {ALLOWED}. Correct it at the base.", "rules/g-huge.yml"),
            refused("No rule of this source runs: not UTF-8 (byte 0). Correct it at the base.", "rules/h-binary.yml"),
        ]


def test_a_submodule_is_a_refused_source(repo: Repo, at_base: AtBase) -> None:
    first = repo.commit({"a.txt": "a"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},rules/sub.yml")
    repo.git("commit", "-q", "-m", "submodule")
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve("HEAD").sha).tree)
        (source,) = read_folder(tree, path("rules"))
    assert (source.name, source.refused) == ("rules/sub.yml", "it is a submodule, and those are not followed")


def test_the_work_tree_has_no_say(repo: Repo, at_base: AtBase) -> None:
    tree = at_base({"sgconfig.yml": "ruleDirs: [rules]", "rules/a.yml": OK})
    repo.write({"sgconfig.yml": "ruleDirs: []", "rules/a.yml": rule("changed"), "rules/new.yml": rule("new")})
    files, _ = read_sgconfig(tree)
    assert [(one.name, one.data.decode()) for one in files.sources] == [("rules/a.yml", OK)]


def test_a_file(at_base: AtBase) -> None:
    tree = at_base({"rules/a.yml": OK, "rules/b.yml": LFS})
    assert read_file(tree, path("rules/a.yml")) == RuleSource("rules/a.yml", OK.encode())
    assert read_file(tree, path("rules/b.yml")).refused.startswith("it is a Git LFS pointer")
    for name in ("rules/no.yml", "rules", "rules/a.yml/b.yml"):
        assert read_file(tree, path(name)) == RuleSource(name, b"", refused="there is no such file at the base")


def test_a_folder(at_base: AtBase) -> None:
    tree = at_base({**FOLDERS, "sgconfig.yml": "", "rules/sgconfig.yml": ""})
    assert names(read_folder(tree, path("rules"))) == [*IN_RULES, "rules/sgconfig.yml"]
    assert names(read_folder(tree, path("rules/deep"))) == ["rules/deep/er/c.yml"]
    assert names(read_folder(tree, None)) == ["other/i.yml", *IN_RULES, "rules/sgconfig.yml", "utils/u.yml"]
    assert read_folder(tree, path("no")) == read_folder(tree, path("rules/a.yaml")) == []


def test_a_pack() -> None:
    (first, *_) = read_pack("builtin:essentials")
    assert first.name.startswith("builtin:essentials/")
    with pytest.raises(KeyError):
        read_pack("builtin:nope")


def test_utils_of_the_base_are_honoured(at_base: AtBase) -> None:
    """And those of another folder are not."""
    tree = at_base(
        {
            "sgconfig.yml": "ruleDirs: [rules]\nutilDirs: [utils]",
            "rules/a.yml": rule("a", "rule: {matches: u}") + "---\n" + rule("b", "rule: {matches: v}"),
            "utils/deep/u.yml": rule("u"),
            "elsewhere/v.yml": rule("v"),
        }
    )
    files, notices = read_sgconfig(tree)
    assert notices == []
    with load_rules(files.sources, files.utils) as rules:
        assert [(one.id, one.status) for one in rules.rules] == [("a", RuleStatus.LOADED), ("b", RuleStatus.REFUSED)]
