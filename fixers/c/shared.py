"""Objects of C whose type counts who holds them: to free one takes it from all of them, to count it down does not."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.handles.counting import is_counter
from fixers.leak import Candidate, Leak

_EXPANSIONS = 4


def freed_though_shared(leak: Leak, program: Program, proposed: Candidate) -> str:
    """Why a proposal may take an object from others that hold it; empty where it does not. Refuses too much where nobody
    else ever holds one."""
    text = "".join(edit.text for edit in proposed.edits)
    names = dict.fromkeys((leak.finding.variable, *(ir.source_name(each.name) for each in leak.linked.body.variables if each.kind != "temporary")))
    return next((reason for name in names if name and (reason := _freed(leak, program, name, _calls_of(text, name)))), "")


def _freed(leak: Leak, program: Program, variable: str, calls: list[str]) -> str:
    """Why calls with what a variable points to may take it from others; empty where they do not."""
    written = leak.linked.types.get(variable, "")
    if not calls or "*" not in written:
        return ""
    declared = _declared(leak, program, written)
    for _ in range(_EXPANSIONS):
        if declared is None or declared.kind != "typedef" or not declared.supertypes:
            break
        declared = _declared(leak, program, declared.supertypes[0])
    counter = next((each.name for each in declared.fields if is_counter(each.name)), "") if declared is not None else ""
    freeing = [call for call in calls if counter and not _looks_at(leak, program, call, counter)]
    return f"`{variable}->{counter}` counts who holds it, and `{freeing[0]}` would take it from all of them" if freeing else ""


def _calls_of(text: str, variable: str) -> list[str]:
    """The functions that a text calls with nothing but a variable."""
    parts = text.replace(" ", "").replace("(void*)", "").split(f"({variable})")[:-1]
    found = []
    for part in parts:
        length = len(part)
        while length and (part[length - 1].isalnum() or part[length - 1] == "_"):
            length -= 1
        found.append(part[length:])
    return [name for name in found if name and name not in ("if", "while", "switch", "return", "sizeof")]


def _looks_at(leak: Leak, program: Program, call: str, counter: str) -> bool:
    """Whether a function of the program looks at the count before it frees anything."""
    bodies = [program.procedure(key) for key in program.functions(leak.finding.path, call)]
    return any(
        isinstance(node, ir.Load | ir.AddressOf) and node.field == counter for body in bodies if body is not None for node in body.nodes
    )


def _declared(leak: Leak, program: Program, written: str) -> ir.TypeDeclaration | None:
    name = " ".join(word for word in written.replace("*", " ").split() if word not in ("const", "volatile"))
    return program.c_type(leak.finding.path, name)
