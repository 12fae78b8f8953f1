"""Names for variables that a fix introduces."""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.java.statements import CONTAINERS, declarators
from fixers.naming import unused
from fixers.tree import Tree, child, find

_SHORT = (("InputStream", "in"), ("OutputStream", "out"), ("Reader", "reader"), ("Writer", "writer"), ("Statement", "statement"))
_ABLE = "Closeable"
_RESERVED = frozenset((
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if",
    "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package", "private",
    "protected", "public", "return", "short", "static", "super", "switch", "synchronized", "this", "throw",
    "throws", "transient", "try", "void", "volatile", "while", "var", "record", "yield",
))


def variable_for(tree: Tree, written: str, taken: frozenset[str] = frozenset(), place: Node | None = None) -> str:
    """A name for a variable of a type that nothing in the procedure bears yet; with a place, nothing that is known in
    the statement there."""
    simple = written.partition("<")[0].rpartition(".")[2].removesuffix("[]")
    name = next((short for suffix, short in _SHORT if simple.endswith(suffix)), _uncapitalised(simple))
    if (rest := simple.removeprefix(_ABLE)) and rest != simple and rest[0].isupper():
        name = next((short for suffix, short in _SHORT if rest.endswith(suffix)), _uncapitalised(rest))  # Nobody says of a variable what its type says.
    methods = {id(_name_of(node)) for node in find(tree.root, "method_invocation", "method_declaration", "method_reference")}
    known = list(find(tree.root, "identifier")) if place is None else _known_at(tree, place)
    names = {tree.text(node) for node in known if id(node) not in methods}
    fields = set[str]() if place is None else _fields_of(tree)
    used = names | taken | _RESERVED | fields
    full = _uncapitalised(simple)
    if name not in used and any(each.lower() == name.lower() and each[0].islower() for each in used) and f"opened{simple}" not in used:
        return f"opened{simple}"  # Nobody tells `zipFile` from `zipfile`.
    if name not in used or full not in used:
        return name if name not in used else full
    if (simple.endswith("Stream") or name in fields) and f"opened{simple}" not in used:
        return f"opened{simple}"
    number = 2
    while f"{name}{number}" in used:
        number += 1
    return f"{name}{number}"


def unused_at(tree: Tree, place: Node, *names: str) -> str:
    """The first of some names that nothing bears which a statement may see, for what only the next few lines know."""
    known = {tree.text(each) for each in _known_at(tree, place)}
    return next((name for name in names if name not in known), "") or unused(tree, *names)


def _known_at(tree: Tree, place: Node) -> list[Node]:
    """The identifiers of a procedure without those that only other statements around a place know."""
    path = tree.path(place.start, place.end)
    found: list[Node] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.kind == "identifier":
            found.append(node)
        is_passed = any(each is node for each in path) and node is not place
        is_around = node.kind in CONTAINERS and is_passed
        for kid in node.kids:
            if is_passed and kid.kind == "block" and not any(each is kid for each in path):
                continue  # Another branch, which declares for itself alone.
            if is_passed and kid.kind == "resource_specification" and any(each.kind.endswith("_clause") and any(each is one for one in node.kids) for each in path):
                continue  # Handlers see nothing of a header.
            if not is_around or any(each is kid for each in path):
                waiting.append(kid)
            elif kid.kind == "local_variable_declaration":
                found += [each.kids[0] for each in declarators(kid)]
            else:
                found += [each for pattern in find(kid, "instanceof_expression") for each in find(pattern, "identifier")]
    return found


def _fields_of(tree: Tree) -> set[str]:
    """The names of a procedure that it does not declare: fields, which a variable would hide, and types."""
    kinds = ("variable_declarator", "formal_parameter", "resource", "catch_formal_parameter", "enhanced_for_statement", "lambda_expression")
    declared = (child(each, "identifier") for each in find(tree.root, *kinds))
    own = {tree.text(each) for each in declared if each is not None}
    parts = {id(each.kids[-1]) for each in find(tree.root, "field_access")}
    methods = {id(_name_of(node)) for node in find(tree.root, "method_invocation", "method_declaration", "method_reference")}
    return {tree.text(each) for each in find(tree.root, "identifier") if id(each) not in methods | parts} - own


def _name_of(node: Node) -> Node | None:
    """What a call, a declaration of a method, or a reference to one names."""
    if node.kind == "method_reference":
        return node.kids[-1] if len(node.kids) > 1 else None
    last = next((n for n, kid in enumerate(node.kids) if kid.kind in ("argument_list", "formal_parameters")), 0)
    return node.kids[last - 1] if last else None


def _uncapitalised(simple: str) -> str:
    """`urlClassLoader` of `URLClassLoader`, `store` of `Store`."""
    count = next((n for n, letter in enumerate(simple) if not letter.isupper()), len(simple))
    head = count if count in (1, len(simple)) else max(count - 1, 1)
    return simple[:head].lower() + simple[head:]
