"""Closes a resource on the paths that leak it, where it is handed on by the others.

A regular exit gets the release before it. Where an exception leaks it (also out of a constructor that has
stored it in a field), a `catch` closes it and throws again; what closing throws is added as suppressed. A
resource that nobody holds is closed at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from analyzers.finding import Confidence
from analyzers.source import Span
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.closing import lead_of, remove
from fixers.java.held import callers, is_handed_on, outlives
from fixers.java.imports import import_caught
from fixers.java.naming import unused_at, variable_for
from fixers.java.region import Region, needed, whole
from fixers.java.scope import Scope, index_in
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    CONTAINERS,
    TRIES,
    assignment,
    call_parts,
    catches,
    initialiser,
    is_final,
    statements,
    uses,
)
from fixers.java.try_with_resources import is_long
from fixers.java.wrapping import close_block, has_own_lines, indent_region
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import COMMENTS, child, find, parse_file
from templates import render

_EXITS = frozenset(("return_statement", "throw_statement", "break_statement", "continue_statement"))


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, the best-looking first."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None or shape.container is None:
        return
    scope = Scope(leak, shape)
    match shape.kind:
        case "dropped" if shape.outer.kind == "method_invocation" and any(each in leak.data.lower() for each in _MOCKING):
            yield Refusal("a mock may give null there")
        case "dropped":
            yield from _at_once(leak, shape, scope)
            yield from _named(leak, shape, scope)
        case "declared" | "assigned" if shape.variable and scope.declaration() is not None:
            yield from _before_exits(leak, shape, scope)
            yield from _on_exception(leak, shape, scope, shape.variable)
        case "field" | "assigned":
            target = assignment(shape.statement)
            if target is not None and any(node.kind == "constructor_body" for node in shape.path):
                field = msgspec.structs.replace(shape, variable="")
                yield from _on_exception(leak, field, Scope(leak, field), leak.tree.text(target[0]))
        case _:
            return


_MOCKING = (b"mockito", b"easymock", b"jmockit", b"org.jmock", b"spock.")
"""What a file names whose objects may give nothing at all, whatever they are asked for."""


def _at_once(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    draft.insert(shape.outer.end, f"{_line_of_chain(leak, shape.outer)}.{scope.release}()")
    yield from _candidate(draft, "")


def _line_of_chain(leak: Leak, call: Node) -> str:
    """What stands before the dot of the last call of a chain that has a line of its own for each, as the calls before have; else nothing."""
    receiver = call_parts(leak.tree, call)[0] if call.kind == "method_invocation" else None
    before, dot, _ = leak.data[receiver.end : call.end].partition(b".") if receiver is not None else (b"", b"", b"")
    return before.decode("utf-8", "surrogateescape") if dot and b"\n" in before and not before.strip() else ""


def _named(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """Give a dropped resource a name, to close it where what closing throws must be caught."""
    written = scope.type_of(shape.outer)
    if not written or not leak.caught or not has_own_lines(leak.data, (shape.statement,)):
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    draft.insert(shape.outer.start, f"{written} {name} = ")
    lines = render(
        "fixes/java/release", variable=name, statement=f"{name}.{scope.release}();", guarded=False, caught=leak.caught,
        exception=unused(leak.tree, "e", "ex", "closing"), unit=draft.unit,
    )
    draft.insert_lines_after(shape.statement.end, lines, text.indentation(leak.data, shape.statement.start))
    scope.types.import_into(draft)
    import_caught(draft, leak.unnamed)
    yield from _candidate(draft, name)


def _before_exits(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate | Refusal]:
    """The release before every regular statement that the resource is lost at; for null, too, where it has to be."""
    ends = any(found is not None and found[0] is found[1] for found in _exit_statements(leak))
    if ends and shape.container is not None and (name := outlives(scope, shape.container)):
        yield Refusal(f"`{name}` may still need it")
        return
    for guarded, caught in dict.fromkeys(((False, ""), (True, ""), (True, leak.caught))):
        yield from _released_there(leak, shape, scope, guarded=guarded, caught=caught)


MAX_PLACES = 2
"""So many closes of one resource may be written in; in handlers, one: nobody wants to see whether that is all of them."""


def _released_there(leak: Leak, shape: Shape, scope: Scope, *, guarded: bool, caught: str) -> Iterator[Candidate]:
    """With a value of its own, null, where a handler asks for a variable that has none yet; what closing throws is swallowed in handlers alone."""
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    release = render(
        "fixes/java/release", variable=scope.variable, statement=scope.release_statement(), guarded=guarded, caught=caught,
        exception=unused(leak.tree, "e", "ex", "closing"), unit=draft.unit,
    )
    is_met = False
    ways = _exit_statements(leak)
    if len(ways) > MAX_PLACES or (len(ways) > 1 and any(each is not None and _is_in_handler(leak, shape, each[1]) for each in ways)):
        return
    for found in ways:
        if found is None:
            return
        container, statement = found
        is_handled = _is_in_handler(leak, shape, statement)
        if (is_handled and (not guarded or not scope.is_declared_empty())) or (caught and not is_handled):
            return
        if is_handled and leak.caught and not caught:
            return  # Whatever the handler does, what closing throws would come instead of that.
        is_met = is_met or is_handled
        if _is_used_in(scope, statement):
            return
        if container.kind not in CONTAINERS:
            if guarded:
                return
            braced(draft, leak, statement, scope.release_statement())
        elif statement is container:
            last = statements(container)[-1] if statements(container) else None
            if last is None:
                return
            draft.insert_lines_after(last.end, release, text.indentation(leak.data, last.start))
        elif text.starts_line(leak.data, statement.start):
            indent = text.indentation(leak.data, statement.start)
            draft.insert_lines(statement.start, release, indent)
        elif container.kind == "switch_block_statement_group":
            if not _laid_out(draft, container, statement, release):
                return
        elif guarded:
            return
        else:
            draft.insert(statement.start, scope.release_statement() + " ")
    if is_met and (found := scope.declaration()) is not None and not _has_value(scope):
        if is_final(leak.tree, found[0]):
            return
        draft.insert(found[1].end, " = null")
    if caught:
        import_caught(draft, leak.unnamed)
    yield from _candidate(draft, shape.variable)


def _laid_out(draft: Draft, group: Node, before: Node, release: str) -> bool:
    """Put a release before a statement of a `case` that stands on one line, with each statement on a line of its own; whether that can be done."""
    data = draft.data
    indent = text.indentation(data, group.start) + draft.unit
    if not text.starts_line(data, group.start) or any(each.kind in COMMENTS for each in group.kids):
        return False
    for each in statements(group):
        if text.starts_line(data, each.start):
            continue
        blanks = len(data[text.line_start(data, each.start) : each.start]) - len(data[text.line_start(data, each.start) : each.start].rstrip())
        lines = text.reindented(release, indent) if each is before else ""
        draft.replace(each.start - blanks, each.start, f"\n{lines}{indent}")
    return True


def _is_used_in(scope: Scope, statement: Node) -> bool:
    """Whether a way out still uses the resource, or something that does."""
    if statement.kind not in ("return_statement", "throw_statement"):
        return False
    return scope.closer.uses_besides(statement, scope.closes()) or uses(scope.tree, statement, callers(scope))


def _has_value(scope: Scope) -> bool:
    found = scope.declaration()
    return found is not None and initialiser(found[1]) is not None


def _is_in_handler(leak: Leak, shape: Shape, statement: Node) -> bool:
    """Whether a statement is in a handler of the try that acquires: the acquisition itself may have failed there."""
    path = leak.tree.path(statement.start, statement.end)
    return any(
        clause.kind in ("catch_clause", "finally_clause") and owner.start <= shape.statement.start < owner.end and shape.statement.end <= clause.start
        for owner, clause in itertools.pairwise(path)
    )


def _exit_statements(leak: Leak) -> list[tuple[Node, Node] | None]:
    """What stands at each way out that loses the resource, once; None for an exception."""
    exits: list[Span] = sorted(dict.fromkeys((*leak.finding.exits, leak.finding.lost)))
    found = [_exit_statement(leak, each.start, each.end) for each in exits]
    return [each for n, each in enumerate(found) if each is None or each not in found[:n]]


def _exit_statement(leak: Leak, start: int, end: int) -> tuple[Node, Node] | None:
    """(holder, statement) of a regular exit; the block itself, twice, for its end. None for an exception."""
    path = leak.tree.path(start, end)
    if leak.data[start:end] == b"}":
        block = next((node for node in reversed(path) if node.kind in CONTAINERS and node.end == end), None)
        return (block, block) if block is not None else None
    at = next((n for n, node in enumerate(path) if node.kind in _EXITS and (node.start, node.end) == (start, end)), 0)
    if not at:
        at = _overwriting(leak, path, start)
    return (path[at - 1], path[at]) if at else None


def _overwriting(leak: Leak, path: list[Node], start: int) -> int:
    """The statement on a path that assigns the finding's variable anew; not where what is to wrap it (`in = new GZIPInputStream(in)`) throws."""
    for n, node in enumerate(path):
        target = assignment(node)
        if target is not None and leak.tree.text(target[0]) == leak.finding.variable:
            value = target[1]
            is_wrapped = value.kind == "object_creation_expression" and uses(leak.tree, value, [leak.finding.variable])
            return 0 if is_wrapped and start >= value.start else n
    return 0


