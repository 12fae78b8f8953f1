"""Where a plainer form than that of a patch is at hand, which somebody would ask for: what merely goes back to a pool gets a `finally` that the
file has for none such, a block goes around the one that opens something though it could begin behind that, a close by another name stays in the new block.

Goes by names and shapes: it may doubt a patch that is right, and never makes one safe.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.close_in_finally import in_loop, others_of
from fixers.java.region import is_close
from fixers.java.scope import Scope
from fixers.java.statements import (
    assigns,
    call_parts,
    catches,
    completes,
    declarators,
    initialiser,
    statements,
)
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find, parse_file


def plainer_form(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    if _ends_plainly_elsewhere(leak, scope, edits):
        return f"a plain `{scope.release}` is what the file would have"
    if _skips_others(leak, scope, edits):
        return f"where closing `{scope.variable}` throws, the rest of the `finally` does not run"
    if _closes_twice(scope, edits):
        return f"`{scope.variable}` need not be closed twice"
    if _closes_the_last(scope, edits):
        return f"the loop opens more than the last `{scope.variable}`"
    if _begins_before_opening(scope, edits):
        return "the block could begin behind the `try` that opens it"
    if _asks_twice(scope, edits):
        return f"`{scope.variable}` need not be asked for null twice"
    if _is_in_header_inside(scope, edits):
        return f"a header inside of the block closes `{scope.variable}`, too"
    if _begins_before_given(scope, edits):
        return f"the block could begin where `{scope.variable}` is opened"
    if name := _closes_what_it_makes(scope, edits):
        return f"`{name}`, which it makes, could be in the header, too"
    return ""


def closed_by_another_name(scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable whose getter gives a nameless resource, made inside of what that holds, to a close that stays where it is; empty for none."""
    value = scope.shape.expression
    around = [
        each for each in find(scope.root, "variable_declarator")
        if (given := initialiser(each)) is not None and given.start < value.start and value.end <= given.end
    ]
    names = {scope.tree.text(each.kids[0]) for each in around}
    for call in find(scope.root, "method_invocation"):
        receiver, name, _ = call_parts(scope.tree, call)
        holder = call_parts(scope.tree, receiver)[0] if receiver is not None and receiver.kind == "method_invocation" else None
        if name == scope.release and holder is not None and scope.tree.text(holder) in names and not _goes(call, edits):
            return scope.tree.text(holder)
    return ""


