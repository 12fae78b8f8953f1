"""Type arguments through calls: what a generic result is, given receiver and arguments.

Matches by position only: `List<X>` fits `Collection<T>` because both have one argument. Misses classes that
reorder or drop the parameters of what they extend, and results of lambdas that only a call tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    bound = _row(_bindings(method, receiver, actuals))
    return known(substitute(text, arguments(receiver), bound)) or _plain(method.result)


def _plain(erased: str) -> str:
    return "" if erased == OBJECT else erased


def result_with(method: MethodFacts, receiver: str, actuals: Sequence[str], more: dict[int, str]) -> str:
    """The same, with more that is known of the method's type parameters."""
    text = substitute(method.generics[-1], arguments(receiver), _row(_bindings(method, receiver, actuals) | more))
    return known(text) or _plain(method.result)


def formal_of(
    method: MethodFacts, receiver: str, actuals: Sequence[str], position: int, more: dict[int, str]
) -> str:
    """The type of the formal that an argument goes to, with type arguments as far as they are known."""
    bound = _bindings(method, receiver, actuals) | more
    return known(substitute(_formal(method, actuals, position), arguments(receiver), _row(bound)))


def bind_result(
    method: MethodFacts,
    function: MethodFacts,
    receiver: str,
    actuals: Sequence[str],
    position: int,
    answered: str,
    found: dict[int, str],
) -> None:
    """What an argument's answer says of the type parameters of the method that gets it: `function` is the
    method of the functional interface that the argument implements, `answered` the type that it answers."""
    if not function.generics:
        return
    functional = substitute(_formal(method, actuals, position), arguments(receiver))
    _unify(substitute(function.generics[-1], arguments(functional), ()), answered, found)


def _bindings(method: MethodFacts, receiver: str, actuals: Sequence[str]) -> dict[int, str]:
    """What the type parameters of a method are, by position."""
    found: dict[int, str] = {}
    of_class = arguments(receiver)
    for position, actual in enumerate(actuals):
        if actual:
            _unify(substitute(_formal(method, actuals, position), of_class), actual, found)
    return found


def _row(found: Mapping[int, str]) -> list[str]:
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


def signature_of_lambda(function: MethodFacts, functional: str) -> tuple[str, ...]:
    """The types of a lambda's formals and, last, of what it answers, given its functional interface with type
    arguments."""
    erased = (*function.parameters, function.result)
    of_class = arguments(functional)
    return tuple(
        known(substitute(text, of_class, ())) or ("" if has_variables(text) else plain)
        for text, plain in zip(function.generics or erased, erased, strict=True)
    )
