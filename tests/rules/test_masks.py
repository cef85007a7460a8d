"""Properties of the two changes that are made to a file before it is scanned: bytes keep their places."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kodus_check.rules.scan import mask_invalid_utf8
from kodus_check.rules.suppress import MARK, MASKED, mask, unmask_text, with_honoured

PARTS = st.one_of(
    st.binary(max_size=8),
    st.text(max_size=8).map(str.encode),
    st.sampled_from(
        [MARK, MASKED, b"\n", b"\xff", b"\xc3", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b": ok", b"-"]
    ),
)
DATA = st.lists(PARTS, max_size=12).map(b"".join)


@settings(deadline=None)
@given(DATA)
@example(b"")
@example("aé€😀".encode())
@example("é".encode("latin-1"))
@example("é".encode("utf-16"))
def test_invalid_bytes_are_masked_in_place(data: bytes) -> None:
    masked = mask_invalid_utf8(data)
    assert len(masked) == len(data)
    masked.decode("utf-8")  # raises where ast-grep would skip the file
    valid = data.decode("utf-8", "surrogateescape")
    kept = b"".join(b"_" if "\udc80" <= char <= "\udcff" else char.encode() for char in valid)
    assert masked == kept
    assert mask_invalid_utf8(masked) == masked
    if masked == data:
        data.decode("utf-8")


@settings(deadline=None)
@given(st.text())
def test_valid_text_is_left_alone(text: str) -> None:
    assert mask_invalid_utf8(text.encode()) == text.encode()


@settings(deadline=None)
@given(DATA)
@example(MARK * 3)
@example(b"ast-grep-" + MARK)
def test_suppressions_are_masked_in_place(data: bytes) -> None:
    masked = mask(data)
    assert len(masked) == len(data)
    assert MARK not in masked
    changed = [place for place, (one, other) in enumerate(zip(data, masked, strict=True)) if one != other]
    dash = MARK.rindex(b"-")
    assert [data[place - dash : place - dash + len(MARK)] for place in changed] == [MARK] * data.count(MARK)
    assert mask(masked) == masked


@settings(deadline=None)
@given(DATA, st.lists(st.integers(1, 6), max_size=3))
def test_giving_meaning_back_moves_nothing(data: bytes, lines: list[int]) -> None:
    masked = mask(data)
    here = tuple(line for line in lines if line <= masked.count(b"\n") + 1)
    back = with_honoured(masked, here)
    assert len(back) == len(data)
    for number, (before, after) in enumerate(zip(masked.split(b"\n"), back.split(b"\n"), strict=True), start=1):
        assert after == before if number not in here else after.replace(MARK, MASKED) == before


@settings(deadline=None)
@given(DATA)
def test_both_together(data: bytes) -> None:
    """As the copy is made: what is left is valid, of the same length, without a suppression."""
    scanned = mask(mask_invalid_utf8(data))
    assert len(scanned) == len(data)
    assert MARK not in scanned
    assert MARK.decode() not in scanned.decode("utf-8")


@settings(deadline=None)
@given(st.text())
def test_text_that_was_never_masked_comes_back(text: str) -> None:
    if MASKED.decode() not in text:
        assert unmask_text(mask(text.encode()).decode()) == text
