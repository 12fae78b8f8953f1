"""Closes of Java that a change takes out, of what lies in fields of the method's own object: there is no variable that loses it.

What a method closed before it filled the field anew, what it closed when it took it out of a collection, and what a destructor closed
of all that a collection holds, or of what its class has made, was the object's own (Engler's belief, across time). Where the new version does the same without the close,
and nothing that the change adds in the file has to do with the field, it is lost. Always assumed. Misses fields of other objects,
and closes behind more than a test for null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker.plain import is_destructor, simple_name
from analyzers.domains.obligation import Limits
from analyzers.finding import Finding
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.callees import CallSites
from analyzers.handles.java.implied import ended_by_name
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sides import NOTHING
from analyzers.handles.unknown import is_releaser, words_of
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE
from analyzers.source import Span
from analyzers.withdrawn.fates import fate_of, starts
from analyzers.withdrawn.matching import Matching, Text, lines_that_name
from analyzers.withdrawn.owners import is_ended_before
from analyzers.withdrawn.places import ELEMENT, Place
from analyzers.withdrawn.telling import finding_of, taken_out

_TAKING = frozenset(("remove", "removeFirst", "removeLast", "poll", "pollFirst", "pollLast", "pop"))
"""What takes an element out of a collection, and hands it out."""

_SHOWING = frozenset((
    "values", "entrySet", "iterator", "listIterator", "descendingIterator", "elements", "next", "nextElement", "previous", "get", "getValue", "getFirst",
    "getLast", "element", "peek", "peekFirst", "peekLast",
))  # fmt: skip
"""What shows a collection, or an element, to its caller."""

_FILLING = frozenset(("add", "addFirst", "addLast", "computeIfAbsent", "offer", "push", "put", "putIfAbsent", "set"))

_HARMLESS = frozenset(("clear", "size", "isEmpty", "containsKey", "contains", "hasNext"))
"""What closes nothing, however much of it a change adds."""

_EXECUTOR = "java.util.concurrent.ExecutorService"

_LAST = frozenset(("close", "dispose", "shutdown", "shut", "destroy", "release", "cleanup", "terminate", "disconnect", "finish", "stop"))
"""First words of methods that end their object, or a part of it."""

_LONGEST = 8


class _Close(msgspec.Struct, frozen=True):
    """A close that is gone: where it stood in the old version, what it closed, and what had taken that out (-1 where nothing did)."""

    node: int
    place: Place
    taken: int


def forgotten(old: tuple[Linked, Queries], new: tuple[Linked, Queries], matching: Matching, texts: Mapping[str, Text]) -> Iterator[Finding]:
    """The findings about one method that both versions have; `texts` are the changed files before and after, by their new paths."""
    if any(isinstance(old[0].body.nodes[each], ir.Call) for each in matching.removed):
        yield from _Fields(old, new, matching, texts).findings()


class _Fields:
    def __init__(
        self, old: tuple[Linked, Queries], new: tuple[Linked, Queries], matching: Matching, texts: Mapping[str, Text]
    ) -> None:
        self._old, self._before = Scene(*old, Limits()), old[1]
        self._new, self._after = Scene(*new, Limits()), new[1]
        self._matching = matching
        self._texts = texts

    def findings(self) -> Iterator[Finding]:
        """One finding per place whose close is gone."""
        told: set[Place] = set()
        for close in self._closes():
            if close.place in told or self._is_about(close.place[1]) or self._is_closed_still(close.place):
                continue
            lost = self._lost(close)
            if lost is not None:
                told.add(close.place)
                yield self._told(close, lost)

    def _closes(self) -> Iterator[_Close]:
        for at in sorted(self._matching.removed):
            call = self._old.nodes[at]
            name = _ended(call) if isinstance(call, ir.Call) else ""
            place, taken = _origin(self._old, name) if name else ((), -1)
            if place and (self._before.is_closeable(self._old.type_of(name)) or self._before.is_subtype(self._old.type_of(name), _EXECUTOR)):
                yield _Close(at, place, taken)

    # --- what else the change does

    def _is_about(self, field: str) -> bool:
        """Whether something that the change adds, here or elsewhere in its files, may have to do with a field or what lies there."""
        if any(self._may_close(each, field) for each in self._matching.added) or not _names(self._new, field) <= _names(self._old, field):
            return True
        changed = lines_that_name(field, self._texts, (self._before, self._old.linked.key), (self._after, self._new.linked.key))
        return any(old != new for old, new in changed)

    def _may_close(self, at: int, field: str) -> bool:
        """Whether an instruction that is new may close what lies in a field, keep it elsewhere, or asks whether anything is there."""
        node = self._new.nodes[at]
        if isinstance(node, ir.Call):
            passed = [each for each in (node.receiver, *node.args) if each and not ir.is_literal(each)]
            return node.name not in _HARMLESS and ("this" in passed or any(_origin(self._new, each)[0][:2] == ("this", field) for each in passed))
        if isinstance(node, ir.Store | ir.StoreElement | ir.Return | ir.Copy | ir.Branch):
            return any(_origin(self._new, each)[0][:2] == ("this", field) for each in operands(node))
        return False

    def _is_closed_still(self, place: Place) -> bool:
        """Whether the new version closes what lies there anywhere."""
        calls = (node for node in self._new.nodes if isinstance(node, ir.Call))
        return any(name and _origin(self._new, name)[0] == place for name in map(_ended, calls))

    # --- where it is lost

    def _lost(self, close: _Close) -> Span | None:
        """Where what a close was for is lost; None where it may not be."""
        if close.place[-1] != ELEMENT:
            return self._replaced(close) or self._left(close.place[1])
        if close.taken in self._matching.kept:
            return self._dropped(self._matching.kept[close.taken])
        field = close.place[1]
        is_end = is_destructor(self._new.linked.key) and not self._is_touched_below(field) and self._is_filled(field)
        body = self._new.linked.body
        return Span(self._new.linked.key.path, body.end - 1, body.end) if is_end else None

    def _replaced(self, close: _Close) -> Span | None:
        ways = starts(self._old, self._new, self._matching, close.node, close.place)
        if not ways:
            return None
        befores, begin = zip(*ways, strict=True)
        sites = CallSites(self._new).sites
        fate = fate_of(self._new, sites, close.place, begin)
        if fate is None or is_ended_before(self._new, sites, close.place, befores):
            return None
        filled = [each for each in fate.replaced if isinstance(node := self._new.nodes[each], ir.Store) and node.src not in NOTHING]
        # What is put there otherwise than before may have its end elsewhere.
        return self._here(filled[0]) if filled and self._matching.added.isdisjoint(filled) else None

    def _left(self, field: str) -> Span | None:
        """The end of a method that ends its object, which no longer ends what its class has made and put into a field."""
        linked = self._new.linked
        is_end = linked.key.name.endswith("()") and not _LAST.isdisjoint(words_of(simple_name(linked.key))[:1])
        if not is_end or any(isinstance(node, ir.Store) and node.field == field for node in self._new.nodes):
            return None
        if self._is_touched_below(field, is_seen=True) or not self._is_made(field):
            return None
        return Span(linked.key.path, linked.body.end - 1, linked.body.end)

    def _is_made(self, field: str) -> bool:
        """Whether all that the file puts into a field is acquired there, and nothing else of the file ends it."""
        unit = self._after.unit(self._new.linked.key.path)
        is_made = False
        for each in unit.procedures if unit is not None else ():
            linked = self._after.linked(ProcedureKey(self._new.linked.key.path, each.name))
            nodes = linked.body.nodes if linked is not None else ()
            if linked is None or not any(isinstance(node, ir.Load | ir.Store) and node.field == field for node in nodes):
                continue
            names = {node.dst for node in nodes if isinstance(node, ir.Load) and node.field == field}
            names |= {node.dst for node in nodes if isinstance(node, ir.Copy) and node.src in names}
            if any(isinstance(node, ir.Call) and _may_end(node, names) for node in nodes):
                return False
            filled = {node.src for node in nodes if isinstance(node, ir.Store) and node.field == field and node.src not in NOTHING}
            if filled and not filled <= self._acquired(linked):
                return False
            is_made = is_made or (bool(filled) and linked.body.owner == self._new.linked.body.owner)
        return is_made

    def _acquired(self, linked: Linked) -> set[str]:
        """The variables of a method that get something which has to be closed, and nothing else."""
        scene = Scene(linked, self._after, Limits())
        made = {
            name for site in CallSites(scene).sites.values() if site.acquired
            for name in ((site.call.receiver,) if site.call.kind == "new" else assigned(site.call))
        }
        for _ in range(_LONGEST):
            made |= {name for name, nodes in scene.definitions.items() if len(nodes) == 1 and identity(scene.nodes[nodes[0]]) in made}
        return made - {""}

    def _dropped(self, at: int) -> Span | None:
        """Where an element is taken out that nobody does anything with any more."""
        call = self._new.nodes[at]
        names = set(assigned(call))
        for _ in range(_LONGEST):
            names |= {node.dst for node in self._new.nodes if isinstance(node, ir.Copy) and node.src in names}
        users = (node for each, node in enumerate(self._new.nodes) if each != at and not names.isdisjoint(operands(node)))
        return self._here(at) if all(map(_is_idle, users)) else None

    def _is_touched_below(self, field: str, *, is_seen: bool = False) -> bool:
        """Whether a method that this one calls of its own object, or of the one above, may look at a field; with `is_seen` one of whose body
        is there: the old version called the others beside its close, too."""
        waiting, seen = [self._new.linked.key], set[ProcedureKey]()
        while waiting:
            key = waiting.pop()
            linked = self._after.linked(key)
            if linked is None:
                return True
            for at, node in enumerate(linked.body.nodes):
                if key != self._new.linked.key and isinstance(node, ir.Load) and (node.base, node.field) == ("this", field):
                    return True
                if not isinstance(node, ir.Call) or "this" not in (node.receiver, *node.args):
                    continue
                target = linked.targets.get(at)
                if target is None or not target.procedures or "this" in node.args:
                    if not is_seen:
                        return True
                    if target is None or node.receiver != "this":
                        continue
                waiting += [each for each in target.procedures if each not in seen]
                seen.update(target.procedures)
        return False

    def _is_filled(self, field: str) -> bool:
        """Whether the file still puts something into a collection."""
        unit = self._after.unit(self._new.linked.key.path)
        for each in unit.procedures if unit is not None else ():
            body = self._after.procedure(ProcedureKey(self._new.linked.key.path, each.name))
            if body is None:
                continue
            loads = {node.dst for node in body.nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("this", field)}
            if any(isinstance(node, ir.Call) and node.name in _FILLING and node.receiver in loads for node in body.nodes):
                return True
        return False

    # --- what is told

    def _here(self, at: int) -> Span:
        node, start = self._new.nodes[at], self._new.linked.body.start
        return Span(self._new.linked.key.path, start + node.start, start + node.end)

    def _told(self, close: _Close, lost: Span) -> Finding:
        key, call = self._new.linked.key, self._old.nodes[close.node]
        text = " ".join(self._before.text(self._old.linked.key, call.start, call.end).split())[:60]
        name = close.place[1] + ("[…]" if close.place[-1] == ELEMENT else "")
        assert isinstance(call, ir.Call)
        message, witness = taken_out("closes", text, name, (lost, f"what `{name}` held was closed here"), lost)
        return finding_of(
            UNCLOSED_RESOURCE, "java", key, close.place, resource=self._old.type_of(_ended(call)), variable=name, message=message,
            witness=witness, acquired=lost, exits=(lost,), lost=lost, text=text,
        )  # fmt: skip


def _origin(scene: Scene, name: str) -> tuple[Place, int]:
    """The field of the method's own object that a value comes from, or (with `ELEMENT`) the collection there; and the call that took it
    out of that. Empty where that is not one place."""
    element: Place = ()
    taken = -1
    for _ in range(_LONGEST):
        nodes: Sequence[int] = scene.definitions.get(name, ())
        if len(nodes) != 1:
            return (), -1
        match scene.nodes[nodes[0]]:
            case ir.Load(base="this", field=field):
                return ("this", field, *element), taken
            case ir.Call(receiver=receiver, name=called) if receiver and called in _SHOWING | _TAKING:
                taken = nodes[0] if called in _TAKING and taken < 0 else taken
                element, name = (ELEMENT,), receiver
            case node:
                name = identity(node)
    return (), -1


def _ended(call: ir.Call) -> str:
    """What a call ends by its name, threads at once too."""
    return call.receiver if call.name == "shutdownNow" and not call.args else ended_by_name(call)


def _may_end(call: ir.Call, names: set[str]) -> bool:
    """Whether a call may end one of some variables, by its name."""
    return _ended(call) in names or (
        (is_releaser(call.name) or not _LAST.isdisjoint(words_of(call.name))) and not names.isdisjoint((call.receiver, *call.args))
    )


def _names(scene: Scene, field: str) -> set[str]:
    """The variables that get what lies in a field."""
    return {node.dst for node in scene.nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("this", field) and not ir.is_temporary(node.dst)}


def _is_idle(node: ir.Instruction) -> bool:
    """Whether an instruction does no more with a value than to compare it, or to forget or copy it."""
    return isinstance(node, ir.Branch | ir.ScopeEnd | ir.Copy)
