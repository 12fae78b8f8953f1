"""Modifiers, annotations, written types and formals of Java declarations."""

from __future__ import annotations

import msgspec

from analyzers.syntax import Node

from .context import Context
from .type_nodes import ANNOTATIONS, is_type, split_annotations, type_text

_WORDS = frozenset(
    (
        "public", "protected", "private", "abstract", "static", "final", "strictfp", "default", "synchronized",
        "native", "transient", "volatile", "sealed", "non-sealed",
    )
)  # fmt: skip


class Formal(msgspec.Struct, frozen=True, gc=False):
    """A parameter, or a component of a record."""

    name: str
    type: str
    attributes: tuple[str, ...]
    offset: int
    start: int
    end: int
    is_varargs: bool


def attributes_of(context: Context, nodes: list[Node]) -> tuple[str, ...]:
    """The modifiers and annotations among the children of a declaration, type annotations too."""
    found: list[str] = []
    for node in nodes:
        kind = node.kind
        if kind == "modifiers":
            for kid in node.kids:
                if kid.kind in _WORDS:
                    found.append(kid.kind)
                elif kid.kind in ANNOTATIONS:
                    found.append(_annotation(context, kid))
        elif kind in ANNOTATIONS:
            found.append(_annotation(context, node))
        elif kind == "annotated_type":
            found.extend(_annotation(context, kid) for kid in node.kids if kid.kind in ANNOTATIONS)
            found.extend(attributes_of(context, [kid for kid in node.kids if is_type(kid)]))
        elif is_type(node):
            text = context.text(node)
            if "@" in text:
                found.extend(split_annotations(text)[1])
    return tuple(found)


def _annotation(context: Context, node: Node) -> str:
    name = context.text(node.kids[0]) if node.kids else ""
    context.mention(name)
    simple = name.rpartition(".")[2]
    return simple + context.text(node.kids[1]) if len(node.kids) > 1 else simple


def written_type(context: Context, nodes: list[Node]) -> str:
    """The first type among nodes, with the dimensions that follow a declarator's name."""
    written = ""
    for node in nodes:
        if not written and is_type(node):
            written = type_text(context, node)
        elif node.kind == "dimensions":
            written += "[]" * context.text(node).count("[")
    return written


def formals_of(context: Context, node: Node) -> tuple[Formal, ...]:
    """The formals in a parameter list; the receiver parameter is none."""
    formals: list[Formal] = []
    for kid in node.kids:
        if kid.kind == "formal_parameter":
            names = [each for each in kid.kids if each.kind == "identifier"]
            if not names or context.text(names[-1]) == "this":
                continue
            written = written_type(context, kid.kids)
            name, is_varargs = names[-1], False
        elif kid.kind == "spread_parameter":
            declarators = [each for each in kid.kids if each.kind == "variable_declarator" and each.kids]
            if not declarators:
                continue
            written = written_type(context, kid.kids) + "[]"
            name, is_varargs = declarators[-1].kids[0], True
        else:
            continue
        attributes = attributes_of(context, kid.kids)
        formals.append(
            Formal(context.text(name), written, attributes, name.start, kid.start, kid.end, is_varargs)
        )
    return tuple(formals)


def throws_of(context: Context, nodes: list[Node]) -> tuple[str, ...]:
    """The types of a `throws` clause, as written."""
    for node in nodes:
        if node.kind == "throws":
            written = tuple(type_text(context, kid) for kid in node.kids if is_type(kid))
            for each in written:
                context.mention(each)
            return written
    return ()


def type_parameters_of(context: Context, nodes: list[Node]) -> dict[str, str]:
    """The type parameters of a declaration with their first bounds as written (empty: none)."""
    found: dict[str, str] = {}
    for node in nodes:
        if node.kind != "type_parameters":
            continue
        for kid in node.kids:
            if kid.kind != "type_parameter":
                continue
            names = [each for each in kid.kids if each.kind in ("type_identifier", "identifier")]
            bounds = [
                type_text(context, each)
                for part in kid.kids
                if part.kind == "type_bound"
                for each in part.kids
                if is_type(each)
            ]
            if names:
                found[context.text(names[0])] = bounds[0] if bounds else ""
    return found


def erased(written: str, type_parameters: dict[str, str]) -> str:
    """The simple erased name of a type, as procedure names have it: `List<String>[]` is `List[]`."""
    stem = written.rstrip("[] \t\r\n")
    dimensions = written.count("[", len(stem))
    depth, kept = 0, []
    for character in stem:
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif depth == 0 and not character.isspace():
            kept.append(character)
    simple = "".join(kept).rpartition(".")[2]
    if simple in type_parameters:
        bound = type_parameters[simple]
        rest = {name: each for name, each in type_parameters.items() if name != simple}
        simple = erased(bound, rest) if bound else "Object"
    return simple + "[]" * dimensions
