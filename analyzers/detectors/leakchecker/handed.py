"""What becomes of a container that is handed to procedures of the repository: followed by points-to into what they call.

Each parameter that may hold it is asked what its procedure does with it. What is not followed to its end (kept in a
field, answered, handed to code without a body, a spent budget) stays an escape, which keeps the detector silent.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.points_to import Holder, Object, PointsTo
from analyzers.queries import ProcedureKey, Queries, Target
from analyzers.slots import SlotReader, Touched, Use
from analyzers.specs.containers import Container, Role

MAX_BODIES = 4
"""Bodies of one call that are followed."""

MAX_ESCAPES = 6
"""Calls that one container is handed to, at most."""


class Handed:
    """Follows containers. One per analysed procedure: what it looks up is recorded there."""

    def __init__(self, queries: Queries, reader: SlotReader) -> None:
        self._queries, self._reader = queries, reader

    def settled(self, touched: Touched) -> Touched:
        """The uses of a field with what its callees do in the place of «it is handed to them»."""
        model = self._reader.container(touched.slot.type)
        if model is None or Role.ESCAPE not in touched.roles():
            return touched
        return msgspec.structs.replace(touched, uses=tuple(self.followed(touched.uses, model)))

    def followed(self, uses: tuple[Use, ...], model: Container) -> Iterator[Use]:
        """Uses, with those of callees for those that hand the container on."""
        is_many = sum(use.role is Role.ESCAPE for use in uses) > MAX_ESCAPES
        for use in uses:
            below = None if is_many or use.role is not Role.ESCAPE else self._below(use, model)
            yield from (use,) if below is None else below

    def _below(self, use: Use, model: Container) -> list[Use] | None:
        """What the callees do with what they are handed; None where that is not known to the end."""
        body, linked = self._queries.procedure(use.key), self._queries.linked(use.key)
        call = body.nodes[use.node] if body is not None and use.node < len(body.nodes) else None
        target = linked.targets.get(use.node) if linked is not None else None
        if not isinstance(call, ir.Call) or target is None or not self._is_own(target) or not use.operands:
            return None
        found: list[Use] = []
        for key in target.procedures:
            entry = self._queries.linked(key)
            if entry is None or len(entry.body.parameters) != len(call.args):
                return None
            points = PointsTo(self._queries, self._reader, key)
            for position, argument in enumerate(call.args):
                if argument in use.operands:
                    found += self._uses(points, key, entry.body.parameters[position], model)
            if not points.is_complete:
                return None
        if any(each.role is Role.ESCAPE for each in found):
            return None
        others = tuple(each for each in call.args if each not in use.operands)
        here = Use(Role.STORE, use.key, use.node, others, use.is_sure)  # what they store is told of the call
        return [here if each.role is Role.STORE else each for each in found]

    def _is_own(self, target: Target) -> bool:
        """Whether the repository has all bodies that a call may run, and there are few of them."""
        return 0 < len(target.procedures) <= MAX_BODIES and bool(self._queries.declaring_file(target.type))

    def _uses(self, points: PointsTo, entry: ProcedureKey, formal: str, model: Container) -> Iterator[Use]:
        for holder in sorted({Holder(each.key, each.name) for each in points.holders(Object(entry, -1, (), (formal,)))}):
            body, linked = self._queries.procedure(holder.key), self._queries.linked(holder.key)
            if body is None or linked is None:
                yield Use(Role.ESCAPE, entry, ir.ENTRY)
                continue
            for use in self._reader.local_uses(holder.key, body, holder.name, model):
                if not self._is_followed(use, entry, body, linked.targets.get(use.node)):
                    yield use

    def _is_followed(self, use: Use, entry: ProcedureKey, body: ir.Procedure, target: Target | None) -> bool:
        """Whether an escape leads to variables that are holders themselves."""
        if use.role is not Role.ESCAPE:
            return False
        match body.nodes[use.node]:
            case ir.Return():
                return use.key != entry
            case ir.Call(args=args):
                bodies = [self._queries.procedure(key) for key in target.procedures] if target is not None else []
                return bool(bodies) and target is not None and self._is_own(target) and all(
                    each is not None and len(each.parameters) == len(args) for each in bodies
                )
            case _:
                return False
