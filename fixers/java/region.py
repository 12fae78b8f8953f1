"""Which statements need a resource: from its acquisition to its last use, and of what is made of it."""

from __future__ import annotations

from collections.abc import Sequence, Set

import msgspec

from analyzers.syntax import Node
from fixers.java.lifted import locals_of
from fixers.java.statements import (
    TRIES,
    call_parts,
    declarators,
    declared,
    declared_type,
    initialiser,
    statements,
    uses,
)
from fixers.paths.values import NUMBERED
from fixers.tree import COMMENTS, Tree, child, find
from fixers.unchanged import FRESH, FRESH_RESULTS

_PLAIN = frozenset(
    ["int", "long", "short", "byte", "char", "boolean", "float", "double", "String", "Integer", "Long", "Short", "Byte", "Character", "Boolean", "Float", "Double", "byte[]", "char[]", "int[]", "long[]", "String[]", "BigDecimal", "BigInteger", "File", "Path", "Date", "Properties"]
)


class Region(msgspec.Struct, frozen=True):
    """A run of statements of one container, perhaps empty.

    first, last   indices in the container's statements (last < first: empty)
    hoisted       declarations inside whose variables are used behind the region
    """

    first: int
    last: int
    body: tuple[Node, ...]
    hoisted: tuple[Node, ...] = ()


def derived(tree: Tree, body: list[Node], variable: str) -> set[str]:
    """The variable and the locals that are made of it and may still need it."""
    names = {variable}
    grown = True
    while grown:
        grown = False
        for node in (each for statement in body for each in find(statement, "local_variable_declaration", "resource")):
            for name, value, written in _made(tree, node):
                is_plain = written in _PLAIN or _is_read_whole(tree, value, written)
                if name not in names and (not is_plain or is_descriptor(tree, value)) and uses(tree, value, names):
                    names.add(name)
                    grown = True
        for node in (each for statement in body for each in find(statement, "assignment_expression")):
            target, value = node.kids[0], node.kids[-1]
            if target.kind == "identifier" and tree.text(target) not in names and _is_made(tree, body, target, value, names):
                names.add(tree.text(target))
                grown = True
        if new := keepers(tree, body, names) - names:
            names |= new
            grown = True
    return names


def _is_read_whole(tree: Tree, value: Node, written: str) -> bool:
    """Whether a value is an object that a call has read to its end, by the name of that."""
    while value.kind in ("cast_expression", "parenthesized_expression"):
        value = next((kid for kid in reversed(value.kids) if kid.kind not in (")", *COMMENTS)), value.kids[-1])
    name = call_parts(tree, value)[1] if value.kind == "method_invocation" else ""
    is_read = name in _READING_ALL or (name in _COLLECTING and written.partition("<")[0] in _COLLECTED) or (name, written.rpartition(".")[2]) in _READ_AS
    return is_read and not written.partition("<")[0].endswith(_READING_ON) and written != "var"


_COLLECTING = frozenset(("collect", "toList"))
_COLLECTED = frozenset(("List", "Set", "Map", "Collection", "String"))
"""What a stream is made into that holds nothing of where it came from."""

_READ_AS = frozenset((("parse", "Document"), ("read", "BufferedImage"), ("getManifest", "Manifest")))
"""Methods whose name says too little, and what they give."""

_READING_ALL = frozenset(("fromJson", "readValue", "readTree", "readObject", "unmarshal", "fromXML", "deserialize", "readAllBytes", "readAllLines", "decodeStream"))
_READING_ON = ("Stream", "Reader", "Parser", "Iterator", "Iterable", "Scanner", "Channel", "Source", "Object")
"""How types end of what reads when it is asked."""


def is_descriptor(tree: Tree, value: Node) -> bool:
    """Whether a value, a plain number perhaps, names what the resource has open, or where a server listens: it ends with it."""
    parts = [call_parts(tree, each) for each in find(value, "method_invocation")]
    if any(NUMBERED.fullmatch(name) for _, name, _ in parts):
        return True
    asked = {tree.text(receiver) for receiver, name, _ in parts if receiver is not None and name in _WHERE}
    kinds = {
        declared_type(tree, each) for each in find(tree.root, "local_variable_declaration") if not asked.isdisjoint(declared(tree, each))
    }
    return any("Server" in kind and kind not in _PORTS for kind in kinds)


_WHERE = ("getPort", "getLocalPort", "getAddress", "getURL", "getUrl", "getURI", "getUri")
_PORTS = ("ServerSocket", "ServerSocketChannel")
"""What is often opened only to find a port that is free."""


def keepers(tree: Tree, body: list[Node], names: set[str]) -> set[str]:
    """The variables whose objects are given one of some others to keep: `options.setBound(slice)`."""
    found = set()
    for call in (each for statement in body for each in find(statement, "method_invocation")):
        receiver, name, given = call_parts(tree, call)
        if receiver is None or receiver.kind != "identifier" or not name.startswith(_KEEPING):
            continue
        if any(each.kind in ("identifier", "object_creation_expression") and uses(tree, each, names) for each in given):
            found.add(tree.text(receiver))
    return {each for each in found if each[:1].islower()}


