"""What a change of the configuration or the rules would do once merged: told, with whether the gate gets weaker."""

import pytest

from tests.repo import Content, Repo
from tests.test_run import BASE, CONFIG, RULE, SGCONFIG, run

QUIET = RULE.replace("severity: error", "severity: hint")
NEW = "id: new\nlanguage: python\nrule: {pattern: x}\n"


@pytest.mark.parametrize(
    ("edit", "told", "weaker"),
    [
        ({"rules/new.yml": NEW}, "Once merged, 2 rules will run (now 1): new: `new`.", None),
        (
            {"rules/money.yml": None},
            "Once merged, 0 rules will run (now 1): no longer run: `no-float-money`.",
            "gating rules that no longer run",
        ),
        (
            {"rules/money.yml": QUIET},
            "Once merged, 1 rule will run (now 1): changed: `no-float-money`.",
            "rules that no longer gate",
        ),
        (
            {"rules/money.yml": RULE.replace("pattern: parseFloat($A)", "kind: nope")},
            "Once merged, 0 rules will run (now 1): no longer run: `no-float-money`; refused: `no-float-money`.",
            "gating rules that no longer run",
        ),
        ({"rules/money.yml": f"# a comment above\n{RULE}"}, None, None),
        ({"rules/money.yml": RULE.replace("parseFloat($A)", "never($A)")}, "changed: `no-float-money`", None),
        ({"sgconfig.yml": "ruleDirs: [other]\n"}, "no longer run: `no-float-money`", "gating rules that no longer run"),
        (
            {".kodus-check.yml": CONFIG + "fail_on: critical\n"},
            "`fail_on` is `critical` (now `high`)",
            "`fail_on` is critical (now high)",
        ),
        ({".kodus-check.yml": CONFIG + "fail_on: never\n"}, "`fail_on` is `never` (now `high`)", "`fail_on` is never (now high)"),
        ({".kodus-check.yml": CONFIG + "fail_on: low\n"}, "`fail_on` is `low` (now `high`)", None),
        ({".kodus-check.yml": CONFIG + "on_unscanned: pass\n"}, "`on_unscanned` is `pass`", "`on_unscanned` is pass (now fail)"),
        ({".kodus-check.yml": CONFIG + "ignore: [src/]\n"}, "`ignore` is `src/` (now none)", "more files are ignored: `src/`"),
        ({".kodus-check.yml": None}, "`main_review.rules` is", "without a config file nothing gates"),
        (
            {".kodus-check.yml": "broken: ["},
            "the configuration would not be valid and every run would fail: .kodus-check.yml:2:1",
            None,
        ),
        ({".gitignore": "*\n"}, None, None),
        ({"src/a.ts": "let a = 2;\n"}, None, None),
    ],
)
def test_the_preview(repo: Repo, edit: dict[str, Content], told: str | None, weaker: str | None) -> None:
    repo.commit({**BASE, "other/x.txt": "x"})
    repo.branch("feature")
    repo.commit(edit)
    ran = run(repo)
    assert ran.code == 0
    assert ("check_configuration_preview" in ran.kinds) is (told is not None)
    assert ("gate_loosened" in ran.kinds) is (weaker is not None)
    if told is not None:
        assert told in ran.message("check_configuration_preview")
    if weaker is not None:
        assert weaker in ran.message("gate_loosened")


def test_a_scope_that_gets_narrower(repo: Repo) -> None:
    repo.commit({**BASE, ".kodus-check.yml": CONFIG + "scope: changed-files\n", "sgconfig.yml": SGCONFIG})
    repo.branch("feature")
    repo.commit({".kodus-check.yml": CONFIG})
    assert "`scope` is changed-lines (now changed-files)" in run(repo).message("gate_loosened")


RULED = {
    "src/.kodus-check.yml": "ignore: ['*.snap']\n",
    "src/deep/.kodus-check.yml": "scope: changed-files\n",
    "src/deep/b.ts": "let b;\n",
}


