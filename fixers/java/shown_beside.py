"""What the code beside a patch shows that its reader would ask about: a comment that says who closes, what else waits for a pool to end, the
other stream of a connection, what is opened right beside or made of it, a variable that could have taken what gets a name, the same opening
twice, a comment that would lose its line, and what goes on behind the end of a block.

Believes comments and words: it may doubt a patch that is right, and never makes one safe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers.finding import Confidence
from analyzers.syntax import Node
from fixers import text
from fixers.fix import Edit
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import Shape
from fixers.java.statements import assignment, call_parts, declarators, initialiser, statements, uses
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find


def shown_beside(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    if _is_closed_by_words(leak):
        return "a comment says that something else closes it"
    if _stays_open_by_words(leak):
        return "a comment says that it is meant to stay open"
    if _is_asked_by_words(leak):
        return "a comment asks who closes it, or when"
    if _may_be_double(leak, scope.shape):
        return "a test double may give it"
    if _waits_elsewhere(leak, edits):
        return "others here wait until a pool has ended"
    if helper := _closed_by_own_helper(leak, edits):
        return f"others here are closed by `{helper}`"
    if _is_split_for_fear(leak, edits):
        return "a declaration is split for what is only feared"
    if not scope.variable and (name := _of_same_connection(leak, scope.shape)):
        return f"what `{name}` gives stays open"
    if not scope.variable and (name := _made_to_be_closed(leak, scope.shape, edits)):
        return f"`{name}`, which is made of it, is there to be closed"
    if name := _closed_later(leak, edits):
        return f"`{name}` is closed by what runs at another time"
    if leak.finding.confidence is Confidence.ASSUMED and scope.variable and (name := _opened_beside(leak, scope, edits)):
        return f"`{name}`, which is opened beside it, stays open"
    if not scope.variable and (name := _closed_through(leak)):
        return f"it is closed by what asks `{name}` for it"
    if name := _made_over_closed(leak, scope):
        return f"`{name}`, which is made over, is closed by the code"
    if name := _unused_of_same(leak, scope, edits):
        return f"nobody uses `{name}`, which is opened in the same way"
    if scope.variable and _is_opened_twice(scope):
        return f"`{scope.variable}` is opened twice in the same way"
    if scope.variable and (other := _is_cut_among(leak, scope, edits)):
        return f"the block ends in the midst of what is done with `{other}`"
    if scope.shape.kind in ("nested", "dropped") and _parts_comment(leak.data, scope.shape.statement):
        return "a comment below it speaks of a line that moves in"
    if scope.shape.kind in ("nested", "dropped") and _leaves_comment(leak, scope.shape, edits):
        return "a comment on how it is opened stays behind"
    return ""


def _closed_by_own_helper(leak: Leak, edits: Sequence[Edit]) -> str:
    """The helper, with the name of the type in its own, that more than one `finally` of the file closes such by; empty for none, or where the
    patch does so, too."""
    simple = leak.finding.resource.partition("<")[0].rpartition(".")[2]
    called = re.compile(rb"\bfinally\s*\{\s*(?:\w+\.)*(close\w*" + re.escape(simple.encode()) + rb"\w*)\s*\(")
    found = [each.decode("utf-8", "replace") for each in called.findall(leak.data)] if simple else []
    return found[0] if len(found) > 1 and not any(found[0] in each.text for each in edits) else ""


_CLOSED = re.compile(
    r"\b(?:(?:will|shall|gets|is) (?:be |been |getting )?(?:auto\w* |implicitly )?closed by (?:the|this|its|our|an?|each) "
    r"|(?:will|shall) be (?:closed by (?!then|now)\w|(?:auto\w* |implicitly )closed)|already (?:been )?closed)"
)


_OPEN = re.compile(
    r"\b(?:intentional(?:ly)?|deliberate(?:ly)?|purpose(?:ly|ful|fully)?)\b[^.;]{0,20}\b(?:(?:not|never|without) clos|un-?closed|(?:left|leav\w+|stays?|keep\w*|kept)\b[^.;]{0,20}\bopen|leak)"
    r"|\bnot clos\w+[^.;]{0,60}\bon purpose"
)
"""What says that somebody wants something to stay open."""


def _stays_open_by_words(leak: Leak) -> bool:
    """Whether a comment in the blocks around says that something is left open, and that this is meant."""
    return any(_OPEN.search(" ".join(each.split())) is not None for each in _words_around(leak))


_ASKED = re.compile(r"\b(?:leak\w*|(?:not|to|we|be|ever|who|should|must) (?:\w+ ){0,2}?clos\w+)\b[^.;:?]{0,40}\?")
"""What asks for what the patch would answer, and stays behind as if nobody had."""


def _is_asked_by_words(leak: Leak) -> bool:
    """Whether a comment in the blocks around asks if something leaks, or who closes it."""
    return any(_ASKED.search(" ".join(each.split())) is not None for each in _words_around(leak))


def _is_closed_by_words(leak: Leak) -> bool:
    """Whether a comment in the blocks around says that something will be closed by somebody."""
    return any(_CLOSED.search(each) is not None for each in _words_around(leak))


def _words_around(leak: Leak) -> list[str]:
    """The comments in the blocks around an acquisition."""
    root, acquired = procedure_node(leak), leak.finding.acquired
    around = [each for each in leak.tree.path(acquired.start, acquired.end) if root.start <= each.start]
    return [leak.tree.text(kid).lower() for each in around for kid in each.kids if kid.kind in COMMENTS]


_DOUBLES = (b"org.mockito", b"org.easymock", b"org.jmock", b"org.powermock", b"mockit.")


def _may_be_double(leak: Leak, shape: Shape) -> bool:
    """Whether what a call gives is only feared to have to be closed, in a file that works with doubles."""
    is_feared = leak.finding.confidence is Confidence.ASSUMED and shape.expression.kind == "method_invocation"
    return is_feared and any(each in leak.data for each in _DOUBLES)


def _waits_elsewhere(leak: Leak, edits: Sequence[Edit]) -> bool:
    """Whether a patch only shuts a pool down in a file that waits for another one to end."""
    written = [each.text for each in edits if ".shutdown();" in each.text]
    return bool(written) and b".awaitTermination(" in leak.data and not any("awaitTermination" in each for each in written)


_SPLIT = re.compile(r"^[ \t]*(?:final )?[A-Za-z][\w.]*(?:<[\w<>?,. ]+>)?(?:\[\])* \w+;$", re.MULTILINE)
"""A line that declares a variable without a value."""

_WORDS = ("return", "throw", "break", "continue", "package", "import", "yield", "assert")


def _is_split_for_fear(leak: Leak, edits: Sequence[Edit]) -> bool:
    """Whether a patch of a leak that is only feared parts a declaration from its value, for a `finally`, old or new: a header ends sooner what it holds, and
    is worth that."""
    is_block = any("} finally {" in each.text or re.search(r"(^|\s)try\s*(\{|$)", each.text) is not None for each in edits)
    if leak.finding.confidence is not Confidence.ASSUMED or not is_block:
        return False
    lines = [line.group().split()[0] for each in edits for line in _SPLIT.finditer(each.text)]
    return any(each not in _WORDS for each in lines)


_PAIRED = {"getInputStream": "getErrorStream", "getErrorStream": "getInputStream"}


def _of_same_connection(leak: Leak, shape: Shape) -> str:
    """The getter of the other stream of the same connection, which the procedure reads without a name, too; empty for none."""
    if shape.expression.kind != "method_invocation":
        return ""
    receiver, name, _ = call_parts(leak.tree, shape.expression)
    other = _PAIRED.get(name, "")
    if not other or receiver is None:
        return ""
    for call in find(procedure_node(leak), "argument_list"):
        for each in call.kids:
            if each.kind != "method_invocation":
                continue
            asked, called, _ = call_parts(leak.tree, each)
            if called == other and asked is not None and leak.tree.text(asked) == leak.tree.text(receiver):
                return other
    return ""


def _closed_later(leak: Leak, edits: Sequence[Edit]) -> str:
    """The variable of a new header that a class without a name, or a lambda, in the procedure closes, too; empty for none."""
    headers = [each.text for each in edits if "try (" in each.text]
    at = leak.finding.acquired.start
    others = [each for each in find(procedure_node(leak), "class_body", "lambda_expression") if not each.start <= at < each.end] if headers else []
    for body in others:
        for call in find(body, "method_invocation"):
            receiver, name, given = call_parts(leak.tree, call)
            words = leak.tree.text(receiver) if receiver is not None and receiver.kind == "identifier" and name == "close" and not given else ""
            is_own = any(leak.tree.text(each.kids[0]) == words for each in find(body, "variable_declarator"))
            if words and not is_own and any(f" {words} =" in each for each in headers):
                return words
    return ""


_FILES = ("FileInputStream", "FileOutputStream", "FileReader", "FileWriter", "RandomAccessFile")


def _opened_beside(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that is declared in the same block for a file of its own, behind the resource, and that nobody closes, returns or wraps,
    and no patch either; empty for none."""
    body = statements(scope.shape.container) if scope.shape.container is not None and any("try" in each.text for each in edits) else []
    for each in body:
        for declarator in declarators(each) if each.start > scope.shape.statement.end else ():
            value, name = initialiser(declarator), leak.tree.text(declarator.kids[0])
            written = child(value, "type_identifier") if value is not None and value.kind == "object_creation_expression" else None
            if written is None or leak.tree.text(written) not in _FILES or any(f" {name} =" in one.text for one in edits):
                continue
            given = [one for call in find(scope.root, "object_creation_expression") for one in call_parts(leak.tree, call)[2] if leak.tree.text(one) == name]
            returned = [one for one in find(scope.root, "return_statement") if uses(leak.tree, one, [name])]
            if not given and not returned and not scope.closer_of(name).closes(scope.root):
                return name
    return ""


