"""Whether a release that a patch of C writes takes a pointer to something else than it is given: no compiler accepts `node_free(list)` for
`node_free(&list->first)`, though both lie at one place.

By the types that the program tells, typedefs resolved. Silent where either is not known, is `void *`, or is about bytes and numbers, and
for functions without text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts
from analyzers.queries import ProcedureKey
from fixers.paths.values import is_number

_TAGS = frozenset(("struct", "union", "enum"))
_WORDS = _TAGS | frozenset(("const", "volatile", "restrict"))


def takes_another(program: Program, after: Facts, ours: Iterable[int]) -> str:
    """Why a release of the patch does not compile as it should; empty where nothing is known to be wrong."""
    linked = after.linked
    for node in sorted(ours):
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call) or target is None or call.kind == "virtual":
            continue
        for given, wanted in itertools.chain.from_iterable(zip(call.args, _wanted(program, key), strict=False) for key in target.procedures):
            one, other = (_pointed(program, linked.key.path, each) for each in (linked.types.get(given, ""), wanted))
            if one[0] and other[0] and one != other:
                return f"`{call.name}` takes a pointer to something else than `{ir.source_name(given)}`"
    return ""


def _wanted(program: Program, key: ProcedureKey) -> list[str]:
    """The types of the parameters of a function of the program."""
    linked = program.linked(key)
    return [linked.types.get(name, "") for name in linked.body.parameters] if linked is not None else []


def _pointed(program: Program, path: str, written: str) -> tuple[str, int]:
    """What a pointer leads to, and over how many others; empty where that may be anything, is a number, is another name for nobody knows what, or
    is written in another way."""
    words = [word for word in written.replace("*", " ").split() if word not in _WORDS]
    stars = written.count("*")
    is_plain = len(words) == 1 and stars > 0 and words[0].isidentifier() and words[0] != "void" and not is_number(words[0])
    if is_plain and _TAGS.isdisjoint(written.split()) and program.c_type(path, words[0]) is None:
        return "", 0
    return (words[0], stars) if is_plain else ("", 0)
