"""Procedures in the making: what is known so far of the members of a circle."""

from __future__ import annotations

from collections.abc import Mapping

from analyzers.anchors import Move, moved_effects
from analyzers.circles import PRESUMED
from analyzers.incremental.blobs import digest, encode
from analyzers.queries import ProcedureKey
from analyzers.source import Span
from analyzers.summaries import Effects

BOTTOM = Effects(returns="never")
"""What a member of a component is taken to do before its first round."""

_BOTTOM_DIGEST = digest(encode(BOTTOM))
_PRESUMED_DIGEST = digest(encode(PRESUMED))


class Frame:
    """A procedure or component in the making: its members, and their Effects so far.

    digests    of those Effects
    explored   members whose calls were followed once, to learn who else is a member
    is_large   whether it is gone through once only
    """

    __slots__ = ("digests", "explored", "is_component", "is_large", "members", "table")

    def __init__(self, key: ProcedureKey) -> None:
        self.members = {key}
        self.table: dict[ProcedureKey, Effects] = {}
        self.digests: dict[ProcedureKey, bytes] = {}
        self.explored: set[ProcedureKey] = set()
        self.is_component = False
        self.is_large = False

    def grow(self, members: frozenset[ProcedureKey]) -> None:
        """Take more members in; what the others do is looked at again once it is closed."""
        self.is_component = True
        self.members |= members
        for member in self.members:
            if member not in self.table:
                self.table[member] = BOTTOM
                self.digests[member] = _BOTTOM_DIGEST

    def begin(self, members: list[ProcedureKey]) -> None:
        """All members are where they begin again."""
        self.table = dict.fromkeys(members, PRESUMED if self.is_large else BOTTOM)
        self.digests = dict.fromkeys(members, _PRESUMED_DIGEST if self.is_large else _BOTTOM_DIGEST)

    def put(self, member: ProcedureKey, effects: Effects, answer: bytes) -> bool:
        """What a member does as far as is known now: whether that is something new."""
        if effects == self.table[member]:
            return False
        self.table[member], self.digests[member] = effects, answer
        return True

    def resume(self, before: Mapping[ProcedureKey, Effects], fix: Move) -> None:
        """All members are where they were before a patch."""
        self.table = dict(before)
        self.digests = {member: digest(encode(moved_effects(effects, fix))) for member, effects in before.items()}

    def is_like(self, member: ProcedureKey, effects: Effects) -> bool:
        """Whether a member does this, but for places."""
        return moved_effects(self.table[member], _nowhere) == moved_effects(effects, _nowhere)


def _nowhere(span: Span) -> Span:
    return Span("", 0, 0)
