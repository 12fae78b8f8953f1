"""What a reviewer would turn down whatever the patch looks like: the code around the leak says that closing is somebody
else's, that the call is expected to fail, or that only calls that nobody expects to throw could lose it.

Declines too often where a comment speaks of another resource; misses what is said in other files.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from analyzers import Program, ir
from analyzers.finding import LEFT_OPEN, Confidence
from analyzers.graphs.cfg import reverse_post_order
from analyzers.syntax import Node
from fixers.java.closing import is_named_quiet
from fixers.java.expected import expected_to_fail
from fixers.java.held import calls_back
from fixers.java.own_ending import ends_it_itself
from fixers.java.region import is_close
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    CONTAINERS,
    LATER,
    TRIES,
    assignment,
    assigns,
    call_parts,
    declared,
    declared_type,
    final_block,
    statements,
    uses,
)
from fixers.leak import Leak
from fixers.paths.names import RELEASING
from fixers.tree import COMMENTS, child, find, walk

_SAID = ("will close", "closed by", "be closed by", "closes it", "closes the", "not close", "n't close", "leave open", "keep open", "stay open", "left open", "closed later", "closed when", "auto-close", "autoclose", "intentionally leak", "deliberately leak", "leak on purpose", "intentionally leave", "deliberately leave", "intentionally not closed", "intentionally open", "intentional leak", "leak is intentional", "leak is intended", "leaks intentionally", "leaked intentionally", "leaked on purpose", "leaks on purpose", "open on purpose", "remain open", "remains open", "kept open", "keeps open", "keep it open")
"""What comments say of a resource that is somebody else's to close."""

_STANDARD = frozenset(("in", "out", "err"))


def turned_down(leak: Leak, program: Program) -> str:
    """Why no patch would be taken; empty for no reason."""
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None:
        return _is_closed_beside(leak) if leak.finding.detail == LEFT_OPEN else ""
    return (
        _is_said(leak, shape)
        or expected_to_fail(leak, shape)
        or _is_mocked(leak, shape)
        or _is_read_on(leak, shape)
        or _has_idle_close(leak, shape)
        or _belongs_to_result(leak, shape)
        or _is_borrowed_otherwise(leak, shape, program)
        or _loads_classes(leak, shape, program)
        or _holds_lock(leak, shape)
        or _is_answer(leak, shape)
        or _is_closed_twice(leak, shape)
        or _is_opened_for_nothing(leak, shape)
        or _is_closed_in_part(leak, shape)
        or _is_closed_sometimes(leak, shape)
        or _is_only_compared(leak, shape)
        or _is_ended_otherwise(leak, shape)
        or _is_asked_behind(leak, shape)
        or _calls_back(leak, shape)
        or _is_found_by_address(leak, shape)
        or _is_only_accepted(leak, shape)
        or _is_returned_in_parts(leak, shape)
        or _is_kept_unseen(leak, shape, program)
        or _is_kept_by_map(leak, shape)
        or _is_unlikely(leak)
    )


def _is_kept_by_map(leak: Leak, shape: Shape) -> str:
    """Whether a map keeps what it is given, and gives it again for the same key: closed in one turn, it is closed in the next."""
    is_asked = shape.expression.kind == "method_invocation" and call_parts(leak.tree, shape.expression)[1] == "computeIfAbsent"
    return "the map gives it again to whoever asks it" if is_asked else ""


def _is_opened_for_nothing(leak: Leak, shape: Shape) -> str:
    """Whether the very next statement gives the variable something else: a close between them would hide that one of the two should go."""
    if shape.container is None or shape.kind not in ("declared", "assigned"):
        return ""
    following = next((after for each, after in itertools.pairwise(statements(shape.container)) if each is shape.statement), None)
    again = assignment(following) if following is not None else None
    if again is None or leak.tree.text(again[0]) != shape.variable or uses(leak.tree, again[1], (shape.variable,)):
        return ""
    return "nothing is done with it before the variable gets another: one of the two should go"