def _ends_plainly_elsewhere(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `finally` is written for what merely goes back to a pool, where no other `finally` of the file gives such back."""
    if scope.release not in _GIVING_BACK or not any("finally" in each.text for each in edits):
        return False
    root = parse_file("java", leak.data).root
    clauses = list(find(root, "finally_clause"))
    places = [each.start for each in find(root, "method_invocation") if child(each, "argument_list") is not None and _called(leak.data, each) == scope.release]
    return not any(clause.start < at < clause.end for clause in clauses for at in places)


_GIVING_BACK = frozenset(("recycle",))
"""Releases whose lack costs little: nobody moves a block in for them."""


def _called(data: bytes, call: Node) -> str:
    """The name of the method that a call names, of any file."""
    last = next((n for n, kid in enumerate(call.kids) if kid.kind == "argument_list"), 0)
    return data[call.kids[last - 1].start : call.kids[last - 1].end].decode("utf-8", "replace") if last else ""


def _skips_others(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a close that may throw, and was not there, comes before others in a `finally`: they were sure to run so far."""
    for clause in find(scope.root, "finally_clause") if leak.caught else ():
        block = child(clause, "block")
        written = [
            each for each in edits
            if clause.start < each.span.start < clause.end and f"{scope.variable}.{scope.release}(" in each.text and "try {" not in each.text
        ]
        others = others_of(scope, block) if block is not None else []
        if any(not _goes(each, edits) and each.start >= one.span.start for one in written for each in others):
            return True
    return False


def _closes_twice(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether the code goes on to close, right behind it, what a patch closes in a `finally`, or does so elsewhere in that."""
    clauses = list(find(scope.root, "finally_clause"))
    written = [
        each.span.end for each in edits if f"{scope.variable}.{scope.release}(" in each.text
        and ("} finally {" in each.text or any(clause.start < each.span.start < clause.end for clause in clauses))
    ]
    if any(_is_closed_in(scope, clause, edits) for clause in clauses):
        return True
    for close in (each for each in scope.closes() if not _goes(each, edits)):
        container = scope.tree.path(close.start, close.end)[-2]
        given = [each.start for each in assigns(scope.tree, scope.root, scope.variable)]
        if any(container.start < at <= close.start and not any(at <= each < close.start for each in given) for at in written):
            return True
    return False


def _is_closed_in(scope: Scope, clause: Node, edits: Sequence[Edit]) -> bool:
    """Whether a patch closes in a `finally` what that closes itself, elsewhere, whoever handles its failure there."""
    closes = [
        each for each in find(clause, "method_invocation")
        if (parts := call_parts(scope.tree, each))[1] == scope.release and parts[0] is not None and scope.tree.text(parts[0]) == scope.variable
    ]
    is_written = any(f"{scope.variable}.{scope.release}(" in each.text and clause.start < each.span.start < clause.end for each in edits)
    return is_written and not all(_goes(each, edits) for each in closes)


def _closes_the_last(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `finally` behind a loop closes what that has opened in its last turn, and nothing uses that but the rest of the turn: each turn
    opens another."""
    found = scope.declaration()
    loop = in_loop(scope.shape, found[0]) if found is not None and scope.shape.kind == "assigned" else None
    container, given = scope.shape.container, scope.shape.statement
    left = [*scope.closes(), found[0]] if found is not None else []
    if loop is None or container is None or not all(given.start <= each.start < container.end for each in scope.closer.mentions(scope.root, left)):
        return False
    clauses = list(find(scope.root, "finally_clause"))
    written = [each for each in edits if each.span.start >= loop.end and f"{scope.variable}.{scope.release}(" in each.text]
    return any("finally" in each.text or any(clause.start < each.span.start < clause.end for clause in clauses) for each in written)


def _begins_before_opening(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new block begins before the `try` that gives a variable its value, whose handlers all leave: behind it the variable has one."""
    shape = scope.shape
    owners = [
        each for each in shape.path
        if each.kind == "try_statement" and catches(each) and (block := child(each, "block")) is not None and block is shape.container
    ]
    for owner in owners if shape.kind == "assigned" else ():
        blocks = [child(each, "block") for each in catches(owner)]
        is_left = all(block is not None and not completes(block) for block in blocks)
        begins = any("try {" in each.text and each.span.start <= owner.start for each in edits)
        ends = any("finally" in each.text and each.span.start > owner.end for each in edits)
        if is_left and begins and ends:
            return True
    return False


def _asks_twice(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new block holds nothing but `if (v != null) { … }`, and its `finally` asks for null again."""
    data = scope.tree.data
    begins = [each.span.end for each in edits if "try {" in each.text and "finally" not in each.text]
    ends = [each.span.start for each in edits if "finally" in each.text and f"{scope.variable} != null" in each.text]
    for node in find(scope.root, "if_statement") if begins and ends else ():
        kids = [kid for kid in node.kids if kid.kind not in COMMENTS]
        is_around = any(not data[each : node.start].strip() for each in begins if each <= node.start) and any(not data[node.end : each].strip() for each in ends if each >= node.end)
        if is_around and len(kids) == 3 and scope.asks_for(kids[1]):
            return True
    return False


def _is_in_header_inside(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `finally` closes what a header of its block names (`try (InputStream in = v)`), which closes it before."""
    begins = [each.span.end for each in edits if "try {" in each.text and "finally" not in each.text]
    ends = [each.span.start for each in edits if "finally" in each.text and f"{scope.variable}.{scope.release}(" in each.text]
    return any(
        scope.tree.text(each.kids[-1]) == scope.variable and any(at <= each.start for at in begins) and any(each.end <= at for at in ends)
        for each in find(scope.root, "resource")
    )


def _begins_before_given(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `finally` tests for null what the same run of statements declares without a value and opens: behind that it is there."""
    shape, found = scope.shape, scope.declaration()
    if shape.kind != "assigned" or shape.container is None or found is None or scope.is_reassigned() or initialiser(found[1]) is not None:
        return False
    is_asked = any("finally" in each.text and f"{scope.variable} != null" in each.text for each in edits)
    return is_asked and not scope.may_be_null() and found[0] in statements(shape.container)


def _closes_what_it_makes(scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that is made by a method of the resource and closed, plainly, right before that was: where a new header or
    `finally` leaves that close at the end of its block; empty for none."""
    container = scope.shape.container
    body = statements(container) if container is not None else []
    gone = [n for n, each in enumerate(body) if each in scope.closes() and _goes(each, edits)]
    if not gone or not any("try (" in each.text or "finally" in each.text for each in edits):
        return ""
    for statement in body:
        for declarator in declarators(statement):
            value = initialiser(declarator)
            receiver = call_parts(scope.tree, value)[0] if value is not None and value.kind == "method_invocation" else None
            name = scope.tree.text(declarator.kids[0])
            is_made = receiver is not None and receiver.kind == "identifier" and scope.tree.text(receiver) == scope.variable
            before = body[gone[0] - 1] if gone[0] > 0 else None
            if is_made and before is not None and not _goes(before, edits) and (is_close(scope.tree, before, name) or scope.closer_of(name).is_close(before)):
                return name
    return ""


def _goes(node: Node, edits: Sequence[Edit]) -> bool:
    return any(each.span.start <= node.start and node.end <= each.span.end for each in edits)
