"""Bits of C that a procedure sets and clears: `err |= ERR_FATAL; … if (err & ERR_CODE) free(msg);`.

A subject is some bits of a place (`subjects.MASK`). What is assigned to the place sets them, clears them, or leaves them as they were;
names of constants of which nothing else is known are taken for different bits where something is cleared. Misses what calls set.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment, Environments
from analyzers.domains.obligation import Fact
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

MASK = "&"
"""What the last part of a subject begins with that is some bits of its place."""

Flow = Callable[[Fact], Sequence[tuple[int, Fact]]]

Bits = tuple[int, frozenset[str]]
"""Those of a number, and those that have names."""


class Change(enum.Enum):
    """What becomes of some bits: one is set, each is (of a number), none is, or they stay as they were, if that is known of all that they may be."""

    SET = "set"
    FULL = "all set"
    CLEARED = "cleared"
    KEPT = "kept"
    KEPT_IF_SET = "kept if set"
    KEPT_IF_CLEAR = "kept if clear"


_WHATEVER = (Change.SET, Change.FULL, Change.CLEARED)
"""What does not depend on what was there before."""


def is_telling(change: Change) -> bool:
    """Whether an assignment alone says what the bits are."""
    return change in _WHATEVER


def bits_of(written: str) -> Bits | None:
    """What a mask says as subjects write it (`=6`, `::A|::B`); None where it cannot be told."""
    number, names = 0, set()
    for part in written.split("|"):
        if part[:1] == "=":
            value = guard.literal(part)
            if value[0] != value[1] or guard.is_symbol(value):
                return None
            number |= value[0]
        elif part[:2] == "::":
            names.add(part)
        else:
            return None
    return number, frozenset(names)


def counted_together(tests: Mapping[AccessPath, int]) -> dict[AccessPath, int]:
    """How often bits of a place are tested, tests of more of its bits and of fewer included: those tell of these."""
    known = {subject: bits for subject in tests if subject[-1][:1] == MASK and (bits := bits_of(subject[-1][1:])) is not None}
    return {
        subject: sum(
            tests[other] for other, more in known.items() if other[:-1] == subject[:-1] and (_is_part(bits, more) or _is_part(more, bits))
        )
        for subject, bits in known.items()
    }


def groups(numbers: Mapping[AccessPath, int]) -> dict[int, tuple[tuple[int, Bits], ...]]:
    """Per subject that is some bits of a place those of the same place, if there are others."""
    found: dict[AccessPath, list[tuple[int, Bits]]] = {}
    for subject, number in numbers.items():
        if subject[-1][:1] == MASK and (bits := bits_of(subject[-1][1:])) is not None:
            found.setdefault(subject[:-1], []).append((number, bits))
    return {number: tuple(group) for group in found.values() if len(group) > 1 for number, _ in group}


def implied(environments: Environments, environment: Environment, told: tuple[int, guard.Value], masks: Mapping[int, Sequence[tuple[int, Bits]]]) -> Environment:
    """The environment after a test of a subject. What one of some bits says of others: where one is set it is so among more of them; where none is, none of fewer is, and what is
    set among more of them is one of the rest."""
    number, known = told
    environment, group = environments.assign(environment, number, known), masks.get(number)
    if group is None:
        return environment
    own = dict(group)[number]
    if guard.meet(known, guard.ZERO) is None:
        wider = [other for other, bits in group if other != number and _is_part(own, bits)]
        return _all(environments, environment, wider, guard.NON_ZERO)
    if known != guard.ZERO:
        return environment
    environment = _all(environments, environment, [other for other, bits in group if other != number and _is_part(bits, own)], guard.ZERO)
    values = {other: environments.value(environment, other) for other, _ in group}
    clear = [bits for other, bits in group if values[other] == guard.ZERO]
    left = [
        (bits[0] & ~functools.reduce(operator.or_, (each[0] for each in clear)), bits[1].difference(*(each[1] for each in clear)))
        for other, bits in group if guard.meet(values[other], guard.ZERO) is None
    ]
    return _all(environments, environment, [other for other, bits in group if bits in left and values[other] != guard.ZERO], guard.NON_ZERO)


def _all(environments: Environments, environment: Environment, numbers: Iterable[int], value: guard.Value) -> Environment:
    for number in numbers:
        met = guard.meet(environments.value(environment, number), value)
        environment = environment if met is None else environments.assign(environment, number, met)
    return environment


def _is_part(one: Bits, other: Bits) -> bool:
    return not one[0] & ~other[0] and one[1] <= other[1]


def changes(scene: Scene, subjects: Iterable[AccessPath], constant: Callable[[str], str]) -> dict[int, list[tuple[AccessPath, Change]]]:
    """Per assignment what becomes of the bits that are subjects; `constant` tells how a mask is written, empty if it is none."""
    masks: dict[AccessPath, list[tuple[AccessPath, Bits]]] = {}
    for subject in subjects:
        if (bits := bits_of(subject[-1][1:])) is not None:
            masks.setdefault(subject[:-1], []).append((subject, bits))
    found: dict[int, list[tuple[AccessPath, Change]]] = {}
    for node in scene.cfg.order if masks else ():
        place, value = _assigned(scene, scene.nodes[node])
        if place in masks:
            known = [(subject, _change(scene, place, value, bits, constant)) for subject, bits in masks[place]]
            if told := [(subject, change) for subject, change in known if change is not None]:
                found[node] = told
    return found


def masked(environments: Environments, told: Sequence[tuple[int, Change]] | None, flow: Flow | None) -> Flow | None:
    """The flow function of an assignment that tells of bits."""
    if not told or flow is None:
        return flow
    return lambda fact: [
        (successor, (paths, _applied(environments, fact[1], environment, told), marks)) for successor, (paths, environment, marks) in flow(fact)
    ]


def _applied(environments: Environments, before: Environment, after: Environment, told: Sequence[tuple[int, Change]]) -> Environment:
    """What is known after an assignment, given what was before it."""
    for number, change in told:
        if change is Change.SET:
            value = guard.NON_ZERO
        elif change is Change.FULL:
            value = guard.literal(environments.subjects[number][-1][1:])
        elif change is Change.CLEARED:
            value = guard.ZERO
        else:
            value = environments.value(before, number)
            is_meant = guard.meet(value, guard.ZERO) is None if change is Change.KEPT_IF_SET else value == guard.ZERO
            if change is not Change.KEPT and not is_meant:
                value = guard.TOP
        after = environments.assign(after, number, value)
    return after


def _assigned(scene: Scene, instruction: ir.Instruction) -> tuple[AccessPath, ir.Instruction | str]:
    """The place that an instruction assigns, and what it is given: an operation, or an operand."""
    match instruction:
        case ir.Op(dst=dst, operator="|" | "&"):
            return (dst,), instruction
        case ir.Copy(dst=dst, src=src):
            return (dst,), _operation(scene, src) or src
        case ir.Store(base=base, field=field, src=src):
            return scene.normalise((base, field) if base else (f"::{field}",)), _operation(scene, src) or src
        case _:
            return (), ""


def gathering(scene: Scene, flags: set[str]) -> frozenset[ir.Op]:
    """What puts an answer of C into one of some flags (`failed |= block == NULL`)."""
    ops = [] if scene.is_java else [node for node in scene.nodes if isinstance(node, ir.Op) and node.operator in ("|", "&") and node.dst in flags]
    return frozenset(op for op in ops if any(
        isinstance(answer := scene.nodes[at], ir.Op) and answer.operator in guard.NEGATED
        for each in op.operands if ir.is_temporary(each) for at in scene.definitions.get(each, ())
    ))


def _operation(scene: Scene, operand: str) -> ir.Op | None:
    nodes = scene.definitions.get(operand, ()) if ir.is_temporary(operand) else ()
    op = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    return op if isinstance(op, ir.Op) and op.operator in ("|", "&") and len(op.operands) == 2 else None


def _change(scene: Scene, place: AccessPath, value: ir.Instruction | str, bits: Bits, constant: Callable[[str], str]) -> Change | None:
    if isinstance(value, str):
        given = bits_of(constant(value)) if constant(value) else None
        return _given(given, bits) if given is not None else None
    if not isinstance(value, ir.Op) or len(value.operands) != 2:
        return None
    for rest, mask in (value.operands, value.operands[::-1]):
        inverse = _complemented(scene, mask)
        given = bits_of(constant(inverse or mask)) if constant(inverse or mask) else None
        if given is None or ir.is_literal(rest):
            continue
        change = _or(given, bits) if value.operator == "|" else _and_not(given, bits) if inverse else _and(given, bits)
        is_own = (rest,) == place or scene.normalise(scene.loads.get(rest, ("",))) == place
        return change if is_own or change in _WHATEVER else None
    return None


def _complemented(scene: Scene, operand: str) -> str:
    nodes = scene.definitions.get(operand, ()) if ir.is_temporary(operand) else ()
    op = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    return op.operands[0] if isinstance(op, ir.Op) and op.operator == "~" and len(op.operands) == 1 else ""


def _given(given: Bits, bits: Bits) -> Change | None:
    if given[0] & bits[0] or given[1] & bits[1]:
        return _set(given, bits)
    is_told = not given[1] and (not bits[1] or not given[0])
    return Change.CLEARED if is_told else None


def _set(given: Bits, bits: Bits) -> Change:
    return Change.FULL if not bits[1] and not bits[0] & ~given[0] and given[0] >= 0 else Change.SET


def _or(given: Bits, bits: Bits) -> Change:
    if given[0] & bits[0] or given[1] & bits[1]:
        return _set(given, bits)
    return Change.KEPT if not given[1] and not bits[1] else Change.KEPT_IF_SET


def _and(given: Bits, bits: Bits) -> Change:
    if bits[1] <= given[1] and not bits[0] & ~given[0]:
        return Change.KEPT
    is_cleared = not bits[1] and not given[1] and not bits[0] & given[0]
    return Change.CLEARED if is_cleared else Change.KEPT_IF_CLEAR


def _and_not(given: Bits, bits: Bits) -> Change:
    if bits[1] <= given[1] and not bits[0] & ~given[0]:
        return Change.CLEARED
    return Change.KEPT if not bits[0] & given[0] and not bits[1] & given[1] else Change.KEPT_IF_CLEAR
