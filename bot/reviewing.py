"""One pull request from its number to its check: the run of server, Action and slash commands alike.

It may be repeated at any time and is done when nothing is left to do. Between its steps it asks whether it is still
wanted: a newer head, a closed pull request or a lost lease end it early.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

import templates
from analyzers.source import language_of
from analyzers.summaries import SummaryStore
from bot import pipeline
from bot.changes import ChangeSet
from bot.config import Config, from_tree
from bot.errors import CannotRun
from bot.github.api import GitHub, NewCommit, Person, Remote
from bot.github.errors import Forbidden, NotFound, Unprocessable
from bot.github.model import CheckRun, PullRequest, Repository, Verdict
from bot.marks import bears
from bot.publishing.markers import SUMMARY, State
from bot.publishing.observed import observe
from bot.publishing.plan import planned, silent
from bot.publishing.publisher import Published, Publisher, published
from bot.publishing.verdicts import buttons_for, of_report, of_template
from bot.report import Report
from bot.reporters import sarif
from bot.reporters.markup import code, prose
from bot.reporters.page import Page
from bot.trees import is_setting

_LOG = logging.getLogger(__name__)

FEW_FILES = 300
"""Up to so many changed files GitHub is asked for their names before anything is fetched."""

Ending = Literal["published", "nothing to do", "closed", "skipped", "not run"]


class Superseded(Exception):
    """This run is no longer wanted: a newer one does its work. `head` is the newest, where it is known."""

    def __init__(self, head: str = "") -> None:
        super().__init__(f"superseded by {head[:12]}" if head else "superseded")
        self.head = head


class ChangeSource(Protocol):
    """Where the trees of a change come from: the workspace of a server, or the clone of a workflow."""

    def change(
        self, id: int, remote: Remote, base: str, head: str
    ) -> contextlib.AbstractContextManager[ChangeSet]:
        """The change that `head` makes since it left `base`."""

    def push(self, id: int, remote: Remote, new: NewCommit, author: Person) -> str:
        """Make a commit and push it; its id. Errors are those of `bot.github.errors`."""


class Books(Protocol):
    """What is remembered beside GitHub; losing it costs figures, not correctness."""

    def is_first(self, repository: int) -> bool:
        """Whether a repository was never reviewed before."""

    def record(self, repository: int, full_name: str, number: int, published: Published) -> None:
        """What was published."""


class NoBooks:
    """Remembers nothing."""

    def is_first(self, repository: int) -> bool:
        """See `Books`."""
        return False

    def record(self, repository: int, full_name: str, number: int, published: Published) -> None:
        """See `Books`."""


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a run may use. `still_wanted` raises `Superseded` where it was overtaken.

    `time_budget` are seconds that no analysis may take, whatever the config says; `adjust` changes the config of the base branch; `is_workflow`: what we commit starts no other workflow.
    """

    source: ChangeSource
    books: Books
    store: SummaryStore | None = None
    jobs: int = 1
    time_budget: float = 900.0
    still_wanted: Callable[[], None] = lambda: None
    adjust: Callable[[Config], Config] = lambda config: config
    is_workflow: bool = False


class Reviewed(msgspec.Struct, frozen=True):
    """What came of a run. `report` is there where the change was analysed."""

    ending: Ending
    verdict: Verdict
    report: Report | None = None
    config: Config = Config()


Decision = Callable[[State, Report], State]
"""What people decide, given what they decided before and what was found."""


def review(
    github: GitHub, number: int, means: Means, run: str = "", decide: Decision = lambda state, report: state,
    before: str = "",
) -> Reviewed:
    """Review a pull request as it is now. Where all stands already, nothing is written: a complete check says
    nothing of the threads, since a force-push may bring its head back.

    `run` names a repetition that somebody asked for; `decide` changes what people decided (ignored, paused);
    `before` is the head that the last push replaced.
    """
    return _Run(github, number, means, run, decide, before).result()


def analysed(github: GitHub, change: ChangeSet, config: Config, means: Means) -> Report:
    """The report on a change. Superseded where the run was overtaken on the way."""

    def progress(stage: str, done: int, total: int) -> None:
        means.still_wanted()

    budget = min(means.time_budget, config.scan.time_budget or means.time_budget)
    asked = pipeline.Asked(time_budget=budget, jobs=means.jobs, store=means.store, progress=progress)
    return pipeline.run(msgspec.structs.replace(change, repository=github.name), config, asked)


