"""Variables of C that hide another one of the same name in the same function: perhaps that one was meant to have what is acquired.

`static struct key *key; if (key == NULL) { struct key *key = make(); … } return key;`: a release of the inner one ends the leak, and the
mistake stays. Told where the outer variable is looked at behind the scope of the inner one. Errs towards patches that are called less safe
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
        if name in written and variable.kind == "local" and "*" in variable.type and _is_missed(leak.linked.body, name, variable):
            return f"`{name}` hides another `{name}`, which may be the one that was meant"
    return ""


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
