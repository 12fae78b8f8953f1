"""The order in which processes share a cold run: callees first, as far as names tell, and files kept together.

Only a matter of speed: results are the same in any order. A process has a lane of its own, most of whose callees
were done by the time they are asked for, by itself or by another that told. Calls of a name that many
files define are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers.graphs.callgraph import components
from analyzers.queries import ProcedureKey

MAX_DEFINITIONS = 4
"""Procedures of one simple name past which a call of it says nothing."""

PROCEDURES_PER_TASK = 40

Calls = Mapping[ProcedureKey, Sequence[str]]


def called_name(procedure: str) -> str:
    """What a call of a procedure is written as: `load` for `com.acme.Dao.load(String)`, `Dao` for its constructor."""
    head = procedure.partition("(")[0].partition("$lambda")[0].rpartition(":")[2].partition("#")[0]
    owner, _, name = head.rpartition(".")
    return owner.rpartition(".")[2].rpartition("$")[2] if name == "<init>" else name


def scheduled(calls: Calls, keys: Sequence[ProcedureKey], jobs: int) -> list[list[Sequence[ProcedureKey]]]:
    """The tasks of each process, in order. `keys` are sorted by path."""
    heights = _heights(calls)
    size = -(-len(keys) // jobs)
    lanes: list[list[Sequence[ProcedureKey]]] = []
    for start in range(0, len(keys), size):
        lane = sorted(keys[start : start + size], key=lambda key: heights.get(key, 0))
        steps = range(0, len(lane), PROCEDURES_PER_TASK)
        lanes.append([lane[step : step + PROCEDURES_PER_TASK] for step in steps])
    return lanes


def _heights(calls: Calls) -> dict[ProcedureKey, int]:
    """How many calls the longest chain has that begins at a procedure, recursion counted once."""
    named: dict[str, list[ProcedureKey]] = {}
    for key in calls:
        named.setdefault(called_name(key.name), []).append(key)

    def callees(key: ProcedureKey) -> list[ProcedureKey]:
        return [each for name in calls[key] for each in _meant(named.get(name, ()), key)]

    heights: dict[ProcedureKey, int] = {}
    for component in components(calls, callees):
        height = 1 + max((heights.get(callee, -1) for key in component for callee in callees(key)), default=-1)
        heights.update(dict.fromkeys(component, height))
    return heights


def _meant(candidates: Sequence[ProcedureKey], caller: ProcedureKey) -> Sequence[ProcedureKey]:
    """The procedures that a call by name may mean: those of its own file, else all if they are few."""
    own = [each for each in candidates if each.path == caller.path]
    if own:
        return own
    return candidates if len(candidates) <= MAX_DEFINITIONS else ()
