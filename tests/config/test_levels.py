"""Levels of configuration: each value is that of the last level that sets it, and says where it stands."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodus_check.config.levels import Layer, Levels, Setting, folders_above, merged, resolve
from kodus_check.config.load import parse_layer, read_levels
from kodus_check.config.resolved import DEFAULT_RULES, Config, Origin
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from tests.repo import Content, Repo, path

NAME = ".kodus-check.yml"
LEVELS = ("global", "repository", "directory", "directory")
FOLDERS = (b"", b"", b"src", b"src/ledger")


def stacked(*texts: str | None) -> Levels:
    """Levels from the global one down to two nested folders; None is a level without a file."""
    layers = [
        parse_layer(text.encode(), f"{level}{len(folder)}.yml", level, folder)
        for text, level, folder in zip(texts, LEVELS, FOLDERS, strict=True)
        if text is not None
    ]
    return Levels(tuple(layers))


@pytest.mark.parametrize(
    ("texts", "key", "expected", "origin"),
    [
        ((None, None, None, None), "scope", "changed-lines", Origin("default")),
        (("scope: changed-files", None, None, None), "scope", "changed-files", Origin("global", "global0.yml:1:1")),
        (("scope: changed-files", "", "", ""), "scope", "changed-files", Origin("global", "global0.yml:1:1")),
        (
            ("scope: changed-files", "version: 1\nscope: changed-lines", None, "ignore: []"),
            "scope",
            "changed-lines",
            Origin("repository", "repository0.yml:2:1"),
        ),
        ((None, "ignore: [a, b]", "ignore: [c]", None), "ignore", ["c"], Origin("directory", "directory3.yml:1:1")),
        ((None, "ignore: [a, b]", "ignore: [c]", "ignore: []"), "ignore", [], Origin("directory", "directory10.yml:1:1")),
        ((None, "ignore: [a]", "ignore:", None), "ignore", ["a"], Origin("repository", "repository0.yml:1:1")),
        ((None, None, None, None), "main_review.rules", list(DEFAULT_RULES), Origin("default")),
        (("main_review: {rules: []}", None, None, None), "main_review.rules", [], Origin("global", "global0.yml:1:15")),
        (
            (None, "main_review: {rules: [a.yml]}", "main_review: {docs: [d.md]}", None),
            "main_review.rules",
            ["a.yml"],
            Origin("repository", "repository0.yml:1:15"),
        ),
        (
            (None, "main_review: {rules: [a.yml]}", None, "main_review:\n  rules: |\n    id: x\n"),
            "main_review.rules",
            "id: x\n",
            Origin("directory", "directory10.yml:2:3"),
        ),
        (
            (None, "main_review: {rules: 'id: x'}", None, "main_review: {rules: [b.yml]}"),
            "main_review.rules",
            ["b.yml"],
            Origin("directory", "directory10.yml:1:15"),
        ),
        ((None, "", "", ""), "main_review.skills", None, Origin("default")),
        ((None, "", "", ""), "main_review.docs", None, Origin("default")),
        (
            ("main_review: {skills: [a], docs: [b]}", None, "main_review: {skills: []}", None),
            "main_review.skills",
            [],
            Origin("directory", "directory3.yml:1:15"),
        ),
        (
            ("main_review: {skills: [a], docs: [b]}", None, "main_review: {skills: []}", None),
            "main_review.docs",
            ["b"],
            Origin("global", "global0.yml:1:28"),
        ),
        ((None, "agents: {x: {}}", None, None), "agents.x.skills", [], Origin("default")),
        ((None, "agents: {x: {}}", None, None), "agents.x.docs", [], Origin("default")),
        (
            (None, "agents: {x: {docs: [a]}}", "agents: {x: {}}", None),
            "agents.x.docs",
            ["a"],
            Origin("repository", "repository0.yml:1:14"),
        ),
        (
            (None, "agents: {x: {paths: [p], description: one}}", None, "agents: {x: {description: two}}"),
            "agents.x.description",
            "two",
            Origin("directory", "directory10.yml:1:14"),
        ),
        (
            (None, "agents: {x: {paths: [p], description: one}}", None, "agents: {x: {description: two}}"),
            "agents.x.paths",
            ["p"],
            Origin("repository", "repository0.yml:1:14"),
        ),
        (("fail_on: low", "fail_on: never", None, None), "fail_on", "never", Origin("repository", "repository0.yml:1:1")),
        (("on_unscanned: pass", "", None, None), "on_unscanned", "pass", Origin("global", "global0.yml:1:1")),
    ],
)
def test_each_value_is_that_of_the_last_level_that_sets_it(
    texts: tuple[str | None, ...], key: str, expected: object, origin: Origin
) -> None:
    config = stacked(*texts).config(b"src/ledger")
    assert config.values()[key] == expected
    assert config.origin(key) == origin


def test_a_flag_wins_over_every_level() -> None:
    flag = Layer("flag", "", {"fail_on": Setting("low", Origin("flag"))})
    levels = Levels((*stacked("fail_on: never", "fail_on: high", None, None).layers, flag))
    for folder in (b"", b"src"):
        config = levels.config(folder)
        assert (str(config.fail_on), config.origin("fail_on")) == ("low", Origin("flag"))
    assert levels.sources == ("global0.yml", "repository0.yml")


@pytest.mark.parametrize(
    ("file", "ignore"),
    [
        ("a.ts", ("root",)),
        ("src/a.ts", ("src",)),
        ("src/other/deep/a.ts", ("src",)),
        ("src/ledger/a.ts", ("ledger",)),
        ("src/ledger/deep/a.ts", ("ledger",)),
        ("src/ledgers/a.ts", ("src",)),
        ("srcs/a.ts", ("root",)),
        ("lib/src/a.ts", ("root",)),
    ],
)
def test_a_folder_governs_what_is_below_it(file: str, ignore: tuple[str, ...]) -> None:
    assert stacked(None, "ignore: [root]", "ignore: [src]", "ignore: [ledger]").config_of(path(file)).ignore == ignore


def test_agents_come_together_in_the_order_they_were_named() -> None:
    levels = stacked("agents: {g: {}}", "agents: {b: {}, a: {}}", "agents: {c: {}, a: {description: x}}", "agents: {d: {}}")
    assert [one.name for one in levels.config().agents] == ["g", "b", "a"]
    assert [one.name for one in levels.config(b"src").agents] == ["g", "b", "a", "c"]
    assert [one.name for one in levels.config(b"src/ledger").agents] == ["g", "b", "a", "c", "d"]


def test_any_file_makes_a_config() -> None:
    assert not Levels().config().from_file
    assert stacked("", None, None, None).config().from_file
    assert not Levels((Layer("flag", "", {"fail_on": Setting("low", Origin("flag"))}),)).config().from_file
    only_folder = stacked(None, None, "", None)
    assert (only_folder.config().from_file, only_folder.config(b"src").from_file) == (False, True)


@pytest.mark.parametrize(
    ("files", "expected"),
    [([], []), (["a"], []), (["a/b"], ["a"]), (["a/b/c", "a/x", "d/e"], ["a", "a/b", "d"])],
)
def test_folders_above(files: list[str], expected: list[str]) -> None:
    assert sorted(folders_above(path(file) for file in files)) == [folder.encode() for folder in expected]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fail_on: low", "1:1: `fail_on`: this key holds for the whole run; set it in the .kodus-check.yml at the root"),
        (
            "version: 1\non_unscanned: pass",
            "2:1: `on_unscanned`: this key holds for the whole run; set it in the .kodus-check.yml at the root",
        ),
        ("fail_onn: low", "1:1: unknown key `fail_onn`; known keys here are version, scope, ignore, main_review, agents"),
        ("scop: x", "1:1: unknown key `scop`; did you mean `scope`?"),
    ],
)
def test_what_a_folder_may_not_set(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_layer(text.encode(), "src/" + NAME, "directory", b"src")
    assert raised.value.problems == (f"src/{NAME}:{problem}",)


def test_every_fault_of_a_folder_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_layer(b"fail_on: nope\nscope: 1\n", NAME, "directory", b"src")
    places = [problem.split(": ")[0] for problem in raised.value.problems]
    assert places == [f"{NAME}:1:1", f"{NAME}:1:1", f"{NAME}:2:1"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("main_review: {skill: []}", "1:15: unknown key `main_review.skill`; did you mean `skills`?"),
        ("main_review: {zzz: []}", "1:15: unknown key `main_review.zzz`; known keys here are skills, docs, rules, mode"),
        ("main_review: {paths: []}", "1:15: unknown key `main_review.paths`; known keys here are skills, docs, rules, mode"),
        (
            "agents: {a: {zzz: 1}}",
            "1:14: unknown key `agents.a.zzz`; known keys here are description, instructions, paths, skills, docs, rules, mode",
        ),
        ("main_review:\n  skills: a", "2:3: `main_review.skills`: input should be a valid list, not 'a'"),
        ("main_review:\n  docs: [1]", "2:10: `main_review.docs.0`: input should be a valid string, not 1"),
        ("agents: {a: {docs: ['']}}", "1:21: `agents.a.docs.0`: string should have at least 1 character, not ''"),
        ("agents: {a: {skills: {b: 1}}}", "1:14: `agents.a.skills`: input should be a valid list, not {'b': 1}"),
    ],
)
def test_faults_of_guides_name_file_line_column_and_a_hint(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_layer(text.encode(), NAME, "repository")
    assert raised.value.problems == (f"{NAME}:{problem}",)


def levels_at(repo: Repo, commit: str, folders: list[bytes] | None, config: str = NAME) -> Levels:
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        return read_levels(tree, path(config), folders=folders)


FILES: dict[Any, Content] = {
    NAME: "ignore: [root]\n",
    f"b/{NAME}": "ignore: [b]\n",
    f"b/c/d/{NAME}": "ignore: [d]\n",
    f"b-x/{NAME}": "ignore: [bx]\n",
    f"e/{NAME}/f": "a folder of that name\n",
    f"e/not{NAME}": "ignore: [no]\n",
    "ci/check.yml": "ignore: [ci]\n",
}


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        (None, [b"", b"b", b"b/c/d", b"b-x"]),
        ([], [b""]),
        ([b"b", b"b/c", b"nowhere", b"e"], [b"", b"b"]),
        ([b"b/c/d"], [b"", b"b/c/d"]),
    ],
)
def test_where_folders_are_looked_at(repo: Repo, folders: list[bytes] | None, expected: list[bytes]) -> None:
    assert list(levels_at(repo, repo.commit(FILES), folders).folders) == expected


def test_another_config_path_takes_the_place_of_the_one_at_the_root(repo: Repo) -> None:
    commit = repo.commit(FILES)
    assert levels_at(repo, commit, None, "ci/check.yml").config().ignore == ("ci",)
    moved = levels_at(repo, commit, None, f"b/{NAME}")
    assert (moved.config().ignore, moved.folders) == (("b",), (b"", b"b/c/d", b"b-x"))


def test_a_folder_whose_name_is_no_text(repo: Repo) -> None:
    commit = repo.commit({b"\xff/" + NAME.encode(): "ignore: [x]\n", b"\xff/a": "1"})
    levels = levels_at(repo, commit, [b"\xff"])
    assert levels.config(b"\xff").ignore == ("x",)
    assert levels.set_by_folder()[0][0] == "\\xff"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("scope: [", f"src/{NAME}:2:1: did not find expected node content"),
        ("- a", f"src/{NAME}:1:1: a config is a mapping of keys"),
        (b"ignore: ['\xff']\n", f"src/{NAME}:1: this is not UTF-8"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", f"src/{NAME}: the config cannot be read"),
        ("#" * (1024 * 1024 + 1), f"src/{NAME}: the config cannot be read: it has 1,048,577 bytes"),
    ],
)
def test_a_broken_file_in_a_folder_is_named(repo: Repo, content: Content, fault: str) -> None:
    with pytest.raises(ConfigError) as raised:
        levels_at(repo, repo.commit({f"src/{NAME}": content}), None)
    assert raised.value.problems[0].startswith(fault)


def test_a_symlink_and_a_submodule_in_a_folder_are_refused(repo: Repo) -> None:
    (repo.path / "src").mkdir()
    (repo.path / "src" / NAME).symlink_to("../elsewhere.yml")
    linked = repo.commit({"elsewhere.yml": "scope: changed-files"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{linked},lib/{NAME}")
    repo.git("commit", "-q", "-m", "submodule")
    for folder, kind in ((b"src", "symlink"), (b"lib", "submodule")):
        with pytest.raises(ConfigError, match=rf"{folder.decode()}/\.kodus-check\.yml: the config is a {kind}"):
            levels_at(repo, "HEAD", [folder])


NAMES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "scope": st.sampled_from(["changed-lines", "changed-files"]),
    "ignore": NAMES,
    "main_review.rules": NAMES,
    "main_review.skills": NAMES,
    "main_review.docs": NAMES,
    "agents.x.description": st.sampled_from(["", "one", "two"]),
    "agents.x.instructions": st.sampled_from(["", "one"]),
    "agents.x.paths": NAMES,
    "agents.x.rules": st.one_of(NAMES, st.sampled_from(["id: a\n", "id: b\n"])),
    "agents.x.docs": NAMES,
    "agents.y.skills": NAMES,
}
WRITTEN = st.fixed_dictionaries({}, optional=FIELDS)
SETTINGS = st.dictionaries(
    st.sampled_from(sorted(FIELDS)), st.builds(Setting, st.sampled_from(["v", "w"]), st.builds(Origin, st.sampled_from(LEVELS)))
)


@given(SETTINGS, SETTINGS, SETTINGS)
def test_putting_levels_over_one_another_is_associative_and_idempotent(
    one: dict[str, Setting], two: dict[str, Setting], three: dict[str, Setting]
) -> None:
    whole = merged(one, two, three)
    assert list(whole.items()) == list(merged(merged(one, two), three).items()) == list(merged(one, merged(two, three)).items())
    assert merged(one, one) == merged(one) == merged({}, one, {}) == one
    assert merged(whole, three) == whole


def document(values: dict[str, Any]) -> bytes:
    """A config file that sets these values. JSON is YAML."""
    out: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        inner = out
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[name] = value
    return json.dumps(out).encode()


@given(st.lists(WRITTEN, min_size=4, max_size=4))
def test_the_resolved_value_is_that_of_the_last_level_that_sets_it(written: list[dict[str, Any]]) -> None:
    levels = [
        parse_layer(document(values), f"{number}.yml", level, folder)
        for number, (values, level, folder) in enumerate(zip(written, LEVELS, FOLDERS, strict=True))
    ]
    config = resolve(levels)
    agents = {key.split(".")[1] for values in written for key in values if key.startswith("agents.")}
    assert {agent.name for agent in config.agents} == agents
    for key, value in config.values().items():
        last = next((number for number in (3, 2, 1, 0) if key in written[number]), None)
        if last is None:
            of_agents = {"description": "", "instructions": "", "paths": None, "mode": "comment"}
            default = Config().values().get(key, of_agents.get(key.rpartition(".")[2], []))
            assert (value, config.origin(key).level) == (default, "default"), key
        else:
            assert value == written[last][key], key
            assert config.origin(key).level == LEVELS[last]
            assert config.origin(key).where.startswith(f"{last}.yml:1:")
