"""Which side of a directive at file level belongs to a platform that is not the one in mind.

Declarations of both sides are kept: they add up. Macros are not: of two definitions of one name, the one for
another platform is left out. Says nothing of conditions that mix platforms with anything else.
"""

from __future__ import annotations

from analyzers.frontends.c.repair.tokens import Token, directive_word, skim
from analyzers.frontends.c.words import NEVER_COMPILED
from analyzers.syntax import Node

ALTERNATIVES = frozenset(("preproc_else", "preproc_elif", "preproc_elifdef"))


def foreign_side(source: str, node: Node) -> tuple[int, int] | None:
    """The bytes of a directive that only another platform compiles; None where both sides may count."""
    if not node.kids:
        return None
    is_foreign = _is_foreign(source, node)
    if is_foreign is None:
        return None
    alternative = next((kid for kid in node.kids if kid.kind in ALTERNATIVES), None)
    if is_foreign:
        return node.start, alternative.start if alternative is not None else node.end
    if alternative is not None and alternative.kind == "preproc_else":
        return alternative.start, alternative.end
    return None


def sides(source: str) -> list[tuple[int, int, str]]:
    """Both sides of each `#ifdef X … #else`, each with its word: `X` where it is to be defined, `!X` where it must not be."""
    found: list[tuple[int, int, str]] = []
    stack: list[tuple[int, str]] = []
    at = 0
    while (token := skim(source, at, len(source))) is not None:
        at = token.end
        kind = directive_word(token) if token.kind == "directive" else ""
        if kind in _OPENING:
            stack.append((token.start, _word(token, kind)))
        elif kind.startswith("el") and stack:
            start, word = stack.pop()
            if kind == "else" and word:
                found.append((start, token.start, word))
            stack.append((token.start, _ELSE + _opposite(word) if kind == "else" and word else ""))
        elif kind == "endif" and stack:
            start, word = stack.pop()
            if word.startswith(_ELSE):
                found.append((start, token.end, word.removeprefix(_ELSE)))
    return found


_OPENING = frozenset(("if", "ifdef", "ifndef"))
_ELSE = "else "


def _word(token: Token, kind: str) -> str:
    """The word that a directive asks for, with `!` where it must not be defined; empty where it asks for more."""
    name, is_positive = _term(" ".join(token.text.partition(kind)[2].partition("/*")[0].partition("//")[0].split()))
    if not name.isidentifier():
        return ""
    return name if is_positive == (kind != "ifndef") else "!" + name


def _opposite(word: str) -> str:
    return word[1:] if word.startswith("!") else "!" + word


def _is_foreign(source: str, node: Node) -> bool | None:
    """Whether the first side is never (or always) compiled; None where that depends."""
    condition = " ".join(source[node.kids[0].start : node.kids[0].end].split())
    if node.kind in ("preproc_ifdef", "preproc_elifdef"):
        if condition not in NEVER_COMPILED:
            return None
        return "ndef" not in source[node.start : node.kids[0].start]
    if "&&" in condition:
        return None
    terms = [_term(each.strip()) for each in condition.split("||")]
    if not all(name in NEVER_COMPILED for name, _ in terms):
        return None
    if all(is_positive for _, is_positive in terms):
        return True
    return False if len(terms) == 1 else None


def _term(text: str) -> tuple[str, bool]:
    """The name in `defined(X)`, `X`, `!defined X`, and whether it is meant to be there."""
    is_positive = not text.startswith("!")
    name = text.lstrip("!").strip().removeprefix("defined").strip(" ()")
    return name, is_positive
