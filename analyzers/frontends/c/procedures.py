"""Function definitions as procedures: header, parameters (K&R too), body, and the graph put in order."""

from __future__ import annotations

from operator import attrgetter

from analyzers import ir
from analyzers.frontends.c import grids
from analyzers.frontends.c.body import Body, Declared, Lowering
from analyzers.frontends.c.declarators import Declarator, Specifiers, declarator, specifiers
from analyzers.frontends.c.expressions import EFFECTS, VALUES
from analyzers.frontends.c.file import File
from analyzers.frontends.c.statements import STATEMENTS
from analyzers.frontends.c.trees import DEEPEST, is_deep
from analyzers.frontends.c.types import collect_type
from analyzers.frontends.c.words import QUALIFIERS, TYPE_KEYWORDS
from analyzers.syntax import Node

LOWERING = Lowering(VALUES, EFFECTS, STATEMENTS)
"""How every kind of node is lowered."""

_TAGGED = frozenset(("struct_specifier", "union_specifier"))
_NO_STATEMENTS = frozenset(("declaration", "comment")) | {"preproc_if", "preproc_ifdef", "preproc_def"}
"""What stands between the braces of a struct, when they are read as those of a function."""

_by_name = attrgetter("name")


class Header:
    """What a function definition says before its body."""

    __slots__ = ("declared", "found", "name", "named", "node", "old_style")

    def __init__(self, file: File, node: Node) -> None:
        self.node = node
        kids = [kid for kid in node.kids[:-1] if kid.kind != "declaration"]
        self.old_style = [kid for kid in node.kids[:-1] if kid.kind == "declaration"]
        self.found: Specifiers = specifiers(file, kids)
        target = self.found.declarators[-1] if self.found.declarators else node
        self.named: Declarator = declarator(file, target, self.found.type)
        self.name = self.named.name
        if self.found.node is not None and self.found.node.start == self.found.node.end and self.name.isupper():
            self.name = _made_name(file, self.named)

    def may_be_a_type(self) -> bool:
        """Whether what was read as a function without parameters is a struct with a macro beside its tag: `struct box PACKED { int size; };`."""
        found = self.found.node
        if self.named.parameters is not None or found is None or found.kind not in _TAGGED or len(found.kids) > 1:
            return False
        return "*" not in self.named.type and all(kid.kind in _NO_STATEMENTS for kid in self.node.kids[-1].kids)

    def may_be_several(self) -> bool:
        """Whether what was read as the attributes of one function is the head of another: `MACRO(x) int f(void) {`."""
        trailing = self.named.attributes
        return any(word in TYPE_KEYWORDS or word in QUALIFIERS for word in trailing) or (
            self.found.node is not None and self.found.node.kind == "macro_type_specifier"
            and any("(" in word for word in trailing)
        )


def _made_name(file: File, named: Declarator) -> str:
    """The name of a function that a macro makes: `TEST(suite, name)`."""
    arguments = named.parameters.kids if named.parameters is not None else []
    return f"{named.name}({', '.join(file.text(argument) for argument in arguments)})"


class Around:
    """What a nested function stands in: the body around it, and the names that are visible there."""

    __slots__ = ("body", "name", "visible")

    def __init__(self, body: Body, name: str, visible: dict[str, str]) -> None:
        self.body = body
        self.name = name
        self.visible = visible


def lower_function(file: File, header: Header, outer: Around | None = None) -> None:
    """Lower a function definition, and those nested in it, into the file's procedures."""
    unique = file.unique_name(header.name if outer is None else outer.name)
    count = len(file.procedures)
    if file.depth > DEEPEST and is_deep(header.node):
        file.procedures.append(_not_lowered(file, header, unique))
        return
    try:
        _lower(file, header, outer, unique)
    except RecursionError:
        del file.procedures[count:]
        file.procedures.append(_not_lowered(file, header, unique))


def _not_lowered(file: File, header: Header, unique: str) -> ir.Procedure:
    """A procedure whose body nests too deeply: anything may happen in it."""
    node = header.node
    content = node.kids[-1]
    body = Body(file, LOWERING, node.start, unique, header.named.type, node)
    begin(body, node)
    body.push(node.start, node.end)
    parameters(body, header)
    body.broken(content.start, content.end)
    body.havoc(tuple(sorted(body.variables)), "the body nests too deeply", content.start, content.end)
    body.drop()
    attributes = (*header.found.attributes, *header.named.attributes)
    return finish(body, node, content.start, "function", header.named.type, attributes)


def _lower(file: File, header: Header, outer: Around | None, unique: str) -> None:
    node = header.node
    body = Body(file, LOWERING, node.start, unique, header.named.type, node)
    if outer is not None:
        body.capture(outer.body, outer.visible)
    content = node.kids[-1]
    begin(body, node)
    body.push(node.start, node.end)
    parameters(body, header)
    body.push(content.start, content.end)
    for kid in content.kids:
        body.statement(kid)
    if body.open:
        body.clean(content.end - 1, content.end)
    body.drop()
    body.drop()
    attributes = [*header.found.attributes, *header.named.attributes, *file.words_in(node.start, content.start)]
    if any(start < node.end and node.start < end for start, end in file.found.flow):
        attributes.append("conditional")
    place = len(file.procedures)
    for inner, inner_name, visible in body.pending:
        lower_function(file, Header(file, inner), Around(body, inner_name, visible))
    done = finish(body, node, content.start, "function", header.named.type, tuple(attributes + body.attributes))
    file.procedures.insert(place, done)


