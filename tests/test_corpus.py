"""Scenes of `tests/corpus`: what a model may say of a change, good and bad, and what must become of each of its items.

Each scene is a repository, a change and one whole run in which a scripted model reports every item. An item names its fate: it is
published, with the guide's own words that are printed, or it is dropped for one reason. Nothing that a comment or the summary
holds may be alive.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodus_check.agent.reply import ITEM_SCHEMA
from kodus_check.model import Candidate, CitationEvidence, Drop, Finding, MatchEvidence, Review
from kodus_check.render.markdown import Templates, comment, place_of
from kodus_check.reports.markdown import markdown_report
from kodus_check.text import code_span, log_safe, mask_keys, visible
from tests.repo import Content, Repo
from tests.scene import BLOB_URL, CONFIG, MAIN, Script, judge

FOLDER = Path(__file__).parent / "corpus"
SCENES = sorted(FOLDER.glob("*.yml"))
KEY = 3
"""Digits at the start of a title, by which an item is known again."""
PUBLISHED, UNREAD = "published", "unread"
EXPECTED = frozenset(
    {
        "about",
        "agent",
        "line",
        "lines",
        "verdict",
        "fate",
        "prints",
        "at",
        "code_is",
        "shows",
        "never",
        "guide_is",
        "rule_lines",
        "asked",
    }
)
KEYS = frozenset(ITEM_SCHEMA["properties"])
DRAWN = ("suggestion", "mermaid", "math", "geojson", "topojson", "stl", "plantuml", "kroki", "graphviz", "vega")
"""Blocks that platforms draw, or offer as a change."""
OWN_HEADINGS = ("kodus-check", "Notices", "What was judged by what")


class Item:
    """One item of a scene: what the model says in ``given``, and what must come of it in ``wanted``."""

    def __init__(self, number: int, written: Mapping[str, Any], scene: Mapping[str, Any], slot: int) -> None:
        unknown = set(written) - KEYS - EXPECTED
        assert not unknown, f"item {number}: {unknown}"
        self.key = f"{number:0{KEY}}"
        self.wanted = {**scene.get("expect", {}), **written}
        self.name = f"{self.key} {self.wanted.get('about') or self.wanted.get('quote')}"
        self.agent = str(self.wanted.get("agent", MAIN))
        self.fate = str(self.wanted.get("fate", PUBLISHED))
        first, last = self.wanted.get("lines") or [self.wanted.get("line", 1)] * 2
        defaults: dict[str, Any] = {**dict.fromkeys(KEYS), "evidence": "citation", "side": "right", "severity": "medium"}
        defaults |= {"start_line": first, "end_line": last, "title": "It breaks the rule", "body": "It must be another way."}
        if slot:
            slots = scene["slots"]
            defaults |= {"path": slots["path"], "start_line": slot, "end_line": slot, "code": slots["line"].format(n=slot)}
            self.wanted.setdefault("at", f"{slots['path']} right {slot}")
        given = {key: value for key, value in {**scene.get("defaults", {}), **written}.items() if key in KEYS}
        self.given = {**defaults, **given}
        self.title = f"{self.key} {self.given['title']}"
        self.given["title"] = self.title


class Scene:
    """A scene as it is written."""

    def __init__(self, file: Path) -> None:
        self.written: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        slots = self.written.get("slots")
        used = 0
        self.items: list[Item] = []
        for number, written in enumerate(self.written["items"], 1):
            takes_slot = slots is not None and not {"path", "code", "evidence"} & set(written)
            used += takes_slot
            self.items.append(Item(number, written, self.written, used if takes_slot else 0))
        self.base: dict[str, Content] = {".kodus-check.yml": self.written.get("config", CONFIG), **self.written["base"]}
        self.head: dict[str, Content] = dict(self.written.get("head", {}))
        if slots is not None:
            self.head[slots["path"]] = "".join(slots["line"].format(n=number) + "\n" for number in range(1, used + 1))

    def build(self, repo: Repo) -> None:
        repo.commit({name: content for name, content in self.base.items() if content is not None})
        repo.branch("feature")
        for old, new in self.written.get("moves", {}).items():
            (repo.path / new).parent.mkdir(parents=True, exist_ok=True)
            repo.git("mv", old, new)
        repo.commit(self.head)

    def script(self) -> Script:
        agents = dict.fromkeys([MAIN, *(item.agent for item in self.items)])
        verdicts = {item.key: item.wanted.get("verdict", "confirmed") for item in self.items}
        asked = {item.key: str(item.wanted.get("asked", "")) for item in self.items}
        return Script(
            {agent: [item.given for item in self.items if item.agent == agent] for agent in agents},
            {agent: [_load(one) for one in loads] for agent, loads in self.written.get("loads", {}).items()},
            lambda title: None if verdicts[title[:KEY]] == "missing" else str(verdicts[title[:KEY]]),
            lambda item, prompt: asked[item["title"][:KEY]] in prompt,
        )


def _load(one: str) -> tuple[str, dict[str, str]]:
    """``NAME`` loads a skill, ``NAME/FILE`` a file beside it, which must be loaded already."""
    name, slash, file = one.partition("/")
    return ("read_skill_file", {"skill": name, "path": file}) if slash else ("skill", {"name": name})


@pytest.mark.parametrize("file", SCENES, ids=lambda file: file.stem)
def test_each_item_has_its_fate(file: Path, repo: Repo) -> None:
    scene = Scene(file)
    scene.build(repo)
    checked = judge(repo, scene.script())
    found = _by_key(checked.review)
    assert set(found) == {item.key for item in scene.items if item.fate != UNREAD}
    wrong = {}
    for item in scene.items:
        got = found.get(item.key)
        problems = list(_problems(item, got, checked.review, repo))
        if problems:
            detail = f" ({got.detail})" if isinstance(got, Drop) else ""
            wrong[item.name] = [*problems, detail]
    assert not wrong, "\n" + yaml.safe_dump(wrong, allow_unicode=True, width=200)
    report = markdown_report(checked.review, checked.templates)
    headings = {*OWN_HEADINGS, *(code_span(place_of(one)) for one in checked.review.findings)}
    assert list(_alive(report, f"{BLOB_URL}{repo.rev('main')}/", headings)) == []
    for key in scene.written.get("never", ()):
        assert key not in report
    kinds = {str(notice.kind) for notice in checked.review.notices}
    assert set(scene.written.get("notices", ())) <= kinds
    assert str(checked.review.outcome) == scene.written.get("outcome", "findings")


def _by_key(review: Review) -> dict[str, Finding | Drop]:
    """What became of each item of the model, which has its number in its title; none may be there twice."""
    listed: list[tuple[str, Finding | Drop]] = [
        (one.title[:KEY], one) for one in review.findings if isinstance(one.evidence, CitationEvidence)
    ]
    listed += [(one.candidate.title[:KEY], one) for one in review.drops if isinstance(one.candidate, Candidate)]
    assert all(isinstance(one.evidence, MatchEvidence | CitationEvidence) for one in review.findings)
    assert [key for key, times in Counter(key for key, _ in listed).items() if times > 1] == []
    return dict(listed)


def _problems(item: Item, got: Finding | Drop | None, review: Review, repo: Repo) -> Iterator[str]:
    """What is not as it must be."""
    if got is None:
        if item.fate != UNREAD:
            yield f"wanted {item.fate}, got nothing"
        return
    fate = str(got.reason) if isinstance(got, Drop) else PUBLISHED
    if fate != item.fate:
        yield f"wanted {item.fate}, got {fate}: {got.evidence if isinstance(got, Finding) else ''}"
        return
    if isinstance(got, Drop):
        assert got.detail
        return
    evidence = got.evidence
    assert isinstance(evidence, CitationEvidence)
    yield from _wrong_fields(item, got, evidence)
    if evidence.in_repository:
        guide = _at_base(repo, evidence.path)
        lost = [line for line in evidence.text.split("\n") if line.strip() not in guide]
        if lost:
            yield f"printed, but not in the guide: {lost}"
    body = log_safe(comment(got, review, Templates()))
    if body not in markdown_report(review, {}):
        yield "the report does not hold its comment"
    yield from (f"alive: {one}" for one in _alive(body, f"{BLOB_URL}{repo.rev('main')}/", set()))
    shown, meant = _shown_rule(body), _plain(evidence.text)
    if shown != meant:
        yield f"shown: {shown!r}, the guide: {meant!r}"
    yield from (f"not in the comment: {text!r}" for text in item.wanted.get("shows", ()) if text not in body)
    yield from (f"in the comment: {text!r}" for text in item.wanted.get("never", ()) if text in body)
    quote = str(item.given["quote"])
    if quote in body and quote not in evidence.text and quote not in f"{item.given['body']}\n{item.title}":
        yield "the model's quote stands in the comment, and is not the guide's"


def _wrong_fields(item: Item, got: Finding, evidence: CitationEvidence) -> Iterator[str]:
    if "prints" not in item.wanted:
        yield f"say what is printed: {evidence.text!r}"
    lines = f"{got.start_line}" if got.start_line == got.end_line else f"{got.start_line}-{got.end_line}"
    for key, is_ in {
        "prints": evidence.text,
        "at": f"{got.path} {got.side} {lines}",
        "guide_is": evidence.path,
        "rule_lines": f"{evidence.start_line}-{evidence.end_line}",
        "code_is": got.code,
    }.items():
        wanted = item.wanted.get(key)
        if wanted is not None and str(wanted).strip("\n") != is_:
            yield f"{key}: wanted {wanted!r}, got {is_!r}"


def _at_base(repo: Repo, path: str) -> str:
    return repo.git("show", f"main:{path}").decode("utf-8", "replace").replace("\r\n", "\n")


_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_TRIGGERS = re.compile(
    r"(?:^|[^\w/])@\w|(?:^|[^\w&])(?:#|GH-)\d|://|\bwww\.\w|mailto:|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#\d"
    r"|<!-- ?kodus-check|(?:^|\s)[!~%$&]\d",
    re.IGNORECASE,
)


def _alive(markdown: str, inside: str, headings: set[str]) -> Iterator[str]:
    """What of a text would do something where it is posted. Links may lead to ``inside`` only."""
    if "<!-- kodus-check" in markdown:
        yield "our marker"
    tokens = _MARKDOWN.parse(markdown)
    for index, token in enumerate(tokens):
        if token.type in ("html_block", "table_open", "code_block"):
            yield f"{token.type}: {token.content!r}"
        if token.type == "fence" and token.info.strip().lower().startswith(DRAWN):
            yield f"drawn: {token.info!r}"
        if token.type == "heading_open" and tokens[index + 1].content not in headings:
            yield f"heading: {tokens[index + 1].content!r}"
        if token.type != "inline":
            continue
        text = ""
        for child in token.children or ():
            if child.type in ("html_inline", "image", "em_open", "s_open"):
                yield f"{child.type}: {token.content!r}"
            if child.type == "link_open" and not str(child.attrs["href"]).startswith(inside):
                yield f"link: {child.attrs['href']!r}"
            text += child.content if child.type in ("text", "text_special") else "\0" if child.type == "code_inline" else "\n"
        if found := _TRIGGERS.search(text):
            yield f"{found[0]!r} in {text!r}"


def _shown_rule(body: str) -> str:
    """What people see in the block quote under "Rule", without white space, list marks and what marks code."""
    tokens = _MARKDOWN.parse(body)
    start = next(index for index, token in enumerate(tokens) if token.type == "inline" and token.content.startswith("**Rule**"))
    assert tokens[start].level == 1, "it stands inside of something"
    opened = next(index for index in range(start, len(tokens)) if tokens[index].type == "blockquote_open")
    closed = next(index for index in range(len(tokens) - 1, opened, -1) if tokens[index].type == "blockquote_close")
    return _plain("\n".join(_text_of(token) for token in tokens[opened:closed]))


def _text_of(token: Token) -> str:
    if token.type != "inline":
        return token.content if token.type == "fence" else ""
    return "".join("\n" if child.type == "softbreak" else child.content for child in token.children or ())


def _plain(text: str) -> str:
    text = visible(mask_keys(text)).replace("\\u{200b}", "")
    text = re.sub(r"(?m)^\s*(?:[-*+]|\d+[.)])\s+|^\s*(?:`{3,}|~{3,}).*$", "", text)
    return re.sub(r"[\s`]", "", text)


def test_the_corpus_is_as_large_as_it_must_be() -> None:
    items = [item for file in SCENES for item in Scene(file).items]
    assert len(SCENES) >= 10
    assert len(items) >= 200
    assert sum(item.fate == PUBLISHED for item in items) >= 80


def test_what_is_alive_is_seen() -> None:
    """The net itself: each of these must be caught, and what is escaped must not."""
    for text in (
        "@octocat", "a #1", "GH-2", "[a](https://evil.example)", "<b>x</b>", "![x](y)", "# head", "<!-- x -->", "https://a.example",
        "www.evil.example", "a *b* c", "x\n\n<div>\n", "<https://a.example>", "| a |\n|---|\n| b |", "    code", "a ~~b~~",
        "see <!-- kodus-check", "```mermaid\nx\n```", "title\n===",
    ):  # fmt: skip
        assert list(_alive(text, BLOB_URL, set())), text
    for text in ("`@octocat #1`", "@&#8203;octocat", "a \\<b\\>", f"[lines]({BLOB_URL}x)", "\\# no head"):
        assert list(_alive(text, BLOB_URL, set())) == [], text
