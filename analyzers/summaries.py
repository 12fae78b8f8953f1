"""Effects: what calling a procedure does to the handles that reach it, and those it hands out.

One form for a procedure of the repository (computed bottom-up from its IR), a library call (expanded
from a spec entry) and a callee that nobody knows (`UNKNOWN`). Per handle, not per procedure: a
`Transfer` says where a handle lies on entry (or that it is acquired inside) and its possible `Outcome`s.
A bug finder reads an outcome of certainty MUST; a proof reads MAY as MUST for uses and as NO for releases.
"""

from __future__ import annotations

import enum
from typing import Literal, Protocol

import msgspec

from analyzers.source import Span

AccessPath = tuple[str, ...]
"""A root and a sequence of fields. Roots: `this`, `$0`, `$1` … (formals), `$ret` (the result), `$thrown`,
`::name` (global of C by name, static field of Java by qualified name); inside one procedure, the name
of a variable. Field `*` is what a pointer points to, `[]` any element, `~` what a wrapper wraps, `^` what is
released with it without being kept by it (a statement goes with its connection, whoever owns that)."""

SAME = "same"
"""The operator of a condition that says that a place holds what it held before the call."""

MAX_OUTCOMES = 8
"""Outcomes per transfer; more are joined per exit."""

BELOW = "?"
"""The last field of a path of reads, writes and retains that stands for all that is below it."""


SCOPED = "!"
"""Behind the name of a call, where models are asked for what is scoped (locks), too; twice: as if what it acquires never failed."""


class Certainty(enum.IntEnum):
    """How sure an effect is."""

    NO = 0
    MAY = 1
    MUST = 2


class Condition(msgspec.Struct, frozen=True, array_like=True, gc=False, order=True):
    """`path operator value` at the exit, over `$ret` and formals. Operators are those of `ir.Branch`;
    `value` is a literal operand (`=null`, `=0`)."""

    path: AccessPath
    operator: str
    value: str