def _made_to_be_closed(leak: Leak, shape: Shape, edits: Sequence[Edit]) -> str:
    """The variable for a new object with a `close` which is made with what a patch gives a name, directly or by a getter of it, and that no
    header holds: who closes that closes all. Empty for none."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    climbing = [each for each in reversed(shape.path[:at]) if each.kind != "argument_list"]
    made = next((each for each in climbing if each.kind != "method_invocation"), None)
    if made is None or made.kind != "object_creation_expression":
        return ""
    written = child(made, "type_identifier", "scoped_type_identifier", "generic_type")
    kind = leak.tree.text(written).partition("<")[0] if written is not None else ""
    if not kind or leak.is_below(leak.resolve(kind), "java.lang.AutoCloseable") is not True:
        return ""
    target = assignment(shape.statement)
    found = [each for each in find(shape.statement, "variable_declarator") if initialiser(each) is made]
    node = found[0].kids[0] if found else target[0] if target is not None and target[1] is made else None
    name = leak.tree.text(node) if node is not None and node.kind == "identifier" else ""
    return name if name and not any("try (" in each.text and f" {name} =" in each.text for each in edits) else ""


_LED_BACK = re.compile(rb"\b(\w+)\.(?:getStatement\(\)\.)?getConnection\(\)")


def _closed_through(leak: Leak) -> str:
    """The statement, or the rows, that the file asks for the connection of a database again, to end that with them; empty for none."""
    is_connection = leak.finding.resource.partition("<")[0] == "java.sql.Connection"
    names = [each[1] for each in _LED_BACK.finditer(leak.data)] if is_connection else []
    return next((each.decode() for each in names if re.search(rb"\b(?:\w*Statement|ResultSet)\s+%s\b" % each, leak.data)), "")


_OVER = ("InputStream", "OutputStream", "Reader", "Writer", "Channel")


def _made_over_closed(leak: Leak, scope: Scope) -> str:
    """The resource of a header around that a builder is given, which makes what is only feared to have to be closed; empty for none."""
    outer = scope.shape.outer
    if leak.finding.confidence is not Confidence.ASSUMED or outer.kind != "method_invocation" or not leak.finding.resource.partition("<")[0].endswith(_OVER):
        return ""
    given = [leak.tree.text(each) for call in find(outer, "method_invocation") for each in call_parts(leak.tree, call)[2] if each.kind == "identifier"]
    held = [each for node in scope.shape.path if node.kind == "try_with_resources_statement" for each in find(node, "resource")]
    names = [leak.tree.text(kid) for each in held if each.end <= outer.start for kid in each.kids if kid.kind == "identifier"]
    return next((each for each in given if each in names), "")


def _unused_of_same(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable of the procedure that holds what the same call gave, and that nobody uses, where a patch gives what is opened once more a
    name; empty for none."""
    if not any("try (" in each.text for each in edits):
        return ""
    words = scope.tree.text(scope.shape.expression)
    root = procedure_node(leak)
    for name, value, statement in _given(scope, root):
        if scope.tree.text(value) != words or name == scope.variable or statement.start >= scope.shape.statement.start:
            continue
        closer = scope.closer_of(name)
        asked = [each for each in find(root, "binary_expression") if any(kid.kind == "null_literal" for kid in each.kids)]
        declared = [each for each in find(root, "variable_declarator") if scope.tree.text(each.kids[0]) == name]
        if not closer.uses_besides(root, [statement, *declared, *asked, *closer.closes(root)]):
            return name
    return ""


