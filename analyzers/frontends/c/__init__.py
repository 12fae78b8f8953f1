"""The C front end: the bytes of one file to its Unit, with no preprocessor run and no other file read."""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c.file import File
from analyzers.frontends.c.repair import repair
from analyzers.frontends.c.tables import HUGE_FILE, TOO_LARGE, tables, without
from analyzers.frontends.c.unit import lower_unit
from analyzers.syntax import C, Syntax, parse


class CWords(msgspec.Struct, frozen=True):
    """Macros that a repository adds to those that are known by name: attributes to blank, loops."""

    attributes: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


NO_WORDS = CWords()
"""Nothing beyond what is known by name."""


def lower(data: bytes, words: CWords = NO_WORDS) -> ir.Unit:
    """What a C file says by itself. Never raises: what cannot be read is a Note."""
    notes: tuple[ir.UnitNote, ...] = ()
    if len(data) >= HUGE_FILE:
        left_out = tables(data.decode("latin-1"))
        notes = tuple(ir.UnitNote("too-large", *span, "a table was left out") for span in left_out)
        data = without(data, left_out)
        if len(data) - sum(end - start for start, end in left_out) > TOO_LARGE:
            return _empty((ir.UnitNote("too-large", 0, len(data), "the file is too large to be analysed"),))
    syntax = parse(C, data)
    file = File(data)
    unit = _lowered(file, syntax, ())
    if file.suspects:
        unit = _lowered(File(data), syntax, tuple(file.suspects))
    return msgspec.structs.replace(unit, notes=notes + unit.notes) if notes else unit


def _empty(notes: tuple[ir.UnitNote, ...]) -> ir.Unit:
    return ir.Unit("c", "", (), (), (), (), (), (), (), notes)


def _lowered(file: File, syntax: Syntax, suspects: tuple[int, ...]) -> ir.Unit:
    """Lower a parsed file; the items that did not parse, or hold a suspect, are rewritten first."""
    nodes, errors = [syntax.root], syntax.errors
    file.depth = syntax.depth
    if errors or suspects:
        repaired = repair(file.source, syntax.root, errors, suspects)
        nodes, errors = repaired.nodes, repaired.errors
        file.found = repaired.found
        file.depth = max(file.depth, repaired.depth)
        if repaired.language:
            file.note("not-modelled", 0, len(file.data), f"this is {repaired.language}, not C")
    return lower_unit(file, nodes, errors)
