"""The page of the guides in a real browser: readable on a phone and in the dark, right in what it shows."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kodus_check.model.guides import Budget, Guides, Invocation, LoadedDoc
from kodus_check.reports.guidesdoc import guides_document
from kodus_check.reports.htmlpage import MAX_LEAD
from kodus_check.reports.page import guides_page
from tests.reports import browser as real
from tests.reports.browser import DESKTOP, PHONE, Browser
from tests.reports.test_guides_document import (
    AGENTS,
    BAD,
    BASE,
    CONTRIBUTING,
    EMPTY,
    GUIDES,
    LEDGER,
    LONG,
    OFF,
    RELEASE,
    SHIPPED,
    TWIN,
    hostile,
)


def many(number: int) -> Guides:
    """As many skills of every sort, each followed by one of eight reviewers or by nobody."""
    reviewers = tuple(f"reviewer-{index}" for index in range(8))
    skills = tuple(
        replace(
            (LEDGER, RELEASE, BAD, OFF)[index % 4],
            path=f".agents/skills/skill-{index}/SKILL.md",
            id="" if index % 4 == 2 else f"skill-{index}",
            name="" if index % 4 == 2 else f"skill-{index}",
        )
        for index in range(number)
    )
    followed: dict[str, tuple[str, ...]] = {
        skill.path: (reviewers[index % 8],) for index, skill in enumerate(skills) if index % 4 == 0
    }
    return replace(GUIDES, skills=skills, reviewers=reviewers, followed_by=followed)


ALL = {"real": GUIDES, "empty": EMPTY, "hostile": hostile(6)}
SIZES = {"phone": PHONE, "desktop": DESKTOP}


@pytest.fixture(params=ALL)
def guides(request: pytest.FixtureRequest) -> Guides:
    return ALL[request.param]


def show(browser: Browser, folder: Path, guides: Guides, **how: Any) -> None:
    page = folder / "guides.html"
    page.write_text(guides_page(guides_document(guides)), encoding="utf-8")
    browser.open(page, **how)


def texts(browser: Browser, selector: str) -> list[str]:
    """What stands in each element, with white space folded, whether it is shown or not."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.replace(/\\s+/g, ' ').trim())"
    return list(browser.run(script, selector))


def test_without_chromium_the_tests_fail_and_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real, "CHROMIUM", tmp_path / "chromium")
    with (
        pytest.raises(RuntimeError, match=r"chromium not found.*apt-get install .*chromium chromium-driver"),
        real.chromium(tmp_path),
    ):
        pass


@pytest.mark.parametrize("size", SIZES)
def test_the_page_never_scrolls_sideways(browser: Browser, tmp_path: Path, guides: Guides, size: str) -> None:
    show(browser, tmp_path, guides, size=SIZES[size])
    for details in (False, True):
        browser.run("for (const one of document.querySelectorAll('details')) one.open = arguments[0]", details)
        shown, room = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert shown <= room


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser: Browser, tmp_path: Path, guides: Guides, dark: bool, size: str) -> None:
    show(browser, tmp_path, guides, dark=dark, size=SIZES[size])
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    found = browser.contrasts()
    assert len(found) > 20
    assert [one for one in found if one.ratio < 4.5] == []
    assert all(one.front > one.back if dark else one.front < one.back for one in found)
    assert max(one.back for one in found) < 0.1 if dark else min(one.back for one in found) > 0.8