def _given(scope: Scope, root: Node) -> list[tuple[str, Node, Node]]:
    """The variables that get a value, the value, and where."""
    found = []
    for each in find(root, "variable_declarator"):
        value = initialiser(each)
        if value is not None and each.kids[0].kind == "identifier":
            found.append((scope.tree.text(each.kids[0]), value, each))
    for each in find(root, "expression_statement"):
        target = assignment(each)
        if target is not None and target[0].kind == "identifier":
            found.append((scope.tree.text(target[0]), target[1], each))
    return found


def _is_opened_twice(scope: Scope) -> bool:
    """Whether the variable is only tested for null and then gets the same opening, word for word, a second time."""
    name, words = scope.variable, scope.tree.text(scope.shape.outer)
    again = [each for found, value, each in _given(scope, scope.root) if found == name and scope.tree.text(value) == words]
    if len(again) != 2:
        return False
    first, second = sorted(again, key=lambda each: each.start)
    uses = [each for each in find(scope.root, "identifier") if first.end <= each.start < second.start and scope.tree.text(each) == name]
    tests = [each for each in find(scope.root, "binary_expression") if any(kid.kind == "null_literal" for kid in each.kids)]
    return bool(uses) and all(any(test.start <= each.start < test.end for test in tests) for each in uses)


