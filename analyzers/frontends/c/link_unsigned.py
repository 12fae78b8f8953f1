"""Orders of C that ask no more than whether a number is 0, since it is never negative: `length > 0` of a `size_t` is `length != 0`.

So `if (length != 0) text = copy(data); … if (length > 0) free(text);` is understood to ask one thing twice. Only types that say so by
their names; of a pointer `mapped > 0` asks whether it is null. Other orders stay as they are, and so does what an unsigned number is compared with that means −1. A counter,
which goes by steps of one, keeps its orders: they say how far a loop runs.
"""

from __future__ import annotations

import msgspec

from analyzers import ir

_UNSIGNED = frozenset((
    "size_t", "unsigned", "unsigned int", "unsigned long", "unsigned long int", "unsigned long long", "unsigned short", "unsigned char",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "uintmax_t", "u_int", "u_long", "uint", "ulong", "u8", "u16", "u32", "u64",
    "u_int8_t", "u_int16_t", "u_int32_t", "u_int64_t", "gsize", "guint", "gulong", "guint8", "guint16", "guint32", "guint64", "socklen_t",
))

_ASKED = {(">", "=null"): "!=", ("<=", "=null"): "==", (">", "=0"): "!=", ("<=", "=0"): "==", (">=", "=1"): "!=", ("<", "=1"): "=="}
"""What an order with a number asks of one that is not negative: whether it is (not) 0."""


def without_signs(body: ir.Procedure, known: dict[str, str]) -> ir.Procedure:
    """The procedure with such orders as questions for 0; `known` are the types of its variables."""
    counters = {node.dst for node in body.nodes if isinstance(node, ir.Op) and node.operator in ("+", "-") and node.operands == (node.dst, "=1")}
    nodes = tuple(_asking(node, known) if isinstance(node, ir.Branch) and node.left not in counters else node for node in body.nodes)
    return body if all(new is old for new, old in zip(nodes, body.nodes, strict=True)) else msgspec.structs.replace(body, nodes=nodes)


def _asking(branch: ir.Branch, known: dict[str, str]) -> ir.Branch:
    operator = _ASKED.get((branch.operator, branch.right), "")
    if branch.right == "=null" and operator:
        return msgspec.structs.replace(branch, operator=operator)
    if not operator or known.get(branch.left, "").removeprefix("const ") not in _UNSIGNED:
        return branch
    return msgspec.structs.replace(branch, operator=operator, right="=0")
