"""Type arguments through calls: what a generic result is, given receiver and arguments.

Matches by position only: `List<X>` fits `Collection<T>` because both have one argument. Misses classes that
reorder or drop the parameters of what they extend, and results of lambdas that only a call tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.frontends.java.type_text import (
    OBJECT,
    UNKNOWN_ARGUMENT,
    arguments,
    box,
    erase,
    has_variables,
    is_variable,
    known,
    substitute,
)
from analyzers.queries import MethodFacts


def result_of(method: MethodFacts, receiver: str, actuals: Sequence[str]) -> str:
    """The type of a call's result, with type arguments where known; empty where unknown."""
    if not method.generics:
        return method.result
    text = method.generics[-1]
    if not has_variables(text):
        return known(text) or _plain(method.result)
    bound = bindings(method, receiver, actuals)
    return known(substitute(text, arguments(receiver), bound)) or _plain(method.result)


def _plain(erased: str) -> str:
    return "" if erased == OBJECT else erased


def formal_of(method: MethodFacts, receiver: str, actuals: Sequence[str], position: int) -> str:
    """The type of the formal that an argument goes to, with type arguments as far as they are known."""
    formal = _formal(method, actuals, position)
    return known(substitute(formal, arguments(receiver), bindings(method, receiver, actuals)))


def bindings(method: MethodFacts, receiver: str, actuals: Sequence[str]) -> list[str]:
    """What the type parameters of a method are, by position; empty text where unknown."""
    found: dict[int, str] = {}
    of_class = arguments(receiver)
    for position, actual in enumerate(actuals):
        if actual:
            _unify(substitute(_formal(method, actuals, position), of_class), actual, found)
    return [found.get(position, "") for position in range(max(found, default=-1) + 1)]


def _formal(method: MethodFacts, actuals: Sequence[str], position: int) -> str:
    formals = method.generics[:-1] or method.parameters
    last = len(formals) - 1
    if position < last or (position == last and "varargs" not in method.attributes):
        return formals[position]
    if "varargs" not in method.attributes or not formals:
        return ""
    is_array = position == last and len(actuals) == len(formals) and actuals[position].endswith("[]")
    return formals[-1] if is_array else formals[-1].removesuffix("[]")


def _unify(formal: str, actual: str, found: dict[int, str]) -> None:
    if is_variable(formal) and formal[1:].isdigit():
        if actual[:1] != "-" and actual != "null":
            found.setdefault(int(formal[1:]), box(actual))
        return
    if formal.endswith("[]") and actual.endswith("[]"):
        _unify(formal[:-2], actual[:-2], found)
        return
    if "!" not in formal:
        return
    inner, given = arguments(formal), arguments(actual)
    if len(inner) == len(given):
        for one, other in zip(inner, given, strict=True):
            if other != UNKNOWN_ARGUMENT:
                _unify(one, other, found)
    elif actual.startswith("java.lang.Class<") and erase(formal) == "java.lang.Class" and len(inner) == 1:
        _unify(inner[0], given[0], found)


def formals_of_lambda(function: MethodFacts, functional: str) -> tuple[str, ...]:
    """The types of a lambda's formals, given its functional interface with type arguments."""
    generic = function.generics[:-1] or function.parameters
    of_class = arguments(functional)
    return tuple(
        known(substitute(text, of_class, ())) or ("" if has_variables(text) else plain)
        for text, plain in zip(generic, function.parameters, strict=True)
    )
