"""Rewrites one file-level item: the head of a function, its parameters and body, or a declaration."""

from __future__ import annotations

from analyzers.frontends.c.repair import bodies, declarations, expressions
from analyzers.frontends.c.repair.declarations import elements
from analyzers.frontends.c.repair.region import Region
from analyzers.frontends.c.words import ATTRIBUTE_CALLS, QUALIFIERS, TAGS, TYPE_KEYWORDS

_TYPE_WORDS = TAGS | TYPE_KEYWORDS | QUALIFIERS
_UNWRAPS = frozenset(("OF", "__P", "_P", "PROTO", "P_", "PARAMS", "_PROTO", "ARGS"))
"""Macros whose argument is a parameter list in its own parentheses."""

_STORAGE = frozenset(("static", "extern", "inline", "__inline", "__inline__", "register"))
"""Words behind which a type stands first: what follows is no name of a function yet."""


def rewrite(region: Region) -> bytes:
    """Rewrite the whole item; what must stand before it for it to parse."""
    tokens = region.tokens
    first = _skip_template(region, _skip_macros(region))
    if first >= len(tokens):
        return b""
    opening = _body(region, first)
    if opening < 0:
        _declaration(region, first)
        return b""
    return _function(region, first, opening)


def _skip_macros(region: Region) -> int:
    """Macro calls without `;` before the item; a directive or a string is skipped."""
    tokens, match = region.tokens, region.match
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "directive" or token.text == ";":
            index += 1
            continue
        if token.text in ("static", "extern") and _is_bare_macro(region, index + 1):
            region.blank_tokens(index, index + 1)
            index += 1
            continue
        if token.kind != "name" or token.text in _TYPE_WORDS or token.text in ATTRIBUTE_CALLS:
            break
        following = index + 1
        if following < len(tokens) and tokens[following].text == "(":
            following = match[following] + 1
        if following >= len(tokens):
            region.take_word(index, following, index)
            return following
        if not tokens[following].is_first or tokens[following].text == "{":
            break
        if tokens[following].kind == "directive":
            region.take_word(index, following, following)
            index = following
            continue
        if tokens[following].kind != "name" or _is_old_style(region, index, following):
            break
        if following == index + 1 and not _is_loud(token.text):
            break
        region.take_word(index, following, following)
        index = following
    return index


def _skip_template(region: Region, first: int) -> int:
    """Where a function begins whose item begins with a table that macros make up: `NAME(…) = …`, no `;`."""
    tokens, match = region.tokens, region.match
    if tokens[-1].text != "}" or tokens[match[len(tokens) - 1] - 1].text != ")":
        return first
    begin = first
    has_value = False
    index = first
    while index < match[len(tokens) - 1]:
        text = tokens[index].text
        has_value = has_value or text in ("=", ",") or (text == "(" and _follows_group(region, index))
        if has_value and tokens[index].is_first and tokens[index].kind == "name" and tokens[index - 1].text == ")":
            begin = index
        index = match[index] + 1 if text in ("(", "[", "{") else index + 1
    if begin > first:
        region.take_word(first, begin, begin)
    return begin


def _follows_group(region: Region, opening: int) -> bool:
    """Whether `NAME(` stands right after parameters: a macro that stands for a body."""
    tokens = region.tokens
    return opening > 1 and tokens[opening - 1].text.isupper() and tokens[opening - 2].text == ")"


def _is_bare_macro(region: Region, index: int) -> bool:
    """Whether `NAME(…)` stands on a line of its own."""
    tokens, match = region.tokens, region.match
    if index + 1 >= len(tokens) or not tokens[index].text.isupper() or tokens[index + 1].text != "(":
        return False
    following = match[index + 1] + 1
    return following < len(tokens) and tokens[following].is_first and tokens[following].text != "{"


def _is_loud(text: str) -> bool:
    return text.isupper() or text[:1] == "_"


