"""What leakmend asks of one repository on GitHub. Everything outside `bot/github` knows only this Protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from bot.github.model import (
    CheckRun,
    Comment,
    CommentKind,
    InlineComment,
    PullRequest,
    Reaction,
    Repository,
    Review,
    Thread,
    Verdict,
)


class Remote(msgspec.Struct, frozen=True):
    """Where git fetches from. `authorization` is a header that goes into the environment of git and nowhere else."""

    url: str
    authorization: str = ""

    def __repr__(self) -> str:
        return f"Remote({self.url!r}, …)"


class NewPullRequest(msgspec.Struct, frozen=True):
    """A pull request to open."""

    title: str
    body: str
    head: str
    base: str


class NewCommit(msgspec.Struct, frozen=True):
    """A commit to make on a branch whose head is expected to be `parent`."""

    branch: str
    parent: str
    headline: str
    body: str
    files: Mapping[str, bytes]


class Person(msgspec.Struct, frozen=True):
    """Who makes a commit."""

    name: str
    email: str


class GitHub(Protocol):
    """One repository, seen as one identity. Errors are those of `bot.github.errors`; writes happen at most once."""

    @property
    def name(self) -> str:
        """`owner/name`."""

    @property
    def login(self) -> str:
        """Our own login, with `[bot]`."""

    @property
    def web_url(self) -> str:
        """Where people see the repository, without `/` at its end."""

    def may(self, permission: str) -> bool:
        """Whether our token says that it may write this (`contents`, `checks`, …). True where nobody knows."""

    def is_granted(self, permission: str) -> bool:
        """Whether our token says that it may, explicitly: for what not everybody gives (`security_events`)."""

    def remote(self) -> Remote:
        """Where to fetch from."""

    # reading

    def repository(self) -> Repository: ...
    def pull_request(self, number: int) -> PullRequest: ...
    def open_pull_requests(self, head: str = "") -> list[PullRequest]: ...
    def changed_paths(self, number: int) -> list[str]: ...
    def comments(self, number: int) -> list[Comment]: ...
    def reviews(self, number: int) -> list[Review]: ...
    def threads(self, number: int) -> list[Thread]: ...
    def check_runs(self, head: str) -> list[CheckRun]: ...
    def permission(self, login: str) -> str: ...
    def reactions(self, kind: CommentKind, comment: int) -> list[Reaction]: ...
    def branch_head(self, branch: str) -> str | None: ...
    def author_and_message(self, commit: str) -> tuple[str, str]: ...
    def commits(self, number: int) -> list[str]: ...

    # comments: `mark` is a text that names this comment and no other

    def create_comment(self, number: int, body: str, mark: str) -> Comment: ...
    def edit_comment(self, comment: int, body: str) -> None: ...
    def delete_comment(self, comment: int) -> None: ...
    def create_review(
        self, number: int, head: str, body: str, comments: Sequence[InlineComment], mark: str
    ) -> Review: ...
    def create_file_comment(self, number: int, head: str, path: str, body: str, mark: str) -> None: ...
    def reply(self, number: int, comment: int, body: str, mark: str) -> None: ...
    def edit_review_comment(self, comment: int, body: str) -> None: ...
    def resolve(self, thread: str) -> None: ...
    def unresolve(self, thread: str) -> None: ...
    def minimize(self, node: str) -> None: ...
    def unminimize(self, node: str) -> None: ...
    def react(self, kind: CommentKind, comment: int, content: str) -> None: ...

    # checks

    def create_check(self, head: str, external_id: str, verdict: Verdict | None) -> CheckRun: ...
    def update_check(self, check: CheckRun, verdict: Verdict) -> None: ...
    def upload_sarif(self, head: str, ref: str, sarif: bytes) -> None: ...

    # branches

    def commit(self, new: NewCommit) -> str: ...
    def push(self, fork: str, send: Callable[[Remote, Person], str]) -> str:
        """Hold the place for a write while `send` pushes to a fork (`owner/name`) as us; what it returns."""

    def create_branch(self, branch: str, head: str) -> None: ...
    def move_branch(self, branch: str, head: str) -> None: ...
    def delete_branch(self, branch: str) -> None: ...
    def create_pull_request(self, new: NewPullRequest) -> PullRequest: ...
    def edit_pull_request(self, number: int, title: str, body: str) -> None: ...
    def close_pull_request(self, number: int) -> None: ...
