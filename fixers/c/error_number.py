"""Where the code is about to ask `errno` what failed: a release in between may change the answer."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.liveness import solve_bits

_ASKING = frozenset(("err", "perror", "verr", "vwarn", "warn"))


def asked_behind(facts: Facts) -> Sequence[int]:
    """Per node of a procedure whether `errno` is asked behind it before another call has answered anything: not 0 where it is."""
    nodes = facts.linked.body.nodes
    reads, keeps = [0] * len(nodes), [-1] * len(nodes)
    for node in facts.cfg.order:
        match nodes[node]:
            case ir.Load(base="", field="errno"):
                reads[node] = 1
            case ir.Call(name=name) if name in _ASKING:
                reads[node] = 1
            case ir.Call(dst=dst) if dst:
                keeps[node] = 0
            case ir.Store(base="", field="errno"):
                keeps[node] = 0
            case _:
                pass
    return solve_bits(facts.cfg, reads, keeps)[0]
