"""Names of types as written to binary names (Java Language Specification 6.4 and 6.5).

Order: type parameters and member types of each class around, inner first; the file's own types;
single-type imports; the package; imports on demand; `java.lang`. A type of neither tree nor JDK has the
name that its import gives. Says too much when the one on-demand import left is guessed.
"""

from __future__ import annotations

from typing import Protocol

from analyzers.frontends.java.declarations import DeclaredType, FileTypes
from analyzers.frontends.java.type_table import TypeTable
from analyzers.frontends.java.type_text import (
    COPY,
    OBJECT,
    PRIMITIVES,
    base_and_dimensions,
    erase,
    plain,
    without_annotations,
    without_wildcard,
)


class Above(Protocol):
    """What names need of the supertypes: nested types are inherited."""

    def direct_names(self, name: str) -> tuple[str, ...]:
        """The direct supertypes of a type, the superclass first."""

    def is_complete(self, name: str) -> bool:
        """Whether all supertypes of a type are declared in the tree or the JDK."""

    def gaps(self) -> int:
        """How often an answer was cut short because its own type was in the making (cycles in bad code)."""

    def is_whole(self, before: int) -> bool:
        """Whether an answer may be kept that was begun when there were so many gaps."""


class TypeNames:
    """Resolves names; answers are kept."""

    def __init__(self, table: TypeTable, above: Above) -> None:
        self._table = table
        self._above = above
        self._resolved: dict[tuple[str, str, str], str] = table.source.memo()
        self._members: dict[tuple[str, str], str] = table.source.memo()

    def resolve(self, path: str, owner: str, written: str) -> str:
        """The binary name of a written type. Arrays keep their dimensions, type parameters become their bound."""
        key = (path, owner, written)
        found = self._resolved.get(key)
        if found is None:
            before = self._above.gaps()
            found = self._resolve(path, owner, written)
            if self._above.is_whole(before):
                self._resolved[key] = found
        return found

    def _resolve(self, path: str, owner: str, written: str) -> str:
        text = erase(without_wildcard(without_annotations(written)))
        base, dimensions = base_and_dimensions(text)
        if not base or base in PRIMITIVES:
            return base + dimensions if base else ""
        file = self._table.file(path)
        if file is None:
            return ""
        name = self._name(file, plain(owner), base, frozenset())
        return name + dimensions if name else ""

    def _name(self, file: FileTypes, owner: str, written: str, seen: frozenset[str]) -> str:
        name = written if written in file.types else self._parts(file, owner, written, seen)
        return name if not name or COPY in name else self._table.identify(name, file.path)

    def _parts(self, file: FileTypes, owner: str, written: str, seen: frozenset[str]) -> str:
        first, _, rest = written.partition(".")
        first = without_annotations(first)
        name = self._simple(file, owner, first, seen, "" if rest else "guess")
        if not rest:
            return name
        if name:
            return self._member_path(self._table.identify(name, file.path) if COPY not in name else name, rest)
        return self._qualified(written)

    def _simple(self, file: FileTypes, owner: str, simple: str, seen: frozenset[str], unknown: str) -> str:
        around = file.types.get(owner)
        while around is not None:
            if simple in around.parameters:
                return self._bound(file, around, simple, seen)
            if around.simple == simple:
                return around.name
            own = self._table.identify(around.name, file.path)
            found = self._inherited(own, simple) or _first(around.local.get(simple))
            if found:
                return found
            around = file.types.get(around.outer)
        return self._outside(file, owner, simple, unknown)

    def _outside(self, file: FileTypes, owner: str, simple: str, unknown: str) -> str:
        if simple in file.tops:
            return file.tops[simple]
        imported = file.singles.get(simple)
        if imported is not None:
            return self._qualified(imported)
        in_package = f"{file.package}.{simple}" if file.package else simple
        if self._table.is_known(in_package):
            return in_package
        for package in file.on_demand:
            found = f"{package}.{simple}"
            if self._table.is_known(found):
                return found
            around = self._qualified(package)
            found = self._member(around, simple, frozenset()) if around and self._table.is_known(around) else ""
            if found:
                return found
        static = file.static_singles.get(simple)
        if static is not None:
            found = self._qualified(static)
            if self._table.is_known(found):
                return found
        in_lang = f"java.lang.{simple}"
        if in_lang in self._table.model:
            return in_lang
        return self._guess(file, owner, simple) if unknown else self._told(file, simple)

    def _told(self, file: FileTypes, simple: str) -> str:
        """The type of that name in the one package imported on demand of which specs say that it has one."""
        found = [f"{each}.{simple}" for each in dict.fromkeys(file.on_demand) if self._table.outside.is_known_type(f"{each}.{simple}")]
        return found[0] if len(found) == 1 else ""

    def _guess(self, file: FileTypes, owner: str, simple: str) -> str:
        """The name of a type that neither the tree nor the JDK has, where only one place is left for it; without a package where several are."""
        if len(simple) < 3 or not simple[0].isupper():
            return ""
        places = [
            package for package in dict.fromkeys(file.on_demand)
            if package not in file.members and not self._table.model.has_package(package) and not self._table.is_known(self._qualified(package))
        ]  # fmt: skip
        if len(places) > 1:
            told = [each for each in places if self._table.outside.is_known_type(f"{each}.{simple}")]
            if told:
                return f"{told[0]}.{simple}" if len(told) == 1 else ""
            return simple if self._is_complete_around(file, owner) and not self._table.is_known(simple) else ""
        if places:
            return f"{places[0]}.{simple}"
        if not self._is_complete_around(file, owner):
            return ""
        return f"{file.package}.{simple}" if file.package else simple

    def _is_complete_around(self, file: FileTypes, owner: str) -> bool:
        around = file.types.get(owner)
        while around is not None:
            if not self._above.is_complete(self._table.identify(around.name, file.path)):
                return False
            around = file.types.get(around.outer)
        return True

    def _bound(self, file: FileTypes, declared: DeclaredType, parameter: str, seen: frozenset[str]) -> str:
        bound = declared.parameters[parameter][1]
        if not bound or parameter in seen:
            return OBJECT
        return self._name(file, declared.name, erase(bound), seen | {parameter}) or OBJECT

    def _inherited(self, type_name: str, simple: str) -> str:
        """The same as `_member`, kept."""
        key = (type_name, simple)
        found = self._members.get(key)
        if found is None:
            before = self._above.gaps()
            found = self._member(type_name, simple, frozenset())
            if self._above.is_whole(before):
                self._members[key] = found
        return found

    def _member(self, type_name: str, simple: str, seen: frozenset[str]) -> str:
        """The member type of that name that a type has or inherits; empty where there is none."""
        declared = self._table.declared(type_name)
        if declared is not None and simple in declared.nested:
            return self._table.identify(declared.nested[simple], declared.path)
        nested = f"{type_name}${simple}"
        if nested in self._table.model or (declared is None and self._table.outside.is_known_type(nested)):
            return nested
        for above in self._above.direct_names(type_name):
            if above not in seen:
                found = self._member(above, simple, seen | {type_name})
                if found:
                    return found
        return ""

    def _member_path(self, type_name: str, rest: str) -> str:
        for simple in rest.split("."):
            simple = without_annotations(simple)
            type_name = self._member(type_name, simple, frozenset()) or f"{type_name}${simple}"
        return type_name

    def _qualified(self, written: str) -> str:
        """A qualified name as binary name: the longest package under which the rest is known, else the one
        that capital letters suggest."""
        parts = [without_annotations(part) for part in written.split(".")]
        for end in range(len(parts), 0, -1):
            name = ".".join(parts[:end])
            if self._table.is_known(name):
                return self._member_path(name, ".".join(parts[end:])) if end < len(parts) else name
        for start, part in enumerate(parts):
            if part[:1].isupper() and start:
                return ".".join(parts[:start]) + "." + "$".join(parts[start:])
        return ".".join(parts) if len(parts) > 1 else ""


def _first(names: list[str] | None) -> str:
    return names[0] if names else ""
