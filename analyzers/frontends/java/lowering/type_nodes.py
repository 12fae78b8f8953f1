"""Nodes that are types, and types as text: as written, without annotations and comments."""

from __future__ import annotations

import re

from analyzers.syntax import Node

from .context import Context

ANNOTATIONS = ("marker_annotation", "annotation")
_TYPES = frozenset(
    (
        "type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type",
        "floating_point_type", "boolean_type", "void_type", "annotated_type",
    )
)  # fmt: skip
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BREAK = re.compile(r" ?([.<>\[\]]) ?")


def is_type(node: Node) -> bool:
    """Whether a node is a type."""
    return node.kind in _TYPES


def type_text(context: Context, node: Node) -> str:
    """A type as written, without the annotations in front of it."""
    if node.kind == "annotated_type":
        kept = [kid for kid in node.kids if kid.kind not in ANNOTATIONS]
        if not kept:
            return ""
        node = kept[-1]
    text = context.text(node)
    if "@" in text:
        text = split_annotations(text)[0]
    return text if text.isidentifier() else spaced(text)


def spaced(text: str) -> str:
    """A type or qualified name on one line, without comments, with blanks only where words would meet."""
    if "/" in text:
        text = _COMMENT.sub(" ", text)
    return _BREAK.sub(r"\1", " ".join(text.split())).replace(" ,", ",")


def split_annotations(text: str) -> tuple[str, tuple[str, ...]]:
    """A type without its annotations, and those of the type itself; those of its arguments follow their number
    (`<0>Owning` for `List<@Owning Socket>`)."""
    kept: list[str] = []
    found: list[str] = []
    depth = position = argument = 0
    while position < len(text):
        character = text[position]
        if character != "@":
            depth += (character == "<") - (character == ">")
            argument = (argument + (character == ",")) * (depth > 0) if depth <= 1 else argument
            kept.append(character)
            position += 1
            continue
        end = _annotation_end(text, position + 1)
        name, bracket, arguments = text[position + 1 : end].partition("(")
        if depth <= 1:
            number = f"<{argument}>" if depth else ""
            found.append(number + name.strip().rpartition(".")[2] + bracket + arguments)
        position = end
        while position < len(text) and text[position].isspace():
            position += 1
    return "".join(kept).replace(" []", "[]").strip(), tuple(found)


def _annotation_end(text: str, position: int) -> int:
    """Where an annotation ends whose name begins at a position."""
    while position < len(text) and (text[position].isalnum() or text[position] in "._$"):
        position += 1
    if text[position : position + 1] != "(":
        return position
    depth, quote = 0, ""
    while position < len(text):
        character = text[position]
        position += 1
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character == "(") - (character == ")")
            if depth == 0:
                break
    return position
