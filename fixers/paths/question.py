"""What a check of paths is asked, and a call as it meets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from analyzers import ir
from analyzers.queries import Target
from analyzers.summaries import AccessPath, Effects


def _none(node: int, root: str) -> frozenset[str]:
    """The answer where no function of the program is called."""
    return frozenset()


def _is_no(node: int, root: str) -> bool:
    """The answer where nobody is asked."""
    return False


def _is_not(node: int, root: str, member: str, nothing: int) -> bool:
    """The answer where nobody is asked."""
    return False


def _nothing(node: int, root: str, empty: frozenset[str], number: int) -> frozenset[str]:
    """The answer where the fix calls no function of the program."""
    return frozenset()


class Question(msgspec.Struct, frozen=True):
    """What a check of paths is about.

    sites        the nodes that acquire the resource
    others       nodes that acquire what may meet the same releases; their leaks are not asked for
    resource     its name in the specs, empty for any
    ours         the nodes of calls that the fix wrote (or rewrote)
    tolerant     nodes that release and may be given a value that means «none»
    headers      those of `ours` that a try header makes
    is_idempotent   whether a second release is without effect (`java.io.Closeable`)
    language     "java" or "c"
    partial      per site what else than the resource it may return: "null", "other"; empty for what returns nothing else
    suspects     per call the arguments (`$0`) that it may release something of though its Effects do not say so
    lent         per call of which not all is known the arguments (`$0`) that it surely only borrows
    shown        per call without source those of them that others release behind it, or that are `untied`
    untied       per call without source the arguments of which nothing that it leaves elsewhere needs anything
    apart        per call the arguments (`$0`) of which its result surely needs nothing
    left         per call of Java what something may need (`this`, `$0`) that it leaves elsewhere
    unions       variables of C that are or point to what may be a union
    passing      the globals that keep nothing when the procedure has returned
    raw          the sites whose memory holds nothing yet
    zeroed       the sites whose memory is zeroed, each with the members that matter
    is_about_results   whether it asks what the procedure returns, on every path
    enough       of that what no further path can say more behind, once it was returned; empty where all paths are to be walked
    owned        where something that is asked for lies when the procedure begins, if it is not null (`sites` holds ENTRY)
    is_ensured   whether that has to be released when the procedure ends, wherever it lies then
    is_output    whether it is written to, so that closing what wraps it may write, too
    looked_at    per call of a function of C that the fix wrote the members of an argument (`$0`, member) that it looks at
    needed       which members of an argument must not be null for such a call, or another number, of some that are
    unset        those members that the functions which made the object set to nothing
    stored       which members of an argument a call of a function of the program surely stores something to
    is_status    whether such a call returns nothing but the status of another one that fills an argument
    is_tidy      whether such a call leaves in a member of an argument either what the caller has to release or
                 nothing new but null (or -1)
    is_filled    whether such a call puts nothing into a member of an argument but what it makes itself, or null (or -1)
    familiar     those of `ours` that the procedure does elsewhere, with the same variable, and these other calls
    is_rerouted  whether the fix sends paths to releases that were there before: all of them count as the fix's own
    is_awaited   whether the code itself releases it behind a call that keeps what may use it: it knows when that is done
    plain        those of `ours` that do nothing but close what their object holds, each with the fields that a constructor was given
    moved        those of `ours` that a header makes in the place of a close of the code's own, of the same variable
    volatile     the globals of C that may be something else whenever they are read
    fixed        the fields of its own object that nobody assigns a second time
    is_ended     whether the code before the patch releases it behind all that uses it: what has been kept of it outside does without
    mended       acquisitions of other kinds that the same patch mends: their releases may be met, and other questions are about them
    settled      the returns of Java behind a release that the code has of its own: what they give was given without the resource before
    """

    sites: frozenset[int]
    resource: str
    ours: frozenset[int]
    tolerant: frozenset[int]
    language: str
    is_idempotent: bool = False
    headers: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    unions: frozenset[str] = frozenset()
    partial: Mapping[int, frozenset[str]] = {}
    suspects: Mapping[int, frozenset[str]] = {}
    is_about_results: bool = False
    enough: frozenset[str] = frozenset()
    raw: frozenset[int] = frozenset()
    passing: frozenset[str] = frozenset()
    zeroed: Mapping[int, tuple[str, ...]] = {}
    owned: tuple[AccessPath, ...] = ()
    is_ensured: bool = False
    is_awaited: bool = False
    is_rerouted: bool = False
    is_ended: bool = False
    fixed: frozenset[str] = frozenset()
    is_output: bool = False
    lent: Mapping[int, frozenset[str]] = {}
    shown: Mapping[int, frozenset[str]] = {}
    untied: Mapping[int, frozenset[str]] = {}
    apart: Mapping[int, frozenset[str]] = {}
    left: Mapping[int, frozenset[str]] = {}
    looked_at: Mapping[int, Mapping[str, frozenset[str]]] = {}
    needed: Callable[[int, str, frozenset[str], int], frozenset[str]] = _nothing
    unset: frozenset[str] = frozenset()
    stored: Callable[[int, str], frozenset[str]] = _none
    is_tidy: Callable[[int, str, str, int], bool] = _is_not
    is_status: Callable[[int, str], bool] = _is_no
    is_filled: Callable[[int, str, str, int], bool] = _is_not
    familiar: frozenset[int] = frozenset()
    settled: frozenset[int] = frozenset()
    mended: frozenset[int] = frozenset()
    plain: Mapping[int, frozenset[str]] = {}
    moved: frozenset[int] = frozenset()
    volatile: frozenset[str] = frozenset()


class Site(msgspec.Struct, frozen=True):
    """A call as the checker meets it; `type` is that of the variable that takes its result, `may_throw` whether a way
    leads on if it throws, `types` those of its arguments; `elements` the first with its type arguments, if it has any."""

    node: int
    call: ir.Call
    target: Target | None
    effects: tuple[Effects, ...]
    type: str = ""
    may_throw: bool = True
    types: tuple[str, ...] = ()
    elements: str = ""
