"""Rewrites the statements of a body that the grammar cannot read because macros are in them.

`name(…) {` and `name(…) statement` become loops or blocks, a macro without its `;` gets one, labels
before nothing, case ranges, computed `goto`, and old assembler are written so that they parse.
Takes a macro for a loop by its name; guesses where a `;` is missing by the line ends.
"""

from __future__ import annotations

from analyzers.frontends.c.repair import declarations, expressions
from analyzers.frontends.c.repair.region import MacroBlock, Region
from analyzers.frontends.c.words import (
    ATTRIBUTE_CALLS,
    FOREACH_ASSIGNS,
    KEYWORDS,
    QUALIFIERS,
    STATEMENT_KEYWORDS,
    TAGS,
    TYPE_KEYWORDS,
)

_STARTS_DECLARATION = TAGS | TYPE_KEYWORDS | QUALIFIERS
_CONTROLS = frozenset(("if", "while", "for", "switch"))
_JUMPS = frozenset(("return", "goto", "break", "continue"))
_SHORTEST_CONDITION = 5
"""Bytes of `if(0)`."""

_LOOP_WORDS = ("foreach", "for_each", "_each", "loop", "iter", "forall", "for_all", "for_every", "while", "repeat")
_AFTER_DECLARATOR = frozenset(("=", ";", ",", "[", ":"))


def is_loop(name: str) -> bool:
    """Whether a macro's name says that it heads a loop."""
    lowered = name.lower()
    return name in FOREACH_ASSIGNS or any(word in lowered for word in _LOOP_WORDS) or lowered.startswith("for")


def block(region: Region, opening: int) -> None:
    """Rewrite the statements between braces."""
    index, last = opening + 1, region.match[opening]
    while index < last:
        index = statement(region, index, last)


def statement(region: Region, index: int, last: int) -> int:
    """Rewrite the statement at a token; where the next one begins."""
    tokens, match = region.tokens, region.match
    if index >= last:
        return last
    token = tokens[index]
    text = token.text
    if token.kind == "directive" or text == ";":
        return index + 1
    if text == "{":
        block(region, index)
        return match[index] + 1
    if token.kind != "name":
        return expressions.until_semicolon(region, index, last, block)
    if text in _CONTROLS:
        return _control(region, index, last)
    if text == "else":
        return statement(region, index + 1, last)
    if text == "do":
        following = statement(region, index + 1, last)
        return expressions.until_semicolon(region, following, last, block) if following < last else last
    if text == "case":
        return _case(region, index, last)
    if text == "goto":
        return _goto(region, index, last)
    if text in ("return", "break", "continue"):
        return expressions.until_semicolon(region, index + 1, last, block)
    if text in ("asm", "__asm__", "__asm", "_asm"):
        return _assembler(region, index, last)
    if text == "__label__":
        following = expressions.until_semicolon(region, index, last, block)
        region.blank_tokens(index, following)
        return following
    if text in _STARTS_DECLARATION or text in ATTRIBUTE_CALLS:
        return _declaration(region, index, last)
    return _named(region, index, last)


def _control(region: Region, index: int, last: int) -> int:
    tokens, match = region.tokens, region.match
    at = index + 1
    if at < last and tokens[at].kind == "name" and at + 1 < last and tokens[at + 1].text == "(":
        region.blank_tokens(at, at + 1)
        at += 1
    if at >= last or tokens[at].text != "(":
        return expressions.until_semicolon(region, index + 1, last, block)
    expressions.rewrite(region, at + 1, match[at], block)
    following = match[at] + 1
    if tokens[index].text == "for":
        _for_head(region, at)
    return statement(region, following, last)


def _for_head(region: Region, opening: int) -> None:
    tokens, match = region.tokens, region.match
    first = opening + 1
    if first >= match[opening] or tokens[first].kind != "name":
        return
    stop = first
    while stop < match[opening] and tokens[stop].text != ";":
        stop = match[stop] + 1 if tokens[stop].text in ("(", "[", "{") else stop + 1
    if tokens[first].text in _STARTS_DECLARATION:
        declarations.declaration(region, first, stop)


def _case(region: Region, index: int, last: int) -> int:
    tokens, match = region.tokens, region.match
    at = index + 1
    nesting = 0
    dots = -1
    while at < last and (tokens[at].text != ":" or nesting):
        text = tokens[at].text
        if text in ("(", "[", "{"):
            at = match[at]
        elif text == "?":
            nesting += 1
        elif text == ":":
            nesting -= 1
        elif text == "...":
            dots = at
        elif text == ";":
            return at + 1
        at += 1
    if dots > 0 and dots + 1 < at:
        region.found.ranges[tokens[index].start] = (tokens[dots + 1].start, tokens[at - 1].end)
        region.blank_tokens(dots, at)
    return at + 1


def _goto(region: Region, index: int, last: int) -> int:
    tokens = region.tokens
    if index + 1 < last and tokens[index + 1].text == "*":
        region.blank_tokens(index, index + 1)
        region.found.computed.add(tokens[index + 1].start)
    return expressions.until_semicolon(region, index + 1, last, block)


