"""What stands above and below a type, with type arguments; cycles in bad code end.

A supertype that is known by name only is listed, and makes the answer to «is it below?» unknown where
that name could hide it. Misses what annotation processors add.
"""

from __future__ import annotations

from collections import deque

from analyzers.frontends.java import jdk
from analyzers.frontends.java.declarations import DeclaredType
from analyzers.frontends.java.type_names import TypeNames
from analyzers.frontends.java.type_table import TypeTable
from analyzers.frontends.java.type_text import (
    OBJECT,
    PRIMITIVES,
    arguments,
    erase,
    has_variables,
    is_array,
    is_variable,
    plain,
    resolve_written,
    substitute,
    without_annotations,
)

_IMPLIED = {
    "enum": "java.lang.Enum",
    "record": "java.lang.Record",
    "annotation": "java.lang.annotation.Annotation",
}

_DEEPEST_CYCLE = 4
"""Types in the making below which even a part of an answer is kept: only absurd code nests cycles so deep."""


class Ancestor:
    """A supertype of a type, with its arguments in terms of that type's parameters."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: str, arguments: tuple[str, ...]) -> None:
        self.name = name
        self.arguments = arguments


class Supertypes:
    """The hierarchy of one tree, over a table of its types. `release` decides which types of the JDK have
    which supertypes."""

    def __init__(self, table: TypeTable, release: int) -> None:
        self._table = table
        self._release = release
        self.names = TypeNames(table, self)
        self._direct: dict[str, tuple[Ancestor, ...]] = table.source.memo()
        self._in_progress: set[str] = set()
        self._gaps = 0
        self._ancestry: dict[str, tuple[Ancestor, ...]] = table.source.memo()
        self._complete: dict[str, bool] = table.source.memo()
        self._below: dict[str, tuple[str, ...]] = table.source.memo()
        self._jdk_below: dict[str, list[str]] | None = None

    def direct_names(self, name: str) -> tuple[str, ...]:
        """See `Above`."""
        return tuple(each.name for each in self._direct_of(name))

    def _direct_of(self, name: str) -> tuple[Ancestor, ...]:
        found = self._direct.get(name)
        if found is not None:
            return found
        if name in self._in_progress:
            self._gaps += 1
            return ()
        before = self._gaps
        self._in_progress.add(name)
        declared = self._table.declared(name)
        found = self._written_supertypes(declared) if declared is not None else self._jdk_supertypes(name)
        self._in_progress.discard(name)
        if self.is_whole(before):
            self._direct[name] = found
        return found

    def gaps(self) -> int:
        """See `Above`."""
        return self._gaps

    def is_whole(self, before: int) -> bool:
        """See `Above`."""
        return self._gaps == before or not self._in_progress or len(self._in_progress) > _DEEPEST_CYCLE

    def _written_supertypes(self, declared: DeclaredType) -> tuple[Ancestor, ...]:
        found: dict[str, Ancestor] = {}
        for written in declared.declaration.supertypes:
            text = self.in_frame(declared, written, {}, declared.outer)
            name = erase(text)
            if name and not is_array(name) and plain(name) != declared.name and not is_variable(name):
                found.setdefault(name, Ancestor(name, arguments(text)))
        implied = _IMPLIED.get(declared.declaration.kind)
        if implied:
            own = (self._table.identify(declared.name, declared.path),) if implied == "java.lang.Enum" else ()
            found.setdefault(implied, Ancestor(implied, own))
        return tuple(found.values())

    def _jdk_supertypes(self, name: str) -> tuple[Ancestor, ...]:
        model = self._table.model.find(name)
        if model is None:
            return tuple(Ancestor(above, ()) for above in self._table.outside.supertypes(name))
        found = []
        for text in model.supertypes:
            plain, _, since = text.partition("@")
            if not since or int(since) <= self._release:
                found.append(Ancestor(erase(plain), arguments(plain)))
        return tuple(found)

    def in_frame(
        self, declared: DeclaredType, written: str, of_method: dict[str, tuple[int, str]], owner: str
    ) -> str:
        """A type as written in a declaration, its own type parameters as `#i`, those of the method as `!i`."""
        file = self._table.file(declared.path)

        def resolve(name: str) -> str:
            if name in of_method:
                return f"!{of_method[name][0]}"
            if name in declared.parameters:
                return f"#{declared.parameters[name][0]}"
            if name in PRIMITIVES or file is None:
                return name
            return self.names.resolve(declared.path, owner, name)

        return resolve_written(written, resolve)

    def ancestry(self, name: str) -> tuple[Ancestor, ...]:
        """All proper supertypes, nearest first, Object last."""
        found = self._ancestry.get(name)
        if found is None:
            before = self._gaps
            found = self._climb(name)
            if self.is_whole(before):
                self._ancestry[name] = found
        return found

    def _climb(self, name: str) -> tuple[Ancestor, ...]:
        if is_array(name):
            return (Ancestor("java.lang.Cloneable", ()), Ancestor("java.io.Serializable", ()), Ancestor(OBJECT, ()))
        found: dict[str, Ancestor] = {}
        queue = deque(self._direct_of(name))
        while queue:
            above = queue.popleft()
            if above.name in found or above.name in (name, OBJECT):
                continue
            found[above.name] = above
            for each in self._direct_of(above.name):
                known = tuple(substitute(text, above.arguments) for text in each.arguments)
                queue.append(Ancestor(each.name, known if above.arguments or not _mentions(each) else ()))
        if name != OBJECT and name not in PRIMITIVES:
            found[OBJECT] = Ancestor(OBJECT, ())
        return tuple(found.values())

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`. Names of types that are not known further are among them."""
        return tuple(each.name for each in self.ancestry(type_name))

    def is_complete(self, name: str) -> bool:
        """See `Above`."""
        found = self._complete.get(name)
        if found is None:
            before = self._gaps
            found = self._ask_complete(name)
            if self.is_whole(before):
                self._complete[name] = found
        return found

    def _ask_complete(self, name: str) -> bool:
        if is_array(name) or name in PRIMITIVES:
            return True
        declared = self._table.declared(name)
        if declared is None and name not in self._table.model:
            return False
        return all(
            self._table.is_known(each) and self._has_all_supertypes(each)
            for each in (name, *self.supertypes(name))
        )

    def _has_all_supertypes(self, name: str) -> bool:
        declared = self._table.declared(name)
        if declared is None:
            return True
        implied = 1 if declared.declaration.kind in _IMPLIED else 0
        written = {erase(without_annotations(each)) for each in declared.declaration.supertypes}
        return len(self._direct_of(name)) >= len(written) + implied

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """See `Queries`."""
        if type_name == ancestor or (ancestor == OBJECT and type_name not in PRIMITIVES and type_name):
            return True
        if not type_name or not ancestor:
            return None
        if type_name in PRIMITIVES or ancestor in PRIMITIVES:
            return False
        if is_array(type_name):
            if is_array(ancestor):
                inner, outer = type_name[:-2], ancestor[:-2]
                return inner == outer if inner in PRIMITIVES else self.is_subtype(inner, outer)
            return ancestor in self.supertypes(type_name)
        if ancestor in self.supertypes(type_name):
            return True
        return False if is_array(ancestor) or self.is_complete(type_name) or self._is_final(ancestor) else None

    def _is_final(self, name: str) -> bool:
        model = self._table.model.find(name)
        if model is not None:
            return bool(model.flags & jdk.FINAL)
        declared = self._table.declared(name)
        return declared is not None and (
            "final" in declared.declaration.attributes or declared.declaration.kind == "record"
        )

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`. Object's are not listed."""
        if type_name == OBJECT or is_array(type_name) or type_name in PRIMITIVES:
            return ()
        found = self._below.get(type_name)
        if found is None:
            found = self._below[type_name] = self._descend(type_name)
        return found

    def _descend(self, type_name: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        seen = {type_name}
        queue = deque([type_name])
        while queue:
            name = queue.popleft()
            for below in self._directly_below(name):
                if below not in seen:
                    seen.add(below)
                    found[below] = None
                    queue.append(below)
            for below in self._jdk_directly_below(name):
                if below not in seen:
                    seen.add(below)
                    queue.append(below)
        return tuple(sorted(found))

    def _directly_below(self, name: str) -> list[str]:
        simple = plain(name).rpartition(".")[2].rpartition("$")[2].lstrip("0123456789")
        found = []
        for path in self._table.source.extending(simple) if simple else ():
            file = self._table.file(path)
            for each in file.types.values() if file is not None else ():
                below = self._table.identify(each.name, path)
                if any(above.name == name for above in self._direct_of(below)):
                    found.append(below)
        return found

    def _jdk_directly_below(self, name: str) -> list[str]:
        if name not in self._table.model:
            return []
        if self._jdk_below is None:
            self._jdk_below = {}
            for below in self._table.model.names():
                for above in self._jdk_supertypes(below):
                    self._jdk_below.setdefault(above.name, []).append(below)
        return self._jdk_below.get(name, [])


def _mentions(ancestor: Ancestor) -> bool:
    return any(has_variables(text) for text in ancestor.arguments)
