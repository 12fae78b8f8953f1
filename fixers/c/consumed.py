"""A call that takes a handle over only when it succeeds: `realloc`, `fdopen`, `gzdopen`, wrappers of them.

Where it fails the handle is still the caller's: it is released there. `p = realloc(p, n)` loses the old block in
the assignment itself; there the result goes to a variable of its own first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.summaries import Condition
from analyzers.syntax import Node
from fixers import text
from fixers.c.error_number import asked_behind
from fixers.c.patch import Patch, Release, declaration
from fixers.c.points import JUMPS, Point, if_parts, statements
from fixers.c.release import release_call
from fixers.c.style import Style, style_of
from fixers.c.takeovers import failure_of
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import COMMENTS, child, find
from templates import render

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
_SAMPLES = (-2, -1, 0, 1, 2)
"""What results are tried with."""


class Takeover(msgspec.Struct, frozen=True):
    """The statement, where the result goes, the call's value, the handle, what a result says of failure and what it always is."""

    statement: Node
    target: Node
    value: Node
    handle: str
    failure: Condition
    known: tuple[Condition, ...] = ()


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The candidates, where the leak has this shape."""
    found = _takeover(leak)
    if found is None:
        yield from _where_it_is_tested(leak)
        return
    if not text.starts_line(leak.data, found.statement.start):
        return
    call = release_call(leak, found.handle)
    if not call:
        return
    is_overwritten = leak.tree.text(found.target) == found.handle
    for write in (_keep_where_it_is_tested, _keep_for_the_end, _keep) if is_overwritten else (_add,):
        patch = Patch(leak, style_of(leak))
        edits = patch.edits() if write(leak, patch, found, call) else ()
        if edits:
            title = render("fixes/titles/consumed", expression=found.handle)
            yield Candidate(title, edits, assumption=_assumption(leak, found), is_part=True)


def _where_it_is_tested(leak: Leak) -> Iterator[Candidate]:
    """The release in the branch of an `if` whose condition is the call (`if (push(queue, item) < 0) return -1;`)."""
    for failure, known, _, call in _takeovers(leak):
        path = leak.tree.path(call.start, call.end)
        statement = next((each for each in reversed(path) if each.kind == "if_statement"), None)
        condition = child(statement, "parenthesized_expression") if statement is not None else None
        consequence = if_parts(statement)[0] if statement is not None else None
        if condition is None or consequence is None or not _fails(leak, condition, call, failure, known):
            continue
        release = release_call(leak, _handle(leak))
        patch = Patch(leak, style_of(leak))
        if release and _put_last(leak, patch, consequence, release) and (edits := patch.edits()):
            yield Candidate(render("fixes/titles/consumed", expression=_handle(leak)), edits)


def _fails(leak: Leak, tested: Node, asked: Node, failure: Condition, known: Sequence[Condition]) -> bool:
    """Whether a condition is that a call, or what its result was assigned to, has failed, as far as the small numbers tell.
    `known`: what its result always is."""
    words = "".join(leak.tree.text(tested).split())[1:-1]
    value = "".join(leak.tree.text(asked).split())
    before, _, behind = words.partition(value)
    if before == "!" and not behind:
        relation, number = "==", 0
    elif not before and not behind:
        relation, number = "!=", 0
    else:
        relation = next((each for each in ("==", "!=", "<=", ">=", "<", ">") if not before and behind.startswith(each)), "")
        rest = behind[len(relation) :]
        if not relation or not (rest == "NULL" or rest.lstrip("-").isdigit()):
            return False
        number = 0 if rest == "NULL" else int(rest)
    wanted = 0 if failure.value == "=null" else int(failure.value[1:]) if failure.value[1:].lstrip("-").isdigit() else None
    possible = [each for each in _SAMPLES if all(_holds(condition, each) for condition in known)]
    failing = [each for each in possible if wanted is not None and _COMPARED[failure.operator](each, wanted)]
    others = [each for each in possible if each not in failing]
    tells = _COMPARED[relation]
    return bool(failing and others) and all(tells(each, number) for each in failing) and not any(tells(each, number) for each in others)


def _holds(condition: Condition, result: int) -> bool:
    """Whether a condition on a result can hold for a number."""
    text = condition.value[1:]
    return condition.path != ("$ret",) or not text.lstrip("-").isdigit() or _COMPARED[condition.operator](result, int(text))


def _assumption(leak: Leak, found: Takeover) -> str:
    """A call whose result nobody tests is taken never to fail by those who wrote the code."""
    target = leak.tree.text(found.target)
    end = found.statement.end - leak.linked.body.start
    is_tested = any(node.start >= end and _tests(node, target, leak) for node in leak.linked.body.nodes)
    return "" if is_tested else f"nothing here tests whether it fails (`{target}`)"


def _tests(node: ir.Instruction, target: str, leak: Leak) -> bool:
    """Whether a branch compares what `target` names with null or a number."""
    if not isinstance(node, ir.Branch) or not (node.operator == "true" or ir.is_literal(node.right)):
        return False
    if ir.source_name(node.left) == target:
        return True
    start = leak.linked.body.start
    return target in leak.data[start + node.start : start + node.end].decode("utf-8", "surrogateescape")


def _add(leak: Leak, patch: Patch, found: Takeover, call: str) -> bool:
    """The test and the release behind the statement."""
    block = _block(leak, found.statement)
    if block is None or not text.ends_line(leak.data, found.statement.end):
        return False
    rest = [each for each in statements(block) if each.start > found.statement.start]
    if rest and _join(leak, patch, found, rest[0], call):
        return True
    branch = if_parts(rest[0])[0] if rest and rest[0].kind == "if_statement" else None
    if branch is not None and _is_there(leak, branch, call):
        return False
    if not patch.style.is_mixed and any(each.kind == "declaration" for each in rest):
        return False
    test = _failed(patch.style, leak.tree.text(found.target), found.failure)
    lines = patch.style.branches(render("fixes/c/release", call=_with_number_kept(leak, found, patch.style.call(call)), condition=test, unit=patch.draft.unit), patch.draft.unit)
    patch.draft.insert_lines_after(found.statement.end, lines, text.indentation(leak.data, found.statement.start))
    return True


def _with_number_kept(leak: Leak, found: Takeover, call: str) -> str:
    """A release behind the call, with `errno` kept for who asks it next (`if (f == NULL) return -errno;`)."""
    known = leak.callees.facts(leak.linked.key)
    start = leak.linked.body.start
    at = found.statement.start - start, found.statement.end - start
    inside = [n for n, each in enumerate(leak.linked.body.nodes) if isinstance(each, ir.Call) and at[0] <= each.start and each.end <= at[1]]
    if known is None:
        return call
    asked = asked_behind(known, leak.callees.facts)
    if not any(asked[later] for node in inside for later in leak.linked.next[node]):
        return call
    name = unused(leak.tree, "error", "saved_errno", "number")
    return f"int {name} = errno;\n{call};\nerrno = {name}"


def _join(leak: Leak, patch: Patch, found: Takeover, following: Node, call: str) -> bool:
    """The release in the branch that the code takes next where the call has failed, before that is left."""
    consequence = if_parts(following)[0] if following.kind == "if_statement" else None
    condition = child(following, "parenthesized_expression") if consequence is not None else None
    if condition is None or consequence is None or not _fails(leak, condition, found.target, found.failure, found.known):
        return False
    return _put_last(leak, patch, consequence, call)


def _put_last(leak: Leak, patch: Patch, consequence: Node, call: str) -> bool:
    """The release at the end of a branch, before it is left."""
    if _is_there(leak, consequence, call):
        return False
    if consequence.kind != "compound_statement":
        is_asking = _asks(leak, consequence)
        if is_asking and consequence.kind != "expression_statement":
            return _put_behind_value(patch, consequence, call)
        return patch.put(Point(0, "behind" if is_asking else "branch", consequence, False, 0), Release(call))
    inner = statements(consequence)
    if inner and "->" in _handle(leak):
        # Its struct may be released in the same branch.
        return patch.put(Point(0, "before", inner[0], False, 0), Release(call))
    if not inner or inner[-1].kind not in JUMPS:
        return False
    if _asks(leak, inner[-1]):
        return _put_behind_value(patch, inner[-1], call)
    return patch.put(Point(0, "before", inner[-1], False, 0), Release(call))


def _asks(leak: Leak, statement: Node) -> bool:
    """Whether a statement asks `errno`."""
    return any(leak.tree.text(each) in ("errno", "perror") for each in find(statement, "identifier"))


def _put_behind_value(patch: Patch, statement: Node, call: str) -> bool:
    """The release between the value of a `return` and its end."""
    return statement.kind == "return_statement" and patch.put(Point(0, "value", statement, False, 0), Release(call))


def _is_there(leak: Leak, branch: Node, call: str) -> bool:
    """Whether a branch has the release already."""
    return "".join(call.split()) in "".join(leak.tree.text(branch).split())


def _keep_where_it_is_tested(leak: Leak, patch: Patch, found: Takeover, call: str) -> bool:
    """The result in a variable of its own, the release in the branch that is left where the call has failed, and the assignment
    behind that."""
    following = _following(leak, found)
    consequence = if_parts(following)[0] if following is not None else None
    if following is None or consequence is None or not _put_last(leak, patch, consequence, call):
        return False
    return _test_new(leak, patch, found, following)


def _keep_for_the_end(leak: Leak, patch: Patch, found: Takeover, call: str) -> bool:
    """The same where that branch goes to what releases the old block already, by a name that no longer holds null. An object that
    keeps the old block may know of the new size by then."""
    if not found.handle.isidentifier():
        return False
    following = _following(leak, found)
    consequence = if_parts(following)[0] if following is not None else None
    if following is None or consequence is None or not any(find(consequence, "goto_statement")) or not _is_only_released(leak, found):
        return False
    return _test_new(leak, patch, found, following)


def _is_only_released(leak: Leak, found: Takeover) -> bool:
    """Whether nothing but releases happens to a variable where the call has failed: it is the old block then, where it was null. Who
    returns it would hand out a block that is too small."""
    body, after = leak.linked.body, leak.linked.next
    variable = next((each for each in body.variables if ir.source_name(each.name) == found.handle), None)
    at = found.statement.start - body.start, found.statement.end - body.start
    made = [n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and at[0] <= each.start and each.end <= at[1] and each.dst]
    if variable is None or variable.kind not in ("local", "parameter") or variable.is_address_taken or len(made) != 1 or len(after[made[0]]) != 1:
        return False
    tested = after[made[0]][0]
    failing = _none_side(body.nodes[tested], variable.name)
    work, seen = [after[tested][failing]] if failing is not None else [], set[int]()
    while work:
        node = work.pop()
        each = body.nodes[node]
        if node in seen:
            continue
        seen.add(node)
        if variable.name in operands(each) and not _ends(leak, node, variable.name):
            return False
        work += [] if variable.name in assigned(each) else after[node]
    return failing is not None


def _ends(leak: Leak, node: int, name: str) -> bool:
    """Whether a node releases a variable, or steps over such a release where it is null."""
    each, after = leak.linked.body.nodes[node], leak.linked.next
    if isinstance(each, ir.Branch):
        null = _none_side(each, name)
        there = after[node][1 - null] if null is not None else node
        is_call = null is not None and isinstance(leak.linked.body.nodes[there], ir.Call)
        return is_call and null is not None and after[there] == (after[node][null],) and _ends(leak, there, name)
    if not isinstance(each, ir.Call) or each.args.count(name) != 1 or name in (each.receiver, each.dst):
        return False
    moves = [t for e in leak.effects.get(node, ()) for t in e.transfers if t.entry == (f"${each.args.index(name)}",)]
    return bool(moves) and all(one.fate == "released" and not one.when for t in moves for one in t.outcomes)


def _none_side(each: ir.Instruction, name: str) -> int | None:
    """The successor of a branch where a variable is null; None where it asks something else."""
    match each:
        case ir.Branch(operator="==", left=left, right="=null" | "=0") if left == name:
            return 0
        case ir.Branch(operator="!=", left=left, right="=null" | "=0") if left == name:
            return 1
        case ir.Branch(operator="true", left=left) if left == name:
            return 1
        case _:
            return None


def _following(leak: Leak, found: Takeover) -> Node | None:
    """The next statement, where it is a branch that is left, that the code takes if the call has failed, and that does nothing with
    the handle."""
    block = _block(leak, found.statement)
    rest = [each for each in statements(block) if each.start > found.statement.start] if block is not None else []
    following = rest[0] if rest and rest[0].kind == "if_statement" else None
    consequence, other = if_parts(following)[:2] if following is not None else (None, None)
    condition = child(following, "parenthesized_expression") if following is not None else None
    if following is None or consequence is None or other is not None or condition is None:
        return None
    last = consequence if consequence.kind != "compound_statement" else next(reversed(statements(consequence)), None)
    is_left = last is not None and last.kind in JUMPS and text.ends_line(leak.data, following.end)
    is_ours = leak.tree.text(condition).count(found.handle) == 1 and found.handle not in leak.tree.text(consequence)
    is_asked = _fails(leak, condition, found.target, found.failure, found.known)
    return following if is_left and is_ours and is_asked and found.statement.kind == "expression_statement" else None


def _test_new(leak: Leak, patch: Patch, found: Takeover, following: Node) -> bool:
    """The result goes to a new variable, which is tested; behind the test it is assigned."""
    name, head = _new(leak, patch, found)
    condition = child(following, "parenthesized_expression")
    if not name or condition is None:
        return False
    at = condition.start + leak.tree.text(condition).index(found.handle)
    patch.draft.replace(at, at + len(found.handle), name)
    patch.draft.replace(found.statement.start, found.value.start, f"{head} = ")
    patch.draft.insert_lines_after(following.end, f"{found.handle} = {name};\n", text.indentation(leak.data, found.statement.start))
    return True


def _new(leak: Leak, patch: Patch, found: Takeover) -> tuple[str, str]:
    """The name of a new variable for the result, and how the assignment to it begins."""
    block = _block(leak, found.statement)
    if block is None or found.statement.kind != "expression_statement":
        return "", ""
    name = unused(leak.tree, "resized", "grown", "moved")
    head = declaration(_type(leak, found.handle), name)
    is_first = all(each.kind == "declaration" for each in statements(block) if each.start < found.statement.start)
    if not patch.style.is_mixed and not is_first:
        patch.declare_first(block, head)
        head = name
    return name, head


def _keep(leak: Leak, patch: Patch, found: Takeover, call: str) -> bool:
    """The result in a variable of its own, the test, and the assignment that was there."""
    name, head = _new(leak, patch, found)
    if not name:
        return False
    lines = render(
        "fixes/c/keep_old",
        head=head,
        value=leak.tree.text(found.value),
        failed=_failed(patch.style, name, found.failure),
        call=patch.style.call(call),
        target=found.handle,
        name=name,
        unit=patch.draft.unit,
    )
    indent = text.indentation(leak.data, found.statement.start)
    patch.draft.replace(found.statement.start, found.statement.end, text.reindented(lines, indent).strip())
    return True


def _failed(style: Style, target: str, failure: Condition) -> str:
    if failure.value == "=null":
        return f"!{target}" if style.tests_truth else f"{target} == NULL"
    return f"{target} {failure.operator} {failure.value[1:]}"


def _takeover(leak: Leak) -> Takeover | None:
    """The first such call that is given the finding's handle, and whose result is assigned."""
    for failure, known, path, call in _takeovers(leak):
        found = _assigned(leak, path, call)
        if found is not None:
            return Takeover(*found, _handle(leak), failure, tuple(known))
    return None


