"""Digests of answers: of what they say, without the places in a file that may move."""

from __future__ import annotations

from analyzers import ir
from analyzers.incremental.blobs import (
    digest,
    encode,
    plain_macro,
    plain_skeleton,
    plain_type,
    without_position,
)


def answer_digest(value: object) -> bytes:
    """The digest of an answer to a look at the tree."""
    match value:
        case ir.Unit():
            value = plain_skeleton(value)
        case ir.Procedure():
            value = without_position(value)
        case ir.TypeDeclaration():
            value = plain_type(value)
        case (ir.Macro(), *_) as macros:
            value = tuple(plain_macro(each) for each in macros if isinstance(each, ir.Macro))
        case _:
            pass
    return digest(encode(value))
