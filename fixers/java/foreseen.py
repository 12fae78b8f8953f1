"""What a reader of the code around a patch knows of it that no proof asks: a test asserts that something else has closed the resource, a loop
around which a block goes never ends, code in a comment goes on to use it, an empty test for null stands there already, the block goes on for
long behind its last use or the code's own close, or behind the end of a transaction, what it is asked of stays open, and handlers are there that
could close it.

Goes by names and shapes: it may doubt a patch that is right, and never makes one safe.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from analyzers.finding import Confidence
from analyzers.syntax import Node
from fixers import text
from fixers.fix import Edit
from fixers.java.region import derived
from fixers.java.scope import Scope
from fixers.java.shape import Shape
from fixers.java.statements import (
    LOOPS,
    call_parts,
    catches,
    declared,
    declared_type,
    statements,
    try_body,
    uses,
)
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find

MANY_BEHIND = 5
"""Lines behind the close that the code has, for which rather one declaration is split than that they move in."""

TOO_MANY_BEHIND = 12
"""Lines that move into a block behind the close that the code has."""

MAX_BEHIND = 15
"""Lines that move into a block though they have nothing to do with what it closes."""


def foreseen(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    if _is_asserted_closed(scope):
        return "a test asserts that something else has closed it"
    is_block = any("try" in each.text for each in edits)
    if is_block and leak.finding.confidence is Confidence.ASSUMED and _is_around_endless(scope, edits):
        return "a block goes around a loop that never ends"
    if not is_block and _goes_on_in_a_comment(scope, edits):
        return f"code in a comment goes on to use `{scope.variable}`"
    if _is_behind_an_empty_test(scope, edits):
        return f"a test for null of `{scope.variable}` that does nothing stands there already"
    if is_block and goes_on_behind(scope, edits, scope.variable):
        return "the block goes on for long behind its last use"
    if name := _leaves_its_statement(leak, scope, edits):
        return f"`{name}`, which it is asked of, stays open where that throws"
    if is_block and (name := _closes_behind_end(scope, edits)):
        return f"the code closes it before it calls `{name}`, not behind that"
    if is_block and _goes_on_behind_close(scope, edits):
        return "the block goes on for long behind where the code closes it"
    if (acts := _acts_while_open(leak, scope)):
        return f"what runs while a `{acts}` is open runs otherwise"
    if not is_block and _closes_far_behind(scope, edits):
        return "it is closed far behind its last use"
    if _closes_where_that_failed(scope, edits):
        return "what is handled there may be that it could not be closed"
    if _goes_around_handlers(scope, edits):
        return "the `try` that it goes around has handlers, one of which could close it"
    return ""


def goes_around_branches(leak: Leak, shape: Shape, edits: Sequence[Edit]) -> bool:
    """Whether a block goes around all branches of an `if` for what its condition alone opens and uses."""
    statement = shape.statement
    condition = child(statement, "parenthesized_expression") if statement.kind == "if_statement" else None
    if condition is None or not condition.start <= shape.outer.start < condition.end:
        return False
    is_moved = any("try" in each.text and each.span.start <= statement.start for each in edits if each.span.path == leak.path)
    return is_moved and leak.data.count(b"\n", condition.end, statement.end) > MANY_BEHIND


def _goes_on_behind_close(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether lines move in behind the code's own close, which stands in the block of the acquisition: what is made of it does without."""
    body = statements(scope.shape.container) if scope.shape.container is not None else []
    gone = [each.end for each in scope.closes() if each in body and _goes(each, edits)]
    return bool(gone) and sum(at > max(gone) for at in _moved(edits)) > TOO_MANY_BEHIND


_ACTING = ("MockedStatic", "MockedConstruction", "Scope", "MDCCloseable", "ThreadContext", "Transaction", "TimerContext")
"""How types end whose objects mean something to what runs while they are open, whether that names them or not."""