def _assembler(region: Region, index: int, last: int) -> int:
    """Assembler is taken out whole; a `;` stands where it stood."""
    tokens, match = region.tokens, region.match
    at = index + 1
    while at < last and tokens[at].text not in ("(", "{", ";"):
        at += 1
    if at < last and tokens[at].text in ("(", "{"):
        at = match[at] + 1
    if at < last and tokens[at].text == ";":
        at += 1
    start = tokens[index].start
    region.found.assembler[start] = (start, tokens[at - 1].end)
    region.blank_tokens(index, at)
    region.put(start, b";")
    return at


def _declaration(region: Region, index: int, last: int) -> int:
    """A declaration, or a nested function."""
    tokens, match = region.tokens, region.match
    at = index
    has_value = False
    while at < last and tokens[at].text != ";":
        text = tokens[at].text
        if text == "{" and not has_value and at > index and tokens[at - 1].text == ")":
            block(region, at)
            return match[at] + 1
        has_value = has_value or text == "="
        at = match[at] + 1 if text in ("(", "[", "{") else at + 1
    declarations.declaration(region, index, at)
    expressions.values(region, index, at, block)
    return at + 1


def _named(region: Region, index: int, last: int) -> int:
    """A statement that begins with a plain name."""
    tokens = region.tokens
    following = tokens[index + 1] if index + 1 < last else None
    if following is None or following.kind == "directive":
        region.end_statement(index)
        return index + 1
    if following.text == ":" and (index + 2 >= last or tokens[index + 2].text != ":"):
        return _label(region, index, last)
    if following.text == "(":
        return _called(region, index, last)
    if following.text == "{":
        if is_loop(tokens[index].text) and len(tokens[index].text) > 1:
            return _headed(region, index, index + 1, last)
        if not (_jumps_at_end(region, index + 1) and _goes_on(region, region.match[index + 1] + 1, last) and _as_condition(region, index)):
            region.take_word(index, index + 1, index + 1)
        return statement(region, index + 1, last)
    if following.kind == "name":
        return _two_names(region, index, last)
    if following.text == "*" and _is_declaration(region, index + 1, last):
        return _declaration(region, index, last)
    return expressions.until_semicolon(region, index, last, block)


def _is_declaration(region: Region, index: int, last: int) -> bool:
    """Whether stars, a name and the end of a declarator follow."""
    tokens = region.tokens
    while index < last and (tokens[index].text == "*" or tokens[index].text in QUALIFIERS):
        index += 1
    if index + 1 >= last or tokens[index].kind != "name":
        return False
    return tokens[index + 1].text in _AFTER_DECLARATOR or tokens[index + 1].kind == "name"


def _label(region: Region, index: int, last: int) -> int:
    tokens = region.tokens
    if index + 2 >= last or tokens[index + 2].kind == "directive" or tokens[index + 2].text in _NOT_AFTER_LABEL:
        if tokens[index].text != "default":
            start = tokens[index].start
            region.found.labels[start] = tokens[index].text
            region.blank_tokens(index, index + 2)
            region.put(start, b";")
        return index + 2
    return statement(region, index + 2, last)


_NOT_AFTER_LABEL = frozenset(("case", "default", "__label__"))


def _called(region: Region, index: int, last: int) -> int:
    """`name(…)` and what follows it."""
    tokens, match = region.tokens, region.match
    closing = match[index + 1]
    name = tokens[index].text
    following = tokens[closing + 1] if closing + 1 < last else None
    if following is None or following.kind == "directive":
        expressions.arguments(region, index + 1, block)
        region.end_statement(closing)
        return closing + 1
    if following.text == "{" and name not in KEYWORDS:
        return _headed(region, index, closing + 1, last)
    if following.text == "else":
        return _tested(region, index, closing, last)
    if following.text in ("(", "*", "++", "--") and following.is_first and name.isupper():
        expressions.arguments(region, index + 1, block)
        region.end_statement(closing)
        return closing + 1
    if following.kind == "name":
        if _opens_block(name):
            region.found.flow.append((tokens[index].start, tokens[closing].end))
        elif is_loop(name) or (not following.is_first and not name.isupper() and _is_statement(region, closing + 1, last)):
            return _headed(region, index, closing + 1, last)
        if following.is_first or following.text in STATEMENT_KEYWORDS:
            expressions.arguments(region, index + 1, block)
            region.end_statement(closing)
            return closing + 1
        if following.text in _STARTS_DECLARATION:
            region.take_word(index, closing + 1, closing + 1)
            return _declaration(region, closing + 1, last)
        return _declaration(region, index, last)
    if following.text == "*" and _is_declaration(region, closing + 1, last):
        return _declaration(region, index, last)
    return expressions.until_semicolon(region, index, last, block)


def _tested(region: Region, index: int, closing: int, last: int) -> int:
    """`NAME(…) else …`: the macro ends in an `if` of its own; written as one."""
    tokens = region.tokens
    expressions.arguments(region, index + 1, block)
    if len(tokens[index].text) < 2 or not expressions.has_any(region, index + 1) or not region.end_statement(closing):
        return closing + 1
    start = tokens[index].start
    region.found.blocks[start] = MacroBlock(tokens[index].text, False)
    region.blank_tokens(index, index + 1)
    region.put(start, b"if")
    return closing + 1


