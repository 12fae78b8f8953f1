"""Whether a patch leaves one place of the code with two ways to do one thing: a close that stays beside one that moves, a comment on what went,
a `finally` that closes by a helper and by hand, a callee that closes what the patch closes.

Takes any method with `close` in its name for a close, and any comment right above a close that goes for one about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.syntax import Node
from fixers import text
from fixers.fix import Edit
from fixers.java.scope import Scope
from fixers.java.statements import (
    CONTAINERS,
    LATER,
    TRIES,
    call_parts,
    completes,
    final_block,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find


def done_in_two_ways(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    own = [each for each in edits if each.span.path == leak.path]
    gone = [each for each in scope.closes() if _is_gone(each, own)]
    for close in gone:
        if other := _stays_beside(scope, close, own):
            return f"`{other}`, which is closed in one go with it, would be closed later"
        if _is_spoken_of(scope, close, own):
            return "the comment above the close stays where that was"
    if any("finally" in each.text for each in own) and not gone and not scope.is_reassigned() and _ends_in_line(scope):
        return f"`{scope.variable}` need not be ended twice"
    if _comes_behind_close(scope, own):
        return f"`{scope.variable}` need not be ended twice"
    if _may_throw_behind_close(scope, own):
        return f"`{scope.variable}` need not be ended twice"
    if _is_closed_around(scope, own):
        return f"the `finally` around it closes `{scope.variable}`, too"
    if helper := _is_closed_by_helper_there(scope, own):
        return f"the `finally` closes by `{helper}`"
    if callee := _closes_it(leak, scope, own):
        return f"`{callee}` closes it, too"
    return ""


def _is_gone(node: Node, edits: Sequence[Edit]) -> bool:
    return any(each.span.start <= node.start and node.end <= each.span.end for each in edits)


def _ends_in_line(scope: Scope) -> bool:
    """Whether the code ends the resource in the block that makes it, on the way that nothing leaves."""
    body = statements(scope.shape.container) if scope.shape.container is not None else []
    return any(each in body for each in scope.closes())


def _comes_behind_close(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a plain release is written where control comes from one that stays, in a block that ends before: it would run twice."""
    plain = (scope.release_statement(), *(() if scope.is_set_to_null() else (f"if ({scope.variable} != null) {{{scope.release_statement()}}}",)))
    words = ["".join(one.split()) for one in plain]
    places = [each.span.start for each in edits if "".join(each.text.split()) in words and each.span.start == each.span.end]
    for close in (each for each in scope.closes() if places and not _is_gone(each, edits)):
        path = scope.tree.path(close.start, close.end)
        for place in (each for each in places if close.end <= each):
            inner = [each for each in path if each.kind in CONTAINERS and each.start <= close.start and each.end <= place]
            is_around = any(each.kind in CONTAINERS and each.start < place < each.end for each in path)
            if inner and is_around and not any(each.kind in LATER for each in path if each.start > inner[0].start) and all(map(completes, inner)):
                return True
    return False


