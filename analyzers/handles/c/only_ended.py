"""Results of C that nobody looks at before they are released: `p = realloc(p, n); free(p);`.

Elsewhere a pointer that is used untested stands for a call that has succeeded, as the program would end where it fails. To release null
ends nothing: there the block of before is lost. Errs to silence: one other use is enough, and of wrappers nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite

_MOST = 200
"""Pairs of a node and the names of the result there that are looked at."""


def is_only_ended(scene: Scene, sites: Mapping[int, CallSite], node: int) -> bool:
    """Whether the result of a call of a library meets a release on some way from the call, and nothing else on any."""
    site = sites[node]
    if scene.is_java or not site.call.dst or not site.moves or not site.is_library:
        return False
    seen = {(each, frozenset((site.call.dst,))) for each in scene.cfg.normal[node]}
    waiting, is_ended = list(seen), False
    while waiting:
        at, names = waiting.pop()
        instruction = scene.nodes[at]
        if names.isdisjoint(operands(instruction)):
            kept = names.difference(assigned(instruction))
        elif identity(instruction):
            kept = names.union(assigned(instruction))
        elif isinstance(instruction, ir.Call) and _releases(sites.get(at), names):
            is_ended = True
            continue
        else:
            return False
        for each in scene.cfg.normal[at] if kept else ():
            if (each, kept) not in seen:
                seen.add((each, kept))
                waiting.append((each, kept))
        if len(seen) > _MOST:
            return False
    return is_ended


def _releases(site: CallSite | None, names: frozenset[str]) -> bool:
    return site is not None and any(
        len(move.entry) == 1 and move.entry[0] in names and all(outcome.fate == "released" for outcome in move.outcomes) for move in site.moves
    )
