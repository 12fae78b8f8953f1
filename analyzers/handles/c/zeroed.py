"""Members of a block that its allocator has zeroed, as long as nothing is stored in it: `p = calloc(1, sizeof *p)`.

Only what the procedure itself shows between the call and the test: a store to such a member, or anything that gets the
block, ends it. Misses blocks that a callee zeroes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_ZEROING = frozenset(("calloc", "xcalloc", "kcalloc", "zalloc", "xzalloc", "kzalloc", "zmalloc0", "malloc0", "new0"))


def member_of_block(scene: Scene, operand: str) -> str:
    """The variable from whose member or element a temporary of C has been loaded, where it may name a block made here."""
    place = scene.loads.get(operand, ())
    is_member = not scene.is_java and len(place) == 2 and ir.is_temporary(operand)
    return place[0] if is_member and place[0] in scene.holders else ""


def is_still_zero(scene: Scene, acquired: int, operand: str) -> bool:
    """Whether a member that a temporary has been loaded from is as the allocator left it."""
    call = scene.nodes[acquired] if acquired >= 0 else None
    if not isinstance(call, ir.Call) or not call.dst or not is_zeroing(call.name):
        return False
    names = _names(scene, call.dst)
    base, field = scene.loads[operand]
    if base not in names:
        return False
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(scene.definitions[operand][0])
    return not any(_may_change(scene.nodes[node], names, field) for node in between)


def zeroed_structs(scene: Scene) -> dict[int, str]:
    """The nodes that fill a struct of the procedure's own with zeros, or get a block from who does so, with the name of that."""
    found: dict[int, str] = {}
    for node in scene.cfg.order:
        match scene.nodes[node]:
            case ir.Op(operator="zero", dst=name):
                found[node] = name
            case ir.Call(name="memset", args=(place, "=0", _)) | ir.Call(name="bzero", args=(place, _)):
                name = next(iter(scene.addresses.get(place, ("",))))
                if len(scene.addresses.get(place, ())) == 1 and scene.is_aggregate(name):
                    found[node] = name
            case ir.Call(name=called, dst=name) if name and is_zeroing(called):
                found[node] = name
    return found


def is_zeroing(name: str) -> bool:
    """Whether an allocator is named like one that zeroes what it gives."""
    return not _ZEROING.isdisjoint((*words_of(name), name.rpartition("_")[2]))


def _names(scene: Scene, first: str) -> frozenset[str]:
    """The variables that a block is copied to."""
    found = {first}
    waiting = [first]
    while waiting:
        for copy in scene.copies.get(waiting.pop(), ()):
            if copy.dst not in found:
                found.add(copy.dst)
                waiting.append(copy.dst)
    return frozenset(found)


def _may_change(node: ir.Instruction, names: frozenset[str], field: str) -> bool:
    match node:
        case ir.Store(field=stored, src=src):
            return stored in (field, "*") or src in names
        case ir.StoreElement(src=src):
            return field in ("[]", "*") or src in names
        case ir.Call(args=args):
            return not names.isdisjoint(args)
        case ir.AddressOf(base=base):
            return base in names
        case ir.Havoc():
            return True
        case _:
            return False
