"""Rewrites declarations that macros are in: what is left is one type and one name.

Of several plain names before a declarator all but one are attribute macros: known ones first, then those
in capitals or with a leading underscore. Takes the wrong one for the type where none of that tells.
"""

from __future__ import annotations

import msgspec

from analyzers.frontends.c.repair.region import Region
from analyzers.frontends.c.words import ATTRIBUTE_CALLS, KNOWN_WORDS, QUALIFIERS, TAGS, TYPE_KEYWORDS


class Element(msgspec.Struct, gc=False):
    """A part of a declaration: "key", "tag", "qualifier", "name", "call" (name and group), "group", "star",
    "array", "attribute", or "other"; its tokens [first, last)."""

    kind: str
    first: int
    last: int


def elements(region: Region, first: int, last: int) -> list[Element]:
    """The parts of a declaration without its initialiser."""
    tokens, match = region.tokens, region.match
    found: list[Element] = []
    index = first
    while index < last:
        token = tokens[index]
        following = index + 1
        kind = "other"
        if token.kind == "name":
            kind, following = _named(region, index, last)
        elif token.text == "*" or token.text == "^":
            kind = "star"
        elif token.text in ("(", "["):
            following = match[index] + 1
            kind = "group" if token.text == "(" else "array"
            if kind == "group" and found and found[-1].kind in ("call", "group"):
                found[-1].last = following
                index = following
                continue
        elif token.text == "{":
            following = match[index] + 1
        found.append(Element(kind, index, following))
        index = following
    return found


def _named(region: Region, index: int, last: int) -> tuple[str, int]:
    tokens, match = region.tokens, region.match
    text = tokens[index].text
    is_called = index + 1 < last and tokens[index + 1].text == "(" and tokens[index + 2].text not in ("*", "^")
    if text in ATTRIBUTE_CALLS:
        return "attribute", match[index + 1] + 1 if is_called else index + 1
    if text in TAGS:
        return "tag", _tag(region, index + 1, last)
    if text in TYPE_KEYWORDS:
        return "key", index + 1
    if text in ("typeof", "__typeof__", "__typeof", "_BitInt", "typeof_unqual") and is_called:
        return "key", match[index + 1] + 1
    if text == "_Atomic" and is_called:
        return "key", match[index + 1] + 1
    if text in QUALIFIERS:
        return "qualifier", index + 1
    if is_called:
        return "call", match[index + 1] + 1
    return "name", index + 1


def _tag(region: Region, index: int, last: int) -> int:
    """Where a struct, union or enum specifier ends; attribute macros in it are taken out."""
    tokens, match = region.tokens, region.match
    is_enum = tokens[index - 1].text == "enum"
    names: list[tuple[int, int]] = []
    while index < last and tokens[index].kind == "name" and tokens[index].text not in QUALIFIERS:
        following = index + 1
        if tokens[index].text in TYPE_KEYWORDS:
            break
        if following < last and tokens[following].text == "(" and _goes_on(region, match[following] + 1, last):
            following = match[following] + 1
            region.take_word(index, following, following)
        elif tokens[index].text in ATTRIBUTE_CALLS:
            region.take_word(index, following, following)
        else:
            names.append((index, following))
            if len(names) > 1 and not (following < last and tokens[following].text == "{"):
                names.pop()
                break
            if following < last and tokens[following].text != "{" and not _is_loud(tokens[index].text) and not _opens(region, following, last):
                index = following
                break
        index = following
    if index < last and tokens[index].text == "{":
        for first, following in _without_tag(region, names):
            region.take_word(first, following, following)
        (_enumerators if is_enum else fields)(region, index)
        return match[index] + 1
    return index


def _opens(region: Region, index: int, last: int) -> bool:
    """Whether a name stands right before the body of a struct."""
    return index + 1 < last and region.tokens[index].kind == "name" and region.tokens[index + 1].text == "{"


