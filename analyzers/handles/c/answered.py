"""What a call of C answers, given what is known of its arguments: `if (!ensure(p))` where `ensure` returns what it was asked.

A callee that tests a formal and returns a constant for each outcome of the test says by its result what it has been passed. Misses
results that depend on several formals at once, and on what these point to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.conditions import is_compatible
from analyzers.domains.guard import Value
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import AccessPath, Condition, Outcome

MAX_CASES = 32
"""Ways to return that are told apart; of a callee with more nothing is said."""


def told_apart(returns: Sequence[tuple[Condition, ...]]) -> tuple[tuple[Condition, ...], ...]:
    """The ways in which a procedure returns, where its result says something of its formals; else none."""
    cases = tuple(dict.fromkeys(returns))
    if not 1 < len(cases) <= MAX_CASES or not any(each.path == RESULT for case in cases for each in case):
        return ()
    return cases if all(any(each.path != RESULT for each in case) for case in cases) else ()


def answer(
    cases: Sequence[tuple[Condition, ...]], result: Value, known: Callable[[str], Value], holds: Callable[[AccessPath], bool]
) -> Value:
    """What is known of a result, by the ways to return that the arguments allow; `known` tells a formal's value, `holds` whether the handle
    lies in a member of one that is a struct."""
    found: Value | None = None
    for case in cases:
        if all(
            each.path == RESULT or _may_be(_passed(each.path, known, holds), each.operator, guard.literal(each.value))
            for each in case
        ):
            value = meet_all(result, case)
            found = value if found is None else guard.join(found, value)
    return result if found is None else found


def is_ruled_out(site: CallSite, outcome: Outcome) -> bool:
    """Whether a callee does not end so with the literals that it is passed (`load(NULL)`, which is null then)."""
    if site.is_library or site.effects is None or not site.effects.cases:
        return False
    given = tuple(Condition((f"${n}",), "==", each) for n, each in enumerate(site.call.args) if ir.is_literal(each) and guard.literal(each) not in (guard.TOP, guard.NON_ZERO))
    return bool(given) and not any(is_compatible((*given, *outcome.when), case) for case in site.effects.cases)


def _passed(path: AccessPath, known: Callable[[str], Value], holds: Callable[[AccessPath], bool]) -> Value:
    if len(path) == 1:
        return known(path[0])
    return guard.NON_ZERO if holds(path) else guard.TOP


def _may_be(value: Value, operator: str, literal: Value) -> bool:
    """Whether a value may stand in a relation to a constant. What is not 0 and is compared with a number where no object is, is a pointer
    (`(unsigned long)p >= (unsigned long)-MAX_ERRNO`)."""
    if value == guard.NON_ZERO and guard.ADDRESS[1] < literal[0] < guard.INFINITY:
        value = guard.ADDRESS
    return guard.refine(value, operator, literal) is not None


_OPENED = (3, guard.INFINITY, ())
"""Descriptors beyond those that a process is started with."""


def opened(value: Value) -> Value:
    """What is known of a descriptor that the program has opened, where somebody asks for its number: it is none of the standard
    streams (`#define IS_VALID(fd) ((fd) > 0)`)."""
    return guard.meet(value, _OPENED) or value


def is_special(conditions: Sequence[Condition], known: Callable[[str], Value]) -> bool:
    """Whether something happens in a callee only for one value of an argument (no arena, a flag of 0), and the caller does not
    know that it passes that."""
    return any(
        len(each.path) == 1 and each.path != RESULT and each.operator == "=="
        and guard.refine(known(each.path[0]), "!=", guard.literal(each.value)) is not None
        for each in conditions
    )


def is_meant(conditions: Sequence[Condition], known: Callable[[AccessPath], Value | None]) -> bool:
    """Whether a library call acquires here what it acquires for some arguments only (`getcwd(NULL, 0)`)."""
    for condition in conditions:
        if condition.path == RESULT or (value := known(condition.path)) is None:
            continue
        is_pointed = len(condition.path) > 1
        if not is_pointed and (condition.operator, condition.value) == ("!=", "=0"):
            continue
        if guard.refine(value, guard.NEGATED[condition.operator], guard.literal(condition.value)) is not None:
            return False
    return True


def meet_all(value: Value, conditions: Sequence[Condition]) -> Value:
    """A value of the result refined by what conditions say of it; one that cannot be is left out."""
    for condition in conditions:
        if condition.path == RESULT:
            refined = guard.refine(value, condition.operator, guard.literal(condition.value))
            value = refined if refined is not None else value
    return value


def is_handed_up(scene: Scene, site: CallSite) -> bool:
    """Whether the result of a callee of the program's own is what the procedure itself says: its caller looks at it."""
    result = site.call.dst
    is_status = bool(result) and not site.is_library and "*" not in scene.type_of(result)
    return is_status and any(isinstance(node, ir.Return) and node.src == result for node in scene.nodes)


def unthought(scene: Scene, site: CallSite, outcome: Outcome) -> bool:
    """Whether a callee hands something out when it fails, and the caller never looks whether it has: it cannot fail here."""
    if not site.call.dst or site.is_library or "*" not in scene.type_of(site.call.dst):
        return False
    return any(each.path == RESULT and each.operator == "==" and guard.literal(each.value) == guard.ZERO for each in outcome.when)
