"""Encodings in which code is not what ast-grep reads: such a file is not scanned, which is said, and never clean."""

import pytest

from kodus_check.model import CoverageReason
from kodus_check.rules.scan import ScratchTree, has_foreign_encoding
from tests.repo import path

SOURCE = "parseFloat(a)\n"


@pytest.mark.parametrize(
    ("name", "data", "foreign"),
    [
        ("a.ts", SOURCE.encode(), False),
        ("a.ts", SOURCE.encode("utf-8-sig"), False),
        ("a.ts", SOURCE.encode("utf-16"), True),
        ("a.ts", b"\xfe\xff" + SOURCE.encode("utf-16-be"), True),
        ("a.ts", SOURCE.encode("utf-32"), True),
        ("a.ts", b"// \xff\n" + SOURCE.encode(), False),
        ("a.ts", b"# coding: utf-7\n", False),
        ("a.py", b"# coding: utf-7\n+AHAAcgBpAG4AdA-(1)\n", True),
        ("a.py", b"#!/usr/bin/python\n# -*- coding: rot13 -*-\ncevag(1)\n", True),
        ("a.py", b"# vim: set fileencoding=unicode_escape :\n", True),
        ("a.py", b"x = 1\n\n# coding: utf-7\n", False),
        ("a.py", b"# -*- coding: utf-8 -*-\n", False),
        ("a.py", b"# coding=UTF_8\n", False),
        ("a.py", b"# coding: latin-1\n# \xe9\n", False),
        ("a.py", b"x = 'coding: utf-7'\n", False),
    ],
)
def test_what_is_foreign(name: str, data: bytes, foreign: bool) -> None:
    assert has_foreign_encoding(path(name), data) is foreign
    with ScratchTree() as tree:
        tree.add(path(name), data)
        assert tree.refused == ({path(name): CoverageReason.FOREIGN_ENCODING} if foreign else {})
