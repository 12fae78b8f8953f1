"""What lambdas and objects of inner classes of Java capture: `val$x` of the object is `x`, which nobody assigns again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.sites import Move
from analyzers.summaries import AccessPath

CAPTURE = "val$"
"""What the names of the fields begin with in which objects keep captured variables."""

OUTER = "this$0"
"""The field in which they keep the object around."""


def captures(nodes: Sequence[ir.Instruction], definitions: Mapping[str, Sequence[int]]) -> dict[AccessPath, str]:
    """Per variable of an object that the procedure makes, and field of it, the variable that is kept there."""
    made = {each.dst: each.dst for each in nodes if isinstance(each, ir.Alloc) and len(definitions.get(each.dst, ())) == 1}
    for name, (at, *others) in definitions.items():
        source = identity(nodes[at])
        if not others and source in made:
            made[name] = made[source]
    stores = [
        each for each in nodes
        if isinstance(each, ir.Store) and each.base in made and (each.field == OUTER or each.field.startswith(CAPTURE)) and not ir.is_literal(each.src)
    ]  # fmt: skip
    return {(name, each.field): each.src for each in stores for name, origin in made.items() if origin == each.base}


def as_captured(moves: Sequence[Move], captures: Mapping[AccessPath, str]) -> Iterator[Move]:
    """The moves of a call, those of what lies inside of a captured variable by the name of that, too."""
    for move in moves:
        yield move
        if len(move.entry) > 2 and (variable := captures.get(move.entry[:2])):
            yield msgspec.structs.replace(move, entry=(variable, *move.entry[2:]))
