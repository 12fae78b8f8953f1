"""What a procedure passes on: its assignments, loads, stores and calls, indexed for walks in both directions.

The graph of Sridharan and Bodík (PLDI 2006), one procedure at a time, as it is asked for. The elements of a container
are one field, by the container's model. Says nothing of what library calls without a model keep or answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from analyzers import ir
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.slots import THREAD_LOCAL, SlotReader, slot_of
from analyzers.specs.containers import Role

ELEMENT = "[]"
"""The field that stands for all elements of an array or a container."""

_VIEWS = ("next", "nextElement", "previous")

Pairs = tuple[tuple[str, str], ...]


class Invocation(msgspec.Struct, frozen=True):
    """A call whose bodies are in the repository. `actuals` holds the receiver first, which may be empty."""

    node: int
    dst: str
    bodies: tuple[ProcedureKey, ...]
    actuals: tuple[str, ...]


class Fragment(msgspec.Struct, frozen=True):
    """The edges of one procedure; each kind by either end.

    made          per variable the instructions that make what it holds
    into, onto    copies: per target its sources, per source its targets
    loads         per target (base, field); `loads_of` per base (field, target)
    stores        per source (base, field); `stores_of` per base (field, source)
    globals_read, globals_written   per static field the variables that take it, or that are put there
    taken, given  per variable the statics that it takes, or is put into
    calls         all calls with bodies; `answered` per target their numbers, `passed` per actual (call, position)
    formals       the receiver and the parameters, in the order of the actuals
    stored_at     per (base, field, source) the first instruction that stores so
    """

    key: ProcedureKey
    made: Mapping[str, tuple[int, ...]]
    into: Mapping[str, tuple[str, ...]]
    onto: Mapping[str, tuple[str, ...]]
    loads: Mapping[str, Pairs]
    loads_of: Mapping[str, Pairs]
    stores: Mapping[str, Pairs]
    stores_of: Mapping[str, Pairs]
    globals_read: Mapping[str, tuple[str, ...]]
    globals_written: Mapping[str, tuple[str, ...]]
    taken: Mapping[str, tuple[str, ...]]
    given: Mapping[str, tuple[str, ...]]
    calls: tuple[Invocation, ...]
    answered: Mapping[str, tuple[int, ...]]
    passed: Mapping[str, tuple[tuple[int, int], ...]]
    returned: tuple[str, ...]
    formals: tuple[str, ...]
    stored_at: Mapping[tuple[str, str, str], int]


K = TypeVar("K")
V = TypeVar("V")


def fragment_of(queries: Queries, reader: SlotReader, linked: Linked) -> Fragment:
    """The edges of a procedure."""
    builder = _Builder(queries, reader, linked)
    for node, instruction in enumerate(linked.body.nodes):
        builder.add(node, instruction)
    return builder.fragment()


class _Builder:
    def __init__(self, queries: Queries, reader: SlotReader, linked: Linked) -> None:
        self._queries, self._reader, self._linked = queries, reader, linked
        self._made: list[tuple[str, int]] = []
        self._copies: list[tuple[str, str]] = []
        self._loads: list[tuple[str, str, str]] = []
        self._stores: list[tuple[tuple[str, str, str], int]] = []
        self._taken: list[tuple[str, str]] = []
        self._given: list[tuple[str, str]] = []
        self._calls: list[Invocation] = []
        self._returned: list[str] = []

    def add(self, node: int, instruction: ir.Instruction) -> None:
        """Notes what one instruction passes on."""
        match instruction:
            case ir.Alloc(dst=dst):
                self._made.append((dst, node))
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)):
                self._copy(dst, src)
            case ir.Load(dst=dst, base="", field=field):
                self._taken.append((dst, self._static(field)))
            case ir.Load(dst=dst, base=base, field=field):
                self._loads.append((dst, base, field))
            case ir.LoadElement(dst=dst, base=base):
                self._loads.append((dst, base, ELEMENT))
            case ir.Store(base="", field=field, src=src) if not ir.is_literal(src):
                self._given.append((src, self._static(field)))
            case ir.Store(base=base, field=field, src=src) if not ir.is_literal(src):
                self._stores.append(((base, field, src), node))
            case ir.StoreElement(base=base, src=src) if not ir.is_literal(src):
                self._stores.append(((base, ELEMENT, src), node))
            case ir.Call():
                self._call(node, instruction)
            case ir.Return(src=src) if src and not ir.is_literal(src):
                self._returned.append(src)
            case _:
                pass

    def _copy(self, dst: str, src: str) -> None:
        if dst and src and not ir.is_literal(src):
            self._copies.append((dst, src))

    def _static(self, field: str) -> str:
        """The name of a static field: with the class that declares it, where that is known."""
        slot = slot_of(self._queries, self._linked.key.path, self._linked.body.owner, field)
        return f"{slot.owner}.{slot.name}" if slot is not None else field

    def _call(self, node: int, call: ir.Call) -> None:
        target = self._linked.targets.get(node)
        if target is not None and target.procedures:
            actuals = tuple("" if ir.is_literal(each) else each for each in (call.receiver, *call.args))
            self._calls.append(Invocation(node, call.dst, target.procedures, actuals))
            return
        type_name = self._linked.types.get(call.receiver, "")
        model = self._reader.container(type_name) if call.receiver and type_name else None
        if model is not None and model is not THREAD_LOCAL:
            self._contained(node, call, model.roles.get(call.name))
        elif call.receiver and call.name in _VIEWS:
            self._loads.append((call.dst, call.receiver, ELEMENT))
        elif call.receiver and call.name == "iterator":
            self._copy(call.dst, call.receiver)

    def _contained(self, node: int, call: ir.Call, role: Role | None) -> None:
        if role in (Role.STORE, Role.SET):
            self._stores += [((call.receiver, ELEMENT, each), node) for each in call.args if not ir.is_literal(each)]
        if role in (Role.STORE, Role.SET, Role.READ, Role.TAKE, Role.REMOVE) and call.dst:
            self._loads.append((call.dst, call.receiver, ELEMENT))
        if role is Role.VIEW:
            self._copy(call.dst, call.receiver)

    def fragment(self) -> Fragment:
        """All edges, by either end."""
        body = self._linked.body
        passed = [
            (actual, (number, position))
            for number, each in enumerate(self._calls) for position, actual in enumerate(each.actuals) if actual
        ]
        return Fragment(
            self._linked.key,
            _grouped(self._made),
            _grouped(self._copies),
            _grouped([(src, dst) for dst, src in self._copies]),
            _grouped([(dst, (base, field)) for dst, base, field in self._loads]),
            _grouped([(base, (field, dst)) for dst, base, field in self._loads]),
            _grouped([(src, (base, field)) for (base, field, src), _ in self._stores]),
            _grouped([(base, (field, src)) for (base, field, src), _ in self._stores]),
            _grouped([(name, dst) for dst, name in self._taken]),
            _grouped([(name, src) for src, name in self._given]),
            _grouped(self._taken),
            _grouped(self._given),
            tuple(self._calls),
            _grouped([(each.dst, number) for number, each in enumerate(self._calls) if each.dst]),
            _grouped(passed),
            tuple(dict.fromkeys(self._returned)),
            ("this", *body.parameters),
            {store: node for store, node in reversed(self._stores)},
        )


def _grouped(pairs: list[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, dict[V, None]] = {}
    for key, value in pairs:
        found.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in found.items()}
