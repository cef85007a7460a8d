"""The summary and every comment in one Markdown text, as they would stand on a pull request."""

from collections.abc import Mapping

from kodus_check.model import Mode, Review
from kodus_check.render.markdown import Templates, comment, place_of, summary
from kodus_check.text import code_span, log_safe


def markdown_report(review: Review, overrides: Mapping[str, str]) -> str:
    """The report; safe in a CI log. Findings in shadow mode are counted in the summary only."""
    templates = Templates(overrides)
    comments = [
        f"### {code_span(place_of(finding))}\n\n{comment(finding, review, templates)}"
        for finding in review.findings
        if finding.mode is not Mode.SHADOW
    ]
    return log_safe("\n".join([summary(review, templates), *comments]))
