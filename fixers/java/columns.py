"""Keeps arguments below the parenthesis that they stood below, where what stands before that on its line gets shorter or longer, and what stands
further in than such lines as far in as it was.

Only where blanks alone follow the indentation of the statement; else lines keep their distance from its beginning.
"""

from __future__ import annotations

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.statements import fixed_text
from fixers.tree import Tree, find

_BESIDE = ("argument_list", "parenthesized_expression", "array_initializer")
"""Behind whose beginning further lines may stand."""

_INSIDE = ("block", "class_body", "switch_block")


def realign(draft: Draft, tree: Tree, statement: Node, outer: Node, name: str, gone: int, unit: str) -> None:
    """Where `outer` becomes a name, the words on the first line of the statement move by `gone` places, and all of it moves in by a unit."""
    data = tree.data
    first = text.line_start(data, statement.start)
    lead = text.indentation(data, statement.start)
    tabs = lead if lead and not lead.strip("\t") and not unit.strip("\t") else ""
    is_fixed = any(b"\n" in data[each.start : each.end] for each in fixed_text(statement))
    if is_fixed or "\t" in lead.removeprefix(tabs) or "\t" in unit.removeprefix("\t" if tabs else ""):
        return
    step = 0 if tabs else len(unit)
    holders = [each for each in find(statement, *_BESIDE, *_INSIDE) if not outer.start <= each.start < outer.end]
    moved: dict[int, int] = {first: step + gone}

    def column(at: int) -> int:
        """Where a byte comes to stand on its line, behind the tabs."""
        line = text.line_start(data, at)
        if at < outer.end or line != text.line_start(data, outer.end):
            return at - line - len(tabs) + moved.get(line, step)
        return column(outer.start) + len(name) + at - outer.end

    line = text.next_line(data, statement.start)
    while line < statement.end:
        blanks = text.indentation(data, line)
        start, here = line, line + len(blanks)
        line = text.next_line(data, line)
        around = [each for each in holders if each.start < start and here < each.end]
        if outer.start < start <= outer.end or not around or not blanks.startswith(tabs) or "\t" in blanks.removeprefix(tabs) or here >= line - 1:
            continue
        holder = max(around, key=lambda each: each.start)
        opened = text.line_start(data, holder.start)
        width = here - start - len(tabs)
        below = width + (step if opened == first else moved.get(opened, step))
        if holder.kind in _BESIDE and holder.start + 1 - opened == here - start:
            below = column(holder.start) + 1
        if below >= 0 and below != width + step:
            draft.replace(start, here, tabs + (unit if tabs else "") + " " * below)
        moved[start] = below - width
