"""Expressions: the operand that holds one, or what one does whose value nobody wants.

Casts pass their operand on: they keep its identity. A null pointer is `=null` where the other side is
known to be a pointer. Order of evaluation where C leaves it open: right side, then left; arguments from the left.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from analyzers import ir
from analyzers.frontends.c import calls, conditions, erased, literals, places
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.words import NULLS
from analyzers.syntax import Node


def into(body: Body, node: Node, variable: str, span: Node) -> None:
    """Lower `variable = expression`."""
    operand = body.value(node, variable)
    if operand != variable:
        if operand == "=0" and variable in body.pointers:
            operand = "=null"
        elif operand == "=null" and variable not in body.pointers and body.is_number(variable):
            operand = "=0"
        base = body.base
        body.emit(ir.Copy(span.start - base, span.end - base, variable, operand))


def _identifier(body: Body, node: Node, want: str) -> str:
    name = body.file.text(node)
    known = body.names.get(name)
    if known is not None and known[:2] != "::":
        return known
    if known is None:
        if name in NULLS:
            return "=null"
        constant = body.file.constants.get(name)
        if constant is not None:
            return constant
        body.file.mentions.add(name)
        if name in body.file.functions:
            return "=&" + name
        known = "::" + name
    want = want or body.temporary()
    base = body.base
    body.emit(ir.Load(node.start - base, node.end - base, want, "", known[2:]))
    held = body.file.globals.get(known[2:])
    if held and want[0] == "%":
        body.note_type(want, held)
    return want


def _number(body: Body, node: Node, want: str) -> str:
    if node.start in body.found.erased:
        return erased.argument(body, node)
    return literals.number(body.file.text(node))


def _character(body: Body, node: Node, want: str) -> str:
    return literals.character(body.file.text(node))


def _string(body: Body, node: Node, want: str) -> str:
    return literals.string(body.file.text(node))


def _true(body: Body, node: Node, want: str) -> str:
    return "=1"


def _false(body: Body, node: Node, want: str) -> str:
    return "=0"


def _null(body: Body, node: Node, want: str) -> str:
    return "=null"


def _unevaluated(body: Body, node: Node, want: str) -> str:
    return "=?"


def _parenthesized(body: Body, node: Node, want: str) -> str:
    if len(node.kids) != 1:
        return body.unknown(node)
    inner = node.kids[0]
    if inner.kind == "compound_statement":
        return _statement_expression(body, inner, want)
    return body.value(inner, want)


def _statement_expression(body: Body, node: Node, want: str) -> str:
    """GNU `({ …; e; })`: the value is that of the last expression statement."""
    kids = node.kids
    if not kids or kids[-1].kind != "expression_statement" or not kids[-1].kids:
        body.statement(node)
        return "=?"
    body.push(node.start, node.end)
    for kid in kids[:-1]:
        body.statement(kid)
    last = kids[-1].kids[0]
    operand = body.value(last, want)
    if operand in body.scopes[-1].variables:
        kept = want or body.temporary()
        if operand in body.pointers:
            body.pointers.add(kept)
        body.emit(ir.Copy(last.start - body.base, last.end - body.base, kept, operand))
        operand = kept
    body.pop()
    return operand


def _field(body: Body, node: Node, want: str) -> str:
    return places.load(body, node, places.place(body, node), want)


def _pointer(body: Body, node: Node, want: str) -> str:
    argument = node.kids[-1]
    if node.kids[0].kind == "*":
        return places.load(body, node, places.place(body, node), want)
    return places.address(body, node, argument, want)


def _assignment(body: Body, node: Node, want: str) -> str:
    return _assign(body, node, want)


def _assign(body: Body, node: Node, want: str) -> str:
    """Lower an assignment; the operand that holds the value assigned."""
    if len(node.kids) != 3:
        return body.unknown(node)
    left, operator, right = node.kids
    base = body.base
    while left.kind == "parenthesized_expression" and len(left.kids) == 1:
        left = left.kids[0]
    if left.kind == "identifier":
        variable = body.names.get(body.file.text(left), "::")
        if variable[:2] != "::":
            if operator.kind == "=":
                into(body, right, variable, node)
                return variable
            operand = body.value(right)
            sign = operator.kind[:-1]
            if sign in "+-" and variable in body.pointers:
                operand = _stepped(sign, operand)
                sign = "[]+"
            body.emit(ir.Op(node.start - base, node.end - base, variable, sign, (variable, operand)))
            return variable
    operand = body.value(right)
    target = places.place(body, left)
    if left.kind == "call_expression" and target.kind == "variable":
        # A macro that names a place of which this file knows nothing.
        target = places.Place("field", target.base, "*")
    if operator.kind != "=":
        old = places.load(body, left, target, "")
        new = body.temporary()
        sign = operator.kind[:-1]
        if sign in "+-" and old in body.pointers:
            operand = _stepped(sign, operand)
            sign = "[]+"
            body.pointers.add(new)
        body.emit(ir.Op(node.start - base, node.end - base, new, sign, (old, operand)))
        operand = new
    elif operand == "=0" and places.is_pointer(body, target):
        operand = "=null"
    places.store(body, node, target, operand)
    return operand


def _update_value(body: Body, node: Node, want: str) -> str:
    return _update(body, node, True)


def _update(body: Body, node: Node, is_wanted: bool) -> str:
    """`++x`, `x++`; the operand of its value."""
    kids = node.kids
    if len(kids) != 2:
        return body.unknown(node)
    is_prefix = kids[0].kind in ("++", "--")
    argument = kids[1] if is_prefix else kids[0]
    sign = (kids[0] if is_prefix else kids[1]).kind[0]
    base = body.base
    target = places.place(body, argument)
    old = places.load(body, argument, target, "")
    is_pointer = old in body.pointers
    if target.kind == "variable":
        new = old
        if is_wanted and not is_prefix:
            old = body.temporary()
            if is_pointer:
                body.pointers.add(old)
            body.emit(ir.Copy(node.start - base, node.end - base, old, new))
        body.emit(_step(node, base, new, new, sign, is_pointer))
        return new if is_prefix else old
    new = body.temporary()
    if is_pointer:
        body.pointers.add(new)
    body.emit(_step(node, base, new, old, sign, is_pointer))
    places.store(body, node, target, new)
    return new if is_prefix else old


def _step(node: Node, base: int, new: str, old: str, sign: str, is_pointer: bool) -> ir.Op:
    step = "=1" if sign == "+" or not is_pointer else "=-1"
    return ir.Op(node.start - base, node.end - base, new, "[]+" if is_pointer else sign, (old, step))


def _binary(body: Body, node: Node, want: str) -> str:
    kids = node.kids
    if len(kids) != 3:
        return body.unknown(node)
    operator = kids[1].kind
    if operator in ("&&", "||"):
        return conditions.as_value(body, node, want)
    if operator == "-" and _is_type_in_parentheses(body, kids[0]) and kids[2].kind == "number_literal":
        return f"=-{body.file.text(kids[2])}"  # `(socket_t) -1` is a cast.
    if operator in ("&", "*") and _is_cast(body, kids[0], kids[2]):
        return _pointer(body, Node("pointer_expression", kids[1].start, node.end, kids[1:]), want)
    parts = [kids[2]]
    left_node = kids[0]
    operators = [operator]
    while left_node.kind == "binary_expression" and len(left_node.kids) == 3:
        inner = left_node.kids[1].kind
        if inner in ("&&", "||"):
            break
        parts.append(left_node.kids[2])
        operators.append(inner)
        left_node = left_node.kids[0]
    left = body.value(left_node)
    while parts:
        right_node, operator = parts.pop(), operators.pop()
        right = body.value(right_node)
        if operator in ("+", "-") and left not in body.pointers and not parts and _is_cast_to_pointer(body, left_node):
            operator = "[]+"
        left = _operate(body, node.start, right_node.end, operator, left, right, "" if parts else want)
    return left


def _is_cast_to_pointer(body: Body, node: Node) -> bool:
    """Whether a value is cast to a pointer before it is counted with (`(char *) member - offset`)."""
    while node.kind == "parenthesized_expression" and len(node.kids) == 1:
        node = node.kids[0]
    return node.kind == "cast_expression" and len(node.kids) == 2 and body.file.is_pointer(body.file.text(node.kids[0]))


def _is_type_in_parentheses(body: Body, node: Node) -> bool:
    """Whether what looks like a variable in parentheses is a type."""
    if node.kind != "parenthesized_expression" or len(node.kids) != 1 or node.kids[0].kind != "identifier":
        return False
    return body.is_type(body.file.text(node.kids[0]))


_POINTERS = re.compile(r"(?i)(pointer|ptr|pvoid)$")
"""How types of pointers are called."""


def _is_cast(body: Body, left: Node, right: Node) -> bool:
    """Whether `(name) & x` and `(name) * x` cast `&x` and `*x`: where `name` is a type, or nothing else that is known
    and `x` no number."""
    if _is_type_in_parentheses(body, left):
        return True
    if left.kind != "parenthesized_expression" or len(left.kids) != 1 or left.kids[0].kind != "identifier":
        return False
    name = body.file.text(left.kids[0])
    if name in body.names or name in body.file.globals or name in body.file.constants:
        return False
    if right.kind in ("field_expression", "subscript_expression"):
        return _POINTERS.search(name) is not None  # A member may well be a number that is masked.
    variable = body.names.get(body.file.text(right), "") if right.kind == "identifier" else ""
    held = body.types.get(variable, "") if variable else ""
    return bool(held) and not body.is_number(variable) and (
        body.file.is_pointer(held) or body.file.is_struct(held) or _POINTERS.search(name) is not None
    )


_LATEST = 8
"""Nodes back from a mask in which what it rounds is looked for."""


def _operate(body: Body, start: int, end: int, operator: str, left: str, right: str, want: str) -> str:
    if left[0] == "=" and right[0] == "=":
        folded = literals.fold(operator, left, right)
        if folded:
            return folded
    pointers = body.pointers
    makes_pointer = False
    if operator == "+" or operator == "-":
        if left in pointers and right not in pointers:
            makes_pointer = True
            right = _stepped(operator, right)
            operator = "[]+"
        elif operator == "+" and right in pointers:
            operator = "[]+"
            makes_pointer = True
            left, right = right, left
    elif operator == "==" or operator == "!=":
        left, right = conditions.nulls(body, left, right)
    elif operator == "&" and _is_rounded_up(body, left, right):
        operator, right = "[]+", "=?"
    want = want or body.temporary()
    if makes_pointer:
        pointers.add(want)
    body.emit(ir.Op(start - body.base, end - body.base, want, operator, (left, right)))
    return want


def _stepped(operator: str, step: str) -> str:
    """The step of a pointer forwards that `p + step` or `p - step` is."""
    return (literals.negate(step, "-") or step) if operator == "-" else step


def _is_rounded_up(body: Body, left: str, mask: str) -> bool:
    """Whether `left & mask` rounds an address up (`(p + 15) & ~15`); the sum is then a step within what p points to."""
    for number in range(len(body.nodes) - 1, max(len(body.nodes) - _LATEST, 0), -1):
        match body.nodes[number]:
            case ir.Op(dst=dst, operator="~") if dst == mask:
                mask = "=-1"
            case ir.Op(dst=dst, operator="+" | "[]+") as node if dst == left and ir.is_temporary(left):
                if mask[:2] == "=-":
                    body.nodes[number] = msgspec.structs.replace(node, operator="[]+")
                    return True
            case _:
                pass
    return False


def _unary(body: Body, node: Node, want: str) -> str:
    if len(node.kids) != 2:
        return body.unknown(node)
    operator = node.kids[0].kind
    if operator == "!":
        return conditions.as_value(body, node, want)
    operand = body.value(node.kids[1])
    if operator == "+":
        return operand
    negated = literals.negate(operand, operator)
    if negated:
        return negated
    want = want or body.temporary()
    body.emit(ir.Op(node.start - body.base, node.end - body.base, want, operator, (operand,)))
    return want


def _cast(body: Body, node: Node, want: str) -> str:
    if not node.kids:
        return "=?"
    if _is_address_of_address(node.kids[-1]) and "(" in body.file.text(node.kids[0]):
        body.file.suspects.append(node.start)
    operand = body.value(node.kids[-1], want)
    if operand == "=0" and len(node.kids) == 2 and body.file.is_pointer(body.file.text(node.kids[0])):
        return "=null"
    return operand


def _is_address_of_address(node: Node) -> bool:
    """Whether the grammar read `&&x` as two operators."""
    return (
        node.kind == "pointer_expression" and node.kids[0].kind == "&"
        and node.kids[-1].kind == "pointer_expression" and node.kids[-1].kids[0].kind == "&"
    )


def _comma(body: Body, node: Node, want: str) -> str:
    parts = _spine(node, "comma_expression")
    for part in parts[:-1]:
        body.effect(part)
    return body.value(parts[-1], want) if parts else "=?"


def _spine(node: Node, kind: str) -> list[Node]:
    """The parts of a chain that nests to either side."""
    parts: list[Node] = []
    stack = [node]
    while stack:
        at = stack.pop()
        if at.kind == kind:
            stack += reversed(at.kids)
        else:
            parts.append(at)
    return parts


def _conditional(body: Body, node: Node, want: str) -> str:
    return conditions.choose_value(body, node, want)


def _call(body: Body, node: Node, want: str) -> str:
    return calls.call(body, node, want)


def _compound_literal(body: Body, node: Node, want: str) -> str:
    return places.compound_literal(body, node, want)


def _initializer_list(body: Body, node: Node, want: str) -> str:
    variable = want or body.temporary()
    places.initialise(body, variable, "", node)
    return variable


def _generic(body: Body, node: Node, want: str) -> str:
    """`_Generic(x, T: a, …)`: one of the associations, whichever; the selector is not evaluated."""
    choices = [kid for kid in node.kids[1:] if kid.kind != "type_descriptor"]
    if not choices:
        return "=?"
    return conditions.any_of(body, node, choices, want)


def _extension(body: Body, node: Node, want: str) -> str:
    return body.value(node.kids[-1], want) if node.kids else "=?"


def _asm(body: Body, node: Node, want: str) -> str:
    """Inline assembler may write its outputs."""
    written: list[str] = []
    for kid in node.kids:
        if kid.kind == "gnu_asm_output_operand_list":
            written += body.variables_in(kid)
        elif kid.kind == "gnu_asm_input_operand_list":
            for operand in kid.kids:
                if operand.kids:
                    body.value(operand.kids[-1])
    body.havoc(tuple(sorted(set(written))), "inline assembler", node.start, node.end)
    return "=?"


VALUES: dict[str, Callable[[Body, Node, str], str]] = {
    "identifier": _identifier,
    "number_literal": _number,
    "char_literal": _character,
    "string_literal": _string,
    "concatenated_string": _string,
    "true": _true,
    "false": _false,
    "null": _null,
    "sizeof_expression": _unevaluated,
    "alignof_expression": _unevaluated,
    "offsetof_expression": _unevaluated,
    "type_descriptor": _unevaluated,
    "parenthesized_expression": _parenthesized,
    "compound_statement": _statement_expression,
    "field_expression": _field,
    "subscript_expression": _field,
    "pointer_expression": _pointer,
    "assignment_expression": _assignment,
    "update_expression": _update_value,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "cast_expression": _cast,
    "comma_expression": _comma,
    "conditional_expression": _conditional,
    "call_expression": _call,
    "compound_literal_expression": _compound_literal,
    "initializer_list": _initializer_list,
    "generic_expression": _generic,
    "extension_expression": _extension,
    "gnu_asm_expression": _asm,
}


def _effect_call(body: Body, node: Node) -> None:
    calls.run(body, node)


def _effect_assignment(body: Body, node: Node) -> None:
    _assign(body, node, "")


def _effect_update(body: Body, node: Node) -> None:
    _update(body, node, False)


def _effect_parenthesized(body: Body, node: Node) -> None:
    for kid in node.kids:
        if kid.kind == "compound_statement":
            body.statement(kid)
        else:
            body.effect(kid)


def _effect_comma(body: Body, node: Node) -> None:
    for part in _spine(node, "comma_expression"):
        body.effect(part)


def _effect_conditional(body: Body, node: Node) -> None:
    conditions.choose(body, node)


def _effect_binary(body: Body, node: Node) -> None:
    if len(node.kids) == 3 and node.kids[1].kind in ("&&", "||"):
        taken, other = conditions.condition(body, node)
        body.open = taken + other
    else:
        body.value(node)


def _effect_cast(body: Body, node: Node) -> None:
    if node.kids:
        body.effect(node.kids[-1])


def _effect_identifier(body: Body, node: Node) -> None:
    """A name alone: nothing, unless it may be a macro."""
    if body.file.text(node) not in body.names:
        body.value(node)


def _no_effect(body: Body, node: Node) -> None:
    return None


EFFECTS: dict[str, Callable[[Body, Node], None]] = {
    "call_expression": _effect_call,
    "assignment_expression": _effect_assignment,
    "update_expression": _effect_update,
    "parenthesized_expression": _effect_parenthesized,
    "comma_expression": _effect_comma,
    "conditional_expression": _effect_conditional,
    "binary_expression": _effect_binary,
    "cast_expression": _effect_cast,
    "identifier": _effect_identifier,
    "number_literal": _no_effect,
    "sizeof_expression": _no_effect,
}
