"""How many objects of a class there may be: constants and singletons are few, what is made where a method runs is not."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Queries
from analyzers.slots import MAX_FILES

_FEW = frozenset((
    "java.util.Locale", "java.nio.charset.Charset", "java.util.TimeZone", "java.util.Currency", "java.time.ZoneId",
    "java.lang.Boolean", "java.lang.Byte", "boolean", "byte",
))
"""Types of which a program has so many objects as its surroundings have."""


def are_few(queries: Queries, type_name: str) -> bool:
    """Whether there are only so many objects of a type, however long the program runs."""
    return type_name in _FEW or "java.lang.Enum" in queries.supertypes(type_name)


def is_made_again(queries: Queries, owner: str) -> bool:
    """Whether objects of a class are made outside initialisers: constants and singletons are not."""
    simple = owner.rpartition(".")[2].rpartition("$")[2]
    names = {simple, *(each.rpartition(".")[2].rpartition("$")[2] for each in queries.subtypes(owner))}
    for name in sorted(names):
        if len(queries.mentioning(name)) > MAX_FILES:
            continue
        for key in queries.callers(name):
            body = queries.procedure(key)
            if body is None or body.kind == "initialiser":
                continue
            for number, node in enumerate(body.nodes):
                if (
                    isinstance(node, ir.Alloc)
                    and node.type.partition("<")[0].rpartition(".")[2] in names
                    and not _is_kept_once(body, number, node.dst)
                ):
                    return True
    return False


def _is_kept_once(body: ir.Procedure, number: int, made: str) -> bool:
    """Whether an object becomes a static field's value where it is made: a singleton's instance."""
    return any(isinstance(node, ir.Store) and node.base == "" and node.src == made for node in body.nodes[number:])