def _is_cut_among(leak: Leak, scope: Scope, edits: Sequence[Edit]) -> str:
    """The variable that a block ends in the midst of: its last statement, which does not name the resource, and the one behind it call methods of
    it. Empty for none."""
    shape = scope.shape
    begun = [each for each in edits if "try (" in each.text and each.span.start <= shape.statement.start <= each.span.end]
    ends = [each.span.start for each in edits if each.text.strip() == "}" and each.span.start > shape.statement.end]
    body = statements(shape.container) if shape.container is not None and begun and ends else []
    last = next((each for each in reversed(body) if each.end <= ends[0]), None)
    following = next((each for each in body if each.start >= ends[0]), None)
    if last is None or following is None or last is shape.statement or uses(leak.tree, last, [scope.variable]):
        return ""
    asked = [_receivers(leak, each) for each in (last, following)]
    return next((each for each in asked[0] if each in asked[1]), "")


def _receivers(leak: Leak, statement: Node) -> list[str]:
    """The local variables and fields that a statement calls methods of."""
    receivers = (call_parts(leak.tree, each)[0] for each in find(statement, "method_invocation"))
    names = [leak.tree.text(each) for each in receivers if each is not None and each.kind == "identifier"]
    return [each for each in names if each[:1].islower()]


def _parts_comment(data: bytes, statement: Node) -> bool:
    """Whether the line below a statement is a comment that stands further in than that: it speaks of what stands on it."""
    below = text.next_line(data, statement.end)
    line = data[below : text.line_end(data, below)]
    own, its = text.indentation(data, statement.start), text.indentation(data, below)
    return line.strip().startswith((b"//", b"/*")) and its.startswith(own) and len(its) > len(own)


def _leaves_comment(leak: Leak, shape: Shape, edits: Sequence[Edit]) -> bool:
    """Whether a comment right above a statement holds code that calls what opens the resource, or opens one in another way, and a patch takes the
    opening to a header above that comment."""
    data, at, found = leak.data, shape.statement.start, []
    for each in reversed([kid for kid in shape.container.kids if kid.end <= at] if shape.container is not None else []):
        if each.kind not in COMMENTS or data.count(b"\n", each.end, at) > 1:
            break
        at = each.start
        found.append(leak.tree.text(each))
    is_above = any(_HEADER.search(each.text) is not None and each.span.end <= at for each in edits)
    kind = leak.finding.resource.partition("<")[0].rpartition(".")[2]
    opens = re.compile(rf"\bget\w*(?:As)?Stream\(|\bnew [\w.]*(?:{_STREAMS})\(|\b{re.escape(kind)}\(")
    return is_above and any(opens.search(each) is not None for each in found)


_HEADER = re.compile(r"(?:^|try) \( ?(?:final )?[\w.<>]+ \w+ = ")
"""A resource that comes to the header of a `try`, new or old."""

_STREAMS = "Stream|Reader|Writer|Channel|Socket|Scanner"
"""How what a comment opens is called."""
