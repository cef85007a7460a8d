"""The page of a review: what stands in it, what hostile text cannot do to it, and how a real browser shows it."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.model import CitationEvidence, Notice, NoticeKind, Review
from kodus_check.reports.reviewfacts import MAX_CODE_LINES, MAX_DROPS
from kodus_check.reports.reviewpage import MAX_LISTED, MAX_WHOLE, review_page
from tests.reports.browser import DESKTOP, PHONE, Browser
from tests.reports.reviews import (
    BASE,
    BLOB,
    CITED,
    CLEAN,
    DROPS,
    FAILED,
    FORK,
    FOUND,
    HEAD,
    KEY,
    LOW,
    MATCHED,
    QUOTE,
    REAL,
    SAID,
    SHADOW,
    SHIPPED,
    evil,
    large,
)

NOTHING = replace(CLEAN, coverage=(), notices=(Notice(NoticeKind.NOTHING_TO_JUDGE, "No file has a rule."),))
ALL = {"real": REAL, "clean": CLEAN, "found": FOUND, "failed": FAILED, "nothing": NOTHING, "evil": evil()}
OUTCOMES = {"partial": REAL, "clean": CLEAN, "findings": FOUND, "failed": FAILED, "nothing-judged": NOTHING}
SIZES = {"phone": PHONE, "desktop": DESKTOP}
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Tree(HTMLParser):
    """Every element as (tag, attributes, ids of what it stands in, text); complains of tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.parents: list[tuple[int, ...]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        self.parents.append(tuple(self.open))
        self.texts.append("")
        if tag not in VOID:
            self.open.append(len(self.tags) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags[self.open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for index in self.open:
            self.texts[index] += data

    def find(self, tag: str = "", name: str = "", within: str = "") -> list[int]:
        """Elements by tag, class, and the id of an element around them."""
        return [
            index
            for index, (found, attributes) in enumerate(self.tags)
            if (not tag or found == tag)
            and (not name or name in (attributes.get("class") or "").split())
            and (not within or any(self.tags[above][1].get("id") == within for above in self.parents[index]))
        ]

    def said(self, tag: str = "", name: str = "", within: str = "") -> list[str]:
        """What they say, with white space folded."""
        return [" ".join(self.texts[index].split()) for index in self.find(tag, name, within)]

    def rows(self, within: str, name: str = "") -> list[list[str]]:
        """The rows of the tables there, the heads left out."""
        rows = []
        for row in self.find("tr", within=within):
            if any(self.tags[above][0] == "thead" for above in self.parents[row]):
                continue
            if name and not any(name in (self.tags[above][1].get("class") or "").split() for above in self.parents[row]):
                continue
            cells = [index for index, above in enumerate(self.parents) if above and above[-1] == row]
            rows.append([" ".join(self.texts[cell].split()) for cell in cells])
        return rows

    def section(self, name: str) -> str:
        (index,) = [at for at, (_, attributes) in enumerate(self.tags) if attributes.get("id") == name]
        return " ".join(self.texts[index].split())


def tree(review: Review) -> Tree:
    return Tree(review_page(review))


def show(browser: Browser, folder: Path, review: Review, *, size: tuple[int, int] = DESKTOP, dark: bool = False) -> None:
    page = folder / "review.html"
    page.write_text(review_page(review), encoding="utf-8")
    browser.open(page, size=size, dark=dark)


@pytest.mark.parametrize("name", ALL)
def test_the_page_is_well_formed_and_has_its_policy(name: str) -> None:
    html = review_page(ALL[name])
    page = Tree(html)
    assert html.startswith("<!doctype html>\n")
    policy = [page.tags[index][1].get("content") or "" for index in page.find("meta") if "http-equiv" in page.tags[index][1]]
    assert len(policy) == 1
    assert policy[0].startswith("default-src 'none'; style-src 'unsafe-inline';")
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [(attributes.get("href") or "")[1:] for tag, attributes in page.tags if tag == "a"]
    labels = [attributes["aria-labelledby"] for _, attributes in page.tags if "aria-labelledby" in attributes]
    assert {target for target in targets if not target.startswith("ttps:")} | set(labels) <= set(ids)
    assert [len(page.find(tag)) for tag in ("nav", "main", "footer")] == [1, 1, 1]
    assert all(page.tags[index][1].get("scope") in ("row", "col") for index in page.find("th"))


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("partial", "◐ PARTIAL: 1 file NOT JUDGED by the model, 1 file NOT SCANNED; 4 findings; this fails the check,"),
        ("clean", "✓ CLEAN: no findings (2 files judged by 2 rules)"),
        ("findings", "● FINDINGS: 2 findings (2 files judged by 2 rules)"),
        ("failed", "✕ FAILED: could not review, nothing was judged"),
        ("nothing-judged", "○ NOTHING JUDGED: no rule applied to any changed file"),
    ],
)
def test_the_outcome_comes_first(kind: str, first: str) -> None:
    page = tree(OUTCOMES[kind])
    assert page.said("h1")[0].startswith(first)
    assert page.find(name="outcome") == page.find(name=kind)[:1]
    assert page.said("title")[0].startswith(first[2:].partition(":")[0])


def test_a_failed_run_says_why_and_nothing_of_what_it_does_not_know() -> None:
    page = tree(FAILED)
    assert page.said("p", "cause") == ["The base cannot be read: fetch it with full history."]
    assert page.said("h2") == ["Findings", "This run"]
    assert "No finding." not in page.section("findings")
    assert page.section("findings") == "Findings Nothing was judged, so nothing can have been found."


def test_a_part_without_findings_is_not_called_clean() -> None:
    assert "No finding in what was judged." in tree(replace(REAL, findings=())).section("findings")
    assert "No finding." in tree(CLEAN).section("findings")


def test_what_the_check_does_is_said() -> None:
    assert tree(REAL).said("p", "verdict") == [
        "⊘ A gating finding fails this check.",
        "⊘ Files that must be judged were not, so the check does not pass.",
    ]
    assert tree(FOUND).said("p", "verdict") == []


def test_the_counts() -> None:
    page = tree(REAL)
    assert list(zip(page.said("dt"), page.said("dd"), strict=True))[:8] == [
        ("critical", "1"),
        ("high", "1"),
        ("medium", "1"),
        ("info", "1"),
        ("in shadow mode", "1"),
        ("files judged", "3"),
        ("files not judged", "2"),
        ("candidates dropped", "4"),
    ]
    assert list(zip(tree(CLEAN).said("dt"), tree(CLEAN).said("dd"), strict=True))[:2] == [("findings", "0"), ("files judged", "2")]


def test_findings_stand_worst_first_and_those_in_shadow_mode_apart() -> None:
    page = tree(REAL)
    assert page.said("h3", within="findings") == ["Sum of float amounts", MATCHED.title, SHIPPED.title, LOW.title]
    assert page.said("span", "severity", within="findings") == ["critical", "high", "medium", "info"]
    assert page.said("h3", within="shadow") == [SHADOW.title]
    assert page.said("span", "tag", within="shadow") == ["shadow"]
    assert "shadow" not in [page.tags[at][1].get("id") for at in tree(FOUND).find("section")]


def test_a_citation_shows_the_code_and_the_guides_own_words() -> None:
    page = tree(REAL)
    at = "finding-1"
    assert page.said("p", "marks", at) == ["critical ⊘ gate src/ledger/total.py:41-43"]
    assert page.said("p", "kind", at) == ["Found by the model as ledger, in a file that was src/total.py"]
    assert page.said("p", "prose", at) == ["total adds floats and rounds each of them, so that large orders are off by a cent."]
    (block,) = page.find("ol", "code", at)
    assert page.tags[block][1]["start"] == "41"
    assert [page.texts[index].strip("\n") for index in page.find("li", within=at)] == CITED.code.split("\n")
    (quote,) = page.find("blockquote", within=at)
    assert page.texts[quote] == QUOTE
    assert page.said("p", "trail", at) == ["Money › Arithmetic"]
    assert page.said("p", "source", at) == ["docs/money rules.md, lines 12–13, at a1a1a1a1a1a1, skill ledger-rules"]
    assert page.said("dt", within=at) == ["Fingerprint", "Evidence", "Side"]
    assert page.said("dd", within=at) == ["1" * 24, "citation", "right"]


def test_a_match_shows_its_text_rule_and_suggestion() -> None:
    page = tree(REAL)
    at = "finding-2"
    assert page.said("p", "marks", at) == ["high comment web/cart.ts:3-4"]
    assert page.said("p", "kind", at) == ["Found by rule no-debugger, reviewer main_review"]
    assert [page.tags[block][1]["start"] for block in page.find("ol", "code", at)] == ["3", "3"]
    assert page.said("li", within=at) == ["debugger;", "// later", "log(cart);"]
    assert page.said("figcaption", within=at) == [
        "Code that matches",
        "✓ Proof: the rule matches",
        "Suggestion: replace lines 3–4 by",
    ]
    assert page.said("p", "source", at) == ["Rule no-debugger in rules/web.yml"]
    assert page.said("p", "prose", at)[1] == "A debugger statement"
    assert page.said("figcaption", within="finding-4")[-1] == "Suggestion: remove line 90"
    assert page.said("figcaption", within="finding-3")[0] == "Code, as it was before the change"


@pytest.mark.parametrize(
    ("blob", "lines", "expected"),
    [
        (BLOB, (12, 13), f"{BLOB}{BASE}/docs/money%20rules.md?plain=1#L12-L13"),
        (BLOB, (12, 12), f"{BLOB}{BASE}/docs/money%20rules.md?plain=1#L12"),
        ("https://example.org/o/r/-/blob/", (3, 5), f"https://example.org/o/r/-/blob/{BASE}/docs/money%20rules.md?plain=1#L3-5"),
        ("", (12, 13), None),
        ("javascript:alert(1)//", (12, 13), None),
        (f"{BLOB}{KEY}/", (12, 13), None),
    ],
)
def test_the_link_to_the_cited_lines(blob: str, lines: tuple[int, int], expected: str | None) -> None:
    evidence = CITED.evidence
    assert isinstance(evidence, CitationEvidence)
    cited = replace(CITED, evidence=replace(evidence, start_line=lines[0], end_line=lines[1]))
    page = tree(replace(REAL, findings=(cited, SHIPPED), blob_url=blob))
    links = [page.tags[index][1].get("href") for index in page.find("a", within="findings")]
    assert links == ([expected] if expected else [])
    assert page.said("p", "source", "finding-2") == ["builtin:auth-boundaries, line 4, which ships with kodus-check"]


def test_dropped_candidates_by_reason_and_marked_as_not_proved() -> None:
    page = tree(REAL)
    assert page.said("h3", within="dropped") == ["Quote not in guide 2", "Lines not changed 1", "Refuted 1"]
    assert all("open" not in page.tags[index][1] for index in page.find("details", within="dropped"))
    assert page.said("span", "severity", within="dropped")[:2] == ["high", "low"]
    said = page.said("div", "unproved", "dropped")
    warning = "? Not proved: these are the model's words, and they may be wrong."
    assert [text.startswith(warning) for text in said] == [True, True, False, True]
    for words in (SAID.title, SAID.body, "docs/money rules.md:1-3", SAID.quote, SAID.code):
        assert str(words) in said[1]
    for index in page.find("div", "unproved"):
        assert page.tags[page.parents[index][-1]][0] == "details"
    assert DROPS[2].detail in page.section("dropped")
    assert tree(CLEAN).section("dropped") == "Dropped Nothing was dropped."


def test_notices_and_remarks() -> None:
    page = tree(REAL)
    first, second, remark = page.said("li", within="notices")
    assert first == "rules/bad.yml Rule no-any did not run: kind: nothing is no kind of this language. rule_refused"
    assert second.endswith("the limit of 4 requests was reached. model_failed")
    assert remark.endswith("matches no file of the base. rule_glob_inert")
    assert page.said("summary", within="notices") == ["1 remark on the rules of the base, which run all the same"]
    many = replace(REAL, notices=tuple(Notice(NoticeKind.MODEL_FAILED, f"m{number}") for number in range(500)))
    page = tree(many)
    assert page.said("summary", within="notices") == ["488 more notices"]
    assert len(page.find("li", within="notices")) == 300
    assert page.said("p", "cut", "notices") == ["200 more notices are not on this page."]


def test_files_that_were_not_judged_come_first() -> None:
    page = tree(REAL)
    assert page.rows("files") == [
        ["▲ Not scanned", "too large", "1"],
        ["▲ Not judged by the model", "judged by the rules", "1"],
        ["Judged", "–", "2"],
        ["Judged by the rules only", "generated", "1"],
        ["Left alone", "deleted", "1"],
        ["Left alone", "no rule", "1"],
        ["All changed files", "", "7"],
    ]
    opened = [page.said("summary", within="files")[n] for n, at in enumerate(page.find("details", within="files"))
              if "open" in page.tags[at][1]]  # fmt: skip
    assert opened == ["Not scanned (too large): 1 file", "Not judged by the model (judged by the rules): 1 file"]
    assert page.said("li", within="files")[:2] == ["web/huge.ts", "web/cart.ts"]


def test_budgets_and_who_follows_what() -> None:
    page = tree(REAL)
    assert page.said("h3", within="guides") == ["main_review", "ledger in src/ledger/"]
    assert "7,800 of 10,000 ▲ Over: 41,800 linked" in page.said("dd", within="guides")
    assert "docs/handbook.md Left out: 31,000 tokens, 2,400 lines" in page.said("li", within="guides")
    assert "CONTRIBUTING.md main_review, ledger" in page.said("li", within="guides")
    assert tree(CLEAN).section("guides") == "Guides No model was asked, so no guide was read."


def test_rules_and_why_they_were_refused() -> None:
    page = tree(REAL)
    assert page.said("dt", within="rules") == ["loaded", "refused", "off"]
    assert page.said("dd", within="rules") == ["2", "1", "1"]
    assert page.rows("rules") == [
        ["no-any", "low", "tsx", "rules/bad.yml:5", "kind: nothing is no kind of this language"],
        ["no-todo", "low", "python", "builtin:essentials:3", "switched off by .kodus-check.yml"],
        ["no-debugger", "high", "typescript", "rules/web.yml:1", "comment"],
        ["no-eval", "high", "javascript", "rules/web.yml:12", "as configured"],
    ]


def test_what_the_reviewers_took() -> None:
    assert tree(REAL).rows("reviewers") == [
        ["main_review", "4", "7", "18,200", "61,000", "2,400", "$0.0831", "31.4"],
        ["ledger", "2", "3", "9,100", "20,000", "1,150", "price unknown", "12.0"],
        ["All", "6", "10", "27,300", "81,000", "3,550", "price unknown", ""],
    ]
    known = replace(REAL, agents=(REAL.agents[0], replace(REAL.agents[1], requests=0)))
    assert [row[6] for row in tree(known).rows("reviewers")] == ["$0.0831", "nothing asked", "$0.0831"]


def test_how_it_was_run() -> None:
    page = tree(REAL)
    facts = dict(zip(page.said("dt", within="run"), page.said("dd", within="run"), strict=True))
    assert facts == {
        "Run it again": f"kodus-check run --base {BASE} --head {HEAD}",
        "Base": BASE,
        "Base asked for as": "main",
        "Head": HEAD,
        "Head asked for as": "feature/totals",
        "Merge base": FORK,
        "Configuration at": BASE,
        "Configured by": ".kodus-check.ymlsrc/ledger/.kodus-check.yml",
        "Model": "openai:gpt-5-mini",
    }
    assert page.rows("run") == [["read the change", "0.41"], ["scan", "1.50"], ["ask the model", "38.25"]]
    assert tree(replace(FAILED, base=None, head=None, merge_base=None)).said("dd", within="run")[0] == "kodus-check run"


def test_long_code_is_cut_and_says_so() -> None:
    page = tree(replace(REAL, findings=(replace(CITED, code="x\n" * 100),)))
    assert len(page.find("li", within="finding-1")) == MAX_CODE_LINES
    assert page.said("p", "cut", "finding-1") == ["… 60 more lines"]


def test_thousands_are_cut_and_the_page_says_how_many_more() -> None:
    html = review_page(large(2_000, 5_000))
    assert len(html) < 3_000_000
    page = Tree(html)
    assert len(page.find("article", "finding", "findings")) == MAX_WHOLE
    assert {*page.said("span", "severity", "findings")[:MAX_WHOLE]} == {"critical"}
    assert len(page.rows("findings", "listed")) == MAX_LISTED
    assert page.said("p", "cut", "findings") == [
        "800 more findings are not on this page: 400 low, 400 info. --format json has all of them."
    ]
    assert len(page.find("div", "unproved")) == 5 * MAX_DROPS
    assert page.said("p", "cut", "dropped")[0].startswith("960 more candidates dropped for this reason are not on this page")


def harmless(html: str, own: str) -> None:
    """No element, attribute or address but those of the page itself."""
    page, plain = Tree(html), Tree(own)
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags} | {"tfoot", "details", "summary"}
    names = {name for _, attributes in page.tags for name in attributes}
    assert names <= {name for _, attributes in plain.tags for name in attributes} | {"open"}
    for tag, attributes in page.tags:
        href = attributes.get("href")
        assert href is None or href.startswith(("#", BLOB)) or (tag, href) == ("link", "data:,")
    assert KEY not in html
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", html)


