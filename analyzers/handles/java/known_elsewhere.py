"""Whether somebody other than a class and its neighbours in the file reads one of its fields.

Goes by names: a field of a name that another class of the package has, too, counts as read by whoever reads that one, so that more is taken to be
read than is.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from analyzers import ir
from analyzers.queries import ProcedureKey, Queries

_SHOWING = frozenset(("Data", "Getter", "Value"))
"""Annotations of Lombok that give fields to everybody."""

_PUBLISHED = frozenset(("public", "protected"))


def is_read_elsewhere(field: str, attributes: tuple[str, ...], declared: ir.TypeDeclaration | None, path: str, queries: Queries) -> bool:
    """Whether a field with some modifiers, of a class that a file declares, may be read in another one, or by a class below. Nobody sees those that are
    `private`; what is `protected` or `public` anybody may read, in a tree or not; the others, and all of a class that is `private`, can only be read in
    the package, or in the file."""
    if "private" in attributes:
        return False
    if declared is None or queries.subtypes(declared.name) or not _SHOWING.isdisjoint(_simple((*attributes, *declared.attributes))):
        return True
    if "private" in declared.attributes:
        return False
    if not _PUBLISHED.isdisjoint(attributes):
        return True
    folder = PurePosixPath(path).parent.name  # Tests lie in the same package below another root.
    others = [each for each in queries.mentioning(field) if each != path and PurePosixPath(each).parent.name == folder]
    return any(_reads(ProcedureKey(other, each.name), field, queries) for other in others if (unit := queries.unit(other)) for each in unit.procedures)


def _simple(attributes: tuple[str, ...]) -> tuple[str, ...]:
    """Modifiers, and the simple names of annotations."""
    return tuple(each.partition("(")[0].rpartition(".")[2] for each in attributes)


def _reads(key: ProcedureKey, field: str, queries: Queries) -> bool:
    """Whether a procedure reads a field of a name, of whatever object."""
    body = queries.procedure(key)
    return body is None or any(isinstance(node, ir.Load) and node.field == field for node in body.nodes)
