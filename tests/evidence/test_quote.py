# ruff: noqa: E501 - the table says what is printed, as it is printed
"""The quote check: what stands in a guide as people see it, what does not, and what is printed of it."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kodus_check.evidence.fold import fold
from kodus_check.evidence.quote import Guide, check_quote, folded_block
from kodus_check.mdtext.blocks import Kind
from kodus_check.model import QuoteCheck, QuoteReason

GUIDE = """\
---
name: ledger
description: This is not a rule that anybody may cite.
---
# Ledger

Amounts are **integers**. Never use floats, e.g. `parseFloat`, for money. Unless it is for a chart.
A reversal is a *new* entry,
never an [UPDATE](https://db.example/x "title text here") of the original.

<!-- Never cite this comment as a rule. -->

Never log the following:

- API tokens & keys
- names of people, except:
  - the author of the commit
- [ ] Every write goes through `LedgerWriter`; don\u2019t insert directly.

> [!NOTE]
> Use the non-null values only \u2014 always, at most 50% of them.

| Case | Rule |
|---|---|
| refund | new entry |
| a \\| b | never touch the old rows |

## Names

1. Use `snake_case` for __init__ names in C++ code.
2. ~~Always use floats for money here.~~
3. Run it twice.

The config lives in docs/ledger/config.yml and nowhere else.

```sh
rm -rf everything now
```

[reference]: https://x.example "Always obey the reference title"

<details><summary>More of it</summary>

Close every cursor that you open.

</details>

<div hidden>

Nobody sees this hidden sentence here.

</div>

![An image text nobody reads](x.png)

\u91d1\u984d\u306f\u5e38\u306b\u6574\u6570\u3067\u4fdd\u5b58\u3059\u308b\u3002\u6d6e\u52d5\u5c0f\u6570\u70b9\u306f\u4f7f\u308f\u306a\u3044\u3002
"""


def check(quote: str, guide: str = GUIDE, **options: tuple[int, int]) -> QuoteCheck:
    return check_quote({"g.md": Guide("g.md", guide.encode())}, "g.md", quote, **options)


@pytest.mark.parametrize(
    "quote",
    [
        "A reversal is a new entry, never an UPDATE of the original.",
        "A reversal is a *new* entry,\nnever an [UPDATE](https://db.example/x) of the original.",  # as it is written
        "A reversal is a new\r\n\tentry, never   an UPDATE of the original.",  # wrapped elsewhere
        "> A reversal is a new entry,\n> never an UPDATE of the original.",
        ">A reversal is a new entry,\n>never an UPDATE of the original.",
        "- A reversal is a new entry, never an UPDATE of the original.",
        "* A reversal is a new entry, never an UPDATE of the original.",
        "7. A reversal is a new entry, never an UPDATE of the original.",
        "## A reversal is a new entry, never an UPDATE of the original.",
        "A __reversal__ is a **new** _entry_, `never` an UPDATE of the ***original***.",
        "A [reversal](x.md) is a [new][reference] entry, never an UPDATE of the original.",
        "A reversal is a <b>new</b> entry, never an UPDATE of the original.",
        "A reversal is a new entry\\, never an UPDATE of the original\\.",
        "A reversal is a&nbsp;new entry&#44; never an UPDATE of the original.",
        "A reversal\u00a0is a new entry, never an UPDATE of the original.",
        '"A reversal is a new entry, never an UPDATE of the original."',
        "\u201cA reversal is a new entry, never an UPDATE of the original.\u201d",
        "reversal is a new entry, never an UPDATE",  # from word border to word border
        "A reversal is a new entry \u2026 UPDATE of the original",
        "  A reversal is a new entry, never an UPDATE of the original.  \n",
    ],
)
def test_twenty_disguises_of_a_true_citation(quote: str) -> None:
    found = check(quote)
    assert (found.reason, found.path, found.start_line, found.end_line, found.trail) == (None, "g.md", 8, 9, ("Ledger",))
    assert found.text == 'A reversal is a *new* entry,\nnever an [UPDATE](https://db.example/x "title text here") of the original.'


@pytest.mark.parametrize(
    ("quote", "lines", "text"),
    [
        # T2: the sentence is printed whole, with the next one where that takes something back
        ("use floats, e.g. parseFloat", (7, 7), "Never use floats, e.g. `parseFloat`, for money. Unless it is for a chart."),
        ("Amounts are integers.", (7, 7), "Amounts are **integers**."),
        ("API tokens &amp; keys", (15, 15), "Never log the following:\n\n- API tokens & keys"),
        ("the author of the commit", (17, 17), "Never log the following:\n\n- names of people, except:\n  - the author of the commit"),
        ("names of people", (16, 17), "Never log the following:\n\n- names of people, except:\n  - the author of the commit"),
        ("don't insert directly", (18, 18), "Never log the following:\n\n- [ ] Every write goes through `LedgerWriter`; don\u2019t insert directly."),
        ("[x] Every write goes through LedgerWriter", (18, 18), "Never log the following:\n\n- [ ] Every write goes through `LedgerWriter`; don\u2019t insert directly."),
        ("non-null values only - always", (21, 21), "Use the non-null values only \u2014 always, at most 50% of them."),
        ("new entry |", (25, 25), "| Case | Rule |\n|---|---|\n| refund | new entry |"),
        ("never touch the old rows", (26, 26), "| Case | Rule |\n|---|---|\n| a \\| b | never touch the old rows |"),
        ("Use snake_case for __init__ names", (30, 30), "Use `snake_case` for __init__ names in C++ code."),
        ("Run it twice.", (32, 32), "Run it twice."),
        ("Close every cursor that you open.", (44, 44), "Close every cursor that you open."),
        ("\u6d6e\u52d5\u5c0f\u6570\u70b9\u306f\u4f7f\u308f\u306a\u3044", (56, 56), "\u6d6e\u52d5\u5c0f\u6570\u70b9\u306f\u4f7f\u308f\u306a\u3044\u3002"),
        ("# Ledger\n\nAmounts are integers.", (7, 7), "Amounts are **integers**."),
        ("- API tokens & keys\n- names of people, except:", (15, 17), "Never log the following:\n\n- API tokens & keys\n- names of people, except:\n  - the author of the commit"),
        ("Never log the following:", (13, 18), "Never log the following:\n\n- API tokens & keys\n- names of people, except:\n  - the author of the commit\n- [ ] Every write goes through `LedgerWriter`; don\u2019t insert directly."),
    ],
)  # fmt: skip
def test_what_is_printed_is_the_guides_own(quote: str, lines: tuple[int, int], text: str) -> None:
    found = check(quote)
    assert (found.reason, (found.start_line, found.end_line), found.text) == (None, lines, text)


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("A reversal is an old entry, never an UPDATE", QuoteReason.NOT_IN_GUIDE),  # T1
        ("A reversal is a new entry, an UPDATE of the original", QuoteReason.NOT_IN_GUIDE),
        ("A reversal is not a new entry", QuoteReason.NOT_IN_GUIDE),
        ("a reversal is a new entry", QuoteReason.NOT_IN_GUIDE),
        ("A reversal is an entry new", QuoteReason.NOT_IN_GUIDE),
        ("values only, at most 5% of them", QuoteReason.NOT_IN_GUIDE),
        ("null values only", QuoteReason.PARTIAL_WORD),  # T3
        ("t insert directly", QuoteReason.PARTIAL_WORD),
        ("always, at most 50", QuoteReason.PARTIAL_WORD),
        ("__init__ names in C", QuoteReason.PARTIAL_WORD),
        ("is a new entr", QuoteReason.PARTIAL_WORD),
        ("Never cite this comment as a rule.", QuoteReason.NOT_VISIBLE),  # T4
        ("Always use floats for money here.", QuoteReason.NOT_VISIBLE),
        ("Nobody sees this hidden sentence here.", QuoteReason.NOT_VISIBLE),
        ("Always obey the reference title", QuoteReason.NOT_VISIBLE),
        ("An image text nobody reads", QuoteReason.NOT_VISIBLE),
        ("title text here", QuoteReason.NOT_VISIBLE),
        ("not a rule that anybody may cite", QuoteReason.NOT_IN_GUIDE),  # frontmatter
        ("A rever\u200bsal is a new entry", QuoteReason.HIDDEN_CHARACTERS),  # T5
        ("A reversal is a new entry\u202e", QuoteReason.HIDDEN_CHARACTERS),
        ("A reversal is\x07 a new entry", QuoteReason.HIDDEN_CHARACTERS),
        ("", QuoteReason.EMPTY),
        (" \n\t\n", QuoteReason.EMPTY),
        ("never", QuoteReason.TOO_SHORT),  # T6
        ("new entry,", QuoteReason.TOO_SHORT),
        ("Run it", QuoteReason.TOO_SHORT),
        ("\u91d1\u984d\u306f\u5e38\u306b", QuoteReason.PARTIAL_WORD),
        ("# Ledger", QuoteReason.HEADING_ONLY),
        ("docs/ledger/config.yml", QuoteReason.PATH_ONLY),
        ("rm -rf everything now", QuoteReason.CODE_ONLY),
        ("never touch the old rows ## Names Use snake_case", QuoteReason.NOT_IN_GUIDE),
        ("Use the non-null values only \u2026 Run it twice.", QuoteReason.PARTS_APART),  # T7
        ("A reversal is a new entry \u2026 Amounts are integers", QuoteReason.NOT_IN_GUIDE),
        ("x " * 5_000, QuoteReason.TOO_LONG),
    ],
)
def test_what_proves_nothing(quote: str, reason: QuoteReason) -> None:
    found = check(quote)
    assert (found.reason, found.verified, found.text) == (reason, False, "")
    assert found.detail


def test_a_quote_over_a_heading_is_refused() -> None:
    guide = "# A\n\nOne rule stands here.\n\n# B\n\nAnother rule stands there.\n"
    assert check("One rule stands here. B Another rule stands there.", guide).reason is QuoteReason.CROSSES_SECTIONS


def test_of_several_places_the_nearest_is_taken() -> None:
    guide = "Close what you open.\n\n# B\n\nClose what you open.\n"
    assert check("Close what you open.", guide).start_line == 1
    assert check("Close what you open.", guide, lines=(5, 6)).start_line == 5


@pytest.mark.parametrize(
    ("guides", "path", "expected"),
    [
        ({"a.md": "Close what you open.", "b.md": "x"}, "a.md", "a.md"),
        ({"a.md": "x", "b.md": "Close what you open."}, "a.md", "b.md"),
        ({"a.md": "x", "b.md": "Close what you open."}, "nowhere.md", "b.md"),
        ({"a.md": "Close what you open.", "b.md": "Close what you open."}, "a.md", "a.md"),
        ({"a.md": "Close what you open.", "b.md": "Close what you open."}, "c.md", QuoteReason.GUIDE_AMBIGUOUS),
        ({"a.md": "x", "b.md": "y"}, "a.md", QuoteReason.NOT_IN_GUIDE),
        ({"a.md": "x"}, "c.md", QuoteReason.GUIDE_NOT_LINKED),
        ({}, "c.md", QuoteReason.GUIDE_NOT_LINKED),
    ],
)
def test_a_wrong_path_is_corrected_where_exactly_one_guide_holds_the_quote(
    guides: dict[str, str], path: str, expected: str | QuoteReason
) -> None:
    """T8."""
    ready = {name: Guide(name, text.encode()) for name, text in guides.items()}
    found = check_quote(ready, path, "Close what you open.")
    assert (found.path if found.verified else found.reason) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfClose what\r\nyou open.\r\n",
        b"Close what\ryou open.",
        b"\tx\n\nClose what\n\tyou open.",
        b"Title\n=====\n\nClose what you open.\n",
        b"> - a\n>   > Close what\n>   > you open.\n",
        b"1. a\n   - Close what\nyou open.\n",
        b"Close \xff what\n\nClose what you open.",
    ],
)
def test_any_bytes_are_a_guide(data: bytes) -> None:
    assert check_quote({"g": Guide("g", data)}, "g", "Close what you open.").verified


WORDS = st.sampled_from(
    [
        "ledger",
        "entry",
        "never",
        "always",
        "must",
        "12",
        "use",
        "not",
        "`code`",
        "**bold**",
        "_em_",
        "a&b",
        "don't",
        "x_y",
        "e.g.",
        "[link](u.md)",
        "--",
        "—",
    ]
)
SENTENCES = st.lists(WORDS, min_size=5, max_size=14).map(lambda words: f"The {' '.join(words)} end.")
BLOCKS = st.one_of(
    SENTENCES,
    st.lists(SENTENCES, min_size=2, max_size=3).map(" ".join),
    st.lists(SENTENCES, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(SENTENCES, min_size=1, max_size=2).map(lambda items: "\n".join(f"> {item}" for item in items)),
    SENTENCES.map(lambda text: f"| a | b |\n|---|---|\n| x | {text} |"),
    SENTENCES.map(lambda text: f"# {text[:20]}"),
    SENTENCES.map(lambda text: f"<!-- {text} -->"),
)
GUIDES = st.lists(BLOCKS, min_size=1, max_size=6).map("\n\n".join)


def _sentences(guide: Guide) -> list[str]:
    folded = [folded_block(block) for block in guide.text.blocks if block.kind is not Kind.HEADING]
    return [f"The {part} end." for text in folded for part in re.findall(r"The (.+?) end\.", text)]


@settings(max_examples=150, deadline=None)
@given(GUIDES, st.data())
def test_any_visible_sentence_verifies_however_it_is_wrapped_and_marked(text: str, data: st.DataObject) -> None:
    guide = Guide("g", text.encode())
    said = _sentences(guide)
    assume(said)
    sentence = data.draw(st.sampled_from(said))
    words = [word.replace('"', "'") for word in sentence.split(" ")]
    gaps = data.draw(st.lists(st.sampled_from([" ", "  ", "\n", "\n> ", "\t"]), min_size=len(words), max_size=len(words)))
    quote = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    found = check_quote({"g": guide}, "g", f"> {quote}" if "\n> " in quote else quote)
    assert found.verified, (sentence, quote, found.reason)
    assert fold("The") in fold(found.text)
    for line in found.text.split("\n"):
        assert line.strip() in text


@settings(max_examples=150, deadline=None)
@given(GUIDES, st.data())
def test_no_sentence_verifies_with_one_word_changed(text: str, data: st.DataObject) -> None:
    guide = Guide("g", text.encode())
    said = _sentences(guide)
    assume(said)
    words = data.draw(st.sampled_from(said)).split(" ")
    index = data.draw(st.integers(1, len(words) - 2))
    changed = data.draw(st.sampled_from(["drop", "other", "insert", "digit"]))
    if changed == "drop":
        del words[index]
    else:
        words[index : index + (changed != "insert")] = [{"other": "seldom", "insert": "not", "digit": "13"}[changed]]
    quote = " ".join(words)
    assume(fold(quote) not in guide.stream)
    assert not check_quote({"g": guide}, "g", quote).verified


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=60))
def test_no_input_raises(data: bytes, quote: str) -> None:
    check_quote({"g": Guide("g", data)}, "g", quote)


@pytest.mark.parametrize("unit", ["*", "[", "`", "<", "| ", "- ", ".", "> ", "(", "\\", "&", "~", "<a ", "a. "])
def test_long_runs_cost_no_more_than_their_length(unit: str) -> None:
    """A run that takes more than linear time would not come to an end here."""
    guide = Guide("g", ("Close what you open.\n\n" + unit * 20_000 + "\n").encode())
    assert check_quote({"g": guide}, "g", unit * 300).verified in (True, False)
    assert check_quote({"g": guide}, "g", "Close what you open.").verified
