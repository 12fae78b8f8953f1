"""Harm that a patch of C does on every way behind a release of its own, whatever decides between them.

Asked where a proof ran out of steps, so that what is offered with doubts does at least no evident harm: a variable that is used again
before it is set, a member that is neither set nor goes with its struct. Must-analysis over all paths, by names. Misses harm on some
ways only, and what other names lead to; for members it errs towards refusing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from fixers.freed import released_by


def evident_harm(after: Facts, ours: Iterable[int]) -> str:
    """What is wrong with one of the releases that a patch writes; empty where nothing is for sure."""
    body = after.linked.body
    loads = {each.dst: each for each in body.nodes if isinstance(each, ir.Load) and ir.is_temporary(each.dst)}
    for node in sorted(ours):
        call = body.nodes[node]
        for name in released_by(after, node, call) if isinstance(call, ir.Call) else ():
            load = loads.get(name)
            if load is None:
                if _is_surely(after, node, lambda each, name=name: _uses(each, name), lambda each, name=name: name in assigned(each)):  # type: ignore[misc]
                    return f"`{name}` is used after its release"
            elif load.base and not _goes(after, node, load):
                return f"`{load.field}` would still lead to what is gone"
    return ""


def _goes(after: Facts, node: int, load: ir.Load) -> bool:
    """Whether a member that is released is set, or its struct released or lost, before anybody can look at it."""
    body = after.linked.body
    local = next((each for each in body.variables if each.name == load.base), None)
    is_own = local is not None and local.kind == "local" and "*" not in after.linked.types.get(load.base, "*")

    def ends(at: int, each: ir.Instruction) -> bool:
        if isinstance(each, ir.Store) and (each.base, each.field) == (load.base, load.field):
            return True
        is_released = isinstance(each, ir.Call) and load.base in released_by(after, at, each)
        return is_released or load.base in assigned(each) or (is_own and isinstance(each, ir.Exit | ir.Return))

    def looks(each: ir.Instruction) -> bool:
        is_read = isinstance(each, ir.Load) and (each.base, each.field) == (load.base, load.field)
        is_stored = isinstance(each, ir.Store | ir.StoreElement | ir.Return) and each.src == load.base
        return is_read or is_stored or (isinstance(each, ir.Call) and load.base in each.args)

    found = {at for at, each in enumerate(body.nodes) if ends(at, each)}
    return _holds(after, node, lambda at: at in found, lambda at: looks(body.nodes[at]))


def _is_surely(after: Facts, node: int, wanted: Callable[[ir.Instruction], bool], barred: Callable[[ir.Instruction], bool]) -> bool:
    nodes = after.linked.body.nodes
    return _holds(after, node, lambda at: wanted(nodes[at]), lambda at: barred(nodes[at]))


def _holds(after: Facts, node: int, wanted: Callable[[int], bool], barred: Callable[[int], bool]) -> bool:
    """Whether every way on from a node comes to what is wanted before it comes to what is barred, or ends."""
    found: set[int] = set()
    region, waiting = {node}, [node]
    while waiting:
        following = [each for each in after.linked.next[waiting.pop()] if each not in region]
        region.update(following)
        waiting += following
    before: dict[int, list[int]] = {}
    for each in sorted(region):
        for behind in after.linked.next[each]:
            before.setdefault(behind, []).append(each)
    waiting = [each for each in sorted(region) if each != node and wanted(each)]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        found.add(each)
        waiting += [
            one for one in before.get(each, ())
            if one not in found and not barred(one) and all(behind in found for behind in after.linked.next[one])
        ]
    return bool(after.linked.next[node]) and all(each in found for each in after.linked.next[node])


def _uses(each: ir.Instruction, name: str) -> bool:
    """Whether an instruction looks into what a variable points to, or hands it on; a test is no use."""
    match each:
        case ir.Load(base=base) | ir.LoadElement(base=base):
            return base == name
        case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
            return name in (base, src)
        case ir.Call(args=args):
            return name in args
        case ir.Return(src=src):
            return src == name
        case _:
            return False
