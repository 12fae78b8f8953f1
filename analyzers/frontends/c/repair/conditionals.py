"""Chooses one branch of each `#if` that splits a statement, a list or a head.

A group whose branches are whole statements between statements stays: the grammar reads it. Of a list all
branches stay. Else the first branch that may be compiled is kept, the same one for equal conditions; where
that leaves the braces unbalanced, other choices are tried. Control flow that depends on it is recorded.
"""

from __future__ import annotations

import itertools

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
    splitting = _splitting(tokens, groups)
    names = sorted({branch.condition for group in splitting for branch in group.branches if branch.condition})
    best: Choice | None = None
    for flipped in itertools.islice(_flips(names), 1 << _MOST_CHOICES):
        made = _apply(tokens, groups, splitting, flipped)
        if best is None:
            best = made
        if pairs([token for token in made.tokens if token.kind != "directive"]) is not None:
            return made
    return best if best is not None else Choice(tokens, [], [])


def _flips(names: list[str]) -> itertools.chain[frozenset[str]]:
    return itertools.chain.from_iterable(
        (frozenset(chosen) for chosen in itertools.combinations(names, count)) for count in range(len(names) + 1)
    )


def normal(directive: str, word: str) -> tuple[str, bool]:
    """A condition without negation and `defined`, and whether it was negated."""
    condition = " ".join(directive.lstrip("# \t")[len(word) :].split())
    is_negative = word in ("ifndef", "elifndef")
    while condition.startswith("!") and not any(mark in condition for mark in ("&&", "||", "==", "!=", "<", ">")):
        condition = condition[1:].strip()
        is_negative = not is_negative
    if condition.startswith("defined") and condition.count("defined") == 1 and "&&" not in condition and "||" not in condition:
        condition = condition.removeprefix("defined").strip(" ()")
    return condition, is_negative


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


def _splitting(tokens: list[Token], groups: list[Group]) -> list[Group]:
    """The groups that cannot stay, outer before inner; inside one that cannot, none can."""
    found: list[Group] = []
    pending = list(groups)
    nesting = _nesting(tokens)
    while pending:
        group = pending.pop(0)
        if not nesting[group.first] and _is_whole(tokens, group):
            pending += group.inner
        else:
            found.append(group)
            inner = list(group.inner)
            while inner:
                at = inner.pop(0)
                found.append(at)
                inner += at.inner
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


def _is_whole(tokens: list[Token], group: Group) -> bool:
    """Whether each branch is a run of statements that stands between statements of a body."""
    before = _previous(tokens, group.first)
    if before is None or before.text not in (";", "{", "}", ":"):
        return False
    after = tokens[group.last] if group.last < len(tokens) else None
    if after is not None and after.text == "else":
        return False
    for branch in group.branches:
        content = [token for token in tokens[branch.first : branch.last] if token.kind != "directive"]
        if not content:
            continue
        if content[0].text in ("else", ",", ")", "&&", "||", ".", "}") or content[-1].text not in (";", "}"):
            return False
        if content[0].text == "." or _is_list(content):
            return False
        if pairs(content) is None:
            return False
    return True


def _previous(tokens: list[Token], index: int) -> Token | None:
    for token in reversed(tokens[:index]):
        if token.kind != "directive":
            return token
    return None


def _is_list(content: list[Token]) -> bool:
    """Whether tokens are items of a list: each ends in a comma."""
    return bool(content) and content[-1].text == "," and pairs(content) is not None


def _apply(tokens: list[Token], groups: list[Group], splitting: list[Group], flipped: frozenset[str]) -> Choice:
    dropped = bytearray(len(tokens))
    blanked: list[tuple[int, int]] = []
    flow: list[tuple[int, int]] = []
    for group in splitting:
        if dropped[group.first]:
            continue
        chosen = _chosen(tokens, group, flipped)
        for index in (group.last - 1, *(branch.directive for branch in group.branches)):
            dropped[index] = 1
        for number, branch in enumerate(group.branches):
            if number not in chosen:
                for index in range(branch.first, branch.last):
                    dropped[index] = 1
        if len(chosen) < 2 and _decides_flow(tokens, group):
            flow.append((tokens[group.first].start, tokens[group.last - 1].end))
    grouped = _directives(groups)
    for index, token in enumerate(tokens):
        if token.kind == "directive" and index not in grouped and is_conditional(token):
            dropped[index] = 1
        if dropped[index]:
            blanked.append((token.start, token.end))
    left = [token for index, token in enumerate(tokens) if not dropped[index]]
    return Choice(left, blanked, flow)


def _directives(groups: list[Group]) -> set[int]:
    """The directives that belong to a group."""
    found: set[int] = set()
    pending = list(groups)
    while pending:
        group = pending.pop()
        found.update(branch.directive for branch in group.branches)
        found.add(group.last - 1)
        pending += group.inner
    return found


def _decides_flow(tokens: list[Token], group: Group) -> bool:
    return any(
        token.text in _FLOW and token.kind in ("name", "punct") for token in tokens[group.first : group.last]
    )


def _chosen(tokens: list[Token], group: Group, flipped: frozenset[str]) -> tuple[int, ...]:
    """The branches that stay."""
    branches = group.branches
    contents = [tokens[branch.first : branch.last] for branch in branches]
    if all(_is_list([t for t in content if t.kind != "directive"]) for content in contents):
        return tuple(range(len(branches)))
    for number, branch in enumerate(branches):
        if not branch.condition:
            return (number,)
        holds = branch.condition not in NEVER_COMPILED and branch.condition != "0"
        if branch.condition in flipped:
            holds = not holds
        if holds != branch.is_negative:
            return (number,)
    return ()
