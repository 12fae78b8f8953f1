"""The ways to compile a function of C whose conditions of the preprocessor split statements, each as text of its own.

Of such a condition the front end keeps one side, and what is proved of that says nothing of the others. Here each side is a text
as long as the source, byte for byte in place, in which nothing depends on it any more. Conditions that have nothing to do with
each other by their words are taken to be independent: too many ways rather than too few.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from analyzers.frontends.c.repair import conditionals
from analyzers.frontends.c.repair.tokens import Token, directive_word, is_conditional, tokenise

MOST_CONDITIONS = 3
"""Conditions of one function beyond which its ways are too many to be proved one by one."""


class Way(msgspec.Struct, frozen=True):
    """One way to compile a function.

    text      the bytes of the function, blank where this way has nothing
    dropped   the bytes that it leaves out, the directives that decide it not among them
    """

    text: bytes
    dropped: tuple[tuple[int, int], ...]


class Ways(msgspec.Struct, frozen=True):
    """All ways to compile a function, that which the front end takes first where it is one of them.

    decided   the bytes of each condition that is decided in them, from `#if` to `#endif`
    sides     the bytes of each of its sides, without the directives around it
    """

    all: tuple[Way, ...]
    decided: tuple[tuple[int, int], ...]
    sides: tuple[tuple[int, int], ...]


def ways(data: bytes, start: int, end: int) -> Ways | None:
    """The ways to compile the function at [start, end) of a file; None where no condition splits it, or there are too many."""
    tokens = tokenise(data.decode("latin-1"), start, end)
    choice = conditionals.choose(tokens)
    groups = conditionals.all_groups(tokens)
    if sum(len(group.branches) + 1 for group in groups) != sum(is_conditional(each) for each in tokens if each.kind == "directive"):
        return None
    gone = frozenset(choice.blanked)
    decided = [group for group in groups if _directive(tokens, group) in gone]
    names, size = _names(tokens, decided), -1
    while len(names) > size:  # Who asks the same is decided with it.
        size = len(names)
        decided = [group for group in groups if group in decided or not names.isdisjoint(_names(tokens, [group]))]
        names = _names(tokens, decided)
    if not decided or len(names) > MOST_CONDITIONS:
        return None
    made = []
    for held in _held(sorted(names)):
        dropped = sorted(_dropped(tokens, decided, held))
        directives = [tokens[at] for group in decided for at in (*(each.directive for each in group.branches), group.last - 1)]
        spans = {*((each.start, each.end) for each in directives)}
        spans |= {(token.start, token.end) for first, last in dropped for token in tokens[first:last]}
        bounds = tuple((tokens[first - 1].end, tokens[last].start) for first, last in dropped)
        made.append((spans != gone, Way(_blanked(data[start:end], start, spans), bounds)))
    made.sort(key=lambda each: each[0])
    return Ways(
        tuple(way for _, way in made),
        tuple((tokens[group.first].start, tokens[group.last - 1].end) for group in decided),
        tuple((tokens[each.directive].end, tokens[each.last].start) for group in decided for each in group.branches),
    )


def _names(tokens: list[Token], groups: list[conditionals.Group]) -> set[str]:
    return {_asked(tokens, each) for group in groups for each in group.branches} - {"", "0"}


def _asked(tokens: list[Token], branch: conditionals.Branch) -> str:
    """What a side asks; whether a macro is defined is another question than whether it is true. Empty for `#else`."""
    directive = tokens[branch.directive]
    is_of_value = directive_word(directive) in ("if", "elif") and "defined" not in directive.text
    return f"{branch.condition} is true" if is_of_value and branch.condition not in ("", "0") else branch.condition


def _directive(tokens: list[Token], group: conditionals.Group) -> tuple[int, int]:
    opening = tokens[group.branches[0].directive]
    return opening.start, opening.end


def _held(names: list[str]) -> Iterator[frozenset[str]]:
    """The sets of conditions that hold together, all of them first."""
    for count in range(len(names), -1, -1):
        for held in itertools.combinations(names, count):
            yield frozenset(held)


def _dropped(tokens: list[Token], decided: list[conditionals.Group], held: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The sides that are left out where some conditions hold, and no others, as ranges of tokens."""
    for group in decided:
        is_taken = False
        for each in group.branches:
            is_so = not is_taken and (each.condition == "" or (each.condition != "0" and (_asked(tokens, each) in held) != each.is_negative))
            is_taken = is_taken or is_so
            if not is_so:
                yield each.first, each.last


def _blanked(text: bytes, start: int, spans: set[tuple[int, int]]) -> bytes:
    out = bytearray(text)
    for first, last in spans:
        for at in range(first - start, last - start):
            if out[at] not in b"\r\n":
                out[at] = 32
    return bytes(out)
