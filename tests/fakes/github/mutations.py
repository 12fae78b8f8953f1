"""GraphQL's mutations: what only GraphQL can do."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from tests.fakes.github.calls import check_text, sees
from tests.fakes.github.nodes import CONTENTS, Node, Nodes, find
from tests.fakes.github.refused import Refused, forbidden
from tests.fakes.github.routes_git import WORKFLOWS
from tests.fakes.github.state import IssueComment, Reaction, Repo, ReviewComment, Thread, Token
from tests.fakes.github.world import World

Input = dict[str, Any]


def _require(token: Token, repo: Repo, *needs: str) -> None:
    if not sees(token, repo):
        raise Refused(404, "Could not resolve to a node with that global id.")
    if not all(token.may(need, "write") for need in needs):
        raise forbidden()
    if repo.is_archived:
        raise Refused(403, "Repository was archived so is read-only.")


def _thread(world: World, node: str) -> Thread:
    thing = find(world, node)
    if not isinstance(thing, Thread):
        raise Refused(404, f"Could not resolve to a node with the global id of '{node}'")
    return thing


def _comment(world: World, node: str) -> IssueComment | ReviewComment:
    thing = find(world, node)
    if not isinstance(thing, IssueComment | ReviewComment):
        raise Refused(404, f"Could not resolve to a node with the global id of '{node}'")
    return thing


def _repo(comment: IssueComment | ReviewComment) -> Repo:
    return comment.pull.repo if isinstance(comment, IssueComment) else comment.thread.pull.repo


def resolve(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """Needs `contents: write`, too: `pull_requests: write` alone is refused."""
    thread = _thread(world, given["threadId"])
    _require(token, thread.pull.repo, "pull_requests", "contents")
    world.set_resolved(thread, token.actor, "resolved")
    return {"thread": nodes.thread(thread), "clientMutationId": given.get("clientMutationId")}


def unresolve(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """The way back."""
    thread = _thread(world, given["threadId"])
    _require(token, thread.pull.repo, "pull_requests", "contents")
    world.set_resolved(thread, token.actor, "unresolved")
    return {"thread": nodes.thread(thread), "clientMutationId": given.get("clientMutationId")}


def reply(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """An answer in a thread."""
    thread = _thread(world, given["pullRequestReviewThreadId"])
    _require(token, thread.pull.repo, "pull_requests")
    check_text(given["body"])
    comment = world.add_reply(thread, token.actor, given["body"])
    return {"comment": nodes.review_comment(comment), "clientMutationId": given.get("clientMutationId")}


def minimize(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """Fold a comment away."""
    comment = _comment(world, given["subjectId"])
    _require(token, _repo(comment), "pull_requests")
    comment.minimized = given["classifier"]
    return {"minimizedComment": _shape(nodes, comment), "clientMutationId": given.get("clientMutationId")}


def unminimize(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """Unfold it."""
    comment = _comment(world, given["subjectId"])
    _require(token, _repo(comment), "pull_requests")
    comment.minimized = None
    return {"unminimizedComment": _shape(nodes, comment), "clientMutationId": given.get("clientMutationId")}


def _shape(nodes: Nodes, comment: IssueComment | ReviewComment) -> Node:
    return nodes.issue_comment(comment) if isinstance(comment, IssueComment) else nodes.review_comment(comment)


def add_reaction(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """React once."""
    comment = _comment(world, given["subjectId"])
    _require(token, _repo(comment), "issues")
    content = CONTENTS[given["content"]]
    for each in comment.reactions:
        if each.user is token.actor and each.content == content:
            return {"reaction": nodes.reaction(each)}
    made = Reaction(id=world.number(), user=token.actor, content=content, created=world.clock())
    comment.reactions.append(made)
    return {"reaction": nodes.reaction(made), "subject": _shape(nodes, comment)}


def remove_reaction(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """Take it back."""
    comment = _comment(world, given["subjectId"])
    _require(token, _repo(comment), "issues")
    content = CONTENTS[given["content"]]
    for each in list(comment.reactions):
        if each.user is token.actor and each.content == content:
            comment.reactions.remove(each)
            return {"reaction": nodes.reaction(each), "subject": _shape(nodes, comment)}
    raise Refused(404, "No such reaction")


def commit(world: World, token: Token, nodes: Nodes, given: Input) -> Node:
    """A signed commit on a branch, if its head is still the expected one."""
    branch = given["branch"]
    if branch.get("id"):
        _, number, name = branch["id"].split("_", 2)
        repo = next((each for each in world.repos.values() if each.id == int(number)), None)
        short = name.removeprefix("refs/heads/")
    else:
        repo = world.repos.get(branch.get("repositoryNameWithOwner", ""))
        short = str(branch.get("branchName", "")).removeprefix("refs/heads/")
    if repo is None:
        raise Refused(404, f"Could not resolve to a Repository with the name '{branch.get('repositoryNameWithOwner')}'.")
    _require(token, repo, "contents")
    head = repo.bare.rev(f"refs/heads/{short}")
    if head is None:
        raise Refused(404, f"No commit exists with specified branch {short}")
    if short in repo.protected:
        raise Refused(422, "Protected branch update failed for refs/heads/" + short)
    if head != given["expectedHeadOid"]:
        raise Refused(409, f'Expected branch to point to "{given["expectedHeadOid"]}" but it points to "{head}". Pull and try again.')
    files: dict[str, Any] = {}
    changes = given.get("fileChanges") or {}
    for addition in changes.get("additions") or ():
        files[addition["path"]] = base64.b64decode(addition["contents"], validate=True)
    for deletion in changes.get("deletions") or ():
        if repo.bare.read(head, deletion["path"]) is None:
            raise Refused(422, f"A path was requested for deletion which does not exist as of commit oid `{head}`")
        files[deletion["path"]] = None
    for path in files:
        if any(part in ("", ".", "..", ".git") for part in path.split("/")):
            raise Refused(422, f"A path was requested for addition which is not valid: {path}")
        if path.startswith(WORKFLOWS) and not token.may("workflows", "write"):
            raise forbidden()
    message = given["message"]["headline"] + (f"\n\n{given['message']['body']}" if given["message"].get("body") else "")
    before = repo.bare.refs()
    made = repo.bare.commit(short, head, files, message, token.actor.login, int(world.clock()))
    world.after_push(repo, before, token.actor)
    return {"commit": nodes.commit(repo, made), "clientMutationId": given.get("clientMutationId")}


MUTATIONS: dict[str, Callable[[World, Token, Nodes, Input], Node]] = {
    "addPullRequestReviewThreadReply": reply,
    "addReaction": add_reaction,
    "createCommitOnBranch": commit,
    "minimizeComment": minimize,
    "removeReaction": remove_reaction,
    "resolveReviewThread": resolve,
    "unminimizeComment": unminimize,
    "unresolveReviewThread": unresolve,
}
