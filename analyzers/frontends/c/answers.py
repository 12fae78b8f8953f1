"""What the headers and other files of a tree say about a name of C, as seen from one file.

Without include paths «seen from» means near: the file itself, else its folder, else everywhere; of files that
are not headers only what has external linkage. Says too much where two libraries of one tree use one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from analyzers import ir
from analyzers.index import ENUMERATOR, FUNCTION, MACRO, PROTOTYPE, TYPE
from analyzers.queries import ProcedureKey
from analyzers.summaries import Effects

_DEEPEST = 4
"""Calls that are followed to see whether a function returns, macros to see whether they are constants."""


class Source(Protocol):
    """The files of the tree."""

    def files(self, kind: str, name: str) -> Sequence[str]:
        """The files, sorted, that may declare a name."""

    def declarations(self, path: str, kind: str, name: str) -> ir.Unit | None:
        """The declarations of a file that does declare a name; only those of that name may be read."""

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """A procedure with its body."""


class Looks(Protocol):
    """Other answers."""

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""

    def never_returns(self, key: ProcedureKey) -> bool:
        """See `Queries`."""

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Queries`."""


class Declarations:
    """Answers the queries about C."""

    def __init__(self, source: Source, looks: Looks) -> None:
        self._source = source
        self._looks = looks

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        for tier in self._tiers(path, FUNCTION, name):
            found = [
                ProcedureKey(other, each.name)
                for other, unit in tier
                for each in unit.procedures
                if each.kind == "function" and ir.source_name(each.name) == name
                if other == path or other.endswith(".h") or "static" not in each.attributes
            ]
            if found:
                return tuple(sorted(found))
        return ()

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""
        for tier in self._tiers(path, PROTOTYPE, name):
            found = [each for _, unit in tier for each in unit.prototypes if each.name == name]
            if found:
                return max(found, key=lambda each: len(each.attributes))
        return None

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""
        for tier in self._tiers(path, MACRO, name):
            found = [each for other, unit in tier if _is_seen(other, path) for each in unit.macros if each.name == name]
            if found:
                return tuple(found)
        return ()

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        for tier in self._tiers(path, TYPE, name.rpartition(" ")[2]):
            found = [each for other, unit in tier if _is_seen(other, path) for each in unit.types if each.name == name]
            if found:
                return max(found, key=lambda each: len(each.fields))
        return None

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        return ()

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""
        for tier in self._tiers(path, ENUMERATOR, name):
            found = {
                each.type
                for other, unit in tier
                if _is_seen(other, path)
                for declared in unit.types
                if declared.kind == "enum"
                for each in declared.fields
                if each.name == name
            }
            if found:
                return found.pop() if len(found) == 1 and "=?" not in found else ""
        return ""

    def never_returns(self, key: ProcedureKey) -> bool:
        """See `Queries`."""
        return False

    def _tiers(self, path: str, kind: str, name: str) -> Iterator[list[tuple[str, ir.Unit]]]:
        """The declaring files in three steps: the file itself, its folder, all."""
        paths = self._source.files(kind, name)
        folder = _folder(path)
        own = self._source.declarations(path, kind, name)
        if own is not None:
            yield [(path, own)]
        near = [other for other in paths if other != path and _folder(other) == folder]
        yield self._opened(near, kind, name)
        far = [other for other in paths if _folder(other) != folder]
        yield self._opened(far, kind, name)

    def _opened(self, paths: list[str], kind: str, name: str) -> list[tuple[str, ir.Unit]]:
        units = ((path, self._source.declarations(path, kind, name)) for path in paths)
        return [(path, unit) for path, unit in units if unit is not None]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _is_seen(other: str, path: str) -> bool:
    return other == path or other.endswith(".h")
