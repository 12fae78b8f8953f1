"""Whether a second close of something of Java does nothing, as its type promises."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.facts import Facts
from fixers.leak import Leak


def is_idempotent(program: Program, leak: Leak) -> bool:
    """`java.io.Closeable` promises that a second close has no effect, JDBC and pools of threads likewise."""
    if leak.finding.language != "java":
        return False
    variable = leak.linked.types.get(leak.finding.variable, "")
    return program.is_subtype(variable, "java.sql.Wrapper") is True or _is_type_idempotent(program, leak.finding.resource)


def are_idempotent(program: Program, after: Facts, sites: frozenset[int]) -> bool:
    """The same of all that some calls of Java make."""
    nodes, targets = after.linked.body.nodes, [(node, after.linked.targets.get(node)) for node in sorted(sites)]
    made = [
        target.type if target is not None and isinstance(call := nodes[node], ir.Call) and call.kind == "new" else target.result if target is not None else ""
        for node, target in targets
    ]
    return all(_is_type_idempotent(program, each) for each in made)


def _is_type_idempotent(program: Program, name: str) -> bool:
    promising = ("java.io.Closeable", "java.util.concurrent.ExecutorService")
    return name.startswith("java.sql.") or any(program.is_subtype(name, each) is True for each in promising)
