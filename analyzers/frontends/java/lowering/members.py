"""What a Java type declares: its fields, methods and nested types, as the scope and the unit see them."""

from __future__ import annotations

from analyzers import ir
from analyzers.syntax import Node

from .context import Context
from .scopes import ClassScope, Field, Method
from .signatures import (
    Formal,
    attributes_of,
    erased,
    formals_of,
    throws_of,
    type_parameters_of,
    written_type,
)

TYPE_KINDS = frozenset(
    (
        "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
        "annotation_type_declaration",
    )
)  # fmt: skip
MEMBER_KINDS = TYPE_KINDS | {
    "method_declaration", "constructor_declaration", "compact_constructor_declaration", "field_declaration",
    "local_variable_declaration", "static_initializer",
}  # fmt: skip
_METHODS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")


class MethodMember:
    """A method or constructor: its node, its signature, the name of its procedure."""

    __slots__ = (
        "attributes",
        "block",
        "formals",
        "name",
        "node",
        "procedure",
        "result",
        "throws",
        "type_parameters",
    )

    def __init__(self, node: Node, name: str, formals: tuple[Formal, ...]) -> None:
        self.node = node
        self.name = name
        self.formals = formals
        self.attributes: tuple[str, ...] = ()
        self.result = ""
        self.throws: tuple[str, ...] = ()
        self.block: Node | None = None
        self.procedure = ""
        self.type_parameters: dict[str, str] = {}


class Initialiser:
    """A field with its initial value, an enumerator, or a block: what runs with the type or its objects."""

    __slots__ = ("is_static", "name", "node", "type")

    def __init__(self, node: Node, name: str, written: str, is_static: bool) -> None:
        self.node = node
        self.name = name
        self.type = written
        self.is_static = is_static


class Members:
    """The members of a type in the order of the source."""

    __slots__ = (
        "accessors",
        "attributes",
        "components",
        "constructors",
        "fields",
        "initialisers",
        "methods",
        "types",
    )

    def __init__(self) -> None:
        self.attributes: tuple[str, ...] = ()
        self.components: tuple[Formal, ...] = ()
        self.fields: list[ir.FieldDeclaration] = []
        self.methods: list[MethodMember] = []
        self.constructors: list[MethodMember] = []
        self.accessors: list[tuple[Formal, MethodMember]] = []
        self.initialisers: list[Initialiser] = []
        self.types: list[Node] = []

    @property
    def instance_code(self) -> list[Initialiser]:
        """What runs with every new object."""
        return [each for each in self.initialisers if not each.is_static]

    @property
    def static_code(self) -> list[Initialiser]:
        """What runs when the type is initialised."""
        return [each for each in self.initialisers if each.is_static]


def collect(context: Context, scope: ClassScope, node: Node, block: Node | None) -> Members:
    """The members of a type, also told to its scope."""
    members = Members()
    members.attributes = attributes_of(context, node.kids) if node is not block else ()
    if scope.kind == "record":
        _components(context, scope, node, members)
    if block is not None:
        _collect(context, scope, block.kids, members)
    imply(context, scope, node, members)
    return members


