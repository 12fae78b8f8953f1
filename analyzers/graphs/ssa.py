"""An SSA view of a procedure, on demand: which version of a variable a point sees, and back.

The procedure itself keeps the variables of the source. A version is the node that assigns the variable, the
entry for what it holds on entry, or the join node where several versions meet (a φ). A call that throws
assigns nothing. φs are minimal on reducible graphs. Says nothing about variables whose address is taken.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import Cfg
from analyzers.graphs.operands import assigned


class Version(msgspec.Struct, frozen=True, order=True):
    """What one variable holds between its assignment at `node` and the next; `is_phi`: where others meet."""

    variable: str
    node: int
    is_phi: bool = False


class SsaView:
    """The versions of the variables of one procedure."""

    def __init__(self, nodes: tuple[ir.Instruction, ...], cfg: Cfg) -> None:
        self._nodes = nodes
        self._cfg = cfg
        self._before: dict[str, dict[int, Version]] = {}

    def before(self, variable: str, node: int) -> Version | None:
        """The version that the variable has when `node` begins; None where the node is unreachable."""
        return self._versions(variable).get(node)

    def after(self, variable: str, node: int) -> Version | None:
        """The version that the variable has when `node` has run and thrown nothing."""
        if not self._cfg.is_reachable(node):
            return None
        if variable in assigned(self._nodes[node]):
            return Version(variable, node)
        return self.before(variable, node)

    def operands(self, version: Version) -> tuple[Version, ...]:
        """The versions that meet in a φ, sorted; none for an assignment."""
        if not version.is_phi:
            return ()
        return tuple(sorted(self._met(version.variable, version.node, self._versions(version.variable))))

    def reach(self, version: Version) -> tuple[int, ...]:
        """The nodes at whose beginning the variable has this version, in reverse post-order."""
        seen = self._versions(version.variable)
        return tuple(node for node in self._cfg.order if seen.get(node) == version)

    def _versions(self, variable: str) -> dict[int, Version]:
        if variable not in self._before:
            before = self._place(variable)
            self._remove_trivial(variable, before)
            self._before[variable] = before
        return self._before[variable]

    def _met(self, variable: str, node: int, before: dict[int, Version]) -> set[Version]:
        """What comes in over the edges into a node, without its own φ."""
        met = set()
        for each in self._cfg.predecessors[node]:
            if each not in before:
                continue
            is_assigned = variable in assigned(self._nodes[each])
            if is_assigned and node in self._cfg.normal[each]:
                met.add(Version(variable, each))
            if not is_assigned or node in self._cfg.raised[each]:
                met.add(before[each])
        met.discard(Version(variable, node, is_phi=True))
        return met

    def _place(self, variable: str) -> dict[int, Version]:
        """A join keeps the one version that comes in, and is a φ as soon as a second one does."""
        before = {ir.ENTRY: Version(variable, ir.ENTRY)}
        changed = True
        while changed:
            changed = False
            for node in self._cfg.order[1:]:
                phi = Version(variable, node, is_phi=True)
                if before.get(node) == phi:
                    continue
                met = self._met(variable, node, before)
                version = met.pop() if len(met) == 1 else phi
                if version != before.get(node):
                    before[node] = version
                    changed = True
        return before

    def _remove_trivial(self, variable: str, before: dict[int, Version]) -> None:
        """A φ in which one version meets itself is that version."""
        changed = True
        while changed:
            changed = False
            for node in self._cfg.order[1:]:
                phi = before[node]
                if not phi.is_phi or phi.node != node:
                    continue
                met = self._met(variable, node, before)
                if len(met) == 1:
                    only = met.pop()
                    before.update({each: only for each, version in before.items() if version == phi})
                    changed = True
