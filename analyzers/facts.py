"""The one door through which fixers learn about a procedure.

What they may know: the linked graph, what each call may do (by computed Effects, specs, or nobody knows), the
ways to release a resource, and what runs last. They never learn which analysis found a leak.
"""

from __future__ import annotations

import functools

import msgspec

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.graphs import cfg, liveness
from analyzers.graphs.cfg import Cfg
from analyzers.graphs.liveness import Liveness
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.program import Program
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.specs.library import SpecLibrary
from analyzers.specs.resources import Release
from analyzers.summaries import UNKNOWN, Effects


class Facts(msgspec.Struct, frozen=True, dict=True):
    """One procedure, as fixers see it.

    effects   per node that is a Call, what it may do: one Effects, or one per body that may run
    """

    linked: Linked
    effects: dict[int, tuple[Effects, ...]]

    @functools.cached_property
    def cfg(self) -> Cfg:
        """The graph with the edges that are real."""
        return cfg.build(self.linked)

    @functools.cached_property
    def liveness(self) -> Liveness:
        """Which variables may still be read where."""
        names = tuple(variable.name for variable in self.linked.body.variables)
        return liveness.solve(self.linked.body.nodes, self.cfg, names)


def facts(program: Program, key: ProcedureKey) -> Facts | None:
    """What fixers may know of a procedure; None where it has no body."""
    linked = program.linked(key)
    return None if linked is None else facts_of(linked, program)


def facts_of(linked: Linked, queries: Queries) -> Facts:
    """The same for a procedure that is linked already."""
    scene = Scene(linked, queries, Limits())
    sites = CallSites(scene)
    effects: dict[int, tuple[Effects, ...]] = {}
    for node, instruction in enumerate(linked.body.nodes):
        if isinstance(instruction, ir.Call):
            target = linked.targets.get(node)
            known = sites.effects_of(instruction, target) if target is not None else None
            effects[node] = (known if known is not None else UNKNOWN,)
    return Facts(linked, effects)


def releases(program: Program, resource: str) -> tuple[Release, ...]:
    """The ways to release a kind of resource, preferred first; empty where no spec says."""
    library = program.specs
    found = library.resource(resource) if isinstance(library, SpecLibrary) else None
    return found.releases if found is not None else ()


def nothing(program: Program, resource: str) -> str:
    """The literal that means «none» for a kind of resource (`NULL`, `-1`); empty where no spec says."""
    library = program.specs
    found = library.resource(resource) if isinstance(library, SpecLibrary) else None
    return found.nothing if found is not None else ""
