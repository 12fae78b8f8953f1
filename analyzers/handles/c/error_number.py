"""What `errno` is for a procedure that reads it: the number of what has failed, so that `return -errno;` answers below zero.

Reports wrongly where a procedure reads it though nothing has failed: who looks whether it is 0, or sets it to 0 first, is not believed to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.domains.guard import POSITIVE, TOP, Value
from analyzers.summaries import AccessPath

ERROR_NUMBER: AccessPath = ("::errno",)

_NAME = ERROR_NUMBER[0].removeprefix("::")
_COMPARING = frozenset(("==", "!=", "<", ">", "<=", ">=", "!"))


def error_number(nodes: Sequence[ir.Instruction]) -> Value:
    """What `errno` is wherever these instructions read it."""
    read = {node.dst for node in nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("", _NAME)}
    for node in nodes:
        match node:
            case ir.Store(base="", field=field, src="=0") if field == _NAME:
                return TOP
            case ir.Branch(left=left, right=right) if {left, right} & read and {left, right} & {"=0", "=null"}:
                return TOP
            case ir.Op(operator=operator, operands=operands) if operator in _COMPARING and read.intersection(operands):
                if len(operands) == 1 or {"=0", "=null"}.intersection(operands):
                    return TOP
            case _:
                continue
    return POSITIVE


def is_constant(operand: str, loads: Mapping[str, AccessPath]) -> bool:
    """Whether something is known of an operand by itself: a literal, or what was read of `errno`."""
    return operand != "=?" if ir.is_literal(operand) else loads.get(operand) == ERROR_NUMBER
