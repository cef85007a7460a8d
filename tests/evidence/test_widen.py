# ruff: noqa: E501 - the table says what is printed, as it is printed
"""What is printed of a guide: no fragment may turn round what the guide says (T2 of the quote check)."""

import pytest

from kodus_check.evidence.quote import Guide, check_quote
from kodus_check.evidence.sentences import sentences

SAID = "Use floats for money always."


def printed(guide: str, quote: str = SAID) -> str:
    found = check_quote({"g": Guide("g", guide.encode())}, "g", quote)
    assert found.verified, found.reason
    for line in found.text.split("\n"):
        assert line.strip() in guide.replace("\r", "\n")
    return found.text


@pytest.mark.parametrize(
    ("guide", "text"),
    [
        # what leads in to a list, whatever stands between
        (f"Do not:\n\n- {SAID}", f"Do not:\n\n- {SAID}"),
        (f"Do not\n\n- {SAID}", f"Do not\n\n- {SAID}"),
        (f"Do not\n- log keys\n- {SAID}", f"Do not\n\n- {SAID}"),
        (f"The following is forbidden.\n\n1. {SAID}", f"The following is forbidden.\n\n1. {SAID}"),
        (f"Avoid these habits.\n\n* {SAID}", f"Avoid these habits.\n\n* {SAID}"),
        (f"These habits cost us a week.\n\n+ {SAID}", f"These habits cost us a week.\n\n+ {SAID}"),
        (f"**Anti-pattern.**\n\n- {SAID}", f"**Anti-pattern.**\n\n- {SAID}"),
        (f"Not this:\n\n<!-- seen by nobody -->\n\n- {SAID}", f"Not this:\n\n- {SAID}"),
        (f"Not this:\n\n```py\nx\n```\n\n- {SAID}", f"Not this:\n\n- {SAID}"),
        (f"Never:\n\n- log keys\n* {SAID}", f"Never:\n\n* {SAID}"),
        (f"> Never:\n>\n> - {SAID}", f"Never:\n\n- {SAID}"),
        (f"Never:\n\n> - {SAID}", f"Never:\n\n- {SAID}"),
        (f"- Never:\n  - {SAID}\n  - log keys", f"- Never:\n  - {SAID}"),
        (f"Never:\n\n- in code:\n  1. in Go:\n     - {SAID}", f"Never:\n\n- in code:\n  1. in Go:\n    - {SAID}"),
        (f"- Never:\n\n  Why: it costs.\n\n  - {SAID}", f"- Never:\n\nWhy: it costs.\n  - {SAID}"),
        (f"- Never do this in code:\n\n  Log keys.\n\n  {SAID}", f"- Never do this in code:\n\n{SAID}"),
        (f"- Ledger work\n\n  Never do this:\n\n  {SAID}", f"- Ledger work\n\nNever do this:\n\n{SAID}"),
        (f"Never do the following:\n\n**Money**\n\n- {SAID}", f"Never do the following:\n\n**Money**\n\n- {SAID}"),
        (f"Our rules are here. Ints are fine.\n\n- {SAID}", SAID),  # a sentence that says nothing of the list
        # what leads in to anything else
        (f"Never do this:\n\n{SAID}", f"Never do this:\n\n{SAID}"),
        (f"Never do this:\n\n> {SAID}", f"Never do this:\n\n{SAID}"),
        (f"**Anti-pattern**\n\n{SAID}", f"**Anti-pattern**\n\n{SAID}"),
        (f"Never:\n\nLog keys to disk.\n\n{SAID}", f"Never:\n\n{SAID}"),
        (f"Do this:\n\n- log keys\n\n{SAID}", SAID),  # the list is what it led in to
        (f"Not this:\n\n| A |\n|---|\n| {SAID} |", f"Not this:\n\n| A |\n|---|\n| {SAID} |"),
        (f"| Never | Why |\n|---|---|\n| log keys | x |\n| {SAID} | y |", f"| Never | Why |\n|---|---|\n| {SAID} | y |"),
        # sentences around it
        (f"{SAID} Unless it is a chart. Log keys.", f"{SAID} Unless it is a chart."),
        (f"{SAID} That is wrong. Log keys.", f"{SAID} That is wrong."),
        (f"{SAID} This was the rule until 2020.", f"{SAID} This was the rule until 2020."),
        (f"{SAID} This helps a lot.", SAID),
        (f"This rule is obsolete. {SAID}", f"This rule is obsolete. {SAID}"),
        (f"Log keys to disk. {SAID}", SAID),
        (f"Never do as they did. For example: {SAID}", f"Never do as they did. For example: {SAID}"),
        (f"**Never!** {SAID}", f"**Never!** {SAID}"),
        (f"Wrong? {SAID} Log keys to disk.", f"Wrong? {SAID}"),
        (f'Never write "Money is easy. {SAID} It is." in code. Log keys.', f'Never write "Money is easy. {SAID} It is." in code.'),
        (f"We err (money is easy. {SAID} It is) in code.", f"We err (money is easy. {SAID} It is) in code."),
        # blocks behind it
        (f"{SAID}\n\nUnless it is a chart. Log keys.", f"{SAID}\n\nUnless it is a chart."),
        (f"{SAID}\n\nExceptions:\n\n- charts\n- tests", f"{SAID}\n\nExceptions:\n\n- charts\n- tests"),
        (f"- {SAID}\n- Except in charts.\n- Log keys.", f"- {SAID}\n- Except in charts."),
        (f"- {SAID}\n\n  This is what we forbid.", f"- {SAID}\n\n  This is what we forbid."),
        (f"> {SAID}\n\nThis was the rule until 2020.", f"{SAID}\n\nThis was the rule until 2020."),
        (f"{SAID}\n\n# Charts\n\nUnless it is a chart.", SAID),
        # HTML
        (f"<p>Never:</p><ul><li>Log keys.</li><li>{SAID}</li></ul>", f"<p>Never:</p><ul><li>Log keys.</li><li>{SAID}</li></ul>"),
        (f"Never<br>do this: {SAID}", f"Never<br>do this: {SAID}"),
        (f"Never<br>{SAID}", f"Never<br>{SAID}"),
        (f"<del>\n\nLog it all. Log </del> {SAID} Log no keys.", SAID),
        # a line of a no-break space alone opens a paragraph
        (f"\u00a0\n{SAID} Log keys.", SAID),
        (f"- \u00a0\n  {SAID}", SAID),
    ],
)  # fmt: skip
def test_what_turns_a_rule_round_is_printed_with_it(guide: str, text: str) -> None:
    got = [line.strip() for line in printed(guide).split("\n")]
    assert got == [line.strip() for line in text.split("\n")]


