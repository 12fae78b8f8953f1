"""Java loops. A `for` over what is not visibly an array is taken to be over an Iterable."""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from .body import Body
from .exits import Target
from .patterns import bindings
from .signatures import attributes_of, written_type
from .statements import dropped, show_bindings


def while_loop(body: Body, node: Node) -> None:
    """`while (c) body`."""
    graph = body.graph
    target = _enter(body)
    mark = len(body.undo)
    entry = graph.open_loop()
    holds, fails = body.condition(node.kids[0])
    graph.pending = holds
    _turn(body, node.kids[1:], target)
    _repeat(body, node, entry)
    graph.pending = fails + target.breaks
    _leave_bindings(body, node.kids[0], mark, target)


def _leave_bindings(body: Body, test: Node, mark: int, target: Target) -> None:
    """After `while (!(x instanceof T t))` without a break, t is visible."""
    if len(body.undo) > mark:
        kept = bindings(body, test, "false") if not target.breaks else set()
        show_bindings(body, mark, body.undo[mark:], kept)


def do_loop(body: Body, node: Node) -> None:
    """`do body while (c)`."""
    graph = body.graph
    target = _enter(body)
    mark = len(body.undo)
    entry = graph.open_loop()
    _turn(body, node.kids[:1], target)
    test = node.kids[1] if len(node.kids) > 1 else node.kids[0]
    holds, fails = body.condition(test)
    graph.pending = holds
    _repeat(body, node, entry)
    graph.pending = fails + target.breaks
    _leave_bindings(body, test, mark, target)


def for_loop(body: Body, node: Node) -> None:
    """`for (init; c; update) body`."""
    graph = body.graph
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = node.end
    before, test, after, rest = _parts(node)
    labels = body.take_labels()
    for kid in before:
        if kid.kind == "local_variable_declaration":
            body.statement(kid)
        else:
            dropped(body, kid)
    body.labels = labels
    target = _enter(body)
    entry = graph.open_loop()
    fails: list[int] = []
    if test is not None:
        graph.pending, fails = body.condition(test)
    _turn(body, rest, target)
    for kid in after:
        dropped(body, kid)
    _repeat(body, node, entry)
    graph.pending = fails + target.breaks
    body.end_scope(mark, node.end - 1, node.end)
    body.close_scope(mark)
    body.scope_end = outer


def _parts(node: Node) -> tuple[list[Node], Node | None, list[Node], list[Node]]:
    """Initialisers, condition, updates and body of a `for`."""
    kids = node.kids
    before: list[Node] = []
    position = 0
    if kids and kids[0].kind == "local_variable_declaration":
        before, position = [kids[0]], 1
    else:
        while position < len(kids) and kids[position].kind != ";":
            before.append(kids[position])
            position += 1
        position += 1
    test: Node | None = None
    if position < len(kids) and kids[position].kind != ";":
        test = kids[position]
        position += 1
    position += 1
    return before, test, kids[position:-1], kids[-1:]


def _enter(body: Body) -> Target:
    target = Target(body.take_labels(), len(body.undo))
    target.is_loop = True
    return target


def _turn(body: Body, nodes: list[Node], target: Target) -> None:
    """One turn of the body; `continue` goes on after it."""
    body.exits.push(target)
    for node in nodes:
        body.statement(node)
    body.exits.pop()
    body.graph.pending = body.graph.pending + target.continues


def _repeat(body: Body, node: Node, entry: int) -> None:
    start, end = node.start - body.start, node.end - body.start
    header = body.graph.close_loop(entry, start, end)
    if header >= 0:
        body.loops.append(ir.Loop(start, end, header))


def for_each(body: Body, node: Node) -> None:
    """`for (T x : e) body`."""
    graph = body.graph
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = node.end
    labels = body.take_labels()
    position = next(i for i, kid in enumerate(node.kids) if kid.kind in ("identifier", "underscore_pattern"))
    name = node.kids[position]
    rest = [kid for kid in node.kids[position + 1 :] if kid.kind != "dimensions"]
    source, code = rest[0], rest[1:]
    written = written_type(body.context, node.kids[: position + 1])
    is_array = _is_array(body, source)
    collection = body.value(source)
    heading = node.kids[1] if node.kids[0].kind == "modifiers" else node.kids[0]
    start, end = heading.start - body.start, source.end - body.start
    iterator = collection
    if not is_array:
        iterator = body.temporary()
        graph.emit_call(ir.Call(start, end, iterator, "virtual", "iterator", "", collection, ()))
    body.labels = labels
    target = _enter(body)
    entry = graph.open_loop()
    if is_array:
        holds, fails = graph.branch(ir.Branch(start, end, "*", "", ""))
    else:
        more = body.temporary()
        graph.emit_call(ir.Call(start, end, more, "virtual", "hasNext", "", iterator, ()))
        holds, fails = graph.branch(ir.Branch(start, end, "true", more, ""))
    graph.pending = holds
    variable = body.declare(
        body.context.text(name), written, name.start, attributes_of(body.context, node.kids)
    )
    target.turn_mark = len(body.undo)
    if is_array:
        graph.emit(ir.LoadElement(start, end, variable, collection, "=?"))
    else:
        graph.emit_call(ir.Call(start, end, variable, "virtual", "next", "", iterator, ()))
    _turn(body, code, target)
    body.end_scope(mark, node.end - 1, node.end)
    body.close_scope(mark)
    body.scope_end = outer
    _repeat(body, node, entry)
    graph.pending = fails + target.breaks


_OF_ARRAY = frozenset(("split", "listFiles", "toArray", "toCharArray", "getBytes"))


def _is_array(body: Body, node: Node) -> bool:
    """Whether the file shows that an expression is an array."""
    while node.kind in ("parenthesized_expression",) and node.kids:
        node = node.kids[0]
    if node.kind == "array_creation_expression":
        return True
    if node.kind == "identifier":
        name = body.context.text(node)
        variable = body.variable(name)
        if variable is not None:
            return body.type_of(name).rstrip().endswith("]")
        found = body.owner.field(name)
        return found is not None and found[1].type.endswith("]")
    if node.kind == "field_access" and node.kids[0].kind == "this":
        found = body.owner.field(body.context.text(node.kids[-1]))
        return found is not None and found[1].type.endswith("]")
    if node.kind == "method_invocation" and len(node.kids) >= 2:
        name = body.context.text(node.kids[-2])
        declared = body.owner.method(name) if len(node.kids) == 2 else None
        if declared is not None:
            return declared[1][0].result.endswith("]")
        is_enum = name == "values" and body.context.text(node.kids[0])[:1].isupper()
        return len(node.kids) > 2 and (is_enum or name in _OF_ARRAY)
    return False


STATEMENTS: dict[str, Callable[[Body, Node], None]] = {
    "while_statement": while_loop,
    "do_statement": do_loop,
    "for_statement": for_loop,
    "enhanced_for_statement": for_each,
}