def braced(draft: Draft, leak: Leak, statement: Node, release: str, further: str = "") -> None:
    """Make a block of the only statement of a branch, which stands further in by then."""
    indent = text.indentation(leak.data, statement.start) + further
    if text.starts_line(leak.data, statement.start):
        outer = indent.removesuffix(draft.unit)
        start = len(leak.data[: statement.start].rstrip())
        draft.insert(start, " {")
        draft.insert_lines(statement.start, release + "\n", indent)
        draft.insert(text.behind(leak.data, statement.end), f"\n{outer}}}")
    else:
        inner = indent + draft.unit
        words = leak.tree.text(statement)
        draft.replace(statement.start, statement.end, f"{{\n{inner}{release}\n{inner}{words}\n{indent}}}")


def _on_exception(leak: Leak, shape: Shape, scope: Scope, target: str) -> Iterator[Candidate]:
    """A catch around what may throw between the acquisition and the point where somebody else has it: much text, which
    nobody wants for a leak that is only feared; that somebody does is assumed of a field that the class itself releases. A variable that the code asks of in any case is not tested for null."""
    may_be_null = _may_be_null(leak, shape, scope)
    for guarded in (False, True) if may_be_null else (False,):
        yield from _with_handler(leak, shape, scope, target, guarded=guarded)


