"""What the fake's things look like in GraphQL: dicts whose values may be functions of a field's arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.fakes.github.calls import sees
from tests.fakes.github.refused import Refused
from tests.fakes.github.state import (
    Account,
    IssueComment,
    Pull,
    Reaction,
    Repo,
    Review,
    ReviewComment,
    Thread,
    Token,
)
from tests.fakes.github.world import World

Node = dict[str, Any]
CONTENTS = {
    "THUMBS_UP": "+1", "THUMBS_DOWN": "-1", "LAUGH": "laugh", "CONFUSED": "confused", "HEART": "heart", "HOORAY": "hooray",
    "ROCKET": "rocket", "EYES": "eyes",
}  # fmt: skip


class Nodes:
    """Shapes for one caller: whether it may resolve is part of a thread."""

    def __init__(self, world: World, token: Token) -> None:
        self._world, self._token = world, token

    def actor(self, account: Account) -> Node:
        """A user, or a bot, which has no «[bot]» in its name here."""
        return {
            "__typename": account.type, "id": account.node, "login": account.login.removesuffix("[bot]"),
            "databaseId": account.id, "url": f"{self._world.shapes.url}/{account.login}", "resourcePath": f"/{account.login}",
            "avatarUrl": "https://example.invalid/", "createdAt": self._world.clock.stamp(0), "name": account.login,
            "updatedAt": self._world.clock.stamp(0), "isViewer": account is self._token.actor, "email": "",
        }  # fmt: skip

    def repository(self, repo: Repo) -> Node:
        """A repository."""
        return {
            "__typename": "Repository", "id": repo.node, "databaseId": repo.id, "name": repo.name,
            "nameWithOwner": repo.full_name, "isArchived": repo.is_archived, "isPrivate": repo.is_private,
            "isFork": repo.parent is not None, "isEmpty": not repo.bare.refs(), "isDisabled": False, "isLocked": False,
            "url": f"{self._world.shapes.url}/{repo.full_name}", "owner": self.actor(repo.owner),
            "defaultBranchRef": lambda: self._ref(repo, f"refs/heads/{repo.default_branch}"),
            "ref": lambda qualifiedName: self._ref(repo, qualifiedName),
            "object": lambda oid=None, expression=None: self.commit(repo, oid or expression),
            "pullRequest": lambda number: self._numbered(repo, number),
            "parent": lambda: self.repository(repo.parent) if repo.parent else None,
        }  # fmt: skip

    def _numbered(self, repo: Repo, number: int) -> Node:
        if number not in repo.pulls:
            raise Refused(404, f"Could not resolve to a PullRequest with the number of {number}.")
        return self.pull(repo.pulls[number])

    def _ref(self, repo: Repo, name: str) -> Node | None:
        full = name if name.startswith("refs/") else f"refs/heads/{name}"
        commit = repo.bare.refs().get(full)
        if commit is None:
            return None
        short = full.removeprefix("refs/heads/")
        return {"__typename": "Ref", "id": f"Ref_{repo.id}_{full}", "name": short, "prefix": "refs/heads/",
                "target": self.commit(repo, commit), "repository": self.repository(repo)}  # fmt: skip

    def commit(self, repo: Repo, revision: str) -> Node | None:
        """A commit."""
        commit = repo.bare.rev(revision)
        if commit is None:
            return None
        headline, _, message = repo.bare.git("show", "-s", "--format=%s%x00%B", commit).partition("\0")
        url = f"{self._world.shapes.url}/{repo.full_name}/commit/{commit}"
        return {
            "__typename": "Commit", "id": f"C_{commit}", "oid": commit, "abbreviatedOid": commit[:7], "url": url,
            "message": message.rstrip("\n"), "messageHeadline": headline, "commitUrl": url, "repository": self.repository(repo),
        }  # fmt: skip

    def pull(self, pull: Pull) -> Node:
        """A pull request."""
        bare = pull.repo.bare
        return {
            "__typename": "PullRequest", "id": pull.node, "databaseId": pull.id, "number": pull.number, "title": pull.title,
            "body": pull.body, "state": "MERGED" if pull.merged else pull.state.upper(), "isDraft": pull.is_draft,
            "merged": pull.merged is not None, "closed": pull.state == "closed", "author": self.actor(pull.author),
            "headRefOid": pull.head, "baseRefOid": pull.base, "headRefName": pull.head_ref, "baseRefName": pull.base_ref,
            "isCrossRepository": pull.head_repo is not pull.repo, "maintainerCanModify": pull.maintainer_can_modify,
            "mergeable": "MERGEABLE" if pull.merge_commit else "CONFLICTING", "repository": self.repository(pull.repo),
            "headRepository": self.repository(pull.head_repo), "headRepositoryOwner": self.actor(pull.head_repo.owner),
            "headRef": lambda: self._ref(pull.head_repo, pull.head_ref), "baseRef": lambda: self._ref(pull.repo, pull.base_ref),
            "changedFiles": len(bare.diff(bare.merge_base(pull.base, pull.head), pull.head)), "locked": False,
            "url": f"{self._world.shapes.url}/{pull.repo.full_name}/pull/{pull.number}", "reactionGroups": [],
            "reviewThreads": self._connection(list(pull.threads), self.thread),
            "comments": self._connection(list(pull.comments), self.issue_comment),
            "createdAt": self._world.clock.stamp(pull.created), "updatedAt": self._world.clock.stamp(pull.updated),
        }  # fmt: skip

    def thread(self, thread: Thread) -> Node:
        """A conversation. A bot that resolved it is not told: `resolvedBy` holds people only."""
        may = self._token.may("contents", "write") and self._token.may("pull_requests", "write")
        by = thread.resolved_by
        return {
            "__typename": "PullRequestReviewThread", "id": thread.node, "isResolved": thread.is_resolved,
            "isOutdated": thread.is_outdated, "isCollapsed": thread.is_resolved or thread.is_outdated, "path": thread.path,
            "line": thread.line, "originalLine": thread.original_line, "startLine": thread.start_line,
            "originalStartLine": thread.original_start_line, "diffSide": thread.side, "subjectType": thread.subject.upper(),
            "startDiffSide": thread.side if thread.start_line else None,
            "resolvedBy": self.actor(by) if by is not None and by.type == "User" else None,
            "viewerCanReply": True, "viewerCanResolve": may and not thread.is_resolved,
            "viewerCanUnresolve": may and thread.is_resolved, "pullRequest": lambda: self.pull(thread.pull),
            "repository": lambda: self.repository(thread.pull.repo),
            "comments": self._connection(list(thread.comments), self.review_comment),
        }  # fmt: skip

    def review_comment(self, comment: ReviewComment) -> Node:
        """A comment of a thread."""
        thread = comment.thread
        pull = thread.pull
        url = f"{self._world.shapes.url}/{pull.repo.full_name}/pull/{pull.number}#discussion_r{comment.id}"
        return {
            "__typename": "PullRequestReviewComment", **self._said(comment), "url": url, "path": thread.path,
            "line": thread.line, "originalLine": thread.original_line, "startLine": thread.start_line,
            "originalStartLine": thread.original_start_line, "outdated": thread.is_outdated, "diffHunk": thread.diff_hunk,
            "state": "PENDING" if comment.review.state == "PENDING" else "SUBMITTED", "subjectType": thread.subject.upper(),
            "pullRequest": lambda: self.pull(pull), "repository": lambda: self.repository(pull.repo),
            "pullRequestReview": lambda: self.review(comment.review),
            "commit": lambda: self.commit(pull.repo, thread.commit),
            "originalCommit": lambda: self.commit(pull.repo, thread.original_commit),
            "replyTo": lambda: self.review_comment(thread.comments[0]) if comment is not thread.comments[0] else None,
        }  # fmt: skip

    def issue_comment(self, comment: IssueComment) -> Node:
        """A comment of the conversation."""
        pull = comment.pull
        url = f"{self._world.shapes.url}/{pull.repo.full_name}/pull/{pull.number}#issuecomment-{comment.id}"
        return {
            "__typename": "IssueComment", **self._said(comment), "url": url, "pullRequest": lambda: self.pull(pull),
            "repository": lambda: self.repository(pull.repo), "isPinned": False,
        }  # fmt: skip

    def _said(self, comment: IssueComment | ReviewComment) -> Node:
        stamp = self._world.clock.stamp
        is_own = comment.author is self._token.actor
        return {
            "id": comment.node, "databaseId": comment.id, "fullDatabaseId": str(comment.id), "body": comment.body,
            "bodyText": comment.body, "bodyHTML": comment.body, "author": self.actor(comment.author),
            "authorAssociation": "NONE", "createdAt": stamp(comment.created), "updatedAt": stamp(comment.updated),
            "publishedAt": stamp(comment.created), "isMinimized": comment.minimized is not None, "createdViaEmail": False,
            "minimizedReason": comment.minimized.lower() if comment.minimized else None, "viewerDidAuthor": is_own,
            "viewerCanMinimize": True, "viewerCanUpdate": is_own, "viewerCanDelete": is_own, "viewerCanReact": True,
            "viewerCannotUpdateReasons": [], "includesCreatedEdit": comment.updated > comment.created,
            "reactionGroups": self._groups(comment.reactions), "reactions": self._connection(comment.reactions, self.reaction),
        }  # fmt: skip

    def review(self, review: Review) -> Node:
        """A review."""
        stamp = self._world.clock.stamp
        return {
            "__typename": "PullRequestReview", "id": review.node, "databaseId": review.id, "body": review.body,
            "state": review.state, "author": self.actor(review.author), "commit": lambda: self.commit(review.pull.repo, review.commit),
            "submittedAt": None if review.submitted is None else stamp(review.submitted), "pullRequest": lambda: self.pull(review.pull),
        }  # fmt: skip

    def reaction(self, reaction: Reaction) -> Node:
        """One reaction."""
        content = next(name for name, word in CONTENTS.items() if word == reaction.content)
        return {
            "__typename": "Reaction", "id": reaction.node, "databaseId": reaction.id, "content": content,
            "createdAt": self._world.clock.stamp(reaction.created), "user": self.actor(reaction.user),
        }  # fmt: skip

    def _groups(self, reactions: Sequence[Reaction]) -> list[Node]:
        return [
            {"content": name, "createdAt": None, "viewerHasReacted": any(
                each.content == word and each.user is self._token.actor for each in reactions),
             "reactors": {"totalCount": sum(each.content == word for each in reactions)},
             "users": {"totalCount": sum(each.content == word for each in reactions)}}
            for name, word in CONTENTS.items()
        ]  # fmt: skip

    def by_id(self, node: str) -> Node | None:
        """Anything that has a node id."""
        thing = find(self._world, node)
        repo = thing.pull.repo if isinstance(thing, Thread | IssueComment | Review) else (
            thing.thread.pull.repo if isinstance(thing, ReviewComment) else thing.repo if isinstance(thing, Pull) else thing)
        if not isinstance(repo, Repo) or not sees(self._token, repo):
            raise Refused(404, f"Could not resolve to a node with the global id of '{node}'")
        match thing:
            case Thread():
                return self.thread(thing)
            case IssueComment():
                return self.issue_comment(thing)
            case ReviewComment():
                return self.review_comment(thing)
            case Review():
                return self.review(thing)
            case Pull():
                return self.pull(thing)
            case Repo():
                return self.repository(thing)
        return None

    def _connection(self, things: Sequence[Any], shape: Callable[[Any], Node]) -> Callable[..., Node]:
        def page(
            first: int | None = None, after: str | None = None, last: int | None = None, before: str | None = None,
            content: str | None = None, **rest: object,
        ) -> Node:  # fmt: skip
            kept = [each for each in things if content is None or each.content == CONTENTS[content]]
            if first is None and last is None:  # counting needs no bounds
                return {"totalCount": len(kept), "nodes": _unbounded, "edges": _unbounded, "viewerHasReacted": False}
            if max(first or 0, last or 0) > 100:
                raise Refused(422, "Requesting more than 100 records on the connection exceeds the limit of 100 records.")
            start = int(after) if after else 0
            end = int(before) - 1 if before else len(kept)
            if first is not None:
                end = min(end, start + first)
            else:
                start = max(start, end - (last or 0))
            shown = [shape(each) for each in kept[start:end]]
            info = {
                "hasNextPage": end < len(kept), "hasPreviousPage": start > 0, "startCursor": str(start + 1) if shown else None,
                "endCursor": str(end) if shown else None,
            }  # fmt: skip
            edges = [{"cursor": str(start + number + 1), "node": each} for number, each in enumerate(shown)]
            return {"totalCount": len(kept), "nodes": shown, "edges": edges, "pageInfo": info, "viewerHasReacted": False}

        return page


def _unbounded() -> None:
    raise Refused(422, "You must provide a `first` or `last` value to properly paginate the connection.")


def find(world: World, node: str) -> Any:
    """The thing with a node id."""
    for repo in world.repos.values():
        if repo.node == node:
            return repo
        for pull in repo.pulls.values():
            if pull.node == node:
                return pull
            comments = [each for thread in pull.threads for each in thread.comments]
            for thing in (*pull.threads, *pull.comments, *pull.reviews, *comments):
                if thing.node == node:
                    return thing
    return None
