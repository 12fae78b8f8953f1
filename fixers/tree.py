"""The concrete syntax of one procedure, every token and comment in it, for planning edits.

Only the bytes of the procedure are parsed, at the offsets that they have in the file.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from analyzers import syntax
from analyzers.facts import readable_c
from analyzers.syntax import Node

COMMENTS = frozenset(("line_comment", "block_comment", "comment"))

_SHELLS = ((b"class _ {", b"}"), (b"record _() {", b"}"), (b"class _ {Object _ =", b";}"))
"""What a part of a Java class is parsed in: ordinary members, compact constructors, lambdas that fields begin with."""


@functools.cache
def _grammar(language: str) -> syntax.Grammar:
    """The grammar that keeps everything."""
    known = syntax.JAVA if language == "java" else syntax.C
    count = known.language.node_kind_count
    kinds = [known.language.node_kind_for_id(number) or "" for number in range(count)]
    return syntax.Grammar(known.language, [kind for kind in kinds if kind], ("string_literal", "character_literal"))


class Tree:
    """A parsed stretch of a file: its root, and the ways from there.

    `optional` are the bytes that the preprocessor may leave out without the tree saying so.
    """

    def __init__(
        self, data: bytes, root: Node, errors: tuple[tuple[int, int], ...], optional: tuple[tuple[int, int], ...] = ()
    ) -> None:
        self.data = data
        self.root = root
        self.errors = errors
        self.optional = optional

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.data[node.start : node.end].decode("utf-8", "surrogateescape")

    def path(self, start: int, end: int) -> list[Node]:
        """The nodes that hold the bytes [start, end), from the root to the smallest. Of nodes with the
        same bytes all are in it."""
        found = [self.root]
        node = self.root
        while True:
            inner = next((kid for kid in node.kids if kid.start <= start and end <= kid.end), None)
            if inner is None:
                return found
            found.append(inner)
            node = inner


def parse(language: str, data: bytes, start: int, end: int) -> Tree:
    """The tree of the procedure at [start, end)."""
    best: Tree | None = None
    for shell, tail in _SHELLS if language == "java" else ((b"", b""),):
        if start < len(shell):
            continue
        text = b" " * (start - len(shell)) + shell + data[start:end] + tail
        parsed = syntax.parse(_grammar(language), text)
        tree = Tree(data, parsed.root, parsed.errors)
        if not parsed.errors:
            return tree
        best = best or tree
    if language == "c" and (read := readable_c(data, start, end)) is not None and start >= len(read.head):
        parsed = syntax.parse(_grammar(language), b" " * (start - len(read.head)) + read.head + read.text)
        if not parsed.errors:
            return Tree(data, parsed.root, (), read.optional)
    return best or parse_file(language, data)


def parse_file(language: str, data: bytes) -> Tree:
    """The tree of a whole file."""
    parsed = syntax.parse(_grammar(language), data)
    return Tree(data, parsed.root, parsed.errors)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the source."""
    stack = [node]
    while stack:
        each = stack.pop()
        yield each
        if each.kids:
            stack += each.kids[::-1]


def find(node: Node, *kinds: str) -> Iterator[Node]:
    """The nodes of some kinds at or below a node, in the order of the source."""
    stack = [node]
    pop, extend = stack.pop, stack.extend
    while stack:
        each = pop()
        if each.kind in kinds:
            yield each
        if kids := each.kids:
            extend(reversed(kids))


def child(node: Node, *kinds: str) -> Node | None:
    """The first child of one of the kinds."""
    return next((kid for kid in node.kids if kid.kind in kinds), None)


def named(node: Node) -> list[Node]:
    """The children that are neither punctuation nor keywords nor comments."""
    return [kid for kid in node.kids if (kid.kind[:1].isalpha() and "_" in kid.kind and kid.kind not in COMMENTS)
            or kid.kind in _WORDS]


_WORDS = frozenset(("identifier", "block", "this", "super", "null", "true", "false", "resource", "asterisk"))
"""Kinds of named nodes without an underscore."""


def innermost(path: list[Node], accepts: Callable[[Node], bool]) -> int:
    """The index of the deepest node on a path that is accepted, -1 where there is none."""
    return next((index for index in range(len(path) - 1, -1, -1) if accepts(path[index])), -1)
