"""`f(i++, open(names[i]))`: who opens first what stands later in a statement opens something else, or changes what was read before.

The order of calls is compared by `unchanged`; what a statement does to its variables without a call, and what it reads of
fields that opening writes (`f(count, open())`), only here.
Errs towards «overtaken»: a statement that is written anew as a whole keeps its order, and is declined all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from analyzers import ir
from analyzers.summaries import BELOW
from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.statements import declared, identifiers
from fixers.leak import Leak
from fixers.tree import COMMENTS, find

_CHANGING = ("update_expression", "assignment_expression")

_NAMING = ("formal_parameter", "catch_formal_parameter", "enhanced_for_statement", "resource", "type_pattern", "record_pattern_component", "inferred_parameters")


def overtaken(leak: Leak, edits: Sequence[Edit]) -> str:
    """What changes a variable of the acquisition before it in its statement, or is read there before the acquisition changes it, where the
    acquisition is written somewhere else; else empty."""
    acquired = leak.finding.acquired
    if not any(each.span.start <= acquired.start < each.span.end for each in edits):
        return ""
    path = leak.tree.path(acquired.start, acquired.end)
    statement = next((each for each in reversed(path) if each.kind.endswith(("_statement", "_declaration", "resource"))), None)
    if statement is None:
        return ""
    used = {leak.tree.text(each) for each in identifiers(path[-1])}
    for each in find(statement, *_CHANGING):
        target = next((kid for kid in each.kids if kid.kind not in ("++", "--")), None)
        is_first = each.end <= acquired.start and target is not None
        if is_first and target is not None and (target.kind != "identifier" or leak.tree.text(target) in used):
            return leak.tree.text(each)
    return _read_before(leak, statement, path)


def _read_before(leak: Leak, statement: Node, path: Sequence[Node]) -> str:
    """What a statement reads of what making the resource, and what wraps it, changes."""
    opened = path[-1]
    for parent, kid in pairwise(reversed(path)):
        if parent.kind == "argument_list" and kid.kind == "object_creation_expression":
            opened = kid  # What wraps it may be made where it is.
        elif kid.kind != "argument_list" and parent is not path[-1]:
            break
    start, end = opened.start, opened.end
    written = set(_written(leak, start, end))
    if not written:
        return ""
    local = _locals(leak)
    for each in _read(leak, statement, start):
        name = leak.tree.text(each.kids[-1]) if each.kind == "field_access" else "[]" if each.kind == "array_access" else leak.tree.text(each)
        if (name in written or BELOW in written) and not (each.kind == "identifier" and name in local):
            return leak.tree.text(each)
    return ""


def _written(leak: Leak, start: int, end: int) -> Iterator[str]:
    """The names of the fields that calls within a stretch of the text write, `[]` for elements, `?` for anything."""
    body = leak.linked.body
    for number, call in enumerate(body.nodes):
        if isinstance(call, ir.Call) and start <= body.start + call.start and body.start + call.end <= end:
            for effects in leak.effects.get(number, ()):
                yield from (path[-1].rpartition(".")[2] for path in effects.writes)


def _read(leak: Leak, statement: Node, end: int) -> Iterator[Node]:
    """What a statement reads before an offset: fields and elements, and variables by their names."""
    for each in (*find(statement, "field_access", "array_access"), *identifiers(statement)):
        if each.end <= end and not _is_target(leak, each):
            yield each


def _is_target(leak: Leak, node: Node) -> bool:
    """Whether an expression is only assigned to."""
    path = leak.tree.path(node.start, node.end)
    at = next((n for n, each in enumerate(path) if each is node), 0)
    parent = path[at - 1] if at else None
    kids = [kid for kid in parent.kids if kid.kind not in COMMENTS] if parent is not None and parent.kind == "assignment_expression" else []
    return len(kids) > 1 and kids[0] is node and kids[1].kind == "="


def _locals(leak: Leak) -> set[str]:
    """The variables of the procedure: nobody else changes them."""
    found = {name for each in find(leak.tree.root, "local_variable_declaration") for name in declared(leak.tree, each)}
    for each in find(leak.tree.root, *_NAMING):
        found |= {leak.tree.text(kid) for kid in each.kids if kid.kind == "identifier"}
    return found
