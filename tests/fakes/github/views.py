"""What the service shows of its state, as JSON that fits the published schemas."""

from collections.abc import Sequence
from typing import Any

from tests.fakes.contract import Json, rest
from tests.fakes.github.state import Account, IssueComment, Pull, Review, ReviewComment, Side, Status, Token, World


class Views:
    """Each method shows one noun; what the state does not know is filled with the smallest value the schema allows."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def repository_url(self) -> str:
        return f"{self._world.url}/repos/{self._world.full_name}"

    def _page(self, path: str) -> str:
        """The address of a page for people."""
        return f"{self._world.url}/html/{self._world.full_name}/{path}"

    def _filled(self, schema: str, given: Json) -> Json:
        made: Json = rest().filled(rest().component(schema), given, url=self._world.url)
        return made

    def user(self, account: Account) -> Json:
        """An account, as an overlay over any of the published user schemas."""
        url = f"{self._world.url}/users/{account.login}"
        html = f"{self._world.url}/html/{account.login.removesuffix('[bot]')}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": f"{'BOT' if account.type == 'Bot' else 'U'}_{account.id}",
            "type": account.type,
            "url": url,
            "html_url": html,
            "gravatar_id": "",
            "site_admin": False,
        }

    def me(self, account: Account) -> Json:
        """The account of GET /user."""
        return self._filled("public-user", {**self.user(account), "user_view_type": "public"})

    def permission(self, account: Account) -> Json:
        role = account.permission
        user = {**self.user(account), "role_name": role}
        return self._filled("repository-collaborator-permission", {"permission": role, "role_name": role, "user": user})

    def repository(self, full_name: str | None = None) -> Json:
        """A repository (this one, or a fork of it), as an overlay over any of the published repository schemas."""
        full_name = full_name or self._world.full_name
        owner, _, name = full_name.partition("/")
        url = f"{self._world.url}/repos/{full_name}"
        account = self._world.account(owner)
        return {
            "id": account.id + 100_000,
            "node_id": f"R_{account.id}",
            "name": name,
            "full_name": full_name,
            "owner": self.user(account),
            "private": self._world.private,
            "fork": full_name != self._world.full_name,
            "url": url,
            "html_url": f"{self._world.url}/html/{full_name}",
            "default_branch": self._world.default_branch,
            "visibility": "private" if self._world.private else "public",
        }

    def full_repository(self, token: Token | None) -> Json:
        role = token.account.permission if token and token.kind == "personal" else None
        rights = ("admin", "maintain", "push", "triage", "pull")
        held = {"admin": rights, "write": rights[2:], "read": rights[4:]}.get(role or "", ())
        permissions = {"permissions": {right: right in held for right in rights}} if role else {}
        return self._filled("full-repository", {**self.repository(), **permissions})

    def _side(self, full_name: str | None, owner: str, ref: str, sha: str) -> Json:
        account = self._world.account(owner)
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(account),
            "repo": None if full_name is None else self.repository(full_name),
        }

    def pull_overlay(self, pull: Pull) -> Json:
        """A pull request as an overlay: lists, single answers and webhooks show different parts of the rest."""
        url = f"{self.repository_url}/pulls/{pull.number}"
        issue = f"{self.repository_url}/issues/{pull.number}"
        html = self._page(f"pull/{pull.number}")
        closed = pull.created if pull.state == "closed" else None
        addresses = {
            "self": url,
            "html": html,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.repository_url}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{self.repository_url}/statuses/{pull.head_sha}",
        }
        return {
            "id": pull.number + 1_000_000,
            "node_id": f"PR_{pull.number}",
            "number": pull.number,
            "title": pull.title,
            "body": pull.body,
            "state": pull.state,
            "draft": pull.draft,
            "locked": pull.locked,
            "user": self.user(pull.author),
            "author_association": pull.author.association,
            "labels": [self.label(name) for name in pull.labels],
            "created_at": pull.created,
            "updated_at": pull.created,
            "closed_at": closed,
            "merged_at": closed if pull.merged else None,
            "merge_commit_sha": None,
            "url": url,
            "html_url": html,
            "issue_url": issue,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "comments_url": addresses["comments"],
            "review_comments_url": addresses["review_comments"],
            "review_comment_url": addresses["review_comment"],
            "commits_url": addresses["commits"],
            "statuses_url": addresses["statuses"],
            "_links": {name: {"href": address} for name, address in addresses.items()},
            "base": self._side(self._world.full_name, self._world.owner, pull.base_ref, pull.base_sha),
            "head": self._side(pull.head_repo, pull.head_owner, pull.head_ref, pull.head_sha),
        }

    def pull_numbers(self, pull: Pull) -> Json:
        """What only the answer for a single pull request has."""
        base = self._world.base_tip(pull)
        files = self._world.truth.diff(base, pull.head_sha).values()
        return {
            "merged": pull.merged,
            "mergeable": True,
            "mergeable_state": "clean",
            "merged_by": None,
            "maintainer_can_modify": pull.head_repo not in {None, self._world.full_name},
            "changed_files": len(files),
            "additions": sum(file.added for file in files),
            "deletions": sum(file.deleted for file in files),
            "commits": len(self._world.truth.commits(base, pull.head_sha)),
            "comments": sum(comment.issue == pull.number for comment in self._world.issue_comments),
            "review_comments": len(self._world.visible_comments(pull.number)),
        }

    def label(self, name: str) -> Json:
        return {"id": 1, "node_id": f"LA_{name}", "name": name, "color": "ededed", "default": False, "description": None}

    def pull(self, pull: Pull) -> Json:
        return self._filled("pull-request", {**self.pull_overlay(pull), **self.pull_numbers(pull)})

    def pull_simple(self, pull: Pull) -> Json:
        return self._filled("pull-request-simple", self.pull_overlay(pull))

    def issue_overlay(self, number: int) -> Json:
        """An issue; a pull request is one too, and shows it by ``pull_request``."""
        pull = self._world.pulls.get(number)
        url = f"{self.repository_url}/issues/{number}"
        html = self._page(f"{'pull' if pull else 'issues'}/{number}")
        given: Json = {
            "id": number + 2_000_000,
            "number": number,
            "title": pull.title if pull else self._world.issues[number],
            "body": pull.body if pull else None,
            "state": pull.state if pull else "open",
            "locked": bool(pull and pull.locked),
            "user": self.user(pull.author if pull else self._world.account("octocat")),
            "author_association": pull.author.association if pull else "NONE",
            "url": url,
            "html_url": html,
            "repository_url": self.repository_url,
            "comments_url": f"{url}/comments",
            "comments": sum(comment.issue == number for comment in self._world.issue_comments),
        }
        if pull:
            address = f"{self.repository_url}/pulls/{number}"
            given |= {
                "draft": pull.draft,
                "labels": [self.label(name) for name in pull.labels],
                "pull_request": {"url": address, "html_url": html, "diff_url": f"{html}.diff", "patch_url": f"{html}.patch"},
            }
        return given

    def issue(self, number: int) -> Json:
        return self._filled("issue", self.issue_overlay(number))

    def issue_comment_overlay(self, comment: IssueComment) -> Json:
        html = self._page(f"{'pull' if comment.issue in self._world.pulls else 'issues'}/{comment.issue}")
        return {
            "id": comment.id,
            "node_id": f"IC_{comment.id}",
            "body": comment.body,
            "user": self.user(comment.account),
            "author_association": comment.account.association,
            "created_at": comment.created,
            "updated_at": comment.updated,
            "url": f"{self.repository_url}/issues/comments/{comment.id}",
            "html_url": f"{html}#issuecomment-{comment.id}",
            "issue_url": f"{self.repository_url}/issues/{comment.issue}",
        }

    def issue_comment(self, comment: IssueComment) -> Json:
        return self._filled("issue-comment", self.issue_comment_overlay(comment))

    def reaction(self, number: int, content: str, account: Account) -> Json:
        return self._filled("reaction", {"id": number, "node_id": f"REA_{number}", "content": content, "user": self.user(account)})

    def review(self, review: Review) -> Json:
        pull = f"{self.repository_url}/pulls/{review.pull}"
        html = self._page(f"pull/{review.pull}#pullrequestreview-{review.id}")
        given: Json = {
            "id": review.id,
            "node_id": f"PRR_{review.id}",
            "body": review.body,
            "state": review.state,
            "commit_id": review.commit_id,
            "user": self.user(review.account),
            "author_association": review.account.association,
            "html_url": html,
            "pull_request_url": pull,
            "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        }
        if review.state != "PENDING":
            given["submitted_at"] = review.created
        return self._filled("pull-request-review", given)

    def review_comment(self, comment: ReviewComment) -> Json:
        """A comment on a diff; an outdated one keeps only its original line and its original commit."""
        pull = f"{self.repository_url}/pulls/{comment.pull}"
        url = f"{self.repository_url}/pulls/comments/{comment.id}"
        html = self._page(f"pull/{comment.pull}#discussion_r{comment.id}")
        line = self._world.line_now(comment, comment.line, comment.side)
        start = self._world.line_now(comment, comment.start_line, comment.start_side) if line is not None else None
        on_file = comment.line is None
        shown = comment.commit if line is None and not on_file else self._world.pulls[comment.pull].head_sha
        given: Json = {
            "id": comment.id,
            "node_id": f"PRRC_{comment.id}",
            "pull_request_review_id": comment.review.id,
            "body": comment.body,
            "path": comment.path,
            "user": self.user(comment.account),
            "author_association": comment.account.association,
            "commit_id": shown,
            "original_commit_id": comment.commit,
            "diff_hunk": comment.excerpt,
            "subject_type": "file" if on_file else "line",
            "created_at": comment.created,
            "updated_at": comment.updated,
            "url": url,
            "html_url": html,
            "pull_request_url": pull,
            "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
        }
        if comment.reply_to is not None:
            given["in_reply_to_id"] = comment.reply_to
        made = self._filled("pull-request-review-comment", given)
        position = self._position(comment, line)
        return made | {
            "line": line,
            "original_line": comment.line,
            "start_line": start,
            "original_start_line": comment.start_line,
            "side": None if on_file else comment.side,
            "start_side": comment.start_side,
            "position": position,
            "original_position": 1,
        }

    def _position(self, comment: ReviewComment, line: int | None) -> int | None:
        pull = self._world.pulls[comment.pull]
        file = self._world.truth.diff(self._world.base_tip(pull), pull.head_sha).get(comment.path)
        if file is None or line is None:
            return 1 if file and comment.line is None else None
        side: Side = comment.side
        hunk, index = file.places[side, line]
        return sum(len(text) for text in file.texts[:hunk]) + index + 1

    def status(self, status: Status) -> Json:
        return self._filled("status", {**self._status(status), "creator": self.user(status.account)})

    def _status(self, status: Status) -> Json:
        return {
            "id": status.id,
            "node_id": f"SC_{status.id}",
            "state": status.state,
            "context": status.context,
            "description": status.description,
            "target_url": status.target_url,
            "created_at": status.created,
            "updated_at": status.created,
            "url": f"{self.repository_url}/statuses/{status.sha}",
        }

    def combined_status(self, sha: str, latest: Sequence[Status]) -> Json:
        states = {status.state for status in latest}
        state = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
        statuses: list[Any] = [self._status(status) for status in latest]
        given = {"sha": sha, "state": state, "total_count": len(latest), "statuses": statuses, "repository": self.repository()}
        return self._filled("combined-commit-status", given)

    def commit(self, sha: str) -> Json:
        _, parents, message = self._world.truth.details(sha)
        url = f"{self.repository_url}/commits/{sha}"
        links = [{"sha": parent, "url": f"{self.repository_url}/commits/{parent}"} for parent in parents]
        given = {"sha": sha, "node_id": f"C_{sha}", "url": url, "commit": {"message": message}, "parents": links}
        return self._filled("commit", given)

    def branch(self, name: str, sha: str) -> Json:
        return self._filled("branch-with-protection", {"name": name, "commit": self.commit(sha), "protected": False})

    def git_ref(self, ref: str, sha: str) -> Json:
        url = f"{self.repository_url}/git/{ref}"
        target = {"type": "commit", "sha": sha, "url": f"{self.repository_url}/git/commits/{sha}"}
        return self._filled("git-ref", {"ref": ref, "node_id": f"REF_{ref}", "url": url, "object": target})