def _takeovers(leak: Leak) -> Iterator[tuple[Condition, Sequence[Condition], list[Node], Node]]:
    """The calls that are given the finding's handle and keep it if they succeed, each with what the result is otherwise,
    and what it always is."""
    body = leak.linked.body
    for node, each in enumerate(body.nodes):
        if not isinstance(each, ir.Call):
            continue
        for effects, transfer in ((e, t) for e in leak.effects.get(node, ()) for t in e.transfers):
            failure = failure_of(transfer.outcomes)
            if failure is None or len(transfer.entry) != 1 or not transfer.entry[0][1:].isdigit():
                continue
            path = leak.tree.path(body.start + each.start, body.start + each.end)
            call = next((found for found in reversed(path) if found.kind == "call_expression"), None)
            given = _arguments(call) if call is not None else []
            index = int(transfer.entry[0][1:])
            if call is None or index >= len(given) or not _is_given(leak, leak.tree.text(given[index])):
                continue
            yield failure, effects.result, path, call


def _handle(leak: Leak) -> str:
    """The finding's handle in words: its variable, or the member of a struct that alone names it."""
    if leak.finding.variable:
        return leak.finding.variable
    body = leak.linked.body
    at = (leak.finding.acquired.start - body.start, leak.finding.acquired.end - body.start)
    made = next((each.dst for each in body.nodes if isinstance(each, ir.Call) and (each.start, each.end) == at), "")
    stores = [each for each in body.nodes if isinstance(each, ir.Store) and made and each.src == made]
    if len(stores) != 1 or not stores[0].base or ir.is_temporary(stores[0].base):
        return ""
    written = leak.linked.types.get(stores[0].base, "")
    return f"{ir.source_name(stores[0].base)}{'->' if '*' in written else '.'}{stores[0].field}" if written and written[-1] != "]" else ""