@pytest.mark.parametrize(
    ("guide", "quote", "text"),
    [
        ("Never use floats, for money or for anything.", "use floats, for money", "Never use floats, for money or for anything."),
        ("See No. 5 of the list, e.g. Money is an int. Log keys.", "No. 5 of the list", "See No. 5 of the list, e.g. Money is an int."),
        ("Since v1.2 Money is an int. Log keys.", "Money is an int", "Since v1.2 Money is an int."),
        ("We ask: are floats money here? No! Use ints.", "are floats money here", "We ask: are floats money here? No! Use ints."),
        ("Log it all. **Never use _floats_ for [it](u 't t')**, ever. Go.", "use floats for it", "**Never use _floats_ for [it](u 't t')**, ever."),
        ("Log it all. **Never use floats for it.** Go on then.", "use floats for it", "**Never use floats for it.**"),
        ("金額は整数です。浮動小数点で保存してはいけません。次へ。", "浮動小数点で保存して", "浮動小数点で保存してはいけません。"),
        ("Never use floats\\\nfor money at all.", "for money at all", "Never use floats\\\nfor money at all."),
        ("Never ~~ints~~ use floats for it.", "use floats for it", "Never ~~ints~~ use floats for it."),
        ("Run this before you push:\n\n```sh\nmake\n```\n", "Run this before you push", "Run this before you push:\n\n```sh\nmake\n```"),
        ("Title\n===\n\nOne is enough\nof it. Two are not.", "One is enough", "One is enough\nof it."),
        ("- one\n\n  Two words more here.", "Two words more here", "- one\n\nTwo words more here."),
    ],
)  # fmt: skip
def test_a_sentence_is_printed_whole(guide: str, quote: str, text: str) -> None:
    assert printed(guide, quote) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there.", ["One is here.", "Two is there."]),
        ("One is e.g. Two is there.", ["One is e.g. Two is there."]),
        ("One is no. 5 here. Two is there! Three?", ["One is no. 5 here.", "Two is there!", "Three?"]),
        ("One is (no. Really. Not) here. Two is there.", ["One is (no. Really. Not) here.", "Two is there."]),
        ('He says "it is. It was." Two is there.', ['He says "it is. It was."', "Two is there."]),
        ("One is (open. Two is there.", ["One is (open.", "Two is there."]),
        ("It is the users\" own. Two is there.", ['It is the users" own.', "Two is there."]),
        ("Never! Use it now.", ["Never! Use it now."]),
        ("一です。二です。", ["一です。", "二です。"]),
        ("Version 1.2 is out. it goes on.", ["Version 1.2 is out. it goes on."]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_a_very_long_paragraph_is_printed_by_the_sentence() -> None:
    guide = "Log every key to the disk. " * 900 + "Never use floats for money. " + "Log it all. " * 300
    assert printed(guide, "use floats for money") == "Never use floats for money."


def test_lines_are_of_what_holds_the_quote_not_of_what_leads_in_to_it() -> None:
    guide = f"Never:\n\n- log keys\n- {SAID}\n- Unless it is a chart.\n"
    found = check_quote({"g": Guide("g", guide.encode())}, "g", SAID)
    assert (found.start_line, found.end_line) == (4, 5)
