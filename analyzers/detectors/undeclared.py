"""Losses that turn on what a name is that nothing in the tree declares: the header is missing.

`if (ALWAYS) free(p);` releases on every path if `ALWAYS` is 1; an early `return` is another matter. Where one such name decides whether a handle is
released, its loss is assumed; where another one decided that it is acquired, nothing is told. Misses leaks on paths
that such a pair of names allows.
"""

from __future__ import annotations

import difflib

from analyzers import ir
from analyzers.detectors.dispatch import dominating
from analyzers.handles.callees import CallSites
from analyzers.handles.per_scene import per_scene
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer

_OF_THE_SYSTEM = frozenset(("errno", "h_errno", "environ", "optind", "opterr", "optopt", "optarg", "stdin", "stdout", "stderr"))
"""What headers of the system declare, which no tree holds."""


def unknowns(scene: Scene, sites: CallSites, site: CallSite, acquired: int, loss: Loss) -> int:
    """On how many undeclared names a loss in C turns: 1 where one decides whether the handle is released, 2 where another one
    decides that it is acquired."""
    if scene.is_java:
        return 0
    tests = _tests(scene)
    if not tests:
        return 0
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    names = frozenset((site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ())))) if site.call.dst else frozenset()
    releases = [node for node, each in sites.sites.items() if node != acquired and _releases(each, names)]
    deciding = {
        tests[node] for node in sorted(between & tests.keys())
        if _side(scene, node, loss.node) is None and any(_side(scene, node, release) is not None for release in releases)
    }
    if not deciding:
        return 0
    before = {tests[node] for node in sorted(tests) if _side(scene, node, acquired) is not None}
    return 2 if before - deciding else int(any(not name.endswith("()") for name in deciding))


@per_scene
def _tests(scene: Scene) -> dict[int, str]:
    """The branches on an undeclared name alone. A procedure is asked once per loss: those of thousands have many."""
    found: dict[int, str] = {}
    for node in scene.cfg.order:
        branch = scene.nodes[node]
        if isinstance(branch, ir.Branch) and branch.operator == "true" and len(scene.cfg.normal[node]) == 2:
            name = _undeclared(scene, branch.left)
            if name:
                found[node] = name
    return found


def _undeclared(scene: Scene, operand: str) -> str:
    """The name that an operand is, where nothing declares it; `name()` of a function without arguments."""
    path, queries = scene.linked.key.path, scene.queries
    place = scene.loads.get(operand, ())
    if len(place) == 1 and place[0][:2] == "::":
        name = place[0][2:]
        if not name.isidentifier() or name in _OF_THE_SYSTEM:
            return ""
        is_known = queries.variable_type(path, name) or queries.macro(path, name) or queries.constant(path, name)
        return "" if is_known else name
    definitions = scene.definitions.get(operand, [])
    call = scene.nodes[definitions[0]] if ir.is_temporary(operand) and len(definitions) == 1 else None
    if not isinstance(call, ir.Call) or call.kind != "function" or call.args:
        return ""
    name = call.name
    is_declared = queries.functions(path, name) or queries.prototype(path, name) or queries.model((name,), ())
    return "" if is_declared else name + "()"


_ALIKE = 0.75
"""How much of two names has to be the same, of 1, where one may be meant by the other."""


def is_misspelt(scene: Scene, sites: CallSites, site: CallSite, transfer: Transfer, acquired: int) -> bool:
    """Whether something of the kind is released, behind an acquisition in C, by a name that nothing declares and that is nearly that of the
    variable (`file = fopen(name, "r"); … fclose(flie);`): that is meant, and this way to compile the code was never tried."""
    if scene.is_java or not site.call.dst:
        return False
    names = {ir.source_name(each) for each in (site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ()))) if not ir.is_temporary(each)}
    behind = scene.cfg.reachable_from(acquired)
    for node, other in sites.sites.items():
        for move in other.effects.transfers if other.effects is not None and node in behind else ():
            if len(move.entry) != 1 or move.resource != transfer.resource or not any(end.fate == "released" for end in move.outcomes):
                continue
            written = _undeclared(scene, other.actuals.get(move.entry[0], ""))
            if written.isidentifier() and any(difflib.SequenceMatcher(None, written, each).ratio() >= _ALIKE for each in names):
                return True
    return False


def _releases(site: CallSite, names: frozenset[str]) -> bool:
    """Whether a call releases what one of these variables holds."""
    moves = site.effects.transfers if site.effects is not None else ()
    return any(
        len(move.entry) == 1 and site.actuals.get(move.entry[0], "") in names and any(end.fate == "released" for end in move.outcomes)
        for move in moves
    )


def _side(scene: Scene, branch: int, node: int) -> int | None:
    """The side of a branch that a node lies in: only by it one comes there."""
    over = dominating(scene.dominators, node)
    return next((side for side in scene.cfg.normal[branch] if side in over and branch in over and side != branch), None)
