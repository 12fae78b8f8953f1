"""Puts a local resource into the header of a `try`: a new one around its uses, or one that is there.

Order of decision as RLFixer's and Error Prone's: a resource that is handed on (returned, stored, reassigned)
is left to other fixers. Wrappers whose constructors can throw leave their delegate a resource of its own.
Declines where the variable is needed outside of every block that could hold it; verify has the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.alone import handler_of_closing, meet_beside
from fixers.java.declaring import declare_thrown
from fixers.java.delayed import is_output
from fixers.java.folded import folded
from fixers.java.foreseen import MANY_BEHIND
from fixers.java.header import (
    add_to_header,
    break_before,
    has_throwing_wrapper,
    put_first_in_header,
    resources,
    try_line,
)
from fixers.java.held import needed_later
from fixers.java.in_one_go import is_closed_here
from fixers.java.named import around_named, declared_where_named
from fixers.java.readers import closes_of_readers, is_ended_inside
from fixers.java.region import (
    Region,
    derived,
    ends_with,
    goes_on_to,
    is_close,
    is_fresh,
    keepers,
    last_use,
    needed,
    to_close,
    whole,
)
from fixers.java.scope import Scope, index_in
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    TRIES,
    annotated,
    assigns,
    call_parts,
    catches,
    declarators,
    declared,
    declared_type,
    final_block,
    finds_what_is_named,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.java.widen_finally import is_lost_behind
from fixers.java.widen_try import (
    begun_around_question,
    begun_at_declaration,
    begun_before_others,
)
from fixers.java.with_others import converted_with_others, declared_with_others, is_idle
from fixers.java.wrapper_in_header import meets_null, wrapped_in_header
from fixers.java.wrapping import (
    aligned,
    can_hoist,
    close_block,
    close_gap_before,
    has_own_lines,
    hoist,
    indent_region,
    is_marked,
    is_plain_between,
    is_told_of,
    lift_comment,
    lift_comments,
    line_above,
    move_comment,
    moved_whole,
    open_block,
)
from fixers.leak import Candidate, Leak, Refusal
from fixers.tree import Tree, child, find
from templates import render

FIRST_LEVEL = 7
"""The language level that brought try-with-resources."""

EXISTING_VARIABLE = 9
"""The language level that lets a header name a variable."""


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, the best-looking first."""
    found = prepared(leak)
    if found is None:
        return
    shape, scope = found
    if shape.variable and (held := needed_later(scope, shape.container)):
        yield Refusal(held)
        return
    match shape.kind:
        case "declared":
            yield from declared_in_header(leak, shape, scope)
        case "assigned":
            yield from assigned_in_header(leak, shape, scope)
        case _:
            return


