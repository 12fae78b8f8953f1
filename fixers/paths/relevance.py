"""Which variables matter to a resource: those that may hold it, or hold what holds it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import AccessPath, Effects
from fixers.paths.state import WRAPPED
from fixers.paths.values import is_plain_type

NARROW = frozenset((
    "int", "char", "short", "unsigned", "signed", "bool", "_Bool", "const", "volatile", "float", "double", "mode_t",
    "pid_t", "int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t", "uint32_t", "u_char", "u_int", "u_short",
))
"""The words of types of C that no pointer fits into."""


class _Asked:
    """A question about one procedure, told by which object that is: half a dozen ask the same one after the other."""

    __slots__ = ("effects", "linked", "rest")

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]], rest: tuple[frozenset[int], tuple[AccessPath, ...]]) -> None:
        self.linked, self.effects, self.rest = linked, effects, rest

    def __hash__(self) -> int:
        return hash(self.rest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and other.linked is self.linked and other.effects is self.effects and other.rest == self.rest


def holding(
    linked: Linked, sites: frozenset[int], owned: tuple[AccessPath, ...] = (),
    effects: Mapping[int, tuple[Effects, ...]] | None = None,
) -> set[str]:
    """The variables that a handle may come to, that may point to one, or that what holds one is known by, too."""
    return set(_held(_Asked(linked, effects, (sites, owned)))) if effects else _holding(linked, sites, owned, effects)


@functools.lru_cache(4)
def _held(asked: _Asked) -> frozenset[str]:
    return frozenset(_holding(asked.linked, *asked.rest, asked.effects))


def _holding(
    linked: Linked, sites: frozenset[int], owned: tuple[AccessPath, ...], effects: Mapping[int, tuple[Effects, ...]] | None
) -> set[str]:
    names = {linked.body.parameters[int(root[1:])] if root[1:].isdigit() else root for root, *_ in owned}
    numbers = _needing(linked, effects or {})
    names |= {name for node in sites for name in wrapped(linked.body.nodes[node], (effects or {}).get(node, ()))}
    names |= {name for node in sites for name in _renewed(linked, node, (effects or {}).get(node, ()))}
    first = {name for node in sites for name in _filled(linked.body.nodes[node], (effects or {}).get(node, ()))}
    narrow = _narrow(linked) if effects and not names and all(_is_pointer(linked, each) for each in first) else frozenset()
    return _closed(linked, names | first, narrow - numbers)


def _needing(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> frozenset[str]:
    """The numbers of C that are of no use without an object: its descriptor, a member that goes with it."""
    if linked.language != "c":
        return frozenset()
    members = {
        t.entry[1] for each in effects.values() for one in each for t in one.transfers
        if len(t.entry) > 1 and any(outcome.fate == "released" for outcome in t.outcomes)
    }
    found: set[str] = set()
    for node, each in enumerate(linked.body.nodes):
        match each:
            case ir.Load(dst=dst, field=field) if field in members:
                found.add(dst)
            case ir.Call(dst=dst) if dst and any(one.needs for one in effects.get(node, ())):
                found.add(dst)
            case ir.Call(dst=dst) if dst:
                found.update(wrapped(each, effects.get(node, ())))
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if src in found:
                found.add(dst)
            case _:
                pass
    return frozenset(found)


def wrapped(call: ir.Instruction, effects: tuple[Effects, ...]) -> Iterator[str]:
    """What a call gives away to the resource that it makes of it: the descriptor of a stream, the stream that a file of sound takes over."""
    is_maker = any(not transfer.entry for each in effects for transfer in each.transfers)
    for transfer in (t for each in effects for t in each.transfers if len(t.entry) == 1 and t.entry[0][1:].isdigit()):
        position = int(transfer.entry[0][1:])
        is_given = any(("$ret", WRAPPED) in outcome.paths or (is_maker and outcome.fate == "released") for outcome in transfer.outcomes)
        if is_given and isinstance(call, ir.Call) and position < len(call.args) and call.args[position][:1] != "=":
            yield call.args[position]


def _renewed(linked: Linked, node: int, effects: tuple[Effects, ...]) -> Iterator[str]:
    """What a call of C gives a block for, which may be the same one (`realloc`): who has that may have the new one, too."""
    call = linked.body.nodes[node]
    if linked.language != "c" or not isinstance(call, ir.Call):
        return
    for each in effects:
        is_made = any(("$ret",) in one.paths for t in each.transfers if not t.entry for one in t.outcomes)
        for t in each.transfers if is_made else ():
            position = t.entry[0][1:] if len(t.entry) == 1 else ""
            is_ended = any(one.fate == "released" for one in t.outcomes)
            if is_ended and position.isdigit() and int(position) < len(call.args) and not ir.is_literal(call.args[int(position)]):
                yield call.args[int(position)]


def reached(linked: Linked, name: str, nothing: str) -> set[str]:
    """The same for what a parameter points to; `nothing` is the literal that means «none» for what may lie there."""
    is_pointer = nothing == "NULL" and "*" in linked.types.get(name, "")
    return _closed(linked, {name}, _narrow(linked) if is_pointer else frozenset())


def _closed(linked: Linked, names: set[str], narrow: frozenset[str]) -> set[str]:
    """The names, and all that what they hold may come to."""
    plain = _plain(linked)
    steps = [step for each in linked.body.nodes if (step := _moved(each, plain, narrow)) is not None]
    grown = True
    while grown:
        grown = False
        for sources, targets in steps:
            if not names.isdisjoint(sources):
                new = set(targets) - names
                names |= new
                grown = grown or bool(new)
    return names


def _filled(call: ir.Instruction, effects: tuple[Effects, ...]) -> list[str]:
    """The variables by which an acquisition hands out what it acquires: where that is not known, all that it is given."""
    if not isinstance(call, ir.Call):
        return []
    given = (call.dst, call.receiver, *call.args)
    paths = [path for each in effects for t in each.transfers if not t.entry for one in t.outcomes for path in one.paths]
    roots = {path[0] for path in paths}
    if roots and all(root == "$ret" or root[1:].isdigit() for root in roots):
        given = (call.dst, *(name for index, name in enumerate(call.args) if f"${index}" in roots))
    return [name for name in given if name and name[0] != "="]


def _is_pointer(linked: Linked, name: str) -> bool:
    """Whether what comes by a variable is a pointer: by an address that was taken for the call, what lies there."""
    written = linked.types.get(name, "")
    is_address = any(isinstance(each, ir.AddressOf) and each.dst == name for each in linked.body.nodes)
    return "*" in (written.replace("*", "", 1) if is_address else written)


def _narrow(linked: Linked) -> frozenset[str]:
    """The variables of C that are declared as numbers too small for a pointer, and what is loaded from such fields."""
    if linked.language != "c":
        return frozenset()
    loaded = {node.dst for node in linked.body.nodes if isinstance(node, ir.Load | ir.LoadElement)}
    return frozenset(
        name for name, written in linked.types.items()
        if set(written.split()) <= NARROW and written and (name in loaded or not ir.is_temporary(name))
    )


def _moved(
    instruction: ir.Instruction, plain: frozenset[str], narrow: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The variables from which an instruction may move a handle, and those that it may come to. An object is filled
    under any of its names, so what is copied or loaded goes both ways; a call may store what it is given in all that
    is not `plain`; no handle goes by way of what is `narrow`."""
    match instruction:
        case ir.Copy(dst=dst, src=src):
            found: tuple[str, ...] = (dst, src)
        case ir.Op(dst=dst, operator="cast" | "[]+", operands=operands):
            found = (dst, *operands[:1])
        case ir.Op(dst=dst, operands=operands):
            return None if dst in narrow else (operands, (dst,))
        case ir.Call(dst=dst, receiver=receiver, args=args):
            given = tuple(each for each in (receiver, *args) if each and each[0] != "=")
            return given, (*((dst,) if dst else ()), *(each for each in given if each not in plain))
        case ir.Load(dst=dst, base=base, field=field):
            found = (dst, base or f"::{field}")
        case ir.LoadElement(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base):
            found = (dst, base)
        case ir.Store(base=base, field=field, src=src):
            found = (base or f"::{field}", src)
        case ir.StoreElement(base=base, src=src):
            found = (base, src)
        case _:
            return None
    kept = tuple(each for each in found if each and each[0] != "=" and each not in narrow)
    return (kept, kept) if len(kept) > 1 else None


