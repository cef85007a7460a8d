"""From candidates to docs: what can be read, and how much of it there is."""

from collections.abc import Iterable
from dataclasses import replace

from kodus_check.git.objects import Blob
from kodus_check.git.trees import LFS_POINTER, MAX_GUIDE, Tree
from kodus_check.guides import tokens
from kodus_check.guides.find import DocCandidate
from kodus_check.guides.frontmatter import Broken, decoded
from kodus_check.guides.skills import UNSEEN, Count
from kodus_check.model import Doc, Notice, NoticeKind


def read_docs(tree: Tree, candidates: Iterable[DocCandidate], *, count: Count = tokens.count) -> tuple[list[Doc], list[Notice]]:
    """The docs of all candidates, in their order, each with its fate; ``count`` counts tokens."""
    listed = list(candidates)
    plain = [one.entry for one in listed if not one.entry.why_not_read]
    blobs = {entry.oid: blob for entry, blob in zip(plain, tree.blobs(plain), strict=True)}
    docs = [_read(one, None if one.entry.why_not_read else blobs[one.entry.oid], count) for one in listed]
    notices = [
        Notice(
            NoticeKind.GUIDE_HIDDEN_TEXT,
            "It holds characters that nobody sees (control, zero-width or bidi). They cannot be cited; look at what they hide.",
            doc.path,
        )
        for doc in docs
        if doc.valid and UNSEEN.search(doc.data.decode())
    ]
    return docs, notices


def _read(one: DocCandidate, blob: Blob | None, count: Count) -> Doc:
    doc = Doc(str(one.entry.path), scope=one.scope, rules_file=one.rules_file)
    if blob is None:
        return replace(doc, reason=f"a {one.entry.why_not_read}, and those are not followed; link the file itself")
    doc = replace(doc, oid=blob.oid)
    if blob.data is None:
        return replace(doc, reason=f"{blob.size:,} bytes; a guide may have {MAX_GUIDE:,}")
    if blob.data.startswith(LFS_POINTER):
        return replace(doc, reason="a Git LFS pointer, and what it points to is not in the repository")
    try:
        text = decoded(blob.data)
    except Broken as broken:
        return replace(doc, reason=f"line {broken.line}: {broken.reason}")
    if "\0" in text:
        return replace(doc, reason="not text: it holds NUL")
    if not text.strip():
        return replace(doc, reason="empty")
    return replace(doc, data=blob.data, lines=text.count("\n") + (not text.endswith("\n")), tokens=count(text))
