"""What a reviewer would hesitate over in a patch that does what it says: a leak that is only feared and hardly happens, what made the
resource and stays open beside it, what nobody uses, and forms that nobody writes by hand.

Takes a method that is called `set…` on the resource itself for one that does not fail, unless it is known to, and files by their places and
names for tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers import ir
from analyzers.finding import Confidence
from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.close_in_finally import swallows
from fixers.java.delayed import is_output
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import Shape
from fixers.java.statements import (
    TRIES,
    assignment,
    call_parts,
    catches,
    declarators,
    final_block,
    initialiser,
    is_for_log,
    statements,
    try_body,
)
from fixers.leak import Leak
from fixers.tree import child, find, parse_file

MAX_MOVED = 30
"""Lines that move in for a leak that is only feared."""

_LOOPS = ("for_statement", "enhanced_for_statement", "while_statement", "do_statement")


def hesitated_over(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    own = [each for each in edits if each.span.path == leak.path]
    is_assumed = leak.finding.confidence is Confidence.ASSUMED
    if _is_lost_by_charset(leak):
        return "only the name of a charset that is always there could lose it"
    if any("catch (Throwable" in each.text for each in own) and (setter := _is_lost_by_setting(leak, scope)).startswith(_OF_SOCKETS):
        return f"only `{setter}` could lose it, which hardly fails"
    if _had_another_end(leak):
        return "whether the version that is in use has `close` is not known"
    if doubt := (_is_feared(leak, scope, own) if is_assumed else "") or _is_written_oddly(leak, scope, own):
        return doubt
    if is_assumed and any("// thrown by closing alone" in each.text for each in own) and any(
        each.kind in TRIES and catches(each) for each in scope.shape.path
    ):
        return "a handler for closing alone stands in a block that has handlers"
    if is_assumed and is_lost_on_the_way_out(leak) and _adds_a_close(scope, own):
        return "only an exception that leaves could lose it, and it may not have to be closed"
    return ""


def moves_much(leak: Leak, edits: Sequence[Edit]) -> bool:
    """Whether a long block moves in for what is only feared."""
    moved = sum(each.span.start == each.span.end and (each.text.isspace() or _opens_in_front(each)) for each in edits)
    return leak.finding.confidence is Confidence.ASSUMED and moved > MAX_MOVED


def _opens_in_front(edit: Edit) -> bool:
    """Whether a block begins in front of a line, which moves in with it."""
    head, brace, rest = edit.text.rpartition("{")
    return head.strip().endswith("try") and bool(brace) and rest.isspace()


def closes_parameter(leak: Leak, edits: Sequence[Edit]) -> bool:
    """Whether a header names a parameter, where that is only feared to stay open."""
    name = leak.finding.variable
    is_named = bool(name) and any(re.search(rf"try\s*\({re.escape(name)}\)", each.text) for each in edits)
    return is_named and leak.finding.confidence is Confidence.ASSUMED and any(
        leak.tree.text(each.kids[-1]) == name and "Owning" not in leak.tree.text(each) for each in find(leak.tree.root, "formal_parameter")
    )


def lost_by_super(leak: Leak) -> bool:
    """Whether what a method overrides is all that could keep it from closing a field: where that is only feared, nobody nests blocks for it."""
    exits = dict.fromkeys((*leak.finding.exits, leak.finding.lost))
    is_feared = leak.finding.confidence is Confidence.ASSUMED and bool(exits)
    return is_feared and all(leak.data[each.start : each.end].startswith(b"super.") for each in exits)


def stands_right_inside(leak: Leak, edits: Sequence[Edit]) -> bool:
    """Whether a patch of what an object owns puts a `try` right inside of one that the code has, in whatever method that is."""
    own = [each for each in edits if each.span.path == leak.path]
    return bool(leak.owned) and any("try" in each.text for each in own) and _is_around_a_body(parse_file("java", leak.data).root, own)


def _is_feared(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    if name := _is_lost_by_setting(leak, scope):
        return f"only `{name}` could lose it, which hardly fails"
    if _is_lost_by_keyboard(leak):
        return "only waiting for a key could lose it, which hardly fails"
    if maker := _leaves_its_maker(leak, scope):
        return f"what `{maker}` gives stays open"
    if _is_found_once(scope, edits):
        return "the loop may find it only once"
    return ""


def is_lost_on_the_way_out(leak: Leak) -> bool:
    """Whether a resource is lost only where a call or a `throw` leaves the procedure, or what it gives replaces the resource.

    Where something handles the exception, the program lives on without what it has lost: that is another matter.
    """
    body = leak.linked.body
    places = {(each.start + body.start, each.end + body.start) for each in body.nodes if isinstance(each, ir.Call | ir.Throw)}
    return all((each.start, each.end) in places for each in (*leak.finding.exits, leak.finding.lost))


def _adds_a_close(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a patch writes a `finally` or a close. A header leaves the code shorter than it was, and is taken where the leak is doubtful, and so
    is a close that moves into the `finally` of the `try` before it; more code, which tests for null or nests, is not."""
    if not any("try" in each.text or "!= null" in each.text for each in edits) and any(_goes(each, edits) for each in scope.closes()):
        return False
    return any("finally" in each.text or f"{scope.variable}.{scope.release}(" in each.text for each in edits)


