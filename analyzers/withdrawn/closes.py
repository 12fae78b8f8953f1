"""Closes of Java that a change takes out: what the old version closed that nobody else knows to need it.

Whether an object of a library that is not there, or of a class of the repository, has to be closed often only its users tell (Engler's
belief). Where the old version of a method made one, closed it on every way, and the new one makes it by the same words and loses it, the
change has begun to lose it. Always assumed. What is only looked up may belong to others, what wraps something that can be closed need not be
closed itself, and what the new version gives to somebody new may be ended there: nothing is told of these. Misses what was lost on
some way before, and methods that were rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.domains.obligation import Limits, Obligation
from analyzers.finding import Finding
from analyzers.handles.callees import CallSites
from analyzers.handles.java.implied import CLOSEABLE, RESOURCE, Closed
from analyzers.handles.runs import Handles, Loss
from analyzers.handles.scene import PLAIN_JAVA, RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import words_of
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE
from analyzers.summaries import Certainty, Outcome, Transfer
from analyzers.withdrawn.telling import finding_of
from analyzers.witness import Witness

_MAKING = (
    "acquire", "accept", "allocate", "begin", "build", "connect", "create", "duplicate", "enter", "execute", "fork", "launch", "make", "new", "obtain",
    "open", "prepare", "push", "query", "scan", "search", "spawn", "start", "with",
)
"""Words that the names of methods begin with whose result is their caller's."""

_MAKERS = tuple((each,) for each in _MAKING)

CONNECTION = "java.sql.Connection"
"""What pools hand out, and nobody else."""

_ANYTHING = ("java.io.Closeable", "java.lang.AutoCloseable", CONNECTION)
"""Types of the JDK of which it is open who made an object, and what it holds."""

_TAKEN_OUT = ("toByteArray", "toBytes", "getBytes", "toCharArray", "getBuffer", "getBuf", "buffer")
"""What is asked of an object that everything was written into which it holds: memory."""

_DEEPEST = 2
"""Callees below a method that makes something which are looked into."""

_QUIET = ("debug", "trace", "info", "warn", "error", "log", "flush", "clear", "isDebugEnabled", "isTraceEnabled", "isInfoEnabled")
"""Calls in a `close` that nobody misses."""


class _Made(msgspec.Struct, frozen=True):
    """An object with a name of its own: where it is made, what makes it, the local variables that it comes into."""

    node: int
    site: CallSite
    type: str
    names: tuple[str, ...]


def unclosed(old: tuple[Linked, Queries], new: tuple[Linked, Queries]) -> Iterator[Finding]:
    """The findings about one method that both versions have."""
    before = _Version(*old)
    if not before.closed.names:
        return
    after = _Version(*new)
    gone = before.closed.names - after.closed.names
    after.believe(gone)
    try:
        twins = after.made()
        for text, each in before.made().items():
            twin = twins.get(text)
            if twin is not None and before.is_closing(each) and after.is_owed(twin) and not after.is_given_anew(twin, before.calls_with(each)):
                yield from after.lost(twin, before, each, is_gone=not gone.isdisjoint(twin.names))
    finally:
        before.handles.end()
        after.handles.end()


class _StillClosed(Closed):
    """What a method closes, and what its old version did: who gets that does not keep it."""

    def __init__(self, scene: Scene, still: frozenset[str]) -> None:
        super().__init__(scene)
        self._still = still

    def __bool__(self) -> bool:
        return True

    def is_closed(self, name: str) -> bool:
        """See `Closed`."""
        return name in self._still or super().is_closed(name)

    def is_closed_itself(self, name: str) -> bool:
        """See `Closed`."""
        return name in self._still or super().is_closed_itself(name)

    def is_closed_after(self, name: str, node: int) -> bool:
        """See `Closed`."""
        return name in self._still or super().is_closed_after(name, node)

    def is_closed_on_failure(self, name: str, node: int) -> bool:
        """See `Closed`."""
        return name not in self._still and super().is_closed_on_failure(name, node)


