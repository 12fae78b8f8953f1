"""The control flow graph as adjacency: successors, predecessors, reverse post-order.

The edges are those of a procedure as lowered (all that lowering thinks possible) or of a `Linked` one
(the real ones). Nodes that the entry does not reach have no place in the order.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from analyzers import ir
from analyzers.queries import Linked

Edges = tuple[tuple[int, ...], ...]


class Cfg:
    """The graph of one procedure.

    normal, raised   per node its successors without and with an exception; `successors` are both
    order            the reachable nodes in reverse post-order (depth first, successors as written)
    position         per node its place in `order`, -1 where it is unreachable
    is_met           per node whether several ways lead to it
    is_cyclic        whether some way leads back
    """

    __slots__ = ("is_cyclic", "is_met", "normal", "order", "position", "predecessors", "raised", "successors")

    def __init__(self, normal: Edges, raised: Edges) -> None:
        self.normal = normal
        self.raised = raised
        self.successors: Edges = tuple(
            tuple(dict.fromkeys(one + other)) if other else one for one, other in zip(normal, raised, strict=True)
        )
        self.order = reverse_post_order(self.successors, ir.ENTRY)
        self.position = [-1] * len(self.successors)
        for place, node in enumerate(self.order):
            self.position[node] = place
        before: list[list[int]] = [[] for _ in self.successors]
        self.is_cyclic = False
        for place, node in enumerate(self.order):
            for successor in self.successors[node]:
                before[successor].append(node)
                if self.position[successor] <= place:
                    self.is_cyclic = True
        self.predecessors: Edges = tuple(tuple(each) for each in before)
        self.is_met = [len(each) > 1 for each in before]

    def is_reachable(self, node: int) -> bool:
        """Whether a path leads from the entry to the node."""
        return self.position[node] >= 0

    def ending(self) -> frozenset[int]:
        """The nodes behind which the program ends on every way: at calls that do not return, and not in a loop."""
        found: set[int] = set()
        for node in reversed(self.order):
            if node not in (ir.EXIT, ir.RAISE) and all(each in found for each in self.successors[node]):
                found.add(node)
        return frozenset(found)

    def reachable_from(self, start: int) -> frozenset[int]:
        """The nodes that a path leads to from `start`, itself among them."""
        return reached(self.successors, start)

    def reaching(self, goal: int) -> frozenset[int]:
        """The nodes from which a path leads to `goal`, itself among them."""
        return reached(self.predecessors, goal)


def build(linked: Linked) -> Cfg:
    """The graph of a linked procedure: the edges that are real."""
    return Cfg(linked.next, linked.raises)


def build_unlinked(procedure: ir.Procedure) -> Cfg:
    """The graph of a procedure as lowered."""
    return Cfg(procedure.next, procedure.raises)


def reaching_definitions(cfg: Cfg, definitions: Container[int], node: int) -> set[int]:
    """Those of the nodes that assign a variable whose value it may have where `node` begins; the entry, where none may have run. One that
    throws has assigned nothing."""
    found: set[int] = set()
    seen, waiting = {node}, [node]
    while waiting:
        each = waiting.pop()
        for before in cfg.predecessors[each]:
            is_met = before == ir.ENTRY or (before in definitions and each in cfg.normal[before])
            if is_met:
                found.add(before)
            if before not in seen and (not is_met or each in cfg.raised[before]):
                seen.add(before)
                waiting.append(before)
    return found


def reached(successors: Sequence[Sequence[int]], start: int, without: Container[int] = ()) -> frozenset[int]:
    """The nodes that a path leads to from a node, itself among them, that passes none of some."""
    seen, waiting = {start}, [start]
    while waiting:
        for each in successors[waiting.pop()]:
            if each not in seen and each not in without:
                seen.add(each)
                waiting.append(each)
    return frozenset(seen)


def reverse_post_order(successors: Sequence[Sequence[int]], start: int) -> list[int]:
    """The nodes reachable from `start`, each before those that only it leads to."""
    order: list[int] = []
    seen = {start}
    stack = [(start, iter(successors[start]))]
    while stack:
        node, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors[successor])))
                break
        else:
            order.append(node)
            stack.pop()
    order.reverse()
    return order
