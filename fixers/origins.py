"""Where what a release of a patch gets may come from, as far as names tell: the acquisitions of the procedure that reach it."""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import Facts


def sources_of(after: Facts, ours: frozenset[int]) -> list[int]:
    """The acquisitions whose handles may come to the releases, as far as names tell."""
    nodes = after.linked.body.nodes
    names = {name for n in ours if isinstance(call := nodes[n], ir.Call) for name in (call.receiver, *call.args)}
    transfers = [t for n in ours for effects in after.effects.get(n, ()) for t in effects.transfers]
    fields = {transfer.entry[1] for transfer in transfers if len(transfer.entry) > 1}
    has_elements = after.linked.language == "c" and any("[]" in transfer.entry for transfer in transfers)
    grown = True
    while grown:
        grown = False
        for at, node in enumerate(nodes):
            found: tuple[str, ...] = ()
            match node:
                case ir.Copy(dst=dst, src=src) if dst in names:
                    found = (src,)
                case ir.Op(dst=dst, operands=operands) if dst in names:
                    found = operands[:1]
                case ir.LoadElement(dst=dst, base=base) if dst in names and after.linked.language == "c":
                    found = (base,)
                case ir.StoreElement(base=base, src=src) | ir.Store(base=base, field="*", src=src) if has_elements and base in names:
                    found = (src,)
                case ir.Load(dst=dst, field=field) if has_elements and field in fields and dst not in names:
                    found = (dst,)
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="[]+", operands=(src, _)) if has_elements and src in names and dst not in names:
                    found = (dst,)
                case ir.Load(dst=dst, field=field) if dst in names and field not in fields:
                    fields.add(field)
                    grown = True
                case ir.Store(field=field, src=src) if field in fields:
                    found = (src,)
                case ir.Call(kind="new", receiver=receiver, args=args) if receiver in names:
                    found = args
                case ir.Call(dst=dst, receiver=receiver, args=args) if dst in names and after.linked.language == "java":
                    found = (receiver, *args)
                case ir.Call(dst=dst) if dst in names:
                    found = _passed_on(after, at, node)
                case _:
                    continue
            if not names.issuperset(found):
                names.update(found)
                grown = True
    structs = frozenset(node.base for node in nodes if isinstance(node, ir.AddressOf | ir.Load) and node.dst in names and node.base)
    return [
        n for n, node in enumerate(nodes)
        if isinstance(node, ir.Call) and acquires(after, n)
        and ((node.receiver if node.kind == "new" and not node.dst else node.dst) in names or _fills(after, (n, node), names, fields, structs))
    ]


def _passed_on(after: Facts, node: int, call: ir.Call) -> tuple[str, ...]:
    """The arguments that a function of C may return as they are."""
    moves = (t for each in after.effects.get(node, ()) for t in each.transfers if len(t.entry) == 1 and t.entry[0][1:].isdigit())
    given = {int(t.entry[0][1:]) for t in moves for one in t.outcomes if ("$ret",) in one.paths}
    return tuple(call.args[index] for index in sorted(given) if index < len(call.args))


def _fills(after: Facts, at: tuple[int, ir.Call], names: set[str], fields: set[str], structs: frozenset[str]) -> bool:
    """Whether a call leaves what it acquires in an array of some names, in members of them or of a struct, or in a variable by its address."""
    node, call = at
    paths = (p for each in after.effects.get(node, ()) for t in each.transfers if not t.entry for o in t.outcomes for p in o.paths)
    filled = {(int(path[0][1:]), path[1]) for path in paths if len(path) == 2 and path[0][1:].isdigit()}
    places = [(call.args[root], field) for root, field in filled if root < len(call.args)]
    return any(
        (field in ("[]", *fields) and (place in names or not structs.isdisjoint((place, *_pointed(after, place)))))
        or (field == "*" and not names.isdisjoint(_pointed(after, place)))
        for place, field in places
    )


def _pointed(after: Facts, name: str) -> list[str]:
    """The variables of which a variable may be the address."""
    return [node.base for node in after.linked.body.nodes if isinstance(node, ir.AddressOf) and node.dst == name and not node.field]


def acquires(after: Facts, node: int) -> bool:
    """Whether a call acquires anything."""
    return any(not transfer.entry for effects in after.effects.get(node, ()) for transfer in effects.transfers)
