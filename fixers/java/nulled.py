"""Lets go of what one field holds after its last use: by nulling it, or without the field where nobody reads it.

A field of a thread that never ends, before its loop; a static that keeps an object, where the object ends; what only
the finaliser gave back, where the object ends. Who reads the field has to expect that it is empty.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.endings import Endings
from analyzers.graphs.loops import natural_loop
from analyzers.queries import Linked, ProcedureKey
from analyzers.slots import MAX_FILES
from analyzers.source import Span
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.exceptions import checked, closing_throws
from fixers.java.kept import Kept, Proposal, body_of, call_at, done, statement_at
from fixers.java.left_behind import tidied
from fixers.java.plain import is_plain
from fixers.java.statements import statements
from fixers.leak import Refusal
from fixers.tree import COMMENTS, child, innermost

_SEQUENCES = frozenset(("block", "constructor_body"))


class _Field(msgspec.Struct, frozen=True):
    """The declaration of a field of the file, alone in its statement, and all code that names it."""

    owner: str
    name: str
    attributes: tuple[str, ...]
    declaration: Node
    loads: tuple[tuple[ProcedureKey, int], ...]
    stores: tuple[tuple[ProcedureKey, int], ...]


def _field(kept: Kept) -> _Field | Refusal:
    """The field that the finding names."""
    owner, _, name = kept.finding.resource.rpartition(".")
    unit = kept.program.unit(kept.path)
    declared = next((
        (each.start, each.end, each.attributes) for one in (unit.types if unit is not None else ()) if one.name == owner
        for each in one.fields if each.name == name
    ), None)
    if declared is None:
        return Refusal("the field is declared in another file")
    path = kept.tree.path(declared[0], declared[1])
    at = innermost(path, lambda node: node.kind == "field_declaration")
    if at < 0 or sum(kid.kind == "variable_declarator" for kid in path[at].kids) != 1:
        return Refusal("the field is declared together with others")
    is_private = "private" in declared[2]
    if not is_private and len(kept.program.mentioning(name)) > MAX_FILES:
        return Refusal("not every use of the field is known")
    loads: list[tuple[ProcedureKey, int]] = []
    stores: list[tuple[ProcedureKey, int]] = []
    keys = kept.program.procedures_of(kept.path) if is_private else kept.program.callers(name)
    for key in keys:
        body = kept.program.procedure(key)
        for number, node in enumerate(body.nodes if body is not None else ()):
            if isinstance(node, ir.Load | ir.Store) and node.field.rpartition(".")[2] == name:
                (loads if isinstance(node, ir.Load) else stores).append((key, number))
    return _Field(owner, name, declared[2], path[at], tuple(loads), tuple(stores))


def _span(kept: Kept, key: ProcedureKey, number: int) -> Span:
    body = kept.program.procedure(key)
    node = body.nodes[number] if body is not None else None
    return Span(key.path, body.start + node.start, body.start + node.end) if body is not None and node is not None else Span(key.path, 0, 0)


# --- a thread that never ends


def let_go_by_thread(kept: Kept) -> Proposal | Refusal:
    """Without the field, where the thread never reads it; else nulled before the loop that never ends."""
    field = _field(kept)
    if isinstance(field, Refusal):
        return field
    if "private" not in field.attributes:
        return Refusal("who else reads the field is not known")
    draft = Draft(kept.path, kept.data)
    if not field.loads:
        return _without(kept, draft, field)
    run = next((key for key, _ in field.loads if ".run()" in key.name), None)
    linked = kept.program.linked(run) if run is not None else None
    if run is None or linked is None or any(key != run for key, _ in field.loads):
        return Refusal("the thread reads it elsewhere, too: who should end the thread, and when, is not known")
    statement = _last_statement(kept, linked, field, run)
    if isinstance(statement, Refusal):
        return statement
    _unfinal(draft, field)
    indent = text.indentation(kept.data, statement.start)
    draft.insert_lines_after(statement.end, f"{field.name} = null;\n", indent)
    return done(f"Let go of `{field.name}` before the loop that never ends", draft, "nobody else waits for what it holds")


def _without(kept: Kept, draft: Draft, field: _Field) -> Proposal | Refusal:
    for key, number in field.stores:
        span = _span(kept, key, number)
        if field.declaration.start <= span.start < field.declaration.end:
            return Refusal("the field is filled where it is declared")
        statement = statement_at(kept.tree, span)
        assignment = next((kid for kid in statement.kids if kid.kind not in COMMENTS), None) if statement is not None else None
        parts = [kid for kid in assignment.kids if kid.kind not in COMMENTS] if assignment is not None else []
        if statement is None or len(parts) != 3 or parts[1].kind != "=" or not is_plain(parts[0]) or not is_plain(parts[2]):
            return Refusal("what is stored is computed on the way")
        draft.remove(statement.start, statement.end)
    draft.remove(field.declaration.start, field.declaration.end)
    tidied(draft, kept.tree)
    return done(f"Remove `{field.name}`, which nobody reads", draft, "it is not there to keep its object alive")


def _last_statement(kept: Kept, linked: Linked, field: _Field, run: ProcedureKey) -> Node | Refusal:
    """The statement of `run` before its loop behind which the field has no use any more."""
    body = linked.body
    numbers = [number for _, number in field.loads]
    loops = [(each, natural_loop(linked.next, linked.raises, each.header)) for each in body.loops]
    endless = [
        each for each, inside in loops
        if inside and all(set(linked.next[node]) <= inside for node in inside)
    ]
    first = min(endless, key=lambda each: each.start, default=None)
    if first is None or any(set(numbers) & inside for _, inside in loops) or any(body.nodes[each].start > first.start for each in numbers):
        return Refusal("the thread needs it for as long as it runs")
    held = {node.dst for node in (body.nodes[each] for each in numbers) if isinstance(node, ir.Load)}
    held |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in held}
    if not all(ir.is_temporary(each) for each in held):
        return Refusal("a variable of the thread holds it, too")
    last = max(numbers, key=lambda each: body.nodes[each].start)
    span = _span(kept, run, last)
    path = kept.tree.path(span.start, span.end)
    loop = body.start + first.start
    at = innermost(path, lambda node: node.kind in _SEQUENCES and node.start <= loop < node.end)
    if at < 0 or at + 1 >= len(path) or not text.ends_line(kept.data, path[at + 1].end):
        return Refusal("its last use shares a line with others")
    return path[at + 1]


def _unfinal(draft: Draft, field: _Field) -> None:
    modifiers = child(field.declaration, "modifiers")
    for kid in modifiers.kids if modifiers is not None else ():
        if kid.kind == "final":
            draft.remove(kid.start, kid.end)


# --- the end of an object


def _end(kept: Kept, owner: str) -> tuple[ir.Procedure, Node] | Refusal:
    """The method that ends the object, and its block."""
    for _, body in Endings(kept.program, kept.path, owner).ends():
        path = kept.tree.path(body.start, body.end)
        at = innermost(path, lambda node: node.kind == "method_declaration")
        block = child(path[at], "block") if at >= 0 else None
        inner = statements(block) if block is not None else []
        if block is not None and (not inner or text.starts_line(kept.data, inner[0].start)):
            return body, block
    return Refusal("no method that ends the object has lines of its own")


def reset_at_end(kept: Kept) -> Proposal | Refusal:
    """The static is emptied where the object ends."""
    field, body = _field(kept), body_of(kept)
    if isinstance(field, Refusal):
        return field
    end = _end(kept, body.owner) if body is not None else Refusal("where the object ends is not known")
    if body is None or isinstance(end, Refusal):
        return end if isinstance(end, Refusal) else Refusal("where the object ends is not known")
    is_whole = any(
        isinstance(node, ir.Store) and (body.start + node.start, body.start + node.end)
        == (kept.finding.acquired.start, kept.finding.acquired.end) for node in body.nodes
    )
    if not is_whole:
        return Refusal("which elements of the array belong to the object is not known")
    if "final" in field.attributes:
        return Refusal("the static is final")
    reached = Endings(kept.program, kept.path, body.owner).reached(end[0], 3)
    if any(key.name == each.name for key, _ in field.loads for each in reached):
        return Refusal("the object still asks for it while it ends")
    unready = next((key for key, number in field.loads if not _is_ready(kept, key, number)), None)
    if unready is not None:
        return Refusal(f"`{unready.name.partition('(')[0].rpartition('.')[2]}` does not expect `{field.name}` to be empty")
    name = field.name if field.owner == body.owner else f"{field.owner.rpartition('.')[2].rpartition('$')[2]}.{field.name}"
    draft = Draft(kept.path, kept.data)
    indent = text.indentation(kept.data, end[0].start) + draft.unit
    draft.insert_lines_after(end[1].start, f"{name} = null;\n", indent)
    return done(f"Empty `{field.name}` where its object ends", draft, "what the static holds belongs to the object that ends")


def _is_ready(kept: Kept, key: ProcedureKey, number: int) -> bool:
    """Whether a procedure that reads the field compares what it reads with null."""
    body = kept.program.procedure(key)
    load = body.nodes[number] if body is not None else None
    if body is None or not isinstance(load, ir.Load):
        return False
    same = {node.dst for node in body.nodes if isinstance(node, ir.Load) and node.field == load.field}
    same |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in same}
    return any(
        isinstance(node, ir.Branch) and node.operator in ("==", "!=") and node.right == "=null" and node.left in same
        for node in body.nodes
    )


def released_at_end(kept: Kept) -> Proposal | Refusal:
    """What the finaliser calls, where the object ends; the field is empty behind it."""
    field, body, linked = _field(kept), body_of(kept), kept.program.linked(ProcedureKey(kept.path, kept.finding.procedure))
    if isinstance(field, Refusal):
        return field
    call = call_at(body, kept.finding.acquired) if body is not None else None
    if body is None or linked is None or call is None or call.args:
        return Refusal("what the finaliser does with it is not one plain call")
    if "final" in field.attributes or "static" in field.attributes:
        return Refusal("the field cannot be emptied")
    if any(not _is_ready(kept, key, number) for key, number in field.loads):
        return Refusal("the finaliser does not expect it to be empty")
    thrown = closing_throws(kept.program, linked.types.get(call.receiver, ""), call.name)
    if thrown is None or checked(kept.program, thrown):
        return Refusal(f"`{call.name}` may throw what `{field.name}`'s owner does not when it ends")
    end = _end(kept, body.owner)
    if isinstance(end, Refusal):
        return end
    draft = Draft(kept.path, kept.data)
    indent = text.indentation(kept.data, end[0].start) + draft.unit
    lines = f"if ({field.name} != null) {{\n{draft.unit}{field.name}.{call.name}();\n{draft.unit}{field.name} = null;\n}}\n"
    draft.insert_lines_after(end[1].start, lines, indent)
    return done(f"Give `{field.name}` back where its object ends", draft, "the object does without it while it ends")
