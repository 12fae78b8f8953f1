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
"""Operators whose result has a handle among its bits."""

_SUMS = frozenset(("+", "-", "*"))
"""Operators whose result tells of a handle whoever gets it; many only look at it (`select(fd + 1, …)`)."""


def told_by_number(facts: Facts, sites: Set[int]) -> str:
    """The name of a handle that some calls make and that is a number, where another one that it is part of is returned or stored behind
    them, or has it among its bits; else empty."""
    nodes, types = facts.linked.body.nodes, facts.linked.types
    numbers = [site for site in sites if _gives(facts, site)]
    first = {name for name in put_into(nodes, numbers) if "*" not in types.get(name, "*") and "[" not in types.get(name, "")}
    if not first:
        return ""
    behind = [nodes[node] for node in sorted({node for site in sites for node in reverse_post_order(facts.linked.next, site)})]
    same, sums = dict(zip(first, first, strict=True)), dict[str, str]()
    grown = True
    while grown:
        size = len(same) + len(sums)
        for each in behind:
            match each:
                case ir.Copy(dst=dst, src=src) | ir.Op(operator="cast", dst=dst, operands=(src,)):
                    for known in (same, sums):
                        if src in known:
                            known[dst] = known[src]
                case ir.Op(operator=operator, dst=dst, operands=operands) if operator in _PARTS | _SUMS:
                    source = next((found for name in operands if (found := same.get(name) or sums.get(name, ""))), "")
                    if source and operator in _PARTS:
                        return ir.source_name(source)
                    if source:
                        sums[dst] = source
                case _:
                    pass
        grown = len(same) + len(sums) > size
    ends = (each.src for each in behind if isinstance(each, ir.Return | ir.Store | ir.StoreElement))
    return next((ir.source_name(sums[name]) for name in ends if name in sums), "")


def _gives(facts: Facts, site: int) -> bool:
    """Whether the answer of a call is what it makes, and not how much of it (`size = asprintf(&text, …)`)."""
    made = [end for each in facts.effects.get(site, ()) for t in each.transfers if not t.entry for end in t.outcomes]
    return not made or any(path == ("$ret",) for end in made for path in end.paths)
