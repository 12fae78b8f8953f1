"""Whether what a patch would end has something inside that may be somebody else's (C): the caller's descriptor in a stream.

Where the procedure ends such a thing on some path, it answers for it; where it never does, nobody can say. By first assignments alone:
what a variable is given from several places may be a descriptor of the procedure's own.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.facts import Facts
from analyzers.finding import Finding
from analyzers.graphs.operands import assigned
from analyzers.handles.moves import identity
from analyzers.summaries import Effects


def lent_inside(finding: Finding, known: Facts) -> str:
    """How the code names what lies in the acquired thing and may belong to somebody else; empty where nothing does."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    for node, call in enumerate(body.nodes):
        if isinstance(call, ir.Call) and (call.start, call.end) == at and call.dst:
            inside = [name for each in known.effects.get(node, ()) for name in _taken(each, call)]
            found = next((shown for name in inside if (shown := _anothers(body, name))), "")
            return "" if _is_ended(known, call.dst) else found
    return ""


def _taken(effects: Effects, call: ir.Call) -> list[str]:
    wrapped = [t.entry[0] for t in effects.transfers if len(t.entry) == 1 and any(path == ("$ret", WRAPPED) for one in t.outcomes for path in one.paths)]
    return [call.args[int(root[1:])] for root in wrapped if root[1:].isdigit() and int(root[1:]) < len(call.args)]


def _anothers(body: ir.Procedure, name: str) -> str:
    given = [node for node in body.nodes if name in assigned(node)]
    if name in body.parameters:
        return ir.source_name(name) if not given else ""
    if len(given) != 1:
        return ""
    if isinstance(given[0], ir.Load):
        base = given[0].base
        return f"{ir.source_name(base)}->{given[0].field}" if not base or base in body.parameters else ""
    source = identity(given[0])
    return _anothers(body, source) if source and source != name else ""


def _is_ended(known: Facts, name: str) -> bool:
    """Whether some call ends what a call has given, by any name."""
    names, nodes = {name}, known.linked.body.nodes
    for _ in range(2):
        names |= {dst for node in nodes if identity(node) in names for dst in assigned(node)}
    if any(isinstance(node, ir.Return | ir.Store) and node.src in names for node in nodes):
        return True  # Who gets it answers for it.
    for node, call in enumerate(nodes):
        if not isinstance(call, ir.Call):
            continue
        ended = {
            t.entry[0] for each in known.effects.get(node, ()) for t in each.transfers
            if len(t.entry) == 1 and any(one.fate == "released" for one in t.outcomes)
        }
        if any(f"${position}" in ended for position, each in enumerate(call.args) if each in names):
            return True
    return False
