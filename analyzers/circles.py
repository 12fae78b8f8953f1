"""Large circles: procedures of C that call each other by the dozen, through tables of function pointers most of them.

A fixpoint over a hundred of them says something new of nearly each in every round, and what comes of it is widened in the end. So
they are gone through once, callees first, with less asked of each: a callee whose turn has not come may keep whatever it gets, and so
may any member of such a circle keep what lies in a member of what it gets. Misses leaks of handles that a large circle was given, and takes
nobody's word for sure there.
"""

from __future__ import annotations

import msgspec

from analyzers.summaries import Certainty, Effects, Outcome, Transfer

MAX_CIRCLE = 160
"""Procedures that call each other and are gone round until nothing changes."""

_FORMALS = 12
"""Formals of a callee whose turn has not come of which something is said."""

KEPT = (Outcome("return", (), "retained", (), Certainty.MAY),)
"""What becomes of a handle that nobody follows further."""

PRESUMED = Effects(tuple(Transfer((f"${position}",), "", "", KEPT) for position in range(_FORMALS)), is_known=False)
"""What a member of a large circle is taken to do before its turn."""


def unsure(effects: Effects) -> Effects:
    """The Effects of a member of a large circle: what is told of handles is so, whatever the others do, but there may be more."""
    return msgspec.structs.replace(effects, is_known=False, is_sketched=True)


def widened(effects: Effects) -> Effects:
    """Effects of which nothing is sure any more."""
    transfers = tuple(
        msgspec.structs.replace(
            each,
            outcomes=tuple(msgspec.structs.replace(o, certainty=min(o.certainty, Certainty.MAY)) for o in each.outcomes),
        )
        for each in effects.transfers
    )
    return msgspec.structs.replace(effects, transfers=transfers, result=(), is_known=False)
