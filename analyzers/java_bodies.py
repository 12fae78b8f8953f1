"""What the bodies of one Java file say that other procedures want to know, gathered once when it is lowered.

Fields that are always what they are first: final ones, and private ones of which no code says otherwise. Annotations
may mean that somebody else assigns a field (injection, generated setters): then it varies. Methods that always return
one literal. Types whose objects somebody closes. Errs, as a compiler does not, where reflection assigns a private field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers import ir
from analyzers.c_bodies import Facts, literal_result
from analyzers.graphs.closings import is_used_when_closed

_HARMLESS = ("@SuppressWarnings", "@Deprecated", "@Override", "@FunctionalInterface")
_INITIALISERS = (".<init>", ".<clinit>")


def facts_of(unit: ir.Unit) -> Facts:
    """The facts of a whole unit of Java; fields are `owner.field`, methods as their procedures are named."""
    results = {each.name: value for each in unit.procedures if each.kind == "method" and (value := literal_result(each))}
    return Facts(
        constants=dict(sorted(_constants(unit))), results=dict(sorted(results.items())), closed=dict(sorted(named(closed_in(unit.procedures, unit.types)).items()))
    )


def closed_in(procedures: Iterable[ir.Procedure], types: Iterable[ir.TypeDeclaration]) -> frozenset[str]:
    """The types of variables and own fields whose `close()` a body calls and is done with them, as they are written."""
    owners = {each.name: each.fields for each in types}
    found: set[str] = set()
    for procedure in procedures:
        closed = {
            node.receiver
            for node in procedure.nodes
            if isinstance(node, ir.Call) and node.name == "close" and not node.args and node.receiver
        }
        closed = {each for each in closed if not is_used_when_closed(procedure, each)}
        if not closed:
            continue
        fields = {field.name: field.type for field in owners.get(procedure.owner, ())}
        found.update(each.type for each in procedure.variables if each.name in closed)
        found.update(
            fields.get(node.field, "") for node in procedure.nodes if isinstance(node, ir.Load) and node.dst in closed
        )
    return frozenset(written.partition("<")[0] for written in found if written)


def named(written: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Types by their simple names."""
    found: dict[str, list[str]] = {}
    for each in sorted(written):
        found.setdefault(each.rpartition(".")[2], []).append(each)
    return {name: tuple(types) for name, types in found.items()}


def _constants(unit: ir.Unit) -> Iterator[tuple[str, str]]:
    wanted = {
        f"{declaring.name}.{declared.name}"
        for declaring in unit.types
        for declared in declaring.fields
        if "final" in declared.attributes or ("private" in declared.attributes and not _is_annotated(declaring, declared))
    }
    if not wanted:
        return
    assigned: dict[str, list[tuple[str, str]]] = {}
    for procedure in unit.procedures:
        for node in procedure.nodes:
            if isinstance(node, ir.Store):
                field = node.field if node.base else node.field.rpartition(".")[2]
                assigned.setdefault(field, []).append((procedure.name, node.src))
    for name in wanted:
        owner, _, field = name.rpartition(".")
        initialisers = tuple(owner + each for each in _INITIALISERS)
        stored = assigned.get(field, [])
        literals = {src for _, src in stored}
        literal = literals.pop() if len(literals) == 1 else ""
        is_first = all(procedure.partition("(")[0] in initialisers for procedure, _ in stored)
        if is_first and ir.is_literal(literal) and literal != "=?":
            yield name, literal


def _is_annotated(declaring: ir.TypeDeclaration, declared: ir.FieldDeclaration) -> bool:
    written = (*declaring.attributes, *declared.attributes)
    return any(each.startswith("@") and not each.startswith(_HARMLESS) for each in written)
