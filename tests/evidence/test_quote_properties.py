# ruff: noqa: E501 - the tables are read by the line
"""What holds for every guide and every quote: a true sentence verifies in any disguise, a changed one in none, nothing raises."""

import random
import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kodus_check.evidence.fold import HIDDEN, fold, fold_places
from kodus_check.evidence.quote import Guide, check_quote, folded_block
from kodus_check.mdtext.blocks import Kind, read
from kodus_check.model import QuoteCheck, QuoteReason

WORDS = [
    "ledger",
    "entry",
    "never",
    "always",
    "must",
    "use",
    "not",
    "float",
    "money",
    "every",
    "the",
    "with",
    "from",
    "12",
    "3.5",
    "50%",
    "don't",
    "re-use",
    "`code`",
    "**bold**",
    "_em_",
    "x_y",
    "__init__",
    "R&D",
    "[link](u.md)",
    "café",
    "—",
    "C++",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=6, max_size=12).map(lambda words: f"Every {' '.join(words)} ends here.")
BLOCKS = st.one_of(
    SENTENCES,
    st.lists(SENTENCES, min_size=2, max_size=4).map("\n".join),
    st.lists(SENTENCES, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(SENTENCES, min_size=2, max_size=2).map(lambda items: f"1. {items[0]}\n   - {items[1]}"),
    SENTENCES.map(lambda text: f"> - {text}"),
    SENTENCES.map(lambda text: f"Never:\n\n{text}"),
    SENTENCES.map(lambda text: f"| a | b |\n|---|---|\n| x | {text} |"),
    SENTENCES.map(lambda text: f"# {text}"),
    SENTENCES.map(lambda text: f"<!-- {text} -->"),
    SENTENCES.map(lambda text: f"```\n{text}\n```"),
)
GUIDES = st.lists(BLOCKS, min_size=1, max_size=6).map("\n\n".join)
RANDOM = st.randoms(use_true_random=False)
Change = Callable[[list[str], random.Random], list[str]]


def _said(guide: Guide) -> list[str]:
    """Every sentence that may be cited, as it is seen."""
    seen = [" ".join(block.visible.split()) for block in guide.text.blocks if block.kind not in (Kind.HEADING, Kind.CODE)]
    return [part for text in seen for part in re.findall(r"Every .+? ends here\.", text)]


def _some(words: list[str], chance: random.Random, shape: str) -> list[str]:
    """One plain word in marks."""
    plain = [number for number, word in enumerate(words) if word.isascii() and word.isalpha()]
    if plain:
        number = chance.choice(plain)
        words[number] = shape % words[number]
    return words


DISGUISES: dict[str, Callable[[str, random.Random], str]] = {
    "wrapped": lambda text, chance: re.sub(" ", lambda _: chance.choice([" ", " ", "\n", "\r\n", "\n  ", "\t", "  "]), text),
    "quoted": lambda text, chance: "> " + re.sub(" ", lambda _: chance.choice([" ", " ", "\n> "]), text),
    "item": lambda text, chance: chance.choice(["- ", "* ", "+ ", "7. ", "12) ", "> - "]) + text,
    "heading": lambda text, chance: "## " + text,
    "bold": lambda text, chance: " ".join(_some(text.split(" "), chance, chance.choice(["**%s**", "__%s__", "*%s*", "***%s***"]))),
    "code": lambda text, chance: " ".join(_some(text.split(" "), chance, chance.choice(["`%s`", "``%s``", "<b>%s</b>"]))),
    "link": lambda text, chance: " ".join(_some(text.split(" "), chance, chance.choice(["[%s](https://x.example/y)", "[%s](u 't t')"]))),
    "outer": lambda text, chance: chance.choice(['"%s"', "\u201c%s\u201d", "'%s'", "\u00ab%s\u00bb"]) % text,
    "smart": lambda text, chance: text.replace("'", "\u2019").replace("\u2014", "-"),
    "spaces": lambda text, chance: re.sub(" ", lambda _: chance.choice([" ", "\u00a0", "\u2009"]), text),
    "decomposed": lambda text, chance: unicodedata.normalize("NFD", text),
    "entities": lambda text, chance: text.replace("&", "&amp;").replace("'", "&#39;"),
    "escaped": lambda text, chance: re.sub(r"([_*&+%.-])", r"\\\1", text),
    "plain": lambda text, chance: text,
}  # fmt: skip


@pytest.mark.parametrize("disguise", DISGUISES)
@settings(max_examples=60, deadline=None)
@given(GUIDES, RANDOM)
def test_a_true_sentence_verifies_in_any_disguise(disguise: str, text: str, chance: random.Random) -> None:
    guide = Guide("g", text.encode())
    said = _said(guide)
    assume(said)
    sentence = chance.choice(said)
    found = check_quote({"g": guide}, "g", DISGUISES[disguise](sentence, chance))
    assert found.reason is None
    assert fold(sentence) in _seen(found.text)
    for line in found.text.split("\n"):
        assert line.strip() in text


def _seen(text: str) -> str:
    return " ".join(folded for block in read(text).blocks if (folded := folded_block(block)))


def _put(words: list[str], chance: random.Random, word: str) -> list[str]:
    words[chance.randrange(1, len(words) - 2)] = word
    return words


def _insert(words: list[str], chance: random.Random, word: str) -> list[str]:
    words.insert(chance.randrange(1, len(words)), word)
    return words


def _drop(words: list[str], chance: random.Random) -> list[str]:
    del words[chance.randrange(1, len(words) - 1)]
    return words


def _swap(words: list[str], chance: random.Random) -> list[str]:
    number = chance.randrange(len(words) - 1)
    words[number], words[number + 1] = words[number + 1], words[number]
    return words


def _within(words: list[str], chance: random.Random, change: Callable[[str], str]) -> list[str]:
    number = chance.randrange(len(words))
    words[number] = change(words[number])
    return words


CHANGES: dict[str, Change] = {
    "other word": lambda words, chance: _put(words, chance, "seldom"),
    "negation": lambda words, chance: _insert(words, chance, chance.choice(["not", "never", "doesn't"])),
    "number": lambda words, chance: _insert(words, chance, "7"),
    "left out": _drop,
    "swapped": _swap,
    "case": lambda words, chance: _within(words, chance, str.swapcase),
    "prefix": lambda words, chance: _within(words, chance, lambda word: f"non-{word}"),
    "letter": lambda words, chance: _within(words, chance, lambda word: f"{word}q"),
    "cut before": lambda words, chance: [words[0][1:], *words[1:]],
    "cut behind": lambda words, chance: [*words[:-1], words[-1][:-2]],
    "digit": lambda words, chance: [re.sub(r"\d", lambda found: str((int(found[0]) + 1) % 10), word) for word in words],
    "point": lambda words, chance: [word.replace("3.5", "35") for word in words],
    "per cent": lambda words, chance: [word.replace("%", "") for word in words],
    "contraction": lambda words, chance: [word.replace("don't", "do") for word in words],
    "hyphen": lambda words, chance: [word.replace("re-use", "use") for word in words],
}


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(GUIDES, RANDOM)
def test_a_changed_sentence_verifies_in_no_disguise(change: str, text: str, chance: random.Random) -> None:
    guide = Guide("g", text.encode())
    said = _said(guide)
    assume(said)
    words = chance.choice(said).split(" ")
    changed = " ".join(CHANGES[change](list(words), chance))
    assume(changed.split() != words)
    assume(not any(fold(changed) in fold(sentence) for sentence in said) or change.startswith("cut"))
    disguise = chance.choice(["plain", "wrapped", "quoted", "bold", "outer"])
    assert not check_quote({"g": guide}, "g", DISGUISES[disguise](changed, chance)).verified


MARKS = st.sampled_from(
    [
        "# ",
        "## ",
        "- ",
        "1. ",
        "> ",
        "  ",
        "    ",
        "\n",
        "\n\n",
        "\t",
        "\\",
        "`",
        "``",
        "```\n",
        "*",
        "**",
        "_",
        "__",
        "~~",
        "[",
        "](u)",
        "](<u> 't')",
        "][r]",
        "![",
        "[r]: u 't'\n",
        "<!--",
        "-->",
        "<del>",
        "</del>",
        "<div hidden>",
        "</div>",
        "<br>",
        "<template>",
        "</template>",
        "<title>",
        "&amp;",
        "&#39;",
        "&",
        "Never use floats. ",
        "Unless it is so. ",
        "This is not it. ",
        "Do not: ",
        "Do this:\n",
        "use ints for money",
        "a b c d e f ",
        "e.g. ",
        "(",
        ")",
        '"',
        "'",
        "…",
        "—",
        "-",
        "\r",
        "\r\n",
        "\x00",
        "\ufeff",
        "\u200b",
        "́",
        "é",
        "金額は常に整数。",
        "⚠️",
        "===\n",
        "---\n",
        "[!NOTE]",
        "[ ] ",
        "<p>",
        "<summary>Bad</summary>",
        "\u2028",
        "\x0c",
        "\xa0\n",
        "\x1f",
        "가",
        "|",
        "\\|",
        "| a | b |\n|---|---|\n| ",
    ]
)
MESSES = st.lists(MARKS, max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(MESSES, MESSES, RANDOM)
def test_no_mess_raises_and_every_place_is_that_of_its_character(text: str, quote: str, chance: random.Random) -> None:
    guide = Guide("g", text.encode())
    guides = {"g": guide}
    check_quote(guides, "g", quote)
    check_quote(guides, "g", text)
    for block in guide.text.blocks:
        places = guide.text.places(block)
        assert len(places) == len(block.visible)
        assert fold_places(block.visible, places)[0] == fold(block.visible)
        for char, place in zip(block.visible, places, strict=True):
            source = guide.text.source[place]
            assert source == char or char.isspace() or HIDDEN.match(char) or source in "\\&"
    if guide.stream:
        start = chance.randrange(len(guide.stream))
        end = chance.randrange(start, len(guide.stream)) + 1
        for lines in (None, (2, 3)):
            found = check_quote(guides, "g", guide.stream[start:end], lines=lines)
            for line in found.text.split("\n"):
                assert line.strip() in guide.text.source


def check(guide: str, quote: str) -> QuoteCheck:
    return check_quote({"g": Guide("g", guide.encode())}, "g", quote)


@pytest.mark.parametrize(
    ("guide", "quote", "reason"),
    [
        # fragments of words and of numbers
        ("It takes 1.5 GB of memory.", ".5 GB of memory", QuoteReason.PARTIAL_WORD),
        ("It takes at least 1.5 GB.", "It takes at least 1.", QuoteReason.PARTIAL_WORD),
        ("Use the !important flag seldom.", "important flag seldom", QuoteReason.PARTIAL_WORD),
        ("Call app.config.load at start.", "config.load at start", QuoteReason.PARTIAL_WORD),
        ("Never write users' data there.", "Never write users' data", None),
        ("绝不使用浮点数表示金额。", "使用浮点数表示金额", QuoteReason.PARTIAL_WORD),  # the character before it negates
        ("所有金额必须使用整数存储。", "金额必须使用整数存储", None),
        # marks that mean something
        ("Keep at least 3 copies of it.", "Keep at least -3 copies of it.", QuoteReason.NOT_IN_GUIDE),
        ("Keep at least -3 copies of it.", "Keep at least 3 copies of it.", QuoteReason.NOT_IN_GUIDE),
        ("Keep at most <3 copies of it.", "Keep at most 3 copies of it.", QuoteReason.NOT_IN_GUIDE),
        ("Set `*` to five here please.", "Set to five here please.", QuoteReason.NOT_IN_GUIDE),
        ("Set `max_size` to 5 MB here.", "Set max size to 5 MB here.", QuoteReason.NOT_IN_GUIDE),
        ("Do (not) use floats for money.", "Do use floats for money.", QuoteReason.NOT_IN_GUIDE),
        # what nobody sees, and what everybody sees
        ("Use ints. <!-- Use floats for\n money. -->", "Use floats for money.", QuoteReason.NOT_VISIBLE),
        ("<!-- Use floats for money.\n\nIt is open.", "Use floats for money.", QuoteReason.NOT_VISIBLE),
        ("<template>\n\nUse floats for money.\n\n</template>", "Use floats for money.", QuoteReason.NOT_VISIBLE),
        ("<script>\nUse floats for money.\n</script>", "Use floats for money.", QuoteReason.NOT_VISIBLE),
        ('<p style="display: none">Use floats for money.</p>', "Use floats for money.", QuoteReason.NOT_VISIBLE),
        ("<del>\n\nUse floats for money.\n\n</del> Use ints for money.", "Use ints for money.", None),
        ("Use a <title> there.\n\nUse ints for money.", "Use ints for money.", None),
        ("Never ~~ints~~ use floats for it.", "Never ~~ints~~ use floats for it.", None),
        ("Never ~~ints~~ use floats for it.", "Never ints use floats for it.", QuoteReason.NOT_IN_GUIDE),
        ("<p>Use R&amp;D money for it</p>", "Use R&D money for it", None),
        ("<td>never this</td><td>use ints for money</td>", "use ints for money", None),
        ("Use\x01 ints for\u200b money.", "Use ints for money.", None),
        ("\u26a0\ufe0f Never log the keys.", "\u26a0\ufe0f Never log the keys.", None),  # a picture with its colour
        ("Never log the keys.", "Never\ufe0f log the keys.", QuoteReason.HIDDEN_CHARACTERS),
        ("Never log the keys.", "Never log the\u00ad keys.", QuoteReason.HIDDEN_CHARACTERS),
        # brackets and numbers that mark something
        ("> [!TIP]\n> Ask [the team][a] for it.\n\n[a]: u", "[!TIP]\nAsk [the team][a] for it.", None),
        ("- [ ] Data moves in steps here.", "- [ ] Data moves in steps here.", None),
        ("- [ ] Data moves in steps here.", "[ Data ] moves in steps here.", QuoteReason.NOT_IN_GUIDE),
        ("| a |\n|---|\n| 5. Ask the team for it |", "+ 6. Ask the team for it", QuoteReason.NOT_IN_GUIDE),
        ("| a |\n|---|\n| 5. Ask the team for it |", "+ 5. Ask the team for it", None),
        # line ends
        ("# T\rUse ints for money.\r", "Use ints for money.", None),
        ("\u00a0\nUse ints\0 for money.", "Use ints\ufffd for money.", None),
        # over two items and two cells
        ("- use ints here\n- log no keys", "use ints here\nlog no keys", None),
        ("| a | b |\n|---|---|\n| use ints | for money |", "| use ints | for money |", None),
        # joined parts
        ("Use ints for money. Log it. Log no keys ever.", "Use ints for money. ... Log no keys ever.", None),
        ("Use ints for money. Log it. Log no keys ever.", "Log no keys ever. ... Use ints for money.", QuoteReason.NOT_IN_GUIDE),
        ("Use ints for money.\n\n# B\n\nLog no keys ever.", "Use ints for money. \u2026 Log no keys ever.", QuoteReason.PARTS_APART),
        ("Use ints for money.\n" + "\nLog it.\n" * 20 + "\nLog no keys ever.", "Use ints for money [...] Log no keys ever.", QuoteReason.PARTS_APART),
        ("Use ints for money. Log it.", "Use ints for money. ... it", QuoteReason.TOO_SHORT),
    ],
)  # fmt: skip
def test_more_of_what_proves_something_and_what_does_not(guide: str, quote: str, reason: QuoteReason | None) -> None:
    assert check(guide, quote).reason is reason


def test_joined_parts_are_printed_with_what_stands_between_them() -> None:
    found = check("Use ints for money. But not in charts.\nLog no keys ever. Go on.", "Use ints for money. ... Log no keys ever.")
    assert (found.text, found.start_line, found.end_line) == (
        "Use ints for money. But not in charts.\nLog no keys ever.",
        1,
        2,
    )


def test_a_guide_that_holds_a_part_of_it_does_not_stop_the_correction_of_the_path() -> None:
    guides = {"a": Guide("a", b"# Use ints for money\n"), "b": Guide("b", b"Use ints for money always.\n")}
    found = check_quote(guides, "a", "Use ints for money")
    assert (found.path, found.verified) == ("b", True)
