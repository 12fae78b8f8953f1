"""Where a statement can be put into a function of C, found by trying all places at once.

LeakFix works on edges of the graph and leaves the way back to the source as engineering. Here a marker is put
wherever a statement may stand (missing `else` branches and unbraced branches among them), the marked text is
lowered, and each marker is found again as a node: an edge that has no marker has no place in the source.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.edits import apply
from fixers.fix import Edit
from fixers.tree import COMMENTS, Tree, child

MARK = "leakmend_point"
VALUE = "leakmend_value_"

Kind = Literal["before", "end", "branch", "behind", "else", "value"]

JUMPS = frozenset(("return_statement", "goto_statement", "break_statement", "continue_statement"))
_LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
_SPLITS = frozenset((
    "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
))
_OTHER_SIDES = frozenset(("preproc_else", "preproc_elif", "preproc_elifdef"))
_NO_STATEMENTS = frozenset((
    "{", "}", "case", "default", ":", "#if", "#ifdef", "#ifndef", "#else", "#elif", "#endif", "\n",
))


_WORDS = re.compile(rb"(?<![^\s;{}])(?:[A-Za-z_]\w*(?:[ \t]*\([^;{}]*\))?[ \t]+)+$")
"""Words in front of a declaration, with what they are given."""


class Point(msgspec.Struct, frozen=True):
    """A place for a statement.

    kind        "before": before `statement`, in a list of statements; "end": behind `statement`, the last of
                its list; "branch", "behind": before and behind `statement`, the only one of a branch; "else": in an
                `else` that `statement` (an `if`) does not have; "value": between the value of a `return` and its end
    is_early    a declaration follows in the same block: C89 wants no statement before it
    depth       loops around it
    """

    number: int
    kind: Kind
    statement: Node
    is_early: bool
    depth: int


class Points:
    """All points of a function, and the text with a marker at each."""

    def __init__(self, path: str, tree: Tree, result: str) -> None:
        self.tree = tree
        self.result = result
        self.found: list[Point] = []
        self._draft = Draft(path, tree.data)
        body = next((node for node in _descend(tree.root) if node.kind == "compound_statement"), None)
        if body is not None:
            self._list(body, 0)

    def edits(self) -> tuple[Edit, ...]:
        """The insertion of all markers."""
        return self._draft.edits() or ()

    def marked(self) -> bytes | None:
        """The text with all markers, None where there is no place for one."""
        edits = self.edits()
        return apply(self.tree.data, edits) if edits else None

    def _mark(self, kind: Kind, statement: Node, depth: int, *, is_early: bool = False) -> str:
        number = len(self.found)
        self.found.append(Point(number, kind, statement, is_early, depth))
        return f"{MARK}({number});"  # One name for all: what is looked up by a name is looked up once.

    def _list(self, holder: Node, depth: int) -> None:
        """The statements of a block, a case, or a side of a condition of the preprocessor."""
        body = [self._whole(each) for each in statements(holder)]
        last_declaration = max((n for n, each in enumerate(body) if each.kind == "declaration"), default=-1)
        for index, statement in enumerate(body):
            if statement.kind in _SPLITS:
                self._list(statement, depth)
                continue
            if statement.kind not in ("case_statement", "labeled_statement"):
                mark = self._mark("before", statement, depth, is_early=index <= last_declaration)
                self._draft.insert(statement.start, mark + " ")
            self._inside(statement, depth)
        own = [each for each in body if each.kind not in _OTHER_SIDES]
        if own and own[-1].kind not in _SPLITS:
            last = own[-1]
            is_early = holder.kind in _SPLITS and last.kind == "declaration"
            if last.kind != "case_statement" and completes(last) and not is_early:
                self._draft.insert(last.end, " " + self._mark("end", last, depth))

    def _whole(self, statement: Node) -> Node:
        """A declaration with the macros in front of it, which the tree leaves out (`cleanup_close int fd = -1;`)."""
        if statement.kind != "declaration":
            return statement
        line = self.tree.data[self.tree.data.rfind(b"\n", 0, statement.start) + 1 : statement.start]
        words = _WORDS.search(line)
        return msgspec.structs.replace(statement, start=statement.start - len(words.group())) if words else statement

    def _inside(self, statement: Node, depth: int) -> None:
        """The places inside a statement."""
        match statement.kind:
            case "compound_statement" | "case_statement":
                self._list(statement, depth)
            case "if_statement":
                self._if(statement, depth)
            case kind if kind in _LOOPS:
                body = _body(statement)
                if body is not None:
                    self._branch(body, depth + 1)
            case "switch_statement":
                body = child(statement, "compound_statement")
                if body is not None:
                    self._list(body, depth)
            case "labeled_statement":
                inner = _labelled(statement)
                if inner is not None and inner.kind != "declaration":
                    self._draft.insert(inner.start, self._mark("before", inner, depth) + " ")
                    self._inside(inner, depth)
            case "return_statement":
                self._value(statement, depth)
            case _:
                pass

    def _if(self, statement: Node, depth: int) -> None:
        consequence, alternative = if_parts(statement)
        if consequence is None:
            return
        self._branch(consequence, depth)
        if alternative is None:
            self._draft.insert(statement.end, f" else {{ {self._mark('else', statement, depth)} }}")
        elif alternative.kind == "if_statement":
            self._if(alternative, depth)
        else:
            self._branch(alternative, depth)

    def _branch(self, statement: Node, depth: int) -> None:
        """A statement that is a whole branch."""
        if statement.kind == "compound_statement":
            if statements(statement):
                self._list(statement, depth)
            else:
                self._draft.insert(statement.start + 1, self._mark("end", statement, depth))
            return
        self._draft.insert(statement.start, "{ " + self._mark("branch", statement, depth) + " ")
        self._inside(statement, depth)
        behind = " " + self._mark("behind", statement, depth) if completes(statement) else ""
        self._draft.insert(statement.end, f"{behind} }}")

    def _value(self, statement: Node, depth: int) -> None:
        """`return e;` as `{ T value = e; marker; return value; }`, where e is more than a name or a number, or is `errno`."""
        value = returned(statement)
        if value is None or (_is_simple(value) and "errno" not in self.tree.text(value)) or not self.result or self.result == "void":
            return
        mark = self._mark("value", statement, depth)
        name = f"{VALUE}{len(self.found)}"
        self._draft.replace(statement.start, value.start, f"{{ {self.result} {name} = ")
        self._draft.replace(value.end, statement.end, f"; {mark} return {name}; }}")


def statements(holder: Node) -> list[Node]:
    """The statements of a list of statements."""
    kids = [kid for kid in holder.kids if kid.kind not in COMMENTS]
    if holder.kind == "case_statement":
        at = next((n for n, kid in enumerate(kids) if kid.kind == ":"), 0)
        kids = kids[at + 1 :]
    elif holder.kind in _SPLITS and holder.kind != "preproc_else":
        kids = kids[2:]
    return [kid for kid in kids if kid.kind not in _NO_STATEMENTS and (kid.kind in _SPLITS or _is_statement(kid))]


def _is_statement(node: Node) -> bool:
    return node.kind.endswith("_statement") or node.kind == "declaration"


def if_parts(statement: Node) -> tuple[Node | None, Node | None]:
    """(consequence, alternative) of an `if`."""
    kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
    consequence = next((kid for kid in kids if _is_statement(kid)), None)
    clause = next((kid for kid in kids if kid.kind == "else_clause"), None)
    alternative = next((kid for kid in clause.kids if _is_statement(kid)), None) if clause is not None else None
    return consequence, alternative


def _body(loop: Node) -> Node | None:
    found = [kid for kid in loop.kids if kid.kind.endswith("_statement")]
    return found[0] if found else None


def _labelled(statement: Node) -> Node | None:
    return next((kid for kid in statement.kids if _is_statement(kid)), None)


def returned(statement: Node) -> Node | None:
    """The expression of a `return`."""
    kids = [kid for kid in statement.kids if kid.kind not in COMMENTS and kid.kind not in ("return", ";")]
    return kids[0] if kids else None


def _is_simple(value: Node) -> bool:
    """Whether an expression is a name or a number: no release changes it."""
    while value.kind == "parenthesized_expression" or (value.kind == "unary_expression" and value.kids[0].kind == "-"):
        inner = [kid for kid in value.kids if kid.kind not in COMMENTS and kid.kind not in ("(", ")", "-")]
        if len(inner) != 1:
            return False
        value = inner[0]
    return value.kind in ("identifier", "number_literal", "null", "true", "false", "string_literal", "char_literal")


def completes(statement: Node) -> bool:
    """Whether control can come out at a statement's end, as far as its shape tells."""
    if statement.kind in JUMPS:
        return False
    if statement.kind in ("compound_statement", "labeled_statement"):
        inner = [kid for kid in statement.kids if _is_statement(kid)]
        return not inner or completes(inner[-1])
    if statement.kind == "if_statement":
        consequence, alternative = if_parts(statement)
        if consequence is None or alternative is None:
            return True
        return completes(consequence) or completes(alternative)
    return True


def is_needless(point: Point) -> bool:
    """Whether a place in an `else` is one behind the whole statement: the other branch does not come out at its end."""
    consequence = if_parts(point.statement)[0] if point.kind == "else" else None
    return consequence is not None and not completes(consequence)


def _descend(root: Node) -> list[Node]:
    """The function and its direct parts."""
    function = next((kid for kid in root.kids if kid.kind == "function_definition"), None)
    return function.kids if function is not None else []