def _closes_before_throwing(scope: Scope, region: Region) -> list[Node]:
    """The closes of a region right before a `throw`: a handler around it closes as well."""
    found = []
    for close in scope.closes():
        path = scope.tree.path(close.start, close.end)
        block = path[path.index(close) - 1] if close in path else None
        body = statements(block) if block is not None and region.body[0].start <= block.start and block.end <= region.body[-1].end else []
        behind = body[body.index(close) + 1 :] if close in body else []
        found += [close] if behind and behind[0].kind == "throw_statement" else []
    return found


def _may_be_null(leak: Leak, shape: Shape, scope: Scope) -> bool:
    """Whether a handler around what follows the acquisition in its block has to ask for null."""
    if not shape.variable or shape.container is None:
        return False
    first = index_in(shape.container, shape.statement) + 1
    return scope.may_be_null() and not scope.is_surely_there(needed(leak.tree, shape.container, first, shape.variable).body)


def _with_handler(leak: Leak, shape: Shape, scope: Scope, target: str, *, guarded: bool) -> Iterator[Candidate]:
    may_be_null = _may_be_null(leak, shape, scope)
    assert shape.container is not None
    first = index_in(shape.container, shape.statement) + 1
    region = whole(shape.container, first)
    if shape.variable:
        region = needed(leak.tree, shape.container, first, shape.variable)
    is_doubtful = leak.finding.confidence is not Confidence.WITNESSED
    if not region.body or not has_own_lines(leak.data, region.body) or leak.level < 7 or (is_doubtful and not _is_ended_elsewhere(leak, shape, target)):
        return
    is_there = bool(shape.variable) and len(region.body) > 1 and scope.is_left_for_null(region.body[0])
    if region.body and is_long(leak, region):
        return
    if is_there:
        region = Region(region.first + 1, region.last, region.body[1:], region.hoisted)
    elif (inside := _inside_null_test(leak, region, shape.variable)):
        is_there, region = True, Region(0, len(inside) - 1, inside)
    if not shape.variable and (_others(leak, region.body[:-1]) > 0 or _is_handled(shape)):
        return
    if shape.variable and (not is_handed_on(scope) or _is_handled(shape)):
        return
    if shape.variable and any(
        region.body[0].start <= each.start < region.body[-1].end and (index_in(shape.container, each) >= 0 or _is_final(leak, each))
        for each in scope.closes()
    ):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    outer = text.indentation(leak.data, region.body[0].start)
    above = lead_of(leak.data, region.body[0].start)
    draft.insert_lines(above, "try {\n", outer)
    behind: list[Node] = []
    for found in _exit_statements(leak):
        if found is None or found[1].kind == "throw_statement":
            continue
        container, statement = found
        is_alone = container.kind == "if_statement" and region.body[0].start <= statement.start < region.body[-1].end
        if statement is container or assignment(statement) is not None or (shape.variable and _is_used_in(scope, statement)):
            return
        if is_alone:
            braced(draft, leak, statement, scope.release_statement(), draft.unit)
            continue
        if container.kind not in CONTAINERS or not text.starts_line(leak.data, statement.start):
            return
        if not region.body[0].start <= statement.start < region.body[-1].end:
            behind.append(statement)
            continue
        draft.insert_lines(statement.start, scope.release_statement() + "\n", text.indentation(leak.data, statement.start) + draft.unit)
    twice = _closes_before_throwing(scope, region) if shape.variable else []
    if any(each.kind in (*TRIES, "lambda_expression", "class_body") and each.start >= region.body[0].start for close in twice for each in scope.tree.path(close.start, close.end)):
        return  # Its own handlers may need it closed by then.
    remove(draft, scope.root, twice)
    indent_region(draft, region.body, above=above)
    if not guarded and not is_there and may_be_null and not any(scope.is_asked_first(each) for each in region.body):
        return
    tail = render(
        "fixes/java/release_and_rethrow",
        variable=target,
        guarded=guarded and not is_there,
        quiet=leak.is_quiet,
        statement=f"{target}.{scope.release}();",
        exception=unused_at(scope.tree, region.body[0], "e", "ex", "failure"),
        second=unused_at(scope.tree, region.body[0], "suppressed", "closing"),
        unit=draft.unit,
    )
    close_block(draft, region.body, outer, tail)
    for statement in behind:  # What stands right behind the block comes after its end.
        draft.insert_lines(statement.start, scope.release_statement() + "\n", text.indentation(leak.data, statement.start))
    told = "it is worth a handler" if is_doubtful else ""
    if not shape.variable:
        told = told or _of_what_is_before(leak, statements(shape.container)[: first - 1])
    yield from _candidate(draft, target, told)


