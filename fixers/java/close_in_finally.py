"""Closes a local resource in a `finally`: of a try that is there, or of a new one around its uses.

For language levels before try-with-resources, releases that are not `close()`, and variables that a header
cannot hold: conditionally or repeatedly assigned, used by handlers. Where closing throws what nobody may
throw here, the exception is swallowed.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.as_others import closed_as_others
from fixers.java.closing import lead_of
from fixers.java.declaring import declare_thrown
from fixers.java.delayed import INTERRUPTING, is_output
from fixers.java.exceptions import EVERYTHING, handlers
from fixers.java.held import needed_later
from fixers.java.imports import import_caught
from fixers.java.on_purpose import is_end
from fixers.java.readers import closes_of_readers, is_ended_inside
from fixers.java.region import Region, derived, needed, to_close, whole
from fixers.java.scope import Scope, index_in
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    LOOPS,
    TRIES,
    assignment,
    assigns,
    call_parts,
    catches,
    completes,
    declarators,
    declared,
    final_block,
    initialiser,
    is_final,
    is_for_log,
    statements,
    try_body,
)
from fixers.java.statements import uses as used
from fixers.java.try_with_resources import FIRST_LEVEL, is_better_whole, is_long, try_around, uses_behind
from fixers.java.wrapping import (
    begun_behind_constants,
    can_hoist,
    close_block,
    close_gap,
    comment_of_end,
    has_own_lines,
    hoist,
    indent_region,
)
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import COMMENTS, Tree, child, find, parse_file
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, the best-looking first."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None or not shape.variable or (shape.container is None and shape.kind != "assigned"):
        return
    scope = Scope(leak, shape)
    if scope.declaration() is None:
        return
    if (held := needed_later(scope, _block_of(scope))):
        yield Refusal(held)
        return
    for caught in dict.fromkeys(("", _swallowed(leak), leak.caught)):
        match shape.kind:
            case "declared":
                yield from _declared(leak, shape, scope, caught)
            case "assigned":
                yield from _assigned(leak, shape, scope, caught)
            case _:
                return


def _block_of(scope: Scope) -> Node | None:
    """The block that a variable is declared in: a `finally` may cover all of it."""
    found = scope.declaration()
    if scope.shape.kind != "assigned" or found is None:
        return scope.shape.container
    path = scope.tree.path(found[0].start, found[0].end)
    return path[-2] if len(path) > 1 and path[-1] is found[0] else scope.shape.container


def _swallowed(leak: Leak) -> str:
    """What a handler around the close may have to catch; nothing, where it is only feared to throw, and may."""
    if leak.caught != "Exception":
        return leak.caught
    allowed, _ = handlers(leak.tree, leak.finding.acquired.start)
    return "" if any(each in (*EVERYTHING, "IOException", "java.io.IOException") for each in allowed) else leak.caught


def _declared(leak: Leak, shape: Shape, scope: Scope, caught: str) -> Iterator[Candidate]:
    assert shape.container is not None
    first = index_in(shape.container, shape.statement) + 1
    region = needed(leak.tree, shape.container, first, shape.variable)
    guarded = scope.may_be_null()
    if scope.is_reassigned():
        yield from _until_assigned(leak, shape, scope, caught)
    if (inner := scope.only_try(shape.container)) is not None:
        for is_guarded in dict.fromkeys((False, guarded)):
            yield from _into_existing(leak, scope, inner, _Release(scope, caught, is_guarded), None)
    behind = [each for each in region.body[1:] if each in scope.last_closes(shape.statement.end, shape.container.end)]
    if len(region.body) == 1 + len(behind) and region.body[0].kind in TRIES:
        yield from _into_existing(leak, scope, region.body[0], _Release(scope, caught, guarded), None)
    if (last := scope.last_try(region.body)) is not None:
        is_asked = any(scope.is_left_for_null(each) for each in region.body if each.end <= last.start) and not scope.is_set_to_null()
        yield from _into_existing(leak, scope, last, _Release(scope, caught, guarded and not is_asked), None)
    ended = to_close(leak.tree, shape.container, first, shape.variable)
    is_interrupted = any(call_parts(leak.tree, each)[1] == INTERRUPTING for close in scope.closes() for each in find(close, "method_invocation"))
    everything = whole(shape.container, first)
    both = (everything, region) if is_better_whole(leak.tree, region, everything) else (region, everything)
    regions = both if ended is None or not is_interrupted else (ended,)
    for each in regions:
        if len(declarators(shape.statement)) == 1:
            if (asked := _behind_guards(scope, each)) is not None:
                yield from _around(leak, scope, asked, _Release(scope, caught, guarded=False), None)
            if guarded and each.body and not scope.is_left_for_null(each.body[0]) and (asked := _where_it_is_there(scope, each)) is not None:
                yield from _around(leak, scope, asked, _Release(scope, caught, guarded=False), None)
            yield from _around(leak, scope, each, _Release(scope, caught, guarded), None)


def _assigned(leak: Leak, shape: Shape, scope: Scope, caught: str) -> Iterator[Candidate]:
    declaration = scope.declaration()
    if declaration is None:
        return
    if shape.container is not None and (scope.is_reassigned() or not scope.is_declared_empty()):
        yield from _until_assigned(leak, shape, scope, caught)
    statement, declarator = declaration
    if not scope.is_declared_empty():
        return
    behind = uses_behind(leak, shape, scope)
    if behind is not None and (initialiser(declarator) is None or _is_there_behind(leak.tree, shape)):
        guarded = scope.is_set_to_null()
        if len(behind.body) == 1 and behind.body[0].kind in TRIES:
            yield from _into_existing(leak, scope, behind.body[0], _Release(scope, caught, guarded), None)
        if (last := scope.last_try(behind.body)) is not None:
            yield from _into_existing(leak, scope, last, _Release(scope, caught, guarded), None)
        if (asked := _where_it_is_there(scope, behind)) is not None:
            yield from _around(leak, scope, asked, _Release(scope, caught, guarded=False), None)
        yield from _around(leak, scope, behind, _Release(scope, caught, guarded), None)
    elif (last := _last_behind(leak, shape, scope)) is not None:
        yield from _into_existing(leak, scope, last, _Release(scope, caught, scope.is_set_to_null()), None)
    yield from _behind_choice(leak, scope, declaration, caught)
    if is_final(leak.tree, statement):
        return
    if shape.container is not None and index_in(shape.container, statement) >= 0 and not scope.may_be_null():
        at = index_in(shape.container, shape.statement) + 1
        region = needed(leak.tree, shape.container, at, shape.variable)
        owner = region.body[0] if region.body and region.body[0].kind in TRIES and len(region.body) == 1 + len(_behind(scope, region.body[0])) else scope.last_try(region.body)
        if owner is not None:
            yield from _into_existing(leak, scope, owner, _Release(scope, caught, guarded=False), None)
        yield from _around(leak, scope, region, _Release(scope, caught, guarded=False), None)
    if shape.container is not None and (not _tries_around(shape, statement) or in_loop(shape, statement)) and _is_used_here_only(scope, statement):
        region = needed(leak.tree, shape.container, index_in(shape.container, shape.statement) + 1, shape.variable)
        yield from _around(leak, scope, region, _Release(scope, caught, scope.may_be_null()), None)
    release = _Release(scope, caught, guarded=True)
    empty = declarator if initialiser(declarator) is None else None
    for owner in _tries_around(shape, statement):
        yield from _into_existing(leak, scope, owner, release, empty)
    path = leak.tree.path(statement.start, statement.end)
    container = path[-2] if len(path) > 1 and path[-1] is statement else None
    if container is None or index_in(container, statement) < 0:
        return
    region = needed(leak.tree, container, index_in(container, statement) + 1, shape.variable)
    if (last := scope.last_try(region.body)) is not None and empty is None:
        yield from _into_existing(leak, scope, last, release, None)
    if (first := next((n for n, each in enumerate(region.body) if used(leak.tree, each, [shape.variable])), 0)) and empty is None:
        region = needed(leak.tree, container, region.first + first, shape.variable)  # What stands above it stays outside.
    yield from _around(leak, scope, region, release, empty)


def in_loop(shape: Shape, declaration: Node) -> Node | None:
    """The innermost loop, behind the declaration of a variable and with no `try` of the code inside of it, that gives it a value each turn."""
    around = [each for each in shape.path if each.start > declaration.end and each.kind in (*LOOPS, *TRIES)]
    return around[-1] if around and around[-1].kind in LOOPS else None


def _is_used_here_only(scope: Scope, declaration: Node) -> bool:
    """Whether a variable is given something once, and nothing but what follows there, in the same block, has to do with it."""
    container, given = scope.shape.container, scope.shape.statement
    mentions = [each for each in scope.closer.mentions(scope.root, []) if not declaration.start <= each.start < declaration.end]
    return container is not None and not scope.is_reassigned() and all(given.start <= each.start < container.end for each in mentions)


def _last_behind(leak: Leak, shape: Shape, scope: Scope) -> Node | None:
    """The `try` that alone uses a variable behind the one that assigns it, and gives it nothing else but what wraps that."""
    owner = try_around(shape)
    if owner is None or shape.container is None or not _is_there_behind(leak.tree, shape):
        return None
    rest = statements(shape.container)[index_in(shape.container, shape.statement) + 1 :]
    if any(assignment(each) is None for each in rest) or (scope.is_reassigned() and not scope.is_only_wrapped()):
        return None
    at = next((n for n, node in enumerate(shape.path) if node is owner), 0)
    behind = statements(shape.path[at - 1])[index_in(shape.path[at - 1], owner) + 1 :]
    return scope.last_try([owner, *behind])


def _is_there_behind(tree: Tree, shape: Shape) -> bool:
    """Whether control comes out of the `try` that assigns the variable only where that has worked."""
    owner = try_around(shape)
    blocks = [child(each, "block") for each in catches(owner)] if owner is not None else []
    return bool(blocks) and all(each is not None and (not completes(each) or _exits(tree, each)) for each in blocks)


def _exits(tree: Tree, block: Node) -> bool:
    """Whether a block ends the program at its end."""
    last = statements(block)[-1:]
    return any(is_end(tree, each) for each in last)


def _behind_choice(leak: Leak, scope: Scope, declaration: tuple[Node, Node], caught: str) -> Iterator[Candidate]:
    """Around what follows the statements that assign the variable, on some or all of their ways, and do nothing else with it: the second, say, where
    the first has found nothing."""
    statement, declarator = declaration
    path = leak.tree.path(statement.start, statement.end)
    container = path[-2] if len(path) > 1 and path[-1] is statement else None
    body = statements(container) if container is not None else []
    targets = list(assigns(leak.tree, scope.root, scope.variable))
    giving = [n for n, each in enumerate(body) if any(each.start <= target.start < each.end for target in targets)]
    chosen = body[giving[0] : giving[-1] + 1] if giving else []
    if container is None or not any(each.start <= scope.shape.statement.start < each.end for each in chosen) or not all(each.kind in (*_CHOOSING, *_SWITCHES, *LOOPS) for each in chosen):
        return
    tests = scope.null_tests() if len(chosen) > 1 else []
    known = [*(target.kids[0] for target in targets), *(kid for each in tests for kid in each.kids)]
    others = [each for one in chosen for each in scope.closer.mentions(one, []) if not any(each is other for other in known)]
    if others or not all(chosen[0].start <= each.start < chosen[-1].end for each in targets):
        return
    region = needed(leak.tree, container, giving[-1] + 1, scope.variable)
    if not region.body:
        return
    working = [each for each in region.body if each not in scope.last_closes(region.body[0].start, region.body[-1].end)]
    last = scope.last_try(region.body) or (working[-1] if working else statement)
    if last.kind in TRIES and (final_block(last) is not None or (catches(last) and last is working[-1])):
        return  # Its `finally` does.
    if (asked := _where_it_is_there(scope, region)) is not None:
        yield from _around(leak, scope, asked, _Release(scope, caught, guarded=False), None)
    is_guarded = (initialiser(declarator) is not None and not any(_always_opens(scope, each) for each in chosen)) or scope.is_set_to_null()
    yield from _around(leak, scope, region, _Release(scope, caught, is_guarded), None)


_CHOOSING = ("if_statement", "try_statement")
_SWITCHES = ("switch_expression", "switch_statement")


def _always_opens(scope: Scope, statement: Node) -> bool:
    """Whether each way through a choice gives the variable a new object: nobody asks for null behind that."""
    if statement.kind == "block":
        return any(_always_opens(scope, each) for each in statements(statement))
    if statement.kind == "expression_statement":
        given = assignment(statement)
        return given is not None and given[1].kind == "object_creation_expression" and scope.tree.text(given[0]) == scope.variable
    ways = [kid for kid in statement.kids if kid.kind not in COMMENTS]
    if statement.kind in _SWITCHES:
        return False  # Whether it has a way for each value is hard to see.
    is_choice = statement.kind == "if_statement" and len(ways) == 5 and ways[3].kind == "else"
    return is_choice and _always_opens(scope, ways[2]) and _always_opens(scope, ways[4])


def _where_it_is_there(scope: Scope, region: Region) -> Region | None:
    """The block of `if (v != null) { … }`, where nothing else of a region uses the variable; what comes behind `if (v == null) return;`."""
    if len(region.body) > 1 and scope.is_left_for_null(region.body[0]) and not scope.is_set_to_null():
        return Region(region.first + 1, region.last, region.body[1:], region.hoisted)
    using = [each for each in region.body if used(scope.tree, each, [scope.variable])]
    block = child(using[0], "block") if len(using) == 1 and _asks_whether_it_is_there(scope, using[0]) else None
    return whole(block, 0) if block is not None and statements(block) else None


def _asks_whether_it_is_there(scope: Scope, statement: Node) -> bool:
    """Whether a statement is `if (v != null) { … }`, with another branch or without one, that alone uses the variable."""
    kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
    is_test = statement.kind == "if_statement" and scope.asks_for(kids[1]) and kids[2].kind == "block"
    return is_test and not any(used(scope.tree, each, [scope.variable]) for each in kids[3:])


def _behind_guards(scope: Scope, region: Region) -> Region | None:
    """What comes behind `if (v == null) { … }` at the beginning of a region, once or several times, where the variable is surely there: nothing
    is open where those go into their blocks, and nobody asks for null behind them."""
    count, is_there = 0, False
    for each in region.body:
        if not scope.is_left_for_null(each) and not scope.is_made_for_null(each):
            break
        kids = [kid for kid in each.kids if kid.kind not in COMMENTS]
        is_there = scope.is_left_for_null(each) or _always_opens(scope, kids[2])
        count += 1
    is_whole = not is_there or count == len(region.body) or scope.is_set_to_null()
    return None if is_whole else Region(region.first + count, region.last, region.body[count:], region.hoisted)


def _until_assigned(leak: Leak, shape: Shape, scope: Scope, caught: str) -> Iterator[Candidate]:
    """Around the uses of a variable that is given something else before and behind them."""
    assert shape.container is not None
    first = index_in(shape.container, shape.statement) + 1
    body = statements(shape.container)[first:]
    end = next((n for n, each in enumerate(body) if any(True for _ in assigns(leak.tree, each, shape.variable))), len(body))
    names = derived(leak.tree, body[:end], shape.variable)
    uses = [n for n, each in enumerate(body[:end]) if used(leak.tree, each, names)]
    if any(used(leak.tree, each, names - {shape.variable}) for each in body[end:]):
        return
    if not uses or (end == len(body) and any(close.start >= shape.container.end for close in scope.closes())):
        return  # In the second case the code itself closes it behind the block where nothing throws.
    last = first + uses[-1]
    region = needed(leak.tree, shape.container, first, shape.variable, last)
    guarded = shape.outer.kind == "method_invocation" and scope.may_be_null() and not scope.is_asked_first(body[0])
    is_next = end < len(body) and body[end].kind == "expression_statement"
    if len(region.body) == 1 and region.body[0].kind in TRIES and region.last < first + end:
        yield from _into_existing(leak, scope, region.body[0], _Release(scope, caught, guarded), None)
    if region.last < first + end and (asked := _where_it_is_there(scope, region)) is not None:
        if len(asked.body) == 1 and asked.body[0].kind in TRIES:
            yield from _into_existing(leak, scope, asked.body[0], _Release(scope, caught, guarded=False), None)
        yield from _around(leak, scope, asked, _Release(scope, caught, guarded=False), None)
    if region.last < first + end and (is_next or not region.hoisted):
        yield from _around(leak, scope, region, _Release(scope, caught, guarded), None)


def _tries_around(shape: Shape, declaration: Node) -> list[Node]:
    """The try statements whose blocks hold the acquisition and that the variable is visible behind, inner first."""
    found = []
    for node in reversed(shape.path):
        if node.kind in TRIES and node.start > declaration.end:
            body = try_body(node)
            if body is not None and body.start <= shape.statement.start < body.end:
                found.append(node)
    return found


def _is_met(block: Node, closes: Sequence[Node], tree: Tree) -> bool:
    """Whether a handler in a `finally` learns of a close that fails, and would not where the close came out of its block."""
    for close in closes:
        for owner in (each for each in tree.path(close.start, close.end) if each.kind == "try_statement" and block.start < each.start < close.start):
            body = try_body(owner)
            if body is not None and body.start < close.start < body.end and any(statements(child(each, "block") or each) for each in catches(owner)):
                return True
    return False


class _Release:
    """How the variable is closed in the finally block."""

    def __init__(self, scope: Scope, caught: str, guarded: bool) -> None:
        self.scope = scope
        self.caught = caught
        self.guarded = guarded

    def lines(self, unit: str, closes: Sequence[Node] = (), region: Sequence[Node] = ()) -> str:
        """The statements, in lines: as the last of some closes has them, where that tells of what it throws, or swallows it."""
        if closes and not self.caught and (moved := self._moved(closes[-1], region)):
            return moved
        return render(
            "fixes/java/release",
            variable=self.scope.variable,
            statement=self.scope.release_statement(),
            guarded=self.guarded,
            caught=self.caught,
            exception=unused(self.scope.tree, "e", "ex", "closing"),
            unit=unit,
        )

    def moves(self, closes: Sequence[Node], region: Sequence[Node]) -> bool:
        """Whether a close goes on with the handler of its own that it has."""
        return bool(closes) and not self.caught and bool(self._moved(closes[-1], region))

    def _moved(self, close: Node, region: Sequence[Node]) -> str:
        """The text of a close with a handler of its own, without its indentation; empty where it cannot stand elsewhere."""
        told = any(statements(block) for each in find(close, "catch_clause") if (block := child(each, "block")) is not None)
        is_quiet = self.scope.is_quiet(close)
        names = [name for each in region for name in declared(self.scope.tree, each)]
        is_asked = not self.guarded or close.kind in ("if_statement", "try_statement")  # Who closes it unasked takes it to be there.
        is_fit = (told or is_quiet) and (is_quiet or is_asked) and not used(self.scope.tree, close, names)
        if not is_fit or not text.starts_line(self.scope.tree.data, close.start):
            return ""
        indent = text.indentation(self.scope.tree.data, close.start)
        return "".join(f"{line.removeprefix(indent)}\n" for line in self.scope.tree.text(close).splitlines())


def _tells_no_more(scope: Scope, closes: Sequence[Node], beside: Node, release: _Release) -> bool:
    """Whether a handler is told of an output that cannot be written out, and would not be where a close stands behind another statement."""
    is_written = is_output(scope.leak.finding.resource.partition("<")[0]) and not release.caught
    return is_written and any(not scope.met_by(each) <= scope.met_beside(beside) for each in closes)


def _initialise(draft: Draft, declarator: Node | None) -> None:
    """A variable that a finally reads must have a value on every path."""
    if declarator is not None:
        draft.insert(declarator.end, " = null")


def _into_existing(leak: Leak, scope: Scope, owner: Node, release: _Release, empty: Node | None) -> Iterator[Candidate]:
    """First in its `finally`, so that nothing keeps it from running, and in a `try` there where it could keep the others from that; last, where
    the others must come before, are about what was made of the resource and keep nothing from running, or only tell of something."""
    clause = final_block(owner)
    block = child(clause, "block") if clause is not None else None
    others = others_of(scope, block) if block is not None else []
    is_first = not leak.caught or bool(release.caught) or not others
    if clause is not None and block is not None and len(statements(block)) > 0 and used(scope.tree, clause, _made_of(scope, owner)):
        yield from _beside(leak, scope, owner, release, empty, _Place.LAST)
        yield from _beside(leak, scope, owner, release, empty, _Place.ENDING)
    if not is_first and all(is_for_log(scope.tree, each) for each in others):
        yield from _beside(leak, scope, owner, release, empty, _Place.LAST)
    yield from _beside(leak, scope, owner, release, empty, _Place.FIRST if is_first else _Place.APART)
    if block is not None and len(statements(block)) > 0:
        yield from _beside(leak, scope, owner, release, empty, _Place.LAST)
    if not is_first:
        yield from _beside(leak, scope, owner, release, empty, _Place.FIRST)  # A reviewer is told what that may skip.


class _Place(enum.Enum):
    """Where a close comes in a `finally` that is there: before or behind the others, or in a `try` there: in its block or in its `finally`."""

    FIRST = enum.auto()
    LAST = enum.auto()
    APART = enum.auto()
    ENDING = enum.auto()


def others_of(scope: Scope, block: Node) -> list[Node]:
    """What a block does beside closing the variable."""
    closes = scope.closes()
    return [each for each in statements(block) if each not in closes]


def _made_of(scope: Scope, owner: Node) -> set[str]:
    """What the block of a `try` makes of the resource."""
    body = try_body(owner)
    return set(derived(scope.tree, statements(body), scope.variable)) - {scope.variable} if body is not None else set()


def _behind(scope: Scope, owner: Node) -> list[Node]:
    """What closes the variable in the statements behind a `try`, before it is given anything else: a close in its `finally` takes their place."""
    container = scope.tree.path(owner.start, owner.end)[-2]
    found, closes = [], scope.closes()
    for each in statements(container)[index_in(container, owner) + 1 :]:
        if any(True for _ in assigns(scope.tree, each, scope.variable)):
            break
        found += [each] if each in closes else []
    return found


def _beside(leak: Leak, scope: Scope, owner: Node, release: _Release, empty: Node | None, place: _Place) -> Iterator[Candidate]:
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    behind = _behind(scope, owner)
    closes = [*scope.last_closes(owner.start, owner.end), *behind]
    block = child(clause, "block") if (clause := final_block(owner)) is not None else None
    indent = text.indentation(leak.data, owner.start)
    lines = text.reindented(release.lines(draft.unit, behind), draft.unit)
    if block is not None:
        inner = statements(block)
        if not inner or not text.starts_line(leak.data, inner[0].start):
            return
        if release.caught and any(_is_told_of(leak, scope, each, close) for each in find(block, "try_statement") for close in closes):
            return
        if any(_is_given(scope, call) for each in inner if each not in closes for call in find(each, "method_invocation")):
            return
        if _is_met(block, [each for each in closes if each not in inner], leak.tree):
            return
        if _tells_no_more(scope, [each for each in closes if each not in inner], owner, release):
            return
        _remove_and_keep(draft, scope, [each for each in closes if each not in inner])
        indent = text.indentation(leak.data, inner[0].start)
        as_others = closed_as_others(scope, block) if release.caught and not closes else ""
        if as_others and place is _Place.FIRST and lead_of(leak.data, inner[0].start) < inner[0].start:
            return  # A comment would stand above another close.
        words = as_others or release.lines(draft.unit, behind)
        staying = tuple(each for each in inner if each not in closes)
        if place is _Place.LAST:
            draft.insert_lines_after(inner[-1].end, words, indent)
        elif place is _Place.FIRST:
            draft.insert_lines(inner[0].start, words, indent)
        elif not staying or not has_own_lines(leak.data, staying):
            return
        else:
            above = lead_of(leak.data, inner[0].start)
            inside, moved = "} finally {\n", text.reindented(words, draft.unit)
            draft.insert_lines(above, "try {\n" + (moved + inside if place is _Place.APART else ""), indent)
            indent_region(draft, staying, above=above)
            close_block(draft, staying, indent, "}\n" if place is _Place.APART else inside + moved + "}\n")
        for each in inner:
            if each in closes:
                draft.remove(each.start, each.end)
    else:
        if not text.ends_line(leak.data, owner.end) or (not behind and _tells_no_more(scope, closes, owner, release)):
            return
        _remove_and_keep(draft, scope, [each for each in closes if not (release.caught and _is_told_of(leak, scope, owner, each))])
        draft.insert(owner.end, " finally {\n" + text.reindented(lines, indent) + indent + "}")
    if behind:
        close_gap(draft, owner, behind[0].start)
    _initialise(draft, empty)
    yield from _candidate(scope, draft, release, owner)


def _is_told_of(leak: Leak, scope: Scope, owner: Node, close: Node) -> bool:
    """Whether a handler of a `try` learns of it where a close cannot write out what is left: it has to stay, then."""
    body = try_body(owner)
    is_inside = body is not None and body.start <= close.start < body.end
    is_plain = close.kind in ("expression_statement", "if_statement") and not scope.is_quiet(close)
    return is_inside and is_plain and bool(catches(owner)) and leak.finding.resource.endswith(("Writer", "OutputStream"))


def _is_given(scope: Scope, call: Node) -> bool:
    """Whether a call is given the variable to release it: there is no place for another release beside it."""
    _, _, given = call_parts(scope.tree, call)
    names = [each for each in given if each.kind == "identifier" and scope.tree.text(each) == scope.variable]
    return bool(names) and scope.releases(call)


def _remove_and_keep(draft: Draft, scope: Scope, closes: list[Node]) -> None:
    closing.remove(draft, scope.root, closes)
    for nulling in scope.nullings():
        if any(each.start <= nulling.start and nulling.end <= each.end for each in closes):
            continue
        draft.remove(nulling.start, nulling.end)


def _around(leak: Leak, scope: Scope, region: Region, release: _Release, empty: Node | None) -> Iterator[Candidate]:
    region = begun_behind_constants(leak.tree, region)
    if not region.body or not can_hoist(leak.tree, region) or not has_own_lines(leak.data, region.body) or scope.ends_maker(region.body):
        return
    if is_long(leak, region):
        return
    working = [each for each in region.body if each.kind != "local_variable_declaration"]
    if len(working) == 1 and working[0].kind == "try_statement" and final_block(working[0]) is not None:
        return
    if any((clause := final_block(each)) is not None and used(leak.tree, clause, [scope.variable]) for each in working if catches(each)):
        return  # The `finally` that is there has to close it.
    if sum(bool(catches(each)) for each in working if each.kind in TRIES) + bool(release.caught) > 1:
        return  # Handlers of several blocks inside of one more block are hard to tell apart.
    finals = [clause for each in region.body for clause in find(each, "finally_clause")]
    if any(_is_given(scope, call) for clause in finals for call in find(clause, "method_invocation")):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    first = region.body[0]
    closes = scope.last_closes(first.start, region.body[-1].end)
    if all(each in closes for each in region.body):
        return
    staying = [each for each in scope.closes() if first.start <= each.start < region.body[-1].end and each not in closes]
    if scope.is_reassigned() and not all(_is_opened_next(scope, each) for each in staying):
        return  # Where it is closed for a while, the close at the end would be a second one.
    going = [*closes, *closes_of_readers(scope, region.body, (scope.variable,))]
    told = comment_of_end(draft, region.body, going)
    bare = closing.remove(draft, scope.root, going)
    if is_ended_inside(scope, region.body, going):
        return
    if any(each.kind == "try_statement" and child(each, "catch_clause") is None for each in bare):
        return
    hoist(draft, leak.tree, region, first)
    indent = text.indentation(leak.data, first.start)
    above = lead_of(draft.data, first.start)
    draft.insert_lines(above, "try {\n", indent)
    indent_region(draft, region.body, above=above)
    if not release.moves(closes, region.body) and _tells_no_more(scope, closes, first, release):
        return
    lines = text.reindented(told + release.lines(draft.unit, closes, region.body), draft.unit)
    close_block(draft, region.body, indent, "} finally {\n" + lines + "}\n")
    _initialise(draft, empty)
    yield from _candidate(scope, draft, release, first, is_new=True)


def _is_opened_next(scope: Scope, close: Node) -> bool:
    """Whether the variable gets its next value in the statement behind a close, or control leaves there."""
    path = scope.tree.path(close.start, close.end)
    at = next((n for n, node in enumerate(path) if node is close), 0)
    body = statements(path[at - 1]) if at else []
    following = body[body.index(close) + 1 :][:1] if close in body else []
    return any(not completes(each) or any(True for _ in assigns(scope.tree, each, scope.variable)) for each in following)


def _candidate(scope: Scope, draft: Draft, release: _Release, beside: Node, *, is_new: bool = False) -> Iterator[Candidate]:
    """The candidate of a draft, with the imports that it needs. `beside`: where the `try` stands, whose own handlers do not meet what its
    `finally` throws. `is_new`: its `try` is. With a handler in its `finally` that takes the place of a header, as does one for what is
    declared with its value, and nobody writes it any more."""
    if closing.leaves_idle_handler(draft, scope.tree, scope.root):
        return
    if not release.caught:
        declare_thrown(draft, scope.leak, beside.start)
    import_caught(draft, scope.leak.unnamed)
    edits = draft.edits()
    if edits:
        is_swallowed = (is_new or scope.shape.kind == "declared") and bool(release.caught) and scope.leak.level >= FIRST_LEVEL and not swallows(scope.leak)
        yield Candidate(render("fixes/titles/close_in_finally", variable=scope.variable), edits, assumption=SWALLOWED if is_swallowed else "")


SWALLOWED = "nobody has to hear of a close that fails"


def swallows(leak: Leak) -> bool:
    """Whether the file itself swallows in a `finally` what closing throws, as one did before there were headers."""
    tree = parse_file("java", leak.data)
    handlers_there = [catches(each) for clause in find(tree.root, "finally_clause") for each in find(clause, "try_statement")]
    return any(each and all((block := child(one, "block")) is not None and completes(block) for one in each) for each in handlers_there)


