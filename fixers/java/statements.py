"""Statements of Java: where they stand, what they declare, which names they use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers.syntax import Node
from fixers.tree import COMMENTS, Tree, child, find, walk

CONTAINERS = frozenset(("block", "constructor_body", "switch_block_statement_group"))
"""What holds a sequence of statements."""

TRIES = ("try_statement", "try_with_resources_statement")

LOOPS = ("for_statement", "enhanced_for_statement", "while_statement", "do_statement")

_INNER = ("method_declaration", "constructor_declaration")

LATER = frozenset(("lambda_expression", "class_body"))
"""What runs at another time than the statements around it, and any number of times."""

_SCOPES = frozenset(("lambda_expression", "class_body", "method_declaration", "constructor_declaration"))
"""Where a `return` or a `this` means another procedure."""


def statements(container: Node) -> list[Node]:
    """The statements of a container, in order."""
    skipped = ("{", "}", ":", "->", "switch_label", ";")
    return [kid for kid in container.kids if kid.kind not in skipped and kid.kind not in COMMENTS]


def identifiers(node: Node) -> Iterator[Node]:
    """The identifiers below a node that can name a variable: no methods, fields of others, labels or types."""
    stack = [node]
    while stack:
        each = stack.pop()
        match each.kind:
            case "identifier":
                yield each
                continue
            case "method_invocation":
                kids = [kid for kid in each.kids if kid.kind not in COMMENTS]
                at = next((n for n, kid in enumerate(kids) if kid.kind == "argument_list"), len(kids))
                kept = kids[: at - 1] + kids[at:]
            case "field_access":
                kept = each.kids[:1]
            case "labeled_statement" | "break_statement" | "continue_statement" | "method_reference":
                kept = each.kids[1:] if each.kind == "labeled_statement" else each.kids[:1]
                if each.kind in ("break_statement", "continue_statement"):
                    kept = []
            case "formal_parameter" | "catch_formal_parameter":
                kept = []
            case "element_value_pair" | "annotation" | "marker_annotation":
                kept = []
            case _:
                kept = each.kids
        stack.extend(reversed(kept))


def uses(tree: Tree, node: Node, names: Iterable[str]) -> bool:
    """Whether a variable of these names is mentioned at or below a node."""
    wanted = set(names)
    hidden = [(each, name) for each in find(node, *_INNER) for name in _declared_inside(tree, each) if name in wanted]
    return any(
        name in wanted and not any(own == name and inner.start <= each.start < inner.end for inner, own in hidden)
        for each in identifiers(node) if (name := tree.text(each))
    )


def _declared_inside(tree: Tree, node: Node) -> set[str]:
    """The variables that a method of a class inside of a method has for itself."""
    kinds = ("variable_declarator", "resource", "formal_parameter", "catch_formal_parameter")
    names = (next((kid for kid in each.kids if kid.kind == "identifier"), None) for each in find(node, *kinds))
    return {tree.text(each) for each in names if each is not None}


def declarators(statement: Node) -> list[Node]:
    """The declarators of a local variable declaration."""
    if statement.kind != "local_variable_declaration":
        return []
    return [kid for kid in statement.kids if kid.kind == "variable_declarator"]


def declared(tree: Tree, statement: Node) -> list[str]:
    """The names that a statement declares for the statements after it."""
    return [tree.text(each.kids[0]) for each in declarators(statement)]


def initialiser(declarator: Node) -> Node | None:
    """The expression after `=`."""
    kids = [kid for kid in declarator.kids if kid.kind not in COMMENTS]
    at = next((n for n, kid in enumerate(kids) if kid.kind == "="), -1)
    return kids[at + 1] if 0 <= at < len(kids) - 1 else None


def declared_type(tree: Tree, statement: Node) -> str:
    """The type of a local variable declaration as written."""
    kids = [kid for kid in statement.kids if kid.kind not in COMMENTS and kid.kind != "modifiers"]
    return tree.text(kids[0])


def annotated(tree: Tree, statement: Node) -> list[str]:
    """The annotations of a declaration as written."""
    modifiers = child(statement, "modifiers")
    return [tree.text(each) for each in modifiers.kids if each.kind.endswith("annotation")] if modifiers is not None else []


def is_final(tree: Tree, statement: Node) -> bool:
    """Whether a declaration is of something that gets its value once."""
    modifiers = child(statement, "modifiers")
    return modifiers is not None and "final" in tree.text(modifiers).split()


def assignment(statement: Node) -> tuple[Node, Node] | None:
    """(target, value) of a statement that is a plain assignment."""
    if statement.kind != "expression_statement":
        return None
    expression = child(statement, "assignment_expression")
    if expression is None:
        return None
    kids = [kid for kid in expression.kids if kid.kind not in COMMENTS]
    return (kids[0], kids[2]) if len(kids) == 3 and kids[1].kind == "=" else None


def assigns(tree: Tree, node: Node, name: str) -> Iterator[Node]:
    """The assignments to a variable at or below a node."""
    for each in find(node, "assignment_expression", "update_expression"):
        target = each.kids[0] if each.kind == "assignment_expression" else None
        if target is None:
            target = next((kid for kid in each.kids if kid.kind == "identifier"), None)
        if target is not None and target.kind == "identifier" and tree.text(target) == name:
            yield each


def try_body(statement: Node) -> Node | None:
    """The block of a try statement."""
    return child(statement, "block")


def catches(statement: Node) -> list[Node]:
    """The catch clauses of a try statement."""
    return [kid for kid in statement.kids if kid.kind == "catch_clause"]


def final_block(statement: Node) -> Node | None:
    """The finally clause of a try statement."""
    return child(statement, "finally_clause")


def call_parts(tree: Tree, call: Node) -> tuple[Node | None, str, list[Node]]:
    """(receiver, name, arguments) of a method invocation."""
    kids = [kid for kid in call.kids if kid.kind not in COMMENTS and kid.kind != "type_arguments"]
    arguments = next((kid for kid in kids if kid.kind == "argument_list"), None)
    at = kids.index(arguments) if arguments else len(kids)
    name = tree.text(kids[at - 1]) if at else ""
    receiver = kids[0] if at >= 3 else None
    given = [kid for kid in arguments.kids if kid.kind not in ("(", ")", ",") and kid.kind not in COMMENTS] if arguments else []
    return receiver, name, given


def has_escaping_jump(node: Node, *kinds: str) -> bool:
    """Whether a `return` (or another of the kinds) below a node leaves it, not a lambda or class inside it."""
    stack = list(node.kids)
    while stack:
        each = stack.pop()
        if each.kind in kinds:
            return True
        if each.kind not in _SCOPES:
            stack.extend(each.kids)
    return False


def completes(statement: Node) -> bool:
    """Whether control can come out at a statement's end, as far as its shape tells."""
    match statement.kind:
        case "return_statement" | "throw_statement" | "break_statement" | "continue_statement" | "yield_statement":
            return False
        case "block":
            inner = statements(statement)
            return not inner or completes(inner[-1])
        case "if_statement":
            branches = [kid for kid in statement.kids if kid.kind not in ("if", "else", "parenthesized_expression")]
            branches = [kid for kid in branches if kid.kind not in COMMENTS]
            return len(branches) < 2 or any(completes(branch) for branch in branches)
        case "try_statement" | "try_with_resources_statement":
            final = final_block(statement)
            if final is not None and (block := child(final, "block")) is not None and not completes(block):
                return False
            blocks = [try_body(statement), *(child(each, "block") for each in catches(statement))]
            return any(block is not None and completes(block) for block in blocks)
        case "synchronized_statement":
            inner_block = child(statement, "block")
            return inner_block is None or completes(inner_block)
        case _:
            return True


def fixed_text(node: Node) -> list[Node]:
    """What must not be moved in: literals that span lines."""
    return [each for each in walk(node) if each.kind == "string_literal" and each.end - each.start > 6]


def finds_what_is_named(tree: Tree, value: Node) -> bool:
    """Whether a value is the resource of a name that is written out, asked of a variable: that gives null rather than to throw, and no handler
    learns of it."""
    receiver, name, given = call_parts(tree, value) if value.kind == "method_invocation" else (None, "", [])
    is_named = len(given) == 1 and given[0].kind == "string_literal"
    return name == "getResourceAsStream" and is_named and (receiver is None or receiver.kind == "identifier")


def is_for_log(tree: Tree, statement: Node) -> bool:
    """Whether a statement tells a log, or the console, of something."""
    call = child(statement, "method_invocation")
    receiver = call_parts(tree, call)[0] if call is not None else None
    return receiver is not None and tree.text(receiver).rpartition(".")[2].strip("_").lower() in ("log", "logger", "out", "err", "timber")