def _components(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    for kid in node.kids:
        if kid.kind == "formal_parameters":
            members.components = formals_of(context, kid)
    scope.components = tuple(each.name for each in members.components)
    for each in members.components:
        attributes = ("private", "final", *each.attributes)
        members.fields.append(ir.FieldDeclaration(each.name, each.type, attributes, each.start, each.end))
        scope.fields[each.name] = Field(False, each.type)
        if each.type:
            context.mention(each.type)


def _collect(context: Context, scope: ClassScope, nodes: list[Node], members: Members) -> None:
    for node in nodes:
        kind = node.kind
        if kind in ("field_declaration", "constant_declaration", "local_variable_declaration"):
            _field(context, scope, node, members)
        elif kind in _METHODS:
            _method(context, scope, node, members)
        elif kind in TYPE_KINDS:
            members.types.append(node)
        elif kind == "enum_constant":
            _enumerator(context, scope, node, members)
        elif kind == "static_initializer":
            members.initialisers.append(Initialiser(node.kids[-1], "", "", True))
        elif kind == "block":
            members.initialisers.append(Initialiser(node, "", "", False))
        elif kind == "annotation_type_element_declaration":
            _element(context, scope, node, members)
        elif kind in ("enum_body_declarations", "ERROR"):
            _collect(context, scope, node.kids, members)


def _field(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    attributes = attributes_of(context, node.kids)
    if node.kind == "constant_declaration":
        attributes = (*attributes, *(each for each in ("static", "final") if each not in attributes))
    written = written_type(context, node.kids)
    is_static = "static" in attributes
    context.mention(written)
    for kid in node.kids:
        if kid.kind != "variable_declarator" or not kid.kids:
            continue
        own = written
        for part in kid.kids:
            if part.kind == "dimensions":
                own += "[]" * context.text(part).count("[")
        name = context.text(kid.kids[0])
        members.fields.append(ir.FieldDeclaration(name, own, attributes, node.start, node.end))
        scope.fields[name] = Field(is_static, own)
        if len(kid.kids) >= 3 and kid.kids[-2].kind == "=":
            members.initialisers.append(Initialiser(kid, name, own, is_static))


def _enumerator(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    name = next((context.text(kid) for kid in node.kids if kid.kind == "identifier"), "")
    attributes = ("public", "static", "final", "enumerator", *attributes_of(context, node.kids))
    members.fields.append(ir.FieldDeclaration(name, scope.simple, attributes, node.start, node.end))
    scope.fields[name] = Field(True, scope.simple)
    members.initialisers.append(Initialiser(node, name, scope.simple, True))


def _element(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    name = next((context.text(kid) for kid in node.kids if kid.kind == "identifier"), "")
    member = MethodMember(node, name, ())
    member.attributes = attributes_of(context, node.kids)
    member.result = written_type(context, node.kids)
    members.methods.append(member)


def _method(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    is_method = node.kind == "method_declaration"
    formals: tuple[Formal, ...] = ()
    name = "<init>"
    block: Node | None = None
    for kid in node.kids:
        if kid.kind == "formal_parameters":
            formals = formals_of(context, kid)
        elif kid.kind == "identifier" and is_method:
            name = context.text(kid)
        elif kid.kind in ("block", "constructor_body"):
            block = kid
    if node.kind == "compact_constructor_declaration":
        formals = members.components
    member = MethodMember(node, name, formals)
    member.block = block
    member.attributes = attributes_of(context, node.kids)
    member.throws = throws_of(context, node.kids)
    member.type_parameters = type_parameters_of(context, node.kids)
    if is_method:
        member.result = written_type(context, node.kids)
        if member.result:
            context.mention(member.result)
    _name(context, scope, member)
    is_static = "static" in member.attributes
    is_private = "private" in member.attributes
    is_varargs = any(each.is_varargs for each in formals)
    scope.methods.setdefault(name, []).append(
        Method(len(formals), is_static, is_private, is_varargs, member.result)
    )
    (members.methods if is_method else members.constructors).append(member)


def _name(context: Context, scope: ClassScope, member: MethodMember) -> None:
    for each in member.formals:
        context.mention(each.type)
    if member.block is not None:
        parameters = {**scope.type_parameters, **member.type_parameters}
        types = ",".join(erased(each.type, parameters) for each in member.formals)
        member.procedure = context.unique(f"{scope.name}.{member.name}({types})")


def imply(context: Context, scope: ClassScope, node: Node, members: Members) -> None:
    """Add the constructor and the accessors that the language adds where the source has none."""
    if scope.kind == "record":
        own = {each.name for each in members.methods if not each.formals}
        for component in members.components:
            if component.name not in own:
                accessor = MethodMember(node, component.name, ())
                accessor.attributes = ("public", *component.attributes)
                accessor.result = component.type
                accessor.procedure = context.unique(f"{scope.name}.{component.name}()")
                members.accessors.append((component, accessor))
    is_missing = not members.constructors and (bool(scope.simple) or bool(members.instance_code))
    if scope.kind == "record":
        count = len(members.components)
        is_missing = all(len(each.formals) != count for each in members.constructors)
    if is_missing and scope.kind in ("class", "enum", "record"):
        implied = MethodMember(node, "<init>", members.components)
        implied.attributes = ("implicit",)
        types = ",".join(erased(each.type, scope.type_parameters) for each in members.components)
        implied.procedure = context.unique(f"{scope.name}.<init>({types})")
        members.constructors.append(implied)


def declaration(context: Context, node: Node, scope: ClassScope, members: Members) -> ir.TypeDeclaration:
    """The type as the unit declares it."""
    accessors = [member for _, member in members.accessors]
    if scope.kind == "enum" and scope.simple:
        accessors += _of_enum(node, scope.simple)
    return ir.TypeDeclaration(
        scope.name,
        scope.kind,
        scope.supertypes,
        tuple(members.fields),
        tuple(_signature(each) for each in (*members.constructors, *members.methods, *accessors)),
        members.attributes,
        node.start,
        node.end,
        parameter_texts(type_parameters_of(context, node.kids)),
    )


def _of_enum(node: Node, simple: str) -> list[MethodMember]:
    """What every enum has: `values()` and `valueOf(String)`."""
    values = MethodMember(node, "values", ())
    values.result = f"{simple}[]"
    value_of = MethodMember(
        node, "valueOf", (Formal("name", "String", (), node.start, node.start, node.start, False),)
    )
    value_of.result = simple
    for each in (values, value_of):
        each.attributes = ("public", "static", "implicit")
    return [values, value_of]


def _signature(member: MethodMember) -> ir.MethodDeclaration:
    return ir.MethodDeclaration(
        member.name,
        tuple(each.type for each in member.formals),
        tuple(each.attributes for each in member.formals),
        member.result,
        member.throws,
        member.attributes,
        member.procedure,
        any(each.is_varargs for each in member.formals),
        parameter_texts(member.type_parameters),
    )


def parameter_texts(type_parameters: dict[str, str]) -> tuple[str, ...]:
    """Type parameters as the IR has them: `T`, or `T:Bound`."""
    return tuple(f"{name}:{bound}" if bound else name for name, bound in type_parameters.items())
