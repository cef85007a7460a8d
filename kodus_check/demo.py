"""A small repository with a change in it, judged for real: what ``kodus-check demo`` shows.

The change breaks a rule of the base, tries to talk its way out with a suppression comment, and edits the rule that judges it.
"""

import subprocess
import tempfile
from pathlib import Path

from kodus_check.app import Place, check
from kodus_check.errors import CannotReview
from kodus_check.git.process import environment, no_git, said
from kodus_check.reports.markdown import markdown_report

_RULE = """\
id: no-float-money
language: typescript
severity: error
message: Parse amounts with `Money.parse`, never `parseFloat`
note: Amounts are integers of the smallest unit. A float loses cents without an error.
rule:
  pattern: parseFloat($A)
"""

_BASE = {
    "sgconfig.yml": "ruleDirs: [rules]\n",
    "rules/money.yml": _RULE,
    ".kodus-check.yml": "version: 1\nfail_on: high\n",
    "src/invoice.ts": "export function total(lines: string[]): number {\n  return lines.length;\n}\n",
    "src/old.ts": "export const rate = parseFloat(process.env.RATE ?? '1');\n",
}

_HEAD = {
    "rules/money.yml": _RULE.replace("parseFloat($A)", "neverMatches($A)"),
    "src/invoice.ts": (
        "export function total(lines: string[]): number {\n"
        "  // ast-grep-ignore\n"
        "  return lines.map((line) => parseFloat(line)).reduce((a, b) => a + b, 0);\n"
        "}\n"
    ),
}


def run_demo() -> str:
    """Builds the repository, runs the check on it, and returns the comments with a word on what was done."""
    with tempfile.TemporaryDirectory(prefix="kodus-check-demo-") as folder:
        repository = Path(folder)
        _git(repository, "init", "--quiet", "--initial-branch=main", "--template=")
        _commit(repository, _BASE, "base")
        _git(repository, "checkout", "--quiet", "-b", "feature")
        _commit(repository, _HEAD, "change")
        checked = check(Place(repository, "main", "feature"), lambda what: None)
        report = markdown_report(checked.review, checked.templates)
    return (
        "A repository was made in a temporary folder: `main` holds a rule against parseFloat, `feature` breaks it, adds a\n"
        "suppression comment above the line, and edits the rule so that it never matches. This is what the check says:\n\n"
        f"{report}\n(exit code {checked.exit_code}; no model was asked, the rules alone have judged)\n"
    )


def _commit(repository: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "--no-gpg-sign", "--message", message)


def _git(repository: Path, *arguments: str) -> None:
    stamp = "2026-01-01T00:00:00Z"
    who = {"NAME": "Demo", "EMAIL": "demo@example.org", "DATE": stamp}
    env = environment(**{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()})
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], env=env, capture_output=True, check=False)
    except FileNotFoundError:
        raise no_git() from None
    if done.returncode != 0:
        raise CannotReview(f"git {arguments[0]} failed: {said(done.stderr)}", where=str(repository))
