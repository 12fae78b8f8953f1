"""What is tracked: a handle that somebody has to release, and what is known of it at one place.

A `Fact` is Tracker's ⟨site, resource, must-access-paths⟩ with guards and marks, where site and resource are
the `Obligation` that a whole run of the solver is about.
"""

from __future__ import annotations

import msgspec

from analyzers.domains.guard import NON_ZERO, Value
from analyzers.summaries import AccessPath

Fact = tuple[int, int, int]
"""(paths, guards, marks): a set of a `PathTable`, an environment of `Guards`, bits of the marks below."""

DOUBTED = 1
"""An unknown callee had the handle, or something that the analysis does not know takes part."""
CUT = 2
"""A limit took paths away."""
JOINED = 4
"""Facts were joined on the way."""
RELEASED = 8
"""It is released; the fact goes on only to learn under which conditions."""
RETAINED = 16
"""Something that outlives the procedure holds it, by a path that nobody can name."""
GUARDS_ONLY = 32
"""The zero fact: no handle, only what is known of scalars."""
LEFT = 64
"""The connection that it belongs to is closed, and may have gone back to a pool."""

PRESUMED = 2048
"""Beside `RETAINED`: it was given to a callee of C that nobody knows, and nothing else says that it is kept."""

PAST = (128, 256, 512, 1024)
"""It lies in an element of an array that an index, one of up to four, has gone past."""

UNSURE = DOUBTED | CUT | JOINED
"""Marks with which a leak is ASSUMED."""
SETTLED = RELEASED | RETAINED
"""Marks with which nothing can be lost any more."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of the analysis, per (procedure, obligation).

    depth, breadth   fields of a path, and paths of a fact (Tracker, section 3.1)
    facts            sets of paths at one node before they are joined
    guards           facts of equal paths and different guards that a run in full keeps apart at one node
    steps            flow functions applied before the run is given up
    """

    depth: int = 3
    breadth: int = 5
    facts: int = 16
    guards: int = 4
    steps: int = 40_000


class Obligation(msgspec.Struct, frozen=True):
    """One handle that a procedure has.

    resource   name of the spec resource; empty: any (a handle that the caller passes)
    type       what reports call it
    value      what the handle's own value satisfies while it is held
    node       the acquiring call, or -1 for a handle that the caller passes
    entry      where the caller's handle lies on entry, rooted as in Effects; empty for an acquisition
    index      which of the acquisitions of the node it is
    """

    resource: str
    type: str
    value: Value = NON_ZERO
    node: int = -1
    entry: AccessPath = ()
    index: int = 0
