"""Fixes that meet: those of one procedure, or that overlap, become one patch or all but the first are declined.

Only safe fixes of the same standing (introduced, or there before) are merged: an unsafe one would cost the others
their proof, and nobody asked to have old findings mended with new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from analyzers.finding import Finding
from bot.report import Outcome
from bot.reporters.view import is_safe
from fixers.edits import merge
from fixers.fix import Applicability, Check, Declined, Fix, Verdict

Together = Callable[[Sequence[Fix]], Fix | None]
"""One verified patch for several fixes of a file, or None."""

Behind = Callable[[Sequence[Fix], Fix | Declined], Fix | None]
"""The same with the finding of an answer that does not do alone, or None."""

Alike = Callable[[Finding, Finding], bool]
"""Whether two findings want to be mended together."""


def merged(outcomes: Sequence[Outcome], together: Together, behind: Behind) -> tuple[Outcome, ...]:
    """The outcomes, with one answer for those whose fixes meet, and for those that are only mended with others of their procedure."""
    result = {outcome.fingerprint: outcome for outcome in outcomes}
    for group in _groups([outcome for outcome in outcomes if is_safe(outcome)]):
        for outcome in _settled(group, together):
            result[outcome.fingerprint] = outcome
    for outcome in outcomes:
        if not is_safe(outcome):
            result |= _joined(outcome, result, behind)
    return tuple(result[outcome.fingerprint] for outcome in outcomes)


def without_halves(outcomes: Sequence[Outcome], alike: Alike) -> tuple[Outcome, ...]:
    """The outcomes, where a patch of Java is not called safe as long as it leaves something that a reviewer wants mended with it."""
    left = [each for each in outcomes if not is_safe(each) and each.finding.language == "java" and (each.finding.variable or each.finding.text)]
    halves = {
        each.fingerprint: other.finding.variable or other.finding.text
        for each in outcomes if is_safe(each)
        for other in left if _is_akin(each, other) and alike(each.finding, other.finding)
    }
    doubted = [(each, next((halves[name] for name in (each.fingerprint, *each.together) if name in halves), "")) for each in outcomes]
    return tuple(_doubted(each, f"`{left}`, which should be mended with it, stays as it is") if left else each for each, left in doubted)


def without_leftovers(outcomes: Sequence[Outcome], left_over: Callable[[Fix], str]) -> tuple[Outcome, ...]:
    """The outcomes, where a patch is not called safe that leaves something to ask about. Asked of what is proposed in the end: another patch
    of the procedure may have been for that."""
    asked = [(each, left_over(_fix_of(each)) if is_safe(each) else "") for each in outcomes]
    return tuple(_doubted(each, words) if words else each for each, words in asked)


def _doubted(outcome: Outcome, words: str) -> Outcome:
    fix = _fix_of(outcome)
    check = Check("finding is gone", Verdict.ASSUMED, words)
    proof = tuple(check if each.name == check.name else each for each in fix.proof)
    return msgspec.structs.replace(outcome, answer=msgspec.structs.replace(fix, proof=proof))


MAX_TRIED = 4
"""Findings of which each is left out in turn, where the patch of all together is less sure than each alone."""


def _settled(group: Sequence[Outcome], together: Together) -> list[Outcome]:
    whole = together([_fix_of(outcome) for outcome in group])
    if whole is not None and whole.applicability is not Applicability.SAFE and 2 < len(group) <= MAX_TRIED:
        for left in reversed(group):
            rest = [each for each in group if each is not left]
            most = together([_fix_of(outcome) for outcome in rest])
            if most is not None and most.applicability is Applicability.SAFE:
                return [*_sharing(rest, most), _declined(left, rest[0])]
    if whole is None or (whole.applicability is not Applicability.SAFE and len(group) > MAX_TRIED):
        return _most_of(group, together)
    return _sharing(group, whole)


MAX_JOINED = 8
"""Findings of which those that go together are sought one after the other, where not all of them do."""


def _most_of(group: Sequence[Outcome], together: Together) -> list[Outcome]:
    """A patch for the first and all that go with it and with each other, in their order; who mends one of several leaks of a procedure
    wants to hear no more of it."""
    first, *others = group
    taken, whole = [first], None
    for each in others[: MAX_JOINED - 1]:
        more = together([_fix_of(outcome) for outcome in (*taken, each)])
        if more is not None and more.applicability is Applicability.SAFE:
            taken, whole = [*taken, each], more
    left = [_declined(each, first) for each in others if not any(each is one for one in taken)]
    return [*(taken if whole is None else _sharing(taken, whole)), *left]


def _sharing(group: Sequence[Outcome], whole: Fix) -> list[Outcome]:
    """The outcomes with one patch for all."""
    names = [outcome.fingerprint for outcome in group]
    return [
        msgspec.structs.replace(
            outcome,
            answer=msgspec.structs.replace(whole, finding=outcome.finding),
            together=tuple(name for name in names if name != outcome.fingerprint),
        )
        for outcome in group
    ]


def _declined(outcome: Outcome, first: Outcome) -> Outcome:
    reason = f"its fix does not go together with that of {first.fingerprint}: apply that one, then run again"
    return msgspec.structs.replace(outcome, answer=Declined(outcome.finding, reason), together=())


def _joined(outcome: Outcome, known: Mapping[str, Outcome], behind: Behind) -> dict[str, Outcome]:
    """An outcome and those whose fix it joins; nothing where it joins none."""
    safe = [each for each in known.values() if is_safe(each) and _is_akin(each, outcome)]
    if not safe:
        return {}
    names = [safe[0].fingerprint, *safe[0].together]
    whole = behind([_fix_of(known[name]) for name in names], outcome.answer)
    if whole is None or whole.applicability is not Applicability.SAFE:
        return {}
    names.append(outcome.fingerprint)
    group = {**known, outcome.fingerprint: outcome}
    return {
        name: msgspec.structs.replace(
            group[name],
            answer=msgspec.structs.replace(whole, finding=group[name].finding),
            together=tuple(other for other in names if other != name),
        )
        for name in names
    }


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
    return _is_akin(one, other) or merge((_fix_of(one).edits, _fix_of(other).edits)) is None


def _is_akin(one: Outcome, other: Outcome) -> bool:
    """Whether two are of one procedure and of the same standing."""
    same = (one.introduced, one.finding.path, one.finding.procedure) == (other.introduced, other.finding.path, other.finding.procedure)
    return same and one.fingerprint != other.fingerprint


def _fix_of(outcome: Outcome) -> Fix:
    assert isinstance(outcome.answer, Fix)
    return outcome.answer