_KEEPING = ("set", "register", "attach", "init", "updateAsciiStream", "updateBinaryStream", "updateCharacterStream", "updateBlob", "updateClob")
"""How methods begin that keep what they are given."""


def _made(tree: Tree, node: Node) -> list[tuple[str, Node, str]]:
    """(name, initialiser, type) of what a declaration or a resource declares."""
    if node.kind == "resource":
        name = next((kid for kid in node.kids if kid.kind == "identifier"), None)
        return [(tree.text(name), node.kids[-1], "")] if name is not None and len(node.kids) > 1 else []
    written = declared_type(tree, node)
    return [(tree.text(each.kids[0]), value, written) for each in declarators(node) if (value := initialiser(each))]


def _is_made(tree: Tree, body: list[Node], target: Node, value: Node, names: set[str]) -> bool:
    if not uses(tree, value, names):
        return False
    name = tree.text(target)
    around = next((each for each in reversed(tree.path(body[0].start, body[0].end)) if each.kind.endswith(_PROCEDURES)), tree.root)
    for node in (each for part in (*body, around) for each in find(part, "local_variable_declaration")):
        if name in declared(tree, node):
            written = declared_type(tree, node)
            return (written not in _PLAIN and not _is_read_whole(tree, value, written)) or is_descriptor(tree, value)
    return True


_PROCEDURES = ("method_declaration", "constructor_declaration", "static_initializer", "lambda_expression")


MAX_BEHIND = 2
"""Statements behind the last use of a resource that may come into its block."""


def ends_with(closes: Sequence[Node], container: Node) -> bool:
    """Whether the resource is open to the end of a block: nothing much follows a statement of it that closes it."""
    body = statements(container)
    last = max((n for n, each in enumerate(body) if each in closes), default=len(body))
    return len(body) - last <= 1 + MAX_BEHIND


def goes_on_to(closes: Sequence[Node], container: Node, region: Region) -> bool:
    """Whether a block for a region goes on behind the last close, for what is declared in it, and to where hardly anything of the block around follows."""
    body = statements(container)
    last = max((n for n, each in enumerate(body) if each in closes), default=len(body))
    return last < region.last and len(body) - 1 - region.last <= MAX_BEHIND


def last_use(tree: Tree, container: Node, first: int, names: set[str]) -> int:
    """The index of the last statement from `first` on that mentions one of the names; first - 1 for none."""
    body = statements(container)
    return max((n for n in range(first, len(body)) if uses(tree, body[n], names)), default=first - 1)


def needed(tree: Tree, container: Node, first: int, variable: str, last: int = -1) -> Region:
    """The statements from `first` to the last that needs the resource (or to `last`). Locals declared among them that
    are used behind them pull the end on; where that reaches too far they are hoisted instead."""
    body = statements(container)
    names = derived(tree, body[first:], variable)
    if last < 0:
        last = last_use(tree, container, first, names)
        own = last_use(tree, container, first, {variable})
        if first <= own < last and (is_close(tree, body[own], variable) or _closes_at_end(tree, body[own], variable)):
            last = own
    plain_end = last
    while True:
        inner = [name for statement in body[first : last + 1] for name in declared(tree, statement)]
        further = last_use(tree, container, last + 1, set(inner)) if inner else last
        if further <= last:
            break
        last = further
    is_closed = plain_end >= first and any(is_close(tree, body[plain_end], each) for each in sorted(names))
    further = last - plain_end
    is_apart = is_closed and any(each.kind in TRIES and child(each, "catch_clause") is not None for each in body[plain_end + 1 : last + 1])
    is_tall = any(not each.kind.endswith(_FLAT) for each in body[plain_end + 1 : last + 1])
    is_chosen = any(each.kind in _CHOICES for each in body[plain_end + 1 : last + 1])
    if is_apart or (is_closed and is_chosen) or (further > (1 if is_closed else 3) and (is_closed or further > plain_end - first)):
        return _hoisting(tree, container, first, plain_end)
    if further and (is_closed or is_tall) and _is_made_empty(tree, (hoisted := _hoisting(tree, container, first, plain_end)).hoisted):
        return hoisted
    return Region(first, last, tuple(body[first : last + 1]))


_CHOICES = ("if_statement", "switch_statement", "switch_expression")
"""Statements of which a block that only needs its end takes in more than one way: they stay outside."""

_FLAT = ("expression_statement", "return_statement", "local_variable_declaration", "throw_statement")
"""Statements that hold no others."""


def to_close(tree: Tree, container: Node, first: int, variable: str) -> Region | None:
    """The statements from `first` to where the code itself closes the resource at last, where something follows that; None where it
    does not close it there, or what follows needs the resource still."""
    body = statements(container)
    last = max((n for n in range(first, len(body)) if is_close(tree, body[n], variable)), default=len(body) - 1)
    if last + 1 >= len(body) or last_use(tree, container, last + 1, {variable}) > last:
        return None
    return _hoisting(tree, container, first, last)


