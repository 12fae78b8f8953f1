"""Results of C that are stored in members of arithmetic types: whatever the call was given, they are numbers."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.graphs.operands import operands
from analyzers.queries import Linked
from fixers.paths.values import is_number

MAX_TYPEDEFS = 4
"""Names of names of types."""


def is_kept_as_number(program: Program, linked: Linked, call: ir.Call) -> bool:
    """Whether a temporary result goes nowhere but into members that are declared as numbers (`b->size = fread(…)`). Says «no» of
    types that the tree does not declare."""
    if not ir.is_temporary(call.dst):
        return False
    stores = []
    for each in linked.body.nodes:
        if call.dst in operands(each):
            if not isinstance(each, ir.Store) or each.src != call.dst or each.base == call.dst:
                return False
            stores.append(each)
    return bool(stores) and all(_is_number(program, linked, each) for each in stores)


def _is_number(program: Program, linked: Linked, store: ir.Store) -> bool:
    name = " ".join(word for word in linked.types.get(store.base, "").replace("*", " ").split() if word not in ("const", "volatile"))
    for _ in range(MAX_TYPEDEFS):
        declared = program.c_type(linked.key.path, name) if name else None
        if declared is None:
            return False
        if declared.kind != "typedef":
            types = [each.type for each in declared.fields if each.name == store.field]
            return declared.kind == "struct" and bool(types) and all(map(is_number, types))
        name = next(iter(declared.supertypes), "")
    return False
