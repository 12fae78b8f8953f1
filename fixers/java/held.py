"""Whether something that lives on behind a block has been made of a resource, so that the block must not close it.

Makers are constructors and factories of which it is not known that they keep nothing of what they are given. Declines
too often where such an object reads all there is at once.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.syntax import Node
from fixers.java.closing import Closer
from fixers.java.scope import Scope
from fixers.java.statements import (
    LATER,
    assignment,
    call_parts,
    declarators,
    declared,
    initialiser,
    statements,
    uses,
)
from fixers.tree import COMMENTS, child, find

_FACTORIES = ("getInstance", "newInstance", "create", "new", "open", "wrap", "of", "build", "make", "spy", "listening", "unconfigurable", "decorate")
_KEEPERS = (
    "set", "submit", "execute", "schedule", "enqueue", "publish", "addLast", "offer", "register", "writeAndFlush", "setHandler", "setEntity",
    "setBody", "invokeLater",
)
"""How methods begin that go on with what they are given later."""

_STARTING = ("execute", "schedule", "invokeLater", "start")
"""How methods begin that nobody waits for."""

_CALLED_BACK = ("Listener", "Handler", "Callback", "Observer")
"""How the names of methods end that are given what is called later, and those of types of it."""

_CALLED_AT_ONCE = (
    "ResponseHandler", "ResultHandler", "ResultSetHandler", "CallbackHandler", "ContentHandler", "DefaultHandler", "LexicalHandler",
    "InvocationHandler",
)
"""How the names of types end that are done with when the call that is given them returns."""

_EAGER = frozenset(("Manifest", "PropertyResourceBundle", "InputSource", "StreamSource", "String", "Properties", "File", "URL"))
"""What keeps nothing, or nothing that is closed with it."""


def needed_later(scope: Scope, container: Node | None) -> str:
    """Why a resource must not be closed where its variable is no longer used, in a block; empty for no reason."""
    names = _made(scope)
    viewed = names | _views(scope, names)
    here = scope.shape.statement.start
    for statement in find(scope.root, "return_statement"):
        value = next((kid for kid in statement.kids if kid.kind not in ("return", ";", *COMMENTS)), None)
        if statement.start <= here or value is None or _is_later(scope, statement) or _is_closed_before(scope, container, statement):
            continue
        if value.kind == "identifier" and scope.tree.text(value) in names and scope.tree.text(value) != scope.variable:
            return f"`{scope.tree.text(value)}`, which is returned, may still need it"
        if value.kind == "identifier" and scope.tree.text(value) == scope.variable and not scope.is_reassigned() and not _is_for_null(scope, statement):
            return "it is returned"  # No proof sees that where its `close` is not known to release anything.
        is_given = value.kind == "method_invocation" and _is_given(scope, value, names)
        if value.kind != "identifier" and (_holds(scope, value, viewed) or (is_given and scope.leak.gives_owner)):
            return "what is returned may still need it"
    for call in find(scope.root, "method_invocation"):
        receiver, name, given = call_parts(scope.tree, call)
        is_own = receiver is None or scope.tree.text(receiver) in ("this", "super")
        if is_own and name.startswith(("init", "set")) and call.start > here and not _keeps_nothing(scope, call) and any(
            scope.tree.text(each) == scope.variable for each in given
        ):
            return f"`{name}` may keep it"
        is_given = [scope.tree.text(each) for each in given] == [scope.variable]
        if is_given and "close" in name.lower() and scope.releases(call) and not scope.surely_releases(call):
            return f"`{name}` releases it already, at times"
    if container is not None and (name := outlives(scope, container)):
        return f"`{name}` may still need it"
    if scope.variable and (reason := _goes_on(scope, names)):
        return reason
    for call in find(scope.root, "method_invocation"):
        _, name, given = call_parts(scope.tree, call)
        if call.start > here and name.startswith(_STARTING) and any(
            each.kind in ("object_creation_expression", "lambda_expression") and _captures(scope, each, names) for each in given
        ):
            return f"`{name}` is given what may use it at another time"
        if call.start > here and name.startswith(_KEEPERS) and any(_holds(scope, each, names) for each in given if each.kind != "identifier"):
            return f"`{name}` is given what may need it later"
    return ""


def _is_for_null(scope: Scope, statement: Node) -> bool:
    """Whether a statement is reached only where the resource is null."""
    return any(scope.is_left_for_null(each) for each in scope.tree.path(statement.start, statement.end))


def _is_closed_before(scope: Scope, container: Node | None, statement: Node) -> bool:
    """Whether a statement stands behind a close of the code's own, in the same block: what was made of the resource does without it there."""
    here = statements(container) if container is not None else []
    return statement in here and any(each in here and each.end <= statement.start for each in scope.closes())