def _may_throw_behind_close(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a close that stays has something behind it in its block that may throw, and what closes on the way of an exception comes around both."""
    places = [each.span.start for each in edits if ".addSuppressed(" in each.text]
    for close in (each for each in scope.closes() if places and not _is_gone(each, edits)):
        path = scope.tree.path(close.start, close.end)
        at = next((n for n, node in enumerate(path) if node is close), 0)
        behind = [each for each in (statements(path[at - 1]) if at else []) if each.start >= close.end]
        is_around = any(each.span.start <= close.start and each.text.strip().startswith("try") for each in edits) and any(close.end <= place for place in places)
        if is_around and any(True for each in behind for _ in find(each, "method_invocation", "object_creation_expression")):
            return True
    return False


def _is_closed_around(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether what closes on the way of an exception, and throws it again, is written into a `try` whose `finally` closes the same, as it stands."""
    for place in (each.span.start for each in edits if ".addSuppressed(" in each.text):
        for owner in scope.tree.path(place, place):
            body, clause = (try_body(owner), final_block(owner)) if owner.kind in TRIES else (None, None)
            if body is not None and clause is not None and body.start < place < body.end and any(not _is_gone(each, edits) for each in scope.closer.closes(clause)):
                return True
    return False


def _stays_beside(scope: Scope, close: Node, edits: Sequence[Edit]) -> str:
    """The parameter, or what wraps it, that a statement right beside a close that goes closes, and that stays: it is left open where something throws before.
    (Another variable of the procedure gets a patch of its own, and both come into one header then.)"""
    given = {scope.tree.text(kid) for each in find(scope.root, "formal_parameter") for kid in each.kids if kid.kind == "identifier"}
    given |= _wrapping(scope)
    path = scope.tree.path(close.start, close.end)
    at = next((n for n, node in enumerate(path) if node is close), 0)
    body = statements(path[at - 1]) if at else []
    if close not in body or any(each.kind in ("finally_clause", "catch_clause") for each in path[:at]):
        return ""
    number = body.index(close)
    for each in (*body[max(number - 1, 0) : number], *body[number + 1 : number + 2]):
        closed = _closed_by(scope, each)
        if closed in given - {scope.variable} and not _is_gone(each, edits) and not _is_idle(scope, closed):
            return closed
    return ""


def _wrapping(scope: Scope) -> set[str]:
    """The variables of what is made over a stream that the procedure is given: that is closed with them."""
    streams = {
        scope.tree.text(each.kids[-1]) for each in find(scope.root, "formal_parameter")
        if each.kids[-1].kind == "identifier" and any(scope.tree.text(kid).endswith(("Stream", "Reader", "Writer")) for kid in each.kids[:-1])
    }
    values = [(scope.tree.text(each.kids[0]), initialiser(each)) for each in find(scope.root, "variable_declarator")]
    return {
        name for name, value in values
        if value is not None and value.kind == "object_creation_expression" and uses(scope.tree, value, streams) and not uses(scope.tree, value, [scope.variable])
    }


def _closed_by(scope: Scope, statement: Node) -> str:
    """The variable that a statement only closes; empty for none."""
    call = child(statement, "method_invocation") if statement.kind == "expression_statement" else None
    if call is None:
        return ""
    receiver, name, given = call_parts(scope.tree, call)
    if "close" not in name.lower():
        return ""
    closed = given[:1] if given else [receiver] if receiver is not None else []
    return next((scope.tree.text(each) for each in closed if each.kind == "identifier"), "")


def _is_idle(scope: Scope, variable: str) -> bool:
    """Whether closing a variable ends nothing: it is of a type that keeps all in memory."""
    types = {written for name, written in scope.leak.linked.types.items() if ir.source_name(name) == variable}
    return any(scope.leak.is_endless(each) or each.rpartition(".")[2] in _IN_MEMORY for each in types)


_IN_MEMORY = frozenset(("ByteArrayInputStream", "ByteArrayOutputStream", "CharArrayReader", "CharArrayWriter", "StringReader", "StringWriter"))


def _is_spoken_of(scope: Scope, close: Node, edits: Sequence[Edit]) -> bool:
    """Whether a comment on the line above a close stays without it, in the middle of what moves in."""
    data = scope.tree.data
    path = scope.tree.path(close.start, close.end)
    at = next((n for n, node in enumerate(path) if node is close), 0)
    following = next((each for each in (statements(path[at - 1]) if at else []) if each.start >= close.end), None)
    if following is None or following.kind == "return_statement" or not any(text.line_start(data, following.start) <= each.span.start <= following.start and each.text.isspace() for each in edits):
        return False
    return any(
        each.end <= close.start and data[each.end : close.start].strip() == b"" and data.count(b"\n", each.end, close.start) == 1
        and not _is_gone(each, edits) and text.starts_line(data, each.start)
        for each in find(scope.root, *COMMENTS)
    )


def _is_closed_by_helper_there(scope: Scope, edits: Sequence[Edit]) -> str:
    """The helper that closes others in a `finally` that a patch writes another kind of close into; empty for none."""
    for clause in find(scope.root, "finally_clause"):
        written = [each for each in edits if clause.start < each.span.start < clause.end and f"{scope.variable}.{scope.release}(" in each.text]
        for call in find(clause, "method_invocation") if written else ():
            _, name, given = call_parts(scope.tree, call)
            if "close" in name.lower() and len(given) == 1 and not _is_gone(call, edits):
                return name
    return ""


def _closes_it(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The method that is given the resource, closes it, and stays as it is; empty for none."""
    closes = scope.closes()
    if all(set(each.text.split()) <= _BLOCKS for each in edits):
        return ""  # No other close is written.
    for number, call in _given(leak, scope):
        start, end = leak.linked.body.start + call.start, leak.linked.body.start + call.end
        if any(each.start <= start and end <= each.end for each in closes) or any(one.span.start <= start and end <= one.span.end for one in edits):
            continue
        given = [ir.source_name(each) for each in call.args]
        if ("close" in call.name.lower() and given == [scope.variable]) or (call.name.lower().startswith("close") and scope.variable in given):
            return call.name  # So it says, whoever knows it.
        places = {f"${n}" for n, name in enumerate(call.args) if ir.source_name(name) == scope.variable}
        for transfer in (one for each in leak.effects.get(number, ()) for one in each.transfers):
            if len(transfer.entry) == 1 and transfer.entry[0] in places and any(each.fate == "released" for each in transfer.outcomes):
                return call.name
    return ""


_BLOCKS = frozenset(("try", "{", "}", "finally"))


def closed_by_its_call(leak: Leak, scope: Scope) -> str:
    """The method that closes a resource without a name, which it is given; empty for none. What it closes at its end is lost only on the way there."""
    shape = scope.shape
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    if call is None or call.kind != "method_invocation":
        return ""
    _, name, given = call_parts(leak.tree, call)
    place = next((f"${n}" for n, each in enumerate(given) if each is shape.outer), "")
    known = [each for number in scope.calls_at(call) for each in leak.effects.get(number, ())]
    is_closed = any(
        transfer.entry == (place,) and any(outcome.fate == "released" for outcome in transfer.outcomes) for each in known for transfer in each.transfers
    )
    return name if is_closed else ""


def _given(leak: Leak, scope: Scope) -> Iterator[tuple[int, ir.Call]]:
    for number, call in enumerate(leak.linked.body.nodes):
        if isinstance(call, ir.Call) and call.kind != "new" and any(ir.source_name(each) == scope.variable for each in call.args):
            yield number, call
