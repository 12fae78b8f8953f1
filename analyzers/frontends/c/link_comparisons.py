"""Comparisons that a procedure makes again, of two values that stay as they are: they answer the same.

`if (length > sizeof buffer) text = malloc(length); … if (length > sizeof buffer) free(text);` asks once, as far as the analyses see: the answer
is a variable of its own, given where the operands are. Only orders of numbers that have one value each (parameters that nobody assigns,
variables with one assignment, constants that are known by name alone, and what is computed of them: `rows * width > 64`); other comparisons with
numbers, and for equality, are understood without.
"""

from __future__ import annotations

import re

import msgspec

from analyzers import ir
from analyzers.frontends.c.constants import is_integer

_ORDERS = {"<": (False, True), ">": (True, True), ">=": (False, False), "<=": (True, False)}
"""What an order is of `a < b`: whether the operands change places, and whether it is that or its opposite."""

_ARITHMETIC = ("*", "+", "-", "/", "%", "<<", ">>")

_DEPTH = 3
"""Operations that a side of a comparison is made of, one in another."""

_WORD = re.compile(r"[A-Za-z_][\w.#]*")
"""A name in the text of an operand."""

_Order = tuple[str, str]
"""What is asked: whether the first is less than the second."""


def with_comparisons(body: ir.Procedure) -> ir.Procedure:
    """A procedure that asks such questions once."""
    asking = [place for place, node in enumerate(body.nodes) if isinstance(node, ir.Branch) and node.operator in _ORDERS]
    if len(asking) < 2:
        return body
    known = _Values(body)
    found: dict[_Order, list[int]] = {}
    for place in asking:
        if (order := known.order(body.nodes[place])) is not None:
            found.setdefault(order, []).append(place)
    nodes, following, raises = list(body.nodes), list(body.next), list(body.raises)
    variables = list(body.variables)
    for number, (order, places) in enumerate(found.items(), 1):
        at = known.given(order)
        if len(places) < 2 or at < 0 or len(following[at]) != 1:
            continue
        name = f"asked%{number}"
        given = nodes[at]
        nodes.append(ir.Op(given.start, given.end, name, "<", tuple("=?" if each[:1] in (":", "(") else each for each in order)))
        following.append(following[at])
        raises.append(())
        following[at] = (len(nodes) - 1,)
        variables.append(ir.Variable(name, "int", "temporary"))
        for place in places:
            branch = nodes[place]
            assert isinstance(branch, ir.Branch)
            is_that = _ORDERS[branch.operator][1]
            nodes[place] = msgspec.structs.replace(branch, operator="!=" if is_that else "==", left=name, right="=0")
    if len(nodes) == len(body.nodes):
        return body
    variables.sort(key=lambda each: each.name)
    return msgspec.structs.replace(body, nodes=tuple(nodes), next=tuple(following), raises=tuple(raises), variables=tuple(variables))


def _is_name(text: str) -> bool:
    return text[:1] != "="


class _Values:
    """Which operands of a procedure have one value, and where they get it."""

    def __init__(self, body: ir.Procedure) -> None:
        self._variables = {each.name: each for each in body.variables}
        self._assigned: dict[str, list[int]] = {}
        self._nodes, self._next = body.nodes, body.next
        for place, node in enumerate(body.nodes):
            for name in (*getattr(node, "variables", ()), getattr(node, "dst", "")) if not isinstance(node, ir.ScopeEnd) else ():
                self._assigned.setdefault(name, []).append(place)

    def order(self, branch: ir.Instruction) -> _Order | None:
        """What a branch asks; None where an operand may change, or one is a number and the other is not computed."""
        assert isinstance(branch, ir.Branch)
        left, right = (self._part(each, _DEPTH) for each in (branch.left, branch.right))
        if not left or not right or (not _is_name(left) and not _is_name(right)):
            return None
        if "=" in (left[:1], right[:1]) and "(" not in (left[:1], right[:1]):
            return None
        return (right, left) if _ORDERS[branch.operator][0] else (left, right)

    def _part(self, operand: str, depth: int) -> str:
        """A number, a name, or what is computed of such, as text; empty where it may change."""
        if ir.is_literal(operand):
            return operand if is_integer(operand) else ""
        at = self._assigned.get(operand, ())
        op = self._nodes[at[0]] if len(at) == 1 and ir.is_temporary(operand) else None
        if isinstance(op, ir.Op) and op.operator in _ARITHMETIC and len(op.operands) == 2:
            parts = [self._part(each, depth - 1) for each in op.operands] if depth else [""]
            return f"({op.operator.join(parts)})" if all(parts) and any(map(_is_name, parts)) else ""
        return self._name(operand)

    def _name(self, operand: str) -> str:
        at = self._assigned.get(operand, ())
        load = self._nodes[at[0]] if len(at) == 1 else None
        if ir.is_temporary(operand):
            is_constant = isinstance(load, ir.Load) and not load.base and load.field.isupper()
            return f"::{load.field}" if is_constant and isinstance(load, ir.Load) else ""
        variable = self._variables.get(operand)
        if variable is None or variable.is_address_taken or "*" in variable.type or "[" in variable.type or ir.is_made_up(operand):
            return ""
        is_number = isinstance(load, ir.Copy) and is_integer(load.src)
        return operand if len(at) == (variable.kind == "local") and variable.kind in ("local", "parameter") and not is_number else ""

    def given(self, order: _Order) -> int:
        """Where all operands have their values: at the later of two assignments; -1 where none is the later one."""
        named = {name for each in order for name in _WORD.findall(each) if name in self._variables and name in self._assigned}
        places = {self._assigned[name][0] for name in named if self._variables[name].kind == "local"}
        if len(places) < 2:
            return next(iter(places), ir.ENTRY)
        if len(places) > 2:
            return -1
        one, other = sorted(places)
        is_behind, is_before = self._leads(one, other), self._leads(other, one)
        return -1 if is_behind is is_before else other if is_behind else one

    def _leads(self, node: int, other: int) -> bool:
        """Whether a way leads from a node to another."""
        seen, waiting = {node}, [node]
        while waiting:
            for following in self._next[waiting.pop()]:
                if following == other:
                    return True
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return False
