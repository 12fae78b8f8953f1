"""The layout-preserving pre-pass: rewrites what the grammar cannot read, offsets unchanged.

A fallback, item by item: an item that parses is never touched. Each item that does not is cut out,
rewritten and parsed alone, so that it spoils nothing around it.
"""

from __future__ import annotations

import bisect

from analyzers.frontends.c.repair import conditionals, items
from analyzers.frontends.c.repair.chunks import cut
from analyzers.frontends.c.repair.languages import other_language
from analyzers.frontends.c.repair.region import Findings, Region
from analyzers.frontends.c.repair.tokens import Token, directive_word, is_conditional, pairs, tokenise
from analyzers.frontends.c.trees import move
from analyzers.syntax import C, Node, parse

Errors = tuple[tuple[int, int], ...]

_GROUPS = frozenset((
    "translation_unit", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
    "linkage_specification", "declaration_list", "ERROR",
))


class Repaired:
    """The file-level nodes of a file after the pre-pass, what did not parse even so, and what was taken out.

    `language` is another one where the file is not in C; then there are no nodes.
    """

    __slots__ = ("errors", "found", "language", "nodes")

    def __init__(self, nodes: list[Node], errors: Errors, found: Findings, language: str = "") -> None:
        self.language = language
        self.nodes = nodes
        self.errors = errors
        self.found = found


def repair(source: str, root: Node, errors: Errors, suspects: tuple[int, ...]) -> Repaired:
    """Parse again, rewritten, each item that holds an error or a suspect offset."""
    found = Findings()
    tokens = tokenise(source, 0, len(source))
    language = other_language(tokens)
    if language:
        return Repaired([], (), found, language)
    spans = cut(source, tokens)
    nodes = _outside_directives(_flat(root), tokens)
    bad = _bad(tokens, spans, errors, suspects)
    left: list[tuple[int, int]] = []
    kept = _outside(nodes, tokens, [spans[number] for number in bad])
    for number in bad:
        first, last = spans[number]
        made, wrong = _item(source, tokens[first:last], found)
        kept += made
        left += wrong
    kept.sort(key=_start)
    return Repaired(kept, tuple(sorted(left)), found)


def _start(node: Node) -> int:
    return node.start


def _flat(root: Node) -> list[Node]:
    """The nodes at file level, out of their `#if` and `extern "C"`."""
    found: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind in _GROUPS:
            stack += reversed(node.kids)
        else:
            found.append(node)
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


def _bad(
    tokens: list[Token], spans: list[tuple[int, int]], errors: Errors, suspects: tuple[int, ...]
) -> list[int]:
    """The items that an error touches."""
    ends = [tokens[last - 1].end for _, last in spans]
    found: set[int] = set()
    for start, end in (*errors, *((offset, offset) for offset in suspects)):
        number = bisect.bisect_left(ends, start)
        while number < len(spans) and tokens[spans[number][0]].start <= max(end, start + 1):
            found.add(number)
            number += 1
    return sorted(found)


def _outside(nodes: list[Node], tokens: list[Token], spans: list[tuple[int, int]]) -> list[Node]:
    """The nodes that lie in none of the items, macros excepted: those stay."""
    starts = [tokens[first].start for first, _ in spans]
    ends = [tokens[last - 1].end for _, last in spans]
    kept: list[Node] = []
    for node in nodes:
        number = bisect.bisect_right(ends, node.start)
        is_macro = node.kind in ("preproc_def", "preproc_function_def")
        if is_macro or number >= len(spans) or node.end <= starts[number]:
            kept.append(node)
    return kept


def _item(source: str, tokens: list[Token], found: Findings) -> tuple[list[Node], list[tuple[int, int]]]:
    """The nodes of one item, rewritten."""
    start, end = tokens[0].start, tokens[-1].end
    choice = conditionals.choose(tokens)
    others = [token for token in choice.tokens if token.kind == "directive" and not is_conditional(token)]
    kept = [token for token in choice.tokens if token.kind != "directive" or is_conditional(token)]
    match = pairs(kept)
    data, prefix = source[start:end].encode("latin-1"), b""
    if match and kept:
        region = Region(source, start, end, kept, match, found)
        for first, last in choice.blanked:
            region.blank(first, last)
        for token in others:
            region.blank(token.start, token.end)
            if directive_word(token) == "define":
                found.defines.append((token.start, token.end))
        found.flow += choice.flow
        prefix = items.rewrite(region)
        data = bytes(region.out)
    syntax = parse(C, prefix + data)
    shift = start - len(prefix)
    for node in syntax.root.kids:
        move(node, shift, start, end)
    return syntax.root.kids, [
        (max(start, first + shift), max(start, last + shift)) for first, last in syntax.errors
    ]
