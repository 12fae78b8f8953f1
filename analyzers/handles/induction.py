"""Elements of an array that its index has gone past: `all[i]` is another element after `i++`.

Arrays have one cell; without this a test of the element that was just stored (`if (all[i] == NULL) { free(all); … }`)
would speak of those before it, too. Misses indices that are computed, and more than four of them.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.obligation import PAST
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_MOST_ARRAYS = 3
"""Arrays that one index goes over (`all[i] = open(names[i])`)."""


class Inductions:
    """The variables of a procedure of C that go over arrays one by one."""

    def __init__(self, scene: Scene) -> None:
        self.arrays: dict[str, tuple[AccessPath, ...]] = {}
        self._marks: dict[str, int] = {}
        if scene.is_java:
            return
        stepped = dict.fromkeys(
            node.dst for node in (scene.nodes[each] for each in scene.cfg.order) if isinstance(node, ir.Op) and is_step(node)
        )
        changed = {target[0] for target in scene.addresses.values() if len(target) == 1}
        changed.update(node.dst for node in scene.nodes if isinstance(node, ir.Call))
        looked_into: dict[str, dict[AccessPath, None]] = {}
        for each in scene.cfg.order:
            match scene.nodes[each]:
                case ir.LoadElement(base=base, index=index) | ir.StoreElement(base=base, index=index) if index in stepped and index not in changed:
                    looked_into.setdefault(index, {})[scene.normalise((base, "[]"))] = None
        for name, arrays in looked_into.items():
            if len(arrays) <= _MOST_ARRAYS and len(self.arrays) < len(PAST):
                self.arrays[name] = tuple(arrays)
        self._marks = dict(zip(self.arrays, PAST, strict=False))

    def mark(self, name: str) -> int:
        """The mark of a handle in an element that this variable has gone past; 0 where it goes over no array."""
        return self._marks.get(name, 0)


def is_step(op: ir.Op) -> bool:
    """Whether an operation makes a variable greater by one."""
    return op.operator == "+" and op.operands in ((op.dst, "=1"), ("=1", op.dst))
