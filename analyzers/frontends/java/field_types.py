"""The types of fields that a procedure loads, with type arguments where its own file declares them."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.type_text import erase, plain
from analyzers.frontends.java.written_types import WrittenTypes
from analyzers.queries import Queries


class FieldTypes:
    """Answers are kept."""

    def __init__(self, unit: ir.Unit, procedure: ir.Procedure, written: WrittenTypes, queries: Queries) -> None:
        self._unit = unit
        self._procedure = procedure
        self._written = written
        self._queries = queries
        self._around = written.around(procedure.owner)
        self._found: dict[tuple[str, str], str] = {}
        self._declared: dict[str, dict[str, str]] = {}

    def field(self, receiver: str, base: str, field: str) -> str:
        """The type of a field of an object of a type, or (without a base) of a static field."""
        if not base:
            owner, _, name = field.rpartition(".")
            return self._of(self._written.name(owner), name) if owner else self._unqualified(name)
        if field == "this$0":
            return self._outer_of(erase(receiver))
        if not receiver:
            return ""
        found = self._of(erase(receiver), field)
        return found if found or erase(receiver) not in self._around else self._unqualified(field)

    def _of(self, owner: str, name: str) -> str:
        if not owner:
            return ""
        key = (owner, name)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._own(owner, name) or self._queries.field_type(owner, name)
        return found

    def _own(self, owner: str, name: str) -> str:
        """A field of this file, where its type has arguments."""
        fields = self._declared.get(owner)
        if fields is None:
            binary = plain(owner)
            is_here = self._written.name(binary) == owner
            declared = next((each for each in self._unit.types if each.name == binary), None) if is_here else None
            fields = {each.name: each.type for each in declared.fields} if declared is not None else {}
            self._declared[owner] = fields
        written = fields.get(name, "")
        return self._written.full(written) if "<" in written else ""

    def _unqualified(self, name: str) -> str:
        """A field by its simple name: inherited by a class around, or imported."""
        for around in self._around:
            found = self._of(around, name)
            if found:
                return found
        for each in self._unit.imports:
            if each.startswith("static ") and each.endswith(".*"):
                found = self._of(self._written.name(each[7:-2].strip()), name)
                if found:
                    return found
        return ""

    def _outer_of(self, type_name: str) -> str:
        if self._procedure.kind == "lambda" and not type_name:
            return self._around[0] if self._around else ""
        around = self._written.around(type_name)
        return around[1] if len(around) > 1 else ""
