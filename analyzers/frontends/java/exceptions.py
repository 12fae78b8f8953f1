"""Which exceptional edges are real: what calls are known to throw, and what the procedure believes.

Tracker, section 3.2, per procedure. A table of the decisions is in `docs/java-exceptions.md`.
1. A checked exception that a resolved callee, or a spec, declares is real. So is every `throw`.
2. An unchecked one is real only where it is known to be thrown (declared, or thrown by name in the callee's
   own body) and believed: a handler around the call catches it, or the procedure throws or declares it.
3. A handler that nothing known explains is explained by the callees that are known least.
Reports too much when such a callee throws nothing; misses unchecked exceptions that nobody expects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from analyzers import ir

THROWABLE = "java.lang.Throwable"
EXCEPTION = "java.lang.Exception"
RUNTIME_EXCEPTION = "java.lang.RuntimeException"
ERROR = "java.lang.Error"

BROAD = frozenset((THROWABLE, EXCEPTION))
"""Types that a handler names for want of a better one: they cover checked and unchecked exceptions."""

IGNORED_EXCEPTIONS = frozenset(
    (
        "java.lang.ArithmeticException",
        "java.lang.ArrayIndexOutOfBoundsException",
        "java.lang.AssertionError",
        "java.lang.ClassCastException",
        "java.lang.ClassCircularityError",
        "java.lang.ClassFormatError",
        "java.lang.CloneNotSupportedException",
        "java.lang.Error",
        "java.lang.LinkageError",
        "java.lang.NegativeArraySizeException",
        "java.lang.NoClassDefFoundError",
        "java.lang.NullPointerException",
        "java.lang.OutOfMemoryError",
        "java.lang.SecurityException",
        "java.lang.StackOverflowError",
        "java.lang.ThreadDeath",
        "java.lang.UnsatisfiedLinkError",
        "java.lang.VirtualMachineError",
    )
)
"""Exceptions that no call is taken to throw, by exact name: those of a broken program or machine."""

DECLARING = ("method", "constructor")
"""Kinds of procedures that declare the checked exceptions that leave them."""

IsSubtype = Callable[[str, str], bool | None]


class Thrower(msgspec.Struct, frozen=True, gc=False):
    """What is known of a call.

    declared    exceptions that its methods or specs declare
    raises      unchecked ones that the callee's own body throws by name
    rank        how little is known of what it throws: LIBRARY (its declaration is known, or its body neither
                throws nor calls), BODY (a body of the repository), ACCESSOR (unknown, but by its name it gets or
                sets something, or a constructor without arguments), NOTHING
    is_handed   it is unknown and gets something that can be closed
    is_at_work  it is unknown and works on what the procedure closes itself
    is_wrapping it is a constructor of the JDK that throws nothing checked here, and wraps something that can be closed
    ruled_out   exceptions that it declares, and never throws here: handlers and signatures name them because of it
    """

    declared: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    rank: int = 0
    is_handed: bool = False
    is_at_work: bool = False
    is_wrapping: bool = False
    ruled_out: tuple[str, ...] = ()


LIBRARY, BODY, ACCESSOR, NOTHING = range(4)


class Edges(msgspec.Struct, frozen=True, gc=False):
    """The exceptional successors that are real, per node; what is thrown over them; which are only believed."""

    raises: tuple[tuple[int, ...], ...]
    thrown: dict[int, tuple[str, ...]]
    believed: dict[int, tuple[int, ...]]


class Chains:
    """The handlers that an exception thrown at a node meets one after the other, also those that it meets when
    a `finally` on the way throws it again."""

    def __init__(
        self,
        raises: Sequence[tuple[int, ...]],
        handlers: Mapping[int, tuple[str, ...]],
        rethrows: Mapping[int, tuple[int, ...]],
    ) -> None:
        self._raises = raises
        self._again: dict[int, list[int]] = {}
        for node, caught in sorted(rethrows.items()):
            for handler in caught:
                if handlers.get(handler) == (ir.ANY_EXCEPTION,):
                    self._again.setdefault(handler, []).append(node)
        self._found: dict[tuple[int, ...], tuple[int, ...]] = {}

    def of(self, node: int) -> tuple[int, ...]:
        """The handlers, the inner first."""
        direct = self._raises[node]
        found = self._found.get(direct)
        if found is None:
            seen: dict[int, None] = {}
            self._follow(direct, seen)
            found = self._found[direct] = tuple(seen)
        return found

    def _follow(self, handlers: tuple[int, ...], seen: dict[int, None]) -> None:
        for handler in handlers:
            if handler not in seen:
                seen[handler] = None
                for node in self._again.get(handler, ()):
                    self._follow(self._raises[node], seen)


class ExceptionFlow:
    """Decides the edges of one procedure.

    `handlers` maps each Catch to its resolved types (`*` for a finally), `throws` are the resolved types
    of the signature, `throwers` says what calls throw, `explicit` what each Throw throws (empty: what
    its variable caught, at the Catches in `rethrows`). `is_own` tells what the repository declares.
    """

    def __init__(
        self,
        procedure: ir.Procedure,
        handlers: Mapping[int, tuple[str, ...]],
        throws: Sequence[str],
        throwers: Mapping[int, Thrower],
        explicit: Mapping[int, str],
        rethrows: Mapping[int, tuple[int, ...]],
        is_subtype: IsSubtype,
        is_own: Callable[[str], bool],
        ignored: frozenset[str],
    ) -> None:
        self._raises = procedure.raises
        self._nodes = procedure.nodes
        self._handlers = handlers
        self._throws = tuple(throws)
        self._throwers = throwers
        self._explicit = explicit
        self._rethrows = rethrows
        self._is_subtype = is_subtype
        self._is_own = is_own
        self._ignored = ignored
        self._is_declaring = procedure.kind in DECLARING
        self._chains = Chains(procedure.raises, handlers, rethrows)
        self._kinds: dict[str, bool] = {}
        self._matches: dict[tuple[str, str], str] = {}
        self._convicted: dict[tuple[str, ...], dict[str, None]] = {}
        self._thrown: dict[int, dict[str, bool]] = {}
        self._arrived: dict[int, dict[str, bool]] = {}
        self._taken: dict[int, dict[int, dict[str, bool]]] = {}
        self._meant: dict[int, frozenset[str]] = {}

    def solve(self) -> Edges:
        """The edges."""
        for node, thrower in self._throwers.items():
            self._thrown[node] = dict.fromkeys(self._known(node, thrower), False)
        for node, name in self._explicit.items():
            self._thrown[node] = {name: False} if name else {}
        self._propagate()
        for handler in sorted(self._handlers):
            if self._explain(handler):
                self._propagate()
        if self._spread():
            self._propagate()
        if self._explain_signature():
            self._propagate()
        if self._explain_closing():
            self._propagate()
        return self._answer()

    # --- what is known

    def _known(self, node: int, thrower: Thrower) -> list[str]:
        found = [
            name for name in thrower.declared
            if name not in self._ignored and (not self.is_unchecked(name) or self._is_believed(node, name))
        ]  # fmt: skip
        found += [name for name in thrower.raises if name not in self._ignored and self._is_believed(node, name)]
        return found

    def is_unchecked(self, name: str) -> bool:
        """Whether an exception need not be declared; one that nobody knows is taken to be checked."""
        found = self._kinds.get(name)
        if found is None:
            found = self._kinds[name] = (
                self._is_subtype(name, RUNTIME_EXCEPTION) is True or self._is_subtype(name, ERROR) is True
            )
        return found

    def _is_believed(self, node: int, name: str) -> bool:
        """Whether the procedure shows that it expects an unchecked exception: it catches, declares or
        throws it."""
        if name in self._throws or name in self._explicit.values():
            return True
        return self._is_in_try(node, name)

    def _match(self, thrown: str, caught: str) -> str:
        """Whether a handler stops an exception: "stops", "may" or "no"."""
        key = (thrown, caught)
        found = self._matches.get(key)
        if found is None:
            found = self._matches[key] = self._compare(thrown, caught)
        return found

    def _compare(self, thrown: str, caught: str) -> str:
        if caught in (ir.ANY_EXCEPTION, THROWABLE) or thrown == caught:
            return "stops"
        above = self._is_subtype(thrown, caught)
        if above or (above is None and caught == EXCEPTION):
            return "stops"
        if above is None or self._is_subtype(caught, thrown) or thrown in BROAD:
            return "may"
        return "no"

    # --- propagation

    def _propagate(self) -> None:
        """Sends every exception along its handlers until nothing new arrives; values tell what is only
        believed."""
        work = sorted(self._thrown)
        while work:
            changed: set[int] = set()
            for node in work:
                for name, is_belief in self._sent(node).items():
                    changed.update(self._send(node, name, is_belief))
            work = sorted(node for node, caught in self._rethrows.items() if not changed.isdisjoint(caught))

    def _sent(self, node: int) -> dict[str, bool]:
        if node not in self._rethrows:
            return self._thrown.get(node, {})
        sent: dict[str, bool] = {}
        for handler in self._rethrows[node]:
            for name, is_belief in self._arrived.get(handler, {}).items():
                sent[name] = sent.get(name, True) and is_belief
        return sent

    def _send(self, node: int, name: str, is_belief: bool) -> list[int]:
        """Sends one exception from a node; answers the handlers where it is new."""
        fresh = []
        taken = self._taken.setdefault(node, {})
        for handler in self._raises[node]:
            if handler == ir.RAISE and not self._may_leave(node, name):
                break
            caught_as = self._caught_as(handler, name)
            if not any(caught_as.values()) and self._is_meant_for_others(node, handler, name):
                continue
            for caught in caught_as:
                at_edge = taken.setdefault(handler, {})
                at_edge[caught] = at_edge.get(caught, True) and is_belief
                arrived = self._arrived.setdefault(handler, {})
                if caught not in arrived or (arrived[caught] and not is_belief):
                    arrived[caught] = is_belief
                    fresh.append(handler)
            if any(caught_as.values()):
                break
        return fresh

    def _caught_as(self, handler: int, name: str) -> dict[str, bool]:
        """What a handler may catch of an exception thrown, and whether it stops all of it."""
        found: dict[str, bool] = {}
        for caught in self._handlers.get(handler, (THROWABLE,)):
            match = self._match(name, caught)
            if match == "stops":
                return {name: True}
            if match == "may":
                found[caught if self._is_subtype(caught, name) else name] = False
        return found

    def _is_meant_for_others(self, node: int, handler: int, name: str) -> bool:
        """Whether all types of a handler are narrower than what a library's method declares, and declared as such by other calls of
        the `try`: nobody expects the `FileNotFoundException` of opening a file from reading it."""
        thrower = self._throwers.get(node)
        if thrower is None or thrower.rank != LIBRARY or name in BROAD:
            return False
        return all(
            self._match(name, caught) == "no" or (self._is_subtype(caught, name) is True and caught in self._declared_under(handler))
            for caught in self._handlers.get(handler, (THROWABLE,))
        )

    def _declared_under(self, handler: int) -> frozenset[str]:
        """The types of a handler that some call which it protects declares, or a type below."""
        found = self._meant.get(handler)
        if found is None:
            names = {name for node in self._covered(handler) for name in self._throwers[node].declared}
            found = self._meant[handler] = frozenset(
                caught for caught in self._handlers.get(handler, ()) if any(self._match(name, caught) == "stops" for name in names)
            )
        return found

    def _may_leave(self, node: int, name: str) -> bool:
        """Whether the language lets an exception leave the procedure: a checked one must be declared."""
        if not self._is_declaring or node in self._explicit or self.is_unchecked(name):
            return True
        return any(self._is_subtype(name, declared) is not False or declared in BROAD for declared in self._throws)

    # --- beliefs that nothing known explains

    def _explain(self, handler: int) -> bool:
        """Lets the callees that are known least throw what a handler expects and nobody is known to throw."""
        types = [name for name in self._handlers[handler] if name != ir.ANY_EXCEPTION]
        is_new = False
        for caught in types:
            if caught in self._ignored or self._is_subtype(caught, ERROR):
                continue
            around = [node for node in sorted(self._throwers) if self._reaches(node, handler, caught)]
            if not self._is_explained(handler, caught):
                suspects, thrown = self._suspects(around, caught)
                callees = {self._callee(each) for each in suspects if self._throwers[each].rank >= ACCESSOR}
                if thrown == caught and not self.is_unchecked(caught) and len(callees) == 1:
                    self._convicted.setdefault(callees.pop(), {})[caught] = None
                is_new = self._believe(suspects, thrown) or is_new
            elif not self.is_unchecked(caught):
                handed = [node for node in around if self._throwers[node].is_handed]
                is_new = self._believe(handed, caught) or is_new
        return is_new

    def _callee(self, node: int) -> tuple[str, ...]:
        """What a call names: equal ones are calls of one method."""
        call = self._nodes[node]
        return (call.kind, call.qualifier, call.receiver, call.name, str(len(call.args))) if isinstance(call, ir.Call) else (str(node),)

    def _spread(self) -> bool:
        """Lets a callee throw everywhere what it alone can throw in some `try`: the compiler asks for somebody who does."""
        is_new = False
        for node in sorted(self._throwers) if self._convicted else ():
            for name in self._convicted.get(self._callee(node), ()):
                is_new = self._believe([node], name) or is_new
        return is_new

    def _reaches(self, node: int, handler: int, name: str) -> bool:
        """Whether an exception thrown at a node would come to a handler."""
        for each in self._chains.of(node):
            if each == handler:
                return True
            caught_by = self._handlers.get(each, ())
            if caught_by != (ir.ANY_EXCEPTION,) and any(self._match(name, caught) == "stops" for caught in caught_by):
                return False
        return False

    def _is_explained(self, handler: int, caught: str) -> bool:
        """Whether something known comes to a handler, or would if another of the same `try` did not stop it."""
        if any(self._match(name, caught) != "no" for name in self._arrived.get(handler, ())):
            return True
        covered = self._covered(handler)
        if any(self._match(name, caught) != "no" for node in covered for name in self._throwers[node].ruled_out):
            return True
        return any(
            self._is_subtype(name, caught) and self._is_stopped_beside(node, handler, name, covered)
            for node in covered
            for name in self._thrown.get(node, ())
        )

    def _covered(self, handler: int) -> list[int]:
        return [node for node in sorted(self._throwers) if handler in self._chains.of(node)]

    def _is_stopped_beside(self, node: int, handler: int, name: str, covered: list[int]) -> bool:
        """Whether the first handler to stop an exception protects the same calls as the one given."""
        for each in self._chains.of(node):
            if each == handler:
                return True
            if any(self._match(name, caught) == "stops" for caught in self._handlers.get(each, ())):
                return self._covered(each) == covered
        return False

    def _suspects(self, around: list[int], caught: str) -> tuple[list[int], str]:
        """The calls that account for a handler, and what they throw. What only wraps a stream is no reason to expect anything unchecked, nor
        anything that others in the block may throw."""
        plain = [node for node in around if not self._throwers[node].is_wrapping]
        around = plain if caught in BROAD or self.is_unchecked(caught) else plain or around
        own = [node for node in around if self._throwers[node].rank == BODY]
        unknown = [node for node in around if self._throwers[node].rank >= ACCESSOR]
        unknown = [node for node in unknown if self._throwers[node].rank == NOTHING] or unknown
        if caught in BROAD:
            at_fault = own or [node for node in around if not self._is_quiet_close(node)]
            return (unknown, caught) if unknown else (at_fault, RUNTIME_EXCEPTION)
        if self._is_own(caught):
            return own or unknown or around, caught
        if self.is_unchecked(caught):
            return own + unknown or around, caught
        return unknown or around, caught

    def _is_quiet_close(self, node: int) -> bool:
        """Whether a call closes what keeps to itself what fails then (`PrintWriter`): a handler of everything is there out of habit."""
        call = self._nodes[node]
        thrower = self._throwers[node]
        return isinstance(call, ir.Call) and call.name == "close" and not (call.args or thrower.raises or thrower.declared)

    def _believe(self, nodes: list[int], name: str) -> bool:
        is_new = False
        for node in nodes:
            thrown = self._thrown.setdefault(node, {})
            if name not in thrown:
                thrown[name] = True
                is_new = True
        return is_new

    def _explain_signature(self) -> bool:
        """The same for what the procedure declares."""
        is_new = False
        left = [*self._arrived.get(ir.RAISE, {}), *(name for each in self._throwers.values() for name in each.ruled_out)]
        for declared in self._throws:
            if declared in self._ignored or self.is_unchecked(declared):
                continue
            is_explained = any(self._match(name, declared) != "no" for name in left)
            suspects = [
                node for node in sorted(self._throwers)
                if self._throwers[node].rank == NOTHING
                and (self._throwers[node].is_handed or not (is_explained or self._is_own(declared)))
                and self._reaches(node, ir.RAISE, declared)
                and not self._is_in_try(node, declared)
            ]  # fmt: skip
            is_new = self._believe(suspects, declared) or is_new
        return is_new

    def _explain_closing(self) -> bool:
        """Lets unknown callees of which nothing else is believed fail at their work on what the procedure closes itself."""
        at_work = [node for node in sorted(self._throwers) if self._throwers[node].is_at_work and not self._thrown.get(node)]
        return self._believe(at_work, RUNTIME_EXCEPTION)

    def _is_in_try(self, node: int, name: str) -> bool:
        """Whether handlers around a node already account for an exception."""
        return any(
            caught != ir.ANY_EXCEPTION and self._match(name, caught) != "no"
            for handler in self._chains.of(node)
            for caught in self._handlers.get(handler, ())
        )

    # --- the answer

    def _answer(self) -> Edges:
        raises: list[tuple[int, ...]] = [()] * len(self._raises)
        thrown: dict[int, tuple[str, ...]] = {}
        believed: dict[int, tuple[int, ...]] = {}
        for node in sorted(self._taken):
            taken = self._taken[node]
            if not taken:
                continue
            raises[node] = tuple(handler for handler in self._raises[node] if handler in taken)
            thrown[node] = tuple(sorted({name for names in taken.values() for name in names}))
            only = tuple(handler for handler in raises[node] if all(taken[handler].values()))
            if only:
                believed[node] = only
        return Edges(tuple(raises), thrown, believed)
