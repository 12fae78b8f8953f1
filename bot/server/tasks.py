"""What each kind of job does. Everything here may be repeated: a worker may die at any point."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator

from bot.commands.executing import execute
from bot.commands.parser import Command, parse
from bot.dispatch import Wanted, Work, learning, number_of
from bot.github.adapter import RestGitHub
from bot.github.app import App
from bot.github.errors import Forbidden, NotFound, Unauthorized
from bot.learning import Turn, learn
from bot.publishing.verdicts import of_template
from bot.pull_requests import close_for, update_for
from bot.reporters.markup import code, prose
from bot.reviewing import Means, Reviewed, review
from bot.server.keeping import Keeping
from bot.server.loop import Rights, ToBeContinued
from bot.store import SqliteStore
from bot.webhook.events import (
    ActionRequested,
    BranchMoved,
    CommentWritten,
    InstallationChanged,
    MergeGroupWanted,
    PullRequestClosed,
    Repository,
    ReviewWanted,
)

_LOG = logging.getLogger(__name__)

MOST_ARRIVED = 50
"""Of so many repositories that arrive at once the default branch is analysed beforehand; of others when they are first reviewed."""

_TURN_SECONDS = 120.0
_PAUSE = 20.0


def _nowhere(wanted: Wanted) -> None:
    """Where nothing is analysed beforehand."""


class Tasks:
    """Does the work of jobs, as one App. `wish` takes what may be done when nobody waits."""

    def __init__(self, app: App, keeping: Keeping, jobs: int, wish: Callable[[Wanted], None] = _nowhere) -> None:
        self._app, self._keeping, self._books = app, keeping, keeping.books
        self._jobs, self._wish = jobs, wish

    def do(self, work: Work, name: str, rights: Rights) -> str:
        """Do it; how it ended, in a word or two. `name` tells this request from all others."""
        try:
            match work:
                case ReviewWanted(repository, number):
                    return self._review(repository, number, "", rights, work.before)
                case ActionRequested(repository):
                    return self._button(work, name, rights)
                case CommentWritten(repository):
                    with self._at(repository, rights) as github, self._means(repository, rights) as means:
                        return execute(github, work, parse(work.body), means)
                case PullRequestClosed(repository, number):
                    with self._at(repository, rights) as github:
                        close_for(github, number)
                    return "closed"
                case MergeGroupWanted(repository, head):
                    return self._merge_group(repository, head, rights)
                case InstallationChanged():
                    return self._installation(work)
                case BranchMoved():
                    return self._learn(work, rights)
        except (Unauthorized, NotFound) as error:
            _LOG.info("not for us any more: %s", error)
            return "gone"

    def failed(self, work: Work, error: str) -> None:
        """The last attempt failed: say so on the check, as far as that works."""
        if not isinstance(work, ReviewWanted):
            return
        with self._at(work.repository) as github:
            head = github.pull_request(work.number).head.sha
            verdict = of_template("failed", "neutral", {"message": prose(error), "command": code("/leakcheck run")})
            for run in github.check_runs(head):
                if number_of(run.external_id) == work.number and run.status != "completed":
                    github.update_check(run, verdict)

    # --- the work

    def _review(self, repository: Repository, number: int, run: str, rights: Rights, before: str = "") -> str:
        with self._at(repository, rights) as github, self._means(repository, rights) as means:
            reviewed = review(github, number, means, run, before=before)
            self._mend(github, number, reviewed)
        if reviewed.report is not None:
            self._wish(learning(BranchMoved(repository)))
        return reviewed.ending

    def _mend(self, github: RestGitHub, number: int, reviewed: Reviewed) -> None:
        """Keep the auto-fix pull request in step, where the repository asked for one or somebody opened one."""
        if reviewed.report is None or reviewed.config.bot.autofix == "never":
            return
        with contextlib.suppress(Forbidden):
            update_for(github, github.pull_request(number), reviewed.config, reviewed.report)

    def _button(self, work: ActionRequested, name: str, rights: Rights) -> str:
        with self._at(work.repository) as github:
            numbers = [number_of(work.external_id)] if number_of(work.external_id) else [
                pull.number for pull in github.open_pull_requests() if pull.head.sha == work.head
            ]
        if work.action not in ("fix", "fix-pull-request"):
            return " ".join(self._review(work.repository, number, name, rights) for number in numbers) or "gone"
        command = Command("fix", wants_pull_request=work.action == "fix-pull-request")
        for number in numbers:
            pressed = CommentWritten(work.repository, number, 0, work.sender, "", "issue", work.sender_id)
            with self._at(work.repository, rights) as github, self._means(work.repository, rights) as means:
                execute(github, pressed, (command,), means, name)
        return "button"

    def _merge_group(self, repository: Repository, head: str, rights: Rights) -> str:
        with self._at(repository, rights) as github:
            if not any(run.external_id == "merge-group" for run in github.check_runs(head)):
                github.create_check(head, "merge-group", of_template("merge_group", "success", {}))
        return "merge group"

    def _learn(self, moved: BranchMoved, rights: Rights) -> str:
        """One turn of analysing the default branch beforehand."""
        with self._at(moved.repository, rights) as github, self._means(moved.repository, rights) as means:
            ending = learn(github, moved.head, means, Turn(rights.may_go_on, _TURN_SECONDS))
        if ending == "to be continued":
            raise ToBeContinued(_PAUSE if not rights.may_go_on() else 0.0)
        return ending

    def _installation(self, work: InstallationChanged) -> str:
        self._app.drop_tokens(work.installation)
        match work.action:
            case "deleted":
                for id in self._books.removed(work.installation, ()):
                    self._keeping.forget(id)
            case "removed":
                self._books.removed(work.installation, work.removed)
        for repository in work.arrived[:MOST_ARRIVED]:
            self._wish(learning(BranchMoved(repository)))
        return f"installation {work.action}"

    def sweep(self) -> None:
        """Delete what was kept long enough."""
        self._keeping.sweep()

    # --- what jobs use

    @contextlib.contextmanager
    def _at(self, repository: Repository, rights: Rights | None = None) -> Iterator[RestGitHub]:
        """A repository. Should somebody who lost the pull request hang in a write, that lands before we look."""
        installation = repository.installation or self._app.installation_of(repository.full_name) or 0
        if not installation:
            raise NotFound(f"no installation covers {repository.full_name}")
        guard = rights.still_ours if rights else lambda: None
        opened = self._app.repository(installation, repository.id, repository.full_name, guard)
        with contextlib.closing(opened) as github:
            github.remote()  # asks for a token: Unauthorized where the installation is gone
            self._books.seen(repository.id, repository.full_name, installation)
            if rights is not None:
                github.let_writes_land()
            yield github

    @contextlib.contextmanager
    def _means(self, repository: Repository, rights: Rights) -> Iterator[Means]:
        with SqliteStore(self._keeping.cache_of(repository.id)) as store:
            yield Means(
                source=self._keeping.workspace, books=self._books, store=store, jobs=self._jobs, still_wanted=rights.still_wanted
            )

