"""What a reviewer would ask to change in a patch that does what it should: then somebody has to look at it before it is committed.

The code's own close of what wraps the resource stays inside of a block that closes the resource itself; a comment that marks a text for
translators stays where that was; the `close` of a class of the program is not seen to release what the object holds; a `finally` goes on to close others;
somebody unknown is asked for what is written to; a constructor drops an object of its own class;
a stream that works by it is closed behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import Program, ir
from analyzers.syntax import Node
from fixers.braces import joined
from fixers.edits import apply
from fixers.fix import Edit
from fixers.java.closed_again import ends_cipher_twice
from fixers.java.crowded import one_would_do
from fixers.java.delayed import is_output
from fixers.java.feared import (
    begins_behind_making,
    closes_parameter,
    hesitated_over,
    hoists_for_order,
    is_test_file,
    lost_by_super,
    moves_much,
    stands_bare,
    stands_right_inside,
)
from fixers.java.foreseen import foreseen, goes_around_branches, goes_on_behind
from fixers.java.header import grows_too_long, has_endless_header, puts_header_too_far
from fixers.java.lifted import lifted
from fixers.java.needed_open import needed_open
from fixers.java.nested_tries import nests_tries
from fixers.java.on_purpose import closed_only_where, ends_program_behind
from fixers.java.one_place import closed_by_its_call, done_in_two_ways
from fixers.java.other_end import other_end
from fixers.java.plain_form import closed_by_another_name, plainer_form
from fixers.java.plainer import holds_nothing
from fixers.java.played import is_played
from fixers.java.readers import wrapping
from fixers.java.same_stream import given_again
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import Shape, classify
from fixers.java.shown_beside import shown_beside
from fixers.java.shut_down import ends_what_never_began
from fixers.java.statements import TRIES, call_parts, declared, final_block, statements, try_body
from fixers.java.wrapping import is_marked
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find


def asked_to_change(leak: Leak, program: Program, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    if lost_by_super(leak):
        return "whether what it overrides throws is not known"
    after = apply(leak.data, [each for each in edits if each.span.path == leak.path])
    edits = [joined(each) for each in edits]  # What follows looks for `try {`, wherever the file has its braces.
    if holds_nothing(leak.data, after):
        return "the new block holds nothing"
    if any("try" in each.text for each in edits) and nests_tries(leak.data, after):
        return "a `try` right inside of a `try`"
    if grows_too_long(leak.data, after) or puts_header_too_far(leak.data, after):
        return "a line that moves in becomes longer than any of the file"
    if has_endless_header(leak.data, after):
        return "a header becomes longer than anybody reads"
    if name := lifted(leak, program, edits):
        return f"what opens it may set `{name}`, which moves above that"
    if program.mentioning("android") and ends_cipher_twice(leak.data, after):
        return "on old Android a cipher stream that is closed twice writes twice"
    if is_played(leak, program):
        return "a test plays what it makes, which has to expect that it is closed"
    if moves_much(leak, edits):
        return "a long block moves in for what is only feared"
    if closes_parameter(leak, edits):
        return "a parameter goes into a header for what is only feared"
    if stands_right_inside(leak, edits):
        return "a `try` right inside of a `try`"
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None:
        return ""
    if one_would_do(leak.tree, shape):
        return "one of them would do for all"
    if _speaks_of_finally(leak, shape, edits):
        return "a comment speaks of `finally`"
    texts = [leak.tree.text(each) for each in find(shape.outer, "string_literal")]
    if shape.kind in ("nested", "dropped") and is_marked(leak.data, shape.statement) and any(text in each.text for text in texts for each in edits):
        return "a comment that speaks of a text stays where that was"
    if stands_bare(leak, shape, [each for each in edits if each.span.path == leak.path]):
        return "a block stands where the code has no braces"
    scope = Scope(leak, shape)
    if ends_what_never_began(scope, edits):
        return "no thread runs yet where the first task of a pool is not taken"
    if shape.variable and (test := closed_only_where(scope)):
        return f"the code closes it only where `{test}`"
    if shape.variable and ends_program_behind(scope, [each for each in edits if each.span.path == leak.path]):
        return "nothing closes it where the program ends"
    if again := given_again(leak, scope):
        return f"`{again}` gives the same again to who has the connection"
    if answer := _closes_answer(leak, [each for each in edits if each.span.path == leak.path]):
        return f"what `{answer}` gives would be sent where something fails, and nobody could tell of that"
    if over := needed_open(scope, [each for each in edits if each.span.path == leak.path]):
        return f"`{over}` may still be closed, and needs it open then"
    if shown := shown_beside(leak, scope, [each for each in edits if each.span.path == leak.path]):
        return shown
    if end := other_end(leak, scope):
        return f"whoever has `{end}`, the other end of the pipe, feels that"
    if not shape.variable:
        names = declared(leak.tree, shape.statement) if shape.statement.kind == "local_variable_declaration" else []
        is_around = any("try" in each.text for each in edits)
        if goes_around_branches(leak, shape, edits) or (is_around and any(goes_on_behind(scope, edits, each) for each in names)):
            return "the block goes on for long behind its last use"
        if is_test_file(leak.path) and any("catch (" in each.text for each in edits):
            return "a test may declare what closing throws"
        if begins_behind_making(scope, [each for each in edits if each.span.path == leak.path]):
            return "a `try` right inside of a `try`"
        if holder := closed_by_another_name(scope, [each for each in edits if each.span.path == leak.path]):
            return f"what `{holder}` gives, the same, need not be closed twice"
        if hoists_for_order([each for each in edits if each.span.path == leak.path], leak.tree.text(shape.expression)):
            return "what it is given to gets a name of its own, for the order of calls alone"
        if guessed := _is_told_by_custom(leak, scope, program):
            return f"what `{guessed}` gives is told by its name alone"
        if shape.kind == "dropped" and shape.expression.kind == "method_invocation" and any("// nothing more can be done" in each.text for each in edits):
            return "what is closed at once needs a handler"
        if _is_meant_to_delegate(leak, shape):
            return "`this(…)` may be meant, which does the constructor's work"
        if counted := _is_counted(leak, shape):
            return f"`{counted}` may be asked how many it has given"
        return f"`{callee}` closes it, too" if (callee := closed_by_its_call(leak, scope)) else ""
    own = [each for each in edits if each.span.path == leak.path]
    if doubt := hesitated_over(leak, scope, edits) or foreseen(leak, scope, own) or plainer_form(leak, scope, own):
        return doubt
    if name := _is_asked_of_strangers(leak, scope):
        return f"what `{name}` gives may belong to who gives it"
    if _leaves_others(scope, edits, "finally_clause") or _is_beside_others(scope, edits):
        return "the `finally` closes more than that"
    if _leaves_others(scope, edits, "catch_clause"):
        return "the handler closes more than that"
    if unknown := _ends_nothing(leak, scope, program):
        return f"what `{scope.release}` of `{unknown}` ends is not known"
    if twice := done_in_two_ways(leak, scope, edits):
        return twice
    if again := _closed_again_at_end(scope, own):
        return f"`{again}`, which wraps it, closes it there, too"
    if around := _closed_around(leak, scope, own):
        return f"a `finally` around it closes `{around}`, which wraps it, too"
    if stream := _ended_with_its_stream(scope, own):
        return f"closing `{stream}`, which it gave, ends it, too"
    for name in _wrappers(scope):
        for close in scope.closer_of(name).closes(scope.root):
            is_gone = any(each.span.start <= close.start and close.end <= each.span.end for each in own)
            if not is_gone and _is_named_around(scope, own, close):
                return f"`{name}`, which wraps it, need not be closed twice"
            is_before = any(close.end <= each.span.start and ("}" in each.text or scope.release in each.text) for each in own)
            is_held = any("try (" in each.text for each in own) and _is_at_end_inside(scope, close)
            if not is_gone and is_before and shape.statement.end <= close.start and (is_held or not _is_at_end(scope, close)):
                return f"`{name}`, which wraps it, need not be closed twice"
    return ""


def _is_named_around(scope: Scope, edits: Sequence[Edit], close: Node) -> bool:
    """Whether a patch has a header name a variable in a `try` of the code whose block holds a close."""
    owners = [each for each in find(scope.root, "try_statement") if (body := try_body(each)) is not None and body.start < close.start < body.end]
    named = f"({scope.variable})"
    return any(each.start <= one.span.start <= each.start + len("try ") and one.text.strip() in (named, f"try {named}") for each in owners for one in edits)


def _speaks_of_finally(leak: Leak, shape: Shape, edits: Sequence[Edit]) -> bool:
    """Whether a patch writes a `finally` where a comment behind the acquisition says why there is none, perhaps."""
    root = procedure_node(leak)
    is_written = any("finally" in each.text for each in edits)
    return is_written and any(each.start > shape.statement.start and "finally" in leak.tree.text(each).lower() for each in find(root, *COMMENTS))


def _closes_answer(leak: Leak, edits: Sequence[Edit]) -> str:
    """The getter of an answer of a servlet whose stream a patch puts into a header: closing that sends the answer, and no page can speak of
    an error behind that. Empty for none."""
    for number, each in enumerate(leak.linked.body.nodes):
        if not isinstance(each, ir.Call) or each.name not in ("getOutputStream", "getWriter"):
            continue
        target = leak.linked.targets.get(number)
        start, end = (leak.linked.body.start + at for at in (each.start, each.end))
        written = leak.data[start:end].decode("utf-8", "replace")
        if target is not None and target.type.startswith(_SERVLETS) and any("try (" in one.text and f"= {written}" in one.text for one in edits):
            return f"{each.receiver}.{each.name}" if not ir.is_temporary(each.receiver) else each.name
    return ""


_SERVLETS = ("javax.servlet.", "jakarta.servlet.")


def _is_meant_to_delegate(leak: Leak, shape: Shape) -> bool:
    """Whether a constructor makes another object of its own class and drops it: closed at once that would be of no use either."""
    if shape.kind != "dropped" or shape.expression.kind != "object_creation_expression":
        return False
    around = procedure_node(leak)
    if around.kind not in ("constructor_declaration", "compact_constructor_declaration"):
        return False
    made, name = child(shape.expression, "type_identifier"), child(around, "identifier")
    return made is not None and name is not None and leak.tree.text(made) == leak.tree.text(name)


def _is_counted(leak: Leak, shape: Shape) -> str:
    """The variable whose object opens something of a library that nobody takes: it knows of that, and may have been asked for it alone."""
    receiver = call_parts(leak.tree, shape.expression)[0] if shape.kind == "dropped" and shape.expression.kind == "method_invocation" else None
    is_library = not leak.finding.resource.startswith(("java.", "javax.", "jakarta."))
    return leak.tree.text(receiver) if is_library and receiver is not None and receiver.kind in ("identifier", "field_access") and leak.tree.text(receiver)[:1].islower() else ""


def _is_asked_of_strangers(leak: Leak, scope: Scope) -> str:
    """The getter of nobody knows what that gives an output which the code does not close: a page, say, goes on to write to it."""
    expression = scope.shape.expression
    name = call_parts(leak.tree, expression)[1] if expression.kind == "method_invocation" else ""
    if not name.startswith("get") or scope.closes() or not is_output(leak.finding.resource.partition("<")[0]):
        return ""
    targets = [leak.linked.targets.get(number) for number in scope.calls_at(expression)]
    effects = [each for number in scope.calls_at(expression) for each in leak.effects.get(number, ())]
    is_known = any(each is not None and (each.models or each.procedures) for each in targets) and any(each.is_known for each in effects)
    return "" if is_known else name


def _leaves_others(scope: Scope, edits: Sequence[Edit], kind: str) -> bool:
    """Whether a close goes from a clause of a kind that closes something else as well, which stays there: half of it would be in a header."""
    closes = [each for each in scope.closes() if any(edit.span.start <= each.start and each.end <= edit.span.end for edit in edits)]
    for clause in find(scope.root, kind):
        gone = [each for each in closes if clause.start <= each.start < clause.end]
        others = [
            each for each in find(clause, "method_invocation")
            if "close" in call_parts(scope.tree, each)[1].lower() and not any(one.start <= each.start < one.end for one in closes)
        ]
        if gone and any(not any(edit.span.start <= each.start and each.end <= edit.span.end for edit in edits) for each in others):
            return True
    return False


def _is_beside_others(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a new header stands in a `try` whose `finally` closes another variable that is declared, without a value, beside this one:
    there this one belongs, too."""
    found = scope.declaration()
    if found is None or scope.shape.kind != "assigned" or scope.is_reassigned() or not any("try (" in each.text for each in edits):
        return False
    beside = scope.tree.path(found[0].start, found[0].end)[-2:-1]
    names = {name for one in beside for each in statements(one) for name in declared(scope.tree, each)} - {scope.variable}
    around = [each for each in scope.shape.path if each.kind in TRIES and each.start > found[0].end]
    clauses = [clause for each in around if (clause := final_block(each)) is not None]
    calls = [call_parts(scope.tree, each) for clause in clauses for each in find(clause, "method_invocation")]
    return any(
        "close" in name.lower() and any(each is not None and scope.tree.text(each) in names for each in (receiver, *given)) for receiver, name, given in calls
    )


