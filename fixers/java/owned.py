"""Closes what a procedure owns from its beginning: a parameter, what a field held before, what a destructor closes.

After Arodnap's close before a reassignment; the parameter as RLFixer fixes a callee that owns it. A destructor closes
each field, even if what comes before throws. Whether others still use what a field held is not known: assumed.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.closing import Closer, lead_of
from fixers.java.delayed import is_output
from fixers.java.made_late import may_hold_nothing
from fixers.java.region import Region, derived, is_close, needed
from fixers.java.scope import Scope, index_in, procedure_node
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    CONTAINERS,
    assignment,
    assigns,
    call_parts,
    catches,
    declarators,
    final_block,
    fixed_text,
    has_escaping_jump,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.java.try_with_resources import EXISTING_VARIABLE, FIRST_LEVEL, declared_in_header
from fixers.java.widen_finally import moved_to_finally
from fixers.java.wrapping import can_hoist, close_block, close_gap, has_own_lines, hoist, indent_region
from fixers.leak import Candidate, Leak
from fixers.naming import unused
from fixers.tree import COMMENTS, Tree, child, find
from templates import render

_JUMPS = ("return_statement", "break_statement", "continue_statement", "yield_statement")

_NEVER_THROWS = frozenset(("identifier", "null_literal", "this"))


def propose(leak: Leak) -> Iterator[Candidate]:
    """Candidates, the best-looking first."""
    for path in leak.owned[:1]:
        if leak.is_ensured:
            yield from _closed_anyway(leak, path[-1])
        elif len(path) == 1:
            yield from _parameter(leak)
        else:
            yield from _closed_before(leak)


# --- a parameter


def _parameter(leak: Leak) -> Iterator[Candidate]:
    """Around the statements from the first to the last that needs it, or alone where none does."""
    root = procedure_node(leak)
    body = child(root, "block", "constructor_body")
    name = leak.finding.variable
    if body is None or any(True for _ in assigns(leak.tree, root, name)):
        return
    yield from _wrapped(leak, body, name)
    wrappers = derived(leak.tree, statements(body), name) - {name}
    if any(is_close(leak.tree, each, other) for each in statements(body) for other in wrappers):
        return  # The close of the wrapper would be left behind.
    scope = Scope(leak, Shape(root, root, "declared", name, root, body, (root,)))
    first = 1 if any(each.kind == "explicit_constructor_invocation" for each in statements(body)[:1]) else 0
    region = needed(leak.tree, body, first, name)
    if not region.body:
        yield from _alone(leak, scope, body)
    elif not region.hoisted and can_hoist(leak.tree, region) and has_own_lines(leak.data, region.body):
        if leak.level >= EXISTING_VARIABLE and scope.release == "close":
            yield from _around(leak, scope, region, ("", ""))
        for caught in dict.fromkeys(("", leak.caught)):
            yield from _around(leak, scope, region, ("finally", caught))


def _wrapped(leak: Leak, body: Node, name: str) -> Iterator[Candidate]:
    """A variable that is declared for a wrapper of the parameter, and closed further down, is the resource."""
    for statement in statements(body):
        names = declarators(statement)
        value = initialiser(names[0]) if len(names) == 1 else None
        if value is not None and value.kind == "object_creation_expression":
            shape = classify(leak.tree, value.start, value.end)
            scope = Scope(leak, shape) if shape is not None and shape.kind == "declared" else None
            if shape is not None and scope is not None and scope.closes() and scope.wraps(value, name) and leak.level >= FIRST_LEVEL:
                yield from declared_in_header(leak, shape, scope)
        if uses(leak.tree, statement, [name]):
            return


def _alone(leak: Leak, scope: Scope, body: Node) -> Iterator[Candidate]:
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    outer = text.indentation(leak.data, procedure_node(leak).start)
    for caught in dict.fromkeys(("", leak.caught)):
        lines = text.reindented(_release(scope, caught, draft.unit), outer + draft.unit)
        inner = statements(body)
        if inner:
            return
        if leak.data[body.start + 1 : body.end - 1].strip():
            continue
        draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
        draft.replace(body.start, body.end, f"{{\n{lines}{outer}}}")
        yield from _candidate(scope, draft, "insert_close")


def _around(leak: Leak, scope: Scope, region: Region, form: tuple[str, str]) -> Iterator[Candidate]:
    word, caught = form
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    first = region.body[0]
    closes = [each for each in scope.closes() if first.start <= each.start and each.end <= region.body[-1].end]
    if all(each in closes for each in region.body) or _is_heard_no_more(scope, closes, first, caught):
        return
    closing.remove(draft, scope.root, closes)
    hoist(draft, leak.tree, region, first)
    indent = text.indentation(leak.data, first.start)
    opening = "try {" if word else render("fixes/java/try", resources=scope.variable)
    draft.insert_lines(first.start, f"{opening}\n", indent)
    indent_region(draft, region.body)
    tail = "}\n"
    if word:
        tail = "} finally {\n" + text.reindented(_release(scope, caught, draft.unit), draft.unit) + "}\n"
    close_block(draft, region.body, indent, tail)
    yield from _candidate(scope, draft, "close_in_finally" if word else "try_with_resources")


def _is_heard_no_more(scope: Scope, closes: list[Node], first: Node, caught: str) -> bool:
    """Whether somebody hears of an output whose close cannot write out what is left, and would not where it is closed behind the
    statements from `first` on: it is swallowed there, or goes past their handlers."""
    if not is_output(scope.leak.finding.resource.partition("<")[0]):
        return False
    heard = [each for each in closes if not scope.is_quiet(each)]
    return any(each.kind != "try_statement" if caught else not scope.met_by(each) <= scope.met_beside(first) for each in heard)


def _release(scope: Scope, caught: str, unit: str) -> str:
    return render(
        "fixes/java/release", variable=scope.variable, statement=scope.release_statement(),
        guarded=scope.may_be_null(), caught=caught, exception=unused(scope.tree, "e", "ex", "closing"), unit=unit,
    )


def _candidate(scope: Scope, draft: Draft, title: str) -> Iterator[Candidate]:
    edits = draft.edits()
    if edits:
        yield Candidate(render(f"fixes/titles/{title}", variable=scope.variable).strip(), edits)


# --- what a field held


def _closed_before(leak: Leak) -> Iterator[Candidate]:
    """`if (f != null) { f.close(); }` before `f = …`; null in between where the new value may fail to be made."""
    acquired = leak.finding.acquired
    path = leak.tree.path(acquired.start, acquired.end)
    at = next((n for n, node in enumerate(path) if node.kind == "expression_statement" and n), 0)
    parts = assignment(path[at]) if at else None
    if parts is None or path[at - 1].kind not in CONTAINERS or not text.starts_line(leak.data, path[at].start):
        return
    statement, (target, value) = path[at], parts
    written = leak.tree.text(target)
    method = leak.finding.methods[0]
    for caught in dict.fromkeys(("", leak.caught)):
        draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
        lines = render(
            "fixes/java/release", variable=written, statement=f"{written}.{method}();", guarded=True, caught=caught,
            exception=unused(leak.tree, "e", "ex", "closing"), unit=draft.unit,
        )
        if value.kind not in _NEVER_THROWS:
            lines = lines.rstrip("\n").removesuffix("}") + f"{draft.unit}{written} = null;\n}}\n"
        draft.insert_lines(statement.start, lines, text.indentation(leak.data, statement.start))
        edits = draft.edits()
        if edits:
            title = render("fixes/titles/close_before", variable=written)
            yield Candidate(title, edits, assumption=f"somebody may still use what `{written}` held")


# --- what a destructor closes


def _closed_anyway(leak: Leak, name: str) -> Iterator[Candidate]:
    """`try { … } finally { f.close(); }` around what comes before the release of the field."""
    root = procedure_node(leak)
    if _is_shadowed(leak.tree, root, name):
        return
    methods = frozenset(each.call.rpartition(".")[2] for each in leak.releases) | {"close"}
    closer = FieldCloser(leak.tree, name, methods, lambda call: False)
    found = [each for each in find(root, "block") for each in statements(each) if closer.is_close(each)]
    outermost = [each for each in found if not any(o is not each and o.start <= each.start and each.end <= o.end for o in found)]
    if len(outermost) != 1 or _releases(root, methods, leak) > MAX_RELEASES:
        return
    path = leak.tree.path(outermost[0].start, outermost[0].end)
    for at in range(len(path) - 1, 0, -1):
        if path[at - 1].kind in CONTAINERS:
            yield from _moved_to_finally(leak, path[at - 1], path[at], name)


MAX_RELEASES = 3
"""From so many releases in a row on, a handler for one of them does not help much."""


def _releases(root: Node, methods: frozenset[str], leak: Leak) -> int:
    calls = (call_parts(leak.tree, each) for each in find(root, "method_invocation"))
    return len({leak.tree.text(receiver) for receiver, name, given in calls if receiver is not None and name in methods and not given})


def _moved_to_finally(leak: Leak, container: Node, release: Node, name: str) -> Iterator[Candidate]:
    before = statements(container)[: index_in(container, release)]
    last = max((n for n, each in enumerate(before) if each.kind in _JUMPS or has_escaping_jump(each, *_JUMPS)), default=-1)
    first = next((n for n, each in enumerate(before) if n > last and not _refuses(each)), len(before))
    if first > last + 1:  # Whoever may not call the method so has nothing closed by it.
        yield from _finally(leak, before[first:], release, name)
        return
    yield from _finally(leak, before[last + 1 :], release, name)
    while before[last + 1 :] and before[last + 1].kind == "local_variable_declaration":
        last += 1
        yield from _finally(leak, before[last + 1 :], release, name)


def _refuses(statement: Node) -> bool:
    """Whether a statement does nothing but throw where something that needs no call is so: a method begins with it."""
    parts = [each for each in statement.kids if each.kind not in COMMENTS]
    if statement.kind != "if_statement" or len(parts) != 3 or any(True for _ in find(parts[1], "method_invocation")):
        return False
    inner = statements(parts[2]) if parts[2].kind == "block" else [parts[2]]
    return [each.kind for each in inner] == ["throw_statement"]


def _finally(leak: Leak, before: list[Node], release: Node, name: str) -> Iterator[Candidate]:
    if not before or not has_own_lines(leak.data, tuple(before)) or not has_own_lines(leak.data, (release,)):
        return
    if release.kind != "if_statement" and may_hold_nothing(leak.tree, procedure_node(leak), before, name):
        return
    yield from _in_one_finally(leak, before, release, name)
    yield from moved_to_finally(leak, before, release, name)


def _in_one_finally(leak: Leak, before: list[Node], release: Node, name: str) -> Iterator[Candidate]:
    """A release that ends the block of a `try` goes into its `finally`, before the release of another field there: each runs though the
    other throws."""
    path = leak.tree.path(release.start, release.end)
    at = next((n for n, node in enumerate(path) if node is release), 0)
    owner = path[at - 2] if at > 1 and path[at - 2].kind == "try_statement" and try_body(path[at - 2]) is path[at - 1] else None
    if owner is None or catches(owner) or final_block(owner) is None or statements(path[at - 1]) != [*before, release]:
        return
    draft = Draft(leak.path, leak.data, release.start)
    indent, above = text.indentation(leak.data, owner.start), lead_of(leak.data, release.start)
    close_gap(draft, before[-1], above)
    draft.insert_lines(above, f"}} finally {{\n{draft.unit}try {{\n", indent)
    draft.indent(above, owner.end, [each for clause in owner.kids for each in fixed_text(clause)])
    draft.insert_lines_after(owner.end, "}\n", indent)
    if has_own_lines(leak.data, (owner,)) and (edits := draft.edits()):
        yield Candidate(render("fixes/titles/close_in_finally", variable=name), edits)


def _is_shadowed(tree: Tree, root: Node, name: str) -> bool:
    """Whether a variable of the procedure bears the name of the field."""
    return any(
        tree.text(each.kids[0]) == name for each in find(root, "variable_declarator", "catch_formal_parameter") if each.kids
    )


class FieldCloser(Closer):
    """Recognises what closes a field, written with or without `this`."""

    def _is_variable(self, node: Node) -> bool:
        return self.tree.text(node) in (self.variable, f"this.{self.variable}")
