"""A commented config for a repository that has none: what is there at the base, linked; what might be, named."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from kodus_check.app import Place
from kodus_check.config.resolved import CONFIG_NAME, SGCONFIG
from kodus_check.errors import UsageError
from kodus_check.following import read_guides
from kodus_check.git.trees import Tree
from kodus_check.guides import builtin
from kodus_check.guides.budget import MAX_DOC_TOKENS, MAX_DOCS, MAX_SKILLS
from kodus_check.guides.builtin import SKILL_FILE
from kodus_check.guides.menu import eligible
from kodus_check.model import Doc, Guides, RepoPath, Skill
from kodus_check.text import counted, one_line

_PLAIN = re.compile(r"[A-Za-z0-9./_][A-Za-z0-9./_@+-]*")
_MOST_COMMENTED = 30
_WIDTH = 80


def propose(place: Place) -> str:
    """The text of the proposal for the base of ``place``. UsageError where the base has a config already."""
    with place.open() as workspace:
        request = place.request(workspace)
        base = workspace.resolve_base(request.base)
        tree = Tree(workspace.store, workspace.store.commit(base.sha).tree)
        if tree.find(request.config_path) is not None:
            raise UsageError("the base has a config already", where=str(request.config_path), remedy="`config show` prints it.")
        plan, _ = request.plan(tree, None)
        guides = read_guides(tree, plan, base).guides
        has_rules = tree.find(RepoPath(SGCONFIG.encode())) is not None
    return "\n".join(_lines(guides, has_rules=has_rules)) + "\n"


def write_new(repository: Path, text: str) -> Path:
    """Writes the proposal into the root of a checkout; a file that is there, or a link of that name, is never overwritten."""
    place = repository.resolve()
    top = next((one for one in (place, *place.parents) if (one / ".git").exists()), place)
    path = top / CONFIG_NAME
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            "this file exists and is not overwritten", where=str(path), remedy="Print the proposal with `--stdout`."
        ) from None
    except OSError as error:
        raise UsageError(f"it cannot be written: {error.strerror}", where=str(path), remedy="Use `--stdout`.") from None
    return path


def _lines(guides: Guides, *, has_rules: bool) -> Iterator[str]:
    yield "# Configuration of kodus-check, proposed by `kodus-check config init` from what this repository has."
    yield "# It is read from the target branch: a pull request cannot change what judges it. Every key is optional."
    yield "version: 1"
    yield ""
    yield "# The lowest severity of a gating finding that fails the check. `never` to begin with: read what it says for a while,"
    yield "# then choose high."
    yield "fail_on: never"
    yield ""
    yield "# Files that nothing judges, in gitignore syntax. Generated files, vendored ones and lock files are known without it."
    yield '# ignore: ["**/*.snap"]'
    yield ""
    yield "main_review:"
    yield from _skills(guides)
    yield from _docs(guides)
    yield "  # ast-grep rules: files or folders of the base, `sgconfig.yml` for its ruleDirs, packs that ship, or YAML in place."
    yield f"  rules: [{'sgconfig.yml, ' if has_rules else ''}builtin:essentials]"
    yield from _agents(guides)


def _skills(guides: Guides) -> Iterator[str]:
    found = eligible(guides.skills)
    yield f"  # Skills are opened when a change needs them; at most {MAX_SKILLS}."
    linked, more = found[:MAX_SKILLS], found[MAX_SKILLS:]
    yield "  skills:" if linked else "  # skills:"
    for skill in linked:
        yield f"    - {_yaml(_link(skill))}  # {_comment(skill.description)}"
    for skill in more[:_MOST_COMMENTED]:
        yield f"    # - {_yaml(_link(skill))}  # {_comment(skill.description)}"
    others = [one for one in guides.skills if one not in found and not one.twin_of]
    for skill in others[:_MOST_COMMENTED]:
        why = f"not valid: {skill.reason}" if skill.reason else "not for a model unless it is linked"
        yield f"    # - {_yaml(_link(skill))}  # {_comment(why)}"
    for name in builtin.names():
        yield f"    # - {builtin.PREFIX}{name}"


def _docs(guides: Guides) -> Iterator[str]:
    yield f"  # Docs are read whole by every review: at most {MAX_DOCS} and {MAX_DOC_TOKENS:,} tokens. Short rules serve best."
    linked = {loaded.doc.path: loaded.doc for one in guides.budgets[:1] for loaded in one.docs if loaded.whole}
    yield "  docs:" if linked else "  # docs:"
    for doc in linked.values():
        yield f"    - {_yaml(doc.path)}  # {_size(doc)}"
    others = [doc for doc in guides.docs if doc.path not in linked]
    for doc in others[:_MOST_COMMENTED]:
        yield f"    # - {_yaml(doc.path)}  # {_comment(doc.reason) if doc.reason else _size(doc)}"
    if len(others) > _MOST_COMMENTED:
        yield f"    # and {len(others) - _MOST_COMMENTED} more; `kodus-check guides` lists them"


def _agents(guides: Guides) -> Iterator[str]:
    listed: list[Skill | Doc] = [*eligible(guides.skills), *guides.docs]
    scopes = sorted({guide.scope for guide in listed if guide.scope and guide.valid})
    folder = scopes[0] if scopes else "src/payments"
    yield ""
    yield "# Reviewers for a part of the repository, with guides and rules of their own. A `.kodus-check.yml` in a folder can set"
    yield "# `main_review` and `agents` for the files below it, too."
    yield "# agents:"
    yield f"#   {_name(folder)}:"
    yield f"#     paths: [{_yaml(folder + '/**')}]"
    yield "#     skills: []"
    yield "#     docs: []"


def _link(skill: Skill) -> str:
    return skill.path.removesuffix(f"/{SKILL_FILE}")


def _size(doc: Doc) -> str:
    return counted(doc.tokens or 0, "token")


def _name(folder: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", folder.rpartition("/")[2].lower()).strip("-")[:64].strip("-") or "part"


def _yaml(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def _comment(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1].rstrip()}…"
