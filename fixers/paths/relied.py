"""Where a procedure of C relies on a variable that an acquisition was to fill (`get(row, &name); if (name && …)`).

Who looks through a pointer, asks whether it is null or gives it to a function of a library that looks through it means it to be set: a path on
which it is not is no run of a program that is right. Errs towards walking on: what is only copied, or passed to a function that may leave it
alone, nobody relies on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths.layout import Layout
from fixers.paths.question import Question
from fixers.paths.state import UNSET, State


def set_by_strangers(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> dict[str, str]:
    """The locals that somebody unknown gets by their value before anything has been put into them, each with his name: nobody passes that to a
    function, so it is a macro that sets them (`FETCH(name, 3)`). So is one with the name of a macro that gets what is surely null. Knows no
    macro that is told of by its text."""
    nodes, found = linked.body.nodes, dict[str, str]()
    asked: dict[str, list[int]] = {}
    names = {each.name for each in linked.body.variables if each.kind == "local"}
    for node, call in enumerate(nodes):
        target = linked.targets.get(node)
        is_stranger = isinstance(call, ir.Call) and call.kind == "function" and (target is None or not target.procedures)
        if isinstance(call, ir.Call) and is_stranger and not (effects.get(node) and all(each.is_known for each in effects[node])):
            for name in names.intersection(call.args):
                asked.setdefault(name, []).append(node)
    for name, calls in asked.items():
        unset, filled = _unset(linked, name), _filled(linked, name)
        for node in calls[::-1]:
            called = getattr(nodes[node], "name", "")
            if node in unset or (called.isupper() and node not in filled):
                found[name] = called
    return found


def _unset(linked: Linked, name: str) -> set[int]:
    """The nodes at which a local may still hold nothing: before anything has been assigned to it, or its address taken."""
    seen, waiting = {ir.ENTRY}, [ir.ENTRY]
    while waiting:
        at = waiting.pop()
        each = linked.body.nodes[at]
        if name in assigned(each) or (isinstance(each, ir.AddressOf) and each.base == name):
            continue
        waiting += [after for after in linked.next[at] if after not in seen]
        seen.update(linked.next[at])
    return seen


def _filled(linked: Linked, name: str) -> set[int]:
    """The nodes behind which something else than null has been put into a local, or somebody may have."""
    nodes = linked.body.nodes
    waiting = [
        at for at, each in enumerate(nodes)
        if (name in assigned(each) and not (isinstance(each, ir.Copy) and each.src in ("=null", "=0")))
        or (isinstance(each, ir.AddressOf) and each.base == name)
    ]
    seen = set[int]()
    while waiting:
        for after in linked.next[waiting.pop()]:
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen


class Relied:
    """The pointers of one walk that a call which is asked about gets the address of."""

    def __init__(self, layout: Layout, question: Question) -> None:
        self._layout, self._question = layout, question
        nodes, types = layout.linked.body.nodes, layout.linked.types
        given = {name for node in question.sites if isinstance(call := nodes[node], ir.Call) for name in call.args} if question.language == "c" else set()
        names = {
            each.base for each in nodes
            if isinstance(each, ir.AddressOf) and each.dst in given and not each.field and types.get(each.base, "").endswith("*")
        } if given else set[str]()
        self._names = frozenset(names.difference(set_by_strangers(layout.linked, layout.effects) if names else ()))

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
