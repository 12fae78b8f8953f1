"""What the names of a Java file mean as far as the file itself tells: classes, their members, imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec

_LONGEST_LINEAGE = 40


class Method(msgspec.Struct, frozen=True, gc=False):
    """What calls inside the file need to know of a method."""

    arity: int
    is_static: bool
    is_private: bool
    is_varargs: bool
    result: str


class Field(msgspec.Struct, frozen=True, gc=False):
    """What accesses inside the file need to know of a field."""

    is_static: bool
    type: str


class LocalNames(Protocol):
    """The body in which a local class or lambda stands."""

    depth: int

    def variable(self, name: str) -> str | None:
        """The variable that a simple name denotes there, None where it is no variable."""

    def type_of(self, name: str) -> str:
        """The written type of that variable."""


class ClassScope:
    """A class while its file is lowered.

    `outer` is the class around it, `body` the procedure around a local or anonymous one. `captures`
    are the variables of `body` that it uses. `has_outer` tells whether its objects have a `this$0`, `asks_outer` whether its own
    code may look there.
    `file` holds the top-level classes of the file, `locals` the local and anonymous classes by offset.
    """

    __slots__ = (
        "asks_outer", "body", "captures", "components", "counters", "depth", "fields", "file", "has_initialisers", "has_outer", "kind",
        "locals", "methods", "name", "outer", "simple", "superclass", "supertypes", "type_parameters", "types",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        simple: str,
        kind: str,
        outer: ClassScope | None,
        body: LocalNames | None,
        file: dict[str, ClassScope],
    ) -> None:
        self.name = name
        self.simple = simple
        self.kind = kind
        self.outer = outer
        self.body = body
        self.file = file
        self.has_outer = False
        self.asks_outer = False
        self.has_initialisers = False
        self.fields: dict[str, Field] = {}
        self.methods: dict[str, list[Method]] = {}
        self.supertypes: tuple[str, ...] = ()
        self.superclass = ""
        self.depth = 0
        self.type_parameters: dict[str, str] = {}
        self.captures: dict[str, None] = {}
        self.types: dict[str, ClassScope] = {}
        self.components: tuple[str, ...] = ()
        self.counters: dict[str, int] = {}
        self.locals: dict[int, ClassScope] = {}

    def lineage(self) -> Iterator[ClassScope]:
        """The class and those of its supertypes that the file declares, nearest first."""
        seen: dict[str, ClassScope] = {}
        work = [self]
        while work and len(seen) < _LONGEST_LINEAGE:
            scope = work.pop(0)
            if scope.name in seen:
                continue
            seen[scope.name] = scope
            yield scope
            for written in scope.supertypes:
                found = scope.find_type(written.partition("<")[0].rpartition(".")[2])
                if found is not None:
                    work.append(found)

    def find_type(self, simple: str) -> ClassScope | None:
        """The class of the file that a simple name denotes inside this one."""
        scope: ClassScope | None = self
        while scope is not None:
            if simple in scope.types:
                return scope.types[simple]
            if scope.simple == simple:
                return scope
            scope = scope.outer
        return self.file.get(simple)

    def field(self, name: str) -> tuple[ClassScope, Field] | None:
        """The declaration of a field here or in a supertype of the file."""
        if name in self.fields:
            return self, self.fields[name]
        if self.supertypes:
            for scope in self.lineage():
                if name in scope.fields:
                    return scope, scope.fields[name]
        return None

    def method(self, name: str) -> tuple[ClassScope, list[Method]] | None:
        """The methods of a name here, else in a supertype of the file."""
        if name in self.methods:
            return self, self.methods[name]
        if self.supertypes:
            for scope in self.lineage():
                if name in scope.methods:
                    return scope, scope.methods[name]
        return None
