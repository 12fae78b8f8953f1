"""What is declared of types, fields and methods: their annotations, and the must-call type that follows.

Section 2.2 of the paper. A class has the obligations of its own annotation, else of the nearest inheritable one above
it, else `close` where it is a resource. Reports too much when a class of the tree closes nothing in its `close`.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.vocabulary import Annotation
from analyzers.queries import MethodFacts, ProcedureKey, Queries, Target

CLOSE = ("close",)

Methods = tuple[str, ...]


class Field(msgspec.Struct, frozen=True):
    """A field: who declares it (type and file), its resolved type, and its declaration."""

    owner: str
    path: str
    type: str
    declaration: ir.FieldDeclaration
    annotations: tuple[Annotation, ...]

    @property
    def is_owning(self) -> bool:
        """Whether what is stored in it is its class's to release."""
        return vocabulary.find(self.annotations, vocabulary.OWNING) is not None

    @property
    def is_final(self) -> bool:
        """Whether it is assigned once."""
        return "final" in self.declaration.attributes

    @property
    def is_static(self) -> bool:
        """Whether it belongs to the class."""
        return "static" in self.declaration.attributes


class Method(msgspec.Struct, frozen=True):
    """A method: who declares it (type and file), its annotations, those of its formals, and their names where it
    has a body; `procedure` is empty where it has none."""

    owner: str
    path: str
    name: str
    procedure: str
    parameters: tuple[str, ...]
    attributes: tuple[str, ...]
    annotations: tuple[Annotation, ...]
    formals: tuple[tuple[Annotation, ...], ...]
    is_varargs: bool = False

    @property
    def key(self) -> ProcedureKey:
        """Its body."""
        return ProcedureKey(self.path, self.procedure)


class Declarations:
    """Answers from the declarations of the tree, for one procedure."""

    def __init__(self, queries: Queries) -> None:
        self.queries = queries
        self._types: dict[str, tuple[str, ir.TypeDeclaration] | None] = {}
        self._must: dict[str, Methods] = {}
        self._written_for: dict[str, bool] = {}

    def is_written_for(self, path: str) -> bool:
        """Whether a file uses the vocabulary: then its annotations, and what it leaves out, are law."""
        found = self._written_for.get(path)
        if found is None:
            unit = self.queries.unit(path) if path in self.queries.mentioning(vocabulary.ANY_WORD) else None
            found = unit is not None and vocabulary.is_written_for(unit)
            self._written_for[path] = found
        return found

    def declared(self, type_name: str) -> tuple[str, ir.TypeDeclaration] | None:
        """The file and declaration of a type of the tree."""
        if type_name not in self._types:
            self._types[type_name] = self._find(type_name)
        return self._types[type_name]

    def _find(self, type_name: str) -> tuple[str, ir.TypeDeclaration] | None:
        path = self.queries.declaring_file(type_name) if type_name else ""
        unit = self.queries.unit(path) if path else None
        binary = type_name.partition("@")[0]
        found = next((each for each in unit.types if each.name == binary), None) if unit is not None else None
        return (path, found) if found is not None else None

    # --- must-call types

    def must_call(self, type_name: str) -> Methods:
        """The methods that have to be called on objects of a type."""
        found = self._must.get(type_name)
        if found is None:
            found = self._must[type_name] = self._must_call(type_name)
        return found

    def _must_call(self, type_name: str) -> Methods:
        if not type_name or type_name.endswith("]"):
            return ()
        for position, each in enumerate((type_name, *self.queries.supertypes(type_name))):
            declared = self.declared(each)
            if declared is None:
                continue
            names = (vocabulary.INHERITABLE, vocabulary.MUST_CALL) if position == 0 else (vocabulary.INHERITABLE,)
            written = vocabulary.find(vocabulary.read(declared[1].attributes), *names)
            if written is not None:
                return written.strings()
        return CLOSE if self.queries.is_closeable(type_name) else ()

    def must_call_of(self, type_name: str, written: Iterable[Annotation]) -> Methods:
        """The same for something that may be annotated itself."""
        own = vocabulary.find(written, vocabulary.MUST_CALL, vocabulary.UNKNOWN)
        if own is not None:
            return own.strings() if own.name == vocabulary.MUST_CALL else ()
        return self.must_call(type_name)

    # --- members

    def field(self, type_name: str, name: str) -> Field | None:
        """A field that a type of the tree has or inherits."""
        for each in (type_name, *self.queries.supertypes(type_name)):
            declared = self.declared(each)
            if declared is not None:
                found = next((field for field in declared[1].fields if field.name == name), None)
                if found is not None:
                    return self._field(each, declared[0], found)
        return None

    def fields(self, type_name: str) -> tuple[Field, ...]:
        """The fields that a type of the tree declares."""
        declared = self.declared(type_name)
        if declared is None:
            return ()
        return tuple(self._field(type_name, declared[0], each) for each in declared[1].fields)

    def static_field(self, qualified: str) -> Field | None:
        """A static field by its qualified name."""
        owner, _, name = qualified.rpartition(".")
        return self.field(owner, name) if owner else None

    def _field(self, owner: str, path: str, found: ir.FieldDeclaration) -> Field:
        resolved = self.queries.field_type(owner, found.name)
        return Field(owner, path, resolved, found, vocabulary.read(found.attributes))

    def methods(self, type_name: str) -> tuple[Method, ...]:
        """The methods that a type of the tree declares."""
        declared = self.declared(type_name)
        if declared is None:
            return ()
        return tuple(_method(type_name, declared[0], each) for each in declared[1].methods)

    def method_of(self, facts: MethodFacts) -> Method | None:
        """The declaration of a method that a look-up found."""
        name = facts.procedure.name if facts.procedure is not None else ""
        same = [each for each in self.methods(facts.owner) if each.name == facts.name]
        if name:
            return next((each for each in same if each.procedure == name), None)
        fitting = [each for each in same if len(each.parameters) == len(facts.parameters) and not each.procedure]
        return next((e for e in fitting if _simple_types(e.parameters) == _simple_types(facts.parameters)), None) or (
            fitting[0] if fitting else None
        )

    def callee(self, call: ir.Call, target: Target, receiver: str = "") -> Method | None:
        """The declaration in the tree of the method that a call names; `receiver`: the declared type of its receiver."""
        if target.type:
            if receiver and self.queries.methods(receiver, call.name):
                return self._inherited(call, target, receiver)
            return self._inherited(call, target, target.type)
        return self._by_body(target)

    def _inherited(self, call: ir.Call, target: Target, receiver: str) -> Method | None:
        candidates = self.queries.methods(receiver, call.name) if receiver else ()
        exact = [each for each in candidates if each.parameters == target.parameters]
        for facts in exact or candidates[:1]:
            if "jdk" not in facts.attributes:
                return self.method_of(facts)
        return None

    def _by_body(self, target: Target) -> Method | None:
        key = target.procedures[0] if target.procedures else None
        procedure = self.queries.procedure(key) if key is not None else None
        if key is None or procedure is None:
            return None
        return next((each for each in self.methods(procedure.owner) if each.procedure == key.name), None)


def _method(owner: str, path: str, found: ir.MethodDeclaration) -> Method:
    return Method(
        owner, path, found.name, found.procedure, found.parameters, found.attributes, vocabulary.read(found.attributes),
        tuple(vocabulary.read(each) for each in found.parameter_attributes), found.is_varargs,
    )  # fmt: skip


def _simple_types(written: Iterable[str]) -> tuple[str, ...]:
    plain = (each.partition("<")[0].strip() for each in written)
    return tuple(each.rpartition(".")[2].rpartition("$")[2] for each in plain)
