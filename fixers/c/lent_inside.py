"""Whether what a patch would end has something inside that may be somebody else's (C): the caller's descriptor in a stream.

Where the procedure ends such a thing on some path, it answers for it; where it never does, nobody can say.
"""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.domains.access_path import WRAPPED
from analyzers.domains.obligation import Limits
from analyzers.facts import Facts
from analyzers.finding import Finding
from analyzers.handles.c.taken_over import lent_inside
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import RESULT, Scene


def lies_inside(program: Program, finding: Finding, known: Facts) -> str:
    """How the code names what lies in the acquired thing and may belong to somebody else; empty where nothing does."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), -1)
    transfers = (each for effects in known.effects.get(node, ()) for each in effects.transfers)
    if not any((*RESULT, WRAPPED) in one.paths for each in transfers for one in each.outcomes):
        return ""
    scene = Scene(known.linked, program, Limits())
    sites = CallSites(scene).sites
    return lent_inside(scene, sites, sites[node]) if node in sites else ""