def begin(body: Body, node: Node) -> None:
    """The three nodes that every body begins with."""
    length = node.end - node.start
    body.nodes += (ir.Entry(0, 0), ir.Exit(length - 1, length), ir.Exit(length - 1, length))
    body.succ += (-1,) * 6
    body.open = [0]


def parameters(body: Body, header: Header) -> None:
    """Declare the formals."""
    listed = header.named.parameters
    if listed is None:
        return
    old = _old_style(body.file, header)
    for kid in listed.kids:
        if kid.kind == "parameter_declaration":
            _parameter(body, kid)
        elif kid.kind == "identifier":
            name = body.file.text(kid)
            type_text, at, attributes = old.get(name, ("int", kid.start, ()))
            body.parameters.append(body.declare(name, type_text, "parameter", at, attributes))
        elif kid.kind == "variadic_parameter":
            body.attributes.append("varargs")


def _parameter(body: Body, node: Node) -> None:
    found = specifiers(body.file, node.kids)
    if found.node is not None and found.node.kids:
        collect_type(body.file, found.node)
    item = found.declarators[-1] if found.declarators else None
    if item is None:
        if found.type == "void":
            return
        body.parameters.append(body.declare(f"@{len(body.parameters)}", found.type, "parameter", node.start, ()))
        return
    named = declarator(body.file, item, found.type)
    type_text = named.type if named.parameters is None else f"{named.type} (*)()"
    name = named.name or f"@{len(body.parameters)}"
    attributes = tuple(found.attributes + named.attributes)
    parameter = body.declare(name, type_text, "parameter", named.node.start, attributes)
    body.parameters.append(parameter)
    if sizes := grids.declared(body.file, item):
        body.grids[parameter] = sizes


def _old_style(file: File, header: Header) -> dict[str, tuple[str, int, tuple[str, ...]]]:
    """The types of K&R parameters by name."""
    types: dict[str, tuple[str, int, tuple[str, ...]]] = {}
    for node in header.old_style:
        found = specifiers(file, node.kids)
        for item in found.declarators:
            named = declarator(file, item, found.type)
            types[named.name] = (named.type, named.node.start, tuple(found.attributes))
    return types


def finish(
    body: Body, node: Node, header_end: int, kind: str, result: str, attributes: tuple[str, ...]
) -> ir.Procedure:
    """The procedure that a body has become: unreachable nodes are left out."""
    body.finish()
    nodes, following, number = _reachable(body)
    loops = tuple(
        ir.Loop(start, end, number[body.marks[mark]])
        for start, end, mark in sorted(body.loops)
        if number[body.marks[mark]] > ir.RAISE
    )
    return ir.Procedure(
        body.name, kind, node.start, node.end, header_end, "", result, (), tuple(body.parameters), attributes,
        tuple(sorted(_variables(body), key=_by_name)), nodes, following, ((),) * len(nodes), loops, body.error,
    )


def _variables(body: Body) -> list[ir.Variable]:
    taken = body.address_taken
    found = [_variable(declared, declared.name in taken, _structs(declared, body.looked_into)) for declared in body.variables.values()]
    names = [f"%{number}" for number in range(1, body.temporaries + 1)]
    names += [f"choice%{number}" for number in range(1, body.join_count + 1)]
    names += sorted(body.configurations)
    return found + [ir.Variable(name, "", "temporary") for name in names]


def _structs(declared: Declared, looked_into: set[str]) -> tuple[str, ...]:
    """What says that a local is a struct itself, whatever its type is: a member of it is named (`data.text`)."""
    return (ir.STRUCT,) if declared.kind == "local" and declared.name in looked_into and declared.type.isidentifier() else ()


def _variable(declared: Declared, is_address_taken: bool, more: tuple[str, ...]) -> ir.Variable:
    return ir.Variable(
        declared.name, declared.type, declared.kind, declared.start, declared.end, declared.declared,
        (*declared.attributes, *more), is_address_taken,
    )


def _reachable(body: Body) -> tuple[tuple[ir.Instruction, ...], tuple[tuple[int, ...], ...], list[int]]:
    """The nodes that control can reach, their successors, and the new number of every node (-1: gone)."""
    nodes, succ = body.nodes, body.succ
    count = len(nodes)
    number = list(range(count))
    if body.dead:
        seen = bytearray(count)
        seen[ir.ENTRY] = seen[ir.EXIT] = seen[ir.RAISE] = 1
        stack = [ir.ENTRY]
        while stack:
            at = stack.pop()
            for target in (succ[2 * at], succ[2 * at + 1]):
                if target >= 0 and not seen[target]:
                    seen[target] = 1
                    stack.append(target)
        kept = [index for index in range(count) if seen[index]]
        number = [-1] * count
        for new, old in enumerate(kept):
            number[old] = new
    else:
        kept = number
    following: list[tuple[int, ...]] = []
    for index in kept:
        first, second = succ[2 * index], succ[2 * index + 1]
        if second >= 0:
            following.append((number[first], number[second]))
        else:
            following.append((number[first],) if first >= 0 else ())
    return tuple([nodes[index] for index in kept]), tuple(following), number
