"""Conditional compilation inside a body, where each side is whole statements.

Neither side is left out: which one is compiled is a branch on a variable that nothing assigns, named
by the condition, so that the sides of one condition go together. A side that is never compiled is.
"""

from __future__ import annotations

from analyzers.frontends.c.body import Body
from analyzers.syntax import Node

_NEVER = frozenset(("__cplusplus", "_WIN32", "WIN32", "_MSC_VER", "__WIN32__", "_WIN64"))
_ALTERNATIVES = frozenset(("preproc_else", "preproc_elif", "preproc_elifdef"))


def configuration(body: Body, node: Node) -> None:
    """Lower `#if … #else … #endif` among statements."""
    after: list[int] = []
    at: Node | None = node
    while at is not None:
        alternative = next((kid for kid in at.kids if kid.kind in _ALTERNATIVES), None)
        if at.kind == "preproc_else":
            content = [kid for kid in at.kids if kid.kind not in _ALTERNATIVES]
            taken: list[int] = body.open
            other: list[int] = []
        else:
            content = [kid for kid in at.kids[1:] if kid.kind not in _ALTERNATIVES]
            taken, other = _test(body, at)
        body.open = taken
        for kid in content if taken else ():
            body.statement(kid)
        after += body.open
        body.open = other
        at = alternative
    body.open = after + body.open


def _test(body: Body, node: Node) -> tuple[list[int], list[int]]:
    """The edges into a side and past it."""
    if not node.kids:
        return body.open, []
    condition = " ".join(body.file.text(node.kids[0]).split())
    is_negative = False
    if node.kind in ("preproc_ifdef", "preproc_elifdef"):
        is_negative = body.source.startswith(("#ifndef", "#elifndef"), node.start)
    else:
        condition, is_negative = _plain(condition)
    edges = body.open
    body.open = []
    if condition == "0" or condition in _NEVER:
        return (edges, []) if is_negative else ([], edges)
    if condition.isdecimal():
        return ([], edges) if is_negative else (edges, [])
    body.open = edges
    if not edges:
        return [], []
    attribute = f"configured({condition})"
    if attribute not in body.attributes:
        body.attributes.append(attribute)
    taken, other = body.branch("true", "if%" + condition, "", node.kids[0])
    body.configurations.add("if%" + condition)
    return (other, taken) if is_negative else (taken, other)


def _plain(condition: str) -> tuple[str, bool]:
    """`defined(X)` as `X`, `!c` as c and True."""
    is_negative = False
    while condition.startswith("!") and _is_one_term(condition[1:]):
        condition = condition[1:].strip()
        is_negative = not is_negative
    if condition.startswith("defined") and _is_one_term(condition):
        condition = condition.removeprefix("defined").strip(" ()")
    return condition, is_negative


def _is_one_term(text: str) -> bool:
    return not any(mark in text for mark in ("&&", "||", "==", "<", ">", "+", "-", "?"))