def _without_tag(region: Region, names: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of the names before the body of a struct is a macro: all but the last, or but the last that does not look like one."""
    tag = next((name for name in reversed(names) if not _is_loud(region.tokens[name[0]].text)), names[-1] if names else None)
    return [name for name in names if name != tag]


def _goes_on(region: Region, index: int, last: int) -> bool:
    """Whether a tag or a body follows, so that what stood before was an attribute."""
    return index < last and (region.tokens[index].kind == "name" or region.tokens[index].text == "{")


def fields(region: Region, opening: int) -> None:
    """Rewrite the members of a struct; what macros add without a `;` at the end goes."""
    tokens, match = region.tokens, region.match
    index, last = opening + 1, match[opening]
    first = index
    while index < last:
        text = tokens[index].text
        if text in ("(", "[", "{"):
            index = match[index]
        elif text == ";":
            declaration(region, first, index)
            first = index + 1
        index += 1
    region.blank_tokens(first, last)


def _enumerators(region: Region, opening: int) -> None:
    """Take macros that stand for enumerators out of an enum."""
    tokens = region.tokens
    for index in range(opening + 1, region.match[opening] - 1):
        if tokens[index].kind == "name" and tokens[index].text.isupper() and tokens[index + 1].kind == "name":
            region.blank_tokens(index, index + 1)


def _is_loud(text: str) -> bool:
    """Whether a name looks like a macro's: in capitals, or with underscores in front."""
    return text in KNOWN_WORDS or text.isupper() or (text[:1] == "_" and not text.endswith("_t"))


def declaration(region: Region, first: int, last: int) -> None:
    """Rewrite a declaration [first, last), its `;` excluded, so that it parses."""
    tokens, match = region.tokens, region.match
    index = first
    start = first
    is_first = True
    while index <= last:
        text = tokens[index].text if index < last else ","
        if text in (",", "=", ":"):
            (_first_declarator if is_first else _next_declarator)(region, start, index)
            is_first = False
            while index < last and tokens[index].text != ",":
                index = match[index] + 1 if tokens[index].text in ("(", "[", "{") else index + 1
            start = index + 1
        elif text in ("(", "[", "{"):
            index = match[index]
        index += 1


def _next_declarator(region: Region, first: int, last: int) -> None:
    parts = [part for part in elements(region, first, last)]
    _reduce(region, [part for part in parts if part.kind in ("name", "call", "group")], 1)


def _first_declarator(region: Region, first: int, last: int) -> None:
    clean(region, first, last)


def _take_trailing(region: Region, parts: list[Element]) -> None:
    """Take out what follows the parameters of a prototype; its parts go too."""
    seen = False
    for number, part in enumerate(parts):
        if part.kind == "call" and _holds_no_name(region, part.first + 2):
            continue
        if part.kind == "call" and seen and not _is_loud(region.tokens[part.first].text):
            extra = [each for each in parts[number + 1 :] if each.kind in ("name", "call")]
            for each in extra:
                region.take_word(each.first, each.last, part.first)
                parts.remove(each)
            return
        seen = seen or part.kind in ("key", "tag", "name", "call")


_HOLDS_INT = frozenset(("static", "register", "auto", "const", "volatile"))
"""Words that stand before a name without a type: an int."""


def clean(region: Region, first: int, last: int) -> None:
    """Leave one type and one declarator of tokens [first, last)."""
    parts = elements(region, first, last)
    for part in parts:
        if part.kind == "attribute":
            region.take_word(part.first, part.last, part.last)
    has_type = any(part.kind in ("key", "tag") for part in parts)
    _take_trailing(region, parts)
    star = next((number for number, part in enumerate(parts) if part.kind == "star"), -1)
    candidates = [part for part in parts if part.kind in ("name", "call", "group")]
    if star >= 0:
        at = parts[star].first
        before = [part for part in candidates if part.first < at]
        _reduce(region, before, 0 if has_type else 1)
        _reduce(region, [part for part in candidates if part.first > at], 1)
    elif not has_type and len(candidates) == 1 and region.tokens[first].text in _HOLDS_INT:
        region.take_word(first, first + 1, first + 1)
        region.put(region.tokens[first].start, b"int")
    else:
        _reduce(region, candidates, 1 if has_type else 2)
    for part in parts:
        if part.kind == "call":
            _arguments_of_type(region, part, parts)
        if part.kind == "key" and tokens_text(region, part) == "_Atomic":
            region.blank_tokens(part.first, part.first + 2)
            region.blank_tokens(part.last - 1, part.last)


def tokens_text(region: Region, part: Element) -> str:
    """The first token of a part."""
    return region.tokens[part.first].text


def _reduce(region: Region, candidates: list[Element], most: int) -> None:
    """Take out what is too much."""
    left = list(candidates)
    while len(left) > most:
        worst = min(range(len(left)), key=lambda number: _rank(region, left, number, most))
        part = left.pop(worst)
        if part.kind == "group":
            continue
        region.take_word(part.first, part.last, part.last)


def _rank(region: Region, left: list[Element], number: int, most: int) -> tuple[int, int]:
    part = left[number]
    text = region.tokens[part.first].text
    if part.kind == "group":
        return 9, number
    if text in KNOWN_WORDS or (part.kind == "call" and _holds_no_name(region, part.first + 2)):
        return 0, number
    is_last = number == len(left) - 1
    if _is_loud(text):
        return (1, number) if not is_last or most == 1 or part.kind == "name" else (2, number)
    if part.kind == "call" and not is_last:
        return 3, number
    return (5, number) if is_last and most else (4, number)


def _holds_no_name(region: Region, index: int) -> bool:
    """Whether an argument begins as no parameter does."""
    token = region.tokens[index]
    return token.kind in ("number", "string") or token.text == "="


def _arguments_of_type(region: Region, part: Element, parts: list[Element]) -> None:
    """`HEAD(a, b) name`: of the arguments of a macro that makes a type only one can stay."""
    tokens, match = region.tokens, region.match
    following = next((other for other in parts if other.first >= part.last), None)
    if following is None or following.kind not in ("name", "star", "call") or part.last - part.first < 4:
        return
    opening = part.first + 1
    closing = match[opening]
    commas = [
        index for index in range(opening + 1, closing)
        if tokens[index].text == "," and _depth_one(region, opening, index)
    ]
    if not commas:
        return
    keep_first, keep_last = commas[-1] + 1, closing
    region.blank(tokens[opening].end, tokens[keep_first].start if keep_first < keep_last else tokens[closing].start)


def _depth_one(region: Region, opening: int, index: int) -> bool:
    """Whether a token lies in no bracket inside the group."""
    at = opening + 1
    while at < index:
        at = region.match[at] + 1 if region.tokens[at].text in ("(", "[", "{") else at + 1
    return at == index


def parameters(region: Region, opening: int) -> None:
    """Rewrite a list of parameters."""
    tokens, match = region.tokens, region.match
    last = match[opening]
    start = index = opening + 1
    while index <= last:
        text = tokens[index].text
        if text == "," or index == last:
            if index > start:
                clean(region, start, index)
            start = index + 1
        elif text in ("(", "[", "{"):
            index = match[index]
        index += 1
