"""The JSON document of ``guides``: every skill and doc at the base, who follows it, and what fits. The page is made of it too."""

from typing import Any

from kodus_check.model.guides import Budget, Doc, Guides, LoadedDoc, Skill
from kodus_check.reports.jsondoc import VERSION


def guides_document(guides: Guides) -> dict[str, Any]:
    """The document of ``guides --format json``, in the order in which the guides are given."""
    return {
        "version": VERSION,
        "base": {"ref": guides.base.ref, "sha": guides.base.sha} if guides.base else None,
        "skills": [skill_document(skill, guides.followed_by.get(skill.path, ())) for skill in guides.skills],
        "docs": [_doc(doc, guides.followed_by.get(doc.path, ())) for doc in guides.docs],
        "budgets": [_budget(budget) for budget in guides.budgets],
        "reviewers": list(guides.reviewers),
        "notices": [{"kind": str(notice.kind), "message": notice.message, "subject": notice.subject} for notice in guides.notices],
    }


def skill_document(skill: Skill, followed_by: tuple[str, ...]) -> dict[str, Any]:
    """One skill of the document, with the reviewers that follow it."""
    return {
        "path": skill.path,
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "valid": skill.valid,
        "reason": skill.reason or None,
        "line": skill.line,
        "scope": skill.scope,
        "invocation": {
            "model": skill.invocation.model,
            "user": skill.invocation.user,
            "diagnostics": list(skill.invocation.diagnostics),
        },
        "files": [file.path for file in skill.files],
        "tokens": skill.tokens,
        "lines": skill.lines,
        "twin_of": skill.twin_of or None,
        "followed_by": list(followed_by),
    }


def _doc(doc: Doc, followed_by: tuple[str, ...]) -> dict[str, Any]:
    return {
        "path": doc.path,
        "valid": doc.valid,
        "reason": doc.reason or None,
        "scope": doc.scope,
        "rules_file": doc.rules_file,
        "tokens": doc.tokens,
        "lines": doc.lines,
        "followed_by": list(followed_by),
    }


def _budget(budget: Budget) -> dict[str, Any]:
    return {
        "reviewer": budget.reviewer,
        "folder": budget.folder,
        "skills": {"linked": budget.skills_linked, "limit": budget.skills_limit},
        "docs": [_loaded(one) for one in budget.docs],
        "docs_limit": budget.docs_limit,
        "tokens": budget.tokens,
        "tokens_linked": budget.tokens_linked,
        "tokens_limit": budget.tokens_limit,
    }


def _loaded(one: LoadedDoc) -> dict[str, Any]:
    return {
        "path": one.doc.path,
        "tokens": one.tokens,
        "of_tokens": one.doc.tokens,
        "lines": one.lines,
        "of_lines": one.doc.lines,
    }