def _plain(linked: Linked) -> frozenset[str]:
    """The variables of types that nothing can be reached from."""
    return frozenset(name for name, written in linked.types.items() if is_plain_type(written, linked.language))


def irrelevant(linked: Linked, names: set[str]) -> frozenset[str]:
    """The variables of the source beside `names`: their values need not be known for most proofs."""
    return frozenset(
        each.name for each in linked.body.variables if each.kind != "temporary" and each.name not in names
    ) - {"this"}


def sizes(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> frozenset[str]:
    """The variables that tell calls how much is wanted: for nothing they acquire nothing, and may release."""
    return frozenset(
        call.args[int(root[1:])] for node, each in effects.items() if isinstance(call := linked.body.nodes[node], ir.Call)
        for one in each for root in one.sizes if root[1:].isdigit() and int(root[1:]) < len(call.args)
    )


def indices(linked: Linked, names: set[str]) -> frozenset[str]:
    """The variables that tell in which element of an array of C something is stored: what another turn stores is another element."""
    if linked.language != "c":
        return frozenset()
    return frozenset(each.index for each in linked.body.nodes if isinstance(each, ir.StoreElement) and each.src in names and each.index)


def counters(linked: Linked) -> frozenset[str]:
    """Variables that hold numbers which change by arithmetic."""
    found = {
        node.dst for node in linked.body.nodes
        if isinstance(node, ir.Op) and node.operator not in ("cast", "[]+", "==", "!=", "<", "<=", ">", ">=", "!")
    }
    numbers = {name for name in found if "*" not in linked.types.get(name, "")}
    return frozenset(name for name in numbers if not ir.is_temporary(name))
