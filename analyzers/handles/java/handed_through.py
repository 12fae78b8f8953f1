"""Methods of the repository that hand on what somebody unknown gave them (`return pool.lease();`).

Of such a result nothing is known but what its user shows: who closes it on one path has to close it on all (a belief, after
Engler). Says nothing of getters, and of what a library that is known lends. Reports too much where what is handed on is
shared, and closed on a path for another reason.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.queries import Linked, ProcedureKey, Queries, Target

_DEPTH = 2
"""Methods that hand on to one another, at most."""


def hands_through(target: Target, queries: Queries, depth: int = _DEPTH) -> bool:
    """Whether each body of a method returns nothing but what calls gave it of which nobody knows anything."""
    return len(target.procedures) == 1 and _is_handing_on(target.procedures[0], queries, depth)


def _is_handing_on(key: ProcedureKey, queries: Queries, depth: int) -> bool:
    linked = queries.linked(key)
    if linked is None:
        return False
    returned = [node.src for node in linked.body.nodes if isinstance(node, ir.Return) and not ir.is_literal(node.src)]
    sources = [source for name in dict.fromkeys(returned) for source in _sources(name, linked)]
    return bool(sources) and all(_is_unknown(source, linked, queries, depth) for source in sources)


def _sources(name: str, linked: Linked) -> list[int]:
    """The instructions that make what a variable holds, through copies and casts; -1 for what is not made here."""
    found: list[int] = []
    seen, waiting = {name}, [name]
    while waiting:
        each = waiting.pop()
        makers = [at for at, node in enumerate(linked.body.nodes) if getattr(node, "dst", "") == each]
        found += [] if makers else [-1]
        for at in makers:
            node = linked.body.nodes[at]
            source = identity(node)
            if not source and not (isinstance(node, ir.Copy) and ir.is_literal(node.src)):
                found.append(at)
            elif source and source not in seen:
                seen.add(source)
                waiting.append(source)
    return found


def _is_unknown(at: int, linked: Linked, queries: Queries, depth: int) -> bool:
    node = linked.body.nodes[at] if at >= 0 else None
    if not isinstance(node, ir.Call) or node.kind == "new":
        return False
    target = linked.targets.get(at)
    if target is None or not target.procedures:
        return target is None or not target.models or queries.model(target.models, target.parameters) is None
    return depth > 0 and hands_through(target, queries, depth - 1)
