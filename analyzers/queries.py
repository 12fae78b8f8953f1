"""The closed list of looks that the analysis of one procedure may take outside its file.

`Queries` is what linking and the detectors are handed. `Recorder` wraps it and notes each look with
the digest of its answer, empty answers too: a stored result is valid while every answer that it
read has the same digest.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from analyzers import ir
from analyzers.summaries import Effects


class ProcedureKey(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """Names a procedure in a Program: its file and its name there."""

    path: str
    name: str


class Target(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a call may run, as far as names and types tell.

    procedures  the bodies in the repository, sorted; several: any of them
    models      qualified names to look specs up under, most specific first
                (`java.io.FileInputStream.<init>`, `java.io.Closeable.close`, `malloc`)
    type        static type of the receiver, or the type that a constructor makes (binary name)
    is_exact    no other body than these can run (a closed hierarchy, or a function with one definition)
    parameters  types of the formals, where known (`const char *`, `java.io.InputStream`)
    result      type of the result, where known
    """

    procedures: tuple[ProcedureKey, ...]
    models: tuple[str, ...]
    type: str
    is_exact: bool
    parameters: tuple[str, ...]
    result: str


class Linked(msgspec.Struct, frozen=True, array_like=True):
    """A procedure with its names resolved.

    body     the procedure; its nodes may differ from the unit's where macros were spliced in
    next, raises   successors that are real: `raises` only those that a known `throws`, Effects or belief
             allow, `next` without what follows a call that never returns
    types    per variable its resolved type (binary name for Java, canonical text for C), where known
    targets  per node that is a Call, its Target
    thrown   per node with exceptional successors the exceptions that take them, sorted (Java)
    believed per node those of its exceptional successors that no known `throws` accounts for, only a handler
             or signature that expects them: a path over one is assumed
    generics per variable whose type has type arguments, the type with them (Java)
    lambdas  per lambda that the body makes, the types of its formals and, last, of what it answers (Java)
    """

    key: ProcedureKey
    language: str
    body: ir.Procedure
    next: tuple[tuple[int, ...], ...]
    raises: tuple[tuple[int, ...], ...]
    types: dict[str, str]
    targets: dict[int, Target]
    thrown: dict[int, tuple[str, ...]] = {}
    believed: dict[int, tuple[int, ...]] = {}
    generics: dict[str, str] = {}
    lambdas: dict[str, tuple[str, ...]] = {}


class MethodFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A method as a type declares it, from source or the JDK model; types resolved (erased).

    attributes   modifiers and annotations; `varargs` and `abstract` also where only implied; `jdk` where
                 the JDK declares it
    generics     types of the parameters and, last, the result with their type arguments: `#i` is the i-th
                 type parameter of the type that was asked about, `!i` of the method itself, `?` unknown;
                 empty where nothing is generic
    """

    owner: str
    name: str
    parameters: tuple[str, ...]
    result: str
    throws: tuple[str, ...]
    attributes: tuple[str, ...]
    procedure: ProcedureKey | None
    generics: tuple[str, ...] = ()


class Callee(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call of Java resolved: its Target, the methods it may mean (the best first), the type of its result with
    type arguments, and what the specs say of it."""

    target: Target
    methods: tuple[MethodFacts, ...]
    result: str
    model: Effects | None


