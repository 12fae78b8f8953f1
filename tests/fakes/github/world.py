"""The state of the fake, and what people do on GitHub's pages and with git: push, open, comment, resolve, apply.

Every act sends the webhooks that GitHub would send. `rest` and `graphql` change the same state for the bot.
"""

from __future__ import annotations

import functools
import itertools
import pathlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.github import suggestions
from tests.fakes.github.clock import Clock
from tests.fakes.github.description import description
from tests.fakes.github.git import Bare, Files
from tests.fakes.github.hooks import Hooks
from tests.fakes.github.limits import Limits
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.state import (
    Account,
    App,
    CheckRun,
    CheckSuite,
    Installation,
    IssueComment,
    Pull,
    Repo,
    Review,
    ReviewComment,
    Thread,
    Token,
)

PERMISSIONS = {"metadata": "read", "contents": "write", "pull_requests": "write", "checks": "write", "issues": "write"}
EVENTS = (
    "pull_request", "issue_comment", "pull_request_review_comment", "pull_request_review_thread", "check_run", "check_suite",
    "merge_group", "pull_request_review", "push",
)  # fmt: skip


_NOTHING = "0" * 40
"""Where a branch is not."""


class World:
    """All accounts, repositories and Apps."""

    def __init__(self, folder: pathlib.Path, clock: Clock | None = None, url: str = "http://github.invalid") -> None:
        self.folder = folder
        self.clock = clock or Clock()
        self.lock = threading.RLock()
        self._numbers = itertools.count(1001)
        self.shapes = Shapes(url, self.clock)
        self.hooks = Hooks(self.clock, self.number)
        self.limits = Limits(self.clock)
        self.accounts: dict[str, Account] = {}
        self.repos: dict[str, Repo] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.manifests: dict[str, App] = {}

    def number(self) -> int:
        """A number that nothing has yet."""
        return next(self._numbers)

    # --- accounts and Apps

    def user(self, login: str) -> Account:
        """A person, made on first mention."""
        return self._account(login, "User")

    def organization(self, login: str) -> Account:
        """An organisation."""
        return self._account(login, "Organization")

    def _account(self, login: str, kind: Any) -> Account:
        if login not in self.accounts:
            self.accounts[login] = Account(id=self.number(), login=login, type=kind)
        return self.accounts[login]

    def app(
        self, slug: str = "leakmend", permissions: dict[str, str] | None = None, hook_url: str = "", secret: str = "hush",
        events: Sequence[str] = EVENTS, owner: str = "acme",
    ) -> App:  # fmt: skip
        """A GitHub App."""
        private, public = _key_pair()
        number = self.number()
        app = App(
            id=number, slug=slug, name=slug, owner=self.organization(owner), bot=self._account(f"{slug}[bot]", "Bot"),
            client_id=f"Iv23{number}", public_key=public, private_key=private, secret=secret, hook_url=hook_url,
            permissions=dict(PERMISSIONS if permissions is None else permissions), events=set(events),
        )  # fmt: skip
        self.apps[app.id] = app
        return app

    def install(self, app: App, *repos: Repo) -> Installation:
        """Put an App on repositories of one owner."""
        installation = Installation(
            id=self.number(), app=app, account=repos[0].owner, repos=list(repos), permissions=dict(app.permissions)
        )
        self.installations[installation.id] = installation
        self._installation_event(installation, "created", repositories=list(repos))
        return installation

    def suspend(self, installation: Installation) -> None:
        """Suspend an App."""
        installation.suspended = self.clock()
        self._installation_event(installation, "suspend", repositories=installation.repos)

    def uninstall(self, installation: Installation) -> None:
        """Remove an App."""
        installation.is_removed = True
        self._installation_event(installation, "deleted", repositories=installation.repos)

    def leave(self, installation: Installation, repo: Repo) -> None:
        """Take one repository from an App."""
        installation.repos.remove(repo)
        payload = {
            "action": "removed", "repositories_added": [], "repositories_removed": [self.shapes.repo(repo)],
            "installation": self.shapes.installation(installation), "repository_selection": "selected", "requester": None,
        }  # fmt: skip
        self.hooks.add(installation.app, "installation_repositories", payload, installation.id, None)

    def _installation_event(self, installation: Installation, action: str, repositories: Sequence[Repo]) -> None:
        payload = {
            "action": action, "installation": self.shapes.installation(installation),
            "repositories": [self.shapes.repo(repo) for repo in repositories],
            "sender": self.shapes.account(installation.account),
        }  # fmt: skip
        self.hooks.add(installation.app, "installation", payload, installation.id, None)

    def actions_token(self, repo: Repo, permissions: dict[str, str]) -> str:
        """The `GITHUB_TOKEN` of a workflow run."""
        if not any(app.slug == "github-actions" for app in self.apps.values()):
            self.app("github-actions", permissions={}, owner="github")
        app = next(app for app in self.apps.values() if app.slug == "github-actions")
        token = Token(
            text=f"ghs_actions_{self.number()}_{'a' * 60}", kind="actions", actor=app.bot, permissions=dict(permissions),
            repos=[repo], expires=self.clock() + 24 * 3600, app=app,
        )  # fmt: skip
        self.tokens[token.text] = token
        return token.text

    # --- repositories

    def repository(self, full_name: str, files: Files | None = None, writers: Sequence[str] = (), readers: Sequence[str] = ()) -> Repo:
        """A repository with a first commit on `main`, or none where `files` is None."""
        owner, _, name = full_name.partition("/")
        account = self.accounts.get(owner) or self.organization(owner)
        repo = Repo(id=self.number(), owner=account, name=name, bare=Bare(self.folder / owner / f"{name}.git"))
        repo.collaborators |= {self.user(login).login: "write" for login in writers}
        repo.collaborators |= {self.user(login).login: "read" for login in readers}
        self.repos[full_name] = repo
        if files is not None:
            repo.bare.commit("main", None, files, "First", account.login, int(self.clock()))
        return repo

    def fork(self, repo: Repo, owner: str, kind: str = "User") -> Repo:
        """Somebody's fork, public as forks of open source are."""
        account = self._account(owner, kind)
        forked = Repo(
            id=self.number(), owner=account, name=repo.name, bare=Bare(self.folder / owner / f"{repo.name}.git"), parent=repo,
            is_private=False,
        )  # fmt: skip
        heads = {name: commit for name, commit in repo.bare.refs().items() if name.startswith("refs/heads/")}
        for commit in heads.values():
            forked.bare.take(repo.bare, commit)
        forked.bare.set_refs(heads)
        self.repos[forked.full_name] = forked
        return forked

    def push(self, repo: Repo, branch: str, files: Files, by: str, message: str = "Change", onto: str | None = None) -> str:
        """A commit on a branch (made from `onto` where it is new, or reset to it: a force-push); the new head."""
        with self.lock:
            parent = (onto and repo.bare.rev(onto)) or repo.bare.rev(f"refs/heads/{branch}") or repo.bare.rev("refs/heads/main")
            before = repo.bare.refs()
            head = repo.bare.commit(branch, parent, files, message, by, int(self.clock()))
            self.after_push(repo, before, self.user(by))
            return head

    def after_push(self, repo: Repo, before: dict[str, str], by: Account) -> None:
        """Have pull requests follow their branches after refs changed."""
        with self.lock:
            after = repo.bare.refs()
            moved = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            for name in sorted(moved):
                self._pushed(repo, name, before.get(name, _NOTHING), after.get(name, _NOTHING), by)
            for other in list(self.repos.values()):
                for pull in list(other.pulls.values()):
                    if pull.state != "open":
                        continue
                    head = f"refs/heads/{pull.head_ref}"
                    if pull.head_repo is repo and head in moved:
                        self._head_moved(pull, after.get(head), by)
                    elif pull.repo is repo and f"refs/heads/{pull.base_ref}" in moved and f"refs/heads/{pull.base_ref}" in after:
                        pull.base = after[f"refs/heads/{pull.base_ref}"]
                        self._merge_ref(pull)

    def _pushed(self, repo: Repo, name: str, before: str, after: str, by: Account) -> None:
        payload = {"ref": name, "before": before, "after": after, "created": before == _NOTHING, "deleted": after == _NOTHING}
        self.event(repo, "push", by, payload)

    def _head_moved(self, pull: Pull, head: str | None, by: Account) -> None:
        if head is None:
            self.close(pull, by.login)
            return
        before = pull.head
        pull.repo.bare.take(pull.head_repo.bare, head)
        self._reanchor(pull, before, head)
        pull.head, pull.updated = head, self.clock()
        pull.head_history.append(head)
        self._merge_ref(pull)
        self.pull_event(pull, "synchronize", by, before=before, after=head)

    def _reanchor(self, pull: Pull, before: str, head: str) -> None:
        """Threads follow their lines; where a line changed they are outdated and stay at the old commit."""
        for thread in pull.threads:
            if thread.commit == before:
                self.reanchor(thread, head)

    def reanchor(self, thread: Thread, head: str) -> None:
        """Move one thread from its commit to another."""
        if thread.subject == "file" or thread.line is None:
            return
        pull, bare = thread.pull, thread.pull.repo.bare
        lines = (thread.start_line or thread.line, thread.line)
        first, last = (bare.moved(thread.commit, head, thread.path, line) for line in lines)
        shown = bare.diff(bare.merge_base(pull.base, head), head)
        file = next((each for each in shown if last and each.path == last[0]), None)
        if first is None or last is None or file is None or not file.hunk(thread.side, last[1]):
            thread.line = thread.start_line = None
            return
        thread.path, thread.line = last
        thread.start_line = first[1] if thread.start_line else None
        thread.commit = head

    def _merge_ref(self, pull: Pull) -> None:
        bare, name = pull.repo.bare, f"refs/pull/{pull.number}"
        message = f"Merge {pull.head} into {pull.base}"
        pull.merge_commit = bare.merged(pull.base, pull.head, message, int(self.clock()))
        bare.set_refs({f"{name}/head": pull.head} | ({f"{name}/merge": pull.merge_commit} if pull.merge_commit else {}))

    # --- pull requests

    def open_pull(
        self, repo: Repo, head: str, by: str, base: str = "main", title: str = "A change", from_repo: Repo | None = None,
        draft: str = "", body: str = "", maintainer_can_modify: str = "",
    ) -> Pull:  # fmt: skip
        """Open a pull request; `draft` and `maintainer_can_modify` are on where they say anything."""
        with self.lock:
            source = from_repo or repo
            commit = source.bare.rev(f"refs/heads/{head}")
            target = repo.bare.rev(f"refs/heads/{base}")
            assert commit and target, f"no such branch: {head}, {base}"
            repo.bare.take(source.bare, commit)
            now = self.clock()
            pull = Pull(
                id=self.number(), number=repo.next_number, repo=repo, title=title, body=body, author=self._known(by),
                head_repo=source, head_ref=head, head=commit, base_ref=base, base=target, created=now, updated=now,
                is_draft=bool(draft), maintainer_can_modify=bool(maintainer_can_modify), head_history=[commit],
            )  # fmt: skip
            repo.next_number += 1
            repo.pulls[pull.number] = pull
            self._merge_ref(pull)
            self.pull_event(pull, "opened", pull.author)
            return pull

    def _known(self, login: str) -> Account:
        return self.accounts.get(login) or self.user(login)

    def close(self, pull: Pull, by: str) -> None:
        """Close without merging."""
        with self.lock:
            pull.state, pull.closed = "closed", self.clock()
            self.pull_event(pull, "closed", self._known(by))

    def reopen(self, pull: Pull, by: str) -> None:
        """Open again."""
        with self.lock:
            pull.state, pull.closed = "open", None
            self.pull_event(pull, "reopened", self._known(by))

    def merge(self, pull: Pull, by: str) -> None:
        """Merge into the base branch."""
        with self.lock:
            assert pull.merge_commit, "the pull request conflicts"
            before = pull.repo.bare.refs()
            pull.state, pull.closed, pull.merged = "closed", self.clock(), self.clock()
            pull.repo.bare.set_refs({f"refs/heads/{pull.base_ref}": pull.merge_commit})
            self.pull_event(pull, "closed", self._known(by))
            self.after_push(pull.repo, before, self._known(by))

    def mark_ready(self, pull: Pull, by: str) -> None:
        """No longer a draft."""
        with self.lock:
            pull.is_draft = False
            self.pull_event(pull, "ready_for_review", self._known(by))

    def retarget(self, pull: Pull, base: str, by: str) -> None:
        """Another base branch."""
        with self.lock:
            old, commit = pull.base_ref, pull.repo.bare.rev(f"refs/heads/{base}")
            assert commit
            pull.base_ref, pull.base = base, commit
            self._merge_ref(pull)
            self.pull_event(pull, "edited", self._known(by), changes={"base": {"ref": {"from": old}, "sha": {"from": commit}}})

    def pull_event(self, pull: Pull, action: str, by: Account, **more: object) -> None:
        """A `pull_request` event."""
        shape = description().completed("pull-request", self.shapes.pull(pull))
        self.event(pull.repo, "pull_request", by, {"action": action, "number": pull.number, "pull_request": shape, **more})

    def event(self, repo: Repo, event: str, by: Account, payload: dict[str, object]) -> None:
        """Tell every App that is installed on a repository."""
        for installation in self.installations.values():
            if repo in installation.repos and installation.suspended is None and not installation.is_removed:
                whole = {
                    **payload, "repository": self.shapes.repo(repo), "sender": self.shapes.account(by),
                    "installation": {"id": installation.id, "node_id": installation.node},
                }  # fmt: skip
                self.hooks.add(installation.app, event, whole, installation.id, repo.id)

    def merge_group(self, pull: Pull) -> str:
        """Put a pull request into the merge queue; the commit that waits for checks."""
        with self.lock:
            assert pull.merge_commit
            name = f"refs/heads/gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{pull.base}"
            pull.repo.bare.set_refs({name: pull.merge_commit})
            group = {
                "head_sha": pull.merge_commit, "head_ref": name, "base_sha": pull.base, "base_ref": f"refs/heads/{pull.base_ref}",
                "head_commit": {},
            }  # fmt: skip
            self.event(pull.repo, "merge_group", pull.author, {"action": "checks_requested", "merge_group": group})
            return pull.merge_commit

    # --- talk

    def comment(self, pull: Pull, by: str, body: str) -> IssueComment:
        """A comment in the conversation."""
        with self.lock:
            return self.add_comment(pull, self._known(by), body)

    def add_comment(self, pull: Pull, author: Account, body: str) -> IssueComment:
        """The same for whoever it is."""
        now = self.clock()
        comment = IssueComment(id=self.number(), pull=pull, author=author, body=body, created=now, updated=now)
        pull.comments.append(comment)
        payload = {"action": "created", "issue": self.shapes.issue(pull), "comment": self.shapes.issue_comment(comment)}
        self.event(pull.repo, "issue_comment", author, payload)
        return comment

    def reply(self, thread: Thread, by: str, body: str) -> ReviewComment:
        """An answer in a thread."""
        with self.lock:
            return self.add_reply(thread, self._known(by), body)

    def add_reply(self, thread: Thread, author: Account, body: str) -> ReviewComment:
        """The same for whoever it is: a review of its own, as on GitHub."""
        now = self.clock()
        pull = thread.pull
        review = Review(id=self.number(), pull=pull, author=author, body="", state="COMMENTED", commit=pull.head, submitted=now)
        pull.reviews.append(review)
        comment = ReviewComment(
            id=self.number(), thread=thread, review=review, author=author, body=body, created=now, updated=now
        )
        thread.comments.append(comment)
        self.review_comment_event(comment)
        return comment

    def review_comment_event(self, comment: ReviewComment) -> None:
        """A `pull_request_review_comment` event."""
        pull = comment.thread.pull
        payload = {
            "action": "created", "comment": self.shapes.review_comment(comment),
            "pull_request": description().completed("pull-request", self.shapes.pull(pull)),
        }  # fmt: skip
        self.event(pull.repo, "pull_request_review_comment", comment.author, payload)

    def resolve(self, thread: Thread, by: str) -> None:
        """Resolve a conversation."""
        with self.lock:
            self.set_resolved(thread, self._known(by), "resolved")

    def unresolve(self, thread: Thread, by: str) -> None:
        """Reopen it."""
        with self.lock:
            self.set_resolved(thread, self._known(by), "unresolved")

    def set_resolved(self, thread: Thread, by: Account, action: str) -> None:
        """The same for whoever it is."""
        thread.is_resolved = action == "resolved"
        thread.resolved_by = by if thread.is_resolved else None
        payload = {
            "action": action, "pull_request": description().completed("pull-request", self.shapes.pull(thread.pull)),
            "thread": {"node_id": thread.node, "comments": [self.shapes.review_comment(each) for each in thread.comments]},
        }  # fmt: skip
        self.event(thread.pull.repo, "pull_request_review_thread", by, payload)

    def apply_suggestion(self, comment: ReviewComment, by: str) -> str:
        """Press «Commit suggestion»; the new head."""
        with self.lock:
            pull = comment.thread.pull
            if not pull.head_repo.may_write(by) and not (pull.maintainer_can_modify and pull.repo.may_write(by)):
                raise suggestions.CannotApply("Only those with write access can apply suggestions.")
            content = pull.repo.bare.read(pull.head, comment.thread.path)
            assert content is not None
            pending = [review for review in pull.reviews if review.state == "PENDING"]
            patched = suggestions.applied(comment, pending, content)
            thread = comment.thread
            head = self.push(pull.head_repo, pull.head_ref, {thread.path: patched}, by, f"Update {thread.path}")
            self.set_resolved(thread, self._known(by), "resolved")
            return head

    def press(self, run: CheckRun, identifier: str, by: str) -> None:
        """Press a button of a check."""
        with self.lock:
            assert any(action["identifier"] == identifier for action in run.actions), f"no button {identifier}"
            more = {"requested_action": {"identifier": identifier}}
            self._check_event(run, "requested_action", by, more)

    def rerequest(self, run: CheckRun, by: str) -> None:
        """Press «Re-run»."""
        with self.lock:
            self._check_event(run, "rerequested", by, {})

    def _check_event(self, run: CheckRun, action: str, by: str, more: dict[str, object]) -> None:
        shape = {**self.shapes.check_run(run), "check_suite": self.shapes.check_suite(run.suite)}
        self.event(run.suite.repo, "check_run", self._known(by), {"action": action, "check_run": shape, **more})

    # --- looking

    def suite(self, repo: Repo, app: App, head: str) -> CheckSuite:
        """The suite of an App on a commit, made when it is first needed."""
        for suite in repo.suites:
            if suite.app is app and suite.head == head:
                return suite
        suite = CheckSuite(id=self.number(), repo=repo, app=app, head=head, created=self.clock())
        repo.suites.append(suite)
        return suite

    def find(self, kind: type[Any], among: Callable[[Pull], Sequence[Any]], number: int) -> Any:
        """A thing of any pull request by its number; None where there is none."""
        for repo in self.repos.values():
            for pull in repo.pulls.values():
                for thing in among(pull):
                    if isinstance(thing, kind) and thing.id == number:
                        return thing
        return None


@functools.cache
def _key_pair() -> tuple[bytes, bytes]:
    """One key for all Apps of a test run: making one takes long."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private, public
