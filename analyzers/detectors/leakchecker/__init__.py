"""LeakChecker: objects that outlive the event that made them, kept by an edge that nobody follows again (Java).

Yan, Yang, Xu, Rountev: LeakChecker (CGO 2014): the type and effect system of section 3 over chosen loops (`loop`),
and its question asked of each field from all of its readers (`slots`, `retention`). Reports too much where
reflection reads; misses what unknown callees keep, and structures that shrink somewhere, but too rarely.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from analyzers import ir
from analyzers.detectors.leakchecker.bounds import Bounds
from analyzers.detectors.leakchecker.events import EventLoops, Events
from analyzers.detectors.leakchecker.lifecycles import Lifecycles
from analyzers.detectors.leakchecker.listeners import Listeners
from analyzers.detectors.leakchecker.origins import Origins
from analyzers.detectors.leakchecker.report import finding, span
from analyzers.detectors.leakchecker.retention import Forms, Retention
from analyzers.detectors.leakchecker.thread_locals import ThreadLocals
from analyzers.finding import Finding, Note, NoteKind
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import THREAD_LOCAL, Slot, SlotReader, slot_of
from analyzers.specs.containers import Containers, Role, load_containers


class LeakChecker:
    """The detector. `events` are the loops and regions that a person names."""

    def __init__(self, events: Events | None = None) -> None:
        self.events = events or Events()

    @property
    def name(self) -> str:
        """See `Detector`."""
        return "leakchecker"

    @property
    def languages(self) -> frozenset[str]:
        """See `Detector`."""
        return frozenset(("java",))

    @functools.cached_property
    def models(self) -> Containers:
        """The container models, read on first use."""
        return load_containers()

    @functools.cached_property
    def _storing(self) -> frozenset[str]:
        """Names of calls that store into some container."""
        return frozenset(
            name for each in self.models.types.values() for name, role in each.roles.items() if role is Role.STORE
        )

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """What these procedures store and nobody lets go of."""
        for key in keys:
            body = queries.procedure(key)
            if body is None:
                continue
            for kept in self._retentions(queries, key, body):
                yield finding(queries, self.name, kept)
            if self.events.may_examine(body):
                yield from self._of_loops(queries, key)

    def _of_loops(self, queries: Queries, key: ProcedureKey) -> Iterator[Finding | Note]:
        """What the chosen loops of a procedure keep."""
        linked = queries.linked(key)
        headers = self.events.headers(linked) if linked is not None else {}
        if linked is None or not headers:
            return
        loops = EventLoops(queries, SlotReader(queries, self.models), key)
        for kept in loops.kept(linked, headers):
            yield finding(queries, self.name, kept)
        if loops.spent:
            place = span(queries, key, ir.ENTRY)
            yield Note(NoteKind.BUDGET, place, "a loop here reaches too much to say what it keeps")

    def _retentions(self, queries: Queries, key: ProcedureKey, body: ir.Procedure) -> Iterator[Retention]:
        reader = SlotReader(queries, self.models)
        yield from Listeners(queries, key, body).kept()
        yield from Lifecycles(queries, key, body).kept()
        yield from Bounds(queries, reader, key, body).kept()
        slots = self._stored(queries, key, body)
        if slots:
            for slot in slots:
                kept = _judge(queries, reader, reader.refined(slot))
                if kept is not None and kept.stores[0].key == key:
                    yield kept

    def _stored(self, queries: Queries, key: ProcedureKey, body: ir.Procedure) -> list[Slot]:
        """The fields of the file whose containers, or whose value per thread, the procedure stores into, each once."""
        receivers = {
            node.receiver for node in body.nodes if isinstance(node, ir.Call) and self._is_storing(node)
        } | {node.base for node in body.nodes if isinstance(node, ir.StoreElement)}
        receivers.discard("")
        handed = {each for node in body.nodes if isinstance(node, ir.Call) for each in node.args} - receivers
        if not receivers and not handed:
            return []
        for _ in range(3):
            receivers |= {
                source for node in body.nodes
                if getattr(node, "dst", "") in receivers
                for source in _sources(node)
            }
        fields = dict.fromkeys(
            node.field for node in body.nodes if isinstance(node, ir.Load) and node.dst in receivers
        )
        found = [slot_of(queries, key.path, body.owner, field) for field in fields]
        return [each for each in found if each is not None] + [
            each for each in self._handed_on(queries, key, body, handed) if each not in found
        ]

    def _handed_on(self, queries: Queries, key: ProcedureKey, body: ir.Procedure, handed: set[str]) -> list[Slot]:
        """The containers of the class that the procedure hands to another, each once."""
        fields = dict.fromkeys(
            node.field for node in body.nodes
            if isinstance(node, ir.Load) and node.dst in handed and node.base in ("", "this")
        )
        found = [slot_of(queries, key.path, body.owner, field) for field in fields]
        reader = SlotReader(queries, self.models)
        return [each for each in found if each is not None and self._may_hold(reader, each)]

    def _may_hold(self, reader: SlotReader, slot: Slot) -> bool:
        model = reader.container(slot.type) if slot.is_private else None
        return model is not None and bool(model.roles) and model is not THREAD_LOCAL

    def _is_storing(self, call: ir.Call) -> bool:
        return call.name in self._storing or (call.name == "set" and len(call.args) == 1) or call.name == "clear"


def _judge(queries: Queries, reader: SlotReader, slot: Slot) -> Retention | None:
    if reader.container(slot.type) is not THREAD_LOCAL:
        return Forms(queries, reader).of(slot)
    touched = reader.touched(slot)
    return ThreadLocals(queries, reader, Origins(queries, reader)).of(touched) if touched is not None else None


def _sources(node: ir.Instruction) -> tuple[str, ...]:
    """The variables whose object, or value per thread, an instruction passes on."""
    match node:
        case ir.Copy(src=src):
            return (src,)
        case ir.Op(operator="cast", operands=(src, *_)):
            return (src,)
        case ir.Call(name="get", args=(), receiver=receiver):
            return (receiver,)
        case _:
            return ()
