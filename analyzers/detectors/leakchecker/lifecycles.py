"""Objects that have an end: what their class does when it comes, and what it leaves behind.

Two forms: a static that keeps the first object of a class that ends; a reference that only the finaliser lets go of
(listeners: `listeners`). An end is a method whose name says so. Silent where the static or the reference is
touched by code that cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.origins import definitions
from analyzers.detectors.leakchecker.retention import Form, Retention
from analyzers.endings import Endings, simple
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import MAX_FILES, Use, slot_of
from analyzers.specs.containers import Role


class Lifecycles(msgspec.Struct, frozen=True):
    """Judges one procedure."""

    queries: Queries
    key: ProcedureKey
    body: ir.Procedure

    def kept(self) -> Iterator[Retention]:
        """What stays behind because of this procedure."""
        yield from self._statics()
        yield from self._finalised()

    def _own(self) -> Endings:
        return Endings(self.queries, self.key.path, self.body.owner)

    # --- statics that keep an object

    def _statics(self) -> Iterator[Retention]:
        body = self.body
        if "static" in body.attributes or body.kind in ("initialiser", "lambda"):
            return
        for number, node in enumerate(body.nodes):
            field, value = self._static_store(node)
            if field and self._holds_receiver(value) and self._own().ends():
                slot = slot_of(self.queries, self.key.path, body.owner, field)
                if slot is None or slot.type == body.owner or not slot.is_static or self._is_reset(slot.name):
                    continue
                yield Retention(
                    Form.STATIC_INSTANCE, f"{slot.owner}.{slot.name}", (Use(Role.STORE, self.key, number, (value,)),),
                    f"The static `{slot.name}` keeps an object that holds `this`, also after its end: nothing resets it.",
                )

    def _static_store(self, node: ir.Instruction) -> tuple[str, str]:
        match node:
            case ir.Store(base="", field=field, src=src):
                return field, src
            case ir.StoreElement(base=base, src=src):
                loaded = [each for each in definitions(self.body, base) if isinstance(each, ir.Load) and not each.base]
                return (loaded[0].field, src) if loaded else ("", "")
            case _:
                return "", ""

    def _holds_receiver(self, value: str) -> bool:
        """Whether a value is made here by a constructor that is handed `this`."""
        made = {node.dst for node in self.body.nodes if isinstance(node, ir.Alloc)}
        named = {value} | {
            node.src for node in self.body.nodes if isinstance(node, ir.Copy) and node.dst == value
        }
        return any(
            isinstance(node, ir.Call) and node.kind == "new" and node.receiver in made & named and "this" in node.args
            for node in self.body.nodes
        )

    def _is_reset(self, name: str) -> bool:
        """Whether anybody puts nothing into the static, or something that may be nothing."""
        if len(self.queries.mentioning(name)) > MAX_FILES:
            return True
        for key in self.queries.callers(name):
            body = self.queries.procedure(key)
            for node in body.nodes if body is not None else ():
                if isinstance(node, ir.Store) and node.field.rpartition(".")[2] == name and node.src == "=null":
                    return True
                if body is not None and isinstance(node, ir.StoreElement) and node.src == "=null":
                    return True
        return False

    # --- what only the finaliser lets go of

    def _finalised(self) -> Iterator[Retention]:
        body = self.body
        if simple(body) != "finalize" or body.parameters:
            return
        ends = self._own().ends()
        for number, node in enumerate(body.nodes):
            if not isinstance(node, ir.Call) or not ends:
                continue
            for load in definitions(body, node.receiver):
                if isinstance(load, ir.Load) and load.base == "this" and self._is_read_here_only(load.field):
                    slot = slot_of(self.queries, self.key.path, body.owner, load.field)
                    if slot is not None:
                        end = simple(ends[0][1])
                        yield Retention(
                            Form.FINALIZER, f"{slot.owner}.{slot.name}", (Use(Role.STORE, self.key, number),),
                            f"Only the finaliser calls `{node.name}` on `{slot.name}`: `{end}()` leaves it to the collector.",
                        )

    def _is_read_here_only(self, field: str) -> bool:
        if len(self.queries.mentioning(field)) > MAX_FILES:
            return False
        for key in self.queries.callers(field):
            body = self.queries.procedure(key)
            if key != self.key and body is not None and any(
                isinstance(node, ir.Load) and node.field.rpartition(".")[2] == field for node in body.nodes
            ):
                return False
        return True
