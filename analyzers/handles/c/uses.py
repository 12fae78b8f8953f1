"""Where a body of C calls and assigns what, and what its calls, stores and returns get: laid out once for all that is asked of it by name."""

from __future__ import annotations

import functools
from typing import Generic, TypeVar

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.handles.moves import identity

T = TypeVar("T")

_LAYOUTS = 64
"""Bodies whose layout is kept."""


class Uses:
    """What one body does with its variables.

    calls        per name the nodes that call what is called so, in order
    definitions  per variable the nodes that assign it, in order
    addresses    per temporary that is the address of a variable, that variable
    named        per temporary that is read from a name of the file, that name
    """

    def __init__(self, nodes: tuple[ir.Instruction, ...]) -> None:
        self.nodes = nodes
        self.calls: dict[str, list[int]] = {}
        self.definitions: dict[str, list[int]] = {}
        self.named: dict[str, str] = {}
        self.addresses: dict[str, str] = {}
        self._copies: dict[str, list[str]] = {}
        self._given: dict[str, list[int]] = {}
        for at, node in enumerate(nodes):
            for name in assigned(node):
                self.definitions.setdefault(name, []).append(at)
            match node:
                case ir.Call(name=name, args=args):
                    self.calls.setdefault(name, []).append(at)
                    for each in args:
                        self._given.setdefault(each, []).append(at)
                case ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src):
                    self._given.setdefault(src, []).append(at)
                case ir.AddressOf(dst=dst, base=base, field=""):
                    self.addresses[dst] = base
                case ir.Load(dst=dst, base="", field=field):
                    self.named[dst] = field
                case ir.Copy() | ir.Op() if source := identity(node):
                    self._copies.setdefault(source, []).extend(assigned(node))
                case _:
                    pass

    def of(self, name: str) -> list[ir.Instruction]:
        """The calls, stores and returns that get what a variable holds, or a copy of it, in order."""
        names = {name: None}
        waiting = [name]
        while waiting:
            for each in self._copies.get(waiting.pop(), ()):
                if each not in names:
                    names[each] = None
                    waiting.append(each)
        return [self.nodes[at] for at in sorted({at for each in names for at in self._given.get(each, ())})]


class _Same(Generic[T]):
    """A part of a body as the one object that it is: to compare two would cost more than what is kept for one."""

    __slots__ = ("part",)

    def __init__(self, part: T) -> None:
        self.part = part

    def __hash__(self) -> int:
        return id(self.part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.part is self.part


def uses_of(nodes: tuple[ir.Instruction, ...]) -> Uses:
    """The layout of a body."""
    return _uses_of(_Same(nodes))


@functools.lru_cache(_LAYOUTS)
def _uses_of(same: _Same[tuple[ir.Instruction, ...]]) -> Uses:
    return Uses(same.part)


Edges = tuple[tuple[int, ...], ...]
"""Per node those that follow it."""


def predecessors_of(following: Edges) -> list[list[int]]:
    """Per node those that it follows."""
    return _predecessors_of(_Same(following))


@functools.lru_cache(_LAYOUTS)
def _predecessors_of(same: _Same[Edges]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in same.part]
    for node, following in enumerate(same.part):
        for after in following:
            found[after].append(node)
    return found
