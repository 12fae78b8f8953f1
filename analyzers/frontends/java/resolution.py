"""Which method a call means, given the types of its receiver and arguments, and the bodies that it may run.

Class hierarchy analysis. Depends on types and names only, not on who calls: equal calls of a tree share one answer (`Queries.callee`).
Where a library declares the method and a spec speaks for it, overriders in the repository are taken to keep
that contract and are not listed; past `MOST_BODIES` none are. Reports too much when an override never runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.frontends.java.fluent import result_by_custom
from analyzers.frontends.java.inference import result_of
from analyzers.frontends.java.overloads import Overloads, is_override
from analyzers.frontends.java.type_members import CONSTRUCTOR, FUNCTION, JDK
from analyzers.frontends.java.type_text import OBJECT, erase, plain
from analyzers.queries import Callee, MethodFacts, ProcedureKey, Queries, Target
from analyzers.summaries import Effects

MOST_BODIES = 24
"""A call that may run more bodies than this is treated as one that nobody knows."""

ITERATOR = "java.util.Iterator"
_OF_ARRAYS = ("clone", "iterator")
"""What lowering calls on arrays: their one method, and what a for-each loop stands for."""

UNKNOWN_TYPE = "?"
"""Stands for the type in the model names of a call whose receiver is unknown."""


def is_open(queries: Queries, name: str) -> bool:
    """Whether a type, or one above it, is not known: then nothing can be said not to be above it."""
    return queries.is_subtype(name, UNKNOWN_TYPE) is None


def superclass(queries: Queries, name: str) -> str:
    """The class above; empty where a class that nobody knows stands between."""
    above = queries.supertypes(name)
    if (not above or above[0] == OBJECT) and is_open(queries, name):
        return ""
    return above[0] if above else OBJECT


def models_of(queries: Queries, type_name: str, name: str) -> tuple[str, ...]:
    """The names under which specs may speak of a method of a type, or of its constructor."""
    if name != CONSTRUCTOR:
        above = [each for each in queries.supertypes(type_name) if each != OBJECT]
        return tuple([f"{plain(each)}.{name}" for each in (type_name, *above)])
    names = [f"{plain(type_name)}.{name}"]
    while _is_anonymous(type_name):
        type_name = superclass(queries, type_name)
        names.append(f"{plain(type_name)}.{name}")
    return tuple(names)


class Resolution:
    """Resolves the calls of one tree."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._overloads = Overloads(queries.is_subtype, lambda name: queries.methods(name, FUNCTION))

    def callee(self, receiver: str, name: str, is_exact: bool, is_loose: bool, actuals: tuple[str, ...]) -> Callee:
        """See `Queries`."""
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
        if not chosen and is_loose:
            chosen = candidates
        models = models_of(self._queries, type_name, name)
        if not candidates and name == CONSTRUCTOR and not actuals and not is_open(self._queries, type_name):
            return Callee(Target((), models, type_name, True, (), ""), (), "", None)  # an interface has none
        if not chosen:
            models = models if name == CONSTRUCTOR else (*models, f"{UNKNOWN_TYPE}.{name}")
            parameters = tuple(erase(each) for each in actuals)
            model = self._queries.model(models, parameters)
            result = _told(model)
            if not result and not candidates and name != CONSTRUCTOR and is_open(self._queries, type_name):
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

    def _may_have(self, type_name: str, name: str) -> bool:
        """Whether a type may declare or inherit a method: what is said of all methods of a library is not said of one that only a
        class of the repository below it has."""
        return bool(self._queries.methods(type_name, name)) or is_open(self._queries, type_name)

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
