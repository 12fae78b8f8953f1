"""What a procedure of C took out of an object before a call that ends the object alone: `text = all->str; g_string_free(all, FALSE);`.

The call gives what the object held as its result, which nobody takes: whoever looked it up has it. Silent where it went anywhere else
than into variables of the procedure, where it was looked up on some ways only, and where somebody else may have taken it out.
Misses what is put into members.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.graphs.dominators import dominates
from analyzers.graphs.operands import assigned, used
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import AccessPath

_READING = frozenset(("==", "!=", "<", ">", "<=", ">=", "!", "-", "*", "/", "%"))
"""Operators whose result is no pointer into what they are given, or is not stored as one."""


def taken_out(scene: Scene, sites: Mapping[int, CallSite], node: int) -> tuple[str, ...] | None:
    """The variables that have what a call without a taker hands out of an object that it releases; none where nobody has looked for it; None
    where that is not known."""
    site = sites[node]
    objects = _released(site)
    if not site.is_library:
        return None if any(isinstance(load := scene.nodes[at], ir.Load) and load.base in objects for at in scene.cfg.reaching(node)) else ()
    before = scene.cfg.reaching(node) if objects else frozenset()
    loads = [at for at in sorted(before) if isinstance(load := scene.nodes[at], ir.Load) and load.base in objects]
    found: dict[str, None] = {}
    is_shown = any(not _is_read(scene, sites, at, each) for at in before for each in objects if at not in loads and each in used(scene.nodes[at]))
    for at in loads:
        names = _named(scene, sites, at)
        if names is None or (names and (is_shown or not dominates(scene.dominators, at, node))):
            return None
        for name, since in names.items():
            if not dominates(scene.dominators, since, node) or _is_changed(scene, name, since, node):
                return None
            if any(name in used(scene.nodes[at]) and not _is_borrowed(scene, sites, at, name) for at in before & scene.cfg.reachable_from(since) - {since, node}):
                return None  # Another variable has it by then, or another object (`owner->name = text`).
            found[name] = None
    return tuple(found) if found or not loads or not is_shown else None


def without_taker(scene: Scene, sites: Mapping[int, CallSite], node: int) -> tuple[AccessPath, ...]:
    """Where what a call gives lies already, if nobody takes its result."""
    if scene.is_java or sites[node].call.dst or not sites[node].is_library or not sites[node].moves:
        return ()
    return tuple((name,) for name in taken_out(scene, sites, node) or ())


def _released(site: CallSite) -> frozenset[str]:
    if site.effects is None:
        return frozenset()
    return frozenset(
        site.actuals.get(each.entry[0], "") for each in site.effects.transfers
        if len(each.entry) == 1 and any(outcome.fate == "released" for outcome in each.outcomes)
    ) - {""}


def _named(scene: Scene, sites: Mapping[int, CallSite], load: int) -> dict[str, int] | None:
    """The variables that have what is loaded, and since when; None where it went anywhere else."""
    found: dict[str, int] = {}
    waiting = [(getattr(scene.nodes[load], "dst", ""), load)]
    while waiting:
        name, since = waiting.pop()
        if not ir.is_temporary(name):
            if name in found or (name not in scene.holders and name in scene.variables):
                continue
            if name in scene.formals or name not in scene.variables or scene.variables[name].kind != "local" or scene.variables[name].is_address_taken:
                return None
            found[name] = since
            continue
        for at in scene.cfg.reachable_from(since):
            node = scene.nodes[at]
            if name not in used(node):
                continue
            if identity(node) == name and getattr(node, "operator", "cast") == "cast":
                waiting.append((getattr(node, "dst", ""), at))
            elif not _is_borrowed(scene, sites, at, name):
                return None
    return found


def _is_read(scene: Scene, sites: Mapping[int, CallSite], at: int, name: str) -> bool:
    """Whether an instruction only looks at something."""
    match scene.nodes[at]:
        case ir.Branch() | ir.LoadElement() | ir.ScopeEnd():
            return True
        case ir.Load(base=base):
            return base == name
        case ir.Op(operator=operator):
            return operator in _READING
        case ir.Call():
            site = sites.get(at)
            return site is not None and site.is_library and not any(
                place[0] == name for place in (*(each.path for each in site.exposures), *(move.entry for move in site.moves if move.is_kept))
            )
        case _:
            return False


def _is_borrowed(scene: Scene, sites: Mapping[int, CallSite], at: int, name: str) -> bool:
    """The same of a text: whoever puts it anywhere, a table say, or hands it back, does more."""
    site = sites.get(at)
    if not _is_read(scene, sites, at, name):
        return False
    if site is None:
        return True
    kept = () if site.effects is None else (site.actuals.get(path[0], "") for path in site.effects.retains)
    return name not in {*(move.entry[0] for move in site.moves), *(alias[0] for alias in site.aliases), *kept}


def _is_changed(scene: Scene, name: str, since: int, node: int) -> bool:
    """Whether a variable gets another value on some way from one node to another that comes by the first only once."""
    waiting, seen = [node], {since}
    while waiting:
        for other in scene.cfg.predecessors[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return any(name in assigned(scene.nodes[at]) for at in seen - {since, node})
