"""The four functions that a Program is an incremental evaluation of, behind one Protocol.

Imports of front ends and analyses happen on first use: a run that reads no C never loads its parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from analyzers import ir
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.summaries import Effects
from analyzers.version import code_version


class Specs(Protocol):
    """Effects of library calls, read from data."""

    @property
    def digest(self) -> str:
        """Names the content: equal digests answer equally."""

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """The first entry among the names that fits the parameters."""

    def constant(self, name: str) -> str:
        """The literal operand that a macro of a system header stands for; empty where unknown."""

    def is_closeable(self, type_name: str) -> bool | None:
        """Whether objects of a Java type are to be closed; None where no spec names the type."""

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """The direct supertypes of a Java type whose declaration is not there; those that a spec tells of."""

    def is_known_type(self, type_name: str) -> bool:
        """Whether a spec says anything of a Java type."""

    def closing_throws(self, type_name: str, method: str) -> tuple[str, ...] | None:
        """The exceptions that a method which ends an object of a Java type declares, in all versions; None where no spec says."""


class NoSpecs:
    """Specs that know nothing."""

    digest = ""

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Specs`."""
        return None

    def constant(self, name: str) -> str:
        """See `Specs`."""
        return ""

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Specs`."""
        return None

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Specs`."""
        return ()

    def is_known_type(self, type_name: str) -> bool:
        """See `Specs`."""
        return False

    def closing_throws(self, type_name: str, method: str) -> tuple[str, ...] | None:
        """See `Specs`."""
        return None


class Engine(Protocol):
    """What turns bytes into units, units into linked procedures, and those into Effects."""

    def version(self) -> str:
        """Part of every key of what is kept: another one where anything may be answered differently."""

    def lower(self, language: str, data: bytes) -> ir.Unit:
        """The unit of a blob: of its bytes alone."""

    def lower_again(self, text: bytes, around: ir.Unit) -> ir.Unit:
        """The unit of the text of a function of C that stands in a file with these declarations."""

    def link(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
        """A procedure with its names resolved. Bodies of others come from `queries`, not from `unit`."""

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        """The Effects of a procedure, given those of its callees."""

    def sketch(self, linked: Linked, queries: Queries) -> Effects:
        """The same of one of many procedures that call each other, with less effort: see `circles`."""

    def explore(self, linked: Linked, queries: Queries) -> None:
        """Ask for the Effects of the callees of a procedure as `summarise` does, as far as that is cheap."""


class StandardEngine:
    """The engine of leakmend. `ignored` names exceptions of Java that no call is taken to throw."""

    def __init__(self, ignored: Iterable[str] = ()) -> None:
        self._ignored = frozenset(ignored)

    def version(self) -> str:
        """See `Engine`."""
        return " ".join((code_version(), *sorted(self._ignored)))

    def lower(self, language: str, data: bytes) -> ir.Unit:
        """See `Engine`."""
        if b"\0" in data:
            return _not_text(language)
        if language == "java":
            from analyzers.frontends import java

            return java.lower(data)
        from analyzers.frontends import c

        return c.lower(data, c.CWords())

    def lower_again(self, text: bytes, around: ir.Unit) -> ir.Unit:
        """See `Engine`."""
        from analyzers.frontends.c.again import lower_again

        return lower_again(text, around)

    def link(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
        """See `Engine`."""
        if unit.language == "java":
            from analyzers.frontends.java.link import IGNORED_EXCEPTIONS
            from analyzers.frontends.java.link import link as link_java

            return link_java(key, unit, procedure, queries, IGNORED_EXCEPTIONS | self._ignored)
        from analyzers.frontends.c.link import link as link_c

        return link_c(key, unit, procedure, queries)

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        """See `Engine`."""
        from analyzers.effects import summarise

        return summarise(linked, queries)

    def sketch(self, linked: Linked, queries: Queries) -> Effects:
        """See `Engine`."""
        from analyzers.effects import sketch

        return sketch(linked, queries)

    def explore(self, linked: Linked, queries: Queries) -> None:
        """See `Engine`."""
        from analyzers.effects import explore

        explore(linked, queries)


def _not_text(language: str) -> ir.Unit:
    """The unit of a binary file under the name of a source, or of text in UTF-16."""
    note = ir.UnitNote("not-text", 0, 0, "not read: it holds zero bytes, so it is binary, or not UTF-8")
    return ir.Unit(language, "", (), (), (), (), (), (), (), (note,))
