"""Statements that a macro heads: `TAILQ_FOREACH(a, b, c) { … }`.

The call of the macro stays, so that linking can say more. A loop runs any number of times; of other
macros the statement runs or does not, and `break` inside leaves the loop around it. Which argument a
loop assigns is known for the usual lists; else it is the first that names a variable.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.frontends.c import calls, switches
from analyzers.frontends.c.body import Body, Target
from analyzers.frontends.c.words import FOREACH_ASSIGNS
from analyzers.syntax import Node


def headed(body: Body, node: Node) -> None:
    """Lower a statement that a macro heads."""
    macro = body.found.blocks[node.start]
    if not body.open and body.entries:
        switches.enter(body, node)
    arguments = _arguments(node.kids[0])
    head = body.mark()
    operands = calls.operands(body, arguments)
    start, end = node.start - body.base, node.kids[0].end - body.base
    body.emit(ir.Call(start, end, "", "function", macro.name, "", "", operands))
    body.file.mentions.add(macro.name)
    taken, other = body.branch("*", "=?", "", node.kids[0])
    body.open = taken
    if not macro.is_loop:
        body.statement(node.kids[1])
        after = body.open
        body.open = other
        for alternative in node.kids[2:]:
            for kid in alternative.kids:
                body.statement(kid)
        body.open = after + body.open
        return
    for number in _assigned(body, macro.name, arguments, body.file.text(node.kids[0])):
        calls.forget(body, arguments[number])
    target = Target(len(body.scopes), "continue")
    body.targets.append(target)
    body.statement(node.kids[1])
    body.targets.pop()
    body.open = body.open + target.continues
    body.repeat(node, head)
    body.open = other + target.breaks


def _arguments(condition: Node) -> list[Node]:
    found: list[Node] = []
    stack = list(reversed(condition.kids))
    while stack:
        node = stack.pop()
        if node.kind == "comma_expression":
            stack += reversed(node.kids)
        else:
            found.append(node)
    return found


_POINTER_TYPE = re.compile(r"\*\s*,")
"""A type among the arguments of a loop: the loop declares what it assigns (`FOREACH(table, const char *, key)`)."""


def _assigned(body: Body, name: str, arguments: list[Node], written: str) -> list[int]:
    known = FOREACH_ASSIGNS.get(name)
    if known is not None:
        return [number for number in known if number < len(arguments)]
    if _POINTER_TYPE.search(written):
        return []
    for number, argument in enumerate(arguments):
        if argument.kind == "identifier" and body.names.get(body.file.text(argument), "::")[:2] != "::":
            return [number]
    return []
