"""Resolves the names of one C procedure: macros, constants, what calls run, what never returns, types.

Calls go by name: same file, else same folder, else all definitions (several: not exact); through a pointer,
to whatever the tree stores under that name. Reports too much when two programs of one tree share
names; misses functions that are stored by way of a parameter.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c.link_answers import with_answers
from analyzers.frontends.c.link_calls import Calls
from analyzers.frontends.c.link_casts import with_casts
from analyzers.frontends.c.link_comparisons import with_comparisons
from analyzers.frontends.c.link_constants import with_constants
from analyzers.frontends.c.link_counted import with_counted_ends
from analyzers.frontends.c.link_elements import with_elements
from analyzers.frontends.c.link_firsts import with_firsts
from analyzers.frontends.c.link_formats import with_formats
from analyzers.frontends.c.link_lives import with_lives
from analyzers.frontends.c.link_nulled import with_formals_kept
from analyzers.frontends.c.link_pairs import with_pairs
from analyzers.frontends.c.link_structs import with_struct_copies
from analyzers.frontends.c.link_switches import without_missed_tests
from analyzers.frontends.c.link_types import Types, with_places_inside, with_pointer_arithmetic
from analyzers.frontends.c.link_unsigned import without_signs
from analyzers.frontends.scoped import with_scoped
from analyzers.queries import Linked, ProcedureKey, Queries, Target

_ENDS_OF_THREADS = ("pthread_exit", "thrd_exit", "g_thread_exit")
"""Functions behind which the program goes on without this procedure: it leaves like one that returns."""


def link(key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
    """The procedure with its names resolved."""
    body = with_casts(key.path, queries.spliced(key) or procedure, queries)
    body = with_formals_kept(with_lives(with_firsts(with_elements(with_pairs(key.path, with_constants(key.path, body, queries), queries)))))
    body = _with_ends_of_threads(with_formats(body, queries))
    calls = Calls(key, body, queries)
    types = Types(key.path, queries)
    targets: dict[int, Target] = {}
    following = list(body.next)
    for place, node in enumerate(body.nodes):
        if isinstance(node, ir.Call):
            target = targets[place] = calls.target(node)
            if calls.never_returns(node, target):
                following[place] = ()
    if following != list(body.next):
        body = msgspec.structs.replace(body, next=tuple(following))
    known = types.of(body, targets)
    body = with_places_inside(with_pointer_arithmetic(body, known), known, types)
    body, known = with_struct_copies(key.path, body, known, queries)
    body = with_comparisons(with_answers(without_signs(body, known)))
    body = with_counted_ends(without_missed_tests(key.path, body, known, queries))
    return with_scoped(Linked(key, "c", body, body.next, body.raises, known, targets), queries)


def _with_ends_of_threads(body: ir.Procedure) -> ir.Procedure:
    """The procedure with a return behind each call that ends its thread."""
    places = [place for place, node in enumerate(body.nodes) if isinstance(node, ir.Call) and node.name in _ENDS_OF_THREADS]
    if not places:
        return body
    following = list(body.next)
    for number, place in enumerate(places):
        following[place] = (len(body.nodes) + number,)
    returns = tuple(ir.Return(body.nodes[place].start, body.nodes[place].end, "") for place in places)
    return msgspec.structs.replace(
        body, nodes=(*body.nodes, *returns), next=(*following, *((ir.EXIT,) for _ in places)), raises=(*body.raises, *(() for _ in places)),
    )
