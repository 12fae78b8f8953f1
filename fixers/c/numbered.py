"""Handles of C that are numbers and go on in other numbers: `return fd + 1;`, `entry->key = fd << 8 | kind;`.

Who gets such a number may use the handle by it. Errs towards doubt: whether the way on which it goes on is that of the release is not asked.
"""

from __future__ import annotations

from collections.abc import Set

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.cfg import reverse_post_order
from fixers.c.release import put_into

_PARTS = frozenset(("<<", ">>", "/", "|", "^"))
_SUMS = frozenset(("+", "-", "*"))
_SAME = frozenset(("cast",))


def told_by_number(facts: Facts, sites: Set[int]) -> str:
    """The name of a handle that some calls make and that is a number, where another one that it is part of is returned or stored behind
    them, or it is part of one by its bits; else empty."""
    nodes, types = facts.linked.body.nodes, facts.linked.types
    names = {name for name in put_into(nodes, sites) if "*" not in types.get(name, "*") and "[" not in types.get(name, "")}
    if not names:
        return ""
    behind = sorted({node for site in sites for node in reverse_post_order(facts.linked.next, site)})
    parts: dict[str, str] = {}
    grown = True
    while grown:
        size = len(parts)
        for each in (nodes[node] for node in behind):
            match each:
                case ir.Op(operator=operator, dst=dst, operands=operands) if operator in _PARTS | _SUMS | _SAME:
                    source = next((parts.get(name) or (name if name in names and operator not in _SAME else "") for name in operands if name in parts or name in names), "")
                    if source and operator in _PARTS and source in operands:
                        return ir.source_name(source)
                    if source:
                        parts[dst] = source
                case ir.Copy(dst=dst, src=src) if src in parts:
                    parts[dst] = parts[src]
                case _:
                    pass
        grown = len(parts) > size
    ends = (each.src for each in (nodes[node] for node in behind) if isinstance(each, ir.Return | ir.Store | ir.StoreElement))
    return next((ir.source_name(parts[name]) for name in ends if name in parts), "")
