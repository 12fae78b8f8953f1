"""Results of C that are stored in members of arithmetic types: whatever the call was given, they are numbers."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.graphs.operands import operands
from analyzers.queries import Linked
from fixers.paths.values import is_number

MAX_TYPEDEFS = 4
"""Names of names of types."""


class NumberMembers:
    """The calls of one procedure whose results are kept as numbers."""

    def __init__(self, program: Program, linked: Linked) -> None:
        self._program = program
        self.linked = linked
        self._using: dict[str, list[ir.Instruction]] = {}
        for each in linked.body.nodes:
            for name in dict.fromkeys(operands(each)):
                if ir.is_temporary(name):
                    self._using.setdefault(name, []).append(each)

    def has(self, call: ir.Call) -> bool:
        """Whether a temporary result goes nowhere but into members that are declared as numbers (`b->size = fread(…)`). Says «no» of
        types that the tree does not declare."""
        using = self._using.get(call.dst, [])
        return bool(using) and all(
            isinstance(each, ir.Store) and each.src == call.dst and each.base != call.dst and _is_number(self._program, self.linked, each)
            for each in using
        )


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