@pytest.mark.parametrize(
    ("edit", "told", "weaker"),
    [
        (
            {"src/.kodus-check.yml": "ignore: ['*.snap', gen/]\n"},
            "`ignore` is `*.snap`, `gen/` (now `*.snap`) in `src`.",
            "more files are ignored: `gen/` in `src`.",
        ),
        (
            {"src/.kodus-check.yml": "main_review: {rules: []}\nignore: ['*.snap']\n"},
            "`main_review.rules` is none (now `sgconfig.yml`) in `src`.",
            "gating rules that nobody follows any more: `no-float-money` in `src`.",
        ),
        (
            {"new/.kodus-check.yml": "ignore: [x]\n"},
            "`ignore` is `x` (now none) in `new`.",
            "more files are ignored: `x` in `new`.",
        ),
        (
            {"src/deep/.kodus-check.yml": None},
            "`scope` is `changed-lines` (now `changed-files`) in `src/deep`.",
            "`scope` is changed-lines (now changed-files) in `src/deep`.",
        ),
        (
            {"src/deep/.kodus-check.yml": None, ".kodus-check.yml": CONFIG + "fail_on: never\n"},
            "`fail_on` is `never` (now `high`); `scope` is `changed-lines` (now `changed-files`) in `src/deep`.",
            "`fail_on` is never (now high); `scope` is changed-lines (now changed-files) in `src/deep`.",
        ),
        (
            {"src/.kodus-check.yml": "ignore: ['*.snap']\nmain_review: {docs: []}\n"},
            "`main_review.docs` is none (now not set) in `src`.",
            None,
        ),
        (
            {"src/.kodus-check.yml": "fail_on: never\n"},
            "would not be valid and every run would fail: src/.kodus-check.yml:1:1: `fail_on`: this key holds for the whole run",
            None,
        ),
    ],
)
def test_the_preview_of_a_folder(repo: Repo, edit: dict[str, Content], told: str, weaker: str | None) -> None:
    repo.commit({**BASE, **RULED})
    repo.branch("feature")
    repo.commit(edit)
    ran = run(repo)
    assert ran.code == 0
    assert told in ran.message("check_configuration_preview")
    assert ("gate_loosened" in ran.kinds) is (weaker is not None)
    if weaker is not None:
        assert weaker in ran.message("gate_loosened")


@pytest.mark.parametrize(
    ("before", "after", "weaker"),
    [
        ("on_model_failure: fail\n", "", "`on_model_failure` is pass (now fail)"),
        ("main_review: {mode: gate}\n", "main_review: {mode: shadow}\n", "reviewers whose model no longer gates: `main_review`"),
        ("agents: {a: {mode: gate}}\n", "", "reviewers whose model no longer gates: `a`"),
        ("main_review: {mode: gate}\n", "model: openai:other\nmain_review: {mode: gate}\n", None),
    ],
)
def test_the_preview_of_the_models_gate(repo: Repo, before: str, after: str, weaker: str | None) -> None:
    model = "model: openai:x\n"
    repo.commit({**BASE, ".kodus-check.yml": "version: 1\n" + model + before})
    repo.branch("feature")
    repo.commit({".kodus-check.yml": "version: 1\n" + (after if "model:" in after else model + after)})
    ran = run(repo, "--no-model")
    assert ("gate_loosened" in ran.kinds) is (weaker is not None)
    assert weaker is None or weaker in ran.message("gate_loosened")


def test_a_new_rule_in_a_linked_folder_is_told(repo: Repo) -> None:
    config = "version: 1\nmain_review: {rules: [checks]}\n"
    repo.commit({".kodus-check.yml": config, "checks/money.yml": RULE})
    repo.branch("feature")
    repo.commit({"checks/new.yml": NEW})
    ran = run(repo)
    assert "The change edits checks/new.yml." in ran.message("check_configuration_changed")
    assert "2 rules will run (now 1): new: `new`" in ran.message("check_configuration_preview")
