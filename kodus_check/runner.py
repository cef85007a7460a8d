"""What a GitHub runner is told beside the result on stdout: annotations, the step summary, the outputs of the step."""

from collections.abc import Mapping
from pathlib import Path

from kodus_check.app import Checked
from kodus_check.render.markdown import Templates, summary
from kodus_check.reports.annotations import annotations, append_outputs, append_summary


def tell_runner(checked: Checked, environ: Mapping[str, str]) -> str:
    """Appends to the files that the runner names in its environment, and returns the annotations, to be printed."""
    if path := environ.get("GITHUB_STEP_SUMMARY"):
        append_summary(Path(path), summary(checked.review, Templates(checked.templates)))
    if path := environ.get("GITHUB_OUTPUT"):
        append_outputs(Path(path), checked.review)
    return annotations(checked.review)
