"""Mutants of Java: the same file with one release of a resource taken out or moved to where not every path passes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from analyzers.syntax import JAVA, Node, parse

KINDS = ("plain", "early", "catch", "finally", "moved", "header")
"""Struck out on the way through, before an early exit, in a handler, in `finally`; moved out of `finally`; a header made a plain block."""

_HOLD_NOTHING = frozenset((
    "StringWriter", "StringReader", "CharArrayWriter", "CharArrayReader", "ByteArrayInputStream", "ByteArrayOutputStream", "Lock", "Stream", "IntStream",
))
"""Types whose objects nobody needs to close."""

_BODIES = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
_OWN_SCOPE = (*_BODIES, "lambda_expression", "class_body", "static_initializer")
_EXITS = ("return_statement", "throw_statement", "break_statement", "continue_statement")
_NO_ACQUISITION = ("null_literal", "identifier", "this", "field_access", "string_literal", "array_access")

_DEPTH = 200
"""How deep statements are nested at most; below lie long sums only, whose paths would take the square of their length."""


class Mutant(msgspec.Struct, frozen=True):
    """What one mutant changes: its kind, the variable, the bytes of its method, (start, end, text) of each edit."""

    kind: str
    name: str
    start: int
    end: int
    edits: tuple[tuple[int, int, bytes], ...]

    def applied(self, data: bytes) -> bytes:
        """The file with its edits made."""
        for start, end, text in sorted(self.edits, reverse=True):
            data = data[:start] + text + data[end:]
        return data


def mutants(data: bytes) -> list[Mutant]:
    """Each mutant of a file, in the order of its text; none of a file that does not parse."""
    syntax = parse(JAVA, data)
    if syntax.errors:
        return []
    return [mutant for method in _methods(syntax.root) for mutant in _of_method(method, data)]


def _methods(root: Node) -> Iterator[Node]:
    """Each method of a tree in the order of its text; without recursion, as sums of a thousand texts are deep."""
    waiting = [*reversed(root.kids)]
    while waiting:
        node = waiting.pop()
        if node.kind in _BODIES:
            yield node
        waiting += reversed(node.kids)


def _of_method(method: Node, data: bytes) -> Iterator[Mutant]:
    owned = set(_owned(method, data))
    for path in _paths(method, (method,)):
        node = path[-1]
        edits: tuple[tuple[int, int, bytes], ...] = ()
        if node.kind == "try_with_resources_statement" and (name := _only_resource(node, data)):
            yield Mutant("header", name, method.start, method.end, _opened(node, data))
        elif (name := _released(node, data)) in owned:
            yield Mutant(_where(path), name, method.start, method.end, (_struck(path),))
            if edits := _moved(path, data):
                yield Mutant("moved", name, method.start, method.end, edits)


def _paths(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Every node of a method with those above it; functions inside are functions of their own, and no release lies deeper than `_DEPTH`."""
    waiting = [(*above, kid) for kid in reversed(node.kids)]
    while waiting:
        path = waiting.pop()
        if path[-1].kind not in _OWN_SCOPE:
            yield path
            if len(path) < _DEPTH:
                waiting += [(*path, kid) for kid in reversed(path[-1].kids)]


def _owned(method: Node, data: bytes) -> Iterator[str]:
    """The variables that a method declares and fills with what some call or constructor made."""
    declared = set()
    for path in _paths(method, ()):
        node = path[-1]
        if node.kind == "local_variable_declaration":
            of_type = next(kid for kid in node.kids if kid.kind not in ("modifiers", "variable_declarator"))
            if _text(of_type, data).partition("<")[0] in _HOLD_NOTHING:
                continue
            for each in node.kids:
                if each.kind == "variable_declarator":
                    declared.add(_text(each.kids[0], data))
                    if _is_acquired(each.kids[1:], data):
                        yield _text(each.kids[0], data)
        elif node.kind == "assignment_expression" and _text(node.kids[0], data) in declared and _is_acquired(node.kids[1:], data):
            yield _text(node.kids[0], data)


