"""Closes a resource in a `finally` as that closes another variable: by the helper that swallows what closing throws.

Only where the helper takes anything that is closed, as far as its declaration or its library tells, and where the other variable may be null
there as well; not for what is written to, whose failure somebody may have to hear of.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.syntax import Node
from fixers.java.closing import is_named_quiet
from fixers.java.delayed import is_output
from fixers.java.scope import Scope
from fixers.java.statements import call_parts, initialiser, statements
from fixers.tree import child, find

_LIBRARIES = ("org.apache.commons.io.IOUtils.", "org.apache.curator.utils.CloseableUtils.", "okhttp3.internal.Util.")

_ANYTHING = ("java.io.Closeable", "java.lang.AutoCloseable")

_PACKAGES = ("java.io.", "java.util.zip.", "java.util.jar.")
_STREAMS = ("Stream", "Reader")
"""How types of theirs end that all such helpers take, the oldest as well."""


def closed_as_others(scope: Scope, block: Node) -> str:
    """The line that closes the variable as the block of a `finally` closes another; empty for none."""
    kinds = {each.partition("<")[0] for name, each in scope.leak.linked.types.items() if ir.source_name(name) == scope.variable}
    resource = scope.leak.finding.resource.partition("<")[0]
    if not kinds or not all(each.startswith(_PACKAGES) and each.endswith(_STREAMS) for each in (*kinds, resource)) or any(map(is_output, (*kinds, resource))):
        return ""
    for statement in statements(block):
        call = child(statement, "method_invocation") if statement.kind == "expression_statement" else None
        _, name, given = call_parts(scope.tree, call) if call is not None else (None, "", [])
        if call is None or len(given) != 1 or given[0].kind != "identifier" or not is_named_quiet(name) or not _is_left_null(scope, given[0]):
            continue
        if _takes_anything(scope, call):
            text = scope.tree.text(statement)
            at, end = given[0].start - statement.start, given[0].end - statement.start
            return f"{text.encode()[:at].decode()}{scope.variable}{text.encode()[end:].decode()}\n"
    return ""


def _is_left_null(scope: Scope, given: Node) -> bool:
    """Whether a variable is declared with null: the helper is asked to close none at times."""
    values = [initialiser(each) for each in find(scope.root, "variable_declarator") if scope.tree.text(each.kids[0]) == scope.tree.text(given)]
    return bool(values) and all(value is not None and value.kind == "null_literal" for value in values)


def _takes_anything(scope: Scope, call: Node) -> bool:
    targets = [scope.leak.linked.targets.get(number) for number in scope.calls_at(call)]
    return bool(targets) and all(
        each is not None and (
            any(model.startswith(_LIBRARIES) for model in each.models)
            or (bool(each.procedures) and each.parameters[:1] and each.parameters[0] in _ANYTHING)
        )
        for each in targets
    )
