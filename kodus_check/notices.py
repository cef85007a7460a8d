"""What people must know about a run beside its findings: what happened, what it means for the result, what to do."""

from collections import Counter
from collections.abc import Iterable, Mapping

from kodus_check.earlier import LARGE
from kodus_check.model import Change, Coverage, CoverageStatus, Drop, DropReason, Match, Notice, NoticeKind, RepoPath, Rule
from kodus_check.plan import Plan
from kodus_check.rules.languages import languages_in
from kodus_check.rules.ruleset import RuleSet
from kodus_check.text import counted

_MOST_NAMED = 10


def change_notices(change: Change, plan: Plan) -> list[Notice]:
    """That the change edits what configures the check: it had no say in this run."""
    paths = [path for file in change.files for path in {file.path, file.old_path} if path is not None and plan.configures(path)]
    if not paths:
        return []
    named = list(dict.fromkeys(str(path) for path in sorted(paths)))
    return [
        Notice(
            NoticeKind.CHECK_CONFIGURATION_CHANGED,
            f"The change edits {_listed(named)}. It had no effect on this run, which was judged by the base; "
            "read these edits yourself, for they take effect once merged.",
            named[0] if len(named) == 1 else "",
        )
    ]


def coverage_notices(change: Change, rules: RuleSet, coverage: Iterable[Coverage]) -> list[Notice]:
    """What was not scanned, and that nothing was there to judge at all."""
    listed = list(coverage)
    notices: list[Notice] = []
    unscanned = [one for one in listed if one.status is CoverageStatus.NOT_SCANNED]
    if unscanned:
        reasons = Counter(str(one.reason) for one in unscanned)
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        notices.append(
            Notice(
                NoticeKind.NOT_SCANNED,
                f"NOT SCANNED: {_listed([str(one.path) for one in unscanned])} ({counts}). No rule has judged them, so this result "
                "is partial. Split or repair these files, or put them under `ignore` at the base.",
                str(unscanned[0].path),
            )
        )
    if not rules.loaded and not any(one.status is CoverageStatus.JUDGED for one in listed):
        notices.append(
            Notice(
                NoticeKind.NO_RULES,
                "No rule is loaded, so nothing was judged. Add ast-grep rules at the base (`sgconfig.yml`, or `main_review.rules` "
                "in the config); `kodus-check rules` shows why a rule was refused.",
            )
        )
    elif not change.files:
        notices.append(
            Notice(
                NoticeKind.NOTHING_TO_JUDGE,
                f"{change.base.ref} and {change.head.ref} do not differ, so nothing was judged. Check `--base` and `--head`.",
            )
        )
    elif not any(one.status in (CoverageStatus.RULES_ONLY, CoverageStatus.JUDGED) for one in listed) and not unscanned:
        notices.append(
            Notice(
                NoticeKind.NOTHING_TO_JUDGE,
                f"No rule applies to the change ({counted(len(change.files), 'file')}), so nothing was judged. "
                f"The rules are for {', '.join(sorted(rules.languages))}.",
            )
        )
    return notices


def language_notices(change: Change, rules: Iterable[Rule]) -> list[Notice]:
    """Changed files that the team's rules miss by a hair: ``typescript`` rules do not run on ``.tsx``, nor the other way round."""
    team = [rule for rule in rules if rule.runs and not rule.source.startswith("builtin:")]
    languages = {rule.language for rule in team}
    changed = {language for file in change.files if file.new_oid for language in languages_in(file.path)}
    notices: list[Notice] = []
    unmatched = sorted(languages - changed) if change.files else []
    if unmatched:
        notices.append(
            Notice(
                NoticeKind.RULE_LANGUAGE_UNMATCHED,
                f"No changed file is {', '.join(unmatched)}, so the rules for it had nothing to judge. Nothing is to be done.",
            )
        )
    for own, other in (("typescript", "tsx"), ("tsx", "typescript")):
        if own in languages and other not in languages and other in changed and own not in changed:
            ids = [f"`{rule.id}`" for rule in team if rule.language == own]
            notices.append(
                Notice(
                    NoticeKind.RULE_LANGUAGE_MISSES,
                    f"{_listed(ids)}: a `{own}` rule does not run on {other} files, and only those changed. "
                    f"To judge them too, write the rule for `{other}` as well.",
                )
            )
    return notices


def suppression_notices(gone: Mapping[RepoPath, list[Match]], added: Mapping[RepoPath, tuple[int, ...]]) -> list[Notice]:
    """Matches that a comment of the base silences, and comments that the change adds (which silence nothing)."""
    notices: list[Notice] = []
    for path, matches in sorted(gone.items()):
        places = _listed([f"`{match.rule_id}` at line {match.start_line}" for match in matches])
        notices.append(
            Notice(
                NoticeKind.SUPPRESSION_HONOURED,
                f"{places}: silenced by an `ast-grep-ignore` comment that stands at the base. "
                "Remove the comment there to have it reported.",
                str(path),
            )
        )
    for path, lines in sorted(added.items()):
        places = _listed([str(line) for line in lines])
        notices.append(
            Notice(
                NoticeKind.SUPPRESSION_ADDED,
                f"The change adds an `ast-grep-ignore` comment (line {places}). It silenced nothing in this run; "
                "once merged, one that names its rule will. Read it before you merge.",
                str(path),
            )
        )
    return notices


def out_of_scope_notice(count: int) -> list[Notice]:
    """How many matches lie on lines that the change does not touch."""
    if not count:
        return []
    matches = "1 match lies" if count == 1 else f"{count:,} matches lie"
    return [
        Notice(
            NoticeKind.OUT_OF_SCOPE,
            f"{matches} on lines that the change does not touch and were not reported. `scope: changed-files` reports them.",
        )
    ]


def matched_before_notice(drops: Iterable[Drop]) -> list[Notice]:
    """How many large matches the change only edits inside."""
    count = sum(drop.reason is DropReason.MATCHED_BEFORE for drop in drops)
    if not count:
        return []
    matches, was = ("1 match", "was") if count == 1 else (f"{count} matches", "were")
    return [
        Notice(
            NoticeKind.OUT_OF_SCOPE,
            f"{matches} of more than {LARGE} lines, which the change only edits inside, stood at the merge base already and {was} "
            "not reported. `scope: changed-files` reports such matches.",
        )
    ]


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def not_trusted_notice() -> Notice:
    """The model was not asked about a change of somebody who cannot write here."""
    text = (
        "The model was not asked: the author of this change cannot write to the repository. The rules have judged alone. "
        "A maintainer can start the review by the comment `/kodus-check`; `trust: everyone` at the base asks for all."
    )
    return Notice(NoticeKind.MODEL_NOT_ASKED, text)


def rules_only_notice() -> Notice:
    """The model was not asked, since it is too early for it."""
    text = "The model was not asked: this is a draft or a merge queue. The rules have judged alone."
    return Notice(NoticeKind.MODEL_NOT_ASKED, text)
