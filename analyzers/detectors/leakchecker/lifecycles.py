"""Objects that have an end: what their class does when it comes, and what it leaves behind.

Three forms: a listener that is registered and still so after the end; a static that keeps the first object of a class
that ends; a reference that only the finaliser lets go of. An end is a method whose name says so. Silent where
the registration, the static or the reference is touched by code that cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.origins import definitions
from analyzers.detectors.leakchecker.retention import Form, Retention, is_constant
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import MAX_FILES, SlotReader, Use, slot_of
from analyzers.specs.containers import Role

ENDS = frozenset((
    "close", "dispose", "destroy", "stop", "shutdown", "shutDown", "cleanup", "cleanUp", "release", "terminate", "uninstall",
    "contextDestroyed", "deactivate", "unload", "tearDown", "finish", "disconnect",
))
"""Methods that end an object's life, by name."""

TWINS = (("add", "remove"), ("register", "unregister"), ("add", "delete"), ("subscribe", "unsubscribe"))
"""How a registration and its undoing begin."""

MAX_DEPTH = 3


class Lifecycles(msgspec.Struct, frozen=True):
    """Judges one procedure."""

    queries: Queries
    reader: SlotReader
    key: ProcedureKey
    body: ir.Procedure

    def kept(self) -> Iterator[Retention]:
        """What stays behind because of this procedure."""
        yield from self._listeners()
        yield from self._statics()
        yield from self._finalised()

    # --- the class

    def _ends(self) -> list[tuple[ProcedureKey, ir.Procedure]]:
        """The methods of the class that end an object."""
        return [
            (key, body) for key, body in self._methods()
            if _simple(body) in ENDS and "static" not in body.attributes and body.result == "void"
        ]

    def _methods(self) -> list[tuple[ProcedureKey, ir.Procedure]]:
        unit = self.queries.unit(self.key.path)
        keys = [
            ProcedureKey(self.key.path, each.name) for each in (unit.procedures if unit is not None else ())
            if each.owner == self.body.owner
        ]
        found = ((key, self.queries.procedure(key)) for key in keys)
        return [(key, body) for key, body in found if body is not None]

    def _reaches(self, body: ir.Procedure, names: frozenset[str], depth: int) -> bool:
        """Whether a method, or one of its class that it calls, makes a call of one of these names."""
        called = {node.name for node in body.nodes if isinstance(node, ir.Call)}
        if called & names:
            return True
        return depth > 0 and any(
            self._reaches(other, names, depth - 1)
            for _, other in self._methods() if _simple(other) in called and other is not body
        )

    # --- listeners

    def _listeners(self) -> Iterator[Retention]:
        for number, node in enumerate(self.body.nodes):
            if isinstance(node, ir.Call) and node.args[-1:] == ("this",) and node.receiver not in ("", "this"):
                twins = _twins(node.name)
                is_lasting = bool(twins) and not self._is_temporary(node) and not self._is_part(node) and not self._is_one_place(node)
                if is_lasting and self._is_outside(node.receiver):
                    left = self._left(node, twins)
                    if left is not None:
                        end, message = left
                        edge, lost = f"{self.body.owner}.{node.name}", Use(Role.ESCAPE, end, ir.EXIT)
                        yield Retention(Form.LISTENER, edge, (Use(Role.STORE, self.key, number),), message, lost=lost)

    def _is_temporary(self, call: ir.Call) -> bool:
        """Whether the same procedure takes the registration back."""
        return any(isinstance(node, ir.Call) and node.name in _twins(call.name) for node in self.body.nodes)

    def _is_part(self, call: ir.Call) -> bool:
        """Whether the object becomes a part of what it registers with: they end together."""
        same = [*definitions(self.body, call.receiver)]
        names = {call.receiver, *(node.src for node in same if isinstance(node, ir.Copy))}
        return any(
            isinstance(node, ir.Call) and node.args == ("this",) and node.receiver in names and node.name.startswith("set")
            for node in self.body.nodes
        )

    def _is_one_place(self, call: ir.Call) -> bool:
        """Whether what is called has one place for a listener, where the next takes it."""
        linked = self.queries.linked(self.key)
        declared = linked.types.get(call.receiver, "") if linked is not None else ""
        bodies = dict.fromkeys(
            each.procedure for owner in (declared, *self.queries.subtypes(declared))
            for each in self.queries.methods(owner, call.name) if each.procedure is not None
        )
        kept = [self._keeps(key, call.name) for key in bodies]
        return "field" in kept and "elsewhere" not in kept

    def _keeps(self, key: ProcedureKey, name: str) -> Literal["field", "elsewhere", "nothing"]:
        """Where a registering method puts what it is handed: a setter has one place, one of its like decides nothing."""
        body = self.queries.procedure(key)
        if body is None or not body.parameters:
            return "elsewhere"
        handed = {body.parameters[-1]}
        handed |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in handed}
        result: Literal["field", "nothing"] = "nothing"
        for node in body.nodes:
            match node:
                case ir.Store(src=src) if src in handed:
                    result = "field"
                case ir.StoreElement(src=src) if src in handed:
                    return "elsewhere"
                case ir.Call(name="put", args=(place, value)) if value in handed and self._is_own_name(body, place, handed):
                    result = "field"
                case ir.Call(name=called, args=args) if not handed.isdisjoint(args) and called != name:
                    if not called.startswith("set") or len(args) != 1:
                        return "elsewhere"
                    result = "field"
                case _:
                    pass
        return result

    def _is_own_name(self, body: ir.Procedure, place: str, handed: set[str]) -> bool:
        """Whether a key is a name that all objects of the class answer alike, so that the next takes the place."""
        asked = definitions(body, place)
        for node in asked:
            if not isinstance(node, ir.Call) or node.receiver not in handed or node.args:
                return False
            method = next((each.procedure for each in self.queries.methods(self.body.owner, node.name) if each.procedure), None)
            answering = self.queries.procedure(method) if method is not None else None
            answers = [each.src for each in answering.nodes if isinstance(each, ir.Return)] if answering is not None else []
            if answering is None or not answers or not all(is_constant(answering, each, 2) for each in answers):
                return False
        return bool(asked)

    def _left(self, call: ir.Call, twins: frozenset[str]) -> tuple[ProcedureKey, str] | None:
        """Which end of the class leaves the registration, and a sentence; None where none does, or who can tell."""
        ends = [(key, body) for key, body in self._ends() if key != self.key]
        if not ends or self._is_removed_elsewhere(twins):
            return None
        if any(self._reaches(body, twins, MAX_DEPTH) for _, body in ends):
            return None
        removing = [body for _, body in self._methods() if self._reaches(body, twins, 0)]
        key, end = ends[0]
        if removing and not self._is_emptying(end):
            return None
        where = f": only `{_simple(removing[0])}` does" if removing else ""
        return key, f"`{call.name}(this)` registers the object, and `{_simple(end)}()` does not take it back{where}."

    def _is_emptying(self, body: ir.Procedure) -> bool:
        """Whether a method lets go of what the object holds."""
        return any(
            isinstance(node, ir.Store) and node.base == "this"
            and (node.src == "=null" or any(isinstance(each, ir.Alloc) for each in definitions(body, node.src)))
            for node in body.nodes
        )

    def _is_removed_elsewhere(self, twins: frozenset[str]) -> bool:
        """Whether code of another class may take objects of this class back."""
        for name in sorted(twins):
            if len(self.queries.mentioning(name)) > MAX_FILES:
                return True
            for key in self.queries.callers(name):
                body = self.queries.procedure(key)
                linked = self.queries.linked(key)
                if body is None or linked is None or body.owner == self.body.owner:
                    continue
                for node in body.nodes:
                    if isinstance(node, ir.Call) and node.name == name and node.args and node.args[-1] != "this":
                        type_name = linked.types.get(node.args[-1], "")
                        if not type_name or self._may_be(type_name):
                            return True
        return False

    def _may_be(self, type_name: str) -> bool:
        owner = self.body.owner
        return type_name == owner or type_name in self.queries.supertypes(owner) or type_name in self.queries.subtypes(owner)

    def _is_outside(self, receiver: str) -> bool:
        """Whether what the object registers with was there before it: a parameter, or a field that one fills."""
        body = self.body
        if receiver in body.parameters:
            return True
        for node in definitions(body, receiver):
            match node:
                case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src, *_)):
                    return self._is_outside(src)
                case ir.Load(base="this", field=field):
                    return self._is_given(field)
                case ir.Call(kind="static"):
                    return True
                case _:
                    return False
        return False

    def _is_given(self, field: str) -> bool:
        """Whether a field holds only what its class was handed."""
        stores = [
            (body, node) for _, body in self._methods() for node in body.nodes
            if isinstance(node, ir.Store) and node.base == "this" and node.field == field and node.src != "=null"
        ]
        return bool(stores) and all(node.src in body.parameters for body, node in stores)

    # --- statics that keep an object

    def _statics(self) -> Iterator[Retention]:
        body = self.body
        if "static" in body.attributes or body.kind in ("initialiser", "lambda"):
            return
        for number, node in enumerate(body.nodes):
            field, value = self._static_store(node)
            if field and self._holds_receiver(value) and self._ends():
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
        if _simple(body) != "finalize" or body.parameters:
            return
        ends = self._ends()
        for number, node in enumerate(body.nodes):
            if not isinstance(node, ir.Call) or not ends:
                continue
            for load in definitions(body, node.receiver):
                if isinstance(load, ir.Load) and load.base == "this" and self._is_read_here_only(load.field):
                    slot = slot_of(self.queries, self.key.path, body.owner, load.field)
                    if slot is not None:
                        end = _simple(ends[0][1])
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


def _simple(body: ir.Procedure) -> str:
    return body.name.partition("(")[0].rpartition(".")[2]


def _twins(name: str) -> frozenset[str]:
    """The calls that undo a registration; empty for what is none."""
    if not (name.endswith(("Listener", "Observer", "Handler", "Callback"))):
        return frozenset()
    return frozenset(undo + name.removeprefix(do) for do, undo in TWINS if name.startswith(do) and name != do)
