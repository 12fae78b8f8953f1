"""What of a procedure matters to the heap: its pointers, its fields, and where its variables live.

A struct or array on the stack is a cell that a pointer of its own names; so is a variable whose address is taken, as field
`*`. Temporaries and casts are pointers like others. Procedures with too many pointers are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.handles.c.types import CTypes
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries

MAX_POINTERS = 48
MAX_FIELDS = 8
POINTEE = "*"

RESULT, SCRATCH, GHOST = "$ret", "$scratch", "$cell"
"""Pointers that every slice has: the result, one for what is loaded on the way, and the cell that is watched."""
OWN = (RESULT, SCRATCH, GHOST)


class Slice(msgspec.Struct, frozen=True):
    """One procedure. `pointers`: variables in their order; `boxed`: those that live in a cell of their own on the stack,
    named by `&x`; `aggregates`: those that are a cell on the stack."""

    key: ProcedureKey
    scene: Scene
    sites: CallSites
    pointers: tuple[str, ...]
    numbers: dict[str, int]
    boxed: frozenset[str]
    aggregates: tuple[str, ...]
    fields: tuple[str, ...]


def cut(key: ProcedureKey, queries: Queries, limits: Limits) -> Slice | None:
    """The slice of a procedure; None where there is none, or too much in it."""
    linked = queries.linked(key)
    if linked is None or linked.language != "c" or linked.body.error is not None:
        return None
    scene = Scene(linked, queries, limits)
    sites = CallSites(scene)
    used = dict.fromkeys(name for node in scene.cfg.order for name in _used(scene.nodes[node]) if _may_point(scene, name))
    aggregates = tuple(name for name in used if scene.is_aggregate(name))
    boxed = frozenset(
        target[0] for target in scene.addresses.values() if len(target) == 1 and target[0] in used and not scene.is_aggregate(target[0])
    )
    formals = [name for name in scene.formals if name not in used or name in boxed]
    pointers = (*OWN, *formals, *(f"&{name}" if name in boxed else name for name in used))
    fields = tuple(dict.fromkeys(field for node in scene.cfg.order for field in _fields(scene, scene.nodes[node])))
    if len(pointers) > MAX_POINTERS or len(fields) > MAX_FIELDS:
        return None
    numbers = {name: number for number, name in enumerate(pointers)}
    return Slice(key, scene, sites, pointers, numbers, boxed, aggregates, fields)


def _may_point(scene: Scene, name: str) -> bool:
    return bool(name) and not ir.is_literal(name) and (name in scene.holders or scene.is_aggregate(name) or name in scene.addresses)


def _used(node: ir.Instruction) -> Iterator[str]:
    """The variables of an instruction that move pointers around."""
    match node:
        case ir.Copy(dst=dst, src=src):
            yield from (src, dst)
        case ir.Op(dst=dst) if identity(node):
            yield from (identity(node), dst)
        case ir.Load(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base):
            yield from (base, dst)
        case ir.Store(base=base, src=src):
            yield from (base, src)
        case ir.LoadElement(dst=dst):
            yield dst
        case ir.StoreElement(src=src):
            yield src
        case ir.Call(dst=dst, args=args):
            yield from (*args, dst)
        case ir.Return(src=src):
            yield src


def _fields(scene: Scene, node: ir.Instruction) -> Iterator[str]:
    match node:
        case ir.Load(base=base, field=field, dst=dst) if base and dst in scene.holders:
            yield scene.normalise((base, field))[-1] if len(scene.normalise((base, field))) > 1 else POINTEE
        case ir.Store(base=base, field=field, src=src) if base and (src in scene.holders or src == "=null"):
            yield scene.normalise((base, field))[-1] if len(scene.normalise((base, field))) > 1 else POINTEE
        case ir.AddressOf(base=base, field="") if base:
            yield POINTEE


def allocates(found: Slice) -> Iterator[int]:
    """The calls of the library that allocate memory here."""
    for node in sorted(found.sites.sites):
        site = found.sites.sites[node]
        if site.is_library and site.call.dst and any(
            "memory" in each.resource and any(outcome.paths == (("$ret",),) for outcome in each.outcomes) for each in site.acquired
        ):
            yield node


def stores_nodes(linked: Linked, types: CTypes) -> bool:
    """Whether a procedure may link nodes, before it is sliced: without this `links` says no."""
    for node in linked.body.nodes:
        if not isinstance(node, ir.Store) or not node.base or not node.src or ir.is_literal(node.src):
            continue
        owner = linked.types.get(node.base) or next((each.type for each in linked.body.variables if each.name == node.base), "")
        field = node.field if node.field in ("", POINTEE) else types.union_member(owner, node.field)
        if field == "[]" or types.is_node(types.member(owner, field)):
            return True
    return False


def links(found: Slice) -> bool:
    """Whether the procedure stores a pointer to a node of a linked structure into another node."""
    scene = found.scene
    for node in scene.cfg.order:
        match scene.nodes[node]:
            case ir.Store(base=base, field=field, src=src) if base and src in found.numbers and scene.is_linked((base, field), 1):
                return True
    return False


def releases(found: Slice) -> bool:
    """Whether something that is passed to a call is released by it, or a link is taken away."""
    for site in found.sites.sites.values():
        if any(outcome.fate == "released" for move in site.moves for outcome in move.outcomes):
            return True
    return any(isinstance(node, ir.Store) and node.src == "=null" and node.base for node in found.scene.nodes)
