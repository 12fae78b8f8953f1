"""What the paths say about each safety condition: the worst of all, with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from analyzers import ir
from fixers.fix import Verdict
from fixers.paths.elements import ELEMENT
from fixers.paths.state import (
    CLOSED_WITH,
    COPIED,
    IN_ARRAY,
    LAST_STANDARD,
    OF,
    Fate,
    Instance,
    State,
    Value,
    kind,
)

_ORDER = (Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED)


LEAKING = "a path still leaks it"
"""Why something is not gone for sure."""

OUT_OF_SIGHT = "it is stored where this check cannot follow it"
"""A doubt about what may hold it by then."""

UNCERTAIN = "its acquisition is not certain"
"""A doubt that says nothing for a use after the release: what was not acquired is not used either."""

UNCERTAIN_PART = "whether it was made together with its owner is not certain"
"""The same of what a maker may have put into its object."""

HELD = "it is held in a container"
"""A doubt about what others may find in a collection."""

UNKNOWN = "is not known: it may keep or release it"

KEPT_AS_BEFORE = "what was got from it is kept, as where the code itself closes it"
"""A doubt about a close on more ways of what the code closes itself with that outside."""

"""How a doubt ends about what a callee does that nobody knows."""

_SURE = ("", UNCERTAIN, UNCERTAIN_PART, HELD, IN_ARRAY)
"""Doubts with which a use after the release is one."""


KEEPING = "may use it at any time"
"""How a doubt ends about something that others keep, and that can reach the resource: a thread, a task."""


class Answer(msgspec.Struct, frozen=True):
    """A verdict, why, and the node of the procedure where it was found (-1: nowhere)."""

    verdict: Verdict
    reason: str
    node: int = -1


def is_in_doubt(answer: Answer) -> bool:
    """Whether an answer leaves open who has the resource in the end: a container, an array, or a callee that nobody knows; or
    whether there was any."""
    return answer.verdict is Verdict.ASSUMED and (answer.reason in (UNCERTAIN, UNCERTAIN_PART, HELD, IN_ARRAY) or answer.reason.endswith(UNKNOWN))


class Report:
    """Collects violations while paths are walked. The first of the worst kind stays."""

    def __init__(self) -> None:
        self.once = Answer(Verdict.PROVED, "")
        self.after = Answer(Verdict.PROVED, "")
        self.acquired = Answer(Verdict.PROVED, "")
        self.gone = Answer(Verdict.PROVED, "")
        self.is_idempotent = False
        self.headers: frozenset[int] = frozenset()
        self.is_awaited = False
        self.is_for_ours = False
        """Whether uses matter only after releases that the fix wrote: others were there before (a count of references that goes down)."""
        self.ignored: frozenset[int] = frozenset()
        """Sites of which only counts where they are lost: what becomes of theirs otherwise is not asked."""
        self.is_returned_released = False
        self.is_strange_alone = True
        """Whether all that is doubted of uses behind the release is what callees do that nobody knows."""
        self.is_ended = False
        self.is_kept_alone = True
        """Whether all that is wrong with uses behind the release is that something outside has kept what was got from it."""
        self.is_kept_there = False
        """Whether something has on a regular way out."""
        self.is_finished = True
        self.returned: set[str] = set()
        self.held: dict[int, set[str]] = {}
        """The members of objects in which something lay that the fix released, by the release."""

    @property
    def is_proved(self) -> bool:
        """Whether nothing is wrong, and nothing in doubt."""
        answers = (self.once, self.after, self.acquired, self.gone)
        return self.is_finished and all(each.verdict is Verdict.PROVED for each in answers)

    @property
    def is_refuted(self) -> bool:
        """Whether something is surely wrong."""
        bad = Verdict.REFUTED
        return self.once.verdict is bad or self.after.verdict is bad or self.acquired.verdict is bad or self.gone.verdict is bad

    def _doubt_after(self, verdict: Verdict, reason: str, node: int, *, is_kept: bool = False) -> None:
        self.after = worse(self.after, verdict, reason, node)
        self.is_kept_alone = self.is_kept_alone and (is_kept or verdict is not Verdict.REFUTED)
        self.is_kept_there = self.is_kept_there or (is_kept and node == ir.EXIT)
        self.is_strange_alone = self.is_strange_alone and reason.endswith(UNKNOWN)

    def released(self, state: State, handle: Value, node: int, is_ours: bool, *, is_familiar: bool = False) -> None:
        """A call releases a handle. `is_familiar`: the procedure does the same elsewhere."""
        instance, name = state.handles[handle], name_of(state, handle)
        if is_familiar and instance.doubt == UNCERTAIN_PART:
            instance = msgspec.structs.replace(instance, doubt="")
        if is_ours:
            self.held.setdefault(node, set()).update(_members(state, handle))
        if is_ours and instance.doubt:
            is_early = instance.doubt.endswith(KEEPING) and not self.is_awaited
            self._doubt_after(Verdict.REFUTED if is_early else Verdict.ASSUMED, instance.doubt, node)
        if (self.is_idempotent and instance.fate is not Fate.RETAINED) or instance.site in self.ignored:
            return
        is_as_before = self.is_for_ours and not is_ours and not instance.is_ours
        if is_as_before and (instance.doubt or instance.fate in (Fate.MAYBE, Fate.RETAINED)):
            return  # The program may release it twice, or what a callee keeps: so it did before.
        match instance.fate:
            case Fate.RELEASED:
                is_sure = not instance.doubt or (instance.doubt in (UNCERTAIN, UNCERTAIN_PART) and (is_ours or instance.is_ours))
                verdict = Verdict.REFUTED if is_sure else Verdict.ASSUMED
                self.once = worse(self.once, verdict, f"{name} is released twice on a path", node)
            case Fate.MAYBE:
                self.once = worse(self.once, Verdict.ASSUMED, f"{name} may be released already", node)
            case Fate.RETAINED:
                verdict = Verdict.ASSUMED if instance.doubt else Verdict.REFUTED
                self.once = worse(self.once, verdict, f"{name} belongs to somebody else by then", node)
            case _ if is_ours and instance.doubt:
                self.once = worse(self.once, Verdict.ASSUMED, instance.doubt, node)

    def _is_gone(self, instance: Instance) -> bool:
        return instance.site not in self.ignored and instance.fate in (Fate.RELEASED, Fate.MAYBE) and (instance.is_ours or not self.is_for_ours)

    def used(self, state: State, value: Value, node: int, what: str, kept: Sequence[Value] | None = None) -> None:
        """A value is used: dereferenced, passed on, returned, stored where it outlives the path (`kept`: then, all that lies there itself)."""
        if not has_ended(state):
            return
        for each in state.below(value):
            instance = state.handles.get(each)
            if instance is None or not self._is_gone(instance):
                continue
            if self.is_idempotent and what == "close" and (not instance.is_ours or node in self.headers):
                continue  # It is closed by two of its names, by the code as before or by a header, the last one first: the second does nothing.
            is_gone = each in state.wrapped(value) or each in value.parts or any(
                base == value and held == each and field.startswith(CLOSED_WITH) for (base, field), held in state.cells.items()
            )
            is_direct = is_gone and instance.fate is Fate.RELEASED
            is_sure = instance.doubt in _SURE
            is_part = instance.fate is Fate.RELEASED and (value, f"{OF}{each.number}") in state.cells
            verdict = Verdict.REFUTED if (is_direct or is_part) and is_sure else Verdict.ASSUMED
            name = name_of(state, value)
            is_kept = kept is not None and each not in kept
            if is_kept and self.is_ended:
                self._doubt_after(Verdict.ASSUMED, KEPT_AS_BEFORE, node, is_kept=True)
                continue
            reason = f"{name} is used after its release" if is_direct else f"{name} needs what was released" if is_part else f"{name} may need what was released"
            self._doubt_after(verdict, f"{reason} (`{what}`)" if what else reason, node, is_kept=is_kept)

    def perhaps_needed(self, state: State, value: Value, node: int) -> None:
        """Something is used that some call made with the help of a value, and may need it."""
        instance = state.handles.get(value)
        if instance is not None and self._is_gone(instance):
            self._doubt_after(Verdict.ASSUMED, "what is returned or left behind may need what was released", node)

    def compared(self, state: State, value: Value, node: int) -> None:
        """A pointer is compared: to what the fix released nothing more is done."""
        instance = state.handles[value]
        if instance.is_ours and instance.fate is Fate.RELEASED and not instance.doubt:
            self._doubt_after(Verdict.REFUTED, f"{name_of(state, value)} is compared after its release", node)

    def used_inside(self, state: State, held: Value, node: int, what: str, *, is_sure: bool) -> None:
        """Something is used whose field holds a value; `is_sure`: the field is read."""
        if not has_ended(state):
            return
        for each in state.wrapped(held):
            instance = state.handles.get(each)
            if instance is None or not self._is_gone(instance):
                continue
            is_refuted = is_sure and instance.fate is Fate.RELEASED and instance.doubt in _SURE
            verdict = Verdict.REFUTED if is_refuted else Verdict.ASSUMED
            self._doubt_after(verdict, f"`{what}` may use {name_of(state, held)} after its release", node)

    def handed_out(self, state: State, value: Value, node: int) -> None:
        """Something is returned that may still hand out what it made, and what is released by now."""
        instance = state.handles.get(value)
        if instance is not None and self._is_gone(instance):
            self._doubt_after(Verdict.ASSUMED, "what is returned may still hand it out", node)

    def not_acquired(self, node: int, reason: str, *, refuted: bool) -> None:
        """A release of ours meets something that no site acquired."""
        verdict = Verdict.REFUTED if refuted else Verdict.ASSUMED
        self.acquired = worse(self.acquired, verdict, reason, node)

    def returns(self, state: State, value: Value) -> None:
        """A value is returned."""
        known = state.range_of(value)
        if any(each in state.handles for each in state.wrapped(value)):
            self.returned.add("held")
        else:
            self.returned.add("null" if known.low == known.high == 0 else "other")

    def lost(self, state: State, handle: Value, node: int) -> None:
        """Nobody holds a handle any more that is still open."""
        instance = state.handles[handle]
        if instance.doubt.endswith(KEEPING):
            return
        if state.range_of(handle).high <= LAST_STANDARD and any(base == handle and field.startswith(COPIED) for base, field in state.cells):
            return  # a standard descriptor stays
        certain = instance.fate is Fate.OPEN and not instance.doubt and not instance.condition
        verdict = Verdict.REFUTED if certain else Verdict.ASSUMED
        reason = LEAKING
        if not certain:
            reason = instance.doubt or instance.condition or "its release is not certain"
        self.gone = worse(self.gone, verdict, reason, node)

    def unsure(self, reason: str) -> None:
        """What was found may be on no path that can be: nothing is proved, and nothing refuted."""
        self.once = self.after = self.acquired = self.gone = Answer(Verdict.PROVED, "")
        self.unfinished(reason)

    def unfinished(self, reason: str) -> None:
        """Not all paths were walked: nothing is proved."""
        self.is_finished = False
        self.once = worse(self.once, Verdict.ASSUMED, reason, -1)
        self._doubt_after(Verdict.ASSUMED, reason, -1)
        self.acquired = worse(self.acquired, Verdict.ASSUMED, reason, -1)
        self.gone = worse(self.gone, Verdict.ASSUMED, reason, -1)


_SYMBOL = re.compile(r"\[#[0-9]+\]")
_ELEMENT_OF = re.compile(r"\[\][0-9]*")
"""An index of which there is but a number of ours."""


def _members(state: State, handle: Value) -> Iterator[str]:
    """The members of objects in which a handle lies."""
    for (base, field), held in state.cells.items():
        if held == handle and base.kind in ("object", "unknown") and (field[0].isalpha() or field[0] == "_"):
            yield field


def has_ended(state: State) -> bool:
    """Whether any handle is released, or may be: else no use of anything is wrong."""
    return any(each.fate is Fate.RELEASED or each.fate is Fate.MAYBE for each in state.handles.values())


def worse(known: Answer, verdict: Verdict, reason: str, node: int) -> Answer:
    """The worse of two answers; the earlier of equals."""
    return Answer(verdict, reason, node) if _ORDER.index(verdict) > _ORDER.index(known.verdict) else known


def name_of(state: State, value: Value) -> str:
    """The source's name for a value, for prose."""
    for name in sorted(state.variables):
        if "%" not in name and state.variables[name] == value:
            return f"`{name.partition('#')[0]}`"
    for (_, field), held in sorted(state.cells.items(), key=str):
        if held == value and not kind(field) and not _ELEMENT_OF.fullmatch(field):
            return f"`{_SYMBOL.sub(ELEMENT, field)}`"
    return "the resource"