def _ends_nothing(leak: Leak, scope: Scope, program: Program) -> str:
    """The type of the variable, a class of the program around what was acquired, where its `close` is not seen to release anything: then
    no proof sees who uses the object behind that. Empty for none."""
    kinds = sorted({each.partition("<")[0] for name, each in leak.linked.types.items() if ir.source_name(name) == scope.variable})
    for kind in kinds:
        found = [each.procedure for each in program.methods(kind, scope.release) if not each.parameters]
        bodies = [each for each in found[:1] if each is not None]
        if kind == leak.finding.resource.partition("<")[0] or not bodies:
            continue
        outcomes = [one for key in bodies for each in program.effects(key).transfers for one in each.outcomes]
        if not any(each.fate == "released" for each in outcomes):
            return kind.rpartition(".")[2].rpartition("$")[2]
    return ""


def _ended_with_its_stream(scope: Scope, edits: Sequence[Edit]) -> str:
    """The stream of a socket that a `finally` closes, and goes on to close behind a new header; empty for none."""
    kind = scope.leak.finding.resource.partition("<")[0]
    if not kind.endswith("Socket") or not any("try (" in each.text or each.text.lstrip().startswith("(") for each in edits):
        return ""
    for call in find(scope.root, "method_invocation"):
        receiver, name, _ = call_parts(scope.tree, call)
        if receiver is None or scope.tree.text(receiver) != scope.variable or name not in ("getInputStream", "getOutputStream"):
            continue
        given = [each for each in scope.tree.path(call.start, call.end) if each.kind in ("assignment_expression", "variable_declarator") and each.kids[-1] is call]
        for stream in (scope.tree.text(each.kids[0]) for each in given):
            for close in scope.closer_of(stream).closes(scope.root):
                is_final = any(each.kind == "finally_clause" for each in scope.tree.path(close.start, close.end))
                if is_final and not any(each.span.start <= close.start and close.end <= each.span.end for each in edits):
                    return stream
    return ""


