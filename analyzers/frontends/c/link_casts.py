"""Casts of C that look like calls: `(handle)(text + 8)`, where a header says that `handle` is a type.

Which it is, nobody can tell from one file: lowering marks calls of a name in parentheses, linking looks the name up.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c.words import IN_PARENTHESES
from analyzers.queries import Queries


def with_casts(path: str, body: ir.Procedure, queries: Queries) -> ir.Procedure:
    """A procedure with the calls of types as what they are."""
    if not any(isinstance(node, ir.Call) and node.qualifier == IN_PARENTHESES for node in body.nodes):
        return body
    nodes = tuple(_cast(path, node, queries) if isinstance(node, ir.Call) else node for node in body.nodes)
    return msgspec.structs.replace(body, nodes=nodes)


def _cast(path: str, call: ir.Call, queries: Queries) -> ir.Instruction:
    if call.qualifier != IN_PARENTHESES or len(call.args) != 1 or not call.dst or queries.functions(path, call.name):
        return call
    declared = queries.type_heading(path, call.name)
    if declared is None or declared.kind != "typedef" or declared.name != call.name:
        return call
    return ir.Op(call.start, call.end, call.dst, "cast", call.args)
