"""Resolves the names of one C procedure: what calls run, what never returns, types of variables.

Calls go by name: same file, else same folder, else all definitions (several: not exact); through a pointer,
to whatever the tree stores under its name. Reports too much when two programs of one tree share names.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked, ProcedureKey, Queries, Target

_NEVER = frozenset(("noreturn", "Noreturn"))


def link(key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
    """The procedure with its names resolved."""
    targets: dict[int, Target] = {}
    following = list(procedure.next)
    for place, node in enumerate(procedure.nodes):
        if isinstance(node, ir.Call):
            targets[place] = _target(key, node, queries)
            if _never_returns(key, node, targets[place], queries):
                following[place] = ()
    types = {each.name: each.type for each in procedure.variables if each.type}
    return Linked(key, "c", procedure, tuple(following), procedure.raises, types, targets)


def _target(key: ProcedureKey, call: ir.Call, queries: Queries) -> Target:
    if call.kind == "pointer" or not call.name:
        return Target((), (), "", False, (), "")
    found = queries.functions(key.path, call.name)
    prototype = queries.prototype(key.path, call.name)
    parameters = prototype.parameters if prototype is not None else ()
    return Target(found, (call.name,), "", len(found) == 1, parameters, prototype.result if prototype else "")


def _never_returns(key: ProcedureKey, call: ir.Call, target: Target, queries: Queries) -> bool:
    model = queries.model(target.models, target.parameters)
    return model is not None and model.returns == "never"
