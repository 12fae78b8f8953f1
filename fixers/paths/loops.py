"""Where the walk of paths counts turns: loops of the source, and those that a `goto` closes."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked


def headers(linked: Linked) -> dict[int, ir.Loop]:
    """The loops of a procedure by their first nodes, those of C that a `goto` closes (`again: …; goto again;`) among them."""
    found = {loop.header: loop for loop in linked.body.loops}
    if linked.language != "c":
        return found
    written, nodes, ways = frozenset(found), linked.body.nodes, linked.next
    seen, on_the_way = {ir.ENTRY}, {ir.ENTRY}
    work = [(ir.ENTRY, iter(ways[ir.ENTRY]))]
    while work:
        node, left = work[-1]
        each = next(left, None)
        if each is None:
            on_the_way.discard(node)
            work.pop()
        elif each in on_the_way and each not in written:
            known = found.get(each)
            start, end = (known.start, known.end) if known is not None else (nodes[each].start, nodes[each].end)
            found[each] = ir.Loop(min(start, nodes[node].start), max(end, nodes[node].end), each)
        elif each not in seen:
            seen.add(each)
            on_the_way.add(each)
            work.append((each, iter(ways[each])))
    return found
