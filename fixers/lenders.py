"""Which arguments a call of C surely only borrows, though not all is known of what it runs.

A function of the repository borrows what it hands to nobody unknown. What a function that nobody knows borrows, the
procedure itself can show (`analyzers/handles/c/lending.py`), or others that release what they passed to it (`evident.py`). Reports too little where values come together in one variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.handles.c.evident import Told, is_surely_lent, is_surely_shown, is_surely_untied
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import Effects
from fixers.later import Later
from fixers.paths import is_lent, reached

MAX_DEPTH = 6
"""Calls below the call that is asked about."""

ANY = "?"
"""Among the parameters that somebody unknown gets: any of them."""


class Lenders:
    """Looks into callees, each once per depth: what is answered does not depend on what was asked before."""

    def __init__(self, program: Program, nothing: str) -> None:
        """`nothing`: the literal that means «none» for the resource."""
        self._program = program
        self._nothing = nothing
        self._exposed: dict[tuple[ProcedureKey, int], frozenset[str]] = {}
        self._passed: Told = {}

    def borrowed(self, known: Facts, names: set[str]) -> Mapping[int, frozenset[str]]:
        """Per call of which not all is known the roots (`$0`) that it borrows; only for calls that get one of `names`."""
        found = {node: call for node, call, _ in _doubtful(known) if not names.isdisjoint(call.args)}
        return Later(tuple(found), lambda node: self._borrowed(known.linked, node, found[node], names))

    def untied(self, known: Facts, names: set[str]) -> dict[int, frozenset[str]]:
        """Per call of a function without source the roots of which nothing that it leaves in other objects needs anything."""
        return self._told(known, names, is_surely_untied)

    def shown(self, known: Facts, names: set[str]) -> dict[int, frozenset[str]]:
        """The same, or others release what lies there, whatever they do with the rest."""
        return self._told(known, names, is_surely_shown)

    def _told(self, known: Facts, names: set[str], ask: Callable[[Linked, int, int, Program, Told], bool]) -> dict[int, frozenset[str]]:
        found = {}
        for node, call, _ in _doubtful(known):
            target = known.linked.targets.get(node)
            asked = [n for n, each in enumerate(call.args) if each in names and call.kind == "function" and (target is None or not target.procedures)]
            if roots := frozenset(f"${n}" for n in asked if ask(known.linked, node, n, self._program, self._passed)):
                found[node] = roots
        return found

    def _borrowed(self, linked: Linked, node: int, call: ir.Call, names: set[str]) -> frozenset[str]:
        target = linked.targets.get(node)
        if target is None or not target.procedures:
            return frozenset(
                f"${n}" for n, each in enumerate(call.args)
                if call.kind == "function" and each in names and is_surely_lent(linked, node, n, self._program, self._passed)
            )
        exposed = frozenset(root for key in target.procedures for root in self._exposed_by(key, MAX_DEPTH))
        if ANY in exposed:
            return frozenset()
        count = min(len(call.args), len(target.parameters))
        return frozenset(root for n in range(count) if (root := f"${n}") not in exposed)

    def _exposed_by(self, key: ProcedureKey, depth: int) -> frozenset[str]:
        """The parameters (`$0`) that come to somebody unknown in a procedure or below it."""
        if not depth:
            return frozenset((ANY,))
        found = self._exposed.get((key, depth))
        if found is None:
            known = facts(self._program, key)
            found = self._exposed[key, depth] = self._solve(known, depth) if known is not None else frozenset((ANY,))
        return found

    def _solve(self, known: Facts, depth: int) -> frozenset[str]:
        given: set[str] = set()
        is_any = False
        for node, call, effects in _doubtful(known):
            is_any = True
            given.update(self._given(known.linked, (node, call), effects, depth))
        if not is_any:
            return frozenset()
        exposed = set()
        for index, name in enumerate(known.linked.body.parameters):
            names = reached(known.linked, name, self._nothing)
            if not names.isdisjoint(given) or any(each.startswith("::") for each in names):
                exposed.add(f"${index}")
        return frozenset(exposed)

    def _given(
        self, linked: Linked, site: tuple[int, ir.Call], effects: tuple[Effects, ...], depth: int
    ) -> Iterator[str]:
        """What a call of which not all is known passes to somebody unknown."""
        node, call = site
        target = linked.targets.get(node)
        if call.kind == "function" and target is not None and target.procedures:
            roots = frozenset(root for key in target.procedures for root in self._exposed_by(key, depth - 1))
            for index, name in enumerate(call.args):
                if ANY in roots or f"${index}" in roots or index >= len(target.parameters):
                    yield name
            return
        shown = {t.entry for each in effects for t in each.transfers if t.entry and all(o.fate == "held" for o in t.outcomes)}
        for index, name in enumerate(call.args):
            is_borrowed = (f"${index}",) in shown or (target is not None and is_lent(target.parameters, call.args, index))
            if call.kind != "function" or not is_borrowed:
                yield name


def _doubtful(known: Facts) -> Iterator[tuple[int, ir.Call, tuple[Effects, ...]]]:
    """The calls of which not all is known."""
    for node, effects in known.effects.items():
        call = known.linked.body.nodes[node]
        if isinstance(call, ir.Call) and not all(each.is_known for each in effects):
            yield node, call, effects
