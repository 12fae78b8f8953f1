"""Cuts the tokens of a file into its file-level items: one definition or declaration each.

Of `#if` only the first branch counts. Where braces do not balance that way, a `}` in the first column
ends an item. Cuts too late where the `;` after a struct is missing.
"""

from __future__ import annotations

from analyzers.frontends.c.repair.tokens import Token, directive_word

_TAGS = frozenset(("struct", "union", "enum"))
_STARTS_ITEM = frozenset(("static", "extern", "typedef", "struct", "union", "enum", "void", "int", "const"))
_LONGEST_MACRO = 200

_MOST_K_AND_R = 16
"""Parameter declarations between the head and the body of an old function."""


def cut(source: str, tokens: list[Token]) -> list[tuple[int, int]]:
    """The tokens [first, last) of each item, in order."""
    cutter = _Cutter(tokens)
    cutter.run(0)
    if cutter.depth:
        cutter.cut_at_margins(source)
    return _with_bodies(tokens, cutter.items)


class _Opened:
    """An `#if` that is open: where, how many items there were, the nesting there and after its first branch."""

    __slots__ = ("after", "depth", "index", "items", "parens")

    def __init__(self, index: int, items: int, depth: int, parens: int) -> None:
        self.index = index
        self.items = items
        self.depth = depth
        self.parens = parens
        self.after: tuple[int, int] | None = None


class _Cutter:
    """The state of one pass over the tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.items: list[tuple[int, int]] = []
        self.begin = 0
        self.depth = 0
        self.parens = 0
        self.is_type = False
        self.has_value = False
        self.branches: list[_Opened] = []

    def run(self, first: int) -> None:
        """Cut from token `first` on."""
        tokens = self.tokens
        for index in range(first, len(tokens)):
            token = tokens[index]
            if token.kind == "directive":
                self._directive(index, token)
            elif token.kind == "punct":
                self._punctuation(index, token.text)
        if self.begin < len(tokens) and not self.depth:
            self._end(len(tokens))

    def _end(self, last: int) -> None:
        if last > self.begin:
            self.items.append((self.begin, last))
        self.begin = last
        self.parens = 0
        self.is_type = self.has_value = False

    def _directive(self, index: int, token: Token) -> None:
        word = directive_word(token)
        if word in ("if", "ifdef", "ifndef"):
            self.branches.append(_Opened(index, len(self.items), self.depth, self.parens))
        elif word in ("else", "elif", "elifdef", "elifndef") and self.branches:
            opened = self.branches[-1]
            self._reach_back(index, opened)
            if opened.after is None:
                opened.after = self.depth, self.parens
            self.depth, self.parens = opened.depth, opened.parens
        elif word == "endif" and self.branches:
            opened = self.branches.pop()
            self._reach_back(index, opened)
            if opened.after is not None:
                self.depth, self.parens = opened.after
        if self.begin == index and not self.depth:
            self.begin = index + 1

    def _reach_back(self, index: int, opened: _Opened) -> None:
        """An item that goes on past the end of a branch that it began in includes the whole group."""
        if self.begin < index and opened.index < self.begin and len(self.items) == opened.items:
            self.begin = opened.index

    def _punctuation(self, index: int, mark: str) -> None:
        if mark == "{":
            if not self.depth:
                self._open(index)
            self.depth += self.begin <= index
        elif mark == "}":
            self._close(index)
        elif self.depth:
            return
        elif mark == "(":
            self.parens += 1
        elif mark == ")":
            self.parens = max(0, self.parens - 1)
        elif mark == "=" and not self.parens:
            self.has_value = True
        elif mark == ";" and not self.parens:
            self._end(index + 1)

    def _open(self, index: int) -> None:
        tokens = self.tokens
        before = tokens[index - 1] if index > self.begin else None
        self.is_type = self.has_value
        if before is None:
            return
        if before.kind == "string" and index - 2 >= self.begin and tokens[index - 2].text == "extern":
            self._end(index + 1)
            self.items.pop()
        elif before.text in _TAGS or (before.kind == "name" and self._is_tagged(index - 2)):
            self.is_type = True

    def _is_tagged(self, index: int) -> bool:
        """Whether `struct`, perhaps with attributes, ends at a token."""
        tokens = self.tokens
        while index >= self.begin and tokens[index].text not in _TAGS:
            if tokens[index].text == ")":
                nesting = 0
                while index >= self.begin:
                    nesting += (tokens[index].text == ")") - (tokens[index].text == "(")
                    if not nesting:
                        break
                    index -= 1
            elif tokens[index].kind != "name":
                return False
            index -= 1
            if index >= self.begin and tokens[index].kind != "name" and tokens[index].text != ")":
                return False
        return index >= self.begin

    def _close(self, index: int) -> None:
        if not self.depth:
            if self.begin == index:
                self.begin = index + 1
            return
        self.depth -= 1
        if self.depth or self.parens:
            return
        if not self.is_type:
            self._end(index + 1)
        else:
            last = self._last_without_semicolon(index)
            if last:
                self._end(last)

    def _last_without_semicolon(self, index: int) -> int:
        """Where a struct or an initialiser ends whose `;` a macro holds, or is missing; 0 where it goes on."""
        tokens = self.tokens
        at = index + 1
        if at >= len(tokens) or tokens[at].kind != "name":
            return 0
        if tokens[at].is_first and tokens[at].text in _STARTS_ITEM:
            return at
        if at + 1 >= len(tokens) or tokens[at + 1].text != "(":
            return 0
        nesting = 0
        for following in range(at + 1, min(at + _LONGEST_MACRO, len(tokens))):
            nesting += (tokens[following].text == "(") - (tokens[following].text == ")")
            if not nesting:
                is_end = following + 1 < len(tokens) and tokens[following + 1].is_first
                return following + 1 if is_end and tokens[following + 1].kind != "punct" else 0
        return 0

    def cut_at_margins(self, source: str) -> None:
        """Cut what never ends at each `}` in the first column."""
        for index in range(self.begin, len(self.tokens)):
            token = self.tokens[index]
            if token.text == "}" and source[token.start - 1 : token.start] == "\n":
                self._end(index + 1)
        self._end(len(self.tokens))


def _with_bodies(tokens: list[Token], items: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join a body to the K&R declarations and the head that stand before it."""
    joined: list[tuple[int, int]] = []
    for first, last in items:
        if tokens[first].text == "{":
            for back in range(1, min(_MOST_K_AND_R, len(joined)) + 1):
                begin, end = joined[-back]
                texts = [token.text for token in tokens[begin:end]]
                if "{" in texts or "}" in texts:
                    break
                if ")" in texts and texts[-2:-1] != [")"]:
                    first = begin
                    del joined[-back:]
                    break
        joined.append((first, last))
    return joined
