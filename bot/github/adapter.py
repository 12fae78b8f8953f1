"""Implements `api.GitHub` over REST, and over GraphQL where only GraphQL can.

Bodies are cut to what GitHub takes before they leave (`outgoing`).
"""

from __future__ import annotations

import base64
import contextlib
import gzip
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from bot import marks
from bot.github import wire
from bot.github.api import NewCommit, NewPullRequest, Person, Remote
from bot.github.errors import Conflict, NotFound, Unavailable, Unprocessable
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
from bot.github.outgoing import MAX_ANNOTATIONS, cut, ending, inline
from bot.github.transport import ATTEMPTS, Transport

T = TypeVar("T")

CHECK_NAME = "leakmend"

class RestGitHub:
    """See `api.GitHub`."""

    def __init__(self, transport: Transport, name: str, login: str, web_url: str) -> None:
        self._transport = transport
        self._name, self._login = name, login
        self._server = web_url.rstrip("/")
        self._at = f"/repos/{quote(name, safe='/')}"

    @property
    def name(self) -> str:
        """See `GitHub`."""
        return self._name

    @property
    def login(self) -> str:
        """See `GitHub`."""
        return self._login

    @property
    def web_url(self) -> str:
        """See `GitHub`."""
        return f"{self._server}/{quote(self._name, safe='/')}"

    def may(self, permission: str) -> bool:
        """See `GitHub`."""
        granted = self._transport.tokens.token().permissions
        return not granted or granted.get(permission) in ("write", "admin")

    def is_granted(self, permission: str) -> bool:
        """See `GitHub`."""
        return self._transport.tokens.token().permissions.get(permission) == "write"

    def remote(self) -> Remote:
        """See `GitHub`."""
        return self._remote_of(self._name)

    def _remote_of(self, name: str) -> Remote:
        token = self._transport.tokens.token().value
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        url = f"{self._server}/{quote(name, safe='/')}.git"
        return Remote(url, f"Authorization: Basic {basic}" if token else "")

    def let_writes_land(self) -> None:
        """See `Transport`."""
        self._transport.let_writes_land()

    def close(self) -> None:
        """End the connection."""
        self._transport.close()

    # --- reading

    def repository(self) -> Repository:
        """See `GitHub`."""
        return self._transport.get(self._at, wire.RepositoryJson).value()

    def pull_request(self, number: int) -> PullRequest:
        """See `GitHub`."""
        return self._transport.get(f"{self._at}/pulls/{number}", wire.PullRequestJson).value()

    def open_pull_requests(self, head: str = "") -> list[PullRequest]:
        """The open ones; of one branch of this repository where `head` names it."""
        query = {"state": "open"}
        if head:
            query["head"] = f"{self._name.partition('/')[0]}:{head}"
        found = self._transport.pages(f"{self._at}/pulls", wire.PullRequestJson, query)
        return [each.value() for each in found if not head or each.head.ref == head]

    def changed_paths(self, number: int) -> list[str]:
        """Names after the change, and before it where they differ. GitHub tells 3,000 at most."""
        files = self._transport.pages(f"{self._at}/pulls/{number}/files", wire.FileJson)
        return [path for file in files for path in (file.filename, file.previous_filename) if path]

    def comments(self, number: int) -> list[Comment]:
        """See `GitHub`."""
        found = self._transport.pages(f"{self._at}/issues/{number}/comments", wire.CommentJson)
        return [each.value() for each in found]

    def reviews(self, number: int) -> list[Review]:
        """The submitted ones."""
        found = self._transport.pages(f"{self._at}/pulls/{number}/reviews", wire.ReviewJson)
        return [each.value() for each in found if each.state != "PENDING"]

    def threads(self, number: int) -> list[Thread]:
        """See `GitHub`."""
        owner, _, name = self._name.partition("/")
        found: list[Thread] = []
        after: str | None = None
        while True:
            variables = {"owner": owner, "name": name, "number": number, "after": after}
            answer = self._transport.query(wire.THREADS, variables, wire.ThreadsAnswer)
            pull = answer.repository.pull_request if answer.repository else None
            threads = pull.review_threads if pull else wire.ThreadsJson()
            found += [thread.value() for thread in threads.nodes]
            after = threads.page_info.end_cursor
            if not threads.page_info.has_next_page or after is None:
                return found

    def check_runs(self, head: str) -> list[CheckRun]:
        """Those with our name, the oldest first."""
        query = {"check_name": CHECK_NAME, "filter": "all", "per_page": "100"}
        found = self._transport.get(f"{self._at}/commits/{head}/check-runs", wire.CheckRunsJson, query)
        return sorted((each.value() for each in found.check_runs), key=lambda run: run.id)

    def permission(self, login: str) -> str:
        """`admin`, `write`, `read` or `none`."""
        path = f"{self._at}/collaborators/{quote(login, safe='')}/permission"
        try:
            return self._transport.get(path, wire.PermissionJson).permission
        except NotFound:
            return "none"

    def reactions(self, kind: CommentKind, comment: int) -> list[Reaction]:
        """See `GitHub`."""
        found = self._transport.pages(f"{self._of(kind, comment)}/reactions", wire.ReactionJson)
        return [each.value() for each in found]

    def branch_head(self, branch: str) -> str | None:
        """See `GitHub`."""
        try:
            return self._transport.get(f"{self._at}/git/ref/heads/{_ref(branch)}", wire.RefJson).object.sha
        except NotFound:
            return None

    def author_and_message(self, commit: str) -> tuple[str, str]:
        """The login of who made a commit (empty where GitHub knows none), and what it says."""
        found = self._commit(commit)
        return found.author.login if found.author else "", found.commit.message

    def commits(self, number: int) -> list[str]:
        """The ids of the commits of a pull request, 250 at most."""
        return [each.sha for each in self._transport.pages(f"{self._at}/pulls/{number}/commits", wire.CommitJson)]

    def _commit(self, commit: str) -> wire.CommitJson:
        return self._transport.get(f"{self._at}/commits/{commit}", wire.CommitJson)

    def _of(self, kind: CommentKind, comment: int) -> str:
        return f"{self._at}/{'issues' if kind == 'issue' else 'pulls'}/comments/{comment}"

    # --- comments

    def create_comment(self, number: int, body: str, mark: str) -> Comment:
        """See `GitHub`."""

        def write() -> Comment:
            answer = self._transport.write("POST", f"{self._at}/issues/{number}/comments", {"body": cut(body)})
            return _decoded(answer.body, wire.CommentJson).value()

        return self._transport.once(write, lambda: self._own_comment(number, mark))

    def _own_comment(self, number: int, mark: str) -> Comment | None:
        own = (each for each in self.comments(number) if each.author == self._login and marks.bears(each.body, mark))
        return next(own, None)

    def edit_comment(self, comment: int, body: str) -> None:
        """See `GitHub`."""
        self._transport.repeat("PATCH", f"{self._at}/issues/comments/{comment}", {"body": cut(body)})

    def delete_comment(self, comment: int) -> None:
        """See `GitHub`. One that is gone already is no error."""
        with contextlib.suppress(NotFound):
            self._transport.repeat("DELETE", f"{self._at}/issues/comments/{comment}")

    def create_review(
        self, number: int, head: str, body: str, comments: Sequence[InlineComment], mark: str
    ) -> Review:
        """One review with all its comments, or none of them: GitHub refuses it whole where one does not fit."""
        asked = {
            "commit_id": head,
            "body": cut(body),
            "event": "COMMENT",
            "comments": [inline(comment) for comment in comments],
        }

        def write() -> Review:
            answer = self._transport.write("POST", f"{self._at}/pulls/{number}/reviews", asked)
            return _decoded(answer.body, wire.ReviewJson).value()

        def look() -> Review | None:
            own = (each for each in self.reviews(number) if each.author == self._login and marks.bears(each.body, mark))
            return next(own, None)

        return self._transport.once(write, look)

    def create_file_comment(self, number: int, head: str, path: str, body: str, mark: str) -> None:
        """A comment on a whole file of the change."""
        asked = {"commit_id": head, "path": path, "body": cut(body), "subject_type": "file"}
        self._thread_comment(number, f"{self._at}/pulls/{number}/comments", asked, mark)

    def reply(self, number: int, comment: int, body: str, mark: str) -> None:
        """See `GitHub`."""
        path = f"{self._at}/pulls/{number}/comments/{comment}/replies"
        self._thread_comment(number, path, {"body": cut(body)}, mark)

    def _thread_comment(self, number: int, path: str, asked: Mapping[str, object], mark: str) -> None:
        def look() -> str | None:
            written = (comment for thread in self.threads(number) for comment in thread.comments)
            return next((each.node_id for each in written if each.author == self._login and marks.bears(each.body, mark)), None)

        self._transport.once(lambda: self._transport.write("POST", path, asked).body, look)

    def edit_review_comment(self, comment: int, body: str) -> None:
        """See `GitHub`."""
        self._transport.repeat("PATCH", f"{self._at}/pulls/comments/{comment}", {"body": cut(body)})

    def resolve(self, thread: str) -> None:
        """See `GitHub`. Forbidden without `contents: write`."""
        self._mutate(wire.RESOLVE, thread)

    def unresolve(self, thread: str) -> None:
        """See `GitHub`. Forbidden without `contents: write`."""
        self._mutate(wire.UNRESOLVE, thread)

    def minimize(self, node: str) -> None:
        """Fold a comment away as resolved."""
        self._mutate(wire.MINIMIZE, node)

    def unminimize(self, node: str) -> None:
        """Unfold a comment."""
        self._mutate(wire.UNMINIMIZE, node)

    def _mutate(self, document: str, subject: str) -> None:
        def write() -> msgspec.Raw:
            return self._transport.mutate(document, {"id": subject}, msgspec.Raw)

        self._transport.once(write, lambda: None)

    def react(self, kind: CommentKind, comment: int, content: str) -> None:
        """See `GitHub`. A second reaction of the same kind is none."""
        self._transport.repeat("POST", f"{self._of(kind, comment)}/reactions", {"content": content})

    # --- checks

    def create_check(self, head: str, external_id: str, verdict: Verdict | None) -> CheckRun:
        """A check run that is queued, or at once completed."""
        asked: dict[str, object] = {"name": CHECK_NAME, "head_sha": head, "external_id": external_id}
        if verdict is None:
            asked["status"] = "queued"
        else:
            asked |= ending(verdict, verdict.annotations[:MAX_ANNOTATIONS])

        def write() -> CheckRun:
            answer = self._transport.write("POST", f"{self._at}/check-runs", asked)
            return _decoded(answer.body, wire.CheckRunJson).value()

        def look() -> CheckRun | None:
            found = (run for run in self.check_runs(head) if run.external_id == external_id and not run.is_void)
            return next(found, None)

        run = self._transport.once(write, look)
        if verdict is not None and len(verdict.annotations) > MAX_ANNOTATIONS:
            self.update_check(msgspec.structs.replace(run, annotations_count=MAX_ANNOTATIONS), verdict)
        return run

    def update_check(self, check: CheckRun, verdict: Verdict) -> None:
        """Complete a check run. GitHub appends annotations: those that it has by now are not sent again."""
        path = f"{self._at}/check-runs/{check.id}"
        known, failures = check.annotations_count, 0
        while True:
            rest = verdict.annotations[known : known + MAX_ANNOTATIONS]
            try:
                self._transport.write("PATCH", path, ending(verdict, rest))
                known += len(rest)
            except Unavailable:
                failures += 1
                if failures == ATTEMPTS:
                    raise
                found = self._transport.get(path, wire.CheckRunJson)
                if not rest or found.output.annotations_count == known:
                    continue
                known = found.output.annotations_count
            if known >= len(verdict.annotations):
                return

    def upload_sarif(self, head: str, ref: str, sarif: bytes) -> None:
        """Hand a log to code scanning."""
        packed = base64.b64encode(gzip.compress(sarif, mtime=0)).decode()
        self._transport.repeat(
            "POST", f"{self._at}/code-scanning/sarifs", {"commit_sha": head, "ref": ref, "sarif": packed}
        )

    # --- branches

    def commit(self, new: NewCommit) -> str:
        """A commit that GitHub signs. Conflict where the branch moved."""
        asked = {
            "branch": {"repositoryNameWithOwner": self._name, "branchName": new.branch},
            "expectedHeadOid": new.parent,
            "message": {"headline": new.headline, "body": new.body},
            "fileChanges": {
                "additions": [
                    {"path": path, "contents": base64.b64encode(content).decode()}
                    for path, content in sorted(new.files.items())
                ]
            },
        }

        def write() -> str:
            answer = self._transport.mutate(wire.COMMIT, {"input": asked}, wire.CommitAnswer)
            return answer.create_commit_on_branch.commit.oid

        def look() -> str | None:
            head = self.branch_head(new.branch)
            if head is None or head == new.parent:
                return None
            found = self._commit(head)
            is_ours = found.commit.message.startswith(new.headline) and new.parent in [p.sha for p in found.parents]
            if not is_ours:
                raise Conflict(f"{new.branch} moved to {head[:12]}")
            return head

        return self._transport.once(write, look)

    def push(self, fork: str, send: Callable[[Remote, Person], str]) -> str:
        """See `GitHub`."""
        us = self._transport.get(f"/users/{quote(self._login, safe='')}", wire.User)
        host = urlsplit(self._server).hostname or "github.com"
        person = Person(self._login, f"{us.id}+{self._login}@users.noreply.{host}")
        with self._transport.writing():
            return send(self._remote_of(fork), person)

    def create_branch(self, branch: str, head: str) -> None:
        """See `GitHub`. One that is there already stays where it is."""
        with contextlib.suppress(Unprocessable):
            self._transport.repeat("POST", f"{self._at}/git/refs", {"ref": f"refs/heads/{branch}", "sha": head})

    def move_branch(self, branch: str, head: str) -> None:
        """Set a branch of ours to a commit, whatever it held."""
        self._transport.repeat("PATCH", f"{self._at}/git/refs/heads/{_ref(branch)}", {"sha": head, "force": True})

    def delete_branch(self, branch: str) -> None:
        """See `GitHub`. One that is gone already is no error."""
        with contextlib.suppress(NotFound, Unprocessable):
            self._transport.repeat("DELETE", f"{self._at}/git/refs/heads/{_ref(branch)}")

    def create_pull_request(self, new: NewPullRequest) -> PullRequest:
        """See `GitHub`."""
        asked = {"title": new.title, "body": cut(new.body), "head": new.head, "base": new.base}

        def write() -> PullRequest:
            answer = self._transport.write("POST", f"{self._at}/pulls", asked)
            return _decoded(answer.body, wire.PullRequestJson).value()

        return self._transport.once(write, lambda: next(iter(self.open_pull_requests(new.head)), None))

    def edit_pull_request(self, number: int, title: str, body: str) -> None:
        """See `GitHub`."""
        self._transport.repeat("PATCH", f"{self._at}/pulls/{number}", {"title": title, "body": cut(body)})

    def close_pull_request(self, number: int) -> None:
        """See `GitHub`."""
        self._transport.repeat("PATCH", f"{self._at}/pulls/{number}", {"state": "closed"})


def _ref(branch: str) -> str:
    return quote(branch, safe="/")


def _decoded(body: str, kind: type[T]) -> T:
    return msgspec.json.decode(body, type=kind)