def _acts_while_open(leak: Leak, scope: Scope) -> str:
    """The simple name of the type of the resource, where that is such a one and other statements stand behind its last use; empty for none."""
    name = leak.finding.resource.partition("<")[0].rpartition(".")[2].rpartition("$")[2]
    body = statements(scope.shape.container) if scope.shape.container is not None else []
    return name if name.endswith(_ACTING) and any(each.start > scope.shape.statement.end and not uses(scope.tree, each, [scope.variable]) for each in body) else ""


def _closes_where_that_failed(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a close is put into a handler of a block that closes the variable itself: a `finally` would be the place for both."""
    put = [each.span.start for each in edits if f"{scope.variable}.{scope.release}(" in each.text]
    for owner in find(scope.root, "try_statement") if put else ():
        block = try_body(owner)
        is_closed = block is not None and any(block.start < each.start < block.end for each in scope.closes())
        if is_closed and any(clause.start < at < clause.end for clause in catches(owner) for at in put):
            return True
    return False


def _goes_around_handlers(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new `try` that catches everything holds nothing but a `try` with handlers."""
    ends = [each.span.start for each in edits if "catch (Throwable " in each.text]
    begins = [each.span.start for each in edits if "try" in each.text and "catch" not in each.text]
    for owner in find(scope.root, "try_statement") if ends and begins else ():
        is_last = any(owner.end <= at and not scope.tree.data[owner.end : at].strip() for at in ends)
        is_first = any(at <= owner.start and not scope.tree.data[at : owner.start].strip() for at in begins)
        if catches(owner) and is_first and is_last:
            return True
    return False


def _leaves_its_statement(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that rows are asked of, which the code closes where nothing fails alone, and goes on to: whoever takes care of the rows
    has it before the eyes. Empty for none."""
    outer = scope.shape.outer
    receiver = call_parts(scope.tree, outer)[0] if outer.kind == "method_invocation" and leak.finding.resource.partition("<")[0] == "java.sql.ResultSet" else None
    name = scope.tree.text(receiver) if receiver is not None and receiver.kind == "identifier" else ""
    closes = scope.closer_of(name).closes(scope.root) if name else []
    is_plain = bool(closes) and not any(each.start < close.start < each.end for close in closes for each in find(scope.root, "finally_clause"))
    return name if is_plain and not any(_goes(close, edits) for close in closes) else ""


_ENDING = ("commit", "rollback", "end")
"""What ends a transaction."""


def _closes_behind_end(scope: Scope, edits: Sequence[Edit]) -> str:
    """What ends a transaction behind the code's own close, and before the end of a block that closes the resource now; empty for nothing."""
    gone = [each.end for each in scope.closes() if _goes(each, edits) and not any(each.start > one.start and each.end < one.end for one in find(scope.root, "finally_clause"))]
    ends = [each.span.start for each in edits if each.text.lstrip().startswith("}")]
    for call in find(scope.root, "method_invocation") if gone and ends else ():
        name = call_parts(scope.tree, call)[1]
        if name in _ENDING and min(gone) <= call.start < max(ends):
            return name
    return ""


def _goes(node: Node, edits: Sequence[Edit]) -> bool:
    return any(each.span.start <= node.start and node.end <= each.span.end for each in edits)


def _is_asserted_closed(scope: Scope) -> bool:
    """Whether `assertTrue(v.isClosed())` is written somewhere, where the code itself does not close it."""
    asserted = (call for call in find(scope.root, "method_invocation") if call_parts(scope.tree, call)[1] == "assertTrue")
    return not scope.closes() and any(
        scope.tree.text(each) == f"{scope.variable}.isClosed()" for call in asserted for each in find(call, "method_invocation")
    )


def _moved(edits: Sequence[Edit]) -> list[int]:
    """Where lines are moved in by the edits."""
    return [each.span.start for each in edits if each.span.start == each.span.end and each.text and not each.text.strip(" \t")]


def _is_around_endless(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether what moves in ends with `while (true)` that nothing breaks out of: only what ends the program or the thread closes it."""
    moved = _moved(edits)
    return any(
        any(text.line_start(scope.tree.data, each.start) <= at <= each.start for at in moved) and "".join(scope.tree.text(each).split()).startswith(("while(true)", "for(;;)"))
        and not any(True for _ in find(each, "break_statement", "return_statement")) and each.start > scope.shape.statement.end
        for each in find(scope.root, "while_statement", "for_statement")
    )


def _goes_on_in_a_comment(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a comment behind a close that is put in calls something on the variable."""
    put = [each.span.start for each in edits if f"{scope.variable}.{scope.release}(" in each.text]
    calls = f"{scope.variable}."
    left = [each for each in find(scope.root, *COMMENTS) if not any(one.span.start <= each.start and each.end <= one.span.end for one in edits)]
    return any(calls in scope.tree.text(each) and any(at <= each.start for at in put) for each in left)


def _is_behind_an_empty_test(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a test for null is put right behind one whose block is empty."""
    put = [each.span.start for each in edits if f"if ({scope.variable} != null)" in each.text]
    tests = [each for each in find(scope.root, "if_statement") if scope.is_asked_for(each)]
    empty = [each for each in tests if (block := child(each, "block")) is not None and not statements(block)]
    return any(each.end <= at and not scope.tree.data[each.end : at].strip() for each in empty for at in put)


def goes_on_behind(scope: Scope, edits: Sequence[Edit], variable: str) -> bool:
    """Whether many lines move in behind the last that has to do with the resource, by the variable of that or of what is made of it."""
    moved = _moved(edits)
    if len(moved) <= MAX_BEHIND:
        return False
    names = derived(scope.tree, [scope.root], variable)
    using = [each for each in _leaves(scope, scope.root) if uses(scope.tree, each, names)]
    running = [each for each in find(scope.root, "enhanced_for_statement") if scope.tree.text(_run_through(each)) in names]
    closes = [*scope.closes(), *(close for each in sorted(names) for close in scope.closer_of(each).closes(scope.root))]
    ends = [each.end for each in (*using, *running) if each.start > scope.shape.statement.start and not _closes(each, closes)]
    last = max(ends, default=len(scope.tree.data))
    turning = [each.end for each in find(scope.root, *LOOPS) if scope.shape.statement.end <= each.start < last <= each.end]
    return sum(at > max([last, *turning]) for at in moved) > MAX_BEHIND


def _run_through(loop: Node) -> Node:
    """What a loop over elements takes them from: a variable there is used to its end."""
    return next((value for colon, value in itertools.pairwise(loop.kids) if colon.kind == ":"), loop)


_VALUES = frozenset(("int", "long", "boolean", "double", "float", "char", "byte", "short", "String"))
"""Types of what needs nothing of where it came from."""


def _closes_far_behind(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether the only close that is written stands many lines behind the last that has to do with the resource, or what is made of it."""
    written = [each.span.start for each in edits if each.span.start == each.span.end and scope.release_statement() in each.text]
    plain = {
        name for each in find(scope.root, "local_variable_declaration") if declared_type(scope.tree, each) in _VALUES for name in declared(scope.tree, each)
    }
    names = derived(scope.tree, [scope.root], scope.variable) - plain
    using = [each.end for each in _leaves(scope, scope.root) if uses(scope.tree, each, names)]
    return len(written) == 1 and bool(using) and scope.tree.data.count(b"\n", min(max(using), written[0]), written[0]) > MAX_BEHIND


def _leaves(scope: Scope, node: Node) -> list[Node]:
    """The statements in the statements of a node that hold no others."""
    found = []
    for each in find(node, "block"):
        found += [one for one in statements(each) if not any(True for _ in find(one, "block"))]
        found += [kid for one in statements(each) for kid in one.kids if kid.kind in ("parenthesized_expression", "resource_specification")]
    return found


def _closes(statement: Node, closes: Sequence[Node]) -> bool:
    return any(statement.start <= each.start and each.end <= statement.end for each in closes)
