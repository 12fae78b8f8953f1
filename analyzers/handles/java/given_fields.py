"""Final fields that a constructor of Java fills with what it is given: a test of the field is a test of that.

A method that the constructor calls on its own object tests such a field where the constructor could test its parameter
(`if (file != null) writer = new PrintWriter(file);` in `begin()`): it opens something for some arguments only. Nothing is
believed here: a final field is assigned once, and a parameter that is never assigned stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath, Condition, Transfer

_OWN = "this."
"""How a root of Effects is named that is a field of the object that a constructor makes."""


def final_fields(unit: ir.Unit | None, owner: str) -> frozenset[str]:
    """The final fields that a class of a file declares, by its binary name."""
    own = next((each for each in unit.types if each.name == owner), None) if unit is not None else None
    return frozenset(each.name for each in own.fields if "final" in each.attributes) if own is not None else frozenset()


def _own_fields(scene: Scene) -> frozenset[str]:
    return final_fields(scene.queries.unit(scene.linked.key.path), scene.body.owner)


def given_fields(scene: Scene) -> dict[str, str]:
    """In a constructor the final fields that it fills with parameters that it never assigns, or with literals, each with that."""
    if not scene.is_java or not scene.is_constructor:
        return {}
    stored: dict[str, list[str]] = {}
    for index in scene.cfg.order:
        node = scene.nodes[index]
        if isinstance(node, ir.Store) and node.base == "this":
            stored.setdefault(node.field, []).append(node.src)
    found = {field: sources[0] for field, sources in stored.items() if len(set(sources)) == 1 and _stays(scene, sources[0])}
    return {field: source for field, source in found.items() if field in _own_fields(scene)} if found else {}


def _stays(scene: Scene, source: str) -> bool:
    return source in scene.formals and source not in scene.assigned_formals if not ir.is_literal(source) else source != "=?"


def tested_fields(scene: Scene, tests: Iterable[AccessPath]) -> list[AccessPath]:
    """The final fields that a method tests which fills other fields of its object: what lies there may depend on them."""
    tested = sorted(each for each in tests if len(each) == 2 and each[0] == "this")
    is_filling = any(isinstance(node, ir.Store) and node.base == "this" and not ir.is_literal(node.src) for node in scene.nodes)
    if not tested or not is_filling or scene.is_constructor or scene.body.kind != "method":
        return []
    fields = _own_fields(scene)
    return [each for each in tested if each[1] in fields]


def as_given(acquired: Sequence[Transfer], call: ir.Call, scene: Scene) -> tuple[list[Transfer], dict[str, str]]:
    """What a call of a constructor on its own object acquires, with conditions on what it was given instead of on fields; and
    what stands for the roots of those."""
    is_own = scene.is_constructor and call.receiver == "this"
    fields = given_fields(scene) if is_own and any(_is_of_field(c) for t in acquired for o in t.outcomes for c in o.when) else {}
    if not fields:
        return list(acquired), {}
    return [_renamed(each, fields) for each in acquired], {_OWN + field: source for field, source in fields.items()}


def _is_of_field(condition: Condition) -> bool:
    return len(condition.path) == 2 and condition.path[0] == "this"


def _renamed(transfer: Transfer, fields: dict[str, str]) -> Transfer:
    outcomes = tuple(
        msgspec.structs.replace(outcome, when=tuple(
            msgspec.structs.replace(each, path=(_OWN + each.path[1],)) if _is_of_field(each) and each.path[1] in fields else each
            for each in outcome.when
        ))
        for outcome in transfer.outcomes
    )
    return msgspec.structs.replace(transfer, outcomes=outcomes)
