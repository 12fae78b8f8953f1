"""Whether the code has something of a type in the header of a try already: then a type of a library that nobody has read can stand there.

Asks the files that name the type, by its full name as their imports tell it. Errs towards «not known»: what a call gives to a variable
without a type is not asked for, and only so many files are read.
"""

from __future__ import annotations

from itertools import islice

from analyzers import Program
from analyzers.syntax import Node
from fixers.tree import Tree, child, find, parse_file

_MOST_FILES = 8
_INFERRED = ("var", "val")


def stands_in_header(program: Program, type_name: str) -> bool:
    """Whether a try of the tree is headed by something of this very type. `type_name` is its full name."""
    simple = type_name.rpartition(".")[2].rpartition("$")[2]
    if "." not in type_name:
        return False
    with_tries = (path for path in program.mentioning(simple) if b"try" in program.source(path))
    return any(_heads(program, path, type_name) for path in islice(with_tries, _MOST_FILES))


def _heads(program: Program, path: str, type_name: str) -> bool:
    unit = program.unit(path)
    if unit is None or not unit.types:
        return False
    syntax = parse_file("java", program.source(path))
    written = {text for each in find(syntax.root, "resource") if (text := _written(syntax, each))}
    return any(program.resolve_type(path, unit.types[0].name, each) == type_name for each in sorted(written))


def _written(syntax: Tree, resource: Node) -> str:
    """The type of a resource as written, that of what is made where the variable leaves it open; empty where that is not written."""
    kinds = ("type_identifier", "scoped_type_identifier", "generic_type")
    declared = child(resource, *kinds)
    if declared is not None and syntax.text(declared) in _INFERRED:
        made = child(resource, "object_creation_expression")
        declared = child(made, *kinds) if made is not None else None
    return syntax.text(declared).partition("<")[0] if declared is not None else ""
