"""`/leakcheck fix`: one signed commit with the fixes that were asked for, or the patch where we may not commit.

The fixes are computed and proved on the head of this moment; GitHub takes the commit only if the head is still that.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

import templates
from bot.commands.current import Current, current
from bot.commands.parser import Command
from bot.commands.refusal import Refused, one_of
from bot.github.api import GitHub, NewCommit
from bot.github.errors import Conflict, Forbidden, NotFound, Unprocessable
from bot.github.model import PullRequest
from bot.patching import Patch, patch_of
from bot.pull_requests import update_for
from bot.report import Outcome, Report
from bot.reporters.cards import short_ids
from bot.reporters.markup import code, fence, message, prose
from bot.reporters.view import assumptions, checks, is_safe, plural
from bot.reviewing import Means
from fixers.fix import Declined, Fix

WORKFLOWS = ".github/workflows/"
"""Never touched, whatever was found there."""

_PUSH = "`/leakcheck fix --push`"
_MOST_PATCH = 50_000


class Asked(msgspec.Struct, frozen=True):
    """Who asked for what, in which comment (0: a button)."""

    author: str
    author_id: int
    comment: int
    command: Command


def fixed(github: GitHub, pull: PullRequest, asked: Asked, means: Means) -> str:
    """Do it; the text of the answer."""
    if done := _done_before(github, pull, asked):
        return done
    now = current(github, pull, means)
    if now.config.bot.autofix == "never":
        raise Refused('fixes are switched off here: `autofix = "never"` in `.leakmend.toml` on the base branch')
    if asked.command.wants_pull_request:
        return _as_pull_request(github, pull, now, means)
    patch = patch_for(now.report, asked.command.ids)
    if not patch.files:
        return _nothing(now.report)
    if obstacle := _obstacle(pull, asked.command):
        return _as_patch(patch, now.report, obstacle)
    try:
        commit = _committed(github, pull, new_commit(pull, patch, asked, now, github.web_url), means)
    except Conflict:
        raise Refused("the branch moved at this very moment: nothing was committed, ask again") from None
    except (Forbidden, NotFound):
        return _as_patch(patch, now.report, "leakmend may not write to this branch")
    except Unprocessable as error:
        return _as_patch(patch, now.report, f"GitHub refused the commit ({error}); the branch may be protected")
    return templates.render(
        "commands/fixed.md", commit=commit, mended=_rows(patch.mended, now.report), left=_rows(patch.left, now.report),
        is_workflow=means.is_workflow, code=code, prose=prose,
    )  # fmt: skip


def _obstacle(pull: PullRequest, command: Command) -> str:
    """Why nothing is committed to a fork; empty where something is."""
    if not pull.is_fork:
        return ""
    if command.wants_push and pull.is_open_to_us:
        return ""
    if not command.wants_push and pull.is_open_to_us:
        return f"the branch lies in a fork; its author lets maintainers write there, and {_PUSH} does"
    if command.wants_push and not pull.head.is_personal:
        return "the fork belongs to an organization, where GitHub lets nobody else push"
    if command.wants_push:
        return "the author of the fork does not let maintainers write to it"
    return "the branch lies in a fork, where leakmend does not write"


def _committed(github: GitHub, pull: PullRequest, new: NewCommit, means: Means) -> str:
    """The commit on the branch: signed by GitHub, but for forks, where only git may write."""
    if not pull.is_fork:
        return github.commit(new)
    id = github.repository().id
    return github.push(pull.head.repository, lambda remote, author: means.source.push(id, remote, new, author))


def patch_for(report: Report, prefixes: Sequence[str]) -> Patch:
    """The safe fixes, or exactly those that are named, unsafe ones too."""
    if prefixes:
        known = [outcome.fingerprint for outcome in report.outcomes]
        names = [one_of(prefix, known) for prefix in prefixes]
        named = tuple(outcome for outcome in report.outcomes if outcome.fingerprint in names)
        for outcome in named:
            if isinstance(outcome.answer, Declined):
                raise Refused(f"`{outcome.fingerprint[:8]}` has no fix: {outcome.answer.reason}")
        patch = patch_of(msgspec.structs.replace(report, outcomes=named), names)
    else:
        patch = patch_of(report, ())
    return msgspec.structs.replace(
        patch, files=tuple(file for file in patch.files if not file[0].startswith(WORKFLOWS))
    )


def new_commit(pull: PullRequest, patch: Patch, asked: Asked, now: Current, web_url: str) -> NewCommit:
    """The commit as it will stand in the history."""
    first = patch.mended[0].finding
    named = f"`{first.variable}`" if first.variable and len(patch.mended) == 1 else plural(len(patch.mended), "leak")
    body = templates.render(
        "commands/commit.txt",
        rows=_rows(patch.mended, now.report),
        comment=asked.comment,
        author=asked.author if _is_login(asked.author) else "",
        address=f"{asked.author_id}+{asked.author}" if asked.author_id else asked.author,
        host=urlsplit(web_url).hostname or "github.com",
        trailers=now.config.bot.commit_trailers,
    )
    headline = message(f"Close {named} (leakmend)")
    return NewCommit(pull.head.ref, pull.head.sha, headline, body.strip(), {path: after for path, _, after in patch.files})


def _done_before(github: GitHub, pull: PullRequest, asked: Asked) -> str:
    """An earlier run may have ended right after its commit."""
    if not asked.comment or asked.command.wants_pull_request or _obstacle(pull, asked.command):
        return ""
    author, said = github.author_and_message(pull.head.sha)
    if f"comment {asked.comment}." not in said or author not in ("", github.login):
        return ""
    return templates.render("commands/fixed.md", commit=pull.head.sha, mended=(), left=(), is_workflow=False, code=code, prose=prose)


def _as_pull_request(github: GitHub, pull: PullRequest, now: Current, means: Means) -> str:
    if pull.is_fork:
        return _as_patch(patch_for(now.report, ()), now.report, "the branch lies in a fork, where leakmend does not write")
    try:
        number = update_for(github, pull, now.config, now.report, is_asked=pull.number)
    except (Forbidden, NotFound):
        return _as_patch(patch_for(now.report, ()), now.report, "leakmend may not write to this repository")
    if not number:
        return _nothing(now.report)
    return templates.render("commands/pull_request.md", number=number, is_workflow=means.is_workflow)


def _as_patch(patch: Patch, report: Report, why: str) -> str:
    if not patch.files:
        return _nothing(report)
    diff = patch.diff
    text = fence(diff, "diff") if len(diff) <= _MOST_PATCH else ""
    return templates.render("commands/patch.md", why=prose(why), patch=text, code=code)


def _nothing(report: Report) -> str:
    unsafe = [each for each in report.introduced if isinstance(each.answer, Fix) and not is_safe(each)]
    return templates.render("commands/nothing.md", unsafe=_rows(unsafe, report), code=code, prose=prose)


class Row(msgspec.Struct, frozen=True):
    """A finding in an answer or a commit message."""

    id: str
    message: str
    title: str
    checks: str
    assumed: str


def _rows(outcomes: Sequence[Outcome], report: Report) -> list[Row]:
    ids = short_ids(report)
    return [
        Row(
            ids.get(outcome.fingerprint, outcome.fingerprint),
            message(outcome.finding.message),
            message(outcome.answer.title),
            ", ".join(check.name for check in checks(outcome.answer)),
            ", ".join(check.name for check in assumptions(outcome.answer)),
        )
        for outcome in outcomes
        if isinstance(outcome.answer, Fix)
    ]


def _is_login(text: str) -> bool:
    return bool(text) and all(character.isalnum() or character in "-_[]" for character in text)
