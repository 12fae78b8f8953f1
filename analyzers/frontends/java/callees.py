"""What the calls of a procedure may run: where each looks for its method, by what the procedure writes.

An object that the procedure itself allocates has its exact type. Which method and which bodies are found there tells `resolution`.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.fluent import result_by_custom
from analyzers.frontends.java.inference import result_of
from analyzers.frontends.java.resolution import is_open, models_of, superclass
from analyzers.frontends.java.type_text import erase, plain
from analyzers.frontends.java.written_types import WrittenTypes
from analyzers.queries import Callee, ProcedureKey, Queries, Target

METHOD_REFERENCE = "method-reference"
"""The attribute of a lambda that lowering made of a method reference: its number of formals is a guess."""


class Callees:
    """Resolves the calls of one procedure; equal calls share an answer."""

    def __init__(self, unit: ir.Unit, procedure: ir.Procedure, written: WrittenTypes, queries: Queries) -> None:
        self._queries = queries
        self._written = written
        self._owner = written.name(procedure.owner)
        self._is_reference = METHOD_REFERENCE in procedure.attributes
        self._around = written.around(procedure.owner)
        self._static_imports = [each[7:].strip() for each in unit.imports if each.startswith("static ")]
        self._found: dict[tuple[str, str, bool, tuple[str, ...]], Callee] = {}

    def lambda_callee(self, body: ProcedureKey, functional: str, name: str) -> Callee:
        """The call of a lambda that the procedure itself makes."""
        facts = self._queries.methods(erase(functional), name)
        target = Target(
            (body,), models_of(self._queries, erase(functional), name), erase(functional), True,
            facts[0].parameters if facts else (), facts[0].result if facts else "",
        )  # fmt: skip
        return Callee(target, facts[:1], result_of(facts[0], functional, ()) if facts else "", None)

    def resolve(self, call: ir.Call, receiver: str, is_exact: bool, actuals: tuple[str, ...]) -> Callee:
        """A call, given the type of its receiver (with type arguments, empty where unknown), whether no
        subtype of it can be there, and the types of the arguments."""
        name = call.name
        if call.kind == "static":
            receiver = self.static_type(call)
            is_exact = True
        elif call.kind == "special":
            receiver = self._special_type(call, receiver)
            is_exact = True
        elif call.kind == "new":
            is_exact = True
        elif call.receiver == "this" or not call.qualifier:
            receiver, is_exact = self._around_type(receiver, name, is_exact)
        key = (receiver, name, is_exact, actuals)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._queries.callee(receiver, name, is_exact, self._is_reference, actuals)
        return found

    def is_modelled(self, type_name: str, name: str) -> bool:
        """Whether a spec speaks of a method of a type that is not in the tree, or custom tells what it gives."""
        if not type_name or not is_open(self._queries, type_name):
            return False
        return bool(result_by_custom(type_name, name)) or self._queries.model((f"{plain(type_name)}.{name}",), ()) is not None

    # --- the type to look in

    def static_type(self, call: ir.Call) -> str:
        """The type that a static call names, or finds by the name of its method."""
        if call.qualifier:
            return self._written.full(call.qualifier)
        return self._unqualified(call.name) or self._imported_from_outside(call.name) or self._owner

    def _unqualified(self, name: str) -> str:
        for around in self._around:
            if self._queries.methods(around, name):
                return around
        for imported in self._static_imports:
            qualified, _, last = imported.rpartition(".")
            if last in (name, "*"):
                found = self._written.name(qualified)
                if found and (last == name or self._queries.methods(found, name)):
                    return found
        return ""

    def _imported_from_outside(self, name: str) -> str:
        """The type outside the tree whose static members are imported whole and that has this one, unless a class around
        may inherit the method from outside. Of several types, that of which the specs name the method, where they know all."""
        if any(is_open(self._queries, around) for around in self._around):
            return ""
        names = [self._written.name(each[:-2]) for each in self._static_imports if each.endswith(".*")]
        outside = [each for each in dict.fromkeys(names) if each and is_open(self._queries, each)]
        if len(outside) < 2:
            return "".join(outside)
        named = self._queries.model(tuple(f"{each}.{name}" for each in outside), ())
        models = [self._queries.model((f"{each}.{name}",), ()) for each in outside]
        return "" if None in models else outside[models.index(named)]

    def _special_type(self, call: ir.Call, receiver: str) -> str:
        qualifier = call.qualifier
        if not qualifier.endswith("super"):
            return self._written.full(qualifier) if qualifier not in ("", "this") else receiver or self._owner
        named = qualifier.removesuffix("super").rstrip(".")
        if named:
            found = self._written.name(named)
            if found and found not in self._around:
                return found
            return superclass(self._queries, found or self._owner)
        return superclass(self._queries, self._owner)

    def _around_type(self, receiver: str, name: str, is_exact: bool) -> tuple[str, bool]:
        """Where an unqualified call looks: lowering names the nearest class that may inherit the method."""
        if receiver not in self._around or self._queries.methods(receiver, name):
            return receiver, is_exact
        return self._unqualified(name) or self._imported_from_outside(name) or receiver, False