def _is_closed_beside(leak: Leak) -> str:
    """Whether a parameter is closed right beside another, which would be left open where the first is not: one of them is half of it."""
    names = [leak.tree.text(kid) for each in find(leak.tree.root, "formal_parameter") for kid in each.kids if kid.kind == "identifier"]
    mine, others = leak.finding.variable, [each for each in names if each != leak.finding.variable]
    for block in find(leak.tree.root, *CONTAINERS):
        for first, second in itertools.pairwise(statements(block)):
            for one, other in ((first, second), (second, first)):
                if is_close(leak.tree, one, mine) and any(is_close(leak.tree, other, each) for each in others):
                    return "it is closed beside another, which would stay open still"
    return ""


def _is_kept_unseen(leak: Leak, shape: Shape, program: Program) -> str:
    """Whether the resource may be what something else holds already, which it is compared with, or is given to a method whose body only
    throws: a tool writes another one, and what that keeps nobody sees."""
    if not shape.variable:
        return ""
    for each in find(procedure_node(leak), "binary_expression"):
        sides = [kid for kid in each.kids if kid.kind not in ("==", "!=", *COMMENTS)]
        names = [kid.kind == "identifier" and leak.tree.text(kid) == shape.variable for kid in sides]
        is_held = any(kid.kind == "field_access" for kid in sides)
        if any(kid.kind in ("==", "!=") for kid in each.kids) and any(names) and is_held:
            return "it is compared with what is held elsewhere"
    for node, call in enumerate(leak.linked.body.nodes):
        target = leak.linked.targets.get(node)
        if isinstance(call, ir.Call) and target is not None and shape.variable in map(ir.source_name, call.args):
            bodies = [program.procedure(key) for key in target.procedures]
            if bodies and all(each is not None and _only_throws(each) for each in bodies):
                return f"what `{call.name}` does with it is written by a tool"
    return ""


def _only_throws(body: ir.Procedure) -> bool:
    """Whether a body makes an exception and throws it, whatever it is given."""
    calls = [each for each in body.nodes if isinstance(each, ir.Call)]
    is_straight = not any(isinstance(each, ir.Branch | ir.Return | ir.Store) for each in body.nodes)
    return is_straight and any(isinstance(each, ir.Throw) for each in body.nodes) and all(each.kind == "new" for each in calls)


def _is_said(leak: Leak, shape: Shape) -> str:
    """A comment on the statement, or right above it, that says who closes."""
    holder = shape.container or leak.tree.root
    line = leak.data.find(b"\n", shape.statement.end)
    before = shape.statement
    for each in reversed([kid for kid in holder.kids if kid.end <= shape.statement.start]):
        if each.kind not in COMMENTS or leak.data[each.end : before.start].count(b"\n") > 1:
            break
        before = each
    for comment in find(procedure_node(leak), *COMMENTS):
        words = leak.tree.text(comment).lower()
        if shape.variable and shape.variable.lower() in words and any(said in words for said in ("not closed", "not close", "n't close")):
            return "a comment says that it stays open"
    around = [final_block(each) for each in shape.path if each.kind in TRIES]
    for comment in (each for clause in around if clause is not None for each in find(clause, *COMMENTS)):
        if "not need to close" in leak.tree.text(comment).lower():
            return "a comment says that it stays open"
    for comment in find(holder, *COMMENTS):
        if "no need" in leak.tree.text(comment).lower() and any(said in leak.tree.text(comment).lower() for said in ("clos", "try-with")):
            return "a comment says who closes it"
        is_above = before.start <= comment.start < shape.statement.start
        is_behind = shape.statement.start <= comment.start and (comment.start < line or comment.end <= shape.statement.end)
        words = leak.tree.text(comment).lower()
        if (is_above or is_behind) and any(said in words for said in _SAID):
            return "a comment says who closes it"
    return ""


def _is_mocked(leak: Leak, shape: Shape) -> str:
    """What a test verifies, or says how it answers, is a mock: nobody has to close it."""
    around = [each for each in shape.path if each.kind == "method_invocation" and each.start != shape.expression.start]
    names = {call_parts(leak.tree, each)[1] for each in around}
    is_mocking = any(each in leak.data for each in (b"org.mockito", b"org.easymock"))
    asked = [call_parts(leak.tree, each) for each in find(procedure_node(leak), "method_invocation")] if is_mocking and shape.variable else []
    if any(name in _OF_ONE and shape.variable in map(leak.tree.text, given) for _, name, given in asked):
        return "it is the very object that the test has made"
    return "it is a mock, which a test asks about" if is_mocking and not names.isdisjoint(_OF_MOCKS) else ""


