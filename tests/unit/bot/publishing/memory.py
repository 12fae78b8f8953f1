"""One repository of GitHub in memory, as `bot.github.api.GitHub` sees it, backed by a real repository of git.

It keeps every write, refuses comments outside hunks as GitHub does, and can be told to fail.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bot import changes
from bot.changes import ChangeSet
from bot.github.api import NewCommit, NewPullRequest, Remote
from bot.github.errors import Conflict, Forbidden, Unprocessable
from bot.github.model import (
    Branch,
    CheckRun,
    Comment,
    CommentKind,
    InlineComment,
    PullRequest,
    Reaction,
    Repository,
    Review,
    Thread,
    ThreadComment,
    Verdict,
)
from bot.repository import Repository as GitRepository
from tests.unit.bot.gitbox import GitBox

US = "leakmend[bot]"


class Crash(BaseException):
    """The process is killed at this write."""


class MemoryGitHub:
    def __init__(self, folder: Path) -> None:
        self.box = GitBox(folder)
        self.git = self.box.git
        self.name, self.login, self.web_url = "acme/pump", US, "https://github.test/acme/pump"
        self.denied: set[str] = set()
        self.granted: set[str] = set()
        self.writes: list[str] = []
        self.crash_at = 0
        self.is_archived = False
        self.pulls: dict[int, PullRequest] = {}
        self.made: list[tuple[int, str]] = []
        self._comments: dict[int, list[Comment]] = {}
        self._reviews: dict[int, list[Review]] = {}
        self._threads: dict[int, list[Thread]] = {}
        self.checks: list[tuple[str, CheckRun, Verdict | None]] = []
        self.permissions = {"maintainer": "write", "admin": "admin", "reader": "read"}
        self._reactions: list[tuple[int, Reaction]] = []
        self.messages: dict[str, tuple[str, str]] = {}
        self.sarif: list[bytes] = []
        self._next = 100

    # --- the world

    def open(self, number: int = 3, **changed: object) -> PullRequest:
        """A pull request from what is committed on `topic` to `main`."""
        pull = PullRequest(
            number=number,
            author="author",
            head=Branch("topic", self.git("rev-parse", "topic"), self.name),
            base=Branch("main", self.git("rev-parse", "main"), self.name),
            changed_files=1,
        )
        self.pulls[number] = msgspec.structs.replace(pull, **changed)
        return self.pulls[number]

    def push(self, path: str, text: str, number: int = 3) -> str:
        """Commit on `topic` and move the pull request."""
        self.git("checkout", "--quiet", "topic")
        self.box.write(path, text)
        head = self.box.commit()
        pull = self.pulls.get(number)
        if pull is not None:
            moved = Branch(pull.head.ref, head, pull.head.repository)
            self.pulls[number] = msgspec.structs.replace(pull, head=moved)
        return head

    @contextlib.contextmanager
    def change(self, id: int, remote: Remote, base: str, head: str) -> Iterator[ChangeSet]:
        """Implements `reviewing.ChangeSource`."""
        repository = GitRepository(self.box.folder)
        try:
            with changes.review(repository, base, head) as change:
                yield change
        finally:
            repository.close()

    def human(self, thread: Thread, text: str, number: int = 3) -> None:
        self._change_thread(thread.id, comments=(*thread.comments, ThreadComment(self._id(), "", "person", text)))

    def human_resolves(self, thread: Thread) -> None:
        self._change_thread(thread.id, is_resolved=True, resolved_by="person")

    def _id(self) -> int:
        self._next += 1
        return self._next

    def _write(self, what: str, permission: str = "pull_requests") -> None:
        if permission in self.denied:
            raise Forbidden("Resource not accessible by integration")
        self.writes.append(what)
        if len(self.writes) == self.crash_at:
            raise Crash

    def _change_thread(self, id: str, **changed: object) -> None:
        for threads in self._threads.values():
            for index, thread in enumerate(threads):
                if thread.id == id:
                    threads[index] = msgspec.structs.replace(thread, **changed)

    # --- reading

    def may(self, permission: str) -> bool:
        return permission not in self.denied

    def is_granted(self, permission: str) -> bool:
        return permission in self.granted

    def remote(self) -> Remote:
        return Remote("https://github.test/acme/pump.git")

    def repository(self) -> Repository:
        return Repository(id=7, full_name=self.name, is_archived=self.is_archived)

    def pull_request(self, number: int) -> PullRequest:
        return self.pulls[number]

    def open_pull_requests(self, head: str = "") -> list[PullRequest]:
        return [each for each in self.pulls.values() if each.state == "open" and (not head or each.head.ref == head)]

    def changed_paths(self, number: int) -> list[str]:
        pull = self.pulls[number]
        return self.git("diff", "--name-only", f"{pull.base.sha}...{pull.head.sha}").split()

    def comments(self, number: int) -> list[Comment]:
        return list(self._comments.get(number, []))

    def reviews(self, number: int) -> list[Review]:
        return list(self._reviews.get(number, []))

    def threads(self, number: int) -> list[Thread]:
        return list(self._threads.get(number, []))

    def check_runs(self, head: str) -> list[CheckRun]:
        return [run for on, run, _ in self.checks if on == head]

    def permission(self, login: str) -> str:
        return self.permissions.get(login, "none")

    def reactions(self, kind: CommentKind, comment: int) -> list[Reaction]:
        return [reaction for on, reaction in self._reactions if on == comment]

    def branch_head(self, branch: str) -> str | None:
        found = self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        return found or None

    def author_and_message(self, commit: str) -> tuple[str, str]:
        return self.messages.get(commit, ("author", "change"))

    def commits(self, number: int) -> list[str]:
        pull = self.pulls[number]
        return self.git("rev-list", f"{pull.base.sha}..{pull.head.sha}").split()

    # --- comments

    def say(self, author: str, body: str, number: int = 3) -> int:
        """Somebody writes a comment."""
        comment = Comment(self._id(), author, body)
        self._comments.setdefault(number, []).append(comment)
        return comment.id

    def create_comment(self, number: int, body: str, mark: str) -> Comment:
        assert mark in body
        self._write("comment", "issues" if "issues" in self.denied and "pull_requests" in self.denied else "")
        comment = Comment(self._id(), US, body)
        self._comments.setdefault(number, []).append(comment)
        return comment

    def edit_comment(self, comment: int, body: str) -> None:
        self._write("edit comment")
        for comments in self._comments.values():
            comments[:] = [msgspec.structs.replace(each, body=body) if each.id == comment else each for each in comments]

    def delete_comment(self, comment: int) -> None:
        self._write("delete comment")
        for comments in self._comments.values():
            comments[:] = [each for each in comments if each.id != comment]

    def create_review(
        self, number: int, head: str, body: str, comments: Sequence[InlineComment], mark: str
    ) -> Review:
        assert mark in body
        self._check_lines(number, comments)
        self._write("review")
        review = Review(self._id(), US, body, head)
        self._reviews.setdefault(number, []).append(review)
        for each in comments:
            start = each.first_line if each.first_line != each.last_line else None
            self._begin(number, each.path, each.last_line, start, each.body)
        return review

    def _check_lines(self, number: int, comments: Sequence[InlineComment]) -> None:
        pull = self.pulls[number]
        diff = GitRepository(self.box.folder)
        base = self.git("merge-base", pull.base.sha, pull.head.sha)
        hunks = {file.after: file.hunks for file in diff.diff(base, pull.head.sha)}
        diff.close()
        for each in comments:
            if not any(first <= each.first_line <= each.last_line <= last for first, last in hunks.get(each.path, ())):
                raise Unprocessable("pull_request_review_thread.line must be part of the diff")

    def _begin(self, number: int, path: str, line: int | None, start: int | None, body: str) -> None:
        id = self._id()
        thread = Thread(
            id=f"T{id}", is_resolved=False, path=path, line=line, start_line=start,
            comments=(ThreadComment(id, f"C{id}", US, body),),
        )  # fmt: skip
        self._threads.setdefault(number, []).append(thread)

    def create_file_comment(self, number: int, head: str, path: str, body: str, mark: str) -> None:
        assert mark in body
        if path not in self.changed_paths(number):
            raise Unprocessable("path is not part of the diff")
        self._write("file comment")
        self._begin(number, path, None, None, body)

    def reply(self, number: int, comment: int, body: str, mark: str) -> None:
        assert mark in body
        self._write("reply")
        for thread in self.threads(number):
            if thread.comments[0].id == comment:
                self._change_thread(thread.id, comments=(*thread.comments, ThreadComment(self._id(), "", US, body)))

    def edit_review_comment(self, comment: int, body: str) -> None:
        self._write("edit review comment")
        self._edit(lambda each: each.id == comment, body=body)

    def _edit(self, is_meant: object, **changed: object) -> None:
        assert callable(is_meant)
        for threads in self._threads.values():
            for thread in list(threads):
                edited = tuple(
                    msgspec.structs.replace(each, **changed) if is_meant(each) else each for each in thread.comments
                )
                self._change_thread(thread.id, comments=edited)

    def resolve(self, thread: str) -> None:
        self._write("resolve", "contents")
        self._change_thread(thread, is_resolved=True, resolved_by=US)

    def unresolve(self, thread: str) -> None:
        self._write("unresolve", "contents")
        self._change_thread(thread, is_resolved=False, resolved_by="")

    def minimize(self, node: str) -> None:
        self._write("minimize")
        self._edit(lambda each: each.node_id == node, is_minimized=True)

    def unminimize(self, node: str) -> None:
        self._write("unminimize")
        self._edit(lambda each: each.node_id == node, is_minimized=False)

    def react(self, kind: CommentKind, comment: int, content: str) -> None:
        self._write(f"react {content}", "issues")
        self._reactions.append((comment, Reaction(content, US)))

    # --- checks

    def create_check(self, head: str, external_id: str, verdict: Verdict | None) -> CheckRun:
        self._write("check", "checks")
        status = "completed" if verdict else "queued"
        run = CheckRun(self._id(), external_id, status, verdict.conclusion if verdict else "")
        self.checks.append((head, run, verdict))
        return run

    def update_check(self, check: CheckRun, verdict: Verdict) -> None:
        self._write("complete check", "checks")
        self.checks = [
            (head, msgspec.structs.replace(run, status="completed", conclusion=verdict.conclusion), verdict)
            if run.id == check.id else (head, run, known)
            for head, run, known in self.checks
        ]  # fmt: skip

    def upload_sarif(self, head: str, ref: str, sarif: bytes) -> None:
        self._write("sarif", "security_events")
        self.sarif.append(sarif)

    # --- branches

    def commit(self, new: NewCommit) -> str:
        self._write("commit", "contents")
        if self.branch_head(new.branch) != new.parent:
            raise Conflict("Expected branch to point to another commit")
        self.git("checkout", "--quiet", new.branch)
        for path, content in new.files.items():
            self.box.write(path, content)
        head = self.box.commit(f"{new.headline}\n\n{new.body}")
        self.messages[head] = (US, f"{new.headline}\n\n{new.body}")
        for number, pull in self.pulls.items():
            if pull.head.ref == new.branch:
                self.pulls[number] = msgspec.structs.replace(pull, head=Branch(new.branch, head, pull.head.repository))
        return head

    def create_branch(self, branch: str, head: str) -> None:
        self._write("create branch", "contents")
        if self.branch_head(branch) is None:
            self.git("branch", branch, head)

    def move_branch(self, branch: str, head: str) -> None:
        self._write("move branch", "contents")
        self.git("checkout", "--quiet", "--detach")
        self.git("branch", "--force", branch, head)

    def delete_branch(self, branch: str) -> None:
        self._write("delete branch", "contents")
        self.git("checkout", "--quiet", "--detach")
        if self.branch_head(branch) is not None:
            self.git("branch", "--quiet", "-D", branch)

    def create_pull_request(self, new: NewPullRequest) -> PullRequest:
        self._write("pull request")
        number = self._id()
        head = self.branch_head(new.head) or ""
        base = self.branch_head(new.base) or ""
        self.pulls[number] = PullRequest(
            number=number, author=US, title=new.title, head=Branch(new.head, head, self.name),
            base=Branch(new.base, base, self.name),
        )  # fmt: skip
        self.made.append((number, new.body))
        return self.pulls[number]

    def edit_pull_request(self, number: int, title: str, body: str) -> None:
        self._write("edit pull request")

    def close_pull_request(self, number: int) -> None:
        self._write("close pull request")
        self.pulls[number] = msgspec.structs.replace(self.pulls[number], state="closed")
