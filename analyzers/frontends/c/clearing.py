"""Library calls that end what a pointer holds and clear it (`g_clear_pointer`), or that fill a variable of the procedure's own with zeros: `memset(&item, 0, sizeof item)` sets it as `item = {0}` does,
or with another one: `memcpy(&to, &from, sizeof to)` of pointers is `to = from`.

Only the whole of it counts. Says nothing of what lies behind pointers.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c import places
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.places import canonical
from analyzers.syntax import Node

_CLEARING = {"memset": True, "__builtin_memset": True, "bzero": False, "explicit_bzero": False}
"""The functions, and whether they are told the value."""

_COPYING = frozenset(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"))


def cleared(body: Body, name: str, operands: tuple[str, ...], arguments: list[Node], node: Node) -> None:
    """Emit what a call that has just been emitted does to a variable, if it is one of those."""
    if name in _COPYING and len(arguments) == 3:
        to, source = _variable(body, arguments[0]), _variable(body, arguments[1])
        is_pointer = all(each and body.types[each].endswith("*") for each in (to, source))
        if is_pointer and to != source and _is_whole(body, to, arguments[2]):
            body.emit(ir.Copy(node.start - body.base, node.end - body.base, to, source))
        return
    is_told = _CLEARING.get(name)
    if is_told is None or len(arguments) != 2 + is_told or (is_told and operands[1] != "=0"):
        return
    variable = _variable(body, arguments[0])
    if not variable or not _is_whole(body, variable, arguments[-1]):
        return
    type_text = body.types[variable]
    start, end = node.start - body.base, node.end - body.base
    if type_text.endswith("*"):
        body.emit(ir.Copy(start, end, variable, "=null"))
    elif type_text.endswith("]") or body.file.is_struct(type_text):
        body.emit(ir.Op(start, end, variable, "zero", (), type_text))


def ended(body: Body, name: str, arguments: list[Node], node: Node) -> bool:
    """Lower `g_clear_pointer(&pointer, end)`: the function ends what the pointer holds, if anything, and the pointer is null then; whether
    it is such a call, of a function by its name."""
    if name != "g_clear_pointer" or len(arguments) != 2:
        return False
    held, function = arguments[0], named_function(body, arguments[1])
    if not function or held.kind != "pointer_expression" or len(held.kids) != 2 or held.kids[0].kind != "&":
        return False
    at = places.place(body, held.kids[1])
    value = places.load(body, node, at, "")
    taken, other = body.branch("true", value, "", node)
    body.open = taken
    body.emit(ir.Call(node.start - body.base, node.end - body.base, "", "function", function, "", "", (value,)))
    body.open = body.open + other
    places.store(body, node, at, "=null")
    return True


def named_function(body: Body, node: Node) -> str:
    """The function that an expression names, without its casts; empty if it is computed."""
    while node.kids and node.kind in ("parenthesized_expression", "cast_expression", "pointer_expression"):
        node = node.kids[-1]
    name = body.file.text(node) if node.kind == "identifier" else ""
    if not name or name in body.names or name in body.file.globals:
        return ""
    body.file.mentions.add(name)
    return name


def _variable(body: Body, argument: Node) -> str:
    """The local variable that an argument points to the beginning of; empty where it is none."""
    while argument.kind == "parenthesized_expression" and len(argument.kids) == 1:
        argument = argument.kids[0]
    if argument.kind == "cast_expression" and len(argument.kids) == 2:
        argument = argument.kids[1]
    is_address = argument.kind == "pointer_expression" and len(argument.kids) == 2 and argument.kids[0].kind == "&"
    named = argument.kids[1] if is_address else argument
    name = body.names.get(body.file.text(named), "::") if named.kind == "identifier" else "::"
    known = body.variables.get(name)
    if name[:2] == "::" or known is None or known.kind != "local":
        return ""
    is_array = body.types.get(name, "").endswith("]")
    return name if is_array or (is_address and body.types.get(name)) else ""


def _is_whole(body: Body, variable: str, size: Node) -> bool:
    """Whether a size is that of a variable, or of its type."""
    if size.kind != "sizeof_expression" or not size.kids:
        return False
    operand = size.kids[-1]
    while operand.kind == "parenthesized_expression" and len(operand.kids) == 1:
        operand = operand.kids[0]
    text = body.file.text(operand)
    if operand.kind == "identifier" and body.names.get(text) == variable:
        return True
    return canonical(text) == body.types[variable].removeprefix("const ")