def _wrappers(scope: Scope) -> Iterator[str]:
    """The variables that hold what wraps the resource, or what wraps that."""
    known = [scope.variable]
    for inner in known:
        for name in dict.fromkeys(wrapping(scope, [scope.root], inner)):
            if name not in known:
                known.append(name)
                yield name


def _is_told_by_custom(leak: Leak, scope: Scope, program: Program) -> str:
    """The method of a chain before the acquisition of which only custom says that it gives the builder that it is called on, and no declaration
    of a variable confirms what comes of that; empty for none."""
    nodes, targets = leak.linked.body.nodes, leak.linked.targets
    made = {each.dst: (number, each) for number, each in enumerate(nodes) if isinstance(each, ir.Call) and each.dst}
    receivers = [each.receiver for number in scope.calls_at(scope.shape.expression) if isinstance(each := nodes[number], ir.Call) and each.kind == "virtual"]
    while receivers and (found := made.get(receivers.pop())) is not None:
        target = targets.get(found[0])
        if target is None or not ir.is_made_up(found[1].dst):
            return ""
        is_builder = target.result == target.type and not target.procedures and not program.methods(target.type, found[1].name)
        known = program.model(target.models, target.parameters)
        if is_builder and (known is None or not known.type):
            return found[1].name
        receivers.append(found[1].receiver)
    return ""


