"""What a reviewer gets to read of a skill, and which files beside it."""

import pytest

from kodus_check.guides.reading import BadReference, read_skill, reference, shown
from kodus_check.model import GuideFile, Skill
from tests.guides.rig import quick

SKILL = Skill("s/a/SKILL.md", files=tuple(GuideFile(name, None) for name in ("FORMS.md", "references/fx.md", "run.sh")))


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
    whole = text.removesuffix("\n").split("\n")
    assert read.text.split("\n")[:lines] == whole[:lines]
    assert (f"[cut here: {of_lines - lines} line" in read.text) is (lines < of_lines)


@pytest.mark.parametrize(
    ("path", "name"),
    [("FORMS.md", "FORMS.md"), ("./references//fx.md", "references/fx.md"), ("references\\fx.md", "references/fx.md")],
)
def test_references(path: str, name: str) -> None:
    assert reference(SKILL, path) == name


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../x.md", "without `..`"),
        ("references/../../x.md", "without `..`"),
        ("/etc/passwd", "relative"),
        ("\\etc", "relative"),
        ("https://x.example/a.md", "scheme"),
        ("a\0b", "escapes"),
        ("%2e%2e/x", "escapes"),
        ("a/b/c.md", "one folder"),
        ("forms.md", "there is `FORMS.md`"),
        ("gone.md", "files there: `FORMS.md`, `references/fx.md`, `run.sh`"),
        ("", "there is no"),
    ],
)
def test_references_that_are_refused(path: str, said: str) -> None:
    with pytest.raises(BadReference) as bad:
        reference(SKILL, path)
    assert said in str(bad.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"#!/bin/sh\nrm -rf /\n", "#!/bin/sh\nrm -rf /\n"),
        (b"\xef\xbb\xbfa", "a"),
        (b"a\0b", "[binary, 3 bytes]"),
        (b"\xff\xd8", "[binary, 2 bytes]"),
    ],
)
def test_files_are_shown_as_text(data: bytes, text: str) -> None:
    assert shown(data) == text
