"""Which variables may still be read after a node: backward, as bit sets.

Variables whose address is taken are read by whoever holds the address: count them as live everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.graphs.cfg import Cfg
from analyzers.graphs.operands import assigned, used


class Liveness:
    """What is live where. `before[n]` and `after[n]` (over all successors of n) are sets of bits."""

    __slots__ = ("after", "before", "bits")

    def __init__(self, bits: Mapping[str, int], before: list[int], after: list[int]) -> None:
        self.bits = bits
        self.before = before
        self.after = after

    def is_live_after(self, variable: str, node: int) -> bool:
        """Whether some path from the end of the node reads the variable before assigning it."""
        return bool(self.after[node] & self.bits.get(variable, 0))

    def is_live_before(self, variable: str, node: int) -> bool:
        """The same at the node's beginning."""
        return bool(self.before[node] & self.bits.get(variable, 0))


def solve(nodes: tuple[ir.Instruction, ...], cfg: Cfg, variables: Sequence[str]) -> Liveness:
    """The liveness of some variables of a procedure."""
    bits = {name: 1 << index for index, name in enumerate(variables)}
    reads = [0] * len(nodes)
    keeps = [-1] * len(nodes)
    for node in cfg.order:
        instruction = nodes[node]
        for name in used(instruction):
            reads[node] |= bits.get(name, 0)
        for name in assigned(instruction):
            keeps[node] &= ~bits.get(name, 0)
    return Liveness(bits, *solve_bits(cfg, reads, keeps))


def solve_bits(cfg: Cfg, reads: Sequence[int], keeps: Sequence[int]) -> tuple[list[int], list[int]]:
    """(before, after) of the backward problem before = after & keeps | reads. What throws has assigned nothing: `keeps` is for the rest."""
    before = [0] * len(reads)
    after = [0] * len(reads)
    backwards = cfg.order[::-1]
    changed = True
    while changed:
        changed = False
        for node in backwards:
            live = thrown = 0
            for successor in cfg.normal[node]:
                live |= before[successor]
            for successor in cfg.raised[node]:
                thrown |= before[successor]
            after[node] = live | thrown
            live = live & keeps[node] | thrown | reads[node]
            if live != before[node]:
                before[node] = live
                changed = cfg.is_cyclic
    return before, after
