"""Further names of what a local of C points to: locals copied from it, and members of the procedure's own objects
that it has been stored in.

What is put into an object by one of its names lies there by all of them (`self = (struct base *) made`,
`list->head = node`). Of variables that are given several objects, those count that hold one from a copy on all ways to where
something is put into it (`all = node; node->name = text;` in a loop). Misses names that some way only leads by.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.dominators import dominates
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_NOTHING = ("=null", "=0")

_MOST = 3
"""Further names of one place that are looked at."""


class Twins:
    """The twins of the locals of a procedure."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._copies: dict[str, list[str]] = {}
        self._places: dict[str, list[tuple[int, AccessPath]]] = {}
        self._stores: dict[AccessPath, list[int]] = {}
        self._links: dict[str, list[tuple[int, AccessPath]]] = {}
        for name in () if scene.is_java else scene.variables:
            source = self._copied(name)
            if source:
                self._copies.setdefault(source, []).append(name)
        for node in () if scene.is_java else scene.cfg.order:
            match scene.nodes[node]:
                case ir.Store(base=base, field=field, src=src) if base:
                    self._stores.setdefault((base, field), []).append(node)
                    if self._is_steady(src):
                        self._places.setdefault(src, []).append((node, scene.loaded_from((base, field))))
                    else:
                        self._link(node, (base, field), src)
                case ir.StoreElement(base=base, src=src) if self._is_steady(src):
                    self._places.setdefault(src, []).append((node, scene.loaded_from((base, "[]"))))
                case ir.Copy(dst=dst, src=src) if dst not in self._copies.get(src, ()):
                    self._link(node, (dst,), src)

    def _link(self, node: int, place: AccessPath, src: str) -> None:
        scene = self._scene
        if src in scene.holders and place[0] in scene.holders and not scene.is_aggregate(src) and not scene.is_aggregate(place[0]):
            self._links.setdefault(src, []).append((node, place))
            if len(place) == 1:
                self._links.setdefault(place[0], []).append((node, (src,)))

    def objects(self, path: AccessPath, node: int) -> tuple[AccessPath, ...]:
        """Other names of the object that a local of C points to when a node begins."""
        if self._scene.is_java or len(path) > 1:
            return ()
        source = self._scene.loads.get(path[0], ())
        return self._of(path[0], node) + ((source, *self._of(source[0], node)) if len(source) == 1 else ())

    def is_end(self, place: AccessPath, src: str) -> bool:
        """Whether a member is the end of a list whose head another member is, and what is put there is linked behind what was there
        (`if (!q->head) q->head = node; if (q->last) q->last->next = node; q->last = node;`)."""
        places = {each for _, each in self._places.get(src, ())}
        return (
            len(place) > 1
            and any(each[:-1] == place for each in places)
            and any(each != place and each[:-1] == place[:-1] for each in places)
        )

    def names(self, names: tuple[AccessPath, ...], node: int) -> tuple[AccessPath, ...]:
        """What the same place may also be called, by the twins of what it lies in; formals have none."""
        scene = self._scene
        found: list[AccessPath] = []
        waiting = [] if scene.is_java else list(names)
        while waiting and len(found) < _MOST:
            name = waiting.pop(0)
            for twin in (*self._of(name[0], node), *self._for_a_while(name[0], node)) if len(name) > 1 else ():
                other = scene.normalise(twin + name[1:])
                if other not in names and other not in found and not scene.outlives(other[0]):
                    found.append(other)
                    waiting.append(other)
        return tuple(found)

    def _of(self, root: str, node: int) -> tuple[AccessPath, ...]:
        """Other names of the object of a local when a node begins."""
        copies = self._copies.get(root, ())
        places = self._places.get(root, ())
        if not copies and not places:
            return ()
        found: list[AccessPath] = [(name,) for name in copies]
        for at, place in places:
            is_passed = dominates(self._scene.dominators, at, node) or self._is_for_any(root, at, node)
            if at != node and is_passed and not self._is_refilled(place, at, node):
                found.append(place)
        return tuple(found)

    def _is_for_any(self, root: str, at: int, node: int) -> bool:
        """Whether a local is stored wherever it is not null, and so was what something is put into (`if (made) list->rows = made;`)."""
        cfg, nodes = self._scene.cfg, self._scene.nodes
        here, passed = at, {at}
        while len(before := cfg.predecessors[here]) == 1 and before[0] != ir.ENTRY:
            match nodes[before[0]]:
                case ir.Branch(operator="true", left=left) | ir.Branch(operator="!=", left=left, right="=null" | "=0"):
                    side = 0
                case ir.Branch(operator="==", left=left, right="=null" | "=0"):
                    side = 1
                case ir.Branch():
                    return False
                case _ if len(cfg.successors[before[0]]) == 1:
                    here = before[0]
                    passed.add(here)
                    continue
                case _:
                    return False
            is_between = node in passed or node == before[0]
            return left == root and not is_between and cfg.normal[before[0]][side] == here and dominates(self._scene.dominators, before[0], node)
        return False

    def _is_refilled(self, place: AccessPath, at: int, node: int) -> bool:
        """Whether a member gets another value on every way from a store to a node (`list->head = node->next; free(node);`)."""
        dominators = self._scene.dominators
        return any(
            other not in (at, node) and dominates(dominators, at, other) and dominates(dominators, other, node)
            for other in self._stores.get(place, ())
        )

    def _for_a_while(self, root: str, node: int) -> tuple[AccessPath, ...]:
        """Other names of the object that a variable has when a node begins, of those that are given several."""
        return tuple(
            place for at, place in self._links.get(root, ())
            if at != node and dominates(self._scene.dominators, at, node) and not self._is_changed((root, *place), at, node)
        )

    def _is_changed(self, names: tuple[str, ...], at: int, node: int) -> bool:
        """Whether a variable, or a member, gets another value on some way from a copy to a node."""
        scene = self._scene
        changes = {other for name in names[:2] for other in scene.definitions.get(name, ())}
        changes |= set(self._stores.get(names[1:], ()))
        return bool(changes - {at}) and not changes.isdisjoint(self._between(at, node))

    def _between(self, start: int, end: int) -> set[int]:
        """The nodes by which ways lead from one node to another that come by the first only once."""
        cfg = self._scene.cfg
        after, waiting = {start}, [start]
        while waiting:
            for other in cfg.successors[waiting.pop()]:
                if other not in after:
                    after.add(other)
                    waiting.append(other)
        found: set[int] = set()
        waiting = [end]
        while waiting:
            for other in cfg.predecessors[waiting.pop()]:
                if other in after and other != start and other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def _copied(self, name: str) -> str:
        """The local that a named local is a copy of, whatever it is cast to; empty where it is none."""
        scene = self._scene
        if ir.is_temporary(name) or name in scene.formals or scene.is_aggregate(name):
            return ""
        nodes = self._given(name)
        match scene.nodes[nodes[0]] if len(nodes) == 1 else None:
            case ir.Copy(src=source) | ir.Op(operator="cast", operands=(source, *_)) if source != name and self._is_steady(source):
                return source
        return ""

    def _is_steady(self, name: str) -> bool:
        """Whether a local is given one object only."""
        if not name or ir.is_literal(name) or name in self._scene.formals or name not in self._scene.holders:
            return False
        return not self._scene.is_aggregate(name) and len(self._given(name)) == 1

    def _given(self, name: str) -> list[int]:
        """Where a variable gets anything but nothing."""
        nodes = self._scene.nodes
        return [
            node for node in self._scene.definitions.get(name, ())
            if not (isinstance(instruction := nodes[node], ir.Copy) and instruction.src in _NOTHING)
        ]
