"""What GitHub says, as values: only the fields that are used, all else ignored."""

from __future__ import annotations

from typing import Literal

import msgspec

CommentKind = Literal["issue", "review"]
Conclusion = Literal["success", "neutral", "failure", "cancelled", "skipped"]


class Branch(msgspec.Struct, frozen=True):
    """One end of a pull request. `repository` is empty where it was deleted (a fork that is gone).

    `is_personal`: it belongs to a person, not to an organization.
    """

    ref: str
    sha: str
    repository: str = ""
    is_personal: bool = False


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request as it is now."""

    number: int
    title: str = ""
    state: Literal["open", "closed"] = "open"
    is_merged: bool = False
    is_draft: bool = False
    is_mergeable: bool | None = None
    author: str = ""
    head: Branch
    base: Branch
    labels: tuple[str, ...] = ()
    changed_files: int = 0
    maintainer_can_modify: bool = False

    @property
    def is_fork(self) -> bool:
        """Whether the head lies in another repository than the base."""
        return self.head.repository != self.base.repository

    @property
    def is_open_to_us(self) -> bool:
        """Whether GitHub lets maintainers of the base push to this fork: its author ticked that, and owns it."""
        return self.is_fork and self.maintainer_can_modify and self.head.is_personal and bool(self.head.repository)


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """The repository itself. `size` is in KiB, as GitHub counts it."""

    id: int = 0
    full_name: str = ""
    default_branch: str = "main"
    is_private: bool = False
    is_archived: bool = False
    size: int = 0


class Comment(msgspec.Struct, frozen=True):
    """A comment below a pull request."""

    id: int
    author: str
    body: str
    node_id: str = ""


class Review(msgspec.Struct, frozen=True):
    """A submitted review."""

    id: int
    author: str
    body: str
    head: str = ""


class ThreadComment(msgspec.Struct, frozen=True):
    """A comment in a review thread. `id` is the REST id, `node_id` GraphQL's."""

    id: int
    node_id: str
    author: str
    body: str
    thumbs_down: int = 0
    is_minimized: bool = False


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A review thread. `line` is None where it is outdated or about a whole file."""

    id: str
    is_resolved: bool
    is_outdated: bool = False
    resolved_by: str = ""
    path: str = ""
    line: int | None = None
    start_line: int | None = None
    comments: tuple[ThreadComment, ...] = ()


class InlineComment(msgspec.Struct, frozen=True):
    """A comment of a review on the lines first_line to last_line of the head."""

    path: str
    body: str
    first_line: int
    last_line: int


class Annotation(msgspec.Struct, frozen=True):
    """A line of a check run. Columns are not told: GitHub takes them on single lines only."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str
    raw_details: str = ""


class Button(msgspec.Struct, frozen=True):
    """An action of a check run: label up to 20 characters, description 40, identifier 20."""

    label: str
    description: str
    identifier: str


class CheckRun(msgspec.Struct, frozen=True):
    """A check run of ours on one commit."""

    id: int
    external_id: str
    status: str
    conclusion: str = ""
    annotations_count: int = 0

    @property
    def is_void(self) -> bool:
        """Whether it ended because it was overtaken or the pull request was closed: it says nothing of its commit."""
        return self.conclusion == "cancelled"


class Verdict(msgspec.Struct, frozen=True):
    """What a check run ends with."""

    conclusion: Conclusion
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    buttons: tuple[Button, ...] = ()


class Reaction(msgspec.Struct, frozen=True):
    """A reaction to a comment."""

    content: str
    author: str


class Delivery(msgspec.Struct, frozen=True):
    """A webhook delivery as GitHub remembers it."""

    id: int
    guid: str
    status: str
    status_code: int
    event: str
    delivered_at: str
