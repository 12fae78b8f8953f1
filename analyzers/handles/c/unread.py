"""Macros without parameters that stand as statements of C and could not be read: `DROP_ALL;` may release what its procedure has.

A macro with parameters is a call of somebody unknown then; one without leaves nothing but its name behind. What names no variable of the
procedure, and leaves it nowhere, does nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from analyzers import ir
from analyzers.frontends.c.expand import tokens
from analyzers.graphs.operands import operands

_LEAVING = frozenset(("break", "continue", "goto", "return"))


def unread_macro(body: ir.Procedure, reached: Iterable[int], macro: Callable[[str], Sequence[ir.Macro]]) -> str:
    """The name of such a macro at one of some nodes; empty where there is none."""
    read = {name for each in body.nodes for name in operands(each)}
    names = {name: None for node in sorted(reached) if (name := _left_alone(body.nodes[node], read))}
    if not names:
        return ""
    own = _LEAVING.union(ir.source_name(each.name) for each in body.variables)
    return next((name for name in names if any(each.parameters is None and not own.isdisjoint(_words(each.body)) for each in macro(name))), "")


def _words(text: str) -> set[str]:
    return {token.text for token in tokens(text) if token.kind == "word"}


def _left_alone(instruction: ir.Instruction, read: set[str]) -> str:
    """The name of file level that a statement consists of."""
    match instruction:
        case ir.Load(dst=dst, base="", field=name) if ir.is_temporary(dst) and dst not in read:
            return name
        case ir.Copy(dst=dst, src=src) if src[:2] == "=&" and ir.is_temporary(dst) and dst not in read:
            return src[2:]
        case _:
            return ""
