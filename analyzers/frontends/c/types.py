"""Structs, unions, enums and typedefs of a file.

A tag is named with its keyword (`struct s`), a struct that only a typedef names by that typedef.
Members of anonymous structs are members of what holds them; those of a named embedded struct come
after it with a dot.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c import literals
from analyzers.frontends.c.declarators import declarator, specifiers, type_name
from analyzers.frontends.c.file import File
from analyzers.syntax import Node

_KINDS = {"struct_specifier": "struct", "union_specifier": "union"}
_DEEPEST = 8
"""Structs in structs that are looked into."""

_DEEPEST_VALUE = 40
"""Nesting of a constant expression that is evaluated."""


def collect_type(file: File, node: Node, name: str = "", depth: int = _DEEPEST) -> None:
    """Keep a struct, union or enum that a specifier declares; `name` is that of its typedef."""
    named = name or type_name(file, node)
    if node.kind == "enum_specifier":
        _enum(file, node, named)
        return
    kind = _KINDS.get(node.kind)
    content = next((kid for kid in node.kids if kid.kind == "field_declaration_list"), None)
    if kind is None or content is None:
        return
    fields: list[ir.FieldDeclaration] = []
    _fields(file, content, "", fields, depth)
    file.structs[named] = tuple((field.name, field.type) for field in fields if "." not in field.name)
    file.types.append(ir.TypeDeclaration(named, kind, (), tuple(fields), (), (), node.start, node.end))


def _fields(file: File, content: Node, prefix: str, fields: list[ir.FieldDeclaration], depth: int) -> None:
    for kid in content.kids:
        if kid.kind == "field_declaration":
            _field(file, kid, prefix, fields, depth)
        elif kid.kind.startswith("preproc_") and kid.kids and depth > 0:
            _fields(file, kid, prefix, fields, depth - 1)


def _field(file: File, node: Node, prefix: str, fields: list[ir.FieldDeclaration], depth: int) -> None:
    found = specifiers(file, node.kids)
    inline = None
    if found.node is not None:
        inline = next((kid for kid in found.node.kids if kid.kind == "field_declaration_list"), None)
        if found.node.kids and depth > 0:
            collect_type(file, found.node, "", depth - 1)
    if inline is not None and not found.declarators and depth > 0:
        _fields(file, inline, prefix, fields, depth - 1)
        return
    attributes = tuple(found.attributes)
    for item in found.declarators:
        named = declarator(file, item, found.type)
        if not named.name:
            continue
        field_type = named.type if named.parameters is None else f"{named.type} (*)()"
        fields.append(ir.FieldDeclaration(prefix + named.name, field_type, attributes, item.start, item.end))
        if inline is not None and depth > 0 and named.type == found.type:
            _fields(file, inline, f"{prefix}{named.name}.", fields, depth - 1)


def _enum(file: File, node: Node, name: str) -> None:
    content = next((kid for kid in node.kids if kid.kind == "enumerator_list"), None)
    if content is None:
        return
    fields: list[ir.FieldDeclaration] = []
    _enumerators(file, content, fields, "=0")
    file.types.append(ir.TypeDeclaration(name, "enum", (), tuple(fields), (), (), node.start, node.end))


def _enumerators(
    file: File, content: Node, fields: list[ir.FieldDeclaration], following: str, depth: int = _DEEPEST
) -> str:
    """Number the enumerators; what follows the last."""
    for kid in content.kids:
        if kid.kind == "enumerator" and kid.kids:
            constant = file.text(kid.kids[0])
            if len(kid.kids) > 1:
                following = evaluate(file, kid.kids[-1])
            fields.append(ir.FieldDeclaration(constant, following, (), kid.start, kid.end))
            if following != "=?":
                file.constants[constant] = following
            following = literals.fold("+", following, "=1") or "=?"
        elif kid.kind.startswith("preproc_") and kid.kids and depth > 0:
            _enumerators(file, kid, fields, following, depth - 1)
            following = "=?"
    return following


def evaluate(file: File, node: Node, depth: int = _DEEPEST_VALUE) -> str:
    """The literal that a constant expression is; `=?` where it is not known here."""
    if depth == 0:
        return "=?"
    kind = node.kind
    kids = node.kids
    if kind == "number_literal":
        return literals.number(file.text(node))
    if kind == "char_literal":
        return literals.character(file.text(node))
    if kind == "identifier":
        return file.constants.get(file.text(node), "=?")
    if kind == "parenthesized_expression" and len(kids) == 1:
        return evaluate(file, kids[0], depth - 1)
    if kind == "cast_expression" and kids:
        return evaluate(file, kids[-1], depth - 1)
    if kind == "unary_expression" and len(kids) == 2 and kids[0].kind in ("-", "~"):
        return literals.negate(evaluate(file, kids[1], depth - 1), kids[0].kind) or "=?"
    if kind == "binary_expression" and len(kids) == 3:
        left, right = evaluate(file, kids[0], depth - 1), evaluate(file, kids[2], depth - 1)
        return literals.fold(kids[1].kind, left, right) or "=?"
    return "=?"


def collect_typedef(file: File, node: Node) -> None:
    """Keep the names that a typedef declares."""
    found = specifiers(file, node.kids)
    declarators = found.declarators
    type_node = found.node
    if type_node is None and declarators:
        return
    base = found.type
    is_anonymous = (
        type_node is not None
        and type_node.kind in ("struct_specifier", "union_specifier", "enum_specifier")
        and not any(kid.kind == "type_identifier" for kid in type_node.kids)
    )
    for item in declarators:
        named = declarator(file, item, base)
        if not named.name:
            continue
        if is_anonymous and type_node is not None and item.kind == "type_identifier":
            collect_type(file, type_node, named.name)
            is_anonymous = False
            base = named.name
            type_node = None
            continue
        meant = named.type if named.parameters is None else f"{named.type} ()"
        file.typedefs.setdefault(named.name, meant)
        file.types.append(ir.TypeDeclaration(named.name, "typedef", (meant,), (), (), (), item.start, item.end))
    if type_node is not None and type_node.kids:
        collect_type(file, type_node)
