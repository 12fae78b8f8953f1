"""Statements: the control flow of C as it stands, `goto` and fall-through included.

A jump out of blocks says which variables end there. A region of `#if` becomes a branch on a
variable that is never assigned, one for each condition, so that equal conditions agree.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.frontends.c import calls, conditions, macro_blocks, switches, variables
from analyzers.frontends.c.body import Body, Target
from analyzers.frontends.c.configurations import configuration, refused
from analyzers.syntax import Node


def _compound(body: Body, node: Node) -> None:
    body.push(node.start, node.end)
    for kid in node.kids:
        body.statement(kid)
    body.pop()


def _expression(body: Body, node: Node) -> None:
    if not body.open and body.entries:
        switches.enter(body, node)
    if variables.through_macro(body, node):
        return
    for kid in node.kids:
        if kid.start in body.found.computed:
            body.value(kid)
            body.go_anywhere(node)
        else:
            body.effect(kid)
    if not node.kids:
        _taken_out(body, node)


def _taken_out(body: Body, node: Node) -> None:
    """A `;` that stands for a label, or for inline assembler."""
    label = body.found.labels.get(node.start)
    if label is not None:
        body.label(label)
    assembler = body.found.assembler.get(node.start)
    if assembler is not None:
        body.havoc(body.names_in(*assembler), "inline assembler", *assembler)


def _if(body: Body, node: Node) -> None:
    """`if`, along a chain of `else if` without recursion."""
    after: list[int] = []
    if node.start in body.found.blocks:
        macro_blocks.headed(body, node)
        return
    while True:
        kids = node.kids
        if len(kids) < 2:
            body.unknown(node)
            break
        taken, other = conditions.condition(body, kids[0])
        body.open = taken
        body.statement(kids[1])
        after += body.open
        body.open = other
        if len(kids) < 3 or not kids[2].kids:
            break
        node = kids[2].kids[-1]
        if node.kind != "if_statement":
            body.statement(node)
            break
    body.open = after + body.open


def _while(body: Body, node: Node) -> None:
    if node.start in body.found.blocks:
        macro_blocks.headed(body, node)
        return
    if len(node.kids) < 2:
        body.unknown(node)
        return
    head = body.mark()
    taken, other = conditions.condition(body, node.kids[0])
    body.open = taken
    target = Target(len(body.scopes), "continue")
    body.targets.append(target)
    body.statement(node.kids[-1])
    body.targets.pop()
    body.open += target.continues
    body.repeat(node, head)
    body.open = other + target.breaks


def _do(body: Body, node: Node) -> None:
    if len(node.kids) < 2:
        body.unknown(node)
        return
    head = body.mark()
    target = Target(len(body.scopes), "continue")
    body.targets.append(target)
    body.statement(node.kids[0])
    body.targets.pop()
    body.open += target.continues
    taken, other = conditions.condition(body, node.kids[-1])
    body.open = taken
    body.repeat(node, head)
    body.open = other + target.breaks


def _for(body: Body, node: Node) -> None:
    kids = node.kids
    if not kids:
        body.unknown(node)
        return
    body.push(node.start, node.end)
    parts: list[list[Node]] = [[]]
    for kid in kids[:-1]:
        if kid.kind == ";":
            parts.append([])
        elif kid.kind == "declaration":
            body.statement(kid)
            parts.append([])
        else:
            parts[-1].append(kid)
    parts += [[], [], []]
    for kid in parts[0]:
        body.effect(kid)
    head = body.mark()
    other: list[int] = []
    if parts[1]:
        body.open, other = conditions.condition(body, parts[1][0])
    target = Target(len(body.scopes), "continue")
    body.targets.append(target)
    body.statement(kids[-1])
    body.targets.pop()
    body.open += target.continues
    if body.open:
        for kid in parts[2]:
            body.effect(kid)
    body.repeat(node, head)
    body.open = other + target.breaks
    body.pop()


def _break(body: Body, node: Node) -> None:
    if not body.targets:
        body.leave_macro(node, "=break")
        return
    target = body.targets[-1]
    body.leave(target.depth, node.start, node.end)
    target.breaks += body.open
    body.open = []


def _continue(body: Body, node: Node) -> None:
    for target in reversed(body.targets):
        if target.takes_continue:
            body.leave(target.depth, node.start, node.end)
            target.continues += body.open
            body.open = []
            return
    body.leave_macro(node, "=continue")


def _return(body: Body, node: Node) -> None:
    operand = ""
    if node.kids:
        operand = body.value(node.kids[0])
        if operand == "=0" and body.file.is_pointer(body.result):
            operand = "=null"
    if body.has_cleanups():
        if operand and operand[0] not in "=%":
            kept = body.temporary()
            body.emit(ir.Copy(node.start - body.base, node.end - body.base, kept, operand))
            operand = kept
        body.clean(node.start, node.end)
    body.emit(ir.Return(node.start - body.base, node.end - body.base, operand))
    body.returns()


def _goto(body: Body, node: Node) -> None:
    if not node.kids:
        body.unknown(node)
        return
    body.go_to(body.file.text(node.kids[0]), node)


def _labeled(body: Body, node: Node) -> None:
    body.label(body.file.text(node.kids[0]))
    for kid in node.kids[1:]:
        if kid.kind not in ("attribute_specifier", "attribute_declaration"):
            body.statement(kid)


def _attributed(body: Body, node: Node) -> None:
    for kid in node.kids:
        if kid.kind != "attribute_declaration":
            body.statement(kid)


def _nothing(body: Body, node: Node) -> None:
    return None


def _define(body: Body, node: Node) -> None:
    body.file.defines.append(node.start)


def _name(body: Body, node: Node) -> None:
    """`NAME;` that was read as a type: perhaps a macro."""
    calls.name_alone(body, node)


def _macro_type(body: Body, node: Node) -> None:
    """`NAME(…);` that was read as a type: a call, of whose arguments one looks like a type."""
    body.file.suspects.append(node.start)
    calls.of_type(body, node)


def _error(body: Body, node: Node) -> None:
    body.broken(node.start, node.end)
    body.havoc(body.variables_in(node), "syntax error", node.start, node.end)


STATEMENTS: dict[str, Callable[[Body, Node], None]] = {
    "compound_statement": _compound,
    "expression_statement": _expression,
    "declaration": variables.declaration,
    "type_definition": variables.type_definition,
    "struct_specifier": variables.specifier,
    "union_specifier": variables.specifier,
    "enum_specifier": variables.specifier,
    "function_definition": variables.nested_function,
    "if_statement": _if,
    "while_statement": _while,
    "do_statement": _do,
    "for_statement": _for,
    "switch_statement": switches.switch,
    "case_statement": switches.case,
    "break_statement": _break,
    "continue_statement": _continue,
    "return_statement": _return,
    "goto_statement": _goto,
    "labeled_statement": _labeled,
    "attributed_statement": _attributed,
    "preproc_if": configuration,
    "preproc_ifdef": configuration,
    "preproc_def": _define,
    "preproc_function_def": _define,
    "preproc_call": refused,
    "preproc_include": _nothing,
    "attribute_declaration": _nothing,
    "attribute_specifier": _nothing,
    "primitive_type": _nothing,
    "type_identifier": _name,
    "sized_type_specifier": _nothing,
    "macro_type_specifier": _macro_type,
    "ERROR": _error,
}
