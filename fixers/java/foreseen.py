"""What a reader of the code around a patch knows of it that no proof asks: a test asserts that something else has closed the resource, a loop
around which a block goes never ends, code in a comment goes on to use it, an empty test for null stands there already, and the block goes on for
long behind its last use.

Goes by names and shapes: it may doubt a patch that is right, and never makes one safe.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.finding import Confidence
from analyzers.syntax import Node
from fixers import text
from fixers.fix import Edit
from fixers.java.region import derived
from fixers.java.scope import Scope
from fixers.java.statements import call_parts, statements, uses
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find

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
    if is_block and _goes_on_behind(scope, edits):
        return "the block goes on for long behind its last use"
    return ""


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
    return any(calls in scope.tree.text(each) and any(at <= each.start for at in put) for each in find(scope.root, *COMMENTS))


def _is_behind_an_empty_test(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a test for null is put right behind one whose block is empty."""
    put = [each.span.start for each in edits if f"if ({scope.variable} != null)" in each.text]
    tests = [each for each in find(scope.root, "if_statement") if scope.is_asked_for(each)]
    empty = [each for each in tests if (block := child(each, "block")) is not None and not statements(block)]
    return any(each.end <= at and not scope.tree.data[each.end : at].strip() for each in empty for at in put)


def _goes_on_behind(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether many lines move in behind the last that has to do with the resource, or what is made of it."""
    moved = _moved(edits)
    if len(moved) <= MAX_BEHIND:
        return False
    names = derived(scope.tree, [scope.root], scope.variable)
    using = [each for each in _leaves(scope, scope.root) if uses(scope.tree, each, names)]
    last = max((each.end for each in using if each.start > scope.shape.statement.start and not _closes(scope, each)), default=len(scope.tree.data))
    return sum(at > last for at in moved) > MAX_BEHIND


def _leaves(scope: Scope, node: Node) -> list[Node]:
    """The statements in the statements of a node that hold no others."""
    found = []
    for each in find(node, "block"):
        found += [one for one in statements(each) if not any(True for _ in find(one, "block"))]
        found += [kid for one in statements(each) for kid in one.kids if kid.kind in ("parenthesized_expression", "resource_specification")]
    return found


def _closes(scope: Scope, statement: Node) -> bool:
    return any(statement.start <= each.start and each.end <= statement.end for each in scope.closes())
