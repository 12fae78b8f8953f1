"""Class-level checks: an owning field needs a method that must be called and releases it (sections 3.2 and 5.1).

Also that a class is not let off obligations that its supertypes have, and that the methods it names exist.
Reports too much when the releasing method lacks its `@EnsuresCalledMethods`: that is the law of annotated code.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.contracts import Contracts
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Field, Methods
from analyzers.finding import NOT_CALLED
from analyzers.source import Span

UNKNOWN_TYPE = "?"


class ClassProblem(msgspec.Struct, frozen=True):
    """Something wrong with a class: the key, where, the sentence, and for fields their type and name and what
    has to be called."""

    detail: str
    span: Span
    message: str
    attributes: tuple[str, ...]
    resource: str = ""
    variable: str = ""
    methods: tuple[str, ...] = ()


def unowned_fields(type_name: str, declarations: Declarations) -> Iterator[ClassProblem]:
    """The owning fields of a class that nothing releases."""
    contracts = Contracts(declarations)
    for field in declarations.fields(type_name):
        if not field.is_owning or (field.is_static and field.is_final):
            continue
        must = declarations.must_call_of(field.type, field.annotations)
        if must and (field.is_static or not _is_released(field, must, declarations, contracts)):
            yield _unowned(field, must)


def _unowned(field: Field, must: Methods) -> ClassProblem:
    name = field.declaration.name
    methods = " and ".join(f"`{each}()`" for each in must)
    if field.is_static:
        message = f"The static field `{name}` owns what it holds, and nobody has to call {methods} on it."
    else:
        message = f"No method that must be called on the class calls {methods} on its owning field `{name}`."
    declared = field.declaration
    span = Span(field.path, declared.start, declared.end)
    return ClassProblem(NOT_CALLED, span, message, declared.attributes, field.type, name, tuple(must))


def _is_released(field: Field, must: Methods, declarations: Declarations, contracts: Contracts) -> bool:
    place = ("this", field.declaration.name)
    destructors = declarations.must_call(field.owner)
    for method in declarations.methods(field.owner):
        if method.name in destructors:
            called = {name for path, names in contracts.of_method(method).ensured if path == place for name in names}
            if called.issuperset(must):
                return True
    return False


def contradictions(type_name: str, declarations: Declarations) -> Iterator[ClassProblem]:
    """Must-call annotations of a class that its supertypes or its methods contradict."""
    declared = declarations.declared(type_name)
    if declared is None:
        return
    path, declaration = declared
    span = Span(path, declaration.start, declaration.start + 1)
    written = vocabulary.find(vocabulary.read(declaration.attributes), vocabulary.INHERITABLE, vocabulary.MUST_CALL)
    if written is None:
        return
    queries = declarations.queries
    for above in queries.supertypes(type_name):
        missing = [each for each in declarations.must_call(above) if each not in written.strings()]
        if missing and _is_inheriting(above, declarations):
            text = f"`{missing[0]}()` must be called on {above}, but not on this subclass."
            yield ClassProblem("inconsistent.mustcall.subtype", span, text, declaration.attributes)
            break
    if queries.is_subtype(type_name, UNKNOWN_TYPE) is None:
        return
    for name in written.strings():
        if not queries.methods(type_name, name):
            text = f"The class names `{name}()` as a method that must be called, and has no such method."
            yield ClassProblem("mustcall.method.unknown", span, text, declaration.attributes)


def _is_inheriting(above: str, declarations: Declarations) -> bool:
    """Whether subclasses of a class of the tree have its obligations."""
    declared = declarations.declared(above)
    return declared is not None and (
        vocabulary.find(vocabulary.read(declared[1].attributes), vocabulary.INHERITABLE) is not None
    )
