"""Places: what an expression that can be assigned stands for, and how it is read, written and pointed to.

Fields of a struct variable and through a pointer are fields of that variable; embedded structs give one
dotted field; an element that is a struct is its array's cell (`a[i].f` is `a.f`). Globals have no base.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c import grids
from analyzers.frontends.c.body import Body
from analyzers.syntax import Node


class Place(msgspec.Struct, frozen=True, gc=False):
    """`kind` is "variable" (base is its name), "field" (of base; of no base: a global), or "element" (base[field])."""

    kind: str
    base: str
    field: str = ""


def place(body: Body, node: Node) -> Place:
    """The place that an expression names; of one that names none, a temporary that holds its value."""
    kind = node.kind
    if kind == "identifier":
        name = body.file.text(node)
        known = body.names.get(name)
        if known is None:
            body.file.mentions.add(name)
            return Place("field", "", name)
        return Place("field", "", known[2:]) if known[:2] == "::" else Place("variable", known)
    if kind == "field_expression" and len(node.kids) == 3:
        return _member(body, node)
    if kind == "subscript_expression" and len(node.kids) == 2:
        if body.grids and (cell := grids.named(body, node)) is not None:
            return _cell(body, node, *cell)
        base = value_with_type(body, node.kids[0])
        return Place("element", base, body.value(node.kids[1]))
    if kind == "pointer_expression" and len(node.kids) == 2 and node.kids[0].kind == "*":
        return _target(body, node.kids[1])
    if kind in ("parenthesized_expression", "extension_expression") and len(node.kids) == 1:
        return place(body, node.kids[0])
    return _held(body, node)


def _cell(body: Body, node: Node, array: str, indices: list[Node | None]) -> Place:
    """A cell of an array of arrays, which is one object; or one of its rows, which lies inside of it."""
    index = grids.index(body.grids[array], ["=0" if each is None else body.value(each) for each in indices])
    if len(indices) == len(body.grids[array]):
        return Place("element", array, index)
    row = _advance(body, node, array, index)
    if row in body.types:
        body.types[row] = canonical(body.types[row].removesuffix("[]") + "*")
    return Place("variable", row)


_PLACES = frozenset(("field_expression", "subscript_expression", "pointer_expression"))


def _held(body: Body, node: Node) -> Place:
    is_malformed = node.kind in _PLACES and node.kids[:1] and node.kids[0].kind != "&"
    operand = body.unknown(node) if is_malformed else body.value(node)
    if operand[:1] == "=":
        holder = body.temporary()
        body.emit(ir.Copy(node.start - body.base, node.end - body.base, holder, operand))
        operand = holder
    return Place("variable", operand)


def _member(body: Body, node: Node) -> Place:
    inner, operator, name = node.kids
    field = body.file.text(name)
    if operator.kind == "->":
        while inner.kind == "parenthesized_expression" and len(inner.kids) == 1:
            inner = inner.kids[0]
        if inner.kind == "pointer_expression" and inner.kids[0].kind == "&" and len(inner.kids) == 2:
            return _inside(body, node, place(body, inner.kids[1]), field)
        return Place("field", value_with_type(body, inner), field)
    outer = place(body, inner)
    if outer.kind == "variable":
        body.looked_into.add(outer.base)
    return _inside(body, node, outer, field)


def _inside(body: Body, node: Node, outer: Place, field: str) -> Place:
    """The field of a struct that lies in a place."""
    if outer.kind == "variable":
        return Place("field", outer.base, field)
    if outer.kind == "field":
        if outer.field == "*":
            return Place("field", outer.base, field)
        return Place("field", outer.base, f"{outer.field}.{field}")
    return Place("field", _advance(body, node, outer.base, outer.field), field)


def _target(body: Body, pointer: Node) -> Place:
    while pointer.kind == "parenthesized_expression" and len(pointer.kids) == 1:
        pointer = pointer.kids[0]
    if pointer.kind == "pointer_expression" and len(pointer.kids) == 2 and pointer.kids[0].kind == "&":
        return place(body, pointer.kids[1])
    return Place("field", value_with_type(body, pointer), "*")


def value_with_type(body: Body, node: Node) -> str:
    """The value of what is looked into: a cast here says what it points to, so it gets a node."""
    inner = node
    while inner.kind == "parenthesized_expression" and len(inner.kids) == 1:
        inner = inner.kids[0]
    if inner.kind != "cast_expression" or len(inner.kids) != 2:
        operand = body.value(inner)
        if operand[:1] != "=":
            return operand
    else:
        operand = body.value(inner.kids[1])
    holder = body.temporary()
    at, end = node.start - body.base, node.end - body.base
    if inner.kind == "cast_expression":
        type_text = canonical(body.file.text(inner.kids[0]))
        body.emit(ir.Op(at, end, holder, "cast", (operand,), type_text))
        body.note_type(holder, type_text)
    else:
        body.emit(ir.Copy(at, end, holder, operand))
    return holder


def canonical(type_text: str) -> str:
    """A type as written in a cast, with single spaces."""
    return " ".join(type_text.replace("*", " * ").split()).replace("* *", "**")


def _advance(body: Body, node: Node, base: str, index: str) -> str:
    """Where an element lies: inside the same object."""
    holder = body.temporary()
    body.pointers.add(holder)
    if base in body.types:
        body.types[holder] = body.types[base]
    body.emit(ir.Op(node.start - body.base, node.end - body.base, holder, "[]+", (base, index)))
    return holder


def load(body: Body, node: Node, at: Place, want: str) -> str:
    """Read a place; the operand that holds its value."""
    if at.kind == "variable":
        return at.base
    held = type_of(body, at)
    want = want or body.temporary()
    start, end = node.start - body.base, node.end - body.base
    if at.kind == "field":
        body.emit(ir.Load(start, end, want, at.base, at.field))
    else:
        body.emit(ir.LoadElement(start, end, want, at.base, at.field))
    if held and want[0] == "%":
        body.note_type(want, held)
    return want


def store(body: Body, node: Node, at: Place, operand: str) -> None:
    """Write a place."""
    start, end = node.start - body.base, node.end - body.base
    if at.kind == "variable":
        body.emit(ir.Copy(start, end, at.base, operand))
    elif at.kind == "field":
        body.emit(ir.Store(start, end, at.base, at.field, operand))
    else:
        body.emit(ir.StoreElement(start, end, at.base, at.field, operand))


def type_of(body: Body, at: Place) -> str:
    """The type of what a place holds; empty where this file does not tell."""
    if at.kind == "variable":
        return body.types.get(at.base, "")
    if at.kind == "element":
        return body.file.member_type(body.types.get(at.base, ""), "[]")
    if at.base:
        return body.file.member_type(body.types.get(at.base, ""), at.field)
    held = body.file.globals.get(at.field)
    if held is not None:
        return held
    name, _, rest = at.field.partition(".")
    return body.file.member_type(body.file.globals.get(name, ""), rest) if rest else ""


def is_pointer(body: Body, at: Place) -> bool:
    """Whether a place is known to hold a pointer."""
    held = type_of(body, at)
    return bool(held) and body.file.is_pointer(held)


def address(body: Body, node: Node, argument: Node, want: str) -> str:
    """`&argument`. The address of an element that is no struct is that of the array's one cell."""
    if argument.kind == "pointer_expression" and argument.kids and argument.kids[0].kind == "&":
        return "=?"
    at = place_of_address(body, argument)
    if at is None:
        return "=&" + body.file.text(argument)
    if at.kind == "field" and at.field == "*":
        return at.base
    held = type_of(body, at)
    want = want or body.temporary()
    if held and want[0] == "%":
        body.types[want] = held + ("*" if held[-1] == "*" else " *")
    body.pointers.add(want)
    start, end = node.start - body.base, node.end - body.base
    if at.kind == "variable":
        body.address_taken.add(at.base)
        body.emit(ir.AddressOf(start, end, want, at.base, ""))
    elif at.kind == "field":
        if at.base in body.variables and at.base not in body.pointers:
            body.address_taken.add(at.base)
        body.emit(ir.AddressOf(start, end, want, at.base, at.field))
    elif held and not body.file.is_struct(held):
        body.emit(ir.AddressOf(start, end, want, at.base, "[]", at.field))
    else:
        body.emit(ir.Op(start, end, want, "[]+", (at.base, at.field)))
    return want


