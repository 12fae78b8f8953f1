"""Tells C++ and Objective-C apart from C, by what is no C outside `#ifdef __cplusplus`."""

from __future__ import annotations

from analyzers.frontends.c.repair.tokens import Token, directive_word

_TELLING = frozenset(("template", "namespace", "class", "using", "@"))


def other_language(tokens: list[Token]) -> str:
    """The language that the tokens are in; empty for C."""
    hidden: list[bool] = []
    last = len(tokens) - 2
    for index, token in enumerate(tokens):
        if token.kind == "directive":
            _follow(token, hidden)
        elif token.text in _TELLING and index < last and not any(hidden):
            language = _language(token, tokens[index + 1], tokens[index + 2])
            if language:
                return language
    return ""


def _follow(token: Token, hidden: list[bool]) -> None:
    """Keep track of which `#if` hide C++ from C."""
    word = directive_word(token)
    if word in ("if", "ifdef", "ifndef"):
        hidden.append("__cplusplus" in token.text)
    elif word == "endif" and hidden:
        hidden.pop()


def _language(token: Token, following: Token, after: Token) -> str:
    text = token.text
    if text == "template" and following.text == "<" and after.kind == "name":
        return "C++"
    if text in ("namespace", "class") and following.kind == "name" and after.text in ("{", ":"):
        return "C++" if text == "namespace" or token.is_first else ""
    if text == "using" and following.text == "namespace" and token.is_first:
        return "C++"
    if text == "@" and following.text in ("interface", "protocol", "implementation", "class"):
        return "Objective-C"
    return ""