def _closed_again_at_end(scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that wraps the resource, and is closed still in the `finally` in which a patch closes that by hand; empty for none."""
    for clause in find(scope.root, "finally_clause"):
        if not any(clause.start < each.span.start < clause.end and f"{scope.variable}.{scope.release}(" in each.text for each in edits):
            continue
        for name in _wrappers(scope):
            closes = [each for each in scope.closer_of(name).closes(scope.root) if clause.start < each.start < clause.end]
            if any(not any(one.span.start <= each.start and each.end <= one.span.end for one in edits) for each in closes):
                return name
    return ""


def _closed_around(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that wraps the resource, and is closed still in the `finally` of a `try` around the acquisition; empty for none."""
    statement = scope.shape.statement
    clauses = [clause for each in find(procedure_node(leak), *TRIES) if (body := try_body(each)) and body.start <= statement.start < body.end and (clause := final_block(each))]
    calls = [call_parts(leak.tree, each)[:2] for clause in clauses for each in find(clause, "method_invocation") if not any(one.span.start <= each.start < one.span.end for one in edits)]
    closed = {leak.tree.text(receiver) for receiver, name in calls if receiver is not None and receiver.kind == "identifier" and name in scope.methods}
    return next((name for name in _wrappers(scope) if name in closed), "") if closed else ""


def _is_at_end_inside(scope: Scope, close: Node) -> bool:
    """Whether a close stands in the `finally` of a `try` that begins behind the acquisition, so that a header goes around that."""
    owners = (each for each in find(scope.root, *TRIES) if each.start >= scope.shape.statement.end)
    return any((clause := final_block(each)) is not None and clause.start < close.start < clause.end for each in owners)


def _is_at_end(scope: Scope, close: Node) -> bool:
    """Whether a close stands in a `finally`, or where something is handled: there both are closed, one by one."""
    return any(clause.start <= close.start < clause.end for clause in find(scope.root, "finally_clause", "catch_clause"))
