"""One call as its caller sees it: the nouns of `callees`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.handles.unknown import Policy
from analyzers.summaries import AccessPath, Condition, Effects, Outcome, Transfer

_RESULT: AccessPath = ("$ret",)


class Move(msgspec.Struct, frozen=True):
    """A transfer of a callee whose entry the caller can name: `entry` is a path of the caller. `is_alone`: it says nothing of what lies below."""

    entry: AccessPath
    resource: str
    outcomes: tuple[Outcome, ...]
    is_alone: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the callee keeps it for good for some values of its arguments (`if (parent != NULL) append(parent, node);`)."""
        return any(each.fate == "retained" for each in self.outcomes)


class Exposure(msgspec.Struct, frozen=True):
    """A handle at or below `path` is passed to a callee that nobody knows."""

    path: AccessPath
    policy: Policy


class CallSite(msgspec.Struct, frozen=True):
    """One call as its caller sees it.

    actuals      roots of Effects (`this`, `$0` …) to the operands that stand for them
    acquired     transfers of handles that the call hands out
    moves        what it does to handles that it is passed; the longest entries first: what a callee does to a
                 member goes before what it does to its owner, and a release before anything else
    exposures    handles that it is passed without anybody knowing what for
    aliases      paths whose object the result may be
    result       what is known of the result
    touched      variables that a handle has to be rooted at for the call to matter
    is_doubtful  whether what it acquires is a guess
    may_wrap     whether the result may be something that holds what an unknown callee was passed
    is_library   whether a spec entry says all of it
    effects      all that is known of it; None where nobody knows anything
    is_evident   whether the procedure itself releases what the call is guessed to acquire
    is_declared  whether its declaration, or its name with its arguments, says what it acquires
    is_closed    whether a procedure of Java itself closes the object that the call is made on some time after it
    """

    call: ir.Call
    actuals: dict[str, str]
    acquired: tuple[Transfer, ...]
    moves: tuple[Move, ...]
    exposures: tuple[Exposure, ...]
    aliases: tuple[AccessPath, ...]
    result: tuple[Condition, ...]
    touched: tuple[str, ...]
    is_doubtful: bool
    may_wrap: bool
    is_library: bool
    effects: Effects | None
    is_evident: bool = False
    is_declared: bool = False
    is_closed: bool = False


def asserted(sites: Iterable[CallSite]) -> set[str]:
    """The variables of which calls make sure by returning: the status of `fail(status, …)`, which exits unless that is 0."""
    return {site.actuals.get(each.path[0], "") for site in sites for each in site.result if len(each.path) == 1 and each.path != _RESULT}


def deciding(sites: Iterable[CallSite]) -> set[str]:
    """The variables on which it depends what calls acquire, and where that lies then: an arena, if there is one."""
    outcomes = ((site, each) for site in sites for transfer in site.acquired for each in transfer.outcomes)
    return {site.actuals.get(condition.path[0], "") for site, each in outcomes for condition in each.when if condition.path != _RESULT}
