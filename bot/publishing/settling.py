"""A Report as people decided it: what they ignored is silenced, and listed as such."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.config import Config
from bot.publishing.markers import Ignored
from bot.report import Outcome, Report, Suppressed
from bot.reporters.view import by_weight


def settled(report: Report, ignored: Mapping[str, Ignored]) -> Report:
    """The report with what was ignored among the suppressed."""
    kept, silenced = [], []
    for outcome in report.outcomes:
        entry = ignored.get(outcome.fingerprint)
        if entry is None or outcome.introduced is False:
            kept.append(outcome)
        else:
            reason = f"{entry.by}: {entry.reason}" if entry.reason else entry.by
            silenced.append(Suppressed(outcome, "ignore", reason))
    return msgspec.structs.replace(report, outcomes=tuple(kept), suppressed=(*report.suppressed, *silenced))


def commented(report: Report, config: Config) -> list[Outcome]:
    """What is worth a comment of its own, the weightiest first."""
    return [outcome for outcome in by_weight(report.introduced) if wants_comment(outcome, config)]


def wants_comment(outcome: Outcome, config: Config) -> bool:
    """Whether the config wants a finding told beside its line."""
    finding = outcome.finding
    if outcome.is_test and config.at(finding.path).tests != "inline":
        return False
    return config.bot.inline == "assumed" or finding.confidence == "witnessed"
