"""Whether every name in the patched text still means what it should: locals in their scope, no new strangers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.syntax import Node
from fixers.edits import original
from fixers.fix import Edit, Verdict
from fixers.tree import Tree, walk

Judgement = tuple[Verdict, str]


class Locals:
    """The local variables of some procedures of one file, with the bytes where each can be named. `nested`: the names of those that
    lie in the scope of another of the same procedure."""

    def __init__(self, procedures: Sequence[ir.Procedure]) -> None:
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self.nested: set[str] = set()
        for procedure in procedures:
            here: dict[str, list[tuple[int, int]]] = {}
            for variable in procedure.variables:
                if variable.kind in ("local", "parameter") and variable.end > variable.start:
                    name = ir.source_name(variable.name)
                    bounds = (procedure.start + variable.start, procedure.start + variable.end)
                    self._ranges.setdefault(name, []).append(bounds)
                    if any(start < bounds[1] and bounds[0] < end for start, end in here.get(name, ())):
                        self.nested.add(name)
                    here.setdefault(name, []).append(bounds)

    def __contains__(self, name: str) -> bool:
        return name in self._ranges

    def is_visible(self, name: str, offset: int) -> bool:
        """Whether a local of this name can be named at an offset."""
        return any(start <= offset < end for start, end in self._ranges.get(name, ()))


def names_in_scope(
    before: tuple[Tree, Locals], after: tuple[Tree, Locals], edits: Sequence[Edit], known: frozenset[str]
) -> Judgement:
    """Compare the two texts: what named a local must still do so, what is new must be known.

    `known` are names that may stand anywhere (of fields, types, functions, macros).
    """
    _, old = before
    tree, new = after
    for node in names(tree.root):
        name = tree.text(node)
        source = original(edits, node.start)
        is_kept = before[0].data[source : source + len(name.encode())] == name.encode()
        was_local = old.is_visible(name, source)
        if new.is_visible(name, node.start):
            if is_kept and not was_local and name in new and _was_written(edits, node, tree) is False:
                return Verdict.REFUTED, f"`{name}` would mean another variable"
            continue
        if name in old and was_local:
            return Verdict.REFUTED, f"`{name}` is out of scope where the fix needs it"
        if not is_kept and name not in known and name not in old:
            return Verdict.ASSUMED, f"`{name}` is not known here"
    return Verdict.PROVED, "every name means what it did"


def _was_written(edits: Sequence[Edit], node: Node, tree: Tree) -> bool:
    from fixers.edits import inserted

    del tree
    return any(start <= node.start < end for start, end in inserted(edits))


def names(root: Node) -> Iterator[Node]:
    """The identifiers that can name a variable."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind == "identifier":
            yield node
            continue
        stack.extend(_operands(node))


def _operands(node: Node) -> list[Node]:
    """The children of a node that can hold names of variables that are used (not declared, not members)."""
    match node.kind:
        case "method_invocation":
            at = next((n for n, kid in enumerate(node.kids) if kid.kind == "argument_list"), len(node.kids))
            return [kid for n, kid in enumerate(node.kids) if n != at - 1]
        case "field_access" | "field_expression" | "method_reference":
            return node.kids[:1]
        case "labeled_statement":
            return node.kids[1:]
        case "break_statement" | "continue_statement" | "goto_statement":
            return []
        case "formal_parameter" | "catch_formal_parameter" | "spread_parameter" | "parameter_list" | "inferred_parameters":
            return []
        case "variable_declarator":
            return node.kids[1:]
        case "resource":
            at = next((n for n, kid in enumerate(node.kids) if kid.kind == "="), -1)
            return node.kids[at + 1 :]
        case "method_declaration" | "constructor_declaration" | "class_declaration" | "annotation" | "marker_annotation":
            return [kid for kid in node.kids if kid.kind != "identifier"] if "annotation" not in node.kind else []
        case "lambda_expression":
            return node.kids[1:]
        case "call_expression":
            return node.kids
        case "init_declarator":
            return node.kids[1:]
        case "declaration" | "function_declarator" | "pointer_declarator" | "array_declarator":
            return [kid for kid in node.kids if kid.kind != "identifier" or node.kind == "array_declarator"]
        case "macro_type_specifier" | "type_identifier" | "sizeof_expression":
            return []
        case _:
            return node.kids


def all_names(tree: Tree) -> frozenset[str]:
    """Every identifier that a text mentions, whatever it means."""
    kinds = ("identifier", "type_identifier", "field_identifier")
    return frozenset(tree.text(node) for node in walk(tree.root) if node.kind in kinds)
