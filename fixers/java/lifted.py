"""`int size = Settings.SIZE;` that a patch puts above what opens a resource: opening it may set the field, where that is not final.

Asks what the types of the tree declare; of the JDK's own all that are written so are final. Doubts constants of other libraries, and those that
come by a static import, though nobody sets them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import Program
from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.statements import declarators, initialiser
from fixers.leak import Leak
from fixers.tree import Tree, find

CONSTANT = re.compile(r"([A-Z]\w*\.)+[A-Z][A-Z0-9_]*")
"""A constant of a class, by its name."""

_OF_JDK = ("java.", "javax.")


def lifted(leak: Leak, program: Program, edits: Sequence[Edit]) -> str:
    """The constant, by its name, that may be none; empty for nothing."""
    own = [each for each in edits if each.span.path == leak.path]
    for statement in find(leak.tree.root, "local_variable_declaration"):
        words = "".join(leak.tree.text(statement).split())
        is_gone = any(each.span.start <= statement.start and statement.end <= each.span.end for each in own)
        if not is_gone or not any(each.span.end <= statement.start and words in "".join(each.text.split()) for each in own):
            continue
        for value in filter(None, map(initialiser, declarators(statement))):
            for name in constants(leak.tree, value):
                if not is_final(leak, program, name):
                    return name
    return ""


def constants(tree: Tree, value: Node) -> Iterator[str]:
    """What is written like a constant in a value, but for locals."""
    whole = [each for each in find(value, "field_access") if CONSTANT.fullmatch(tree.text(each))]
    yield from map(tree.text, whole)
    local = locals_of(tree)
    for each in find(value, "identifier"):
        if tree.text(each).isupper() and tree.text(each) not in local and not any(one.start <= each.start < one.end for one in whole):
            yield tree.text(each)


def locals_of(tree: Tree) -> set[str]:
    """The locals and parameters of a procedure."""
    return {
        tree.text(name) for each in find(tree.root, "variable_declarator", "formal_parameter")
        for name in each.kids if name.kind == "identifier"
    }


def is_final(leak: Leak, program: Program, written: str) -> bool:
    """Whether a field that is written like a constant is known to be one: of the JDK, or final where the tree declares it."""
    owner, _, name = written.rpartition(".")
    around = leak.linked.body.owner
    kinds = [leak.resolve(owner)] if owner else [around[:at] for at in range(len(around), 0, -1) if at == len(around) or around[at] == "$"]
    if owner and kinds[0].startswith(_OF_JDK):
        return True
    for kind in [each for one in kinds if one for each in (one, *program.supertypes(one))]:
        path = program.declaring_file(kind)
        unit = program.unit(path) if path else None
        declared = next((each for each in unit.types if each.name == kind), None) if unit is not None else None
        field = next((each for each in declared.fields if each.name == name), None) if declared is not None else None
        if declared is not None and field is not None:
            return "final" in field.attributes or declared.kind in ("interface", "annotation", "enum") or kind.startswith(_OF_JDK)
    return False
