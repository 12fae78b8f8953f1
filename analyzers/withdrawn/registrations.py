"""Registrations of Java that the end of an object took back, and does so no longer: whom it listens to keeps it.

What the old version of a `close` undid (`bus.removeListener(this)`), a method of the class has done, and still does in the new one. Where
nothing that the change adds has to do with either, the object is kept beyond its end (Engler's belief, across time). Always assumed. Silent where
another method of the class undoes it as well, where the end also ends what it listens to, and where the class may have made that itself. Misses
registrations that another class makes, and ends by other names. Says too much where all that is listened to always ends with the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.listeners import SUFFIXES, TWINS
from analyzers.domains.obligation import Limits
from analyzers.endings import ENDS, Endings, simple
from analyzers.finding import Finding
from analyzers.graphs.operands import operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import RETAINED_BY_LOOP
from analyzers.source import Span
from analyzers.withdrawn.matching import Matching, Text, lines_that_name
from analyzers.withdrawn.telling import finding_of, taken_out

_ENDS = ENDS | {"onDestroy", "onDestroyView", "onStop", "onPause", "onDetach", "onDetachedFromWindow", "removeNotify", "preDestroy"}
"""Methods that end an object, or the time for which it listens; a framework calls some of them."""

_TAKING_OUT = ("remove", "delete")
"""What also takes plain elements out of collections: only of listeners is it said that they are registered."""

_LONGEST = 8


class _Undone(msgspec.Struct, frozen=True):
    """A call that took a registration back: where it stood in the old version, what it named, and how the registering calls are called."""

    node: int
    what: str
    registering: frozenset[str]


def left_registered(old: tuple[Linked, Queries], new: tuple[Linked, Queries], matching: Matching, texts: Mapping[str, Text]) -> Iterator[Finding]:
    """The findings about one method that both versions have; `texts` are the changed files before and after, by their new paths."""
    if simple(new[0].body) not in _ENDS or new[0].body.result != "void":
        return
    removed = [each for each in sorted(matching.removed) if isinstance(old[0].body.nodes[each], ir.Call)]
    if removed:
        yield from _Registrations(old, new, matching, texts).findings(removed)


class _Registrations:
    def __init__(
        self, old: tuple[Linked, Queries], new: tuple[Linked, Queries], matching: Matching, texts: Mapping[str, Text]
    ) -> None:
        self._old, self._before = Scene(*old, Limits()), old[1]
        self._new, self._after = Scene(*new, Limits()), new[1]
        self._matching = matching
        self._texts = texts

    def findings(self, removed: list[int]) -> Iterator[Finding]:
        """One finding per object whose registration is not taken back any more."""
        told: set[str] = set()
        for at in removed:
            undone = self._undone(at)
            if undone is None or undone.what in told or self._is_about(undone) or self._ends_together(at):
                continue
            made = self._made(undone)
            if made is not None:
                told.add(undone.what)
                yield self._told(undone, made)

    def _undone(self, at: int) -> _Undone | None:
        call = self._old.nodes[at]
        if not isinstance(call, ir.Call) or call.receiver in ("", "this") or not call.args:
            return None
        registering, what = _registering(call.name), _named(self._old, call.args[-1])
        return _Undone(at, what, registering) if registering and what and self._is_outside(call.receiver) else None

    def _is_outside(self, name: str) -> bool:
        """Whether what the object listens to was there before it, or what gave that was: a parameter, a field that holds one, something static."""
        scene = self._old
        for _ in range(_LONGEST):
            if name in scene.linked.body.parameters:
                return True
            nodes = scene.definitions.get(name, ())
            if len(nodes) != 1:
                return False
            match scene.nodes[nodes[0]]:
                case ir.Load(base=base, field=field):
                    return not base or (base == "this" and self._is_given(field))
                case ir.Call(kind="static"):
                    return True
                case ir.Call(kind="virtual", receiver=receiver) if receiver not in ("", "this"):
                    name = receiver
                case node:
                    name = identity(node)
        return False

    def _is_given(self, field: str) -> bool:
        """Whether a field holds only what the class was handed."""
        stores = [
            (body, node) for _, body in Endings(self._before, self._old.linked.key.path, self._old.linked.body.owner).methods() for node in body.nodes
            if isinstance(node, ir.Store) and node.base == "this" and node.field == field and node.src != "=null"
        ]
        return bool(stores) and all(node.src in body.parameters for body, node in stores)

    # --- what else the change does

    def _is_about(self, undone: _Undone) -> bool:
        """Whether something else of the change may have to do with a registration, or with the object that listens."""
        call = self._old.nodes[undone.node]
        assert isinstance(call, ir.Call)
        for each in self._matching.added:
            node = self._new.nodes[each]
            if isinstance(node, ir.Call) and (node.name == call.name or node.receiver == "this"):
                return True
            if any(_named(self._new, operand) == undone.what for operand in operands(node) if not (isinstance(node, ir.Load) and operand == "this")):
                return True
        old, new = (self._before, self._old.linked.key), (self._after, self._new.linked.key)
        words = (call.name, *sorted(undone.registering), *(() if undone.what == "this" else (undone.what,)))
        return any(was != now for word in words for was, now in lines_that_name(word, self._texts, old, new))

    def _ends_together(self, at: int) -> bool:
        """Whether the end of the object still ends what it listens to, or lets go of that."""
        call = self._old.nodes[at]
        assert isinstance(call, ir.Call)
        source = _named(self._old, call.receiver)
        for node in self._new.nodes:
            if isinstance(node, ir.Call) and node.name in ENDS and source and _named(self._new, node.receiver) == source:
                return True
            if isinstance(node, ir.Store) and node.base == "this" and node.field == source:
                return True
        return False

    def _made(self, undone: _Undone) -> Span | None:
        """Where the class registers, in the new version; None where it does not, or another method of it takes that back, too."""
        key = self._new.linked.key
        call = self._old.nodes[undone.node]
        assert isinstance(call, ir.Call)
        found: Span | None = None
        for other, body in Endings(self._after, key.path, self._new.linked.body.owner).methods():
            for node in body.nodes:
                if not isinstance(node, ir.Call) or not node.args:
                    continue
                if node.name == call.name and other != key:
                    return None
                if node.name in undone.registering and found is None and self._is_same(other, node.args[-1], undone.what):
                    found = Span(key.path, body.start + node.start, body.start + node.end)
        return found

    def _is_same(self, key: ProcedureKey, name: str, what: str) -> bool:
        linked = self._after.linked(key)
        return linked is not None and _named(Scene(linked, self._after, Limits()), name) == what

    # --- what is told

    def _told(self, undone: _Undone, made: Span) -> Finding:
        key, call = self._new.linked.key, self._old.nodes[undone.node]
        text = " ".join(self._before.text(self._old.linked.key, call.start, call.end).split())[:60]
        body = self._new.linked.body
        lost = Span(key.path, body.end - 1, body.end)
        message, witness = taken_out("takes back the registration of", text, undone.what, (made, f"`{undone.what}` is registered here"), lost)
        return finding_of(
            RETAINED_BY_LOOP, "java", key, (undone.what, *sorted(undone.registering)[:1]), resource="listener", variable=undone.what, message=message,
            witness=witness, acquired=made, exits=(lost,), lost=lost, text=text,
        )  # fmt: skip


def _registering(name: str) -> frozenset[str]:
    """The names of the calls that one undoes; empty for what is none. A listener says that it is one, unless the call does."""
    return frozenset(
        do + name.removeprefix(undo) for do, undoing in TWINS for undo in undoing
        if name.startswith(undo) and (undo not in _TAKING_OUT or name.endswith(SUFFIXES))
    )


def _named(scene: Scene, name: str) -> str:
    """`this`, or the field of the method's own object that a value comes from; empty for anything else."""
    for _ in range(_LONGEST):
        if name == "this":
            return "this"
        nodes = scene.definitions.get(name, ())
        if len(nodes) != 1:
            return ""
        node = scene.nodes[nodes[0]]
        if isinstance(node, ir.Load):
            return node.field if node.base == "this" else ""
        name = identity(node)
    return ""