def _is_closed_behind(scope: Scope, container: Node, statement: Node) -> bool:
    """Whether the code itself closes the resource behind a statement, in the block: what it made there does without it then."""
    return any(each in statements(container) and each.start > statement.end for each in scope.closes())


def calls_back(scope: Scope) -> str:
    """The method that has the resource call somebody back later, or begins what nobody waits for; empty for none."""
    for call in find(scope.root, "method_invocation"):
        receiver, name, given = call_parts(scope.tree, call)
        is_own = receiver is not None and receiver.kind == "identifier" and scope.tree.text(receiver) == scope.variable
        if not is_own or scope.closes():
            continue
        if name.startswith(("set", "add", "on")) and name.endswith(_CALLED_BACK):
            return name
        if _goes_unasked(scope, call) or any(_is_called_later(scope, each) for each in given):
            return name
    return ""


def _is_called_later(scope: Scope, given: Node) -> bool:
    """Whether an argument is of a type whose name says that it is told of something when that is done (`CompletionHandler`)."""
    if given.kind == "object_creation_expression":
        written = child(given, "type_identifier", "scoped_type_identifier", "generic_type")
        text = scope.tree.text(written) if written is not None else ""
    elif given.kind == "identifier":
        text = scope.leak.linked.types.get(scope.tree.text(given), "")
    else:
        return False
    name = text.partition("<")[0].rpartition(".")[2]
    return name.endswith(_CALLED_BACK) and not name.endswith(_CALLED_AT_ONCE)


_GOING_ON = ("read", "write", "connect", "accept", "lock")
"""What channels that work by themselves begin when they are asked."""

_WAITING = ("get", "join")


def _goes_unasked(scope: Scope, call: Node) -> bool:
    """Whether a call on a channel that works by itself begins something for whose end nobody waits: a handler is told, wherever that comes
    from, or nobody asks the `Future`."""
    _, name, _ = call_parts(scope.tree, call)
    if ".Async" not in scope.leak.finding.resource or name not in _GOING_ON:
        return False
    asked = [receiver for other in find(scope.root, "method_invocation") if (found := call_parts(scope.tree, other))[1] in _WAITING and (receiver := found[0])]
    holder = next((each for each in reversed(scope.tree.path(call.start, call.end)) if each.kind == "variable_declarator"), None)
    names = {scope.tree.text(holder.kids[0])} if holder is not None and initialiser(holder) == call else set()
    return not any((each.start, each.end) == (call.start, call.end) or scope.tree.text(each) in names for each in asked)


def is_handed_on(scope: Scope) -> bool:
    """Whether the procedure returns the resource or what is made of it, stores it, or gives it to another thread."""
    names = _made(scope)
    given = [each.kids[-1] for each in find(scope.root, "assignment_expression") if each.kids[0].kind == "field_access"]
    local = {each for one in find(scope.root, "local_variable_declaration") for each in declared(scope.tree, one)}
    given += [
        each.kids[-1] for each in find(scope.root, "assignment_expression")
        if each.kids[0].kind == "identifier" and scope.tree.text(each.kids[0]) not in local
    ]
    given += [kid for each in find(scope.root, "return_statement") for kid in each.kids]
    calls = [(each, *call_parts(scope.tree, each)) for each in find(scope.root, "method_invocation")]
    given += [call for call, _, name, _ in calls if name.startswith((*_STARTING, "submit"))]
    is_put = any(receiver is not None and said and _is_put_away(scope, receiver, name, said) for _, receiver, name, said in calls)
    return is_put or any(uses(scope.tree, each, names | _threads(scope, names)) for each in given)


