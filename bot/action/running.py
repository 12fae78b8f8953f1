"""One event of a workflow: what it asks for, done with the token of the job.

Head code is fetched as objects and read; it is never checked out, built or run, so `issue_comment` and
`pull_request_target` are as safe as `pull_request`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec

from analyzers.tree import MemoryTree
from bot.action import telling
from bot.action.inputs import Inputs
from bot.changes import ChangeSet
from bot.commands.executing import execute
from bot.commands.parser import parse as commands_of
from bot.config import Config
from bot.errors import CannotRun
from bot.github.adapter import RestGitHub
from bot.github.api import NewCommit, Person, Remote
from bot.github.auth import GivenToken
from bot.github.errors import Forbidden, NotFound
from bot.github.limits import LocalPace
from bot.github.model import PullRequest
from bot.github.transport import Transport
from bot.github.workspace import Workspace
from bot.learning import Turn, learn
from bot.publishing.verdicts import of_template
from bot.pull_requests import close_for, update_for
from bot.report import Report
from bot.reporters.view import plural
from bot.reviewing import Means, NoBooks, Reviewed, review
from bot.store import SqliteStore
from bot.trees import CONFIG_FILE
from bot.webhook.events import (
    BranchMoved,
    CommentWritten,
    MergeGroupWanted,
    PullRequestClosed,
    ReviewWanted,
    parse,
)

LOGIN = "github-actions[bot]"
"""Who `GITHUB_TOKEN` is."""

_EVENTS = ("pull_request", "pull_request_target", "issue_comment", "pull_request_review_comment", "merge_group", "push")
_NOTHING = {"checks": "read", "contents": "read", "pull_requests": "read", "issues": "read"}


class Job:
    """The work of one step. `lines` are for standard output: annotations."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self.lines: list[str] = []

    def run(self) -> int:
        """Do what the event asks for; the exit status."""
        name = self._inputs.event
        if name not in _EVENTS:
            return self._nothing(f"nothing to do for the event {name!r}: use pull_request, issue_comment, merge_group or push")
        event = parse(name.replace("_target", ""), self._inputs.payload)
        match event:
            case ReviewWanted(_, number):
                return self._review(number)
            case PullRequestClosed(_, number):
                with contextlib.suppress(Forbidden):
                    close_for(self._github({}), number)
                return self._nothing("the pull request is closed")
            case CommentWritten():
                return self._comment(event)
            case MergeGroupWanted(_, head):
                return self._merge_group(head)
            case BranchMoved(_, head):
                return self._learn(head)
        return self._nothing(f"nothing to do for this {name}")

    def _nothing(self, why: str) -> int:
        telling.write_page(self._inputs, "leakmend", why[:1].upper() + why[1:] + ".", ())
        telling.write_files(self._inputs, Report(outcomes=()))
        return 0

    # --- pull requests

    def _review(self, number: int) -> int:
        github = self._github({})
        pull = github.pull_request(number)
        remarks = []
        try:
            reviewed = self._reviewed(self._github(_NOTHING) if _is_read_only(pull, self._inputs) else github, pull)
        except Forbidden:  # the workflow gave fewer permissions than we can use
            remarks.append("permission")
            reviewed = self._reviewed(self._github({**_NOTHING, "checks": "write"}), pull)
        if _is_read_only(pull, self._inputs):
            remarks.append("fork")
        elif reviewed.report is not None:
            self._mend(github, number, reviewed)
        return self._told(github, pull, reviewed, remarks)

    def _reviewed(self, github: RestGitHub, pull: PullRequest) -> Reviewed:
        with self._means() as means:
            return review(github, pull.number, means, self._inputs.run)

    def _mend(self, github: RestGitHub, number: int, reviewed: Reviewed) -> None:
        """Keep the auto-fix pull request in step."""
        if reviewed.report is not None and reviewed.config.bot.autofix != "never":
            with contextlib.suppress(Forbidden, NotFound):
                update_for(github, github.pull_request(number), reviewed.config, reviewed.report)

    def _told(self, github: RestGitHub, pull: PullRequest, reviewed: Reviewed, remarks: list[str]) -> int:
        verdict, report = reviewed.verdict, reviewed.report or Report(outcomes=())
        telling.write_files(self._inputs, report)
        if remarks and not self._has_check(github, pull):
            self.lines += telling.annotate(report, reviewed.config)
        telling.write_page(self._inputs, verdict.title, verdict.summary, remarks)
        if reviewed.ending == "not run":
            self.lines.append(telling.error(f"{verdict.title}. {verdict.summary}"))
            return 2
        return self._status(report, reviewed.config)

    def _has_check(self, github: RestGitHub, pull: PullRequest) -> bool:
        """Whether the findings stand as annotations of a check that was allowed after all."""
        with contextlib.suppress(Forbidden, NotFound):
            runs = github.check_runs(pull.head.sha)
            return any(run.external_id.endswith(f"run={self._inputs.run}") and run.status == "completed" for run in runs)
        return False

    def _status(self, report: Report, config: Config) -> int:
        fail_on = self._inputs.fail_on or ("witnessed" if config.bot.fail_on == "introduced" else "never")
        found = [each for each in report.introduced if fail_on == "assumed" or each.finding.confidence == "witnessed"]
        if fail_on == "never" or not found:
            return 0
        self.lines.append(telling.error(f"{plural(len(found), 'finding')} at or above `fail-on: {fail_on}`"))
        return 1

    # --- comments and merge queues

    def _comment(self, asked: CommentWritten) -> int:
        commands = commands_of(asked.body)
        if not commands:
            return self._nothing("the comment holds no /leakcheck command")
        with self._means() as means:
            ending = execute(self._github({}), asked, commands, means)
        return self._nothing(f"{plural(len(commands), 'command')}: {ending}")

    def _merge_group(self, head: str) -> int:
        """The queue waits for a check of our name; each pull request had its own."""
        github = self._github({})
        verdict = of_template("merge_group", "success", {})
        with contextlib.suppress(Forbidden):
            if not any(run.external_id == "merge-group" for run in github.check_runs(head)):
                github.create_check(head, "merge-group", verdict)
        telling.write_page(self._inputs, verdict.title, verdict.summary, ())
        telling.write_files(self._inputs, Report(outcomes=()))
        return 0

    # --- the default branch

    def _learn(self, head: str) -> int:
        """Pull requests find what is computed here in the cache of the workflow, and redo only what they touch."""
        with self._means() as means:
            ending = learn(self._github({}), head, means, Turn(lambda: True, means.time_budget))
        how = "as far as the time went" if ending in ("to be continued", "given up") else ending
        return self._nothing(f"the default branch was analysed for later reviews: {how}")

    # --- what the run uses

    def _github(self, permissions: dict[str, str]) -> RestGitHub:
        tokens = GivenToken(self._inputs.token, permissions)
        transport = Transport(self._inputs.endpoint.api_url, tokens, LocalPace(self._inputs.write_gap))
        return RestGitHub(transport, self._inputs.repository, LOGIN, self._inputs.endpoint.site)

    @contextlib.contextmanager
    def _means(self) -> Iterator[Means]:
        folder = self._inputs.folder
        folder.mkdir(parents=True, exist_ok=True)
        with SqliteStore(folder / "results.sqlite") as store:
            source = _Clones(Workspace(folder / "clones"), self._inputs.config)
            yield Means(
                source=source, books=NoBooks(), store=store, jobs=self._inputs.jobs, adjust=self._inputs.adjusted,
                is_workflow=True,
            )  # fmt: skip


class _Clones:
    """A workspace whose settings are in the file that the workflow names, on the base commit."""

    def __init__(self, workspace: Workspace, config: str) -> None:
        self._workspace, self._config = workspace, config

    def push(self, id: int, remote: Remote, new: NewCommit, author: Person) -> str:
        """See `ChangeSource`."""
        return self._workspace.push(id, remote, new, author)

    @contextlib.contextmanager
    def change(self, id: int, remote: Remote, base: str, head: str) -> Iterator[ChangeSet]:
        """See `ChangeSource`."""
        with self._workspace.change(id, remote, base, head) as change:
            if self._config == CONFIG_FILE:
                yield change
                return
            files = {path: change.settings.read(path) for path, _ in change.settings.paths() if path != CONFIG_FILE}
            if self._config not in files:
                raise CannotRun(f"{self._config} is not on the base commit")
            settings = MemoryTree({**files, CONFIG_FILE: files[self._config]})
            yield msgspec.structs.replace(change, settings=settings)


def _is_read_only(pull: PullRequest, inputs: Inputs) -> bool:
    """Whether GitHub gave a token that can write nothing: a fork's pull request, but for `pull_request_target`."""
    return pull.is_fork and inputs.event != "pull_request_target"
