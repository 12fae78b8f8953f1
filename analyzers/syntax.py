"""Concrete syntax trees: the only module that knows the parser.

A tree is read once, by cursor, into plain nodes and dropped: attribute access across the parser's
border is what costs time. Comments and punctuation stay behind; of the anonymous tokens those remain
that a grammar lists (operators, modifiers). Offsets are bytes of the file.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence

import msgspec
import tree_sitter
import tree_sitter_c
import tree_sitter_java

ERROR = "ERROR"
"""The kind of a node that holds what the grammar could not place."""


class Node(msgspec.Struct, gc=False):
    """A node of a concrete syntax tree: its kind in the grammar, its bytes [start, end), its children."""

    kind: str
    start: int
    end: int
    kids: list[Node]


class Syntax(msgspec.Struct, gc=False):
    """A parsed file: the root, the sorted bytes of every place that did not parse (or is missing), and how
    deep the tree is. It `is_cut` where parsing took too many steps: then there is no tree."""

    root: Node
    errors: tuple[tuple[int, int], ...]
    depth: int = 0
    is_cut: bool = False


class Grammar:
    """What is kept of the trees of one language.

    `tokens` are the anonymous tokens that stay, `opaque` the kinds whose children are left out
    (their text is all that anyone reads), and `below` has (token, kind) where the token stays below
    that kind only.
    """

    def __init__(
        self,
        language: tree_sitter.Language,
        tokens: Iterable[str],
        opaque: Iterable[str],
        below: Iterable[tuple[str, str]] = (),
    ) -> None:
        kept, closed, under = frozenset(tokens), frozenset(opaque), frozenset(below)
        kinds = [language.node_kind_for_id(number) or "" for number in range(language.node_kind_count)]
        self.language = language
        self.kinds = [
            kind if kind in kept or (language.node_kind_is_named(number) and "comment" not in kind) else ""
            for number, kind in enumerate(kinds)
        ]
        self.opaque = [kind in closed for kind in kinds]
        self.below = {
            number: (kind, frozenset(parent for token, parent in under if token == kind))
            for number, kind in enumerate(kinds)
            if any(token == kind for token, _ in under)
        }


_JAVA_TOKENS = (
    "+ - * / % & | ^ << >> >>> && || == != < > <= >= ! ~ ++ -- = += -= *= /= %= &= |= ^= <<= >>= >>>= "
    "new default public protected private abstract static final strictfp synchronized native transient "
    "volatile sealed non-sealed class interface enum record @interface"
)
_JAVA_OPAQUE = (
    "string_literal character_literal type_arguments generic_type scoped_type_identifier array_type "
    "scoped_identifier annotation_argument_list dimensions module_declaration"
)
_JAVA_EMPTY_STATEMENTS = (
    "for_statement enhanced_for_statement while_statement if_statement do_statement labeled_statement"
)

JAVA = Grammar(
    tree_sitter.Language(tree_sitter_java.language()),
    _JAVA_TOKENS.split(),
    _JAVA_OPAQUE.split(),
    [(";", kind) for kind in _JAVA_EMPTY_STATEMENTS.split()],
)

_C_TOKENS = "+ - * / % & | ^ << >> && || == != < > <= >= ! ~ ++ -- = += -= *= /= %= &= |= ^= <<= >>= -> ."
_C_OPAQUE = (
    "string_literal char_literal concatenated_string number_literal type_descriptor sized_type_specifier "
    "preproc_include preproc_params preproc_call preproc_defined ms_declspec_modifier bitfield_clause "
    "type_qualifier storage_class_specifier null true false primitive_type subscript_range_designator identifier "
    "field_identifier type_identifier statement_identifier preproc_arg "
) + _C_TOKENS

C = Grammar(
    tree_sitter.Language(tree_sitter_c.language()),
    _C_TOKENS.split(),
    _C_OPAQUE.split(),
    [(";", "for_statement")],
)


_CHUNK = 1 << 16
_FEWEST_STEPS = 2_000
_BYTES_PER_STEP = 25
_MOST_COMMENT_BYTES = 20_000_000


def parse(grammar: Grammar, data: bytes) -> Syntax:
    """The tree of any bytes at all; never raises.

    Where the parser recovers from errors it can take quadratic time and memory: its steps are counted
    against the bytes behind it, not timed, so that the answer depends on the bytes alone.
    """
    tree = None if _has_open_comments(data) else _tree(grammar, data)
    if tree is None:
        return Syntax(Node(ERROR, 0, len(data), []), ((0, len(data)),), is_cut=True)
    root, depth = _read(tree.walk(), grammar)
    errors = tuple(sorted(set(_errors(tree)))) if tree.root_node.has_error else ()
    return Syntax(root, errors, depth)


def _tree(grammar: Grammar, data: bytes) -> tree_sitter.Tree | None:
    steps = 0

    def read(offset: int, _: tree_sitter.Point) -> bytes:
        return data[offset : offset + _CHUNK]

    def must_stop(offset: int, _: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > _FEWEST_STEPS + offset // _BYTES_PER_STEP

    try:
        return tree_sitter.Parser(grammar.language).parse(read, progress_callback=must_stop)
    except ValueError:
        return None


def _has_open_comments(data: bytes) -> bool:
    """Whether so many comments begin that never end that looking for their ends takes quadratic time."""
    closed = data.rfind(b"*/") + 1
    return data.count(b"/*", closed) * (len(data) - closed) > _MOST_COMMENT_BYTES


def _read(cursor: tree_sitter.TreeCursor, grammar: Grammar) -> tuple[Node, int]:
    """The tree as plain nodes, and its depth."""
    kinds, opaque, below = grammar.kinds, grammar.opaque, grammar.below
    named = len(kinds)
    down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    top = cursor.node
    if top is None:
        return Node(ERROR, 0, 0, []), 0
    root = Node(ERROR if top.is_error else top.type, top.start_byte, top.end_byte, [])
    stack = [root]
    kids = root.kids
    deepest = 0
    if not down():
        return root, 0
    while True:
        node = cursor.node
        assert node is not None
        number = node.kind_id
        kind = kinds[number] if number < named else ERROR
        if not kind and number in below and stack[-1].kind in below[number][1]:
            kind = below[number][0]
        if kind:
            read = Node(kind, node.start_byte, node.end_byte, [])
            kids.append(read)
            if (number >= named or not opaque[number]) and down():
                stack.append(read)
                kids = read.kids
                if len(stack) > deepest:
                    deepest = len(stack)
                continue
        while not right():
            up()
            stack.pop()
            if not stack:
                return root, deepest
            kids = stack[-1].kids


def _errors(tree: tree_sitter.Tree) -> Iterable[tuple[int, int]]:
    """The bytes of each ERROR and MISSING node; an ERROR inside another is part of it."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        if node is not None and (node.is_error or node.is_missing):
            yield node.start_byte, node.end_byte
        elif node is not None and node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def first_error(errors: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first error that touches the bytes [start, end), from the sorted errors of a file."""
    position = bisect.bisect_left(errors, (start, 0))
    if position and errors[position - 1][1] > start:
        return errors[position - 1]
    if position < len(errors) and errors[position][0] < end:
        return errors[position]
    return None