def callers(scope: Scope) -> set[str]:
    """The variables of objects and lambdas that may use the resource when they are asked for something."""
    found = _threads(scope, _made(scope))
    for declaration in find(scope.root, "local_variable_declaration"):
        for each in declarators(declaration):
            value = initialiser(each)
            if value is not None and value.kind == "lambda_expression" and uses(scope.tree, value, {scope.variable}):
                found.add(scope.tree.text(each.kids[0]))
    return found


def _threads(scope: Scope, names: set[str]) -> set[str]:
    """The variables of objects whose making captures one of some others."""
    declarations = [each for one in find(scope.root, "local_variable_declaration") for each in declarators(one)]
    return {
        scope.tree.text(each.kids[0]) for each in declarations
        if (value := initialiser(each)) is not None and value.kind == "object_creation_expression" and uses(scope.tree, value, names)
    }


def _goes_on(scope: Scope, names: set[str]) -> str:
    """Why the resource, or what is made of it, goes on by itself behind a call; empty for no reason."""
    for call in find(scope.root, "method_invocation"):
        receiver, name, given = call_parts(scope.tree, call)
        if receiver is None or call.start < scope.shape.statement.start:
            continue
        if given and _is_put_away(scope, receiver, name, given):
            return f"`{scope.tree.text(receiver)}` holds it"
        if name == "start" and scope.tree.text(receiver) != scope.variable and _holds(scope, receiver, names):
            return "what `start` begins may use it at another time"
    return ""


def _is_put_away(scope: Scope, receiver: Node, name: str, given: list[Node]) -> bool:
    """Whether a collection that is not of this procedure alone is given the resource, or something that nobody knows, and
    that may keep it by the method's name."""
    if not name.startswith(_PUTTING) or given[-1].kind != "identifier":
        return False
    local = {each for one in find(scope.root, "local_variable_declaration") for each in declared(scope.tree, one)}
    text = scope.tree.text(receiver)
    is_ours = scope.tree.text(given[-1]) == scope.variable and text.removeprefix("this.").isidentifier() and text not in local
    body = scope.leak.linked.body
    calls = [
        (number, each) for number, each in enumerate(body.nodes)
        if isinstance(each, ir.Call) and each.name == name and body.start + each.start <= receiver.start < body.start + each.end
    ]
    written = [scope.leak.linked.types.get(each.receiver, "") for _, each in calls]
    targets = [scope.leak.linked.targets.get(number) for number, _ in calls]
    is_strange = not any(target is not None and target.procedures for target in targets) and not any(
        each.startswith(("java.", "javax.")) for each in written
    )
    return is_ours and (is_strange or (name.startswith(_COLLECTING) and any(each.startswith("java.util.") for each in written)))


_COLLECTING = ("add", "put", "push", "offer")
_PUTTING = (*_COLLECTING, "register", "attach", "bind", "change", "swap")
"""How the methods of collections, and of others that keep what they are given, begin."""


def outlives(scope: Scope, container: Node) -> str:
    """A variable from outside of a block that is given the resource, or what is made of it, and is used behind the block."""
    if setting := _set_for_others(scope, container):
        return setting
    inside = {name for each in find(container, "local_variable_declaration") for name in declared(scope.tree, each)}
    names = _made(scope) | {scope.variable}
    local = {name for each in find(scope.root, "local_variable_declaration") for name in declared(scope.tree, each)}
    local |= {scope.tree.text(kid) for each in find(scope.root, "formal_parameter", "resource") for kid in each.kids if kid.kind == "identifier"}
    for statement in find(container, "expression_statement"):
        target = assignment(statement)
        is_field = target is not None and (
            scope.tree.text(target[0]).startswith("this.") or (target[0].kind == "identifier" and scope.tree.text(target[0]) not in local)
        )
        if target is not None and is_field and not scope.closes() and (_holds(scope, target[1], names) or _is_given_view(scope, target[1], names)):
            return scope.tree.text(target[0])
        if target is None or target[0].kind != "identifier" or scope.tree.text(target[0]) in inside | {scope.variable}:
            continue
        name = scope.tree.text(target[0])
        closer = scope.closer_of(name)
        if _is_closed_behind(scope, container, statement):
            continue
        if _holds(scope, target[1], names) and any(
            each.start >= container.end for each in closer.mentions(scope.root, _tests_and_closes(scope.root, closer))
        ):
            return name
    return ""


