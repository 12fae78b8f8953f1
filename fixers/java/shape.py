"""Where an acquisition stands in the syntax: declared, assigned, passed on, returned, dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from analyzers.syntax import Node
from fixers.java.statements import CONTAINERS, call_parts, initialiser
from fixers.tree import COMMENTS, Tree, child

Kind = Literal["declared", "assigned", "header", "nested", "dropped", "field", "other"]

_THROUGH = frozenset(("parenthesized_expression", "cast_expression"))


class Shape(msgspec.Struct, frozen=True):
    """The acquisition and what is around it.

    expression   what acquires
    outer        the expression whose value the variable or the context gets: `expression`, a wrapper that is
                 built around it, a choice between it and null or another, or a `switch` of which it is an arm
    kind         "declared": `T v = outer;`; "assigned": `v = outer;`; "header": in a try header;
                 "dropped": a statement of its own; "nested": inside a larger expression; "field"
    variable     the local variable that holds it, empty where there is none
    statement    the statement that holds the expression
    container    what holds the statement; None where that is the single branch of an `if` or the like
    path         from the root down to `expression`
    wrapped      wrapped expressions between `expression` and `outer`, innermost first, without `outer`
    """

    expression: Node
    outer: Node
    kind: Kind
    variable: str
    statement: Node
    container: Node | None
    path: tuple[Node, ...]
    wrapped: tuple[Node, ...] = ()


def _is_no_end(written: str) -> bool:
    """The answer where nobody asks which types have no `close`."""
    return False


def classify(tree: Tree, start: int, end: int, is_endless: Callable[[str], bool] = _is_no_end) -> Shape | None:
    """The shape of the acquisition at [start, end); None where no statement holds it. What is made of it is no wrapper where its type,
    as written, is known to have no `close` (`is_endless`)."""
    path = tree.path(start, end)
    at = _expression(path)
    if at < 0:
        return None
    outer, wrapped = _outermost(tree, path, at, is_endless)
    kind, variable = _context(tree, path, outer)
    holder = _statement(path, outer)
    if holder < 0:
        return None
    parent = path[holder - 1] if holder else None
    container = parent if parent is not None and parent.kind in CONTAINERS else None
    return Shape(path[at], path[outer], kind, variable, path[holder], container, tuple(path[: at + 1]), wrapped)


def _expression(path: list[Node]) -> int:
    """The outermost node with the bytes of the acquisition that is a call or a creation."""
    kinds = ("object_creation_expression", "method_invocation", "explicit_constructor_invocation")
    last = path[-1]
    same = [n for n, node in enumerate(path) if node.start == last.start and node.end == last.end and node.kind in kinds]
    if same:
        return same[0]
    return next((n for n in range(len(path) - 1, -1, -1) if path[n].kind in kinds), -1)


def _outermost(tree: Tree, path: list[Node], at: int, is_endless: Callable[[str], bool]) -> tuple[int, tuple[Node, ...]]:
    """Climb out of constructors that take the value (`new Wrapper(value)`), and of calls that stand for one."""
    outer = at
    wrapped: list[Node] = []
    index = at - 1
    while index > 0:
        if path[index].kind in _THROUGH:
            index -= 1
            continue
        if path[index].kind == "argument_list" and (_is_wrapper(tree, path[index - 1], is_endless) or _is_factory(tree, path[index - 1])):
            wrapped.append(path[outer])
            outer = index - 1
            index -= 2
            continue
        if (choice := _arm_of(path, index)) > 0:
            wrapped += [path[outer]] if wrapped else []
            outer = choice
        if path[index].kind == "ternary_expression" and not wrapped and _is_one_of_two(path[index], path[outer]):
            outer = index
        break
    return outer, tuple(wrapped)


def _is_wrapper(tree: Tree, call: Node, is_endless: Callable[[str], bool]) -> bool:
    """Whether an expression makes an object that is not known to have no `close`."""
    written = child(call, "type_identifier", "scoped_type_identifier", "generic_type")
    return call.kind == "object_creation_expression" and (written is None or not is_endless(tree.text(written).partition("<")[0]))


_FACTORIES = {
    "Channels": re.compile(r"new[A-Z]\w*"), "Okio": re.compile(r"buffer"), "IOUtils": re.compile(r"buffer"), "AudioSystem": re.compile(r"getAudioInputStream"),
    "Encoder": re.compile(r"wrap"), "Decoder": re.compile(r"wrap"),
}
"""Classes of libraries, or what methods of `Base64` give, and their methods that make a stream over another one, which closes that."""


def _is_factory(tree: Tree, call: Node) -> bool:
    """Whether a call of a library makes a stream, or a channel, over what it is given."""
    receiver, name, given = call_parts(tree, call) if call.kind == "method_invocation" else (None, "", [])
    if receiver is None or len(given) > 2:
        return False
    words = tree.text(receiver)
    owner = words.rpartition(".")[2]
    if receiver.kind == "method_invocation":
        owner = owner.partition("(")[0].removeprefix("get").removeprefix("Mime").removeprefix("Url") if words.startswith(("Base64.", "java.util.Base64.")) else ""
    return owner in _FACTORIES and _FACTORIES[owner].fullmatch(name) is not None


def _arm_of(path: list[Node], index: int) -> int:
    """The `switch` whose value a variable gets, where a statement on a path is the value of one of its arms; else 0."""
    around = [each.kind for each in path[max(index - 4, 0) : index + 1]]
    is_given = around[:1] in (["variable_declarator"], ["assignment_expression"])
    return index - 3 if is_given and around[1:] == ["switch_expression", "switch_block", "switch_rule", "expression_statement"] else 0


def _is_one_of_two(choice: Node, value: Node) -> bool:
    """Whether `c ? a : b` is a value, or else null, another new object, or the result of a call (is that acquired? verify asks)."""
    branches = [kid for kid in choice.kids if kid.kind not in COMMENTS][2::2]
    kinds = [each.kind for each in branches if not each.start <= value.start < each.end]
    return len(branches) == 2 and kinds in (["null_literal"], ["object_creation_expression"], ["method_invocation"])


def _context(tree: Tree, path: list[Node], outer: int) -> tuple[Kind, str]:
    index = outer - 1
    while index > 0 and path[index].kind in _THROUGH:
        index -= 1
    parent = path[index]
    match parent.kind:
        case "variable_declarator":
            if path[index - 1].kind == "field_declaration":
                return "field", tree.text(parent.kids[0])
            return "declared", tree.text(parent.kids[0])
        case "assignment_expression":
            kids = [kid for kid in parent.kids if kid.kind not in COMMENTS]
            is_statement = path[index - 1].kind == "expression_statement"
            if kids[0].kind == "identifier" and kids[1].kind == "=" and is_statement:
                return "assigned", tree.text(kids[0])
            return ("field", "") if kids[0].kind == "field_access" else ("other", "")
        case "resource":
            name = next((kid for kid in parent.kids if kid.kind == "identifier"), None)
            return "header", tree.text(name) if name else ""
        case "expression_statement":
            return "dropped", ""
        case _:
            return "nested", ""


def _statement(path: list[Node], outer: int) -> int:
    """The innermost statement or declaration around a node."""
    for index in range(outer, -1, -1):
        kind = path[index].kind
        if kind.endswith("_statement") or kind in ("local_variable_declaration", "field_declaration"):
            return index
        if kind in ("lambda_expression", "class_body"):
            return -1
    return -1


def given(shape: Shape) -> Node:
    """What a variable is given: the outer expression with the casts and parentheses around it."""
    if shape.kind not in ("declared", "assigned"):
        return shape.outer
    index = next(n for n, node in enumerate(shape.path) if node is shape.outer)
    while shape.path[index - 1].kind in _THROUGH:
        index -= 1
    return shape.path[index]


_ROOMY = frozenset(("method_invocation", "field_access", "argument_list", "assignment_expression", "variable_declarator", "return_statement"))
"""In what an expression may stand without the parentheses around it, once it is only a name."""


def place_of(shape: Shape) -> tuple[int, int]:
    """Where a name goes that stands for the outer expression: in its place, with the parentheses around it that no name needs."""
    at = next(n for n, node in enumerate(shape.path) if node is shape.outer)
    inner = at
    while inner > 1 and shape.path[inner - 1].kind == "parenthesized_expression":
        inner -= 1
    node = shape.path[inner] if inner and shape.path[inner - 1].kind in _ROOMY else shape.outer
    return node.start, node.end


def result_variable(tree: Tree, shape: Shape) -> tuple[Node, Node] | None:
    """(declarator, initialiser) of a declaration of one variable that holds a nested acquisition."""
    if shape.statement.kind != "local_variable_declaration":
        return None
    found = [kid for kid in shape.statement.kids if kid.kind == "variable_declarator"]
    if len(found) != 1 or child(found[0], "dimensions") is not None:
        return None
    value = initialiser(found[0])
    return (found[0], value) if value is not None else None
