"""Where in a procedure of C something lies: variables, globals, members and elements, by the path that leads there.

A path is a variable (or `::global`) and the members behind it, each by itself; `[]` is any element. Says nothing of a place that
is named through a variable with several values.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.allocators import MEMORY
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_freeing, is_release, is_releaser

Place = tuple[str, ...]

ELEMENT = "[]"

_COMPARING = frozenset(("==", "!=", "<", ">", "<=", ">=", "!"))
_LONGEST = 6


def place_of(scene: Scene, operand: str) -> Place:
    """Where what an operand says lies, or what it points to where it is an address; empty where that is not one place."""
    fields: tuple[str, ...] = ()
    for _ in range(_LONGEST):
        if not operand or ir.is_literal(operand):
            return ()
        if not ir.is_temporary(operand):
            return (operand, *fields)
        nodes = scene.definitions.get(operand, ())
        if len(nodes) != 1:
            return ()
        node = scene.nodes[nodes[0]]
        match node:
            case ir.Load(base="", field=field) | ir.AddressOf(base="", field=field):
                return (f"::{field}", *fields)
            case ir.AddressOf(base=base, field="") if scene.is_aggregate(base):
                return (base, *fields)
            case ir.Load(base=base, field=field) | ir.AddressOf(base=base, field=field):
                operand, fields = base, (*_parts(field), *fields)
            case ir.LoadElement(base=base):
                operand, fields = base, (ELEMENT, *fields)
            case ir.Op(operator="[]+", operands=(base, index)) if fields and not ir.is_literal(index):
                operand, fields = base, (ELEMENT, *fields)
            case _:
                operand = identity(node)
    return ()


def stored_to(scene: Scene, node: ir.Instruction) -> Place:
    """The place that an instruction gives a new content; empty for none."""
    match node:
        case ir.Store(base="", field=field):
            return (f"::{field}",)
        case ir.Store(base=base, field=field):
            found = place_of(scene, base)
            return (*found, *_parts(field)) if found else ()
        case _:
            names = assigned(node)
            return names if len(names) == 1 and not ir.is_temporary(names[0]) else ()


def reads(scene: Scene, node: ir.Instruction, place: Place) -> bool:
    """Whether an instruction looks at what lies at a place, or at where it lies, for more than a comparison."""
    if len(place) == 1 and not place[0].startswith("::"):
        return place[0] in operands(node) and not _is_comparison(node) and not _is_only_compared(scene, node)
    if not isinstance(node, ir.Load | ir.LoadElement | ir.AddressOf) or not node.dst:
        return False
    return place_of(scene, node.dst) == place and not _is_only_compared(scene, node)


def released_by(scene: Scene, site: CallSite, *, is_sure: bool = False) -> list[tuple[Place, str]]:
    """The places whose content a call ends, or may end, each with the resource that it is taken for (empty where nobody says). By its
    name alone a function whose body is there surely ends nothing: it may end what the object holds (`box_release_list(box)`)."""
    found: dict[Place, str] = {}
    for move in site.moves:
        fates = [each.fate == "released" for each in move.outcomes]
        if not any(fates) or (is_sure and not all(fates)):
            continue
        path = (*place_of(scene, move.entry[0]), *(part for each in move.entry[1:] for part in _parts(each)))
        if len(path) >= len(move.entry):
            found[path] = move.resource if move.resource == MEMORY else found.get(path, move.resource)
    call = site.call
    first = place_of(scene, call.args[0]) if call.kind == "function" and call.args else ()
    is_guess = site.effects is None or not site.effects.is_known
    if first and first not in found and (is_guess or not is_sure):
        is_below = is_release(call.name) and any(path[: len(first)] == first for path in found)
        if is_below or is_releaser(call.name):
            found[first] = ""
    return list(found.items())


def is_filled_by(scene: Scene, site: CallSite, place: Place) -> bool:
    """Whether a call may put something new at a place, in a struct whose address it gets (`parse(line, &reply->status)`)."""
    for made in site.acquired:
        for outcome in made.outcomes:
            for root, *parts in outcome.paths:
                holder = place_of(scene, site.actuals.get(root, "")) if outcome.fate == "held" else ()
                if holder and (*holder, *(part for each in parts for part in _parts(each))) == place:
                    return True
    return False


def is_emptied_by(scene: Scene, site: CallSite, place: Place) -> bool:
    """Whether a call whose body is there surely ends what lies at a place, and writes there itself (`free(box->name); box->name = NULL;`)."""
    if len(place) < 2 or site.effects is None or not site.effects.is_known:
        return False
    if all(path != place for path, _ in released_by(scene, site, is_sure=True)):
        return False
    return any(
        (*holder, *(part for each in parts for part in _parts(each))) == place
        for root, *parts in site.effects.writes if (holder := place_of(scene, site.actuals.get(root, "")))
    )


def is_whole_end(site: CallSite) -> bool:
    """Whether a function that nobody knows ends its argument with all that it holds (`tree_free`, not `xfree`)."""
    is_unknown = site.effects is None or not site.effects.is_known
    return is_unknown and is_releaser(site.call.name) and not is_freeing(site.call.name)


def names_of(scene: Scene, place: Place) -> frozenset[str]:
    """The temporaries, and the variable, that stand for what lies at a place."""
    found = {place[0]} if len(place) == 1 else set()
    for name in scene.definitions:
        if ir.is_temporary(name) and place_of(scene, name) == place:
            found.add(name)
    return frozenset(found)


def is_prefix(place: Place, other: Place) -> bool:
    """Whether the second place lies below the first one."""
    return len(place) < len(other) and other[: len(place)] == place


def _parts(field: str) -> tuple[str, ...]:
    return tuple(field.split(".")) if field not in ("*", ELEMENT) else (field,)


def _is_comparison(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Branch | ir.ScopeEnd) or (isinstance(node, ir.Op) and node.operator in _COMPARING)


def _is_only_compared(scene: Scene, node: ir.Instruction) -> bool:
    """Whether all that is done with what an instruction gives is to compare it."""
    names = assigned(node)
    if len(names) != 1 or not ir.is_temporary(names[0]) or not isinstance(node, ir.Load | ir.LoadElement | ir.Copy | ir.Op):
        return False
    users: Sequence[ir.Instruction] = [each for each in scene.nodes if names[0] in operands(each)]
    return bool(users) and all(map(_is_comparison, users))