def test_the_contrast_test_sees_a_faint_text(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    browser.run("document.querySelector('h1').style.color = 'rgb(0 0 0 / 30%)'")
    assert [one.text for one in browser.contrasts() if one.ratio < 4.5] == ["Guides at the base"]


def test_the_structure_of_the_page(browser: Browser, tmp_path: Path, guides: Guides) -> None:
    show(browser, tmp_path, guides)
    assert browser.run("return [document.documentElement.lang, document.compatMode, document.characterSet]") == [
        "en",
        "CSS1Compat",
        "UTF-8",
    ]
    levels = [int(name[1]) for name in browser.run("return [...document.querySelectorAll('h1,h2,h3,h4')].map(e => e.tagName)")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    targets = browser.run("return [...document.querySelectorAll('a[href^=\"#\"], label, [aria-labelledby]')]"
                          ".map(e => e.htmlFor ?? e.getAttribute('aria-labelledby') ?? e.hash.slice(1))")  # fmt: skip
    assert set(targets) <= set(ids)
    assert browser.run("return ['header', 'nav', 'main', 'footer'].map(e => document.querySelectorAll(e).length)") == [1, 1, 1, 1]
    assert browser.run("return [...document.querySelectorAll('th')].every(e => ['row', 'col'].includes(e.scope))")
    assert browser.run("return [...document.querySelectorAll('table')].every(t => t.tHead && [...t.rows].every("
                       "r => r.cells.length === t.tHead.rows[0].cells.length))")  # fmt: skip


def test_a_table_shown_as_cards_stays_a_table_to_a_screen_reader(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES, size=PHONE)
    assert browser.run("return getComputedStyle(document.querySelector('.list tbody tr')).display") == "flex"
    roles = browser.run("return [...document.querySelectorAll('.list, .list *:is(thead, tbody, tr, th, td)')].map(e => e.role)")
    assert set(roles) == {"table", "rowgroup", "row", "columnheader", "rowheader", "cell"}


def test_the_head_says_what_stands_where(browser: Browser, tmp_path: Path) -> None:
    again = replace(RELEASE, path=".claude/skills/again/SKILL.md", id="again")
    show(browser, tmp_path, replace(GUIDES, skills=(*GUIDES.skills, again)))
    assert browser.run("return document.title") == f"Guides at main {BASE[:10]} · kodus-check"
    assert texts(browser, "h1 + .base") == [f"main {BASE}"]
    counts = dict(zip(texts(browser, ".counts dt"), texts(browser, ".counts dd"), strict=True))
    assert counts == {
        "valid skills": "6",
        "not valid": "✕ 1",
        "manual only": "2",
        "docs": "4",
        "tokens in all valid guides": "45,654",
    }
    assert texts(browser, "main h2") == ["Notices", "Who follows what", "Budgets", "Skills", "Docs"]
    assert texts(browser, ".notices li") == [
        "src/ledger/AGENTS.md Only its first 200 of 300 lines are loaded for ledger. source_refused",
        "CONTRIBUTING.md is followed twice: the same rule may comment twice. nothing_to_judge",
    ]


def test_the_matrix_says_who_follows_what(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    assert texts(browser, ".matrix thead th") == ["Guide", "main_review", "ledger"]
    yes, no = "●follows", "·does not follow"
    rows = browser.run(
        "return [...document.querySelectorAll('.matrix tbody tr')].map(r => [...r.cells].map(c => c.textContent.trim()))"
    )
    assert rows == [
        ["ledger-rules skill", yes, yes],
        ["release skill, manual only", no, yes],
        ["auth-boundaries skill", yes, no],
        ["CONTRIBUTING.md doc", yes, yes],
        ["src/ledger/AGENTS.md doc", no, yes],
    ]
    assert texts(browser, ".loose li") == [
        ".claude/skills/ledger-rules skill, twin",
        "old-api skill, switched off",
        f"{BAD.path} skill, not valid",
        "docs/handbook.md doc",
        "docs/latin.md doc, not valid",
    ]
    for link, row in browser.run("return [...document.querySelectorAll('.matrix a, .loose a')].map(a => "
                                 "[a.textContent, document.querySelector(a.hash).cells[0].textContent])"):  # fmt: skip
        assert link in row


def test_the_first_column_of_the_matrix_stays_while_the_rest_scrolls(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, many(200), size=PHONE)
    place = """
        const box = document.querySelector('.scroll');
        const head = box.querySelector('thead th'), row = box.querySelector('tbody tr:last-child th');
        box.scrollTo(arguments[0], arguments[1]);
        return [head.getBoundingClientRect().top, row.getBoundingClientRect().left, box.scrollLeft, box.scrollTop];
    """
    top, left, *_ = browser.run(place, 0, 0)
    later_top, later_left, across, down = browser.run(place, 200, 300)
    assert (across, down) == (200, 300)
    assert (later_top, later_left) == (top, left)


def test_the_bars_are_as_long_as_the_numbers_say(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    share = """
        return [...document.querySelectorAll('.track')].map(track => ['used', 'rest', 'limit'].map(part => {
            const found = track.querySelector('.' + part), whole = track.getBoundingClientRect();
            if (!found) return 0;
            const box = found.getBoundingClientRect();
            return (part === 'limit' ? box.left + box.width / 2 - whole.left : box.width) / whole.width;
        }));
    """
    expected = [
        (2 / 20, 0, 0),
        (1 / 10, 0, 0),
        (1_800 / 20_000, 0, 0),
        (20 / 23, 3 / 23, 20 / 23),
        (4 / 10, 0, 0),
        (7_800 / 41_800, 34_000 / 41_800, 10_000 / 41_800),
    ]
    drawn = browser.run(share)
    assert len(drawn) == len(expected)
    for found, wanted in zip(drawn, expected, strict=True):
        assert found == pytest.approx(wanted, abs=0.004)
    assert texts(browser, ".bars dd") == [
        "2 of 20",
        "1 of 10",
        "1,800 of 20,000",
        "20 of 20 ▲ Over: 23 linked",
        "4 of 10",
        "7,800 of 10,000 ▲ Over: 41,800 linked",
    ]
    assert texts(browser, ".card h3") == ["main_review", "ledger in src/ledger/"]
    assert texts(browser, ".cuts li") == [
        "src/ledger/AGENTS.md Trimmed to 6,000 of 9,000 tokens, 200 of 300 lines",
        "docs/handbook.md Left out: 31,000 tokens, 2,400 lines",
        "docs/latin.md Not valid: it is not UTF-8: byte 312 is 0xe9",
    ]


def test_a_budget_of_nothing_is_drawn_without_a_fault(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, replace(GUIDES, budgets=(Budget("a", "", 0, 0, (LoadedDoc(CONTRIBUTING, 0, 0),), 0, 0),)))
    assert texts(browser, ".bars dd") == ["0 of 0", "0 of 0 ▲ Over: 1 linked", "0 of 0 ▲ Over: 1,800 linked"]


def test_the_table_of_skills(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    rows = browser.run("return [...document.querySelectorAll('.skills tbody tr')]"
                       ".map(r => [...r.cells].map(c => c.textContent.replace(/\\s+/g, ' ').trim()))")  # fmt: skip
    who, everything = "Model and people", "All files"
    files = "2 filesreferences/rounding.mdscripts/check.py"
    assert rows == [
        [f"ledger-rules {LEDGER.path}", LEDGER.description, "✓ Valid", who, "src/ledger/", "1,087", "126", files],
        [
            f"{TWIN.id} {TWIN.path}",
            f"Twin: {LEDGER.path} takes its place. {LEDGER.description}",
            "✓ Valid",
            who,
            "src/ledger/",
            "1,087",
            "126",
            "None",
        ],
        [f"release {RELEASE.path}", RELEASE.description, "✓ Valid", "◐ Manual only", everything, "420", "41", "None"],
        [
            f"old-api {OFF.path}",
            f"{OFF.description} {OFF.invocation.diagnostics[0].replace('`', '')}",
            "✓ Valid",
            "○ Switched off",
            everything,
            "420",
            "41",
            "None",
        ],
        [BAD.path, f"Line 2: {BAD.reason.replace('`', '')}", "✕ Not valid", "Nobody", everything, "–not counted", "88", "None"],
        [f"auth-boundaries {SHIPPED.path}", SHIPPED.description, "✓ Valid", who, everything, "420", "41", "None"],
    ]


def test_the_table_of_docs(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    rows = browser.run("return [...document.querySelectorAll('.docs tbody tr')]"
                       ".map(r => [...r.cells].map(c => c.textContent.replace(/\\s+/g, ' ').trim()))")  # fmt: skip
    assert rows == [
        [CONTRIBUTING.path, "✓ Valid", "All files", "1,800", "120"],
        [f"{AGENTS.path} also a rules file", "✓ Valid", "src/ledger/", "9,000", "300"],
        [LONG.path, "✓ Valid", "All files", "31,000", "2,400"],
        ["docs/latin.md", "✕ Not validit is not UTF-8: byte 312 is 0xe9", "All files", "–not counted", "0"],
    ]


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        ("all", [LEDGER, TWIN, RELEASE, OFF, BAD, SHIPPED]),
        ("bad", [BAD]),
        ("manual", [RELEASE]),
        ("off", [OFF]),
        ("twin", [TWIN]),
        ("unfollowed", [TWIN, OFF]),
    ],
)
@pytest.mark.parametrize("size", SIZES)
def test_the_choices_show_some_of_the_skills(browser: Browser, tmp_path: Path, choice: str, shown: list[Any], size: str) -> None:
    show(browser, tmp_path, GUIDES, size=SIZES[size])
    count = browser.run(
        "const label = document.querySelector(`[for=show-${arguments[0]}]`); label.click(); return label.textContent", choice
    )
    assert count.endswith(f" {len(shown)}")
    visible = browser.run("return [...document.querySelectorAll('.skills tbody tr')]"
                          ".filter(r => r.checkVisibility()).map(r => r.querySelector('code').textContent)")  # fmt: skip
    assert visible == [skill.path for skill in shown]


@pytest.mark.parametrize("choice", ["bad", "manual", "off", "twin", "unfollowed"])
def test_a_row_that_is_linked_to_is_shown_whatever_the_choice(browser: Browser, tmp_path: Path, choice: str) -> None:
    show(browser, tmp_path, GUIDES)
    browser.run("document.querySelector(`[for=show-${arguments[0]}]`).click()", choice)
    assert browser.run("return document.querySelector('#skill-1').checkVisibility()") is False
    browser.run("document.querySelector('.matrix a').click()")
    assert browser.run("return document.querySelector('#skill-1').checkVisibility()") is True


def test_the_keyboard_reaches_what_can_be_used(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES)
    seen = []
    for _ in range(20):
        browser.press("\ue004")
        seen.append(
            browser.run("""
            const at = document.activeElement, mark = at.matches('input') ? at.nextElementSibling : at;
            return [at.id || at.className || at.textContent.trim(), getComputedStyle(mark).outlineStyle];
        """)
        )
    assert [name for name, _ in seen][:8] == [
        "skip",
        "Notices 2",
        "Who follows what",
        "Budgets",
        "Skills 6",
        "Docs 4",
        "scroll",
        "ledger-rules",
    ]
    assert {"5 guides followed by nobody", "show-all", "2 files"} <= {name for name, _ in seen}
    assert {outline for _, outline in seen} == {"solid"}


def test_a_long_description_can_be_opened_and_is_whole(browser: Browser, tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(600))
    show(browser, tmp_path, replace(GUIDES, skills=(replace(LEDGER, description=text),)))
    assert len(texts(browser, ".long summary")[0]) <= MAX_LEAD + 1
    assert texts(browser, ".long p") == [text]


def test_without_guides_the_page_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, EMPTY)
    said = texts(browser, ".empty")
    assert len(said) == 4
    assert said[0].startswith("No guide at the base: add CONTRIBUTING.md or a skill folder")
    assert browser.run("return document.querySelectorAll('table, .filters').length") == 0
    show(browser, tmp_path, replace(GUIDES, followed_by={}))
    assert texts(browser, "#followers .empty")[0].startswith("No reviewer follows a guide yet: link them under skills and docs")


def test_what_is_hidden_on_screen_is_printed(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, GUIDES, media="print")
    assert browser.run("return document.querySelector('nav').checkVisibility()") is False
    assert browser.run("return [...document.querySelectorAll('.files li')].map(e => e.checkVisibility())") == [True, True]
    show(browser, tmp_path, GUIDES)
    assert browser.run("return [...document.querySelectorAll('.files li')].map(e => e.checkVisibility())") == [False, False]


def test_a_thousand_skills(browser: Browser, tmp_path: Path) -> None:
    guides = many(1_000)
    document = guides_document(guides)
    assert guides_page(document).count("<tr") > 1_000
    show(browser, tmp_path, guides)
    assert browser.run(
        "return ['.skills tbody tr', '.matrix tbody tr', '.loose li'].map(s => document.querySelectorAll(s).length)"
    ) == [
        1_000,
        250,
        754,
    ]
    assert browser.run("return document.querySelector('#followers details').open") is False
    for width in (900, 1280):  # a style that looks at the whole table at each step would hang here
        browser.resize(width, 900)
        assert browser.run("return document.body.offsetHeight") > 10_000


@pytest.mark.parametrize(
    ("model", "user", "shown"),
    [
        (True, True, "Model and people"),
        (False, True, "◐ Manual only"),
        (True, False, "Model only"),
        (False, False, "○ Switched off"),
    ],
)
def test_who_may_load_a_skill(browser: Browser, tmp_path: Path, model: bool, user: bool, shown: str) -> None:
    show(browser, tmp_path, replace(GUIDES, skills=(replace(LEDGER, invocation=Invocation(model, user)),)))
    assert texts(browser, ".skills [data-label='Loaded by']") == [shown]
