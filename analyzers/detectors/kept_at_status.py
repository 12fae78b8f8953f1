"""Blocks of C that a callee keeps where it answers one status of its own: `if (send(line, text) != BUSY) free(text);`.

Who releases what he has passed on unless he is told one word, which is neither success nor failure in general (0, 1, -1), knows that
the callee goes on with it then (it queues the block, or is to be asked again with it), also where its body does not show that: it may
lie in a struct of pieces there, or be known by a number. Errs towards doubt: a status that somebody only forgot to name is one, too.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.shapes import copied
from analyzers.detectors.told_by_sign import EQUAL_SIDES, comes, deals
from analyzers.graphs.operands import operands
from analyzers.handles.callees import CallSites
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_GENERAL = ("=0", "=1", "=-1", "=null", "=true", "=false")
"""What everybody may answer."""


def is_kept_at_a_status(scene: Scene, sites: CallSites, acquired: int, loss: Loss) -> bool:
    """Whether every way to a loss goes by one answer of a call that got the block, on all others of which it is released."""
    made = scene.nodes[acquired]
    if scene.is_java or not isinstance(made, ir.Call) or not made.dst:
        return False
    ahead = sorted(scene.cfg.reachable_from(acquired))
    tests = [
        (node, branch) for node in ahead
        if isinstance(branch := scene.nodes[node], ir.Branch) and branch.operator in EQUAL_SIDES and len(scene.cfg.normal[node]) == 2
        and ir.is_literal(branch.right) and not branch.right.startswith('="') and branch.right not in _GENERAL
    ]
    if not tests:
        return False
    names = copied(scene, {made.dst})
    holders = _holding(scene, ahead, names)
    answers = copied(scene, {
        call.dst for node in ahead
        if node != acquired and isinstance(call := scene.nodes[node], ir.Call) and call.dst and not holders.isdisjoint(call.args)
    })
    read = _read_again(scene, holders, names)
    released = {
        node for node in ahead if node in sites.sites
        for move in sites.sites[node].moves if move.entry[0] in read and any(outcome.fate == "released" for outcome in move.outcomes)
    }
    return any(
        branch.left in answers and not comes(scene, acquired, loss.node, {node}, names)
        and deals(scene, scene.cfg.normal[node][1 - EQUAL_SIDES[branch.operator]], released)
        for node, branch in tests
    )


def _holding(scene: Scene, nodes: list[int], names: set[str]) -> set[str]:
    """Some variables, and those of the procedure's own that lead to what they hold: arrays and structs it was put into, their addresses."""
    found, size = set(names), 0
    while size != len(found):
        size = len(found)
        for node in nodes:
            match scene.nodes[node]:
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if src in found and base not in scene.formals and base:
                    found.add(base)
                case ir.AddressOf(dst=dst, base=base) if base in found:
                    found.add(dst)
                case _:
                    pass
    return found


def _read_again(scene: Scene, holders: set[str], names: set[str]) -> set[str]:
    """Some variables, and what is read from where they were put."""
    read = {each.dst for each in scene.nodes if isinstance(each, ir.Load | ir.LoadElement) and not holders.isdisjoint(operands(each))}
    return copied(scene, names | read)