class Outcome(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One way in which a handle leaves a procedure.

    exit       "return" or "throw"
    when       conditions that hold then, all of them (empty: always possible)
    fate       "held": still open, the caller can name it by `paths`; "released"; "retained": stored where
               it outlives the call and the caller cannot name it (a global, a container, a thread);
               "lost": nobody holds it any more (a leak inside; reported there, not in the caller)
    paths      must-access-paths at exit, for "held" (and what is known for "retained"); "held" without paths: no
               longer where it was, and found by what other names the caller has. What lies below the entry
               moves along; releasing a path releases what is below its `~` and `^`
    certainty  MUST, or MAY where outcomes were joined or an unknown callee took part
    span       the source that caused it, None for specs
    left       for what the call acquires, what lies in places of the caller's afterwards (`*error == 0`)
    implied    those of `when` that hold on every return with such a result: where the result says so, they do
    is_presumed   "retained" for no other reason than that a callee of C that nobody knows got it
    """

    exit: Literal["return", "throw"]
    when: tuple[Condition, ...]
    fate: Literal["held", "released", "retained", "lost"]
    paths: tuple[AccessPath, ...] = ()
    certainty: Certainty = Certainty.MUST
    span: Span | None = None
    left: tuple[Condition, ...] = ()
    implied: tuple[Condition, ...] = ()
    is_presumed: bool = False


class Transfer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What happens to one handle in a call.

    entry     where it lies on entry (rooted at a formal, the receiver or a global); empty: acquired inside
    resource  name of the spec resource (`heap-memory`, `descriptor`, `closeable` …); for an entry, the one that
              it has to be for this transfer to apply, empty for any
    type      what reports call it (`java.io.FileInputStream`, `FILE`), empty where the entry's own holds
    site      the acquisition inside the callee, None for specs
    """

    entry: AccessPath
    resource: str
    type: str
    outcomes: tuple[Outcome, ...]
    site: Span | None = None


class Effects(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that a call does.

    transfers   of handles that it acquires, releases, moves; a handle without a transfer is borrowed
    reads, writes, retains   access paths (rooted at formals, receiver, globals) that it may read, assign,
                or store beyond the call; with a last field `?` everything below
    aliases     formals that the result may be (`this` for fluent methods)
    invokes     formals that it calls (lambdas, function pointers), during the call
    throws      binary names of exceptions that may leave it (Java)
    returns     "normal", "never" (noreturn), "sometimes"
    result      conditions that always hold on return: over `$ret`, and over formals for calls that end otherwise (`assertNull`)
    is_known    False: nobody knows it, or something in it that nobody knows is reached by a handle
    sizes       formals that say how much is to be had: where one is 0 nothing is (see `emptied`)
    type        type of the result, where a spec tells it because no declaration is there
    inner       those of `aliases` into which the result points only if it is not null (`strchr`)
    is_pure     asked again it answers the same, unless an argument or something in `reads` has changed
    is_fresh    the result is an object that nobody else holds, though nothing has to be released yet
    needs       formals without which the result is of no use, though it is none of them (`fileno`, `fmemopen`)
    cases       the ways to return, where the result says something of the formals (`ensure(p)` is 0 where p is null)
    leaves      the ways to return, with what each leaves in numbers behind formals of C: a comparison, or that it is the same as before
    is_apart    the result needs nothing that the call was given, but for `aliases`, `needs` and what transfers move
    whole       those of `aliases` that the result is on every way, from their beginning (`strcpy`; not `p + 1`, not a list's new head)
    is_rule     told by a rule for all calls into a library of C, not for this one
    is_sketched   not known, as a member of a large circle (see `circles`): what transfers tell for sure is so
    """

    transfers: tuple[Transfer, ...] = ()
    reads: tuple[AccessPath, ...] = ()
    writes: tuple[AccessPath, ...] = ()
    retains: tuple[AccessPath, ...] = ()
    aliases: tuple[str, ...] = ()
    invokes: tuple[str, ...] = ()
    throws: tuple[str, ...] = ()
    returns: Literal["normal", "never", "sometimes"] = "normal"
    result: tuple[Condition, ...] = ()
    is_known: bool = True
    sizes: tuple[str, ...] = ()
    type: str = ""
    is_pure: bool = False
    inner: tuple[str, ...] = ()
    is_fresh: bool = False
    needs: tuple[str, ...] = ()
    cases: tuple[tuple[Condition, ...], ...] = ()
    is_apart: bool = False
    leaves: tuple[tuple[Condition, ...], ...] = ()
    is_sketched: bool = False
    whole: tuple[str, ...] = ()
    is_rule: bool = False


def emptied(effects: Effects) -> Effects:
    """The Effects of a call that is asked for nothing: it acquires nothing, and what it might release is gone."""
    released = (Outcome("return", (), "released"),)
    transfers = tuple(
        msgspec.structs.replace(each, outcomes=released) if any(o.fate == "released" for o in each.outcomes) else each
        for each in effects.transfers
        if each.entry
    )
    return msgspec.structs.replace(effects, transfers=transfers, aliases=(), whole=())


UNKNOWN = Effects(is_known=False)
"""The Effects of a callee that nobody knows: MAY of everything about the handles that reach it."""


class SummaryStore(Protocol):
    """Keeps results between runs. Values are opaque bytes; a store may forget, never invent."""

    def get(self, section: str, key: bytes) -> bytes | None:
        """The value stored under `key` in `section`, or None."""

    def put(self, section: str, key: bytes, value: bytes) -> None:
        """Store a value; replaces an earlier one."""


class MemoryStore:
    """The default SummaryStore: a dictionary."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, bytes], bytes] = {}

    def get(self, section: str, key: bytes) -> bytes | None:
        """See `SummaryStore`."""
        return self._values.get((section, key))

    def put(self, section: str, key: bytes, value: bytes) -> None:
        """See `SummaryStore`."""
        self._values[section, key] = value
