"""Tests one after the other of one value against every value that it can have: the last of them is not missed.

A switch that names all enumerators of its enum needs no `default`, nor one over `n & 3` with four labels; compilers warn of the
former where one is missing. Says too much where a number was cast to the enum; enums of bits are left alone.
"""

from __future__ import annotations

import re

import msgspec

from analyzers import ir
from analyzers.frontends.c.constants import is_integer
from analyzers.queries import Queries

_MOST_MASKED = 15
_IS_COUNT = re.compile(r"(?i)(?:^|_)(?:max|num|count|last|end|size|total|nr|n|sentinel)(?:_|$)|(?:Max|Count|Last|Num|End|Size)(?![a-z])")
"""Enumerators that say how many others there are: nothing has such a value."""


def without_missed_tests(path: str, body: ir.Procedure, known: dict[str, str], queries: Queries) -> ir.Procedure:
    """The procedure without the edges that no value is left for; `known` are the types of its variables."""
    following = list(body.next)
    seen: set[int] = set()
    for place, node in enumerate(body.nodes):
        if place in seen or not _is_test(node):
            continue
        chain = _chain(body, place)
        seen.update(chain)
        if len(chain) < 2:
            continue
        tested = frozenset(getattr(body.nodes[each], "right", "") for each in chain)
        if _is_complete(path, body, node, known, queries, tested):
            last = chain[-1]
            following[last] = (following[last][0],)
    if following == list(body.next):
        return body
    nodes = tuple(
        ir.ScopeEnd(node.start, node.end, ()) if isinstance(node, ir.Branch) and len(following[place]) < len(body.next[place]) else node
        for place, node in enumerate(body.nodes)
    )
    return msgspec.structs.replace(body, nodes=nodes, next=tuple(following))


def _is_test(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Branch) and node.operator == "==" and ir.is_literal(node.right) and not ir.is_literal(node.left)


def _chain(body: ir.Procedure, first: int) -> list[int]:
    """The tests of the same value that follow one another where each is missed."""
    found = [first]
    value = getattr(body.nodes[first], "left", "")
    while len(body.next[found[-1]]) == 2:
        place = body.next[found[-1]][1]
        while isinstance(body.nodes[place], ir.Copy) and ir.is_temporary(getattr(body.nodes[place], "dst", "")):
            place = body.next[place][0]
        if place in found or not _is_test(body.nodes[place]) or getattr(body.nodes[place], "left", "") != value:
            break
        found.append(place)
    return found


def _is_complete(
    path: str, body: ir.Procedure, test: ir.Instruction, known: dict[str, str], queries: Queries, tested: frozenset[str]
) -> bool:
    value = getattr(test, "left", "")
    made = [node for node in body.nodes if getattr(node, "dst", "") == value] if ir.is_temporary(value) else []
    match made:
        case [ir.Op(operator="&", operands=(_, mask))] if ir.is_literal(mask):
            number = _number(mask)
            return 0 < number <= _MOST_MASKED and tested >= {f"={each}" for each in range(number + 1) if each & number == each}
    written = known.get(value, "").removeprefix("const ")
    if not written or written in ("int", "char") or "*" in written:
        return False
    declared = queries.c_type(path, written)
    if declared is None or declared.kind != "enum" or len(declared.fields) < 2:
        return False
    values = [each.type for each in declared.fields]
    if not tested.issubset(values):
        return False  # Not all enumerators are known: some come from a macro.
    if _IS_COUNT.search(declared.fields[-1].name) and len(values) > 2:
        values.pop()
    return "=?" not in values and not _are_bits(values) and tested.issuperset(values)


def _are_bits(values: list[str]) -> bool:
    """Whether the values of an enum are made to be joined: powers of two, three of them or more."""
    numbers = {_number(each) for each in values} - {0}
    return len(numbers) > 2 and all(each > 0 and each & (each - 1) == 0 for each in numbers)


def _number(literal: str) -> int:
    return int(literal[1:]) if is_integer(literal) else -1
