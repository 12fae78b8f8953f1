"""Which unchanged procedures of a changed file share something with the change, so that what they ask may be answered otherwise.

Of Java: those that mention a member or type of the file that a changed procedure mentions, too, or a changed name. All of
them where a type of the file has another heading; of C all, for macros and what lies around a procedure. Misses what two procedures share without a word
for it in one of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from analyzers.incremental.program import Program
from analyzers.index import simple_name
from analyzers.queries import ProcedureKey
from analyzers.source import language_of

_WORD = re.compile(rb"[\w$\x80-\xff]+")
_INITIALISERS = (".<init>(", ".<clinit>(")
"""In the names of procedures whose instructions stand elsewhere, too: the initial values of fields."""

Sides = tuple[tuple[Program, str], ...]


def sharing(sides: Sides, changed: Iterable[tuple[Program, ProcedureKey]], names: Collection[str]) -> set[ProcedureKey]:
    """The procedures of one file that share something with the change of it. `sides` are the file as it was and as it is,
    `changed` its procedures whose text differs, on either side, and `names` the changed names of the whole change."""
    program, path = sides[-1]
    keys = program.procedures_of(path)
    types, members = _declared(sides)
    if language_of(path) != "java" or not types.isdisjoint(names):
        return set(keys)
    texts = {(each, key.name): words for each, file in sides for key, words in _words(each, file)}
    touched = {word for each, key in changed for word in texts.get((each, key.name), ())} & (types | members)
    stake = touched | set(names)
    return {
        key for key in keys
        if any(each in key.name for each in _INITIALISERS) or not stake.isdisjoint(texts.get((program, key.name), ()))
    }


def _declared(sides: Sides) -> tuple[set[str], set[str]]:
    """The types of a file, and their members."""
    types, members = set[str](), set[str]()
    for program, path in sides:
        unit = program.sources.outline(path)
        for each in unit.types if unit is not None else ():
            types.add(simple_name(each.name))
            members |= {field.name.rpartition(".")[2] for field in each.fields} | {method.name for method in each.methods}
    return types, members


def _words(program: Program, path: str) -> Iterator[tuple[ProcedureKey, set[str]]]:
    """The words of each procedure's text."""
    unit, source = program.sources.outline(path), program.source(path)
    for each in unit.procedures if unit is not None else ():
        found = _WORD.findall(source[each.start : each.end])
        yield ProcedureKey(path, each.name), {word.decode("utf-8", "replace") for word in found}