def _is_old_style(region: Region, index: int, following: int) -> bool:
    """Whether `name(a, b)` is the head of a K&R definition: names only, then declarations, then a body."""
    tokens = region.tokens
    if following == index + 1:
        return False
    inside = tokens[index + 2 : following - 1]
    if any(token.kind != "name" and token.text != "," for token in inside) or tokens[index].text.isupper():
        return False
    at = following
    while at < len(tokens) and tokens[at].text not in ("{", "(", "="):
        at += 1
    return at < len(tokens) and tokens[at].text == "{" and tokens[at - 1].text == ";"


def _body(region: Region, first: int) -> int:
    """The brace that opens a function's body; -1 where the item is a declaration."""
    tokens, match = region.tokens, region.match
    if tokens[-1].text != "}":
        return -1
    opening = match[len(tokens) - 1]
    has_group = False
    index = first
    while index < opening:
        text = tokens[index].text
        if text == "=":
            return -1
        if text == "(":
            has_group = True
        index = match[index] + 1 if text in ("(", "[", "{") else index + 1
    return opening if has_group or opening > first else -1


def _declaration(region: Region, first: int) -> None:
    tokens = region.tokens
    last = len(tokens) - 1 if tokens[-1].text == ";" else len(tokens)
    _unwrap(region, first, last)
    names = [part for part in elements_of_head(region, first, last)]
    if len(names) == 1 and names[0].kind == "call" and tokens[first].text in ("static", "extern"):
        region.blank_tokens(first, names[0].first)
    elif len(names) == 1 and names[0].kind == "call" and names[0].first == first:
        expressions.arguments(region, first + 1, bodies.block)
    else:
        declarations.declaration(region, first, last)
        _parameter_lists(region, first, last)
    expressions.values(region, first, last, bodies.block)


def elements_of_head(region: Region, first: int, last: int) -> list[declarations.Element]:
    """The parts of a head that are neither qualifiers nor attributes, without looking into structs."""
    if any(region.tokens[index].text in TAGS for index in range(first, last)):
        return []
    return [part for part in elements(region, first, last) if part.kind not in ("qualifier", "attribute")]


def _parameter_lists(region: Region, first: int, last: int) -> None:
    tokens, match = region.tokens, region.match
    index = first
    while index < last:
        text = tokens[index].text
        if text == "(" and index > first and (tokens[index - 1].kind == "name" or tokens[index - 1].text == ")"):
            if not _starts_attribute(region, index - 1):
                declarations.parameters(region, index)
            index = match[index] + 1
        elif text == "=":
            return
        else:
            index = match[index] + 1 if text in ("[", "{") else index + 1


def _starts_attribute(region: Region, index: int) -> bool:
    return region.tokens[index].text in ATTRIBUTE_CALLS


def _unwrap(region: Region, first: int, last: int) -> None:
    """`f OF((int a));` becomes `f    (int a) ;`."""
    tokens, match = region.tokens, region.match
    for index in range(first, last - 1):
        if tokens[index].text not in _UNWRAPS or tokens[index + 1].text != "(" or tokens[index + 2].text != "(":
            continue
        if match[index + 2] + 1 == match[index + 1]:
            region.blank_tokens(index, index + 2)
            region.blank_tokens(match[index + 1], match[index + 1] + 1)


def _unwrap_head(region: Region, first: int, opening: int) -> bool:
    """Whether a macro for compilers without prototypes stands between the name of a function and its parameters; it is taken out:
    `int f PARAMS((int a)) {` becomes `int f       (int a)  {`, and `int f _P1((a), int a) {` becomes `int f    (     int a) {`."""
    tokens, match = region.tokens, region.match
    for index in range(first + 2, opening - 3):
        if tokens[index].kind != "name" or not _is_loud(tokens[index].text) or tokens[index + 1].text != "(" or tokens[index + 2].text != "(":
            continue
        closing, names_end = match[index + 1], match[index + 2]
        if closing + 1 != opening or tokens[index - 1].kind != "name" or tokens[index - 2].text in _STORAGE or tokens[index - 2].text in TAGS:
            return False
        if names_end + 1 != closing and tokens[names_end + 1].text != ",":
            return False
        declarations.clean(region, first, index)
        if names_end + 1 == closing:
            region.blank_tokens(index, index + 2)
            declarations.parameters(region, index + 2)
            region.blank_tokens(closing, closing + 1)
        else:
            region.blank_tokens(index, index + 1)
            region.blank_tokens(index + 2, names_end + 2)
        return True
    return False


