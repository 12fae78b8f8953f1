"""Mutants of C: the same file with one release taken out, with the test around it where that does nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.handles.unknown import words_of
from analyzers.syntax import C, Node, parse
from benchmarks.mutants_java import Mutant

KINDS = ("plain", "early", "label", "member")
"""Struck out: on the way through, before an early exit, behind a label; what a member or an element holds."""

_RELEASING = frozenset(("free", "close", "destroy", "release", "unref", "delete", "dispose", "decref", "cleanup"))
_ENDINGS = ("free", "close", "closedir")
_NO_RELEASE = frozenset(("cb", "exec", "later", "lock", "mutex", "on", "reset", "unlock"))
"""Words of names with which a function releases nothing, or nothing that is reported."""

_EXITS = ("return_statement", "goto_statement", "break_statement", "continue_statement")
_PLACES = ("field_expression", "subscript_expression")


def mutants(data: bytes) -> list[Mutant]:
    """Each mutant of a file, in the order of its text; none of what does not parse, and none of `main`."""
    syntax = parse(C, data)
    found: list[Mutant] = []
    for function in syntax.root.kids:
        if function.kind != "function_definition" or any(function.start <= start < function.end for start, _ in syntax.errors):
            continue
        if _name(function, data) != "main":
            found += _of_function(function, data)
    return found


def _name(function: Node, data: bytes) -> str:
    """The name that a definition declares."""
    node = next((kid for kid in function.kids if "declarator" in kid.kind), function)
    while node.kind != "identifier" and node.kids:
        node = next((kid for kid in node.kids if "declarator" in kid.kind or kid.kind == "identifier"), node.kids[0])
    return _text(node, data)


def _of_function(function: Node, data: bytes) -> Iterator[Mutant]:
    filled = set(_filled(function, data))
    for path in _paths(function, (function,)):
        argument = _released(path[-1], data)
        if argument is None:
            continue
        is_place = argument.kind in _PLACES
        if not is_place and (argument.kind != "identifier" or _text(argument, data) not in filled):
            continue
        kind = "member" if is_place else _where(path)
        yield Mutant(kind, _text(argument, data), function.start, function.end, (_struck(path),))


def _paths(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Every node of a function with those above it."""
    for kid in node.kids:
        path = (*above, kid)
        yield path
        yield from _paths(kid, path)


def _filled(function: Node, data: bytes) -> Iterator[str]:
    """The variables of a function that are given what a call returns, or whose address a call is given."""
    declared: set[str] = set()
    for path in _paths(function.kids[-1], ()):
        node = path[-1]
        if node.kind == "declaration":
            declared.update(_text(each, data) for below in _paths(node, ()) if (each := below[-1]).kind == "identifier")
        target, value = (node.kids[0], node.kids[-1]) if node.kind in ("init_declarator", "assignment_expression") and node.kids else (None, None)
        while target is not None and "declarator" in target.kind and target.kids:
            target = target.kids[-1]
        if target is not None and value is not None and target.kind == "identifier" and _is_call(value) and _text(target, data) in declared:
            yield _text(target, data)
        if node.kind == "pointer_expression" and len(path) > 2 and path[-2].kind == "argument_list" and data[node.start : node.start + 1] == b"&":
            name = _text(node.kids[-1], data)
            if name in declared:
                yield name


def _is_call(value: Node) -> bool:
    while value.kind in ("cast_expression", "parenthesized_expression") and value.kids:
        value = value.kids[-1]
    return value.kind == "call_expression"


def _released(node: Node, data: bytes) -> Node | None:
    """What a statement `x_free(x);` releases; None for any other node."""
    if node.kind != "expression_statement" or len(node.kids) != 1:
        return None
    call = node.kids[0].kids[-1] if node.kids[0].kind == "cast_expression" and node.kids[0].kids else node.kids[0]
    if call.kind != "call_expression" or call.kids[0].kind != "identifier" or not call.kids[1].kids:
        return None
    words = words_of(_text(call.kids[0], data))
    is_named = not _RELEASING.isdisjoint(words) or any(word.endswith(_ENDINGS) for word in words)
    if not is_named or not _NO_RELEASE.isdisjoint(words):
        return None
    argument = call.kids[1].kids[0]
    while argument.kind in ("pointer_expression", "cast_expression", "parenthesized_expression") and argument.kids:
        argument = argument.kids[-1]
    return argument


def _where(path: tuple[Node, ...]) -> str:
    """The kind of a mutant that strikes out the statement at the end of a path."""
    for above, below in zip(reversed(path[:-1]), reversed(path), strict=False):
        if above.kind == "labeled_statement":
            return "label"
        if above.kind == "compound_statement" and above is not path[1]:
            behind = [kid.kind for kid in above.kids if kid.start >= below.end]
            if behind and behind[-1] in _EXITS:
                return "label" if any(kid.kind == "labeled_statement" for kid in above.kids if kid.end <= below.start) else "early"
    body = path[1]
    is_behind = any(kid.kind == "labeled_statement" and kid.end <= path[-1].start for kid in body.kids)
    return "label" if is_behind else "plain"


def _struck(path: tuple[Node, ...]) -> tuple[int, int, bytes]:
    """The edit that takes out the statement at the end of a path, with the tests around nothing else."""
    position = len(path) - 1
    while position > 1:
        above = path[position - 1]
        outer = path[position - 2]
        is_alone = above.kind == "compound_statement" and len(above.kids) == 1 and _is_test(outer)
        if not is_alone and not _is_test(above):
            break
        position -= 1
    node, above = path[position], path[position - 1]
    if node.kind == "compound_statement":
        return node.start, node.end, b"{ }"
    return node.start, node.end, b"" if above.kind == "compound_statement" else b";"


def _is_test(node: Node) -> bool:
    """Whether a node is a test without another branch whose condition only looks."""
    return node.kind == "if_statement" and len(node.kids) == 2 and not any(
        path[-1].kind in ("call_expression", "assignment_expression", "update_expression") for path in _paths(node.kids[0], ())
    )


def _text(node: Node, data: bytes) -> str:
    return data[node.start : node.end].decode(errors="replace")
