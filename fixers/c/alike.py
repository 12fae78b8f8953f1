"""The name under which the code releases what is of the same type as a handle, where that is a macro for what specs say (`closesocket(server)` for `close`).

Types that only other systems make different from a number (`socket_t`) are why there is such a name. Says nothing of a handle that is a mere `int`.
"""

from __future__ import annotations

from analyzers import ir
from fixers.leak import Leak

_PLAIN = frozenset(("", "int", "char *", "void *"))
"""Types of handles that tell nothing of what they are."""


def name_alike(leak: Leak, target: str, known: str) -> str:
    """The macro by which the procedure releases another variable of the type of this one, and that calls what is known; empty where there is none."""
    types = {each.name: each.type for each in leak.linked.body.variables}
    if types.get(target, "") in _PLAIN:
        return ""
    for node, call in enumerate(leak.linked.body.nodes):
        if not isinstance(call, ir.Call) or len(call.args) != 1 or call.name == known or types.get(ir.source_name(call.args[0]), "") != types[target]:
            continue
        to = leak.linked.targets.get(node)
        bodies = [leak.callees.facts(key) for key in to.procedures] if to is not None else []
        if bodies and all(each is not None and _is_only(each.linked.body, known) for each in bodies):
            return call.name
    return ""


def _is_only(body: ir.Procedure, known: str) -> bool:
    """Whether a macro calls one function and does nothing else."""
    calls = [each.name for each in body.nodes if isinstance(each, ir.Call)]
    return body.kind == "macro" and calls == [known]
