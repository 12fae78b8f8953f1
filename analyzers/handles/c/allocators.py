"""Functions of C without source that say themselves what they allocate: by attributes, or by being named and declared like
the allocators of the C library.

`void *my_malloc(size_t)` gives a block to its caller, `my_realloc(p, n)` another for one. A pool, an arena or a context
among the arguments, or in the name, says that somebody else frees it. Reports too much when a program frees
all its blocks in another way; misses allocators with an argument more.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.c.types import INTS, is_plain_c
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite, Move
from analyzers.handles.unknown import words_of
from analyzers.queries import Target
from analyzers.summaries import Condition, Outcome, Transfer

MEMORY = "heap-memory"
"""The resource of the C library's blocks."""
OBJECT = "object"
"""The resource of what an unknown maker gives and an unknown releaser takes."""

_SHAPES = {"strndup": "pn", "memdup": "pn", "strdup": "p", "realloc": "pn", "calloc": "nn", "malloc": "n"}
"""What the names of allocators end with, and which of their arguments are pointers and numbers."""
_KEPT = frozenset((
    "arena", "auto", "ctx", "gc", "heap", "keep", "once", "page", "perm", "permanent", "persistent", "pool", "region", "scratch", "slab",
    "stack", "static", "temp", "temporary", "tmp", "zone",
))  # fmt: skip
"""Words in names of functions whose blocks go with something else, or stay for good."""
_POOLED = "p"
"""What stands before the name of the C library where a block goes with a pool (`pstrdup`)."""
_FREE = "free"

_GIVEN = Outcome("return", (Condition(("$ret",), "!=", "=null"),), "held", (("$ret",),))
_TAKEN = Outcome("return", (), "released")
_KEPT_THERE = Outcome("return", (), "retained")


def own_account(site: CallSite, target: Target | None, scene: Scene) -> CallSite:
    """A call that nobody knows with what its declaration says, else with what its name and its arguments say."""
    declared = scene.queries.prototype(scene.linked.key.path, site.call.name)
    attributes = declared.attributes if declared is not None else ()
    if any("(" in each or each == "malloc" for each in attributes):
        site = _by_attributes(site, target, scene, attributes)
    return site if site.acquired or not site.call.dst else _by_name(site, target, scene)


def _by_attributes(site: CallSite, target: Target | None, scene: Scene, attributes: tuple[str, ...]) -> CallSite:
    """What `malloc`, `malloc(release)`, `ownership_returns`, `ownership_takes` and `ownership_holds` say."""
    made: tuple[Transfer, ...] = ()
    for each in attributes:
        word, _, inside = each.removesuffix(")").partition("(")
        names = inside.split(",") if inside else []
        if word in ("ownership_takes", "ownership_holds"):
            end = _TAKEN if word == "ownership_takes" else _KEPT_THERE
            for position in names[1:]:
                site = _moved(site, int(position) - 1, end) if position.isdigit() else site
        elif word == "ownership_returns" or (word == "malloc" and (names or _is_free_of_pools(site.call, target, scene))):
            resource = MEMORY if names[:1] in ([], [_FREE], ["malloc"]) else OBJECT
            made = (Transfer((), resource, "", (_GIVEN,)),)
    return msgspec.structs.replace(site, acquired=made, is_doubtful=True, is_declared=True) if made and site.call.dst else site


def _is_free_of_pools(call: ir.Call, target: Target | None, scene: Scene) -> bool:
    """Whether nothing that a call gets, and no word in its name, may stand for a pool."""
    written = (target.parameters if target else ()) or tuple(map(scene.type_of, call.args))
    is_pooled = any(_is_pointer(each, scene) and "char" not in each for each in written if each and each != "...")
    return not is_pooled and _KEPT.isdisjoint(words_of(call.name))


def _by_name(site: CallSite, target: Target | None, scene: Scene) -> CallSite:
    shape = _shape(site.call.name)
    if not shape or not _fits(site.call, target, scene, shape):
        return site
    site = msgspec.structs.replace(site, acquired=(Transfer((), MEMORY, "", (_GIVEN,)),), is_doubtful=True, is_declared=True)
    return _moved(site, 0, _TAKEN) if site.call.name.endswith("realloc") else site


def _moved(site: CallSite, position: int, end: Outcome) -> CallSite:
    """A call that ends, or keeps, one of its arguments."""
    taken = site.call.args[position] if 0 <= position < len(site.call.args) else ""
    if not taken or ir.is_literal(taken):
        return site
    exposures = tuple(each for each in site.exposures if each.path != (taken,))
    return msgspec.structs.replace(site, exposures=exposures, moves=(*site.moves, Move((taken,), "", (end,))))


def sizes_of(site: CallSite) -> tuple[str, ...]:
    """The arguments of a call that say how much is to be had: by its effects, else by a name like those of the C library."""
    if site.effects is not None:
        return tuple(site.actuals.get(root, "") for root in site.effects.sizes)
    shape = _shape(site.call.name) if site.is_declared else ""
    return tuple(name for name, kind in zip(site.call.args, shape, strict=True) if kind == "n") if len(shape) == len(site.call.args) else ()


def _shape(name: str) -> str:
    """The arguments that an allocator of this name has; empty for other names, and where somebody else frees the block."""
    known = next((each for each in _SHAPES if name.lower().endswith(each)), "")
    words = words_of(name)
    is_pooled = not words or words[-1] == f"{_POOLED}{known}"
    return "" if not known or name.isupper() or is_pooled or not _KEPT.isdisjoint(words) else _SHAPES[known]


def _fits(call: ir.Call, target: Target | None, scene: Scene, shape: str) -> bool:
    """Whether the arguments are what the shape says, and the result is a pointer."""
    result = (target.result if target else "") or scene.type_of(call.dst)
    written = (target.parameters if target else ()) or tuple(map(scene.type_of, call.args))
    if len(call.args) != len(shape) or len(written) != len(shape) or (result and not _is_pointer(result, scene)):
        return False
    return all(_agrees(*each, scene) for each in zip(shape, written, call.args, strict=True))


def _agrees(kind: str, written: str, argument: str, scene: Scene) -> bool:
    if not written and ir.is_literal(argument):
        written = "char *" if argument.startswith('="') else "int"
    return _is_pointer(written, scene) if kind == "p" else _is_number(written, scene)


def _is_pointer(written: str, scene: Scene) -> bool:
    return scene.c_types.may_point(scene.c_types.plain(written))


def _is_number(written: str, scene: Scene) -> bool:
    plain = scene.c_types.plain(written)
    return not INTS.isdisjoint(plain.split()[-1:]) or is_plain_c(plain) or not written
