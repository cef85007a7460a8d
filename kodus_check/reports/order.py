"""The order in which a limit cuts: the worst first, then by place, so that every run cuts the same."""

from collections.abc import Iterable

from kodus_check.model import Finding


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """By severity, then path, line and rule."""
    return sorted(findings, key=lambda one: (one.severity.rank, one.path, one.start_line, one.evidence.name, one.fingerprint))
