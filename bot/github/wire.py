"""The JSON of GitHub's answers, read leniently, and how it becomes the values of `model`."""

from __future__ import annotations

import msgspec

from bot.github.model import (
    Branch,
    CheckRun,
    Comment,
    PullRequest,
    Reaction,
    Repository,
    Review,
    Thread,
    ThreadComment,
)


class User(msgspec.Struct, frozen=True):
    login: str = ""
    type: str = ""
    id: int = 0


class Label(msgspec.Struct, frozen=True):
    name: str = ""


class RepositoryJson(msgspec.Struct, frozen=True):
    id: int = 0
    full_name: str = ""
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    size: int = 0
    owner: User | None = None

    def value(self) -> Repository:
        return Repository(
            id=self.id, full_name=self.full_name, default_branch=self.default_branch, is_private=self.private,
            is_archived=self.archived, size=self.size,
        )  # fmt: skip


class BranchJson(msgspec.Struct, frozen=True):
    ref: str = ""
    sha: str = ""
    repo: RepositoryJson | None = None

    def value(self) -> Branch:
        owner = self.repo.owner if self.repo else None
        return Branch(self.ref, self.sha, self.repo.full_name if self.repo else "", owner is not None and owner.type == "User")


class PullRequestJson(msgspec.Struct, frozen=True):
    number: int
    head: BranchJson
    base: BranchJson
    title: str = ""
    state: str = "open"
    draft: bool = False
    merged: bool = False
    merged_at: str | None = None
    mergeable: bool | None = None
    user: User | None = None
    labels: list[Label] = []
    changed_files: int = 0
    maintainer_can_modify: bool = False

    def value(self) -> PullRequest:
        return PullRequest(
            number=self.number,
            title=self.title,
            state="open" if self.state == "open" else "closed",
            is_merged=self.merged or bool(self.merged_at),
            is_draft=self.draft,
            is_mergeable=self.mergeable,
            author=_login(self.user),
            head=self.head.value(),
            base=self.base.value(),
            labels=tuple(label.name for label in self.labels),
            changed_files=self.changed_files,
            maintainer_can_modify=self.maintainer_can_modify,
        )


class FileJson(msgspec.Struct, frozen=True):
    filename: str
    previous_filename: str | None = None


class CommentJson(msgspec.Struct, frozen=True):
    id: int
    node_id: str = ""
    body: str | None = None
    user: User | None = None

    def value(self) -> Comment:
        return Comment(self.id, _login(self.user), self.body or "", self.node_id)


class ReviewJson(msgspec.Struct, frozen=True):
    id: int
    body: str | None = None
    user: User | None = None
    commit_id: str | None = None
    state: str = ""

    def value(self) -> Review:
        return Review(self.id, _login(self.user), self.body or "", self.commit_id or "")


class AppJson(msgspec.Struct, frozen=True):
    id: int = 0
    slug: str = ""
    html_url: str = ""


class OutputJson(msgspec.Struct, frozen=True):
    annotations_count: int = 0


class CheckRunJson(msgspec.Struct, frozen=True):
    id: int
    status: str = ""
    conclusion: str | None = None
    external_id: str | None = None
    output: OutputJson = OutputJson()
    app: AppJson | None = None

    def value(self) -> CheckRun:
        return CheckRun(
            self.id, self.external_id or "", self.status, self.conclusion or "", self.output.annotations_count
        )


class CheckRunsJson(msgspec.Struct, frozen=True):
    check_runs: list[CheckRunJson] = []


class PermissionJson(msgspec.Struct, frozen=True):
    permission: str = "none"


class ReactionJson(msgspec.Struct, frozen=True):
    content: str = ""
    user: User | None = None

    def value(self) -> Reaction:
        return Reaction(self.content, _login(self.user))


class ObjectJson(msgspec.Struct, frozen=True):
    sha: str = ""


class RefJson(msgspec.Struct, frozen=True):
    object: ObjectJson


class MessageJson(msgspec.Struct, frozen=True):
    message: str = ""


class CommitJson(msgspec.Struct, frozen=True):
    sha: str
    commit: MessageJson = MessageJson()
    author: User | None = None
    committer: User | None = None
    parents: list[ObjectJson] = []


class TokenJson(msgspec.Struct, frozen=True):
    token: str
    expires_at: str = ""
    permissions: dict[str, str] = {}


class DeliveryJson(msgspec.Struct, frozen=True):
    id: int
    guid: str = ""
    status: str = ""
    status_code: int = 0
    event: str = ""
    delivered_at: str = ""


# --- GraphQL


class Actor(msgspec.Struct, frozen=True):
    login: str = ""
    kind: str = msgspec.field(name="__typename", default="User")

    @property
    def name(self) -> str:
        """GraphQL names bots without what REST puts behind."""
        is_bare = self.kind == "Bot" and not self.login.endswith("[bot]")
        return f"{self.login}[bot]" if is_bare else self.login


class Count(msgspec.Struct, frozen=True, rename="camel"):
    total_count: int = 0


class ThreadCommentJson(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    database_id: int | None = None
    author: Actor | None = None
    body: str = ""
    is_minimized: bool = False
    reactions: Count = Count()


class ThreadCommentsJson(msgspec.Struct, frozen=True):
    nodes: list[ThreadCommentJson] = []


class ThreadJson(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    is_resolved: bool = False
    is_outdated: bool = False
    resolved_by: User | None = None
    path: str = ""
    line: int | None = None
    start_line: int | None = None
    comments: ThreadCommentsJson = ThreadCommentsJson()

    def value(self) -> Thread:
        return Thread(
            id=self.id,
            is_resolved=self.is_resolved,
            is_outdated=self.is_outdated,
            resolved_by=_login(self.resolved_by),
            path=self.path,
            line=self.line,
            start_line=self.start_line,
            comments=tuple(
                ThreadComment(
                    each.database_id or 0, each.id, each.author.name if each.author else "", each.body,
                    each.reactions.total_count, each.is_minimized,
                )
                for each in self.comments.nodes
            ),
        )  # fmt: skip


class PageInfo(msgspec.Struct, frozen=True, rename="camel"):
    has_next_page: bool = False
    end_cursor: str | None = None


class ThreadsJson(msgspec.Struct, frozen=True, rename="camel"):
    nodes: list[ThreadJson] = []
    page_info: PageInfo = PageInfo()


class PullThreads(msgspec.Struct, frozen=True, rename="camel"):
    review_threads: ThreadsJson = ThreadsJson()


class RepositoryThreads(msgspec.Struct, frozen=True, rename="camel"):
    pull_request: PullThreads | None = None


class ThreadsAnswer(msgspec.Struct, frozen=True):
    repository: RepositoryThreads | None = None


class Oid(msgspec.Struct, frozen=True):
    oid: str


class CreatedCommit(msgspec.Struct, frozen=True):
    commit: Oid


class CommitAnswer(msgspec.Struct, frozen=True, rename="camel"):
    create_commit_on_branch: CreatedCommit


THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line startLine
          resolvedBy { login }
          comments(first: 30) {
            nodes {
              id databaseId body isMinimized
              author { __typename login }
              reactions(content: THUMBS_DOWN, first: 1) { totalCount }
            }
          }
        }
      }
    }
  }
}
"""
RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }"
UNRESOLVE = "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }"
MINIMIZE = (
    "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: RESOLVED})"
    " { minimizedComment { isMinimized } } }"
)
UNMINIMIZE = "mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }"
COMMIT = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }"


def _login(user: User | None) -> str:
    return user.login if user is not None else ""
