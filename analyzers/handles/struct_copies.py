"""Copies of whole structs of C: what a member held is there twice, `*to = *from; free(from);` loses nothing.

Members of `*from` are named by `from` itself, so a copy moves what lies strictly below it. Misses what the old content of the copy's place held.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import Paths, PathTable
from analyzers.domains.guard import TOP
from analyzers.domains.obligation import CUT, RETAINED, Fact
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_CONTENT = ("*", "[]")


def is_struct(scene: Scene, name: str) -> bool:
    """Whether a variable of C is a struct itself."""
    return bool(name) and not ir.is_literal(name) and scene.is_aggregate(name) and not scene.type_of(name).endswith("]")


def struct_loaded(flows: Flows, node: int, load: ir.Load) -> Flow:
    """The flow function of `dst = *base`, a struct."""
    table, target = flows.table, (load.dst,)
    sources = _owners(flows, node, (load.base, "*"))
    wholes = flows.scene.spread((load.base, "*"), node)
    flows.notice(node, sources)
    is_watched = flows.is_watched(load.base)

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        after: After = []
        left = paths & ~table.starting_with(target)
        for source in sources:
            renamed, is_cut = table.rename(_below(table, paths, source), source, target)
            left |= renamed
            marks |= CUT * is_cut
        for source in wholes:
            left |= table.rename(paths & table.starting_with(source), source, target)[0]
        if is_watched:
            environment = flows.looked_into(load.base, environment)
        flows.go(node, (left, flows.set_value(environment, load.dst, TOP), marks), paths, after)
        return after

    return flow


def struct_stored(flows: Flows, node: int, store: ir.Store) -> Flow:
    """The flow function of `*base = src`, a struct."""
    table, source = flows.table, (store.src,)
    targets = _owners(flows, node, (store.base, "*"))
    names = flows.scene.spread((store.base, "*"), node)
    is_global = any(name[0][:2] == "::" for name in names)
    is_known = not is_global and any(flows.sharing.is_anchored_place(name, node) for name in names)
    is_watched = flows.is_watched(store.base)

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        after: After = []
        left, moved = paths, _below(table, paths, source)
        for target in targets:
            renamed, is_cut = table.rename(moved, source, target)
            left |= renamed
            marks |= CUT * is_cut
        whole = paths & table.exact(source)
        for name in names if whole else ():
            left |= table.rename(whole, source, name)[0]
        if (moved or whole) and not is_known:
            left, marks = 0, marks | RETAINED
        if is_watched:
            environment = flows.looked_into(store.base, environment)
        flows.go(node, (left, environment, marks), paths, after)
        return after

    return flow


def _owners(flows: Flows, node: int, place: AccessPath) -> list[AccessPath]:
    """The names of what a struct lies in, without the `*` that says so."""
    return [name[:-1] if name[-1] == "*" else name for name in flows.scene.spread(place, node)]


def _below(table: PathTable, paths: Paths, owner: AccessPath) -> Paths:
    """Those of the paths that are members of what an owner names."""
    found = paths & table.starting_with(owner) & ~table.exact(owner)
    for content in _CONTENT:
        found &= ~table.starting_with((*owner, content))
    return found
