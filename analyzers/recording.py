"""Recorder: `Queries` that notes each look, so that a result can be kept with what it read.

A question is the kind of a look and its arguments; `Program.read_of` turns it into a `Read`.
"""

from __future__ import annotations

from typing import TypeAlias

from analyzers import ir
from analyzers.queries import Callee, Linked, MethodFacts, ProcedureKey, Queries
from analyzers.summaries import Effects

Argument: TypeAlias = str | int | ProcedureKey | tuple[str, ...]
Question: TypeAlias = tuple[Argument, ...]


class Recorder:
    """Passes each look on to `queries` and keeps the question, in the order of the first time."""

    __slots__ = ("_queries", "questions")

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self.questions: dict[Question, None] = {}

    def unit(self, path: str) -> ir.Unit | None:
        """See `Queries`."""
        self.questions["unit", path] = None
        return self._queries.unit(path)

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        self.questions["procedure", key] = None
        return self._queries.procedure(key)

    def text(self, key: ProcedureKey, start: int, end: int) -> str:
        """See `Queries`."""
        self.questions["procedure", key] = None
        return self._queries.text(key, start, end)

    def source_of(self, key: ProcedureKey) -> bytes:
        """See `Queries`."""
        self.questions["procedure", key] = None
        return self._queries.source_of(key)

    def linked(self, key: ProcedureKey) -> Linked | None:
        """See `Queries`."""
        self.questions["linked", key] = None
        return self._queries.linked(key)

    def effects(self, key: ProcedureKey) -> Effects:
        """See `Queries`."""
        self.questions["effects", key] = None
        return self._queries.effects(key)

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Queries`."""
        self.questions["model", names, parameters] = None
        return self._queries.model(names, parameters)

    def resolve_type(self, path: str, owner: str, written: str) -> str:
        """See `Queries`."""
        self.questions["resolve_type", path, owner, written] = None
        return self._queries.resolve_type(path, owner, written)

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        self.questions["supertypes", type_name] = None
        return self._queries.supertypes(type_name)

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """See `Queries`."""
        self.questions["is_subtype", type_name, ancestor] = None
        return self._queries.is_subtype(type_name, ancestor)

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        self.questions["subtypes", type_name] = None
        return self._queries.subtypes(type_name)

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        self.questions["methods", type_name, name] = None
        return self._queries.methods(type_name, name)

    def has_method(self, type_name: str, names: tuple[str, ...]) -> bool:
        """See `Queries`."""
        self.questions["has_method", type_name, names] = None
        return self._queries.has_method(type_name, names)

    def callee(self, receiver: str, name: str, is_exact: bool, is_loose: bool, actuals: tuple[str, ...]) -> Callee:
        """See `Queries`."""
        self.questions["callee", receiver, name, int(is_exact), int(is_loose), actuals] = None
        return self._queries.callee(receiver, name, is_exact, is_loose, actuals)

    def is_customarily_closed(self, path: str, type_name: str, name: str, arguments: int) -> bool:
        """See `Queries`."""
        self.questions["is_customarily_closed", path, type_name, name, arguments] = None
        return self._queries.is_customarily_closed(path, type_name, name, arguments)

    def declared_types(self, path: str, type_name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Queries`."""
        self.questions["declared_types", path, type_name] = None
        return self._queries.declared_types(path, type_name)

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        self.questions["overriders", type_name, name] = None
        return self._queries.overriders(type_name, name)

    def field_type(self, type_name: str, field: str) -> str:
        """See `Queries`."""
        self.questions["field_type", type_name, field] = None
        return self._queries.field_type(type_name, field)

    def declaring_file(self, type_name: str) -> str:
        """See `Queries`."""
        self.questions["declaring_file", type_name] = None
        return self._queries.declaring_file(type_name)

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Queries`."""
        self.questions["is_closeable", type_name] = None
        return self._queries.is_closeable(type_name)

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        self.questions["functions", path, name] = None
        return self._queries.functions(path, name)

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""
        self.questions["prototype", path, name] = None
        return self._queries.prototype(path, name)

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""
        self.questions["macro", path, name] = None
        return self._queries.macro(path, name)

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        self.questions["c_type", path, name] = None
        return self._queries.c_type(path, name)

    def type_heading(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        self.questions["type_heading", path, name] = None
        return self._queries.type_heading(path, name)

    def member_type(self, path: str, name: str, member: str) -> str:
        """See `Queries`."""
        self.questions["member_type", path, name, member] = None
        return self._queries.member_type(path, name, member)

    def variable_type(self, path: str, name: str) -> str:
        """See `Queries`."""
        self.questions["variable_type", path, name] = None
        return self._queries.variable_type(path, name)

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        self.questions["spliced", key] = None
        return self._queries.spliced(key)

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        self.questions["function_pointers", field] = None
        return self._queries.function_pointers(field)

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""
        self.questions["constant", path, name] = None
        return self._queries.constant(path, name)

    def never_returns(self, key: ProcedureKey) -> bool:
        """See `Queries`."""
        self.questions["never_returns", key] = None
        return self._queries.never_returns(key)

    def callers(self, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        self.questions["callers", name] = None
        return self._queries.callers(name)

    def mentioning(self, word: str) -> tuple[str, ...]:
        """See `Queries`."""
        self.questions["mentioning", word] = None
        return self._queries.mentioning(word)
