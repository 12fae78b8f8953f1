"""`/leakcheck explain ID`: the witness path with its code, and the proof of the fix or the reason for none."""

from __future__ import annotations

from collections.abc import Sequence

import templates
from bot.commands.current import current
from bot.commands.refusal import one_of
from bot.github.api import GitHub
from bot.github.model import PullRequest
from bot.reporters.cards import CardStep, cards
from bot.reporters.markup import code, fence, link, prose
from bot.reporters.view import Sources
from bot.reviewing import Means

_CONTEXT = 2
_MOST_STEPS = 40
_MOST_COLUMNS = 200


def explanation(github: GitHub, pull: PullRequest, prefix: str, means: Means) -> str:
    """The text of the answer."""
    report = current(github, pull, means).report
    everything = [*report.outcomes, *(silenced.outcome for silenced in report.suppressed)]
    name = one_of(prefix, [outcome.fingerprint for outcome in everything])
    outcome = next(each for each in everything if each.fingerprint == name)
    sources = Sources(report.sources)
    (card,) = cards([outcome], report, sources)
    permalink = f"{github.web_url}/blob/{pull.head.sha}/"
    return templates.render(
        "commands/explain.md",
        card=card,
        finding=outcome.finding,
        steps=card.steps[:_MOST_STEPS],
        left_out=max(len(card.steps) - _MOST_STEPS, 0),
        patch=fence(card.patch, "diff") if card.patch else "",
        code=code,
        prose=prose,
        link=lambda path, line: link(path, line, permalink),
        excerpts=_excerpts(card.steps[:_MOST_STEPS], sources),
    )


def _excerpts(steps: Sequence[CardStep], sources: Sources) -> list[str]:
    """One per step, empty where it is that of the step before."""
    result, before = [], None
    for step in steps:
        here = (step.place.path, step.place.line)
        result.append(_excerpt(sources, *here) if here != before else "")
        before = here
    return result


def _excerpt(sources: Sources, path: str, line: int) -> str:
    """A few lines around a step, its own marked."""
    first, last = max(line - _CONTEXT, 1), min(line + _CONTEXT, sources.count(path))
    rows = [
        f"{'>' if number == line else ' '} {number:5} {_clipped(sources.line(path, number))}" for number in range(first, last + 1)
    ]
    return fence("\n".join(rows), "")


def _clipped(line: str) -> str:
    return line if len(line) <= _MOST_COLUMNS else line[:_MOST_COLUMNS] + "…"
