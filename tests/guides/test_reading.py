"""What a reviewer gets to read of a skill, and which files beside it."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.reading import BadReference, read_skill, reference, shown
from kodus_check.model import GuideFile, Skill
from tests.guides.rig import quick, skill

SKILL = Skill("s/a/SKILL.md", files=tuple(GuideFile(name, None) for name in ("FORMS.md", "references/fx.md", "run.sh")))


WAY_OUT = "a path beside the skill is relative, without `..`, backslashes, escapes or a scheme"


def of(text: str) -> Skill:
    return Skill("s/a/SKILL.md", data=text.encode(), tokens=quick(text))


@pytest.mark.parametrize(
    ("text", "lines", "of_lines"),
    [
        ("x\n" * 500, 500, 500),
        ("x\n" * 501, 500, 501),
        ("x" * 19_996 + "\nlast\n", 2, 2),
        ("x" * 19_996 + "\n" + "y" * 80 + "\nlast\n", 1, 3),
        (("y" * 79 + "\n") * 300, 250, 300),
    ],
)
def test_the_cut_is_at_a_line_end_and_visible(text: str, lines: int, of_lines: int) -> None:
    read = read_skill(of(text), count=quick)
    assert (read.lines, read.of_lines) == (lines, of_lines)
    left = of_lines - lines
    cut = (
        f"[cut here: {left} line{'' if left == 1 else 's'} of `s/a/SKILL.md` more, over 500 lines or 5,000 tokens]" if left else ""
    )
    assert read.notice == cut
    assert read.text.split("\n") == [*text.removesuffix("\n").split("\n")[:lines], *([cut] if cut else [])]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (skill("a").encode(), skill("a").removesuffix("\n")),  # with its frontmatter, as it is written
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb"),
        (b"a\n\n", "a\n"),
        ("<|endoftext|> \u202e <!-- c -->".encode(), "<|endoftext|> \u202e <!-- c -->"),
    ],
)
def test_text_is_served_verbatim(data: bytes, text: str) -> None:
    read = read_skill(Skill("s/a/SKILL.md", data=data, tokens=1), count=quick)
    assert (read.text, read.notice) == (text, "")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab \r", max_size=30), max_size=700), st.integers(1, 400))
def test_what_is_read_is_whole_lines_within_both_limits(lines: list[str], times: int) -> None:
    text = "".join(f"{line * (times if index % 90 == 0 else 1)}\n" for index, line in enumerate(lines))
    read = read_skill(of(text), count=quick)
    whole = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    kept = read.text.split("\n")[: read.lines]
    assert kept == whole[: read.lines]
    assert read.of_lines == len(whole)
    assert read.lines <= 500
    assert quick("\n".join(kept)) <= 5_000
    assert read.lines in (500, len(whole)) or quick("\n".join(whole[: read.lines + 1])) > 5_000
    assert bool(read.notice) is (read.lines < len(whole))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("FORMS.md", "FORMS.md"),
        ("./FORMS.md", "FORMS.md"),
        ("./references//fx.md", "references/fx.md"),
        ("references/./fx.md", "references/fx.md"),
    ],
)
def test_references(path: str, name: str) -> None:
    assert reference(SKILL, path) == name


def test_a_file_is_found_by_the_name_it_has() -> None:
    names = ("100%.md", "a\\b.md", "%2e%2e")
    odd = Skill("s/a/SKILL.md", files=tuple(GuideFile(name, None) for name in names))
    assert [reference(odd, name) for name in names] == list(names)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../x.md", WAY_OUT),
        ("..", WAY_OUT),
        ("references/../../x.md", WAY_OUT),
        ("references/../FORMS.md", WAY_OUT),
        ("/etc/passwd", WAY_OUT),
        ("//FORMS.md", WAY_OUT),
        ("\\etc", WAY_OUT),
        ("references\\fx.md", WAY_OUT),
        ("..\\x", WAY_OUT),
        ("https://x.example/a.md", WAY_OUT),
        ("file:///etc/passwd", WAY_OUT),
        ("FORMS.md\0", WAY_OUT),
        ("%2e%2e/x", WAY_OUT),
        ("FORMS%2emd", WAY_OUT),
        ("references/a/b.md", "files of a skill are read down to one folder below it"),
        ("a/b/c/d.md", "files of a skill are read down to one folder below it"),
        ("forms.md", "there is no `forms.md` beside the skill; there is `FORMS.md`"),
        ("References/FX.md", "there is no `References/FX.md` beside the skill; there is `references/fx.md`"),
        ("gone.md", "there is no `gone.md` beside the skill; files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
        ("references", "there is no `references` beside the skill; files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
        ("SKILL.md", "there is no `SKILL.md` beside the skill; files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
        ("", "there is no `` beside the skill; files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
        ("~/x", "there is no `~/x` beside the skill; files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
    ],
)
def test_references_that_are_refused(path: str, said: str) -> None:
    with pytest.raises(BadReference) as bad:
        reference(SKILL, path)
    assert str(bad.value) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "none"), (10, ", ".join(f"`{n}`" for n in range(10))), (12, ", ".join(f"`{n}`" for n in range(10)) + " and 2 more")],
)
def test_the_files_that_are_there_are_named_up_to_ten(count: int, said: str) -> None:
    with pytest.raises(BadReference) as bad:
        reference(Skill("s/a/SKILL.md", files=tuple(GuideFile(str(number), None) for number in range(count))), "gone")
    assert str(bad.value) == f"there is no `gone` beside the skill; files there: {said}"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="./\\%:aFORMS.mdrefncsx\0", max_size=20))
def test_no_reference_is_another_file(path: str) -> None:
    with contextlib.suppress(BadReference):
        assert reference(SKILL, path) in {one.path for one in SKILL.files}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"#!/bin/sh\nrm -rf /\n", "#!/bin/sh\nrm -rf /\n"),
        (b"\xef\xbb\xbfa", "a"),
        (b"a\0b", "[binary, 3 bytes]"),
        (b"\xff\xd8", "[binary, 2 bytes]"),
        (b"", ""),
        ("a".encode("utf-16"), "[binary, 4 bytes]"),
        (b"\0" * 2_000, "[binary, 2,000 bytes]"),
        ("\u91d1\r\n".encode(), "\u91d1\r\n"),
    ],
)
def test_files_are_shown_as_text(data: bytes, text: str) -> None:
    assert shown(data) == text
