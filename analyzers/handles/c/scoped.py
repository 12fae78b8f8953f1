"""Variables of C that clean up after themselves when they go out of scope.

The front end knows the attribute and the words of well-known libraries; here are the macros that a program makes of it
(`#define _cleanup_free_ __attribute__((cleanup(freep)))`). Misses macros that nobody declares and that have plain names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.frontends.c.expand import tokens
from analyzers.frontends.c.variables import cleanup_of
from analyzers.handles.unknown import words_of
from analyzers.queries import Queries

if TYPE_CHECKING:
    from analyzers.handles.scene import Scene
    from analyzers.handles.sites import CallSite
    from analyzers.summaries import AccessPath

_DEPTH = 3
"""Macros of macros that are looked into."""

_ATTRIBUTES = frozenset(("cleanup", "__cleanup__"))
_SAYING = frozenset(("cleanup", "scoped"))
"""Words in names of macros that are declared nowhere, in declarations and in what other macros stand for; in declarations there are
others that begin with `auto` (`autofd`)."""

_ENDING = frozenset(("clear", "close", "closep", "destroy", "free", "freep", "local", "release", "unref", "unrefp"))
"""Such words in declarations only (`gs_free char *text`): what stands before a type and ends something does that at the end of the scope."""

_AUTOMATIC = frozenset(("auto", "autofree", "autoptr"))
"""Words in names of types that are declared nowhere."""

_TOLD_HOW = ("_new_full", "_with_free_func")
_ELEMENTS = ("key", "value", "[]")
"""How models call what lies in a container."""

_SOUNDS = ("auto", "clean", "scope")
"""What the names of declared macros sound like that stand for an attribute and a type."""


def scoped_variables(body: ir.Procedure, path: str, queries: Queries) -> frozenset[str]:
    """The local variables of a procedure of C whose declaration names a macro that cleans them up, or a function that is not there."""
    return frozenset(
        each.name for each in body.variables
        if each.kind == "local" and (
            any(_is_cleaning(word, path, queries) for word in each.attributes)
            or any(_cleans_up(word.partition("(")[0], path, queries, _DEPTH - 1) for word in _macros_in(each))
            or _is_called_automatic(each.type, path, queries)
        )
    )


def _is_called_automatic(written: str, path: str, queries: Queries) -> bool:
    """Whether a type that nobody declares says by its name that its variables clean up after themselves, as macros of libraries do
    (`json_auto_t *value`)."""
    word = next(iter(written.replace("*", " ").split()), "")
    is_said = "auto" in word.lower() and word.isidentifier() and any(each in _AUTOMATIC for each in words_of(word.lower() if word.isupper() else word))
    return is_said and not queries.macro(path, word) and queries.type_heading(path, word) is None


def _is_cleaning(word: str, path: str, queries: Queries) -> bool:
    called = cleanup_of(word)
    if called is None:
        return _cleans_up(word.partition("(")[0], path, queries, _DEPTH)
    return not queries.functions(path, called[0]) and queries.model((called[0],), ()) is None


def _macros_in(variable: ir.Variable) -> tuple[str, ...]:
    """What was read as the type of a variable and may be a macro: `cleanup_dir DIR *dir`, or one with the type in it (`scoped_text name`)."""
    word = variable.type.split()[:1]
    return tuple(each for each in word if variable.attributes or any(sound in each for sound in _SOUNDS))


def _cleans_up(word: str, path: str, queries: Queries, depth: int, *, is_expanded: bool = False) -> bool:
    if not word.isidentifier() or word in ("auto", "static", "register", "const"):
        return False
    macros = queries.macro(path, word)
    if not macros:
        said = words_of(word)
        is_said = not _SAYING.isdisjoint(said) or any(each.startswith("auto") for each in said)
        if depth < _DEPTH:
            return is_said and is_expanded
        return len(word) > len("auto") and (is_said or not _ENDING.isdisjoint(said[1:]))
    for macro in macros:
        words = {token.text for token in tokens(macro.body) if token.text.isidentifier()}
        if not words.isdisjoint(_ATTRIBUTES):
            return True
        if depth and any(_cleans_up(each, path, queries, depth - 1, is_expanded=True) for each in sorted(words - {word})):
            return True
    return False


def cleaned_up(scene: Scene, sites: Mapping[int, CallSite]) -> tuple[frozenset[str], tuple[AccessPath, ...]]:
    """The variables of a procedure of C that others find, and its places that need no release: below variables that clean up after
    themselves, or that others find who may do it (`on_interrupt = &work;`), and the elements of containers that are told how to free
    them (`g_hash_table_new_full`). Where such a container is lost, it is the one mistake."""
    found = _shown(scene, sites)
    variables = [(name,) for name in sorted(scene.scoped | found)]
    made = [] if scene.is_java else [node.dst for node in scene.nodes if isinstance(node, ir.Call) and node.dst and node.name.endswith(_TOLD_HOW)]
    containers = set(made) | {node.dst for node in scene.nodes if isinstance(node, ir.Copy) and node.src in made}
    return found, (*variables, *((name, field) for name in sorted(containers) for field in _ELEMENTS))


def _shown(scene: Scene, sites: Mapping[int, CallSite]) -> frozenset[str]:
    """The structs and arrays of a procedure of C whose address it leaves where others look, and the variables that a thread or a callback has
    the address of before they are filled."""
    stores = [] if scene.is_java else [node for node in scene.nodes if isinstance(node, ir.Store) and (not node.base or scene.outlives(node.base))]
    found = {name for store in stores if store.src in scene.addresses and scene.is_aggregate(name := scene.addresses[store.src][0])}
    if not scene.is_java:
        found.update(given for node, site in sites.items() for given in _given(scene, site) if _is_filled_behind(scene, node, given))
    return frozenset(name for name in found if name in scene.variables and name not in scene.formals)


def _given(scene: Scene, site: CallSite) -> set[str]:
    """The variables whose address a function of a library is given, and keeps."""
    if not site.is_library or site.effects is None:
        return set()
    moves = [each for each in site.effects.transfers if any(outcome.fate == "retained" for outcome in each.outcomes)]
    kept = {path[0] for path in (*site.effects.retains, *(each.entry for each in moves)) if len(path) == 1}
    return {scene.addresses[actual][0] for root in kept if (actual := site.actuals.get(root, "")) in scene.addresses}


def _is_filled_behind(scene: Scene, node: int, name: str) -> bool:
    """Whether a variable, or something in it, gets a value behind a node that is no constant."""
    behind = scene.cfg.reachable_from(node)
    stores = [store for each in behind if isinstance(store := scene.nodes[each], ir.Store | ir.StoreElement) and store.base == name]
    copies = [scene.nodes[each] for each in scene.definitions.get(name, ()) if each in behind]
    return any(not ir.is_literal(each.src) for each in stores) or any(not isinstance(each, ir.Copy) or not ir.is_literal(each.src) for each in copies)
