"""Calls: of functions, of what may be macros, through pointers, and of the few built-in ones."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c import clearing, conditions, places, resumed, thread_cleanups
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.words import IN_PARENTHESES, is_assertion, is_same_as_argument, is_told_assertion
from analyzers.syntax import Node

_UNEVALUATED = frozenset(("sizeof", "typeof", "__typeof__", "__alignof__", "offsetof", "__builtin_offsetof"))

_DESCRIPTORS_OF = frozenset(("fileno", "fileno_unlocked", "_fileno"))
_STANDARD = {"stdin": "=0", "stdout": "=1", "stderr": "=2"}
"""The descriptors of the standard streams: no file that a program opens is one of them."""


def call(body: Body, node: Node, want: str) -> str:
    """Lower a call; the operand of its result."""
    return _call(body, node, want)


def run(body: Body, node: Node) -> None:
    """Lower a call whose result is dropped."""
    _call(body, node, None)


def _call(body: Body, node: Node, want: str | None) -> str:
    if len(node.kids) != 2 or node.kids[1].kind != "argument_list":
        return body.unknown(node)
    function, arguments = node.kids
    while function.kind == "parenthesized_expression" and len(function.kids) == 1:
        function = function.kids[0]
    if function.kind == "pointer_expression" and function.kids[0].kind == "*" and len(function.kids) == 2:
        return _through_pointer(body, node, function.kids[1], want)
    if function.kind == "call_expression" and function.kids[0].kind == "identifier":
        return _by_made_name(body, node, function, want)
    if function.kind != "identifier":
        return _through_pointer(body, node, function, want)
    name = body.file.text(function)
    if name in body.nested:
        return _emit(body, node, "function", body.nested[name], "", _arguments(body, arguments), want)
    if name in body.names:
        return _through_pointer(body, node, function, want)
    if name in _UNEVALUATED:
        return "=?"
    if name in _DESCRIPTORS_OF and len(arguments.kids) == 1 and body.file.text(arguments.kids[0]) in _STANDARD:
        return _STANDARD[body.file.text(arguments.kids[0])]
    if is_same_as_argument(name) and arguments.kids:
        return body.value(arguments.kids[0], want or "")
    if (is_assertion(name) and len(arguments.kids) == 1) or (
        is_told_assertion(name) and len(arguments.kids) > 1 and arguments.kids[0].kind != "string_literal"
    ):
        return _assertion(body, node, arguments.kids[0]) if want is None else conditions.as_value(body, arguments.kids[0], want)
    if name in body.file.globals:
        return _through_pointer(body, node, function, want)
    is_cast = function is not node.kids[0] and len(arguments.kids) == 1
    if is_cast and body.is_type(name):
        return body.value(arguments.kids[0], want or "")
    body.file.mentions.add(name)
    if want is None and clearing.ended(body, name, arguments.kids, node):
        return "=?"
    operands = resumed.resumed(body, name, _arguments(body, arguments), arguments.kids, node)
    if thread_cleanups.popped(body, name, operands, node):
        return "=?"
    thread_cleanups.pushed(body, name, operands, node)
    result = _emit(body, node, "function", name, "", operands, want, IN_PARENTHESES if is_cast and want is not None else "")
    clearing.cleared(body, name, operands, arguments.kids, node)
    return result


def _assertion(body: Body, node: Node, claim: Node) -> str:
    """Lower a claim: where it does not hold nothing follows. One that is asked whether it holds (`if (!assert(p != NULL)) return;`)
    is no such: it goes on, and says so."""
    taken, body.open = conditions.condition(body, claim)
    if body.open:
        body.emit(ir.Call(node.start - body.base, node.end - body.base, "", "function", "abort", "", "", ()))
        body.returns()  # as far as this file tells: linking knows that nothing follows
    body.open = taken
    return "=?"


def _through_pointer(body: Body, node: Node, function: Node, want: str | None) -> str:
    while function.kind == "parenthesized_expression" and len(function.kids) == 1:
        function = function.kids[0]
    if function.kind == "cast_expression" and function.kids:
        function = function.kids[-1]
    name = ""
    if function.kind == "identifier":
        name = body.file.text(function)
    elif function.kind == "field_expression" and len(function.kids) == 3:
        name = body.file.text(function.kids[2])
    receiver = body.value(function)
    operands = _arguments(body, node.kids[1])
    if receiver[:2] == "=&":
        return _emit(body, node, "function", receiver[2:], "", operands, want)
    return _emit(body, node, "pointer", name, receiver, operands, want)


def _by_made_name(body: Body, node: Node, made: Node, want: str | None) -> str:
    """A call of what a call gives: mostly of a function whose name a macro makes (`METHOD(open)(file)`). What a function gives that can be
    called owns nothing."""
    operands(body, made.kids[-1].kids)
    return _emit(body, node, "pointer", "", "=?", _arguments(body, node.kids[1]), want)


def _emit(
    body: Body, node: Node, kind: ir.CallKind, name: str, receiver: str, operands: tuple[str, ...],
    want: str | None, qualifier: str = "",
) -> str:
    result = want or ("" if want is None else body.temporary())
    if result[:1] == "%" and kind == "function" and name in body.file.results:
        body.note_type(result, body.file.results[name])
    body.emit(ir.Call(node.start - body.base, node.end - body.base, result, kind, name, qualifier, receiver, operands))
    return result or "=?"


def _arguments(body: Body, arguments: Node) -> tuple[str, ...]:
    return operands(body, arguments.kids)


def operands(body: Body, arguments: list[Node]) -> tuple[str, ...]:
    """Lower arguments, from the left."""
    found: list[str] = []
    for argument in arguments:
        if argument.kind == "compound_statement":
            found.append("=?")
            _block(body, argument)
        elif argument.kind == "pointer_expression" and argument.kids[0].kind == "&" and len(argument.kids) == 2:
            found.append(places.address(body, argument, argument.kids[1], ""))
        else:
            found.append(body.value(argument))
    return tuple(found)


def _block(body: Body, node: Node) -> None:
    """A block given to a macro: it may run, or not."""
    taken, other = body.branch("*", "=?", "", node)
    body.open = taken
    body.statement(node)
    body.open = body.open + other


def of_type(body: Body, node: Node) -> None:
    """A call whose argument is a type."""
    name = body.file.text(node.kids[0]) if node.kids else ""
    body.file.mentions.add(name)
    body.emit(ir.Call(node.start - body.base, node.end - body.base, "", "function", name, "", "", ("=?",)))


def name_alone(body: Body, node: Node) -> None:
    """A name that stands for a statement, as macros do: it is read."""
    name = body.file.text(node)
    if name not in body.names:
        body.file.mentions.add(name)
        start, end = node.start - body.base, node.end - body.base
        body.emit(ir.Load(start, end, body.temporary(), "", name))


def forget(body: Body, argument: Node) -> None:
    """Something assigns this argument a value that is not known."""
    if argument.kind in ("identifier", "field_expression", "subscript_expression", "pointer_expression"):
        places.store(body, argument, places.place(body, argument), "=?")
