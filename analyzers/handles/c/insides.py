"""Pointers of C into an object: moved over its elements, from a member to the whole, or taken of a member.

Each keeps the object in reach, with what its other members lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.domains.guard import NON_ZERO
from analyzers.domains.obligation import CUT, Fact
from analyzers.graphs.operands import used
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.moves import is_offset
from analyzers.summaries import AccessPath

_FEW_STEPS = 8
"""Instructions between an address and the call that it is made for: its other arguments."""

if TYPE_CHECKING:
    from analyzers.handles.flows import After, Flow, Flows
    from analyzers.handles.scene import Scene


def advance_flow(flows: Flows, node: int, dst: str, src: str, copy: Flow) -> Flow:
    """A pointer moved inside its object: what lay under it is now some element. Moved from a member to the whole, or
    back, it leads to what the whole holds."""
    table, pointee, source, target = flows.table, (src, "*"), (src,), (dst,)
    instruction = flows.scene.nodes[node]
    is_whole = isinstance(instruction, ir.Op) and is_offset(instruction)

    def flow(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        whole = paths & table.starting_with((src, WRAPPED)) if is_whole and src != dst else 0
        if whole:
            left = paths & ~table.starting_with(target)
            left |= table.rename(whole, (src, WRAPPED), target)[0] | table.rename(paths, source, target)[0]
            found: After = []
            flows.go(node, (left, flows.set_value(environment, dst, NON_ZERO), marks), paths, found)
            return found
        under = paths & table.starting_with(pointee)
        if not under:
            return copy(fact)
        left, is_cut = table.rename(under, pointee, (dst, "[]"))
        if src == dst:
            left |= paths & ~under
        else:
            left |= paths & ~table.starting_with(target) | table.rename(paths & ~under, source, target)[0]
        after: After = []
        fact = (left, flows.set_value(environment, dst, NON_ZERO), marks | CUT * is_cut)
        flows.go(node, fact, paths, after)
        return after

    return flow


def interior_flow(flows: Flows, node: int, dst: str, base: str) -> Flow:
    """A pointer into a block keeps it in reach, like one to its beginning, with what its other members lead to. Who passes the address
    of a member to a function knows that there is a block."""
    table, target = flows.table, (dst,)
    is_passed = flows.is_watched(base) and _is_passed(flows.scene, node, dst)

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        left = paths & ~table.starting_with(target)
        if paths & table.exact((base,)):
            left |= table.single(target)
        below = paths & table.starting_with((base,)) & ~table.exact((base,))
        if below:
            left |= table.rename(below, (base,), (dst, WRAPPED))[0]
        after: After = []
        known = flows.looked_into(base, environment) if is_passed else environment
        flows.go(node, (left, flows.set_value(known, dst, NON_ZERO), marks), paths, after)
        return after

    return flow


def _is_passed(scene: Scene, node: int, name: str) -> bool:
    """Whether an address is made for the call behind it, which is no macro."""
    for _ in range(_FEW_STEPS if ir.is_temporary(name) else 0):
        following = scene.cfg.normal[node]
        if len(following) != 1:
            return False
        node = following[0]
        call = scene.nodes[node]
        if name in used(call):
            return isinstance(call, ir.Call) and not call.name.isupper()
    return False


def address_flow(flows: Flows, node: int, target: AccessPath, place: AccessPath, flow: Flow) -> Flow:
    """A pointer that is given an address, and others as well (`for (t = &d->first; t; t = t->next)`), also leads to what lies there."""
    table = flows.table
    flows.notice(node, (place[:1],))

    def follow(fact: Fact) -> Sequence[tuple[int, Fact]]:
        below = fact[0] & table.starting_with(place[:1])
        found = [(*target, *inside) for path in table.list(below) if (inside := _inside(place, path))] if below else []
        if not found:
            return flow(fact)
        added = 0
        for each in found:
            added |= table.single(each)
        return [(following, (paths | added if paths else paths, known, marks)) for following, (paths, known, marks) in flow(fact)]

    return follow


def address_stored(flows: Flows, node: int, store: ir.Store | ir.StoreElement, flow: Flow | None) -> Flow | None:
    """So does a member of a struct that is a variable, where the address is that of another object (`filter.pattern = &compiled;`)."""
    scene = flows.scene
    if scene.is_java or not isinstance(store, ir.Store) or not store.base or not scene.is_aggregate(store.base):
        return flow
    place = scene.addresses.get(store.src, ())
    if len(place) != 1 or place[0] == store.base or not _is_object(scene, place[0]):
        return flow

    def plain(fact: Fact) -> Sequence[tuple[int, Fact]]:
        after: list[tuple[int, Fact]] = []
        flows.go(node, fact, fact[0], after)
        return after

    return address_flow(flows, node, (store.base, store.field), place, flow or plain)


def _is_object(scene: Scene, name: str) -> bool:
    """Whether a variable is itself what is released: neither a pointer to it nor a number."""
    written = scene.type_of(name)
    return bool(written) and not any(each in written for each in "*[") and not is_plain_c(written) and "int" not in written.split()


def _inside(place: AccessPath, path: AccessPath) -> AccessPath:
    """What leads from the address of a place to what a path names, if that lies in the place."""
    if len(place) == 1:
        return path[1:] or ("*",)
    if len(path) == 1:
        return ()
    if path[1] == place[1]:
        return ("*", *path[2:])
    return (path[1][len(place[1]) + 1 :], *path[2:]) if path[1].startswith(place[1] + ".") else ()


def around(scene: Scene, name: str) -> tuple[str, ...]:
    """The block of C that a name leads into (`part = &whole->part`): who gets that pointer can reach what hangs in its part."""
    place = () if scene.is_java else scene.addresses.get(name, ())
    return place[:1] if len(place) == 2 and not scene.is_aggregate(place[0]) else ()


def is_text_of_values(scene: Scene, call: ir.Call, result: str) -> bool:
    """Whether a call of C gives characters and gets nothing but addresses of structs that are no pointers (`buffer_text(&b)`): whoever has
    those can end none of the structs."""
    written = {result, scene.type_of(call.dst)}
    if not any("char" in each.replace("*", " ").split() for each in written) or any(each.count("*") != 1 for each in written):
        return False
    places = [scene.addresses.get(each, ()) for each in call.args if not ir.is_literal(each) and "*" in scene.type_of(each)]
    types = [scene.type_of(place[0]) if len(place) == 1 else "*" for place in places]
    return bool(types) and not any("*" in each or "[" in each or is_plain_c(each) for each in types)