def _function(region: Region, first: int, opening: int) -> bytes:
    if _unwrap_head(region, first, opening):
        bodies.block(region, opening)
        return b""
    tokens = region.tokens
    list_at = _parameter_list(region, first, opening)
    prefix = b""
    if list_at < 0:
        prefix = _headless(region, first, opening)
    else:
        _trailing(region, region.match[list_at] + 1, opening)
        head = region.match[list_at] + 1
        parts = elements(region, first, head)
        declarations.clean(region, first, head)
        if not any(part.kind in ("key", "tag", "star") for part in parts) and _count(region, parts) < 2:
            prefix = _without_type(region, first, parts)
        elif tokens[list_at - 1].kind == "name" or tokens[list_at - 1].text == ")":
            declarations.parameters(region, list_at)
    bodies.block(region, opening)
    return prefix


def _count(region: Region, parts: list[declarations.Element]) -> int:
    return sum(part.kind in ("name", "call", "group") for part in parts)


def _parameter_list(region: Region, first: int, opening: int) -> int:
    """The parenthesis that opens the parameters."""
    tokens, match = region.tokens, region.match
    groups: list[tuple[int, int]] = []
    index = first
    while index < opening:
        text = tokens[index].text
        if text == ";":
            break
        if text == "(":
            if index > first and tokens[index - 1].kind == "name" and tokens[index - 1].text not in ATTRIBUTE_CALLS:
                groups.append((index - 1, index))
            elif index > first and tokens[index - 1].text == ")":
                if groups:
                    groups[-1] = (groups[-1][0], index)
                else:
                    groups.append((index - 1, index))
        index = match[index] + 1 if text in ("(", "[", "{") else index + 1
    if not groups:
        return -1
    quiet = [group for group in groups if not tokens[group[0]].text.isupper()]
    return (quiet or groups)[-1][1]


def _trailing(region: Region, index: int, opening: int) -> None:
    """Attribute macros after the parameters; old-style declarations stay."""
    tokens, match = region.tokens, region.match
    if any(tokens[at].text == ";" for at in range(index, opening)):
        start = index
        for at in range(index, opening):
            if tokens[at].text == ";":
                declarations.declaration(region, start, at)
                start = at + 1
        return
    while index < opening:
        following = index + 1
        if following < opening and tokens[following].text == "(":
            following = match[following] + 1
        if tokens[index].kind == "name":
            region.take_word(index, following, following)
        index = following


def _without_type(region: Region, first: int, parts: list[declarations.Element]) -> bytes:
    """`main() {` and `TEST(name) {`: an int, by prefix or in place of a storage class."""
    tokens, match = region.tokens, region.match
    call = next((part for part in parts if part.kind == "call"), None)
    if call is None:
        return b""
    opening = call.first + 1
    if call.first == first and tokens[first].text.isupper() and match[opening] == opening + 2:
        return b""
    inside = tokens[opening : match[opening]]
    if len(inside) > 1 and any(token.kind != "name" and token.text not in (",", "(") for token in inside):
        declarations.parameters(region, opening)
        if any(token.kind in ("string", "number") for token in inside):
            region.blank_tokens(opening + 1, match[opening])
    if call.first > first:
        region.take_word(first, call.first, call.first)
    return b"int "


def _headless(region: Region, first: int, opening: int) -> bytes:
    """`NAME {`: a body under a macro."""
    return b"int f()" if opening == first else b""
