"""Ends of lists that a procedure of C builds: `end = &head; while (…) { *end = cell; end = &cell->next; }`.

What is stored through such a pointer first lies where it began, and what is stored later hangs behind that: all of it is held by the
beginning. The end may have been there before (`while (*end) end = &(*end)->next;`): such pointers are none. Errs to silence: a cell that
is cut off from the list further down is taken to hang there still.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import Cfg, reaching_definitions
from analyzers.graphs.operands import operands
from analyzers.handles.moves import handed_on
from analyzers.summaries import AccessPath


class Begun(msgspec.Struct, frozen=True, gc=False):
    """A list: where it begins, the node that says so, and the member of its cells by which the next one is found."""

    place: AccessPath
    node: int
    link: str


class Tails:
    """The pointers of a procedure of C that go along the list that it builds by them."""

    def __init__(self, nodes: Sequence[ir.Instruction], cfg: Cfg, variables: Mapping[str, ir.Variable], formals: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._cfg = cfg
        self._formals = formals
        stored: dict[str, set[str]] = {}
        for node in cfg.order:
            if isinstance(store := nodes[node], ir.Store) and store.field == "*" and not ir.is_literal(store.src):
                stored.setdefault(store.base, set()).add(store.src)
        self._definitions: dict[str, list[int]] = {name: [] for name in stored if name in variables and not variables[name].is_address_taken and not ir.is_temporary(name)}
        for node in cfg.order if self._definitions else ():
            name = getattr(nodes[node], "dst", "")
            if name in self._definitions:
                self._definitions[name].append(node)
        self._begun = {name: begun for name in self._definitions if (begun := self._find(name, stored[name]))}

    def begun_at(self, name: str, node: int) -> tuple[Begun, bool] | None:
        """The list whose end a pointer is when a node begins, if that may still be its beginning, and whether it may be further down."""
        begun = self._begun.get(name)
        if begun is None:
            return None
        given = reaching_definitions(self._cfg, self._definitions[name], node)
        return (begun, len(given) > 1) if begun.node in given else None

    def _find(self, name: str, stored: set[str]) -> Begun | None:
        begun: list[tuple[AccessPath, int]] = [((f"${self._formals[name]}", "*"), ir.ENTRY)] if name in self._formals else []
        links: set[str] = set()
        cells = set().union(*(self._names_of(each) for each in stored))
        for node in self._definitions[name]:
            place = self._place(self._nodes[node])
            if place is None:
                return None
            if len(place) > 1 and place[-1] != "*" and place[0] in cells:
                links.add(place[-1])
            else:
                begun.append((place, node))
        return Begun(*begun[0], min(links)) if len(links) == len(begun) == 1 else None

    def _names_of(self, stored: str) -> set[str]:
        """The variables that hold what is stored, or what is moved on to that."""
        names = handed_on(self._nodes, stored)
        return names.union(*(operands(each) for each in self._made(stored))) if ir.is_temporary(stored) else names

    def _made(self, temporary: str) -> Iterator[ir.Instruction]:
        return (each for each in self._nodes if isinstance(each, ir.Copy | ir.Op) and each.dst == temporary)

    def _place(self, instruction: ir.Instruction) -> AccessPath | None:
        """The place whose address an instruction gives."""
        match instruction:
            case ir.AddressOf(base=base, field=field) if base:
                return (base, field) if field else (base,)
            case ir.Copy(src=src) if ir.is_temporary(src):
                made = [each for each in self._nodes if getattr(each, "dst", "") == src]
                return self._place(made[0]) if len(made) == 1 else None
            case ir.Copy(src=src) if not ir.is_literal(src):
                return (src, "*")
            case _:
                return None
