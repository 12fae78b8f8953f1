"""Numbers of its caller's that a function of C sets on some ways only: `*is_ours = 1` where it has made something, and nothing where it fails.

Told of numbers behind formals, by the ways to return that its result and its arguments tell apart. Misses numbers in members, and
those of a function that tells more than two, or that is passed one place twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment
from analyzers.domains.guard import Value
from analyzers.graphs.operands import operands
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.subjects import Subjects
from analyzers.summaries import SAME, AccessPath, Condition

MAX_WAYS = 8
"""Ways to return that are told apart; of a function with more nothing is said."""


def numbers_told(scene: Scene, subjects: Subjects, sites: Mapping[int, CallSite]) -> dict[AccessPath, int]:
    """The numbers behind formals that a procedure stores to, as Effects name them, with the subjects that they are."""
    stored = {(node.base, node.field) for node in scene.nodes if isinstance(node, ir.Store)}
    return {
        scene.exported(place): subjects.environments.numbers[place] for place in subjects.told
        if place in stored and place[0] in scene.formals and scene.type_of(place[0]).count("*") == 1
        and all(_is_plain_use(node, place[0], sites.get(at)) for at, node in enumerate(scene.nodes) if place[0] in operands(node))
    }


def _is_plain_use(node: ir.Instruction, name: str, site: CallSite | None) -> bool:
    """Whether an instruction does nothing to a number behind a pointer but before the eyes of the reader: no other name is made for the
    pointer, and no library writes there."""
    match node:
        case ir.Store(base=base, field=field, src=src):
            return base == name and field == "*" and src != name
        case ir.Load(field=field):
            return field == "*"
        case ir.Branch():
            return True
        case ir.Call():
            return site is not None and site.effects is not None and not site.is_library
        case _:
            return False


def left_there(place: AccessPath, value: Value) -> Iterator[Condition]:
    """What is known of a place at an exit."""
    if value == guard.GIVEN:
        yield Condition(place, SAME, "=?")
    elif not guard.is_symbol(value):
        yield from (Condition(place, operator, f"={number}") for operator, number in guard.bounds(value))


def worth_telling(ways: tuple[tuple[Condition, ...], ...]) -> tuple[tuple[Condition, ...], ...]:
    """The ways, if they are few and the number is left alone on one of them."""
    return ways if len(ways) <= MAX_WAYS and any(each.operator == SAME for way in ways for each in way) else ()


def told_by(way: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions under which a way is taken: those on the result and on arguments."""
    return tuple(each for each in way if each.path == RESULT or len(each.path) == 1)


def after_way(
    scene: Scene, site: CallSite, way: Sequence[Condition], environments: tuple[Environment, Environment], known: Subjects
) -> Environment:
    """What is known behind a call that ends in a way; `environments` are those before it, and behind it if nobody knew of the way."""
    before, behind = environments
    table = known.environments
    passed = [scene.normalise((actual, "*")) for actual in site.actuals.values() if actual and not ir.is_literal(actual)]
    for each in way:
        actual = site.actuals.get(each.path[0], "")
        if len(each.path) != 2 or each.path[0] == RESULT[0] or not actual or ir.is_literal(actual):
            continue
        place = scene.normalise((actual, *each.path[1:]))
        number = table.numbers.get(place)
        if number is None or passed.count(place) > 1:
            continue
        value = table.value(before if each.operator == SAME else behind, number)
        if each.operator != SAME:
            value = guard.refine(value, each.operator, guard.literal(each.value)) or guard.TOP
        behind = table.assign(behind, number, value)
    return behind