class _Run:
    def __init__(
        self, github: GitHub, number: int, means: Means, run: str, decide: Decision, before: str
    ) -> None:
        self._github, self._number, self._means = github, number, means
        self._decide, self._before = decide, before
        self._pull = github.pull_request(number)
        self._head = self._pull.head.sha
        phase = "draft" if self._pull.is_draft else "open"
        self._name = f"pr={number} base={self._pull.base.ref} {phase} run={run}"[:250]
        self._check: CheckRun | None = None

    def result(self) -> Reviewed:
        runs = self._github.check_runs(self._head) if self._github.may("checks") else []
        self._check = next((run for run in runs if run.external_id == self._name and not run.is_void), None)
        if self._pull.state == "closed":
            verdict = of_template("closed", "cancelled", _command())
            if self._check is not None and self._check.status != "completed":
                return self._ended("closed", verdict)
            return Reviewed("closed", verdict)
        if self._pull.changed_files <= FEW_FILES and not self._has_sources() and not self._has_spoken():
            return self._ended("nothing to do", of_template("none", "success", {}))
        repository = self._github.repository()
        if repository.is_archived:
            _LOG.info("archived: nothing can be written", extra={"repository": self._github.name})
            return Reviewed("not run", _broken("the repository is archived", "Nothing can be written in an archived repository."))
        self._queue()
        self._release()
        try:
            return self._analysed(repository)
        except Superseded as overtaken:
            self._leave(overtaken)
            raise
        except CannotRun as error:
            return self._ended("not run", _broken("the change cannot be read", str(error)))

    def _is_complete(self) -> bool:
        return self._check is not None and self._check.status == "completed"

    def _has_sources(self) -> bool:
        paths = self._github.changed_paths(self._number)
        return any(language_of(path) is not None or is_setting(path) for path in paths)

    def _has_spoken(self) -> bool:
        """Whether an earlier head led to comments, which may be out of date now."""
        comments = self._github.comments(self._number)
        return any(each.author == self._github.login and bears(each.body, SUMMARY) for each in comments)

    # --- the check

    def _queue(self) -> None:
        if self._check is None and self._github.may("checks"):
            self._means.still_wanted()
            with contextlib.suppress(Forbidden):
                self._check = self._github.create_check(self._head, self._name, None)

    def _ended(self, ending: Ending, verdict: Verdict) -> Reviewed:
        if self._github.may("checks"):
            self._means.still_wanted()
            with contextlib.suppress(Forbidden):
                if self._check is None:
                    self._github.create_check(self._head, self._name, verdict)
                elif not self._is_complete() or self._check.conclusion != verdict.conclusion:
                    self._github.update_check(self._check, verdict)
        return Reviewed(ending, verdict)

    def _leave(self, overtaken: Superseded) -> None:
        """End the check where the head is another now. Where only the lease was lost, somebody else goes on with it."""
        if self._check is None or self._is_complete():
            return
        with contextlib.suppress(Forbidden, NotFound):
            head = overtaken.head or self._github.pull_request(self._number).head.sha
            if head != self._head:
                self._github.update_check(self._check, of_template("superseded", "cancelled", {"head": head}))

    def _release(self) -> None:
        """Runs that were killed left their checks queued, here or on the head before: those would wait for days."""
        if not self._github.may("checks"):
            return
        known = {self._before, self._head} - {""}
        for head in sorted(known):
            with contextlib.suppress(Forbidden, NotFound, Unprocessable):
                for run in self._github.check_runs(head):
                    is_ours = run.external_id.startswith(f"pr={self._number} ")
                    if is_ours and run.status != "completed" and (self._check is None or run.id != self._check.id):
                        self._means.still_wanted()
                        verdict = of_template("superseded", "cancelled", {"head": self._head})
                        self._github.update_check(run, verdict)

    # --- the run

    def _analysed(self, repository: Repository) -> Reviewed:
        pull = self._pull
        source = self._means.source.change(repository.id, self._github.remote(), pull.base.sha, self._head)
        with source as change:
            try:
                config = self._means.adjust(from_tree(change.settings))
            except CannotRun as error:
                return self._ended("not run", _broken(".leakmend.toml on the base branch", str(error)))
            if reason := _skipped(pull, config):
                return self._ended("skipped", of_template("skipped", "skipped", {"title": reason, **_command()}))
            try:
                report = analysed(self._github, change, config, self._means)
            except CannotRun as error:
                return self._ended("not run", _broken("settings on the base branch", str(error)))
            welcome = self._welcome(repository, change, config)
        moved = self._moved()
        if moved is not None:
            return moved
        return self._published(report, config, repository, welcome)

    def _moved(self) -> Reviewed | None:
        """Look again: a lot can happen during a run. Superseded where the head or the base are others now."""
        live = self._github.pull_request(self._number)
        if live.state == "closed":
            return self._ended("closed", of_template("closed", "cancelled", _command()))
        if live.head.sha != self._head or live.base.ref != self._pull.base.ref:
            raise Superseded(live.head.sha)
        return None

    def _still_wanted(self) -> None:
        self._means.still_wanted()
        live = self._github.pull_request(self._number)
        if live.head.sha != self._head:
            raise Superseded(live.head.sha)

    def _published(self, report: Report, config: Config, repository: Repository, welcome: str) -> Reviewed:
        github, pull = self._github, self._pull
        observed = observe(github, self._number, self._head)
        state = self._decide(observed.state, report)
        page = Page(permalink=f"{github.web_url}/blob/{self._head}/")
        plan = planned(report, observed, state, config, page)
        if pull.is_draft or state.is_paused:
            plan = silent(plan, observed, state)
        obstacle = Publisher(github, self._number, self._head, self._still_wanted).publish(plan, observed)
        remarks = [*_remarks(pull, state), *_obstacle(obstacle)]
        buttons = buttons_for(plan.report, config, pull, github)
        verdict = of_report(plan.report, config, page, welcome, remarks, buttons)
        self._upload(report)
        ended = self._ended("published", verdict)
        self._means.books.record(repository.id, github.name, self._number, published(plan, observed))
        return msgspec.structs.replace(ended, report=plan.report, config=config)

    def _upload(self, report: Report) -> None:
        """SARIF, where the installation granted it: that is how it is asked for."""
        if not self._github.is_granted("security_events"):
            return
        text = sarif.render(report, Page()).encode()
        with contextlib.suppress(Forbidden, NotFound):
            self._github.upload_sarif(self._head, f"refs/pull/{self._number}/head", text)

    def _welcome(self, repository: Repository, change: ChangeSet, config: Config) -> str:
        """Once per repository: that it is watched, and what there is already."""
        if not self._means.books.is_first(repository.id) or change.before is None:
            return ""
        everything = msgspec.structs.replace(change, after=change.before, before=None, base=None, files=())
        means = msgspec.structs.replace(self._means, time_budget=_WELCOME_SECONDS)
        known = analysed(self._github, everything, config, means)
        return templates.render(
            "checks/welcome.md",
            count=len(known.outcomes),
            is_partial=not known.complete,
            command=code("leakmend scan ."),
            label=code(config.bot.labels.skip),
            config=code(".leakmend.toml"),
        ).strip()


_WELCOME_SECONDS = 60.0


def _skipped(pull: PullRequest, config: Config) -> str:
    if pull.author in config.bot.skip_authors:
        return f"pull requests of {pull.author} are left out by .leakmend.toml"
    if config.bot.labels.skip in pull.labels:
        return f"label {config.bot.labels.skip}"
    return ""


def _remarks(pull: PullRequest, state: State) -> Sequence[str]:
    found = []
    if pull.is_draft:
        found.append("draft")
    if pull.is_mergeable is False:
        found.append("conflict")
    if state.is_paused:
        found.append("paused")
    return [templates.render("checks/remark.md", kind=kind, base=code(pull.base.ref)).strip() for kind in found]


def _obstacle(reason: str) -> Sequence[str]:
    return [templates.render("checks/remark.md", kind="obstacle", base=prose(reason)).strip()] if reason else []


def _broken(title: str, message: str) -> Verdict:
    return of_template("broken", "neutral", {"title": title, "message": prose(message), **_command()})


def _command() -> Mapping[str, object]:
    return {"command": code("/leakcheck run")}

