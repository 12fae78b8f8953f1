"""Arrays of arrays that a function declares: one object, whose cells are told by all their indices.

`char *names[2][3]; names[i][j] = make();` stores an element of `names`, as `names[i] = make()` would of a plain array, and so do
pointers to its rows. Rows are places inside of it. Says nothing of members.
"""

from __future__ import annotations

from analyzers.frontends.c.body import Body
from analyzers.frontends.c.constants import is_integer
from analyzers.frontends.c.file import File
from analyzers.syntax import Node


def declared(file: File, node: Node) -> tuple[str, ...]:
    """The sizes of an array of arrays that a declarator declares, from the outermost, each as a literal or `=?`; none for anything else."""
    while node.kind == "pointer_declarator" and node.kids:
        node = node.kids[-1]
    sizes: list[str] = []
    while node.kind == "array_declarator" and node.kids:
        text = file.text(node.kids[-1]) if len(node.kids) > 1 else ""
        sizes.append(f"={text}" if text.isdecimal() else "=?")
        node = node.kids[0]
    if sizes and node.kind == "parenthesized_declarator" and len(node.kids) == 1 and node.kids[0].kind == "pointer_declarator":
        sizes.append("=?")
        node = node.kids[0].kids[-1]
    return tuple(reversed(sizes)) if len(sizes) > 1 and node.kind == "identifier" else ()


def named(body: Body, node: Node) -> tuple[str, list[Node | None]] | None:
    """The array of arrays that a subscript expression looks into, with the indices (None where `*` stands for the first); None for
    any other expression."""
    indices: list[Node | None] = []
    while True:
        if node.kind == "subscript_expression" and len(node.kids) == 2:
            indices.append(node.kids[1])
            node = node.kids[0]
        elif node.kind == "pointer_expression" and len(node.kids) == 2 and node.kids[0].kind == "*":
            indices.append(None)
            node = node.kids[1]
        elif node.kind == "parenthesized_expression" and len(node.kids) == 1:
            node = node.kids[0]
        else:
            break
    array = body.names.get(body.file.text(node), "") if node.kind == "identifier" else ""
    return (array, indices[::-1]) if 0 < len(indices) <= len(body.grids.get(array, ())) else None


def index(sizes: tuple[str, ...], indices: list[str]) -> str:
    """The one index of a cell, or of the first one of a row: a number where all indices and sizes are, or the index that varies fastest."""
    cell = 0
    for size, each in zip(sizes, (*indices, *["=0"] * (len(sizes) - len(indices))), strict=True):
        cell = -1 if cell < 0 or not is_integer(each) or (cell and not is_integer(size)) else cell * int(size[1:] if cell else 0) + int(each[1:])
    varying = [each for each in indices if not is_integer(each)]
    unknown = "=?" if len(indices) == len(sizes) else "=0"
    return f"={cell}" if cell >= 0 else varying[-1] if varying else unknown


def attribute(sizes: tuple[str, ...]) -> str:
    """What a variable tells of its rows: how many cells each dimension but the outermost has."""
    return f"cells({','.join(size[1:] for size in sizes[1:])})"


def written(attributes: tuple[str, ...], cell: int) -> str:
    """How the source writes the indices of a cell: `0][1` of cell 1 in rows of two."""
    found = next((each for each in attributes if each.startswith("cells(")), "cells()")
    inner = [int(size) for size in found[len("cells(") : -1].split(",") if size.isdecimal()]
    indices: list[int] = []
    for size in reversed(inner):
        indices.append(cell % size)
        cell //= size
    return "][".join(map(str, reversed([*indices, cell])))
