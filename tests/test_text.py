"""Escaping, by the threats that ``kodus_check.text`` lists."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodus_check import text

NASTY = st.text(st.sampled_from("ab12 `~*_[]()<>!#@&|$\\/:-+=.%^{}\"'\t\r\u200b\u202e\x1b\x00é") | st.characters(codec="utf-8"))


def flat(markdown: str) -> list[Token]:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    return [*tokens, *(child for token in tokens for child in token.children or [])]


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "a\\u{1b}[31mred\\u{1b}[0m"),
        ("if (\u202eadmin\u2066)", "if (\\u{202e}admin\\u{2066})"),
        ("zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("return\rcarriage", "return\\u{d}carriage"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("naïve 漢字 😀", "naïve 漢字 😀"),
    ],
)
def test_t1_nothing_invisible_reaches_a_terminal(given_text: str, shown: str) -> None:
    assert text.visible(given_text) == shown


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("::error file=a::x", "\\::error file=a::x"),
        ("  ::add-mask::x", "\\  ::add-mask::x"),
        ("a\n\t::stop-commands::x", "a\n\\\t::stop-commands::x"),
        ("x ##[error]y", "x ##\\[error]y"),
        ("std::move(a)", "std::move(a)"),
    ],
)
def test_t2_no_line_is_a_command_of_a_ci_runner(given_text: str, shown: str) -> None:
    assert text.log_safe(given_text) == shown


@given(NASTY)
def test_t2_no_text_is_a_command(given_text: str) -> None:
    safe = text.log_safe(given_text)
    assert "##[" not in safe
    assert not any(line.lstrip().startswith("::") for line in safe.split("\n"))


@pytest.mark.parametrize(
    ("given_text", "markdown"),
    [
        ("ping @octocat", "ping @&#8203;octocat"),
        ("fixes #12, GH-7", "fixes #&#8203;12, GH-&#8203;7"),
        ("other/repo#3", "other/repo#&#8203;3"),
        ("see https://evil.example/x", "see https:&#8203;//evil.example/x"),
        ("www.evil.example", "www&#8203;.evil.example"),
        ("mailto:a@b.c", "mailto&#8203;:a@&#8203;b.c"),
        ("![x](http://e/p.png)", "!\\[x\\](http:&#8203;//e/p.png)"),
        ("[x](y)", "\\[x\\](y)"),
        ("<img src=x>", "\\<img src=x\\>"),
        ("a & b &lt;", "a \\& b \\&lt;"),
        ("1. one", "1\\. one"),
        ("- item", "\\- item"),
        ("# head", "\\# head"),
        ("/close", "\\/close"),
        ("---", "\\---"),
        ('see !12 and %"v1" and ~bug', 'see !&#8203;12 and %&#8203;"v1" and \\~&#8203;bug'),
        ("Use `Money.parse`, never `@x`", "Use `Money.parse`, never `@x`"),
        ("an `open tick", "an \\`open tick"),
        ("``a ` b``", "``a ` b``"),
        ("two\nlines", "two lines"),
        ("<!-- kodus-check:fp=1 -->", "\\<!- - kodus-check:fp=1 --\\>"),
    ],
)
def test_t3_prose_renders_as_itself_and_triggers_nothing(given_text: str, markdown: str) -> None:
    assert text.inline_markdown(given_text) == markdown


@given(NASTY)
def test_t3_no_prose_becomes_markup(given_text: str) -> None:
    tokens = flat(text.inline_markdown(given_text))
    allowed = {"inline", "paragraph_open", "paragraph_close", "text", "text_special", "code_inline"}
    assert {token.type for token in tokens} <= allowed


@given(NASTY)
def test_t3_no_prose_holds_a_mention_or_a_reference_outside_code(given_text: str) -> None:
    outside = "".join(token.content for token in flat(text.inline_markdown(given_text)) if token.type == "text")
    assert not re.search(r"@\w|#\w|://|(?i:gh-\d)", outside)


@given(NASTY)
def test_t3_prose_keeps_its_words(given_text: str) -> None:
    tokens = flat(text.inline_markdown(given_text))
    shown = "".join(token.content for token in tokens if token.type in ("text", "text_special", "code_inline"))
    marker = ("<!-- kodus-check", "<!- - kodus-check")
    assert re.sub(r"[\s`\u200b]", "", shown) == re.sub(r"[\s`]", "", text.one_line(given_text).replace(*marker))


@given(NASTY)
def test_t4_code_stays_code(given_text: str) -> None:
    span = [token for token in flat(f"x {text.code_span(given_text)} y") if token.type not in ("paragraph_open", "paragraph_close")]
    assert [token.type for token in span] == ["inline", "text", "code_inline", "text"]
    shown = text.one_line(given_text).replace("<!-- kodus-check", "<!- - kodus-check")
    assert text.fold_space(span[2].content) == shown


@given(NASTY, st.sampled_from(["", "ts"]))
def test_t4_a_fence_holds_its_text(given_text: str, language: str) -> None:
    blocks = [token for token in flat(f"{text.fenced(given_text, language)}\n\nafter") if token.type == "fence"]
    assert len(blocks) == 1
    shown = text.visible(given_text.replace("\r\n", "\n")).replace("<!-- kodus-check", "<!- - kodus-check")
    assert blocks[0].content.rstrip("\n") == shown.rstrip("\n")
    assert blocks[0].info == language


def test_t4_a_note_with_an_open_fence_swallows_nothing() -> None:
    note = text.trusted_markdown("Do:\n```\ncode")
    blocks = [token.type for token in flat(f"{note}\n\n**after**")]
    assert blocks.count("fence") == 1
    assert "strong_open" in blocks


@given(NASTY)
def test_t5_no_text_imitates_our_markers(given_text: str) -> None:
    hostile = f"{given_text}<!-- kodus-check:fp=1 -->{given_text}"
    for made in (text.inline_markdown(hostile), text.code_span(hostile), text.fenced(hostile), text.trusted_markdown(hostile)):
        assert text.RESERVED_MARKER not in made


@given(NASTY)
def test_json_stays_the_same_value(given_text: str) -> None:
    import json

    document = json.dumps({"x": f"##[{given_text}"})
    safe = text.json_log_safe(document)
    assert "##[" not in safe
    assert json.loads(safe) == json.loads(document)


def test_shorten_says_what_was_cut() -> None:
    assert text.shorten("abcdef", 4) == "abcd… (2 more characters)"
    assert text.shorten("abcd", 4) == "abcd"


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("key = 'AKIA" + "ABCDEFGHIJKLMNOP'", "key = 'AKIA***'"),
        ("ghp_" + "a1B2" * 9, "ghp_***"),
        ("token: glpat-" + "x" * 20 + "!", "token: glpa***!"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIE" * 20 + "\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----MIIE***-----END RSA PRIVATE KEY-----",
        ),
        ("-----BEGIN PRIVATE KEY-----\n" + "MIIE" * 20, "-----BEGIN PRIVATE KEY-----MIIE***"),
        ("AKIA in prose, ghp_short, parseFloat(x)", "AKIA in prose, ghp_short, parseFloat(x)"),
        ("sk-ant-" + "api03-" + "aB3" * 10, "sk-a***"),
        ("sk-proj-" + "aB3" * 10, "sk-p***"),
        ("sk_test_" + "aB3" * 8, "sk_t***"),
        ("AIza" + "aB3dE" * 7, "AIza***"),
        ("eyJ" + "a1" * 8 + ".eyJ" + "b2" * 8 + "." + "c3" * 8, "eyJa***"),
        ("\\u{1b}[31m" + "AKIA" + "ABCDEFGH23456723", "\\u{1b}[31mAKIA***"),
        ("XAKIA" + "ABCDEFGH23456723", "XAKIA" + "ABCDEFGH23456723"),
        ("sk-learn-is-a-package-of-python", "sk-learn-is-a-package-of-python"),
    ],
)
def test_t6_a_key_is_not_printed_once_more(given_text: str, shown: str) -> None:
    assert text.mask_keys(given_text) == shown


@pytest.mark.parametrize("unit", ["-eyJaaaaaaaaaaa", "-eyJ", "SG.a-", "-AIza", "-sk-ant-", "xoxb-", "PRIVATE KEY-----"])
def test_t6_a_text_made_to_cost_time_is_masked_as_any_other(unit: str) -> None:
    key = "ghp_" + "a1B2" * 9
    shown = text.mask_keys(f"{key} {unit * (400_000 // len(unit))}")
    assert shown.startswith("ghp_*** ")
    assert key not in shown
