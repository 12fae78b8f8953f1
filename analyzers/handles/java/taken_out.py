"""What a procedure of Java takes out of an object that a method of the repository made, and that nobody can close.

`Source s = open(file); s.stream().read()`: the class of `s` has no way to end what it holds, but hands it out. Who made the object and
took the stream out of it is the one who can close it. A guess: others may have the object, too, and close what they take out of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.java.implied import CLOSEABLE
from analyzers.handles.scene import Scene
from analyzers.queries import ProcedureKey, Target
from analyzers.summaries import Outcome, Transfer


class TakenOut:
    """Answers for the calls of one procedure of Java."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._takings: dict[str, list[tuple[int, str, str]]] | None = None

    def is_asked(self, call: ir.Call) -> bool:
        """Whether the procedure takes something that can be closed out of what a call returns."""
        scene = self._scene
        return any(scene.queries.is_closeable(scene.type_of(dst)) for _, dst, _ in self._of(call))

    def is_taken(self, call: ir.Call, outcome: Outcome) -> bool:
        """Whether the procedure itself reads the field of what a call returns, or asks a method for it, in which the resource lies."""
        fields = {path[1] for path in outcome.paths if len(path) == 2 and path[0] == "$ret"}
        for node, _, field in self._of(call) if fields else ():
            target = self._scene.linked.targets.get(node)
            if field in fields or (target is not None and any(_hands_out(key, fields, self._scene) for key in target.procedures)):
                return True
        return False

    def _of(self, call: ir.Call) -> Iterator[tuple[int, str, str]]:
        """Where a procedure reads a field of what a call returns, or asks it for something: the node, what takes it, and the field."""
        if self._takings is None:
            self._takings = {}
            for index in self._scene.cfg.order:
                match self._scene.nodes[index]:
                    case ir.Load(base=base, field=field, dst=dst) if base:
                        self._takings.setdefault(base, []).append((index, dst, field))
                    case ir.Call(kind="virtual", receiver=receiver, dst=dst) if receiver and dst:
                        self._takings.setdefault(receiver, []).append((index, dst, ""))
                    case _:
                        continue
        names = (call.dst, *(copy.dst for copy in self._scene.copies.get(call.dst, ()))) if call.dst else ()
        for name in dict.fromkeys(names):
            yield from self._takings.get(name, ())


def holder(call: ir.Call, acquired: list[Transfer], target: Target) -> str:
    """The type of the object that a call makes, or whose fields hold what it acquires; else what needs no other to be closed."""
    is_inside = any(len(path) > 1 and path[0] == "$ret" and path[1] != "[]" for each in acquired for outcome in each.outcomes for path in outcome.paths)
    return target.type if call.kind == "new" else target.result if is_inside else CLOSEABLE


def _hands_out(key: ProcedureKey, fields: set[str], scene: Scene) -> bool:
    """Whether a method returns what lies in one of these fields of its object."""
    transfers = [each for each in scene.queries.effects(key).transfers if len(each.entry) == 2 and each.entry[0] == "this" and each.entry[1] in fields]
    return any(("$ret",) in outcome.paths for each in transfers for outcome in each.outcomes)