class _Version:
    """One version of a method."""

    def __init__(self, linked: Linked, queries: Queries) -> None:
        self.handles = Handles(linked, queries, Limits(), is_summary=False)
        self.closed = Closed(self.handles.scene)
        self._known = self.handles.sites.sites
        self._linked = linked
        self._queries = queries

    @property
    def _scene(self) -> Scene:
        return self.handles.scene

    def believe(self, names: frozenset[str]) -> None:
        """From now on what calls do with some variables is read as if the method closed them behind these."""
        self.handles.sites = CallSites(self._scene, _StillClosed(self._scene, names))

    def made(self) -> dict[tuple[str, str], _Made]:
        """What calls make whose text and variable no other call of the method has, by these two."""
        found: dict[tuple[str, str], list[_Made]] = {}
        for node in sorted(self.handles.sites.sites):
            site = self.handles.sites.sites[node]
            call, target = site.call, self._linked.targets.get(node)
            first = call.receiver if call.kind == "new" else call.dst
            names = tuple(dict.fromkeys(each for each in (first, *(copy.dst for copy in self._scene.copies.get(first, ()))) if each and not ir.is_made_up(each)))
            if target is None or not names:
                continue
            made = target.type if call.kind == "new" else target.result or self._scene.type_of(names[0])
            text = " ".join(self._queries.text(self._linked.key, call.start, call.end).split())
            found.setdefault((text, ir.source_name(names[0])), []).append(_Made(node, site, made, names))
        return {key: each[0] for key, each in found.items() if len(each) == 1}

    def is_closing(self, made: _Made) -> bool:
        """Whether the method closes an object by its name."""
        return any(self.closed.is_closed_itself(each) for each in made.names)

    def is_owed(self, made: _Made) -> bool:
        """Whether an object is the method's own to close, for all that is known of it, and for nobody else's sake."""
        if not self.calls_with(made).isdisjoint(_TAKEN_OUT):
            return False
        if known := self._known[made.node].acquired:
            return not all(map(_is_closed_with_another, known))
        call, is_closeable = made.site.call, self._queries.is_closeable(made.type)
        bodies_of_call = self._linked.targets[made.node].procedures
        is_maker = call.kind == "new" or made.type == CONNECTION or words_of(call.name)[:1] in _MAKERS
        if not is_maker and not (bodies_of_call and all(_is_made_anew(key, self._queries, 0) for key in bodies_of_call)):
            return False
        if made.type in PLAIN_JAVA or is_closeable is False or (made.type.startswith("java.") and made.type not in _ANYTHING):
            return False
        passed = [each for each in call.args if each and not ir.is_literal(each)]
        if any(self._queries.is_subtype(self._scene.type_of(each), CLOSEABLE) or self.closed.is_closed(each) for each in passed):
            return False
        if not all(_is_handed_out(key, call.kind == "new", self._queries, 0) for key in bodies_of_call):
            return False
        closes = self._queries.methods(made.type, "close")
        if not closes and self._queries.declaring_file(made.type):
            return False
        bodies = [self._queries.procedure(each.procedure) for each in closes if each.procedure is not None]
        return not bodies or any(
            isinstance(node, ir.Call) and node.kind != "new" and node.name not in _QUIET for body in bodies if body is not None for node in body.nodes
        )

    def calls_with(self, made: _Made) -> frozenset[str]:
        """The names of the methods that are called on an object, or get it."""
        names = frozenset(made.names)
        return frozenset(
            node.name for node in self._scene.nodes
            if isinstance(node, ir.Call) and node is not made.site.call and not names.isdisjoint((node.receiver, *node.args))
        )

    def is_given_anew(self, made: _Made, known: frozenset[str]) -> bool:
        """Whether an object is given to, or asked for, something that it was not before."""
        return not self.calls_with(made) <= known

    def losses(self, made: _Made, *, is_whole: bool = False) -> list[Loss]:
        """Where an object is lost, if it has to be closed; or what is known to lie inside of it, unless it is asked for as a whole."""
        obligation, transfer = self._obligation(made, is_whole=is_whole)
        return self.handles.run_in_full(obligation, made.site, transfer).losses

    def _obligation(self, made: _Made, *, is_whole: bool) -> tuple[Obligation, Transfer]:
        """What there is to follow of an object: what is known of it, or that it has to be closed."""
        if self._known[made.node].acquired and not is_whole:
            found = ((obligation, transfer) for obligation, _, transfer in self.handles.acquisitions() if obligation.node == made.node)
            return min(found, key=lambda each: _is_closed_with_another(each[1]))
        path = ("this",) if made.site.call.kind == "new" else RESULT
        transfer = Transfer((), RESOURCE, made.type, (Outcome("return", (), "held", (path,), Certainty.MAY),))
        return Obligation(RESOURCE, made.type, node=made.node), transfer

    def lost(self, made: _Made, old: _Version, twin: _Made, *, is_gone: bool) -> Iterator[Finding]:
        """What is told of an object by what is lost of it now, and was of its twin before. One that is still closed somewhere (not `is_gone`) has to
        have been closed on every way."""
        is_whole = False
        losses = self._anew(self.losses(made), old.losses(twin), is_gone=is_gone)
        if not losses and is_gone and self._known[made.node].acquired and self._queries.declaring_file(made.type):
            is_whole = True
            losses = self._anew(self.losses(made, is_whole=True), old.losses(twin, is_whole=True), is_gone=is_gone)
        if not losses:
            return
        witness, key = Witness(self.handles, self._queries), self._linked.key
        loss = min(losses, key=lambda each: (each.exit == "throw", witness.lost_span(each), each.node, each.fact))
        obligation, transfer = self._obligation(made, is_whole=is_whole)
        steps, _ = witness.steps(obligation, made.site, transfer, loss)
        name, lost = ir.source_name(made.names[0]), witness.lost_span(loss)
        yield finding_of(
            UNCLOSED_RESOURCE, "java", key, (name,), resource=made.type or RESOURCE, variable=name,
            message=f"`{name}` was closed here before this change, and is not on every path now.", witness=steps,
            acquired=witness.span(made.node), lost=lost, exits=tuple(sorted({witness.lost_span(each) for each in losses})), text=" ".join(witness.text(made.node).split()),
        )  # fmt: skip

    @staticmethod
    def _anew(losses: list[Loss], before: list[Loss], *, is_gone: bool) -> list[Loss]:
        """The losses that were not there before."""
        if not before:
            return losses
        is_known = not is_gone or any(each.exit != "throw" for each in before)
        return [] if is_known else [each for each in losses if each.exit != "throw"]


