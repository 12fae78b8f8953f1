"""One cache with a bound and one without, made by the same code for the same use: the bound was forgotten.

A belief of the program itself: where one branch takes care that a map does not grow for ever, the others want it, too.
Silent where no sibling has a bound, and where the container does not outlive the procedure.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.origins import definitions
from analyzers.detectors.leakchecker.retention import Form, Retention
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import SlotReader, Use
from analyzers.specs.containers import Role

_BOUND_WORDS = ("Cache", "LRU", "Lru", "Bounded", "Evicting", "Limited")
"""What types outside the repository call themselves that bound what they hold."""


class Bounds(msgspec.Struct, frozen=True):
    """Judges one procedure."""

    queries: Queries
    reader: SlotReader
    key: ProcedureKey
    body: ir.Procedure

    def kept(self) -> Iterator[Retention]:
        """The containers without a bound that stand beside one that has it."""
        made = {number: node for number, node in enumerate(self.body.nodes) if isinstance(node, ir.Alloc)}
        if len(made) < 2:
            return
        for variable in self._leaving():
            makers = [
                (number, node) for number, node in made.items() if self._reaches(node.dst, variable)
            ]
            types = {number: self._resolved(node) for number, node in makers}
            bounded = [number for number, node in makers if self._is_bounded(node, types[number])]
            for number, _ in makers:
                model = self.reader.container(types[number])
                if bounded and model is not None and model.is_keyed and model.roles:
                    name = self._simple(types[bounded[0]])
                    yield Retention(
                        Form.UNBOUNDED, f"{self.body.owner}.{ir.source_name(variable)}",
                        (Use(Role.STORE, self.key, number),),
                        f"`{ir.source_name(variable)}` has no bound here, but is a `{name}` with one on another branch.",
                    )

    def _leaving(self) -> list[str]:
        """The variables of the source that the procedure returns or stores."""
        found: dict[str, None] = {}
        for node in self.body.nodes:
            match node:
                case ir.Return(src=src) | ir.Store(src=src) if src and not ir.is_literal(src):
                    found[src] = None
                case _:
                    pass
        return [each for each in found if not ir.is_temporary(each) and len(definitions(self.body, each)) > 1]

    def _reaches(self, made: str, variable: str) -> bool:
        return made == variable or any(
            isinstance(node, ir.Copy) and node.dst == variable and node.src == made for node in self.body.nodes
        )

    def _resolved(self, node: ir.Alloc) -> str:
        written = node.type.partition("<")[0]
        return self.queries.resolve_type(self.key.path, self.body.owner, written) or written

    def _is_bounded(self, node: ir.Alloc, type_name: str) -> bool:
        """Whether what is made lets go of elements by itself, by what is known of it or by what it says."""
        made = next((
            each for each in self.body.nodes if isinstance(each, ir.Call) and each.kind == "new" and each.receiver == node.dst
        ), None)
        if made is None or not made.args:
            return False
        if any(each.procedure for each in self.queries.methods(type_name, "removeEldestEntry")):
            return True
        is_foreign = not set(self.queries.supertypes(type_name)) - {"java.lang.Object"}
        return is_foreign and any(word in self._simple(type_name) for word in _BOUND_WORDS)

    def _simple(self, type_name: str) -> str:
        return type_name.rpartition(".")[2].rpartition("$")[2]