def prepared(leak: Leak) -> tuple[Shape, Scope] | None:
    """Where a local resource is acquired that `close` releases; None where no header may hold it."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if leak.level < FIRST_LEVEL or shape is None:
        return None
    scope = Scope(leak, shape)
    return (shape, scope) if scope.release == "close" else None


def has_body(value: Node) -> bool:
    """Whether an expression holds a class without a name: no header can be read with that in it."""
    return any(True for _ in find(value, "class_body"))


# --- T v = outer;


def declared_in_header(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """A declared variable goes into a header: of a `try` that is there, or a new one."""
    if shape.container is None or len(declarators(shape.statement)) != 1 or scope.is_reassigned() or has_body(shape.outer):
        return
    first = index_in(shape.container, shape.statement) + 1
    if shape.outer.kind == "switch_expression":
        yield from around_named(leak, scope, needed(leak.tree, shape.container, first, shape.variable))
        return
    written = " ".join((*annotated(leak.tree, shape.statement), declared_type(leak.tree, shape.statement)))
    header = resources(leak, scope, written, shape.variable, split=has_throwing_wrapper(scope))
    owner = try_around(shape)
    is_first = first == 1 or (first > 1 and says_nothing_yet(scope, statements(shape.container)[: first - 1]))
    wrappers = wrappers_behind(scope, shape.container, first)
    is_told = is_marked(leak.data, shape.statement) or is_told_of(leak.data, shape.statement, first - 1, owner)
    is_free = has_own_lines(leak.data, (shape.statement,)) and not is_told
    is_owned = owner is not None and is_first and is_free
    region = needed(leak.tree, shape.container, first, shape.variable)
    if owner is not None and is_owned and (ends_with(scope.closes(), shape.container) or goes_on_to(scope.closes(), shape.container, region)):
        if wrappers and has_own_lines(leak.data, tuple(wrappers)):
            yield from into_owner(leak, scope, owner, around_wrappers(leak, scope, header, wrappers)[1], wrappers)
        yield from into_owner(leak, scope, owner, header)
    yield from declared_with_others(leak, scope, header)
    if wrappers:
        yield from declared_together(leak, scope, header, wrappers)
    yield from declared_where_named(leak, scope, header)
    if leak.level >= EXISTING_VARIABLE and (inner := scope.only_try(shape.container)) is not None:
        yield from _name_in_header(leak, scope, inner, [shape.variable], is_moved=False)
    if len(region.body) == 1 and region.body[0].kind in TRIES:
        yield from _into_existing(leak, scope, region.body[0], header)
    begun = [each for each in (begun_at_declaration, begun_around_question, begun_before_others) if not scope.may_fail(shape.outer)]
    drafts = [draft for each in begun if (draft := each(leak, scope, header, region)) is not None]
    if (found := wrapped_in_header(leak, scope)) is not None and (not drafts or leak.level >= EXISTING_VARIABLE):
        yield from candidate(scope, *found)
    if leak.level >= EXISTING_VARIABLE and (last := scope.first_try(region.body)) is not None:
        yield from _name_in_header(leak, scope, last, [shape.variable], is_moved=False)
    for draft in drafts:
        yield from candidate(scope, draft)
    for each in _regions(scope, shape.container, first, region):
        if owner is not None and is_owned and each.last == len(statements(shape.container)) - 1:
            yield from into_owner(leak, scope, owner, header)  # A `try` inside would end no earlier.
        yield from _around_region(leak, scope, each, header, [])


def says_nothing_yet(scope: Scope, before: list[Node]) -> bool:
    """Whether statements only declare variables, of literals and what is made of them in memory at most, that the acquisition does not need:
    it may come before them."""
    values = [initialiser(each) for statement in before for each in declarators(statement)]
    is_quiet = all(declarators(each) for each in before) and all(each is None or is_idle(scope.tree, each) or is_fresh(scope.tree, each) for each in values)
    return is_quiet and not uses(scope.tree, scope.shape.outer, [name for each in before for name in declared(scope.tree, each)])


def declared_together(leak: Leak, scope: Scope, header: list[str], wrappers: list[Node]) -> Iterator[Candidate]:
    """The wrappers that are declared right behind the resource go into the header with it: closing them flushes."""
    scope = scope.together_with(_declared_in(leak.tree, wrappers))
    region, lines = around_wrappers(leak, scope, header, wrappers)
    if len(region.body) == 1 and region.body[0].kind in TRIES:
        yield from _all_into_existing(leak, scope, region.body[0], lines, wrappers)
    yield from _around_region(leak, scope, region, lines, wrappers)


def _all_into_existing(leak: Leak, scope: Scope, owner: Node, lines: list[str], wrappers: list[Node]) -> Iterator[Candidate]:
    """The try right behind the wrappers takes all of them into its header, where its handlers meet nothing new but what closing throws."""
    moved = [scope.shape.statement, *wrappers]
    values = [scope.shape.outer, *(value for each in wrappers if (value := initialiser(declarators(each)[0])) is not None)]
    closers = [scope.closer, *(scope.closer_of(leak.tree.text(declarators(each)[0].kids[0])) for each in wrappers)]
    closes = [close for each in closers for close in each.closes(scope.root)]
    clauses = [each for each in owner.kids if each.kind.endswith("_clause")]
    if any(one.uses_besides(clause, closes) for one in closers for clause in clauses) or not has_own_lines(leak.data, tuple(moved)):
        return
    if ((catches(owner) or not _is_only_closing(owner, closes)) and any(scope.may_throw(each) for each in values)) or meets_null(scope, owner):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, sorted(closes, key=lambda node: node.start))
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    for each in moved:
        draft.remove(each.start, each.end)
    close_gap_before(draft, scope.shape.statement, owner, wrappers[-1])
    put_first_in_header(draft, owner, lines)
    yield from candidate(scope, draft, owner)


def around_wrappers(leak: Leak, scope: Scope, header: list[str], wrappers: Sequence[Node]) -> tuple[Region, list[str]]:
    """What needs a resource or its wrappers, and the header of all of them."""
    container = scope.shape.container
    assert container is not None
    if not wrappers:
        return needed(leak.tree, container, index_in(container, scope.shape.statement) + 1, scope.variable), header
    first = index_in(container, wrappers[-1]) + 1
    outermost = leak.tree.text(declarators(wrappers[-1])[0].kids[0])
    region = needed(leak.tree, container, first, outermost)
    others = [scope.variable, *(leak.tree.text(declarators(each)[0].kids[0]) for each in wrappers[:-1])]
    ends = [needed(leak.tree, container, first, each) for each in others]
    region = max([region, *ends], key=lambda each: each.last)
    direct = last_use(leak.tree, container, first, {outermost, *others})
    if first <= direct < region.last and any(is_close(leak.tree, statements(container)[direct], each) for each in (outermost, *others)):
        region = needed(leak.tree, container, first, outermost, direct)
    return region, [*header, *(_in_words(leak, each) for each in wrappers)]


def _in_words(leak: Leak, statement: Node) -> str:
    """A declaration as a resource, without the blanks that put it below another."""
    [declarator] = declarators(statement)
    value = initialiser(declarator)
    assert value is not None
    words = (*annotated(leak.tree, statement), declared_type(leak.tree, statement), leak.tree.text(declarator.kids[0]))
    return f"{' '.join(words)} ={break_before(leak.data, value)}{leak.tree.text(value)}"


def wrappers_behind(scope: Scope, container: Node, first: int) -> list[Node]:
    """The declarations from a place on, one after the other, of objects whose constructors wrap the one before, or that one of
    them makes and would close: the statement of a connection."""
    found: list[Node] = []
    inner = scope.variable
    opened = [inner]
    for statement in statements(container)[first:]:
        names = declarators(statement)
        value = initialiser(names[0]) if len(names) == 1 else None
        if value is None:
            break
        receiver = call_parts(scope.tree, value)[0] if value.kind == "method_invocation" else None
        is_made = receiver is not None and receiver.kind == "identifier" and scope.tree.text(receiver) in opened and scope.makes_inside(value)
        name = scope.tree.text(names[0].kids[0])
        is_wrapping = value.kind == "object_creation_expression" and scope.wraps(value, inner)
        is_ended = is_closed_here(scope, container, statement, inner)
        if not is_wrapping and (is_ended is False or (is_ended is None and not is_made)):
            break
        if any(True for _ in assigns(scope.tree, scope.root, name)) or is_marked(scope.tree.data, statement):
            break
        found.append(statement)
        opened.append(name)
        inner = name
    return found


def _declared_in(tree: Tree, body: Sequence[Node]) -> list[str]:
    return [name for each in body for name in declared(tree, each)]


MAX_SPLIT = 1
"""So many declarations may be split for a block that could go on to the end of the one around it, a few lines further down."""
FEW_LINES = 10


def is_better_whole(tree: Tree, region: Region, everything: Region) -> bool:
    """Whether a block may as well go to the end of the one around it, a few lines further down, for the declarations that it would split."""
    split = len(region.hoisted) - len(moved_whole(tree, region))
    is_longer = bool(region.body) and everything.last > region.last
    return is_longer and split > MAX_SPLIT and tree.data.count(b"\n", region.body[-1].end, everything.body[-1].end) <= FEW_LINES


def _regions(scope: Scope, container: Node, first: int, region: Region) -> Iterator[Region]:
    everything = whole(container, first)
    is_longer = everything.last > region.last
    closed = to_close(scope.tree, container, first, scope.variable)
    if closed is not None and closed.last < region.last and len(closed.hoisted) == MAX_SPLIT:
        behind = region.body[len(closed.body) :]
        is_far = scope.tree.data.count(b"\n", closed.body[-1].end, region.body[-1].end) > MANY_BEHIND
        calls = [call for each in behind if each.kind == "expression_statement" for call in find(each, "method_invocation")]
        is_done = not any("close" in call_parts(scope.tree, call)[1].lower() for call in calls)
        yield from [closed] if is_far and is_done else []
    if is_better_whole(scope.tree, region, everything):
        yield everything
    yield region
    if closed is not None and closed.last != region.last:
        yield closed
    if is_longer:
        yield everything


def _around_region(
    leak: Leak, scope: Scope, region: Region, header: list[str], wrappers: list[Node]
) -> Iterator[Candidate]:
    """A new try around the statements; the declaration becomes its header."""
    statement = scope.shape.statement
    closes = [*(each for each in scope.closes() if _is_in(each, region)), *closes_of(leak, scope, region, wrappers)]
    if not region.body or not can_hoist(leak.tree, region) or not has_own_lines(leak.data, (statement, *region.body)) or is_long(leak, region):
        return
    if not is_plain_between(leak.data, statement, region.body) or scope.ends_maker(region.body) or is_ended_inside(scope, region.body, closes):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    bare = closing.remove(draft, scope.root, closes)
    if any(not catches(each) and each.kind == "try_statement" for each in bare):
        return
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    lift_comments(draft, wrappers, statement)
    for each in wrappers:
        draft.remove(each.start, each.end)
    indent = aligned(draft, statement, region.body)
    hoist(draft, leak.tree, region, statement, indent)
    open_block(draft, statement, region.body, try_line(header, indent, draft), indent)
    indent_region(draft, region.body, statement.end)
    yield from ended(scope, draft, region, indent)


def ended(scope: Scope, draft: Draft, region: Region, indent: str) -> Iterator[Candidate]:
    """The end of a new block, with a handler for what closing throws where nobody else may meet that."""
    is_declared = declare_thrown(draft, scope.leak)
    tail = "" if is_declared else handler_of_closing(scope, region, draft)
    close_block(draft, region.body, indent, tail or "}\n")
    yield from candidate(scope, draft, is_settled=True)


def closes_of(leak: Leak, scope: Scope, region: Region, wrappers: Sequence[Node]) -> list[Node]:
    """What closes wrappers in a region, and what closes mere readers of them there."""
    names = _declared_in(leak.tree, wrappers)
    closes = [close for each in names for close in scope.closer_of(each).closes(scope.root) if _is_in(close, region)]
    return [*closes, *closes_of_readers(scope, region.body, (scope.variable, *names))]


def is_long(leak: Leak, region: Region) -> bool:
    """Whether a region has more lines than anybody wants to see moved in."""
    return leak.data.count(b"\n", region.body[0].start, region.body[-1].end) > LONG


def _is_in(node: Node, region: Region) -> bool:
    return bool(region.body) and region.body[0].start <= node.start and node.end <= region.body[-1].end


def candidate(scope: Scope, draft: Draft, owner: Node | None = None, *, is_settled: bool = False) -> Iterator[Candidate]:
    """The candidate of a draft, with its imports. `owner`: the try whose header it is, where that was there; `is_settled`: who meets what
    closing throws is seen to. None where a handler is told of an output that cannot be written out, and would not be then."""
    told = any(draft.is_removed(each.start) and _is_told(scope, each, owner) for each in scope.closes())
    if (told and is_output(scope.leak.finding.resource.partition("<")[0])) or closing.leaves_idle_handler(draft, scope.tree, scope.root):
        return
    if not is_settled:
        declare_thrown(draft, scope.leak, body.start if owner is not None and (body := try_body(owner)) is not None else -1)
    scope.types.import_into(draft)
    if edits := draft.edits():
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), folded(scope.leak, draft, owner, edits))


def _is_told(scope: Scope, close: Node, owner: Node | None) -> bool:
    """Whether a handler is told of a close that fails which would not be told where the header closes: those of its own `try` will do for
    what its `finally` does."""
    known = scope.met_by(owner or scope.shape.statement, is_header=owner is not None)
    clause = final_block(owner) if owner is not None and catches(owner) else None
    is_final = clause is not None and clause.start < close.start < clause.end
    return not is_final and not scope.met_by(close) <= known


# --- a try that is there already


def _into_existing(leak: Leak, scope: Scope, statement: Node, header: list[str]) -> Iterator[Candidate]:
    """The try right behind the declaration takes the resource into its header."""
    clauses = catches(statement)
    closes = scope.closes()
    if any(scope.closer.uses_besides(each, closes) for each in statement.kids if each.kind.endswith("_clause")):
        return
    is_handling = bool(clauses) or not _is_only_closing(statement, closes)
    is_wrapped = scope.shape.outer.end > scope.shape.expression.end
    is_quiet = finds_what_is_named(leak.tree, scope.shape.outer)
    if is_handling and not is_quiet and leak.level >= EXISTING_VARIABLE and statement.kind == "try_statement":
        yield from _name_in_header(leak, scope, statement, [scope.variable], is_moved=False)
    if (not is_handling or is_quiet or not scope.may_fail(scope.shape.outer)) and not (is_wrapped and meets_null(scope, statement)):
        yield from _name_in_header(leak, scope, statement, header, is_moved=True)


def _is_only_closing(statement: Node, closes: list[Node]) -> bool:
    """Whether a `finally`, if there is one, does nothing but close the resource."""
    clause = final_block(statement)
    block = child(clause, "block") if clause is not None else None
    return block is None or all(each in closes for each in statements(block))


def _name_in_header(
    leak: Leak, scope: Scope, statement: Node, words: list[str], *, is_moved: bool
) -> Iterator[Candidate]:
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, scope.closes())
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    if is_moved:
        declaration = scope.shape.statement
        if not has_own_lines(leak.data, (declaration,)):
            return
        draft.remove(declaration.start, declaration.end)
        close_gap_before(draft, declaration, statement)
    put_first_in_header(draft, statement, words)
    yield from candidate(scope, draft, statement)


def into_owner(leak: Leak, scope: Scope, owner: Node, header: list[str], wrappers: Sequence[Node] = ()) -> Iterator[Candidate]:
    """The try whose first statement declares the resource takes it into its header, perhaps with the wrappers behind it."""
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    scope = scope.together_with(_declared_in(leak.tree, wrappers))
    body = statements(scope.shape.container or owner)
    region = Region(0, len(body) - 1, tuple(body))
    closing.remove(draft, scope.root, sorted([*scope.closes(), *closes_of(leak, scope, region, wrappers)], key=lambda node: node.start))
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    for each in (scope.shape.statement, *wrappers):
        draft.remove(each.start, each.end)
    lift_comment(draft, scope.shape.statement, owner)
    close_gap_before(draft, scope.shape.statement, body[-1], wrappers[-1] if wrappers else None)
    add_to_header(draft, owner, header, scope.shape.statement)
    meet_beside(scope, owner, draft)
    yield from candidate(scope, draft, owner)


# --- v = outer; with T v declared before


def assigned_in_header(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    declaration = scope.declaration()
    if shape.container is None or declaration is None or not scope.is_declared_empty() or scope.is_reassigned():
        return
    statement, declarator = declaration
    if child(declarator, "dimensions") is not None:
        return
    if leak.level >= EXISTING_VARIABLE and initialiser(declarator) is None:
        yield from _behind_try(leak, shape, scope)
    written = declared_type(leak.tree, statement)
    header = resources(leak, scope, written, shape.variable, split=has_throwing_wrapper(scope))
    body = statements(shape.container)
    at = index_in(shape.container, shape.statement)
    region = needed(leak.tree, shape.container, at + 1, shape.variable)
    inner = [statement, shape.statement, *scope.closes(), *scope.nullings()]
    outside = [node for node in (*body[:at], *body[region.last + 1 :])]
    if any(scope.closer.uses_besides(node, inner) for node in outside) or _is_used_outside(scope, shape.container, inner):
        return
    kept = keepers(leak.tree, body[at + 1 :], {shape.variable})
    if any(each.start >= shape.container.end and leak.tree.text(each) in kept for each in find(scope.root, "identifier")):
        return
    owner = try_around(shape)
    is_alone = at == 1 and body[0] is statement and len(declarators(statement)) == 1 and closing.lead_of(leak.data, statement.start) == statement.start
    is_first = at == 0 or is_alone or says_nothing_yet(scope, body[:at])
    if owner is not None and is_first and ends_with(scope.closes(), shape.container):
        yield from _convert(leak, scope, owner, header, statement)
    if owner is not None and at > 0:
        yield from converted_with_others(leak, scope, owner, header)
    if owner is not None and (is_lost_behind(leak, scope, owner) or _ends_behind(scope, owner)):
        return
    if wrappers := wrappers_behind(scope, shape.container, at + 1):
        scope = scope.together_with(_declared_in(leak.tree, wrappers))
        region, lines = around_wrappers(leak, scope, header, wrappers)
        yield from _convert_region(leak, scope, region, lines, statement, wrappers)
    for each in _regions(scope, shape.container, at + 1, needed(leak.tree, shape.container, at + 1, shape.variable)):
        yield from _convert_region(leak, scope, each, header, statement)


LONG = 100
"""So many lines nobody wants to see moved in, where a close at the end is all that is asked for."""


def _behind_try(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """`try { v = outer; } catch … { return; }` and what follows: the variable goes into a header as it is."""
    found = uses_behind(leak, shape, scope)
    if found is None:
        return
    [*others, last] = found.body
    clauses = [each for each in last.kids if each.kind.endswith("_clause")]
    if not others and last.kind == "try_statement" and not any(scope.closer.uses_besides(each, scope.closes()) for each in clauses):
        yield from _name_in_header(leak, scope, last, [scope.variable], is_moved=False)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, [each for each in scope.closes() if _is_in(each, found)])
    first = found.body[0]
    indent = text.indentation(leak.data, first.start)
    draft.insert_lines(first.start, render("fixes/java/try", resources=scope.variable) + "\n", indent)
    indent_region(draft, found.body)
    close_block(draft, found.body, indent)
    declare_thrown(draft, leak, first.start)
    yield from candidate(scope, draft, is_settled=True)


def uses_behind(leak: Leak, shape: Shape, scope: Scope) -> Region | None:
    """The statements that use a variable that the try statement before them has assigned, where nothing else does."""
    owner = try_around(shape)
    if owner is None or statements(shape.container or owner)[-1] is not shape.statement:
        return None
    at = next((n for n, node in enumerate(shape.path) if node is owner), 0)
    container = shape.path[at - 1]
    first = index_in(container, owner) + 1
    if first < 1:
        return None
    region = needed(leak.tree, container, first, shape.variable)
    return region if region.body and not region.hoisted and has_own_lines(leak.data, region.body) else None


def _is_used_outside(scope: Scope, container: Node, left_out: list[Node]) -> bool:
    """Whether the variable is mentioned outside of the container that acquires it."""
    return scope.closer.uses_besides(scope.root, [*left_out, container])


def try_around(shape: Shape) -> Node | None:
    """The try statement whose block is the container."""
    path = shape.path
    at = next((n for n, node in enumerate(path) if node is shape.container), 0)
    parent = path[at - 1] if at else None
    if parent is not None and parent.kind in TRIES and try_body(parent) is shape.container:
        return parent
    return None


def remove_declaration(draft: Draft, statement: Node, variable: Node) -> None:
    """Take one declarator out of a declaration, with the declaration where it was the only one."""
    found = declarators(statement)
    if len(found) == 1:
        draft.remove(statement.start, statement.end)
        below = text.next_line(draft.data, statement.end)
        if line_above(draft.data, statement.start).endswith(b"{") and not draft.data[below : text.next_line(draft.data, below)].strip():
            draft.remove_line(below)
        return
    at = next(n for n, each in enumerate(found) if each.start == variable.start)
    if at:
        draft.replace(found[at - 1].end, variable.end, "")
    else:
        draft.replace(variable.start, found[1].start, "")


def _convert(leak: Leak, scope: Scope, owner: Node, header: list[str], declaration: Node) -> Iterator[Candidate]:
    """`T v = null; try { v = outer; …` becomes `try (T v = outer) { …`."""
    mine = [scope.shape.statement, *scope.closes(), *scope.nullings(), scope.shape.container or owner]
    if _ends_behind(scope, owner) or scope.closer.uses_besides(owner, mine):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    _drop_old(draft, scope, declaration)
    draft.remove(scope.shape.statement.start, scope.shape.statement.end)
    close_gap_before(draft, scope.shape.statement, statements(scope.shape.container or owner)[-1])
    move_comment(draft, declaration, owner)
    lift_comment(draft, scope.shape.statement, owner)
    add_to_header(draft, owner, header, scope.shape.statement)
    yield from candidate(scope, draft, owner)


def _ends_behind(scope: Scope, owner: Node) -> bool:
    """Whether the `finally` of a try uses, or closes, what was made of the resource in its block."""
    made = derived(scope.tree, statements(scope.shape.container or owner), scope.variable) - {scope.variable}
    clause = final_block(owner)
    return clause is not None and uses(scope.tree, clause, made)


def _convert_region(
    leak: Leak, scope: Scope, region: Region, header: list[str], declaration: Node, wrappers: Sequence[Node] = ()
) -> Iterator[Candidate]:
    statement = scope.shape.statement
    if not region.body or not can_hoist(leak.tree, region) or not has_own_lines(leak.data, (statement, *region.body)) or is_long(leak, region):
        return
    if not is_plain_between(leak.data, statement, region.body) or scope.ends_maker(region.body):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    bare = _drop_old(draft, scope, declaration, closes_of(leak, scope, region, wrappers))
    for each in wrappers:
        draft.remove(each.start, each.end)
    if any(not catches(each) and each.kind == "try_statement" for each in bare):
        return
    indent = aligned(draft, statement, region.body)
    hoist(draft, leak.tree, region, statement, indent)
    move_comment(draft, declaration, statement)
    open_block(draft, statement, region.body, try_line(header, indent, draft), indent)
    indent_region(draft, region.body, statement.end)
    yield from ended(scope, draft, region, indent)


def _drop_old(draft: Draft, scope: Scope, declaration: Node, others: Sequence[Node] = ()) -> list[Node]:
    """Take out the empty declaration and what closed the variable, or what comes along."""
    bare = closing.remove(draft, scope.root, [*scope.closes(), *others])
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    closing.close_gaps(draft, [*scope.closes(), *scope.nullings()])
    variable = next(each for each in declarators(declaration) if scope.tree.text(each.kids[0]) == scope.variable)
    remove_declaration(draft, declaration, variable)
    return bare