_OF_ONE = ("assertSame", "isSameAs", "sameInstance")
_OF_MOCKS = frozenset((
    "verify", "when", "given", "then", "expect", "verifyNoInteractions", "verifyNoMoreInteractions", "verifyZeroInteractions", "inOrder", "doReturn", "doThrow", "doAnswer", "doNothing",
))  # fmt: skip


def _is_read_on(leak: Leak, shape: Shape) -> str:
    """What a parser, or another stream, is asked for where it stands: closing that may close what it goes on to read. So may what a method
    gives that an object has from a class which is not there, unless the code closes it itself."""
    if shape.expression.kind != "method_invocation" or not call_parts(leak.tree, shape.expression)[1].startswith("get"):
        return ""
    start, end = (each - leak.linked.body.start for each in (shape.expression.start, shape.expression.end))
    targets = leak.linked.targets
    calls = [
        each for node, each in enumerate(leak.linked.body.nodes) if isinstance(each, ir.Call) and (each.start, each.end) == (start, end)
        and not (each.receiver == "this" and node in targets and targets[node].procedures)
    ]
    kinds = [leak.linked.types.get(each.receiver, "").partition("<")[0] for each in calls if each.receiver != "this"]
    is_strange = any(each.endswith(_READING_ON) and not each.startswith(("java.", "javax.", "jakarta.")) for each in kinds)
    is_inherited = any(each.receiver == "this" for each in calls) and not ends_it_itself(leak)
    return "what it was asked of may go on to read from it" if is_strange or is_inherited else ""


_READING_ON = ("Parser", "TokenStream", "Tokenizer", "InputStream", "StreamReader")


def _has_idle_close(leak: Leak, shape: Shape) -> str:
    """An anonymous class whose own `close` closes nothing, or whose tasks its own `execute` runs: calling it mends nothing."""
    for creation in (each for each in (shape.outer, shape.expression, *shape.wrapped) if each.kind == "object_creation_expression"):
        body = child(creation, "class_body")
        for method in find(body, "method_declaration") if body is not None else ():
            name = child(method, "identifier")
            inner = child(method, "block")
            is_run = name is not None and leak.tree.text(name) == "execute" and leak.finding.resource.endswith(("ExecutorService", "PoolExecutor"))
            if is_run and inner is not None and not any(True for _ in find(inner, "super")):
                return "what it is given its own `execute` runs"
            if name is None or inner is None or leak.tree.text(name) != "close" or child(method, "formal_parameters") is None:
                continue
            if not any(call_parts(leak.tree, each)[1] == "close" for each in find(inner, "method_invocation")):
                return "its own `close` closes nothing"
    return ""


def _belongs_to_result(leak: Leak, shape: Shape) -> str:
    """What is returned, a lambda or an object of a class without a name, uses it later, or closes it."""
    if not shape.variable:
        return ""
    scope = Scope(leak, shape)
    for later in _later(scope.root, shape):
        if not uses(leak.tree, later, [shape.variable]):
            continue
        around = leak.tree.path(later.start, later.end)
        if any(each.kind == "return_statement" and each.start > shape.statement.start for each in around):
            return f"what is returned uses `{shape.variable}` later"
        if any(_closes(scope, call) for call in find(later, "method_invocation")):
            return f"`{shape.variable}` is closed by what runs later"
    return ""


def _closes(scope: Scope, call: Node) -> bool:
    receiver, name, given = call_parts(scope.tree, call)
    return receiver is not None and scope.tree.text(receiver) == scope.variable and name in scope.methods and not given


def _later(root: Node, shape: Shape) -> Iterator[Node]:
    """The lambdas and class bodies of a procedure that do not hold the acquisition."""
    for each in walk(root):
        if each.kind in LATER and not each.start <= shape.expression.start < each.end:
            yield each


