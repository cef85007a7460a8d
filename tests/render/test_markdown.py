"""Comments and summary: what they always hold, and what hostile text or a bad template cannot do to them."""

from dataclasses import replace
from typing import Any

import pytest

from kodus_check.model import (
    Coverage,
    CoverageReason,
    CoverageStatus,
    Drop,
    DropReason,
    Finding,
    Match,
    MatchEvidence,
    Mode,
    Notice,
    NoticeKind,
    Outcome,
    Review,
    Revision,
    Rule,
    RuleStatus,
    Severity,
    Sha,
)
from kodus_check.render.headline import headline
from kodus_check.render.markdown import MAX_BODY, Templates, comment, summary
from kodus_check.reports.markdown import markdown_report
from kodus_check.reports.textreport import text_report
from tests.repo import path

EVIDENCE = MatchEvidence("no-float", "rules/m.yml", 0, 4, "f(x)", "m")
FINDING = Finding(
    "0" * 24, "main_review", path("a.ts"), None, "right", 3, 3, Severity.HIGH, Mode.COMMENT, "Use `g`", "Because.", EVIDENCE
)
RULE = Rule("no-float", "typescript", Severity.HIGH, RuleStatus.LOADED, "rules/m.yml", 1)
BASE, HEAD = Sha("a" * 40), Sha("b" * 40)


def review(**change: Any) -> Review:
    made = Review(
        outcome=Outcome.FINDINGS,
        base=Revision("main", BASE),
        head=Revision("HEAD", HEAD),
        merge_base=BASE,
        config_sha=None,
        config_sources=(),
        findings=(FINDING,),
        drops=(),
        notices=(),
        coverage=(Coverage(path("a.ts"), CoverageStatus.RULES_ONLY),),
        rules=(RULE,),
        timings={},
    )
    return replace(made, **change)


def test_a_comment() -> None:
    assert comment(FINDING, review(), Templates()) == (
        "**high** · Use `g`\n\nBecause.\n\n**Evidence** (`no-float` in `rules/m.yml`):\n\n> ```typescript\n> f(x)\n> ```\n"
    )


def test_a_comment_without_a_note() -> None:
    assert "Use `g`\n\n**Evidence**" in comment(replace(FINDING, body=""), review(), Templates())


@pytest.mark.parametrize(
    ("hostile", "never"),
    [
        ("@octocat", "@octocat"),
        ("fixes #1", "#1"),
        ("<script>alert(1)</script>", " <script>"),
        ("![p](https://evil.example/p.png)", "![p]("),
        ("<!-- kodus-check:fp=1 -->", "<!-- kodus-check"),
        ("{{ 7 * 7 }}{% raw %}", "49"),
    ],
)
def test_hostile_text_in_title_and_code_stays_text(hostile: str, never: str) -> None:
    body = comment(replace(FINDING, title=hostile, evidence=replace(EVIDENCE, rule_id=hostile)), review(), Templates())
    outside_code = body.replace(f"`{hostile}`", "")
    assert never not in outside_code


def test_code_that_closes_a_fence_does_not() -> None:
    body = comment(replace(FINDING, evidence=replace(EVIDENCE, text="````\n# not a heading")), review(), Templates())
    assert "> `````typescript\n> ````\n> # not a heading\n> `````\n" in body


def test_long_evidence_and_long_bodies_are_cut_visibly() -> None:
    body = comment(replace(FINDING, evidence=replace(EVIDENCE, text="x\n" * 50), body="y\n\n" * 60_000), review(), Templates())
    assert len(body) <= MAX_BODY
    assert "this text was cut here" in body
    assert "… (39 more lines)" in comment(replace(FINDING, evidence=replace(EVIDENCE, text="x\n" * 50)), review(), Templates())


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({}, "FINDINGS: 1 finding (1 file judged by 1 rule)"),
        ({"fails": True}, "FINDINGS: 1 finding; this fails the check (1 file judged by 1 rule)"),
        (
            {"findings": (FINDING, replace(FINDING, mode=Mode.SHADOW))},
            "FINDINGS: 1 finding, 1 in shadow mode (1 file judged by 1 rule)",
        ),
        ({"findings": (), "outcome": Outcome.CLEAN}, "CLEAN: no findings (1 file judged by 1 rule)"),
        (
            {"findings": (), "outcome": Outcome.CLEAN, "coverage": (), "notices": (Notice(NoticeKind.NOTHING_TO_JUDGE, "m"),)},
            "NOTHING JUDGED: no rule applied to any changed file",
        ),
        (
            {
                "findings": (),
                "outcome": Outcome.PARTIAL,
                "coverage": (Coverage(path("b.ts"), CoverageStatus.NOT_SCANNED, CoverageReason.TIMEOUT),),
            },
            "PARTIAL: 1 file NOT SCANNED; no findings in the rest (0 files judged by 1 rule)",
        ),
        ({"findings": (), "outcome": Outcome.FAILED}, "FAILED: could not review, nothing was judged"),
    ],
)
def test_the_first_line_says_the_outcome(change: dict[str, Any], line: str) -> None:
    made = review(**change)
    assert headline(made) == line
    assert text_report(made).startswith(f"kodus-check: {line}\n")
    assert summary(made, Templates()).startswith(f"## kodus-check\n\n**{line}**\n")


