"""A stream that works by a compressor which it does not own (`new DeflaterOutputStream(out, deflater)`), and that is closed behind the end that a
patch gives the compressor: closing writes what is left, and fails then with something that hides what went wrong before.

Goes by names in the source: declines too often where the stream is surely closed by then; misses streams that lie in fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.scope import Scope, procedure_node
from fixers.java.statements import assignment, initialiser
from fixers.tree import child, find

_COMPRESSORS = ("java.util.zip.Deflater", "java.util.zip.Inflater")


def needed_open(scope: Scope, edits: Sequence[Edit]) -> str:
    """The stream that somebody uses behind the new end of a compressor; empty for none."""
    ends = [each.span.start for each in edits if f"{scope.variable}.{_END}(" in each.text]
    if not scope.variable or scope.leak.finding.resource not in _COMPRESSORS or not ends:
        return ""
    around = procedure_node(scope.leak)
    for name in _streams(scope, around):
        mentions = [each for each in find(around, "identifier") if scope.tree.text(each) == name]
        if any(each.start > max(ends) for each in mentions):
            return name
    return next((name for name in _in_headers(scope, around, ends)), "")


_END = "end"


def _streams(scope: Scope, around: Node) -> Iterator[str]:
    """The variables that something is assigned to which is made over the compressor."""
    for declarator in find(around, "variable_declarator"):
        value, name = initialiser(declarator), child(declarator, "identifier")
        if value is not None and name is not None and _is_over(scope, value):
            yield scope.tree.text(name)
    for statement in find(around, "expression_statement"):
        given = assignment(statement)
        if given is not None and given[0].kind == "identifier" and _is_over(scope, given[1]):
            yield scope.tree.text(given[0])


def _in_headers(scope: Scope, around: Node, ends: Sequence[int]) -> Iterator[str]:
    """The streams over the compressor in the headers of blocks in which it is ended."""
    for resource in find(around, "resource"):
        block = next((each for each in find(around, "try_with_resources_statement") if each.start <= resource.start < each.end), None)
        body, name = child(block, "block") if block is not None else None, child(resource, "identifier")
        if body is not None and name is not None and _is_over(scope, resource) and any(body.start < each < body.end for each in ends):
            yield scope.tree.text(name)


def _is_over(scope: Scope, value: Node) -> bool:
    made = [value, *find(value, "object_creation_expression")]
    given = [child(each, "argument_list") for each in made if each.kind == "object_creation_expression"]
    return any(kid.kind == "identifier" and scope.tree.text(kid) == scope.variable for each in given if each is not None for kid in each.kids)
