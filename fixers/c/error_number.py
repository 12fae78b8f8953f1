"""Where the code is about to ask `errno` what failed, or has just set it for its caller: a release in between may change the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.liveness import solve_bits
from analyzers.queries import ProcedureKey
from fixers.c.points import MARK

_ASKING = frozenset(("err", "perror", "verr", "vwarn", "warn"))

_ERRNO = ("::errno",)
"""The number as Effects name it."""


def asked_behind(facts: Facts, known: Callable[[ProcedureKey], Facts | None] | None = None) -> Sequence[int]:
    """Per node of a procedure whether `errno` is asked behind it before another call has answered anything: not 0 where it is.
    `known`: the facts of what it calls; without them nobody knows what that asks first."""
    nodes = facts.linked.body.nodes
    reads, keeps = [0] * len(nodes), [-1] * len(nodes)
    for node in facts.cfg.order:
        match nodes[node]:
            case ir.Load(base="", field="errno"):
                reads[node] = 1
            case ir.Call(name=name) if name in _ASKING:
                reads[node] = 1
            case ir.Call() if known is not None and _asks_first(facts, node, known):
                reads[node] = 1
            case ir.Call(dst=dst) if dst:
                keeps[node] = 0
            case ir.Store(base="", field="errno"):
                keeps[node] = 0
            case _:
                pass
    return solve_bits(facts.cfg, reads, keeps)[0]


def _asks_first(facts: Facts, node: int, known: Callable[[ProcedureKey], Facts | None]) -> bool:
    """Whether a function (or macro) of the program that a call may run asks `errno` before anything else answers there."""
    if not any(_ERRNO in each.reads for each in facts.effects.get(node, ())):
        return False
    target = facts.linked.targets.get(node)
    bodies = [known(key) for key in target.procedures] if target is not None else []
    return any(body is not None and asked_behind(body)[ir.ENTRY] for body in bodies)


def set_before(facts: Facts) -> Sequence[int]:
    """Per node of a procedure whether it has set `errno` on a way there and called nothing since (`errno = EINVAL; return -1;`): not 0
    where it has. A call, whatever it is, says that the number matters no more."""
    nodes = facts.linked.body.nodes
    found, changed = [0] * len(nodes), True
    while changed:
        changed = False
        for node in facts.cfg.order:
            is_set = any(_is_left_set(nodes[each], found[each]) for each in facts.cfg.predecessors[node])
            if is_set and not found[node]:
                found[node], changed = 1, True
    return found


def _is_left_set(instruction: ir.Instruction, before: int) -> bool:
    match instruction:
        case ir.Store(base="", field="errno"):
            return True
        case ir.Call(name=name):
            return bool(before) and name == MARK
        case _:
            return bool(before)
