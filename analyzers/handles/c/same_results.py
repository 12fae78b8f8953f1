"""Functions of C whose result is what they were passed, from its beginning (`return text;`)."""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene

MAX_STEPS = 16
"""Assignments that are followed back from a result; the result of a procedure with longer ways is not told."""


def same_results(scene: Scene, sites: CallSites) -> tuple[str, ...]:
    """The formal that the result is on every way to return, as Effects name it (`("$0",)`), else nothing. Misses formals that are assigned."""
    shown = {each.name for each in scene.body.variables if each.is_address_taken}
    returns = [scene.nodes[index] for index in scene.cfg.order if isinstance(scene.nodes[index], ir.Return)]
    found = {_source(scene, sites, each.src, shown) for each in returns if isinstance(each, ir.Return)}
    name = found.pop() if len(found) == 1 else ""
    return scene.exported((name,))[:1] if name else ()


def _source(scene: Scene, sites: CallSites, name: str, shown: set[str]) -> str:
    """The formal whose value a variable has wherever it is assigned; empty where that is none, or more than one, or somebody else
    may assign it by its address."""
    for _ in range(MAX_STEPS):
        places = scene.definitions.get(name, [])
        if name in shown:
            return ""
        if name in scene.formals:
            return "" if places else name
        if len(places) != 1:
            return ""
        match scene.nodes[places[0]]:
            case ir.Copy(src=src):
                name = src
            case ir.Call() if (site := sites.sites.get(places[0])) is not None and site.effects is not None and len(site.effects.whole) == 1:
                name = site.actuals.get(site.effects.whole[0], "")
            case _:
                return ""
    return ""
