"""Folding: what may differ, and that both forms of it agree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.evidence.fold import DASH, MARK, fold, fold_places

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from(list(" \n\t-\u2013\u2014'\u2019\u201c`ab\u2026.\u0301\u00e9\u1100\u1161\u200b\x07")), st.characters()
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" a \n\t b ", "a b"),
        ("don\u2019t", f"don{MARK}t"),
        ("\u201ca\u201d 'b' `c`", f"{MARK}a{MARK} {MARK}b{MARK} {MARK}c{MARK}"),
        ("re-use", "re-use"),
        ("re\u2011use", "re-use"),
        ("1\u20132", "1-2"),
        ("a - b", f"a{DASH}b"),
        ("a\u2014b", f"a{DASH}b"),
        ("a -- b", f"a{DASH}b"),
        ("a\u2026", "a..."),
        ("e\u0301", "\u00e9"),
        ("a\u200bb\u00ad", "ab"),
        ("a\u00a0b", "a b"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_both_forms_agree_and_folding_twice_changes_nothing(text: str) -> None:
    folded, places = fold_places(text, range(len(text)))
    assert folded == fold(text)
    assert fold(folded) == folded
    assert len(places) == len(folded)
    assert places == sorted(places)
