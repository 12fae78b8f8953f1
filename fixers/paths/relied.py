"""Where a procedure of C relies on a variable that an acquisition was to fill (`get(row, &name); if (name && …)`).

Who looks through a pointer, asks whether it is null or gives it to a function of a library that looks through it means it to be set: a path on
which it is not is no run of a program that is right. Errs towards walking on: what is only copied, or passed to a function that may leave it
alone, nobody relies on.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from fixers.paths.layout import Layout
from fixers.paths.question import Question
from fixers.paths.state import UNSET, State


class Relied:
    """The pointers of one walk that a call which is asked about gets the address of."""

    def __init__(self, layout: Layout, question: Question) -> None:
        self._layout, self._question = layout, question
        nodes, types = layout.linked.body.nodes, layout.linked.types
        given = {name for node in question.sites if isinstance(call := nodes[node], ir.Call) for name in call.args} if question.language == "c" else set()
        self._names = frozenset(
            each.base for each in nodes
            if isinstance(each, ir.AddressOf) and each.dst in given and not each.field and types.get(each.base, "").endswith("*")
        )

    def is_refuted(self, state: State, instruction: ir.Instruction) -> bool:
        """Whether an instruction of the program itself relies on one of them that the path has not set."""
        if not self._names or state.node in self._question.ours:
            return False
        return any(name in self._names and state.variables.get(name) == UNSET for name in self._needed(state.node, instruction))

    def _needed(self, node: int, instruction: ir.Instruction) -> Iterator[str]:
        match instruction:
            case ir.Branch(left=left, right=right):
                yield from (left, right)
            case ir.Load(base=base) | ir.Store(base=base):
                yield base
            case ir.Call(args=args) if self._question.resource != "descriptor" and self._is_library(node):
                yield from args
            case _:
                pass

    def _is_library(self, node: int) -> bool:
        target = self._layout.linked.targets.get(node)
        effects = self._layout.effects.get(node, ())
        return target is not None and not target.procedures and bool(effects) and all(each.is_known for each in effects)
