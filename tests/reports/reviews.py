"""Reviews for the tests of the page: one as teams get it, one whose every text tries to break out, one of great size."""

from dataclasses import replace
from typing import Any

from kodus_check.model import (
    AgentRun,
    Candidate,
    CitationEvidence,
    Coverage,
    CoverageReason,
    CoverageStatus,
    Drop,
    DropReason,
    EvidenceKind,
    Finding,
    Match,
    MatchEvidence,
    Mode,
    Notice,
    NoticeKind,
    Outcome,
    RepoPath,
    Review,
    Revision,
    Rule,
    RuleStatus,
    Severity,
    Sha,
)
from tests.repo import path
from tests.reports.test_guides_document import GUIDES, HOSTILE_TEXT, hostile

BASE, HEAD, FORK = Sha("a1" * 20), Sha("b2" * 20), Sha("c3" * 20)
KEY = "AKIA" + "ABCDEFGH234567QR"
BLOB = "https://example.org/team/shop/blob/"

QUOTE = "Amounts are `Decimal`, never `float`.\nA sum is rounded once, at the end."
CITED = Finding(
    "1" * 24,
    "ledger",
    path("src/ledger/total.py"),
    path("src/total.py"),
    "right",
    41,
    43,
    Severity.CRITICAL,
    Mode.GATE,
    "Sum of `float` amounts",
    "`total` adds floats and rounds each of them, so that\nlarge orders are off by a cent.",
    CitationEvidence("docs/money rules.md", 12, 13, QUOTE, "Amounts are Decimal", ("Money", "Arithmetic"), skill="ledger-rules"),
    code="def total(rows):\n    amounts = [round(float(r.amount), 2) for r in rows]\n\treturn sum(amounts)",
)
SHIPPED = replace(
    CITED,
    fingerprint="2" * 24,
    severity=Severity.MEDIUM,
    mode=Mode.COMMENT,
    old_path=None,
    side="left",
    start_line=7,
    end_line=7,
    title="The owner is not checked any more",
    body="The removed line compared the owner of the order with the caller.",
    evidence=CitationEvidence(
        "builtin:auth-boundaries", 4, 4, "Each handler checks the owner.", "Each handler", in_repository=False
    ),
    code="    assert order.owner == caller",
)
MATCHED = Finding(
    "3" * 24,
    "main_review",
    path("web/cart.ts"),
    None,
    "right",
    3,
    4,
    Severity.HIGH,
    Mode.COMMENT,
    "Do not leave the debugger in",
    "It stops the page of whoever has the tools open.",
    MatchEvidence("no-debugger", "rules/web.yml", 30, 52, "debugger;\n  // later", "A debugger statement"),
    suggestion="log(cart);\n",
)
SHADOW = replace(MATCHED, fingerprint="4" * 24, mode=Mode.SHADOW, severity=Severity.LOW, title="A rule on trial", suggestion=None)
LOW = replace(MATCHED, fingerprint="5" * 24, severity=Severity.INFO, start_line=90, end_line=90, suggestion="", title="Spare line")

