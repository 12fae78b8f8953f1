"""Fixes that meet: those of one procedure, or that overlap, become one patch or all but the first are declined.

Only safe fixes of the same standing (introduced, or there before) are merged: an unsafe one would cost the others
their proof, and nobody asked to have old findings mended with new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bot.report import Outcome
from bot.reporters.view import is_safe
from fixers.edits import merge
from fixers.fix import Declined, Fix

Together = Callable[[Sequence[Fix]], Fix | None]
"""One verified patch for several fixes of a file, or None."""


def merged(outcomes: Sequence[Outcome], together: Together) -> tuple[Outcome, ...]:
    """The outcomes, with one answer for those whose fixes meet."""
    result = {outcome.fingerprint: outcome for outcome in outcomes}
    for group in _groups([outcome for outcome in outcomes if is_safe(outcome)]):
        for outcome in _settled(group, together):
            result[outcome.fingerprint] = outcome
    return tuple(result[outcome.fingerprint] for outcome in outcomes)


def _settled(group: Sequence[Outcome], together: Together) -> list[Outcome]:
    whole = together([_fix_of(outcome) for outcome in group])
    if whole is not None:
        names = [outcome.fingerprint for outcome in group]
        return [
            msgspec.structs.replace(
                outcome,
                answer=msgspec.structs.replace(whole, finding=outcome.finding),
                together=tuple(name for name in names if name != outcome.fingerprint),
            )
            for outcome in group
        ]
    first, *others = group
    reason = f"its fix does not go together with that of {first.fingerprint}: apply that one, then run again"
    return [
        first,
        *(msgspec.structs.replace(each, answer=Declined(each.finding, reason), together=()) for each in others),
    ]


def _groups(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Sets of outcomes whose fixes meet, each in the order given; those that meet no other are left out."""
    groups: list[list[Outcome]] = []
    for outcome in outcomes:
        meeting = [group for group in groups if any(_meet(outcome, other) for other in group)]
        joined = [each for group in meeting for each in group] + [outcome]
        groups = [group for group in groups if group not in meeting] + [joined]
    order = {outcome.fingerprint: number for number, outcome in enumerate(outcomes)}
    return [sorted(group, key=lambda each: order[each.fingerprint]) for group in groups if len(group) > 1]


def _meet(one: Outcome, other: Outcome) -> bool:
    if one.introduced != other.introduced:
        return False
    is_same_procedure = (one.finding.path, one.finding.procedure) == (other.finding.path, other.finding.procedure)
    return is_same_procedure or merge((_fix_of(one).edits, _fix_of(other).edits)) is None


def _fix_of(outcome: Outcome) -> Fix:
    assert isinstance(outcome.answer, Fix)
    return outcome.answer
