"""What a call may run: its method by receiver type and arguments, and the bodies below it that override it.

Class hierarchy analysis; an object that the procedure itself allocates has its exact type. Where a
library declares the method and a spec speaks for it, overriders in the repository are taken to keep
that contract and are not listed; past `MOST_BODIES` none are. Reports too much when an override never runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.frontends.java.fluent import result_by_custom
from analyzers.frontends.java.inference import result_of
from analyzers.frontends.java.overloads import Overloads, is_override
from analyzers.frontends.java.type_members import CONSTRUCTOR, FUNCTION, JDK
from analyzers.frontends.java.type_text import OBJECT, erase, plain
from analyzers.frontends.java.written_types import WrittenTypes
from analyzers.queries import MethodFacts, ProcedureKey, Queries, Target
from analyzers.summaries import Effects

MOST_BODIES = 24
"""A call that may run more bodies than this is treated as one that nobody knows."""

ITERATOR = "java.util.Iterator"
_OF_ARRAYS = ("clone", "iterator")
"""What lowering calls on arrays: their one method, and what a for-each loop stands for."""

METHOD_REFERENCE = "method-reference"
"""The attribute of a lambda that lowering made of a method reference: its number of formals is a guess."""

UNKNOWN_TYPE = "?"
"""Stands for the type in the model names of a call whose receiver is unknown."""


class Callee(msgspec.Struct, frozen=True, gc=False):
    """A call resolved: its Target, the methods it may mean (the best first), the type of its result with
    type arguments, and what the specs say of it."""

    target: Target
    methods: tuple[MethodFacts, ...]
    result: str
    model: Effects | None


class Callees:
    """Resolves the calls of one procedure; equal calls share an answer."""

    def __init__(self, unit: ir.Unit, procedure: ir.Procedure, written: WrittenTypes, queries: Queries) -> None:
        self._queries = queries
        self._written = written
        self._owner = written.name(procedure.owner)
        self._is_reference = METHOD_REFERENCE in procedure.attributes
        self._around = written.around(procedure.owner)
        self._static_imports = [each[7:].strip() for each in unit.imports if each.startswith("static ")]
        self._overloads = Overloads(queries.is_subtype, lambda name: queries.methods(name, FUNCTION))
        self._models: dict[tuple[str, str], tuple[str, ...]] = {}
        self._found: dict[tuple[str, str, bool, tuple[str, ...]], Callee] = {}

    def lambda_callee(self, body: ProcedureKey, functional: str, name: str) -> Callee:
        """The call of a lambda that the procedure itself makes."""
        facts = self._queries.methods(erase(functional), name)
        target = Target(
            (body,), self._models_of(erase(functional), name), erase(functional), True,
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
            found = self._found[key] = self._resolve(receiver, name, is_exact, actuals)
        return found

    def is_modelled(self, type_name: str, name: str) -> bool:
        """Whether a spec speaks of a method of a type that is not in the tree, or custom tells what it gives."""
        if not type_name or not self._is_open(type_name):
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
        if any(self._is_open(around) for around in self._around):
            return ""
        names = [self._written.name(each[:-2]) for each in self._static_imports if each.endswith(".*")]
        outside = [each for each in dict.fromkeys(names) if each and self._is_open(each)]
        if len(outside) < 2:
            return "".join(outside)
        named = self._queries.model(tuple(f"{each}.{name}" for each in outside), ())
        models = [self._queries.model((f"{each}.{name}",), ()) for each in outside]
        return "" if None in models else outside[models.index(named)]

    def _is_open(self, name: str) -> bool:
        """Whether a type, or one above it, is not known: then nothing can be said not to be above it."""
        return self._queries.is_subtype(name, UNKNOWN_TYPE) is None

    def _special_type(self, call: ir.Call, receiver: str) -> str:
        qualifier = call.qualifier
        if not qualifier.endswith("super"):
            return self._written.full(qualifier) if qualifier not in ("", "this") else receiver or self._owner
        named = qualifier.removesuffix("super").rstrip(".")
        if named:
            found = self._written.name(named)
            if found and found not in self._around:
                return found
            return self._superclass(found or self._owner)
        return self._superclass(self._owner)

    def _superclass(self, name: str) -> str:
        """The class above; empty where a class that nobody knows stands between."""
        above = self._queries.supertypes(name)
        if (not above or above[0] == OBJECT) and self._is_open(name):
            return ""
        return above[0] if above else OBJECT

    def _around_type(self, receiver: str, name: str, is_exact: bool) -> tuple[str, bool]:
        """Where an unqualified call looks: lowering names the nearest class that may inherit the method."""
        if receiver not in self._around or self._queries.methods(receiver, name):
            return receiver, is_exact
        return self._unqualified(name) or self._imported_from_outside(name) or receiver, False

    # --- the method

    def _resolve(self, receiver: str, name: str, is_exact: bool, actuals: tuple[str, ...]) -> Callee:
        type_name = erase(receiver)
        if not type_name and self._queries.methods(OBJECT, name) and name != CONSTRUCTOR:
            type_name = OBJECT
        if not type_name:
            models: tuple[str, ...] = (f"{UNKNOWN_TYPE}.{name}",)
            parameters = tuple(erase(each) for each in actuals)
            result = ITERATOR if name == "iterator" and not actuals else ""
            model = self._queries.model(models, parameters)
            result = result or _told(model)
            return Callee(Target((), models, "", False, parameters, result), (), result, model)
        if type_name[-1] == "]" and not actuals and name in _OF_ARRAYS:
            result = receiver if name == "clone" else f"{ITERATOR}<{receiver[:-2]}>"
            return Callee(Target((), (), type_name, True, (), erase(result)), (), result, None)
        candidates = self._queries.methods(type_name, name)
        chosen = self._overloads.choose(candidates, [_shown(each) for each in actuals]) if candidates else ()
        if not chosen and self._is_reference:
            chosen = candidates
        models = self._models_of(type_name, name)
        if not candidates and name == CONSTRUCTOR and not actuals and not self._is_open(type_name):
            return Callee(Target((), models, type_name, True, (), ""), (), "", None)  # an interface has none
        if not chosen:
            models = models if name == CONSTRUCTOR else (*models, f"{UNKNOWN_TYPE}.{name}")
            parameters = tuple(erase(each) for each in actuals)
            model = self._queries.model(models, parameters)
            result = _told(model)
            if not result and not candidates and name != CONSTRUCTOR and self._is_open(type_name):
                result = result_by_custom(type_name, name)
            return Callee(Target((), models, type_name, False, parameters, result), (), result, model)
        parameters = _agreed([each.parameters for each in chosen])
        models = (*models, f"{OBJECT}.{name}") if chosen[0].owner == OBJECT else models
        if JDK not in chosen[0].attributes and name != CONSTRUCTOR:
            models = tuple(each for each in models if self._may_have(each.rpartition(".")[0], name))
        model = self._queries.model(models, parameters)
        bodies, is_closed = self._bodies(type_name, chosen, is_exact, model)
        result = result_of(chosen[0], receiver, actuals) if len(chosen) == 1 else _same_result(chosen, receiver, actuals)
        target = Target(bodies, models, type_name, is_closed, parameters, erase(result))
        return Callee(target, chosen, result, model)

    def _models_of(self, type_name: str, name: str) -> tuple[str, ...]:
        key = (type_name, name)
        found = self._models.get(key)
        if found is None:
            found = self._models[key] = self._name_models(type_name, name)
        return found

    def _name_models(self, type_name: str, name: str) -> tuple[str, ...]:
        if name != CONSTRUCTOR:
            above = [each for each in self._queries.supertypes(type_name) if each != OBJECT]
            return tuple(f"{plain(each)}.{name}" for each in (type_name, *above))
        names = [f"{plain(type_name)}.{name}"]
        while _is_anonymous(type_name):
            type_name = self._superclass(type_name)
            names.append(f"{plain(type_name)}.{name}")
        return tuple(names)

    def _may_have(self, type_name: str, name: str) -> bool:
        """Whether a type may declare or inherit a method: what is said of all methods of a library is not said of one that only a
        class of the repository below it has."""
        return bool(self._queries.methods(type_name, name)) or self._is_open(type_name)

    # --- the bodies

    def _bodies(
        self, type_name: str, chosen: Sequence[MethodFacts], is_exact: bool, model: Effects | None
    ) -> tuple[tuple[ProcedureKey, ...], bool]:
        """The bodies that may run, and whether no other can."""
        own = [each.procedure for each in chosen if each.procedure is not None]
        is_static = chosen[0].name == CONSTRUCTOR or all(
            not {"static", "private", "final"}.isdisjoint(each.attributes) for each in chosen
        )
        is_certain = len(chosen) == 1
        if is_exact or is_static:
            return tuple(sorted(own)), is_certain and "abstract" not in chosen[0].attributes
        if model is not None and model.is_known and chosen[0].procedure is None:
            return (), False
        below = self._queries.overriders(type_name, chosen[0].name)
        found = {
            each.procedure: None
            for each in below
            if each.procedure is not None and any(is_override(each, above) for above in chosen)
        }
        bodies = sorted({*own, *found})
        if len(bodies) > MOST_BODIES:
            return (), False
        is_open = JDK in chosen[0].attributes or not bodies or self._may_be_lambda(type_name, chosen[0])
        return tuple(bodies), is_certain and not is_open

    def _may_be_lambda(self, type_name: str, method: MethodFacts) -> bool:
        return "abstract" in method.attributes and bool(self._queries.methods(type_name, FUNCTION))


def _told(model: Effects | None) -> str:
    """The type of the result of a method without a declaration, as far as a spec tells it."""
    return model.type if model is not None else ""


def _is_anonymous(type_name: str) -> bool:
    return plain(type_name).rpartition("$")[2].isdigit()


def _shown(actual: str) -> str:
    return erase(actual) if "<" in actual else actual


def _agreed(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all rows of types say alike; empty text where they differ."""
    if len(rows) == 1:
        return rows[0]
    if len({len(row) for row in rows}) != 1:
        return ()
    return tuple(column[0] if len(set(column)) == 1 else "" for column in zip(*rows, strict=True))


def _same_result(chosen: Sequence[MethodFacts], receiver: str, actuals: tuple[str, ...]) -> str:
    results = {result_of(each, receiver, actuals) for each in chosen}
    return results.pop() if len(results) == 1 else ""
