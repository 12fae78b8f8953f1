"""`make().read(open())`: what the call is made on gets a name above, so that a header opens no sooner than the code did.

Only a beginning: what is opened is closed by the forms that follow. Declines where something else with an effect stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.naming import variable_for
from fixers.java.scope import Scope
from fixers.java.shape import Shape
from fixers.java.statements import call_parts
from fixers.leak import Candidate, Leak
from fixers.tree import COMMENTS, find

_PLAIN = frozenset((
    "identifier", "this", "field_access", "class_literal", "string_literal", "character_literal", "null_literal", "true", "false", "scoped_identifier",
    "decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal", "type_identifier",
))  # fmt: skip
"""Expressions that do nothing."""

_AROUND = frozenset(("return_statement", "throw_statement", "expression_statement", "variable_declarator", "local_variable_declaration", "parenthesized_expression"))
"""What evaluates one expression, and nothing before it."""


def receiver_named(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """The statement with a variable for what the call that is given the resource is made on."""
    call = _given_to(leak, shape)
    if call is None or shape.container is None or not text.starts_line(leak.data, shape.statement.start):
        return
    receiver, _, given = call_parts(leak.tree, call)
    if receiver is None or receiver.kind not in ("method_invocation", "object_creation_expression") or not _is_first(leak, shape, call):
        return
    earlier = [each for each in given if each.end <= shape.outer.start]
    written = scope.type_of(receiver)
    if not written or not all(each.kind in _PLAIN for each in earlier) or _has(shape.statement, *COMMENTS):
        return
    name = variable_for(leak.tree, written if written != "var" else scope.kind_of(receiver), place=shape.container)
    value = leak.tree.text(receiver)
    if "\n" in value or _has(receiver, "class_body", "lambda_expression"):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    draft.insert_lines(shape.statement.start, f"{written} {name} = {value};\n", text.indentation(leak.data, shape.statement.start))
    draft.replace(receiver.start, receiver.end, name)
    scope.types.import_into(draft)
    if edits := draft.edits():
        yield Candidate("", edits, is_part=True)


def _given_to(leak: Leak, shape: Shape) -> Node | None:
    """The call that is given what is opened, or what a chain of calls on it gives."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    while at > 0 and shape.path[at - 1].kind == "method_invocation" and call_parts(leak.tree, shape.path[at - 1])[0] is shape.path[at]:
        at -= 1
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    return call if call is not None and call.kind == "method_invocation" else None


def _has(node: Node, *kinds: str) -> bool:
    """Whether a node of some kinds lies below another."""
    return any(True for _ in find(node, *kinds))


def _is_first(leak: Leak, shape: Shape, call: Node) -> bool:
    """Whether a statement evaluates a call before all else, but for what the call needs."""
    inner = [node for node in shape.path if shape.statement.start <= node.start and call.start <= node.end <= shape.statement.end]
    upto = inner[inner.index(shape.statement) : inner.index(call) + 1] if shape.statement in inner and call in inner else []
    for parent, kid in pairwise(upto):
        match parent.kind:
            case "method_invocation":
                if call_parts(leak.tree, parent)[0] is not kid:
                    return False
            case "cast_expression":
                pass
            case "assignment_expression":
                if parent.kids[0].kind != "identifier" or parent.kids[1].kind != "=":
                    return False
            case kind:
                if kind not in _AROUND:
                    return False
    return bool(upto)
