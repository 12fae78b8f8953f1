"""One finding laid out for people: what the terminal, Markdown and HTML reporters draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from analyzers.finding import Confidence, Role
from bot.report import Outcome, Report
from bot.reporters.view import Place, Sources, assumptions, carrier, checks, is_safe, one_click, patch
from fixers.diff import Suggestion
from fixers.fix import Check, Declined, Fix

MIN_ID = 8
"""Digits of a fingerprint that are shown, unless two findings share them."""


class CardStep(msgspec.Struct, frozen=True):
    """A step of the witness: its number from 1, where, what, and the source line there."""

    number: int
    role: Role
    place: Place
    note: str
    source: str


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A finding with everything that is shown of it.

    id         the shortest prefix of the fingerprint that commands understand
    patch      the fix as a unified diff, empty without one
    block      the fix as one block that can be accepted with a click
    declined   why there is no fix, empty where there is one
    together   what else the patch mends
    under      the finding that the patch is shown under, where that is another one
    """

    id: str
    outcome: Outcome
    place: Place
    lost: Place
    steps: tuple[CardStep, ...]
    fix: Fix | None
    patch: str
    block: Suggestion | None
    block_path: str
    checks: tuple[Check, ...]
    assumptions: tuple[Check, ...]
    is_safe: bool
    declined: str
    together: tuple[str, ...]
    under: str

    @property
    def is_witnessed(self) -> bool:
        """Whether the path was followed to its end."""
        return self.outcome.finding.confidence is Confidence.WITNESSED


def cards(outcomes: Iterable[Outcome], report: Report, sources: Sources) -> list[Card]:
    """The outcomes laid out, in the order given."""
    ids = short_ids(report)
    return [_card(outcome, ids, report, sources) for outcome in outcomes]


def _card(outcome: Outcome, ids: dict[str, str], report: Report, sources: Sources) -> Card:
    finding = outcome.finding
    fix = outcome.answer if isinstance(outcome.answer, Fix) else None
    block = one_click(outcome, report, sources)
    shown_under = carrier(outcome, report)
    is_here = shown_under == outcome.fingerprint
    return Card(
        id=ids.get(outcome.fingerprint, outcome.fingerprint),
        outcome=outcome,
        place=sources.place(finding.acquired),
        lost=sources.place(finding.lost),
        steps=tuple(
            CardStep(number, step.role, place, step.note, sources.line(place.path, place.line).strip())
            for number, step in enumerate(finding.witness, start=1)
            for place in (sources.place(step.span),)
        ),
        fix=fix,
        patch=patch(fix.edits, sources) if fix and is_here else "",
        block=block,
        block_path=fix.edits[0].span.path if fix and block else "",
        checks=checks(fix) if fix else (),
        assumptions=assumptions(fix) if fix else (),
        is_safe=is_safe(outcome),
        declined=outcome.answer.reason if isinstance(outcome.answer, Declined) else "",
        together=tuple(ids.get(other, other) for other in outcome.together),
        under="" if is_here else ids.get(shown_under, shown_under),
    )


def short_ids(report: Report) -> dict[str, str]:
    """Fingerprint to the shortest prefix, of `MIN_ID` digits or more, that no other finding of the report has."""
    everything = [*report.outcomes, *report.fixed, *(silenced.outcome for silenced in report.suppressed)]
    return unambiguous([outcome.fingerprint for outcome in everything])


def unambiguous(fingerprints: Sequence[str]) -> dict[str, str]:
    """Each fingerprint's shortest prefix, of `MIN_ID` digits or more, that no other one begins with."""
    distinct = sorted(set(fingerprints))
    result = {}
    for index, fingerprint in enumerate(distinct):
        neighbours = distinct[max(index - 1, 0) : index] + distinct[index + 1 : index + 2]
        length = MIN_ID
        while length < len(fingerprint) and any(other.startswith(fingerprint[:length]) for other in neighbours):
            length += 1
        result[fingerprint] = fingerprint[:length]
    return result
