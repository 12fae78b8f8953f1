"""Chooses one branch of each `#if` that splits a statement, a list or a head.

A group whose branches are whole statements between statements stays: the grammar reads it. Of a list all
branches stay. Else the first branch that may be compiled is kept, the same one for equal conditions; where
that leaves the braces unbalanced, other choices are tried. Control flow that depends on it is recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from analyzers.frontends.c.repair.tokens import Token, directive_word, is_conditional, pairs
from analyzers.frontends.c.words import NEVER_COMPILED

_FLOW = frozenset((
    "{", "}", "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break", "continue",
    "&&", "||", "?",
))
_MOST_CHOICES = 4
"""Conditions whose other choice is tried where braces do not balance."""


class Branch(msgspec.Struct, gc=False):
    """One side of a group: its directive, its condition (normal form, and whether it is negated), and its tokens
    [first, last), nested groups included."""

    directive: int
    condition: str
    is_negative: bool
    first: int
    last: int


class Group(msgspec.Struct, gc=False):
    """`#if … #endif`: its branches and the tokens of the whole, [first, last)."""

    branches: list[Branch]
    first: int
    last: int
    inner: list[Group]


class Choice(msgspec.Struct, gc=False):
    """What is kept: the tokens, the bytes to blank, and the bytes whose control flow was chosen."""

    tokens: list[Token]
    blanked: list[tuple[int, int]]
    flow: list[tuple[int, int]]


def choose(tokens: list[Token]) -> Choice:
    """Resolve the directives of an item."""
    if not any(token.kind == "directive" for token in tokens):
        return Choice(tokens, [], [])
    groups = _groups(tokens)
    nesting = _nesting(tokens)
    names: list[str] = []
    best: Choice | None = None
    for flipped in _flips(names):
        made = _Choosing(tokens, nesting, flipped, frozenset())
        made.decide(groups)
        while made.conditions - made.forced:
            made = _Choosing(tokens, nesting, flipped, frozenset(made.conditions))
            made.decide(groups)
        choice = made.choice()
        if best is None:
            best = choice
            names += sorted(made.conditions)[:_MOST_CHOICES]
        if pairs([token for token in choice.tokens if token.kind != "directive"]) is not None:
            return choice
    return best if best is not None else Choice(tokens, [], [])


def _flips(names: list[str]) -> Iterator[frozenset[str]]:
    """The sets of conditions whose other choice is taken: none first. `names` may be filled in after that."""
    yield frozenset()
    for count in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, count):
            yield frozenset(chosen)


def normal(directive: str, word: str) -> tuple[str, bool]:
    """A condition without negation and `defined`, and whether it was negated; `X < 3` is `X >= 3`, negated."""
    condition = " ".join(directive.lstrip("# \t")[len(word) :].split())
    is_negative = word in ("ifndef", "elifndef")
    while condition.startswith("!") and not any(mark in condition for mark in ("&&", "||", "==", "!=", "<", ">")):
        condition = condition[1:].strip()
        is_negative = not is_negative
    if condition.startswith("defined") and condition.count("defined") == 1 and "&&" not in condition and "||" not in condition:
        condition = condition.removeprefix("defined").strip(" ()")
    compared, is_contrary = contrary(condition.partition("/*")[0].partition("//")[0].strip())
    return (compared, is_negative != is_contrary) if compared else (condition, is_negative)


_OPPOSITES = {"!=": "==", "<": ">=", "<=": ">"}
"""Comparisons, and those that say the contrary."""


def contrary(condition: str) -> tuple[str, bool]:
    """A condition that is one comparison by `==`, `>=` or `>`, and whether it says the contrary of that; empty for anything else."""
    for sign in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, right = (each.strip() for each in condition.partition(sign))
        if found and all(side.isidentifier() or side.isalnum() for side in (left, right)):
            return f"{left} {_OPPOSITES.get(sign, sign)} {right}", sign in _OPPOSITES
        if found:
            break
    return "", False


def _groups(tokens: list[Token]) -> list[Group]:
    """The groups, outermost first in each list. A directive without its partner is in no group."""
    found: list[Group] = []
    stack: list[Group] = []
    for index, token in enumerate(tokens):
        if token.kind != "directive":
            continue
        word = directive_word(token)
        if word in ("if", "ifdef", "ifndef"):
            condition, is_negative = normal(token.text, word)
            stack.append(Group([Branch(index, condition, is_negative, index + 1, -1)], index, -1, []))
        elif word in ("elif", "elifdef", "elifndef", "else"):
            if not stack:
                stack.append(Group([Branch(index, "", False, 0, -1)], 0, -1, []))
            stack[-1].branches[-1].last = index
            condition, is_negative = normal(token.text, word) if word != "else" else ("", False)
            stack[-1].branches.append(Branch(index, condition, is_negative, index + 1, -1))
        elif word == "endif" and stack:
            group = stack.pop()
            group.branches[-1].last = index
            group.last = index + 1
            (stack[-1].inner if stack else found).append(group)
    return found


def all_groups(tokens: list[Token]) -> list[Group]:
    """The groups of an item, inner ones too."""
    found = _groups(tokens)
    for group in found:
        found += group.inner
    return found


def _nesting(tokens: list[Token]) -> list[int]:
    """How many parentheses each token lies in."""
    depth = 0
    found: list[int] = []
    for token in tokens:
        found.append(depth)
        if token.kind == "punct":
            depth = max(0, depth + (token.text == "(") - (token.text == ")"))
    return found


class _Choosing:
    """One way to choose: which tokens are dropped, and what that decides.

    Of a condition that is decided somewhere (`forced`) no group stays: all go the same way. That is, unless
    flipped, the first branch of the first of them.
    """

    def __init__(
        self, tokens: list[Token], nesting: list[int], flipped: frozenset[str], forced: frozenset[str]
    ) -> None:
        self.forced = forced
        self.holds: dict[str, bool] = {}
        self.tokens = tokens
        self.nesting = nesting
        self.flipped = flipped
        self.dropped = bytearray(len(tokens))
        self.grouped: set[int] = set()
        self.conditions: set[str] = set()
        self.flow: list[tuple[int, int]] = []

    def decide(self, groups: list[Group]) -> None:
        """Choose among the branches of each group that cannot stay, inner groups first."""
        for group in groups:
            self.decide(group.inner)
            self.grouped.update(branch.directive for branch in group.branches)
            self.grouped.add(group.last - 1)
            is_forced = any(branch.condition in self.forced for branch in group.branches)
            if is_forced or self.nesting[group.first] or not self._is_whole(group):
                self._split(group)

    def _is_whole(self, group: Group) -> bool:
        """Whether each branch is a run of statements that stands between statements of a body."""
        before = self._next(range(group.first - 1, -1, -1))
        if before is None or before.text not in (";", "{", "}", ":"):
            return False
        after = self._next(range(group.last, len(self.tokens)))
        if after is not None and after.text == "else":
            return False
        return all(_is_run(self._content(branch)) for branch in group.branches)

    def _next(self, indexes: range) -> Token | None:
        for index in indexes:
            if not self.dropped[index] and self.tokens[index].kind != "directive":
                return self.tokens[index]
        return None

    def _content(self, branch: Branch) -> list[Token]:
        return [
            self.tokens[index] for index in range(branch.first, branch.last)
            if not self.dropped[index] and self.tokens[index].kind != "directive"
        ]

    def _split(self, group: Group) -> None:
        self.conditions.update(branch.condition for branch in group.branches if branch.condition)
        chosen = self._chosen(group)
        if len(chosen) < 2 and _decides_flow(self.tokens, group):
            self.flow.append((self.tokens[group.first].start, self.tokens[group.last - 1].end))
        for index in (group.last - 1, *(branch.directive for branch in group.branches)):
            self.dropped[index] = 1
        for number, branch in enumerate(group.branches):
            if number not in chosen:
                for index in range(branch.first, branch.last):
                    self.dropped[index] = 1

    def _chosen(self, group: Group) -> tuple[int, ...]:
        """The branches that stay."""
        branches = group.branches
        if not self.nesting[group.first] and all(_is_list(self._content(branch)) for branch in branches):
            return tuple(range(len(branches)))
        for number, branch in enumerate(branches):
            if not branch.condition:
                return (number,)
            holds = self.holds.get(branch.condition)
            if holds is None:
                holds = branch.condition not in NEVER_COMPILED and branch.condition != "0"
                holds = holds and not branch.is_negative
                self.holds[branch.condition] = holds = holds != (branch.condition in self.flipped)
            if holds != branch.is_negative:
                return (number,)
        return ()

    def choice(self) -> Choice:
        """What is kept. A directive that belongs to no group goes."""
        for index, token in enumerate(self.tokens):
            if token.kind == "directive" and index not in self.grouped and is_conditional(token):
                self.dropped[index] = 1
        blanked = [(token.start, token.end) for index, token in enumerate(self.tokens) if self.dropped[index]]
        left = [token for index, token in enumerate(self.tokens) if not self.dropped[index]]
        return Choice(left, blanked, self.flow)


_NOT_FIRST = frozenset(("else", ",", ")", "&&", "||", ".", "}", "?", "+", "|", "==", "!="))


def _is_run(content: list[Token]) -> bool:
    """Whether tokens are whole statements."""
    if not content:
        return True
    return (
        content[0].text not in _NOT_FIRST and content[-1].text in (";", "}") and pairs(content) is not None
    )


def _is_list(content: list[Token]) -> bool:
    """Whether tokens are items of a list: each ends in a comma."""
    return bool(content) and content[-1].text == "," and pairs(content) is not None


def _decides_flow(tokens: list[Token], group: Group) -> bool:
    return any(
        token.text in _FLOW and token.kind in ("name", "punct") for token in tokens[group.first : group.last]
    )