def _is_acquired(values: Sequence[Node], data: bytes) -> bool:
    """Whether a value is made here, and not one that holds nothing."""
    if not values or values[-1].kind in _NO_ACQUISITION:
        return False
    made = [kid for kid in values[-1].kids if kid.kind in ("type_identifier", "generic_type")]
    return values[-1].kind != "object_creation_expression" or not any(_text(kid, data) in _HOLD_NOTHING for kid in made)


def _released(node: Node, data: bytes) -> str:
    """The variable that a statement `x.close();` or `closeQuietly(x);` releases; empty for any other node."""
    if node.kind != "expression_statement" or node.kids[0].kind != "method_invocation":
        return ""
    *receiver, called, given = node.kids[0].kids
    if _text(called, data) == "close" and not given.kids and len(receiver) == 1 and receiver[0].kind == "identifier":
        return _text(receiver[0], data)
    if "close" in _text(called, data).lower() and len(given.kids) == 1 and given.kids[0].kind == "identifier":
        return _text(given.kids[0], data)
    return ""


def _where(path: tuple[Node, ...]) -> str:
    """The kind of a mutant that strikes out the statement at the end of a path."""
    for above in reversed(path):
        if above.kind == "finally_clause":
            return "finally"
        if above.kind == "catch_clause":
            return "catch"
    for above, below in zip(reversed(path[:-1]), reversed(path), strict=False):
        if above.kind == "if_statement":
            return "plain"
        if above.kind == "block" and above is not path[1]:
            is_behind = [kid.kind for kid in above.kids if kid.start >= below.end]
            if is_behind and is_behind[-1] in _EXITS:
                return "early"
    return "plain"


def _struck(path: tuple[Node, ...]) -> tuple[int, int, bytes]:
    """The edit that takes out the statement at the end of a path, with the tests and handlers around nothing else."""
    position = len(path) - 1
    while position > 1:
        above, node = path[position - 1], path[position]
        is_alone = above.kind == "block" and len(above.kids) == 1 and path[position - 2].kind in ("if_statement", "try_statement")
        is_branch = above.kind == "if_statement" and len(above.kids) == 2
        is_tried = above.kind == "try_statement" and node is above.kids[0] and above.kids[-1].kind != "finally_clause"
        if not (is_alone or is_branch or is_tried):
            break
        position -= 1
    node, above = path[position], path[position - 1]
    return node.start, node.end, b"" if above.kind == "block" and node.kind != "block" else b"{ }" if node.kind == "block" else b";"


def _moved(path: tuple[Node, ...], data: bytes) -> tuple[tuple[int, int, bytes], ...]:
    """The edits that put what the `finally` around a statement does to the end of its `try`; none where there is no such."""
    position = next((at for at in range(len(path) - 1, 0, -1) if path[at].kind == "finally_clause"), 0)
    if not position or path[position - 1].kind != "try_statement":
        return ()
    last, whole = path[position], path[position - 1]
    body, block = whole.kids[0], last.kids[0]
    if not body.kids:
        return ()
    at = body.kids[-1].start if body.kids[-1].kind in _EXITS else body.kids[-1].end
    text = b" " + data[block.start + 1 : block.end - 1].strip() + b"\n"
    head = () if len(whole.kids) > 2 else ((whole.start, body.start, b""),)
    return (*head, (at, at, text), (last.start, last.end, b""))


def _only_resource(node: Node, data: bytes) -> str:
    """The one variable that a header declares and fills; empty where there are more, or it holds nothing."""
    resources = node.kids[0].kids
    if len(resources) != 1 or len(resources[0].kids) < 3:
        return ""
    *modifiers, of_type, name, _, value = resources[0].kids
    is_plain = all(kid.kind == "modifiers" for kid in modifiers) and name.kind == "identifier"
    if not is_plain or _text(of_type, data).partition("<")[0] in _HOLD_NOTHING or not _is_acquired((value,), data):
        return ""
    return _text(name, data)


def _opened(node: Node, data: bytes) -> tuple[tuple[int, int, bytes], ...]:
    """The edit that declares the resource of a header inside of the block."""
    resource, body = node.kids[0].kids[0], node.kids[1]
    opening = b"try { " if len(node.kids) > 2 else b"{ "
    return ((node.start, body.start + 1, opening + data[resource.start : resource.end] + b";"),)


def _text(node: Node, data: bytes) -> str:
    return data[node.start : node.end].decode(errors="replace")
