"""PU-2: a finding stays the same one, whatever quote, lines, words and spelling a model chooses this time."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kodus_check.model import Finding
from tests.repo import Content, Repo
from tests.scene import MAIN, Script, judge

GUIDE = """\
# Ledger

A reversal is a *new* entry with the opposite sign, never an `UPDATE` of the original.
Close every cursor that you open.

- Post both sides of an entry
  in one transaction.
- Log the number of an account, never its owner.
"""
CONFIG = "model: openai-chat:scripted\nmain_review: {docs: [docs/ledger.md], rules: []}\n"
TAIL = "".join(f"\n\ndef other_{number}(x):\n    return db.read(x, {number})\n" for number in range(12))
"""What makes a renamed file the same one."""
BASE: dict[str, Content] = {
    ".kodus-check.yml": CONFIG,
    "docs/ledger.md": GUIDE,
    "src/a.py": f"import db\n\n\ndef keep(x):\n    return x\n\n\ndef last(x):\n    return db.read(x)\n{TAIL}",
    "src/b.py": "import db\n",
}
UPDATE = '    db.execute("UPDATE entries SET x = 1 WHERE id = 2")'
NEW = f"import db\n\n\ndef keep(x):\n    cursor = db.cursor()\n{UPDATE}\n    log.info(x.owner)\n    return x\n\n\ndef last(x):\n"
HEAD: dict[str, Content] = {"src/a.py": f"{NEW}    return db.read(x)\n{TAIL}"}

Item = Mapping[str, Any]


def item(quote: str, code: str, line: int, **fields: Any) -> Item:
    return {
        "evidence": "citation",
        "guide": "docs/ledger.md",
        "guide_lines": None,
        "quote": quote,
        "rule_id": None,
        "call_id": None,
        "path": "src/a.py",
        "side": "right",
        "start_line": line,
        "end_line": line,
        "code": code,
        "title": "It breaks the rule",
        "body": "",
        "severity": "high",
        **fields,
    }


RUNS: list[list[Item]] = [
    [
        item("A reversal is a new entry with the opposite sign, never an UPDATE of the original.", UPDATE, 6),
        item("Close every cursor that you open.", "    cursor = db.cursor()", 5),
        item("Log the number of an account, never its owner.", "    log.info(x.owner)", 7),
    ],
    [  # parts of the sentences, lines that are wrong, code trimmed, in another order
        item("Log the number of an account", "log.info(x.owner)", 70, title="An owner is logged", body="Take `x.number`."),
        item("never an `UPDATE` of the original", UPDATE.strip(), 1, title="An entry is changed in place", severity="critical"),
        item("every cursor that you open", "cursor = db.cursor()", 300, title="The cursor stays open"),
    ],
    [  # out of the listing and of the diff, by another name of the guide
        item("a *new* entry with the opposite sign", f"6+{UPDATE}", 2, guide="docs/ledger.md#L3", body="See @octocat, #1."),
        item("Close every cursor that you open", "+    cursor = db.cursor()", 9, guide="ledger.md"),
        item("- Log the number of an account, never its owner.", "7+    log.info(x.owner)", 1, path="./src/a.py"),
    ],
    [  # indented otherwise, with lines around it that did not change
        item("A reversal is a new entry … of the original", f"{UPDATE}", 5, end_line=6, guide_lines="90"),
        item("> Close every cursor that you open.", "def keep(x):\n    cursor = db.cursor()", 4, end_line=5, severity="low"),
        item("an account, never its owner", "\t\tlog.info(x.owner)\n\t\treturn x", 8, path="`src/a.py`"),
    ],
    [  # a part of the line, each thing said twice
        item("opposite sign, never an UPDATE", 'db.execute("UPDATE entries SET x = 1 WHERE id = 2")', 8),
        item("never an UPDATE of the original.", UPDATE, 6, title="The same once more"),
        item("“Close every cursor that you open.”", "db.cursor()", 5),
        item("the number of an account, never its owner", "```python\nlog.info(x.owner)\n```", 7, path="a/src/a.py"),
        item("Log the number of an account, never its owner", "info(x.owner)", 6, side="left"),
    ],
]


def findings(repo: Repo, said: Sequence[Item], *, head: str = "feature", base: str = "main") -> list[Finding]:
    return list(judge(repo, Script({MAIN: said}), base=base, head=head).review.findings)


def prints(repo: Repo, said: Sequence[Item], **revisions: str) -> dict[str, str]:
    """The fingerprint by what is printed of the rule. There is one finding a rule."""
    found = findings(repo, said, **revisions)
    out = {one.evidence.text: one.fingerprint for one in found}
    assert len(out) == len(found)
    return out


@pytest.fixture
def team(repo: Repo) -> Repo:
    repo.commit(BASE)
    repo.branch("feature")
    repo.commit(HEAD)
    return repo


def test_five_runs_of_a_model_that_varies_give_the_same_findings(team: Repo) -> None:
    runs = [prints(team, said) for said in RUNS]
    assert len(set(runs[0].values())) == 3
    assert set(runs[0]) == {
        "Close every cursor that you open.",
        "A reversal is a *new* entry with the opposite sign, never an `UPDATE` of the original.",
        "Log the number of an account, never its owner.",
    }
    assert runs[1:] == [runs[0]] * 4


def test_the_anchor_is_the_same_in_five_runs_where_the_code_is(team: Repo) -> None:
    places = [{(str(one.path), one.side, one.end_line) for one in findings(team, said)} for said in RUNS]
    assert places[:3] == [{("src/a.py", "right", 5), ("src/a.py", "right", 6), ("src/a.py", "right", 7)}] * 3
    for run in places[3:]:
        assert {path for path, _, _ in run} == {"src/a.py"}


def _renamed(repo: Repo) -> None:
    repo.git("mv", "src/a.py", "src/new_name.py")
    repo.commit()


def _moved_down(repo: Repo) -> None:
    repo.commit({"src/a.py": '"""Says what it does."""\n\nimport os\n' + f"{NEW}    return db.read(x)\n{TAIL}"})


def _indented(repo: Repo) -> None:
    repo.commit({"src/a.py": f"{NEW}    return db.read(x)\n{TAIL}".replace("    ", "\t")})


def _other_code_below(repo: Repo) -> None:
    repo.commit({"src/a.py": f"{NEW}    return db.read(x)\n{TAIL}\n\ndef more():\n    db.execute('DELETE')\n"})


def _other_file(repo: Repo) -> None:
    repo.commit({"src/b.py": f"import db\n{UPDATE.strip()}\n"})


@pytest.mark.parametrize("change", [_renamed, _moved_down, _indented, _other_code_below, _other_file])
def test_fingerprints_stay_when_the_change_goes_on(team: Repo, change: Any) -> None:
    first = prints(team, RUNS[0])
    change(team)
    path = "src/new_name.py" if change is _renamed else "src/a.py"
    assert prints(team, [{**one, "path": path} for one in RUNS[0]]) == first


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Ledger\n", "# Ledger\n\nThis page is about entries.\n\n## Rules of it\n"),  # text above, another heading
        ("A reversal is a *new* entry with", "A reversal is a *new*\nentry   with"),  # wrapped elsewhere
        ("\n", "\r\n"),
        ("- Log the number", "\n- Log the number"),
        ("Close every cursor", "Close  every\ncursor"),
        ("- ", "* "),
    ],
)
def test_fingerprints_stay_when_the_guide_is_wrapped_or_grows(team: Repo, old: str, new: str) -> None:
    first = sorted(prints(team, RUNS[0]).values())
    team.checkout("main")
    edited = GUIDE.replace(old, new)
    assert edited != GUIDE
    team.commit({"docs/ledger.md": edited.encode()})
    team.git("checkout", "-q", "feature")
    assert sorted(prints(team, RUNS[0]).values()) == first


def test_another_rule_file_line_or_side_is_another_finding(team: Repo) -> None:
    line = "    same(1)\n"
    team.commit(
        {
            "src/a.py": f"{NEW}{line}{line}    return db.write(x)\n{TAIL}",
            "src/b.py": f"import db\n{UPDATE}\n",
        }
    )
    quote = "Close every cursor that you open."
    said = [
        item(quote, UPDATE, 6),
        item("Post both sides of an entry in one transaction.", UPDATE, 6),  # another rule
        item(quote, UPDATE, 2, path="src/b.py"),  # another file
        item(quote, "    cursor = db.cursor()", 5),  # another line
        item(quote, "same(1)", 12),
        item(quote, "same(1)", 13),  # an equal line
        item(quote, "return db.read(x)", 9, side="left"),
        item(quote, "return db.write(x)", 14),
    ]
    found = findings(team, said)
    assert len(found) == len(said)
    assert len({one.fingerprint for one in found}) == len(said)
    same = [one for one in found if one.code == line.rstrip("\n")]
    assert [one.start_line for one in same] == [12, 13]


def test_an_equal_line_keeps_its_ordinal_when_it_moves(team: Repo) -> None:
    said = [item("Close every cursor that you open.", "same(1)", 2), item("Close every cursor that you open.", "same(1)", 4)]
    said = [{**one, "path": "src/c.py"} for one in said]
    team.commit({"src/c.py": "x\nsame(1)\ny\nsame(1)\n"})
    first = [one.fingerprint for one in findings(team, said)]
    team.commit({"src/c.py": "import a\nimport b\n\nx\nsame(1)\ny\nsame(1)\n"})
    moved = [{**one, "start_line": one["start_line"] + 3, "end_line": one["end_line"] + 3} for one in said]
    assert [one.fingerprint for one in findings(team, moved)] == first
    assert len(set(first)) == 2
