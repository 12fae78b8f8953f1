"""Conditional compilation inside a body, where each side is whole statements.

Neither side is left out: which one is compiled is a branch on a variable that nothing assigns, named
by the condition, so that the sides of one condition go together. A side that is never compiled is. Behind `#error`
nothing is.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.repair.conditionals import contrary
from analyzers.frontends.c.words import NEVER_COMPILED, PROVERS, TOLD_TO_ANALYSERS
from analyzers.syntax import Node

_ALTERNATIVES = frozenset(("preproc_else", "preproc_elif", "preproc_elifdef"))


def configuration(body: Body, node: Node) -> None:
    """Lower `#if … #else … #endif` among statements."""
    before, after = dict(body.names), list[int]()
    at: Node | None = node
    while at is not None:
        alternative = next((kid for kid in at.kids if kid.kind in _ALTERNATIVES), None)
        content = [kid for kid in at.kids if kid.kind not in _ALTERNATIVES]
        if at.kind == "preproc_else":
            other: list[int] = []
        else:
            is_compiled = _is_compiled(body, at)
            content = content[1:] if is_compiled is not False else []
            if is_compiled is None:
                body.open, other = _test(body, at)
            elif is_compiled:
                other = []
                alternative = None
            else:
                other, body.open = body.open, []
        for kid in content:
            body.statement(kid)
        after += body.open
        body.open = other
        at = alternative
    body.open = after + body.open
    if _is_compiled(body, node) is None and _ALTERNATIVES.isdisjoint(kid.kind for kid in node.kids):
        _uncover(body, before)


def _uncover(body: Body, before: Mapping[str, str]) -> None:
    """Let variables that one way to compile declares in place of the file's own be those behind it: where it is not compiled they are meant
    (`#ifndef TLS`, `char *session = own_session();`, `#endif`)."""
    for name, meant in list(body.names.items()):
        if before.get(name) != meant and not meant.startswith("::") and name in body.file.globals:
            body.declare_global(name, name)


def refused(body: Body, node: Node) -> None:
    """Lower a directive among statements: behind `#error` nothing is compiled."""
    if body.open and body.source[node.start : node.end].lstrip("# \t").startswith("error"):
        body.emit(ir.Call(node.start - body.base, node.end - body.base, "", "function", "abort", "", "", ()))
        body.returns()  # as far as this file tells: linking knows that nothing follows


CONDITIONAL = frozenset(("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"))
"""Nodes with a condition that decides whether their text is compiled."""


def pass_by(body: Body, node: Node, inner: Node) -> list[int]:
    """Enter the side of `#if` that `inner` is in, as a jump to a label there does; the edges of where it is not compiled."""
    if _is_compiled(body, node) is not None:
        return []
    taken, other = _test(body, node)
    body.open, past = (other, taken) if inner.kind in _ALTERNATIVES else (taken, other)
    return past


def _condition(body: Body, node: Node) -> tuple[str, bool]:
    """A condition in its normal form, and whether it was negated."""
    if not node.kids:
        return "", False
    condition = " ".join(body.file.text(node.kids[0]).split())
    if node.kind in ("preproc_ifdef", "preproc_elifdef"):
        word = body.source[node.start : node.kids[0].start]
        return condition, "ndef" in word
    return _plain(condition)


def _is_compiled(body: Body, node: Node) -> bool | None:
    """Whether a side is always or never compiled; None where that depends."""
    condition, is_negative = _condition(body, node)
    is_for_provers = condition.isidentifier() and any(each in condition.upper() for each in PROVERS)
    if condition == "0" or condition in NEVER_COMPILED or is_for_provers:
        return is_negative
    if condition.isdecimal() or condition in TOLD_TO_ANALYSERS:
        return not is_negative
    return None


def _test(body: Body, node: Node) -> tuple[list[int], list[int]]:
    """The edges into a side and past it."""
    if not body.open or not node.kids:
        return body.open, []
    condition, is_negative = _condition(body, node)
    attribute = f"configured({condition})"
    if attribute not in body.attributes:
        body.attributes.append(attribute)
    body.configurations.add("if%" + condition)
    taken, other = body.branch("true", "if%" + condition, "", node.kids[0])
    return (other, taken) if is_negative else (taken, other)


def _plain(condition: str) -> tuple[str, bool]:
    """`defined(X)` as `X`, `!c` as c and True, `X < 3` as `X >= 3` and True."""
    is_negative = False
    while condition.startswith("!") and _is_one_term(condition[1:]):
        condition = condition[1:].strip()
        is_negative = not is_negative
    if condition.startswith("defined") and _is_one_term(condition):
        condition = condition.removeprefix("defined").strip(" ()")
    compared, is_contrary = contrary(condition)
    return (compared, is_negative != is_contrary) if compared else (condition, is_negative)


def _is_one_term(text: str) -> bool:
    return not any(mark in text for mark in ("&&", "||", "==", "<", ">", "+", "-", "?"))
