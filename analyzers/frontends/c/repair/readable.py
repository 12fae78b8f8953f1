"""A function of C as the grammar can read it, byte for byte in place, for those who edit its text.

Only where the text is right for every way to compile it: of conditions of the preprocessor that the grammar cannot keep, those
alone are decided that add a way (`else if …`) to what is there without them. Reads too little where both sides are alike.
"""

from __future__ import annotations

import itertools

import msgspec

from analyzers.frontends.c.repair import conditionals, items
from analyzers.frontends.c.repair.region import Findings, Region
from analyzers.frontends.c.repair.tokens import Token, directive_word, is_conditional, pairs, tokenise

_ASKING = frozenset((
    "isalnum", "isalpha", "isdigit", "isspace", "memcmp", "strcasecmp", "strchr", "strcmp", "strlen", "strncasecmp", "strncmp",
    "strrchr", "strstr", "sizeof", "defined",
))  # fmt: skip
"""Functions that may be called in a condition that is not always compiled: nothing else depends on them."""

_CHANGING = frozenset(("=", "++", "--", "+=", "-=", "|=", "&="))


class Readable(msgspec.Struct, frozen=True):
    """What has to stand before the text, the text, as long as the source, and the bytes that a condition may leave out."""

    head: bytes
    text: bytes
    optional: tuple[tuple[int, int], ...]


def readable(data: bytes, start: int, end: int) -> Readable | None:
    """The bytes [start, end) of a file, rewritten; None where some way to compile them would be lost."""
    source = data.decode("latin-1")
    try:
        tokens = tokenise(source, start, end)
        choice = conditionals.choose(tokens)
        groups = [each for each in conditionals.all_groups(tokens) if (tokens[each.first].start, tokens[each.first].end) in choice.blanked]
        dropped = frozenset(choice.blanked)
        if not all(_only_adds(tokens, each, dropped) for each in groups):
            return None
        kept = [token for token in choice.tokens if token.kind != "directive" or is_conditional(token)]
        match = pairs(kept)
        if match is None or not kept or any(directive_word(each) == "define" for each in choice.tokens if each.kind == "directive"):
            return None
        region = Region(source, start, end, kept, match, Findings())
        for first, last in choice.blanked:
            region.blank(first, last)
        for token in choice.tokens:
            if token.kind == "directive" and not is_conditional(token):
                region.blank(token.start, token.end)
        head = items.rewrite(region)
        region.settle()
    except RecursionError:
        return None
    spans = tuple((tokens[each.first].start, tokens[each.last - 1].end) for each in groups)
    return Readable(head, bytes(region.out), spans)


def _only_adds(tokens: list[Token], group: conditionals.Group, dropped: frozenset[tuple[int, int]]) -> bool:
    """Whether a group is one more `else if` in a chain, and there: without it that condition is as good as false."""
    if len(group.branches) != 1 or group.branches[0].condition in ("", "0") or group.branches[0].is_negative:
        return False
    if group.inner:
        return False
    content = [each for each in tokens[group.branches[0].first : group.branches[0].last] if each.kind != "directive"]
    if any((each.start, each.end) in dropped for each in content):
        return False
    words = [each.text for each in content]
    if words[:1] == ["if"] and words[-1:] == ["else"]:  # `if (…) {…} else`, the other side follows
        content = [content[-1], *content[:-1]]
        words = [each.text for each in content]
    is_rotated = words[:1] == ["}"]  # `} else if (…) {`, the brace before it closes what follows
    at = int(is_rotated)
    while at < len(content):
        behind = _one_more(content, at)
        if behind < 0:
            return False
        if behind == len(content):
            return is_rotated == _is_open(content, at)
        at = behind
    return False


def _one_more(content: list[Token], at: int) -> int:
    """Where an `else if (…) {…}` ends that begins at a token, or the brace that closes it would follow; -1 where none begins."""
    if [each.text for each in content[at : at + 3]] != ["else", "if", "("]:
        return -1
    closing = _closing(content, at + 2)
    asked = [each.text for each in content[at + 3 : closing]]
    if closing < 0 or not _CHANGING.isdisjoint(asked) or [each.text for each in content[closing + 1 : closing + 2]] != ["{"]:
        return -1
    if any(following == "(" and each.isidentifier() and each not in _ASKING for each, following in itertools.pairwise(asked)):
        return -1
    depth = 0
    for index in range(closing + 1, len(content)):
        depth += (content[index].text == "{") - (content[index].text == "}")
        if not depth:
            return index + 1
    return len(content) if depth == 1 else -1


def _is_open(content: list[Token], at: int) -> bool:
    """Whether the block that begins behind a token is not closed."""
    return sum((each.text == "{") - (each.text == "}") for each in content[at:]) == 1


def _closing(tokens: list[Token], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        depth += (tokens[index].text == "(") - (tokens[index].text == ")")
        if not depth:
            return index
    return -1
