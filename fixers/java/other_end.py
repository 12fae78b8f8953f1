"""Whether closing one end of a pipe is felt at its other end by somebody else: who writes to a pipe that nobody reads any more gets an
exception, and who reads from one that was closed is told that all has been written. (Ends that are connected as one is made end together, which
the specs say.)

Asks somebody to look too often where whoever has the other end waits for just that.
"""

from __future__ import annotations

import re

from analyzers.syntax import Node
from fixers.java.scope import Scope, procedure_node
from fixers.java.statements import assignment, call_parts, declarators, initialiser
from fixers.leak import Leak
from fixers.tree import find

_END_OF_PIPE = re.compile(rb"new\s+(?:java\.io\.)?Piped(?:InputStream|OutputStream|Reader|Writer)\b")


def other_end(leak: Leak, scope: Scope) -> str:
    """What the procedure connects the end of a pipe to that it loses, where it did not make that itself; empty for nothing."""
    variable = scope.variable
    if not variable or not _END_OF_PIPE.match(leak.data, leak.finding.acquired.start):
        return ""
    root = procedure_node(leak)
    ends: list[Node] = []
    for call in find(root, "method_invocation"):
        receiver, name, given = call_parts(leak.tree, call)
        if name != "connect" or receiver is None or len(given) != 1:
            continue
        if leak.tree.text(receiver) == variable:
            ends.append(given[0])
        elif leak.tree.text(given[0]) == variable:
            ends.append(receiver)
    own = _made_here(leak, root)
    foreign = (leak.tree.text(each) for each in ends if each.kind in ("identifier", "field_access", "method_invocation"))
    return next((each for each in foreign if each not in own), "")


def _made_here(leak: Leak, root: Node) -> set[str]:
    """The names that the procedure gives an object which it makes."""
    pairs = [(each.kids[0], initialiser(each)) for statement in find(root, "local_variable_declaration") for each in declarators(statement)]
    pairs += [(each.kids[-3], each.kids[-1]) for each in find(root, "resource") if len(each.kids) > 2]
    pairs += [parts for each in find(root, "expression_statement") if (parts := assignment(each))]
    return {leak.tree.text(name) for name, value in pairs if value is not None and value.kind == "object_creation_expression"}
