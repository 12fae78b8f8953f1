"""Blocks of C that are grown and written to before anybody has asked whether they could grow: `all = realloc(all, n); all[n - 1] = text;`,
also by way of a member, a global or what a pointer leads to (`*all = realloc(*all, n); (*all)[n - 1] = text;`).

A program that goes on has got its room, so that nobody loses the block of before. Only where every way from the call leads to such an
access before anything else reads the pointer. Misses nothing: what is lost where a program stores through null is not lost by one that runs.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene

_WRITING = frozenset((
    "memcmp", "memcpy", "memmove", "memset", "qsort", "strcat", "strchr", "strcmp", "strcpy", "strdup", "strlen", "strncmp", "strncpy", "strrchr", "strstr", "sprintf",
    "snprintf",
))
"""Functions of the library that write, or read, where their first argument points to."""

_PRINTING = ("_snprintf", "_sprintf")
"""How a program's own functions end that do the same (`safe_snprintf(at, end, …)`)."""

_Names = frozenset[str | tuple[str, str]]
"""Variables that hold a block, and places that do: their base and field."""

_MOST = 200
"""Pairs of a node and the names for a block there that are looked at: a test or an access follows soon."""


def is_stored_through(scene: Scene, node: int, call: ir.Call) -> bool:
    """Whether all ways from a call lead to an access by its result, with no test of it and no end before."""
    if scene.is_java or not call.dst or not scene.cfg.normal[node]:
        return False
    seen: set[tuple[int, _Names]] = {(each, frozenset((call.dst,))) for each in scene.cfg.normal[node]}
    waiting = list(seen)
    while waiting:
        at, names = waiting.pop()
        instruction = scene.nodes[at]
        if at == ir.EXIT or not names or len(seen) > _MOST:
            return False
        if isinstance(instruction, ir.Store) and instruction.src in names and instruction.base not in names:
            kept = names | {(instruction.base, instruction.field)}
        elif isinstance(instruction, ir.Load) and (instruction.base, instruction.field) in names:
            kept = names | {instruction.dst}
        elif names.isdisjoint(operands(instruction)):
            kept = _left(names, instruction)
        elif _leads_through(instruction, names):
            continue
        elif isinstance(instruction, ir.AddressOf) or identity(instruction) or (isinstance(instruction, ir.Op) and instruction.operator in ("[]+", "+")):
            kept = names.union(assigned(instruction))  # a name for it, or for a place in it
        else:
            return False
        for each in scene.cfg.normal[at]:
            if (each, kept) not in seen:
                seen.add((each, kept))
                waiting.append((each, kept))
    return True


def _left(names: _Names, instruction: ir.Instruction) -> _Names:
    """What still names the block behind an instruction that does not read it."""
    gone = assigned(instruction)
    is_call = isinstance(instruction, ir.Call | ir.Havoc)
    field = instruction.field if isinstance(instruction, ir.Store) else None
    return frozenset(
        each for each in names if (each not in gone if isinstance(each, str) else not is_call and each[0] not in gone and each[1] != field)
    )


def _leads_through(instruction: ir.Instruction, names: _Names) -> bool:
    """Whether an instruction reads or writes where one of some variables points to."""
    match instruction:
        case ir.Store(base=base) | ir.StoreElement(base=base) | ir.Load(base=base) | ir.LoadElement(base=base):
            return base in names
        case ir.Call(name=name, args=(place, *_)):
            return (name in _WRITING or name.endswith(_PRINTING)) and place in names
    return False