def _set_for_others(scope: Scope, container: Node) -> str:
    """An object from outside of a block that is given the resource to use later (`statement.setBinaryStream(1, in)`), and that is asked for
    something behind the block, or, where others have it as well, not asked for anything behind that in the block: others will ask it."""
    if scope.closes() or not scope.variable:
        return ""
    here = {name for each in find(container, "local_variable_declaration", "resource") for name in declared(scope.tree, each)}
    local = {name for each in find(scope.root, "local_variable_declaration", "resource") for name in declared(scope.tree, each)}
    for call in find(container, "method_invocation"):
        receiver, name, given = call_parts(scope.tree, call)
        is_set = receiver is not None and _SETTING.match(name) is not None and any(scope.tree.text(each) == scope.variable for each in given)
        if not is_set or receiver is None or scope.tree.text(receiver) in here or receiver.kind not in ("identifier", "field_access"):
            continue
        asked = [at for at in _asked(scope, scope.tree.text(receiver)) if at >= call.end]
        if any(at >= container.end for at in asked) or (scope.tree.text(receiver) not in local and not asked):
            return scope.tree.text(receiver)
    return ""


def _asked(scope: Scope, holder: str) -> list[int]:
    """Where an object is asked for something: neither given more to use, nor closed, nor compared."""
    found = {each.start for each in find(scope.root, "identifier", "field_access") if scope.tree.text(each) == holder}
    for each in find(scope.root, "method_invocation"):
        receiver, name, _ = call_parts(scope.tree, each)
        if receiver is not None and scope.tree.text(receiver) == holder and (_SETTING.match(name) is not None or name in _NOT_YET):
            found.discard(receiver.start)
    found -= {kid.start for each in find(scope.root, "binary_expression") for kid in each.kids}
    return sorted(found)


_NOT_YET = ("close", "addBatch", "clearParameters")
"""Methods in which nobody looks at what has been set."""

_SETTING = re.compile(r"set[A-Z]|update\w*(?:Stream|[BC]lob)$")


def _tests_and_closes(root: Node, closer: Closer) -> list[Node]:
    """What only asks whether a variable is null, or closes it."""
    blocks = [each for each in find(root, "if_statement", "block") if closer.is_close(each)]
    return [*closer.closes(root), *blocks]


def _captures(scope: Scope, given: Node, names: set[str]) -> bool:
    """Whether a lambda, or the body of a class without a name, uses one of some variables."""
    later = given if given.kind == "lambda_expression" else child(given, "class_body")
    return later is not None and uses(scope.tree, later, names - {scope.variable} if scope.release != "close" else names)


def _made(scope: Scope) -> set[str]:
    """The variable, and those of objects that were made of it."""
    names = {scope.variable}
    given: list[tuple[str, Node]] = []
    for declaration in find(scope.root, "local_variable_declaration"):
        given += [(scope.tree.text(each.kids[0]), value) for each in declarators(declaration) if (value := initialiser(each))]
    for statement in find(scope.root, "expression_statement"):
        target = assignment(statement)
        if target is not None and target[0].kind == "identifier":
            given.append((scope.tree.text(target[0]), target[1]))
    grown = True
    while grown:
        found = {name for name, value in given if name not in names and value.kind != "identifier" and _holds(scope, value, names)}
        names |= found
        grown = bool(found)
    return names


def _views(scope: Scope, names: set[str]) -> set[str]:
    """The variables that get what reads from one of some objects, or writes to it: `in = response.body().byteStream()`."""
    given: list[tuple[str, Node]] = []
    for declaration in find(scope.root, "local_variable_declaration"):
        given += [(scope.tree.text(each.kids[0]), value) for each in declarators(declaration) if (value := initialiser(each))]
    for target in (assignment(each) for each in find(scope.root, "expression_statement")):
        if target is not None and target[0].kind == "identifier":
            given.append((scope.tree.text(target[0]), target[1]))
    return {name for name, value in given if _is_view(scope, value, names)}


