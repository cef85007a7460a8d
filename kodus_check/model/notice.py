"""What people must know of a run."""

from dataclasses import dataclass

from kodus_check.model.words import NoticeKind


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that people must know about a run: what happened, what it means, what to do. ``subject`` is its path or name."""

    kind: NoticeKind
    message: str
    subject: str = ""
