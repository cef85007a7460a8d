"""PE-3: the quote check, 1,000 quotes against 30 guides of 600 lines, and its growth; discovery over 1,000 skills."""

import random
import tempfile
from pathlib import Path

from bench.inputs import git
from bench.measure import row, seconds
from kodus_check.evidence.quote import Guide, check_quote
from kodus_check.git.trees import Tree
from kodus_check.git.workspace import Workspace
from kodus_check.guides import tokens
from kodus_check.guides.find import find_guides
from kodus_check.guides.skills import read_skills

_WORDS = """
    ledger entry reversal amount never always must handler query tenant session token index migration column lock batch retry
    queue worker message payload schema version response status error timeout cache buffer thread socket request header body
""".split()  # noqa: SIM905 - easier to read


def guide(rng: random.Random, lines: int) -> tuple[str, list[str]]:
    """A guide of headings, wrapped paragraphs, lists, a table and code, and sentences that stand in it."""
    out: list[str] = []
    said: list[str] = []
    while len(out) < lines:
        out += [f"## {_sentence(rng, 3)}", ""]
        first, second = _sentence(rng, 14), _sentence(rng, 12)
        said += [first, second]
        words = f"{first}. {second}.".split(" ")
        out += [" ".join(words[:14]), " ".join(words[14:]), ""]
        for _ in range(8):
            item = f"Every {_sentence(rng, 4)} goes through `{rng.choice(_WORDS)}`, **never** {_sentence(rng, 5)}"
            said.append(item.replace("`", "").replace("**", ""))
            out.append(f"- {item}.")
        out += ["", "| case | rule |", "|---|---|", *(f"| {_sentence(rng, 2)} | {_sentence(rng, 5)} |" for _ in range(4)), ""]
        out += ["```python", *(f"{rng.choice(_WORDS)} = {rng.choice(_WORDS)}()" for _ in range(6)), "```", ""]
    return "\n".join(out[:lines]) + "\n", said


def _sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def _task(guides: int, lines: int, quotes: int) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """Guides, and quotes of which 7 in 10 are true."""
    rng = random.Random(3)
    made = {f"docs/{number}.md": guide(rng, lines) for number in range(guides)}
    asked: list[tuple[str, str]] = []
    for number in range(quotes):
        path = f"docs/{number % guides}.md"
        true = rng.choice(
            [one for one in made[path][1] if one in made[path][0].replace("\n", " ").replace("`", "").replace("**", "")]
        )
        asked.append((path, true if number % 10 < 7 else true.replace(true.split()[2], "sometimes", 1)))
    return {path: text.encode() for path, (text, _) in made.items()}, asked


def _check(guides: dict[str, bytes], asked: list[tuple[str, str]]) -> int:
    ready = {path: Guide(path, data) for path, data in guides.items()}
    return sum(check_quote(ready, path, quote).verified for path, quote in asked)


def main() -> None:
    guides, asked = _task(30, 600, 1000)
    found = _check(guides, asked)
    assert found == 700, found
    once = seconds(lambda: _check(guides, asked))
    row("1,000 quotes, 30 guides of 600 lines", f"{once:.2f} s", "(goal 0.5 s)")
    for name, task in (
        ("twice the quotes", _task(30, 600, 2000)),
        ("twice the guides", _task(60, 600, 1000)),
        ("twice the lines", _task(30, 1200, 1000)),
    ):
        row(name, f"{seconds(lambda task=task: _check(*task)) / once:.2f} x", "(goal 2.2)")
    with tempfile.TemporaryDirectory() as folder:
        small, large = (_repository(Path(folder, str(count)), count) for count in (1000, 2000))
        one, two = (seconds(lambda path=path: _discover(path), times=3) for path in (small, large))
        row("discovery of 1,000 skills, tokens counted", f"{one:.2f} s")
        row("twice the skills", f"{two / one:.2f} x", "(goal 2.2)")


def _repository(path: Path, skills: int) -> Path:
    rng = random.Random(4)
    for number in range(skills):
        folder = path / ".agents" / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        head = f"---\nname: skill-{number}\ndescription: {_sentence(rng, 20)}.\n---\n"
        (folder / "SKILL.md").write_text(head + guide(rng, 120)[0])
    git(path, "init", "-q", "-b", "main")
    git(path, "add", "--all", "--force")
    git(path, "commit", "-q", "-m", "skills")
    return path


def _discover(path: Path) -> None:
    tokens.count("the table is read once")
    with Workspace(path) as workspace:
        tree = Tree(workspace.store, workspace.store.commit(workspace.resolve("main").sha).tree)
        skills, _ = read_skills(tree, find_guides(tree).skills)
        assert all(one.valid for one in skills)


if __name__ == "__main__":
    main()