def place_of_address(body: Body, argument: Node) -> Place | None:
    """The place whose address is taken; None for a function."""
    if argument.kind == "identifier":
        name = body.file.text(argument)
        if name not in body.names and name in body.file.functions:
            body.file.mentions.add(name)
            return None
    return place(body, argument)


def compound_literal(body: Body, node: Node, want: str) -> str:
    """`(T){…}`: an unnamed variable; `(T *){x}` is x."""
    if len(node.kids) != 2:
        return body.unknown(node)
    is_pointer = canonical(body.file.text(node.kids[0])).endswith("*")
    if is_pointer and len(node.kids[1].kids) == 1 and not node.kids[1].kids[0].kind.startswith("initializer"):
        operand = body.value(node.kids[1].kids[0], want)
        return "=null" if operand == "=0" else operand
    variable = want or body.temporary()
    initialise(body, variable, canonical(body.file.text(node.kids[0])), node.kids[1])
    return variable


def initialise(body: Body, variable: str, type_text: str, node: Node) -> None:
    """Lower `variable = {…}`: everything is zero but what is listed."""
    base = body.base
    body.emit(ir.Op(node.start - base, node.end - base, variable, "zero", (), type_text))
    fill(body, Place("variable", variable), type_text, node)


def fill(body: Body, at: Place, type_text: str, node: Node) -> None:
    """Store the items of an initialiser list into a place; those of no use (zeroes) are left out."""
    if at.kind == "variable" and at.base in body.grids:
        _fill_grid(body, at.base, node, ())
        return
    is_array = type_text.endswith("[]") or "(*)[]" in type_text
    members = () if is_array else body.file.members(type_text)
    position = 0
    for item in node.kids:
        target = at
        element = type_text.removesuffix("[]") if is_array else ""
        content = item
        if item.kind == "initializer_pair" and len(item.kids) >= 2:
            content = item.kids[-1]
            for designator in item.kids[:-1]:
                if designator.kind in ("field_designator", "field_identifier"):
                    name = body.file.text(designator).lstrip(". \t\n")
                    target = _inside(body, item, target, name)
                    element = body.file.member_type(type_text, name) if target.base == at.base else ""
                    position = next((i + 1 for i, member in enumerate(members) if member[0] == name), position + 1)
                elif designator.kind in ("subscript_designator", "subscript_range_designator"):
                    target = _element(body, item, target, "=?")
        else:
            if is_array:
                target = _element(body, item, target, f"={position}")
            elif position < len(members):
                target = _inside(body, item, target, members[position][0])
                element = members[position][1]
            else:
                target = _inside(body, item, target, f"#{position}")
            position += 1
        if content.kind == "initializer_list":
            fill(body, target, element, content)
            continue
        operand = body.value(content)
        if operand != "=0":
            store(body, item, target, operand)


def _fill_grid(body: Body, array: str, node: Node, row: tuple[str, ...]) -> None:
    """The same for an array of arrays, row by row."""
    sizes = body.grids[array]
    for position, item in enumerate(node.kids):
        is_designated = item.kind == "initializer_pair" and len(item.kids) >= 2
        content = item.kids[-1] if is_designated else item
        at = (*row, "=?" if is_designated else f"={position}")
        if content.kind == "initializer_list" and len(at) < len(sizes):
            _fill_grid(body, array, content, at)
        elif (operand := body.value(content)) != "=0":
            store(body, item, Place("element", array, grids.index(sizes, list(at))), operand)


def _element(body: Body, node: Node, array: Place, index: str) -> Place:
    return Place("element", load(body, node, array, ""), index)
