"""Objects of C whose type counts who holds them: to free one takes it from all of them, to count it down does not, and counts one
down for nothing that nobody has counted up yet."""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.handles.c.counters import is_counter
from analyzers.handles.unknown import words_of
from fixers.leak import Candidate, Leak

_EXPANSIONS = 4


def freed_though_shared(leak: Leak, program: Program, proposed: Candidate) -> str:
    """Why a proposal may take an object from others that hold it; empty where it does not. Refuses too much where nobody
    else ever holds one."""
    text = "".join(edit.text for edit in proposed.edits)
    names = dict.fromkeys((leak.finding.variable, *(ir.source_name(each.name) for each in leak.linked.body.variables if each.kind != "temporary")))
    return next((reason for name in names if name and (reason := _freed(leak, program, name, calls_of(text, name)))), "")


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
    if freeing:
        return f"`{variable}->{counter}` counts who holds it, and `{freeing[0]}` would take it from all of them"
    is_uncounted = bool(counter) and variable == leak.finding.variable and _is_uncounted(leak, program, counter)
    return f"`{variable}->{counter}` is not set yet, and `{calls[0]}` looks at it" if is_uncounted else ""


def _is_uncounted(leak: Leak, program: Program, counter: str) -> bool:
    """Whether a block that the procedure has from a library's allocator has nothing in its count that anybody set. Errs towards a count
    that was set: on any path, of any object."""
    body, at = leak.linked.body, (leak.finding.acquired.start, leak.finding.acquired.end)
    made = [n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and (body.start + each.start, body.start + each.end) == at]
    targets = [leak.linked.targets.get(node) for node in made]
    if not made or any(target is not None and target.procedures for target in targets):
        return False
    called = (target for target in leak.linked.targets.values() if target is not None)
    bodies = [body, *(found for target in called for key in target.procedures if (found := program.procedure(key)) is not None)]
    names = [call.name for call in body.nodes if isinstance(call, ir.Call) and call.name]
    is_unseen = any(_is_setting(name) for name in names)
    return not is_unseen and not any(_sets(node, counter, each is body) for each in bodies for node in each.nodes)


def _is_setting(name: str) -> bool:
    """Whether a function that nobody may have seen is named for setting up or for counting."""
    return not {"init", "setup", "ref", "get", "grab", "hold", "inc", "retain"}.isdisjoint(words_of(name))


def _sets(node: ir.Instruction, counter: str, is_own: bool) -> bool:
    """Whether an instruction may put a number into a count. A callee that counts it down does not."""
    match node:
        case ir.Store(field=field) if field == counter:
            return is_own or ir.is_literal(node.src)
        case ir.AddressOf(field=field):
            return field == counter
        case _:
            return False


def calls_of(text: str, variable: str) -> list[str]:
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
