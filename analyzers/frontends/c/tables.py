"""Leaves the tables of huge files out: generated initialisers of megabytes say nothing about control flow."""

from __future__ import annotations

from analyzers.frontends.c.repair.tokens import skim

HUGE_FILE = 2_000_000
"""Bytes from which on a file is looked through for tables before it is parsed."""

HUGE_TABLE = 100_000
"""Bytes of an initialiser from which on it is left out."""

TOO_LARGE = 24_000_000
"""Bytes of code, tables left out, past which a file is not analysed."""


_LOOK_BACK = 200
"""Bytes before a brace in which the `=` of an initialiser is looked for."""


def tables(source: str) -> list[tuple[int, int]]:
    """The bytes between the braces of each huge initialiser."""
    found: list[tuple[int, int]] = []
    depth = at = opening = 0
    token = skim(source, 0, len(source))
    while token is not None:
        at = token.end
        if token.text == "{":
            opening = at if depth == 0 else opening
            depth += 1
        elif token.text == "}" and depth:
            depth -= 1
            before = source[max(0, opening - _LOOK_BACK) : opening - 1]
            if depth == 0 and at - opening > HUGE_TABLE and before.rstrip().endswith("="):
                found.append((opening, at - 1))
        token = skim(source, at, len(source))
    return found


def without(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The bytes with the spans blanked."""
    out = bytearray(data)
    for start, end in spans:
        out[start:end] = b" " * (end - start)
    return bytes(out)
