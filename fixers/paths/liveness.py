"""Which variables matter from a node on: those that may be read, and those whose value may decide a branch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import msgspec

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import AccessPath, Effects


class Liveness(msgspec.Struct, frozen=True, dict=True):
    """Bit sets over the variables of a procedure, per node, before the node runs.

    read     may still be read
    tested   a comparison may still depend on the value, here or in a callee
    fields   names of fields whose content may decide a branch somewhere
    elements whether that of elements of arrays may
    """

    bits: dict[str, int]
    read: tuple[int, ...]
    tested: tuple[int, ...]
    fields: frozenset[str]
    elements: bool = False

    def names_tested(self, node: int) -> frozenset[str]:
        """The variables on whose value a comparison may still depend."""
        bits = self.tested[node]
        found = self._names.get(bits)
        if found is None:
            found = self._names[bits] = frozenset(name for name, bit in self.bits.items() if bits & bit)
        return found

    @functools.cached_property
    def _names(self) -> dict[int, frozenset[str]]:
        return {}

    def decides(self, field: str) -> bool:
        """Whether what lies in a field, or in an element, may decide a branch."""
        return field in self.fields or (self.elements and "[" in field)


def operands(instruction: ir.Instruction) -> tuple[str, ...]:
    """What an instruction reads: variables and literals, without empty ones."""
    match instruction:
        case ir.Copy(src=src):
            found: tuple[str, ...] = (src,)
        case ir.Op():
            found = instruction.operands
        case ir.Load(base=base) | ir.AddressOf(base=base):
            found = (base,)
        case ir.Store(base=base, src=src):
            found = (base, src)
        case ir.LoadElement(base=base, index=index):
            found = (base, index)
        case ir.StoreElement(base=base, index=index, src=src):
            found = (base, index, src)
        case ir.Call(receiver=receiver, args=args):
            found = (receiver, *args)
        case ir.Return(src=src) | ir.Throw(src=src):
            found = (src,)
        case ir.Branch(left=left, right=right):
            found = (left, right)
        case _:
            return ()
    return tuple(name for name in found if name)


def destination(instruction: ir.Instruction) -> str:
    """The variable that an instruction assigns, or nothing."""
    match instruction:
        case (
            ir.Alloc(dst=dst) | ir.Copy(dst=dst) | ir.Op(dst=dst) | ir.Load(dst=dst) | ir.LoadElement(dst=dst)
            | ir.AddressOf(dst=dst) | ir.Call(dst=dst) | ir.Catch(dst=dst)
        ):
            return dst
        case _:
            return ""


def solve(linked: Linked, effects: Mapping[int, tuple[Effects, ...]] | None = None) -> Liveness:
    """Both analyses of a procedure, backwards to a fixpoint. What throws has assigned nothing: the variable keeps what it had.
    What the outcomes of a call depend on, it tests."""
    nodes = linked.body.nodes
    names = sorted({name for node in nodes for name in (*operands(node), destination(node)) if name and name[0] != "="})
    index = {name: number for number, name in enumerate(names)}
    uses = [_bits(index, operands(node)) for node in nodes]
    kills = [_bits(index, (destination(node),)) for node in nodes]
    fields, has_elements = _tested_fields(nodes)
    asked = {node: _asked(each) for node, each in (effects or {}).items()}
    fields |= {field for paths in asked.values() for path in paths for field in (*path[1:], *((path[0][2:],) if path[0][:2] == "::" else ()))}
    deciding = {node: _bits(index, _arguments(nodes[node], paths)) for node, paths in asked.items()}
    read = _backward(linked, lambda n, live: (live & ~kills[n]) | uses[n])
    tested = _backward(linked, lambda n, live: _before(nodes[n], live, kills[n], uses[n]) | deciding.get(n, 0))
    return Liveness({name: 1 << number for name, number in index.items()}, read, tested, fields, has_elements)


def _asked(effects: tuple[Effects, ...]) -> frozenset[AccessPath]:
    """What the outcomes of a call depend on that was there before it."""
    found = {each.path for one in effects for each in one.result}
    found |= {each.path for one in effects for case in one.cases for each in case}
    found |= {each.path for one in effects for t in one.transfers for o in t.outcomes for each in o.when}
    found |= {(root,) for one in effects for root in one.sizes}
    return frozenset(path for path in found if path[0] != "$ret")


def _arguments(call: ir.Instruction, paths: frozenset[AccessPath]) -> tuple[str, ...]:
    """The variables that a call gets at the roots of some paths."""
    if not isinstance(call, ir.Call):
        return ()
    given = {f"${n}": name for n, name in enumerate(call.args)} | {"this": call.receiver}
    return tuple(given[path[0]] for path in paths if len(path) == 1 and path[0] in given)


def _before(node: ir.Instruction, live: int, kill: int, uses: int) -> int:
    match node:
        case ir.Branch():
            return live | uses
        case ir.Copy() | ir.Op():
            return (live & ~kill) | uses if live & kill else live
        case _:
            return live & ~kill


def _tested_fields(nodes: tuple[ir.Instruction, ...]) -> tuple[frozenset[str], bool]:
    """Fields that are loaded into variables that a branch or a comparison reads, and whether elements are."""
    compared = {
        name for node in nodes if isinstance(node, ir.Branch | ir.Op | ir.Copy) for name in operands(node)
    }
    fields = frozenset(node.field for node in nodes if isinstance(node, ir.Load) and node.dst in compared)
    return fields, any(isinstance(node, ir.LoadElement) and node.dst in compared for node in nodes)


def _bits(index: dict[str, int], names: tuple[str, ...]) -> int:
    bits = 0
    for name in names:
        if name in index:
            bits |= 1 << index[name]
    return bits


def _backward(linked: Linked, transfer: Callable[[int, int], int]) -> tuple[int, ...]:
    count = len(linked.body.nodes)
    before: list[list[int]] = [[] for _ in range(count)]
    for node in range(count):
        for successor in {*linked.next[node], *linked.raises[node]}:
            before[successor].append(node)
    live = [0] * count
    work = list(range(count))
    queued = [True] * count
    while work:
        node = work.pop()
        queued[node] = False
        out = thrown = 0
        for successor in linked.next[node]:
            out |= live[successor]
        for successor in linked.raises[node]:
            thrown |= live[successor]
        new = transfer(node, out) | thrown
        if new != live[node]:
            live[node] = new
            for predecessor in before[node]:
                if not queued[predecessor]:
                    queued[predecessor] = True
                    work.append(predecessor)
    return tuple(live)
