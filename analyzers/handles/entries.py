"""Which handles of its caller a procedure may do something to: the entries of its transfers.

From each place where a handle would be released, moved or kept, backwards through copies and loads without
regard to order, to formals and the receiver. What is not found here is borrowed. Globals are left
out: a handle in a global is out of the caller's hands anyway.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.c.numbers import numbered
from analyzers.handles.c.wide_numbers import may_enter
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy
from analyzers.summaries import AccessPath

MAX_ENTRIES = 120
"""Entries of one procedure; those with the shortest paths are looked at. Destructors of sessions release eighty members and more."""


def passed_entries(scene: Scene, sites: CallSites) -> tuple[AccessPath, ...]:
    """The entries of a procedure, in its own variables, sorted."""
    found: dict[AccessPath, None] = {}
    seen: set[AccessPath] = set()
    moved = {move.entry[0] for site in sites.sites.values() for move in site.moves if len(move.entry) == 1}
    moved |= {each.path[0] for site in sites.sites.values() for each in site.exposures if len(each.path) == 1 and each.policy is Policy.ESCAPE}
    stored = {(node.src, node.base) for node in scene.nodes if isinstance(node, ir.Store | ir.StoreElement) and ir.is_temporary(node.src)}
    waiting = [path for path in _interesting(scene, sites) if path[0] in scene.holders]
    while waiting:
        path = scene.normalise(waiting.pop())
        if path in seen or len(path) - 1 > scene.limits.depth or _is_nested(path) or scene.is_recursive(path):
            continue
        seen.add(path)
        root = path[0]
        if root == "this" or (root in scene.formals and may_enter(scene, path)):
            found[path] = None
        for node in scene.definitions.get(root, ()):
            waiting.extend(_before(scene, sites, node, path))
            waiting.extend(_whole(scene, node, path, moved, stored))
    return tuple(sorted(found, key=lambda path: (len(path), path))[:MAX_ENTRIES])


def _is_nested(path: AccessPath) -> bool:
    """Whether a member is said to lie in itself: so a pointer looks that moves from a part of one object to that of the next
    (`x = next(&x->node)`)."""
    return any(len(set(parts)) < len(parts) for parts in (field.split(".") for field in path[1:] if "." in field))


def _interesting(scene: Scene, sites: CallSites) -> Iterator[AccessPath]:
    """Where something happens to a handle."""
    for node in scene.cfg.order:
        match scene.nodes[node]:
            case ir.Return(src=src) | ir.Throw(src=src):
                if _is_variable(src):
                    yield (src,)
            case ir.Store(src=src) | ir.StoreElement(src=src):
                if _is_variable(src):
                    yield (src,)
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)) if not scene.is_java and _is_variable(src):
                if scene.is_scoped(dst):
                    yield (src,)  # It goes when the variable does, or stays in a static one.
            case ir.Op() as op if _is_variable(name := numbered(scene, op)):
                yield (name,)
            case ir.Call():
                site = sites.sites[node]
                for move in site.moves:
                    yield move.entry
                for exposure in site.exposures:
                    yield exposure.path
            case ir.Havoc(variables=names):
                for name in names:
                    yield (name,)


def _before(scene: Scene, sites: CallSites, node: int, path: AccessPath) -> Iterator[AccessPath]:
    """What a path was before the assignment of its root."""
    rest = path[1:]
    match scene.nodes[node]:
        case ir.Copy(src=src) if _is_variable(src):
            yield (src, *rest)
        case ir.Op(operator="cast" | "[]+", operands=operands) if operands and _is_variable(operands[0]):
            yield (operands[0], *rest)
        case ir.Load(base=base, field=field) if base:
            yield (base, field, *rest)
        case ir.AddressOf(base=base, field=field) if base and rest:
            place = (base, field) if field else (base,)
            if rest[0] == "*":
                yield (*place, *rest[1:])
            elif rest[0] not in ("[]", "~", "^"):
                yield (base, f"{field}.{rest[0]}" if field else rest[0], *rest[1:])
        case ir.LoadElement(base=base):
            yield (base, "[]", *rest)
        case ir.Call():
            site = sites.sites[node]
            for alias in site.aliases:
                yield (*alias, *rest)
            if rest and not scene.is_java:
                yield from ((*entry, *rest) for entry in _taken(site))
                if rest[0] == "*":
                    yield from ((*entry, "[]", *rest[1:]) for entry in _looked_into(site))


def _looked_into(site: CallSite) -> Iterator[AccessPath]:
    """The members of an argument that a call of C answers, or points into (`&all->entries[i]`)."""
    for move in site.moves:
        if len(move.entry) > 1 and move.entry[-1] != "[]" and any(("$ret",) in outcome.paths for outcome in move.outcomes):
            yield move.entry


def _taken(site: CallSite) -> Iterator[AccessPath]:
    """The places from which a call of C takes what it returns, where that is an element (`TAILQ_FIRST(list)`)."""
    for move in site.moves:
        if move.entry[-1] == "[]" and any(("$ret",) in outcome.paths for outcome in move.outcomes):
            yield move.entry


def _whole(scene: Scene, node: int, path: AccessPath, moved: set[str], stored: set[tuple[str, str]]) -> Iterator[AccessPath]:
    """The object of which somebody else gets a member's address and keeps it (`list_add(&item->link, &all)`, `all.next = &item->link`)."""
    match scene.nodes[node]:
        case ir.AddressOf(dst=dst, base=base, field=field) if base and field and len(path) == 1 and not scene.is_aggregate(base):
            if dst in moved or any(src == dst and holder != base for src, holder in stored):
                yield (base,)


def _is_variable(operand: str) -> bool:
    return bool(operand) and not ir.is_literal(operand)
