"""Finds the declaration of a type: the files of the tree, asked for when needed, and the JDK model.

Of several files that declare one binary name, the asker's own or the nearest to it counts.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeVar

from analyzers import ir
from analyzers.c_bodies import Facts
from analyzers.frontends.java import jdk
from analyzers.frontends.java.declarations import DeclaredType, FileTypes
from analyzers.frontends.java.type_text import COPY, PRIMITIVES, is_array

_MOST_ELSEWHERE = 40
"""Files whose folder does not fit their package that are searched at most for a type."""


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class UnitSource(Protocol):
    """Where a Hierarchy finds the files of a tree. What lists files may name too many, never too few; sorted."""

    def unit(self, path: str) -> ir.Unit | None:
        """The declarations of a file; instructions may be left out."""

    def memo(self) -> dict[K, V]:
        """A dictionary for answers that are made of others: asked with `get` or `in`, then set."""

    def bodies(self, path: str, kind: str, name: str) -> Facts | None:
        """What the bodies of a file say of a name, where they say something."""

    def declaring(self, simple: str) -> tuple[str, ...]:
        """Java files that may declare a type of this simple name."""

    def extending(self, simple: str) -> tuple[str, ...]:
        """Java files that may extend, implement or anonymously subclass a type of this simple name."""

    def mentioning(self, word: str) -> tuple[str, ...]:
        """Java files that mention a word."""

    def mentions(self, path: str, word: str) -> bool:
        """Whether a file mentions a word."""


class Outside(Protocol):
    """What is told of types that neither the tree nor the JDK has."""

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """Its direct supertypes, as far as they are told of."""

    def is_known_type(self, type_name: str) -> bool:
        """Whether anything is told of it."""


class Untold:
    """The Outside of which nothing is told."""

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Outside`."""
        return ()

    def is_known_type(self, type_name: str) -> bool:
        """See `Outside`."""
        return False


class TypeTable:
    """The types that a tree and the JDK declare, by binary name."""

    def __init__(self, source: UnitSource, model: jdk.JdkModel, outside: Outside) -> None:
        self.source = source
        self.model = model
        self.outside = outside
        self._files: dict[str, FileTypes | None] = source.memo()
        self._types: dict[str, DeclaredType | None] = source.memo()
        self._places: dict[str, tuple[str, ...]] = source.memo()

    def is_known(self, name: str) -> bool:
        """Whether the tree or the JDK declares a type of that binary name."""
        return name in self.model or self.declared(name) is not None

    def file(self, path: str) -> FileTypes | None:
        """What a Java file declares; None where it cannot be had."""
        if path not in self._files:
            unit = self.source.unit(path)
            self._files[path] = FileTypes(path, unit) if unit is not None and unit.language == "java" else None
        return self._files[path]

    def declared(self, name: str) -> DeclaredType | None:
        """The declaration in the tree of a binary name, or of a copy (`name@path`)."""
        if name not in self._types:
            self._types[name] = self._find(name)
        return self._types[name]

    def _find(self, name: str) -> DeclaredType | None:
        binary, is_copy, path = name.partition(COPY)
        places = (path,) if is_copy else self.places(binary)
        file = self.file(places[0]) if places else None
        return file.types.get(binary) if file is not None else None

    def places(self, name: str) -> tuple[str, ...]:
        """The files that declare a binary name, sorted."""
        if name not in self._places:
            self._places[name] = self._search(name)
        return self._places[name]

    def identify(self, name: str, path: str) -> str:
        """A binary name as meant in a file: where several declare it, the file itself, else the nearest."""
        places = self.places(name)
        if len(places) < 2 or path == places[0]:
            return name
        nearest = path if path in places else max(places, key=lambda each: (_shared(each, path), each == places[0]))
        return name if nearest == places[0] else f"{name}{COPY}{nearest}"

    def _search(self, name: str) -> tuple[str, ...]:
        if not name or name in PRIMITIVES or is_array(name):
            return ()
        package, _, tail = name.rpartition(".")
        folder = package.replace(".", "/")
        for top in dict.fromkeys((tail.partition("$")[0] or tail, tail)):
            paths = self.source.declaring(top)
            near = tuple(path for path in paths if _is_below(path, folder))
            found = tuple(path for path in near if self._declares(path, package, name))
            found = found or tuple(path for path in paths[:_MOST_ELSEWHERE] if self._declares(path, package, name))
            if found:
                return found
        return ()

    def _declares(self, path: str, package: str, name: str) -> bool:
        file = self.file(path)
        return file is not None and file.package == package and name in file.types


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def _is_below(path: str, folder: str) -> bool:
    around = path.rpartition("/")[0]
    return around == folder or around.endswith("/" + folder)