def _is_given(leak: Leak, argument: str) -> bool:
    """Whether an argument is the finding's handle, or the struct whose member it is."""
    handle = _handle(leak)
    return bool(argument) and (argument == handle or handle.startswith(f"{argument}->"))


def _assigned(leak: Leak, path: list[Node], call: Node) -> tuple[Node, Node, Node] | None:
    """(statement, target, value) of an assignment or a declaration of the call's result."""
    for node in reversed(path):
        if node.kind == "init_declarator":
            name = next(find(node.kids[0], "identifier"), None)
            statement = next((each for each in reversed(path) if each.kind == "declaration"), None)
            return (statement, name, node.kids[-1]) if statement is not None and name is not None else None
        if node.kind == "assignment_expression":
            kids = [kid for kid in node.kids if kid.kind not in COMMENTS]
            statement = next((each for each in reversed(path) if each.kind.endswith("_statement")), None)
            if statement is None or statement.kind != "expression_statement" or statement.kids[0] is not node:
                return None
            return (statement, kids[0], kids[2]) if len(kids) == 3 and kids[1].kind == "=" else None
        is_inside = node.start <= call.start and call.end <= node.end and node is not call
        if is_inside and node.kind == "argument_list":
            return None
    return None


def _arguments(call: Node) -> list[Node]:
    holder = next((kid for kid in call.kids if kid.kind == "argument_list"), None)
    return [kid for kid in holder.kids if kid.kind not in ("(", ")", ",")] if holder is not None else []


def _type(leak: Leak, name: str) -> str:
    holder, _, member = name.replace("->", ".").partition(".")
    if member:
        loads = (each.dst for each in leak.linked.body.nodes if isinstance(each, ir.Load) and ir.source_name(each.base) == holder and each.field == member)
        known = next((written for each in loads if "*" in (written := leak.linked.types.get(each, ""))), "")
        return known.replace("const ", "") or "void *"
    variable = next((each for each in leak.procedure.variables if each.name == name), None)
    if variable is not None and "*" in variable.type:
        return variable.type.replace("const ", "")
    return "void *"


def _block(leak: Leak, statement: Node) -> Node | None:
    path = leak.tree.path(statement.start, statement.end)
    at = next((n for n, node in enumerate(path) if node is statement), 0)
    return path[at - 1] if at and path[at - 1].kind == "compound_statement" else None
