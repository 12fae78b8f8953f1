"""Variables of C in whose place another one was perhaps meant to have what is acquired: the one of the same name that they hide, or what
the caller passed.

`static struct key *key; if (key == NULL) { struct key *key = make(); … } return key;`: a release of the inner one ends the leak, and the
mistake stays. Told where the outer variable is looked at behind the scope of the inner one. A formal that is released as the caller passed it, and
then acquired anew (`void next_part(FILE *out) { fclose(out); out = fopen(name, "w"); … }`), was to go on for the caller. Errs towards patches that are called less safe
than they are, where both are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers import ir
from analyzers.graphs.operands import used
from fixers.fix import Edit
from fixers.leak import Leak

_WORD = re.compile(r"[A-Za-z_]\w*")


def hiding(leak: Leak, edits: Sequence[Edit]) -> str:
    """Why a variable that edits name may be the wrong one; empty where none is."""
    written = {word for each in edits for word in _WORD.findall(each.text)}
    for variable in leak.linked.body.variables:
        name = ir.source_name(variable.name)
        if name in written and variable.kind == "local" and "*" in variable.type and _is_within(leak, variable, name, edits) and _is_missed(leak.linked.body, name, variable):
            return f"`{name}` hides another `{name}`, which may be the one that was meant"
        if name in written and variable.kind == "parameter" and _is_renewed(leak.linked.body, variable, edits):
            return f"`{name}` is acquired anew after it was released, as if the caller was to go on with it"
    return ""


def _is_within(leak: Leak, variable: ir.Variable, name: str, edits: Sequence[Edit]) -> bool:
    """Whether an edit that names a variable touches where that is visible: elsewhere the name is another one's."""
    start, end = (leak.procedure.start + each for each in (variable.start, variable.end))
    return any(name in _WORD.findall(each.text) and each.span.start <= end and each.span.end >= start for each in edits)


def _is_renewed(body: ir.Procedure, formal: ir.Variable, edits: Sequence[Edit]) -> bool:
    """Whether what a formal holds is released by the call that edits write, and the formal is assigned behind it."""
    written = "".join(each.text for each in edits)
    ends = [
        node.start for node in body.nodes
        if isinstance(node, ir.Call) and formal.name in node.args and re.search(rf"\b{re.escape(node.name)}\s*\(", written)
    ]
    return bool(ends) and any(
        isinstance(node, ir.Copy | ir.Call) and node.dst == formal.name and node.start > min(ends) for node in body.nodes
    )


def _is_missed(body: ir.Procedure, name: str, inner: ir.Variable) -> bool:
    """Whether the function looks, behind the scope of a variable, at one of this name and type around it."""
    outer = {
        each.name for each in body.variables
        if each.name != inner.name and ir.source_name(each.name) == name and each.type == inner.type and each.start < inner.start and inner.end < each.end
    }
    static = f"{body.name}.{name}"
    behind = (node for node in body.nodes if node.start >= inner.end)
    return any(
        not outer.isdisjoint(used(node)) or (isinstance(node, ir.Load) and not node.base and node.field == static) for node in behind
    )
