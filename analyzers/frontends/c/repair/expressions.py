"""Rewrites expressions that the grammar cannot read: arguments that are types, operators, statements or
nothing, `typeof`, strings with macros between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzers.frontends.c.repair.region import Region
from analyzers.frontends.c.words import QUALIFIERS, STATEMENT_KEYWORDS, TAGS, TYPE_KEYWORDS

Block = Callable[[Region, int], None]

_TYPE_WORDS = TAGS | TYPE_KEYWORDS | QUALIFIERS
_OPERATORS = frozenset((
    "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "=", "+=", "-=", "!", "~",
    "<<", ">>", "->", ".", "++", "--", "|=", "&=", "^=", "/=", "*=",
))
_OFFSET_OF = frozenset(("offsetof", "__builtin_offsetof"))
_TAKES_TYPES = frozenset(("sizeof", "_Alignof", "alignof", "_Generic", "__alignof__", "_Static_assert"))
_TYPEOF = frozenset(("typeof", "__typeof__", "__typeof", "typeof_unqual"))


def until_semicolon(region: Region, index: int, last: int, block: Block) -> int:
    """Rewrite an expression up to its `;`; what follows that."""
    tokens, match = region.tokens, region.match
    first = index
    while index < last and tokens[index].text != ";":
        index = match[index] + 1 if tokens[index].text in ("(", "[", "{") else index + 1
    rewrite(region, first, index, block)
    return index + 1


def rewrite(region: Region, index: int, last: int, block: Block) -> None:
    """Rewrite the expressions in tokens [index, last)."""
    tokens, match = region.tokens, region.match
    while index < last:
        token = tokens[index]
        text = token.text
        if token.kind == "name" and index + 1 < last and tokens[index + 1].text == "(":
            index = _applied(region, index, last, block)
            continue
        if text == "{":
            if index and tokens[index - 1].text == "(":
                block(region, index)
            else:
                rewrite(region, index + 1, match[index], block)
            index = match[index] + 1
            continue
        if text == ")" and index + 1 < last and tokens[index + 1].text == "(":
            following = match[index + 1] + 1
            if tokens[index - 1].text not in ("*", "^") and not _is_cast(region, index + 1, last):
                arguments(region, index + 1, block)
            index = following
            continue
        if token.kind == "name" and index + 1 < last and _is_too_much(region, index):
            region.blank_tokens(index, index + 1)
        elif text == "(" and _is_call_before_and(region, index, last):
            region.blank_tokens(match[index], match[index] + 1)
            region.blank_tokens(index, index + 1)
        elif text == "(" and tokens[index + 1].text in _TYPE_WORDS and _ends_in_name(region, match[index] - 1):
            region.blank_tokens(match[index] - 1, match[index])
        elif token.kind == "number" and text[-3:].lower() == "i64":
            region.blank(token.end - 3, token.end)
        index += 1


def _is_call_before_and(region: Region, index: int, last: int) -> bool:
    """Whether parentheses hold just a call and `&&` follows: that reads like a cast of `&&x`."""
    tokens, match = region.tokens, region.match
    closing = match[index]
    if closing + 1 >= last or tokens[closing + 1].text != "&&" or tokens[index + 1].kind != "name":
        return False
    return tokens[index + 2].text == "(" and match[index + 2] + 1 == closing


def _ends_in_name(region: Region, index: int) -> bool:
    """Whether a type in parentheses ends in a macro after its star: `(char *pg_restrict)`."""
    tokens = region.tokens
    return tokens[index].kind == "name" and tokens[index].text not in _TYPE_WORDS and tokens[index - 1].text == "*"


def _applied(region: Region, index: int, last: int, block: Block) -> int:
    """`name(…)` in an expression; where what follows begins."""
    tokens, match = region.tokens, region.match
    text = tokens[index].text
    following = match[index + 1] + 1
    if text in _TYPE_WORDS or _is_declarator(region, index + 1):
        return following
    if text in _TYPEOF:
        _type_of(region, index)
    elif text in _OFFSET_OF:
        _erase(region, index, following)
    elif _touches_string(region, index, following, last):
        region.blank_tokens(index, following)
    elif (following < last and tokens[following].text == "{") or _is_cast(region, index + 1, last):
        region.blank_tokens(index, index + 1)
        return index + 1
    elif _touches_operand(region, index, following, last):
        region.blank_tokens(index, following)
    elif text not in _TAKES_TYPES:
        arguments(region, index + 1, block)
    return following


def _is_cast(region: Region, opening: int, last: int) -> bool:
    """Whether parentheses hold a type and an operand follows them."""
    tokens = region.tokens
    closing = region.match[opening]
    if closing + 1 >= last or closing == opening + 1:
        return False
    following = tokens[closing + 1]
    is_operand = following.kind in ("name", "number", "string", "char") or following.text == "("
    return is_operand and (
        tokens[opening + 1].text in _TYPE_WORDS or _is_type(region, opening + 1, closing)
        or (closing == opening + 2 and tokens[opening + 1].kind == "name" and following.kind != "name")
    )


def _touches_operand(region: Region, index: int, following: int, last: int) -> bool:
    """Whether a macro call in capitals stands before another operand."""
    tokens = region.tokens
    return following < last and tokens[following].kind == "name" and tokens[index].text.isupper()


def values(region: Region, index: int, last: int, block: Block) -> None:
    """Rewrite the initialisers of a declaration."""
    tokens, match = region.tokens, region.match
    while index < last:
        if tokens[index].text == "=":
            start = index + 1
            while index < last and tokens[index].text != ",":
                index = match[index] + 1 if tokens[index].text in ("(", "[", "{") else index + 1
            rewrite(region, start, index, block)
        elif tokens[index].text in _TYPEOF and index + 1 < last and tokens[index + 1].text == "(":
            _type_of(region, index)
            index = match[index + 1] + 1
        else:
            index += 1


def _type_of(region: Region, index: int) -> None:
    """`typeof(e)` becomes a name as long."""
    tokens, match = region.tokens, region.match
    start, end = tokens[index].end, tokens[match[index + 1]].end
    region.blank(start, end)
    if b"\n" in region.out[start - region.base : end - region.base]:
        return
    region.put(start, b"_" * (end - start))


def _touches_string(region: Region, first: int, following: int, last: int) -> bool:
    """Whether a macro call stands beside a string literal, as in a concatenation."""
    tokens = region.tokens
    if following < last and tokens[following].kind == "string":
        return True
    return first > 0 and tokens[first - 1].kind == "string" and (following >= last or tokens[following].text != "?")


def _is_declarator(region: Region, opening: int) -> bool:
    """Whether parentheses hold the star of a function pointer's type."""
    first = region.tokens[opening + 1]
    return first.text in ("*", "^") and region.match[opening] <= opening + 3


