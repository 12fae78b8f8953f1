"""Whether two findings of Java are about one variable, which is opened again and again: a patch for one opening alone is half a patch."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.finding import Finding
from analyzers.queries import ProcedureKey


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