def _is_written_oddly(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    if _is_crowded(scope, edits):
        return "a `finally` that does more than close gets a `try` of its own"
    if is_test_file(leak.path) and any("catch (" in each.text for each in edits):
        return "a test may declare what closing throws"
    if _is_around_a_body(scope.root, edits) or _is_most_of_a_body(scope, edits):
        return "a `try` right inside of a `try`"
    if sum(f"{scope.variable}.{scope.release}(" in each.text and "finally" not in each.text for each in edits) > 1 and not any("try" in each.text for each in edits):
        return "it is closed in several places"
    if _is_around_a_handled(scope, edits):
        return "the `finally` could be that of the `try` which it goes around"
    if _is_around_a_rethrowing(scope, edits):
        return "the header could be that of the `try` which it goes around"
    if _asks_in_vain(scope, edits):
        return f"`{scope.variable}` is asked for null, which the code takes to be there"
    if _swallows(leak, scope, edits):
        return "nobody has to hear of a close that fails"
    if _only_throws_again(scope, edits):
        return "a handler that only throws again stays in the new block"
    if _is_never_used(scope) and any(("try" if scope.shape.kind == "declared" else "} catch (") in each.text for each in edits):
        return f"nobody uses `{scope.variable}`"
    if wrapper := _closes_what_is_made(scope, edits):
        return f"`{wrapper}`, which is made of it, need not be closed twice"
    return ""


def _is_crowded(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a patch puts a `try` into a `finally` around more than one statement, around or beside a `try`, or into one there."""
    for clause in find(scope.root, "finally_clause"):
        block = child(clause, "block")
        written = [each for each in edits if "try {" in each.text and "} catch (" not in each.text and clause.start < each.span.start < clause.end]
        if block is not None and written and (len(statements(block)) > 2 or any(find(block, *TRIES)) or _is_in_try(clause, written)):
            return True
    return False


def _is_in_try(clause: Node, written: Sequence[Edit]) -> bool:
    """Whether one of some edits stands in a `try` of a `finally`."""
    return any(each.start < one.span.start < each.end for each in find(clause, "try_statement") for one in written)


def is_test_file(path: str) -> bool:
    """Whether a file holds tests, by its place or its name."""
    *folders, name = path.split("/")
    simple = name.removesuffix(".java")
    return any(each.lower() in ("test", "tests", "androidtest") for each in folders) or simple.endswith(("Test", "Tests", "TestCase")) or simple.startswith("Test")


_OF_SOCKETS = ("setSo", "setKeepAlive", "setTcpNoDelay", "setReuse", "setReceiveBuffer", "setSendBuffer", "setTraffic", "setBroadcast", "setOOB")
"""How setters of sockets begin."""


def _is_lost_by_setting(leak: Leak, scope: Scope) -> str:
    """The setter of the resource that alone could lose it; empty for none."""
    body = leak.linked.body
    found = ""
    for each in dict.fromkeys((*leak.finding.exits, leak.finding.lost)):
        calls = [one for one in body.nodes if isinstance(one, ir.Call) and (one.start + body.start, one.end + body.start) == (each.start, each.end)]
        if not calls or not all(one.name.startswith("set") and ir.source_name(one.receiver) == scope.variable for one in calls):
            return ""
        found = calls[0].name
    return found


def _had_another_end(leak: Leak) -> bool:
    """Whether older versions of its library, which are still in use, have another method than `close` for the resource, and the file does not
    show that this one has it."""
    kind = leak.finding.resource.partition("<")[0]
    if not kind.startswith(_LATELY_CLOSED) or kind in _EVER_CLOSED:
        return False
    simple = re.escape(kind.rpartition(".")[2].encode())
    names = re.findall(rb"\b" + simple + rb"\s+(\w+)\s*[=;:,)]", leak.data)
    is_closed = any(re.search(rb"\b" + each + rb"\s*\.\s*close\s*\(", leak.data) for each in names)
    return not is_closed and re.search(rb"\btry\s*\([^{]*\b" + simple + rb"\s+\w+\s*=", leak.data) is None


_LATELY_CLOSED = ("org.rocksdb.",)
_EVER_CLOSED = frozenset(("org.rocksdb.RocksDB",))


def _is_lost_by_charset(leak: Leak) -> bool:
    """Whether a resource is lost only where it is told the name of a charset that every platform has."""
    exits = [leak.data[each.start : each.end] for each in dict.fromkeys((*leak.finding.exits, leak.finding.lost))]
    return all(_CHARSET.search(each) is not None for each in exits)


_CHARSET = re.compile(rb"\.set(?:Character)?Encoding\(\s*(?:(?:java\.nio\.charset\.)?StandardCharsets\.\w+\.(?:name|toString|displayName)\(\)|\"(?:UTF-8|UTF-16|US-ASCII|ISO-8859-1)\")\s*\)$")


def _is_lost_by_keyboard(leak: Leak) -> bool:
    """Whether a resource is lost only where somebody is waited for to press a key."""
    exits = dict.fromkeys((*leak.finding.exits, leak.finding.lost))
    return all(leak.data[each.start : each.end] == b"System.in.read()" for each in exits)


def _leaves_its_maker(leak: Leak, scope: Scope) -> str:
    """The call in the middle of an acquisition that opens a statement which nobody can close: `c.createStatement().executeQuery(q)`."""
    maker, _, _ = call_parts(leak.tree, scope.shape.expression) if scope.shape.expression.kind == "method_invocation" else (None, "", [])
    if maker is None or maker.kind != "method_invocation" or not leak.finding.resource.endswith("ResultSet"):
        return ""
    name = call_parts(leak.tree, maker)[1]
    return name if name in _STATEMENTS else ""


_STATEMENTS = ("createStatement", "prepareStatement", "prepareCall")
"""What opens a statement, of whatever class the connection is."""


def _is_found_once(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a patch closes what an earlier turn of a loop has left, where the loop opens it on a condition of its own: of several things it
    looks for one."""
    shape = scope.shape
    loops = [n for n, each in enumerate(shape.path) if each.kind in _LOOPS]
    is_chosen = bool(loops) and any(each.kind == "if_statement" for each in shape.path[loops[-1] :])
    return shape.kind == "assigned" and is_chosen and any(
        each.span.start == each.span.end <= shape.statement.start and f"{scope.variable} != null" in each.text for each in edits
    )


def _is_around_a_body(root: Node, edits: Sequence[Edit]) -> bool:
    """Whether a patch puts a `try` with a `finally` around all that a `try` of the code with handlers holds."""
    for owner in find(root, "try_statement"):
        block = try_body(owner)
        body = statements(block) if block is not None else []
        while len(body) > 1 and (emptied := assignment(body[-1])) is not None and emptied[1].kind == "null_literal":
            body = body[:-1]  # What only empties a variable behind the close stays outside.
        if block is None or not body or not catches(owner):
            continue
        begins = any("try {" in each.text and block.start < each.span.start <= body[0].start for each in edits)
        last = body[-2].end if len(body) > 1 else body[-1].start
        ends = any("} finally {" in each.text and last < each.span.end <= block.end for each in edits)
        if begins and ends:
            return True
    return False


def _is_most_of_a_body(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new header begins with the block of a `try` that has handlers, and leaves nothing, or but a line for the log, behind it."""
    ends = [each.span.start for each in edits if each.text.strip() == "}" or each.text.strip().startswith("} finally {")]
    is_plain = scope.leak.level >= _WITH_HEADERS and scope.release == "close"
    for owner in find(scope.root, "try_statement"):
        block = try_body(owner)
        body = statements(block) if block is not None else []
        is_deeper = bool(body) and body[0].kind in (*_LOOPS, "if_statement") and body[0].start < scope.shape.statement.start < body[0].end
        is_first = block is not None and bool(body) and not is_deeper and any("try (" in each.text and block.start < each.span.start <= body[0].end for each in edits)
        if block is not None and len(body) > 1 and body[0] is scope.shape.statement and is_plain:
            is_first = is_first or any("try {" in each.text and block.start < each.span.start <= body[1].start for each in edits)
        if block is None or not is_first or not catches(owner):
            continue
        inside = [at for at in ends if body[0].start < at < body[0].end and body[0] is not scope.shape.statement]
        if any(rest.strip(b"} \t\r\n") for rest in (scope.tree.data[at : body[0].end] for at in inside)):
            continue  # What the first statement goes on to do stands behind it.
        behind = [[each for each in body if each.start >= at] for at in ends if block.start < at < block.end]
        if any(len(each) <= 1 and all(is_for_log(scope.tree, one) for one in each) for each in behind):
            return True
    return False


def begins_behind_making(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new header begins right behind what the block of a `try` with handlers only makes for itself, and ends with that block."""
    for owner in find(scope.root, "try_statement"):
        block = try_body(owner)
        body = statements(block) if block is not None else []
        made = next((n for n, each in enumerate(body) if not _only_makes(each)), 0)
        if block is None or not made or not catches(owner):
            continue
        begins = any("try (" in each.text and body[made - 1].end < each.span.start <= body[made].start for each in edits)
        if begins and any(each.text.strip() == "}" and body[-1].end <= each.span.start < block.end for each in edits):
            return True
    return False


def _only_makes(statement: Node) -> bool:
    """Whether a statement declares nothing but a new object that is given nothing."""
    values = [initialiser(each) for each in declarators(statement)]
    return bool(values) and all(
        value is not None and value.kind == "object_creation_expression" and child(value, "class_body") is None
        and (given := child(value, "argument_list")) is not None and len(given.kids) == 2 for value in values
    )


_WITH_HEADERS = 7
"""The language level that brought headers."""


def _is_around_a_handled(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `try` with a `finally` goes around a few statements and, last of all, a `try` that has handlers and no `finally`."""
    container = scope.shape.container
    body = statements(container) if container is not None else []
    written = any("try {" in each.text or each.text.strip().startswith("try\n") for each in edits)
    for owner in body if written else ():
        is_last = any("finally" in each.text and owner.end <= each.span.start <= owner.end + 1 for each in edits)
        is_only = any("try" in each.text and body[max(body.index(owner) - 1, 0)].end <= each.span.start <= owner.start for each in edits)
        is_own = any(owner.start <= each.start < owner.end for each in scope.closes())
        if owner.kind == "try_statement" and catches(owner) and final_block(owner) is None and is_last and not is_only and not is_own:
            return True
    return False


def _is_around_a_rethrowing(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new header, or a `finally` in its place, goes around declarations of nothing and a `try` that has handlers which all end by throwing, or none: it could as well
    have the header. What may follow, and what the handlers do, has nothing to do with the resource."""
    shape = scope.shape
    body = statements(shape.container) if shape.container is not None and shape.kind == "declared" else []
    behind = [each for each in body if each.start > shape.statement.end]
    last = next((each for each in behind if each.kind in TRIES), None)
    is_late = scope.leak.level >= _WITH_HEADERS and scope.release == "close" and any("finally" in each.text for each in edits)
    if last is None or not any(
        ("try (" in each.text and each.span.start <= shape.statement.start < last.start)
        or (is_late and "try {" in each.text and shape.statement.end <= each.span.start < last.start) for each in edits
    ):
        return False
    before, after = behind[: behind.index(last)], behind[behind.index(last) + 1 :]
    handlers = [block for each in catches(last) if (block := child(each, "block")) is not None]
    is_thrown = all(statements(each)[-1:] and statements(each)[-1].kind == "throw_statement" for each in handlers)
    values = [initialiser(one) for each in before for one in declarators(each)]
    is_empty = all(declarators(each) for each in before) and all(each is None or each.kind.endswith("_literal") for each in values)
    clauses = [each for each in last.kids if each.kind.endswith("_clause")]
    return is_thrown and is_empty and not any(scope.closer.uses_besides(each, scope.closes()) for each in (*clauses, *after))


def hoists_for_order(edits: Sequence[Edit], acquired: str) -> bool:
    """Whether a patch gives a name to what a class gives, or another variable, so that it is asked for before something is opened, as it was."""
    lines = [line for each in edits for line in each.text.splitlines()]
    getters = [found[1] for line in lines if (found := _GOT.match(line)) is not None]
    return any(_ASKED.match(line) is not None for line in lines) or any(each != acquired for each in getters)


_GOT = re.compile(r"\s*(?:final )?[\w.<>]+ \w+ = ([a-z]\w*\.get\w*\(\));$")
"""A line that names what a variable's getter gives."""

_ASKED = re.compile(r"\s*(final )?([\w.]+ \w+ = [A-Z]\w*\.\w+\(\)|var \w+ = \w+(\(\))?(\.\w+\(\))+);$")
"""A line that names what a method of a class gives, or what a chain of calls gives whose type is not told."""


def stands_bare(leak: Leak, shape: Shape, edits: Sequence[Edit]) -> bool:
    """Whether a patch puts a block right behind an `if` or an `else` that has no braces."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.statement), 0)
    parent = shape.path[at - 1] if at else None
    if parent is None or parent.kind != "if_statement":
        return False
    begins = [each for each in edits if parent.start < each.span.start <= shape.statement.start and "try" in each.text]
    return any("{" not in each.text.partition("try")[0] for each in begins)


def _asks_in_vain(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a block of a patch tests a variable for null that is declared with its value, and that the code uses and never tests, or asserts to
    be there."""
    name = scope.variable
    asks = f"{name} != null"
    if scope.shape.kind != "declared" or not any("try" in each.text for each in edits) or not any(asks in each.text for each in edits):
        return False
    tests = [each for each in find(scope.root, "binary_expression") if any(kid.kind == "null_literal" for kid in each.kids)]
    return not any(scope.tree.text(kid) == name for each in tests if not _is_asserted(scope, each) for kid in each.kids)


def _is_asserted(scope: Scope, test: Node) -> bool:
    """Whether a test is an argument of what asserts it: `assertTrue(in != null)`."""
    around = [each for each in scope.tree.path(test.start, test.end) if each.kind in ("method_invocation", "assert_statement")]
    return bool(around) and (around[-1].kind == "assert_statement" or call_parts(scope.tree, around[-1])[1].startswith("assert"))


def _swallows(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether what closing throws is swallowed where something was written, or where the code's own close told of it."""
    is_swallowed = any("// nothing more can be done about it" in each.text for each in edits)
    return is_swallowed and not swallows(leak) and (is_output(leak.finding.resource.partition("<")[0]) or any(_is_told_of(scope, each) for each in scope.closes() if _goes(each, edits)))


def _is_told_of(scope: Scope, close: Node) -> bool:
    """Whether a close stands in a `try` that hears of its failure."""
    around = [each for each in scope.tree.path(close.start, close.end) if each.kind == "try_statement" and catches(each)]
    blocks = [try_body(each) for each in around]
    return any(each is not None and each.start < close.start < each.end for each in blocks)


def _only_throws_again(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a block goes around a `try` that loses its `finally`, and keeps handlers that do nothing."""
    for owner in find(scope.root, "try_statement"):
        clause = final_block(owner)
        is_gone = clause is not None and any(each.start >= clause.start and each.end <= clause.end and _goes(each, edits) for each in scope.closes())
        is_inside = any("try (" in each.text and each.span.start < owner.start for each in edits)
        if is_gone and is_inside and catches(owner) and all(_throws_again(scope, each) for each in catches(owner)):
            return True
    return False


def _throws_again(scope: Scope, clause: Node) -> bool:
    parameter, block = child(clause, "catch_formal_parameter"), child(clause, "block")
    body = statements(block) if block is not None else []
    named = child(parameter, "identifier") if parameter is not None else None
    thrown = child(body[0], "identifier") if len(body) == 1 and body[0].kind == "throw_statement" else None
    return thrown is not None and named is not None and scope.tree.text(thrown) == scope.tree.text(named)


def _goes(node: Node, edits: Sequence[Edit]) -> bool:
    return any(each.span.start <= node.start and node.end <= each.span.end for each in edits)


def _is_never_used(scope: Scope) -> bool:
    """Whether nothing is ever done with what a method gives, or what is assigned once, though it has a name."""
    declared = scope.declaration()
    is_given = scope.shape.kind == "declared" and scope.shape.outer.kind == "method_invocation"
    if declared is None or not (is_given or scope.shape.kind == "assigned"):
        return False
    return not scope.closes() and not scope.closer.uses_besides(scope.root, [declared[0], scope.shape.statement])


def _closes_what_is_made(scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that a method makes of the resource, alone or with others, where the code's own close of it stays in the new block; empty
    for none."""
    if not any("try" in each.text for each in edits):
        return ""
    for declarator in find(scope.root, "variable_declarator"):
        value = initialiser(declarator)
        if value is None or value.kind != "method_invocation" or not scope.tree.text(declarator.kids[0]).isidentifier():
            continue
        receiver, _, given = call_parts(scope.tree, value)
        name = scope.tree.text(declarator.kids[0])
        if receiver is None or receiver.kind not in ("object_creation_expression", "identifier") or scope.variable not in map(scope.tree.text, given):
            continue
        if name == scope.variable or scope.tree.text(receiver) == scope.variable:
            continue
        for close in scope.closer_of(name).closes(procedure_node(scope.leak)):
            block = scope.tree.path(close.start, close.end)[-2:-1]
            is_plain = all(each.kind == "block" and not any(clause.start <= close.start < clause.end for clause in find(scope.root, "finally_clause", "catch_clause")) for each in block)
            if is_plain and not _goes(close, edits) and close.start > declarator.end:
                return name
    return ""
