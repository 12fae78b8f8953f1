"""What a test wants to fail, or not to be there: then there is nothing to close.

Knows the words of JUnit and its like, handlers that only assert what their exception says, and comments that say so.
"""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.java.scope import procedure_node
from fixers.java.shape import Shape
from fixers.java.statements import annotated, call_parts, catches, statements, try_body, uses
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find

EXPECTED = "the call is expected to throw"
NOTHING = "the test expects nothing to be there"


def expected_to_fail(leak: Leak, shape: Shape) -> str:
    """The acquisition is what a test wants to fail: there is nothing to close then."""
    reason = EXPECTED
    root = procedure_node(leak)
    here = shape.statement
    body = statements(shape.container) if shape.container is not None else []
    at = next((n for n, each in enumerate(body) if each is here), -1)
    if at >= 0:
        following = child(body[at + 1], "method_invocation") if at + 1 < len(body) else None
        if following is not None and _fails(leak, following):
            return reason
        for each in body[:at]:
            call = child(each, "method_invocation")
            receiver, name, _ = call_parts(leak.tree, call) if call is not None else (None, "", [])
            if receiver is not None and name in ("expect", "expectMessage", "expectCause"):
                return reason
    if _is_caught_as_expected(leak, shape) or _ends_database(leak, shape):
        return reason
    if _is_nothing(leak, shape, body[at + 1] if 0 <= at < len(body) - 1 else None):
        return NOTHING
    inside = [each for each in shape.path if each.kind == "method_invocation" and each.start < here.start]
    if any(call_parts(leak.tree, each)[1] in ("assertThrows", "assertThrowsExactly", "assertThatThrownBy", "catchThrowable", "expectThrows") for each in inside):
        return reason
    expects = any("Test" in each and "expected" in each for each in annotated(leak.tree, root))
    return "the test expects an exception, perhaps for what stays open" if expects else ""


def _is_nothing(leak: Leak, shape: Shape, behind: Node | None) -> bool:
    """Whether a test wants null where the resource stands, or in the statement behind it."""
    places = [shape.statement, *((behind,) if behind is not None and shape.variable else ())]
    for call in (each for place in places for each in find(place, "method_invocation")):
        asked, name, given = call_parts(leak.tree, call)
        if name == "isNull" and asked is not None and asked.kind == "method_invocation" and call_parts(leak.tree, asked)[1] == "assertThat":
            given = call_parts(leak.tree, asked)[2]
        elif name != "assertNull":
            continue
        if any(each is shape.outer or leak.tree.text(each) == shape.variable for each in given):
            return True
    return False


def _ends_database(leak: Leak, shape: Shape) -> bool:
    """Whether the acquisition, or the value of a local that it names, says what ends a database."""
    named = {leak.tree.text(each) for each in find(shape.expression, "identifier")}
    values = [each for each in find(procedure_node(leak), "variable_declarator") if leak.tree.text(each.kids[0]) in named]
    return any(
        words in leak.tree.text(each) for place in (shape.expression, *values) for each in find(place, "string_literal") for words in _ENDING_URLS
    )


_ENDING_URLS = ("shutdown=true", "drop=true")
"""What an address says that ends a database or takes it away: the driver tells of that by an exception."""


def _is_caught_as_expected(leak: Leak, shape: Shape) -> bool:
    """Whether a `try` ends with the acquisition, and a comment in a handler of it says that this was expected,
    or it only asserts what is wrong."""
    around = [each for each in shape.path if each.kind == "try_statement" and each.start < shape.statement.start]
    body = try_body(around[-1]) if around else None
    if body is None or statements(body)[-1] is not shape.statement:
        return False
    if any(_only_asserts(leak, clause) for clause in catches(around[-1])):
        return True
    comments = [each for clause in catches(around[-1]) for each in find(clause, *COMMENTS) if not statements(child(clause, "block") or clause)]
    return any("expect" in leak.tree.text(each).lower() and "unexpect" not in leak.tree.text(each).lower() for each in comments)


def _only_asserts(leak: Leak, clause: Node) -> bool:
    """Whether all that a handler does is to assert what its exception says."""
    parameter, block = child(clause, "catch_formal_parameter"), child(clause, "block")
    name = next((leak.tree.text(each) for each in parameter.kids if each.kind == "identifier"), "") if parameter is not None else ""
    body = statements(block) if block is not None else []
    calls = [child(each, "method_invocation") for each in body]
    return bool(name and body) and all(
        uses(leak.tree, each, [name]) and (each.kind == "assert_statement" or (call is not None and call_parts(leak.tree, call)[1].startswith("assert")))
        for each, call in zip(body, calls, strict=True)
    )


def _fails(leak: Leak, call: Node) -> bool:
    """Whether a call lets a test fail: nothing should come behind the acquisition."""
    _, name, given = call_parts(leak.tree, call)
    last = leak.tree.text(given[-1]) if given else ""
    return name == "fail" or (name, last) in (("assertTrue", "false"), ("assertFalse", "true"))