def _is_borrowed_otherwise(leak: Leak, shape: Shape, program: Program) -> str:
    """The variable may hold something that others opened: the standard input, a parameter."""
    if not shape.variable or shape.kind not in ("declared", "assigned"):
        return ""
    root = procedure_node(leak)
    values = [each.kids[-1] for each in find(root, "assignment_expression") if leak.tree.text(each.kids[0]) == shape.variable]
    values += [
        each.kids[-1] for each in find(root, "variable_declarator")
        if len(each.kids) > 2 and leak.tree.text(each.kids[0]) == shape.variable
    ]
    for value in (*values, shape.outer):
        if value.start <= shape.expression.start < value.end and shape.outer.kind != "ternary_expression":
            continue
        if any(_is_standard(leak, each) for each in find(value, "field_access")):
            return f"`{shape.variable}` may be a standard stream"
        if value.kind == "object_creation_expression" and (name := _wrapped_parameter(leak, value, program)):
            return f"`{shape.variable}` may wrap `{name}`, which belongs to somebody else"
    return ""


def _is_standard(leak: Leak, access: Node) -> bool:
    words = leak.tree.text(access).split(".")
    return words[0] == "System" and len(words) == 2 and words[1] in _STANDARD


def _wrapped_parameter(leak: Leak, creation: Node, program: Program) -> str:
    """A parameter or field of a closeable type that constructors around it take over."""
    arguments = child(creation, "argument_list")
    for each in arguments.kids if arguments is not None else ():
        if each.kind == "object_creation_expression" and (name := _wrapped_parameter(leak, each, program)):
            return name
        if each.kind != "identifier":
            continue
        name = leak.tree.text(each)
        body = leak.linked.body
        is_local = any(variable.name == name for variable in body.variables) and name not in body.parameters
        written = leak.linked.types.get(name, "") or program.field_type(body.owner, name)
        if not is_local and program.is_subtype(written, "java.lang.AutoCloseable") is True:
            return name
    return ""


def _loads_classes(leak: Leak, shape: Shape, program: Program) -> str:
    """Whether a class loader is asked for a class of which an object is made, here or by a method that it is given: that needs it as long
    as it lives."""
    if not leak.finding.resource.endswith("ClassLoader"):
        return ""
    names = {call_parts(leak.tree, each)[1] for each in find(procedure_node(leak), "method_invocation")}
    found = [names]
    for node, call in enumerate(leak.linked.body.nodes):
        target = leak.linked.targets.get(node)
        if not isinstance(call, ir.Call) or target is None:
            continue
        if call.name == "load" and call.qualifier.endswith("ServiceLoader"):
            return "the services that it loads may need it"
        if not shape.variable or shape.variable in map(ir.source_name, call.args):
            bodies = (program.procedure(key) for key in target.procedures)
            calls = [[each for each in body.nodes if isinstance(each, ir.Call)] for body in bodies if body is not None]
            found += [{each.name for each in some} for some in calls]
            if any(each.name == "load" and each.qualifier.endswith("ServiceLoader") for some in calls for each in some):
                return "the services that it loads may need it"
    is_made = any(each & _LOADING and each & {"newInstance", "invoke", "invokeMethod"} for each in found)
    return "the classes that it loads may need it" if is_made else ""


def _holds_lock(leak: Leak, shape: Shape) -> str:
    """Whether a file is locked, and nothing here ends the lock: closing the file would, or the lock itself."""
    calls = [call_parts(leak.tree, each) for each in find(procedure_node(leak), "method_invocation")]
    if leak.finding.resource.endswith("FileLock"):
        ends = any(name in ("close", "release") and receiver is not None and leak.tree.text(receiver) == shape.variable for receiver, name, _ in calls)
        return "" if ends else "what is locked stays so until somebody ends that, which may be meant"
    if not leak.finding.resource.endswith(_LOCKABLE):
        return ""
    names = {name for _, name, _ in calls}
    if not names & {"lock", "tryLock"} or "release" in names:
        return ""
    return "a lock lasts as long as it is open"