def _is_too_much(region: Region, index: int) -> bool:
    """Whether a name in an expression stands before another operand or a type: a macro that may go."""
    token, following = region.tokens[index], region.tokens[index + 1]
    if token.text in _KEEPS_OPERAND or token.text in _TYPE_WORDS:
        return False
    if following.text in _TYPE_WORDS:
        return True
    if following.kind == "number":
        return True
    if following.text == "{":
        return token.text.isupper()
    if following.kind in ("name", "string"):
        return token.text.isupper() and following.text not in _KEEPS_OPERAND
    return False


_KEEPS_OPERAND = frozenset(("sizeof", "return", "case", "goto", "else", "_Alignof", "alignof", "__alignof__", "__extension__"))


def has_any(region: Region, opening: int) -> bool:
    """Whether parentheses hold anything."""
    return region.match[opening] > opening + 1


def arguments(region: Region, opening: int, block: Block) -> None:
    """Rewrite the arguments of a call."""
    tokens, match = region.tokens, region.match
    last = match[opening]
    start = index = opening + 1
    if start == last:
        return
    while index <= last:
        text = tokens[index].text
        if text == "," or index == last:
            _argument(region, start, index, block)
            start = index + 1
        elif text in ("(", "[", "{"):
            index = match[index]
        index += 1


def _argument(region: Region, first: int, last: int, block: Block) -> None:
    """Rewrite one argument."""
    tokens = region.tokens
    if first >= last:
        _empty(region, first)
        return
    text = tokens[first].text
    if text in STATEMENT_KEYWORDS or any(tokens[at].text == ";" for at in _shallow(region, first, last)):
        start, end = tokens[first].start, tokens[last - 1].end
        region.found.statements[start] = (start, end)
        _erase(region, first, last)
    elif text == "{" and region.match[first] == last - 1:
        if any(tokens[at].text == ";" for at in range(first, last)):
            block(region, first)
        else:
            _erase(region, first, last)
    elif text == "." and last - first > 3 and tokens[first + 2].text == "=":
        region.blank_tokens(first, first + 3)
        rewrite(region, first + 3, last, block)
    elif _is_type(region, first, last) or _is_no_operand(region, first, last):
        _erase(region, first, last)
    else:
        rewrite(region, first, last, block)


def _shallow(region: Region, first: int, last: int) -> Iterator[int]:
    """The tokens that lie in no bracket among [first, last)."""
    at = first
    while at < last:
        yield at
        at = region.match[at] + 1 if region.tokens[at].text in ("(", "[", "{") else at + 1


def _erase(region: Region, first: int, last: int) -> None:
    start = region.tokens[first].start
    region.blank_tokens(first, last)
    region.put(start, b"0")
    region.found.erased.add(start)


def _empty(region: Region, following: int) -> None:
    """Nothing between two commas: the comma or the bracket that follows is too much."""
    tokens = region.tokens
    before = tokens[following - 1]
    at = before.end
    if tokens[following].start > at:
        region.put(at, b"0")
        region.found.erased.add(at)
    elif tokens[following].text == ",":
        region.put(at, b" ")
    elif before.text == ",":
        region.put(before.start, b" ")


def _is_no_operand(region: Region, first: int, last: int) -> bool:
    tokens = region.tokens
    if last - first == 1:
        return tokens[first].text in _OPERATORS
    return tokens[last - 1].text in _OPERATORS and tokens[last - 1].text not in ("++", "--")


def _is_type(region: Region, first: int, last: int) -> bool:
    """Whether tokens name a type: `struct s *`, `unsigned char`, `T *`, `T const *`."""
    tokens = region.tokens
    text = tokens[first].text
    if text in _TYPE_WORDS:
        return not (text in TYPE_KEYWORDS and last - first == 1)
    if tokens[first].kind != "name" or last - first < 2:
        return False
    if tokens[first + 1].kind == "name":
        return tokens[first + 1].text in _TYPE_WORDS or not _has_string(region, first, last)
    if tokens[first + 1].text == "(" and region.match[first + 1] == last - 2:
        return tokens[last - 1].text == "*"
    return all(token.text == "*" or token.text in QUALIFIERS for token in tokens[first + 1 : last])


def _has_string(region: Region, first: int, last: int) -> bool:
    return any(token.kind == "string" for token in region.tokens[first:last])
