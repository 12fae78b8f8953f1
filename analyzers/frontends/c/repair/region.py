"""The text of one file-level item while it is rewritten, byte for byte in place, and what was taken out of it."""

from __future__ import annotations

import msgspec

from analyzers.frontends.c.repair.tokens import Token


class MacroBlock(msgspec.Struct, frozen=True, gc=False):
    """A macro that heads a statement: `name(arguments) statement`. It is a loop, or the statement may just run."""

    name: str
    is_loop: bool


class Findings(msgspec.Struct, gc=False):
    """What the tree of a rewritten item no longer says, by offset in the file.

    words       attribute macros, where the token after them begins
    blocks      macros that head a statement, where that statement begins
    ranges      the second limit of `case a ... b`, where the label begins
    labels      labels that stand before no statement, where their `;` stands now
    computed    `goto *e`, where e begins
    erased      arguments that are no expressions
    statements  arguments that are statements: the bytes of each, where it begins
    assembler   the bytes of inline assembler, where its statement begins
    defines     the bytes of each `#define` that was taken out
    flow        bytes whose control flow was chosen among branches of `#if`
    """

    words: dict[int, list[str]] = {}
    blocks: dict[int, MacroBlock] = {}
    ranges: dict[int, tuple[int, int]] = {}
    labels: dict[int, str] = {}
    computed: set[int] = set()
    erased: set[int] = set()
    statements: dict[int, tuple[int, int]] = {}
    assembler: dict[int, tuple[int, int]] = {}
    defines: list[tuple[int, int]] = []
    flow: list[tuple[int, int]] = []


class Region:
    """An item: its tokens with their brackets matched, and its bytes as they are rewritten."""

    __slots__ = ("base", "found", "match", "out", "source", "taken", "tokens")

    def __init__(
        self, source: str, start: int, end: int, tokens: list[Token], match: dict[int, int], found: Findings
    ) -> None:
        self.source = source
        self.base = start
        self.out = bytearray(source[start:end].encode("latin-1"))
        self.tokens = tokens
        self.match = match
        self.found = found
        self.taken: list[tuple[int, list[str]]] = []

    def text(self, first: int, last: int) -> str:
        """The source text of tokens [first, last)."""
        if last <= first:
            return ""
        return self.source[self.tokens[first].start : self.tokens[last - 1].end]

    def blank(self, start: int, end: int) -> None:
        """Blank the bytes [start, end) of the file; line ends stay."""
        out = self.out
        for at in range(start - self.base, end - self.base):
            if out[at] != 10:
                out[at] = 32

    def blank_tokens(self, first: int, last: int) -> None:
        """Blank tokens [first, last) and all between."""
        if last > first:
            self.blank(self.tokens[first].start, self.tokens[last - 1].end)

    def put(self, at: int, text: bytes) -> None:
        """Write bytes over those at offset `at` of the file."""
        self.out[at - self.base : at - self.base + len(text)] = text

    def take_word(self, first: int, last: int, following: int) -> None:
        """Blank tokens [first, last), an attribute macro; it belongs to the token that follows."""
        self.taken.append((following if following < len(self.tokens) else first, self._words(first, last)))
        self.blank_tokens(first, last)

    def settle(self) -> None:
        """Give each macro that was taken out to the next token that is left."""
        out, base, tokens = self.out, self.base, self.tokens
        for index, words in self.taken:
            while index + 1 < len(tokens) and out[tokens[index].start - base] == 32:
                index += 1
            self.found.words.setdefault(tokens[index].start, []).extend(words)

    def _words(self, first: int, last: int) -> list[str]:
        """A macro as it is written; the attributes that `__attribute__((…))` lists."""
        tokens, match = self.tokens, self.match
        is_list = tokens[first].text in ("__attribute__", "__attribute") and last - first > 4
        if not is_list or tokens[first + 2].text != "(":
            return ["".join(token.text for token in tokens[first:last])]
        words: list[str] = []
        start = index = first + 3
        end = match[first + 2]
        while index <= end:
            if tokens[index].text == "," or index == end:
                words += [_plain("".join(token.text for token in tokens[start:index]))] if index > start else []
                start = index + 1
            elif tokens[index].text == "(":
                index = match[index]
            index += 1
        return words

    def end_statement(self, index: int) -> bool:
        """Put a `;` into the blank after a token, if there is one that can be spared: a directive keeps its line."""
        tokens = self.tokens
        out = self.out
        at = tokens[index].end - self.base
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        limit = following.start - self.base if following is not None else len(out)
        if at >= limit or out[at] not in b" \t\r\n":
            return False
        if out[at] == 10 and following is not None and following.kind == "directive" and 10 not in out[at + 1 : limit]:
            return False
        self.out[at] = 59
        return True


def _plain(attribute: str) -> str:
    """An attribute without the underscores around its name."""
    name, opening, rest = attribute.partition("(")
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return name + opening + rest
