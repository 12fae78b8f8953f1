"""Webhook deliveries: signature, and what an event means for us. No I/O.

Payloads are parsed leniently: only what is used is read, and what is missing makes the event uninteresting,
never an error.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Literal

import msgspec

LARGEST_PAYLOAD = 25 * 1024 * 1024
"""GitHub delivers nothing larger."""


def is_signed(secret: bytes, body: bytes, signature: str) -> bool:
    """Whether `X-Hub-Signature-256` is the HMAC of the raw body. Compares in constant time."""
    if not secret:
        return False
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))


class Repository(msgspec.Struct, frozen=True):
    """Where an event happened. `installation` is 0 where the delivery names none."""

    id: int
    full_name: str
    installation: int


class ReviewWanted(msgspec.Struct, frozen=True):
    """A pull request whose newest head is to be reviewed. `before` is the head that a push replaced."""

    repository: Repository
    number: int
    head: str
    reason: Literal["opened", "pushed", "base-changed", "ready", "asked-again"]
    before: str = ""


class PullRequestClosed(msgspec.Struct, frozen=True):
    """A pull request was merged or closed."""

    repository: Repository
    number: int


class MergeGroupWanted(msgspec.Struct, frozen=True):
    """A merge queue waits for our check on a commit."""

    repository: Repository
    head: str


class BranchMoved(msgspec.Struct, frozen=True):
    """The default branch has a new head. `head` is empty where it is to be asked for."""

    repository: Repository
    head: str = ""


class CommentWritten(msgspec.Struct, frozen=True):
    """A comment on a pull request that may hold commands. `kind` tells where its reactions go."""

    repository: Repository
    number: int
    comment: int
    author: str
    body: str
    kind: Literal["issue", "review"]
    author_id: int = 0


class ActionRequested(msgspec.Struct, frozen=True):
    """A button of our check was pressed."""

    repository: Repository
    head: str
    external_id: str
    action: str
    sender: str
    sender_id: int = 0


class ThreadChanged(msgspec.Struct, frozen=True):
    """A person resolved or reopened a review thread."""

    repository: Repository
    number: int
    thread: str
    is_resolved: bool
    sender: str


class InstallationChanged(msgspec.Struct, frozen=True):
    """The App was installed, removed, suspended or changed. `removed` lists repositories that left, `arrived` those that came."""

    installation: int
    action: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    arrived: tuple[Repository, ...] = ()


Event = (
    ReviewWanted | PullRequestClosed | MergeGroupWanted | CommentWritten | ActionRequested | ThreadChanged
    | InstallationChanged | BranchMoved
)

_REVIEWED = {
    "opened": "opened",
    "reopened": "opened",
    "synchronize": "pushed",
    "ready_for_review": "ready",
}


def parse(event: str, body: bytes) -> Event | None:
    """What a delivery asks of us, None where nothing. ValueError where the body is no JSON object."""
    try:
        payload = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise ValueError(f"the payload is not JSON: {error}") from None
    if not isinstance(payload, dict):
        raise ValueError("the payload is not a JSON object")
    return _Reader(payload).event(event)


class _Reader:
    """Reads fields of a payload by their path; what is not there, or of another type, is empty."""

    def __init__(self, payload: dict[str, object]) -> None:
        self._payload = payload

    def _at(self, path: str) -> object:
        value: object = self._payload
        for word in path.split("."):
            if not isinstance(value, dict):
                return None
            value = value.get(word)
        return value

    def text(self, path: str) -> str:
        value = self._at(path)
        return value if isinstance(value, str) else ""

    def number(self, path: str) -> int:
        value = self._at(path)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def names(self, path: str) -> tuple[str, ...]:
        value = self._at(path)
        listed = value if isinstance(value, list) else []
        return tuple(str(each.get("full_name", "")) for each in listed if isinstance(each, dict))

    def repositories(self, path: str) -> tuple[Repository, ...]:
        value, installation = self._at(path), self.number("installation.id")
        listed = [_Reader(each) for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        found = (Repository(each.number("id"), each.text("full_name"), installation) for each in listed)
        return tuple(each for each in found if each.id and each.full_name)

    @property
    def repository(self) -> Repository:
        return Repository(self.number("repository.id"), self.text("repository.full_name"),
                          self.number("installation.id"))

    def event(self, name: str) -> Event | None:
        action = self.text("action")
        match name:
            case "pull_request":
                return self._pull_request(action)
            case "issue_comment" if action == "created" and self._at("issue.pull_request") is not None:
                return self._comment("issue.number", "issue")
            case "pull_request_review_comment" if action == "created":
                return self._comment("pull_request.number", "review")
            case "pull_request_review_thread" if action in ("resolved", "unresolved"):
                return ThreadChanged(self.repository, self.number("pull_request.number"), self.text("thread.node_id"),
                                     action == "resolved", self.text("sender.login"))
            case "check_run" if action in ("requested_action", "rerequested"):
                return ActionRequested(self.repository, self.text("check_run.head_sha"), self.text("check_run.external_id"),
                                       self.text("requested_action.identifier") or "rerun", self.text("sender.login"),
                                       self.number("sender.id"))
            case "check_suite" if action == "rerequested":
                return ActionRequested(self.repository, self.text("check_suite.head_sha"), "", "rerun",
                                       self.text("sender.login"))
            case "merge_group" if action == "checks_requested":
                return MergeGroupWanted(self.repository, self.text("merge_group.head_sha"))
            case "installation":
                gone = self.names("repositories") if action in ("deleted", "suspend") else ()
                come = self.repositories("repositories") if action in ("created", "unsuspend") else ()
                return InstallationChanged(self.number("installation.id"), action, (), gone, come)
            case "installation_repositories":
                return InstallationChanged(self.number("installation.id"), action, self.names("repositories_added"),
                                           self.names("repositories_removed"), self.repositories("repositories_added"))
            case "push":
                return self._push()
        return None

    def _push(self) -> Event | None:
        """Only the default branch counts: pull requests are told of by events of their own."""
        branch, head = self.text("repository.default_branch"), self.text("after")
        is_there = self._at("deleted") is not True and head.strip("0") != ""
        if not branch or self.text("ref") != f"refs/heads/{branch}" or not is_there or not self.repository.full_name:
            return None
        return BranchMoved(self.repository, head)

    def _pull_request(self, action: str) -> Event | None:
        number, head = self.number("pull_request.number"), self.text("pull_request.head.sha")
        if not number or not self.repository.full_name:
            return None
        if action == "closed":
            return PullRequestClosed(self.repository, number)
        if not head:
            return None
        if action == "edited" and self._at("changes.base") is not None:
            return ReviewWanted(self.repository, number, head, "base-changed")
        match _REVIEWED.get(action):
            case "opened":
                return ReviewWanted(self.repository, number, head, "opened")
            case "pushed":
                return ReviewWanted(self.repository, number, head, "pushed", self.text("before"))
            case "ready":
                return ReviewWanted(self.repository, number, head, "ready")
        return None

    def _comment(self, number: str, kind: Literal["issue", "review"]) -> CommentWritten | None:
        if self.text("comment.user.type") == "Bot" or not self.number(number):
            return None
        return CommentWritten(self.repository, self.number(number), self.number("comment.id"),
                              self.text("comment.user.login"), self.text("comment.body"), kind,
                              self.number("comment.user.id"))
