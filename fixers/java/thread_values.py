"""Takes what was set for the work of a thread from the thread again."""

from __future__ import annotations

from analyzers import ir
from analyzers.slots import Use
from analyzers.specs.containers import Role
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.kept import Kept, Proposal, body_of, call_at, done, statement_at
from fixers.java.statements import statements
from fixers.java.wrapping import close_block, has_own_lines, indent_region
from fixers.leak import Refusal


def removed(kept: Kept) -> Proposal | Refusal:
    """`remove()` behind the call that empties the value."""
    place = _place(kept)
    if place is None or kept.slot is None:
        return Refusal("emptying the value is part of a larger expression")
    statement, body = place
    store = call_at(body, kept.finding.acquired)
    if store is None or store.name != "clear":
        return Refusal("nothing empties the value")
    if _is_used_behind(body, store.receiver, store.end):
        return Refusal("the emptied value is used on")
    receiver = _asked(kept, body, store.receiver)
    if not receiver:
        return Refusal("how the value was asked for is not plain")
    draft = Draft(kept.path, kept.data)
    draft.insert_lines_after(statement.end, f"{receiver}.remove();\n", text.indentation(kept.data, statement.start))
    is_checked = all(_is_checked(kept, use) for use in kept.slot.of(Role.READ))
    assumption = "no value is as good as an empty one" if is_checked else "whoever asks for the value later does without it"
    return done(f"Remove the value of `{kept.slot.slot.name}` from the thread", draft, assumption)


def _place(kept: Kept) -> tuple[Node, ir.Procedure] | None:
    """The statement that is the store, and the procedure around it."""
    statement, body = statement_at(kept.tree, kept.finding.acquired), body_of(kept)
    return None if statement is None or body is None else (statement, body)


def _asked(kept: Kept, body: ir.Procedure, value: str) -> str:
    """The text of the ThreadLocal that a value was asked of."""
    for node in body.nodes:
        match node:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)) if dst == value:
                return _asked(kept, body, src)
            case ir.Call(dst=dst, name="get", args=()) if dst == value:
                words = kept.data[body.start + node.start : body.start + node.end].decode("utf-8", "replace")
                return words.rpartition(".get")[0].strip()
            case _:
                pass
    return ""


def _is_checked(kept: Kept, use: Use) -> bool:
    """Whether what a read answers is compared with null, or goes nowhere."""
    body = kept.program.procedure(use.key)
    node = body.nodes[use.node] if body is not None else None
    if body is None or not isinstance(node, ir.Call):
        return False
    values = {node.dst}
    for _ in range(2):
        for each in body.nodes:
            if (isinstance(each, ir.Copy) and each.src in values) or (isinstance(each, ir.Op) and each.operator == "cast" and each.operands[0] in values):
                values.add(each.dst)
    return not _is_handed_on(body, values) and any(
        isinstance(each, ir.Branch) and each.left in values and each.right == "=null" for each in body.nodes
    )


def _is_handed_on(body: ir.Procedure, values: set[str]) -> bool:
    """Whether somebody else may hold on to one of these."""
    return any(
        (isinstance(each, ir.Return | ir.Store | ir.StoreElement) and each.src in values)
        or (isinstance(each, ir.Call) and each.name != "set" and not values.isdisjoint(each.args))
        for each in body.nodes
    )


def _is_used_behind(body: ir.Procedure, value: str, end: int) -> bool:
    """Whether an emptied value is still asked or filled further down, or in another turn."""
    behind = (each for each in body.nodes if each.start >= end)
    return bool(body.loops) or any(isinstance(each, ir.Call) and each.receiver == value for each in behind)


def removed_at_last(kept: Kept) -> Proposal | Refusal:
    """`remove()` in a finally around what follows the set in its block."""
    place = _place(kept)
    if place is None or kept.slot is None:
        return Refusal("setting the value is part of a larger expression")
    statement, body = place
    call = call_at(body, kept.finding.acquired)
    path = kept.tree.path(statement.start, statement.end)
    block = path[path.index(statement) - 1]
    following = [each for each in statements(block) if each.start >= statement.end]
    if call is None or call.name != "set" or not following or block.kind == "switch_block_statement_group":
        return Refusal("where the work ends for which the value is set is not known")
    rest = tuple(following)
    if not has_own_lines(kept.data, rest):
        return Refusal("the statements behind it share their lines")
    words = kept.data[kept.finding.acquired.start : kept.finding.acquired.end].decode("utf-8", "replace")
    receiver = words.partition(".set")[0].strip()
    draft = Draft(kept.path, kept.data)
    indent = text.indentation(kept.data, statement.start)
    draft.insert_lines(rest[0].start, "try {\n", indent)
    indent_region(draft, rest)
    close_block(draft, rest, indent, f"}} finally {{\n{draft.unit}{receiver}.remove();\n}}\n")
    return done(
        f"Remove the value of `{kept.slot.slot.name}` when its work is done", draft,
        "nobody asks for the value after this procedure",
    )
