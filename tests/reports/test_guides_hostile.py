"""The page of the guides with hostile text: no script, no request, nothing that deceives."""

import re
from pathlib import Path

from kodus_check.reports.guidesdoc import guides_document
from kodus_check.reports.page import guides_page
from tests.reports.browser import Browser
from tests.reports.test_guides_document import GUIDES, hostile
from tests.reports.test_guides_page import show


def test_no_text_of_the_repository_becomes_a_script_or_a_request(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, hostile(6))
    browser.run("""
        for (const element of document.querySelectorAll('*'))
            for (const kind of ['mouseover', 'mouseenter', 'click', 'focus', 'error', 'load'])
                element.dispatchEvent(new Event(kind));
    """)
    assert browser.run("return window.ran") is None
    assert (
        browser.run("return document.querySelectorAll('script, img, iframe, object, embed, link:not([href^=\"data:\"])').length")
        == 0
    )
    attributes = browser.run("return [...document.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => a.name))")
    assert not [name for name in attributes if name.startswith("on")]
    addresses = browser.run("return [...document.querySelectorAll('[href], [src]')].map(e => e.getAttribute('href') ?? e.src)")
    assert {re.sub(r"[a-z0-9-]+$", "", address) for address in addresses} == {"#", "data:,"}
    assert browser.run("return performance.getEntriesByType('resource').map(e => e.name)") == []
    own, *others = browser.requests()
    assert own == (tmp_path / "guides.html").as_uri()
    assert set(others) <= {"data:,"}
    assert browser.console() == []


def test_the_policy_stops_what_would_get_through(browser: Browser, tmp_path: Path) -> None:
    html = guides_page(guides_document(GUIDES))
    page = tmp_path / "guides.html"
    page.write_text(
        html.replace("</main>", "<script>window.ran=1</script><img src='https://127.0.0.1:1/x.png' onerror='window.ran=1'></main>")
    )
    browser.open(page)
    assert browser.run("return window.ran") is None
    complaints = " ".join(browser.console())
    assert "script-src" in complaints
    assert "img-src" in complaints


def test_deceiving_characters_are_spelled_out(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, hostile(2))
    shown = browser.run("return document.documentElement.innerHTML + document.title")
    assert not {"\x1b", "\u202e", "\u200b", "\ud800"} & set(shown)
    assert "\\u{202e}gnp.exe\\u{200b}" in shown
    assert "{{ 7*7 }}" in shown
