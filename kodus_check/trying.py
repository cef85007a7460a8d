"""One reviewer on one change, nothing posted: what it would be told, part by part with its tokens."""

from collections.abc import Mapping
from dataclasses import dataclass

from kodus_check.agent.models import Ask
from kodus_check.app import Checked, Place, check
from kodus_check.asking import Asking, may_read
from kodus_check.config.levels import folders_above
from kodus_check.errors import UsageError
from kodus_check.following import read_guides
from kodus_check.generated import GeneratedFiles
from kodus_check.git.change import read_change
from kodus_check.git.trees import Tree
from kodus_check.guides import tokens
from kodus_check.model import Notice
from kodus_check.modelreview import Only
from kodus_check.review import Progress, changed_paths


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """One prompt as it would be sent, and the tokens of each of its parts. ``files`` are those it is about."""

    agent: str
    files: tuple[str, ...]
    system: str
    task: str
    tokens: dict[str, int]


def try_reviewer(place: Place, agent: str, environ: Mapping[str, str], progress: Progress, *, model: str | None = None) -> Checked:
    """The check with one reviewer alone, its rules and its model; nothing is written anywhere."""
    return check(place, progress, model=model, ask=Ask(environ), only=Only(agent))


def show_prompts(place: Place, agent: str) -> tuple[list[ShownPrompt], list[Notice]]:
    """The prompts of one reviewer for a change, without the matches of rules. No model is asked."""
    with place.open() as workspace:
        request = place.request(workspace)
        base, head = workspace.resolve_base(request.base), workspace.resolve(request.head)
        tree, head_tree = (Tree(workspace.store, workspace.store.commit(one.sha).tree) for one in (base, head))
        plan, _ = request.plan(tree, folders_above(changed_paths(workspace, base, head)))
        names = {one.name for folder in plan.folders for one in folder.reviewers}
        if agent not in names:
            raise UsageError("there is no such reviewer", where=agent, remedy=f"Reviewers here are {', '.join(sorted(names))}.")
        change, _ = read_change(workspace, base, head)
        generated = GeneratedFiles(tree)
        asking = Asking(
            workspace.store,
            (tree, head_tree),
            plan,
            read_guides(tree, plan, base),
            change,
            lambda file: may_read(file) and generated.kind_of(file.path) is None,
        )
        asked, notices = asking.asked({})
    shown = [
        ShownPrompt(
            one.task.agent,
            tuple(str(path) for path in one.batch.paths),
            one.prompt.system,
            one.prompt.task,
            {
                **{name: tokens.count(text) for name, text in one.prompt.parts.items()},
                "in all": tokens.count(one.prompt.system) + tokens.count(one.prompt.task),
            },
        )
        for one in asked
        if one.task.agent == agent
    ]
    return shown, notices
