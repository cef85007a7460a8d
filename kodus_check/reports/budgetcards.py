"""What each reviewer may follow and what of it fits, as the pages draw it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kodus_check.text import counted


@dataclass(frozen=True, slots=True)
class Bar:
    """``used`` of ``limit``, and what is ``linked``. The widths are percent of the track, which ends at the larger of the two."""

    label: str
    used: int
    linked: int
    limit: int

    @property
    def over(self) -> bool:
        return self.linked > self.limit

    @property
    def used_width(self) -> float:
        return self._width(self.used)

    @property
    def rest_width(self) -> float:
        return self._width(self.linked - self.used)

    @property
    def limit_at(self) -> float:
        return self._width(self.limit)

    def _width(self, amount: int) -> float:
        return round(100 * max(0, amount) / max(self.linked, self.limit, 1), 2)


@dataclass(frozen=True, slots=True)
class Cut:
    """A linked doc that a reviewer does not get whole, and what is left of it."""

    path: str
    fate: str
    detail: str


@dataclass(frozen=True, slots=True)
class Card:
    """The budget of one reviewer."""

    reviewer: str
    folder: str
    bars: tuple[Bar, ...]
    cuts: tuple[Cut, ...]


def budget_cards(document: Mapping[str, Any]) -> list[Card]:
    """The cards of the document of ``guides``, one a budget."""
    reasons = {doc["path"]: doc["reason"] for doc in document["docs"]}
    return [
        Card(
            budget["reviewer"],
            budget["folder"],
            (
                Bar(
                    "Skills",
                    min(budget["skills"]["linked"], budget["skills"]["limit"]),
                    budget["skills"]["linked"],
                    budget["skills"]["limit"],
                ),
                Bar("Docs", min(len(budget["docs"]), budget["docs_limit"]), len(budget["docs"]), budget["docs_limit"]),
                Bar("Doc tokens", budget["tokens"], budget["tokens_linked"], budget["tokens_limit"]),
            ),
            tuple(cut for doc in budget["docs"] if (cut := _cut(doc, reasons.get(doc["path"])))),
        )
        for budget in document["budgets"]
    ]


def _cut(doc: Mapping[str, Any], reason: str | None) -> Cut | None:
    if reason:
        return Cut(doc["path"], "Not valid", reason)
    if doc["lines"] == doc["of_lines"]:
        return None
    whole = "tokens not counted" if doc["of_tokens"] is None else counted(doc["of_tokens"], "token")
    if doc["lines"] == 0:
        return Cut(doc["path"], "Left out", f"{whole}, {counted(doc['of_lines'], 'line')}")
    return Cut(doc["path"], "Trimmed", f"to {doc['tokens']:,} of {whole}, {doc['lines']:,} of {counted(doc['of_lines'], 'line')}")
