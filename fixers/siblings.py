"""Which findings of Java a reviewer wants mended together: those about one variable, which is opened again and again, and those about
variables that the code closes one right behind the other. A patch for one of them alone is half a patch.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from analyzers import Program, ir
from analyzers.finding import Finding
from analyzers.queries import ProcedureKey
from analyzers.syntax import Node
from fixers import tree
from fixers.java.region import is_close
from fixers.java.statements import CONTAINERS, call_parts, declarators, initialiser, statements
from fixers.tree import Tree


def belong_together(one: Finding, other: Finding, program: Program) -> bool:
    """Whether a patch for one finding has to mend the other, too."""
    return is_same_variable(one, other, program) or is_closed_beside(one, other, program)


def is_closed_beside(one: Finding, other: Finding, program: Program) -> bool:
    """Whether the procedure closes the variables of two findings, or what is made of them, one right behind the other, and not whatever
    happens before."""
    names = (one.variable, other.variable)
    if not all(names) or names[0] == names[1] or (one.path, one.procedure) != (other.path, other.procedure):
        return False
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    if body is None:
        return False
    syntax = tree.parse(one.language, program.source(one.path), body.start, body.end)
    known = [_asked_of(syntax, each) for each in names]
    pairs = (pair for block in tree.find(syntax.root, *CONTAINERS) for pair in itertools.pairwise(statements(block)))
    return any(
        (_closes(syntax, pair, known) or _closes(syntax, pair, known[::-1]))
        and not any(each.kind == "finally_clause" for each in syntax.path(pair[0].start, pair[0].end))
        for pair in pairs
    )


def _asked_of(syntax: Tree, name: str) -> set[str]:
    """A variable, and those that hold what it was asked for, or what a constructor was given it for alone."""
    found = {name}
    for statement in tree.find(syntax.root, "local_variable_declaration"):
        for each in declarators(statement):
            value = initialiser(each)
            if value is None or value.kind not in ("method_invocation", "object_creation_expression"):
                continue
            receiver, _, given = call_parts(syntax, value)
            sources = [receiver] if value.kind == "method_invocation" else given
            if len(sources) == 1 and sources[0] is not None and syntax.text(sources[0]) in found:
                found.add(syntax.text(each.kids[0]))
    return found


def _closes(syntax: Tree, pair: tuple[Node, Node], names: Sequence[set[str]]) -> bool:
    return all(any(is_close(syntax, each, name) for name in some) for each, some in zip(pair, names, strict=True))


def is_same_variable(one: Finding, other: Finding, program: Program) -> bool:
    """Whether what both acquire lies in the same local variable of the same procedure."""
    if not one.variable or (one.path, one.procedure, one.variable) != (other.path, other.procedure, other.variable):
        return False
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    found = [_declared(body, each) for each in (one, other)] if body is not None else [-1]
    return found[0] >= 0 and len(set(found)) == 1


def _declared(body: ir.Procedure, finding: Finding) -> int:
    """Where the variable is declared that a finding names: of several by one name the last before the acquisition."""
    return max(
        (
            each.declared for each in body.variables
            if ir.source_name(each.name) == finding.variable and body.start + each.declared <= finding.acquired.start
        ),
        default=-1,
    )
