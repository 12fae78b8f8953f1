"""What is asked for through an object that the procedure has made around another: `new Template(source).getSource().open()` opens what that
source opens, which a spec may know better than the type that the object gives it by.

Goes by types: what an object gives is taken to be the argument of its constructor whose type fits. Reports too little where it is another one.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.queries import Target
from analyzers.summaries import Effects


def model_of_inner(model: Effects | None, call: ir.Call, target: Target, scene: Scene) -> Effects | None:
    """What a library says of a call, or of that method of the object which its receiver's maker was made of, where that gives nothing away."""
    if model is None or not model.transfers or not scene.is_java or call.kind != "virtual":
        return model
    given = scene.type_of(call.receiver)
    nodes = [scene.nodes[node] for each in _sources((call.receiver,), scene) for node in scene.definitions.get(each, ())]
    owners = [each.receiver for each in nodes if isinstance(each, ir.Call) and each.kind == "virtual" and not each.args and each.name.startswith("get")]
    around = [each for _, one in _made(owners, scene) for each in one.args]
    targets = [scene.linked.targets.get(node) for node, _ in _made(around, scene)]
    for kind in dict.fromkeys(each.type for each in targets if each is not None):
        known = scene.queries.model((f"{kind}.{call.name}",), target.parameters)
        if known is not None and not known.transfers and scene.queries.is_subtype(kind, given):
            return known
    return model


def _sources(names: Iterable[str], scene: Scene) -> list[str]:
    """Variables and those that they are copied from, by what the whole procedure says."""
    found = list(dict.fromkeys(names))
    for name in found:
        found += [each for node in scene.definitions.get(name, ()) if (each := identity(scene.nodes[node])) and each not in found]
    return found


def _made(names: Iterable[str], scene: Scene) -> list[tuple[int, ir.Call]]:
    """The calls of constructors, by their numbers, that make what some variables may hold."""
    made = set(_sources(names, scene))
    return [(node, each) for node, each in enumerate(scene.nodes) if made and isinstance(each, ir.Call) and each.kind == "new" and each.receiver in made]
