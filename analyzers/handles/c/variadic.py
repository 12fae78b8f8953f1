"""What a function of C does with what it gets beyond its parameters and takes by `va_arg`: it gives that away, or only looks at it.

Read from its body, from the Effects of what it calls there, and from functions of the program's own that it hands the whole list on to.
Says nothing where a library gets that of which no more is known.
"""

from __future__ import annotations

from typing import Literal

from analyzers import ir
from analyzers.graphs.operands import used
from analyzers.handles.c.passed_functions import ends
from analyzers.handles.moves import identity
from analyzers.queries import ProcedureKey, Queries, Target

Use = Literal["taken", "lent", ""]

_DEEPEST = 3
"""Functions that hand a list on to each other, and are looked into."""

_TAKING = frozenset(("va_arg", "__builtin_va_arg"))
_LISTING = frozenset(("va_start", "va_end", "va_copy", "__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", *_TAKING))


def use_beyond(queries: Queries, target: Target) -> Use:
    """What the functions that a call may run do with such arguments: "taken" where one may release or keep them, "lent" where none
    does; nothing where that is not known."""
    found = {_use(queries, key) for key in target.procedures}
    return "" if "" in found or not found else "taken" if "taken" in found else "lent"


def _use(queries: Queries, key: ProcedureKey, formal: int = -1, depth: int = 0) -> Use:
    """What one function does with them; `formal` is the position of the parameter that is the list, where its caller has begun one."""
    body = queries.procedure(key)
    if body is None or depth > _DEEPEST:
        return ""
    calls = [node for node in body.nodes if isinstance(node, ir.Call)]
    lists = {call.args[0] for call in calls if call.name in _LISTING and call.args}
    lists.update([each.name for each in body.variables if each.kind == "parameter"][formal : formal + 1] if formal >= 0 else ())
    handed = [call for call in calls if call.name not in _LISTING and not lists.isdisjoint(call.args)]
    if not lists or any(call.kind != "function" for call in handed):
        return ""
    names = {call.dst for call in calls if call.name in _TAKING and call.dst}
    grown = True
    while grown:
        more = {node.dst for node in body.nodes if isinstance(node, ir.Copy | ir.Op) and identity(node) in names} - names
        names |= more
        grown = bool(more)
    if any(_takes(queries, key, node, names) for node in body.nodes) or _ends_behind(queries, key, body, names):
        return "taken"
    further = {_handed_on(queries, key, call, lists, depth) for call in handed}
    return "taken" if "taken" in further else "" if "" in further else "lent"


def _handed_on(queries: Queries, key: ProcedureKey, call: ir.Call, lists: set[str], depth: int) -> Use:
    """What becomes of the arguments in functions that get the whole list: of the program's own, or of a library that is known to keep some."""
    position = next(place for place, argument in enumerate(call.args) if argument in lists)
    model = queries.model((call.name,), ())
    if model is not None and any(path == (f"${position}",) for path in model.retains):
        return "taken"
    found = {_use(queries, each, position, depth + 1) for each in queries.functions(key.path, call.name) if each != key}
    return "taken" if "taken" in found else "" if "" in found or not found else "lent"


def _ends_behind(queries: Queries, key: ProcedureKey, body: ir.Procedure, names: set[str]) -> bool:
    """Whether a function releases what lies where one of these variables leads (`free(*place)`)."""
    behind = {node.dst for node in body.nodes if isinstance(node, ir.Load | ir.LoadElement) and node.base in names}
    for node in body.nodes:
        if isinstance(node, ir.Call) and node.kind == "function" and not behind.isdisjoint(node.args):
            own = [queries.effects(each) for each in queries.functions(key.path, node.name) if each != key]
            model = None if own else queries.model((node.name,), ())
            if any(map(ends, own)) or (model is not None and ends(model)):
                return True
    return False


def _takes(queries: Queries, key: ProcedureKey, node: ir.Instruction, names: set[str]) -> bool:
    """Whether an instruction may release or keep what one of these variables holds."""
    match node:
        case ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src):
            return src in names
        case ir.Call(kind="function", name=name) if name not in _LISTING:
            if names.isdisjoint(node.args):
                return False
            found = queries.functions(key.path, name)
            known = [queries.effects(each) for each in found if each != key] or [model for model in (queries.model((name,), ()),) if model is not None]
            roots = {f"${position}" for position, argument in enumerate(node.args) if argument in names}
            return not known or any(not each.is_known or ends(each) or any(path[0] in roots for path in each.retains) or not roots.isdisjoint(each.aliases) for each in known)
        case ir.Call(kind="pointer") | ir.AddressOf() | ir.Havoc():
            return not names.isdisjoint(used(node)) or getattr(node, "base", "") in names
        case _:
            return False
