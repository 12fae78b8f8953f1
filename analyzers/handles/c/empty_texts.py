"""Texts of C that are released, or handed on, where there is anything in them: `if (msg && *msg) return tell(msg);`.

Who writes this may know that a text which is there is never empty, as what a format gives; so what is lost where it is empty is in doubt.
Misses nothing by itself: such losses are assumed. What a callee does to an empty text of its caller's is as certain as before.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.obligation import DOUBTED, Fact
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite


def doubted_if_empty(flows: Flows, sites: dict[int, CallSite], node: int, branch: ir.Branch, flow: Flow | None) -> Flow | None:
    """The flow function of a test of the first character of a text."""
    tested = _tested(flows.scene, node, branch)
    if tested is None:
        return flow
    text, filled, empty = tested
    if not _is_given(flows.scene, sites, filled, text):
        return flow
    table, name = flows.table, (text,)
    flows.notice(node, (name,))

    def doubted(fact: Fact) -> Sequence[tuple[int, Fact]]:
        is_there = not flows.is_entry and fact[0] & table.exact(name)
        after = flow(fact) if flow is not None else [(successor, fact) for successor in flows.scene.cfg.successors[node]]
        if not is_there:
            return after
        return [(successor, (paths, environment, marks | DOUBTED * (successor == empty))) for successor, (paths, environment, marks) in after]

    return doubted


def _tested(scene: Scene, node: int, branch: ir.Branch) -> tuple[str, int, int] | None:
    """The text, where the test leads to if there is something in it, and where if there is not."""
    sides = scene.cfg.normal[node]
    is_negated = branch.operator == "=="
    is_test = branch.operator == "true" or (branch.operator in ("==", "!=") and guard.literal(branch.right) == guard.ZERO)
    if scene.is_java or not is_test or len(sides) != 2 or not ir.is_temporary(branch.left):
        return None
    nodes = scene.definitions.get(branch.left, ())
    match scene.nodes[nodes[0]] if len(nodes) == 1 else None:
        case ir.Load(base=text, field="*") | ir.LoadElement(base=text, index="=0") if text in scene.holders:
            return (text, *sides[::-1]) if is_negated else (text, *sides)
        case _:
            return None


def _is_given(scene: Scene, sites: dict[int, CallSite], side: int, text: str) -> bool:
    """Whether something that only a side of a test leads to releases a text, or hands it on."""
    for node, site in sites.items():
        if text in site.call.args and any(move.entry == (text,) for move in site.moves):
            at = node
            while at >= 0 and at != side and scene.dominators[at] != at:
                at = scene.dominators[at]
            if at == side:
                return True
    return False