_LOCKABLE = ("FileOutputStream", "FileInputStream", "RandomAccessFile", "FileChannel")

_LOADING = frozenset(("loadClass", "parseClass", "forName", "defineClass"))


def _is_answer(leak: Leak, shape: Shape) -> str:
    """Whether what is only thought to need a close is where an answer goes: who asks writes on."""
    if not leak.is_told or leak.finding.methods or shape.expression.kind != "method_invocation":
        return ""
    receiver, name, given = call_parts(leak.tree, shape.expression)
    is_response = receiver is not None and "response" in leak.tree.text(receiver).lower()
    is_answer = name in ("getWriter", "getOutputStream", "getPrintWriter") and (is_response or not given)
    return f"what `{name}` gives may be written to later" if is_answer else ""


def _is_closed_twice(leak: Leak, shape: Shape) -> str:
    """Whether the code closes it twice in a row: a test of closing, which no patch should take apart."""
    if not shape.variable:
        return ""
    closes = Scope(leak, shape).closes()
    holders = [leak.tree.path(each.start, each.end) for each in closes]
    blocks = [next((node for node in reversed(path) if node.kind in CONTAINERS and node.start < each.start), None) for path, each in zip(holders, closes, strict=True)]
    given = list(assigns(leak.tree, procedure_node(leak), shape.variable))
    for (one, each), (other, following) in itertools.pairwise(zip(closes, blocks, strict=True)):
        if each is not None and each is following and not any(one.end <= value.start < other.start for value in given):
            return "the code closes it twice"
    return ""


def _is_closed_in_part(leak: Leak, shape: Shape) -> str:
    """Whether the code closes what it asks the resource for: that may be all of it, and libraries may count each close."""
    if not shape.variable or leak.finding.resource.startswith(("java.", "javax.")):
        return ""
    for call in find(procedure_node(leak), "method_invocation"):
        part, name, given = call_parts(leak.tree, call)
        if part is None or part.kind != "method_invocation" or name not in _ENDING_IT or given:
            continue
        receiver, asked, _ = call_parts(leak.tree, part)
        if asked.startswith("get") and receiver is not None and leak.tree.text(receiver) == shape.variable:
            return f"`{leak.tree.text(call)}` may close it already"
    return ""


def _is_only_compared(leak: Leak, shape: Shape) -> str:
    """Whether nobody asks what the JDK opens for more than what any object can tell: it should not be opened."""
    if not leak.finding.resource.startswith(("java.", "javax.")):
        return ""
    if not shape.variable:
        around = next((each for each in reversed(shape.path) if each.start < shape.outer.start or each.end > shape.outer.end), shape.statement)
        is_equal = around.kind == "binary_expression" and any(each.kind in ("==", "!=") for each in around.kids)
        return _UNREAD if is_equal and not any(each.kind == "null_literal" for each in around.kids) else ""
    scope = Scope(leak, shape)
    asked = [call_parts(leak.tree, each) for each in find(scope.root, "method_invocation")]
    told = [receiver for receiver, name, _ in asked if receiver is not None and name in _OF_ANY_OBJECT and leak.tree.text(receiver) == shape.variable]
    tests = [kid for each in find(scope.root, "binary_expression") if any(kid.kind == "null_literal" for kid in each.kids) for kid in each.kids]
    targets = [each.kids[0] for each in assigns(leak.tree, scope.root, shape.variable)]
    left = [each for each in scope.closer.mentions(scope.root, scope.closes()) if not any(each is other for other in (*told, *tests, *targets))]
    declared_at = [each.kids[0] for each in find(scope.root, "variable_declarator")]
    left = [each for each in left if not any(each is other for other in declared_at)]
    return _UNREAD if told and not left else ""


_UNREAD = "nobody reads it: it should not be opened"

_OF_ANY_OBJECT = frozenset(("hashCode", "equals", "toString"))


