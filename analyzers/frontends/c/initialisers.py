"""The initialisers of file-level variables, and of static ones in functions, as one procedure `<file>`.

What is stored to a struct member tells where calls through it go. `table.#1` is the second member of a
struct that this file does not declare. Elements of an array are one cell. Numbers and strings in lists
are left out, and names in capitals: constants. A name that this file does not know is taken for a function.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.file import File
from analyzers.frontends.c.places import Place, load, store
from analyzers.frontends.c.procedures import LOWERING, begin, finish
from analyzers.frontends.c.trees import is_deep
from analyzers.syntax import Node

NAME = "<file>"
_MOST_NODES = 50_000
_OF_NO_USE = frozenset((
    "number_literal", "string_literal", "char_literal", "concatenated_string", "null", "true", "false",
    "sizeof_expression", "binary_expression", "unary_expression", "ERROR", "offsetof_expression",
))


def initialiser(file: File) -> ir.Procedure:
    """Lower all initialisers of a file."""
    root = Node("translation_unit", 0, max(1, len(file.data)), [])
    body = Body(file, LOWERING, 0, file.unique_name(NAME), "", root)
    begin(body, root)
    body.push(root.start, root.end)
    notes = len(file.notes)
    for node, field, type_text in file.initialisers:
        if len(body.nodes) > _MOST_NODES:
            file.note("budget", node.start, node.end, "initialisers past the limit were left out")
            break
        place = Place("field", "", field)
        if is_deep(node):
            continue
        if node.kind == "initializer_list":
            _fill(body, place, type_text, node, [""])
        else:
            operand = _operand(body, node)
            if operand == "=0" and file.is_pointer(type_text):
                operand = "=null"
            if operand != "=?":
                store(body, node, place, operand)
    del file.notes[notes + (len(body.nodes) > _MOST_NODES) :]
    body.drop()
    return finish(body, root, 0, "initialiser", "", ())


def _operand(body: Body, node: Node) -> str:
    """The value of a constant expression."""
    while node.kind in ("cast_expression", "parenthesized_expression") and node.kids:
        node = node.kids[-1]
    if node.kind == "pointer_expression" and node.kids[0].kind == "&" and node.kids[-1].kind == "identifier":
        name = body.file.text(node.kids[-1])
        if name not in body.file.globals:
            body.file.mentions.add(name)
            return "=&" + name
    if node.kind == "identifier":
        name = body.file.text(node)
        if name not in body.file.constants and name not in body.file.globals and name != "NULL":
            body.file.mentions.add(name)
            return "=?" if name.isupper() else "=&" + name
    if node.kind in ("initializer_list", "compound_literal_expression", "call_expression", "conditional_expression"):
        return "=?"
    return body.value(node)


def _fill(body: Body, at: Place, type_text: str, node: Node, holder: list[str]) -> None:
    """Store what is of use of a list. `holder` keeps the variable that holds an array's address."""
    if len(body.nodes) > _MOST_NODES:
        return
    is_array = type_text.endswith("[]") or "(*)[]" in type_text
    members = () if is_array else body.file.members(type_text)
    position = 0
    for item in node.kids:
        content, name, element = item, "", type_text.removesuffix("[]") if is_array else ""
        if item.kind == "initializer_pair" and len(item.kids) >= 2:
            content = item.kids[-1]
            name = _designated(body, item)
            if name:
                element = body.file.member_type(type_text, name)
                position = next((i for i, member in enumerate(members) if member[0] == name), position)
        elif not is_array:
            name, element = members[position] if position < len(members) else (f"#{position}", "")
        position += 1
        if content.kind in _OF_NO_USE:
            continue
        if content.kind == "compound_literal_expression" and content.kids:
            content = content.kids[-1]
        target = _member(body, item, at, name, holder)
        if not name and content.kind != "initializer_list":
            target = Place("element", target.base, f"={position - 1}")
        if content.kind == "initializer_list":
            _fill(body, target, element, content, holder if not name else [""])
            continue
        operand = _operand(body, content)
        if operand[:2] == "=&" or operand[0] != "=":
            store(body, item, target, operand)


def _designated(body: Body, item: Node) -> str:
    """The member that designators name; empty for an element."""
    names = [
        body.file.text(kid).lstrip(". \t\n") for kid in item.kids[:-1]
        if kid.kind in ("field_designator", "field_identifier")
    ]
    return ".".join(names)


def _member(body: Body, node: Node, at: Place, name: str, holder: list[str]) -> Place:
    """A member of a struct, or the address that stands for any element of an array."""
    if name:
        return Place("field", at.base, name if at.field in ("", "*") else f"{at.field}.{name}")
    if not holder[0]:
        holder[0] = load(body, node, at, "")
    return Place("field", holder[0], "")
