"""Rows of a statement that its procedure has registered with somebody (`Statement s = closer.register(connection.createStatement());`), and
statements of such a connection.

Who closes the statement closes the rows with it. Goes by objects that are closed themselves and keep what they get, and by calls that get a
statement and give one again. Direction of error: misses rows of a statement whose keeper is lost as well. Says nothing of statements in a field or
a collection: these go on.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.detectors.given_before import all_names
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer

_CLOSEABLE = "java.lang.AutoCloseable"


def is_of_registered(scene: Scene, sites: Mapping[int, CallSite], node: int, transfer: Transfer) -> bool:
    """Whether a call gives what is closed with the object it is called on, and that was given to one that keeps it, or came back from one."""
    receiver = sites[node].actuals.get("this", "")
    is_inside = any(path == ("this", CLOSED_WITH) for outcome in transfer.outcomes for path in outcome.paths)
    if not scene.is_java or not is_inside or not receiver or scene.outlives(receiver):
        return False
    before = scene.cfg.reaching(node) - {node}
    names = all_names(scene, before, frozenset((receiver,)))
    made = {site.call.dst for site in sites.values() if site.acquired and site.call.dst}
    for each in before:
        call, site = scene.nodes[each], sites.get(each)
        if not isinstance(call, ir.Call) or call.kind != "virtual" or call.receiver in names:
            continue
        is_given_back = call.dst in names and not (site is not None and site.is_library)
        if is_given_back and (not made.isdisjoint(call.args) or (site is not None and _keeps(site, frozenset(call.args)))):
            return True
        if site is not None and scene.queries.is_subtype(scene.type_of(call.receiver), _CLOSEABLE) is True and _keeps(site, names):
            return True
    return False


def _keeps(site: CallSite, names: frozenset[str]) -> bool:
    """Whether the object that a method is called on keeps one of some variables that it gets."""
    given = [move for move in site.moves if len(move.entry) == 1 and move.entry[0] in names]
    return any(outcome.fate == "retained" or any(path[0] == "this" and len(path) > 1 for path in outcome.paths) for move in given for outcome in move.outcomes)