def _of_what_is_before(leak: Leak, before: Sequence[Node]) -> str:
    """What speaks against closing a field where its constructor fails: others that it has opened, also in branches, or that somebody has the
    object already."""
    if _others(leak, tuple(each for each in before if assignment(each) is not None)):
        return _STAYS_OPEN
    for each in (found for one in before for found in find(one, "assignment_expression")):
        value = each.kids[-1] if each.kids else None
        if value is not None and leak.tree.text(value) == "this":
            return "who has the object by then may go on with it"
        if _others(leak, (each,)):
            return _STAYS_OPEN
    return ""


_STAYS_OPEN = "what is opened before it stays open"


def _inside_null_test(leak: Leak, region: Region, variable: str) -> tuple[Node, ...]:
    """What stands in the test that a variable is not null, where a region holds nothing else: there it need not be asked again."""
    test = region.body[0]
    condition, block = child(test, "parenthesized_expression"), child(test, "block")
    if not variable or len(region.body) > 1 or test.kind != "if_statement" or condition is None or block is None or child(test, "else") is not None:
        return ()
    words = "".join(leak.tree.text(condition).split())
    inside = tuple(statements(block))
    is_test = words in (f"({variable}!=null)", f"(null!={variable})")
    return inside if is_test and inside and has_own_lines(leak.data, inside) else ()


def _is_ended_elsewhere(leak: Leak, shape: Shape, target: str) -> bool:
    """Whether it is a field that a method of the file releases."""
    if shape.variable:
        return False
    whole_file, name = parse_file("java", leak.data), target.removeprefix("this.")
    parts = (call_parts(whole_file, each) for each in find(whole_file.root, "method_invocation"))
    return any(
        called == "close" and not given and receiver is not None and whole_file.text(receiver).removeprefix("this.") == name
        for receiver, called, given in parts
    )


def _is_handled(shape: Shape) -> bool:
    """Whether the block that acquires has handlers of its own: one more inside of it is hard to read."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.container), 0)
    return at > 0 and shape.path[at - 1].kind in TRIES and bool(catches(shape.path[at - 1]))


def _is_final(leak: Leak, close: Node) -> bool:
    """Whether a close stands in a `finally`: there it comes after an exception, too."""
    return any(each.kind == "finally_clause" for each in leak.tree.path(close.start, close.end))


def _others(leak: Leak, before: tuple[Node, ...]) -> int:
    """How many resources statements open besides: a handler for each would be more than anybody wants to read."""
    if not before:
        return 0
    body = leak.linked.body
    return len({
        body.nodes[number].start for number, effects in leak.effects.items()
        if before[0].start <= body.start + body.nodes[number].start < before[-1].end
        and any(not transfer.entry and any(outcome.fate == "held" for outcome in transfer.outcomes) for each in effects for transfer in each.transfers)
    })


def _candidate(draft: Draft, variable: str, assumption: str = "") -> Iterator[Candidate]:
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/insert_close", variable=variable), edits, assumption=assumption)
