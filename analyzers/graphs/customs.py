"""What a tree of Java customarily closes: what all but a few procedures close that get it of a method, or make it of a class.

«Bugs as deviant behavior» (Engler et al., SOSP 2001). Procedures are read as they are written, by names and numbers of arguments,
nothing resolved. Says yes too often where others close an object because of what they do with it; no where few have to do with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from analyzers import ir

_FEWEST = 3
"""Procedures that close such an object, at least."""

_PER_LOSER = 3
"""Of them, for each that neither closes it nor gives it to anybody; whoever asks is one of these."""

_MOST = 80
"""Procedures that are looked at, evenly taken from all that mention the name."""

_CLOSING = ("close", "closeQuietly", "closeSilently", "quietClose", "safeClose", "closeSafely")

T = TypeVar("T")


def sampled(places: Sequence[T]) -> Sequence[T]:
    """Some of many places, always the same."""
    return places[:: -(-len(places) // _MOST)] if places else places


def simple_name(type_name: str) -> str:
    """The last word of the name of a type."""
    return type_name.partition("<")[0].rpartition(".")[2].rpartition("$")[2]


def is_customary(bodies: Iterable[ir.Procedure | None], simple: str, name: str, arguments: int) -> bool:
    """Whether nearly all of these close what they get of a method of this name, or make of the class of this one."""
    closing = losing = 0
    for body in bodies:
        fates = set(_fates(body, simple, name, arguments)) if body is not None else set()
        closing += "closed" in fates
        losing += "lost" in fates
    return closing >= max(_FEWEST, _PER_LOSER * losing)


def _fates(body: ir.Procedure, simple: str, name: str, arguments: int) -> Iterator[str]:
    """What becomes of the object, once for each such call."""
    declared = {each.name: simple_name(each.type) for each in body.variables if each.kind != "temporary"}
    for node in body.nodes:
        if not isinstance(node, ir.Call) or node.name != name or len(node.args) != arguments:
            continue
        is_new = node.kind == "new"
        first = node.receiver if is_new else node.dst
        names = _names(body, first) if first else set[str]()
        if (simple_name(node.qualifier) == simple) if is_new else any(declared.get(each) == simple for each in names):
            yield _fate(body, names, node)


def _fate(body: ir.Procedure, names: set[str], made: ir.Call) -> str:
    is_given = False
    for node in body.nodes:
        match node:
            case ir.Call() if node is not made:
                if node.name in _CLOSING and not names.isdisjoint((*node.args, node.receiver)):
                    return "closed"
                is_given = is_given or not names.isdisjoint(node.args)
            case ir.Return(src=src) | ir.Store(src=src) | ir.StoreElement(src=src):
                is_given = is_given or src in names
            case _:
                pass
    return "given" if is_given else "lost"


def _names(body: ir.Procedure, first: str) -> set[str]:
    """The variables that a value is copied to, or cast."""
    names = {first}
    grown = True
    while grown:
        fresh = set(_copied(body, names)) - names
        names |= fresh
        grown = bool(fresh)
    return names


def _copied(body: ir.Procedure, names: set[str]) -> Iterator[str]:
    for node in body.nodes:
        match node:
            case ir.Copy(dst=dst, src=src) if src in names:
                yield dst
            case ir.Op(dst=dst, operator="cast", operands=operands) if operands[:1] and operands[0] in names:
                yield dst
            case _:
                pass