SAID = Candidate(
    "ledger",
    EvidenceKind.CITATION,
    "src/ledger/total.py",
    50,
    52,
    "Names should be short",
    "The name says the same thing twice.",
    Severity.LOW,
    guide="docs/money rules.md",
    guide_lines=(1, 3),
    quote="Names are short and clear",
    code="def total_sum_of_amounts(): ...",
)
OLD_MATCH = Match("no-debugger", path("web/cart.ts"), 0, 9, 1, 1, "debugger;", "A debugger statement")
DROPS = (
    Drop(DropReason.QUOTE_NOT_IN_GUIDE, "No sentence of `docs/money rules.md` holds these words.", SAID),
    Drop(
        DropReason.QUOTE_NOT_IN_GUIDE,
        "No sentence of `docs/money rules.md` holds these words.",
        replace(SAID, severity=Severity.HIGH, title="Floats lose money", code=None),
    ),
    Drop(DropReason.REFUTED, "The second pass: the rule speaks of amounts, this is a count.", replace(SAID, quote=QUOTE)),
    Drop(DropReason.LINES_NOT_CHANGED, "Line 1 is not in the change.", OLD_MATCH),
)
RULES = (
    Rule("no-debugger", "typescript", Severity.HIGH, RuleStatus.LOADED, "rules/web.yml", 1, mode=Mode.COMMENT),
    Rule("no-eval", "javascript", Severity.HIGH, RuleStatus.LOADED, "rules/web.yml", 12),
    Rule("no-any", "tsx", Severity.LOW, RuleStatus.REFUSED, "rules/bad.yml", 5, "`kind: nothing` is no kind of this language"),
    Rule("no-todo", "python", Severity.LOW, RuleStatus.OFF, "builtin:essentials", 3, "switched off by `.kodus-check.yml`"),
)
COVERAGE = (
    Coverage(path("src/ledger/total.py"), CoverageStatus.JUDGED),
    Coverage(path("src/orders.py"), CoverageStatus.JUDGED),
    Coverage(path("web/cart.ts"), CoverageStatus.RULES_ONLY, CoverageReason.MODEL_FAILED),
    Coverage(path("web/bundle.js"), CoverageStatus.RULES_ONLY, CoverageReason.GENERATED),
    Coverage(path("web/huge.ts"), CoverageStatus.NOT_SCANNED, CoverageReason.TOO_LARGE),
    Coverage(path("README.md"), CoverageStatus.SKIPPED, CoverageReason.NO_RULE),
    Coverage(path("old.py"), CoverageStatus.SKIPPED, CoverageReason.DELETED),
)
REAL = Review(
    outcome=Outcome.PARTIAL,
    base=Revision("main", BASE),
    head=Revision("feature/totals", HEAD),
    merge_base=FORK,
    config_sha=BASE,
    config_sources=(".kodus-check.yml", "src/ledger/.kodus-check.yml"),
    findings=(LOW, SHADOW, MATCHED, SHIPPED, CITED),
    drops=DROPS,
    notices=(
        Notice(NoticeKind.RULE_REFUSED, "Rule `no-any` did not run: `kind: nothing` is no kind of this language.", "rules/bad.yml"),
        Notice(NoticeKind.MODEL_FAILED, "One batch of `main_review` has no answer: the limit of 4 requests was reached."),
        Notice(NoticeKind.RULE_GLOB_INERT, "`web/**/*.vue` matches no file of the base.", "rules/web.yml"),
    ),
    coverage=COVERAGE,
    rules=RULES,
    timings={"read the change": 0.412, "scan": 1.5, "ask the model": 38.25},
    gate_open=True,
    fails=True,
    agents=(
        AgentRun("main_review", 4, 18_200, 61_000, 2_400, 0.0831, 31.4, tool_calls=7, batches=2),
        AgentRun("ledger", 2, 9_100, 20_000, 1_150, None, 12.0, tool_calls=3, batches=1),
    ),
    not_judged=(path("web/cart.ts"),),
    model="openai:gpt-5-mini",
    guides=GUIDES,
    blob_url=BLOB,
)
FAILED = replace(
    REAL,
    outcome=Outcome.FAILED,
    findings=(),
    drops=(),
    coverage=(),
    rules=(),
    agents=(),
    not_judged=(),
    guides=None,
    model="",
    gate_open=False,
    fails=False,
    notices=(Notice(NoticeKind.COULD_NOT_REVIEW, "The base cannot be read: fetch it with full history."),),
)
CLEAN = replace(
    REAL,
    outcome=Outcome.CLEAN,
    findings=(),
    drops=(),
    notices=(),
    coverage=COVERAGE[:2],
    rules=RULES[:2],
    agents=(),
    not_judged=(),
    model="",
    guides=None,
    gate_open=False,
    fails=False,
)
FOUND = replace(CLEAN, outcome=Outcome.FINDINGS, findings=(CITED, MATCHED))

EVIL = f"{HOSTILE_TEXT}</p></code></blockquote></details><!-- --><style>*{{display:none}}</style><a href=javascript:alert(1)>{KEY}"


def evil(text: str = EVIL) -> Review:
    """A review whose every text is ``text``."""
    where = RepoPath(
        (text.replace("/", "_").replace("\0", "_") or "_").encode("utf-8", "surrogateescape" if "\ud800" not in text else "replace")
    )
    said = replace(
        SAID, agent=text, path=text, title=text, body=text, guide=text, quote=text, rule_id=text, call_id=text, code=text
    )
    cited = CitationEvidence(text, 1, 2, text, text, (text, text), skill=text)
    matched = MatchEvidence(text, text, 0, 1, text, text)
    common: dict[str, Any] = {
        "fingerprint": text,
        "agent": text,
        "path": where,
        "old_path": where,
        "title": text,
        "body": text,
        "suggestion": text,
        "code": text,
    }
    return replace(
        REAL,
        base=Revision(text, BASE),
        head=Revision(text, HEAD),
        config_sources=(text,),
        findings=(
            replace(CITED, evidence=cited, **common),
            replace(MATCHED, evidence=matched, **common),
            replace(SHADOW, evidence=matched, **common),
        ),
        drops=(
            Drop(DropReason.REFUTED, text, said),
            Drop(DropReason.MATCHED_BEFORE, text, replace(OLD_MATCH, rule_id=text, path=where, text=text, message=text)),
        ),
        notices=tuple(Notice(kind, text, text) for kind in (NoticeKind.MODEL_FAILED, NoticeKind.RULE_GLOB_INERT)),
        coverage=(Coverage(where, CoverageStatus.NOT_SCANNED, CoverageReason.CRASH),),
        rules=tuple(replace(rule, id=text, language=text, source=text, reason=text) for rule in RULES),
        timings={text: 1.0},
        agents=(replace(REAL.agents[0], name=text),),
        not_judged=(where,),
        model=text,
        guides=hostile(2),
    )


def large(findings: int, drops: int) -> Review:
    """As many findings of all severities, the worst last, and as many drops of five reasons."""
    severities = list(Severity)
    reasons = list(DropReason)[:5]
    return replace(
        REAL,
        findings=tuple(
            replace(
                (CITED, MATCHED)[number % 2],
                path=path(f"src/part{number % 40}/file{number}.py"),
                severity=severities[4 - number * 5 // findings],
            )
            for number in range(findings)
        ),
        drops=tuple(Drop(reasons[number % 5], "detail", replace(SAID, start_line=number)) for number in range(drops)),
    )