def test_hostile_text_everywhere_stays_text() -> None:
    html = review_page(evil())
    harmless(html, review_page(REAL))
    assert "{{ 7*7 }}" in html
    assert "\\u{202e}gnp.exe\\u{200b}" in html
    assert html.count("AKIA***") > 30


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<", ">", "&", '"', "'", "`", "</script>", "<!--", "-->", "]]>", "</style>", "\x1b[31m", "\u202e", "\u2066",
             "\n", "\r\n",
             "\r", "\0", "{{ x }}", "{% raw %}", "javascript:", " onload=x ", "<svg/onload=x>", f" {KEY} ", " ", "a", "\ufeff"]
        ),
        min_size=1,
        max_size=12,
    ).map("".join)
)  # fmt: skip
def test_no_text_gets_out_of_its_place(text: str) -> None:
    harmless(review_page(evil(f"x {text} x")), review_page(REAL))


@pytest.mark.parametrize("cut", [0, 230, 235, 990, 5_990])
def test_a_key_is_masked_wherever_a_text_is_cut(cut: int) -> None:
    html = review_page(evil(f"{'x' * cut} {KEY} tail"))
    assert "AKIAAB" not in html


def test_a_private_key_over_several_lines_of_code_is_masked() -> None:
    secret = "MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC"
    code = f'k = """-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----"""'
    html = review_page(replace(REAL, findings=(replace(CITED, code=code, body=code, suggestion=code),)))
    assert "hkiG9w0B" not in html
    assert "MIIEvQ" not in html


# In a real browser


@pytest.fixture(params=ALL)
def review(request: pytest.FixtureRequest) -> Review:
    return ALL[request.param]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(browser: Browser, tmp_path: Path, review: Review, dark: bool, size: str) -> None:
    show(browser, tmp_path, review, dark=dark, size=SIZES[size])
    for details in (False, True):
        browser.run("for (const one of document.querySelectorAll('details')) one.open = arguments[0]", details)
        shown, room = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert shown <= room
    found = browser.contrasts()
    assert len(found) > 20
    assert [one for one in found if one.ratio < 4.5] == []
    assert browser.console() == []


def test_nothing_runs_and_nothing_is_loaded(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, evil())
    browser.run("""
        for (const element of document.querySelectorAll('*:not(a, summary)'))
            for (const kind of ['mouseover', 'mouseenter', 'click', 'focus', 'error', 'load'])
                element.dispatchEvent(new Event(kind));
    """)
    assert browser.run("return window.ran") is None
    assert browser.run("return performance.getEntriesByType('resource').map(e => e.name)") == []
    own, *others = browser.requests()
    assert own == (tmp_path / "review.html").as_uri()
    assert set(others) <= {"data:,"}
    assert browser.console() == []


def test_code_lines_keep_their_numbers_and_their_indent(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, replace(REAL, findings=(replace(CITED, start_line=9_999, code="a\n\n\tb"),)))
    heights = browser.run("return [...document.querySelectorAll('#finding-1 .code li')].map(e => e.getBoundingClientRect().height)")
    assert len(heights) == 3
    assert min(heights) > 15
    assert browser.run("return getComputedStyle(document.querySelectorAll('#finding-1 .code li code')[2]).whiteSpace") == "pre-wrap"
    assert browser.run("return document.querySelector('#finding-1 .code').innerText").endswith("\tb")


def test_what_the_model_said_without_proof_is_folded_away(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, REAL)
    visible = "return [...document.querySelectorAll('.unproved .title')].filter(e => e.checkVisibility()).length"
    assert browser.run(visible) == 0
    browser.run("document.querySelector('.group > summary').click()")
    assert browser.run(visible) == 0
    browser.run("document.querySelector('.group .said > summary').click()")
    assert browser.run(visible) == 1


def test_outcomes_differ_without_colour(browser: Browser, tmp_path: Path) -> None:
    looks = set()
    for one in OUTCOMES.values():
        show(browser, tmp_path, one)
        looks.add(browser.run("return getComputedStyle(document.querySelector('.outcome')).borderLeftStyle + "
                              "getComputedStyle(document.querySelector('.outcome')).borderLeftWidth"))  # fmt: skip
    assert len(looks) == len(OUTCOMES)


def test_the_keyboard_reaches_findings_and_details(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, REAL)
    seen = []
    for _ in range(16):
        browser.press("\ue004")
        seen.append(
            browser.run("const at = document.activeElement; return [at.textContent.trim(), getComputedStyle(at).outlineStyle]")
        )
    assert [name for name, _ in seen][:2] == ["Skip to the content", "Findings 4"]
    assert {"lines 12–13", "Details"} <= {name for name, _ in seen}
    assert {outline for _, outline in seen} == {"solid"}


def test_print_shows_what_is_folded(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    page.write_text(review_page(REAL), encoding="utf-8")
    browser.open(page, media="print")
    assert browser.run("return document.querySelector('nav').checkVisibility()") is False
    assert browser.run("return [...document.querySelectorAll('.unproved .warn')].every(e => e.checkVisibility())")


def test_a_great_review_stays_usable(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, large(2_000, 5_000), size=PHONE)
    shown, room = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert shown <= room
    assert browser.run("return document.querySelectorAll('*').length") < 30_000
