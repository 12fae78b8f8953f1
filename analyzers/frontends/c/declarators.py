"""Declarations: specifiers, declarators and attributes, as names and types in canonical text.

Types read `const char *`, `struct s *[]`, `int (*)()`. Attributes lose their underscores and spaces:
`malloc(free_x,1)`. Misses types that macros make up.
"""

from __future__ import annotations

import msgspec

from analyzers.frontends.c.file import File
from analyzers.frontends.c.words import ATTRIBUTES_TO_SKIP, CLEANUP_BY_TYPE
from analyzers.syntax import Node

TYPE_KINDS = frozenset((
    "primitive_type", "type_identifier", "sized_type_specifier", "struct_specifier", "union_specifier",
    "enum_specifier", "macro_type_specifier",
))

_TAGGED = {"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"}

DECLARATOR_KINDS = frozenset((
    "identifier", "field_identifier", "type_identifier", "pointer_declarator", "array_declarator",
    "function_declarator", "parenthesized_declarator", "attributed_declarator", "init_declarator",
    "abstract_pointer_declarator", "abstract_array_declarator", "abstract_function_declarator",
    "abstract_parenthesized_declarator", "primitive_type",
))


class Specifiers(msgspec.Struct, gc=False):
    """What stands before the declarators: the type, attributes and storage classes, and the type's node."""

    type: str
    attributes: list[str]
    node: Node | None
    declarators: list[Node]


class Declarator(msgspec.Struct, gc=False):
    """A declarator: its name, its whole type, and the parameters where it declares a function."""

    name: str
    type: str
    node: Node
    parameters: Node | None
    attributes: list[str]
    sizes: list[Node]


def specifiers(file: File, kids: list[Node]) -> Specifiers:
    """Split the children of a declaration into its type, its attributes and its declarators."""
    type_text = ""
    qualifier = ""
    attributes: list[str] = []
    type_node: Node | None = None
    declarators: list[Node] = []
    for kid in kids:
        kind = kid.kind
        if type_node is None and kind in TYPE_KINDS:
            type_node = kid
            type_text = type_name(file, kid)
        elif kind in DECLARATOR_KINDS:
            declarators.append(kid)
        elif kind == "type_qualifier":
            word = file.text(kid)
            if word == "const":
                qualifier = "const "
                if not declarators:
                    attributes.append(word)
            else:
                attributes.append(word.strip("_").lower())
        elif kind == "storage_class_specifier":
            attributes.append(file.text(kid).strip("_"))
        elif kind in ("attribute_specifier", "attribute_declaration"):
            attributes += attribute_names(file, kid)
    if type_node is not None and type_node.kind == "macro_type_specifier":
        attributes += _macro_attributes(file, type_node)
    return Specifiers(qualifier + type_text, attributes, type_node, declarators)


def type_name(file: File, node: Node) -> str:
    """A type specifier as canonical text: `struct s` for a struct, however it is written."""
    kind = node.kind
    if kind in _TAGGED:
        for kid in node.kids:
            if kid.kind == "type_identifier":
                name = file.text(kid)
                file.mentions.add(name)
                return f"{_TAGGED[kind]} {name}"
        return f"{_TAGGED[kind]} @{file.unnamed_type(node.start)}"
    if kind == "macro_type_specifier":
        return _macro_type(file, node)
    text = file.text(node)
    if kind == "type_identifier" and text.isidentifier():
        file.mentions.add(text)
    elif " " in text or "\n" in text:
        text = " ".join(text.split())
    return text


def _macro_type(file: File, node: Node) -> str:
    """`g_autoptr(T)` is `T *`, `g_auto(T)` is `T`; of another macro the text."""
    words = [file.text(kid) for kid in node.kids]
    if words and words[0] in CLEANUP_BY_TYPE and len(words) > 1:
        return words[1] + CLEANUP_BY_TYPE[words[0]]
    return file.text(node)


def _macro_attributes(file: File, node: Node) -> list[str]:
    words = [file.text(kid) for kid in node.kids]
    return [f"{words[0]}({words[1]})"] if words and words[0] in CLEANUP_BY_TYPE and len(words) > 1 else []


def attribute_names(file: File, node: Node) -> list[str]:
    """The attributes of `__attribute__((…))` or `[[…]]`."""
    names: list[str] = []
    for group in node.kids:
        for item in group.kids if group.kind == "argument_list" else [group]:
            if item.kind in ("call_expression", "attribute") and item.kids:
                words = [kid for kid in item.kids[:2] if kid.kind == "identifier"] or item.kids[:1]
                name = plain_name(file.text(words[-1]))  # behind the vendor of `[[gnu::cleanup(f)]]`
                arguments = [file.text(a) for kid in item.kids[1:] if kid.kind == "argument_list" for a in kid.kids]
                if name not in ATTRIBUTES_TO_SKIP:
                    names.append(f"{name}({','.join(arguments)})" if arguments else name)
            elif item.kind == "identifier":
                name = plain_name(file.text(item))
                if name not in ATTRIBUTES_TO_SKIP:
                    names.append(name)
    return names


def plain_name(name: str) -> str:
    """An attribute's name without the underscores that protect it from macros."""
    return name[2:-2] if len(name) > 4 and name.startswith("__") and name.endswith("__") else name


def declarator(file: File, node: Node, base: str) -> Declarator:
    """Read a declarator of the base type."""
    kind = node.kind
    if kind in ("identifier", "field_identifier"):
        return Declarator(file.text(node), base, node, None, [], [])
    stars = ""
    suffix = ""
    parameters: Node | None = None
    is_function_pointer = False
    attributes: list[str] = []
    sizes: list[Node] = []
    name_node = node
    name = ""
    while True:
        kind = node.kind
        inner: Node | None = None
        if kind in ("pointer_declarator", "abstract_pointer_declarator"):
            if parameters is not None:
                is_function_pointer = True
            else:
                stars += "*"
        elif kind in ("array_declarator", "abstract_array_declarator"):
            suffix = "[]"
            sizes += [kid for kid in node.kids if kid.kind not in DECLARATOR_KINDS and kid.kind != "type_qualifier"][:1]
        elif kind in ("function_declarator", "abstract_function_declarator"):
            parameters = next((kid for kid in node.kids if kid.kind == "parameter_list"), None)
            is_function_pointer = False
        elif kind in ("identifier", "field_identifier", "type_identifier", "primitive_type"):
            name_node = node
            name = file.text(node)
            break
        for kid in node.kids:
            if inner is None and kid.kind in DECLARATOR_KINDS:
                inner = kid
            elif kid.kind in ("attribute_specifier", "attribute_declaration"):
                attributes += attribute_names(file, kid)
            elif kid.kind == "call_expression" or (kid.kind == "identifier" and kind == "function_declarator"):
                attributes.append(file.text(kid))
        if inner is None:
            name_node = node
            break
        node = inner
    text = f"{base} {stars}" if stars else base
    if is_function_pointer:
        return Declarator(name, f"{text} (*){suffix}()", name_node, None, attributes, sizes)
    return Declarator(name, text + suffix, name_node, parameters, attributes, sizes)
