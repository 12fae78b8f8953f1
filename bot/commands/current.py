"""The report on a pull request as it is at this moment, for commands that answer rather than publish."""

from __future__ import annotations

import msgspec

from bot.commands.refusal import Refused
from bot.config import Config, from_tree
from bot.errors import CannotRun
from bot.github.api import GitHub
from bot.github.model import PullRequest
from bot.publishing.observed import observe
from bot.publishing.settling import settled
from bot.report import Report
from bot.reviewing import Means, analysed


class Current(msgspec.Struct, frozen=True):
    """The settings of the base branch, and the report, with what was ignored among the suppressed."""

    config: Config
    report: Report


def current(github: GitHub, pull: PullRequest, means: Means) -> Current:
    """Analyse the head. Refused where that cannot be done, with the reason."""
    id = github.repository().id
    try:
        with means.source.change(id, github.remote(), pull.base.sha, pull.head.sha) as change:
            config = means.adjust(from_tree(change.settings))
            report = analysed(github, change, config, means)
    except CannotRun as error:
        raise Refused(f"the change cannot be analysed: {error}") from None
    observed = observe(github, pull.number, pull.head.sha)
    return Current(config, settled(report, observed.state.ignored))
