"""The layout-preserving pre-pass: rewrites what the grammar cannot read, offsets unchanged.

A fallback, item by item: an item that parses is never touched. Each item that does not is cut out,
rewritten and parsed alone, so that it spoils nothing around it.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from analyzers.frontends.c.repair import conditionals, items
from analyzers.frontends.c.repair.chunks import cut
from analyzers.frontends.c.repair.languages import other_language
from analyzers.frontends.c.repair.region import Findings, Region
from analyzers.frontends.c.repair.tokens import Token, directive_word, is_conditional, pairs, tokenise
from analyzers.frontends.c.trees import hides_its_other, is_hidden, move
from analyzers.syntax import C, Node, Syntax, parse

Errors = tuple[tuple[int, int], ...]

_GROUPS = frozenset((
    "translation_unit", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
    "linkage_specification", "declaration_list", "ERROR",
))


_CONDITIONS = frozenset(("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"))


class Repaired:
    """The file-level nodes of a file after the pre-pass, what did not parse even so, and what was taken out.

    `language` is another one where the file is not in C; then there are no nodes. `depth` is that of the
    deepest tree.
    """

    __slots__ = ("depth", "errors", "found", "language", "nodes")

    def __init__(
        self, nodes: list[Node], errors: Errors, found: Findings, language: str = "", depth: int = 0
    ) -> None:
        self.depth = depth
        self.language = language
        self.nodes = nodes
        self.errors = errors
        self.found = found


def repair(source: str, root: Node, errors: Errors, suspects: tuple[int, ...]) -> Repaired:
    """Parse again, rewritten, each item that holds an error or a suspect offset."""
    found = Findings()
    outline = cut(source)
    language = other_language(outline.tokens)
    if language:
        return Repaired([], (), found, language)
    nodes = _outside_directives(_flat(source, root), outline.tokens)
    bad = _bad(outline.items, (*errors, *((offset, offset) for offset in suspects)))
    kept = _outside(nodes, outline.items, bad)
    found.defines += _swallowed(nodes, kept, outline.tokens)
    left: list[tuple[int, int]] = []
    depth = 0
    for number in sorted(bad):
        start, end = outline.items[number]
        syntax = _item(source, start, end, found)
        kept += syntax.root.kids
        left += syntax.errors
        depth = max(depth, syntax.depth)
    kept.sort(key=_start)
    return Repaired(kept, tuple(sorted(left)), found, depth=depth)


def _start(node: Node) -> int:
    return node.start


def _flat(source: str, root: Node) -> list[Node]:
    """The nodes at file level, out of their `#if` and `extern "C"`; what is never C is left out."""
    found: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind not in _GROUPS:
            found.append(node)
        elif node.kind in _CONDITIONS and is_hidden(source, node):
            stack += [kid for kid in node.kids if kid.kind in _GROUPS]
        elif node.kind in _CONDITIONS and hides_its_other(source, node):
            stack += reversed([kid for kid in node.kids if not kid.kind.startswith("preproc_el")])
        else:
            stack += reversed(node.kids)
    return found


def _outside_directives(nodes: list[Node], tokens: list[Token]) -> list[Node]:
    """Without what the grammar took for code in a `#define` that a comment interrupts."""
    directives = [token for token in tokens if token.kind == "directive"]
    starts = [token.start for token in directives]
    kept: list[Node] = []
    for node in nodes:
        number = bisect.bisect_right(starts, node.start) - 1
        if number < 0 or node.start >= directives[number].end or node.kind.startswith("preproc_"):
            kept.append(node)
    return kept


def _swallowed(nodes: list[Node], kept: list[Node], tokens: list[Token]) -> list[tuple[int, int]]:
    """The bytes of each `#define` inside of what the grammar took for one node, and is parsed anew without it."""
    stay = {id(node) for node in kept}
    spans = [(node.start, node.end) for node in nodes if id(node) not in stay]
    defines = [token for token in tokens if token.kind == "directive" and directive_word(token) == "define"] if spans else []
    return [(token.start, token.end) for token in defines if any(start <= token.start < end for start, end in spans)]


def _bad(items: list[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> set[int]:
    """The items that any of the spans touches."""
    ends = [end for _, end in items]
    found: set[int] = set()
    for start, end in spans:
        number = bisect.bisect_left(ends, start)
        while number < len(items) and items[number][0] <= max(end, start + 1):
            found.add(number)
            number += 1
    return found


def _outside(nodes: list[Node], items: list[tuple[int, int]], bad: set[int]) -> list[Node]:
    """The nodes that lie in none of the bad items. Macros stay; an item that a node reaches into from a bad
    one is bad too."""
    macros = [node for node in nodes if node.kind in ("preproc_def", "preproc_function_def")]
    kept = [node for node in nodes if node.kind not in ("preproc_def", "preproc_function_def")]
    ends = [end for _, end in items]
    while True:
        left: list[Node] = []
        reached: list[tuple[int, int]] = []
        for node in kept:
            first, last = bisect.bisect_right(ends, node.start), bisect.bisect_left(ends, node.end)
            if any(number in bad and items[number][0] < node.end for number in range(first, min(last + 1, len(items)))):
                reached.append((node.start, node.end - 1))
            else:
                left.append(node)
        bad |= _bad(items, reached)
        if len(left) == len(kept):
            return macros + left
        kept = left


def _item(source: str, start: int, end: int, found: Findings) -> Syntax:
    """Parse one item, rewritten; offsets are those of the file."""
    try:
        prefix, data = _rewritten(source, start, end, found)
    except RecursionError:
        prefix, data = b"", source[start:end].encode("latin-1")
    syntax = parse(C, prefix + data)
    shift = start - len(prefix)
    move(syntax.root, shift, start, end)
    errors = tuple((max(start, first + shift), max(start, last + shift)) for first, last in syntax.errors)
    return Syntax(syntax.root, errors, syntax.depth)


def _rewritten(source: str, start: int, end: int, found: Findings) -> tuple[bytes, bytes]:
    """What must stand before an item, and its bytes, rewritten."""
    choice = conditionals.choose(tokenise(source, start, end))
    others = [token for token in choice.tokens if token.kind == "directive" and not is_conditional(token)]
    kept = [token for token in choice.tokens if token.kind != "directive" or is_conditional(token)]
    match = pairs(kept)
    if match is None or not kept:
        return b"", source[start:end].encode("latin-1")
    region = Region(source, start, end, kept, match, found)
    for first, last in choice.blanked:
        region.blank(first, last)
    for token in others:
        region.blank(token.start, token.end)
        if directive_word(token) == "define":
            found.defines.append((token.start, token.end))
    found.flow += choice.flow
    prefix = items.rewrite(region)
    region.settle()
    return prefix, bytes(region.out)
