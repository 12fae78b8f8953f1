"""Calls that go on with a text that another call of the same function was given: `strtok(text, ","); … strtok(NULL, ",")`.

Where a call is given no text, it is lowered as if it were given the one of the call before it. For `strtok_r` those count
that are given the same pointer to keep where they are. Says nothing of texts that other functions have begun.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.syntax import Node

_KEPT_AT = {"strtok": 0, "strtok_r": 2, "__strtok_r": 2, "strtok_s": 2, "wcstok": 2}
"""The functions, and the argument that says where each keeps how far it has come; 0 where nothing says it."""


def resumed(body: Body, name: str, operands: tuple[str, ...], arguments: list[Node], node: Node) -> tuple[str, ...]:
    """The operands of a call that is about to be emitted, with the text that it goes on with. Emits what keeps a text that is begun."""
    kept = _KEPT_AT.get(name)
    if kept is None or not operands:
        return operands
    key = f"{name} {body.file.text(arguments[kept])}" if 0 < kept < len(arguments) else name
    if operands[0] == "=null":
        known = body.begun.get(key)
        return (known, *operands[1:]) if known else operands
    if operands[0] and not ir.is_literal(operands[0]):
        variable = body.begun[key] = body.begun.get(key) or body.join()
        body.emit(ir.Copy(node.start - body.base, node.end - body.base, variable, operands[0]))
    return operands
