"""Code without annotations: fields that a method has filled when it fails, and that the end of the object passes over then.

`void start() { file = new RandomAccessFile(name, "rw"); lock = file.getChannel().lock(); isStarted = true; }` beside a `stop` that closes
nothing unless `isStarted`: where the lock cannot be had, the file stays open, and the next `start` opens another. Told where a flag
is set to true by that method alone, and only after what throws, and whoever else does more with the field than to work with it
asks the flag before. Reports too much where a caller looks after the object by reflection or from another file; misses flags that
are numbers, atoms, or set before.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker.declarations import Declarations
from analyzers.detectors.resource_leak_checker.holders import filled, is_use, own_field
from analyzers.detectors.resource_leak_checker.plain import is_expected
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.domains.obligation import SETTLED, UNSURE, Limits
from analyzers.finding import Finding
from analyzers.handles.runs import Departure, Handles, Run
from analyzers.queries import ProcedureKey, Queries

_TRUE = "=true"


def half_begun(key: ProcedureKey, declarations: Declarations) -> Iterator[Finding]:
    """The fields that a method leaves full and out of reach when something in it throws."""
    queries = declarations.queries
    body = queries.procedure(key)
    if body is None or body.kind != "method" or "static" in body.attributes:
        return
    flags, names = _set(body), filled(body)
    if not flags or not names:
        return
    flags = tuple(each for each in flags if own_field(each, body.owner, declarations) is not None and _is_set_here_only(each, key, body.owner, queries))
    passed = {name: flag for name in names for flag in flags if own_field(name, body.owner, declarations) is not None and _is_asked(name, flag, key, body.owner, queries)}
    linked = queries.linked(key) if passed else None
    if linked is None:
        return
    handles = Handles(linked, queries, Limits(), is_summary=False)
    for obligation, site, transfer in handles.acquisitions():
        run = handles.run_acquired(obligation, site, transfer)
        for name, flag in passed.items():
            departures = _left(name, flag, run, handles)
            if departures:
                yield Reporter(linked, queries).half_begun(obligation.node, name, flag, [each.node for each in departures], obligation.type)
                break
    handles.end()


def _set(body: ir.Procedure) -> tuple[str, ...]:
    """The fields of its own object that a procedure sets to true."""
    return tuple(dict.fromkeys(each.field for each in body.nodes if isinstance(each, ir.Store) and (each.base, each.src) == ("this", _TRUE)))


def _is_set_here_only(flag: str, key: ProcedureKey, owner: str, queries: Queries) -> bool:
    """Whether no other procedure of the file sets a flag to true, or to what nobody knows."""
    unit = queries.unit(key.path)
    for each in unit.procedures if unit is not None else ():
        other = queries.procedure(ProcedureKey(key.path, each.name)) if each.name != key.name else None
        if other is not None and any(isinstance(node, ir.Store) and node.src != "=false" and _may_mean(node, flag, other, owner) for node in other.nodes):
            return False
    return True


def _is_asked(name: str, flag: str, key: ProcedureKey, owner: str, queries: Queries) -> bool:
    """Whether somebody else of the file does more with a field than to work with it, and each who does asks the flag before."""
    unit, has_user = queries.unit(key.path), False
    for each in unit.procedures if unit is not None else ():
        other = queries.procedure(ProcedureKey(key.path, each.name)) if each.name != key.name else None
        uses = [
            at for at, node in enumerate(other.nodes) if isinstance(node, ir.Load) and _may_mean(node, name, other, owner) and is_use(node, other.nodes)
        ] if other is not None else []  # fmt: skip
        if other is not None and uses:
            has_user = True
            if other.kind != "method" or not _unset(other, flag).isdisjoint(uses):
                return False
    return has_user


def _may_mean(node: ir.Load | ir.Store, name: str, body: ir.Procedure, owner: str) -> bool:
    """Whether a field of this name may be the one of a class, not of another class of the file."""
    return node.field == name and (node.base != "this" or body.kind == "lambda" or body.owner == owner)


def _unset(body: ir.Procedure, flag: str) -> frozenset[int]:
    """The nodes that a procedure may come to where the flag is not set."""
    asked = {node.dst for node in body.nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("this", flag)}
    found: set[int] = set()
    waiting = [ir.ENTRY]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        branch, following = body.nodes[node], body.next[node]
        if isinstance(branch, ir.Branch) and branch.left in asked and len(following) == 2:
            is_first = (branch.operator == "true") or (branch.operator, branch.right) in (("==", _TRUE), ("!=", "=false"))
            is_second = (branch.operator, branch.right) in (("==", "=false"), ("!=", _TRUE))
            following = following[1:] if is_first else following[:1] if is_second else following
        waiting += [*following, *body.raises[node]]
    return frozenset(found)


def _left(name: str, flag: str, run: Run, handles: Handles) -> list[Departure]:
    """Where a method throws with something open in the field, and in nothing else, before it sets the flag."""
    scene = handles.scene
    if not run.is_complete:
        return []
    found = []
    for each in run.departures:
        is_open = each.exit == "throw" and not each.fact[2] & (SETTLED | UNSURE) and is_expected(each.node, scene.linked, scene.queries)
        if is_open and scene.paths.list(each.fact[0]) and all(path == ("this", name) for path in scene.paths.list(each.fact[0])):
            before = (scene.nodes[node] for node in scene.cfg.reaching(each.node))
            if not any(isinstance(node, ir.Store) and (node.base, node.field) == ("this", flag) and node.src == _TRUE for node in before):
                found.append(each)
    return found
