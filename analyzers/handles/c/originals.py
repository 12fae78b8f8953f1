"""Where a variable still holds what a name beside it holds, too: a formal what the caller passed (`if (into == NULL) into = malloc(n);`),
a copy what it was made of (`given = into;`).

A test there tells of the argument, or of the copy, whatever the variable holds afterwards. Misses tests behind a point where only
some paths have assigned it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from analyzers import ir
from analyzers.graphs.cfg import Cfg
from analyzers.graphs.operands import assigned


class Originals:
    """The formals of a procedure that are assigned somewhere, and per node those that may have been by then; computed when asked."""

    def __init__(self, nodes: Sequence[ir.Instruction], cfg: Cfg, formals: Iterable[str]) -> None:
        self._nodes = nodes
        self._cfg = cfg
        self._bits = {name: 1 << index for index, name in enumerate(sorted(formals))}
        self._changed: list[int] | None = None

    def has(self, formal: str, node: int) -> bool:
        """Whether an assigned formal surely holds what the caller passed when the node begins."""
        if self._changed is None:
            self._changed = self._solve()
        return not self._changed[node] & self._bits[formal]

    def _solve(self) -> list[int]:
        changed = [0] * len(self._nodes)
        again = True
        while again:
            again = False
            for each in self._cfg.order:
                out = changed[each]
                for name in assigned(self._nodes[each]):
                    out |= self._bits.get(name, 0)
                for successor in self._cfg.successors[each]:
                    if out & ~changed[successor]:
                        changed[successor] |= out
                        again = True
        return changed


def copies_at_tests(nodes: Sequence[ir.Instruction], cfg: Cfg, own: Collection[str]) -> dict[tuple[int, str], tuple[str, ...]]:
    """Per branch and variable of `own` the others that hold the same then, as one of the two has been copied to the other."""
    definitions: dict[str, list[int]] = {}
    for node in cfg.order:
        for name in assigned(nodes[node]):
            definitions.setdefault(name, []).append(node)
    made = {
        node: (copy.dst, copy.src)
        for node in cfg.order
        if isinstance(copy := nodes[node], ir.Copy) and copy.dst in own and copy.src in own and copy.dst != copy.src
        and (copy.src in definitions or len(definitions[copy.dst]) > 1)
    }
    names = {name for pair in made.values() for name in pair}
    tests = [(node, test) for node in cfg.order if isinstance(test := nodes[node], ir.Branch) and (test.left in names or test.right in names)]
    if not made or not tests:
        return {}
    bits = {node: 1 << index for index, node in enumerate(made)}
    ended: dict[int, int] = {}
    for node, pair in made.items():
        for name in pair:
            for each in definitions.get(name, ()):
                ended[each] = ended.get(each, 0) | bits[node]
    equal = _always(cfg, bits, ended)
    found: dict[tuple[int, str], tuple[str, ...]] = {}
    for node, test in tests:
        for operand in (test.left, test.right):
            pairs = [pair for place, pair in made.items() if operand in pair and equal[node] & bits[place]]
            if pairs:
                found[node, operand] = tuple(dict.fromkeys(dst if src == operand else src for dst, src in pairs))
    return found


def _always(cfg: Cfg, begun: dict[int, int], ended: dict[int, int]) -> list[int]:
    """Per node what has begun and not ended on every way to it."""
    all_ = sum(begun.values())
    before = [all_] * len(cfg.successors)
    before[ir.ENTRY] = 0
    again = True
    while again:
        again = False
        for node in cfg.order:
            after = (before[node] & ~ended.get(node, 0)) | begun.get(node, 0)
            for successor in cfg.successors[node]:
                if before[successor] & ~after:
                    before[successor] &= after
                    again = True
    return before
