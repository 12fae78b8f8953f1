"""What the fake remembers: accounts, repositories, pull requests and what hangs on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from tests.fakes.github.git import Bare

ROLES = ("none", "read", "triage", "write", "maintain", "admin")
LEVELS = ("none", "read", "write", "admin")


class Thing(msgspec.Struct, kw_only=True, eq=False):
    """Anything with a number of its own; equal only to itself."""

    id: int

    @property
    def node(self) -> str:
        """Its GraphQL id."""
        return f"{type(self).__name__}_{self.id}"


class Account(Thing):
    """A user, an organisation or the bot of an App."""

    login: str
    type: Literal["User", "Organization", "Bot"]


class Repo(Thing):
    """A repository. `collaborators` maps logins to roles."""

    owner: Account
    name: str
    bare: Bare
    collaborators: dict[str, str] = {}
    is_private: bool = True
    is_archived: bool = False
    parent: Repo | None = None
    default_branch: str = "main"
    protected: set[str] = set()
    labels: set[str] = set()
    next_number: int = 1
    pulls: dict[int, Pull] = {}
    checks: list[CheckRun] = []
    suites: list[CheckSuite] = []
    uploads: list[Upload] = []

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    def role(self, login: str) -> str:
        """What somebody may do here."""
        if self.owner.login == login:
            return "admin"
        return self.collaborators.get(login, "none" if self.is_private else "read")

    def may_write(self, login: str) -> bool:
        """Whether somebody may push."""
        return ROLES.index(self.role(login)) >= ROLES.index("write")


class Pull(Thing):
    """A pull request and all that is said on it. `head_history` lists the heads that it had."""

    number: int
    repo: Repo
    title: str
    body: str
    author: Account
    head_repo: Repo
    head_ref: str
    head: str
    base_ref: str
    base: str
    created: float
    is_draft: bool = False
    state: Literal["open", "closed"] = "open"
    merged: float | None = None
    closed: float | None = None
    merge_commit: str | None = None
    maintainer_can_modify: bool = False
    labels: set[str] = set()
    head_history: list[str] = []
    comments: list[IssueComment] = []
    reviews: list[Review] = []
    threads: list[Thread] = []
    updated: float = 0.0


class Comment(Thing, kw_only=True, eq=False):
    """What somebody wrote."""

    author: Account
    body: str
    created: float
    updated: float
    reactions: list[Reaction] = []
    minimized: str | None = None


class IssueComment(Comment, kw_only=True, eq=False):
    """A comment in the conversation."""

    pull: Pull


class Review(Thing):
    """A review; pending until it is submitted."""

    pull: Pull
    author: Account
    body: str
    state: Literal["PENDING", "COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED"]
    commit: str
    submitted: float | None = None


class Thread(Thing):
    """A conversation at a line or a file. `line` is None once it is outdated."""

    pull: Pull
    path: str
    side: str
    commit: str
    original_commit: str
    line: int | None
    original_line: int | None
    start_line: int | None = None
    original_start_line: int | None = None
    subject: Literal["line", "file"] = "line"
    diff_hunk: str = ""
    is_resolved: bool = False
    resolved_by: Account | None = None
    comments: list[ReviewComment] = []

    @property
    def is_outdated(self) -> bool:
        """Whether the line that it was about changed since."""
        return self.subject == "line" and self.line is None


class ReviewComment(Comment, kw_only=True, eq=False):
    """One comment of a thread."""

    thread: Thread
    review: Review


class Reaction(Thing):
    """Somebody's emoji."""

    user: Account
    content: str
    created: float


class CheckSuite(Thing):
    """The checks of one App on one commit."""

    repo: Repo
    app: App
    head: str
    created: float


class CheckRun(Thing):
    """One check."""

    suite: CheckSuite
    name: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str = ""
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, object]] = []
    actions: list[dict[str, object]] = []
    started: float | None = None
    completed: float | None = None


class Upload(Thing):
    """A SARIF file."""

    commit: str
    ref: str
    sarif: bytes


class App(Thing):
    """A GitHub App. `public_key` verifies its tokens."""

    slug: str
    name: str
    owner: Account
    bot: Account
    client_id: str
    public_key: bytes
    private_key: bytes
    secret: str
    hook_url: str
    permissions: dict[str, str] = {}
    events: set[str] = set()


class Installation(Thing):
    """An App on an account, for some of its repositories."""

    app: App
    account: Account
    repos: list[Repo]
    permissions: dict[str, str]
    suspended: float | None = None
    is_removed: bool = False


class Token(msgspec.Struct, kw_only=True, eq=False):
    """A token and what it opens."""

    text: str
    kind: Literal["installation", "actions", "user"]
    actor: Account
    permissions: Mapping[str, str]
    repos: list[Repo] | None
    expires: float | None
    app: App | None = None
    installation: Installation | None = None

    def may(self, permission: str, level: str) -> bool:
        """Whether the token carries a permission."""
        if permission == "metadata":
            return True
        return LEVELS.index(self.permissions.get(permission, "none")) >= LEVELS.index(level)


class Delivery(Thing):
    """One webhook delivery, or one more attempt at it. Pending until it was tried."""

    guid: str
    event: str
    action: str | None
    payload: bytes
    app: App
    installation: int | None
    repository: int | None
    created: float
    is_redelivery: bool = False
    is_pending: bool = True
    status: int = 0
    took: float = 0.0