def _is_closed_with_another(transfer: Transfer) -> bool:
    """Whether what a call gives ends with something else."""
    return any(path[-1] == CLOSED_WITH for outcome in transfer.outcomes for path in outcome.paths)


def _is_made_anew(key: ProcedureKey, queries: Queries, depth: int) -> bool:
    """Whether a body makes whatever it returns, itself or by a method that is named like that, or whose own bodies do."""
    body, linked = queries.procedure(key), queries.linked(key)
    if body is None or linked is None or depth > _DEEPEST:
        return False
    names = {node.src for node in body.nodes if isinstance(node, ir.Return) and node.src and not ir.is_literal(node.src)}
    while sources := {each for node in body.nodes if (each := _source(node, names)) and not ir.is_literal(each)} - names:
        names |= sources
    makers = [(at, node) for at, node in enumerate(body.nodes) if isinstance(node, ir.Call) and (node.receiver if node.kind == "new" else node.dst) in names]
    is_known = names.isdisjoint(each.name for each in body.variables if each.kind == "parameter")
    return is_known and bool(makers) and all(_is_making(at, node, linked, queries, depth) for at, node in makers)


def _source(node: ir.Instruction, names: set[str]) -> str:
    """What is copied or cast to one of these variables."""
    match node:
        case ir.Copy(dst=dst, src=src) if dst in names:
            return src
        case ir.Op(dst=dst, operator="cast", operands=(src, *_)) if dst in names:
            return src
        case _:
            return ""


def _is_making(at: int, call: ir.Call, linked: Linked, queries: Queries, depth: int) -> bool:
    target = linked.targets.get(at)
    if call.kind == "new" or words_of(call.name)[:1] in _MAKERS:
        return True
    return target is not None and bool(target.procedures) and all(_is_made_anew(each, queries, depth + 1) for each in target.procedures)


def _is_handed_out(key: ProcedureKey, is_new: bool, queries: Queries, depth: int) -> bool:
    """Whether a body gives nobody else what it makes, or the object that it makes ready: returns it, and no more."""
    body = queries.procedure(key)
    linked = queries.linked(key)
    if body is None or linked is None or depth > _DEEPEST:
        return False
    names = {"this"} if is_new else {node.src for node in body.nodes if isinstance(node, ir.Return) and node.src and not ir.is_literal(node.src)}
    while copied := {node.src for node in body.nodes if isinstance(node, ir.Copy) and node.dst in names and not ir.is_literal(node.src)} - names:
        names |= copied
    for position, node in enumerate(body.nodes):
        if isinstance(node, ir.Store | ir.StoreElement) and node.src in names:
            return False
        if isinstance(node, ir.Load) and node.dst in names:
            return False
        if isinstance(node, ir.Call):
            if not names.isdisjoint(node.args):
                return False
            target = linked.targets.get(position)
            if node.dst in names and node.kind != "new" and target is not None and not all(
                _is_handed_out(each, False, queries, depth + 1) for each in target.procedures
            ):
                return False
    return True