def _is_made_empty(tree: Tree, declarations: tuple[Node, ...]) -> bool:
    """Whether all that some declarations make is an empty buffer or collection: they may as well come before a block."""
    values = [initialiser(each) for statement in declarations for each in declarators(statement)]
    return all(value is not None and is_fresh(tree, value) for value in values)


def is_fresh(tree: Tree, value: Node, fixed: Set[str] = frozenset()) -> bool:
    """Whether a value is an empty buffer or collection, or a number or text of its own, by the name of its class or of the method that
    gives it. It may be made of literals, or of `fixed` variables and how many there are in what they name; that those are numbers is for
    the proof to say."""
    arguments = child(value, "argument_list")
    if value.kind == "array_creation_expression" and fixed and child(value, "array_initializer") is None:
        sizes = [kid for each in find(value, "dimensions_expr") for kid in each.kids if kid.kind not in ("[", "]")]
        return bool(sizes) and all(each.kind.endswith("_literal") or _is_count(tree, each, fixed, is_exact=True) for each in sizes)
    given = [kid for kid in arguments.kids if kid.kind not in ("(", ")", ",")] if arguments is not None else []
    if arguments is None or any(not each.kind.endswith("_literal") and each.kind not in ("true", "false") and not _is_count(tree, each, fixed) for each in given):
        return False
    if value.kind == "method_invocation" and not given:
        receiver, name, _ = call_parts(tree, value)
        return name in FRESH_RESULTS and (receiver is None or tree.text(receiver)[:1].isupper())
    written = child(value, "type_identifier", "generic_type", "scoped_type_identifier")
    name = tree.text(written).partition("<")[0] if written is not None else ""
    name = name.rpartition(".")[2] if name.startswith(("java.util.", "java.io.", "java.lang.")) else name
    is_known = name in FRESH and not (name.startswith("Atomic") and any(each.kind == "method_invocation" for each in given))
    return value.kind == "object_creation_expression" and child(value, "class_body") is None and is_known


def _is_count(tree: Tree, given: Node, fixed: Set[str], *, is_exact: bool = False) -> bool:
    """Whether an expression names a fixed variable or a constant, or asks one how many it holds: for room alone, unless `is_exact`, for a
    collection may have grown meanwhile."""
    if given.kind == "identifier":
        return bool(fixed) and (tree.text(given) in fixed or (tree.text(given).isupper() and tree.text(given) not in locals_of(tree)))
    if given.kind == "method_invocation":
        receiver, name, others = call_parts(tree, given)
        return not is_exact and receiver is not None and name in ("size", "length") and not others and receiver.kind == "identifier" and _is_count(tree, receiver, fixed)
    is_length = given.kind == "field_access" and given.kids[0].kind == "identifier" and tree.text(given) == f"{tree.text(given.kids[0])}.length"
    return is_length and _is_count(tree, given.kids[0], fixed) and _is_array(tree, tree.text(given.kids[0]))


def _is_array(tree: Tree, name: str) -> bool:
    """Whether all variables of a name are arrays: how long these are never changes, unlike a field `length` of something else."""
    typed = [
        each for each in find(tree.root, "local_variable_declaration", "formal_parameter", "field_declaration")
        if name in (*declared(tree, each), *(tree.text(kid) for kid in each.kids if kid.kind == "identifier"))
    ]
    return bool(typed) and all(child(each, "array_type") is not None for each in typed)


def is_close(tree: Tree, statement: Node, variable: str) -> bool:
    """Whether a statement is `v.close();`: there the code itself is done with it."""
    calls = [call_parts(tree, each) for each in statement.kids if each.kind == "method_invocation"]
    return any(
        (receiver is not None and tree.text(receiver) == variable and name in ("close", "shutdown", "shutdownNow", "disconnect") and not given)
        or ("close" in name.lower() and len(given) == 1 and tree.text(given[0]) == variable)
        for receiver, name, given in calls
    )


def _closes_at_end(tree: Tree, statement: Node, variable: str) -> bool:
    """Whether a statement is a branch that goes on with the resource and closes it last (`if (rows.next()) { …; rows.close(); }`)."""
    kids = [each for each in statement.kids if each.kind not in COMMENTS]
    inside = statements(kids[-1]) if statement.kind == "if_statement" and len(kids) == 3 and kids[-1].kind == "block" else []
    return bool(inside) and is_close(tree, inside[-1], variable)


def whole(container: Node, first: int) -> Region:
    """All statements from `first` to the end of the container."""
    body = statements(container)
    return Region(first, len(body) - 1, tuple(body[first:]))


def _hoisting(tree: Tree, container: Node, first: int, last: int) -> Region:
    body = statements(container)
    hoisted = [
        statement
        for statement in body[first : last + 1]
        if declared(tree, statement)
        and last_use(tree, container, last + 1, set(declared(tree, statement))) > last
    ]
    return Region(first, last, tuple(body[first : last + 1]), tuple(hoisted))
