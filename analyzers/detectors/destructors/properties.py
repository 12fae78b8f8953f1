"""Which properties of GObject may be set more than once.

The library calls `set_property` whenever somebody sets a property of an object; one that is `G_PARAM_CONSTRUCT_ONLY` is set once, while the object is
made. Says no wherever the flags of a property are not spelled out in the `class_init` of its class.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries

_SETTER = "set_property"
_CLASS = "class_init"
_SPEC = "g_param_spec_"
_INSTALL = "g_object_class_install_property"
_ONCE = "CONSTRUCT_ONLY"
_WRITABLE = frozenset(("G_PARAM_READWRITE", "G_PARAM_WRITABLE"))
_FORMALS = 4


def is_setter(linked: Linked) -> bool:
    """Whether a procedure is the `set_property` of a class, by its name and what it is given."""
    return linked.key.name.endswith(_SETTER) and len(linked.body.parameters) == _FORMALS


def is_settable(scene: Scene, queries: Queries, at: int) -> bool:
    """Whether a node of a `set_property` is reached for a property that may be set again, and for no other."""
    chosen = _chosen(scene, at)
    return bool(chosen) and _is_free(scene, queries, chosen)


def _chosen(scene: Scene, at: int) -> str:
    """The number of the one property for which a node is reached; empty where that is not known."""
    number = scene.body.parameters[1]
    found, ways = [], 0
    for node in scene.cfg.order:
        branch = scene.nodes[node]
        if not isinstance(branch, ir.Branch):
            continue
        if branch.left != number or branch.operator != "==":
            if at in scene.cfg.reachable_from(node):
                return ""  # It may know by something else that there is nothing yet.
            continue
        following = scene.cfg.normal[node]
        if following and (following[0] == at or at in scene.cfg.reachable_from(following[0])):
            found.append(branch.right)
            ways += 1
    return found[0] if ways == 1 and ir.is_literal(found[0]) else ""


def _is_free(scene: Scene, queries: Queries, number: str) -> bool:
    """Whether the class that has this `set_property` declares a property, in words that are known, as one that may be set again."""
    own = scene.linked.key
    unit = queries.unit(own.path)
    for each in unit.procedures if unit is not None else ():
        linked = queries.linked(ProcedureKey(own.path, each.name)) if each.name.endswith(_CLASS) else None
        if linked is not None and any(isinstance(node, ir.Store) and node.src == f"=&{own.name}" for node in linked.body.nodes):
            flags = _flags(linked, number)
            return not flags.isdisjoint(_WRITABLE) and not any(_ONCE in flag for flag in flags)
    return False


def _flags(linked: Linked, number: str) -> set[str]:
    """The names of the flags that a class gives a property; none where it is not declared once."""
    nodes = linked.body.nodes
    made = {node.dst: node for node in nodes if isinstance(node, ir.Call) and node.name.startswith(_SPEC) and node.args}
    specs = [node.src for node in nodes if isinstance(node, ir.StoreElement) and node.index == number and node.src in made]
    specs += [node.args[2] for node in nodes if isinstance(node, ir.Call) and node.name == _INSTALL and node.args[1:2] == (number,) and node.args[2] in made]
    if len(specs) != 1:
        return set()
    found, waiting = set[str](), [made[specs[0]].args[-1]]
    while waiting:
        name = waiting.pop()
        source = next((node for node in nodes if isinstance(node, ir.Load | ir.Op) and node.dst == name), None)
        if isinstance(source, ir.Op):
            waiting += source.operands
        else:
            found.add(source.field if isinstance(source, ir.Load) and not source.base else name)
    return found
