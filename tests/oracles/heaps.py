"""A concrete interpreter of the little heap language, and whether an abstract state says the truth of a heap."""

from __future__ import annotations

from analyzers.domains.heap_statements import Statement
from analyzers.domains.pointer_structure import BOTTOM, HeapState, members


class Heap:
    """Cells by number. Pointers to a freed cell are null: nobody may use them."""

    def __init__(self, variables: int, fields: int) -> None:
        self.variables: list[int | None] = [None] * variables
        self.cells: dict[int, list[int | None]] = {}
        self._fields = fields
        self._next = 0

    def step(self, statement: Statement) -> bool:
        """Run a statement; whether it took the last pointer to some cell."""
        held = self.reachable()
        self._run(statement)
        return any(cell in self.cells for cell in held - self.reachable())

    def _run(self, statement: Statement) -> None:
        p, field, q = statement.p, statement.field, statement.q
        here, there = self.variables[p], self.variables[q]
        match statement.kind:
            case "null":
                self.variables[p] = None
            case "copy":
                self.variables[p] = there
            case "load":
                self.variables[p] = None if there is None else self.cells[there][field]
            case "malloc":
                self.cells[self._next] = [None] * self._fields
                self.variables[p] = self._next
                self._next += 1
            case "store-null" if here is not None:
                self.cells[here][field] = None
            case "store" if here is not None:
                self.cells[here][field] = there
            case "free" if here is not None:
                del self.cells[here]
                self.variables = [None if cell == here else cell for cell in self.variables]
                for targets in self.cells.values():
                    targets[:] = [None if cell == here else cell for cell in targets]

    def reachable(self) -> set[int]:
        """The cells that a path leads to."""
        found: set[int] = set()
        waiting = [cell for cell in self.variables if cell is not None]
        while waiting:
            cell = waiting.pop()
            if cell not in found:
                found.add(cell)
                waiting += [each for each in self.cells[cell] if each is not None]
        return found

    def at(self, cell: int, field: int, distance: int, limit: int) -> set[int]:
        """The cells so many steps away over a field first; at the limit, or further."""
        layer = {each for each in (self.cells[cell][field],) if each is not None}
        found: set[int] = set()
        for step in range(1, limit + len(self.cells) + 1):
            if step == distance or (distance == limit and step > limit):
                found |= layer
            layer = {each for known in layer for each in self.cells[known] if each is not None}
        return found


def is_true(state: HeapState, heap: Heap) -> bool:
    """Whether all that a state claims holds of a heap."""
    limit = len(state.reached[0][0])
    for number, cell in enumerate(heap.variables):
        if (state.aliases[number] == BOTTOM) != (cell is None):
            return False
        if cell is None:
            continue
        if any(heap.variables[other] != cell for other in members(state.aliases[number])):
            return False
        for field, distances in enumerate(state.reached[number]):
            for place, known in enumerate(distances):
                there = heap.at(cell, field, place + 1, limit)
                if (known == BOTTOM and there) or any(heap.variables[other] not in there for other in members(known)):
                    return False
    return True
