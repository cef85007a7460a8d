"""What the model has to say in a run, from the questions to the findings that are left: asked, judged, looked at again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kodus_check.agent.models import Ask, ModelName
from kodus_check.agent.redact import redact
from kodus_check.generated import GeneratedFiles
from kodus_check.git.objects import ObjectStore
from kodus_check.git.trees import Tree
from kodus_check.model import AgentRun, Change, Drop, Finding, Guides, Match, Notice, NoticeKind, RepoPath
from kodus_check.plan import Plan


@dataclass(frozen=True, slots=True)
class Scanned:
    """A change that the rules have judged: ``matches`` are all that they matched, ``findings`` what came of them."""

    base: Tree
    head: Tree
    plan: Plan
    change: Change
    generated: GeneratedFiles
    matches: Mapping[RepoPath, Sequence[Match]]
    findings: Sequence[Finding]
    rule_ids: Sequence[str]


@dataclass
class Said:
    """``unanswered`` are files that the model should have judged and did not, in whole or in part."""

    findings: list[Finding] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    runs: list[AgentRun] = field(default_factory=list)
    answered: set[RepoPath] = field(default_factory=set)
    unanswered: set[RepoPath] = field(default_factory=set)
    guides: Guides | None = None


@dataclass(frozen=True, slots=True)
class Only:
    """What a run is narrowed to: one reviewer by its name, skills by their names; empty for all."""

    agent: str = ""
    skills: tuple[str, ...] = ()


EVERYTHING = Only()


def ask_model(store: ObjectStore, scanned: Scanned, how: Ask, only: Only) -> Said:
    """Asks the reviewers and keeps what is proved and confirmed."""
    # None of this is needed where no model is asked.
    from kodus_check.asking import Asking, ask, failure_notices, may_read
    from kodus_check.following import narrowed, read_guides
    from kodus_check.judging import Judge
    from kodus_check.verifying import verified

    plan, change = scanned.plan, scanned.change
    if plan.config.verifier_model:
        # A wrong name is said before anything is asked, and not only where something was proposed.
        ModelName.parse(plan.config.verifier_model, where=plan.config.origin("verifier_model").where)
    following = narrowed(read_guides(scanned.base, plan, change.base), only.agent, only.skills)
    asking = Asking(
        store,
        (scanned.base, scanned.head),
        plan,
        following,
        change,
        lambda file: may_read(file) and scanned.generated.kind_of(file.path) is None,
    )
    asked, told = asking.asked(scanned.matches)
    out = Said(notices=[*following.guides.notices, *told], guides=following.guides)
    if not asked:
        text = "The model was not asked: no reviewer of a changed file follows a guide to cite. The rules have judged alone."
        out.notices.append(Notice(NoticeKind.MODEL_NOT_ASKED, text))
        return out
    proposed, ledger = ask(asked, plan, how)
    judged = Judge(store, change, plan, asking, asked, scanned.findings, scanned.matches, scanned.rule_ids).judge(
        proposed.candidates
    )
    looked = verified(judged.proved, plan, how, ledger)
    for call in asking.log.calls:
        how.trace(
            {
                "kind": "tool",
                "agent": call.agent,
                "id": call.id,
                "tool": call.tool,
                "arguments": call.arguments,
                "refused": redact(call.reason)[0],
                "bytes": call.size,
                "seconds": call.seconds,
            }
        )
    out.findings += looked.findings
    out.drops += [*judged.drops, *looked.drops]
    out.notices += [*proposed.notices, *failure_notices(proposed, plan.config.model), *looked.notices]
    out.runs += [*proposed.runs, *looked.runs]
    out.unanswered = proposed.unanswered | looked.unverified
    out.answered = proposed.answered - out.unanswered
    return out
