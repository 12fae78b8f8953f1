"""Answers of C that a variable holds and that are asked once: `same = fd == wanted; … if (same)` asks `fd == wanted`.

Only whether two things are equal, where neither gets another value between. What is asked twice stays as it is: both questions are about one
variable then.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import reached

_OPPOSITES = {"==": "!=", "!=": "=="}


def with_answers(body: ir.Procedure) -> ir.Procedure:
    """A procedure whose branches ask what such variables are the answers to."""
    given = {each.dst: place for place, each in enumerate(body.nodes) if isinstance(each, ir.Op) and each.operator in _OPPOSITES and len(each.operands) == 2}
    if not given:
        return body
    asked = [(place, each) for place, each in enumerate(body.nodes) if isinstance(each, ir.Branch) and each.left in given and _is_asked(each)]
    nodes = list(body.nodes)
    for place, branch in asked:
        at = given[branch.left]
        answer = nodes[at]
        assert isinstance(answer, ir.Op)
        if sum(each.left == branch.left for _, each in asked) == 1 and _is_as_given(body, at, place):
            operator = answer.operator if branch.operator != "==" else _OPPOSITES[answer.operator]
            left, right = answer.operands if not ir.is_literal(answer.operands[0]) else answer.operands[::-1]
            nodes[place] = msgspec.structs.replace(branch, operator=operator, left=left, right=right)
    return msgspec.structs.replace(body, nodes=tuple(nodes))


def _is_asked(branch: ir.Branch) -> bool:
    return (branch.operator, branch.right) in (("true", ""), ("!=", "=0"), ("==", "=0"))


def _is_as_given(body: ir.Procedure, given: int, asked: int) -> bool:
    """Whether a variable has one value, the answer of a node, and what was compared there is at the branch what it was."""
    answer = body.nodes[given]
    assert isinstance(answer, ir.Op)
    names = [each for each in answer.operands if not ir.is_literal(each)]
    variables = {each.name: each for each in body.variables}
    kept = [variables.get(each) for each in (answer.dst, *names)]
    if not names or answer.dst in names or any(each is None or each.is_address_taken or each.kind not in ("local", "parameter") for each in kept):
        return False
    if [place for place, each in enumerate(body.nodes) if answer.dst in _assigned(each)] != [given]:
        return False
    changes = [ir.ENTRY, *(place for place, each in enumerate(body.nodes) if any(name in _assigned(each) for name in names))]
    elsewhere = (*body.next[:given], (), *body.next[given + 1 :])
    return not any(asked in reached(elsewhere, change) for change in changes)


def _assigned(node: ir.Instruction) -> Iterable[str]:
    return () if isinstance(node, ir.ScopeEnd) else (*getattr(node, "variables", ()), getattr(node, "dst", ""))
