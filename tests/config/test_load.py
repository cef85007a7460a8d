"""The config file: what it resolves to, and every fault with file, line, column and a hint."""

import pytest

from kodus_check.config.load import parse_config, read_levels
from kodus_check.config.resolved import DEFAULT_RULES, Config, Origin
from kodus_check.errors import ConfigError
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.model import RepoPath, Scope, Severity
from tests.repo import Repo

NAME = ".kodus-check.yml"


def parse(text: str) -> Config:
    return parse_config(text.encode(), NAME)


def test_an_empty_file_is_the_defaults_and_counts_as_a_config() -> None:
    config = parse("")
    assert config.from_file
    assert (config.fail_on, config.scope, config.on_unscanned_fails) == (Severity.HIGH, Scope.CHANGED_LINES, True)
    assert config.main_review.rules == DEFAULT_RULES


def test_every_key_resolves_with_its_place() -> None:
    config = parse(
        "version: 1\nfail_on: never\non_unscanned: pass\nscope: changed-files\nignore: ['**/*.snap']\n"
        "main_review:\n  rules: [rules/a.yml, builtin:essentials]\n"
        "agents:\n  ledger:\n    description: d\n    paths: ['src/**']\n    rules: |\n      id: x\n"
    )
    assert config.fail_on is None
    assert not config.on_unscanned_fails
    assert config.scope is Scope.CHANGED_FILES
    assert config.ignore == ("**/*.snap",)
    assert config.main_review.rules == ("rules/a.yml", "builtin:essentials")
    (ledger,) = config.agents
    assert (ledger.name, ledger.paths, ledger.inline_rules) == ("ledger", ("src/**",), "id: x\n")
    assert config.origin("fail_on") == Origin("repository", f"{NAME}:2:1")
    assert config.origin("agents.ledger.rules") == Origin("repository", f"{NAME}:12:5")
    assert config.origin("main_review.mode") == Origin("default")


@pytest.mark.parametrize(
    ("rules", "files", "inline"),
    [
        ("rules/a.yml", ("rules/a.yml",), None),
        ("rules/a.yaml", ("rules/a.yaml",), None),
        ("builtin:essentials", ("builtin:essentials",), None),
        ("'id: x'", (), "id: x"),
    ],
)
def test_rules_as_text_are_a_path_a_pack_or_yaml(rules: str, files: tuple[str, ...], inline: str | None) -> None:
    review = parse(f"main_review: {{rules: {rules}}}").main_review
    assert (review.rules, review.inline_rules) == (files, inline)


def test_an_empty_list_is_none_and_an_absent_key_the_default() -> None:
    assert parse("main_review: {rules: []}").main_review.rules == ()
    assert parse("main_review: {}").main_review.rules == DEFAULT_RULES
    assert parse("main_review:").main_review.rules == DEFAULT_RULES


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fail_onn: high", f"{NAME}:1:1: unknown key `fail_onn`; did you mean `fail_on`?"),
        (
            "version: 1\nzzz: 1",
            (
                f"{NAME}:2:1: unknown key `zzz`; "
                "known keys here are version, model, verifier_model, base_url, on_model_failure, language, private, limits, "
                "prices, publish, fail_on, trust, on_unscanned, scope, ignore, main_review, agents"
            ),
        ),
        ("main_review:\n  rule: []", f"{NAME}:2:3: unknown key `main_review.rule`; did you mean `rules`?"),
        ("agents:\n  a:\n    path: []", f"{NAME}:3:5: unknown key `agents.a.path`; did you mean `paths`?"),
        ("version: 2", f"{NAME}:1:1: `version`: input should be 1, not 2"),
        (
            "fail_on: hihg",
            f"{NAME}:1:1: `fail_on`: input should be 'critical', 'high', 'medium', 'low', 'info' or 'never', not 'hihg'",
        ),
        ("ignore: vendor/", f"{NAME}:1:1: `ignore`: input should be a valid list, not 'vendor/'"),
        ("ignore: [1]", f"{NAME}:1:10: `ignore.0`: input should be a valid string, not 1"),
        ("ignore: ['']", f"{NAME}:1:10: `ignore.0`: string should have at least 1 character, not ''"),
        ("- a", f"{NAME}:1:1: a config is a mapping of keys. See `config schema`."),
        ("a: 1\na: 2", f"{NAME}:2:1: the key `a` stands twice"),
        ("a:\n\tb: 1", f"{NAME}:2:1: found character that cannot start any token. Indent with spaces."),
        ("a: !!python/name:os.system x", f"{NAME}:1:4: the tag `tag:yaml.org,2002:python/name:os.system` has no meaning here"),
    ],
)
def test_faults_name_file_line_column_and_a_hint(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(text)
    assert raised.value.problems == (problem,)
    assert raised.value.exit_code == 2


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        parse("fail_onn: 1\nscope: x\nagents: {Bad_Name: {}}\n")
    assert len(raised.value.problems) == 3
    assert "(2 more)" in str(raised.value)
    assert any("agents.Bad_Name" in problem for problem in raised.value.problems)


def test_hostile_text_in_a_fault_is_one_visible_line() -> None:
    with pytest.raises(ConfigError) as raised:
        parse('"\\e[31m\\n::error::x": 1')
    (problem,) = raised.value.problems
    assert "\n" not in problem
    assert "\x1b" not in problem


def test_bytes_that_are_not_utf8_are_a_fault_with_a_line() -> None:
    with pytest.raises(ConfigError, match=r"\.kodus-check\.yml:2: this is not UTF-8"):
        parse_config(b"version: 1\nignore: ['\xff']\n", NAME)


def test_a_bom_and_crlf_are_fine() -> None:
    assert parse_config(b"\xef\xbb\xbfversion: 1\r\nfail_on: low\r\n", NAME).fail_on is Severity.LOW


def read_at(repo: Repo, commit: str, path: str = NAME, *, required: bool = False) -> Config:
    with Workspace(repo.path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve(commit).sha).tree)
        return read_levels(tree, RepoPath.parse(path), required=required).config()


def test_no_file_is_the_defaults_unless_it_was_asked_for(repo: Repo) -> None:
    commit = repo.commit({"a": "1"})
    assert read_at(repo, commit) == Config()
    assert not read_at(repo, commit).from_file
    with pytest.raises(ConfigError, match="no such config file"):
        read_at(repo, commit, "other.yml", required=True)


def test_a_symlink_and_an_lfs_pointer_are_refused(repo: Repo) -> None:
    (repo.path / NAME).symlink_to("/etc/hostname")
    linked = repo.commit()
    (repo.path / NAME).unlink()
    pointer = repo.commit({NAME: "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"})
    with pytest.raises(ConfigError, match="symlink"):
        read_at(repo, linked)
    with pytest.raises(ConfigError, match="Git LFS pointer"):
        read_at(repo, pointer)
