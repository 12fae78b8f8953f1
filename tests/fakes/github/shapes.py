"""What the fake's things look like in REST answers and webhook payloads. What is left out here the description fills in."""

from __future__ import annotations

from typing import Any

from tests.fakes.github.clock import Clock
from tests.fakes.github.state import (
    Account,
    App,
    CheckRun,
    CheckSuite,
    Delivery,
    Installation,
    IssueComment,
    Pull,
    Reaction,
    Repo,
    Review,
    ReviewComment,
)

Json = dict[str, Any]
EMOJI = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


class Shapes:
    """Knows the addresses of the fake and its clock."""

    def __init__(self, url: str, clock: Clock) -> None:
        self.url, self._clock = url, clock

    @property
    def api(self) -> str:
        """Where REST lives."""
        return self.url

    def _when(self, seconds: float | None) -> str | None:
        return None if seconds is None else self._clock.stamp(seconds)

    def account(self, account: Account) -> Json:
        """A user."""
        return {
            "id": account.id, "login": account.login, "type": account.type, "node_id": account.node, "site_admin": False,
            "url": f"{self.api}/users/{account.login}", "html_url": f"{self.url}/{account.login}", "name": account.login,
        }  # fmt: skip

    def repo(self, repo: Repo) -> Json:
        """A repository."""
        api = f"{self.api}/repos/{repo.full_name}"
        html = f"{self.url}/{repo.full_name}"
        shape: Json = {
            "id": repo.id, "node_id": repo.node, "name": repo.name, "full_name": repo.full_name,
            "owner": self.account(repo.owner), "private": repo.is_private, "fork": repo.parent is not None,
            "archived": repo.is_archived, "disabled": False, "default_branch": repo.default_branch,
            "visibility": "private" if repo.is_private else "public", "url": api, "html_url": html,
            "clone_url": f"{html}.git", "git_url": f"git://{html}.git", "ssh_url": f"git@example.invalid:{repo.full_name}.git",
            "pulls_url": f"{api}/pulls{{/number}}", "size": 1,
        }  # fmt: skip
        if repo.parent is not None:
            parent = Repo(id=repo.parent.id, owner=repo.parent.owner, name=repo.parent.name, bare=repo.parent.bare)
            shape["parent"] = shape["source"] = self.repo(parent)
        return shape

    def pull(self, pull: Pull) -> Json:
        """A pull request, whole."""
        api = f"{self.api}/repos/{pull.repo.full_name}"
        html = f"{self.url}/{pull.repo.full_name}/pull/{pull.number}"
        files = pull.repo.bare.diff(pull.repo.bare.merge_base(pull.base, pull.head), pull.head)
        return {
            "id": pull.id, "node_id": pull.node, "number": pull.number, "state": pull.state, "locked": False,
            "title": pull.title, "body": pull.body, "user": self.account(pull.author), "draft": pull.is_draft,
            "head": self._side(pull.head_repo, pull.head_ref, pull.head),
            "base": self._side(pull.repo, pull.base_ref, pull.base),
            "merged": pull.merged is not None, "merged_at": self._when(pull.merged), "closed_at": self._when(pull.closed),
            "created_at": self._when(pull.created), "updated_at": self._when(pull.updated),
            "mergeable": pull.merge_commit is not None, "merge_commit_sha": pull.merge_commit,
            "mergeable_state": "clean" if pull.merge_commit else "dirty", "rebaseable": None, "merged_by": None,
            "maintainer_can_modify": pull.maintainer_can_modify, "author_association": "CONTRIBUTOR",
            "labels": [self.label(name) for name in sorted(pull.labels)], "assignee": None, "milestone": None,
            "auto_merge": None, "changed_files": len(files), "additions": sum(file.additions for file in files),
            "deletions": sum(file.deletions for file in files),
            "commits": len(pull.repo.bare.commits(pull.base, pull.head)), "comments": len(pull.comments),
            "review_comments": sum(len(thread.comments) for thread in pull.threads),
            "url": f"{api}/pulls/{pull.number}", "html_url": html, "issue_url": f"{api}/issues/{pull.number}",
            "comments_url": f"{api}/issues/{pull.number}/comments", "commits_url": f"{api}/pulls/{pull.number}/commits",
            "review_comments_url": f"{api}/pulls/{pull.number}/comments",
            "review_comment_url": f"{api}/pulls/comments{{/number}}", "statuses_url": f"{api}/statuses/{pull.head}",
            "diff_url": f"{html}.diff", "patch_url": f"{html}.patch",
        }  # fmt: skip

    def _side(self, repo: Repo, ref: str, commit: str) -> Json:
        label = f"{repo.owner.login}:{ref}"
        return {"label": label, "ref": ref, "sha": commit, "user": self.account(repo.owner), "repo": self.repo(repo)}

    def label(self, name: str) -> Json:
        """A label of a pull request."""
        return {"id": 1, "node_id": "L", "name": name, "description": None, "color": "ededed", "default": False, "url": self.api}

    def issue(self, pull: Pull) -> Json:
        """The pull request as an issue."""
        api = f"{self.api}/repos/{pull.repo.full_name}"
        html = f"{self.url}/{pull.repo.full_name}/pull/{pull.number}"
        return {
            "id": pull.id, "node_id": pull.node, "number": pull.number, "state": pull.state, "title": pull.title,
            "body": pull.body, "user": self.account(pull.author), "labels": [self.label(name) for name in sorted(pull.labels)],
            "url": f"{api}/issues/{pull.number}", "html_url": html, "repository_url": api, "comments": len(pull.comments),
            "comments_url": f"{api}/issues/{pull.number}/comments", "locked": False, "draft": pull.is_draft,
            "created_at": self._when(pull.created), "updated_at": self._when(pull.updated), "author_association": "CONTRIBUTOR",
            "pull_request": {"url": f"{api}/pulls/{pull.number}", "html_url": html, "diff_url": f"{html}.diff", "patch_url": f"{html}.patch"},
        }  # fmt: skip

    def reactions(self, reactions: list[Reaction], url: str) -> Json:
        """The rollup of reactions."""
        counted = {content: sum(each.content == content for each in reactions) for content in EMOJI}
        return {"url": f"{url}/reactions", "total_count": len(reactions), **counted}

    def reaction(self, reaction: Reaction) -> Json:
        """One reaction."""
        return {
            "id": reaction.id, "node_id": reaction.node, "user": self.account(reaction.user), "content": reaction.content,
            "created_at": self._when(reaction.created),
        }  # fmt: skip

    def issue_comment(self, comment: IssueComment) -> Json:
        """A comment of the conversation."""
        pull = comment.pull
        url = f"{self.api}/repos/{pull.repo.full_name}/issues/comments/{comment.id}"
        return {
            "id": comment.id, "node_id": comment.node, "body": comment.body, "user": self.account(comment.author), "url": url,
            "html_url": f"{self.url}/{pull.repo.full_name}/pull/{pull.number}#issuecomment-{comment.id}",
            "issue_url": f"{self.api}/repos/{pull.repo.full_name}/issues/{pull.number}",
            "created_at": self._when(comment.created), "updated_at": self._when(comment.updated),
            "author_association": "NONE", "reactions": self.reactions(comment.reactions, url), "performed_via_github_app": None,
        }  # fmt: skip

    def review(self, review: Review) -> Json:
        """A review."""
        pull = review.pull
        api = f"{self.api}/repos/{pull.repo.full_name}/pulls/{pull.number}"
        html = f"{self.url}/{pull.repo.full_name}/pull/{pull.number}#pullrequestreview-{review.id}"
        shape: Json = {
            "id": review.id, "node_id": review.node, "user": self.account(review.author), "body": review.body,
            "state": review.state, "commit_id": review.commit, "html_url": html, "pull_request_url": api,
            "author_association": "NONE", "_links": {"html": {"href": html}, "pull_request": {"href": api}},
        }  # fmt: skip
        if review.submitted is not None:
            shape["submitted_at"] = self._when(review.submitted)
        return shape

    def review_comment(self, comment: ReviewComment) -> Json:
        """A comment at a line or a file."""
        thread, pull = comment.thread, comment.thread.pull
        url = f"{self.api}/repos/{pull.repo.full_name}/pulls/comments/{comment.id}"
        html = f"{self.url}/{pull.repo.full_name}/pull/{pull.number}#discussion_r{comment.id}"
        api = f"{self.api}/repos/{pull.repo.full_name}/pulls/{pull.number}"
        shape: Json = {
            "id": comment.id, "node_id": comment.node, "url": url, "html_url": html, "pull_request_url": api,
            "pull_request_review_id": comment.review.id, "path": thread.path, "commit_id": thread.commit,
            "original_commit_id": thread.original_commit, "diff_hunk": thread.diff_hunk, "user": self.account(comment.author),
            "body": comment.body, "created_at": self._when(comment.created), "updated_at": self._when(comment.updated),
            "author_association": "NONE", "subject_type": thread.subject,
            "reactions": self.reactions(comment.reactions, url),
            "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": api}},
        }  # fmt: skip
        if thread.subject == "line":
            shape |= {
                "line": thread.line, "original_line": thread.original_line, "start_line": thread.start_line,
                "original_start_line": thread.original_start_line, "side": thread.side,
                "start_side": thread.side if thread.original_start_line else None,
                "position": thread.line, "original_position": thread.original_line,
            }  # fmt: skip
        if comment is not thread.comments[0]:
            shape["in_reply_to_id"] = thread.comments[0].id
        return shape

    # --- checks and Apps

    def app(self, app: App) -> Json:
        """A GitHub App."""
        return {
            "id": app.id, "slug": app.slug, "node_id": app.node, "client_id": app.client_id, "owner": self.account(app.owner),
            "name": app.name, "description": "", "external_url": self.url, "html_url": f"{self.url}/apps/{app.slug}",
            "permissions": app.permissions, "events": sorted(app.events),
        }  # fmt: skip

    def installation(self, installation: Installation) -> Json:
        """An App on an account."""
        return {
            "id": installation.id, "account": self.account(installation.account), "app_id": installation.app.id,
            "app_slug": installation.app.slug, "target_id": installation.account.id, "target_type": installation.account.type,
            "repository_selection": "selected", "permissions": installation.permissions,
            "events": sorted(installation.app.events), "suspended_at": self._when(installation.suspended),
            "access_tokens_url": f"{self.api}/app/installations/{installation.id}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories", "html_url": self.url, "suspended_by": None,
        }  # fmt: skip

    def check_suite(self, suite: CheckSuite) -> Json:
        """The checks of one App on a commit."""
        url = f"{self.api}/repos/{suite.repo.full_name}/check-suites/{suite.id}"
        return {
            "id": suite.id, "node_id": suite.node, "head_sha": suite.head, "app": self.app(suite.app), "url": url,
            "check_runs_url": f"{url}/check-runs", "repository": self.repo(suite.repo), "status": "queued",
        }  # fmt: skip

    def check_run(self, run: CheckRun) -> Json:
        """A check."""
        repo = run.suite.repo
        url = f"{self.api}/repos/{repo.full_name}/check-runs/{run.id}"
        pulls = [
            {
                "id": pull.id, "number": pull.number, "url": f"{self.api}/repos/{repo.full_name}/pulls/{pull.number}",
                "head": self._small_side(pull.head_repo, pull.head_ref, pull.head),
                "base": self._small_side(repo, pull.base_ref, pull.base),
            }
            for pull in repo.pulls.values()
            if pull.head == run.suite.head and pull.state == "open" and pull.head_repo is repo
        ]  # fmt: skip
        return {
            "id": run.id, "node_id": run.node, "name": run.name, "head_sha": run.suite.head, "status": run.status,
            "conclusion": run.conclusion, "external_id": run.external_id, "details_url": run.details_url or url, "url": url,
            "html_url": f"{self.url}/{repo.full_name}/runs/{run.id}", "started_at": self._when(run.started),
            "completed_at": self._when(run.completed), "app": self.app(run.suite.app), "check_suite": {"id": run.suite.id},
            "pull_requests": pulls,
            "output": {
                "title": run.title, "summary": run.summary, "text": run.text, "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
        }  # fmt: skip

    def _small_side(self, repo: Repo, ref: str, commit: str) -> Json:
        small = {"id": repo.id, "url": f"{self.api}/repos/{repo.full_name}", "name": repo.name}
        return {"ref": ref, "sha": commit, "repo": small}

    def delivery(self, delivery: Delivery) -> Json:
        """One attempt at a delivery."""
        return {
            "id": delivery.id, "guid": delivery.guid, "delivered_at": self._when(delivery.created),
            "redelivery": delivery.is_redelivery, "duration": delivery.took, "status_code": delivery.status,
            "status": "OK" if 200 <= delivery.status < 300 else "failed to connect" if not delivery.status else "Invalid HTTP Response",
            "event": delivery.event, "action": delivery.action, "installation_id": delivery.installation,
            "repository_id": delivery.repository,
        }  # fmt: skip
