"""Builds the control flow graph of one procedure, an instruction at a time.

Edges that do not have their target yet wait in `pending`; the next instruction takes them. An edge is
`2 * node + slot`, slot 1 being the second successor of a Branch. Handlers get negative numbers until
they are entered, because what they protect is emitted before them. What nothing reaches is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir

MOST_NODES = 60_000
"""A procedure with more nodes is abandoned: nested `finally` blocks can multiply without bound."""

_NOWHERE = -1


class Abandoned(Exception):
    """The procedure is not lowered; the text says why."""


class Graph:
    """The nodes and edges so far. `unwind` holds the handlers that an exception meets here."""

    __slots__ = ("_handlers", "_has_orphans", "nodes", "pending", "raises", "successors", "unwind")

    def __init__(self, entry: ir.Entry, closing: ir.Exit) -> None:
        self.nodes: list[ir.Instruction] = [entry, closing, closing]
        self.successors: list[int] = [_NOWHERE] * 6
        self.raises: list[tuple[int, ...]] = [(), (), ()]
        self.pending: list[int] = [2 * ir.ENTRY]
        self.unwind: tuple[int, ...] = (ir.RAISE,)
        self._handlers: list[int] = []
        self._has_orphans = False

    def emit(self, instruction: ir.Instruction) -> None:
        """Append an instruction that throws nothing."""
        nodes, successors, pending = self.nodes, self.successors, self.pending
        index = len(nodes)
        if not pending:
            self._has_orphans = True
        for edge in pending:
            successors[edge] = index
        nodes.append(instruction)
        successors.append(_NOWHERE)
        successors.append(_NOWHERE)
        self.raises.append(())
        self.pending = [2 * index]
        if index > MOST_NODES:
            raise Abandoned("its control flow graph is too large")

    def emit_call(self, instruction: ir.Instruction) -> None:
        """Append an instruction whose exceptions the handlers here meet."""
        self.emit(instruction)
        self.raises[-1] = self.unwind

    def branch(self, instruction: ir.Branch) -> tuple[list[int], list[int]]:
        """Append a Branch; answers its two edges, taken and not taken. Nothing is pending then."""
        self.emit(instruction)
        edge = self.pending[0]
        self.pending = []
        return [edge], [edge + 1]

    def always(self, fails: list[int]) -> list[int]:
        """Let the last test always hold; answers those of its failing edges that wait for a target still."""
        waiting = []
        for edge in fails:
            target = self.successors[edge ^ 1]
            if edge & 1 and target != _NOWHERE:
                self.successors[edge] = target
            else:
                waiting.append(edge)
        return waiting

    def throw(self, instruction: ir.Throw) -> None:
        """Append a Throw: nothing follows it."""
        self.emit_call(instruction)
        self.pending = []

    def leave(self, instruction: ir.Return) -> None:
        """Append a Return: the normal exit follows it."""
        self.emit(instruction)
        self.arrive(ir.EXIT)

    def arrive(self, target: int) -> None:
        """Let all pending edges lead to a node that exists."""
        for edge in self.pending:
            self.successors[edge] = target
        self.pending = []

    def handler(self) -> int:
        """The number of a handler that is entered later."""
        self._handlers.append(_NOWHERE)
        return -len(self._handlers)

    def enter(self, handler: int, instruction: ir.Catch, entries: Sequence[int] = ()) -> None:
        """Append the Catch that a handler begins with; exceptions lead to it, and these edges."""
        self._handlers[-handler - 1] = len(self.nodes)
        self.pending = list(entries)
        had_orphans = self._has_orphans
        self.emit(instruction)
        self._has_orphans = had_orphans

    def open_loop(self) -> int:
        """An edge into the header of a loop that begins here; none (-1) where nothing leads here."""
        return self.pending[0] if self.pending else _NOWHERE

    def close_loop(self, entry: int, start: int, end: int) -> int:
        """Lead all pending edges back to the header; answers it, -1 where there is no loop."""
        if entry == _NOWHERE or (self.successors[entry] == _NOWHERE and not self.pending):
            self.pending = []
            return _NOWHERE
        if self.successors[entry] == _NOWHERE:
            self.emit(ir.ScopeEnd(start, end, ()))
        header = self.successors[entry]
        self.arrive(header)
        return header

    def prepend(self, instructions: list[ir.Instruction]) -> None:
        """Put instructions that throw nothing between the entry and what followed it."""
        first = self.successors[2 * ir.ENTRY]
        before, self.pending = self.pending, [2 * ir.ENTRY]
        for instruction in instructions:
            self.emit(instruction)
        if first == _NOWHERE:
            self.pending += [edge for edge in before if edge != 2 * ir.ENTRY]
        else:
            self.arrive(first)
            self.pending = before

    def finish(self) -> Body:
        """The graph; whatever is pending returns."""
        self.arrive(ir.EXIT)
        resolved = {written: tuple(self._resolve(each) for each in written) for written in set(self.raises)}
        raises = [resolved[written] for written in self.raises]
        used = {each for written in resolved.values() for each in written}
        following: list[tuple[int, ...]] = [
            (first, second) if second >= 0 else (first,) if first >= 0 else ()
            for first, second in zip(self.successors[::2], self.successors[1::2], strict=True)
        ]
        if self._has_orphans or any(node not in used for node in self._handlers):
            return _prune(self.nodes, following, raises)
        return Body(self.nodes, following, raises, None)

    def _resolve(self, handler: int) -> int:
        return handler if handler >= 0 else self._handlers[-handler - 1]


class Body:
    """A finished graph. `moved` maps old indices to new ones where nodes were dropped."""

    __slots__ = ("following", "moved", "nodes", "raises")

    def __init__(
        self,
        nodes: list[ir.Instruction],
        following: list[tuple[int, ...]],
        raises: list[tuple[int, ...]],
        moved: dict[int, int] | None,
    ) -> None:
        self.nodes = nodes
        self.following = following
        self.raises = raises
        self.moved = moved


def _prune(
    nodes: list[ir.Instruction], following: list[tuple[int, ...]], raises: list[tuple[int, ...]]
) -> Body:
    seen = {ir.ENTRY, ir.EXIT, ir.RAISE}
    work = [ir.ENTRY]
    while work:
        node = work.pop()
        for target in (*following[node], *raises[node]):
            if target not in seen:
                seen.add(target)
                work.append(target)
    moved = {old: new for new, old in enumerate(sorted(seen))}
    return Body(
        [nodes[old] for old in moved],
        [tuple(moved[each] for each in following[old]) for old in moved],
        [tuple(moved[each] for each in raises[old]) for old in moved],
        moved,
    )
