"""A finding together with all that fixers read about the place where it lies."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.finding import Finding
from analyzers.queries import Linked, ProcedureKey
from analyzers.specs import Release
from analyzers.summaries import AccessPath, Effects
from fixers.callees import Callees
from fixers.fix import Edit, Fix
from fixers.left_members import Left
from fixers.lenders import Lenders
from fixers.results import Results
from fixers.results_of_methods import MethodResults
from fixers.tree import Tree

T = TypeVar("T")


class Remembering(Protocol):
    """Computes what was not asked for before."""

    def __call__(self, question: Hashable, compute: Callable[[], T]) -> T:
        """The answer."""


def _forgetful(question: Hashable, compute: Callable[[], T]) -> T:
    return compute()


class Leak(msgspec.Struct, frozen=True):
    """One finding in its file.

    procedure   what contains the acquisition: the method or function, not a lambda in it
    linked      the procedure that the finding names (perhaps a lambda inside `procedure`)
    effects     per call of `linked`, what it may do
    resource    its name in the specs
    callees     a second look into what it calls
    lenders     what calls of C only borrow, though not all is known of them; None for Java
    results     which arguments the results of calls need nothing of
    releases    ways to release the resource, preferred first
    tree        the syntax of `procedure`
    level       the Java language level that a fix may use
    caught      what a handler that swallows the exceptions of closing has to catch, empty for nothing
    at_most     what closing throws at most, by names that the file knows, where `caught` can say no more than `Exception`
    is_quiet    whether closing surely throws nothing that is checked
    unnamed     which of them the file has to import, by their full names
    nothing     the literal that means «none» for the resource (`NULL`, `-1`)
    known_names   names that the file knows beside the locals of `procedure`
    missing_header   the system header that declares the release, where the file does not include it
    standard    the C standard, as far as it is known
    members     what destructors of the type release together with the object
    enders      the destructors of what a function of the repository made, the likeliest first
    finishers   those of what the procedure itself made, whose members may not be there yet
    tolerant    which of all these may be called with null
    passing     globals that only pass on what is acquired, to callees that look at it
    side        where the text begins and ends that the preprocessor may leave out with the acquisition
    is_told     whether only the finding says that its call acquires
    owned       where the procedure owns the resource from its beginning: a parameter, a field of its object
    is_ensured  whether it must be released wherever it lies when the procedure ends
    gives_owner whether the procedure returns something that its caller closes
    resolve     what a type name means in the class of the procedure, empty for nothing
    is_endless  whether a type, by its name there, is known to have no `close`
    own_name    how a type of the repository without parameters is called there, empty where it is not, or has some
    is_below    whether an exception is another or one of its kind; None where that is not known
    is_macro    whether a name of C is that of a macro with arguments: it may evaluate them as often as it likes
    probe       the facts of the procedure for another text of the file
    remember    what was made of the text that was probed last, made once for all leaks that probe it
    left        what functions leave in a variable whose address they were given, by its position, where they fail
    """

    finding: Finding
    data: bytes
    tree: Tree
    procedure: ir.Procedure
    linked: Linked
    effects: dict[int, tuple[Effects, ...]]
    callees: Callees
    releases: tuple[Release, ...]
    resource: str = ""
    level: int = 0
    caught: str = ""
    at_most: tuple[str, ...] | None = None
    is_quiet: bool = False
    nothing: str = ""
    unnamed: tuple[str, ...] = ()
    known_names: frozenset[str] = frozenset()
    missing_header: str = ""
    standard: str = ""
    members: frozenset[str] = frozenset()
    enders: tuple[str, ...] = ()
    finishers: tuple[str, ...] = ()
    tolerant: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()
    side: tuple[int, int] = (0, 0)
    is_told: bool = False
    owned: tuple[AccessPath, ...] = ()
    is_ensured: bool = False
    gives_owner: bool = False
    lenders: Lenders | None = None
    results: Results | MethodResults | None = None
    resolve: Callable[[str], str] = lambda written: ""
    is_endless: Callable[[str], bool] = lambda written: False
    own_name: Callable[[str], str] = lambda name: ""
    is_below: Callable[[str, str], bool | None] = lambda name, other: None
    is_macro: Callable[[str], bool] = lambda name: False
    probe: Callable[[bytes], Facts | None] = lambda data: None
    remember: Remembering = _forgetful
    left: Callable[[tuple[ProcedureKey, ...], int], Left] = lambda keys, position: Left.ANYTHING

    @property
    def path(self) -> str:
        """The file."""
        return self.finding.path


class Candidate(msgspec.Struct, frozen=True):
    """A possible fix: not more than a proposal, until it is verified.

    is_part      it may mend only some of the ways on which the leak happens: another form has to follow
    assumption   what has to be so for the leak to be one, where the fixer cannot tell
    beside       the fixes of other leaks that it does as well, as they are: each release is looked at with those that may meet the same handle
    makers       the names of the functions that make what it releases for other leaks of C
    checks_all   it changes which releases run for other resources, too: those have to be checked
    """

    title: str
    edits: tuple[Edit, ...]
    checks_all: bool = False
    assumption: str = ""
    is_part: bool = False
    beside: tuple[Fix, ...] = ()
    makers: frozenset[str] = frozenset()


class Refusal(msgspec.Struct, frozen=True):
    """Why a fixer proposes nothing."""

    reason: str