def _is_closed_sometimes(leak: Leak, shape: Shape) -> str:
    """Whether the code closes, on a condition of its own alone, what it was given by a method that nobody knows: it may be given the same the
    next time."""
    call = shape.expression
    if leak.finding.confidence is Confidence.WITNESSED or not shape.variable or call.kind != "method_invocation":
        return ""
    receiver, name, given = call_parts(leak.tree, call)
    if receiver is None or given or not name.startswith("get"):
        return ""
    scope = Scope(leak, shape)
    closes = [each for each in find(scope.root, "expression_statement") if scope.closer.is_close(each)]
    for close in closes:
        asked = [each for each in leak.tree.path(close.start, close.end) if each.kind == "if_statement" and each.start > shape.statement.start]
        conditions = [child(each, "parenthesized_expression") for each in asked]
        if not asked or any(each is None or uses(leak.tree, each, [shape.variable]) for each in conditions):
            return ""
    return f"the code closes what `{name}` gives only on a condition" if closes else ""


_ENDING_IT = frozenset(("close", "shutdown"))


def _is_ended_otherwise(leak: Leak, shape: Shape) -> str:
    """Whether the code ends by another method what is only thought to need a `close`."""
    if not leak.is_told or leak.finding.methods or not shape.variable:
        return ""
    scope = Scope(leak, shape)
    for call in find(scope.root, "method_invocation"):
        receiver, name, given = call_parts(leak.tree, call)
        is_ours = receiver is not None and leak.tree.text(receiver) == shape.variable
        if is_ours and not given and name in (RELEASING | {"cancel"}) - scope.methods - {"end"}:
            return f"`{name}` ends it here"
    return ""


def used_behind(leak: Leak) -> str:
    """Why nobody may close what an object is that the code closes and uses again; empty where it does not."""
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    return _is_asked_behind(leak, shape) if shape is not None else ""


def _is_asked_behind(leak: Leak, shape: Shape) -> str:
    """Whether the code closes it, and goes on to use it then: it asks what was written, say, and must not do so before."""
    if leak.finding.methods or not shape.variable:
        return ""
    scope = Scope(leak, shape)
    closes = scope.closes()
    reason = f"`{shape.variable}` is used behind its close"
    if leak.is_told:
        return reason if closes and any(each.start > closes[-1].end for each in scope.closer.mentions(scope.root, closes)) else ""
    if not closes or scope.release != "close" or scope.is_reassigned():
        return ""
    inner = list(_later(scope.root, shape))
    for call in find(scope.root, "method_invocation"):
        receiver, name, _ = call_parts(leak.tree, call)
        is_own = receiver is not None and receiver.kind == "identifier" and leak.tree.text(receiver) == shape.variable
        is_behind = call.start > closes[-1].end and not any(each.start <= call.start < each.end for each in inner)
        if is_own and is_behind and name not in scope.methods | _STILL_ASKED and _may_follow(leak, scope, closes[-1], call):
            return reason
    return ""


def _may_follow(leak: Leak, scope: Scope, close: Node, call: Node) -> bool:
    """Whether a call may run behind a close: the two may stand on ways that exclude each other."""
    origin = leak.linked.body.start
    closing = [
        number for number, node in enumerate(leak.linked.body.nodes)
        if isinstance(node, ir.Call) and close.start <= origin + node.start and origin + node.end <= close.end
    ]
    reached = {each for number in closing for each in reverse_post_order(leak.linked.next, number)}
    return not closing or any(number in reached for number in scope.calls_at(call))


_STILL_ASKED = frozenset(("isClosed", "isOpen", "isConnected", "toString", "hashCode", "equals", "getName"))
"""What may be asked in any order."""


def _calls_back(leak: Leak, shape: Shape) -> str:
    """Whether somebody is to be told by the resource, who may need it open for that."""
    name = calls_back(Scope(leak, shape)) if shape.variable else ""
    return f"`{name}` has it go on or call back later" if name else ""


def _is_found_by_address(leak: Leak, shape: Shape) -> str:
    """Whether a file system is opened so that others find it by its URI: nobody takes the result, and nothing else would be opened."""
    if shape.kind != "dropped" or not leak.finding.resource.endswith(".FileSystem"):
        return ""
    calls = [leak.linked.body.nodes[number] for number in Scope(leak, shape).calls_at(shape.expression)]
    given = [leak.linked.types.get(each.args[0], "") for each in calls if isinstance(each, ir.Call) and each.args]
    return "" if given and all(each.endswith(".Path") for each in given) else "others find it by its address, and need it open"


