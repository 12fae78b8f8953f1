"""Lets go of what is kept for nobody: the fixers for `retained-by-loop`.

A field or variable that is only stored into goes, with its stores; what feeds one call is cleared behind it; the value of
a thread is removed where it is emptied, or when the work that set it is done; a listener is taken back where its object
ends; keys that only the map keeps become weak; a map gets the bound of its sibling, a cache one of its own; a field is
nulled after its last use. Only the first needs no assumption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.slots import Slot, Touched, Use
from analyzers.specs.containers import Role
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.bounded import bounded, bounded_cache
from fixers.java.closing import lead_of
from fixers.java.emptied import with_emptied
from fixers.java.kept import Kept, Proposal, declaration_of, done, statement_at
from fixers.java.left_behind import asked_for_nothing, made_for_nothing, tidied
from fixers.java.nulled import let_go_by_thread, released_at_end, reset_at_end
from fixers.java.plain import is_plain, is_plain_creation
from fixers.java.registrations import taken_back
from fixers.java.statements import call_parts, declarators, initialiser, statements
from fixers.java.thread_values import removed, removed_at_last
from fixers.java.weak_keys import weak
from fixers.leak import Refusal
from fixers.tree import COMMENTS, Tree, child, find, innermost

_PLAIN_LISTS = frozenset((
    "java.util.List", "java.util.ArrayList", "java.util.LinkedList", "java.util.Vector", "java.util.Collection",
))
"""What stores without a call to its elements."""

_VALUES = frozenset(f"java.lang.{name}" for name in (
    "String", "Integer", "Long", "Short", "Byte", "Character", "Boolean", "Double", "Float",
)) | frozenset(("int", "long", "short", "byte", "char", "boolean", "double", "float"))

_IDLE = "a branch would be left that does nothing"
_MADE = "`{}` would still be made, for nothing"
_ASKED = "what `{}` names is asked for though nobody uses it any more"

_WEAK = ("WeakReference", "SoftReference", "PhantomReference", "WeakHashMap", "Cleaner", "finalize")
"""Words of files in which it matters who holds an object."""


def propose(kept: Kept) -> Iterator[Proposal | Refusal]:
    """The fixes for the form of the finding."""
    match kept.finding.detail:
        case "never-read":
            yield _cleared_behind(kept) if kept.slot is not None and kept.slot.of(Role.FEED) else _dropped_field(kept)
        case "loop":
            yield _dropped_local(kept)
        case "unbounded":
            yield bounded(kept)
        case "chain":
            yield Refusal("who else walks the chain, and how much of it is wanted, is not known")
        case "started-thread":
            yield let_go_by_thread(kept)
        case "thread-local":
            yield removed(kept)
            yield removed_at_last(kept)
        case "listener":
            yield taken_back(kept)
        case "growing-keys" | "keyed-by-thread":
            yield weak(kept)
            yield bounded_cache(kept)
        case "static-instance":
            yield reset_at_end(kept)
        case "finalizer":
            yield released_at_end(kept)
        case _:
            yield Refusal("who is the last to need it is not known")


# --- what nobody reads goes


def _dropped_field(kept: Kept) -> Proposal | Refusal:
    touched = kept.slot
    if touched is None:
        return Refusal("not every use of the field is known")
    draft = Draft(kept.path, kept.data)
    gone: list[Node] = []
    for use in (*touched.uses, *touched.origins):
        reason = _drop_use(kept, gone, use, touched.slot)
        if reason:
            return Refusal(reason)
    declaration = declaration_of(kept, touched.slot)
    if declaration is None:
        return Refusal("the field is declared together with others")
    if (name := _emptied(kept, touched)):
        return Refusal(f"`{name}` would be left, and do nothing")
    if (name := made_for_nothing(kept.tree, gone)):
        return Refusal(_MADE.format(name))
    if (stores := with_emptied(kept.tree, gone)) is None:
        return Refusal(_IDLE)
    if (name := _left_idle(kept, stores)):
        return Refusal(f"`{name}` would be left, and do nothing")
    for each in stores:
        _remove_with_comment(draft, each)
    draft.remove(declaration.start, text.behind(draft.data, declaration.end))  # A comment behind it speaks of it.
    comments = list(_comments_on(kept, declaration))
    for comment in comments:
        draft.remove(comment.start, comment.end)
    tidied(draft, kept.tree)
    edits = draft.edits()
    if edits is None:
        return Refusal("its stores overlap")
    assumption = "" if touched.slot.is_private else "nobody outside this repository reads the field"
    assumption = assumption or _assumed(kept, touched.slot.type, touched.of(Role.STORE))
    if not assumption and _is_spoken_of(kept, touched.slot.name, gone, comments):
        assumption = "no comment that stays speaks of it"
    if not assumption and (name := asked_for_nothing(kept.tree, gone)):
        assumption = _ASKED.format(name)
    return Proposal(f"Remove `{touched.slot.name}`, which nobody reads", edits, assumption)


def _remove_with_comment(draft: Draft, statement: Node) -> None:
    """Take a statement out, with the comment lines right above it, where nothing follows that these could speak of."""
    draft.remove(statement.start, statement.end)
    data, above, below = draft.data, lead_of(draft.data, statement.start), text.next_line(draft.data, statement.end)
    following = data[below : text.next_line(data, below)].strip()
    if above < statement.start and (not following or following.startswith(b"}")):
        line = text.line_start(data, above)
        while line < text.line_start(data, statement.start):
            draft.remove_line(line)
            line = text.next_line(data, line)


def _emptied(kept: Kept, touched: Touched) -> str:
    """A method that does nothing but store into the field, and perhaps return its object or what it was given."""
    for use in touched.uses:
        span = kept.span(use)
        path = kept.tree.path(span.start, span.end)
        at = innermost(path, lambda node: node.kind == "method_declaration")
        block = child(path[at], "block") if at >= 0 else None
        stored = [kept.span(each) for each in touched.uses]
        if block is not None and statements(block) and all(
            (any(one.start <= each.start < one.end for each in stored) and one.kind == "expression_statement") or _hands_back(one)
            for one in statements(block)
        ):
            name = child(path[at], "identifier")
            return kept.tree.text(name) if name is not None else "a method"
    return ""


def _left_idle(kept: Kept, gone: Sequence[Node]) -> str:
    """A method that does nothing but what goes: to store into the field on a condition, say."""
    for each in gone:
        path = kept.tree.path(each.start, each.end)
        at = innermost(path, lambda node: node.kind == "method_declaration")
        block, name = (child(path[at], "block"), child(path[at], "identifier")) if at >= 0 else (None, None)
        if block is not None and name is not None and all(any(one is other for other in gone) or _hands_back(one) for one in statements(block)):
            return kept.tree.text(name)
    return ""


def _hands_back(statement: Node) -> bool:
    """`return this;`, `return value;` or `return;`"""
    given = [kid for kid in statement.kids if kid.kind not in ("return", ";", *COMMENTS)]
    return statement.kind == "return_statement" and all(each.kind in ("this", "identifier") for each in given)


def _is_spoken_of(kept: Kept, name: str, gone: Sequence[Node], comments: Sequence[Node]) -> bool:
    """Whether a comment that stays names a field: code that is commented out, say, asks for it."""
    left = [each for each in find(kept.tree.root, *COMMENTS) if not any(one.start <= each.start < one.end for one in (*gone, *comments))]
    return any(re.search(rf"\b{re.escape(name)}\b", kept.tree.text(each)) for each in left)


def _comments_on(kept: Kept, declaration: Node) -> list[Node]:
    """The comments right above a field that speak of nothing else."""
    path = kept.tree.path(declaration.start, declaration.end)
    parent = path[innermost(path, lambda node: node is declaration) - 1]
    at = next(n for n, each in enumerate(parent.kids) if each is declaration)
    found: list[Node] = []
    below = declaration
    for each in reversed(parent.kids[:at]):
        if each.kind not in COMMENTS or kept.data[each.end : below.start].count(b"\n") != 1 or not text.starts_line(kept.data, each.start):
            break
        found.append(each)
        below = each
    following = parent.kids[at + 1] if at + 1 < len(parent.kids) else declaration
    is_heading = following.kind == "field_declaration" and kept.data[declaration.end : following.start].count(b"\n") == 1
    is_documentation = any(kept.data[each.start : each.end].startswith(b"/**") for each in found)
    return [] if is_heading and not is_documentation else found


def _assumed(kept: Kept, type_name: str, stores: Sequence[Use]) -> str:
    """What has to be so for nobody to miss a container."""
    if kept.program.declaring_file(type_name):
        return "making and filling it does nothing else"
    return "" if _is_data(kept, type_name, stores) else "it is not there to keep its elements alive"


def _is_data(kept: Kept, type_name: str, stores: Sequence[Use]) -> bool:
    """Whether nothing that is stored can be held weakly by others, and storing calls nothing of the elements."""
    if type_name not in _PLAIN_LISTS:
        return False
    for use in stores:
        linked = kept.program.linked(use.key)
        for operand in use.operands if linked is not None else ():
            element = linked.types.get(operand, "") if linked is not None else ""
            if ir.is_literal(operand) or element in _VALUES:
                continue
            if not element or element.startswith(("java.", "javax.")):
                return False
            files = set(kept.program.mentioning(element.rpartition(".")[2].rpartition("$")[2]))
            if any(files & set(kept.program.mentioning(word)) for word in _WEAK):
                return False
    return True


def _drop_use(kept: Kept, gone: list[Node], use: Use, slot: Slot) -> str:
    """Note the statement of one use, which goes; a reason where that is not possible."""
    span = kept.span(use)
    if span.path != kept.path:
        return "the field is stored into from other files"
    declaration = declaration_of(kept, slot)
    if declaration is not None and declaration.start <= span.start and span.end <= declaration.end:
        made = initialiser(next(each for each in declaration.kids if each.kind == "variable_declarator"))
        return "" if made is None or is_plain_creation(made) else "filling the field does more than that"
    statement = statement_at(kept.tree, span)
    if statement is None:
        return "a store into it is part of a larger expression"
    expression = next((kid for kid in statement.kids if kid.kind not in COMMENTS), statement)
    if not _only_names(kept.tree, expression, slot.name):
        return "what is stored is computed on the way"
    gone.append(statement)
    return ""


def _only_names(tree: Tree, expression: Node, name: str) -> bool:
    """Whether a store does nothing else: `f.add(x)` or `f = new T()` with plain operands."""
    if expression.kind == "method_invocation":
        receiver, _, arguments = call_parts(tree, expression)
        is_direct = receiver is not None and tree.text(receiver).rpartition(".")[2] == name
        return is_direct and receiver is not None and is_plain(receiver) and all(map(is_plain, arguments))
    if expression.kind == "assignment_expression":
        kids = [kid for kid in expression.kids if kid.kind not in COMMENTS]
        return len(kids) == 3 and kids[1].kind == "=" and is_plain(kids[0]) and is_plain_creation(kids[2])
    return False


def _dropped_local(kept: Kept) -> Proposal | Refusal:
    lost = kept.finding.lost
    key = next((each for each in kept.program.procedures_of(kept.path) if each.name == kept.finding.procedure), None)
    body = kept.program.procedure(key) if key is not None else None
    linked = kept.program.linked(key) if key is not None else None
    if key is None or body is None or linked is None or lost.path != kept.path:
        return Refusal("the container is kept by another procedure")
    store = next((
        node for node in body.nodes
        if isinstance(node, ir.Call) and (body.start + node.start, body.start + node.end) == (lost.start, lost.end)
    ), None)
    variable = store.receiver if store is not None else ""
    model = kept.reader.container(linked.types.get(variable, "")) if variable else None
    if model is None or ir.is_temporary(variable) or variable in body.parameters:
        return Refusal("the container is no variable of the loop's procedure")
    draft = Draft(kept.path, kept.data)
    uses = kept.reader.local_uses(key, body, variable, model)
    gone: list[Node] = []
    for use in uses:
        statement = statement_at(kept.tree, kept.span(use))
        expression = next((kid for kid in statement.kids if kid.kind not in COMMENTS), None) if statement else None
        if statement is None or expression is None or not _only_names(kept.tree, expression, ir.source_name(variable)):
            return Refusal("what is stored is computed on the way")
        gone.append(statement)
    if (name := made_for_nothing(kept.tree, gone)):
        return Refusal(_MADE.format(name))
    if (idle := with_emptied(kept.tree, gone)) is None:
        return Refusal(_IDLE)
    for each in idle:
        _remove_with_comment(draft, each)
    declared = next((each.declared for each in body.variables if each.name == variable), 0)
    path = kept.tree.path(body.start + declared, body.start + declared + 1)
    at = innermost(path, lambda node: node.kind == "local_variable_declaration")
    parts = declarators(path[at]) if at >= 0 else []
    made = initialiser(parts[0]) if len(parts) == 1 else None
    if at < 0 or made is None or not is_plain_creation(made):
        return Refusal("the declaration of the container does more than that")
    draft.remove(path[at].start, path[at].end)
    tidied(draft, kept.tree)
    stored = [use for use in uses if use.role is Role.STORE]
    assumption = _assumed(kept, linked.types.get(variable, ""), stored)
    if not assumption and (name := asked_for_nothing(kept.tree, gone)):
        assumption = _ASKED.format(name)
    return done(f"Remove `{ir.source_name(variable)}`, which nobody reads", draft, assumption)


# --- what one call reads is cleared behind it


def _cleared_behind(kept: Kept) -> Proposal | Refusal:
    touched = kept.slot
    feeds = touched.of(Role.FEED) if touched is not None else ()
    if touched is None or len(feeds) != 1 or kept.span(feeds[0]).path != kept.path:
        return Refusal("several calls read its elements")
    body = kept.program.procedure(feeds[0].key)
    statement = statement_at(kept.tree, kept.span(feeds[0]))
    if body is None or statement is None:
        return Refusal("the call that reads its elements is part of a larger expression")
    storing = {use.key for use in touched.of(Role.STORE)}
    if storing != {feeds[0].key}:
        return Refusal("who holds its lock where it would be cleared is not known")
    call = next(find(statement, "method_invocation"))
    name = kept.tree.text(call_parts(kept.tree, call)[2][-1])
    draft = Draft(kept.path, kept.data)
    draft.insert_lines_after(statement.end, f"{name}.clear();\n", text.indentation(kept.data, statement.start))
    return done(
        f"Clear `{touched.slot.name}` behind its last reader", draft, "what was compared once need not be compared again"
    )
