"""`copy(new FileInputStream(a), new FileOutputStream(b));`: what is opened before a resource without a name comes into its header, too.

Then everything is opened in the order that it was, also by calls of which it is known that they open (`copy(Files.newInputStream(a), …)`).
Only arguments of one call, among others that do nothing; what is opened before is
named for the resource's sake, and closed with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.header import has_throwing_wrapper, opening, resources
from fixers.java.naming import variable_for
from fixers.java.plain import is_plain
from fixers.java.region import Region
from fixers.java.scope import Scope
from fixers.java.shape import Shape
from fixers.java.statements import call_parts
from fixers.java.try_with_resources import ended
from fixers.java.wrapping import has_own_lines, indent_region
from fixers.leak import Candidate, Leak

_PASSED = ("(", ")", ",")


def with_those_before(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """The candidate, where the statement is the call that is given all of them, or returns what that gives."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    if at < 2 or shape.path[at - 1].kind != "argument_list" or shape.statement.kind not in ("expression_statement", "return_statement"):
        return
    call, given = shape.path[at - 2], [kid for kid in shape.path[at - 1].kids if kid.kind not in _PASSED]
    receiver = call_parts(leak.tree, call)[0] if call.kind == "method_invocation" else None
    before = given[: next(n for n, kid in enumerate(given) if kid is shape.outer)]
    opened = [each for each in before if _is_opened(leak, scope, each)]
    is_alone = call in shape.statement.kids and call.kind == "method_invocation" and (receiver is None or is_plain(receiver))
    if not opened or not is_alone or not all(each in opened or is_plain(each) for each in before) or not has_own_lines(leak.data, (shape.statement,)):
        return
    written = [scope.type_of(each) for each in (*opened, shape.outer)]
    if "" in written or "var" in written:
        return
    names: list[str] = []
    for kind in written:
        names.append(variable_for(leak.tree, kind, frozenset(names), place=shape.statement))
    first = [f"{kind} {name} = {leak.tree.text(each)}" for kind, name, each in zip(written, names, opened, strict=False)]
    header = [*first, *resources(leak, scope, written[-1], names[-1], split=has_throwing_wrapper(scope))]
    indent = text.indentation(leak.data, shape.statement.start)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    draft.insert_lines(shape.statement.start, opening(header, indent, draft), indent)
    for name, each in zip(names, (*opened, shape.outer), strict=True):
        draft.replace(each.start, each.end, name)
    indent_region(draft, (shape.statement,))
    for found in ended(scope, draft, Region(0, 0, (shape.statement,)), indent):
        yield msgspec.structs.replace(found, checks_all=True)


def _is_opened(leak: Leak, scope: Scope, node: Node) -> bool:
    """Whether an argument makes an object that holds what is opened there, or gives what a call that is known has opened."""
    if node.kind not in ("object_creation_expression", "method_invocation") or b"\n" in leak.data[node.start : node.end]:
        return False
    is_made = node.kind == "object_creation_expression"
    return any(
        not transfer.entry and any(outcome.fate == "held" and (is_made or outcome.paths == (("$ret",),)) for outcome in transfer.outcomes)
        for number in scope.calls_at(node) for effects in leak.effects.get(number, ()) for transfer in effects.transfers
        if is_made or effects.is_known
    )
