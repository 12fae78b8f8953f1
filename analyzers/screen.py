"""Which procedures of Java may acquire anything, told before the Effects of all their callees are computed.

Most acquire nothing, and a detector that follows what is acquired tells nothing of them: what their callees do need not be known.
Of a callee only those Effects are asked for that may hand something out. Says «may» where it does not know, and of recursion.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.handles.callees import MAX_BODIES
from analyzers.handles.java.answer_bodies import body_of
from analyzers.handles.java.customs import customary
from analyzers.handles.java.functions import COMPUTING
from analyzers.handles.java.held_locks import taken_by
from analyzers.handles.java.implied import ended_by_name, implied_effects, is_closeable_by_name
from analyzers.handles.java.invoked import LAMBDA
from analyzers.handles.java.own_close import made_by, may_be_made
from analyzers.handles.java.own_fields import believed_member
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.source import language_of

SCREENED = frozenset(("tracker",))
"""The detectors that tell nothing of a procedure that acquires nothing."""

_NO_TARGET = Target((), (), "", False, (), "")


class Screen:
    """Answers for the procedures of one tree."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._known: dict[ProcedureKey, bool] = {}
        self._handing: dict[ProcedureKey, bool] = {}

    def may_acquire(self, key: ProcedureKey) -> bool:
        """Whether some call of a procedure may acquire something; True of all that is not Java."""
        known = self._known.get(key)
        if known is None:
            self._known[key] = True  # for those that it calls and that call it
            linked = self._queries.linked(key) if language_of(key.path) == "java" else None
            known = self._known[key] = linked is None or self._has_acquiring_call(linked)
        return known

    def _has_acquiring_call(self, linked: Linked) -> bool:
        calls = [(node, each) for node, each in enumerate(linked.body.nodes) if isinstance(each, ir.Call)]
        if any(ended_by_name(call) for _, call in calls):
            return True  # What a procedure closes itself it is believed to have acquired.
        one = _Calls(linked, self._queries)
        targets = [linked.targets.get(node, _NO_TARGET) for node, _ in calls]
        if any(one.may_make(call, target) for (_, call), target in zip(calls, targets, strict=True)):
            return True
        called = {key: None for target in targets if not one.are_too_many(target) for key in target.procedures}
        passed = {
            name for (_, call), target in zip(calls, targets, strict=True)
            if (call.dst and target.procedures) or call.name == COMPUTING for name in call.args
        }
        return any(map(self._may_hand_out, called)) or any(map(self._may_hand_out, _lambdas(linked, passed)))

    def _may_hand_out(self, key: ProcedureKey) -> bool:
        """Whether a callee hands out something that it acquires."""
        known = self._handing.get(key)
        if known is None:
            known = self.may_acquire(key) and any(not each.entry for each in self._queries.effects(key).transfers)
            self._handing[key] = known
        return known


def _lambdas(linked: Linked, names: set[str]) -> list[ProcedureKey]:
    """The lambdas of a procedure that some variables are: who runs one may hand out, or keep, what it answers."""
    made = (node for node in linked.body.nodes if isinstance(node, ir.Alloc) and node.type.startswith(LAMBDA) and node.dst in names)
    return [ProcedureKey(linked.key.path, each.type[len(LAMBDA) :]) for each in made]


class _Calls:
    """The calls of one procedure, as far as their targets tell."""

    def __init__(self, linked: Linked, queries: Queries) -> None:
        self._linked = linked
        self._queries = queries
        self._made: Scene | None = None

    @property
    def _scene(self) -> Scene:
        self._made = self._made or Scene(self._linked, self._queries, Limits())
        return self._made

    def are_too_many(self, target: Target) -> bool:
        """Whether nobody asks the bodies of a call."""
        return len(target.procedures) > MAX_BODIES and not self._queries.is_closeable(target.result)

    def may_make(self, call: ir.Call, target: Target) -> bool:
        """Whether a call may acquire something, whatever bodies in the repository do."""
        model = self._queries.model(target.models, target.parameters) if target.models else None
        if model is not None and any(not each.entry for each in model.transfers):
            return True
        is_unknown = not target.procedures or self.are_too_many(target)
        if is_unknown and (self._may_be_implied(call, target) or self._may_be_kept(call, target)):
            return True
        if call.kind == "new" and may_be_made(target, self._queries) and made_by(call, target, self._scene, None) is not None:
            return True
        if call.name == "send" and body_of(call, target, self._scene) is not None:
            return True
        made = target.type if call.kind == "new" else target.result
        if not target.procedures or not made or not self._queries.is_closeable(made):
            return False  # What others close, and what takes a lock, comes from bodies of the repository.
        return customary(call, target, self._scene) is not None or (call.kind != "new" and taken_by(call, target, self._scene) is not None)

    def _may_be_implied(self, call: ir.Call, target: Target) -> bool:
        """Whether types may suggest that a call makes something."""
        made = target.type if call.kind == "new" else target.result
        if made and not self._queries.is_closeable(made) and not is_closeable_by_name(made, self._queries):
            return False
        return bool(made or call.dst) and implied_effects(call, target, self._scene) is not None

    def _may_be_kept(self, call: ir.Call, target: Target) -> bool:
        """Whether a class shows by its end that a constructor acquires what it puts into a field."""
        return self._linked.body.kind == "constructor" and believed_member(call, target, self._scene) is not None
