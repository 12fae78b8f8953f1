"""Auto-fix pull requests: one per source, on `leakmend/pr-<n>`, kept in step with it, left alone once people push.

Every step may be the last of a process: the next run finds the branch or the pull request, and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

import templates
from bot.config import Config
from bot.github.api import GitHub, NewCommit, NewPullRequest
from bot.github.errors import Conflict
from bot.github.model import PullRequest
from bot.patching import Patch, patch_of
from bot.report import Report
from bot.reporters.cards import short_ids
from bot.reporters.markup import code, message, prose
from bot.reporters.view import checks, plural
from fixers.fix import Fix

PREFIX = "leakmend/pr-"
MOST_OPEN = 10
"""Of one repository: more would be a flood."""


def branch_of(number: int) -> str:
    """Where the fixes of a pull request go."""
    return f"{PREFIX}{number}"


def update_for(github: GitHub, pull: PullRequest, config: Config, report: Report, is_asked: int = 0) -> int:
    """Open, update or close the auto-fix pull request of `pull`; its number, 0 where there is none.

    Without being asked, one is only opened where the config says so; one that is there is kept in step.
    """
    if pull.is_fork or pull.state == "closed" or pull.head.ref.startswith(PREFIX):
        return 0
    branch = branch_of(pull.number)
    opened = next(iter(github.open_pull_requests(branch)), None)
    if opened is None and not is_asked and config.bot.autofix != "pull-request":
        return 0
    patch = patch_of(report, ())
    files = [file for file in patch.files if not file[0].startswith(".github/workflows/")]
    if not files:
        _close(github, opened, branch)
        return 0
    if opened is None and _open_count(github) >= MOST_OPEN:
        return 0
    if not _is_ours(github, pull, branch):
        return opened.number if opened else 0
    _commit(github, pull, patch, report, config.bot.commit_trailers)
    title = f"Mend {plural(len(patch.mended), 'leak')} of #{pull.number}"
    body = templates.render(
        "autofix/body.md", number=pull.number, rows=_rows(patch, report), head=pull.head.sha, code=code, prose=prose
    )
    if opened is None:
        return github.create_pull_request(NewPullRequest(title, body, branch, pull.head.ref)).number
    github.edit_pull_request(opened.number, title, body)
    return opened.number


def close_for(github: GitHub, number: int) -> None:
    """The source was closed: so is its auto-fix pull request, unless people made it theirs."""
    branch = branch_of(number)
    opened = next(iter(github.open_pull_requests(branch)), None)
    if opened is not None and _is_ours(github, github.pull_request(number), branch):
        _close(github, opened, branch)


def _close(github: GitHub, opened: PullRequest | None, branch: str) -> None:
    if opened is not None:
        github.close_pull_request(opened.number)
        github.delete_branch(branch)


def _open_count(github: GitHub) -> int:
    return sum(each.head.ref.startswith(PREFIX) and not each.is_fork for each in github.open_pull_requests())


def _is_ours(github: GitHub, pull: PullRequest, branch: str) -> bool:
    """Whether nobody else pushed to the branch: its head is our commit, or one that the source had before it."""
    head = github.branch_head(branch)
    if head is None or head == pull.head.sha:
        return True
    author, _ = github.author_and_message(head)
    return author == github.login or head in github.commits(pull.number)


def _commit(github: GitHub, pull: PullRequest, patch: Patch, report: Report, trailers: Sequence[str]) -> None:
    """One commit on top of the source's head, replaced when that moves."""
    branch = branch_of(pull.number)
    rows = _rows(patch, report)
    body = templates.render("autofix/commit.txt", rows=rows, head=pull.head.sha, trailers=trailers).strip()
    head = github.branch_head(branch)
    if head is not None and head != pull.head.sha:
        _, said = github.author_and_message(head)
        if said.partition("\n")[2].strip() == body:
            return
        github.move_branch(branch, pull.head.sha)
    elif head is None:
        github.create_branch(branch, pull.head.sha)
    files = {path: after for path, _, after in patch.files}
    headline = f"Mend {plural(len(patch.mended), 'leak')} (leakmend)"
    try:
        github.commit(NewCommit(branch, pull.head.sha, headline, body, files))
    except Conflict:
        return  # somebody pushed in between: the next run leaves it alone


def _rows(patch: Patch, report: Report) -> list[tuple[str, str, str, int]]:
    ids = short_ids(report)
    return [
        (
            ids[outcome.fingerprint],
            message(outcome.finding.message),
            message(outcome.answer.title),
            len(checks(outcome.answer)),
        )
        for outcome in patch.mended
        if isinstance(outcome.answer, Fix)
    ]
