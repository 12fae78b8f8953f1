"""Keeps arguments below the parenthesis that they stood below, where what stands before that on its line gets shorter or longer.

Only where lines are indented by blanks alone and no block stands inside of the statement; else lines keep their distance from its beginning.
"""

from __future__ import annotations

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.tree import Tree, find


def realign(draft: Draft, tree: Tree, statement: Node, outer: Node, name: str, by: int, step: int) -> None:
    """Where `outer` becomes a name: what stands on the first line of the statement moves by so many places, the lines below it by a step."""
    data = tree.data
    if b"\t" in data[text.line_start(data, statement.start) : statement.end] or any(True for _ in find(statement, "block", "class_body", "text_block")):
        return
    lists = [each for each in find(statement, "argument_list") if not outer.start <= each.start < outer.end]
    moved: dict[int, int] = {text.line_start(data, statement.start): by}

    def column(at: int) -> int:
        """Where a byte comes to stand on its line."""
        line = text.line_start(data, at)
        if at < outer.end or line != text.line_start(data, outer.end):
            return at - line + moved.get(line, step)
        return column(outer.start) + len(name) + at - outer.end

    line = text.next_line(data, statement.start)
    while line < statement.end:
        here = line + len(text.indentation(data, line))
        holders = [each for each in lists if each.start < line and here < each.end]
        line, start = text.next_line(data, line), line
        if outer.start < start <= outer.end or not holders:
            continue
        holder = max(holders, key=lambda each: each.start)
        below = column(holder.start) + 1
        if holder.start + 1 - text.line_start(data, holder.start) == here - start and below != here - start + step:
            draft.replace(start, here, " " * below)
            moved[start] = below - (here - start)
