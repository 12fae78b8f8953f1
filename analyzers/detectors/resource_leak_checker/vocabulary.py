"""The annotations of the Resource Leak Checker, read from the attributes that lowering keeps.

Kellogg et al.: Lightweight and Modular Resource Leak Verification (ESEC/FSE 2021), sections 2 to 5, with the
later `@InheritableMustCall` and `@EnsuresCalledMethodsOnException`. Known by their simple names, whatever
package they come from. Misses arguments that are constants and not literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from analyzers import ir

MUST_CALL = "MustCall"
INHERITABLE = "InheritableMustCall"
UNKNOWN = "MustCallUnknown"
CALLED = "CalledMethods"
OWNING = "Owning"
NOT_OWNING = "NotOwning"
ALIAS = "MustCallAlias"
POLY = "PolyMustCall"
CREATES = "CreatesMustCallFor"
ENSURES = "EnsuresCalledMethods"
ENSURES_RAISED = "EnsuresCalledMethodsOnException"
ENSURES_VARARGS = "EnsuresCalledMethodsVarargs"
REQUIRES = "RequiresCalledMethods"
RETURNS_RECEIVER = "This"

VOCABULARY = (
    MUST_CALL, INHERITABLE, UNKNOWN, OWNING, NOT_OWNING, ALIAS, POLY, CREATES, ENSURES, ENSURES_RAISED,
    ENSURES_VARARGS,
)
"""A file that uses one of these is written for the checker: what it leaves out has the checker's defaults."""

ANY_WORD = " ".join((*VOCABULARY, "mustcall", "calledmethods"))
"""A file that is written for the checker holds one of these words."""

_PACKAGES = ("mustcall.qual.*", "calledmethods.qual.*")


class Annotation(msgspec.Struct, frozen=True):
    """An annotation: its simple name, and the strings of each argument (`value` where none is named)."""

    name: str
    arguments: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def strings(self, argument: str = "value") -> tuple[str, ...]:
        """The strings of an argument; empty where it is not given."""
        return next((strings for name, strings in self.arguments if name == argument), ())


def read(attributes: Iterable[str]) -> tuple[Annotation, ...]:
    """The annotations among attributes; those inside a container (`@X.List({@X, @X})`) for themselves."""
    return tuple(each for attribute in attributes if _simple(attribute)[:1].isupper() for each in _annotations(attribute))


def of_argument(attributes: Iterable[str], number: int) -> tuple[Annotation, ...]:
    """The annotations of a type argument: `List<@MustCall("close") Socket>`."""
    prefix = f"<{number}>"
    return read(attribute.removeprefix(prefix) for attribute in attributes if attribute.startswith(prefix))


def find(annotations: Iterable[Annotation], *names: str) -> Annotation | None:
    """The first annotation of one of the names."""
    return next((each for each in annotations if each.name in names), None)


def is_written_for(unit: ir.Unit) -> bool:
    """Whether a file imports the vocabulary, or a declaration bears one of its annotations."""
    if any(each.rpartition(".")[2] in VOCABULARY or each.endswith(_PACKAGES) for each in unit.imports):
        return True
    return any(_simple(attribute) in VOCABULARY for attribute in _attributes(unit))


def _attributes(unit: ir.Unit) -> Iterator[str]:
    for declared in unit.types:
        yield from declared.attributes
        for field in declared.fields:
            yield from field.attributes
        for method in declared.methods:
            yield from method.attributes
            for parameter in method.parameter_attributes:
                yield from parameter


def _simple(attribute: str) -> str:
    return attribute.partition("(")[0].rpartition(".")[2]


def _annotations(text: str) -> Iterator[Annotation]:
    name, mark, rest = text.partition("(")
    if "@" in rest:
        yield from _nested(rest)
        return
    yield Annotation(name.strip().rpartition(".")[2], tuple(_arguments(rest[: rest.rfind(")")])) if mark else ())


def _nested(text: str) -> Iterator[Annotation]:
    for part in text.split("@")[1:]:
        depth = 0
        for position, character in enumerate(part):
            depth += (character == "(") - (character == ")")
            if depth == 0 and (character in ",}" or position == len(part) - 1 or character == ")"):
                inner = part[: position + 1] if character == ")" else part[:position]
                yield from _annotations(inner)
                break


def _arguments(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`value = {"a", "b"}, methods = "c"` or `"a"`: names and strings in turn."""
    name, strings, word, position = "value", [], "", 0
    has_any = False
    while position < len(text):
        character = text[position]
        if character == '"':
            end = position + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            strings.append(text[position + 1 : end])
            position, has_any, word = end + 1, True, ""
            continue
        if character == "=":
            if has_any:
                yield name, tuple(strings)
            name, strings, has_any, word = word.strip(), [], True, ""
        elif character in ",{}":
            has_any = has_any or character == "{"
            word = ""
        else:
            word += character
        position += 1
    if has_any:
        yield name, tuple(strings)
