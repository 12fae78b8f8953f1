"""Which objects of Java close what a method hands out with themselves: its receiver (the response of a body), what that came from in turn,
and a request that somebody ends with all that was made of it (`HttpResponse response = client.execute(get); … get.releaseConnection();`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH, WRAPPED
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import AccessPath

MAX_CHAIN = 3
"""Objects that close each other: rows, statement, connection."""


def closers(scene: Scene, sites: Iterable[CallSite]) -> dict[str, tuple[str, ...]]:
    """Per variable that a method is called on which hands something out, the objects that close it with themselves, inner first."""
    sites = tuple(sites)
    direct: dict[str, str] = {}
    for site in sites:
        paths = [path for transfer in site.acquired for outcome in transfer.outcomes for path in outcome.paths]
        owner = _owner(site, paths)
        if site.call.dst and owner:
            for name in _names(site, scene):
                direct[name] = owner
            if ir.is_temporary(owner) and (source := _cast_of(owner, scene)):
                direct[owner] = source
    if scene.is_java and direct:
        direct = {**_by_request(scene, sites, frozenset(direct.values())), **direct}
    found: dict[str, tuple[str, ...]] = {}
    for name in direct:
        chain: list[str] = []
        while name in direct and direct[name] not in chain and len(chain) < MAX_CHAIN:
            chain.append(direct[name])
            name = direct[name]
        found[chain[0]] = tuple(chain[1:]) if len(chain) > 1 else found.get(chain[0], ())
    return {name: tuple(chain) for name, chain in found.items() if chain}


def _owner(site: CallSite, paths: Sequence[AccessPath]) -> str:
    """The variable of the object that closes what a call hands out: its receiver, or an argument that a method of the repository
    made it of; empty where there is none."""
    if _is_view(site):
        return site.call.receiver
    root = next((path[0] for path in paths if path[-1] == CLOSED_WITH and (path[0] == "this" or len(path) == 2)), "")
    actual = site.call.receiver if root == "this" else site.actuals.get(root, "")
    return "" if ir.is_literal(actual) else actual


def _by_request(scene: Scene, sites: Iterable[CallSite], owners: frozenset[str]) -> Mapping[str, str]:
    """Per owner that a call made, the argument of that call which ends what is closed with it."""
    ending = {
        move.entry[0] for site in sites for move in site.moves
        if move.entry[1:] == (CLOSED_WITH,) and any(outcome.fate == "released" for outcome in move.outcomes)
    }
    found: dict[str, str] = {}
    for site in sites if ending else ():
        request = next((each for each in site.call.args if each in ending), "")
        if request and site.call.dst:
            found |= {name: request for name in _names(site, scene) if name in owners}
    return found


def _names(site: CallSite, scene: Scene) -> tuple[str, ...]:
    """The variables that take the result of a call."""
    return (site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ())))


def _cast_of(temporary: str, scene: Scene) -> str:
    """The variable whose value a temporary is (`((Pooled) connection).open()`)."""
    nodes = scene.definitions.get(temporary, ())
    return identity(scene.nodes[nodes[0]]) if len(nodes) == 1 else ""


def _is_view(site: CallSite) -> bool:
    """Whether a library call gives another view of its receiver (the body of a response), closed with it."""
    moves = [move for move in site.moves if move.entry == (site.call.receiver,)] if site.is_library else []
    return any(("$ret", WRAPPED) in outcome.paths for move in moves for outcome in move.outcomes)
