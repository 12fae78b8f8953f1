"""The types of one tree: the door that a Program delegates its questions about Java types to.

Answers come from the files of the tree, asked for when they are needed, and from the JDK model. A type of
neither has a name (from an import) and nothing else: it stays unknown, and so does what depends on it.
Says too much when a file closes another type of the same simple name; misses what processors generate.
"""

from __future__ import annotations

import itertools

from analyzers.frontends.java import jdk
from analyzers.frontends.java.declarations import DeclaredType
from analyzers.frontends.java.supertypes import Supertypes
from analyzers.frontends.java.type_members import TypeMembers
from analyzers.frontends.java.type_table import Outside, TypeTable, UnitSource, Untold
from analyzers.index import CLOSED, CONSTANT, RESULT
from analyzers.queries import MethodFacts

__all__ = ["Hierarchy", "UnitSource"]

CLOSEABLE = "java.lang.AutoCloseable"

_MOST_EVIDENCE = 32
"""Files that are asked at most whether they treat an unknown type as closeable."""


class Hierarchy:
    """The types of one tree. `release` decides which JDK types are closeable already, `outside` tells of
    types that neither the tree nor the JDK has."""

    def __init__(
        self, source: UnitSource, model: jdk.JdkModel | None = None, release: int = 17, outside: Outside | None = None
    ) -> None:
        self._source = source
        self.model = model or jdk.load_model()
        self._table = TypeTable(source, self.model, outside or Untold())
        self._supertypes = Supertypes(self._table, release)
        self._members = TypeMembers(self._table, self._supertypes)
        self._closeable: dict[str, bool | None] = source.memo()

    def resolve_type(self, path: str, owner: str, written: str) -> str:
        """See `Queries`. Arrays keep their dimensions, type parameters become their bound."""
        return self._supertypes.names.resolve(path, owner, written)

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`. Names of types that are not known further are among them."""
        return self._supertypes.supertypes(type_name)

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """See `Queries`."""
        return self._supertypes.is_subtype(type_name, ancestor)

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`. Those of Object are not listed."""
        return self._supertypes.subtypes(type_name)

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        return self._members.methods(type_name, name)

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        return self._members.overriders(type_name, name)

    def field_type(self, type_name: str, field: str) -> str:
        """See `Queries`."""
        return self._members.field_type(type_name, field)

    def declaring_file(self, type_name: str) -> str:
        """See `Queries`."""
        declared = self._table.declared(type_name)
        return declared.path if declared is not None else ""

    def constant(self, path: str, name: str) -> str:
        """See `Queries`; a field is `owner.field`, a method the name of its procedure."""
        if name.endswith(")"):
            returning = self._source.bodies(path, RESULT, name)
            return returning.results[name] if returning is not None else ""
        owner, _, field = name.rpartition(".")
        declared = self._table.declared(owner) or self._table.declared(self.resolve_type(path, "", owner))
        if declared is None:
            return ""
        full = f"{declared.name}.{field}"
        facts = self._source.bodies(declared.path, CONSTANT, full)
        return facts.constants[full] if facts is not None else ""

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Queries`."""
        if type_name not in self._closeable:
            self._closeable[type_name] = self._ask_closeable(type_name)
        return self._closeable[type_name]

    def _ask_closeable(self, type_name: str) -> bool | None:
        if not type_name:
            return None
        known = self.is_subtype(type_name, CLOSEABLE)
        if known is not None:
            return known
        unknown = [each for each in (type_name, *self.supertypes(type_name)) if not self._table.is_known(each)]
        return True if any(self._is_treated_closeable(each) for each in unknown) else None

    def _is_treated_closeable(self, name: str) -> bool:
        """Whether the tree closes a variable of an unknown type, or overrides its `close`."""
        simple = name.rpartition(".")[2].rpartition("$")[2]
        mentions = self._source.mentions
        users = (path for path in self._source.mentioning(simple) if mentions(path, "close") or mentions(path, "try"))
        for path in itertools.islice(users, _MOST_EVIDENCE):
            file = self._table.file(path)
            if file is None:
                continue
            bodies = self._source.bodies(path, CLOSED, simple)
            written = bodies.closed[simple] if bodies is not None else ()
            owner = next(iter(file.types), "")
            if any(self.resolve_type(path, owner, text) == name for text in written):
                return True
            if any(self._overrides_close(each, name) for each in file.types.values()):
                return True
        return False

    def _overrides_close(self, declared: DeclaredType, above: str) -> bool:
        return self._supertypes.direct_names(declared.name) == (above,) and any(
            not each.parameters and "Override" in each.attributes for each in declared.methods.get("close", ())
        )