def _is_only_accepted(leak: Leak, shape: Shape) -> str:
    """Whether a connection is accepted and never asked for anything: who is at the other end would see it end at once."""
    is_accepted = shape.expression.kind == "method_invocation" and call_parts(leak.tree, shape.expression)[1] == "accept"
    if not is_accepted or not leak.finding.resource.endswith(("Socket", "SocketChannel")):
        return ""
    scope = Scope(leak, shape) if shape.variable else None
    declared = scope.declaration() if scope is not None else None
    left_out = [shape.statement, *([declared[0]] if declared is not None else [])]
    is_used = scope is not None and scope.closer.uses_besides(scope.root, left_out)
    return "" if is_used else "who has connected may need it open"


def _is_returned_in_parts(leak: Leak, shape: Shape) -> str:
    """Whether what is returned is made of paths of a file system, perhaps by others: it may read from that later."""
    if not shape.variable or not leak.finding.resource.endswith(".FileSystem"):
        return ""
    root = procedure_node(leak)
    names = {shape.variable}
    for each in find(root, "local_variable_declaration", "enhanced_for_statement"):  # In the order of the source.
        made = [kid for kid in each.kids if kid.kind not in (*CONTAINERS, *COMMENTS)]
        if declared_type(leak.tree, each) not in _COPIES and any(uses(leak.tree, kid, names) for kid in made):
            names.update(leak.tree.text(kid) for kid in each.kids if kid.kind == "identifier" and each.kind == "enhanced_for_statement")
            names.update(declared(leak.tree, each))
    for each in find(root, "return_statement"):
        if uses(leak.tree, each, names):
            return "what is returned may still read from it"
    return ""


_COPIES = frozenset(("boolean", "int", "long", "String", "byte[]", "URI", "URL", "File"))


def _is_unlikely(leak: Leak) -> str:
    """Whether every way that loses it is an exception of a call that nobody expects to throw."""
    exits = dict.fromkeys((*leak.finding.exits, leak.finding.lost))
    body = leak.linked.body
    for each in exits:
        found = [
            (node, call) for node, call in enumerate(body.nodes)
            if isinstance(call, ir.Call) and (call.start + body.start, call.end + body.start) == (each.start, each.end)
        ]
        if _is_impossible(leak, each.start, each.end):
            continue
        if not found or not all(_never_throws(leak, node, call) for node, call in found):
            return ""
    return "only a call that nobody expects to throw would lose it"


def _is_impossible(leak: Leak, start: int, end: int) -> bool:
    """Whether an `Error` is thrown there, for something that cannot be."""
    thrown = next((node for node in reversed(leak.tree.path(start, end)) if node.kind == "throw_statement"), None)
    creation = child(thrown, "object_creation_expression") if thrown is not None else None
    written = child(creation, "type_identifier") if creation is not None else None
    return written is not None and leak.tree.text(written) in ("Error", "AssertionError")


_LOGGERS = frozenset(("log", "logger", "Log", "LOG", "LOGGER", "Timber", "_log", "_logger"))

_LEVELS = frozenset((
    "trace", "debug", "info", "warn", "warning", "error", "fatal", "severe", "config", "fine", "finer", "finest", "log", "logp", "logrb",
    "entering", "exiting", "throwing", "verbose", "d", "e", "i", "v", "w", "wtf", "isDebugEnabled", "isTraceEnabled", "isInfoEnabled", "isLoggable", "isErrorEnabled", "isWarnEnabled",
))  # fmt: skip
"""What loggers are asked: `log.write(bytes)` writes to a file."""


def _never_throws(leak: Leak, node: int, call: ir.Call) -> bool:
    target = leak.linked.targets.get(node)
    if is_named_quiet(call.name):
        return True
    if call.kind == "new":
        return not call.args and not (target is not None and target.procedures)
    written = leak.data[leak.linked.body.start + call.start : leak.linked.body.start + call.end]
    return call.name in _LEVELS and written.split(b".")[0].decode("utf-8", "replace") in _LOGGERS
