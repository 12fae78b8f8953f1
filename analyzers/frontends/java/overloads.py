"""Which of several methods of one name a call means (Java Language Specification 15.12.2).

Three phases, as there: subtyping, boxing, variable arity; then the most specific. An argument of unknown
type fits every parameter, so that several methods may remain: the caller takes all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers.frontends.java.type_text import OBJECT, PRIMITIVES, box, erase, has_variables, unbox
from analyzers.queries import MethodFacts

NULL = "null"
"""The type of the literal `null`."""
LAMBDA = "->"
"""The type of a lambda or method reference, followed by its number of formals where known (`->2`)."""

IsSubtype = Callable[[str, str], bool | None]
FunctionOf = Callable[[str], tuple[MethodFacts, ...]]

_WIDENS = {
    "byte": ("short", "int", "long", "float", "double"),
    "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"),
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
}

_NO, _VARIABLE_ARITY, _BOXED, _STRICT = range(4)


class Overloads:
    """Chooses among methods, given what is known of types."""

    def __init__(self, is_subtype: IsSubtype, function_of: FunctionOf) -> None:
        self._is_subtype = is_subtype
        self._function_of = function_of

    def choose(self, candidates: Sequence[MethodFacts], arguments: Sequence[str]) -> tuple[MethodFacts, ...]:
        """The methods that the call may mean, the best first; empty where none takes so many arguments."""
        count = len(arguments)
        if len(candidates) == 1 and len(candidates[0].parameters) == count:
            return tuple(candidates)
        fitting = [each for each in candidates if _takes(each, count)]
        if len(fitting) < 2:
            return tuple(fitting)
        phases = [(self._phase(each, arguments), each) for each in fitting]
        best = max(phase for phase, _ in phases)
        if best == _NO:
            return tuple(fitting)
        return self._most_specific([each for phase, each in phases if phase == best], arguments)

    def _phase(self, method: MethodFacts, arguments: Sequence[str]) -> int:
        if len(method.parameters) == len(arguments):
            phase = _STRICT
            for parameter, argument in zip(method.parameters, arguments, strict=True):
                phase = min(phase, self._accepts(parameter, argument))
                if phase == _NO:
                    break
            else:
                return phase
        if "varargs" not in method.attributes:
            return _NO
        fixed = len(method.parameters) - 1
        element = method.parameters[-1].removesuffix("[]")
        expected = (*method.parameters[:fixed], *(element for _ in arguments[fixed:]))
        pairs = zip(expected, arguments, strict=True)
        return _VARIABLE_ARITY if all(self._accepts(*pair) for pair in pairs) else _NO

    def _accepts(self, parameter: str, argument: str) -> int:
        if not argument or not parameter or argument == parameter:
            return _STRICT
        if argument == NULL:
            return _NO if parameter in PRIMITIVES else _STRICT
        if argument.startswith(LAMBDA):
            return self._accepts_lambda(parameter, argument)
        if argument in PRIMITIVES:
            if parameter in PRIMITIVES:
                return _STRICT if parameter in _WIDENS.get(argument, ()) else _NO
            return _BOXED if self._is_subtype(box(argument), parameter) is not False else _NO
        if parameter in PRIMITIVES:
            plain = unbox(argument)
            if plain:
                return _BOXED if plain == parameter or parameter in _WIDENS.get(plain, ()) else _NO
            return _BOXED if argument in (OBJECT, "java.lang.Number", "java.io.Serializable") else _NO
        return _NO if self._is_subtype(argument, parameter) is False else _STRICT

    def _accepts_lambda(self, parameter: str, argument: str) -> int:
        if parameter in PRIMITIVES or parameter.endswith("[]") or parameter == "java.lang.String":
            return _NO
        function = self._function_of(parameter)
        formals = argument[len(LAMBDA) :]
        if function and formals and len(function[0].parameters) != int(formals):
            return _NO
        return _STRICT if function or parameter == OBJECT else _BOXED

    def _most_specific(self, methods: list[MethodFacts], arguments: Sequence[str]) -> tuple[MethodFacts, ...]:
        """The methods that no other one undercuts, where the arguments are known; else all."""
        if len(methods) == 1:
            return tuple(methods)
        left = [
            each for each in methods
            if not any(other is not each and self._undercuts(other, each, arguments) for other in methods)
        ]  # fmt: skip
        return tuple(left or methods)

    def _undercuts(self, one: MethodFacts, other: MethodFacts, arguments: Sequence[str]) -> bool:
        """Whether every parameter of one method is at least as narrow as the other's, some narrower."""
        if len(one.parameters) != len(other.parameters):
            return len(one.parameters) > len(other.parameters) and "varargs" in other.attributes
        is_narrower = False
        for position, (narrow, wide) in enumerate(zip(one.parameters, other.parameters, strict=True)):
            if narrow == wide:
                continue
            if position < len(arguments) and not arguments[position]:
                return False
            if not self._is_below(narrow, wide):
                return False
            is_narrower = True
        return is_narrower

    def _is_below(self, narrow: str, wide: str) -> bool:
        if narrow in PRIMITIVES or wide in PRIMITIVES:
            return wide in _WIDENS.get(narrow, ()) or (narrow in PRIMITIVES and wide not in PRIMITIVES)
        return self._is_subtype(narrow, wide) is True


def _takes(method: MethodFacts, count: int) -> bool:
    formals = len(method.parameters)
    return formals == count or (formals - 1 <= count and "varargs" in method.attributes)


def is_override(below: MethodFacts, above: MethodFacts) -> bool:
    """Whether a method of a subtype overrides one above it: equal erased parameters, where the upper one
    does not leave them to a type parameter."""
    if below.parameters == above.parameters:
        return True
    if len(below.parameters) != len(above.parameters):
        return False
    generic = above.generics[:-1] or above.parameters
    return all(
        one in (other, erase(text), "") or not other or has_variables(text) or text == "?"
        for one, other, text in zip(below.parameters, above.parameters, generic, strict=True)
    )