def test_a_failure_says_why_and_claims_nothing_else() -> None:
    failed = review(
        findings=(), outcome=Outcome.FAILED, rules=(), coverage=(), notices=(Notice(NoticeKind.COULD_NOT_REVIEW, "no git here"),)
    )
    assert "no git here" in summary(failed, Templates())
    assert "What was judged" not in summary(failed, Templates())
    assert text_report(failed) == "kodus-check: FAILED: could not review, nothing was judged\n  no git here\n"


def test_the_summary_tells_what_was_judged_by_what() -> None:
    drop = Drop(DropReason.LINES_NOT_CHANGED, "d", Match("r", path("a.ts"), 0, 1, 1, 1, "x", "m"))
    text = summary(review(drops=(drop,)), Templates())
    for part in (
        "- **high** `a.ts:3` · Use `g` (`no-float`)",
        f"rules and configuration from `main` at `{BASE}`",
        "- Rules: 1 loaded.",
        "- Changed files: 1 rules_only.",
        "- Dropped candidates: 1 lines_not_changed.",
        f"`kodus-check run --base {BASE} --head {HEAD}`",
    ):
        assert part in text


def test_many_findings_are_cut_with_their_number() -> None:
    text = summary(review(findings=(FINDING,) * 250), Templates())
    assert text.count("`no-float`") == 200
    assert "50 more findings are in the JSON report" in text


def test_shadow_findings_are_counted_not_commented() -> None:
    text = markdown_report(review(findings=(replace(FINDING, mode=Mode.SHADOW),)), {})
    assert "1 in shadow mode" in text
    assert "**Evidence**" not in text


def test_a_template_of_the_base_replaces_ours() -> None:
    templates = Templates({"comment.md.j2": "TEAM {{ title }} {{ evidence }}"})
    assert comment(FINDING, review(), templates).startswith("TEAM Use `g` > ```")
    assert templates.notices == []


@pytest.mark.parametrize(
    "template",
    [
        "{{ title",
        "{{ title.__class__.__mro__[1].__subclasses__() }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{% include '/etc/passwd' %}",
        "{{ 1 // 0 }}",
        "{{ nothing.here.at.all }}",
        "{{ range(10000000000) | list }}",
    ],
)
def test_a_template_that_fails_or_reaches_out_is_replaced_with_a_notice(template: str) -> None:
    templates = Templates({"comment.md.j2": template})
    assert comment(FINDING, review(), templates) == comment(FINDING, review(), Templates())
    assert [notice.kind for notice in templates.notices] == [NoticeKind.TEMPLATE_REFUSED]


def test_nothing_untrusted_is_raw_in_a_template() -> None:
    templates = Templates({"comment.md.j2": "{{ title }}{{ rule }}{{ source }}{{ place }}{{ evidence }}"})
    hostile = "@octocat <b>x</b>"
    evidence = replace(EVIDENCE, rule_id=hostile, source=hostile, text=hostile)
    body = comment(replace(FINDING, title=hostile, path=path(hostile), evidence=evidence), review(), templates)
    assert body.startswith("@&#8203;octocat \\<b\\>x\\</b\\>`@octocat <b>x</b>`")


def test_a_finding_about_a_key_does_not_repeat_the_key() -> None:
    key = "ghp_" + "a1B2" * 9
    found = replace(FINDING, evidence=replace(EVIDENCE, text=f"token = '{key}'"))
    assert "token = 'ghp_***'" in comment(found, review(), Templates())
    for shown in (
        comment(found, review(), Templates()),
        text_report(review(findings=(found,))),
        markdown_report(review(findings=(found,)), {}),
    ):
        assert key not in shown
