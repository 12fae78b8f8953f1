"""Cuts a file into its file-level items: one definition or declaration each.

Between braces only braces and directives are looked at. Of `#if` only the first branch counts. Where braces do not balance that way, a `}` in the first column
ends an item. Cuts too late where the `;` after a struct is missing.
"""

from __future__ import annotations

import msgspec

from analyzers.frontends.c.repair.tokens import Token, directive_word, lex, skim, tokenise
from analyzers.frontends.c.trees import HIDDEN, is_only_for_c
from analyzers.frontends.c.words import NEVER_COMPILED

_TAGS = frozenset(("struct", "union", "enum"))
_STARTS_ITEM = frozenset(("static", "extern", "typedef", "struct", "union", "enum", "void", "int", "const"))
_LONGEST_MACRO = 2000
"""Bytes after a brace in which a macro that ends an item is looked for."""

_MOST_K_AND_R = 16
"""Parameter declarations between the head and the body of an old function."""


class Cut(msgspec.Struct, gc=False):
    """The bytes [start, end) of each item, in order; the tokens outside braces, and all braces and directives."""

    items: list[tuple[int, int]]
    tokens: list[Token]


def cut(source: str) -> Cut:
    """Cut a whole file."""
    cutter = _Cutter(source)
    cutter.run(0)
    if cutter.depth:
        cutter.run_by_margins()
    tokens = cutter.tokens
    items = _with_bodies(tokens, cutter.items)
    spans = [(tokens[first].start, tokens[last - 1].end) for first, last in items]
    if cutter.depth and spans:
        spans[-1] = (spans[-1][0], len(source))
    return Cut(spans, tokens)


class _Opened:
    """An `#if` that is open: where, how many items there were, the nesting there and after its first branch."""

    __slots__ = ("after", "depth", "index", "is_dead", "is_hidden", "is_last", "items", "parens")

    def __init__(self, index: int, items: int, depth: int, parens: int) -> None:
        self.index = index
        self.items = items
        self.depth = depth
        self.parens = parens
        self.after: tuple[int, int] | None = None
        self.is_dead = False
        self.is_hidden = False
        self.is_last = False


def _condition(token: Token, word: str) -> str:
    return token.text.lstrip("# \t")[len(word) :].split("/*")[0].split("//")[0].strip()


def _is_never_compiled(token: Token, word: str) -> bool:
    condition = _condition(token, word)
    return word != "ifndef" and (condition in HIDDEN or condition in NEVER_COMPILED)


class _Cutter:
    """The state of one pass over the tokens."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.items: list[tuple[int, int]] = []
        self.begin = 0
        self.depth = 0
        self.parens = 0
        self.is_type = False
        self.has_value = False
        self.branches: list[_Opened] = []
        self.by_margins = False

    def run(self, at: int) -> None:
        """Cut the file from an offset on."""
        source, tokens = self.source, self.tokens
        end = len(source)
        while at < end:
            if self.depth:
                token = skim(source, at, end)
                if token is None:
                    break
                tokens.append(token)
                at = token.end
            else:
                at = lex(source, at, end, tokens, "{}();=")
            if tokens and tokens[-1].end == at:
                token = tokens[-1]
                if token.kind == "directive":
                    self._directive(len(tokens) - 1, token)
                elif token.kind == "punct":
                    at = self._punctuation(len(tokens) - 1, token.text) or at
        if self.begin < len(tokens) and not self.depth:
            self._end(len(tokens))

    def _end(self, last: int) -> None:
        if last > self.begin and not any(opened.is_hidden for opened in self.branches):
            self.items.append((self.begin, last))
        self._skip(last)

    def _skip(self, last: int) -> None:
        self.begin = last
        self.parens = 0
        self.is_type = self.has_value = False

    def _directive(self, index: int, token: Token) -> None:
        word = directive_word(token)
        if word in ("if", "ifdef", "ifndef"):
            opened = _Opened(index, len(self.items), self.depth, self.parens)
            if _is_never_compiled(token, word):
                opened.after = self.depth, self.parens
                opened.is_dead = True
                opened.is_hidden = _condition(token, word) in HIDDEN
            opened.is_last = is_only_for_c(word, _condition(token, word))
            self.branches.append(opened)
        elif word in ("else", "elif", "elifdef", "elifndef") and self.branches:
            opened = self.branches[-1]
            self._reach_back(index, opened)
            opened.is_hidden = opened.is_last
            if opened.is_dead:
                opened.after, opened.is_dead = None, False
            elif opened.after is None:
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

    def _punctuation(self, index: int, mark: str) -> int:
        """Count a bracket; where to go on if some tokens after it were read too."""
        if mark == "{":
            if not self.depth:
                self._open(index)
            self.depth += self.begin <= index
        elif mark == "}":
            return self._close(index)
        elif self.depth:
            return 0
        elif mark == "(":
            self.parens += 1
        elif mark == ")":
            self.parens = max(0, self.parens - 1)
        elif mark == "=" and not self.parens:
            self.has_value = True
        elif mark == ";" and not self.parens:
            self._end(index + 1)
        return 0

    def _open(self, index: int) -> None:
        tokens = self.tokens
        before = tokens[index - 1] if index > self.begin else None
        self.is_type = self.has_value
        if before is None:
            return
        if before.kind == "string" and index - 2 >= self.begin and tokens[index - 2].text == "extern":
            self._skip(index + 1)
        elif before.text == ")" and self._is_applied(index - 1):
            self.is_type = False
        elif before.text in _TAGS or (before.kind == "name" and self._is_tagged(index - 2)):
            self.is_type = True

    def _is_applied(self, index: int) -> bool:
        """Whether a closing parenthesis ends `name(…)`."""
        tokens = self.tokens
        nesting = 0
        while index > self.begin:
            nesting += (tokens[index].text == ")") - (tokens[index].text == "(")
            if not nesting:
                return tokens[index - 1].kind == "name"
            index -= 1
        return False

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

    def _close(self, index: int) -> int:
        if not self.depth:
            if self.begin == index:
                self.begin = index + 1
            return 0
        self.depth -= 1
        start = self.tokens[index].start
        if self.by_margins and self.source[start - 1 : start] == "\n":
            self.depth = self.parens = 0
        if self.depth or self.parens:
            return 0
        if not self.is_type:
            self._end(index + 1)
            return 0
        return self._end_without_semicolon(index)

    def _end_without_semicolon(self, index: int) -> int:
        """End a struct or an initialiser whose `;` a macro holds, or is missing: `} NAME(…)`, `} static …`."""
        start = self.tokens[index].end
        ahead = self.tokens[index : index + 1]
        ahead += tokenise(self.source, start, min(start + _LONGEST_MACRO, len(self.source)))
        if len(ahead) < 3 or ahead[1].kind != "name":
            return 0
        if ahead[1].is_first and ahead[1].text in _STARTS_ITEM:
            self._end(index + 1)
            return 0
        if ahead[2].text != "(":
            return 0
        nesting = 0
        for last in range(2, len(ahead) - 1):
            nesting += (ahead[last].text == "(") - (ahead[last].text == ")")
            if not nesting:
                if ahead[last + 1].is_first and ahead[last + 1].kind != "punct":
                    self.tokens += ahead[1 : last + 1]
                    self._end(len(self.tokens))
                    return ahead[last].end
                return 0
        return 0

    def run_by_margins(self) -> None:
        """Cut again what never ends, now at each `}` in the first column."""
        at = self.tokens[self.begin].start
        del self.tokens[self.begin :]
        self.branches.clear()
        self.depth = self.parens = 0
        self.is_type = self.has_value = False
        self.by_margins = True
        self.run(at)
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
