"""Java `try`: catch, finally, resources.

A `finally` has one copy per continuation (`exits`). A resource is closed, if it is not null, on every
way out of its block, the last declared first; what `close` throws after an exception is suppressed.
Handlers of a block without a call are entered by a branch that nothing decides: the checks of the run
time (an index, a cast, a null) have no edges.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from .body import Body
from .exits import Barrier
from .signatures import attributes_of, written_type
from .type_nodes import is_type, type_text


def try_statement(body: Body, node: Node) -> None:
    """`try (resources) { } catch (E e) { } finally { }`."""
    catches = [kid for kid in node.kids if kid.kind == "catch_clause"]
    last = node.kids[-1]
    if last.kind != "finally_clause":
        _with_catches(body, node, catches)
        return
    graph = body.graph
    outer = graph.unwind
    barrier = Barrier(len(body.undo))
    handler = graph.handler()
    graph.unwind = (handler,)
    declared = len(body.declared)
    body.exits.push(barrier)
    _with_catches(body, node, catches)
    body.exits.pop()
    graph.unwind = outer
    gone = body.declared[declared:]

    def copy() -> None:
        for kid in last.kids:
            body.statement(kid)

    closing = (last.end - 1, last.end)
    if graph.pending:
        copy()
    after = graph.pending
    body.exits.resume(barrier, copy, closing)
    caught = _enter(body, handler, (last.start, last.start + len("finally")), (ir.ANY_EXCEPTION,), gone)
    copy()
    graph.throw(ir.Throw(closing[0] - body.start, closing[1] - body.start, caught))
    graph.pending = after


def _enter(body: Body, handler: int, span: tuple[int, int], types: tuple[str, ...], gone: list[str]) -> str:
    """Begin a handler: what the protected block declared is gone there."""
    caught = body.temporary()
    body.graph.enter(handler, ir.Catch(span[0] - body.start, span[1] - body.start, caught, types))
    body.bury(gone, *span)
    return caught


def _with_catches(body: Body, node: Node, catches: list[Node]) -> None:
    graph = body.graph
    outer = graph.unwind
    handlers = [graph.handler() for _ in catches]
    resources = [
        each
        for kid in node.kids
        if kid.kind == "resource_specification"
        for each in kid.kids
        if each.kind == "resource"
    ]
    blocks = [kid for kid in node.kids if kid.kind == "block"]
    is_doubted = bool(catches) and not resources and not any(map(_may_throw, blocks))
    entries = _doubted(body, catches) if is_doubted else []
    graph.unwind = (*handlers, *outer)
    declared = len(body.declared)
    for block in blocks:
        _with_resources(body, resources, block)
    graph.unwind = outer
    joined = graph.pending
    gone = body.declared[declared:]
    for position, (handler, clause) in enumerate(zip(handlers, catches, strict=True)):
        _catch(body, handler, clause, gone, entries[position] if entries else [])
        joined = joined + graph.pending
    graph.pending = joined


_THROWERS = frozenset(
    (
        "method_invocation", "object_creation_expression", "throw_statement", "enhanced_for_statement",
        "assert_statement", "try_with_resources_statement",
    )
)  # fmt: skip


def _may_throw(block: Node) -> bool:
    """Whether something in a block has exceptional edges."""
    work = [block]
    while work:
        node = work.pop()
        if node.kind in _THROWERS:
            return True
        if node.kind not in ("lambda_expression", "class_body"):
            work.extend(node.kids)
    return False


def _doubted(body: Body, catches: list[Node]) -> list[list[int]]:
    """Edges into handlers that only checks of the run time reach: either way, nothing known."""
    entries = []
    for clause in catches:
        start = clause.start - body.start
        taken, body.graph.pending = body.graph.branch(ir.Branch(start, start, "*", "", ""))
        entries.append(taken)
    return entries


def _catch(body: Body, handler: int, clause: Node, gone: list[str], entries: list[int]) -> None:
    formal = next((kid for kid in clause.kids if kid.kind == "catch_formal_parameter"), None)
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = clause.end
    types: tuple[str, ...] = ()
    variable = ""
    start, end = clause.start, clause.start + len("catch")
    if formal is not None:
        start, end = formal.start, formal.end
        types = tuple(
            type_text(body.context, each)
            for kid in formal.kids
            if kid.kind == "catch_type"
            for each in kid.kids
            if is_type(each)
        )
        for each in types:
            body.context.mention(each)
        name = formal.kids[-1]
        if name.kind == "identifier":
            attributes = attributes_of(body.context, formal.kids)
            variable = body.declare(body.context.text(name), "|".join(types), name.start, attributes)
    body.graph.enter(
        handler,
        ir.Catch(start - body.start, end - body.start, variable or body.temporary(), types or ("Throwable",)),
        entries,
    )
    body.bury(gone, start, end)
    for kid in clause.kids:
        if kid.kind == "block":
            body.statement(kid)
    body.end_scope(mark, clause.end - 1, clause.end)
    body.close_scope(mark)
    body.scope_end = outer


def _with_resources(body: Body, resources: list[Node], block: Node) -> None:
    if not resources:
        body.statement(block)
        return
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = block.end
    resource, rest = resources[0], resources[1:]
    variable = _acquire(body, resource)
    if not variable:
        _with_resources(body, rest, block)
    else:
        _protect(body, resource, variable, rest, block)
    body.end_scope(mark, block.end - 1, block.end)
    body.close_scope(mark)
    body.scope_end = outer


def _acquire(body: Body, resource: Node) -> str:
    """Lower what a resource is; answers the operand that is to be closed."""
    if not resource.kids:
        return ""
    if len(resource.kids) < 3 or resource.kids[-2].kind != "=":
        return body.value(resource.kids[-1])
    name = resource.kids[-3]
    written = written_type(body.context, resource.kids)
    attributes = attributes_of(body.context, resource.kids)
    variable = body.declare(body.context.text(name), written, name.start, ("final", *attributes))
    source = resource.kids[-1]
    operand = body.value(source, variable)
    if operand != variable:
        body.graph.emit(ir.Copy(resource.start - body.start, resource.end - body.start, variable, operand))
    return variable


def _protect(body: Body, resource: Node, variable: str, rest: list[Node], block: Node) -> None:
    graph = body.graph
    outer = graph.unwind
    barrier = Barrier(len(body.undo))
    handler = graph.handler()
    graph.unwind = (handler,)
    declared = len(body.declared)
    body.exits.push(barrier)
    _with_resources(body, rest, block)
    body.exits.pop()
    graph.unwind = outer
    gone = body.declared[declared:]

    def close() -> None:
        _close(body, resource, variable)

    closing = (block.end - 1, block.end)
    if graph.pending:
        close()
    after = graph.pending
    body.exits.resume(barrier, close, closing)
    caught = _enter(body, handler, (resource.start, resource.end), (ir.ANY_EXCEPTION,), gone)
    suppressed = graph.handler()
    graph.unwind = (suppressed,)
    close()
    graph.unwind = outer
    done = graph.pending
    span = (resource.start - body.start, resource.end - body.start)
    graph.enter(suppressed, ir.Catch(*span, body.temporary(), (ir.ANY_EXCEPTION,)))
    graph.pending = done + graph.pending
    graph.throw(ir.Throw(*span, caught))
    graph.pending = after


def _close(body: Body, resource: Node, variable: str) -> None:
    """Close a resource unless it is null (what `new` made never is)."""
    graph = body.graph
    start, end = resource.start - body.start, resource.end - body.start
    skipped: list[int] = []
    if resource.kids[-1].kind != "object_creation_expression":
        graph.pending, skipped = graph.branch(ir.Branch(start, start, "!=", variable, "=null"))
    graph.emit_call(ir.Call(start, end, "", "virtual", "close", "", variable, ()))
    graph.pending = graph.pending + skipped


STATEMENTS: dict[str, Callable[[Body, Node], None]] = {
    "try_statement": try_statement,
    "try_with_resources_statement": try_statement,
}