def _opens_block(name: str) -> bool:
    """Whether a macro's name says that it opens a block which another closes."""
    lowered = name.lower()
    return lowered.endswith(("_begin", "_start", "_end", "_done")) or lowered.startswith(("begin_", "end_"))


def _is_statement(region: Region, index: int, last: int) -> bool:
    """Whether a name begins an expression, not a declarator."""
    tokens = region.tokens
    if tokens[index].text in KEYWORDS:
        return tokens[index].text in STATEMENT_KEYWORDS
    return index + 1 < last and tokens[index + 1].text in ("(", "->", ".", "++", "--", "+=", "-=")


def _headed(region: Region, index: int, following: int, last: int) -> int:
    """A macro that heads a statement: written as `while` or `if`."""
    tokens = region.tokens
    name = tokens[index].text
    start = tokens[index].start
    has_arguments = tokens[index + 1].text == "("
    if len(name) < 2 or not has_arguments:
        region.take_word(index, following, following)
        return statement(region, following, last)
    region.found.blocks[start] = MacroBlock(name, is_loop(name))
    region.blank_tokens(index, index + 1)
    region.put(start, b"while" if len(name) > 4 else b"if")
    expressions.arguments(region, index + 1, block)
    if not expressions.has_any(region, index + 1):
        region.found.blocks[start] = MacroBlock(name, is_loop(name))
        _fill(region, index + 1)
    return statement(region, following, last)


def _fill(region: Region, opening: int) -> None:
    """Empty parentheses: `()` cannot be a condition; the macro's own name lends the bytes."""
    tokens, match = region.tokens, region.match
    start, end = tokens[opening].start, tokens[match[opening]].end
    if end - start > 2:
        region.put(start + 1, b"0")
        region.found.erased.add(start + 1)
        return
    name = tokens[opening - 1]
    region.blank(name.start, end)
    keyword = b"while" if len(name.text) > 5 else b"if"
    region.put(name.start, keyword)
    region.put(end - 3, b"(0)")
    region.found.erased.add(end - 2)


def _two_names(region: Region, index: int, last: int) -> int:
    """A declaration, or a macro that stands alone on its line."""
    tokens = region.tokens
    following = tokens[index + 1]
    if following.is_first and not _goes_on_as_declarator(region, index, last):
        region.end_statement(index)
        return index + 1
    if following.text in STATEMENT_KEYWORDS:
        if following.text in _JUMPS and _goes_on(region, _end_of_statement(region, index + 1, last), last) and _as_condition(region, index):
            return index + 1
        if not region.end_statement(index):
            region.take_word(index, index + 1, index + 1)
        return index + 1
    return _declaration(region, index, last)


def _as_condition(region: Region, index: int) -> bool:
    """Write a word as a condition that nobody knows (`if_assert_failed return NULL;`): else what stands behind its jump were never reached.
    Not where the word is too short."""
    start, end = region.tokens[index].start, region.tokens[index].end
    if end - start < _SHORTEST_CONDITION:
        return False
    region.blank(start, end)
    region.put(start, b"if")
    region.put(end - 3, b"(0)")
    region.found.erased.add(end - 2)
    region.found.statements[end - 2] = (start, end)  # It is still named here, for who knows the macro.
    return True


def _end_of_statement(region: Region, index: int, last: int) -> int:
    """Behind the `;` that ends a jump."""
    while index < last and region.tokens[index].text != ";":
        index = max(region.match.get(index, index), index) + 1
    return index + 1


def _goes_on(region: Region, index: int, last: int) -> bool:
    """Whether further statements of the same block stand at a token, which are no labels."""
    while index < last and region.tokens[index].kind == "directive":
        index += 1
    if index >= last or region.tokens[index].text in ("}", "case", "default", "else", "while"):
        return False
    return index + 1 >= last or region.tokens[index].kind != "name" or region.tokens[index + 1].text != ":"


def _jumps_at_end(region: Region, opening: int) -> bool:
    """Whether the last statement of a block leaves the procedure or goes elsewhere, whatever was before."""
    index, last = opening + 1, region.match[opening]
    begins = index
    while index < last:
        if region.tokens[index].text == ";":
            begins = index + 1 if index + 1 < last else begins
        index = max(region.match.get(index, index), index) + 1
    return begins < last and region.tokens[begins].text in ("return", "goto")


def _goes_on_as_declarator(region: Region, index: int, last: int) -> bool:
    """Whether what follows on the next line is a name to declare, for a type that does not look like a macro."""
    tokens = region.tokens
    if tokens[index].text.isupper() or tokens[index + 1].text in KEYWORDS or index + 2 >= last:
        return False
    lowered = tokens[index].text.lower()
    if "begin" in lowered or "end" in lowered:
        return False
    return tokens[index + 2].text in _AFTER_DECLARATOR and tokens[index + 2].text != ":"
