"""The procedures of a Java type: methods, constructors, initialisers, and those that are implied."""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.syntax import Node

from . import calls
from .body import Body, Tables
from .context import Context
from .expressions import operands
from .graph import Abandoned
from .members import Initialiser, Members, MethodMember, parameter_texts
from .procedures import declare_formals, finish, start_captures
from .scopes import ClassScope
from .signatures import Formal


def lower_method(context: Context, tables: Tables, scope: ClassScope, member: MethodMember) -> None:
    """A method with a body."""
    block = member.block
    if block is None:
        return

    def fill(body: Body) -> None:
        for kid in block.kids:
            body.statement(kid)

    span = (member.node.start, block.start, member.node.end)
    _procedure(context, tables, scope, member, "method", span, fill)


def _procedure(
    context: Context,
    tables: Tables,
    scope: ClassScope,
    member: MethodMember,
    kind: str,
    span: tuple[int, int, int],
    fill: Callable[[Body], None],
) -> None:
    """Lower one procedure; what cannot be lowered becomes a Havoc and a Note."""
    reason = "" if context.nodes_left > 0 else "the file has too many nodes"
    body = Body(context, tables, scope, member.procedure, span)
    body.is_static = "static" in member.attributes
    if not body.is_static:
        body.receive()
    parameters = declare_formals(body, member.formals)
    try:
        if not reason:
            fill(body)
            start_captures(body)
    except Abandoned as stop:
        reason = str(stop)
    except (LookupError, ValueError, RecursionError):
        reason = "its syntax is not what the grammar promises"
    context.nodes_left -= len(body.graph.nodes)
    if reason:
        body = Body(context, tables, scope, member.procedure, span)
        if "static" not in member.attributes:
            body.receive()
        parameters = declare_formals(body, member.formals)
        body.graph.emit(ir.Havoc(0, body.end - body.start, parameters, reason))
        context.note(NoteKind.NOT_MODELLED, body.start, body.end, f"`{body.name}` is not analysed: {reason}")
    written = parameter_texts(member.type_parameters)
    finish(body, kind, parameters, member.result, member.throws, member.attributes, written)


def lower_initialiser(context: Context, tables: Tables, scope: ClassScope, members: Members) -> None:
    """`<clinit>`: what runs when the type is initialised."""
    code = members.static_code
    if not code:
        return
    member = MethodMember(code[0].node, "<clinit>", ())
    member.procedure = context.unique(f"{scope.name}.<clinit>()")
    member.attributes = ("static",)

    def fill(body: Body) -> None:
        for each in code:
            _initialise(body, each)

    span = (code[0].node.start, code[0].node.start, code[-1].node.end)
    _procedure(context, tables, scope, member, "initialiser", span, fill)


def _initialise(body: Body, code: Initialiser) -> None:
    node = code.node
    if node.kind == "block":
        body.statement(node)
        return
    start, end = node.start - body.start, node.end - body.start
    if node.kind == "enum_constant":
        operand = _enumerator(body, node)
    elif node.kids[-1].kind == "array_initializer":
        operand = calls.array_of(body, node.kids[-1], code.type)
    else:
        operand = body.value(node.kids[-1])
    if code.is_static:
        body.graph.emit(ir.Store(start, end, "", f"{body.owner.name}.{code.name}", operand))
    else:
        body.graph.emit(ir.Store(start, end, "this", code.name, operand))


def _enumerator(body: Body, node: Node) -> str:
    arguments: list[Node] = []
    block: Node | None = None
    for kid in node.kids:
        if kid.kind == "argument_list":
            arguments = kid.kids
        elif kid.kind == "class_body":
            block = kid
    return calls.create(body, node, body.owner.simple, operands(body, arguments), block, "")


def lower_constructors(context: Context, tables: Tables, scope: ClassScope, members: Members) -> None:
    """All constructors, the implied one too, and the accessors that a record implies."""
    for member in members.constructors:
        _constructor(context, tables, scope, members, member)
    for component, member in members.accessors:
        _accessor(context, tables, scope, component, member)


def _constructor(
    context: Context, tables: Tables, scope: ClassScope, members: Members, member: MethodMember
) -> None:
    block = member.block
    statements = block.kids if block is not None else []
    is_compact = member.node.kind == "compact_constructor_declaration"
    called = next((each for each in statements if _is_constructor_call(context, each)), None)

    def fill(body: Body) -> None:
        if called is None:
            if scope.superclass:
                body.graph.emit_call(ir.Call(0, _heading(body), "", "special", "<init>", "super", "this", ()))
            _initialise_object(body, members)
        for kid in statements:
            if kid is not called:
                body.statement(kid)
            elif _call_constructor(body, kid) == "super":
                _initialise_object(body, members)
        if is_compact or block is None:
            for formal in member.formals:
                start, end = formal.start - body.start, formal.end - body.start
                body.graph.emit(ir.Store(start, end, "this", formal.name, formal.name))

    span = _constructor_span(member)
    _procedure(context, tables, scope, member, "constructor", span, fill)


def _constructor_span(member: MethodMember) -> tuple[int, int, int]:
    """The bytes of a constructor; an implied one has those of its type's name."""
    if member.block is not None:
        return member.node.start, member.block.start, member.node.end
    name = next((kid for kid in member.node.kids if kid.kind == "identifier"), None)
    if name is None:
        return member.node.start, member.node.start, member.node.start + 1
    return name.start, name.end, name.end


def _heading(body: Body) -> int:
    return max(body.header_end - body.start, 1)


def _initialise_object(body: Body, members: Members) -> None:
    for each in members.instance_code:
        _initialise(body, each)


def _is_constructor_call(context: Context, node: Node) -> bool:
    """Whether a statement is `this(...)` or `super(...)`, also where a second look made it a method's call."""
    if node.kind != "expression_statement" or not node.kids:
        return node.kind == "explicit_constructor_invocation"
    called = node.kids[0]
    return (
        called.kind == "method_invocation"
        and len(called.kids) == 2
        and _word(context, called) in ("this", "super")
    )


def _word(context: Context, called: Node) -> str:
    return context.text(called.kids[0])


def _call_constructor(body: Body, node: Node) -> str:
    """`this(...)`, `super(...)`, `outer.super(...)`; answers which."""
    qualifier = ""
    arguments: list[Node] = []
    kids = node.kids[0].kids if node.kind == "expression_statement" else node.kids
    for kid in kids:
        if kid.kind == "argument_list":
            arguments = kid.kids
        elif kid.kind in ("this", "super"):
            qualifier = kid.kind
    if node.kind == "expression_statement":
        qualifier = _word(body.context, node.kids[0])
    start, end = node.start - body.start, node.end - body.start
    if kids[0].kind not in ("this", "super", "type_arguments") and kids is node.kids:
        body.graph.emit(ir.Store(start, end, "this", "this$0", body.value(kids[0])))
    lowered = operands(body, arguments)
    body.graph.emit_call(ir.Call(start, end, "", "special", "<init>", qualifier, "this", lowered))
    return qualifier


def _accessor(
    context: Context, tables: Tables, scope: ClassScope, component: Formal, member: MethodMember
) -> None:
    def fill(body: Body) -> None:
        end = body.end - body.start
        loaded = body.temporary()
        body.graph.emit(ir.Load(0, end, loaded, "this", component.name))
        body.graph.leave(ir.Return(0, end, loaded))

    _procedure(
        context, tables, scope, member, "method", (component.start, component.end, component.end), fill
    )