def _is_view(scope: Scope, value: Node, names: set[str]) -> bool:
    """Whether a chain of calls without arguments begins with one of some variables and ends with what gives a view of it, by its name."""
    if value.kind != "method_invocation" or not call_parts(scope.tree, value)[1].endswith(_VIEWS):
        return False
    while value.kind == "method_invocation":
        receiver, _, given = call_parts(scope.tree, value)
        if receiver is None or given:
            return False
        value = receiver
    return value.kind == "identifier" and scope.tree.text(value) in names


def _holds(scope: Scope, value: Node, names: set[str]) -> bool:
    """Whether an expression makes something of objects that some variables name."""
    match value.kind:
        case "identifier":
            return scope.tree.text(value) in names
        case "object_creation_expression":
            written = child(value, "type_identifier", "scoped_type_identifier", "generic_type")
            simple = scope.tree.text(written).partition("<")[0].rpartition(".")[2] if written is not None else ""
            return simple not in _EAGER and not _keeps_nothing(scope, value) and _is_given(scope, value, names)
        case "method_invocation":
            _, name, _ = call_parts(scope.tree, value)
            return name.startswith(_FACTORIES) and not _keeps_nothing(scope, value) and _is_given(scope, value, names)
        case "ternary_expression":
            return any(_holds(scope, each, names) for each in value.kids[1:] if each.kind not in ("?", ":", *COMMENTS))
        case "parenthesized_expression" | "cast_expression":
            return _holds(scope, value.kids[-2 if value.kind == "parenthesized_expression" else -1], names)
        case _:
            return False


def _is_given(scope: Scope, call: Node, names: set[str]) -> bool:
    arguments = child(call, "argument_list")
    kids = arguments.kids if arguments is not None else ()
    return any(_holds(scope, each, names) for each in kids if each.kind not in ("(", ")", ",", *COMMENTS))


def _is_given_view(scope: Scope, value: Node, names: set[str]) -> bool:
    """Whether an object is made of what reads from the resource or writes to it, by the name of the method that gives that
    (`new Talk(peer.getInputStream())`). What is known to keep nothing reads it at once."""
    if value.kind not in ("object_creation_expression", "method_invocation"):
        return False
    _, name, _ = call_parts(scope.tree, value) if value.kind == "method_invocation" else (None, "", [])
    arguments = child(value, "argument_list")
    if (name and not name.startswith(_FACTORIES)) or _keeps_nothing(scope, value) or arguments is None:
        return False
    parts = [call_parts(scope.tree, each) for each in arguments.kids if each.kind == "method_invocation"]
    is_view = any(
        receiver is not None and receiver.kind == "identifier" and scope.tree.text(receiver) in names and asked.endswith(_VIEWS)
        for receiver, asked, _ in parts
    )
    return is_view or any(_is_given_view(scope, each, names) for each in arguments.kids)


_VIEWS = ("Stream", "Channel", "Reader", "Writer")
"""How methods end that give what lives no longer than what they are called on."""


def _keeps_nothing(scope: Scope, call: Node) -> bool:
    """Whether the procedures that a call may run are known, and keep nothing, or a model of the JDK says so of what would make something
    by its name (`Font.createFont(type, in)`)."""
    numbers = list(scope.calls_at(call))
    targets = [scope.leak.linked.targets.get(number) for number in numbers]
    known = [each for number in numbers for each in scope.leak.effects.get(number, ())]
    if targets and all(each is not None and not each.procedures and each.type.startswith("java.") for each in targets):
        return bool(known) and call.kind == "method_invocation" and all(
            each.is_known and not (each.retains or each.transfers or each.aliases or each.is_fresh) for each in known
        )
    if not targets or not all(target is not None and target.procedures for target in targets):
        return False
    return bool(known) and not any(
        each.retains or any(outcome.fate in ("held", "retained") for transfer in each.transfers if transfer.entry for outcome in transfer.outcomes)
        for each in known
    )


def _is_later(scope: Scope, statement: Node) -> bool:
    """Whether a statement is of a lambda or class inside of the procedure."""
    return any(each.kind in LATER and each.start > scope.root.start for each in scope.tree.path(statement.start, statement.end))
