"""Listeners that are registered with what lives on, and still so after the end of the object that listens.

Told only on evidence that they are to be taken back: what they register with has a call for that, and others of which
there are many make it, or the class itself does on another way. Silent where what is listened to ends as well, holds its
listeners weakly, or lets go of all of them at once, and where the end does nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.instances import is_made_again
from analyzers.detectors.leakchecker.origins import definitions
from analyzers.detectors.leakchecker.retention import Form, Retention, is_constant
from analyzers.endings import ENDS, Endings, simple
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import MAX_FILES, Use
from analyzers.specs.containers import Role

TWINS = (
    ("add", ("remove", "delete", "unregister")), ("register", ("unregister", "unRegister", "deregister", "remove")),
    ("subscribe", ("unsubscribe", "unSubscribe")), ("attach", ("detach",)),
)
"""How a registration and its undoing begin."""

SUFFIXES = ("Listener", "Observer", "Handler", "Callback")

_EMPTYING = ("clear", "removeAll", "reset")
"""How calls begin that let go of all listeners."""

_WEAK = "Weak"

MAX_DEPTH = 3


class Listeners(msgspec.Struct, frozen=True):
    """Judges the registrations of one procedure."""

    queries: Queries
    key: ProcedureKey
    body: ir.Procedure

    def kept(self) -> Iterator[Retention]:
        """Registrations that are left behind."""
        for number, node in enumerate(self.body.nodes):
            if not isinstance(node, ir.Call) or node.args[-1:] != ("this",) or node.receiver in ("", "this"):
                continue
            twins = _twins(node.name)
            if not twins or not self._ends() or self._is_temporary(twins) or self._is_part(node):
                continue
            left = self._left(node, twins) if self._is_outside(node.receiver) and self._is_lasting(node) else None
            if left is not None:
                end, message = left
                edge, lost = f"{self.body.owner}.{node.name}", Use(Role.ESCAPE, end, ir.EXIT)
                yield Retention(Form.LISTENER, edge, (Use(Role.STORE, self.key, number),), message, lost=lost)

    def _own(self) -> Endings:
        return Endings(self.queries, self.key.path, self.body.owner)

    def _ends(self) -> list[tuple[ProcedureKey, ir.Procedure]]:
        """The ends of the class that do anything at all: an interface may ask for one."""
        return [
            (key, body) for key, body in self._own().ends()
            if key != self.key and any(isinstance(node, ir.Call | ir.Store | ir.StoreElement) for node in body.nodes)
        ]

    def _calls(self, body: ir.Procedure, names: frozenset[str], depth: int) -> bool:
        return any(
            isinstance(node, ir.Call) and node.name in names
            for each in self._own().reached(body, depth) for node in each.nodes
        )

    def _left(self, call: ir.Call, twins: frozenset[str]) -> tuple[ProcedureKey, str] | None:
        """Which end of the class leaves the registration, and a sentence; None where none does, or who can tell."""
        ends = self._ends()
        if any(self._calls(body, twins, MAX_DEPTH) for _, body in ends) or self._ends_together(call, ends):
            return None
        removing = [body for _, body in self._own().methods() if self._calls(body, twins, 0)]
        key, end = ends[0]
        if removing and not _is_emptying(end):
            return None
        others = self._others(twins)
        if others == "for it" or (not removing and (others != "themselves" or not is_made_again(self.queries, self.body.owner))):
            return None
        where = f": only `{simple(removing[0])}` does" if removing else ""
        return key, f"`{call.name}(this)` registers the object, and `{simple(end)}()` does not take it back{where}."

    # --- the registration

    def _is_temporary(self, twins: frozenset[str]) -> bool:
        """Whether the same procedure takes the registration back."""
        return any(isinstance(node, ir.Call) and node.name in twins for node in self.body.nodes)

    def _is_part(self, call: ir.Call) -> bool:
        """Whether the object becomes a part of what it registers with: they end together."""
        names = {call.receiver, *(each.src for each in definitions(self.body, call.receiver) if isinstance(each, ir.Copy))}
        return any(
            isinstance(node, ir.Call) and node.args == ("this",) and node.receiver in names and node.name.startswith("set")
            for node in self.body.nodes
        )

    def _ends_together(self, call: ir.Call, ends: list[tuple[ProcedureKey, ir.Procedure]]) -> bool:
        """Whether an end of the object ends what it listens to, too."""
        fields = self._fields(call.receiver)
        for _, end in ends:
            for body in self._own().reached(end, MAX_DEPTH):
                held = {
                    node.dst for node in body.nodes
                    if isinstance(node, ir.Load) and node.base == "this" and node.field in fields
                }
                if any(isinstance(node, ir.Call) and node.name in ENDS and node.receiver in held for node in body.nodes):
                    return True
        return False

    def _fields(self, variable: str) -> set[str]:
        """The fields of the object that hold what a variable does."""
        names = {variable, *(each.src for each in definitions(self.body, variable) if isinstance(each, ir.Copy))}
        found = {
            node.field for node in self.body.nodes
            if isinstance(node, ir.Load) and node.base == "this" and node.dst in names
        }
        return found | {
            node.field for node in self.body.nodes
            if isinstance(node, ir.Store) and node.base == "this" and node.src in names
        }

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
            (body, node) for _, body in self._own().methods() for node in body.nodes
            if isinstance(node, ir.Store) and node.base == "this" and node.field == field and node.src != "=null"
        ]
        return bool(stores) and all(node.src in body.parameters for body, node in stores)

    # --- what it registers with

    def _is_lasting(self, call: ir.Call) -> bool:
        """Whether what is called keeps each listener, and others beside it, until somebody takes it back."""
        linked = self.queries.linked(self.key)
        declared = linked.types.get(call.receiver, "") if linked is not None else ""
        if not self._can_undo(declared, call.name):
            return False
        bodies = dict.fromkeys(
            each.procedure for owner in ((declared, *self.queries.subtypes(declared)) if declared else ())
            for each in self.queries.methods(owner, call.name) if each.procedure is not None
        )
        kept = [self._keeps(key, call.name) for key in bodies]
        return "weakly" not in kept and ("field" not in kept or "elsewhere" in kept)

    def _can_undo(self, declared: str, name: str) -> bool:
        """Whether a type of the repository has a call that undoes the registration, and none that undoes all of them.

        Of types without source nothing is known but the custom.
        """
        if not declared or not self.queries.declaring_file(declared):
            return True
        twins, suffix = _twins(name), next(each for each in SUFFIXES if name.endswith(each))
        if not any(self.queries.methods(declared, each) for each in twins):
            return False
        for owner in (declared, *self.queries.supertypes(declared)):
            path = self.queries.declaring_file(owner)
            unit = self.queries.unit(path) if path else None
            for each in unit.types if unit is not None else ():
                if each.name == owner and any(
                    method.name.startswith(_EMPTYING) and suffix in method.name and self.queries.callers(method.name)
                    for method in each.methods
                ):
                    return False
        return True

    def _keeps(self, key: ProcedureKey, name: str) -> Literal["field", "elsewhere", "nothing", "weakly"]:
        """Where a registering method puts what it is handed: a setter has one place, one of its like decides nothing."""
        body, linked = self.queries.procedure(key), self.queries.linked(key)
        if body is None or linked is None or not body.parameters:
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
                case ir.Call(name=called, args=args, receiver=receiver, kind=kind) if not handed.isdisjoint(args):
                    if self._is_weak(body, receiver, linked.types.get(receiver, "")):
                        return "weakly"
                    if called == name and kind != "new":
                        continue
                    if not called.startswith("set") or len(args) != 1:
                        return "elsewhere"
                    result = "field"
                case _:
                    pass
        return result

    def _is_weak(self, body: ir.Procedure, receiver: str, type_name: str) -> bool:
        """Whether what a listener is put into does not keep it alive: by its type, or by what is made for its field."""
        if _WEAK in type_name:
            return True
        fields = {node.field for node in definitions(body, receiver) if isinstance(node, ir.Load)}
        unit = self.queries.unit(self._file_of(body)) if fields else None
        for each in unit.procedures if unit is not None else ():
            other = self.queries.procedure(ProcedureKey(self._file_of(body), each.name)) if each.owner == body.owner else None
            made = {
                node.src for node in (other.nodes if other is not None else ())
                if isinstance(node, ir.Store) and node.field in fields
            }
            if other is not None and any(
                isinstance(node, ir.Alloc) and node.dst in made and _WEAK in node.type
                for node in other.nodes
            ):
                return True
        return False

    def _file_of(self, body: ir.Procedure) -> str:
        return self.queries.declaring_file(body.owner.partition("$")[0]) or self.key.path

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

    # --- what others do

    def _others(self, twins: frozenset[str]) -> Literal["nobody", "themselves", "for it"]:
        """Whether code of other classes takes itself back from such a registration, or may take back this object."""
        found: Literal["nobody", "themselves"] = "nobody"
        for name in sorted(twins):
            if len(self.queries.mentioning(name)) > MAX_FILES:
                return "for it"
            for key in self.queries.callers(name):
                body, linked = self.queries.procedure(key), self.queries.linked(key)
                if body is None or linked is None or body.owner == self.body.owner:
                    continue
                for node in body.nodes:
                    if not isinstance(node, ir.Call) or node.name != name or not node.args:
                        continue
                    type_name = linked.types.get(node.args[-1], "")
                    if node.args[-1] == "this":
                        found = "themselves"
                    elif not type_name or self._may_be(type_name):
                        return "for it"
        return found

    def _may_be(self, type_name: str) -> bool:
        owner = self.body.owner
        return type_name == owner or type_name in self.queries.supertypes(owner) or type_name in self.queries.subtypes(owner)


def _is_emptying(body: ir.Procedure) -> bool:
    """Whether a method lets go of what the object holds."""
    return any(
        isinstance(node, ir.Store) and node.base == "this"
        and (node.src == "=null" or any(isinstance(each, ir.Alloc) for each in definitions(body, node.src)))
        for node in body.nodes
    )


def _twins(name: str) -> frozenset[str]:
    """The calls that undo a registration; empty for what is none."""
    if not name.endswith(SUFFIXES):
        return frozenset()
    return frozenset(
        undo + name.removeprefix(do) for do, undoing in TWINS if name.startswith(do) and name != do for undo in undoing
    )
