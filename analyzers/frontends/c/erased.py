"""Arguments that are no expressions: types and operators are unknown values, statements may run.

`CHECK(x, return -1)` hides control flow in a macro: either way is possible.
"""

from __future__ import annotations

from analyzers.frontends.c.body import Body
from analyzers.frontends.c.trees import move
from analyzers.syntax import C, Node, parse

_BEFORE, _AFTER = b"void f(){", b";}"


def argument(body: Body, node: Node) -> str:
    """Lower what stood where a pre-pass put a 0."""
    span = body.found.statements.get(node.start)
    if span is None:
        return "=?"
    text = body.file.data[span[0] : span[1]]
    syntax = parse(C, _BEFORE + text + _AFTER)
    definitions = syntax.root.kids
    if syntax.errors or len(definitions) != 1 or definitions[0].kind != "function_definition":
        body.broken(*span)
        body.havoc(body.names_in(*span), "statements in an argument", *span)
        return "=?"
    block = definitions[0].kids[-1]
    move(block, span[0] - len(_BEFORE), 0, span[1])
    taken, other = body.branch("*", "=?", "", node)
    body.open = taken
    for statement in block.kids:
        body.statement(statement)
    body.open = body.open + other
    return "=?"
