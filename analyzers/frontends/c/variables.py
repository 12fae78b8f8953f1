"""Declarations inside a body: variables with their initialisers, statics, prototypes, types, nested functions."""

from __future__ import annotations

from analyzers.frontends.c import expressions, grids, places
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.declarators import Declarator, Specifiers, declarator, specifiers
from analyzers.frontends.c.types import collect_type, collect_typedef
from analyzers.frontends.c.words import CLEANUP_BY_TYPE, CLEANUP_TYPES, CLEANUP_WORDS
from analyzers.syntax import Node


def declaration(body: Body, node: Node) -> None:
    """Lower a declaration."""
    found = specifiers(body.file, node.kids)
    words = body.file.words_in(node.start, node.end)
    if words:
        found.attributes += words
    if found.node is not None and found.node.kids:
        collect_type(body.file, found.node)
    if found.node is not None and _may_be_macro(body, found.node, found.declarators):
        body.file.suspects.append(node.start)
    for item in found.declarators:
        _declare(body, node, found, item)


def through_macro(body: Body, node: Node) -> bool:
    """Lower a declaration whose type a macro makes, and that reads like a product of which nobody uses anything
    (`STACK_OF(X509) *all = NULL;`). False for any other expression."""
    product = node.kids[0] if len(node.kids) == 1 else node
    if product.kind != "binary_expression" or len(product.kids) != 3 or product.kids[1].kind != "*":
        return False
    made, _, held = product.kids
    value = held.kids[2] if held.kind == "assignment_expression" and len(held.kids) == 3 and held.kids[1].kind == "=" else None
    name = held.kids[0] if value is not None else held
    if name.kind != "identifier" or not _is_type_macro(body, made) or body.file.text(name) in body.names:
        return False
    variable = body.declare(body.file.text(name), f"{body.file.text(made)} *", "local", name.start, ())
    if value is not None:
        expressions.into(body, value, variable, held)
    return True


def _is_type_macro(body: Body, made: Node) -> bool:
    """Whether what is multiplied is called in capitals, with the name of a type."""
    if made.kind != "call_expression" or len(made.kids) != 2 or made.kids[0].kind != "identifier":
        return False
    given = made.kids[1].kids
    return len(given) == 1 and given[0].kind == "identifier" and body.file.text(made.kids[0]).isupper()


def _may_be_macro(body: Body, type_node: Node, items: list[Node]) -> bool:
    """Whether what was read as a type is rather a macro without its `;`: it stands on a line of its own."""
    if type_node.kind == "type_identifier":
        return bool(items) and "\n" in body.source[type_node.end : items[0].start] and (
            body.file.text(type_node) not in body.file.typedefs
        )
    if type_node.kind == "macro_type_specifier" and items:
        return "\n" in body.source[type_node.end : items[0].start] or items[0].kind == "function_declarator"
    return type_node.end - type_node.start < 15 and "typeof" in body.file.text(type_node)


def _declare(body: Body, node: Node, found: Specifiers, item: Node) -> None:
    initialiser: Node | None = None
    target = item
    if item.kind == "init_declarator" and item.kids:
        target = item.kids[0]
        initialiser = item.kids[-1] if len(item.kids) > 1 else None
    named = declarator(body.file, target, found.type)
    if not named.name:
        return
    if named.parameters is not None:
        body.file.functions.add(named.name)
        body.file.mentions.add(named.name)
        return
    if "static" in found.attributes:
        _static(body, found, named, initialiser)
    elif "extern" in found.attributes:
        body.declare_global(named.name, named.name)
    else:
        _local(body, found, named, initialiser, item)


def _static(body: Body, found: Specifiers, named: Declarator, initialiser: Node | None) -> None:
    field = f"{body.name}.{named.name}"
    body.declare_global(named.name, field)
    body.file.declare_global(field, named.type, tuple(found.attributes), named.node.start, named.node.end)
    if initialiser is not None:
        body.file.initialisers.append((initialiser, field, named.type))


def _local(body: Body, found: Specifiers, named: Declarator, initialiser: Node | None, item: Node) -> None:
    for size in named.sizes:
        if size.kind not in ("number_literal", "identifier"):
            body.effect(size)
    sizes = grids.declared(body.file, item.kids[0] if item.kind == "init_declarator" and item.kids else item)
    attributes = (*found.attributes, *named.attributes, *([grids.attribute(sizes)] if sizes else []))
    variable = body.declare(named.name, named.type, "local", named.node.start, attributes)
    if sizes:
        body.grids[variable] = sizes
    for attribute in attributes:
        cleanup = cleanup_of(attribute)
        if cleanup is not None and body.scopes:
            body.scopes[-1].cleanups.append((variable, *cleanup))
    if initialiser is None:
        return
    if initialiser.kind == "initializer_list":
        places.initialise(body, variable, named.type, initialiser)
    else:
        expressions.into(body, initialiser, variable, item)


def cleanup_of(attribute: str) -> tuple[str, str] | None:
    """The function that an attribute calls when its variable goes, and whether it is given the address."""
    if attribute in CLEANUP_WORDS:
        return CLEANUP_WORDS[attribute]
    name, _, rest = attribute.partition("(")
    argument = rest.removesuffix(")").strip()
    if name in CLEANUP_BY_TYPE:
        if argument in CLEANUP_TYPES and name in ("g_autoptr", "g_auto"):
            return CLEANUP_TYPES[argument], "value"
        return f"glib_autoptr_cleanup_{argument}", "address"
    if name in ("cleanup", "_cleanup_", "__free") and argument:
        return argument, "value" if name == "__free" else "address"
    return None


def type_definition(body: Body, node: Node) -> None:
    """Note a typedef inside a body."""
    collect_typedef(body.file, node)


def specifier(body: Body, node: Node) -> None:
    """Note a struct, union or enum inside a body."""
    collect_type(body.file, node)


def nested_function(body: Body, node: Node) -> None:
    """Note a GNU nested function; it becomes a procedure of its own when this one is done."""
    named = next((kid for kid in node.kids if kid.kind.endswith("declarator")), None)
    if named is None:
        body.unknown(node)
        return
    read = declarator(body.file, named, "")
    if read.parameters is None:
        body.file.suspects.append(node.start)
    name = read.name
    body.pending.append((node, f"{body.name}.{name}", dict(body.names)))
    body.nested[name] = f"{body.name}.{name}"
