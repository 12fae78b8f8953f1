"""Takes the registration of a listener back where its object ends."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.queries import ProcedureKey
from fixers import text
from fixers.draft import Draft
from fixers.java.exceptions import checked
from fixers.java.kept import Kept, Proposal, body_of, call_at, done
from fixers.java.statements import statements
from fixers.leak import Refusal
from fixers.tree import child, innermost


def taken_back(kept: Kept) -> Proposal | Refusal:
    """The undoing call where the object ends."""
    finding, body = kept.finding, body_of(kept)
    call = call_at(body, finding.acquired) if body is not None else None
    end = next((
        each for each in kept.program.procedures_of(finding.lost.path)
        if kept.program.span(each).start < finding.lost.end <= kept.program.span(each).end
    ), None)
    ending = kept.program.procedure(end) if end is not None else None
    if body is None or call is None or ending is None or finding.lost.path != kept.path:
        return Refusal("where the object ends is not in this file")
    field = _field_of(body, call.receiver)
    linked = kept.program.linked(ProcedureKey(kept.path, finding.procedure))
    type_name = linked.types.get(call.receiver, "") if linked is not None else ""
    undo = next((
        name for name in _undoing(call.name) if type_name and kept.program.methods(type_name, name)
    ), "")
    if not field or not undo:
        return Refusal("how to take the registration back is not known")
    thrown = kept.program.methods(type_name, undo)[0].throws
    if checked(kept.program, thrown):
        return Refusal(f"`{undo}` may throw what `{method_name(ending)}` does not")
    path = kept.tree.path(ending.start, ending.end)
    method = path[innermost(path, lambda node: node.kind == "method_declaration")]
    block = child(method, "block")
    inner = statements(block) if block is not None else []
    if block is None or (inner and not text.starts_line(kept.data, inner[0].start)):
        return Refusal("the method that ends the object has no lines of its own")
    draft = Draft(kept.path, kept.data)
    before = text.indentation(kept.data, method.start)
    lines = "".join(f"{field}.{each}(this);\n" for each in _all_undoing(kept, body, field, type_name))
    if not _is_final(kept, body.owner, field):
        lines = f"if ({field} != null) {{\n{text.reindented(lines, draft.unit)}}}\n"
    draft.insert_lines_after(block.start, lines, before + draft.unit)
    return done(f"Take the registration back in `{method_name(ending)}`", draft, "nothing needs to be told after the end")


def _field_of(body: ir.Procedure, receiver: str) -> str:
    """The field that holds what the object registers with."""
    for node in body.nodes:
        match node:
            case ir.Load(dst=dst, base="this", field=field) if dst == receiver:
                return field
            case ir.Store(base="this", field=field, src=src) if src == receiver:
                return field
            case _:
                pass
    return ""


def _all_undoing(kept: Kept, body: ir.Procedure, field: str, type_name: str) -> list[str]:
    """What takes back all that the procedure registers the object for with a field, in the order of the calls."""
    found = []
    for node in body.nodes:
        if not isinstance(node, ir.Call) or node.args != ("this",) or _field_of(body, node.receiver) != field:
            continue
        known = [kept.program.methods(type_name, name) for name in _undoing(node.name)]
        undo = next((each[0] for each in known if each and not checked(kept.program, each[0].throws)), None)
        if undo is not None:
            found.append(undo.name)
    return list(dict.fromkeys(found))


def _is_final(kept: Kept, owner: str, field: str) -> bool:
    """Whether a field of a class of the file is given one value, when its object is made."""
    unit = kept.program.unit(kept.path)
    return any(
        each.name == field and "final" in each.attributes
        for declared in (unit.types if unit is not None else ()) if declared.name == owner for each in declared.fields
    )


def _undoing(name: str) -> Sequence[str]:
    for do, undo in (("add", "remove"), ("register", "unregister"), ("add", "delete"), ("subscribe", "unsubscribe")):
        if name.startswith(do):
            rest = name.removeprefix(do)
            return (undo + rest, "delete" + rest) if do == "add" else (undo + rest,)
    return ()


def method_name(body: ir.Procedure) -> str:
    """The simple name of a method."""
    return body.name.partition("(")[0].rpartition(".")[2]
