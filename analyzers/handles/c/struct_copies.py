"""Copies of whole structs of C: what a member held is there twice, `*to = *from; free(from);` loses nothing.

Members of `*from` are named by `from` itself, so a copy moves what lies strictly below it. Misses what the old content of the copy's place held.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import WRAPPED, Paths, PathTable
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
    flows.notice(node, [source[:-1] if is_part else source for source, is_part in sources])
    is_watched = flows.is_watched(load.base)

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        after: After = []
        left = paths & ~table.starting_with(target)
        for owner in sources:
            renamed, is_cut = _taken_out(table, paths, owner, target)
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
        for owner in targets:
            renamed, is_cut = _put_in(table, moved, source, owner)
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


_Owner = tuple[AccessPath, bool]
"""What a struct lies in, and whether as a part: the members of a part have dotted names (`t.a.data`), those of what a pointer
leads to, of an element and of a whole variable have not."""


def _owners(flows: Flows, node: int, place: AccessPath) -> list[_Owner]:
    """The names of what a struct lies in, without the `*` that says that a pointer leads to it."""
    return [
        (name[:-1], False) if name[-1] == "*" else (name, len(name) > 1 and name[-1] not in ("[]", WRAPPED))
        for name in flows.scene.spread(place, node)
    ]


def _taken_out(table: PathTable, paths: Paths, owner: _Owner, target: AccessPath) -> tuple[Paths, bool]:
    """The names that members of a struct at `source` get in a variable: `t.a.data` those of `a.data` where `t.a` is taken out."""
    source, is_part = owner
    if not is_part:
        return table.rename(_below(table, paths, source), source, target)
    found, is_cut, prefix, last = 0, False, source[:-1], len(source) - 1
    for path in table.list(paths & table.starting_with(prefix)):
        if len(path) > last and path[last].startswith(f"{source[-1]}."):
            single = table.single((*target, path[last][len(source[-1]) + 1 :], *path[last + 1 :]))
            found |= single
            is_cut |= not single
    return found, is_cut


def _put_in(table: PathTable, paths: Paths, source: AccessPath, owner: _Owner) -> tuple[Paths, bool]:
    """The names that members of a variable get where it is copied to a struct at `target`."""
    target, is_part = owner
    if not is_part:
        return table.rename(paths, source, target)
    found, is_cut = 0, False
    for path in table.list(paths & table.starting_with(source)):
        if len(path) > len(source):
            single = table.single((*target[:-1], f"{target[-1]}.{path[len(source)]}", *path[len(source) + 1 :]))
            found |= single
            is_cut |= not single
    return found, is_cut


def _below(table: PathTable, paths: Paths, owner: AccessPath) -> Paths:
    """Those of the paths that are members of what an owner names."""
    found = paths & table.starting_with(owner) & ~table.exact(owner)
    for content in _CONTENT:
        found &= ~table.starting_with((*owner, content))
    return found
