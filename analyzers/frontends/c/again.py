"""Lowers functions again whose text was changed, as part of the file that they come from."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c.file import File
from analyzers.frontends.c.repair import repair
from analyzers.frontends.c.unit import lower_unit
from analyzers.syntax import C, Syntax, parse


def lower_again(data: bytes, around: ir.Unit) -> ir.Unit:
    """The unit of a text that stands in a file with these declarations; what they say counts in it."""
    syntax = parse(C, data)
    file = File(data)
    unit = _lowered(file, syntax, around, ())
    return _lowered(File(data), syntax, around, tuple(file.suspects)) if file.suspects else unit


def _lowered(file: File, syntax: Syntax, around: ir.Unit, suspects: tuple[int, ...]) -> ir.Unit:
    _declare(file, around)
    file.depth = syntax.depth
    nodes, errors = [syntax.root], syntax.errors
    if errors or suspects:
        repaired = repair(file.source, syntax.root, errors, suspects)
        nodes, errors = repaired.nodes, repaired.errors
        file.found = repaired.found
    return lower_unit(file, nodes, errors)


def _declare(file: File, around: ir.Unit) -> None:
    for declared in around.types:
        if declared.kind == "typedef" and declared.supertypes:
            file.typedefs[declared.name] = declared.supertypes[0]
        elif declared.kind == "enum":
            file.constants.update((each.name, each.type) for each in declared.fields if each.type != "=?")
        else:
            file.structs[declared.name] = tuple((each.name, each.type) for each in declared.fields if "." not in each.name)
    for each in around.globals:
        file.globals[each.name] = each.type
    results = [(ir.source_name(each.name), each.result) for each in around.procedures if each.kind == "function"]
    results += [(each.name, each.result) for each in around.prototypes]
    for name, result in results:
        file.functions.add(name)
        file.results[name] = result