class Queries(Protocol):
    """All looks outside a file. Every answer is a value; «not known» is empty or None, never an error.

    While a procedure is being linked, `effects` is always UNKNOWN. Places in a file (`start`, `end` of declarations)
    are no part of an answer: a result must not depend on them.
    """

    def unit(self, path: str) -> ir.Unit | None:
        """The declarations of a file; its procedures come without variables and nodes (ask `procedure`)."""

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """A procedure's unit-level body."""

    def text(self, key: ProcedureKey, start: int, end: int) -> str:
        """The source of a procedure between two offsets, relative to it (those of its nodes); empty where
        there is none."""

    def source_of(self, key: ProcedureKey) -> bytes:
        """The bytes of a procedure; empty where there is none."""

    def linked(self, key: ProcedureKey) -> Linked | None:
        """A procedure with its names resolved."""

    def effects(self, key: ProcedureKey) -> Effects:
        """The Effects of a procedure of the repository; `UNKNOWN` where it has no body."""

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """The first spec entry among the names that fits the parameters; None where there is none."""

    # --- Java
    def resolve_type(self, path: str, owner: str, written: str) -> str:
        """Binary name of a type as written inside class `owner` of the file; empty where unknown."""

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """All proper supertypes that are known, nearest first."""

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """Whether one type is another or below it; None where the hierarchy is not known far enough."""

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """All types of the repository below this one, sorted."""

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """The methods of that name that the type has or inherits, nearest first. Name `->`: the one abstract
        method of a functional interface."""

    def has_method(self, type_name: str, names: tuple[str, ...]) -> bool:
        """Whether the type has or inherits a method of one of these names."""

    def callee(self, receiver: str, name: str, is_exact: bool, is_loose: bool, actuals: tuple[str, ...]) -> Callee:
        """What a call of a method means, by the type of its receiver (with type arguments, empty where unknown), whether no subtype of that
        can be there, and the types of the arguments. `is_loose`: a reference to a method, whose number of arguments is a guess."""

    def is_customarily_closed(self, path: str, type_name: str, name: str, arguments: int) -> bool:
        """Whether nearly all procedures of a file, or of the tree, that get an object of a type of this method (`<init>`: that make one) close it."""

    def declared_types(self, path: str, type_name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The types of the fields that a class of a file declares itself, and of the results of its methods, in their order."""

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """The methods of that name that types of the repository below this one declare, sorted by type."""

    def field_type(self, type_name: str, field: str) -> str:
        """The type of a field that the type has or inherits; empty where unknown."""

    def declaring_file(self, type_name: str) -> str:
        """The file that declares a type of Java; empty where none does."""

    def is_closeable(self, type_name: str) -> bool | None:
        """Whether objects of the type must or can be closed; None where nobody knows."""

    # --- C
    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """Definitions of a function as seen from a file: its own, else the same folder's, else all."""

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """The declaration of a function as seen from a file, from headers of the repository."""

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """Definitions of a macro as seen from a file."""

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """A struct, union or typedef as seen from a file."""

    def type_heading(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """The same without members: who asks only this needs not care that another one is added."""

    def member_type(self, path: str, name: str, member: str) -> str:
        """The type of a member of such a struct or union, as written; empty where it has no such."""

    def variable_type(self, path: str, name: str) -> str:
        """The type of a global as seen from a file, as written; empty where unknown."""

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        """A function with the macros spliced in that no call can stand for; None where it uses none."""

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """Functions that the tree stores to a struct field or variable of this name, sorted."""

    def constant(self, path: str, name: str) -> str:
        """The literal operand that a file static, enumerator or macro always is (Java: a field, `owner.field`, or the result
        of a method, by the name of its procedure); empty where it varies."""

    def never_returns(self, key: ProcedureKey) -> bool:
        """Whether every path through a function ends in a call that does not return."""

    # --- both
    def callers(self, name: str) -> tuple[ProcedureKey, ...]:
        """Procedures that mention a simple name, from the name index; sorted. Says too much, never too little."""

    def mentioning(self, word: str) -> tuple[str, ...]:
        """The files, sorted, that hold a word anywhere, or one of several with spaces between: cheap, nothing of them is read."""


QueryKind = Literal[
    "unit", "procedure", "linked", "effects", "model", "resolve_type", "supertypes", "is_subtype",
    "subtypes", "methods", "has_method", "callee", "is_customarily_closed", "declared_types", "overriders", "field_type", "declaring_file", "is_closeable", "functions", "prototype", "macro",
    "c_type", "type_heading", "member_type", "variable_type", "spliced", "function_pointers", "constant", "never_returns", "callers",
    "mentioning",
]
